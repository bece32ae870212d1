"""Experiments: sweeps, comparisons, and what the papers published."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _native, _settings
from ._examples import to_inputs
from ._learners import OnlineClassifier
from ._models import load


def _range(knob: str, settings: Any) -> str:
    knob = "lambda" if knob == "lambda_" else knob
    if isinstance(settings, str):
        return f"{knob}={settings}"
    return f"{knob}={','.join(_settings._typed(value) for value in settings)}"


def _frame(rows: list[dict[str, Any]]) -> Any:
    try:
        import pandas
    except ImportError:
        raise ImportError("data frames need pandas: pip install pandas") from None
    return pandas.DataFrame(rows)


@dataclass(frozen=True)
class Sweep:
    """What a sweep found."""

    report: dict[str, Any]
    """The whole report."""
    best: OnlineClassifier
    """The best candidate with all that it has learned."""

    @property
    def candidates(self) -> list[dict[str, Any]]:
        """The candidates, the best first."""
        return self.report["candidates"]

    def to_frame(self) -> Any:
        """The candidates as a data frame of pandas."""
        return _frame(self.candidates)


@dataclass(frozen=True)
class Comparison:
    """How learners compare."""

    outcome: dict[str, Any]
    """The whole outcome."""
    table: str
    """A table to print."""
    rows: list[dict[str, str]]
    """All settings of all learners."""

    def to_frame(self) -> Any:
        """All settings of all learners as a data frame of pandas."""
        return _frame(self.rows).apply(_numbers)

    def __str__(self) -> str:
        return self.table


def _numbers(column: Any) -> Any:
    try:
        return column.replace("", float("nan")).astype(float)
    except ValueError:
        return column


def sweep(
    data: Any,
    learners: str | Sequence[str] = _native.DEFAULT_LEARNER,
    *,
    grid: Mapping[str, Any] | None = None,
    folds: int | None = None,
    holdout: float | None = None,
    objective: str | None = None,
    race: float | None = None,
    progress: bool = False,
    callback: Any = None,
    **settings: Any,
) -> Sweep:
    """Tries many settings in one reading of the data.

    The grid has ranges of knobs: ``{"lambda_": "1e-3..1:7", "eta": [1, 4]}``. Settings are those of reading, costs and preparation.
    """
    learners = [learners] if isinstance(learners, str) else list(learners)
    ranges = [_range(knob, values) for knob, values in (grid or {}).items()]
    inputs = to_inputs(data)
    with _settings.words(), _settings.watching(progress, callback, inputs) as tell:
        given = _settings.to_json(_settings.reading(settings))
        report, model = _native.sweep(inputs, given, learners, ranges, folds, holdout, objective, race, tell)
    return Sweep(json.loads(report), load(model))


def compare(
    data: Any,
    learners: str | Sequence[str],
    *,
    path: Mapping[str, Any] | None = None,
    points: int = 9,
    repeat: int = 10,
    seed: int = 0,
    test: Any = None,
    jobs: int | None = None,
    **settings: Any,
) -> Comparison:
    """Compares learners over penalties and random orders of the data."""
    learners = [learners] if isinstance(learners, str) else list(learners)
    ranges = [_range(knob, values) for knob, values in (path or {}).items()]
    with _settings.words():
        given = _settings.to_json(_settings.reading(settings))
        tests = None if test is None else to_inputs(test)
        outcome, table, text = _native.compare(to_inputs(data), given, learners, ranges, points, repeat, seed, tests, jobs)
    return Comparison(json.loads(outcome), table, list(csv.DictReader(io.StringIO(text))))


def exhibits() -> list[dict[str, str]]:
    """The tables and figures of papers that reproduce() can run."""
    return [{"name": name, "paper": paper, "title": title} for name, paper, title in _native.exhibits()]


def reproduce(
    names: str | Sequence[str],
    *,
    data: Any = None,
    work: Any = "reproduction",
    repeat: int | None = None,
    threads: int | None = None,
) -> list[dict[str, Any]]:
    """Runs the experiments of papers, ours beside the published numbers. What was run before is kept in the folder ``work``."""
    names = [names] if isinstance(names, str) else list(names)
    outcome, _ = _native.reproduce(names, data, work, repeat, threads)
    return json.loads(outcome)
