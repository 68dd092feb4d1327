"""Growth exponents: how a time grows with a size."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

UPPER = 4
"""Sizes that the exponent is fitted to: fixed costs hide the growth at small ones."""


@dataclass(frozen=True)
class Exponent:
    """Slope of log amount on log size; two sizes leave no standard error, which is NaN then."""

    slope: float
    standard_error: float
    sizes: tuple[int, ...]

    def __str__(self) -> str:
        slope = f"{round(self.slope, 2) + 0.0:.2f}"  # no minus sign before a zero
        if math.isnan(self.standard_error):
            return slope
        return f"{slope} ± {self.standard_error:.2f}"


def exponent(sizes: Sequence[int], amounts: Sequence[float]) -> Exponent | None:
    """Fit by least squares to the largest sizes; None with fewer than two of them.

    >>> str(exponent([1, 10, 100], [3.0, 300.0, 30000.0]))
    '2.00 ± 0.00'
    >>> exponent([10], [1.0]) is None
    True
    """
    pairs = sorted(zip(sizes, amounts, strict=True))[-UPPER:]
    if len({size for size, _ in pairs}) < 2:
        return None
    x, y = (np.log(column) for column in zip(*pairs, strict=True))
    spread = x - x.mean()
    slope = float(spread @ y / (spread @ spread))
    left = y - y.mean() - slope * spread
    freedom = len(pairs) - 2
    error = math.sqrt(left @ left / freedom / (spread @ spread)) if freedom else math.nan
    return Exponent(slope, error, tuple(size for size, _ in pairs))
