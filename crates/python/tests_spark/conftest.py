"""What the tests of thalweg.spark share: a small cluster, and partitions with words and numbers."""

import os
import pathlib
import shutil
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def pytest_configure():
    """Nothing here runs without Spark; where it is missing, all tests say so."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


def session(master, **options):
    """A session of Spark without a page of its own."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName("thalweg")
    options = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "4", "spark.ui.showConsoleProgress": "false", **options}
    for name, value in options.items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


@pytest.fixture(scope="session")
def spark():
    """Two workers with a core each, in processes of their own."""
    pytest.importorskip("pyspark", reason="PySpark is not installed: thalweg.spark is NOT tested")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Java 17 is not installed: thalweg.spark is NOT tested")
    made = session("local-cluster[2,1,1024]")
    yield made
    made.stop()


ROWS = 400_000

# Columns that are the same whenever they are computed.
COLUMNS = [
    "id",
    "xxhash64(id, 1) as h",
    "xxhash64(id, 2) as g",
]
MADE = [
    "concat_ws(' ', concat('w', pmod(h, 300)), concat('w', pmod(g, 300)), concat('w', pmod(h, 7))) as text",
    "pmod(g, 1000) / 100.0 as amount",
    "array(cast(pmod(h, 50) as int), cast(50 + pmod(g, 50) as int)) as indices",
    "array(1.0D, 0.5D) as values",
    "date_add(date'2026-01-01', cast(pmod(h, 365) as int)) as day",
    "if(pmod(h, 300) + pmod(g, 300) + 20 * pmod(h, 7) < 280, 'spam', 'ham') as label",
]
SETTINGS = {"text": ["text"], "date": ["day"]}


def rows(spark, count=ROWS, partitions=4):
    """Rows with a column of every kind."""
    return spark.range(0, count, 1, partitions).selectExpr(*COLUMNS).selectExpr("id", *MADE)


def partitions(frame, rounds):
    """The rows of every partition that has some, cut into one part for each round: what train_shards learns from."""
    from pyspark.sql.functions import spark_partition_id

    table = frame.withColumn("partition", spark_partition_id()).toArrow()
    numbers = sorted(set(table["partition"].to_pylist()))
    shards = []
    for number in numbers:
        import pyarrow.compute

        part = table.filter(pyarrow.compute.equal(table["partition"], number)).drop_columns("partition")
        ends = [part.num_rows * round // rounds for round in range(rounds + 1)]
        shards.append([part.slice(begin, end - begin) for begin, end in zip(ends, ends[1:])])
    return shards
