"""The pipeline of the command line, and the other verbs, from Python."""

import json
import logging
import pathlib
import signal
import subprocess
import sys

import numpy as np
import pytest

import thalweg
from conftest import SMS, SMS_TEST


@pytest.fixture(scope="module")
def spam():
    return thalweg.OnlineClassifier("ssol:lambda=1", probabilities=True).learn_file(SMS, text="text")


def test_files_give_the_models_of_the_command_line(command_line, tmp_path):
    model = tmp_path / "spam.thw"
    command_line("train", SMS, "--text", "text", "--ngrams", "1..2", "--bias", "-f", model)
    ours = thalweg.OnlineClassifier().learn_file(SMS, text="text", ngrams=(1, 2))
    assert ours.to_bytes() == model.read_bytes()
    assert list(ours.classes_) == ["ham", "spam"]
    command_line("train", SMS, "-a", "arow", "--text", "text", "--bias", "--shuffle", "--seed", "5", "--passes", "2", "-f", model)
    again = thalweg.AROWClassifier(random_state=5).learn_file([pathlib.Path(SMS)], text=["text"], shuffle=True, passes=2)
    assert again.to_bytes() == model.read_bytes()


def test_learning_goes_on_and_records_are_scored(spam):
    more = thalweg.load(spam.to_bytes()).learn_file(SMS_TEST)
    assert more.to_bytes() != spam.to_bytes()
    messages = [{"text": "Claim your free prize now"}, {"text": "see you at lunch"}]
    assert list(spam.predict(messages)) == ["spam", "ham"]
    assert spam.decision_function(messages).shape == (2,) and spam.predict_proba(messages).shape == (2, 2)
    assert len(spam.predict_file(SMS_TEST)) == len(spam.decision_file(SMS_TEST)) == 1115
    assert list(spam.predict_file(b'{"text": "free prize"}\n', format="jsonl")) == ["spam"]
    with pytest.raises(AttributeError, match="weights"):
        spam.coef_
    assert spam.weights(3)[0]["feature"].startswith("text=")


def test_tables_go_through_the_pipeline(spam):
    polars = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import csv

    options = csv.ParseOptions(delimiter="\t", quote_char=False)
    frame = csv.read_csv(pyarrow.input_stream(SMS, compression="zstd"), parse_options=options).to_pandas()
    expected = spam.to_bytes()
    arguments = {"text": "text", "label_col": frame.columns[0]}
    polars_frame = polars.from_pandas(frame)
    for table in (polars_frame, polars_frame.to_arrow(), duckdb.sql("select * from polars_frame"), frame):
        model = thalweg.OnlineClassifier("ssol:lambda=1", probabilities=True).learn_file(table, **arguments)
        theirs = {row["feature"]: row["weight"] for row in model.weights()}
        assert theirs == {row["feature"]: row["weight"] for row in thalweg.load(expected).weights()}
        assert list(model.predict(polars_frame[:3])) == list(spam.predict(polars_frame[:3]))


def test_evaluate_explain_inspect_and_select(spam, tmp_path):
    report = thalweg.evaluate(spam, SMS_TEST, metrics=["f1"])
    assert report["examples"] == 1115 and report["error"] < 0.05 and 0.8 < report["f1"] < 1.0
    [explanation] = thalweg.explain(spam, [{"text": "free prize"}])
    assert explanation["predicted"] == "spam"
    assert {feature["feature"] for feature in explanation["features"]} >= {"text=free", "text=prize"}
    known = thalweg.inspect(spam, top=5)
    assert len(known["weights"]) == 5 and known["config"]["learner"].startswith("ssol:")
    best = thalweg.select(spam, 10)
    assert len(best["features"]) == 10
    reduced = tmp_path / "reduced.jsonl"
    assert thalweg.select(spam, 10, data=SMS, to=reduced)["reduced"]["examples"] == 4459
    assert reduced.exists()


def test_sweep_and_compare(tmp_path):
    pytest.importorskip("pandas")
    found = thalweg.sweep(SMS, ["ssol", "arow"], grid={"lambda_": [0.1, 1.0], "r": "0.1,1"}, text="text")
    assert len(found.candidates) == len(found.to_frame()) and found.best.score is not None
    assert found.best.predict([{"text": "free prize"}])[0] in ("ham", "spam")
    with pytest.raises(ValueError, match="only one setting"):
        thalweg.sweep(SMS, "arow", text="text")
    compared = thalweg.compare(SMS, ["arow", "perceptron"], points=1, repeat=2, text="text")
    assert "arow" in str(compared) and len(compared.to_frame()) == 2


def test_reproduce_lists_what_there_is(tmp_path):
    assert any(exhibit["name"] == "zhao2019-table2" for exhibit in thalweg.exhibits())
    with pytest.raises(ValueError, match=r"no table or figure \"nonsense\""):
        thalweg.reproduce("nonsense", work=tmp_path)


