"""Models that merge, as functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from . import _native, _settings
from ._estimator import OnlineBase
from ._examples import to_inputs
from ._learners import OnlineClassifier
from ._models import load


def _model(stream: _native.Stream) -> OnlineClassifier:
    return load(stream.to_bytes())


def merge(models: Iterable[OnlineBase], base: OnlineBase | None = None) -> OnlineClassifier:
    """What several models have learned, as one model.

    They went on with the same base model, or began with nothing. Words, labels, scales, thresholds and probabilities are joined, and the order of the
    models makes no difference. Learners that cannot be merged say why.
    """
    with _settings.words():
        streams = [model._stream for model in models]
        return _model(_native.merge(streams, None if base is None else base._stream))


def shared(base: OnlineBase, shards: int) -> OnlineClassifier:
    """What each of so many shards starts from. They are less sure of what the model believes, as all of them will correct it."""
    with _settings.words():
        return _model(base._stream.shared(shards))


def delta(model: OnlineBase, base: OnlineBase, shards: int = 1) -> bytes:
    """What a model has learned since a base, as one of so many shards: only what has changed, to be sent and added up."""
    with _settings.words():
        return model._stream.delta(base._stream, shards)


def merge_deltas(deltas: Sequence[bytes]) -> bytes:
    """The sum of what shards of one base have learned: neighbours in pairs, then their sums in pairs, so that a tree on many machines gives the same bytes."""
    with _settings.words():
        return _native.merge_deltas(list(deltas))


def apply_delta(base: OnlineBase, delta: bytes) -> OnlineClassifier:
    """The base with what was learned since."""
    with _settings.words():
        return _model(base._stream.apply(delta))


def train_shards(
    shards: Sequence[Sequence[Any]],
    *,
    base: OnlineBase | None = None,
    **settings: Any,
) -> OnlineClassifier:
    """Learns from shards of a stream side by side, in rounds.

    Every shard is a list of what it reads in each round: a file, a table, records, or a list of these. After a round, what all shards have learned is merged,
    and is what they start from in the next one. The result depends on the shards and rounds only, and not on how many run at a time.

    Settings are those of ``thalweg train``: ``learner="sarow"``, ``text="message"``, ``positive="spam"``.
    """
    with _settings.words():
        given = _settings.to_json(_settings.reading(settings))
        rounds = [[to_inputs(part) for part in shard] for shard in shards]
        return _model(_native.train_shards(given, rounds, None if base is None else base._stream))
