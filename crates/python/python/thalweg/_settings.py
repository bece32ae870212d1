"""What every estimator can be told besides the knobs of its learner, and how that is said to the library."""

from __future__ import annotations

import json
import logging
import math
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

import numpy as np

from . import _native


class Parameter(NamedTuple):
    """A parameter of an estimator, declared once: signatures, docstrings and stubs are made from it."""

    name: str
    default: Any
    annotation: str
    doc: str


COSTS = (
    Parameter(
        "class_weight",
        None,
        "Mapping[Any, float] | Literal['balanced'] | None",
        "What an error on an example of a class costs: {class: weight}. 'balanced' follows the class ratio of the stream, also in partial_fit.",
    ),
    Parameter("cost_fn", None, "float | None", "The cost of a missed positive (of two classes, classes_[1] is positive)."),
    Parameter("cost_fp", None, "float | None", "The cost of a false alarm."),
    Parameter(
        "balance_half_life",
        None,
        "float | None",
        "After how many examples one counts half in the class ratio that 'balanced' follows. By default all count alike.",
    ),
)

COMMON = (
    Parameter(
        "multiclass",
        None,
        "Literal['any', 'hinge', 'ovr'] | None",
        "How more than two classes are learned: 'hinge' (the true class must beat its strongest rival), 'ovr' (each against all others), or 'any', the default: "
        "hinge where the learner can. Files have two classes unless it is set.",
    ),
    Parameter("threshold", None, "float | None", "Two classes: scores above this are positive. The default is 0."),
    Parameter(
        "target",
        None,
        "str | None",
        "Two classes: move the threshold so that this holds on the stream, such as 'recall>=0.9', 'precision>=0.8', 'alerts<=200/100000', 'f1' or 'cost'.",
    ),
    Parameter("probabilities", False, "bool", "Calibrate probabilities while learning. predict_proba needs it."),
    Parameter("forget", None, "float | None", "After how many examples what was learned counts half, for streams that change."),
    Parameter(
        "scale",
        None,
        "Literal['none', 'typical', 'max', 'deviation', 'rms'] | None",
        "Divide every value by what is known of its feature so far. The default is what the learner wants.",
    ),
    Parameter(
        "normalize",
        None,
        "Literal['none', 'count', 'l2', 'l1', 'max'] | None",
        "Divide every example by its length. The default is what the learner wants.",
    ),
    Parameter("fit_intercept", True, "bool", "Learn a bias: the weight of a constant feature."),
    Parameter("n_iter", 1, "int", "How often fit goes through the data. partial_fit always does once."),
    Parameter("shuffle", True, "bool", "fit visits the examples in random order, a new one each time it goes through them. partial_fit keeps their order."),
    Parameter("random_state", None, "int | np.random.RandomState | None", "The seed of these orders."),
)

# Words of the library for what is called otherwise here.
SPELLING = {
    "`bias`": "`fit_intercept`",
    "`seed`": "`random_state`",
    "`balanced`": "`class_weight='balanced'`",
    "expected u32": "expected a whole number",
    "expected u64": "expected a whole number",
    "expected a sequence": "expected a list",
}


class ThalwegWarning(UserWarning):
    """Something in the data, or in what was asked for, that deserves a look."""


def spelled(words: str) -> str:
    """A message of the library, with settings named as they are here."""
    for ours, theirs in SPELLING.items():
        words = words.replace(ours, theirs)
    return words


@contextmanager
def words():
    """Errors from within, with settings named as they are here."""
    try:
        yield
    except ValueError as error:
        if error.args and isinstance(error.args[0], str):
            error.args = (spelled(error.args[0]), *error.args[1:])
        raise


def spec(learner: str, knobs: Mapping[str, Any]) -> str:
    """A learner as one would type it."""
    typed = ",".join(f"{name}={_typed(value)}" for name, value in knobs.items())
    return f"{learner}:{typed}" if typed else learner


def _typed(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return str(value).lower()
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    return repr(float(value))


def to_json(settings: Mapping[str, Any]) -> str:
    """A configuration for the library, without what is not set."""
    plain = {name: _plain(value) for name, value in settings.items() if value is not None}
    for name, value in plain.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{name} must be a finite number, got {value}")
    return json.dumps(plain, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if hasattr(value, "__fspath__"):
        return value.__fspath__()
    return value


# Settings of how records are read, which are passed on as they are.
READING = tuple(
    field
    for field in _native.CONFIG_FIELDS
    if field
    not in {
        *("learner", "multiclass", "labels", "positive", "cost_fn", "cost_fp", "balanced", "balance_half_life"),
        *("class_weight", "forget", "threshold", "target", "probabilities", "scale", "normalize", "bias"),
        *("shuffle", "seed", "passes", "confidence"),
    }
)

# Columns of tables without a header are called 1, 2, 3 ..., which may be said as numbers.
COLUMNS = ("label_col", "importance_col", "cost_col", "id_col", "ignore", "category", "date", "text", "url")

LISTS = ("labels", "class_weight", "metrics", "ignore", "category", "date", "text", "url", "interact")


def reading(options: Mapping[str, Any], allowed: Sequence[str] = tuple(_native.CONFIG_FIELDS)) -> dict[str, Any]:
    """Settings that were given as keywords. A single word stands for a list of one."""
    settings = {}
    for name, value in options.items():
        if name not in allowed:
            raise TypeError(f"there is no setting {name!r} here; the settings are {', '.join(allowed)}")
        if name in COLUMNS:
            value = [_column(one) for one in value] if isinstance(value, (list, tuple)) else _column(value)
        if name in LISTS and isinstance(value, str):
            value = [value]
        settings[name] = value
    return settings


def _column(value: Any) -> Any:
    is_number = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return str(value) if is_number else value


@contextmanager
def watching(
    progress: bool = False, callback: Callable[[dict[str, Any]], Any] | None = None, inputs: Sequence[Any] = ()
) -> Iterator[Callable[[str, Any], None]]:
    """What the library tells during a run, for Python: warnings, logging, a progress bar, and a callback."""
    logger = logging.getLogger("thalweg")
    with _bar(inputs) if progress else nullcontext() as bar:

        def tell(kind: str, value: Any) -> None:
            if kind == "warning":
                warnings.warn(spelled(value), ThalwegWarning, stacklevel=4)
            elif kind == "bad_line":
                logger.warning("%s", value)
            elif kind == "progress":
                line = json.loads(value)
                logger.info("%(examples)d examples, error %(error).4f, %(nonzeros)d weights", line)
                if bar is not None:
                    bar.set_postfix(error=f"{line['error']:.4f}", weights=line["nonzeros"])
                if callback is not None:
                    callback(line)
            elif kind == "bytes" and bar is not None:
                bar.update(value - bar.n)

        yield tell
        if bar is not None:
            bar.update((bar.total or bar.n) - bar.n)


def _bar(inputs: Sequence[Any]) -> Any:
    """A bar of the bytes that were read, of all if these are files."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError("progress bars need tqdm: pip install tqdm") from None
    files = [one for one in inputs if isinstance(one, (str, os.PathLike)) and os.path.isfile(one)]
    total = sum(os.path.getsize(file) for file in files) if len(files) == len(inputs) else None
    return tqdm(total=total, unit="B", unit_scale=True, desc="thalweg")
