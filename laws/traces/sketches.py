"""Makes sketches.json: acog with the mean moved before the covariance, and the knobs of the sketches, on the tasks of binary.json.

    python3 laws/traces/sketches.py > laws/traces/sketches.json

Written from the papers (Zhao et al. 2019; Luo et al. 2016 for groups and the preconditioner): dense, with explicit matrices, in float64.
"""

import json
import pathlib

import numpy as np

here = pathlib.Path(__file__).parent
tasks = json.loads((here / "binary.json").read_text())["tasks"]
WORD = 2**64 - 1


class Acog:
    """Algorithm 1, and its variant of section 4.4.3, which moves the mean by the covariance from before."""

    def __init__(self, d, eta, gamma=1.0, covariance="diagonal", denominator="own", mean="after"):
        self.mu, self.sigma = np.zeros(d), np.eye(d)
        self.eta, self.gamma, self.covariance, self.denominator, self.mean = eta, gamma, covariance, denominator, mean

    def score(self, x):
        return float(self.mu @ x)

    def learn(self, x, g):
        if g is None:
            return
        before = self.sigma
        if self.covariance == "full":
            after = np.linalg.inv(np.linalg.inv(before) + np.outer(x, x) / self.gamma)
        else:
            s = np.diag(before)
            if self.denominator == "own":
                after = np.diag(1 / (1 / s + x**2 / self.gamma))
            else:
                after = np.diag(s - (s * x) ** 2 / (self.gamma + float(s @ x**2)))
        self.mu = self.mu - self.eta * (before if self.mean == "before" else after) @ g
        self.sigma = after

    def weights(self):
        return self.mu


def scramble(word):
    """SplitMix64, as the random directions are drawn."""
    word = (word + 0x9E3779B97F4A7C15) & WORD
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
    return word ^ (word >> 31)


def normal(word):
    hash = scramble(word)
    return (sum(((hash >> (16 * i)) & 0xFFFF) + 0.5 for i in range(4)) / 65536 - 2) * np.sqrt(3)


def random_rows(m, d, seed):
    rows = np.array([[normal(scramble(scramble(seed) ^ feature) ^ i) for feature in range(1, d + 1)] for i in range(m)])
    return orthonormal(rows)


def orthonormal(rows):
    """Gram-Schmidt in the order of the rows: the transposed Q of a QR decomposition with a positive diagonal."""
    q, r = np.linalg.qr(rows.T)
    return (q * np.sign(np.diag(r))).T


class Sacog:
    """Algorithms 2 and 3."""

    def __init__(self, d, eta, gamma=1.0, sketch=5, rate=1.0, power=1.0, every=1, start="random", dimensions=0,
                 precondition="none", seed=0):
        self.mu, self.t, self.lam = np.zeros(d), 0, np.zeros(sketch)
        self.eta, self.gamma, self.rate, self.power, self.every = eta, gamma, rate, power, every
        self.group, self.d2 = [], np.full(d, 0.1) if precondition == "diagonal" else None
        if start == "identity":
            self.v = np.eye(sketch, d)
        else:
            self.v = np.zeros((sketch, d))
            self.v[:, :dimensions] = random_rows(sketch, dimensions, seed)

    def divided(self, x):
        return x if self.d2 is None else x / np.sqrt(self.d2)

    def score(self, x):
        return float(self.mu @ self.divided(x))

    def learn(self, x, g):
        if self.d2 is not None and g is not None:
            self.d2 = self.d2 + g**2
        x = self.divided(x)
        g = None if g is None else self.divided(g)
        self.group.append(x / np.sqrt(self.gamma))
        if len(self.group) == self.every:
            for xh in self.group:
                self.t += 1
                step = min(1.0, self.rate / self.t**self.power)
                vx = self.v @ xh
                self.lam = (1 - step) * self.lam + step * vx**2
                self.v = self.v + step * np.outer(vx, xh)
            self.v = orthonormal(self.v)
            self.group = []
        if g is not None:
            s, h = np.sqrt(self.t * self.lam)[:, None] * self.v, 1 / (1 + self.t * self.lam)
            self.mu = self.mu - self.eta * (g - s.T @ (h * (s @ g)))

    def weights(self):
        return self.divided(self.mu)


def run(task, learner, version, options):
    out = {"score": [], "predicted": [], "loss": [], "updated": []}
    for indices, values, y in zip(task["indices"], task["values"], task["y"]):
        y = 1 if y > 0 else -1
        c = options.get("cost_fn", 1.0) if y > 0 else options.get("cost_fp", 1.0)
        x = np.zeros(task["d"])
        for j, value in zip(indices, values):
            x[j] += value
        score = learner.score(x)
        loss = max(0.0, c - y * score) if version == 1 else c * max(0.0, 1 - y * score)
        slope = 1.0 if version == 1 else c
        learner.learn(x, -slope * y * x if loss > 0 else None)
        out["score"].append(score)
        out["predicted"].append(1 if score >= 0 else -1)
        out["loss"].append(loss)
        out["updated"].append(loss > 0)
    out["weights"] = [float(weight) for weight in learner.weights()]
    return out


before = [
    {"eta": 2, "mean": "before"},
    {"eta": 5, "gamma": 0.1, "mean": "before", "denominator": "shared"},
    {"eta": 2, "gamma": 2, "mean": "before", "covariance": "full"},
]
sketched = [
    {"eta": 2, "sketch": 3, "start": "identity", "rate": 2},
    {"eta": 1, "sketch": 4, "start": "identity", "power": 0.6, "gamma": 2},
    {"eta": 2, "sketch": 3, "start": "identity", "every": 4},
    {"eta": 1, "sketch": 5, "start": "identity", "every": 7, "gamma": 0.5},
    {"eta": 1, "sketch": 5, "start": "identity", "every": 7, "rate": 2, "gamma": 0.5},
    {"eta": 2, "sketch": 3, "dimensions": "d"},
    {"eta": 2, "sketch": 6, "dimensions": "d", "seed": 3, "every": 6},
    {"eta": 0.5, "sketch": 3, "start": "identity", "precondition": "diagonal"},
    {"eta": 0.5, "sketch": 4, "dimensions": "d", "precondition": "diagonal", "every": 3, "rate": 2},
]
runs = []
for name, task in tasks.items():
    for version in (1, 2):
        families = [(Acog, f"acog{version}", before), (Sacog, f"sacog{version}", sketched), (Sacog, f"ssacog{version}", sketched)]
        for make, learner, settings in families:
            for knobs in settings:
                knobs = {knob: task["d"] if value == "d" else value for knob, value in knobs.items()}
                options = {"cost_fn": 2.0, "cost_fp": 1.0}
                spec = ",".join(f"{knob}={value}" for knob, value in knobs.items())
                traced = run(task, make(task["d"], **knobs), version, options)
                runs.append({"learner": f"{learner}:{spec}", "options": options, "task": name, **traced})
print(json.dumps({"tasks": tasks, "runs": runs}))
