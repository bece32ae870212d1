"""The weights of scikit-learn's Perceptron and passive-aggressive learners, which it is removing."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.linear_model import Perceptron, SGDClassifier

import thalweg

X, Y = make_classification(2000, 30, n_informative=10, flip_y=0.1, random_state=0)
# Values of which float32 holds exactly also the sums: scikit-learn computes with float64.
X = np.round(64 * X) / 64


def passive_aggressive(C, loss, fit_intercept):
    """scikit-learn's learner, under its old or its new name."""
    once = {"max_iter": 1, "tol": None, "shuffle": False, "fit_intercept": fit_intercept}
    rate = {"hinge": "pa1", "squared_hinge": "pa2"}[loss]
    try:
        return SGDClassifier(loss="hinge", penalty=None, learning_rate=rate, eta0=C, **once).fit(X[:2], [0, 1])
    except ValueError:
        from sklearn.linear_model import PassiveAggressiveClassifier

        return PassiveAggressiveClassifier(C=C, loss=loss, **once)


def fitted(model, X=X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, Y)


def are_close(ours, theirs):
    scale = np.abs(theirs.coef_).max()
    assert np.abs(ours.coef_ - theirs.coef_).max() < 1e-6 * scale
    assert np.abs(ours.intercept_ - theirs.intercept_).max() < 1e-6 * scale


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("C", [0.01, 0.1, 1.0])
@pytest.mark.parametrize(("loss", "learner"), [("hinge", thalweg.PA1Classifier), ("squared_hinge", thalweg.PA2Classifier)])
def test_passive_aggressive(C, loss, learner, fit_intercept):
    theirs = fitted(passive_aggressive(C, loss, fit_intercept))
    ours = fitted(learner(c=C, length="features", shuffle=False, fit_intercept=fit_intercept))
    are_close(ours, theirs)
    assert np.array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_perceptron(fit_intercept):
    theirs = fitted(Perceptron(max_iter=1, tol=None, shuffle=False, fit_intercept=fit_intercept))
    are_close(fitted(thalweg.PerceptronClassifier(shuffle=False, fit_intercept=fit_intercept)), theirs)


def test_sparse_matrices_without_an_intercept():
    # With one, scikit-learn moves the intercept of sparse matrices a hundredth as far as that of dense ones.
    rows = sparse.csr_matrix(X)
    theirs = fitted(passive_aggressive(0.1, "hinge", fit_intercept=False), rows)
    are_close(fitted(thalweg.PA1Classifier(c=0.1, shuffle=False, fit_intercept=False), rows), theirs)


def test_chunks_of_a_stream():
    theirs = passive_aggressive(0.1, "hinge", fit_intercept=True)
    ours = thalweg.PA1Classifier(c=0.1, length="features")
    for start in range(0, len(Y), 500):
        chunk = slice(start, start + 500)
        theirs.partial_fit(X[chunk], Y[chunk], classes=[0, 1])
        ours.partial_fit(X[chunk], Y[chunk], classes=[0, 1])
    are_close(ours, theirs)
