"""What careless and hostile callers do: every time an exception of Python's kinds that says what is wrong, and never a lost model."""

import collections
import pickle
import random
import signal
import threading

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

import thalweg
from conftest import SMS

X = np.random.default_rng(0).standard_normal((20, 4))
Y = np.array([0, 1] * 10)


def learner(**parameters):
    return thalweg.AROWClassifier(shuffle=False, **parameters)


def rows(ends, features, values, shape=(2, 4)):
    """Compressed sparse rows that SciPy would not make."""
    matrix = sparse.csr_matrix(shape)
    matrix.indptr, matrix.indices, matrix.data = np.asarray(ends), np.asarray(features), np.asarray(values, dtype=float)
    return matrix


@pytest.mark.parametrize(
    ("ends", "features", "values", "words"),
    [
        ([0, 1, 2], [-1, 2], [1, 1], "row 0 has the feature -1"),
        ([0, 1, 2], [4, 2], [1, 1], "row 0 has the feature 4; features are numbered from 0 to 3"),
        ([0, 2, 1], [1, 2], [1, 1], "row 1 ends at 1"),
        ([0, 1, 9], [1, 2], [1, 1], "row 1 ends at 9"),
        ([0, -1, 2], [1, 2], [1, 1], "row 0 ends at -1"),
        ([0, 1, 2], [1, 2], [1], "values has 1 entries, but should have 2"),
        ([0, 1], [1], [1], "labels has 2 entries, but should have 1"),
        ([0, 1, 2], [1, 2], [1, float("nan")], "row 1 has a value of feature 2 that is not a finite number"),
        ([0, 1, 2], [1, 2], [1, 1e300], "more than float32 holds"),
    ],
)
def test_rows_that_are_none(ends, features, values, words):
    with pytest.raises(ValueError, match=words):
        learner().fit(rows(ends, features, values), [0, 1])
    fitted = learner().fit(X, Y)
    before = fitted.to_bytes()
    with pytest.raises(ValueError):
        fitted.partial_fit(rows(ends, features, values), [0, 1])
    assert fitted.to_bytes() == before


def test_features_beyond_32_bits():
    wide = sparse.csr_array((np.ones(2), np.array([5_000_000_000, 1]), np.array([0, 1, 2])), shape=(2, 6_000_000_000))
    with pytest.raises(ValueError, match="features are numbered from 0 to 4294967294"):
        learner().fit(wide, [0, 1])
    wide = sparse.csr_array((np.ones(2), np.array([3_000_000_000, 1]), np.array([0, 1, 2])), shape=(2, 4_000_000_000))
    assert learner().fit(wide, [0, 1]).sparsify().coef_.shape == (1, 4_000_000_000)


@pytest.mark.parametrize("X", [X[:, ::-1], X.astype(">f8"), np.broadcast_to(X[:1], X.shape), X.astype(object), X.astype(np.longdouble)], ids=str)
def test_arrays_that_do_not_lie_as_expected(X):
    plain = np.array(X, dtype=float)
    assert learner().fit(X, Y).to_bytes() == learner().fit(plain, Y).to_bytes()
    plain.flags.writeable = False
    assert learner().fit(plain, Y).to_bytes() == learner().fit(X, Y).to_bytes()


@pytest.mark.parametrize("change", ["indptr int64", "indices int64", "indices uint32", "indices int16", "data gaps", "indices gaps", "indptr gaps", "data read-only", "indices read-only"])
def test_compressed_rows_whose_arrays_do_not_lie_as_expected(change):
    matrix = sparse.csr_matrix(np.where(np.abs(X) > 0.5, X, 0.0))
    expected = learner().fit(matrix, Y).partial_fit(matrix, Y).to_bytes()
    array, how = change.split()
    values = getattr(matrix, array).copy()
    if how == "gaps":
        values = np.repeat(values, 2)[::2]
    elif how == "read-only":
        values.flags.writeable = False
    else:
        values = values.astype(how)
    setattr(matrix, array, values)
    model = learner().fit(matrix, Y).partial_fit(matrix, Y)
    assert model.to_bytes() == expected and (model.predict(matrix) == thalweg.load(expected).predict(matrix)).all()


