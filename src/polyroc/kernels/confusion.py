"""Confusion matrices of many cost matrices in one pass: the inner loop of the search."""

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled

TILE = 64
"""Cases whose costs are computed at once."""


@compiled
def confusion_tables(
    probabilities: NDArray[np.float64],
    codes: NDArray[np.int64],
    weights: NDArray[np.float64],
    costs: NDArray[np.float64],
    tables: NDArray[np.float64],
    tied: float,
) -> None:
    """Add up in ``tables[m, k, j]`` the weight of class k for which j costs least under costs m.

    Of equal costs the first is taken; they are equal if they differ by no more than the share
    ``tied`` of the larger, or if a chain of such neighbours joins them. Cost matrices come as
    (m, K, K), truth first.
    """
    n_cases, n_classes = probabilities.shape
    expected = np.empty(n_classes)
    for m in range(len(costs)):
        by_decision = costs[m].T.copy()
        table = tables[m]
        for i in range(n_cases):
            decided = 0
            least = np.inf
            rival = np.inf
            for j in range(n_classes):
                value = probabilities[i, 0] * by_decision[j, 0]
                for k in range(1, n_classes):
                    value += probabilities[i, k] * by_decision[j, k]
                expected[j] = value
                if value < least:
                    rival = least
                    least = value
                    decided = j
                elif value < rival:
                    rival = value
            if rival * (1 - tied) <= least:
                decided = first_of_equals(expected, least, tied)
            table[codes[i], decided] += weights[i]


@compiled
def least_costs(
    probabilities: NDArray[np.float64],
    costs: NDArray[np.float64],
    tied: float,
    decisions: NDArray[np.int64],
) -> None:
    """The decision that costs least for each case, by the same rule; truth is the first axis."""
    tile, expected = np.zeros((len(costs), TILE)), np.empty((costs.shape[1], TILE))
    for first in range(0, len(probabilities), TILE):
        n = read_tile(probabilities, first, tile)
        add_costs(tile, costs, expected)
        for i in range(n):
            decided, least, rival = 0, np.inf, np.inf
            for j in range(len(expected)):
                value = expected[j, i]
                if value < least:
                    rival, least, decided = least, value, j
                elif value < rival:
                    rival = value
            if rival * (1 - tied) <= least:
                decided = first_of_equals(expected[:, i].copy(), least, tied)
            decisions[first + i] = decided


@compiled
def read_tile(probabilities: NDArray[np.float64], first: int, tile: NDArray[np.float64]) -> int:
    """Fill in the columns of some cases as rows; the number of cases that are left, if fewer."""
    n = min(TILE, len(probabilities) - first)
    for i in range(n):
        for k in range(len(tile)):
            tile[k, i] = probabilities[first + i, k]
    return n


@compiled
def add_costs(
    tile: NDArray[np.float64], costs: NDArray[np.float64], expected: NDArray[np.float64]
) -> None:
    """Expected costs of each decision (row) for some cases, truths in the order of their classes.

    Cases lie side by side in memory, so that many are computed at once.
    """
    for j in range(len(expected)):
        own = expected[j]
        for i in range(TILE):
            own[i] = 0.0
        for k in range(len(tile)):
            cost, shares = costs[k, j], tile[k]
            if cost != 0.0:
                for i in range(TILE):
                    own[i] += shares[i] * cost


@compiled
def first_of_equals(expected: NDArray[np.float64], least: float, tied: float) -> int:
    """The first of the costs that a chain of ties joins to the least."""
    reached = least
    joined = True
    while joined:
        joined = False
        for value in expected:
            if value > reached and value * (1 - tied) <= reached:
                reached = value
                joined = True
    for j in range(len(expected)):
        if expected[j] <= reached:
            return j
    return 0


LARGEST_COST = 1e12
"""Relative to the others, which would vanish beside a larger one."""


@compiled
def critical_costs(
    probabilities: NDArray[np.float64], costs: NDArray[np.float64], truth: int, decided: int
) -> NDArray[np.float64]:
    """Values of one cost at which the decision of some case changes, each once, ascending.

    With all other costs as they are, case i is decided as ``decided`` as long as the cost of
    (truth, decided) is less than (least cost of another decision − rest of its own cost) / p_truth.
    """
    n_cases, n_classes = probabilities.shape
    critical = np.empty(n_cases)
    number = 0
    for i in range(n_cases):
        own = 0.0
        rival = np.inf
        for j in range(n_classes):
            expected = 0.0
            for k in range(n_classes):
                if j != decided or k != truth:
                    expected += probabilities[i, k] * costs[k, j]
            if j == decided:
                own = expected
            elif expected < rival:
                rival = expected
        if rival > own and probabilities[i, truth] > 0:
            value = (rival - own) / probabilities[i, truth]
            if value < LARGEST_COST:
                critical[number] = value
                number += 1
    return np.unique(critical[:number])
