"""Many threads use one model at once: with Python's lock, and without it where Python has none."""

import sys
import threading

import numpy as np
import pytest

import thalweg


def together(*works):
    """Runs functions at the same time, and raises what any of them raises."""
    errors, start = [], threading.Barrier(len(works))

    def run(work):
        start.wait()
        try:
            work()
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    if errors:
        raise errors[0]


def test_python_may_have_no_lock():
    """Importing the package must not bring back the lock of a Python that has none."""
    if not hasattr(sys, "_is_gil_enabled") or "free-threading" not in sys.version:
        pytest.skip("this Python has a lock")
    assert not sys._is_gil_enabled()


def test_matrices(words):
    X, y = words
    model = thalweg.AROWClassifier(shuffle=False).partial_fit(X[:100], y[:100], classes=["ham", "spam"])
    rounds = 10

    def learn():
        for _ in range(rounds):
            model.partial_fit(X, y)

    def score():
        for _ in range(rounds):
            assert np.isfinite(model.decision_function(X[:200])).all()
            assert set(model.predict(X[:50])) <= {"ham", "spam"}

    def look():
        for _ in range(rounds):
            assert model.coef_.shape == (1, X.shape[1])
            assert model.weights(3) and model.report()["examples"] >= 100

    together(learn, learn, score, score, look)
    assert model.report()["examples"] == 100 + 2 * rounds * len(y)


def test_scores_do_not_depend_on_who_else_scores(words):
    X, y = words
    model = thalweg.AROWClassifier().fit(X, y)
    expected = model.decision_function(X)

    def score():
        for _ in range(5):
            assert np.array_equal(model.decision_function(X), expected)

    together(*[score] * 4)


def test_dictionaries():
    pytest.importorskip("river")
    from thalweg.river import Classifier

    model, each = Classifier("arow", bias=False), 500
    shared = {"shared": 1.0, "kind": "x"}

    def learn(who):
        for i in range(each):
            model.learn_one({f"{who} {i % 50}": 1.0}, f"class {who}")

    def score():
        for _ in range(each):
            assert set(model.predict_proba_one(shared)) <= {"class 0", "class 1", "class 2"}
            model.predict_one(shared)

    def change():
        for i in range(each):
            shared[f"new {i}"] = 1.0
            shared.pop(f"new {i - 5}", None)

    together(lambda: learn(0), lambda: learn(1), lambda: learn(2), score, score, change)
    learned = thalweg.load(model._stream.to_bytes())
    assert sorted(learned.classes_) == ["class 0", "class 1", "class 2"]
    assert model.predict_one({"1 7": 1.0}) == "class 1" and model.predict_one({"2 7": 1.0}) == "class 2"


def test_estimators_of_their_own(words):
    X, y = words
    expected = thalweg.SSOLClassifier(random_state=0, n_iter=2).fit(X, y).to_bytes()

    def fit():
        for _ in range(3):
            assert thalweg.SSOLClassifier(random_state=0, n_iter=2).fit(X, y).to_bytes() == expected

    together(*[fit] * 4)
