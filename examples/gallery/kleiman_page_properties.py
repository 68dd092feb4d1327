"""Kleiman & Page 2019, "Analysis of AUC_μ": which metrics are 1 if perfect, ½ if random, skew-free.

Measured: the least value of 300 models whose every argmax is right, the mean of 300 that guess, and
the largest change when the cases of a class are repeated nine times. The table is written as text.
"""

import sys
from pathlib import Path

import numpy as np

from polyroc.metrics import registry
from polyroc.predictions import Predictions

rng = np.random.default_rng(0)
y = np.repeat([0, 1, 2], 20)
skewed = np.concatenate([np.arange(60), np.tile(np.arange(20), 8)])


def scores(perfect):
    """Random probabilities, or such that each case has its highest in its own class."""
    p = rng.dirichlet([1, 1, 1], 60)
    if perfect:
        best = p.argmax(axis=1)
        p[range(60), best], p[range(60), y] = p[range(60), y], p[range(60), best]
    return p


perfect, random = ([scores(right) for _ in range(300)] for right in (True, False))
lines = ["metric     perfect, least  random, mean  skew, largest change  time"]
for name in ("vus", "hand_till", "aunp", "auc_mu"):  # VUS-3, H&T, P&D and AUC_μ of the slide
    metric = registry[name]
    ideal = min(metric.of(Predictions(y, p)) for p in perfect)
    guess = [metric.of(Predictions(y, p)) for p in random]
    moved = [metric.of(Predictions(y[skewed], p[skewed])) for p in random]
    change = abs(np.subtract(moved, guess)).max()
    text = f"{name:9} {ideal:11.4f} {np.mean(guess):15.4f} {change:15.4f}"
    lines.append(f"{text:60} {metric.complexity}")
print(*lines, sep="\n")
(Path(*sys.argv[1:2]) / f"{Path(__file__).stem}.txt").write_text("\n".join([*lines, ""]), "utf-8")
