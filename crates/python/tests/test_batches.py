"""Streams of Arrow record batches: learned from and scored as they come."""

import datetime
import json
import weakref

import numpy as np
import pytest

import thalweg

pyarrow = pytest.importorskip("pyarrow")

ROWS = 3000
WORDS = ["free", "prize", "lunch", "work", "night", "call"]


def columns(rows=ROWS):
    """A column of every kind, and a label that depends on some of them."""
    random = np.random.default_rng(7)
    texts = [" ".join(random.choice(WORDS, 4)) for _ in range(rows)]
    amounts = random.exponential(10, rows)
    labels = ["spam" if ("free" in text) != (amount > 15) else "ham" for text, amount in zip(texts, amounts)]
    start = datetime.date(2026, 1, 1)
    return {
        "label": labels,
        "text": texts,
        "amount": [None if i % 50 == 7 else float(amount) for i, amount in enumerate(amounts)],
        "count": [int(i % 5) for i in range(rows)],
        "color": [["red", "green", None][i % 3] for i in range(rows)],
        "day": [start + datetime.timedelta(days=i % 400) for i in range(rows)],
        "seen": [bool(i % 2) for i in range(rows)],
        "pixels": [[float(i % 3), 0.0, 1.0] for i in range(rows)],
        "indices": [[i % 7, 10 + i % 11] for i in range(rows)],
        "values": [[1.0, 0.5] for _ in range(rows)],
    }


SETTINGS = {"text": ["text"], "ngrams": (1, 2), "date": ["day"]}


def table(**types):
    data = columns()
    fields = {"indices": pyarrow.list_(pyarrow.int32()), "values": pyarrow.list_(pyarrow.float64()), **types}
    arrays = {name: pyarrow.array(values, fields.get(name)) for name, values in data.items()}
    return pyarrow.table(arrays)


def reader(whole, size, seen=None):
    """The table as a stream whose batches are made when they are asked for."""

    def batches():
        for number, batch in enumerate(whole.to_batches(max_chunksize=size)):
            if seen is not None:
                seen.append(number)
            yield batch

    return pyarrow.RecordBatchReader.from_batches(whole.schema, batches())


def vectors(rows):
    """The struct that Spark keeps a vector in: sparse and dense ones in turn."""
    kind = pyarrow.struct(
        [
            pyarrow.field("type", pyarrow.int8(), nullable=False),
            ("size", pyarrow.int32()),
            ("indices", pyarrow.list_(pyarrow.field("element", pyarrow.int32(), nullable=False))),
            ("values", pyarrow.list_(pyarrow.field("element", pyarrow.float64(), nullable=False))),
        ]
    )
    made = []
    for row in rows:
        sparse = {"type": 0, "size": len(row), "indices": np.flatnonzero(row).tolist(), "values": row[row != 0].tolist()}
        dense = {"type": 1, "size": None, "indices": None, "values": row.tolist()}
        made.append(sparse if len(made) % 2 else dense)
    return pyarrow.array(made, kind)


def test_columns_of_every_kind_are_read_as_the_command_line_reads_them(command_line, tmp_path):
    path, model = tmp_path / "rows.arrow", tmp_path / "model.thw"
    with pyarrow.OSFile(str(path), "wb") as file, pyarrow.ipc.new_file(file, table().schema) as writer:
        writer.write_table(table())
    command_line("train", path, "--text", "text", "--ngrams", "1..2", "--date", "day", "--bias", "-f", model)
    ours = thalweg.OnlineClassifier().learn_file(reader(table(), 700), **SETTINGS)
    assert ours.to_bytes() == model.read_bytes()


@pytest.mark.parametrize("kind", ["int32", "int64", "uint32", "uint64"])
def test_lists_of_indices_may_be_of_any_whole_numbers(kind):
    expected = thalweg.AROWClassifier().learn_file(table(), **SETTINGS)
    other = table(indices=pyarrow.list_(getattr(pyarrow, kind)()))
    assert thalweg.AROWClassifier().learn_file(reader(other, 999), **SETTINGS).to_bytes() == expected.to_bytes()


