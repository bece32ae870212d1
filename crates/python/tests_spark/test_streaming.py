"""Structured Streaming: every row once, whatever dies."""

import pathlib
import signal
import subprocess
import sys

import pytest

import crash
import thalweg
from conftest import SETTINGS, rows

pytest.importorskip("pyspark", reason="PySpark is not installed: thalweg.spark is NOT tested")

from thalweg.spark import learner  # noqa: E402

HERE = pathlib.Path(__file__).parent
ROWS = 100_000
# Three epochs of 15,000 rows are learned on the driver, and one of 55,000 by its partitions.
ENDS = [0, 15_000, 30_000, 85_000, ROWS]


def test_rows_count_once_when_the_driver_dies_between_the_model_and_the_commit(spark, tmp_path):
    data = tmp_path / "data"
    frame = rows(spark, ROWS, 1).drop("indices", "values")
    for begin, end in zip(ENDS, ENDS[1:]):
        frame.where(f"id >= {begin} and id < {end}").drop("id").write.mode("append").parquet(str(data))

    def run(*fatal):
        folders = [str(tmp_path / name) for name in ("data", "models", "models.checkpoint")]
        command = [sys.executable, "crash.py", *folders, *fatal]
        return subprocess.run(command, cwd=HERE, capture_output=True, text=True, timeout=300)

    died = run("1")
    assert died.returncode == -signal.SIGKILL, died.stderr[-2000:]
    commits = tmp_path / "models.checkpoint" / "commits"
    assert sorted(path.name for path in commits.iterdir() if path.name.isdigit()) == ["0"], "epoch 1 must not be committed"
    assert (tmp_path / "models" / "epoch-1.thw").exists()
    again = run()
    assert again.returncode == 0, again.stderr[-2000:]
    stream = crash.stream_of(spark, str(data))
    undisturbed = crash.learner_at(tmp_path / "undisturbed")
    crash.run(stream, undisturbed, tmp_path / "undisturbed.checkpoint")
    disturbed = thalweg.load(tmp_path / "models" / "epoch-3.thw")
    assert undisturbed.last()[0] == 3 and disturbed.to_bytes() == undisturbed.model().to_bytes()
    counted = thalweg.inspect(disturbed)["state"]["counts"]["examples"]
    assert counted == ROWS


def test_epochs_that_were_learned_from_are_skipped(spark, tmp_path):
    frame = rows(spark, 3_000, 2).drop("id")
    learn = learner(tmp_path / "models", "arow", labels=["ham", "spam"], keep=2, **SETTINGS)
    for epoch in (0, 1, 1, 0, 2):
        learn(frame.where(f"pmod(hash(text), 3) = {epoch}"), epoch)
    assert sorted(path.name for path in (tmp_path / "models").iterdir()) == ["epoch-1.thw", "epoch-2.thw"]
    alone = thalweg.AROWClassifier(fit_intercept=False)
    for epoch in range(3):
        alone.learn_file(frame.where(f"pmod(hash(text), 3) = {epoch}").toArrow(), **SETTINGS, **({"labels": ["ham", "spam"]} if epoch == 0 else {}))
    assert learn.model().to_bytes() == alone.to_bytes()
    # Nothing was in this epoch.
    learn(frame.where("false"), 3)
    assert learn.last()[0] == 2
    # Another learner goes on where this one stopped.
    learner(tmp_path / "models", "arow", labels=["ham", "spam"], **SETTINGS)(frame, 4)
    assert learn.last()[0] == 4
    begun = learner(tmp_path / "others", start=tmp_path / "models" / "epoch-4.thw", text=["text"], date=["day"])
    begun(frame, 0)
    assert begun.last()[0] == 0


def test_an_epoch_that_fails_leaves_the_model_as_it_was(spark, tmp_path):
    frame = rows(spark, 1_000, 2).drop("id")
    learn = learner(tmp_path / "models", "arow", labels=["ham", "spam"], strict=True, **SETTINGS)
    learn(frame, 0)
    before = learn.model().to_bytes()
    with pytest.raises(thalweg.DataError, match="epoch 1:"):
        learn(frame.withColumn("amount", frame.amount * float("inf")), 1)
    assert learn.last()[0] == 0 and learn.model().to_bytes() == before


def test_a_folder_belongs_to_one_query(spark, tmp_path):
    rows(spark, 1_000, 1).drop("id").write.parquet(str(tmp_path / "data"))
    stream = spark.readStream.schema(spark.read.parquet(str(tmp_path / "data")).schema).parquet(str(tmp_path / "data"))
    learn = learner(tmp_path / "models", "arow", labels=["ham", "spam"], **SETTINGS)

    def run(checkpoint):
        options = {"checkpointLocation": str(tmp_path / checkpoint)}
        stream.writeStream.foreachBatch(learn).options(**options).trigger(availableNow=True).start().awaitTermination()

    run("one")
    assert learn.last()[0] == 0
    run("one")
    with pytest.raises(Exception, match="belongs to another query"):
        run("two")


def test_labels_must_be_known_before_a_stream_begins(tmp_path):
    with pytest.raises(ValueError, match="which of two labels is positive"):
        learner(tmp_path / "models", "arow")
    with pytest.raises(ValueError, match="keep must be at least 1"):
        learner(tmp_path / "models", "arow", positive="spam", keep=0)
