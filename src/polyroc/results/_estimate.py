"""The value of a metric with its uncertainty."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from polyroc._base.checks import check_choice
from polyroc._base.hypotheses import Alternative, check_margin_of, checked_margin, tails_of
from polyroc._base.levels import check_level
from polyroc._base.pivots import Exact, Logit, Percentiles, Pivot, Plain, SignedWilson, Wilson
from polyroc._base.tables import cell, without_nan
from polyroc.errors import InvalidInput
from polyroc.results._parts import Effective, Interval, Note
from polyroc.results._value_test import ValueTest, check_constant
from polyroc.typing import Float64Array, Label

ROUNDING = 1e-12
"""Replicates this near to the value are equal to it."""

Scale = Literal["wilson", "logit", "plain", "bca", "bc", "percentile"]


@dataclass(frozen=True)
class Estimate:
    """The value of a metric with its uncertainty.

    ``interval(level)`` gives confidence limits: by default Wilson's for an effective number of
    cases, which stay in the range of the metric and exist also at its ends, with a t quantile whose
    degrees of freedom follow from the class sizes.
    """

    metric: str
    value: float
    standard_error: float
    method: str
    degrees_of_freedom: float = math.inf
    range: tuple[float, float] = (0.0, 1.0)
    counts: Mapping[Label, int] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    replicates: Float64Array | None = field(default=None, repr=False, compare=False)
    acceleration: float | None = None
    """Of BCa limits; None where it was not estimated, and limits are corrected for bias only."""
    bias: float = 0.0
    """How far values lie from the truth on average, where that is known: limits allow for it."""
    effective: Effective | None = None
    """Behind Wilson's limits: near the ends of the range it counts cases that were not seen."""
    error_of: Literal["cases", "samples"] = "cases"
    """Whether the standard error is that of the cases, or that of Monte Carlo samples alone."""
    direction: Literal["higher", "lower"] = "higher"
    """Whether a higher or a lower value is better."""

    def interval(
        self,
        level: float = 0.95,
        *,
        scale: Scale | None = None,
        small_sample: bool = True,
        alternative: Alternative = "two-sided",
    ) -> Interval:
        """Confidence limits of the true value.

        ``scale`` is ``"wilson"`` (the default), ``"logit"`` or ``"plain"``; with bootstrap
        replicates also ``"percentile"``, ``"bc"`` or ``"bca"``, their bias-corrected and (with an
        estimated acceleration) accelerated percentiles, the default then. ``small_sample=False``
        uses the normal quantile instead of that of t. Where the error is that of Monte Carlo
        samples, what is known of the true value is not, and there are no limits.

        ``alternative`` gives the limits of that :meth:`test`: one limit for ``"greater"``,
        ``"less"`` and ``"noninferior"``, the other being the end of the range, and those of the
        level 2 level − 1 for ``"equivalent"``.
        """
        check_level(level)
        check_choice(alternative, "alternative", get_args(Alternative))
        pivot, used = self._pivot(scale, small_sample)
        if pivot is None:
            return Interval(math.nan, math.nan, level, used)
        below, above = tails_of(alternative, level, self.direction == "lower")
        return Interval(pivot.low(below), pivot.high(above), level, used)

    def test(
        self,
        against: float,
        alternative: Alternative = "two-sided",
        *,
        margin: float | None = None,
        scale: Scale | None = None,
        small_sample: bool = True,
    ) -> "ValueTest":
        """A test of the true value against a constant, on the scale of the interval.

        Parameters
        ----------
        against : the constant, such as the value of guessing or one that was promised.
        alternative : what the test is to show: ``"two-sided"``, that the value differs from the
            constant; ``"greater"``, that it is better by more than the margin; ``"less"``, that it
            is worse by more than the margin; ``"noninferior"``, that it is not worse by the margin
            or more; ``"equivalent"``, that it differs by less than the margin.
        margin : 0 if not given; needed for ``"noninferior"`` and ``"equivalent"``.
        scale, small_sample : as for :meth:`interval`.

        Returns
        -------
        ValueTest
            With ``p_value`` below 1 − level exactly where the interval of that level and
            alternative does not contain the constant (moved by the margin), and NaN where there is
            no interval. Percentiles of B replicates have p-values of at least 1/(B + 1).

        Examples
        --------
        >>> from polyroc import estimate
        >>> from polyroc.datasets import example_predictions
        >>> y, models, labels = example_predictions()
        >>> found = estimate(y, models["logistic"], "hand_till", labels=labels)
        >>> found.test(0.86, "greater").conclusion()
        'hand_till: 0.8924 is better than 0.86, p = 0.007.'
        >>> found.interval(alternative="greater").low > 0.86
        True
        """
        margin = checked_margin(alternative, margin)
        check_constant(against, self.range)
        check_margin_of(margin, self.metric, self.range)
        pivot, used = self._pivot(scale, small_sample)
        freedom = getattr(pivot, "freedom", math.nan)
        asked = float(against), alternative, margin
        made = ValueTest(self.metric, self.value, *asked, used, freedom)
        return made if pivot is None else made.by(pivot, self.direction == "lower")

    def _pivot(self, scale: Scale | None, small_sample: bool) -> tuple[Pivot | None, str]:
        """What limits and tests are made of, if there are any, and its scale."""
        scale = scale or self._default_scale()
        check_choice(scale, "scale", ("wilson", "logit", "plain", "bca", "bc", "percentile"))
        if scale in ("bca", "bc", "percentile"):
            return self._percentiles(scale), scale
        if scale == "wilson":
            if self.effective is None:
                return None, scale
            size, freedom, signed = self.effective
            freedom = freedom if small_sample else math.inf
            if signed:
                both = -self.range[1], self.range[1]
                return SignedWilson(self._centre, both, freedom, size), scale
            return Wilson(self._centre, self.range, freedom, size), scale
        if math.isnan(self.standard_error) or self.error_of == "samples":
            return None, scale
        if self.standard_error == 0:  # exact: there is no uncertainty
            return Exact(self.value, self.range), scale
        freedom = self.degrees_of_freedom if small_sample else math.inf
        if scale == "plain":
            return Plain(self._centre, self.range, freedom, self.standard_error), scale
        if not self.range[0] < self._centre < self.range[1]:
            return None, scale
        return Logit(self._centre, self.range, freedom, self.standard_error), scale

    @property
    def _centre(self) -> float:
        """The value less its bias, in the range."""
        if self.bias == 0:
            return self.value
        return min(max(self.value - self.bias, self.range[0]), self.range[1])

    def _default_scale(self) -> Scale:
        if self.replicates is None:
            return "logit" if self.effective is None else "wilson"
        return "bc" if self.acceleration is None else "bca"

    def _percentiles(self, scale: str) -> Percentiles:
        from scipy.special import ndtri

        if self.replicates is None:
            raise InvalidInput(
                f'The scale {scale!r} needs bootstrap replicates. Pass interval="bootstrap".'
            )
        if scale == "percentile":
            return Percentiles(self.replicates, self.range)
        if scale == "bca" and self.acceleration is None:
            raise InvalidInput('The acceleration of BCa limits was not estimated. Use scale="bc".')
        least = 0.5 / len(self.replicates)
        apart = self.replicates - self.value
        same = np.abs(apart) <= ROUNDING
        share = np.mean((apart < 0) & ~same) + np.mean(same) / 2
        bias = float(ndtri(np.clip(share, least, 1 - least)))
        acceleration = self.acceleration if scale == "bca" and self.acceleration else 0.0
        return Percentiles(self.replicates, self.range, bias, acceleration)

    @property
    def note(self) -> str:
        """All notes in one line."""
        return "; ".join(note.text for note in self.notes)

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Plain values, ready for JSON: a number that does not exist is None."""
        low, high, *_ = self.interval(level)
        numbers = {
            "value": self.value,
            "standard_error": self.standard_error,
            "low": low,
            "high": high,
        }
        return {
            "metric": self.metric,
            "direction": self.direction,
            **without_nan(numbers),
            "level": level,
            **without_nan({"degrees_of_freedom": self.degrees_of_freedom}),
            "method": self.method,
            "counts": {str(label): count for label, count in self.counts.items()},
            "notes": [note._asdict() for note in self.notes],
            "settings": dict(self.settings),
        }

    def __repr__(self) -> str:
        low, high, *_ = self.interval()
        if self.error_of == "samples" and not math.isnan(self.standard_error):
            error = f"Monte Carlo error {self.standard_error:.1e}"
            return f"{self.metric} = {cell(self.value)} ({error}; no interval)"
        if math.isnan(low) and math.isnan(high):
            return f"{self.metric} = {cell(self.value)} (no interval)"
        return f"{self.metric} = {cell(self.value)} (95 % interval {cell(low)} to {cell(high)})"
