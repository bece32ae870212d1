"""Makes variants.json: variants of learners that a knob chooses, on the tasks of binary.json. Slow and dense, one round as the paper writes it.

    python3 laws/traces/variants.py > laws/traces/variants.json
"""

import json
import math
import pathlib

import numpy as np

here = pathlib.Path(__file__).parent
tasks = json.loads((here / "binary.json").read_text())["tasks"]


def soft(v, amount):
    return np.sign(v) * np.maximum(np.abs(v) - amount, 0.0)


def sign(score):
    return 1 if score >= 0 else -1


class SsolMetric:
    """SSOL whose threshold is in the metric: w = A soft(theta, lambda_t), which minimizes w'A^-1 w / 2 - theta'w + lambda_t |w|_1."""

    def __init__(self, d, eta, lambda_, r, schedule="inverse", denominator="shared"):
        self.theta, self.a, self.t = np.zeros(d), np.ones(d), 1
        self.eta, self.lambda_, self.r = eta, lambda_, r
        self.schedule, self.denominator = schedule, denominator

    def threshold(self):
        return {
            "inverse": self.lambda_ / self.t,
            "constant": self.lambda_,
            "eta": self.eta * self.lambda_,
            "rda": self.eta * self.lambda_ * (self.t - 1),
        }[self.schedule]

    def weights(self):
        return self.a * soft(self.theta, self.threshold())

    def learn(self, x, y, c):
        divided_by = self.r + (self.a @ (x * x) if self.denominator == "shared" else self.a * x * x)
        self.a = self.a - (self.a * x) ** 2 / divided_by
        score = float(self.weights() @ x)
        loss = max(0.0, 1.0 - y * score)
        if loss > 0:
            self.theta = self.theta + self.eta * c * y * x
        self.t += 1
        return score, loss, loss > 0


class CpaMaxLoss:
    """Crammer et al. 2006, section 10, the max-loss update: the label that is worst for the loss is always the other one."""

    def __init__(self, d, c):
        self.w, self.c = np.zeros(d), c

    def weights(self):
        return self.w

    def learn(self, x, y, cost):
        score = float(self.w @ x)
        loss = max(0.0, math.sqrt(cost) - y * score)
        updated = loss > 0 and float(x @ x) > 0
        if updated:
            self.w = self.w + min(self.c, loss / float(x @ x)) * y * x
        return score, loss, updated


class SquaredLoss:
    """(y - w.x)^2 and its gradient -2 (y - w.x) x (Oiwa et al. 2011, footnote 1)."""

    def gradient(self, x, y, c):
        score = float(self.weights_before() @ x)
        return score, (y - score) ** 2, -2.0 * c * (y - score) * x


class Truncated(SquaredLoss):
    """Equations 2 to 6: every weight in every round; h is 1 for SG-L1, else the p-norm of all updates of the feature, at most v for p <= 2."""

    def __init__(self, d, eta, lambda_, p=None, v=math.inf):
        self.w, self.updates, self.t = np.zeros(d), [], 0
        self.eta, self.lambda_, self.p, self.v = eta, lambda_, p, v

    def weights_before(self):
        return self.w

    weights = weights_before

    def frequency(self):
        if self.p is None:
            return np.ones_like(self.w)
        h = np.linalg.norm(np.array(self.updates), ord=self.p, axis=0)
        return np.minimum(h, self.v) if self.p <= 2 else h

    def learn(self, x, y, c):
        self.t += 1
        rate = self.eta / math.sqrt(self.t)
        score, loss, gradient = self.gradient(x, y, c)
        self.updates.append(-rate * gradient)
        self.w = soft(self.w - rate * gradient, self.lambda_ * rate * self.frequency())
        return score, loss, bool(loss > 0)


class Cumulative(Truncated):
    """Equations 13 and 14: only features of the example, which receive what they should have received by now."""

    def __init__(self, d, *args, **knobs):
        super().__init__(d, *args, **knobs)
        self.received, self.charged = np.zeros(d), 0.0

    def learn(self, x, y, c):
        self.t += 1
        rate = self.eta / math.sqrt(self.t)
        self.charged += self.lambda_ * rate
        score, loss, gradient = self.gradient(x, y, c)
        self.updates.append(-rate * gradient)
        self.w = self.w - rate * gradient
        due = self.charged * self.frequency()
        for j in np.flatnonzero(x):
            before = self.w[j]
            if before >= 0:
                self.w[j] = max(0.0, before - (due[j] + self.received[j]))
            else:
                self.w[j] = min(0.0, before + (due[j] - self.received[j]))
            self.received[j] += self.w[j] - before
        return score, loss, bool(loss > 0)


class DualAveraging(SquaredLoss):
    """RDA with L1 (Xiao 2010)."""

    def __init__(self, d, gamma, lambda_):
        self.sum, self.t, self.gamma, self.lambda_ = np.zeros(d), 0, gamma, lambda_

    def weights_before(self):
        if self.t == 0:
            return np.zeros_like(self.sum)
        return -math.sqrt(self.t) / self.gamma * soft(self.sum / self.t, self.lambda_)

    weights = weights_before

    def learn(self, x, y, c):
        score, loss, gradient = self.gradient(x, y, c)
        self.sum = self.sum + gradient
        self.t += 1
        return score, loss, bool(loss > 0)


