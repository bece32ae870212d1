"""Files larger than memory, learned from in processes that may not have more."""

import subprocess
import sys

import pytest

resource = pytest.importorskip("resource")

# So much more may be taken than what is there when the package is imported; the file is twice as large.
ALLOWED = 48 << 20

CHILD = f"""
import resource, sys
from itertools import islice
import numpy as np
from scipy import sparse
import thalweg
from sklearn.feature_extraction import FeatureHasher

path, way = sys.argv[1:]
model = thalweg.AROWClassifier()
warm = FeatureHasher(2**12, input_type="string").transform([["a"], ["b"]])
thalweg.AROWClassifier().partial_fit(warm, [0, 1], classes=[0, 1])
# What is written, whatever addresses are reserved.
taken = next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmData"))
resource.setrlimit(resource.RLIMIT_DATA, (taken + {ALLOWED}, -1))
if way == "whole":
    try:
        content = open(path, "rb").read()
    except MemoryError:
        sys.exit(7)
elif way == "file":
    model.learn_file(path, threads=1)
else:
    hasher = FeatureHasher(2**12, input_type="pair")
    with open(path) as file:
        while chunk := list(islice(file, 1000)):
            split = [line.split() for line in chunk]
            X = hasher.transform([[(name, float(value)) for name, value in (pair.split(":") for pair in row[1:])] for row in split])
            model.partial_fit(X, np.array([int(row[0]) for row in split]), classes=[-1, 1])
print(model.report()["examples"])
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A file of 96 MiB with few rows: what takes time is a row, what takes memory is a byte."""
    path = tmp_path_factory.mktemp("large") / "large.svm"
    row = " ".join(f"{i}:0.{'1234567890' * 12}" for i in range(1, 51))
    block = f"1 {row}\n-1 {row}\n" * 100
    with open(path, "w") as file:
        for _ in range(2 * ALLOWED // len(block) + 1):
            file.write(block)
    return path


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is that of Linux")
@pytest.mark.parametrize(("way", "ends_with"), [("file", 0), ("chunks", 0), ("whole", 7)])
def test_files_larger_than_memory(large, way, ends_with):
    done = subprocess.run([sys.executable, "-c", CHILD, str(large), way], capture_output=True, text=True)
    assert done.returncode == ends_with, done.stderr
    assert way == "whole" or int(done.stdout) > 10_000
