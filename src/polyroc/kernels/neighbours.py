"""Posteriors of probabilistic k-nearest neighbours: Everson & Fieldsend 2006 eq. 11."""

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled


@compiled
def neighbour_posteriors(
    distances: NDArray[np.float64],
    codes: NDArray[np.int64],
    k: int,
    beta: float,
    posteriors: NDArray[np.float64],
) -> None:
    """Fill ``posteriors[i, j]`` ∝ exp(β Σ u over those of the k nearest that belong to j).

    ``distances[i]`` ascend over the neighbours of case i, more than k of them, and ``codes[i]`` are
    their classes. u is the tricube (1 − (d/h)³)³, h the distance of neighbour k + 1, scaled to sum
    1; where every u is 0 or h is 0 the k neighbours count the same.
    """
    n_classes = posteriors.shape[1]
    shares = np.empty(n_classes)
    for i in range(len(distances)):
        shares[:] = 0.0
        reach = distances[i, k]
        if reach > 0:
            for t in range(k):
                ratio = distances[i, t] / reach
                fall = 1.0 - ratio * ratio * ratio
                shares[codes[i, t]] += fall * fall * fall
        total = shares.sum()
        if not total > 0:
            for t in range(k):
                shares[codes[i, t]] += 1.0
            total = float(k)
        most = shares.max()
        scale = 0.0
        for j in range(n_classes):
            posteriors[i, j] = np.exp(beta * ((shares[j] - most) / total))
            scale += posteriors[i, j]
        for j in range(n_classes):
            posteriors[i, j] /= scale
