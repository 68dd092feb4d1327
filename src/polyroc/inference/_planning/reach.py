"""What given numbers of cases reach: standard error, half-width of the interval, power."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from polyroc._base.levels import two_sided_quantile
from polyroc.errors import InvalidInput, NotDefined
from polyroc.inference._planning.variation import Variation
from polyroc.typing import Float64Array

Alternative = Literal["two-sided", "greater", "less"]
_CERTAIN = 35.0
"""Standard errors beyond a critical value after which power is 1 to the last digit."""
_NORMAL = 1e5
"""Degrees of freedom from which t is normal."""
_LEAST_NARROWING = 0.5
"""Below this there are so few cases that nothing is near enough to linear."""
_WIDEST = 50
"""Standard errors up to which a difference that can be detected is looked for."""
_STEPS = 64
"""In which it is looked for, before it is found to the last digit."""


@dataclass(frozen=True)
class Test:
    """How an interval is made and a value tested."""

    level: float
    alternative: Alternative
    against: float | None
    small_sample: bool
    """Quantiles of t, with Satterthwaite's degrees of freedom, in place of normal ones."""

    def critical(self, freedom: float) -> float:
        """How many standard errors a value must be away, in the right direction."""
        from scipy.special import ndtri, stdtrit

        if self.alternative == "two-sided":
            return two_sided_quantile(self.level, freedom)
        return float(ndtri(self.level) if math.isinf(freedom) else stdtrit(freedom, self.level))

    def direction(self, value: float) -> int:
        """Whether the value lies above or below the one tested against."""
        if self.alternative == "two-sided":
            return 1 if value >= (self.against or 0.0) else -1
        return 1 if self.alternative == "greater" else -1


def standard_error(variation: Variation, counts: Float64Array) -> float:
    """√Σ c_k/n_k."""
    return math.sqrt(float((variation.variances / counts).sum()))


def freedom(variation: Variation, counts: Float64Array, test: Test) -> float:
    """Satterthwaite's degrees of freedom; infinite for normal quantiles."""
    if not test.small_sample:
        return math.inf
    parts = variation.variances / counts
    return float(parts.sum() ** 2 / np.sum(parts**2 / (counts - 1)))


def half_width(variation: Variation, counts: Float64Array, test: Test) -> float:
    """Half the length of the interval, on the logit scale where values have a range."""
    quantile = two_sided_quantile(test.level, freedom(variation, counts, test))
    reach = quantile * standard_error(variation, counts)
    if variation.range is None:
        return reach
    low, high = variation.range
    steepness = _steepness(variation.value, variation.range)
    ends = [
        1 / (1 + math.exp(-min(max(_logit(variation.value, variation.range) + side, -700), 700)))
        for side in (-reach / steepness, reach / steepness)
    ]
    return (high - low) * (ends[1] - ends[0]) / 2


def power(variation: Variation, counts: Float64Array, test: Test) -> float:
    """Chance that the test rejects, in the right direction; NaN without a value to test against."""
    from scipy.special import nctdtr, ndtr

    if test.against is None:
        return math.nan
    side = test.direction(variation.value)
    error, ddf = standard_error(variation, counts), freedom(variation, counts, test)
    critical = test.critical(ddf)
    away = side * distance(variation, test.against) / error
    null = variation.null_variances(test.against)
    scale = 1.0 if null is None else math.sqrt(float((null / counts).sum())) / error
    beyond = (away - scale * critical) / _narrowing(variation, error, side * critical)
    if math.isinf(ddf) or ddf > _NORMAL or abs(beyond) > _CERTAIN:
        return float(ndtr(beyond))
    return float(1 - nctdtr(ddf, critical + beyond, critical))


def _narrowing(variation: Variation, error: float, critical: float) -> float:
    """How much less the limit of an interval moves than the estimate does, on the logit scale.

    The error s of a logit is estimated with the value: as Var ∝ θ(1 − θ), a logit that is larger by
    1 has an error larger by s(2θ − 1)/2, and its limit is larger by 1 minus that many critical
    values.
    """
    if variation.range is None:
        return 1.0
    low, high = variation.range
    share = (variation.value - low) / (high - low)
    change = error / _steepness(variation.value, variation.range) * (2 * share - 1) / 2
    return max(1 - critical * change, _LEAST_NARROWING)


def distance(variation: Variation, against: float) -> float:
    """From the value tested against to the value, in units of the value's standard error scale."""
    if variation.range is None:
        return variation.value - against
    steepness = _steepness(variation.value, variation.range)
    return (_logit(variation.value, variation.range) - _logit(against, variation.range)) * steepness


def detectable(variation: Variation, counts: Float64Array, test: Test, wanted: float) -> Variation:
    """The value nearest to the one tested against that is found with the power wanted."""
    from scipy.optimize import brentq

    assert test.against is not None
    against, side = test.against, -1 if test.alternative == "less" else 1
    farthest = _farthest(variation, against, side, counts)

    def lacking(size: float) -> float:
        return power(variation.at(against + side * size), counts, test) - wanted

    least = 1e-9 * farthest
    if lacking(least) >= 0:
        raise InvalidInput(
            f"power must be above {lacking(least) + wanted:.4g}, got {wanted:g}: the test rejects "
            "so often where there is no difference."
        )
    # Power falls again where a value comes so near to its limit that its logit hardly moves.
    tried = farthest * np.arange(1, _STEPS) / _STEPS
    enough = next((size for size in tried if lacking(size) >= 0), None)
    if enough is None:
        raise NotDefined(
            f"These cases do not reach a power of {wanted:g} for any value. Plan more cases."
        )
    size = brentq(lacking, max(enough - tried[0], least), enough, xtol=1e-12)
    return variation.at(against + side * size)


def _farthest(variation: Variation, against: float, side: int, counts: Float64Array) -> float:
    low, high = variation.range or (0.0, 1.0)
    if variation.models is not None:
        return _WIDEST * standard_error(variation, counts)
    return ((high - against) if side > 0 else (against - low)) * (1 - 1e-9)


def check_value(variation: Variation, test: Test) -> None:
    """Whether there is something to find, on the side that the test looks at."""
    against = test.against
    if against is None:
        return
    if variation.value == against:
        raise InvalidInput(
            f"The value assumed is the value tested against, {against:g}. Pass difference= or "
            "against=."
        )
    if test.direction(variation.value) * (variation.value - against) < 0:
        raise InvalidInput(
            f'alternative="{test.alternative}" looks on the other side of {against:g} than the '
            f"value assumed, {variation.value:.4g}. Pass difference=, or another alternative=."
        )


def _logit(value: float, limits: tuple[float, float]) -> float:
    share = (value - limits[0]) / (limits[1] - limits[0])
    return math.log(share / (1 - share))


def _steepness(value: float, limits: tuple[float, float]) -> float:
    """dθ/d logit θ."""
    return (value - limits[0]) * (limits[1] - value) / (limits[1] - limits[0])
