"""Scoring with the conventions of pyspark.ml."""

import numpy as np
import pytest

import thalweg
from conftest import SETTINGS, rows

pytest.importorskip("pyspark", reason="PySpark is not installed: thalweg.spark is NOT tested")

from pyspark.ml import PipelineModel  # noqa: E402
from pyspark.ml.evaluation import BinaryClassificationEvaluator, MulticlassClassificationEvaluator  # noqa: E402
from pyspark.ml.feature import HashingTF, Tokenizer  # noqa: E402
from pyspark.ml.linalg import Vectors, VectorUDT  # noqa: E402
from pyspark.sql.functions import col, udf  # noqa: E402

from thalweg.spark import SparkOnlineModel, _scoring  # noqa: E402


@pytest.fixture(scope="module")
def frame(spark):
    made = rows(spark, 6_000, 3).persist()
    yield made
    made.unpersist()


@pytest.fixture(scope="module")
def model(frame):
    trained = thalweg.OnlineClassifier(probabilities=True, target="recall>=0.9").learn_file(frame.drop("id").toArrow(), **SETTINGS)
    return SparkOnlineModel.of(trained, ["text", "amount", "indices", "values", "day"])


def test_predictions_are_those_of_the_model(frame, model):
    scored = model.transform(frame)
    assert scored.columns == [*frame.columns, "prediction", "rawPrediction", "probability"]
    table = scored.drop("rawPrediction", "probability").toArrow()
    numbers = np.array([(*row.rawPrediction, *row.probability) for row in scored.select("rawPrediction", "probability").collect()])
    features = frame.select(*model.getFeaturesCol()).toArrow()
    assert table["prediction"].to_pylist() == list(model.model.predict_file(features))
    scores = model.model.decision_file(features)
    assert np.array_equal(numbers[:, 1], scores) and np.array_equal(numbers[:, 0], -scores)
    assert np.allclose(numbers[:, 2] + numbers[:, 3], 1.0) and np.all((numbers[:, 1] > 0) == (table["prediction"].to_numpy() == "spam"))
    # Only what is asked for, by other names.
    renamed = model.copy({model.predictionCol: "said", model.rawPredictionCol: "", model.probabilityCol: "p"}).transform(frame)
    assert renamed.columns == [*frame.columns, "said", "p"]


def test_a_model_is_written_and_read(frame, model, tmp_path):
    model.write().overwrite().save(str(tmp_path / "model"))
    again = SparkOnlineModel.load(str(tmp_path / "model"))
    assert again.model.to_bytes() == model.model.to_bytes()
    assert again.extractParamMap().values() and again.getFeaturesCol() == model.getFeaturesCol() and again.uid == model.uid
    assert again.transform(frame).select("prediction").collect() == model.transform(frame).select("prediction").collect()
    stages = PipelineModel([model])
    stages.write().overwrite().save(str(tmp_path / "pipeline"))
    assert PipelineModel.load(str(tmp_path / "pipeline")).transform(frame).first() == stages.transform(frame).first()
    assert "Columns that hold text" in model.explainParam("text")


def test_labels_that_are_numbers_are_doubles_for_evaluators(frame):
    numbers = frame.withColumn("label", (col("label") == "spam").cast("int"))
    words = Tokenizer(inputCol="text", outputCol="words").transform(numbers)
    vectors = HashingTF(inputCol="words", outputCol="features", numFeatures=1 << 18).transform(words).select("features", "label")
    trained = thalweg.AROWClassifier().learn_file(vectors.toArrow())
    scored = SparkOnlineModel.of(trained, "features").transform(vectors)
    assert dict(scored.dtypes)["prediction"] == "double" and dict(scored.dtypes)["rawPrediction"] == "vector"
    assert BinaryClassificationEvaluator().evaluate(scored) > 0.9
    assert MulticlassClassificationEvaluator(metricName="accuracy").evaluate(scored) > 0.9


def test_sparse_and_dense_vectors_are_the_same(frame):
    dense = udf(lambda vector: Vectors.dense(vector.toArray()), VectorUDT())
    words = Tokenizer(inputCol="text", outputCol="words").transform(frame)
    sparse = HashingTF(inputCol="words", outputCol="features", numFeatures=100).transform(words).select("features", "label")
    tables = [one.toArrow() for one in (sparse, sparse.withColumn("features", dense("features")))]
    assert tables[0] != tables[1]
    assert thalweg.AROWClassifier().learn_file(tables[0]).to_bytes() == thalweg.AROWClassifier().learn_file(tables[1]).to_bytes()


def test_scores_of_many_classes(frame):
    many = frame.selectExpr("text", "day", "concat('class ', pmod(xxhash64(text), 5)) as label")
    model = SparkOnlineModel.of(thalweg.OnlineClassifier("arow", multiclass="any").learn_file(many.toArrow(), **SETTINGS), ["text", "day"])
    row = model.transform(many).first()
    assert len(row.rawPrediction) == model.numClasses == 5
    assert row.prediction == model.classLabels[int(np.argmax(row.rawPrediction.toArray()))]


def test_rows_that_cannot_be_read_have_nulls(frame, model):
    bad = frame.selectExpr("text", "if(id % 100 = 3, double('infinity'), amount) as amount", "indices", "values", "day")
    scored = model.transform(bad)
    wrong = scored.where("amount = double('infinity')")
    assert wrong.count() == scored.where("prediction is null").count() == 60
    assert wrong.where("rawPrediction is null and probability is null").count() == 60
    with pytest.raises(Exception, match="must be a finite number"):
        model.copy({model.strict: True}).transform(bad).collect()


def test_a_missing_column_is_named(frame, model):
    with pytest.raises(ValueError, match="there is no column 'day', which the model was trained with; the columns are id, text"):
        model.transform(frame.drop("day"))


def test_a_process_makes_a_model_once(model):
    first = _scoring._loaded(_scoring._Content(model.model.to_bytes()))
    assert _scoring._loaded(_scoring._Content(model.model.to_bytes())) is first
