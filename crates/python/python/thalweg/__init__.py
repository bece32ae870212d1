"""Sparse, cost-sensitive, second-order online classification of streams.

Every learner is an estimator for scikit-learn: ``thalweg.SSOLClassifier(eta=4.0)``, ``thalweg.AROWClassifier()``, or by its name
``thalweg.OnlineClassifier("ssol:eta=4")``. ``thalweg.river.Classifier`` is for river. The rest of the library are functions: ``load``, ``evaluate``,
``explain``, ``score_batches``, ``select``, ``sweep``, ``compare``, ``reproduce``.
"""

from . import _learners
from ._batches import score_batches
from ._experiments import Comparison, Sweep, compare, exhibits, reproduce, sweep
from ._learners import *  # noqa: F403
from ._merging import apply_delta, delta, merge, merge_deltas, shared, train_shards
from ._models import evaluate, explain, inspect, learners, load, select
from ._native import DataError, ModelError, __version__
from ._plots import plot_progress, plot_sparsity, plot_threshold, plot_weights
from ._settings import ThalwegWarning

__all__ = [
    *_learners.__all__,
    *("Comparison", "DataError", "ModelError", "Sweep", "ThalwegWarning", "__version__"),
    *("compare", "evaluate", "exhibits", "explain", "inspect", "learners", "load", "reproduce", "score_batches", "select", "sweep"),
    *("apply_delta", "delta", "merge", "merge_deltas", "shared", "train_shards"),
    *("plot_progress", "plot_sparsity", "plot_threshold", "plot_weights"),
]
