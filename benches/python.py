"""How fast the Python package is, and how good its models are, against scikit-learn, river and Vowpal Wabbit.

    python benches/python.py DATA [docs/python-benchmarks.md]

DATA is the folder of data sets that `make measure` takes. All rows of a table are measured in turns within one run; times are medians of the processor's time.
"""

import io
import pathlib
import statistics
import subprocess
import sys
import time
import warnings

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import SGDClassifier

import thalweg

warnings.simplefilter("ignore")
ROUNDS = 5


def passive_aggressive(C=1.0):
    return SGDClassifier(loss="hinge", penalty=None, learning_rate="pa1", eta0=C)


def read(path):
    plain = subprocess.run(["zstd", "-dcq", path], check=True, capture_output=True).stdout
    X, y = load_svmlight_file(io.BytesIO(plain))
    X = X.astype(np.float32).tocsr()
    X.sort_indices()
    order = np.random.default_rng(0).permutation(X.shape[0])
    cut = int(0.8 * len(order))
    y = (y == np.unique(y)[-1]).astype(int)
    return X[order[:cut]], y[order[:cut]], X[order[cut:]], y[order[cut:]]


def seconds(work):
    """The processor's time, which other work on the machine does not take part in. All that is measured here runs on one thread."""
    began = time.process_time()
    work()
    return time.process_time() - began


def in_turns(tasks):
    """The median time of each task. All of them take turns, so that what else the machine does hits all alike."""
    times = {name: [] for name in tasks}
    for _ in range(ROUNDS):
        for name, task in tasks.items():
            times[name].append(seconds(task))
    return {name: statistics.median(all_of_it) for name, all_of_it in times.items()}