def test_errors_are_those_of_the_command_line_in_kinds_of_python(tmp_path, spam):
    with pytest.raises(FileNotFoundError, match="nowhere.csv"):
        thalweg.AROWClassifier().learn_file("nowhere.csv")
    with pytest.raises(FileNotFoundError):
        thalweg.load(tmp_path / "nothing.thw")
    damaged = tmp_path / "damaged.thw"
    damaged.write_bytes(spam.to_bytes()[:-10])
    with pytest.raises(thalweg.ModelError, match=r"damaged\.thw"):
        thalweg.load(damaged)
    bad = tmp_path / "bad.libsvm"
    bad.write_text("1 1:1\n0 2:x\n1 3:1\n")
    with pytest.raises(thalweg.DataError, match=r"bad\.libsvm:2"):
        thalweg.AROWClassifier().learn_file(bad, strict=True)
    with pytest.raises(TypeError, match="no setting 'txt'"):
        thalweg.AROWClassifier().learn_file(SMS, txt="text")
    with pytest.raises(ValueError, match="`ngrams` must be a range"):
        thalweg.AROWClassifier().learn_file(SMS, text="text", ngrams=(0, 30))
    with pytest.raises(ValueError, match="trained with"):
        thalweg.load(spam.to_bytes()).learn_file(SMS, text="other")


def test_progress_is_told(caplog, tmp_path):
    lines = []
    with caplog.at_level(logging.INFO, "thalweg"):
        thalweg.AROWClassifier().learn_file(SMS, text="text", callback=lines.append)
    assert [line["examples"] for line in lines][:4] == [1, 2, 4, 8] and lines[-1]["examples"] == 4459
    assert json.dumps(lines) and "4459 examples" in caplog.text
    bad = tmp_path / "bad.libsvm"
    bad.write_text("".join(f"{i % 2} {i + 1}:1\n" for i in range(200)) + "1 2:x\n")
    with caplog.at_level(logging.WARNING, "thalweg"):
        thalweg.AROWClassifier().learn_file(bad)
    assert "bad.libsvm:201" in caplog.text
    ordered = tmp_path / "ordered.libsvm"
    ordered.write_text("".join(f"{i // 5000} {i % 50 + 1}:1\n" for i in range(10000)))
    with pytest.warns(thalweg.ThalwegWarning, match="shuffle"):
        thalweg.AROWClassifier().learn_file(ordered)


def test_a_bar_shows_progress(capsys):
    pytest.importorskip("tqdm")
    thalweg.AROWClassifier().learn_file(SMS, text="text", progress=True)
    shown = capsys.readouterr().err
    assert "thalweg: 100%" in shown and "weights=" in shown


INTERRUPTED = """
import sys, thalweg
model = thalweg.AROWClassifier()
try:
    model.learn_file(sys.argv[1], text="text", passes=10**6, callback=lambda line: print("running", flush=True))
except KeyboardInterrupt:
    learned = thalweg.load(model.to_bytes())
    assert model.report()["examples"] > 0 and len(learned.predict_file(sys.argv[1], label_col="label")) == 4459
    print("valid", flush=True)
"""


def test_the_signal_of_ctrl_c_leaves_a_valid_model():
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED, str(SMS)], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "running\n"
    child.send_signal(signal.SIGINT)
    shown, _ = child.communicate(timeout=60)
    assert shown.splitlines()[-1] == "valid" and child.returncode == 0


def test_a_callback_can_end_a_run():
    def stop(line):
        if line["examples"] >= 1000:
            raise StopIteration("enough")

    model = thalweg.AROWClassifier()
    with pytest.raises(StopIteration, match="enough"):
        model.learn_file(SMS, text="text", callback=stop)
    assert 1000 <= model.report()["examples"] < 4459
    assert list(model.predict([{"text": "free prize"}])) and thalweg.load(model.to_bytes())


def test_plots(spam):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    lines = []
    thalweg.AROWClassifier().learn_file(SMS, text="text", callback=lines.append)
    assert thalweg.plot_progress(lines).get_xlabel() == "examples"
    assert thalweg.plot_threshold(spam, SMS_TEST).get_xlabel() == "threshold"
    assert len(thalweg.plot_weights(spam, 7).patches) == 7
    found = thalweg.sweep(SMS, "ssol", grid={"lambda_": [0.1, 1.0, 10.0]}, text="text")
    sparsity = thalweg.plot_sparsity(found)
    assert sparsity.get_ylabel() == "error" and any(label.get_text() for label in sparsity.get_xticklabels())
    # Names of features are not cut off where they begin.
    weights = thalweg.plot_weights(spam, 7)
    weights.figure.canvas.draw()
    assert all(label.get_window_extent().x0 >= 0 for label in weights.get_yticklabels())
