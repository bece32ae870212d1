"""What `thalweg train` does without flags, slow and plain in float64. docs/design/2026-11-18-defaults.md has the evidence.

Preparation (crates/data/src/prepare/typical.rs): a feature remembers
    n       occurrences
    size    mean of |x| over its own occurrences
and, from when more than a quarter of all examples have it,
    m       occurrences since then
    mean    mean of v, the value in units of its size
    spread  variance of v
and the model t, the number of examples. Then every example is divided by the square root of its number of features, and has a bias of 1.

Examples that come with length 1 are left as they are, from the first one with two features or more, unless one comes that has another length. When 16 of them had two features or more, this is decided
(crates/data/src/prepare/unit_length.rs): if a feature is in less than a quarter of the examples on average, the data stays as it is, and examples of another
length are divided by it. Else, and for all other data, values are scaled.

Learner (crates/core/src/learners/sarow.rs): mu and sigma for every feature and the bias.

Scoring changes nothing; a feature never learned from is left out. A value of 0 is an absent feature.
"""
import math

BIAS = "bias"


class TypicalValues:
    def __init__(self, slowest=1e-4, least_rest=1e-6):
        self.slowest, self.least_rest = slowest, least_rest
        self.sizes, self.moments, self.t = {}, {}, 0
        self.lengths, self.telling = "undecided", 0

    def left_alone(self, x, learning):
        """Is the example left as it is, or divided by its length? Called after it was counted, before t moves on."""
        square = sum(value * value for value in x.values())
        has_length_one = abs(square - 1.0) <= 0.01
        if learning and self.lengths == "undecided":
            if x and not has_length_one:
                self.lengths = "any"
            elif len(x) > 1:
                self.telling += 1
        if self.lengths == "any" or self.telling == 0:
            return None
        if learning and self.lengths == "undecided" and self.telling == 16:
            features, occurrences = len(self.sizes), sum(n for n, _ in self.sizes.values())
            self.lengths = "one" if features * self.t > 4 * occurrences else "any"
        length = 1.0 if has_length_one or square == 0.0 else math.sqrt(square)
        return {j: value / length for j, value in x.items()}

    def scaled(self, x, learning):
        """{feature: z}, before the division by the number of features."""
        self.t += learning
        z = {}
        for j, value in x.items():
            n, size = self.sizes.get(j, (0, 0.0))
            if value == 0.0 or (n == 0 and not learning):
                continue
            if learning:
                n += 1
                size += (abs(value) - size) * max(1.0 / n, self.slowest)
                self.sizes[j] = (n, size)
            v = 4.0 * value / (3.0 * size + abs(value))
            m, mean, spread = self.moments.get(j, (0, 0.0, 0.0))
            common = n > (self.t + 1) // 4
            if common and learning:
                m += 1
                rate, gap = max(1.0 / m, self.slowest), v - mean
                mean += gap * rate
                spread += (gap * (v - mean) - spread) * rate
                self.moments[j] = (m, mean, spread)
            if common and m > 0:
                centre = (n / (self.t + 1.0 / self.t)) ** 8 * mean
                whole = spread + mean * mean
                rest = spread + (mean - centre) ** 2 + self.least_rest * whole
                v = (v - centre) * math.sqrt(whole / rest)
            z[j] = v
        return z

    def prepared(self, x, learning):
        z = {j: a for j, a in self.scaled(x, learning).items() if a != 0.0}
        z = self.left_alone(x, learning) or {j: a / math.sqrt(len(z)) for j, a in z.items()}
        z[BIAS] = 1.0
        return z


class Sarow:
    def __init__(self, r=0.1, kappa=0.15, floor=3e-4):
        self.r, self.kappa, self.floor = r, kappa, floor
        self.mu, self.sigma = {}, {}

    def weight(self, j):
        mu = self.mu.get(j, 0.0)
        return mu if mu * mu > self.kappa**2 * self.sigma.get(j, 1.0) else 0.0

    def score(self, z):
        return sum(self.weight(j) * a for j, a in z.items())

    def learn(self, z, y, importance=1.0, cost=1.0):
        """The score from before, and the loss."""
        score = self.score(z)
        loss = max(0.0, math.sqrt(cost) - y * score)
        h = importance * math.sqrt(cost)
        if loss > 0.0 and h > 0.0:
            variance = sum(self.sigma.get(j, 1.0) * a * a for j, a in z.items())
            along = y * loss / (variance + self.r / h)
            for j, a in z.items():
                sigma = self.sigma.get(j, 1.0)
                self.mu[j] = self.mu.get(j, 0.0) + along * sigma * a
                self.sigma[j] = max(1.0 / (1.0 / sigma + a * a * h / self.r), min(self.floor, sigma))
        return score, loss
