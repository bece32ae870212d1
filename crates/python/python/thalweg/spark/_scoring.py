"""Scores columns on the workers."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow
from pyspark.sql.pandas.functions import arrow_udf

from .._batches import ScoredRows, lists, scored_batches, spread
from .._learners import OnlineClassifier
from .._models import load


class _Content:
    """The bytes of a model file, told apart by their checksum: a worker that keeps the model does not even look at them."""

    def __init__(self, content: bytes):
        self.content = content
        self.digest = hashlib.sha256(content).hexdigest()

    def __hash__(self) -> int:
        return hash(self.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Content) and other.digest == self.digest


# Spark keeps the processes of its workers for more tasks, of this query and of others.
@functools.lru_cache(maxsize=4)
def _loaded(content: _Content) -> OnlineClassifier:
    return load(content.content)


def scores_of(content: bytes, predictions: list[Any], kind: str, strict: bool) -> Callable[..., Any]:
    """A function of Spark that scores a struct of columns: the prediction, the scores of all classes, and their probabilities."""
    model = _Content(content)
    made = f"struct<prediction {kind}, raw array<double>, probability array<double>>"

    def score(rows: Iterator[pyarrow.Array]) -> Iterator[pyarrow.Array]:
        batches = (pyarrow.RecordBatch.from_struct_array(struct) for struct in rows)
        classes = np.array(predictions)
        for scored in scored_batches(_loaded(model), batches, {"strict": strict or None}):
            raw = _of_all_classes(scored, scored.scores, np.negative)
            probability = _of_all_classes(scored, scored.probabilities, lambda share: 1.0 - share)
            columns = [spread(classes[scored.classes], scored.read), raw, probability]
            yield pyarrow.StructArray.from_arrays(columns, ["prediction", "raw", "probability"])

    # Spark sees from the annotations that these are iterators, and warns if it is told; its own types want to be told.
    return arrow_udf(score, made)  # type: ignore[call-overload]


def _of_all_classes(scored: ScoredRows, values: np.ndarray | None, of_other: Callable[[np.ndarray], np.ndarray]) -> pyarrow.Array:
    """The numbers of all classes; where one number says it of two, that of the other is made of it."""
    if values is None:
        return pyarrow.nulls(len(scored.read), pyarrow.list_(pyarrow.float64()))
    if scored.width == 1:
        values = np.column_stack([of_other(values), values]).ravel()
    return lists(values, scored.read)
