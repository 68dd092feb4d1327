"""Cases for boosting, and what each round should say by hand."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import make_classification

ROUNDS = 12
PATIENCE = 3


class Cases(NamedTuple):
    """A training and a validation set, with weights."""

    X: Any
    y: Any
    w: Any
    X_held: Any
    y_held: Any
    w_held: Any


def cases(n_classes: int, seed: int = 0) -> Cases:
    X, y = make_classification(
        n_samples=420,
        n_features=8,
        n_informative=4,
        n_classes=n_classes,
        n_clusters_per_class=2,
        flip_y=0.25,
        random_state=seed,
    )
    w = np.random.default_rng(seed).integers(2, 9, len(y)) / 4  # the libraries keep float32
    return Cases(X[:240], y[:240], w[:240], X[240:], y[240:], w[240:])


def best_round(values: list[float], higher: bool = True) -> int:
    """The round at which training that stops early is best: the first best before patience ends."""
    best = 0
    for place, value in enumerate(values):
        if value > values[best] if higher else value < values[best]:
            best = place
        if place - best >= PATIENCE:
            break
    return best
