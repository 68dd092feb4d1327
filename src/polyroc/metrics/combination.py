"""Weights W of pairs of classes, and the sum Σ W_kr θ_kr of a matrix θ of pairs."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from polyroc.typing import Float64Array

Weights = Callable[[Float64Array], Float64Array]
"""Priors → W; the diagonal does not count."""
PriorGradient = Callable[[Float64Array, Float64Array], Float64Array]
"""Priors, θ → Σ_kr (∂W_kr/∂π_c) θ_kr for each class c."""


def uniform(priors: Float64Array) -> Float64Array:
    """Every ordered pair counts the same: W_kr = 1/(K(K−1))."""
    n_classes = len(priors)
    return np.full((n_classes, n_classes), 1 / (n_classes * (n_classes - 1)))


def second_against_first(_: Float64Array) -> Float64Array:
    """The one pair of two classes, the second class positive."""
    return np.array([[0.0, 0.0], [1.0, 0.0]])


def shares_of_the_rest(priors: Float64Array) -> Float64Array:
    """Σ_{r≠k} π_r for each class k: 1 − π_k has lost its digits where k is nearly all there is."""
    return np.asarray(np.where(_different(len(priors)), priors, 0).sum(axis=1))


def combined(weights: Float64Array, theta: Float64Array) -> float:
    """Σ_{k≠r} W_kr θ_kr, for weights that sum to 1 up to their rounding, which is divided out.

    Both sums are taken in the same order, so where all θ are 1 (or ½, or 0) so is the value to the
    last bit, and equal weights are made 1, so that their products are not rounded.
    """
    pairs = _different(len(theta))
    relative = weights[pairs]
    relative /= relative.max()
    return float((relative * theta[pairs]).sum() / relative.sum())


@lru_cache(maxsize=8)
def _different(n_classes: int) -> NDArray[np.bool_]:
    """Which pairs are of two classes."""
    pairs = ~np.eye(n_classes, dtype=bool)
    pairs.flags.writeable = False
    return pairs
