"""The scikit-learn side of every learner."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _check_partial_fit_first_call, check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import _native, _settings
from ._examples import NONE_GIVEN, are_plain, arrays, compressed, is_records, is_table, to_inputs
from ._settings import Parameter

BIAS = 2**32 - 1


def _has_probabilities(estimator: OnlineBase) -> bool:
    if estimator.probabilities:
        return True
    raise AttributeError(f"predict_proba needs {type(estimator).__name__}(probabilities=True)")


class OnlineBase(ClassifierMixin, BaseEstimator):
    """What all estimators have in common. See ``thalweg.OnlineClassifier`` and the classes of the single learners."""

    _knobs: tuple[tuple[str, str], ...] = ()
    _parameters: tuple[Parameter, ...] = ()
    _stream: _native.Stream

    # -- learning ------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Learns from X and y, and forgets what was learned before.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or Arrow table of shape (n_samples, n_features)
            The examples. float32 and float64, int32 and int64 indices are read where they are.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), optional
            How important each example is.

        Returns
        -------
        self
        """
        X, y = self._examples(X, y, first=True)
        try:
            check_classification_targets(y)
            classes, numbers = np.unique(y, return_inverse=True)
        except TypeError as error:  # classes cannot be put in order
            raise ValueError(f"classes must be all numbers or all strings: {error}") from None
        if len(classes) < 2:
            raise ValueError(f"This solver needs samples of at least 2 classes in the data, but the data contains only one class: {classes.tolist()[0]!r}")
        weights = self._weights(X, sample_weight)
        _check_passes("n_iter", self.n_iter)
        self.classes_ = classes
        self._new_stream()
        self._learn(X, numbers, weights, int(self.n_iter), self._seed() if self.shuffle else None)
        self.n_iter_ = int(self.n_iter)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None):
        """Learns from more examples, each once and in their order.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or Arrow table of shape (n_samples, n_features)
            The examples.
        y : array-like of shape (n_samples,)
            Their classes.
        classes : array-like, optional
            All classes that may ever come. The first call needs them.
        sample_weight : array-like of shape (n_samples,), optional
            How important each example is.

        Returns
        -------
        self
        """
        first = not hasattr(self, "classes_")
        if first and classes is not None and len(np.unique(classes)) < 2:
            raise ValueError("partial_fit needs at least 2 classes")
        X, y = self._examples(X, y, first=first)
        if _check_partial_fit_first_call(self, classes):
            self._new_stream()
        weights = self._weights(X, sample_weight)
        self._learn(X, self._numbers(y), weights, 1, None)
        self.n_iter_ = 1
        return self

    def learn_file(
        self,
        data: Any,
        *,
        shuffle: bool = False,
        passes: int | None = None,
        progress: bool = False,
        callback: Any = None,
        **reading: Any,
    ):
        """Learns from files with the pipeline of the command line, which reads ahead on several threads.

        The first call makes a new model, later ones go on with it. The same data and the same settings give the same model, to the byte, as
        ``thalweg train``.

        Parameters
        ----------
        data : path, bytes, Arrow table, or a list of these
            What is learned from. A table is anything with the Arrow stream interface: of PyArrow, Polars, DuckDB, pandas.
        shuffle : bool, default=False
            Read everything into memory and visit it in random order.
        passes : int, optional
            How often to go through the data. The default is once.
        progress : bool, default=False
            Show a progress bar (needs tqdm).
        callback : callable, optional
            Is called with a dictionary for every line of progress.
        **reading
            Settings of how the data is read, such as format, label_col, text, url, ngrams, names, hash_bits, strict.

        Returns
        -------
        self
        """
        if passes is not None:
            _check_passes("passes", passes)
        given = _settings.reading(reading, (*_settings.READING, "labels", "positive"))
        settings = {**self._settings(), **given, "shuffle": shuffle or None, "passes": passes}
        if shuffle:
            settings["seed"] = self._seed()
        with _settings.words():
            if hasattr(self, "classes_"):
                known = {"shuffle": settings["shuffle"], "seed": settings.get("seed"), "passes": passes, **given}
                stream = _native.Stream.from_bytes(self._stream.to_bytes(), _settings.to_json(known))
            else:
                stream = _native.Stream(_settings.to_json(settings))
            inputs = to_inputs(data)
            try:
                with _settings.watching(progress, callback, inputs) as tell:
                    stream.learn_inputs(inputs, tell)
                if not hasattr(self, "classes_"):
                    stream.check_learned()
            finally:
                # Also after an interrupt: what was learned by then is a model.
                if any(stream.labels()):
                    self._take(stream)
        return self

    def _take(self, stream: _native.Stream) -> None:
        """Takes over a model that was learned elsewhere."""
        self._stream = stream
        if not hasattr(self, "classes_") or len(self.classes_) != len(stream.labels()):
            self.classes_ = _classes(stream.labels())
        self.n_iter_ = 1

    def _learn(self, X: Any, numbers: Any, weights: Any, passes: int, seed: int | None) -> None:
        with _settings.words():
            self._stream.learn(X, np.ascontiguousarray(numbers, dtype=np.uint32), weights, passes, seed)

    def _examples(self, X: Any, y: Any = NONE_GIVEN, *, first: bool = False) -> Any:
        """The examples as the library reads them."""
        if not first and not hasattr(self, "feature_names_in_") and are_plain(X, y, getattr(self, "n_features_in_", None)):
            X = compressed(X) if sparse.issparse(X) else X
            return X if y is NONE_GIVEN else (X, y)
        names = None
        if is_table(X):
            X, names = _native.numbers(X)
        options = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "order": "C", "ensure_all_finite": False, "reset": first}
        if y is NONE_GIVEN:
            X = validate_data(self, X, **options)
        else:
            X, y = validate_data(self, X, y, **options)
        if names is not None:
            if first:
                self.feature_names_in_ = np.asarray(names, dtype=object)
            elif hasattr(self, "feature_names_in_") and list(self.feature_names_in_) != names:
                raise ValueError(
                    f"The feature names should match those that were passed during fit: expected {list(self.feature_names_in_)}, got {names}"
                )
        if sparse.issparse(X):
            X = compressed(X)
        return X if y is NONE_GIVEN else (X, y)

    def _weights(self, X: Any, sample_weight: Any) -> Any:
        if sample_weight is None:
            return None
        rows = len(X[0]) - 1 if isinstance(X, tuple) else len(X)
        weights = _check_sample_weight(sample_weight, np.empty((rows, 1), dtype=np.float32), dtype=np.float32, ensure_non_negative=True)
        return np.ascontiguousarray(weights)

    def _numbers(self, y: Any) -> Any:
        """The numbers of classes."""
        if len(self.classes_) == 2:
            positive = y == self.classes_[1]
            if np.all(positive | (y == self.classes_[0])):
                return positive
        places = np.minimum(np.searchsorted(self.classes_, y), len(self.classes_) - 1)
        unknown = self.classes_[places] != y
        if np.any(unknown):
            raise ValueError(f"y has the class {np.asarray(y)[unknown].tolist()[0]!r}, which is none of {self.classes_.tolist()}")
        return places

    def _seed(self) -> int:
        if isinstance(self.random_state, (int, np.integer)):
            if not 0 <= self.random_state < 2**64:
                raise ValueError(f"random_state must be between 0 and {2**64 - 1}, got {self.random_state}")
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _new_stream(self) -> None:
        with _settings.words():
            self._stream = _native.Stream(_settings.to_json(self._settings(self.classes_)))

    def _spec(self) -> str:
        raise NotImplementedError

    def _settings(self, classes: Any = None) -> dict[str, Any]:
        """The configuration that the parameters mean."""
        given = self.get_params(deep=False)
        names = ("cost_fn", "cost_fp", "balance_half_life", "threshold", "target", "forget", "scale", "normalize", "multiclass")
        settings = {name: given[name] for name in names if given.get(name) is not None}
        settings["learner"] = self._spec()
        settings["bias"] = bool(self.fit_intercept)
        settings["probabilities"] = True if self.probabilities else None
        weight = given.get("class_weight")
        if isinstance(weight, str):
            if weight != "balanced":
                raise ValueError(f"class_weight must be 'balanced', a dictionary or None, got {weight!r}")
            settings["balanced"] = True
        elif weight is not None:
            if not isinstance(weight, Mapping):
                raise ValueError(f"class_weight must be 'balanced', a dictionary or None, got {weight!r}")
            settings["class_weight"] = [f"{label}={float(value)!r}" for label, value in weight.items()]
        if classes is not None:
            settings["labels"] = [str(label) for label in classes]
            if weight is not None and not isinstance(weight, str):
                unknown = [label for label in weight if label not in classes]
                if unknown:
                    raise ValueError(f"class_weight has the class {unknown[0]!r}, which is none of {np.asarray(classes).tolist()}")
            if len(classes) == 2:
                settings.pop("multiclass", None)
            elif self._only_two():
                raise ValueError(
                    f"Only binary classification is supported with a threshold or a target. The type of the target is multiclass: {np.asarray(classes).tolist()}"
                )
            else:
                settings.setdefault("multiclass", "any")
        return settings

    # -- scoring -------------------------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores: of two classes one, above 0 where classes_[1] is predicted; of many one for each.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or Arrow table
            The examples. A model whose features have names also takes a list of dictionaries.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        scores, _, _ = self._score(X)
        return self._shifted(scores)

    def predict(self, X: Any) -> np.ndarray:
        """The classes of examples.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or Arrow table
            The examples. A model whose features have names also takes a list of dictionaries.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        _, classes, _ = self._score(X)
        return self.classes_[classes]

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of all classes, calibrated on the stream.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or Arrow table
            The examples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        scores, _, probabilities = self._score(X)
        return self._probabilities(scores, probabilities)

    def predict_file(self, data: Any, **reading: Any) -> np.ndarray:
        """The classes of the examples of files, tables or records. See learn_file."""
        _, classes, _ = self._score_inputs(to_inputs(data), _settings.reading(reading))
        return self.classes_[classes]

    def decision_file(self, data: Any, **reading: Any) -> np.ndarray:
        """The scores of the examples of files, tables or records. See learn_file."""
        scores, _, _ = self._score_inputs(to_inputs(data), _settings.reading(reading))
        return self._shifted(scores)

    def _score(self, X: Any) -> Any:
        check_is_fitted(self)
        if not hasattr(self, "n_features_in_"):
            if not is_records(X) and not self._stream.has_names():
                X = np.asarray(X) if isinstance(X, list) else X
                width = X.shape[1] if getattr(X, "ndim", 0) == 2 else 0
                if width == 0:
                    raise ValueError(f"X must have two dimensions, got {type(X).__name__}")
                return self._stream.score(arrays(X))
            return self._score_inputs(to_inputs(X), {})
        X = self._examples(X)
        with _settings.words():
            return self._stream.score(X)

    def _score_inputs(self, inputs: list[Any], settings: dict[str, Any]) -> Any:
        check_is_fitted(self)
        with _settings.words(), _settings.watching() as tell:
            return _native.predict_inputs(self._stream, inputs, _settings.to_json(settings), tell)

    def _shifted(self, scores: np.ndarray) -> np.ndarray:
        threshold = self._stream.threshold()
        if threshold is None:
            return scores.reshape(-1, len(self.classes_))
        return scores - threshold if threshold != 0.0 else scores

    def _probabilities(self, scores: np.ndarray, probabilities: np.ndarray | None) -> np.ndarray:
        if probabilities is None:
            raise ValueError("the model was learned without probabilities=True")
        if self._stream.threshold() is None:
            return probabilities.reshape(-1, len(self.classes_))
        return np.column_stack([1.0 - probabilities, probabilities])

    # -- what was learned ----------------------------------------------------------------------------------------

    def _weights_of_numbers(self) -> tuple[Any, np.ndarray]:
        check_is_fitted(self)
        if not hasattr(self, "n_features_in_"):
            raise AttributeError("the features of the model have names or no fixed number: weights() has them")
        features, classes, values = self._stream.weights()
        threshold = self._stream.threshold()
        rows = 1 if threshold is not None else len(self.classes_)
        intercept = np.zeros(rows)
        is_bias = features == BIAS
        intercept[classes[is_bias]] = values[is_bias]
        if threshold:
            intercept -= threshold
        inside = ~is_bias
        places = (classes[inside], features[inside])
        coefficients = sparse.csr_matrix((values[inside], places), shape=(rows, self.n_features_in_))
        return coefficients, intercept

    @property
    def coef_(self):
        """Weights of features: (1, n_features) of two classes, (n_classes, n_features) of many. Sparse after sparsify().

        They are weights of prepared values: where values are scaled or normalized, the score is not X @ coef_.T.
        """
        coefficients, _ = self._weights_of_numbers()
        return coefficients if getattr(self, "_sparse", False) else coefficients.toarray()

    @property
    def intercept_(self):
        """The bias of each score, less the threshold."""
        return self._weights_of_numbers()[1]

    @property
    def threshold_(self) -> float | None:
        """Two classes: the score from which on the model says classes_[1], which a target moves."""
        check_is_fitted(self)
        return self._stream.threshold()

    def sparsify(self):
        """Makes coef_ a sparse matrix. Returns self."""
        check_is_fitted(self)
        self._sparse = True
        return self

    def densify(self):
        """Makes coef_ an array. Returns self."""
        check_is_fitted(self)
        self._sparse = False
        return self

    def weights(self, top: int | None = None) -> list[dict[str, Any]]:
        """Every weight that is not zero, the largest first: feature, class, weight and, if the learner has it, variance."""
        check_is_fitted(self)
        if top is not None and top < 0:
            raise ValueError(f"top must be at least 0, got {top}")
        features, classes, values = self._stream.weights()
        order = np.argsort(-np.abs(values), kind="stable")[:top]
        features, classes, values = features[order], classes[order], values[order]
        many = self._stream.threshold() is None
        numbers = [int(feature) for feature in features]
        variances = self._stream.variances(numbers, [int(c) for c in classes] if many else None)
        names = self._stream.feature_names(numbers)
        if hasattr(self, "feature_names_in_"):
            known = self.feature_names_in_
            names = [name if number == BIAS else known[number] for name, number in zip(names, numbers)]
        known_classes = self.classes_.tolist()
        labels = [known_classes[c] if many else known_classes[1] for c in classes]
        rows = []
        for name, label, value, variance in zip(names, labels, values, variances):
            row = {"feature": name, "class": label, "weight": float(value)}
            if variance is not None:
                row["variance"] = variance
            rows.append(row)
        return rows

    def report(self) -> dict[str, Any]:
        """Figures since the model was made: every example was scored before it was learned from, so they need no test set."""
        check_is_fitted(self)
        return json.loads(self._stream.report())

    def save(self, path: Any) -> int:
        """Writes a model file, which ``thalweg.load`` and the command line read. Returns its size in bytes."""
        check_is_fitted(self)
        return self._stream.save(path)

    def to_bytes(self) -> bytes:
        """The bytes of a model file."""
        check_is_fitted(self)
        return self._stream.to_bytes()

    # -- keeping -------------------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_stream" in state:
            state["_stream"] = self._stream.to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if "_stream" in state:
            state["_stream"] = _native.Stream.from_bytes(state["_stream"])
        super().__setstate__(state)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_stream")

    def _only_two(self) -> bool:
        """Can there be no more than two classes?"""
        return self.threshold is not None or self.target is not None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = not self._only_two()
        tags.input_tags.sparse = True
        return tags


def stream_of(model: Any) -> _native.Stream:
    """The stream of a model that has learned something."""
    if not isinstance(model, OnlineBase):
        raise TypeError(f"the model must be an estimator of thalweg, got {type(model).__name__}")
    check_is_fitted(model)
    return model._stream


def _check_passes(name: str, passes: Any) -> None:
    if not (isinstance(passes, (int, np.integer)) and passes >= 1):
        raise ValueError(f"{name} must be a whole number of at least 1, got {passes!r}")


def _classes(labels: list[str]) -> np.ndarray:
    """Labels of a model as numbers, if all of them are."""
    for kind in (int, float):
        try:
            return np.array([kind(label) for label in labels])
        except ValueError:
            continue
    return np.array(labels)
