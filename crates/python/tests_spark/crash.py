"""Learns from a stream of files, and dies after the model of an epoch was written and before Spark notes that the epoch is done.

    python crash.py DATA MODELS CHECKPOINT [EPOCH]
"""

import os
import signal
import sys

from conftest import SETTINGS, session


def learner_at(folder):
    """Large epochs are learned by their partitions."""
    from thalweg.spark import learner

    return learner(folder, labels=["ham", "spam"], shards_from=30_000, rounds=2, **SETTINGS)


def stream_of(spark, data):
    """A file is an epoch."""
    schema = spark.read.parquet(data).schema
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(data)


def run(stream, epoch, checkpoint):
    """Goes through all files that are there."""
    query = stream.writeStream.foreachBatch(epoch).option("checkpointLocation", str(checkpoint)).trigger(availableNow=True).start()
    query.awaitTermination()


if __name__ == "__main__":
    data, models, checkpoint, *fatal = sys.argv[1:]
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = session("local[2]")
    learn = learner_at(models)

    def epoch(batch, number):
        learn(batch, number)
        if fatal and number == int(fatal[0]):
            # The machine that the driver runs on is gone, with everything in memory.
            machine = spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()
            os.kill(machine, signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)

    run(stream_of(spark, data), epoch, checkpoint)
    spark.stop()
