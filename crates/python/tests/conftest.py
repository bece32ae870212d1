"""What the tests share."""

import os
import pathlib
import signal
import subprocess

import numpy as np
import pytest
from scipy import sparse

ROOT = pathlib.Path(__file__).resolve().parents[3]
SMS = ROOT / "data" / "smsspam.train.tsv.zst"
SMS_TEST = ROOT / "data" / "smsspam.test.tsv.zst"

# A shell ignores Ctrl-C for what it starts in the background, and so would the tests that send it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def command_line():
    """Runs the command line program."""
    program = pathlib.Path(os.environ.get("THALWEG", ROOT / "target" / "debug" / "thalweg"))
    if not program.exists():
        pytest.skip(f"{program} is not built: nothing is compared with the command line")

    def run(*arguments, **options):
        command = [str(program), *map(str, arguments)]
        return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout

    return run


@pytest.fixture(scope="session")
def words():
    """Sparse examples with rare features, as texts are, and their classes."""
    random = np.random.default_rng(0)
    rows, features = 2000, 5000
    weights = random.standard_normal(features) * (random.random(features) < 0.1)
    X = sparse.random(rows, features, density=0.01, format="csr", random_state=1, dtype=np.float32)
    y = np.where(X @ weights + 0.1 * random.standard_normal(rows) > 0.3, "spam", "ham")
    return X, y
