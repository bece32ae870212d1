"""Models that merge: as functions, and byte for byte as the program does it."""

import numpy as np
import pytest

import thalweg


def messages(start: int, count: int) -> list[dict[str, str]]:
    records = []
    for i in range(start, start + count):
        n = (i * 2654435761) >> 7
        label, word = ("spam", "prize") if n % 3 == 0 else ("ham", "lunch")
        records.append({"text": f"{word}{n % 5} w{n % 97} new{i // 40}", "label": label})
    return records


SETTINGS = {"text": "text", "labels": ["ham", "spam"]}


def learned(records: list[dict[str, str]], **settings: object) -> thalweg.OnlineClassifier:
    return thalweg.train_shards([[records]], **{**SETTINGS, **settings})


def test_models_merge_in_any_order() -> None:
    parts = [learned(messages(500 * i, 500)) for i in range(3)]
    merged = thalweg.merge(parts)
    assert bytes(merged.to_bytes()) == bytes(thalweg.merge(parts[::-1]).to_bytes())
    new = messages(5000, 300)
    predicted = merged.predict(new)
    assert np.mean(predicted == np.array([record["label"] for record in new])) > 0.9


def test_the_parts_of_a_round_give_what_train_shards_gives() -> None:
    base = learned(messages(0, 400))
    shards = [messages(1000, 300), messages(2000, 300), messages(3000, 300)]
    together = thalweg.train_shards([[shard] for shard in shards], base=base)
    deltas = []
    for shard in shards:
        started = thalweg.shared(base, len(shards))
        one = thalweg.train_shards([[shard]], base=started)
        deltas.append(thalweg.delta(one, base, len(shards)))
    assert isinstance(deltas[0], bytes)
    by_hand = thalweg.apply_delta(base, thalweg.merge_deltas(deltas))
    assert by_hand.to_bytes() == together.to_bytes()
    nothing = thalweg.delta(base, base)
    assert thalweg.apply_delta(base, nothing).to_bytes() == base.to_bytes()


def test_rounds_are_in_order_and_shards_may_be_empty() -> None:
    shards = [[messages(0, 200), messages(200, 200)], [messages(400, 200), []], []]
    first = thalweg.train_shards(shards, **SETTINGS)
    assert first.to_bytes() == thalweg.train_shards(shards, **SETTINGS).to_bytes()
    assert thalweg.inspect(first)["state"]["counts"]["examples"] == 600


def test_errors_have_the_words_of_the_library() -> None:
    arow, sarow = learned(messages(0, 50), learner="arow"), learned(messages(0, 50))
    with pytest.raises(ValueError, match="models that merge must be alike"):
        thalweg.merge([arow, sarow])
    with pytest.raises(ValueError, match="cannot be merged"):
        thalweg.shared(learned(messages(0, 50), learner="dcd"), 2)
    with pytest.raises(ValueError, match="not a usable delta"):
        thalweg.apply_delta(sarow, b"nonsense")
    with pytest.raises(ValueError, match="different base models"):
        thalweg.apply_delta(arow, thalweg.delta(sarow, sarow))
    with pytest.raises(ValueError, match="nothing to merge"):
        thalweg.merge([])
    with pytest.raises(TypeError, match="there is no setting 'lerner'"):
        thalweg.train_shards([], lerner="arow")
