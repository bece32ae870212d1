"""What is done with models besides learning, as functions."""

from __future__ import annotations

import json
from typing import Any

from . import _native, _settings
from ._estimator import OnlineBase, stream_of
from ._examples import to_inputs
from ._learners import LEARNERS, OnlineClassifier


def learners() -> list[dict[str, Any]]:
    """All learners: name, family, paper, when to use it, documentation and knobs."""
    knobs = ("name", "kind", "default", "doc")
    return [{**learner, "knobs": [dict(zip(knobs, knob)) for knob in learner["knobs"]]} for learner in LEARNERS]


def load(source: Any) -> OnlineClassifier:
    """Reads a model file, or its bytes: one of ``thalweg train``, or of ``save``.

    Classes that are all numbers are numbers here. Learning goes on where it stopped.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        content, name = bytes(source), "the bytes"
    else:
        with open(source, "rb") as file:
            content, name = file.read(), str(source)
    try:
        stream = _native.Stream.from_bytes(content)
    except _native.ModelError as error:
        raise _native.ModelError(f"{name}: {error}") from None
    known = json.loads(stream.config())
    parameters = {name: known[name] for name in ("cost_fn", "cost_fp", "forget", "threshold", "target", "balance_half_life") if known.get(name)}
    parameters = {name: value for name, value in parameters.items() if not (name in ("cost_fn", "cost_fp") and value == 1.0)}
    if known.get("balanced"):
        parameters["class_weight"] = "balanced"
    model = OnlineClassifier(
        known["learner"],
        probabilities=bool(known.get("probabilities")),
        fit_intercept=bool(known.get("bias")),
        multiclass=known.get("multiclass"),
        scale=known.get("scale"),
        normalize=known.get("normalize"),
        **parameters,
    )
    model._take(stream)
    return model


def inspect(model: OnlineBase, top: int | None = None) -> dict[str, Any]:
    """What a model knows: its header (learner, options, labels), its configuration, and its weights, the largest first."""
    stream = stream_of(model)
    header = json.loads(stream.header())
    return {**header, "config": json.loads(stream.config()), "weights": model.weights(top)}


def evaluate(model: OnlineBase, data: Any, **settings: Any) -> dict[str, Any]:
    """Measures a model on labelled files, tables or records. Settings are those of reading and measuring, such as metrics or curves."""
    with _settings.words(), _settings.watching() as tell:
        given = _settings.to_json(_settings.reading(settings))
        return json.loads(_native.evaluate(stream_of(model), to_inputs(data), given, tell))


def explain(model: OnlineBase, data: Any, *, of_class: str | None = None, **settings: Any) -> list[dict[str, Any]]:
    """What the features of every example of files, tables or records add to its score."""
    with _settings.words():
        given = _settings.to_json(_settings.reading(settings))
        return json.loads(_native.explain(stream_of(model), to_inputs(data), given, of_class))


def select(model: OnlineBase, count: int, *, data: Any = None, to: Any = None, **settings: Any) -> dict[str, Any]:
    """The best features of a model. With data, these are also written to a file that has nothing but them."""
    if count < 0:
        raise ValueError(f"count must be at least 0, got {count}")
    with _settings.words():
        selection = json.loads(_native.select(stream_of(model), count))
        if data is not None:
            if to is None:
                raise TypeError("`data` needs `to`, the file to write")
            given = _settings.to_json(_settings.reading(settings))
            selection["reduced"] = json.loads(_native.reduce(stream_of(model), count, to_inputs(data), to, given))
    return selection

