"""Streams of Arrow record batches, which go through a model as they come."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _native, _settings
from ._estimator import OnlineBase, stream_of

if TYPE_CHECKING:
    import pyarrow

# So many rows that cannot be read are logged one by one.
SHOWN = 10

# What concerns all rows of the data together, or files, and not the rows of a batch.
_NOT_OF_A_BATCH = ("max_bad", "reject_file", "format", "cache", "threads", "metrics", "curves", "report_cost", "report_sum", "progress")


def score_batches(model: OnlineBase, batches: Iterable[Any], **settings: Any) -> Iterator[pyarrow.RecordBatch]:
    """Scores Arrow record batches as they come: an iterator of one batch of predictions for each, with as many rows.

    Columns are read as those of a table are by ``learn_file``; a label is not needed. The columns of predictions are ``prediction``, the class;
    ``score``, as ``decision_function`` has it: a number, or a list of one for each class; and ``probability``, as ``predict_proba`` has it: that of
    ``classes_[1]``, or a list. ``probability`` is null if the model has none. A row that cannot be read has nulls everywhere, and is logged;
    with ``strict=True`` it is an error instead.

    Parameters
    ----------
    model : estimator
        The model. It is made ready once: what it learns later has no influence.
    batches : iterable
        Record batches, or tables of any library with the Arrow stream interface. A ``pyarrow.RecordBatchReader`` is one.
    **settings
        Settings of how rows are read, such as ``strict`` or ``threshold``.
    """
    scored = scored_batches(model, batches, settings)
    return (_named(model.classes_, rows) for rows in scored)


class ScoredRows(NamedTuple):
    """What a model says of the rows of a batch."""

    classes: np.ndarray  # The number of the class of each row that could be read,
    scores: np.ndarray  # its score less the threshold, or those of all classes, row after row,
    probabilities: np.ndarray | None  # and the same of probabilities, if the model has them.
    read: np.ndarray  # Which rows could be read.
    width: int  # How many scores a row has.


def scored_batches(model: OnlineBase, batches: Iterable[Any], settings: Mapping[str, Any]) -> Iterator[ScoredRows]:
    """What a model says of batches of rows, as they come."""
    allowed = tuple(name for name in _native.CONFIG_FIELDS if name not in _NOT_OF_A_BATCH)
    given = _settings.to_json(_settings.reading(settings, allowed))
    with _settings.words():
        scorer = _native.RowScorer(stream_of(model), given)
    threshold = settings.get("threshold", model._stream.threshold())
    width = 1 if threshold is not None else len(model.classes_)

    def score() -> Iterator[ScoredRows]:
        rows, unread = 0, 0
        for batch in batches:
            with _settings.words():
                (scores, classes, probabilities), bad = scorer.score(batch)
            for row, what in bad[: max(SHOWN - unread, 0)]:
                logging.getLogger("thalweg").warning("row %d: %s", rows + row + 1, what)
            read = np.ones(len(classes) + len(bad), dtype=bool)
            read[[row for row, _ in bad]] = False
            rows, unread = rows + len(read), unread + len(bad)
            yield ScoredRows(classes, scores - (threshold or 0.0), probabilities, read, width)

    return score()


def _named(classes: np.ndarray, rows: ScoredRows) -> pyarrow.RecordBatch:
    import pyarrow

    shape: Callable[..., Any] = spread if rows.width == 1 else lists
    none = np.zeros(len(rows.read), dtype=bool)
    columns = {
        "prediction": spread(classes[rows.classes], rows.read),
        "score": shape(rows.scores, rows.read),
        "probability": shape(np.empty(0), none) if rows.probabilities is None else shape(rows.probabilities, rows.read),
    }
    return pyarrow.RecordBatch.from_pydict(columns)


def spread(values: np.ndarray, read: np.ndarray) -> pyarrow.Array:
    """The values of the rows that were read, and nulls for the others."""
    import pyarrow

    if read.all():
        return pyarrow.array(values)
    all_rows = np.zeros(len(read), dtype=values.dtype)
    all_rows[read] = values
    return pyarrow.array(all_rows, mask=~read)


def lists(values: np.ndarray, read: np.ndarray) -> pyarrow.Array:
    """The same with a list of values for each row."""
    import pyarrow

    width = len(values) // max(np.count_nonzero(read), 1)
    starts = np.concatenate([[0], np.cumsum(np.where(read, width, 0))]).astype(np.int32)
    return pyarrow.ListArray.from_arrays(pyarrow.array(starts, mask=np.append(~read, False)), values)
