"""What the workers do with the partitions of a data frame: count, learn, merge."""

from __future__ import annotations

import itertools
import json
import pathlib
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pyarrow
import pyarrow.compute
from pyspark import TaskContext

from .. import _native, _settings
from .._batches import SHOWN

# What becomes of the rows of a partition, and of several: what was learned, and what is told of bad rows. An error is told here, and not by the task, which
# Spark would only try again.
LEARNED = "shard int, delta binary, rows long, bad long, told array<string>, rejected binary, error string"
_LEARNED = pyarrow.schema(
    [
        ("shard", pyarrow.int32()),
        ("delta", pyarrow.binary()),
        ("rows", pyarrow.int64()),
        ("bad", pyarrow.int64()),
        ("told", pyarrow.list_(pyarrow.string())),
        ("rejected", pyarrow.binary()),
        ("error", pyarrow.string()),
    ]
)


def _partition() -> int:
    context = TaskContext.get()
    if context is None:
        raise RuntimeError("this runs on the workers of Spark")
    return context.partitionId()


class Count:
    """Tells of every partition that has rows how many there are, and which labels."""

    def __init__(self, label: str):
        self.label = label

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        rows, labels = 0, None
        for batch in batches:
            rows += batch.num_rows
            new = batch.column(self.label)
            labels = pyarrow.compute.unique(new if labels is None else pyarrow.concat_arrays([labels, new]))
        if labels is not None and rows > 0:
            lists = pyarrow.ListArray.from_arrays([0, len(labels)], labels)
            yield pyarrow.record_batch([pyarrow.array([_partition()], pyarrow.int32()), pyarrow.array([rows]), lists], ["partition", "rows", "labels"])


class Shard(NamedTuple):
    """A partition that has rows."""

    number: int
    rows: int


class Learn:
    """Learns from the next part of every partition, from what all have in common."""

    def __init__(self, base: bytes, settings: Mapping[str, Any], shards: Mapping[int, Shard], part: int, parts: int):
        self.base = base
        self.settings = dict(settings)
        self.shards = dict(shards)
        self.part = part
        self.parts = parts

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        partition = _partition()
        shard = self.shards.get(partition)
        if shard is None:
            if sum(batch.num_rows for batch in batches) > 0:
                yield _failed(partition, _changed(partition))
            return
        first, last = (shard.rows * part // self.parts for part in (self.part, self.part + 1))
        rows = _Rows(batches, first, last)
        try:
            learned = self._learn(rows, shard, f"partition {partition} from row {first + 1}")
        except (ValueError, OSError, MemoryError) as error:
            # An error of the reading of the rows is Spark's, and may pass.
            if rows.error is not None:
                raise rows.error from None
            yield _failed(shard.number, str(error))
            return
        rows.read_to_end()
        yield learned if rows.seen == shard.rows else _failed(shard.number, _changed(partition))

    def _learn(self, rows: _Rows, shard: Shard, name: str) -> pyarrow.RecordBatch:
        told: list[str] = []

        def tell(kind: str, value: Any) -> None:
            if kind in ("bad_line", "warning"):
                told.append(str(value))

        # What is of this run, and not of the model.
        run: dict[str, Any] = {name: self.settings[name] for name in ("strict", "max_memory") if name in self.settings}
        with tempfile.TemporaryDirectory() as folder, _settings.words():
            rejected = pathlib.Path(folder) / "rejected"
            if "reject_file" in self.settings:
                run["reject_file"] = rejected
            base = _native.Stream.from_bytes(self.base)
            stream = _native.Stream.from_bytes(base.shared(len(self.shards)).to_bytes(), _settings.to_json(run))
            stream.learn_inputs([(name, rows.reader())], tell)
            learned = {
                "shard": shard.number,
                "delta": stream.delta(base, len(self.shards)),
                "rows": rows.taken,
                "bad": json.loads(stream.report())["bad_lines"],
                "told": told[:SHOWN],
                "rejected": rejected.read_bytes() if rejected.exists() else b"",
            }
        return pyarrow.RecordBatch.from_pylist([learned], _LEARNED)


class _Rows:
    """The rows of a partition from one row to another. All are read, since only that tells whether they are still as many."""

    def __init__(self, batches: Iterator[pyarrow.RecordBatch], first: int, last: int):
        self.first, self.last = first, last
        self.seen = self.taken = 0
        self.error: BaseException | None = None
        # The first batch tells what the columns are.
        beginning = next(batches, None)
        self._schema = pyarrow.schema([]) if beginning is None else beginning.schema
        self._batches = itertools.chain([] if beginning is None else [beginning], batches)

    def reader(self) -> pyarrow.RecordBatchReader:
        """The rows that are wanted."""
        return pyarrow.RecordBatchReader.from_batches(self._schema, self._wanted())

    def read_to_end(self) -> None:
        """Passes over the rows that come after them."""
        while self._next() is not None:
            pass

    def _next(self) -> pyarrow.RecordBatch | None:
        try:
            batch = next(self._batches, None)
        except BaseException as error:
            self.error = error
            raise
        self.seen += 0 if batch is None else batch.num_rows
        return batch

    def _wanted(self) -> Iterator[pyarrow.RecordBatch]:
        while self.seen < self.last and (batch := self._next()) is not None:
            start = self.seen - batch.num_rows
            begin, end = max(self.first - start, 0), min(self.last - start, batch.num_rows)
            if begin < end:
                self.taken += end - begin
                yield batch.slice(begin, end - begin)


def merged(group: pyarrow.Table) -> pyarrow.Table:
    """Merges what neighbouring shards have learned."""
    rows = sorted(group.to_pylist(), key=lambda row: row["shard"])
    failed = next((row for row in rows if row["error"] is not None), None)
    if failed is not None:
        return pyarrow.Table.from_batches([_failed(rows[0]["shard"], failed["error"])])
    learned = {
        "shard": rows[0]["shard"],
        "delta": _native.merge_deltas([row["delta"] for row in rows]),
        "rows": sum(row["rows"] for row in rows),
        "bad": sum(row["bad"] for row in rows),
        "told": [words for row in rows for words in row["told"]][:SHOWN],
        "rejected": b"".join(row["rejected"] for row in rows),
        "error": None,
    }
    return pyarrow.Table.from_pylist([learned], _LEARNED)


def _failed(shard: int, error: str) -> pyarrow.RecordBatch:
    return pyarrow.RecordBatch.from_pylist([{"shard": shard, "error": error}], _LEARNED)


def _changed(partition: int) -> str:
    return (
        f"partition {partition} has other rows than when they were counted: the data frame must give the same rows whenever it is computed. "
        "Write it to files, or checkpoint it, and read that"
    )
