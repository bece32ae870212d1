"""Learns from Structured Streaming, each row exactly once."""

from __future__ import annotations

import os
import pathlib
import re
import tempfile
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from .. import _native
from .._learners import OnlineClassifier
from .._models import load
from ._parameters import Parameters
from ._training import Training

_EPOCH = re.compile(r"epoch-(\d+)\.thw")


def learner(
    path: Any,
    learner: str = _native.DEFAULT_LEARNER,
    *,
    start: Any = None,
    rounds: int | None = None,
    shards_from: int = 1_000_000,
    keep: int = 2,
    featuresCol: str | list[str] | None = None,
    labelCol: str | None = None,
    weightCol: str | None = None,
    **settings: Any,
) -> EpochLearner:
    """What ``df.writeStream.foreachBatch(...)`` calls with every batch of a stream, to learn from it exactly once.

    After epoch N the model is the file ``epoch-N.thw`` in the folder ``path``: it is written under another name, brought to the disk, and only then renamed. An epoch at or
    below that of the last model was learned from, and is skipped. So a crash at any time, also between the writing of the model and Spark's own note that the epoch is done,
    counts every row once. The folder is one that the driver can write to; it belongs to one query, that is to one ``checkpointLocation``.

    Parameters
    ----------
    path
        The folder of the models. It is made if it is not there.
    learner
        The learner and its knobs, `name:knob=value,...` as on the command line.
    start
        A model file to go on from, where the folder has no model yet.
    rounds
        How often models are merged in an epoch that is learned by its partitions.
    shards_from
        An epoch of so many rows is learned by its partitions on the workers. One with fewer rows is learned on the driver, in the order of its partitions, which takes
        about a second for a million rows and merges nothing.
    keep
        How many models are kept: the last, and those before it.
    featuresCol, labelCol, weightCol
        As in ``SparkOnlineClassifier``.
    **settings
        Every other setting of ``learn_file`` that is about examples. Two classes need ``labels=[negative, positive]``, or ``positive``: an epoch may have examples of one only.
    """
    parameters = _Parameters(
        {"learner": learner, "rounds": rounds, "featuresCol": featuresCol, "labelCol": labelCol, "weightCol": weightCol, **settings}
    )
    if keep < 1:
        raise ValueError(f"keep must be at least 1, got {keep}")
    known = parameters.settings()
    if start is None and not any(known.get(name) for name in ("multiclass", "labels", "positive")):
        raise ValueError("which of two labels is positive must be known before the stream begins: give labels=[negative, positive], or positive")
    return EpochLearner(pathlib.Path(path), parameters, start, shards_from, keep)


class _Parameters(Parameters):
    def __init__(self, given: dict[str, Any]):
        super().__init__()
        self._give(given)


class EpochLearner:
    """Learns from the epochs of a stream. See ``thalweg.spark.learner``."""

    def __init__(self, folder: pathlib.Path, parameters: Parameters, start: Any, shards_from: int, keep: int):
        self.folder = folder
        self.parameters = parameters
        self.start = start
        self.shards_from = shards_from
        self.keep = keep
        folder.mkdir(parents=True, exist_ok=True)

    def last(self) -> tuple[int, pathlib.Path] | None:
        """The last epoch that was learned from, and the file of its model."""
        models = _models(self.folder)
        return models[-1] if models else None

    def model(self) -> OnlineClassifier:
        """The model as it is now."""
        last = self.last()
        if last is None:
            raise ValueError(f"{self.folder}: nothing was learned yet")
        return load(last[1])

    def __call__(self, batch: DataFrame, epoch: int) -> None:
        """Learns from a batch of the stream, unless it was learned from before."""
        self._check_query(batch)
        last = self.last()
        if last is not None and epoch <= last[0]:
            return
        batch.persist()
        try:
            learned = self._learned(batch, last, epoch)
        finally:
            batch.unpersist()
        if learned is None:
            return
        learned.save(self.folder / f"epoch-{epoch}.thw")
        for _, model in _models(self.folder)[: -self.keep]:
            model.unlink(missing_ok=True)

    def _learned(self, batch: DataFrame, last: tuple[int, pathlib.Path] | None, epoch: int) -> _native.Stream | None:
        rows = batch.count()
        if rows == 0:
            return None
        start = self.start if last is None else last[1]
        begun = None if start is None else load(start)._stream
        training = Training(batch, self.parameters.getFeaturesCol(), self.parameters.settings())
        if rows >= self.shards_from:
            return training.learned(begun, self.parameters.getRounds())
        return training.learned_here(begun, f"epoch {epoch}")

    def _check_query(self, batch: DataFrame) -> None:
        """Epochs are counted by each query for itself: those of another one would be skipped, or counted twice."""
        query, known = _query_of(batch), self.folder / "query"
        if query is None:
            return
        if not known.exists():
            if self.last() is not None:
                raise ValueError(f"{self.folder}: there are models of epochs, and nothing tells of which query")
            _write(known, query)
        if known.read_text() != query:
            raise ValueError(
                f"{self.folder} belongs to another query, whose epochs are counted otherwise: use its `checkpointLocation`, "
                "or another folder, with `start` to go on from the last model"
            )


def _write(path: pathlib.Path, text: str) -> None:
    """Writes a small file as a whole or not at all."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(file.name, path)


def _query_of(batch: DataFrame) -> str | None:
    """The query that a batch belongs to; it stays the same when the query begins again from its checkpoint."""
    try:
        return batch.sparkSession.sparkContext.getLocalProperty("sql.streaming.queryId")
    except (AttributeError, PySparkException):
        # A session of Spark Connect does not tell.
        return None


def _models(folder: pathlib.Path) -> list[tuple[int, pathlib.Path]]:
    """The models in a folder, and the epochs after which they were written."""
    found = ((_EPOCH.fullmatch(path.name), path) for path in folder.iterdir())
    return sorted((int(match[1]), path) for match, path in found if match)
