"""How a data frame becomes examples to learn from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema

from .. import _native, _settings
from ._parameters import LABEL

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
        with _settings.words():
            if start is None:
                stream = _native.Stream(_settings.to_json(self.settings))
            else:
                stream = _native.Stream.from_bytes(start.to_bytes(), _settings.to_json(run))
            stream.learn_inputs([(name, self.rows.toArrow())], _settings.watch(False, None))
        return stream
