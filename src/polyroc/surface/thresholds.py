"""One cost on its way up from 0: a value for each set of decisions that it brings about."""

import numpy as np

from polyroc.kernels.confusion import critical_costs
from polyroc.surface.costs import matrices
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