def test_vectors_of_spark_are_lists_of_numbers():
    random = np.random.default_rng(3)
    X = random.standard_normal((500, 20)) * (random.random((500, 20)) < 0.3)
    labels = pyarrow.array(np.where(X[:, :5].sum(axis=1) > 0, "yes", "no"))
    lists = pyarrow.table({"features": pyarrow.array(list(X)), "label": labels})
    theirs = pyarrow.table({"features": vectors(X), "label": labels})
    model = thalweg.AROWClassifier().learn_file(reader(theirs, 100))
    assert model.to_bytes() == thalweg.AROWClassifier().learn_file(lists).to_bytes()
    assert model.weights(1)[0]["feature"].startswith("features.")
    assert list(model.predict(theirs)) == list(model.predict(lists))


def test_a_stream_is_not_read_into_memory_before_it_is_learned_from():
    """Batches that were learned from are gone long before the last one is made."""
    most, made = 0, []

    def batches():
        nonlocal most
        for i in range(200):
            rows = np.arange(1000) % 7 + i
            batch = pyarrow.record_batch({"x": rows.astype(float), "label": pyarrow.array(rows % 2)})
            made.append(weakref.ref(batch))
            most = max(most, sum(known() is not None for known in made))
            yield batch

    schema = pyarrow.schema([("x", pyarrow.float64()), ("label", pyarrow.int64())])
    before = pyarrow.total_allocated_bytes()
    peak = []
    stream = pyarrow.RecordBatchReader.from_batches(schema, batches())
    model = thalweg.AROWClassifier().learn_file(stream, callback=lambda _: peak.append(pyarrow.total_allocated_bytes() - before))
    assert model.report()["examples"] == 200_000
    assert most < 20 and max(peak) < 20 * 16_000


def test_several_passes_over_a_stream():
    once = thalweg.AROWClassifier().learn_file(reader(table(), 700), passes=3, **SETTINGS)
    assert once.to_bytes() == thalweg.AROWClassifier().learn_file(table(), passes=3, **SETTINGS).to_bytes()
    mixed = thalweg.AROWClassifier(random_state=1).learn_file(reader(table(), 700), shuffle=True, **SETTINGS)
    assert mixed.to_bytes() == thalweg.AROWClassifier(random_state=1).learn_file(table(), shuffle=True, **SETTINGS).to_bytes()


def test_an_error_in_the_middle_of_a_stream_ends_the_run_and_is_told():
    def batches():
        yield from table().to_batches(max_chunksize=500)[:3]
        raise RuntimeError("the source went away")

    stream = pyarrow.RecordBatchReader.from_batches(table().schema, batches())
    model = thalweg.AROWClassifier()
    with pytest.raises((OSError, ValueError), match="the source went away"):
        model.learn_file(stream, **SETTINGS)
    # What was learned by then is a model.
    assert model.report()["examples"] <= 1500 and thalweg.load(model.to_bytes())


def test_a_table_has_no_other_format():
    with pytest.raises(OSError, match="it holds rows of a table: `format` can only be arrow"):
        thalweg.AROWClassifier().learn_file(table(), format="csv")


def with_bad_rows():
    """Every hundredth row has a number that is none, one in the first ten."""
    whole = table()
    amounts = [float("inf") if i % 100 == 3 else 1.0 for i in range(ROWS)]
    return whole.set_column(whole.schema.get_field_index("amount"), "amount", pyarrow.array(amounts))


def test_bad_rows_are_skipped_counted_and_logged(caplog, tmp_path):
    rejected = tmp_path / "rejected.jsonl"
    model = thalweg.AROWClassifier().learn_file(reader(with_bad_rows(), 512), reject_file=rejected, **SETTINGS)
    report = model.report()
    assert report["examples"] == ROWS - 30 and report["bad_lines"] == 30
    assert "table:4" in caplog.text and 'column "amount": value must be a finite number, got "inf"' in caplog.text
    lines = [json.loads(line) for line in rejected.read_text().splitlines()]
    assert len(lines) == 30 and lines[0]["text"] == columns()["text"][3]


