"""What Spark costs, and from where on it pays: seconds to start, to train and to score, beside one process that reads the same Parquet files.

    target/spark/bin/python benches/spark.py [ROWS ...]

Two workers with a core each on this machine (`local-cluster[2,1,1024]`). Prints a table for docs/guide/spark.md.
"""

import os
import pathlib
import sys
import tempfile
import time

import thalweg

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "crates" / "python" / "tests_spark"))
os.environ["PYSPARK_PYTHON"] = sys.executable

from conftest import SETTINGS, rows, session  # noqa: E402

WORKERS = 2


def seconds(work):
    """How long it takes, and what comes of it."""
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


def main():
    counts = [int(count) for count in sys.argv[1:]] or [100_000, 400_000, 1_600_000]
    start, spark = seconds(lambda: session(f"local-cluster[{WORKERS},1,1024]"))
    from thalweg.spark import SparkOnlineClassifier

    print(f"load {os.getloadavg()[0]:.1f}; start of the session {start:.1f} s")
    print("| rows | Parquet | fit, 3 rounds | fit, 1 round | transform | one process: learn | one process: score |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for count in counts:
            path = f"{folder}/{count}"
            rows(spark, count, 2 * WORKERS).drop("id").write.parquet(path)
            files = sorted(pathlib.Path(path).glob("*.parquet"))
            megabytes = sum(file.stat().st_size for file in files) / 1e6
            frame = spark.read.parquet(path)
            if count == counts[0]:
                print(f"| (first of all) | | {seconds(lambda: SparkOnlineClassifier(**SETTINGS).fit(frame))[0]:.1f} s | | | | |")
            best = [min(seconds(work)[0] for _ in range(2)) for work in training(frame, files)]
            model = SparkOnlineClassifier(rounds=1, **SETTINGS).fit(frame)
            alone = model.model
            work = [
                lambda: model.transform(frame).write.format("noop").mode("overwrite").save(),
                lambda: alone.predict_file(files),
            ]
            scored = [min(seconds(one)[0] for _ in range(2)) for one in work]
            three, one, learned = best
            print(f"| {count:,} | {megabytes:.0f} MB | {three:.1f} s | {one:.1f} s | {scored[0]:.1f} s | {learned:.2f} s | {scored[1]:.2f} s |", flush=True)
    print(f"load {os.getloadavg()[0]:.1f}")
    spark.stop()


def training(frame, files):
    """What is compared."""
    from thalweg.spark import SparkOnlineClassifier

    return [
        lambda: SparkOnlineClassifier(rounds=3, **SETTINGS).fit(frame),
        lambda: SparkOnlineClassifier(rounds=1, **SETTINGS).fit(frame),
        lambda: thalweg.OnlineClassifier(fit_intercept=True).learn_file(files, **SETTINGS),
    ]


if __name__ == "__main__":
    main()
