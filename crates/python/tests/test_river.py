"""river's own checks, its pipelines, and what is said of it in the documentation."""

import copy
import pickle

import numpy as np
import pytest

river = pytest.importorskip("river")

from river import checks, compose, datasets, evaluate, feature_extraction, metrics, preprocessing, stream  # noqa: E402

import thalweg  # noqa: E402
from thalweg.river import Classifier  # noqa: E402


@pytest.mark.parametrize("learner", ["sarow", "ssol", "arow", "perceptron"])
def test_checks_of_river(learner):
    checks.check_estimator(Classifier(learner))


@pytest.mark.parametrize("check", list(checks.yield_checks(Classifier("ssol"))), ids=lambda check: check.__name__)
def test_each_check_of_river(check):
    check(Classifier("ssol"))


def test_features_and_classes_are_open():
    model = Classifier("arow")
    assert model.predict_one({"a": 1}) is None and model.predict_proba_one({}) == {}
    for x, y in [({"a": 1.0}, "x"), ({"b": 1}, "y"), ({"c": True, "kind": "rare"}, "z"), ({"d": np.float32(1)}, "w")] * 5:
        model.learn_one(x, y)
        assert set(model.predict_proba_one(x)) <= {"x", "y", "z", "w"}
    assert model.predict_one({"kind": "rare"}) == "z" and model.predict_one({"b": 1, "unknown": 5}) == "y"
    assert np.isclose(sum(model.predict_proba_one({"b": 1}).values()), 1.0)
    with pytest.raises(TypeError, match="feature a: must be a number"):
        model.learn_one({"a": []}, "x")
    with pytest.raises(ValueError, match="finite"):
        model.learn_one({"a": float("nan")}, "x")


def test_labels_of_two_kinds():
    numbers = Classifier("arow")
    for x, y in [({"a": 1}, 3), ({"b": 1}, 5), ({"a": 1}, 3)]:
        numbers.learn_one(x, y)
    assert numbers.predict_one({"a": 1}) == 3
    truths = Classifier("arow")
    truths.learn_one({"a": 1}, np.bool_(True))
    assert truths.predict_one({"a": 1}) is True and set(truths.predict_proba_one({})) == {False, True}
    with pytest.raises(ValueError, match="neither"):
        truths.learn_one({"a": 1}, "third")


def test_pipelines_and_progressive_validation():
    model = preprocessing.StandardScaler() | Classifier("arow")
    score = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    assert score.get() > 0.85
    texts = feature_extraction.BagOfWords(on="body") | Classifier("ssol:lambda=1")
    for x, y in [({"body": "win a prize"}, True), ({"body": "lunch"}, False)] * 5:
        texts.learn_one(x, y)
    assert texts.predict_one({"body": "prize"}) is True
    several = compose.Select("a") | Classifier("arow")
    several.learn_one({"a": 1, "b": 2}, "x")


def test_many_are_as_many_updates():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    X = pandas.DataFrame(random.random((50, 3)), columns=list("abc"))
    y = pandas.Series(X["a"] > 0.5)
    one, many = Classifier("ssol"), Classifier("ssol")
    for x, label in stream.iter_pandas(X, y):
        one.learn_one(x, label)
    many.learn_many(X, y)
    assert one._stream.to_bytes() == many._stream.to_bytes()
    assert list(many.predict_many(X)) == [many.predict_one(x) for x, _ in stream.iter_pandas(X)]
    assert many.predict_proba_many(X).shape == (50, 2)


def test_it_is_the_stream_of_the_command_line(command_line, tmp_path):
    lines = [("free money now", "spam"), ("lunch at noon", "ham"), ("claim your money", "spam"), ("see you", "ham")] * 5
    data, model = tmp_path / "data.vw", tmp_path / "model.thw"
    data.write_text("".join(f"{1 if label == 'spam' else -1} | {text}\n" for text, label in lines))
    command_line("train", data, "-a", "arow", "--names", "--bias", "-f", model)
    ours = Classifier("arow", probabilities=False)
    for text, label in lines:
        ours.learn_one({word: 1.0 for word in text.split()}, label == "spam")
    ours.save(tmp_path / "ours.thw")
    theirs = {row["feature"]: row["weight"] for row in thalweg.load(model).weights()}
    assert {row["feature"]: row["weight"] for row in thalweg.load(tmp_path / "ours.thw").weights()} == theirs


def test_copies_are_independent():
    model = Classifier("arow")
    model.learn_one({"a": 1}, True)
    for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        copied.learn_one({"a": 1}, False)
        assert model.predict_one({"a": 1}) is True
        assert copied.predict_proba_one({"a": 1}) != {}


def test_costs_and_targets():
    model = Classifier("arow", cost_fn=20.0, target="recall>=0.9", balanced=True)
    for x, y in datasets.Phishing().take(500):
        model.learn_one(x, y)
    assert isinstance(model.score_one(x), float)
