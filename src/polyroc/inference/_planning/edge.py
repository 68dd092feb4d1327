"""Half-widths as :func:`polyroc.evaluate` will give them, and where the formula of power fails.

Intervals of ``evaluate`` contain the extra mass of :mod:`polyroc.inference._edge`, which does not
shrink with the variance: near the end of the range of a metric they are wider than the variance of
a pilot says. Of very few cases they are shorter than on the logit scale, on which power is found.
"""

import math

import numpy as np

from polyroc._base.pivots import SignedWilson, Wilson
from polyroc.inference._edge import LARGE_CLASS, ExtraMass
from polyroc.inference._influence import satterthwaite
from polyroc.inference._planning.reach import Test, half_width
from polyroc.inference._planning.variation import FEW_CASES, Variation
from polyroc.typing import Float64Array

MUCH = 1.25
"""Factor between half-widths from which on a plan says that its power is rough."""


def expected_half_width(variation: Variation, counts: Float64Array, test: Test) -> float:
    """Half the length of the interval of ``evaluate``, where a pilot tells it."""
    if variation.extra is None:
        return half_width(variation, counts, test)
    return _with_extra_mass(variation.extra, variation, counts, test)


def doubts(variation: Variation, counts: Float64Array, test: Test) -> tuple[str, ...]:
    """What to be careful about in a plan of so many cases."""
    few = [
        f"{label} ({count:.0f})"
        for label, count in zip(variation.classes, counts, strict=True)
        if count < FEW_CASES
    ]
    rough = (f"rough: fewer than {FEW_CASES} cases planned of {', '.join(few)}",)
    expected, plain = (f(variation, counts, test) for f in (expected_half_width, half_width))
    near = (
        "the power is rough: so near the end of the range the intervals and tests of evaluate "
        "differ much from those on the logit scale, on which it is computed",
    )
    tells = test.against is not None and not 1 / MUCH <= expected / plain <= MUCH
    return (*(rough if few else ()), *(near if tells else ()))


def _with_extra_mass(
    extra: ExtraMass, variation: Variation, counts: Float64Array, test: Test
) -> float:
    """Wilson's, from the value and its variance with the extra mass, both to first order."""
    assert variation.range is not None
    low, high = variation.range
    low = -high if extra.signed else low
    mass = extra.mass if extra.stays or counts.min() < LARGE_CLASS else 0.0
    value = variation.value + float(np.sum(mass / (counts + mass) * extra.means))
    value = max(value, 0.0) if extra.signed else value
    share = (value - low) / (high - low)
    if not 0 < share < 1:
        return half_width(variation, counts, test)
    divisor = (counts + mass) * (counts - 1 + mass)
    parts = (variation.variances * (counts - 1) + mass * extra.squares) / divisor
    size = share * (1 - share) * (high - low) ** 2 / float(parts.sum())
    freedom = satterthwaite(parts, counts - 1) if test.small_sample else math.inf
    scale, tail = SignedWilson if extra.signed else Wilson, (1 - test.level) / 2
    made = scale(variation.value, (low, high), freedom, size)
    return (made.high(tail) - made.low(tail)) / 2
