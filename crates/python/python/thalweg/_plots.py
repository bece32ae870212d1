"""Plots, with matplotlib if it is there. Every function draws on ``ax``, or on new axes, and returns the axes."""

from __future__ import annotations

from typing import Any

from . import _experiments
from ._estimator import OnlineBase
from ._models import evaluate


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plots need matplotlib: pip install matplotlib") from None
    return pyplot.figure(layout="constrained").add_subplot()


def plot_progress(lines: list[dict[str, Any]], *, metric: str = "error", ax: Any = None) -> Any:
    """A figure of a run as examples come: the lines that ``learn_file(callback=lines.append)`` has collected."""
    ax = _axes(ax)
    ax.plot([line["examples"] for line in lines], [line[metric] for line in lines], marker=".")
    ax.set(xscale="log", xlabel="examples", ylabel=metric.replace("_", " "))
    return ax


def plot_sparsity(sweep: _experiments.Sweep, *, ax: Any = None) -> Any:
    """The objective of all candidates of a sweep against their weights that are not zero; the best for their size are joined."""
    ax = _axes(ax)
    points = [(one["nonzeros"], one["value"], one["pareto"]) for one in sweep.candidates if one["value"] is not None]
    ax.scatter([point[0] for point in points], [point[1] for point in points], alpha=0.6)
    front = sorted(point[:2] for point in points if point[2])
    ax.plot([point[0] for point in front], [point[1] for point in front])
    sizes = [point[0] for point in points]
    # Within a power of ten, a logarithmic axis would have no marks.
    scale = "symlog" if max(sizes, default=0) > 10 * max(1, min(sizes, default=0)) else "linear"
    ax.set(xscale=scale, xlabel="weights that are not zero", ylabel=sweep.report["objective"].replace("_", " "))
    return ax


def plot_threshold(model: OnlineBase, data: Any, *, ax: Any = None, **settings: Any) -> Any:
    """Precision and recall at every threshold, on labelled files or tables. Two classes."""
    ax = _axes(ax)
    curves = evaluate(model, data, curves=True, **settings).get("curves", {}).get("thresholds")
    if curves is None:
        raise ValueError("only models with two classes have a threshold")
    columns = _columns(curves)
    thresholds = columns["threshold"]
    for name in ("precision", "recall"):
        ax.plot(thresholds, columns[name], label=name)
    ax.axvline(model.threshold_, color="gray", linestyle=":", label="threshold")
    ax.set(xlabel="threshold")
    ax.legend()
    return ax


def _columns(curve: dict[str, Any]) -> dict[str, list[float]]:
    """Precision and recall at the points of an operating curve."""
    # The first point flags nothing: it has no threshold, and no precision.
    points = [point for point in curve["points"] if point["threshold"] is not None]
    positives = curve["positives"]
    found = [point["true_positives"] for point in points]
    alarms = [point["false_positives"] for point in points]
    return {
        "threshold": [point["threshold"] for point in points],
        "recall": [tp / positives if positives else float("nan") for tp in found],
        "precision": [tp / (tp + fp) for tp, fp in zip(found, alarms)],
    }


def plot_weights(model: OnlineBase, top: int = 20, *, ax: Any = None) -> Any:
    """The largest weights of a model, with a standard deviation where the learner has one."""
    ax = _axes(ax)
    rows = model.weights(top)[::-1]
    names = [str(row["feature"]) if len(model.classes_) == 2 else f"{row['feature']} ({row['class']})" for row in rows]
    deviations = [row.get("variance", 0.0) ** 0.5 for row in rows] if any("variance" in row for row in rows) else None
    ax.barh(names, [row["weight"] for row in rows], xerr=deviations)
    ax.axvline(0.0, color="black", linewidth=0.8)
    ax.set(xlabel="weight")
    return ax
