"""Arc length of binormal ROC curves.

S = ∫ √(f₊² + f₋²) dx over the two densities, the same whether decisions are made on x or on its
likelihood ratio. With f₊ = r f₋ the integrand is f₊ + f₋ less f₋ h(r), so that

    S = 2 − E₋ h(r),  h(r) = 2r / (1 + r + √(1 + r²)),

a mean over one standard normal variable of a function between 0 and 1. The trapezoidal rule gains
digits exponentially there, and halving its step shows how many.
"""

import numpy as np
from numpy.typing import ArrayLike

from polyroc._base.parallel import map_threads
from polyroc.errors import InvalidInput
from polyroc.typing import Float64Array

REACH = 8.0
"""Nodes go so many standard deviations out: the rest weighs 1.2e-15."""

TOLERANCE = 1e-10
"""Two steps of the rule that agree to this: the finer one is then better by far."""

_COARSEST, _FINEST = 1 / 4, 1 / 256
_FAR = 40.0
"""Means farther apart than this share nothing that float64 can hold."""
_AT_ONCE = 1024


def arc_length(a: ArrayLike, b: ArrayLike) -> Float64Array:
    """Length S of the ROC curve of f₋ = N(0, 1) and f₊ = N(a/b, 1/b), for arrays of parameters.

    S lies between √2, for equal densities, and 2, for separate ones and at b = 0 and b = ∞.
    Edwards & Metz 2007 eq. 17 with eq. 18–19.

    Examples
    --------
    >>> arc_length([0, 0, np.inf], [1, 0, 1]).round(6).tolist()
    [1.414214, 2.0, 2.0]
    """
    centre, spread = np.broadcast_arrays(*checked_pair(a, b))
    narrow = spread > 1  # the classes trade places: (a, b) → (a/b, 1/b)
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = np.where(narrow, centre / spread, centre)
        spread = np.where(narrow, 1 / spread, spread)
    flat = np.minimum(np.abs(centre), _FAR).ravel(), spread.ravel()
    starts = range(0, flat[0].size, _AT_ONCE)
    parts = map_threads(
        lambda start: _lost_length(*(each[start : start + _AT_ONCE] for each in flat)), starts
    )
    lost: Float64Array = np.concatenate(parts) if parts else np.zeros(0)
    return 2 - lost.reshape(centre.shape)


def checked_pair(a: ArrayLike, b: ArrayLike) -> tuple[Float64Array, Float64Array]:
    """Parameters of the conventional model: a any number, b from 0 to infinity."""
    centre, spread = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if np.isnan(centre).any() or not (spread >= 0).all():
        raise InvalidInput(
            "a must be numbers and b non-negative numbers, got NaN or a negative b. "
            "b is the standard deviation of the negatives over that of the positives."
        )
    if (np.isinf(centre) & np.isinf(spread)).any():
        raise InvalidInput(
            "a and b are both infinite, which says nothing about a/b. Give one of them a value."
        )
    return centre, spread


def _lost_length(a: Float64Array, b: Float64Array) -> Float64Array:
    """2 − S for a in [0, 40] and b in [0, 1], by halving the step until nothing changes."""
    tiny = np.finfo(np.float64).tiny
    log_ratio = np.stack([np.log(np.maximum(b, tiny)) - a * a / 2, a * b, (1 - b * b) / 2], axis=1)
    step = _COARSEST
    nodes = np.arange(-REACH, REACH + step / 2, step)
    lost = _weighted_sum(log_ratio, nodes) * step
    open_ = np.arange(len(a))
    while open_.size and step > _FINEST:
        middles = np.arange(-REACH + step / 2, REACH, step)
        finer = (lost[open_] + _weighted_sum(log_ratio[open_], middles) * step) / 2
        unsettled = np.abs(finer - lost[open_]) > TOLERANCE
        lost[open_] = finer
        open_, step = open_[unsettled], step / 2
    return lost


def _weighted_sum(log_ratio: Float64Array, x: Float64Array) -> Float64Array:
    """Σ φ(x) h(r(x)) with ln r(x) a polynomial of degree two in x."""
    ratio = log_ratio @ np.stack([np.ones_like(x), x, x * x])
    np.exp(ratio, out=ratio)
    root = ratio * ratio
    root += 1
    np.sqrt(root, out=root)
    root += ratio
    root += 1
    ratio /= root
    weights: Float64Array = 2 * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
    summed: Float64Array = ratio @ weights
    return summed
