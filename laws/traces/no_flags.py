"""Makes no_flags.json: examples as LIBSVM text, and the scores that `thalweg train` without flags gives them before it learns. One trace has mixed units,
one sparse examples of length 1, one dense examples of length 1.

    python3 laws/traces/no_flags.py > laws/traces/no_flags.json
"""

import json
import math
import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent / "reference"))
from default import BIAS, Sarow, TypicalValues

random.seed(20261118)


def example(t):
    """A year and a temperature in every example, an amount with heavy tails in most, flags in some, rare words, and a column that is
    common only later."""
    y = random.choice([-1, 1])
    x = {1: 2000 + random.randrange(30), 2: round(random.gauss(300 + 4 * y, 5), 2)}
    if random.random() < 0.8:
        x[3] = round(random.lognormvariate(5 + 0.3 * y, 2), 3)
    if random.random() < 0.3 + 0.1 * y:
        x[4] = 1
    for _ in range(random.randrange(4)):
        x[100 + int(random.expovariate(0.1)) * 2 + (y > 0)] = random.choice([1, 1, 1, 2, 7])
    if t > 150:
        x[5] = round(random.gauss(-1e-4, 1e-5), 8)
    return y, dict(sorted(x.items()))


def sparse_of_length_one(t):
    """Words with weights. Some examples have one word; the last ones are longer."""
    y = random.choice([-1, 1])
    words = {int(random.expovariate(0.02)) * 2 + (random.random() < 0.5 + 0.2 * y) for _ in range(random.choice([1, 5, 9, 20]))}
    x = {1 + j: random.uniform(0.1, 3.0) for j in words}
    length = math.sqrt(sum(value * value for value in x.values()))
    return y, {j: round(value / length * (2.5 if t > 350 else 1.0), 5) for j, value in sorted(x.items())}


def dense_of_length_one(t):
    y = random.choice([-1, 1])
    x = {1: 5.0 + random.random(), 2: random.gauss(0.5 * y, 1.0), 3: 0.01 * random.gauss(y, 1.0), 4: 0.3 + 0.1 * random.random()}
    length = math.sqrt(sum(value * value for value in x.values()))
    return y, {j: round(value / length, 6) for j, value in x.items()}


def trace(example, examples, unseen):
    scaler, learner, lines, scores = TypicalValues(), Sarow(), [], []
    for t in range(examples):
        y, x = example(t)
        lines.append(f"{y} " + " ".join(f"{j}:{value}" for j, value in x.items()))
        scores.append(learner.learn(scaler.prepared(x, True), y)[0])
    final = learner.score(scaler.prepared(unseen, False))
    weights = {j: learner.weight(j) for j in learner.mu if j != BIAS and learner.weight(j) != 0.0}
    return {
        "examples": lines,
        "scores": scores,
        "unseen": " ".join(f"{j}:{value}" for j, value in unseen.items()),
        "unseen_score": final,
        "weights": weights,
        "bias": learner.weight(BIAS),
    }


print(json.dumps([
    trace(example, 400, {1: 2013, 2: 301.5, 3: 20.5, 4: 1, 5: -1e-4, 101: 1, 9999: 3}),
    trace(sparse_of_length_one, 400, {1: 0.5, 2: 1.5, 9999: 3}),
    trace(dense_of_length_one, 200, {1: 0.99, 2: 0.1, 3: -0.005, 4: 0.06}),
]))
