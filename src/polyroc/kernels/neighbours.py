"""Posteriors of probabilistic k-nearest neighbours: Everson & Fieldsend 2006 eq. 11."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled

_IN_TURN = 4
"""Sums that neighbours are added to in turn: an addition need not wait for the one before."""

TRICUBE, TRICUBE_UNSCALED, UNIFORM, SHARE = 0, 1, 2, 3
"""Which weights u the neighbours have; the last is no weight but k_j / k itself."""


@compiled
def neighbour_posteriors(
    cubes: NDArray[np.float64],
    codes: NDArray[np.integer[Any]],
    k: int,
    beta: float,
    kernel: int,
    posteriors: NDArray[np.float64],
) -> None:
    """Fill ``posteriors[i, j]`` ∝ exp(β Σ u over those of the k nearest that belong to j).

    ``cubes[i]`` are the cubed distances d³ of the neighbours of case i in ascending order, more
    than k of them, and ``codes[i]`` their classes. u is the tricube (1 − (d/h)³)³, h the distance
    of neighbour k + 1, scaled to sum 1; where every u is 0 or h is 0 the k neighbours count the
    same. ``kernel`` may also be the tricube as it is, 1/k for each neighbour, or say that the
    posterior is the share of neighbours itself.
    """
    n_classes = posteriors.shape[1]
    sums = np.empty((_IN_TURN, n_classes))
    for i in range(len(cubes)):
        sums[:] = 0.0
        cubed, classes = cubes[i], codes[i]
        reach = cubed[k]
        if reach > 0 and kernel <= TRICUBE_UNSCALED:
            inverse = 1.0 / reach
            for t in range(k):
                fall = 1.0 - cubed[t] * inverse
                sums[t % _IN_TURN, classes[t]] += fall * fall * fall
        shares = sums.sum(axis=0)
        total = shares.sum()
        if not total > 0 and not (kernel == TRICUBE_UNSCALED and reach > 0):
            for t in range(k):
                shares[codes[i, t]] += 1.0
            total = float(k)
        if kernel == TRICUBE_UNSCALED:
            total = 1.0
        if kernel == SHARE:
            posteriors[i] = shares / total
            continue
        most = shares.max()
        scale = 0.0
        for j in range(n_classes):
            posteriors[i, j] = np.exp(beta * ((shares[j] - most) / total))
            scale += posteriors[i, j]
        for j in range(n_classes):
            posteriors[i, j] /= scale
