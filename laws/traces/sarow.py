"""Makes sarow.json from the reference, on the tasks of binary.json.

    python3 laws/traces/sarow.py > laws/traces/sarow.json
"""

import json
import pathlib
import sys

here = pathlib.Path(__file__).parent
sys.path.append(str(here.parent / "reference"))
from default import Sarow

tasks = json.loads((here / "binary.json").read_text())["tasks"]


def run(task, knobs, options):
    learner, seen = Sarow(**knobs), {1: 0, -1: 0}
    out = {"score": [], "predicted": [], "loss": [], "updated": []}
    for indices, values, y in zip(task["indices"], task["values"], task["y"]):
        y = 1 if y > 0 else -1
        cost = options.get("cost_fn", 1.0) if y > 0 else options.get("cost_fp", 1.0)
        if y > 0 and options.get("balanced"):
            cost *= (seen[-1] + 1) / (seen[1] + 1)
        seen[y] += 1
        x = {}
        for j, value in zip(indices, values):
            x[j] = x.get(j, 0.0) + value
        score, loss = learner.learn({j: value for j, value in x.items() if value != 0.0}, y, cost=cost)
        out["score"].append(score)
        out["predicted"].append(1 if score >= 0 else -1)
        out["loss"].append(loss)
        out["updated"].append(loss > 0)
    out["weights"] = [learner.weight(j) for j in range(task["d"])]
    return out


runs = []
for name, task in tasks.items():
    for knobs, options in [
        ({}, {}),
        ({"r": 1.0, "kappa": 0.5, "floor": 0.0}, {}),
        ({"r": 0.3, "kappa": 0.0, "floor": 0.2}, {}),
        ({"kappa": 1.0}, {"cost_fn": 9.0, "cost_fp": 0.5}),
        ({"kappa": 0.3}, {"balanced": True}),
    ]:
        spec = ",".join(f"{knob}={value}" for knob, value in knobs.items())
        learner = f"sarow:{spec}" if spec else "sarow"
        runs.append({"learner": learner, "options": options, "task": name, **run(task, knobs, options)})
print(json.dumps({"tasks": tasks, "runs": runs}))