@pytest.mark.parametrize(
    ("X", "kind"),
    [(X[0], ValueError), (X[None], ValueError), (X[:0], ValueError), (X[:, :0], ValueError), (X + 1j, ValueError), (None, ValueError), (3, ValueError)]
    + [([[1], [1, 2]], ValueError), ([{"a": 1}], TypeError), (["a"], ValueError), (np.array([["a", {}]], dtype=object), ValueError), ([[None] * 4] * 20, ValueError)],
    ids=str,
)
def test_what_is_no_matrix(X, kind):
    with pytest.raises(kind):
        learner().fit(X, Y)


def test_arrays_that_change_while_they_are_read():
    count = 200_000
    indptr, indices = np.arange(count + 1, dtype=np.int32) * 4, np.tile(np.arange(4, dtype=np.int32), count)
    values, classes = np.ones(4 * count, dtype=np.float32), (np.arange(count) % 2).astype(np.uint32)
    good, done = indptr.copy(), threading.Event()

    def spoil():
        while not done.is_set():
            indptr[count // 2 :] = 2**31 - 1
            values[::7] = np.nan
            indptr[:], values[:] = good, 1.0

    model = learner().fit(X, Y)
    thread = threading.Thread(target=spoil)
    thread.start()
    try:
        for _ in range(20):
            try:
                model._stream.learn((indptr, indices, values, 4), classes)
            except ValueError as error:
                assert "row " in str(error)
    finally:
        done.set()
        thread.join()
    assert np.isfinite(model.coef_).all() and thalweg.load(model.to_bytes())


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([None, 1] * 10, "label type"),
        ([np.nan, 1] * 10, "NaN"),
        (np.array(["a", 1] * 10, dtype=object), "all numbers or all strings"),
        ([1] * 20, "only one class: 1"),
        (X[:, 0], "continuous"),
        (["\ud800", "b"] * 10, "surrogates not allowed"),
        (np.array(["1", "1.0"] * 10), '`labels` must be different from each other, got "1" twice'),
        (np.zeros((20, 2)), "1d array"),
        (Y[:5], "inconsistent numbers of samples"),
    ],
)
def test_labels_that_are_none(y, words):
    with pytest.raises(ValueError, match=words):
        learner().fit(X, y)


@pytest.mark.parametrize(
    "y",
    [[True, False], ["", "a"], ["a\nb", "a\tb"], ["NA", "null"], [2**63, 2**64 - 1], np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]"), [-0.0, 1.0]],
    ids=str,
)
def test_labels_of_every_kind_come_back(y):
    y = np.array(list(y) * 10)
    predicted = learner(n_iter=20).fit(X, y).predict(X)
    assert predicted.dtype == y.dtype and set(predicted) == set(y)


@pytest.mark.parametrize("weights", [[1, 2], ["a"] * 20, [np.nan] * 20, [np.inf] * 20, [-1] * 20, [0] * 20, np.ones((20, 2))], ids=str)
def test_weights_that_are_none(weights):
    with pytest.raises(ValueError):
        learner().fit(X, Y, sample_weight=weights)


def test_nothing_was_learned_yet():
    for use in (thalweg.inspect, lambda m: thalweg.select(m, 3), lambda m: thalweg.evaluate(m, SMS), lambda m: thalweg.explain(m, SMS), lambda m: m.save("x"), lambda m: m.predict(X)):
        with pytest.raises(NotFittedError):
            use(learner())
    with pytest.raises(TypeError, match="must be an estimator of thalweg, got NoneType"):
        thalweg.evaluate(None, SMS)


@pytest.mark.parametrize(
    ("data", "kind", "words"),
    [
        ([], ValueError, "nothing was learned"),
        (b"", ValueError, "nothing was learned"),
        ("", FileNotFoundError, "No such file"),
        (".", OSError, "it is a directory"),
        (None, TypeError, "got NoneType"),
        ([1, 2], TypeError, "got int"),
        ("a\0b", OSError, "NUL"),
        (b"x y z", thalweg.DataError, "say it with `format`"),
        ([{"a": 1}], thalweg.DataError, "the line has no label"),
    ],
    ids=str,
)
def test_data_that_is_none(data, kind, words):
    model = learner()
    with pytest.raises(kind, match=words):
        model.learn_file(data)
    assert not hasattr(model, "classes_")


def test_a_third_label_leaves_a_model_of_what_came_before():
    model = learner()
    with pytest.raises(thalweg.DataError, match='a third label, "z"'):
        model.learn_file([{"a": 1, "label": label} for label in "xyz"])
    assert list(model.classes_) == ["x", "y"] and thalweg.load(model.to_bytes())


