"""Thalweg inside Apache Spark: an estimator for pipelines, and a learner for streams.

``SparkOnlineClassifier(...).fit(df)`` trains on the partitions of a data frame and merges what they learned; the model's ``transform`` scores. It follows
the conventions of ``pyspark.ml``. ``df.writeStream.foreachBatch(thalweg.spark.learner(path, ...))`` learns from a stream, each row exactly once.
"""

import os
import shutil
import sys
import warnings

from .._settings import ThalwegWarning

_NEEDED = "pip install 'thalweg[spark]'"

try:
    import pyspark
except ImportError:
    raise ImportError(f"thalweg.spark needs PySpark 4.1 or later, and Java 17 or later: {_NEEDED}, and for example apt-get install openjdk-17-jre-headless") from None

if tuple(int(part) for part in pyspark.__version__.split(".")[:2]) < (4, 1):
    raise ImportError(f"thalweg.spark needs PySpark 4.1 or later, and this is {pyspark.__version__}: {_NEEDED}")
try:
    import pandas  # noqa: F401
    import pyarrow  # noqa: F401
except ImportError as missing:
    raise ImportError(f"PySpark needs {missing.name} to hand over columns: {_NEEDED}") from None


def _java_is_missing() -> bool:
    """Whoever begins a session of his own needs Java; a worker of Spark has one, and a client of another machine needs none."""
    is_worker = "pyspark.worker" in sys.modules
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java") or (home and shutil.which("java", path=os.path.join(home, "bin")))
    return not (is_worker or found or os.environ.get("SPARK_REMOTE"))


if _java_is_missing():
    warnings.warn(
        "there is no Java, which a session of Spark on this machine needs: install Java 17 or later (for example apt-get install openjdk-17-jre-headless), or set JAVA_HOME",
        ThalwegWarning,
        stacklevel=2,
    )

from ._estimator import SparkOnlineClassifier, SparkOnlineModel  # noqa: E402
from ._streaming import EpochLearner, learner  # noqa: E402

__all__ = ["EpochLearner", "SparkOnlineClassifier", "SparkOnlineModel", "learner"]
