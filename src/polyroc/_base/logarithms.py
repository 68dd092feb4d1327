"""Logarithms as whole numbers in which equal products have equal sums.

.2 · .3 and .6 · .1 are equal, but sums of rounded logarithms are not. So the logarithm of a number
that is a decimal of six places, or a fraction of small numbers such as shares of votes, is made of
those of its primes, each rounded to a multiple of 2⁻⁴⁰.
"""

from fractions import Fraction
from functools import lru_cache

import numpy as np

from polyroc._base.ties import as_written
from polyroc.typing import Float64Array, FloatArray, Int64Array

UNIT = 1 << 40
"""The logarithm of e."""

STEPS = 1_000_000
"""Decimals are multiples of one in so many."""

MOST_VOTES = 1000
"""Largest denominator of other fractions."""

FEW_VALUES = 1000
"""Different values among which fractions are looked for: shares of votes are few."""


def whole_logarithms(values: FloatArray) -> Float64Array:
    """Logarithms of numbers above 0 and up to 1, times 2⁴⁰.

    Examples
    --------
    >>> logs = whole_logarithms(np.array([0.2, 0.3, 0.6, 0.1, 1.0]))
    >>> bool(logs[0] + logs[1] == logs[2] + logs[3]), float(logs[4])
    (True, 0.0)
    """
    distinct, place = np.unique(as_written(values).astype(np.float64), return_inverse=True)
    logs = np.rint(np.log(distinct) * UNIT)
    steps = np.rint(distinct * STEPS)
    decimal = np.abs(steps / STEPS - distinct) <= 4 * np.spacing(distinct)
    logs[decimal] = _of_whole(steps[decimal]) - _of_whole(np.array([STEPS]))
    others = np.flatnonzero(~decimal)
    if len(others) <= FEW_VALUES:
        votes = [Fraction(value).limit_denominator(MOST_VOTES) for value in distinct[others]]
        near = [
            abs(float(vote) - value) <= 4 * np.spacing(value)
            for vote, value in zip(votes, distinct[others], strict=True)
        ]
        parts = np.array([[vote.numerator, vote.denominator] for vote in votes]).reshape(-1, 2)
        above, below = parts[near].T
        logs[others[near]] = _of_whole(above) - _of_whole(below)
    return np.asarray(logs[place].reshape(values.shape))


def _of_whole(numbers: Float64Array | Int64Array) -> Float64Array:
    """Of whole numbers up to the number of steps: the sum over their primes."""
    left = np.array(numbers, dtype=np.int64)
    logs, smallest = np.zeros(left.shape), _smallest_factors()
    while (left > 1).any():
        primes = smallest[left]
        logs += np.rint(np.log(primes) * UNIT)
        left //= primes
    return logs


@lru_cache(maxsize=1)
def _smallest_factors() -> Int64Array:
    """The smallest prime that divides each number; 1 of 1, and of 0, which does not occur."""
    factors = np.arange(STEPS + 1)
    factors[0] = 1
    for prime in range(int(STEPS**0.5), 1, -1):
        factors[prime * prime :: prime] = np.minimum(factors[prime * prime :: prime], prime)
    return factors
