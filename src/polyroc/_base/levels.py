"""Confidence levels, the quantiles that belong to them, and limits of shares."""

import math

import numpy as np

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput
from polyroc.typing import Float64Array


def check_level(level: float) -> None:
    """A confidence level lies between 0 and 1."""
    if not isinstance(level, (int, float)) or not 0 < level < 1:
        raise InvalidInput(
            f"level must lie between 0 and 1, got {shown(level)}. Pass 0.95 for 95 %."
        )


def two_sided_quantile(level: float, degrees_of_freedom: float = math.inf) -> float:
    """Quantile of the t distribution (normal for infinite degrees of freedom)."""
    from scipy.special import ndtri, stdtrit

    check_level(level)
    upper = (1 + level) / 2
    if math.isinf(degrees_of_freedom):
        return float(ndtri(upper))
    return float(stdtrit(degrees_of_freedom, upper))


def wilson_limits(
    share: Float64Array, count: float | Float64Array, quantile: float
) -> Float64Array:
    """(2, m) Wilson's limits of shares of ``count`` cases.

    Examples
    --------
    >>> wilson_limits(np.array([0.0, 0.5]), 12, 2.0)
    array([[0.  , 0.25],
           [0.25, 0.75]])
    """
    extra = quantile**2 / count
    centre = (share + extra / 2) / (1 + extra)
    reach = np.sqrt(extra * (share * (1 - share) + extra / 4)) / (1 + extra)
    # Rounding must not leave the share itself outside, nor carry a limit out of [0, 1].
    low, high = np.minimum(centre - reach, share), np.maximum(centre + reach, share)
    return np.clip([low, high], 0, 1)
