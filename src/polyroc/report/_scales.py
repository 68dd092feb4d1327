"""Axes of intervals: round numbers between which all of them lie."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

MOST_STEPS = 5
"""Of an axis."""
SMALL = 1e-4
"""Ends of an axis below this are written as powers of ten: nobody counts zeros."""
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Axis(NamedTuple):
    """Ends of an axis, and how many equal steps lie between them."""

    low: float
    high: float
    n_steps: int = 4

    @property
    def ticks(self) -> list[float]:
        width = self.high - self.low
        return [self.low + width * k / self.n_steps for k in range(self.n_steps + 1)]

    def labels(self, signed: bool = False) -> list[str]:
        """Its ends, and its middle if a tick is there.

        Examples
        --------
        >>> Axis(0.75, 0.95).labels(), Axis(-0.05, 0.2, 5).labels(signed=True)
        (['0.75', '0.85', '0.95'], ['−0.05', '+0.2'])
        """
        between = [] if self.n_steps % 2 else [(self.low + self.high) / 2]
        return [_label(at, signed) for at in (self.low, *between, self.high)]


def _label(at: float, signed: bool) -> str:
    """A round number.

    Examples
    --------
    >>> _label(0.95, signed=False), _label(-0.05, signed=True), _label(2e-7, signed=False)
    ('0.95', '−0.05', '2·10⁻⁷')
    """
    if at == 0:
        return "0"
    sign = "−" if at < 0 else "+" if signed else ""
    if abs(at) >= SMALL:
        return f"{sign}{abs(at):.10g}"
    digits, power = f"{abs(at):.2e}".split("e")
    return f"{sign}{float(digits):g}·10{str(int(power)).translate(_RAISED)}"


def rounded_axis(ends: Iterable[float]) -> Axis:
    """Round numbers between which all ends lie, at most five steps of 1, 2 or 5 apart.

    Examples
    --------
    >>> rounded_axis([0.79, 0.917, math.nan]), rounded_axis([0.0002, 0.034])
    (Axis(low=0.75, high=0.95, n_steps=4), Axis(low=0.0, high=0.04, n_steps=4))
    >>> rounded_axis([0.87]), rounded_axis([math.nan])
    (Axis(low=0.8, high=0.9, n_steps=1), Axis(low=0.0, high=1.0, n_steps=4))
    """
    known = [each for each in ends if not math.isnan(each)]
    if not known:
        return Axis(0.0, 1.0)
    low, high = min(known), max(known)
    if low == high:
        return _tenth(low)
    power = 10.0 ** (math.floor(math.log10(high - low)) - 1)
    for step in (size * power for size in (2, 5, 10, 20, 50)):
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        if last - first <= MOST_STEPS:
            break
    digits = 2 - math.floor(math.log10(step))
    return Axis(round(first * step, digits), round(last * step, digits), last - first)


def _tenth(value: float) -> Axis:
    """Around a value alone."""
    last = max(1, math.ceil(10 * value - 1e-9))
    return Axis((last - 1) / 10, last / 10, 1)


def differences_axis(ends: Sequence[float]) -> Axis:
    """Round numbers between which 0 and all limits lie.

    Examples
    --------
    >>> differences_axis([-0.012, 0.118]), differences_axis([math.nan])
    (Axis(low=-0.05, high=0.15, n_steps=4), Axis(low=-1.0, high=1.0, n_steps=4))
    """
    away = any(each and not math.isnan(each) for each in ends)
    return rounded_axis([0.0, *ends]) if away else Axis(-1.0, 1.0)
