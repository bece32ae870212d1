"""Arrays are read where they are, whatever their types, and give the models of the command line."""

import threading
import time

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

import thalweg


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("value", [np.float32, np.float64])
def test_all_types_of_arrays_give_the_same_model(words, index, value):
    X, y = words
    expected = thalweg.SSOLClassifier(shuffle=False).fit(X, y).to_bytes()
    matrix = sparse.csr_array((X.data.astype(value), X.indices.astype(index), X.indptr.astype(index)), shape=X.shape)
    assert thalweg.SSOLClassifier(shuffle=False).fit(matrix, y).to_bytes() == expected
    dense = np.asarray(X.toarray(), dtype=value)
    assert thalweg.SSOLClassifier(shuffle=False).fit(dense, y).to_bytes() == expected
    assert thalweg.SSOLClassifier(shuffle=False).fit(np.asfortranarray(dense), y).to_bytes() == expected


def test_unsorted_rows_zeros_and_duplicates_are_put_in_order(words):
    X, y = words
    expected = thalweg.AROWClassifier(shuffle=False).fit(X, y).to_bytes()
    coo = X.tocoo()
    order = np.random.default_rng(0).permutation(coo.nnz)
    order = order[np.argsort(coo.row[order], kind="stable")]
    mixed = sparse.csr_matrix((coo.data[order], coo.col[order], X.indptr), shape=X.shape)
    assert thalweg.AROWClassifier(shuffle=False).fit(mixed, y).to_bytes() == expected
    zeros = sparse.csr_matrix((X.data.copy(), X.indices, X.indptr), shape=X.shape)
    zeros.data[::7] = 0
    assert (
        thalweg.AROWClassifier(shuffle=False).fit(zeros, y).to_bytes()
        == thalweg.AROWClassifier(shuffle=False).fit(zeros.toarray(), y).to_bytes()
    )


def test_what_is_wrong_with_arrays_is_told(words):
    X, y = words
    broken = X.copy()
    broken.data[broken.indptr[5]] = np.nan
    with pytest.raises(ValueError, match=r"row 5 has a value of feature \d+ that is not a finite number"):
        thalweg.AROWClassifier(shuffle=False).fit(broken, y)
    with pytest.raises(ValueError, match="features"):
        thalweg.AROWClassifier().fit(X, y).predict(X[:, :10])


CASES = [
    ("arow", {}, []),
    ("ssol:eta=1,lambda=0.3", {"cost_fn": 5.0}, ["--cost-fn", "5"]),
    ("sarow", {"class_weight": "balanced"}, ["--balanced"]),
    ("sarow", {"target": "recall>=0.9", "probabilities": True}, ["--target", "recall>=0.9", "--probabilities"]),
    ("scw1", {"shuffle": True, "random_state": 3, "n_iter": 3}, ["--shuffle", "--seed", "3", "--passes", "3"]),
    ("ada-rda", {"normalize": "l2", "scale": "max", "n_iter": 2}, ["--normalize", "l2", "--scale", "max", "--passes", "2"]),
    ("bcw1:batch=100", {"n_iter": 2}, ["--passes", "2"]),
    ("auto", {}, []),
    ("sacog1", {"probabilities": True, "n_iter": 2}, ["--probabilities", "--passes", "2"]),
]


@pytest.mark.parametrize(("learner", "parameters", "flags"), CASES, ids=[case[0] for case in CASES])
def test_models_are_those_of_the_command_line(words, command_line, tmp_path, learner, parameters, flags):
    X, y = words
    if learner.startswith(("bcw", "sacog")):
        X, y = X[:300, :200], y[:300]
    numbers = np.where(y == "spam", 1, -1)
    data, model = tmp_path / "data.libsvm", tmp_path / "model.thw"
    dump_svmlight_file(X, numbers, str(data), zero_based=True)
    command_line("train", data, "-a", learner, "--bias", "-f", model, *flags)
    estimator = thalweg.OnlineClassifier(learner, **{"shuffle": False, **parameters}).fit(X, numbers)
    assert estimator.to_bytes() == model.read_bytes()
    # And back: the command line goes on with a model of Python.
    saved, more = tmp_path / "saved.thw", tmp_path / "more.thw"
    estimator.save(saved)
    command_line("train", data, "-i", saved, "-f", more)
    loaded = thalweg.load(saved)
    assert loaded.to_bytes() == model.read_bytes() and list(loaded.classes_) == [-1, 1]
    assert np.array_equal(loaded.predict(X), estimator.predict(X))
    assert np.allclose(loaded.decision_function(X), estimator.decision_function(X))


