"""Writes scikit_learn.json: predictions, and what scikit-learn says of them.

    python scikit_learn.py     (needs numpy and scikit-learn 1.7 or later)

What scikit-learn does not have (cost, sum, geometric mean, expected calibration error) is computed here from its definition.
"""

import json
import pathlib
import warnings

import numpy as np
import sklearn.metrics as sk

warnings.filterwarnings("ignore")
rng = np.random.default_rng(7)
COSTS = (5.0, 2.0)
SUM_WEIGHT = 0.7


def weights(n):
    """Importances that are exact as f32, some of them 0."""
    return rng.integers(0, 24, n) / 8


def calibration_error(confidence, came_true, w, bins=15):
    which = np.minimum((confidence * bins).astype(int), bins - 1)
    gaps = [abs(np.sum(w[which == b] * (confidence - came_true)[which == b])) for b in range(bins)]
    return sum(gaps) / w.sum()


def clean(value):
    return None if np.isnan(value) else float(value)


def two_classes(name, y, s, w):
    y, s = np.asarray(y), np.asarray(s, float)
    p = np.clip(np.round(1 / (1 + np.exp(-np.clip(s, -30, 30))), 4), 1e-4, 1 - 1e-4)
    sw = np.ones(len(y)) if w is None else w
    hat = (s >= 0).astype(int)
    k = dict(sample_weight=sw)
    nan = dict(zero_division=np.nan)
    recall, specificity = (np.sum(sw[(y == c) & (hat == c)]) / np.sum(sw[y == c]) for c in (1, 0))
    missed, alarms = np.sum(sw[(y == 1) & (hat == 0)]), np.sum(sw[(y == 0) & (hat == 1)])
    expected = dict(
        accuracy=sk.accuracy_score(y, hat, **k),
        error=sk.zero_one_loss(y, hat, **k),
        balanced_accuracy=sk.balanced_accuracy_score(y, hat, **k),
        precision=sk.precision_score(y, hat, **k, **nan),
        recall=sk.recall_score(y, hat, **k),
        sensitivity=recall,
        specificity=sk.recall_score(y, hat, pos_label=0, **k),
        f1=sk.f1_score(y, hat, **k),
        f2=sk.fbeta_score(y, hat, beta=2, **k),
        matthews_corrcoef=sk.matthews_corrcoef(y, hat, **k),
        cohen_kappa=sk.cohen_kappa_score(y, hat, **k),
        roc_auc=sk.roc_auc_score(y, s, **k),
        average_precision=sk.average_precision_score(y, s, **k),
        log_loss=sk.log_loss(y, p, **k),
        brier_score=sk.brier_score_loss(y, p, **k),
        hinge_loss=sk.hinge_loss(y, s, **k),
        geometric_mean=np.sqrt(recall * specificity),
        sum=SUM_WEIGHT * recall + (1 - SUM_WEIGHT) * specificity,
        cost=COSTS[0] * missed + COSTS[1] * alarms,
        cost_of_flagging_nothing=COSTS[0] * np.sum(sw[y == 1]),
        cost_of_flagging_everything=COSTS[1] * np.sum(sw[y == 0]),
        expected_calibration_error=calibration_error(p, y, sw),
    )
    expected["f0.5"] = sk.fbeta_score(y, hat, beta=0.5, **k)
    fpr, tpr, _ = sk.roc_curve(y, s, drop_intermediate=False, **k)
    precision, reached, _ = sk.precision_recall_curve(y, s, **k)
    return dict(
        name=name, truth=y.tolist(), scores=[[x] for x in s.tolist()], probabilities=p.tolist(),
        predicted=hat.tolist(), importances=sw.tolist(), metrics={k: clean(v) for k, v in expected.items()},
        # scikit-learn goes from flagging everything to flagging nothing.
        roc=[fpr.tolist(), tpr.tolist()] if len(set(s)) < 30 else None,
        precision_recall=[reached[::-1].tolist(), precision[::-1].tolist()] if len(set(s)) < 30 else None,
    )


