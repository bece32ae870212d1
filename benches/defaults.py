"""What models are worth that nobody tuned: Thalweg, Vowpal Wabbit and scikit-learn with no flags, on held-out parts of real data.

    python benches/defaults.py THALWEG DATA WORK OUT.md [SET ...]

DATA is a folder with the sets below as zstd-compressed LIBSVM text. WORK keeps the parts that the sets are split into. The defaults of
Thalweg were chosen on the sets marked A; those marked B had no part in the choice.
"""

import json
import math
import pathlib
import random
import shlex
import subprocess
import sys

import numpy as np
import vowpalwabbit
from sklearn.datasets import load_svmlight_files
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import average_precision_score, balanced_accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

# Name: half, file, file of the test set (or a fifth of the data), labels that are positive (or the greatest).
SETS = {
    "a9a": ("A", "a9a", "a9a.t", None),
    "basehock": ("A", "basehock", None, None),
    "dvd": ("A", "dvd", None, None),
    "ijcnn1": ("A", "ijcnn1", "ijcnn1.t", None),
    "magic04": ("A", "magic04", None, None),
    "pcmac": ("A", "pcmac", None, None),
    "reuters crude": ("A", "reuters21578.crude", None, None),
    "spambase": ("A", "spambase", None, None),
    "dna": ("A", "dna.scale", "dna.scale.t", ["1"]),
    "news20, 1 of 20": ("A", "news20", "news20.t", ["1"]),
    "usps, 0": ("A", "usps", "usps.t", ["1"]),
    "australian": ("B", "australian", None, None),
    "books": ("B", "books", None, None),
    "german": ("B", "german.numer", None, None),
    "kddcup99 rare": ("B", "kddcup99.10pct.rare_u2r_r2l", None, None),
    "news20.binary": ("B", "news20.binary.rebuilt", None, None),
    "phishing addresses": ("B", "pdd_urls", None, None),
    "smsspam": ("B", "smsspam", None, None),
    "w8a": ("B", "w8a", None, None),
    "covtype": ("B", "covtype.libsvm.binary.scale", None, ["2"]),
    "mushrooms": ("B", "mushrooms", None, ["2"]),
    "sector, 52 of 105": ("B", "sector.scale", "sector.t.scale", [str(i) for i in range(1, 53)]),
    "splice": ("B", "splice", None, None),
}
# Positives are rare here: what `--balanced` is for.
UNBALANCED = ["reuters crude", "ijcnn1", "news20, 1 of 20", "usps, 0", "a9a", "kddcup99 rare", "w8a", "smsspam"]
SMALL, MOST = 10_000, 100_000
# Errors below this many per cent are alike: one or two examples of a test set.
LEAST = 0.05


def read(data, name):
    packed = subprocess.run(["zstd", "-dc", data / f"{name}.zst"], capture_output=True, check=True)
    return packed.stdout.decode().splitlines()


def split(data, work, name):
    """Files of LIBSVM text and of VW's, to learn from and to test on; several of small sets, which vary more."""
    _, train, test, positive = SETS[name]
    stem = name.replace(" ", "_").replace(",", "")
    rows = read(data, train)
    held_out = read(data, test) if test else None
    positive = positive or [max({row.split(None, 1)[0] for row in rows[:5000]}, key=float)]
    for seed in range(5 if len(rows) < SMALL else 1):
        parts = [work / f"{stem}.{seed}.{part}" for part in ("train", "test")]
        if not parts[1].with_suffix(".test.vw").exists():
            order = rows[:]
            random.Random(seed).shuffle(order)
            order = order[:MOST] if name == "covtype" else order
            cut = len(order) if held_out else len(order) * 4 // 5
            for part, some in zip(parts, (order[:cut], held_out or order[cut:])):
                with open(f"{part}.svm", "w") as svm, open(f"{part}.vw", "w") as vw:
                    for row in some:
                        label, _, features = row.partition(" ")
                        y = "1" if label in positive else "-1"
                        svm.write(f"{y} {features}\n")
                        vw.write(f"{y} | {features}\n")
        yield parts


def judge(y, scores, predicted, nonzeros):
    return {
        "error": 100 * float(np.mean(predicted != y)),
        "balanced accuracy": 100 * balanced_accuracy_score(y, predicted),
        "average precision": 100 * average_precision_score(y, scores),
        "non-zeros": nonzeros,
    }


def labels(part):
    with open(f"{part}.svm") as rows:
        return np.array([1 if row[0] != "-" else -1 for row in rows])


def thalweg(program, work, flags):
    def run(train, test):
        model, predictions = work / "model.thw", work / "predictions.tsv"
        learned = subprocess.run(
            [program, "train", f"{train}.svm", "-f", model, "--json", "--positive", "1", *flags(train)],
            capture_output=True, check=True, text=True)
        subprocess.run([program, "predict", "-i", model, f"{test}.svm", "-p", predictions], capture_output=True, check=True)
        lines = [line.split("\t") for line in predictions.read_text().splitlines()]
        report = json.loads(learned.stdout.splitlines()[-1])
        scores, predicted = np.array([float(line[0]) for line in lines]), np.array([int(line[1]) for line in lines])
        return judge(labels(test), scores, predicted, report["nonzeros"])
    return run


def described(program):
    """The flags that `thalweg describe` advises."""
    def flags(train):
        report = subprocess.run([program, "describe", f"{train}.svm", "--json"], capture_output=True, check=True, text=True)
        return [word for advice in json.loads(report.stdout)["advice"] for word in shlex.split(advice["flag"])]
    return flags


