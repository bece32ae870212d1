"""One estimator for each learner, made from the declaration that the command line is made from."""

from __future__ import annotations

import inspect
from typing import Any

from . import _native, _settings
from ._estimator import OnlineBase
from ._settings import COMMON, COSTS, Parameter

LEARNERS: list[dict[str, Any]] = _native.learners()

# Parts of names that are words. All others are abbreviations.
_WORDS = {"perceptron", "auto", "ada", "cumulative"}


def class_name(learner: str) -> str:
    """The class of a learner: ssol is SSOLClassifier, ada-rda is AdaRDAClassifier."""
    parts = (part.capitalize() if part in _WORDS else part.upper() for part in learner.split("-"))
    return "".join(parts) + "Classifier"


def _keyword(knob: str) -> str:
    return "lambda_" if knob == "lambda" else knob


# Kinds of knobs that are numbers here. All other kinds are the words that a knob takes, separated by bars.
_NUMBERS = {"number": "float", "probability": "float", "whole number": "int"}


def _knob(name: str, kind: str, default: str, doc: str) -> Parameter:
    choices = kind.split("|")
    numbers = [_NUMBERS[choice] for choice in choices if choice in _NUMBERS]
    words = [choice for choice in choices if choice not in _NUMBERS]
    value: Any = default if default in words else (int if numbers == ["int"] else float)(default)
    literal = [f"Literal[{', '.join(map(repr, words))}]"] if words else []
    return Parameter(name, value, " | ".join(literal + numbers), doc)


def _signature(parameters: tuple[Parameter, ...], positional: int) -> inspect.Signature:
    kinds = inspect.Parameter
    first = [kinds("self", kinds.POSITIONAL_OR_KEYWORD)]
    for place, parameter in enumerate(parameters):
        kind = kinds.POSITIONAL_OR_KEYWORD if place < positional else kinds.KEYWORD_ONLY
        first.append(kinds(parameter.name, kind, default=parameter.default, annotation=parameter.annotation))
    return inspect.Signature(first)


def _initializer(signature: inspect.Signature) -> Any:
    def __init__(self, *args, **kwargs):
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        for name, value in list(bound.arguments.items())[1:]:
            setattr(self, name, value)

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__


def _described(parameters: tuple[Parameter, ...]) -> str:
    lines = []
    for parameter in parameters:
        lines += [f"{parameter.name} : {parameter.annotation}, default={parameter.default!r}", f"    {parameter.doc}"]
    return "\n".join(lines)


def _document(summary: str, parameters: tuple[Parameter, ...], notes: str) -> str:
    attributes = """classes_ : ndarray
    The classes; of two, the second is the positive one.
coef_ : ndarray or sparse matrix
    The weights of features.
intercept_ : ndarray
    The weight of the bias, less the threshold.
threshold_ : float
    The threshold of two classes.
n_features_in_ : int
    The number of features.
feature_names_in_ : ndarray
    Their names, if the data had them."""
    parts = (("Parameters", _described(parameters)), ("Attributes", attributes), ("Notes", notes))
    sections = "\n\n".join(f"{title}\n{'-' * len(title)}\n{text}" for title, text in parts)
    return f"{summary.strip()}\n\n{sections}\n"


def _make(learner: dict[str, Any]) -> type[OnlineBase]:
    knobs = tuple(_knob(_keyword(name), kind, default, doc) for name, kind, default, doc in learner["knobs"])
    common = (*(COSTS if learner["takes_costs"] else ()), *COMMON)
    if not learner["forgets"]:
        common = tuple(parameter for parameter in common if parameter.name != "forget")
    parameters = (*knobs, *common)
    names = tuple((name, _keyword(name)) for name, _, _, _ in learner["knobs"])
    typed = learner["name"]

    def _spec(self) -> str:
        return _settings.spec(typed, {knob: getattr(self, attribute) for knob, attribute in names})

    paragraphs = learner["doc"].strip("\n").split("\n\n")
    summary = "\n".join(line.strip() for line in paragraphs[0].splitlines())
    rest = "\n\n".join("\n".join(line.removeprefix(" ") for line in part.splitlines()) for part in paragraphs[1:])
    notes = f"{rest}\n\nWhen to use it: {learner['when']}.\n\nCosts: {learner['costs']}.\n\n{learner['paper']}."
    body = {
        "__doc__": _document(summary, parameters, notes),
        "__module__": "thalweg",
        "__init__": _initializer(_signature(parameters, len(knobs))),
        "_spec": _spec,
        "_parameters": parameters,
        "_learner": typed,
    }
    return type(class_name(typed), (OnlineBase,), body)


_ONLINE = (
    Parameter("learner", _native.DEFAULT_LEARNER, "str", "The learner and its knobs, name:knob=value,... as on the command line."),
    *COSTS,
    *COMMON,
)


class OnlineClassifier(OnlineBase):
    __doc__ = _document(
        "Any learner, by its name: ``OnlineClassifier('ssol:eta=1,lambda=0.3')``.",
        _ONLINE,
        "The class of a single learner, such as ``thalweg.SSOLClassifier``, has its knobs as parameters.",
    )
    __module__ = "thalweg"
    __init__ = _initializer(_signature(_ONLINE, 1))
    _parameters = _ONLINE

    def _spec(self) -> str:
        return self.learner


CLASSES: dict[str, type[OnlineBase]] = {class_name(learner["name"]): _make(learner) for learner in LEARNERS}
globals().update(CLASSES)
__all__ = ["OnlineClassifier", *CLASSES]
