"""Training on the workers of a cluster, also when one of them dies."""

import json
import logging
import os
import pathlib
import signal
import sys

import pytest

import thalweg
from conftest import ROWS, SETTINGS, partitions, rows

pyspark = pytest.importorskip("pyspark", reason="PySpark is not installed: thalweg.spark is NOT tested")

from pyspark.ml import Pipeline, PipelineModel  # noqa: E402
from pyspark.ml.evaluation import BinaryClassificationEvaluator  # noqa: E402
from pyspark.ml.feature import HashingTF, Tokenizer  # noqa: E402
from pyspark.sql.functions import col  # noqa: E402

from thalweg.spark import SparkOnlineClassifier  # noqa: E402
from thalweg.spark import _training  # noqa: E402
from thalweg.spark._partitions import Learn  # noqa: E402


def expected(frame, rounds=3, **settings):
    """The model of the same partitions on one machine."""
    if "multiclass" not in settings:
        known = sorted(str(row[0]) for row in frame.select("label").distinct().collect())
        settings = {"labels": known, **settings}
    return thalweg.train_shards(partitions(frame, rounds), **settings).to_bytes()


def executor():
    """The process of the executor that runs this worker."""
    process = os.getppid()
    while pathlib.Path(f"/proc/{process}/comm").read_text().strip() != "java":
        process = int(pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])
    return process


class Murder(Learn):
    """Kills the executor once, when it has learned from half a part of the second partition."""

    note: str

    def __call__(self, batches):
        def mortal():
            for number, batch in enumerate(batches):
                if self.part == 1 and number == 5 and pyspark.TaskContext.get().partitionId() == 1 and not os.path.exists(self.note):
                    pathlib.Path(self.note).write_text(str(executor()))
                    os.kill(executor(), signal.SIGKILL)
                yield batch

        yield from super().__call__(mortal())


def test_rows_count_once_when_an_executor_dies_in_the_middle_of_a_partition(spark, tmp_path, monkeypatch):
    from pyspark import cloudpickle

    # The workers do not have this file.
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    monkeypatch.setattr(Murder, "note", str(tmp_path / "killed"), raising=False)
    monkeypatch.setattr(_training, "Learn", Murder)
    frame = rows(spark).drop("id")
    model = SparkOnlineClassifier(rounds=3, **SETTINGS).fit(frame)
    assert (tmp_path / "killed").exists(), "no executor was killed"
    assert thalweg.inspect(model.model)["state"]["counts"]["examples"] == ROWS
    assert model.model.to_bytes() == expected(frame, **SETTINGS)


@pytest.mark.parametrize("learner", ["arow", "ftrl", "ssol"])
def test_models_are_those_of_the_same_partitions_on_one_machine(spark, learner):
    frame = rows(spark, 20_000, 5).drop("id")
    model = SparkOnlineClassifier(learner, rounds=2, cost_fn=3.0, balanced=True, probabilities=True, **SETTINGS).fit(frame)
    assert model.model.to_bytes() == expected(frame, 2, learner=learner, cost_fn=3.0, balanced=True, probabilities=True, **SETTINGS)


def test_more_partitions_than_are_merged_at_a_time(spark):
    frame = rows(spark, 4_000, 19).drop("id")
    model = SparkOnlineClassifier("arow", rounds=1, **SETTINGS).fit(frame)
    assert model.model.to_bytes() == expected(frame, 1, learner="arow", **SETTINGS)


def test_partitions_with_one_class_or_no_rows(spark):
    """The first partition has spam only, the third nothing."""
    frame = rows(spark, 4_000, 4).where("id >= 1000 or label = 'spam'").where("id < 2000 or id >= 3000").drop("id")
    assert frame.rdd.getNumPartitions() == 4
    model = SparkOnlineClassifier(rounds=3, **SETTINGS).fit(frame)
    assert model.classLabels == ["ham", "spam"]
    assert model.model.to_bytes() == expected(frame, **SETTINGS)


def test_many_classes(spark):
    frame = rows(spark, 6_000, 3).selectExpr("text", "day", "concat('class ', pmod(xxhash64(text), 5)) as label")
    model = SparkOnlineClassifier("arow", multiclass="any", **SETTINGS).fit(frame)
    assert sorted(model.classLabels) == [f"class {i}" for i in range(5)]
    assert model.model.to_bytes() == expected(frame, learner="arow", multiclass="any", **SETTINGS)


def bad_rows(spark):
    """Thirty of 3,000 rows have a number that is none."""
    columns = ["text", "day", "if(id % 100 = 3, double('infinity'), amount) as amount", "label"]
    return rows(spark, 3_000, 3).selectExpr(*columns)


def test_bad_rows_are_skipped_counted_and_told(spark, caplog, tmp_path):
    frame, rejected = bad_rows(spark), tmp_path / "rejected.jsonl"
    with caplog.at_level(logging.WARNING, "thalweg"):
        model = SparkOnlineClassifier(max_bad="30", reject_file=str(rejected), **SETTINGS).fit(frame)
    assert 'partition 0 from row 1:4:3: column "amount": value must be a finite number, got "inf"' in caplog.text
    assert len(caplog.records) == 10
    lines = [json.loads(line) for line in rejected.read_text().splitlines()]
    assert len(lines) == 30 and all(line["text"].startswith("w") for line in lines)
    assert model.model.to_bytes() == expected(frame, **SETTINGS)