class LibolNarow:
    """NAROW.m of LIBOL: AROW with r = chi / (b chi - 1), and nothing at all where chi <= 1/b. `diagonal` keeps the diagonal of the inverse."""

    def __init__(self, d, b, covariance):
        self.mu, self.sigma, self.b, self.covariance = np.zeros(d), np.eye(d), b, covariance

    def weights(self):
        return self.mu

    def learn(self, x, y, _):
        score = float(self.mu @ x)
        loss = max(0.0, 1.0 - y * score)
        chi = float(x @ self.sigma @ x)
        updated = loss > 0 and chi > 1 / self.b
        if updated:
            r = chi / (self.b * chi - 1)
            spread = self.sigma @ x
            self.mu = self.mu + loss / (chi + r) * y * spread
            if self.covariance == "full":
                self.sigma = self.sigma - np.outer(spread, spread) / (chi + r)
            else:
                self.sigma = np.diag(1 / (1 / np.diag(self.sigma) + x * x / r))
        return score, loss, updated


class LibolSop:
    """SOP.m of LIBOL: every example enters the metric, whether it was a mistake or not."""

    def __init__(self, d, a, covariance):
        self.theta, self.inverse, self.covariance = np.zeros(d), np.eye(d) / a, covariance

    def weights(self):
        return np.linalg.solve(self.inverse, self.theta)

    def learn(self, x, y, c):
        self.inverse = self.inverse + (np.outer(x, x) if self.covariance == "full" else np.diag(x * x))
        score = float(self.weights() @ x)
        mistake = sign(score) != y
        if mistake:
            self.theta = self.theta + c * y * x
        return score, float(mistake), mistake


def run(learner, task, options):
    out = {"score": [], "predicted": [], "loss": [], "updated": []}
    for indices, values, y in zip(task["indices"], task["values"], task["y"]):
        y = 1 if y > 0 else -1
        x = np.zeros(task["d"])
        np.add.at(x, indices, values)
        score, loss, updated = learner.learn(x, y, options.get("cost_fn", 1.0) if y > 0 else options.get("cost_fp", 1.0))
        out["score"].append(score)
        out["predicted"].append(sign(score))
        out["loss"].append(loss)
        out["updated"].append(bool(updated))
    out["weights"] = [float(w) for w in learner.weights()]
    for numbers in ("score", "loss", "weights"):
        out[numbers] = [float(f"{number:.12g}") for number in out[numbers]]
    return out


costs = {"cost_fn": 2.0, "cost_fp": 1.0}
inf = math.inf
variants = [
    ("ssol:eta=1,lambda=0.5,r=1,truncate=metric", {}, SsolMetric, (1, 0.5, 1)),
    ("ssol:eta=2,lambda=0.1,r=0.25,truncate=metric,schedule=rda", {}, SsolMetric, (2, 0.1, 0.25, "rda")),
    ("ssol:eta=2,lambda=2,r=1,truncate=metric,schedule=constant,denominator=own", {}, SsolMetric, (2, 2, 1, "constant", "own")),
    ("cs-ssol:eta=1,lambda=0.5,r=1,truncate=metric,schedule=eta", costs, SsolMetric, (1, 0.5, 1, "eta")),
    ("cpa:c=inf,update=max-loss", costs, CpaMaxLoss, (inf,)),
    ("cpa:c=0.5,update=max-loss", costs, CpaMaxLoss, (0.5,)),
    ("sgl1:eta=0.2,lambda=0.02,loss=squared", {}, Truncated, (0.2, 0.02)),
    ("sgl1-cumulative:eta=0.2,lambda=0.02,loss=squared", {}, Cumulative, (0.2, 0.02)),
    ("sgft:eta=0.2,lambda=0.02,p=2,v=0.8,loss=squared", {}, Truncated, (0.2, 0.02, 2, 0.8)),
    ("sgft:eta=0.2,lambda=0.02,p=1,v=500,loss=squared", costs, Truncated, (0.2, 0.02, 1, 500)),
    ("sgft:eta=0.2,lambda=0.02,p=inf,v=500,loss=squared", {}, Truncated, (0.2, 0.02, inf, 500)),
    ("sgft-cumulative:eta=0.2,lambda=0.02,p=3,v=500,loss=squared", {}, Cumulative, (0.2, 0.02, 3, 500)),
    ("rda:gamma=5,lambda=0.01,loss=squared", {}, DualAveraging, (5, 0.01)),
    ("narow:b=2,variant=libol", {}, LibolNarow, (2, "diagonal")),
    ("narow:b=0.8,variant=libol,covariance=full", {}, LibolNarow, (0.8, "full")),
    ("sop:a=1,variant=libol", costs, LibolSop, (1, "diagonal")),
    ("sop:a=0.5,variant=libol,covariance=full", {}, LibolSop, (0.5, "full")),
]
runs = []
for spec, options, learner, knobs in variants:
    for name, task in tasks.items():
        runs.append({"learner": spec, "options": options, "task": name, **run(learner(task["d"], *knobs), task, options)})
print(json.dumps({"runs": runs}))
