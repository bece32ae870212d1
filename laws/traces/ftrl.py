"""Makes ftrl.json: FTRL-Proximal in float64 NumPy, written after the paper's Algorithm 1, on the tasks of binary.json.

    python3 laws/traces/ftrl.py > laws/traces/ftrl.json
"""

import json
import pathlib

import numpy as np

here = pathlib.Path(__file__).parent
tasks = json.loads((here / "binary.json").read_text())["tasks"]


def weights(z, n, alpha, beta, l1, l2):
    w = -(z - np.sign(z) * l1) / ((beta + np.sqrt(n)) / alpha + l2)
    return np.where(np.abs(z) <= l1, 0.0, w)


def run(task, alpha, beta, l1, l2, loss):
    z, n = np.zeros(task["d"]), np.zeros(task["d"])
    out = {"score": [], "predicted": [], "loss": [], "updated": []}
    for indices, values, y in zip(task["indices"], task["values"], task["y"]):
        x = np.zeros(task["d"])
        np.add.at(x, indices, values)
        w = weights(z, n, alpha, beta, l1, l2)
        score = float(w @ x)
        if loss == "logistic":
            # In the paper's form, with y in {0, 1}: g = (p - y) x. The loss is what Algorithm 1 calls LogLoss.
            p = 1 / (1 + np.exp(-score))
            g, value = (p - (y > 0)) * x, float(np.logaddexp(0, -y * score))
        else:
            value = max(0.0, 1 - y * score)
            g = -y * x if value > 0 else np.zeros_like(x)
        sigma = (np.sqrt(n + g * g) - np.sqrt(n)) / alpha
        z += g - sigma * w
        n += g * g
        out["score"].append(score)
        out["predicted"].append(1 if score >= 0 else -1)
        out["loss"].append(value)
        out["updated"].append(bool(value > 0))
    out["weights"] = weights(z, n, alpha, beta, l1, l2).tolist()
    return out


runs = []
for name, task in tasks.items():
    for alpha, beta, l1, l2, loss in [(0.5, 1, 0.3, 0, "logistic"), (2, 0.5, 0.05, 0.2, "logistic"), (0.1, 1, 0, 0, "hinge")]:
        spec = f"ftrl:alpha={alpha},beta={beta},lambda={l1},ridge={l2},loss={loss}"
        runs.append({"learner": spec, "options": {}, "task": name, **run(task, alpha, beta, l1, l2, loss)})
print(json.dumps({"tasks": tasks, "runs": runs}))
