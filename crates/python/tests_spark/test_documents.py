"""The examples of the guide, and types."""

import re
import subprocess
import sys

import pytest

from conftest import ROOT

PACKAGE = ROOT / "crates" / "python" / "python"
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


def test_examples_of_the_guide(spark, tmp_path, monkeypatch):
    """The blocks share their names, and run in a folder of their own beside the bundled data."""
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    document = ROOT / "docs" / "guide" / "spark.md"
    blocks = list(BLOCK.finditer(document.read_text()))
    names = {"__name__": "__main__"}
    assert blocks
    for block in blocks:
        line = document.read_text()[: block.start()].count("\n") + 1
        exec(compile("\n" * line + block["code"], str(document), "exec"), names)  # noqa: S102


def test_types_are_sound():
    pytest.importorskip("mypy")
    pytest.importorskip("pyspark", reason="PySpark is not installed: the types of thalweg.spark are NOT checked")
    command = [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--check-untyped-defs", "-p", "thalweg.spark"]
    done = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_type_checker_knows_the_parameters(tmp_path):
    pytest.importorskip("mypy")
    pytest.importorskip("pyspark", reason="PySpark is not installed: the types of thalweg.spark are NOT checked")
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text("from thalweg.spark import learner\nlearner('folder', 'arow', keep=3, text='text').model().save('x')\n")
    wrong.write_text("from thalweg.spark import learner\nlearner('folder', keep='3')\nlearner()\n")
    check = [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--follow-imports=silent"]
    done = subprocess.run([*check, right], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert subprocess.run([*check, wrong], capture_output=True, text=True).stdout.count("error") >= 2


def test_all_that_is_public_is_documented():
    pytest.importorskip("pyspark", reason="PySpark is not installed: thalweg.spark is NOT tested")
    import thalweg.spark

    for name in thalweg.spark.__all__:
        assert getattr(thalweg.spark, name).__doc__, name