def test_what_was_learned_once_is_checked_again():
    """Arrays that lie well take a short cut, which must not be shorter than the checks."""
    model = learner().fit(X, Y)
    before = model.to_bytes()
    compressed = sparse.csr_matrix(X)
    for wrong, labels, words in [
        (X[:, :3], Y, "X has 3 features"),
        (compressed[:, :3], Y, "X has 3 features"),
        (X[:0], Y[:0], "0 sample"),
        (X, Y[:5], "inconsistent numbers of samples"),
        (X, np.stack([Y, Y], 1), "1d array"),
        (X, np.where(Y, 1.0, np.nan), "NaN"),
        (X, Y + 1, "y has the class 2, which is none of"),
        (np.where(X == X[3, 2], np.nan, X), Y, "row 3 has a value of feature 2 that is not a finite number"),
        (X[None], Y, "dim 3"),
        (sparse.csr_array(X[0]), Y, "Expected 2D input"),
    ]:
        with pytest.raises(ValueError, match=words):
            model.partial_fit(wrong, labels)
    assert model.to_bytes() == before
    for same in (Y[:, None], Y.astype(float), Y.astype("u1"), Y > 0, list(Y)):
        assert learner().fit(X, Y).partial_fit(X, same).to_bytes() == learner().fit(X, Y).partial_fit(X, Y).to_bytes()


def test_a_loaded_model_scores_rows_in_lists():
    model = thalweg.load(learner().fit(X, Y).to_bytes())
    assert np.array_equal(model.decision_function(X.tolist()), model.decision_function(X))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"class_weight": [1, 2]}, "class_weight must be 'balanced', a dictionary or None"),
        ({"random_state": -1, "shuffle": True}, "random_state must be between 0 and"),
        ({"random_state": 2**64, "shuffle": True}, "random_state must be between 0 and"),
        ({"threshold": float("nan")}, "threshold must be a finite number, got nan"),
        ({"cost_fn": float("inf")}, "cost_fn must be a finite number, got inf"),
    ],
    ids=str,
)
def test_parameters_that_are_none(parameters, words):
    with pytest.raises(ValueError, match=words):
        thalweg.AROWClassifier(**parameters).fit(X, Y)


def test_settings_that_are_none():
    for settings, words in [
        ({"text": {}}, "`text`.*expected a list"),
        ({"text": 3}, 'no column "3"'),
        ({"passes": -1}, "passes must be a whole number of at least 1, got -1"),
        ({"passes": 0}, "passes must be a whole number of at least 1, got 0"),
        ({"hash_bits": "x"}, "`hash_bits`.*expected a whole number"),
        ({"text": "nowhere"}, 'no column "nowhere"'),
    ]:
        with pytest.raises(ValueError, match=words):
            learner().learn_file(SMS, **settings)


