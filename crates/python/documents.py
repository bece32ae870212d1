"""Writes what is made from the declarations of the learners: `_learners.pyi` for type checkers, docs/python-reference.md for people.

    python crates/python/documents.py [--check]
"""

import inspect
import pathlib
import sys

import thalweg
from thalweg import _learners
from thalweg._estimator import OnlineBase
from thalweg.river import Classifier

HERE = pathlib.Path(__file__).resolve().parent
STUB = HERE / "python" / "thalweg" / "_learners.pyi"
REFERENCE = HERE.parents[1] / "docs" / "python-reference.md"


def stub() -> str:
    """The estimators as type checkers see them."""
    lines = [
        "# Made by documents.py from the declarations of the learners.",
        "from collections.abc import Mapping",
        "from typing import Any, Literal",
        "",
        "import numpy as np",
        "",
        "from ._estimator import OnlineBase",
        "from ._settings import Parameter",
        "",
        f"__all__ = [{', '.join(repr(name).replace(chr(39), chr(34)) for name in _learners.__all__)}]",
        "",
        "LEARNERS: list[dict[str, Any]]",
        "CLASSES: dict[str, type[OnlineBase]]",
        "",
        "def class_name(learner: str) -> str: ...",
        "def _knob(name: str, kind: str, default: str, doc: str) -> Parameter: ...",
    ]
    for name in _learners.__all__:
        cls = getattr(thalweg, name)
        lines += ["", f"class {name}(OnlineBase):"]
        parameters = inspect.signature(cls).parameters.values()
        lines += [f"    {parameter.name}: {parameter.annotation}" for parameter in parameters]
        lines += ["    def __init__(", "        self,"]
        keywords = False
        for parameter in parameters:
            if parameter.kind is parameter.KEYWORD_ONLY and not keywords:
                lines.append("        *,")
                keywords = True
            default = "..." if parameter.default in (float("inf"), float("-inf")) else repr(parameter.default)
            lines.append(f"        {parameter.name}: {parameter.annotation} = {default},")
        lines += ["    ) -> None: ..."]
    return "\n".join(lines) + "\n"


def reference() -> str:
    """All classes and functions with their docstrings."""
    parts = [
        "# Python reference\n",
        "Made from the docstrings by `python crates/python/documents.py`. [The guide](python.md) has examples.\n",
        "## Estimators\n",
        "All estimators have these methods and properties:\n",
    ]
    for name, member in inspect.getmembers(OnlineBase):
        if name.startswith("_") or name not in vars(OnlineBase):
            continue
        parts.append(_member(name, member))
    common = {parameter.name for parameter in _learners.COMMON + _learners.COSTS}
    parts.append("and these parameters, by keyword:\n")
    parts.append(_table(_learners.COSTS + _learners.COMMON))
    parts.append("Learners that take no costs lack the first four, and those that cannot forget `forget`. The single learners, with their knobs:\n")
    for learner in _learners.LEARNERS:
        name = _learners.class_name(learner["name"])
        own = tuple(p for p in getattr(thalweg, name)._parameters if p.name not in common)
        parts.append(f"### {name}\n\n`{learner['name']}`: {learner['when']}. [Its recurrence](learners.md#{learner['name']}).\n")
        parts += [_table(own)] if own else []
    parts.append("## Functions\n")
    for name in ("load", "inspect", "evaluate", "explain", "score_batches", "select", "learners", "sweep", "compare", "reproduce", "exhibits"):
        parts.append(_member(name, getattr(thalweg, name)))
    parts.append("## river\n")
    parts.append(_member("thalweg.river.Classifier", Classifier))
    for name, member in inspect.getmembers(Classifier, inspect.isfunction):
        if not name.startswith("_") and name in vars(Classifier):
            parts.append(_member(name, member))
    parts.append("## Models that merge\n")
    for name in ("merge", "train_shards", "shared", "delta", "merge_deltas", "apply_delta"):
        parts.append(_member(name, getattr(thalweg, name)))
    parts.append("## Plots\n")
    for name in ("plot_progress", "plot_sparsity", "plot_threshold", "plot_weights"):
        parts.append(_member(name, getattr(thalweg, name)))
    return "\n".join(parts)


def _member(name: str, member: object) -> str:
    if isinstance(member, property):
        return f"### {name}\n\n{inspect.getdoc(member)}\n"
    member = getattr(member, "fn", member)  # of available_if
    signature = inspect.signature(member)
    shown = [str(p).split(":")[0].split("=")[0] for p in signature.parameters.values() if p.name != "self"]
    return f"### {name}\n\n```text\n{name}({', '.join(shown)})\n\n{inspect.getdoc(member)}\n```\n"


def _table(parameters: tuple) -> str:
    rows = [f"| `{p.name}` | `{p.default!r}` | {_cell(p.doc)} |" for p in parameters]
    return "\n".join(["| parameter | default | |", "| --- | --- | --- |", *rows]) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def main() -> int:
    outdated = 0
    for path, text in ((STUB, stub()), (REFERENCE, reference())):
        if "--check" in sys.argv:
            if not path.exists() or path.read_text() != text:
                print(f"{path} is out of date: run crates/python/documents.py", file=sys.stderr)
                outdated += 1
        else:
            path.write_text(text)
    return outdated


if __name__ == "__main__":
    sys.exit(main())
