"""What stands for what: both sides of the tables of docs/coming-from.md learn from the same data."""

import re
import warnings

import numpy as np
import pytest
from sklearn import calibration, linear_model, model_selection, multiclass, pipeline, preprocessing, svm
from sklearn.datasets import make_classification

import thalweg
from conftest import ROOT

X, Y = make_classification(1500, 20, n_informative=8, flip_y=0.05, random_state=0)
# Values of which float32 holds exactly also the sums: the others compute with float64.
X = np.round(64 * X) / 64
MANY = np.argmax(X[:, :4], axis=1)
LEARNED, TEST = slice(0, 1000), slice(1000, None)

# The share of the right answers may be smaller by so much: most rows are of a kind, and not of one formula.
ALLOWED = 0.05


def table(heading):
    """The rows below a heading: the codes on either side, and what is said of them."""
    text = (ROOT / "docs" / "coming-from.md").read_text()
    section = text.split(f"### {heading} in Python\n")[1].split("\n## ")[0]
    rows = [re.split(r"(?<!\\) \| ", line.strip("| ")) for line in section.splitlines() if line.startswith("| `")]
    codes = lambda cell: [code.replace("\\|", "|") for code in re.findall(r"`([^`]+)`", cell)]  # noqa: E731
    found = [(codes(row[0])[0], here, row[2] if len(row) > 2 else "") for row in rows[1:] for here in codes(row[1])]
    assert len(found) >= 9
    return [pytest.param(*row, id=f"{row[0]} {row[1]}") for row in found]


def quietly(work):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return work()


def right(predicted, y=Y):
    return np.mean(np.asarray(predicted) == y[TEST])


def is_as_good(ours, theirs, there):
    # Weights of classes and thresholds are for other figures than this one.
    weighted = any(word in there for word in ("class_weight", "classweight", "Threshold", "OverSampler"))
    assert ours > (0.6 if weighted else theirs - ALLOWED), (ours, theirs)


@pytest.mark.parametrize(("there", "here", "said"), table("scikit-learn"))
def test_scikit_learn(there, here, said):
    names = {name: value for module in (linear_model, svm, calibration, model_selection, multiclass, pipeline, preprocessing) for name, value in vars(module).items()}
    if "Passive" in there and "PassiveAggressiveClassifier" not in names:
        pytest.skip("this scikit-learn has removed it")
    y = MANY if "OneVsRest" in there else Y
    theirs = quietly(lambda: eval(there, names).fit(X[LEARNED], y[LEARNED]))  # noqa: S307
    ours = eval(here, vars(thalweg)).set_params(random_state=0).fit(X[LEARNED], y[LEARNED])  # noqa: S307
    is_as_good(right(ours.predict(X[TEST]), y), right(theirs.predict(X[TEST]), y), there)
    if said == "the same weights":
        scale = np.abs(theirs.coef_).max()
        assert np.abs(ours.coef_ - theirs.coef_).max() < 1e-6 * scale
        assert np.abs(ours.intercept_ - theirs.intercept_).max() < 1e-6 * scale


def dictionaries(rows):
    return [{f"f{j}": float(x) for j, x in enumerate(row)} for row in rows]


@pytest.mark.parametrize(("there", "here", "said"), table("River"))
def test_river(there, here, said):
    pytest.importorskip("river")
    from river import imblearn, linear_model, optim, preprocessing

    from thalweg.river import Classifier

    names = {**vars(linear_model), "imblearn": imblearn, "optim": optim, "preprocessing": preprocessing}
    theirs = eval(there, names)  # noqa: S307
    ours = eval(here, {"Classifier": Classifier})  # noqa: S307
    for x, y in zip(dictionaries(X[LEARNED]), Y[LEARNED] == 1):
        for model in (theirs, ours):
            model.learn_one(x, bool(y))
    test = dictionaries(X[TEST])
    predicted = [right([bool(model.predict_one(x)) for x in test], Y == 1) for model in (ours, theirs)]
    is_as_good(*predicted, there)
    if said == "the same weights":
        known = {row["feature"]: row["weight"] for row in thalweg.load(ours._stream.to_bytes()).weights()}
        scale = max(abs(weight) for weight in theirs.weights.values())
        assert abs(known.pop("bias", 0.0) - theirs.intercept) < 1e-6 * scale
        assert {name: pytest.approx(weight, abs=1e-6 * scale) for name, weight in theirs.weights.items()} == known


def lines(rows, labels):
    for row, label in zip(rows, labels):
        yield f"{label} | " + " ".join(f"{j}:{x:g}" for j, x in enumerate(row))


class Lines:
    """Vowpal Wabbit, which learns from lines."""

    def __init__(self, flags):
        from vowpalwabbit import Workspace

        self.many = "--oaa" in flags
        self.workspace = Workspace(f"{flags} --quiet")

    def fit(self, rows, y):
        for line in lines(rows, y + 1 if self.many else 2 * y - 1):
            self.workspace.learn(line)
        return self

    def predict(self, rows):
        middle = 0.5 if "--link" in str(self.workspace.get_arguments()) else 0.0
        scores = [self.workspace.predict(line) for line in lines(rows, [""] * len(rows))]
        return np.array(scores) - 1 if self.many else (np.array(scores) > middle).astype(int)


@pytest.mark.parametrize(("there", "here", "said"), table("Vowpal Wabbit"))
def test_vowpal_wabbit(there, here, said):
    pytest.importorskip("vowpalwabbit")
    from vowpalwabbit.sklearn import VWClassifier

    y = MANY if "--oaa" in there else Y
    theirs = eval(there, {"Workspace": Lines, "VWClassifier": VWClassifier})  # noqa: S307
    signs = 2 * y - 1 if there.startswith("VW") else y
    predicted = theirs.fit(X[LEARNED], signs[LEARNED]).predict(X[TEST])
    ours = eval(here, vars(thalweg)).set_params(shuffle=False).fit(X[LEARNED], y[LEARNED])  # noqa: S307
    is_as_good(right(ours.predict(X[TEST]), y), right(predicted, signs), there)
