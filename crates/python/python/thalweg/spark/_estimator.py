"""The estimator and its model, as ``pyspark.ml`` has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from pyspark.ml.base import Estimator, Model
from pyspark.ml.functions import array_to_vector
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsReader, DefaultParamsWritable, DefaultParamsWriter, MLReadable, MLReader, MLWritable, MLWriter
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, struct, when
from pyspark.sql.types import BooleanType, DataType, NumericType

from .. import _native
from .._estimator import OnlineBase
from .._learners import OnlineClassifier
from .._models import load
from ._parameters import Parameters
from ._scoring import scores_of
from ._training import Training


class SparkOnlineClassifier(Estimator["SparkOnlineModel"], Parameters, DefaultParamsReadable["SparkOnlineClassifier"], DefaultParamsWritable):
    """Any learner of Thalweg as an estimator of ``pyspark.ml``.

    ``fit`` goes through the data frame once, in ``rounds``. In every round each partition learns from its next part on the worker that has it, from the model that all
    have in common, and what they have learned is merged. The result does not depend on which worker did what: it is that of ``thalweg.train_shards`` with the same partitions.

    Parameters
    ----------
    learner
        The learner and its knobs, `name:knob=value,...` as on the command line.
    rounds
        How often the partitions' models are merged.
    featuresCol
        The column that examples are made of, or several; by default all but those of the label and the weight. Words, dates, numbers, lists, sparse lists
        (``indices`` and ``values``) and Spark's vectors are read as those of a Parquet file are.
    labelCol, weightCol, predictionCol, rawPredictionCol, probabilityCol
        As in ``pyspark.ml``. Labels may be texts, numbers or booleans, and predictions are of the same kind; numbers are doubles.
    **settings
        Every other setting of ``learn_file`` that is about examples, such as ``text``, ``ngrams``, ``cost_fn``, ``target``, ``probabilities``, ``strict``.
    """

    def __init__(
        self,
        learner: str = _native.DEFAULT_LEARNER,
        *,
        rounds: int | None = None,
        featuresCol: str | list[str] | None = None,
        labelCol: str | None = None,
        weightCol: str | None = None,
        predictionCol: str | None = None,
        rawPredictionCol: str | None = None,
        probabilityCol: str | None = None,
        **settings: Any,
    ):
        super().__init__()
        self.setParams(
            learner=learner,
            rounds=rounds,
            featuresCol=featuresCol,
            labelCol=labelCol,
            weightCol=weightCol,
            predictionCol=predictionCol,
            rawPredictionCol=rawPredictionCol,
            probabilityCol=probabilityCol,
            **settings,
        )

    def setParams(self, **params: Any) -> SparkOnlineClassifier:
        """Sets parameters by keyword. Those that are None stay as they are."""
        self._give(params)
        return self

    def _fit(self, dataset: DataFrame) -> SparkOnlineModel:
        training = Training(dataset, self.getFeaturesCol(), self.settings())
        with training.kept():
            learned = training.learned(None, self.getRounds())
        model = SparkOnlineModel(learned.to_bytes(), _kind_of(dataset.schema[self.getLabelCol()].dataType))
        self._copyValues(model)
        return model._set(featuresCol=training.columns)


def _kind_of(labels: DataType) -> str:
    """The kind of predictions: that of the labels, where pyspark.ml makes doubles of all numbers."""
    if isinstance(labels, BooleanType):
        return "boolean"
    return "double" if isinstance(labels, NumericType) else "string"


class SparkOnlineModel(Model, Parameters, MLReadable["SparkOnlineModel"], MLWritable):
    """A model that scores data frames: what ``SparkOnlineClassifier.fit`` returns.

    ``transform`` adds the columns of predictions: the class; as raw prediction the scores of the classes, where two classes have −s and s for the score s less the
    threshold; and, if the model has probabilities, those of the classes. A row that cannot be read has nulls there; with ``strict`` it is an error.
    """

    def __init__(self, content: bytes = b"", kind: str = "string"):
        super().__init__()
        self._content = content
        self._kind = kind
        self._loaded: OnlineClassifier | None = None

    @classmethod
    def of(cls, model: OnlineBase, featuresCol: str | list[str], **params: Any) -> SparkOnlineModel:
        """A model that was trained elsewhere, to score data frames with: of these columns examples are made."""
        kind = "double" if np.issubdtype(model.classes_.dtype, np.number) else "string"
        made = cls(model.to_bytes(), kind)
        return made.setParams(featuresCol=featuresCol, **params)

    @property
    def model(self) -> OnlineClassifier:
        """The model as the rest of the package has it, to be saved as a model file, inspected, explained or trained further."""
        if self._loaded is None:
            self._loaded = load(self._content)
        return self._loaded

    @property
    def classLabels(self) -> list[str]:
        """The labels of the classes, in the order of raw predictions and probabilities."""
        return self.model._stream.labels()

    @property
    def numClasses(self) -> int:
        """How many classes there are."""
        return len(self.classLabels)

    def setParams(self, **params: Any) -> SparkOnlineModel:
        """Sets parameters by keyword, such as the names of columns."""
        self._give(params)
        return self

    def _transform(self, dataset: DataFrame) -> DataFrame:
        wanted = self.getFeaturesCol() or []
        missing = [name for name in wanted if name not in dataset.columns]
        if missing:
            raise ValueError(f"there is no column {missing[0]!r}, which the model was trained with; the columns are {', '.join(dataset.columns)}")
        scores = scores_of(self._content, self._predictions(), self._kind, bool(self.settings().get("strict")))
        scored = "_thalweg_" + self.uid
        result = dataset.withColumn(scored, scores(struct(*(dataset[f"`{name}`"] for name in wanted))))
        raw, probability = col(f"{scored}.raw"), col(f"{scored}.probability")
        made = {self.getPredictionCol(): col(f"{scored}.prediction"), self.getRawPredictionCol(): when(raw.isNotNull(), array_to_vector(raw))}
        if self.model.probabilities:
            made[self.getProbabilityCol()] = when(probability.isNotNull(), array_to_vector(probability))
        return result.withColumns({name: column for name, column in made.items() if name}).drop(scored)

    def _predictions(self) -> list[Any]:
        """What is predicted of each class."""
        make: dict[str, Callable[[str], Any]] = {"double": float, "boolean": lambda label: label == "true", "string": str}
        return [make[self._kind](label) for label in self.classLabels]

    def write(self) -> MLWriter:
        """Writes the parameters and the model file."""
        return _ModelWriter(self)

    @classmethod
    def read(cls) -> MLReader[SparkOnlineModel]:
        """Reads what ``write`` has written."""
        return _ModelReader()


class _ModelWriter(MLWriter):
    def __init__(self, instance: SparkOnlineModel):
        super().__init__()
        self.instance = instance

    def saveImpl(self, path: str) -> None:
        extra = {"predictionType": self.instance._kind}
        DefaultParamsWriter.saveMetadata(self.instance, path, self.sparkSession, extra)
        rows = self.sparkSession.createDataFrame([(bytearray(self.instance._content),)], "model binary")
        rows.coalesce(1).write.parquet(f"{path}/model")


class _ModelReader(MLReader[SparkOnlineModel]):
    def load(self, path: str) -> SparkOnlineModel:
        session: SparkSession = self.sparkSession
        metadata = DefaultParamsReader.loadMetadata(path, session, "thalweg.spark._estimator.SparkOnlineModel")
        content = session.read.parquet(f"{path}/model").first()
        if content is None:
            raise ValueError(f"{path}: there is no model in it")
        model = SparkOnlineModel(bytes(content.model), metadata["predictionType"])
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model