def partial_fits(name, path, out):
    X, y, X_test, y_test = read(path)
    models = {
        "thalweg arow": lambda: thalweg.AROWClassifier(),
        "thalweg arow, normalize='l2'": lambda: thalweg.AROWClassifier(normalize="l2"),
        "thalweg ssol, normalize='l2'": lambda: thalweg.SSOLClassifier(normalize="l2", schedule="constant", lambda_=0.1),
        "thalweg pa1": lambda: thalweg.PA1Classifier(),
        "thalweg, the default": lambda: thalweg.OnlineClassifier(),
        "SGDClassifier(penalty='l1', alpha=1e-5)": lambda: SGDClassifier(penalty="l1", alpha=1e-5),
        "SGDClassifier(penalty='l1', alpha=1e-6)": lambda: SGDClassifier(penalty="l1", alpha=1e-6),
        "scikit-learn, passive-aggressive": passive_aggressive,
    }
    first, again = {label: [] for label in models}, {label: [] for label in models}
    for _ in range(ROUNDS):
        for label, make in models.items():
            model = make()
            first[label].append(seconds(lambda: model.partial_fit(X, y, classes=[0, 1])))
            again[label].append(seconds(lambda: model.partial_fit(X, y)))
    rows = []
    for label, make in models.items():
        model = make().partial_fit(X, y, classes=[0, 1])
        error = 1.0 - model.score(X_test, y_test)
        rows.append((label, statistics.median(first[label]), statistics.median(again[label]), error, np.count_nonzero(model.coef_)))
    rows += vowpal(X, y, X_test, y_test)
    slow, slow_again = next((first, again) for label, first, again, *_ in rows if label == "SGDClassifier(penalty='l1', alpha=1e-5)")
    out.append(f"## One pass of `partial_fit`: {name}, {X.shape[0]:,} x {X.shape[1]:,}, {X.nnz / X.shape[0]:.0f} values each\n")
    out.append(
        "The first call makes the tables of the model, the second finds them. Faster: than `SGDClassifier` with l1 and `alpha=1e-5`, in the same call. "
        "Errors are after the first. Of the second call of arow, about half is learning, a quarter reading the arrays, a sixth noting which features there are. "
        "Dividing by the length takes two more passes over the values, and scaling them (the default, where examples are not of length 1) a table of its own.\n"
    )
    out.append("| model | first, ms | faster by | second, ms | faster by | test error % | weights |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for label, took, took_again, error, weights in rows:
        second = "| |" if took_again is None else f"| {1000 * took_again:.1f} | {slow_again / took_again:.1f}"
        nonzeros = "" if weights is None else f"{weights:,}"
        out.append(f"| {label} | {1000 * took:.1f} | {slow / took:.1f} {second} | {100 * error:.2f} | {nonzeros} |")
    out.append("")


def vowpal(X, y, X_test, y_test):
    try:
        from vowpalwabbit import Workspace
    except ImportError:
        return []

    def lines(X, y):
        for row, label in enumerate(y):
            places = slice(X.indptr[row], X.indptr[row + 1])
            features = " ".join(f"{i}:{x:g}" for i, x in zip(X.indices[places], X.data[places]))
            yield f"{2 * label - 1} | {features}"

    texts = list(lines(X, y))
    workspace = Workspace("--quiet --loss_function hinge -b 22")
    took = seconds(lambda: [workspace.learn(text) for text in texts])
    scores = np.array([workspace.predict(text) for text in lines(X_test, y_test)])
    return [("vowpalwabbit, text lines that were made before", took, None, np.mean((scores > 0) != y_test), None)]


def boundary(out):
    """What it costs to pass arrays: learning from a CSR matrix against learning that many more times from the same arrays."""
    random = np.random.default_rng(0)
    rows, width = 100_000, 50
    indices = np.sort(random.integers(0, 100_000, (rows, width), dtype=np.int32), axis=1)
    indices += np.arange(width, dtype=np.int32)
    X = sparse.csr_matrix((random.random(rows * width, dtype=np.float32), indices.ravel(), np.arange(rows + 1, dtype=np.int32) * width), shape=(rows, 100_100))
    y = random.integers(0, 2, rows)
    binary = y.astype(np.uint32)
    out.append("## Passing a CSR matrix of 100,000 x 50\n")
    out.append("`partial_fit`, the same call without the checks of scikit-learn's contract (shapes, types, labels), and the checks alone, which are what Python costs.\n")
    out.append("| learner | partial_fit, ms | in Rust, ms | checks, ms | checks, % |\n| --- | ---: | ---: | ---: | ---: |")
    models = {learner: thalweg.OnlineClassifier(learner).partial_fit(X, y, classes=[0, 1]) for learner in ("perceptron", "arow", "ssol", "scw1")}
    calls = {learner: [] for learner in models}
    for turn in range(6 * ROUNDS):
        for learner, model in models.items():
            tasks = [lambda: model.partial_fit(X, y), lambda: model._stream.learn((X.indptr, X.indices, X.data, X.shape[1]), binary)]
            # Whichever comes first also brings the arrays into the processor's cache.
            order = [0, 1] if turn % 2 == 0 else [1, 0]
            took = {place: seconds(tasks[place]) for place in order}
            calls[learner].append((took[0], took[1]))
    checks = {learner: statistics.median(only_checks(model, X, y)) for learner, model in models.items()}
    for learner, measured in calls.items():
        whole, rust = (statistics.median(column) for column in zip(*measured))
        out.append(f"| {learner} | {1000 * whole:.1f} | {1000 * rust:.1f} | {1000 * checks[learner]:.2f} | {100 * checks[learner] / rust:.1f} |")
    out.append("")


class _Nothing:
    """Stands for a model that learns nothing."""

    def learn(self, *_):
        pass


def only_checks(model, X, y):
    stream, model._stream = model._stream, _Nothing()
    took = [seconds(lambda: model.partial_fit(X, y)) for _ in range(20 * ROUNDS)]
    model._stream = stream
    return took


def rivers(out):
    try:
        from river import linear_model
    except ImportError:
        return
    from thalweg.river import Classifier

    random = np.random.default_rng(0)
    names = [f"word{i}" for i in range(20_000)]
    examples = [
        ({names[i]: float(v) for i, v in zip(random.integers(0, len(names), 50), random.random(50))}, bool(random.integers(2)))
        for _ in range(2000)
    ]
    models = {
        "thalweg arow": lambda: Classifier("arow", probabilities=False),
        "thalweg ssol": lambda: Classifier("ssol", probabilities=False),
        "thalweg ssol, probabilities": lambda: Classifier("ssol"),
        "thalweg ogd:loss=logistic": lambda: Classifier("ogd:loss=logistic", probabilities=False),
        "thalweg pa1": lambda: Classifier("pa1", probabilities=False),
        "river LogisticRegression": linear_model.LogisticRegression,
        "river ALMAClassifier": linear_model.ALMAClassifier,
        "river PAClassifier": linear_model.PAClassifier,
    }
    out.append(
        "## `learn_one`: dictionaries of 50 words\n\n"
        "Most of the time of Thalweg goes into reading the dictionary: a name and a number of Python for each word. The last row only looks every name up in a `dict` "
        "of Python, and learns nothing. So numbers of names that Python keeps would not be faster than the table of names that is there, and fifty times the speed of "
        "river's `LogisticRegression`, which is compiled too, cannot be reached from dictionaries of Python: copying one takes longer.\n"
    )
    out.append("| model | examples a second | `thalweg ssol` is faster by |\n| --- | ---: | ---: |")

    def task(make):
        def run():
            learn = make().learn_one
            for x, y in examples:
                learn(x, y)

        return run

    def look_up():
        numbers = {name: number for number, name in enumerate(names)}
        for x, _ in examples:
            [numbers[name] for name in x]

    tasks = {label: task(make) for label, make in models.items()}
    times = in_turns(tasks | {"nothing but looking up each name in a `dict`": look_up})
    for label, took in times.items():
        out.append(f"| {label} | {len(examples) / took:,.0f} | {took / times['thalweg ssol']:.1f} |")
    out.append("")


def main():
    data = pathlib.Path(sys.argv[1])
    out = [
        "# Benchmarks of the Python package\n",
        "Made by `make bench-python`; do not edit. Times are medians of the processor's time on one thread, of calls in turns: what else the machine does hits all "
        "rows alike. Compare rows of one table.\n",
    ]
    # First of all: a process that has used and freed much memory gives tables pages that are slower.
    for name, file in (("news20.binary", "news20.binary.rebuilt.zst"), ("phishing addresses", "pdd_urls.zst")):
        if (data / file).exists():
            partial_fits(name, data / file, out)
    boundary(out)
    rivers(out)
    text = "\n".join(out)
    if len(sys.argv) > 2:
        pathlib.Path(sys.argv[2]).write_text(text)
    print(text)


if __name__ == "__main__":
    main()