def many_classes(name, y, s, w):
    p = np.exp(s - s.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    sw = np.ones(len(y)) if w is None else w
    hat, labels = s.argmax(1), np.arange(s.shape[1])
    k = dict(sample_weight=sw)
    expected = dict(
        accuracy=sk.accuracy_score(y, hat, **k),
        balanced_accuracy=sk.balanced_accuracy_score(y, hat, **k),
        matthews_corrcoef=sk.matthews_corrcoef(y, hat, **k),
        cohen_kappa=sk.cohen_kappa_score(y, hat, **k),
        weighted_f1=sk.f1_score(y, hat, average="weighted", **k),
        log_loss=sk.log_loss(y, p, labels=labels, **k),
        brier_score=sk.brier_score_loss(y, p, labels=labels, **k),
        hinge_loss=sk.hinge_loss(y, s, labels=labels, **k),
        expected_calibration_error=calibration_error(p.max(1), p.argmax(1) == y, sw),
    )
    for average in ("macro", "micro"):
        for metric in ("precision", "recall", "f1"):
            score = getattr(sk, metric + "_score")
            expected[f"{average}_{metric}"] = score(y, hat, average=average, zero_division=0, **k)
    for top in (1, 2, 3):
        expected[f"top_{top}"] = sk.top_k_accuracy_score(y, s, k=top, labels=labels, **k)
    rows = sk.precision_recall_fscore_support(y, hat, labels=labels, zero_division=np.nan, **k)
    return dict(
        name=name, truth=y.tolist(), scores=s.tolist(), probabilities=p.ravel().tolist(), predicted=hat.tolist(),
        importances=sw.tolist(), metrics={k: clean(v) for k, v in expected.items()},
        per_class=[[clean(v) for v in row] for row in np.transpose(rows).astype(float)],
    )


def cases():
    n = 250
    y = (rng.random(n) < 0.3).astype(int)
    normal = np.round(rng.normal(0, 1, n) + 1.2 * y - 0.6, 4)
    rare = np.zeros(400, int)
    rare[[17, 170, 371]] = 1
    scales = np.sign(normal) * np.round(np.exp(rng.normal(0, 6, n)), 6)
    sets = [
        ("random scores", y, normal),
        ("scores that say nothing", y, np.round(rng.normal(0, 1, n), 4)),
        ("heavily tied scores", y, np.round(normal * 2) / 2),
        ("two scores", y, np.where(normal > 0.3, 1.5, -0.5)),
        ("constant scores", y, np.zeros(n)),
        ("constant negative scores", y, np.full(n, -0.25)),
        ("perfect scores", y, np.where(y == 1, 1 + np.abs(normal), -1 - np.abs(normal))),
        ("rare positives", rare, np.round(rng.normal(-2, 1, 400) + 2.5 * rare, 4)),
        ("scores of many scales", y, scales),
    ]
    for name, y, s in sets:
        yield "two_classes", two_classes(name, y, s, None)
        yield "two_classes", two_classes(name + ", weighted", y, s, weights(len(y)) + (y & (len(y) == 400)))
    for classes, n in [(3, 150), (5, 200)]:
        y = np.minimum(rng.geometric(0.4, n) - 1, classes - 1)
        s = np.round(rng.normal(0, 1, (n, classes)) + 1.5 * np.eye(classes)[y], 4)
        yield "many_classes", many_classes(f"{classes} classes", y, s, None)
        yield "many_classes", many_classes(f"{classes} classes, weighted", y, s, weights(n))
    never = s.copy()
    never[:, 2] = -9
    yield "many_classes", many_classes("a class that is never predicted", y, never, None)
    constant = np.tile([2.0, 1, 0, -1, -2], (len(y), 1))
    yield "many_classes", many_classes("always the same class", y, constant, None)


result = {"costs": COSTS, "sum_weight": SUM_WEIGHT, "two_classes": [], "many_classes": []}
for kind, case in cases():
    result[kind].append(case)
path = pathlib.Path(__file__).with_suffix(".json")
path.write_text(json.dumps(result, separators=(",", ":")) + "\n")
print(path, path.stat().st_size, "bytes")