def test_files_that_vanish_and_files_that_cannot_be_written(tmp_path):
    data = tmp_path / "data.svm"
    data.write_text("1 1:1\n-1 2:1\n")
    model = learner().learn_file(data)
    before = model.to_bytes()
    data.unlink()
    with pytest.raises(FileNotFoundError, match=r"data\.svm"):
        model.learn_file(data)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        model.save(tmp_path / "nowhere" / "model.thw")
    with pytest.raises(OSError, match="it is a directory"):
        model.save(tmp_path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        thalweg.sweep("nowhere.svm", "ssol", grid={"eta": [1, 2]})
    assert model.to_bytes() == before


def test_damaged_models():
    model = learner().fit(X, Y)
    content, pickled, dice = model.to_bytes(), pickle.dumps(model), random.Random(0)
    for _ in range(300):
        damaged = bytearray(content)
        damaged[dice.randrange(len(damaged))] ^= 1 << dice.randrange(8)
        for wrong in (damaged, damaged[: dice.randrange(len(damaged))], content + bytes(damaged[:5])):
            with pytest.raises(thalweg.ModelError):
                thalweg.load(bytes(wrong))
    start = pickled.index(content)
    for _ in range(100):
        damaged = bytearray(pickled)
        damaged[start + dice.randrange(len(content))] ^= 1 << dice.randrange(8)
        with pytest.raises(thalweg.ModelError):
            pickle.loads(bytes(damaged))


def test_a_signal_handler_may_use_the_model(tmp_path, words):
    """Services save their model when they are told to end."""
    matrix, y = words
    matrix, y = sparse.vstack([matrix] * 20, format="csr"), np.tile(y, 20)
    # One call is long enough for several signals.
    model = thalweg.AROWClassifier(n_iter=60, shuffle=False)
    saved = []

    def save(*_):
        if not hasattr(model, "_stream"):
            return  # it has not begun
        model.save(tmp_path / "model.thw")
        saved.append(len(model.predict(matrix[:10])))

    before = signal.signal(signal.SIGALRM, save)
    signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
    try:
        model.fit(matrix, y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert saved and thalweg.load(tmp_path / "model.thw").score(matrix[:100], y[:100]) > 0.6


class TestDictionaries:
    """What river's users pass."""

    @pytest.fixture
    def model(self):
        pytest.importorskip("river")
        from thalweg.river import Classifier

        model = Classifier("arow")
        for x, y in [({"a": 1}, True), ({"b": 1}, False)] * 3:
            model.learn_one(x, y)
        return model

    @pytest.mark.parametrize(
        ("x", "kind", "words"),
        [
            ({"a": {"b": 1}}, TypeError, "feature a: must be a number or a string, got <class 'dict'>"),
            ({"a": [1]}, TypeError, "feature a"),
            ({"a": b"x"}, TypeError, "feature a"),
            ({"a": np.array([1.0, 2.0])}, TypeError, "feature a"),
            ({"a": float("nan")}, ValueError, "feature a: must be a finite number, got NaN"),
            ({"a": 1e300}, ValueError, "feature a: must be a finite number, got 1e300"),
            ({"a": 10**400}, OverflowError, "too large"),
            ({"\ud800": 1}, UnicodeEncodeError, "surrogates"),
            ({"a": "\ud800"}, UnicodeEncodeError, "surrogates"),
            (None, TypeError, "must be a dictionary, got <class 'NoneType'>"),
            ([("a", 1)], TypeError, "must be a dictionary"),
        ],
    )
    def test_examples_that_are_none(self, model, x, kind, words):
        before = model._stream.to_bytes()
        for use in (lambda: model.learn_one(x, True), lambda: model.predict_one(x)):
            with pytest.raises(kind, match=words):
                use()
        assert model._stream.to_bytes() == before

    def test_examples_of_every_kind(self, model):
        for x in [{}, {"a": None}, {3: 1}, {(1, 2): 1}, {None: 1}, {"": 1}, {"a\0b\n": 1}, {"a": np.float32(1)}, {"a": np.True_}, collections.Counter("aab")]:
            model.learn_one(x, True)
            assert model.predict_one(x) is True

    def test_a_dictionary_that_changes_while_it_is_read(self, model):
        changing = {"x": 1}

        class Value:
            def __float__(self):
                changing.clear()
                changing.update({str(i): 1 for i in range(99)})
                return 1.0

        changing.update(e=Value(), z=1)
        model.learn_one(changing, True)
        assert {row["feature"] for row in thalweg.load(model._stream.to_bytes()).weights()} >= {"x", "e", "z"}

    def test_what_a_value_raises(self, model):
        class Value:
            def __float__(self):
                raise RuntimeError("mine")

        with pytest.raises(RuntimeError, match="mine"):
            model.learn_one({"a": Value()}, True)

    @pytest.mark.parametrize("w", [float("nan"), float("inf"), -1.0, 1e300])
    def test_weights_that_are_none(self, model, w):
        with pytest.raises(ValueError, match="a weight must be"):
            model.learn_one({"a": 1}, True, w)

    def test_labels_that_are_none(self):
        pytest.importorskip("river")
        from thalweg.river import Classifier

        model = Classifier("arow")
        for label in (None, float("nan"), np.nan):
            with pytest.raises(ValueError, match="needs a label, got"):
                model.learn_one({"a": 1}, label)
        for label in (True, np.False_, 0, 1):
            model.learn_one({"a": 1}, label)
        with pytest.raises(ValueError, match="needs a label"):
            model.learn_one({"a": 1}, None)
        assert set(model.predict_proba_one({"a": 1})) == {False, True}

    def test_a_learner_that_does_not_exist(self):
        pytest.importorskip("river")
        from thalweg.river import Classifier

        model = Classifier("arrow")
        with pytest.raises(ValueError, match='did you mean "arow"'):
            model.learn_one({"a": 1}, True)
        assert model.predict_one({"a": 1}) is None and model.predict_proba_one({"a": 1}) == {}
