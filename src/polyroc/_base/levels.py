"""Confidence levels and the quantiles that belong to them."""

import math

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput


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
