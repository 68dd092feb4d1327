"""One cost on its way up from 0: a value for each set of decisions that it brings about."""

from collections.abc import Iterator

import numpy as np

from polyroc.kernels.confusion import critical_costs
from polyroc.surface._cases import Cases
from polyroc.surface._cost_space import CostSpace
from polyroc.surface._costs import matrices
from polyroc.surface._objectives import on_front
from polyroc.typing import Float64Array


def between_thresholds(
    costs: Float64Array, entry: int, probabilities: Float64Array
) -> Float64Array:
    """(m, D) costs that differ in one entry only, before they are scaled to sum 1.

    The entry lies once below, once above, and once between any two neighbours of the values at
    which the decision of a case changes.

    Examples
    --------
    With two classes and a false alarm at cost ½ these are the thresholds of the ROC curve.

    >>> import numpy as np
    >>> p = np.array([[0.8, 0.2], [0.5, 0.5], [0.2, 0.8]])
    >>> between_thresholds(np.array([0.5, 0.5]), 0, p).round(3)
    array([[0.111, 0.889],
           [0.385, 0.615],
           [0.714, 0.286],
           [0.889, 0.111]])
    """
    n_classes = probabilities.shape[1]
    truth, skipped = divmod(entry, n_classes - 1)
    decided = skipped + (skipped >= truth)  # the diagonal is not counted
    critical = critical_costs(probabilities, matrices(costs, n_classes), truth, decided)
    if not len(critical):
        return costs[None].copy()
    edges = np.concatenate([[0.0], critical, [3 * critical[-1]]])
    options = np.repeat(costs[None], len(edges) - 1, axis=0)
    options[:, entry] = (edges[:-1] + edges[1:]) / 2
    return np.asarray(options / options.sum(axis=1, keepdims=True))


DECISIONS_AT_START = 200_000_000
"""About a second's work: of more thresholds than that allows, every second, third, … is tried."""


def first_thresholds(
    probabilities: Float64Array, cases: Cases, space: CostSpace
) -> Iterator[Float64Array]:
    """Costs to begin with where there are no parameters: each cost stepped, the others equal.

    Within bounds the others are at the centre of what these leave, and a step that leads out ends
    at the bound.

    With two classes one cost is enough, and only the corners of the ROC curve are worth trying: the
    surface is exact from the start, whatever the number of cases.
    """
    n_rates = probabilities.shape[1] * (probabilities.shape[1] - 1)
    equal = space.centre if space.bounded else np.full(n_rates, 1 / n_rates)
    if n_rates == 2:
        options = space.pulled(equal, between_thresholds(equal, 0, probabilities))
        yield options[on_front(_roc_points(options[:, 0], probabilities[:, 1], cases))]
        return
    most = max(100, DECISIONS_AT_START // (n_rates * len(probabilities)))
    for entry in range(n_rates):
        options = space.pulled(equal, between_thresholds(equal, entry, probabilities))
        yield options[:: 1 + len(options) // most]


def _roc_points(thresholds: Float64Array, score: Float64Array, cases: Cases) -> Float64Array:
    """Both error rates of deciding for the second class above each threshold."""
    rates = np.empty((len(thresholds), 2))
    for k in (0, 1):
        own = cases.codes == k
        order = np.argsort(score[own])
        below = np.concatenate([[0.0], np.cumsum(cases.weights[own][order])])
        share = below[np.searchsorted(score[own][order], thresholds, side="right")] / below[-1]
        rates[:, k] = share if k else 1 - share
    return rates
