"""Makes auto.json from the reference of sarow, on the beginnings of the tasks of binary.json.

Before its first look, after 64 examples, the race is led by its first candidate, sarow.

    python3 laws/traces/auto.py > laws/traces/auto.json
"""

import json
import pathlib
import sys

here = pathlib.Path(__file__).parent
sys.path.append(str(here.parent / "reference"))
from default import Sarow

BEFORE_THE_FIRST_LOOK = 63

tasks = json.loads((here / "binary.json").read_text())["tasks"]
for task in tasks.values():
    for column in ("indices", "values", "y"):
        task[column] = task[column][:BEFORE_THE_FIRST_LOOK]


def run(task, options):
    learner, seen = Sarow(), {1: 0, -1: 0}
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
    for options in [{}, {"cost_fn": 9.0, "cost_fp": 0.5}, {"balanced": True}]:
        runs.append({"learner": "auto", "options": options, "task": name, **run(task, options)})
print(json.dumps({"tasks": tasks, "runs": runs}))