def test_bad_rows_end_the_run_if_that_is_asked_for(spark):
    with pytest.raises(thalweg.DataError, match="partition 0 from row 1:4:3: column \"amount\": value must be a finite number"):
        SparkOnlineClassifier(strict=True, **SETTINGS).fit(bad_rows(spark))
    with pytest.raises(thalweg.DataError, match="30 of 3000 rows are bad, more than the 29 allowed"):
        SparkOnlineClassifier(rounds=1, max_bad="29", **SETTINGS).fit(bad_rows(spark))
    with pytest.raises(thalweg.DataError, match="more than the 0.5% allowed"):
        SparkOnlineClassifier(max_bad="0.5%", **SETTINGS).fit(bad_rows(spark))


def test_what_is_wrong_is_said_before_a_worker_reads_a_row(spark):
    frame = rows(spark, 1_000, 2)
    with pytest.raises(ValueError, match='there is no column "words" for the text; the columns are "id", "text"'):
        SparkOnlineClassifier(text=["words"], date=["day"], ignore=["indices", "values"]).fit(frame)
    with pytest.raises(ValueError, match="there is no column 'nothing'; the columns are id, text"):
        SparkOnlineClassifier(featuresCol="nothing").fit(frame)
    with pytest.raises(ValueError, match='there is no column "class" for the label'):
        SparkOnlineClassifier(labelCol="class", **SETTINGS).fit(frame)
    with pytest.raises(ValueError, match='column "day" holds dates; `date` "day" makes features of dates'):
        SparkOnlineClassifier(text=["text"]).fit(frame)
    with pytest.raises(ValueError, match="there are no rows"):
        SparkOnlineClassifier(**SETTINGS).fit(frame.where("false"))
    with pytest.raises(ValueError, match="only one label"):
        SparkOnlineClassifier(**SETTINGS).fit(frame.where("label = 'spam'"))
    with pytest.raises(TypeError, match="labelCol"):
        SparkOnlineClassifier(label_col="x")
    with pytest.raises(TypeError, match="there is no parameter 'txt'"):
        SparkOnlineClassifier(txt="x")
    with pytest.raises(ValueError, match="unknown learner"):
        SparkOnlineClassifier("nothing")
    with pytest.raises(ValueError, match="`ngrams` must be a range"):
        SparkOnlineClassifier(ngrams=(0, 30))


def test_it_is_a_stage_of_a_pipeline_on_vectors(spark, tmp_path):
    numbers = rows(spark, 6_000, 3).withColumn("label", (col("label") == "spam").cast("int"))
    stages = [
        Tokenizer(inputCol="text", outputCol="words"),
        HashingTF(inputCol="words", outputCol="features", numFeatures=1 << 18),
        SparkOnlineClassifier("arow", featuresCol="features"),
    ]
    fitted = Pipeline(stages=stages).fit(numbers)
    fitted.write().overwrite().save(str(tmp_path / "pipeline"))
    scored = PipelineModel.load(str(tmp_path / "pipeline")).transform(numbers)
    assert BinaryClassificationEvaluator().evaluate(scored) > 0.9
    vectors = fitted.transform(numbers).select("features", "label")
    assert fitted.stages[-1].model.to_bytes() == expected(vectors, learner="arow")


def test_labels_that_are_true_or_false(spark):
    truths = rows(spark, 6_000, 3).selectExpr("text", "day", "label = 'spam' as label")
    scored = SparkOnlineClassifier("arow", **SETTINGS).fit(truths).transform(truths)
    assert dict(scored.dtypes)["prediction"] == "boolean"
    assert scored.where("prediction = label").count() > 5_000


def test_an_estimator_is_written_and_read(spark, tmp_path):
    estimator = SparkOnlineClassifier("ssol:lambda=1", ngrams=(1, 2), rounds=5, labelCol="class", **SETTINGS)
    estimator.write().overwrite().save(str(tmp_path / "estimator"))
    read = SparkOnlineClassifier.load(str(tmp_path / "estimator"))
    assert read.settings() == {**estimator.settings(), "ngrams": [1, 2]} and read.getRounds() == 5 and read.getLabelCol() == "class"
    other = read.copy({read.rounds: 2, read.learner: "arow"})
    assert (other.getRounds(), other.settings()["learner"], read.getRounds()) == (2, "arow", 5)


def test_learners_that_do_not_merge_say_why(spark):
    with pytest.raises(ValueError, match="covariance"):
        SparkOnlineClassifier("arow:covariance=full", **SETTINGS).fit(rows(spark, 1_000, 2))


def test_data_that_changes_between_two_readings_is_refused(spark):
    frame = rows(spark, 1_000, 2).where("cast(reflect('java.lang.Math', 'random') as double) < 0.5")
    training = _training.Training(frame, None, {"label_col": "label", "learner": "arow", **SETTINGS})
    with pytest.raises(thalweg.DataError, match="other rows than when they were counted"):
        training.learned(None, 2)
