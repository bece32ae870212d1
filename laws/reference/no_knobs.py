"""A learner without knobs, slow and plain in float64, for golden traces. docs/design/2026-11-18-defaults.md has the evidence.

A feature remembers   n      occurrences
                      scale  mean of ln|x|          (x in units of exp(scale): the geometric mean of its own sizes)
                      mean   mean of v              (v: the value after the logarithm)
                      spread variance of v
                      mu     weight,  p  precision gained (variance of the weight = 1 / (1 + p))
The model remembers   t      examples learned from,  updates  how many of them moved the weights,
                      positives, negatives (for balanced costs), and mu, p of the constant.

Scoring changes nothing; a feature never learned from is left out. A value of 0 (or not finite) is an absent feature.
"""
import math

LN2 = math.log(2.0)


class Default:
    def __init__(self, r=0.1, kappa=0.1, constant=1.0, density=8, window=10_000, floor=3e-4):
        self.r, self.kappa, self.constant, self.density, self.window, self.floor = r, kappa, constant, density, window, floor
        self.cells = {}                      # feature: [n, scale, mean, spread, mu, p]
        self.bias = [0.0, 0.0]               # mu, p
        self.t = self.updates = 0
        self.positives = self.negatives = 0

    def prepare(self, x, learning):
        """[(feature, z)] in the order of the example."""
        if learning:
            self.t += 1
        z, square = [], 0.0
        for j, value in x.items():
            if value == 0.0:
                continue
            c = self.cells.get(j)
            if c is None:
                if not learning:
                    continue
                c = self.cells[j] = [0, 0.0, 0.0, 0.0, 0.0, 0.0]
            if learning:
                c[0] += 1
                rate = max(1.0 / c[0], 1.0 / self.window)
                c[1] += (math.log(abs(value)) - c[1]) * rate
            v = math.copysign(math.log1p(abs(value) / math.exp(c[1])) / LN2, value)     # a 0/1 feature stays 1
            if learning:
                gap = v - c[2]
                c[2] += gap * rate
                c[3] += (gap * (v - c[2]) - c[3]) * rate
            n, _, mean, spread, _, _ = c
            d = (n / (self.t + 1.0)) ** self.density         # 1: in every example, 0: seldom
            centre = d * mean
            whole = spread + mean * mean                     # mean square of v
            rest = spread + (mean - centre) ** 2 + 1e-6 * whole  # mean square of v - centre
            a = (v - centre) * math.sqrt(whole / rest)       # as large as before it was centred
            square += (1.0 - d) * a * a + d * whole          # what is always there counts as its mean, not as it is today
            z.append((j, a))
        k = 1.0 / math.sqrt(square) if square > 0.0 else 1.0
        return [(j, a * k) for j, a in z]

    def threshold(self):
        """Squared, of mu^2 (1 + p)."""
        return self.kappa ** 2 * min(max(self.updates, 1), 100_000) / 1000.0

    def weight(self, c):
        return c[4] if c[4] * c[4] * (1.0 + c[5]) > self.threshold() else 0.0

    def dot(self, z):
        return self.bias[0] * self.constant + sum(self.weight(self.cells[j]) * a for j, a in z)

    def score(self, x):
        return self.dot(self.prepare(x, False))

    def balanced_cost(self, y):
        """Counts the example; its own class included. Never below 1: the frequent class keeps cost 1."""
        if y > 0:
            self.positives += 1
        else:
            self.negatives += 1
        own, other = (self.positives, self.negatives) if y > 0 else (self.negatives, self.positives)
        return max(1.0, (other + 1.0) / (own + 1.0))

    def learn(self, x, y, weight=1.0, cost=1.0):
        """The score from before. `weight` w is like w copies: r / w. `cost` goes half (its root) into the margin, half into the weight."""
        z = self.prepare(x, True)
        score = self.dot(z)
        h = weight * math.sqrt(cost)
        loss = math.sqrt(cost) - y * score
        if h <= 0.0 or loss <= 0.0:
            return score
        r, most = self.r / h, 1.0 / self.floor - 1.0
        k = self.constant
        v = k * k / (1.0 + self.bias[1]) + sum(a * a / (1.0 + self.cells[j][5]) for j, a in z)
        step = y * loss / (v + r)
        self.updates += 1
        self.bias[0] += step * k / (1.0 + self.bias[1])
        self.bias[1] = min(self.bias[1] + k * k / r, most)
        for j, a in z:
            c = self.cells[j]
            c[4] += step * a / (1.0 + c[5])
            c[5] = min(c[5] + a * a / r, most)
        return score
