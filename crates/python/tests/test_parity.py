"""The weights of scikit-learn's Perceptron and passive-aggressive learners, which it is removing."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import Perceptron, SGDClassifier

import thalweg

X, Y = make_classification(2000, 30, n_informative=10, flip_y=0.1, random_state=0)
# Values of which float32 holds exactly also the sums: scikit-learn computes with float64.
X = np.round(64 * X) / 64


def passive_aggressive(C, loss):
    """scikit-learn's learner, under its old or its new name."""
    rate = {"hinge": "pa1", "squared_hinge": "pa2"}[loss]
    try:
        return SGDClassifier(loss="hinge", penalty=None, learning_rate=rate, eta0=C, max_iter=1, tol=None, shuffle=False, fit_intercept=False)
    except TypeError:
        from sklearn.linear_model import PassiveAggressiveClassifier

        return PassiveAggressiveClassifier(C=C, loss=loss, max_iter=1, tol=None, shuffle=False, fit_intercept=False)


def fitted(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, Y)


def close(ours, theirs):
    scale = np.abs(theirs.coef_).max()
    return np.abs(ours.coef_ - theirs.coef_).max() / scale


@pytest.mark.parametrize("C", [0.01, 0.1, 1.0])
@pytest.mark.parametrize(("loss", "learner"), [("hinge", "pa1"), ("squared_hinge", "pa2")])
def test_passive_aggressive(C, loss, learner):
    theirs = fitted(passive_aggressive(C, loss))
    ours = thalweg.OnlineClassifier(f"{learner}:c={C}", shuffle=False, fit_intercept=False).fit(X, Y)
    assert close(ours, theirs) < 1e-6


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_perceptron(fit_intercept):
    theirs = fitted(Perceptron(max_iter=1, tol=None, shuffle=False, fit_intercept=fit_intercept))
    ours = thalweg.PerceptronClassifier(shuffle=False, fit_intercept=fit_intercept).fit(X, Y)
    assert close(ours, theirs) < 1e-6
    assert np.abs(ours.intercept_ - theirs.intercept_).max() < 1e-6
