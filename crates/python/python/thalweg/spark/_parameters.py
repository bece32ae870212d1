"""What is told to a classifier in Spark: Spark's names for columns, and the settings of the library under their own names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasLabelCol, HasPredictionCol, HasProbabilityCol, HasRawPredictionCol, HasWeightCol

from .. import _native, _settings

# What has another name in Spark, is about files or about figures, or has no meaning where many workers learn at once.
_ELSEWHERE = {
    "label_col": "labelCol",
    "importance_col": "weightCol",
    "id_col": "the columns of the data frame, which all stay",
    "passes": "several epochs of a stream, or learn_file",
    "shards": "repartition on the data frame: every partition is a shard",
    "shuffle": "orderBy(rand(seed)) on the data frame",
    "seed": "orderBy(rand(seed)) on the data frame",
    "progress": "Spark's own page",
    "confidence": "thalweg.score_batches",
    **dict.fromkeys(("format", "no_header", "encoding", "delimiter", "decimal_comma", "cache"), "Spark, which reads the data"),
    **dict.fromkeys(("holdout", "metrics", "report_cost", "report_sum", "curves"), "the evaluators of pyspark.ml"),
}

# The column of labels if nothing else was said.
LABEL = "label"

SETTINGS = {name: " ".join(doc.split()) for name, doc in zip(_native.CONFIG_FIELDS, _native.CONFIG_DOCS) if name not in (*_ELSEWHERE, "rounds")}


def columns(value: Any) -> list[str]:
    """One column or several."""
    return TypeConverters.toListString([value] if isinstance(value, str) else value)


class Parameters(HasLabelCol, HasPredictionCol, HasProbabilityCol, HasRawPredictionCol, HasWeightCol):
    """The parameters of a classifier and of its model.

    Every setting of ``learn_file`` that is about how examples are made and learned is one, under its own name: ``learner``, ``text``, ``ngrams``, ``cost_fn`` ...
    """

    featuresCol: Param[list[str]] = Param(
        Params._dummy(), "featuresCol", "The column that examples are made of, or several. By default all but those of the label and the weight.", columns
    )
    rounds: Param[int] = Param(
        Params._dummy(), "rounds", "How often the partitions' models are merged. Each round learns from another part of every partition.", TypeConverters.toInt
    )

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(rounds=3)

    def _give(self, given: Mapping[str, Any]) -> None:
        """Sets what was given by keyword."""
        known = {param.name for param in self.params}
        for name, value in given.items():
            if name in _ELSEWHERE:
                raise TypeError(f"{name!r} is no parameter in Spark: use {_ELSEWHERE[name]}")
            if name not in known:
                raise TypeError(f"there is no parameter {name!r}; the parameters are {', '.join(sorted(known))}")
        with _settings.words():
            set_here = {name: value for name, value in given.items() if value is not None}
            self._set(**{**set_here, **_settings.reading({name: value for name, value in set_here.items() if name in SETTINGS})})
            # Wrong words are told here, and not by a worker.
            _native.Stream(_settings.to_json(self.settings()))

    def settings(self) -> dict[str, Any]:
        """The configuration that the parameters mean."""
        given = {name: self.getOrDefault(name) for name in SETTINGS if self.isSet(getattr(self, name))}
        # A model remembers what it was told, and both have the same default.
        if self.getLabelCol() != LABEL:
            given["label_col"] = self.getLabelCol()
        if self.isSet(self.weightCol):
            given["importance_col"] = self.getWeightCol()
        return given

    def getFeaturesCol(self) -> list[str] | None:
        """The columns that examples are made of, if they were named."""
        return self.getOrDefault(self.featuresCol) if self.isSet(self.featuresCol) else None

    def getRounds(self) -> int:
        """How often the partitions' models are merged."""
        return self.getOrDefault(self.rounds)


for _name, _doc in SETTINGS.items():
    setattr(Parameters, _name, Param(Params._dummy(), _name, _doc))