def test_more_classes_are_those_of_the_command_line(words, command_line, tmp_path):
    X, _ = words
    y = np.arange(X.shape[0]) % 4
    data, model = tmp_path / "data.libsvm", tmp_path / "model.thw"
    dump_svmlight_file(X, y, str(data), zero_based=True)
    for multiclass in ("hinge", "ovr"):
        command_line("train", data, "-a", "arow", "--bias", "--multiclass", multiclass, "-f", model)
        estimator = thalweg.AROWClassifier(shuffle=False, multiclass=multiclass).fit(X, y)
        assert estimator.to_bytes() == model.read_bytes()
        assert np.array_equal(thalweg.load(model).predict(X), estimator.predict(X))


def test_chunks_give_the_model_of_the_whole(words):
    X, y = words
    whole = thalweg.OnlineClassifier(shuffle=False, probabilities=True, target="f1").fit(X, y)
    parts = thalweg.OnlineClassifier(probabilities=True, target="f1")
    for start in range(0, X.shape[0], 300):
        parts.partial_fit(X[start : start + 300], y[start : start + 300], classes=["ham", "spam"])
        parts.predict(X[:5])
    assert whole.to_bytes() == parts.to_bytes()


def test_threads_score_one_model_while_another_learns(words):
    X, y = words
    model = thalweg.AROWClassifier().fit(X, y)
    expected, wrong = model.decision_function(X), []

    def score():
        for _ in range(5):
            if not np.array_equal(model.decision_function(X), expected):
                wrong.append(1)

    threads = [threading.Thread(target=score) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong
    learning = threading.Thread(target=lambda: [model.partial_fit(X, y) for _ in range(5)])
    learning.start()
    while learning.is_alive():
        assert np.isfinite(model.decision_function(X[:50])).all()
        model.coef_
    learning.join()


def test_others_run_while_it_learns(words):
    X, y = words
    X, y = sparse.vstack([X] * 40, format="csr"), np.tile(y, 40)
    done, ticks = threading.Event(), 0

    def learn():
        thalweg.AROWClassifier(shuffle=False, n_iter=3).fit(X, y)
        done.set()

    thread = threading.Thread(target=learn)
    thread.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    thread.join()
    assert ticks > 5


def test_an_interrupt_leaves_a_valid_model(words):
    import _thread

    X, y = words
    X, y = sparse.vstack([X] * 50, format="csr"), np.tile(y, 50)
    model = thalweg.AROWClassifier().partial_fit(X[:100], y[:100], classes=["ham", "spam"])
    timer = threading.Timer(0.15, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(200):
            model.partial_fit(X, y)
    timer.join()
    learned = thalweg.load(model.to_bytes())
    assert learned.score(X[:2000], y[:2000]) > 0.6
    model.partial_fit(X[:100], y[:100])


def test_tables_of_other_libraries(words):
    pyarrow = pytest.importorskip("pyarrow")
    polars = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    columns = {"a": random.random(200), "b": random.integers(0, 9, 200), "c": random.random(200) > 0.5}
    y = (columns["a"] + columns["c"] > 1).astype(int)
    expected = thalweg.AROWClassifier(shuffle=False).fit(np.column_stack(list(columns.values())).astype(float), y)
    arrow = pyarrow.table({name: pyarrow.array(values) for name, values in columns.items()})
    tables = [arrow, arrow.to_reader(), polars.DataFrame(columns), duckdb.sql("select * from arrow"), pandas.DataFrame(columns)]
    for table_of in tables:
        model = thalweg.AROWClassifier(shuffle=False).fit(table_of, y)
        assert model.to_bytes() == expected.to_bytes()
        assert list(model.feature_names_in_) == ["a", "b", "c"]
    assert np.array_equal(model.predict(arrow), expected.predict(np.column_stack(list(columns.values())).astype(float)))
    with pytest.raises(ValueError, match="names"):
        model.predict(arrow.rename_columns(["a", "b", "x"]))
    with pytest.raises(ValueError, match='column "t" is of type Utf8'):
        thalweg.AROWClassifier().fit(pyarrow.table({"t": ["x", "y"]}), [0, 1])
