"""BCW and SBCW (Tan et al. 2016), slow and plain in float64, with the roots that the paper takes. Needs numpy.

X has a row for each example, y is -1 or +1.
"""
import numpy as np


def root(matrix):
    """The symmetric root."""
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * np.sqrt(values)) @ vectors.T


def tightened(sigma, X, r):
    """Equation 6, first line."""
    return np.linalg.inv(np.linalg.inv(sigma) + r * X.T @ X)


class Bcw:
    """Algorithm 1. r: the constant of the covariance, C if it is None."""

    def __init__(self, d, q, c=1.0, r=None):
        self.q, self.c, self.r = q, c, c if r is None else r
        self.mu, self.sigma = np.zeros(d), np.eye(d)

    def batch(self, X, y):
        self.sigma = tightened(self.sigma, X, self.r)
        ups = root(self.sigma)
        w, Xh = np.linalg.inv(ups) @ self.mu, X @ ups
        for x, y_i in zip(Xh, y):
            xi = max(0.0, 1.0 - y_i * (w @ x))
            if xi > 0 and (x @ x > 0 or self.q == 2):
                alpha = min(xi / (x @ x), self.c) if self.q == 1 else xi / (x @ x + 0.5 / self.c)
                w = w + alpha * y_i * x
        self.mu = ups @ w


def conjugate(z, sigma):
    """The w that maximises w.z - sigma/2 |w|^2 - (sum |w_k|)^2 / 2, by bisection for the level S = sum |w_k|."""
    n = [np.linalg.norm(z_k) for z_k in z]
    low, high = 0.0, max(n)
    for _ in range(200):
        level = (low + high) / 2
        if sum(max(0.0, n_k - level) for n_k in n) > sigma * level:
            low = level
        else:
            high = level
    level = (low + high) / 2
    return [z_k * (max(0.0, n_k - level) / sigma / n_k if n_k > 0 else 0.0) for z_k, n_k in zip(z, n)]


class Sbcw:
    """Algorithms 2 and 3: one object for all batches. modulus: 1 as printed, 1/sigma for the proximal step."""

    def __init__(self, d, q, group, iterations, c=1.0, r=None, sigma=1.0, passes=1, step="printed", combine="carry"):
        self.q, self.group, self.iterations, self.c, self.r = q, group, iterations, c, c if r is None else r
        self.sigma_, self.passes, self.combine = sigma, passes, combine
        self.modulus = 1.0 / sigma if step == "proximal" else 1.0
        self.mu, self.sigma, self.groups = np.zeros(d), np.eye(d), []

    def algorithm3(self, Xh, y):
        z = [np.zeros(X_k.shape[1]) for X_k in Xh]
        w = [z_k.copy() for z_k in z]
        alpha = np.zeros(len(y))
        for _ in range(self.passes):
            for i, y_i in enumerate(y):
                gap = 1.0 - y_i * sum(w_k @ X_k[i] for w_k, X_k in zip(w, Xh))
                norm2 = self.modulus * sum(X_k[i] @ X_k[i] for X_k in Xh)
                if alpha[i] == 0 and gap <= 0 or self.q == 1 and norm2 == 0:
                    continue
                if self.q == 1:
                    new = min(max(alpha[i] + gap / (self.c * norm2), 0.0), 1.0)
                else:
                    new = max(0.0, alpha[i] + (gap - 0.5 * alpha[i]) / (self.c * norm2 + 0.5))
                z = [z_k + self.c * (new - alpha[i]) * y_i * X_k[i] for z_k, X_k in zip(z, Xh)]
                alpha[i] = new
                w = conjugate(z, self.sigma_)
        return w, alpha

    def batch(self, X, y):
        if self.combine == "restart":
            self.sigma = np.eye(X.shape[1])
        groups, alpha, w = (self.groups if self.combine == "active" else []), np.ones(len(y)), None
        roots, covariances, Xh = [], [], []

        def add(F):
            covariances.append(tightened(self.sigma[np.ix_(F, F)], X[:, F], self.r))
            roots.append(root(covariances[-1]))
            Xh.append(X[:, F] @ roots[-1])

        for F in groups:
            add(F)
        if groups:
            w, alpha = self.algorithm3(Xh, y)
        for _ in range(self.iterations):
            score = (X.T @ (alpha * y)) ** 2
            left = [j for j in range(X.shape[1]) if not any(j in F for F in groups)]
            F = sorted(sorted(left, key=lambda j: (-score[j], j))[: self.group])
            if not F:
                break
            groups = groups + [F]
            add(F)
            w, alpha = self.algorithm3(Xh, y)
        self.mu = np.zeros(X.shape[1])
        for F, root_k, w_k, sigma_k in zip(groups, roots, w, covariances):
            self.mu[F] = root_k @ w_k
            self.sigma[F, :] = 0.0
            self.sigma[:, F] = 0.0
            self.sigma[np.ix_(F, F)] = sigma_k
        self.groups = groups
