"""Stubs, the reference, and the examples of the documentation."""

import doctest
import json
import pathlib
import re
import subprocess
import sys

import pytest

import thalweg
from conftest import ROOT

HERE = pathlib.Path(__file__).resolve().parents[1]


def test_stubs_and_reference_are_up_to_date():
    subprocess.run([sys.executable, HERE / "documents.py", "--check"], check=True)


def test_stubs_say_what_is_there():
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy.stubtest", "thalweg._native", "thalweg._learners", "--ignore-missing-stub", "--allowlist", HERE / "tests" / "stubtest.txt"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_type_checker_knows_the_parameters(tmp_path):
    pytest.importorskip("mypy")
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text("import thalweg\nthalweg.SSOLClassifier(eta=1.0, class_weight='balanced').partial_fit([[1]], [1])\nthalweg.load('x').save('y')\n")
    wrong.write_text("import thalweg\nthalweg.SSOLClassifier(etta=1.0)\nthalweg.ARROWClassifier()\n")
    check = [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--follow-imports=silent"]
    done = subprocess.run([*check, right], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    found = subprocess.run([*check, wrong], capture_output=True, text=True).stdout
    assert "etta" in found and "ARROWClassifier" in found


def test_docstrings_of_the_package():
    import thalweg.river

    for module in (thalweg, thalweg.river):
        assert doctest.testmod(module).failed == 0


# Blocks of one document share their names, and run in a folder of their own beside the bundled data.
BLOCK = re.compile(r"^```python(?P<how>[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("document", ["docs/python.md", "crates/python/README.md"])
def test_examples_of_the_documents(document, tmp_path, monkeypatch):
    for library in ("polars", "duckdb", "river", "pandas"):
        pytest.importorskip(library)
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    text, names = (ROOT / document).read_text(), {"__name__": "__main__"}
    blocks = list(BLOCK.finditer(text))
    assert blocks
    for block in blocks:
        if block["how"].startswith(",ignore"):
            assert len(block["how"]) > len(",ignore "), "an example that cannot run says why"
            continue
        line = text[: block.start()].count("\n") + 1
        code = "\n" * line + block["code"]
        exec(compile(code, document, "exec"), names)  # noqa: S102


def test_the_file_of_the_build_service_is_sound():
    yaml = pytest.importorskip("yaml")
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "wheels.yml").read_text())["jobs"]
    systems = {entry["os"].split("-")[0] for entry in jobs["wheel"]["strategy"]["matrix"]["include"]}
    assert systems == {"ubuntu", "macos", "windows"}
    for job in jobs.values():
        assert all(step.get("uses") or step.get("run") for step in job["steps"])
        used = set(re.findall(r"matrix\.(\w+)", json.dumps(job)))
        for entry in job.get("strategy", {}).get("matrix", {}).get("include", []):
            assert used == set(entry)
    made = {f"{entry['target']}-{entry['python']}" for entry in jobs["wheel"]["strategy"]["matrix"]["include"]}
    assert {entry["wheel"] for entry in jobs["try"]["strategy"]["matrix"]["include"]} <= made
