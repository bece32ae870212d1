"""Makes no_flags.json: examples of mixed units as LIBSVM text, and the scores that `thalweg train` without flags gives them before it learns.

    python3 laws/traces/no_flags.py > laws/traces/no_flags.json
"""

import json
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


scaler, learner, lines, scores = TypicalValues(), Sarow(), [], []
for t in range(400):
    y, x = example(t)
    lines.append(f"{y} " + " ".join(f"{j}:{value}" for j, value in x.items()))
    scores.append(learner.learn(scaler.prepared(x, True), y)[0])
unseen = {1: 2013, 2: 301.5, 3: 20.5, 4: 1, 5: -1e-4, 101: 1, 9999: 3}
final = learner.score(scaler.prepared(unseen, False))
weights = {j: learner.weight(j) for j in learner.mu if j != BIAS and learner.weight(j) != 0.0}
print(json.dumps({
    "examples": lines,
    "scores": scores,
    "unseen": " ".join(f"{j}:{value}" for j, value in unseen.items()),
    "unseen_score": final,
    "weights": weights,
    "bias": learner.weight(BIAS),
}))
