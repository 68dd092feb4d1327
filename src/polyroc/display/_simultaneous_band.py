"""A band that contains a whole ROC curve, by the bootstrap of the greatest distance.

The curve is moved by κ/√n₋ to the left and κ/√n₊ upwards, and the other way, n₊ and n₋ being the
cases of the two sides: a band of fixed width along the slope in which both rates err alike
(Macskassy, Provost & Rosset, ICML 2005). With u = x√n₋ + y√n₊ and t = (y√n₊ − x√n₋)/2 the curve is
a function t(u), and moving it adds κ to t. So κ is the quantile, over resampled curves, of the
greatest |t*(u) − t(u)|. It is at least z²√n/(n + z²), as far as Wilson's interval reaches from a
rate of 0 or 1, so that the band of a perfect curve is not empty.

In samples of a binormal model whose means are d apart, the 95 % band contained the whole curve in

    20 + 20 cases, d = 1: 96.8 %        50 + 50, d = 1.5: 95.8 %      200 + 200, d = 1.5: 99.0 %
    20 + 200, d = 2.5: 99.7 %           20 + 20, d = 3.5: 100 %       (200 to 400 samples each).
"""

import math

import numpy as np

from polyroc._base.levels import two_sided_quantile
from polyroc._base.random import seed_of, stream
from polyroc.curves._roc import RocCurve
from polyroc.typing import Float64Array, RandomState

REPLICATES = 500


def simultaneous_band(
    curve: RocCurve,
    counts: tuple[float, float],
    level: float,
    at: Float64Array,
    rng: RandomState = None,
) -> tuple[Float64Array, Float64Array]:
    """Lower and upper edge at some false positive rates; ``counts`` of negatives and positives."""
    width = fixed_width(curve, counts, level, rng)
    across, along = (width / math.sqrt(count) for count in counts)
    x, y = curve.false_positive_rate, curve.true_positive_rate
    high = _upper(x - across, y + along, at)
    low = 1 - _upper((1 - x - across)[::-1], (1 - y + along)[::-1], 1 - at)
    return np.maximum(low, 0), np.minimum(high, 1)


def fixed_width(
    curve: RocCurve, counts: tuple[float, float], level: float, rng: RandomState = None
) -> float:
    """κ."""
    seed, scale = seed_of(rng), np.sqrt(counts)
    x, y = curve.false_positive_rate, curve.true_positive_rate
    place, across = _turned(x, y, scale)
    farthest = np.empty(REPLICATES)
    for replicate in range(REPLICATES):
        made = stream(seed, replicate)
        again = _resampled(x, counts[0], made), _resampled(y, counts[1], made)
        new_place, new_across = _turned(*again, scale)
        there = np.abs(np.interp(place, new_place, new_across) - across).max()
        back = np.abs(np.interp(new_place, place, across) - new_across).max()
        farthest[replicate] = max(there, back)
    squared = two_sided_quantile(level) ** 2
    least = max(squared * math.sqrt(n) / (n + squared) for n in counts)
    return max(float(np.quantile(farthest, level)), least)


def _turned(
    x: Float64Array, y: Float64Array, scale: Float64Array
) -> tuple[Float64Array, Float64Array]:
    """u, which rises along the curve, and t."""
    return x * scale[0] + y * scale[1], (y * scale[1] - x * scale[0]) / 2


def _resampled(rates: Float64Array, count: float, made: np.random.Generator) -> Float64Array:
    """Rates of as many cases, drawn from those between the points of the curve."""
    steps = np.diff(rates)
    n_cases = max(1, round(count))
    drawn = made.multinomial(n_cases, steps / steps.sum())
    return np.append(0.0, np.cumsum(drawn) / n_cases)


def _upper(x: Float64Array, y: Float64Array, at: Float64Array) -> Float64Array:
    """The curve at some places, of a vertical piece its upper end."""
    last = np.append(np.diff(x) > 0, True)
    return np.asarray(np.interp(at, x[last], y[last]))
