"""A small surface that is counted by hand: three classes of unequal size, three points."""

from typing import Any

import numpy as np

from polyroc.surface import RocSurface, ScoreModel
from polyroc.surface._costs import errors
from polyroc.surface._front import member_rates

NAMES = ("a", "b", "c")
COUNTS = (12, 8, 5)
CODES = np.repeat([0, 1, 2], COUNTS)
Y = np.array(NAMES)[CODES]


def _probabilities() -> np.ndarray:
    drawn = np.random.default_rng(4).dirichlet(np.ones(3), len(CODES))
    p = np.round(0.6 * drawn + 0.4 * np.eye(3)[CODES], 3)
    return p / p.sum(axis=1, keepdims=True)


P = _probabilities()
WEIGHTS = np.round(np.random.default_rng(5).uniform(0.5, 3, len(CODES)), 2)
COSTS = np.array(
    [
        [[0, 1, 1], [1, 0, 1], [1, 1, 0]],
        [[0, 1, 2], [6, 0, 1], [3, 5, 0]],
        [[0, 4, 3], [1, 0, 2], [1, 1, 0]],
    ],
    dtype=float,
)


def small(weights: Any = None, costs: Any = COSTS, y: Any = Y, p: Any = P) -> RocSurface:
    """The surface of decisions by these costs, with its cases."""
    return surface_of(ScoreModel(y, p, sample_weight=weights), costs)


def surface_of(model: ScoreModel, costs: Any = COSTS) -> RocSurface:
    table = np.array(costs, dtype=float)
    table /= table.sum(axis=(1, 2), keepdims=True)
    none = np.zeros((len(table), 0))
    rates = member_rates(model, none, errors(table))
    weights = model.cases.class_weights
    return RocSurface(rates, table, none, model.classes, weights, {"model": "scores"}, model)


def decided_by(costs: np.ndarray, p: np.ndarray = P) -> list[int]:
    """The decision of least expected cost for each case, by a plain loop."""
    paid = [[sum(row[k] * costs[k, j] for k in range(len(row))) for j in range(len(row))]
            for row in p]  # fmt: skip
    return [next(j for j, each in enumerate(row) if each <= min(row) + 1e-12) for row in paid]
