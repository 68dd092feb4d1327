"""Scales on which a value has limits and tests: each test rejects what lies outside its limits.

On every scale ``low(tail)`` is the limit that leaves the probability ``tail`` below and
``high(tail)`` the one that leaves it above; ``p_above(bound)`` is the p-value of H₀: θ ≤ bound and
``p_below(bound)`` that of H₀: θ ≥ bound. So p_above(bound) < tail exactly where bound < low(tail),
and likewise above.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from polyroc.typing import Float64Array


class Pivot(Protocol):
    """A scale with a value on it."""

    def low(self, tail: float) -> float: ...

    def high(self, tail: float) -> float: ...

    def p_above(self, bound: float) -> float: ...

    def p_below(self, bound: float) -> float: ...

    def statistic(self, bound: float) -> float:
        """Of t, or of the normal distribution; NaN where the test has none."""
        ...


@dataclass(frozen=True)
class Student:
    """A statistic with a t distribution, or a normal one for infinite degrees of freedom."""

    value: float
    range: tuple[float, float]
    freedom: float

    def low(self, tail: float) -> float:
        """The limit that leaves ``tail`` below."""
        return self.range[0] if tail == 0 else self.limit(-quantile_above(tail, self.freedom))

    def high(self, tail: float) -> float:
        """The limit that leaves ``tail`` above."""
        return self.range[1] if tail == 0 else self.limit(quantile_above(tail, self.freedom))

    def p_above(self, bound: float) -> float:
        """P-value of H₀: θ ≤ bound."""
        return upper_tail(self.statistic(bound), self.freedom)

    def p_below(self, bound: float) -> float:
        """P-value of H₀: θ ≥ bound."""
        return upper_tail(-self.statistic(bound), self.freedom)

    def limit(self, quantile: float) -> float:
        """The bound whose statistic is − ``quantile``."""
        raise NotImplementedError

    def statistic(self, bound: float) -> float:
        """How far the value lies above a bound."""
        raise NotImplementedError

    def share(self, value: float) -> float:
        """Where a value lies in the range, from 0 to 1."""
        lowest, highest = self.range
        return (value - lowest) / (highest - lowest)

    def at_share(self, share: float) -> float:
        """The value at a share of the range."""
        lowest, highest = self.range
        return lowest + (highest - lowest) * share


@dataclass(frozen=True)
class Plain(Student):
    """(θ̂ − θ)/s."""

    error: float

    def limit(self, quantile: float) -> float:
        """θ̂ + q s."""
        return self.value + quantile * self.error

    def statistic(self, bound: float) -> float:
        """(θ̂ − θ)/s."""
        return (self.value - bound) / self.error


@dataclass(frozen=True)
class Logit(Student):
    """(logit θ̂ − logit θ) θ̂(1 − θ̂)/s, θ being a share of the range."""

    error: float

    @property
    def _error(self) -> float:
        share = self.share(self.value)
        return self.error / (self.range[1] - self.range[0]) / (share * (1 - share))

    def limit(self, quantile: float) -> float:
        """The inverse of the statistic."""
        limit = _logit(self.share(self.value)) + quantile * self._error
        return self.at_share(1 / (1 + math.exp(-limit))) if limit > -700 else self.range[0]

    def statistic(self, bound: float) -> float:
        """Infinite at the ends of the range and beyond."""
        return (_logit(self.share(self.value)) - _logit(self.share(bound))) / self._error


@dataclass(frozen=True)
class Wilson(Student):
    """(θ̂ − θ)/√(θ(1 − θ)/n), θ being a share of the range."""

    size: float

    def limit(self, quantile: float) -> float:
        """Where the squared statistic is q²."""
        squared, share = quantile**2 / self.size, self.share(self.value)
        reach = math.sqrt(squared * (max(share * (1 - share), 0.0) + squared / 4))
        found = self.at_share(
            (share + squared / 2 + math.copysign(reach, quantile)) / (1 + squared)
        )
        if (quantile > 0 and share >= 1) or (quantile < 0 and share <= 0):
            return self.range[quantile > 0]
        return min(max(found, self.range[0]), self.range[1])

    def statistic(self, bound: float) -> float:
        """Infinite at the ends of the range and beyond, unless the value is there."""
        share, own = self.share(bound), self.share(self.value)
        if 0 < share < 1:
            return (own - share) / math.sqrt(share * (1 - share) / self.size)
        return math.copysign(math.inf, own - share) if own != share else 0.0

    def p_above(self, bound: float) -> float:
        """1 for what must be: no value lies above the range."""
        return 1.0 if bound >= self.range[1] else super().p_above(bound)

    def p_below(self, bound: float) -> float:
        """1 for what must be: no value lies below the range."""
        return 1.0 if bound <= self.range[0] else super().p_below(bound)


@dataclass(frozen=True)
class SignedWilson(Wilson):
    """For the size of a number that may be negative, in a range with 0 in its middle.

    Where the limits of the number contain 0, its sign is not known and the lower limit is 0. Else
    they are those of a size, which cannot be negative and varies the more the larger it is.
    """

    @property
    def _unsigned(self) -> Wilson | None:
        """The same variance for a size; None at 0, where it has no variance."""
        if self.value <= 0:
            return None
        part = self.value / (self.value + self.range[1])
        return Wilson(self.value, (0.0, self.range[1]), self.freedom, self.size * part)

    def low(self, tail: float) -> float:
        """0 unless the sign is known."""
        if super().low(tail) <= 0 or self._unsigned is None:
            return 0.0
        return self._unsigned.low(tail)

    def high(self, tail: float) -> float:
        """The higher one."""
        signed = max(super().high(tail), 0.0)
        return signed if self._unsigned is None else max(signed, self._unsigned.high(tail))

    def statistic(self, bound: float) -> float:
        """Of the size, of the number at 0."""
        if bound <= 0 or self._unsigned is None:
            return super().statistic(bound)
        return self._unsigned.statistic(bound)

    def p_above(self, bound: float) -> float:
        """0 for what cannot be: no size is negative."""
        if bound < 0:
            return 0.0
        signed = super().p_above(0.0)
        return signed if self._unsigned is None else max(signed, self._unsigned.p_above(bound))

    def p_below(self, bound: float) -> float:
        """1 for what must be: no size is negative."""
        if bound <= 0:
            return 1.0
        signed = super().p_below(bound)
        return signed if self._unsigned is None else max(signed, self._unsigned.p_below(bound))


@dataclass(frozen=True)
class Exact:
    """A value that is known."""

    value: float
    range: tuple[float, float]

    def low(self, tail: float) -> float:
        """The value."""
        return self.range[0] if tail == 0 else self.value

    def high(self, tail: float) -> float:
        """The value."""
        return self.range[1] if tail == 0 else self.value

    def p_above(self, bound: float) -> float:
        """0 or 1."""
        return 0.0 if self.value > bound else 1.0

    def p_below(self, bound: float) -> float:
        """0 or 1."""
        return 0.0 if self.value < bound else 1.0

    def statistic(self, bound: float) -> float:
        """None."""
        del bound
        return math.nan


@dataclass(frozen=True, eq=False)
class Percentiles:
    """Percentiles of B bootstrap replicates, corrected for bias b and acceleration a.

    The tail α is the share Φ(b + (b + z)/(1 − a(b + z))) of the replicates, z = Φ⁻¹(α). A p-value
    is at least 1/(B + 1), the least that the replicates can tell.
    """

    replicates: Float64Array
    range: tuple[float, float]
    bias: float = 0.0
    acceleration: float = 0.0

    def low(self, tail: float) -> float:
        """A quantile of the replicates."""
        return self.range[0] if tail == 0 else self._quantile(tail)

    def high(self, tail: float) -> float:
        """A quantile of the replicates."""
        return self.range[1] if tail == 0 else self._quantile(1 - tail)

    def p_above(self, bound: float) -> float:
        """From the largest share whose quantile is not above the bound."""
        return max(self._tail(_share_upto(self.replicates, bound)), self._least)

    def p_below(self, bound: float) -> float:
        """From the least share whose quantile is not below the bound."""
        share = 1 - _share_upto(-self.replicates, -bound)
        return max(1 - self._tail(share), self._least)

    def statistic(self, bound: float) -> float:
        """None."""
        del bound
        return math.nan

    @property
    def _least(self) -> float:
        return 1 / (len(self.replicates) + 1)

    def _quantile(self, tail: float) -> float:
        from scipy.special import ndtr, ndtri

        if self.bias or self.acceleration:
            shifted = self.bias + ndtri(tail)
            tail = ndtr(self.bias + shifted / (1 - self.acceleration * shifted))
        return float(np.quantile(self.replicates, tail))

    def _tail(self, share: float) -> float:
        """The tail whose limit is the quantile at a share of the replicates."""
        from scipy.special import ndtr, ndtri

        if not (self.bias or self.acceleration) or share in (0.0, 1.0):
            return share
        moved = float(ndtri(share)) - self.bias
        divisor = 1 + self.acceleration * moved
        shifted = moved / divisor if divisor > 0 else math.copysign(math.inf, moved)
        return float(ndtr(shifted - self.bias))


def _share_upto(replicates: Float64Array, bound: float) -> float:
    """The largest share whose quantile, by linear interpolation, is not above the bound."""
    ordered = np.sort(replicates)
    last = int(np.searchsorted(ordered, bound, side="right")) - 1
    if last < 0:
        return 0.0
    if last == len(ordered) - 1:
        return 1.0
    part = (bound - ordered[last]) / (ordered[last + 1] - ordered[last])
    return float((last + part) / (len(ordered) - 1))


def _logit(share: float) -> float:
    if not 0 < share < 1:
        return -math.inf if share <= 0 else math.inf
    return math.log(share / (1 - share))


def quantile_above(tail: float, degrees_of_freedom: float = math.inf) -> float:
    """What t, or the normal distribution, exceeds with this probability; infinite for 0."""
    from scipy.special import ndtri, stdtrit

    if tail == 0:
        return math.inf
    infinite = math.isinf(degrees_of_freedom)
    return -float(ndtri(tail) if infinite else stdtrit(degrees_of_freedom, tail))


def upper_tail(statistic: float, degrees_of_freedom: float = math.inf) -> float:
    """P(T ≥ t), by t or, with infinite degrees of freedom, by the normal distribution."""
    from scipy.special import ndtr, stdtr

    infinite = math.isinf(degrees_of_freedom)
    return float(ndtr(-statistic) if infinite else stdtr(degrees_of_freedom, -statistic))
