"""Classifiers for river: one example at a time, open features and open classes."""

from __future__ import annotations

import copy
import threading
from typing import Any

import numpy as np

try:
    from river import base
except ImportError:
    raise ImportError("thalweg.river needs river: pip install river") from None

from . import _native, _settings

# One label at a time is new, whoever learns it.
_NEW_LABELS = threading.Lock()


class Classifier(base.MiniBatchClassifier):
    """Any learner of Thalweg as a classifier of river.

    Features have names and may appear at any time. If the first label is True or False, two classes are learned; else any number of classes,
    which may appear at any time.

    Parameters
    ----------
    learner
        The learner and its knobs, `name:knob=value,...` as on the command line.
    probabilities
        Calibrate probabilities while learning. Without it, the probabilities of `predict_proba_one` are 0 and 1.
    bias
        Learn the weight of a constant feature.
    cost_fn
        Two classes: the cost of a missed positive, which is True.
    cost_fp
        Two classes: the cost of a false alarm.
    balanced
        Let costs follow the class ratio of the stream.
    target
        Two classes: move the threshold so that this holds, such as `recall>=0.9`.
    forget
        After how many examples what was learned counts half.
    scale
        Divide every value by what is known of its feature so far: `none`, `typical`, `max`, `deviation` or `rms`. The default is what the learner wants.
    normalize
        Divide every example by its length: `none`, `count`, `l2`, `l1` or `max`. The default is what the learner wants.
    hash_bits
        Number features by a hash of so many bits, which bounds the memory.

    Examples
    --------
    >>> from thalweg.river import Classifier
    >>> model = Classifier("arow")
    >>> for x, y in [({"free": 1, "prize": 1}, True), ({"lunch": 1}, False)]:
    ...     model.learn_one(x, y)
    >>> model.predict_one({"prize": 1})
    True

    """

    def __init__(
        self,
        learner: str = _native.DEFAULT_LEARNER,
        *,
        probabilities: bool = True,
        bias: bool = True,
        cost_fn: float | None = None,
        cost_fp: float | None = None,
        balanced: bool = False,
        target: str | None = None,
        forget: float | None = None,
        scale: str | None = None,
        normalize: str | None = None,
        hash_bits: int | None = None,
    ):
        self.learner = learner
        self.probabilities = probabilities
        self.bias = bias
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.balanced = balanced
        self.target = target
        self.forget = forget
        self.scale = scale
        self.normalize = normalize
        self.hash_bits = hash_bits
        self._stream: _native.Stream | None = None
        self._numbers: dict[Any, int] = {}
        self._labels: list[Any] = []
        self._two = False

    @property
    def _multiclass(self) -> bool:
        return True

    def _begin(self, label: Any) -> _native.Stream:
        self._two = isinstance(label, (bool, np.bool_))
        names = ("cost_fn", "cost_fp", "target", "forget", "scale", "normalize", "hash_bits", "bias")
        settings = {name: getattr(self, name) for name in names}
        settings |= {"learner": self.learner, "names": None if self.hash_bits else True}
        settings |= {"balanced": self.balanced or None, "probabilities": self.probabilities or None}
        if self._two:
            settings["labels"] = ["False", "True"]
            self._labels, self._numbers = [False, True], {False: 0, True: 1}
        else:
            settings["multiclass"] = "any"
        self._stream = _native.Stream(_settings.to_json(settings))
        return self._stream

    def _new_number(self, label: Any) -> int:
        if label is None or label != label:
            raise ValueError(f"an example to learn from needs a label, got {label!r}")
        with _NEW_LABELS, _settings.words():
            stream = self._stream or self._begin(label)
            if label in self._numbers:
                return self._numbers[label]
            # Before the model knows the class, since another thread may be told of it at once.
            self._labels.append(label)
            try:
                number = stream.class_of(str(label))
                if number + 1 < len(self._labels):
                    raise ValueError(f"the labels {label!r} and {self._labels[number]!r} are spelled alike")
            except ValueError:
                self._labels.pop()
                raise
            self._numbers[label] = number
        return number

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learns from one example. The weight says how important it is."""
        number = self._numbers.get(y)
        if number is None:
            number = self._new_number(y)
        self._stream.learn_one(x, number, w)

    def predict_one(self, x: dict[Any, Any]) -> Any:
        """The class of an example; None before anything was learned."""
        if self._stream is None:
            return None
        return self._labels[self._stream.score_one(x)[1]]

    def score_one(self, x: dict[Any, Any]) -> dict[Any, float] | float:
        """The score of an example: of two classes one number, of many one for each class."""
        if self._stream is None:
            return {}
        scores, _, _ = self._stream.score_one(x)
        return scores[0] if self._two else dict(zip(self._labels, scores))

    def predict_proba_one(self, x: dict[Any, Any]) -> dict[Any, float]:
        """The probabilities of the classes of an example."""
        if self._stream is None:
            return {}
        scores, number, probabilities = self._stream.score_one(x)
        if probabilities is None:
            return {label: float(place == number) for place, label in enumerate(self._labels)}
        if self._two:
            return {False: 1.0 - probabilities[0], True: probabilities[0]}
        return dict(zip(self._labels, probabilities))

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learns from the rows of a data frame, one after the other: the same as as many calls of learn_one."""
        weights = [1.0] * len(X) if w is None else w
        for x, label, weight in zip(_rows(X), y, weights):
            self.learn_one(x, label, weight)

    def predict_many(self, X: Any) -> Any:
        """The classes of the rows of a data frame."""
        import pandas

        return pandas.Series([self.predict_one(x) for x in _rows(X)], index=X.index)

    def predict_proba_many(self, X: Any) -> Any:
        """The probabilities of the classes of the rows of a data frame."""
        import pandas

        return pandas.DataFrame([self.predict_proba_one(x) for x in _rows(X)], index=X.index)

    def save(self, path: Any) -> int:
        """Writes a model file, which ``thalweg.load`` and the command line read."""
        if self._stream is None:
            raise ValueError("nothing was learned")
        return self._stream.save(path)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if self._stream is not None:
            state["_stream"] = self._stream.to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if isinstance(self._stream, bytes):
            self._stream = _native.Stream.from_bytes(self._stream)

    def __deepcopy__(self, memo: dict[int, Any]) -> Classifier:
        copied = self.__class__.__new__(self.__class__)
        copied.__setstate__(copy.deepcopy(self.__getstate__(), memo))
        return copied

    @classmethod
    def _unit_test_params(cls) -> Any:
        yield {"learner": "sarow"}
        yield {"learner": "ssol"}


def _rows(X: Any) -> Any:
    names = list(X.columns)
    return (dict(zip(names, row)) for row in X.itertuples(index=False, name=None))