def test_bad_rows_end_the_run_if_that_is_asked_for():
    with pytest.raises(thalweg.DataError, match="table:4:.*must be a finite number"):
        thalweg.AROWClassifier().learn_file(reader(with_bad_rows(), 512), strict=True, **SETTINGS)
    with pytest.raises(thalweg.DataError, match="11 of 1004 lines are bad, more than the 10 allowed"):
        thalweg.AROWClassifier().learn_file(reader(with_bad_rows(), 512), max_bad="10", **SETTINGS)
    with pytest.raises(thalweg.DataError, match="more than the 0.5% allowed"):
        thalweg.AROWClassifier().learn_file(reader(with_bad_rows(), 512), max_bad="0.5%", **SETTINGS)
    thalweg.AROWClassifier().learn_file(reader(with_bad_rows(), 512), max_bad="2%", **SETTINGS)


def test_batches_are_scored_as_they_come():
    model = thalweg.OnlineClassifier(probabilities=True, target="recall>=0.9").learn_file(table(), **SETTINGS)
    seen = []
    scored = thalweg.score_batches(model, reader(table(), 700, seen))
    first = next(scored)
    assert first.num_rows == 700 and seen == [0]
    whole = pyarrow.Table.from_batches([first, *scored])
    assert whole.num_rows == ROWS and model.threshold_ != 0
    assert whole["prediction"].to_pylist() == list(model.predict_file(table()))
    assert np.array_equal(whole["score"].to_numpy(), model.decision_file(table()))
    expected = model._score_inputs([table()], {})[2]
    assert np.array_equal(whole["probability"].to_numpy(), expected)


def test_rows_of_many_classes_have_lists_of_scores():
    data = columns()
    many = table().set_column(0, "label", pyarrow.array([f"class {i}" for i in np.arange(ROWS) % 5]))
    assert data["label"]
    model = thalweg.OnlineClassifier("arow", multiclass="any").learn_file(many, **SETTINGS)
    [scored] = thalweg.score_batches(model, [many.drop_columns("label")])
    assert scored["probability"].null_count == ROWS
    assert np.array_equal(np.array(scored["score"].to_pylist()), model.decision_file(many))
    assert scored["prediction"].to_pylist() == list(model.predict_file(many))


@pytest.mark.parametrize("multiclass", [None, "any"])
def test_rows_that_cannot_be_scored_are_null_and_logged(caplog, multiclass):
    model = thalweg.OnlineClassifier("arow", probabilities=True, multiclass=multiclass).learn_file(table(), **SETTINGS)
    whole = pyarrow.Table.from_batches(thalweg.score_batches(model, reader(with_bad_rows(), 512)))
    bad = [i for i in range(ROWS) if i % 100 == 3]
    for name in ("prediction", "score", "probability"):
        assert [i for i, value in enumerate(whole[name].to_pylist()) if value is None] == bad
    kept = np.array(whole["prediction"].to_pylist(), dtype=object)[[i for i in range(ROWS) if i % 100 != 3]]
    assert list(kept) == list(model.predict_file(with_bad_rows()))
    assert "row 4: " in caplog.text and "row 904: " in caplog.text and "row 1004: " not in caplog.text
    with pytest.raises(thalweg.DataError, match="must be a finite number"):
        list(thalweg.score_batches(model, reader(with_bad_rows(), 512), strict=True))


def test_what_is_no_setting_of_a_batch_is_refused():
    model = thalweg.AROWClassifier().learn_file(table(), **SETTINGS)
    with pytest.raises(TypeError, match="no setting 'max_bad'"):
        thalweg.score_batches(model, [], max_bad="3")
    with pytest.raises(ValueError, match="trained with"):
        thalweg.score_batches(model, [], text="other")
    with pytest.raises(thalweg.DataError, match='no column "text"'):
        list(thalweg.score_batches(model, [table().drop_columns(["text", "indices", "values"])]))
