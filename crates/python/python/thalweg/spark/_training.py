"""How the partitions of a data frame become one model."""

from __future__ import annotations

import logging
import pathlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pyarrow
import pyarrow.compute
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql.functions import floor
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import ArrayType, IntegerType, LongType, StructField, StructType

from .. import _native, _settings
from .._batches import SHOWN
from ._parameters import LABEL
from ._partitions import LEARNED, Count, Learn, Shard, merged

# So many neighbours are merged at a time: in a tree of pairs, of which this is some levels.
NEIGHBOURS = 8


# Settings that are not the model's, but those of the run that learns.
_OF_A_RUN = ("strict", "max_bad", "reject_file", "max_memory", "threads")


class Training:
    """A data frame that a model is to learn from."""

    def __init__(self, dataset: DataFrame, columns: list[str] | None, settings: Mapping[str, Any]):
        self.dataset = dataset
        self.settings = dict(settings)
        self.label = self.settings.get("label_col", LABEL)
        beside = [self.label, *(self.settings[name] for name in ("importance_col", "cost_col") if name in self.settings)]
        self.columns = columns or [name for name in dataset.columns if name not in beside]
        read = dict.fromkeys([*self.columns, *beside])
        # What is missing is named by the library, which knows what it was meant for.
        self.rows = dataset.select([dataset[f"`{name}`"] for name in read if name in dataset.columns])
        self._check_columns()

    def _check_columns(self) -> None:
        """Reads no rows of these columns: what is wrong with them, or with what was asked for, is told here, and not by a worker."""
        missing = [name for name in self.columns if name not in self.dataset.columns]
        if missing:
            raise ValueError(f"there is no column {missing[0]!r}; the columns are {', '.join(self.dataset.columns)}")
        schema = to_arrow_schema(self.rows.schema)
        nothing = pyarrow.RecordBatchReader.from_batches(schema, [pyarrow.RecordBatch.from_pylist([], schema)])
        with _settings.words():
            _native.Stream(_settings.to_json(self._of_the_model())).learn_inputs([("the data frame", nothing)])

    def _of_the_model(self) -> dict[str, Any]:
        return {name: value for name, value in self.settings.items() if name not in _OF_A_RUN}

    def learned_here(self, start: _native.Stream | None, name: str) -> _native.Stream:
        """The model that has learned from all rows on this machine, in the order of the partitions."""
        run = {name: value for name, value in self.settings.items() if name in _OF_A_RUN}
        with _settings.words(), _settings.watching() as tell:
            if start is None:
                stream = _native.Stream(_settings.to_json(self.settings))
            else:
                stream = _native.Stream.from_bytes(start.to_bytes(), _settings.to_json(run))
            stream.learn_inputs([(name, self.rows.toArrow())], tell)
        return stream

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keeps the rows, unless the user does: they are read once to count them, and once in every round."""
        if self.dataset.storageLevel != StorageLevel.NONE:
            yield
            return
        self.rows.persist(StorageLevel.MEMORY_AND_DISK)
        try:
            yield
        finally:
            self.rows.unpersist()

    def learned(self, start: _native.Stream | None, rounds: int) -> _native.Stream:
        """The model that has learned from all rows, once, and before that what it was started with."""
        shards, labels = self._counted()
        if not shards:
            raise ValueError("there are no rows to learn from")
        base = start or self._begun(labels)
        told = _Told(self.settings)
        for part in range(rounds):
            row = self._round(base.to_bytes(), shards, part, rounds)
            told.add(row, is_last=part + 1 == rounds)
            base = base.apply(row.delta)
        return base

    def _counted(self) -> tuple[dict[int, Shard], pyarrow.ChunkedArray]:
        """The partitions that have rows, and all labels."""
        kind = ArrayType(self.rows.schema[self.label].dataType)
        fields = [("partition", IntegerType()), ("rows", LongType()), ("labels", kind)]
        found = self.rows.mapInArrow(Count(self.label), StructType([StructField(*field) for field in fields])).toArrow()
        found = found.sort_by("partition")
        numbers = enumerate(zip(found["partition"].to_pylist(), found["rows"].to_pylist()))
        shards = {partition: Shard(number, rows) for number, (partition, rows) in numbers}
        return shards, pyarrow.compute.list_flatten(found["labels"])

    def _begun(self, labels: pyarrow.ChunkedArray) -> _native.Stream:
        """A model that has learned nothing, but knows which of two labels is positive: no partition may see both."""
        settings = self._of_the_model()
        if not any(settings.get(name) for name in ("multiclass", "labels", "positive")):
            settings["labels"] = _two(labels, self.label)
        with _settings.words():
            return _native.Stream(_settings.to_json(settings))

    def _round(self, base: bytes, shards: Mapping[int, Shard], part: int, parts: int) -> Any:
        """What all partitions have learned from their next part, merged in a tree."""
        learn = Learn(base, self.settings, shards, part, parts)
        learned, width, joined = self.rows.mapInArrow(learn, LEARNED), len(shards), 1
        while width > 1:
            width, joined = -(-width // NEIGHBOURS), joined * NEIGHBOURS
            group = floor(learned["shard"] / joined)
            learned = learned.repartition(width, group).groupBy(group).applyInArrow(merged, LEARNED)
        [row] = learned.collect()
        if row.error is not None:
            raise _native.DataError(row.error)
        return row


def _two(labels: pyarrow.ChunkedArray, name: str) -> list[str]:
    """Two labels, the negative one first, as they are told apart in any data."""
    stream = _native.Stream(_settings.to_json({"learner": "perceptron", "label_col": name}))
    with _settings.words():
        stream.learn_inputs([("the labels", pyarrow.table({name: labels}))])
    two = [label for label in stream.labels() if label]
    if len(two) < 2:
        raise ValueError(f"there is only one label, {two[0]!r}: nothing can be told apart" if two else "no row has a label")
    return two


class _Told:
    """What is told of bad rows, and what becomes of them, as in a run on one machine."""

    def __init__(self, settings: Mapping[str, Any]):
        self.limit = settings.get("max_bad")
        self.rows = self.bad = self.shown = 0
        rejects = settings.get("reject_file")
        self.rejects = None if rejects is None else pathlib.Path(rejects)
        if self.rejects is not None:
            self.rejects.write_bytes(b"")

    def add(self, row: Any, is_last: bool) -> None:
        """Takes note of the rows of a round."""
        self.rows, self.bad = self.rows + row.rows, self.bad + row.bad
        for words in row.told[: max(SHOWN - self.shown, 0)]:
            self.shown += 1
            logging.getLogger("thalweg").warning("%s", words)
        if self.rejects is not None:
            with self.rejects.open("ab") as file:
                file.write(row.rejected)
        if self.limit is not None and _native.too_many_bad(str(self.limit), self.bad, self.rows, is_last):
            are = "is" if self.bad == 1 else "are"
            such = f"; one of them: {row.told[-1]}" if row.told else ""
            raise _native.DataError(f"{self.bad} of {self.rows} rows {are} bad, more than the {self.limit} allowed{such}")