def guided(train):
    """The flags that docs/guide/which-learner.md advises: for few features that depend on each other, or for many rare ones."""
    with open(f"{train}.svm") as rows:
        highest = max(int(row.rsplit(":", 1)[0].rsplit(" ", 1)[1]) for row in rows if ":" in row)
    few = ["-a", "arow:covariance=full", "--prepare"]
    return few if highest < 500 else ["-a", "ssol", "--normalize", "l2", "--bias"]


def vowpal(work, flags=""):
    def run(train, test):
        model, predictions = work / "vw.model", work / "vw.predictions"
        vowpalwabbit.Workspace(f"-d {train}.vw --quiet -f {model} --readable_model {model}.txt {flags}").finish()
        vowpalwabbit.Workspace(f"-d {test}.vw -t -i {model} --quiet -p {predictions}").finish()
        scores = np.array([float(line.split()[0]) for line in predictions.read_text().splitlines()])
        weights = (line.split(":") for line in pathlib.Path(f"{model}.txt").read_text().splitlines())
        nonzeros = sum(len(w) == 2 and w[0].isdigit() and float(w[1].split()[0]) != 0.0 for w in weights)
        return judge(labels(test), scores, np.where(scores > 0, 1, -1), nonzeros)
    return run


def sklearn(make):
    def run(train, test):
        x, y, tx, ty = load_svmlight_files([f"{train}.svm", f"{test}.svm"])
        model = make_pipeline(MaxAbsScaler(), make()).fit(x, y)
        scores = model.decision_function(tx)
        return judge(ty, scores, np.where(scores > 0, 1, -1), int(np.count_nonzero(model[-1].coef_)))
    return run


def table(title, metric, names, columns, results, shown):
    lines = [f"\n### {title}\n", "| set | " + " | ".join(columns) + " |", "| --- " * (len(columns) + 1) + "|"]
    for name in names:
        row = [results[name][column][metric] for column in columns]
        lines.append(f"| {SETS[name][0]}: {name} | " + " | ".join(shown(value) for value in row) + " |")
    return lines


def means(metric, names, columns, results, over):
    """Geometric means of ratios, for each half of the sets."""
    lines = []
    for half in "AB":
        these = [name for name in names if SETS[name][0] == half]
        if these:
            ratio = lambda column, name: max(results[name][column][metric], LEAST) / max(results[name][over][metric], LEAST)
            mean = [math.exp(sum(math.log(ratio(column, name)) for name in these) / len(these)) for column in columns]
            lines.append(f"| **{half}: mean ratio to {over}** | " + " | ".join(f"**{value:.3f}**" for value in mean) + " |")
    return lines


def measure(data, work, names, contenders):
    results = {}
    for name in names:
        runs = {column: [] for column in contenders}
        for train, test in split(data, work, name):
            for column, run in contenders.items():
                runs[column].append(run(train, test))
        mean = lambda of: {metric: sum(run[metric] for run in of) / len(of) for metric in of[0]}
        results[name] = {column: mean(of) for column, of in runs.items()}
        print(name, {column: round(of["error"], 2) for column, of in results[name].items()}, file=sys.stderr, flush=True)
    return results


def main():
    program, data, work, out = sys.argv[1], *map(pathlib.Path, sys.argv[2:5])
    names = sys.argv[5:] or list(SETS)
    names = [name for name in names if (data / f"{SETS[name][1]}.zst").exists()]
    work.mkdir(parents=True, exist_ok=True)
    contenders = {
        "Thalweg": thalweg(program, work, lambda _: []),
        "Thalweg, as described": thalweg(program, work, described(program)),
        "Thalweg, by the guide": thalweg(program, work, guided),
        "VW": vowpal(work),
        "SGD": sklearn(lambda: SGDClassifier(random_state=0)),
        "logistic regression": sklearn(lambda: LogisticRegression(max_iter=1000)),
    }
    columns = list(contenders)
    results = measure(data, work, names, contenders)
    two, whole = (lambda value: f"{value:.2f}"), (lambda value: f"{value:,.0f}")
    lines = [
        "# What a model is worth that nobody tuned\n",
        "Made by `make bench-defaults`. Thalweg and Vowpal Wabbit go through the data once, with no flags; scikit-learn's learners go through it",
        "many times, and see values that were divided by the largest of their column. *As described* is what `thalweg describe` advises (for these sets, five",
        "passes), *by the guide* what [Which learner?](guide/which-learner.md) advises.",
        "Test sets are the sets' own, or a fifth of the data. Thalweg's defaults were chosen on the sets marked A. Those marked B had no part in it, but for one thing:",
        "sector and news20.binary suggested to leave sparse examples of length 1 as they are.",
    ]
    lines += table("Test error, %", "error", names, columns, results, two)
    lines += means("error", names, columns, results, "VW")
    lines += table("Non-zero weights", "non-zeros", names, columns, results, whole)
    lines += means("non-zeros", names, columns, results, "VW")
    lines += table("Balanced accuracy, %", "balanced accuracy", names, columns, results, two)
    lines += table("Average precision, %", "average precision", names, columns, results, two)

    rare = [name for name in UNBALANCED if name in names]
    balanced = {
        "Thalweg --balanced": thalweg(program, work, lambda _: ["--balanced"]),
        "SGD, balanced": sklearn(lambda: SGDClassifier(random_state=0, class_weight="balanced")),
        "logistic regression, balanced": sklearn(lambda: LogisticRegression(max_iter=1000, class_weight="balanced")),
    }
    results = measure(data, work, rare, balanced)
    lines += ["\n## Rare positives\n", "`--balanced`, against scikit-learn's `class_weight='balanced'`."]
    lines += table("Balanced accuracy, %", "balanced accuracy", rare, list(balanced), results, two)
    out.write_text("\n".join(lines) + "\n")


main()
