#!/usr/bin/env python3
"""Measures test error against the number of non-zero weights on the bundled text messages, and draws docs/pictures/sparsity.svg.

    docs/pictures/sparsity.py [PROGRAM]      default: target/release/thalweg; run it in the root of the repository

Each point is one setting of the knob that makes a learner sparser, the mean of five random orders of the training data. All programs
read the same words. Vowpal Wabbit is measured if its Python package is installed; otherwise its old points are kept.
"""

import csv
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "target/release/thalweg"
ORDERS = 5

# Name, colour, settings.
CURVES = [
    ("sarow (default)", "#000000", [f"-a sarow:kappa={knob} --prepare" for knob in ("0", "0.05", "0.15", "0.3", "0.6", "1.2", "2.4", "4", "6")]),
    ("ssol", "#0072b2", [f"-a ssol:schedule=constant,lambda={knob} --normalize l2 --bias" for knob in ("0.3", "1", "2", "3", "5", "8", "12")]),
    ("ada-rda", "#d55e00", [f"-a ada-rda:lambda={knob} --bias" for knob in ("1e-5", "3e-5", "1e-4", "3e-4", "1e-3", "2e-3", "5e-3")]),
    ("ftrl", "#009e73", [f"-a ftrl:lambda={knob} --bias" for knob in ("0.01", "0.1", "0.5", "1", "2", "4", "8")]),
    ("arow (dense)", "#cc79a7", ["-a arow --normalize l2 --bias"]),
    ("vw --ftrl --l1", "#777777", [f"--ftrl --ftrl_alpha 2 --l1 {knob}" for knob in ("0.01", "0.1", "0.5", "1", "2", "4", "8")]),
]


def thalweg(flags, train, test, _folder):
    command = [PROGRAM, "train", train, *flags.split(), "-t", test, "--json", "-q"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return report["nonzeros"], 100 * report["test"]["error"]


def vw(flags, train, test, folder):
    import vowpalwabbit

    def numbered(path):
        lines = pathlib.Path(path).read_text().splitlines()
        return [line.replace("ham ", "-1 ", 1) if line.startswith("ham ") else line.replace("spam ", "1 ", 1) for line in lines]

    readable = folder / "readable.txt"
    model = vowpalwabbit.Workspace(f"{flags} --loss_function logistic --readable_model {readable} --quiet")
    for line in numbered(train):
        model.learn(line)
    lines = numbered(test)
    wrong = sum((model.predict(line.split(" ", 1)[1]) >= 0) != line.startswith("1 ") for line in lines)
    model.finish()
    weights = re.findall(r"^\d+:(\S+)", readable.read_text(), re.MULTILINE)
    nonzeros = sum(1 for weight in weights if float(weight) != 0)
    return nonzeros, 100 * wrong / len(lines)


def measure():
    old = {}
    if (HERE / "sparsity.csv").exists():
        for row in csv.DictReader((HERE / "sparsity.csv").open()):
            old.setdefault(row["curve"], []).append((row["setting"], float(row["nonzeros"]), float(row["error"])))
    points = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for part in ("train", "test"):
            source, target = f"data/smsspam.{part}.tsv.zst", folder / f"{part}.vw"
            subprocess.run([PROGRAM, "convert", source, target, "--text", "text", "-q"], check=True)
        lines = (folder / "train.vw").read_text().splitlines(keepends=True)
        orders = []
        for seed in range(ORDERS):
            orders.append(folder / f"train.{seed}.vw")
            orders[-1].write_text("".join(random.Random(seed).sample(lines, len(lines))))
        for name, _, settings in CURVES:
            run = vw if name.startswith("vw") else thalweg
            try:
                points[name] = []
                for setting in settings:
                    all_orders = [run(setting, order, folder / "test.vw", folder) for order in orders]
                    mean = [sum(values) / ORDERS for values in zip(*all_orders)]
                    points[name].append((setting, *mean))
                    print(f"{name:16} {setting:60} {mean[0]:8.0f} {mean[1]:6.2f} %")
            except ModuleNotFoundError:
                points[name] = old.get(name, [])
    return points


def draw(points):
    width, height, left, right, top, bottom = 760, 420, 60, 150, 50, 55
    low, high, most = 20, 10_000, 6.0

    def x(nonzeros):
        return left + (width - left - right) * math.log(nonzeros / low) / math.log(high / low)

    def y(error):
        return height - bottom - (height - top - bottom) * error / most

    def text(at_x, at_y, words, more=""):
        return f'<text x="{at_x:.1f}" y="{at_y:.1f}" {more}>{words}</text>'

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="system-ui, sans-serif" font-size="13" fill="#222">',
        "<title>Test error against the number of non-zero weights, SMS spam collection</title>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        text(left, 24, "How small can a spam filter be?", 'font-size="17" font-weight="600"'),
        text(left, 41, "SMS spam collection, one pass, mean of five orders. Lower left is better.", 'fill="#555"'),
    ]
    for error in range(0, 7, 2):
        out.append(f'<path d="M{left} {y(error):.1f}H{width - right}" stroke="#e3e3e3"/>')
        out.append(text(left - 8, y(error) + 4, f"{error} %", 'text-anchor="end" fill="#555"'))
    for nonzeros in (30, 100, 300, 1000, 3000, 10_000):
        out.append(text(x(nonzeros), height - bottom + 20, f"{nonzeros:,}", 'text-anchor="middle" fill="#555"'))
    out.append(text((left + width - right) / 2, height - 12, "non-zero weights", 'text-anchor="middle"'))
    out.append(f'<text transform="translate(16 {(top + height - bottom) / 2}) rotate(-90)" text-anchor="middle">test error</text>')
    labels = []
    for name, colour, _ in CURVES:
        shown = [(x(n), y(e)) for _, n, e in points[name] if low <= n <= high and e <= most]
        if not shown:
            continue
        path = "L".join(f"{px:.1f} {py:.1f}" for px, py in shown)
        dashes = ' stroke-dasharray="5 4"' if name.startswith("vw") else ""
        out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>')
        out += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3.5" fill="{colour}"/>' for px, py in shown]
        labels.append((max(shown)[1], name, colour, max(shown)[0]))
    # Labels on the right, in the order of the curves' right ends, not over each other.
    at = top
    for wanted, name, colour, _ in sorted(labels):
        at = max(wanted + 4, at + 18)
        out.append(text(width - right + 12, at, name, f'fill="{colour}" font-weight="600"'))
    out.append("</svg>")
    (HERE / "sparsity.svg").write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    measured = measure()
    with (HERE / "sparsity.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["curve", "setting", "nonzeros", "error"])
        for name, rows in measured.items():
            writer.writerows([name, setting, f"{nonzeros:.1f}", f"{error:.3f}"] for setting, nonzeros, error in rows)
    draw(measured)
