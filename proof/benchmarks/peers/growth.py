"""Growth exponents: how a time grows with a size."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

UPPER = 4
"""Sizes that the exponent is fitted to: fixed costs hide the growth at small ones."""

REACH = 10
"""Factor beyond the largest size measured up to which an amount is predicted."""

MOST_ERROR = 0.3
"""Standard error of an exponent up to which an amount is predicted from it."""


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


def prediction(sizes: Sequence[int], amounts: Sequence[float], size: int) -> float | None:
    """The amount at a larger size; None where too little is known of the growth.

    Growth is taken to be at least linear, because fixed costs hide it at small sizes.

    >>> prediction([1, 10, 100], [3.0, 300.0, 30000.0], 1000)
    3000000.0
    >>> prediction([1, 10, 100], [3.0, 300.0, 30000.0], 1001) is None  # more than a decade away
    True
    >>> prediction([10, 100], [3.0, 300.0], 1000) is None  # an exponent without a standard error
    True
    """
    grown = exponent(sizes, amounts)
    if grown is None or not grown.standard_error <= MOST_ERROR:  # not so where it is NaN
        return None
    last, amount = max(zip(sizes, amounts, strict=True))
    if size > REACH * last:
        return None
    return float(round(amount * (size / last) ** max(1.0, grown.slope), 6))
