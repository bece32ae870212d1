"""Makes bcw.json from the reference, on the tasks of batch.json: the knobs of BCW and SBCW that batch.json has no traces of.

    python3 laws/traces/bcw.py > laws/traces/bcw.json
"""

import json
import pathlib
import sys

import numpy as np

here = pathlib.Path(__file__).parent
sys.path.append(str(here.parent / "reference"))
from batched import Bcw, Sbcw

tasks = json.loads((here / "batch.json").read_text())["tasks"]


def dense(task):
    X = np.zeros((len(task["y"]), task["d"]))
    for i, (indices, values) in enumerate(zip(task["indices"], task["values"])):
        X[i, indices] = values
    return X, np.array(task["y"], float)


def run(learner, task, size):
    X, y = dense(task)
    after = []
    for start in range(0, len(y), size):
        learner.batch(X[start : start + size], y[start : start + size])
        state = {"weights": learner.mu.tolist(), "variances": np.diag(learner.sigma).tolist()}
        if isinstance(learner, Sbcw):
            state["features"] = sorted(j for F in learner.groups for j in F)
        after.append(state)
    return {"options": {"batch": size}, "per_batch": after, "weights": after[-1]["weights"]}


runs = []
for name, task in tasks.items():
    whole, part, group = len(task["y"]), len(task["y"]) // 3, 2 if task["d"] == 12 else 3
    cases = [(kind, knobs, size) for kind, knobs, size in [
        ("bcw", {"c": 10.0, "r": 0.1}, whole),
        ("bcw", {"c": 0.2, "r": 2.0}, part),
        ("sbcw", {"c": 0.5, "r": 0.05, "sigma": 1.0, "passes": 1, "step": "printed", "combine": "carry"}, whole),
        ("sbcw", {"c": 0.5, "sigma": 0.3, "passes": 1, "step": "proximal", "combine": "carry"}, whole),
        ("sbcw", {"c": 0.5, "sigma": 0.3, "passes": 7, "step": "proximal", "combine": "carry"}, whole),
        ("sbcw", {"c": 0.5, "sigma": 2.0, "passes": 3, "step": "printed", "combine": "carry"}, whole),
        ("sbcw", {"c": 2.0, "r": 0.1, "sigma": 0.5, "passes": 3, "step": "proximal", "combine": "carry"}, part),
        ("sbcw", {"c": 0.5, "sigma": 1.0, "passes": 2, "step": "proximal", "combine": "restart"}, part),
        ("sbcw", {"c": 0.5, "r": 0.3, "sigma": 1.0, "passes": 2, "step": "proximal", "combine": "active"}, part),
    ]]
    for kind, knobs, size in cases:
        if kind == "sbcw":
            knobs = {"group": group, "iterations": 2 if size == part else 4, **knobs}
        for q in (1, 2):
            learner = (Bcw if kind == "bcw" else Sbcw)(task["d"], q, **knobs)
            spec = ",".join(f"{knob}={value}" for knob, value in {"r": "auto", **knobs}.items())
            runs.append({"learner": f"{kind}{q}:{spec}", "task": name, **run(learner, task, size)})
print(json.dumps({"tasks": tasks, "runs": runs}))
