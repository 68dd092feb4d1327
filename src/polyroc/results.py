"""Results: a value with its uncertainty, frozen, that is asked for intervals later."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from polyroc._base.checks import check_choice, shown
from polyroc._base.hypotheses import Alternative, checked_margin, claim, p_in_words, tails_of
from polyroc._base.pivots import Exact, Logit, Percentiles, Pivot, Plain, SignedWilson, Wilson
from polyroc.errors import InvalidInput, InvalidType, UnknownName
from polyroc.typing import Float64Array, Label

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Effective", "Estimate", "Evaluation", "Interval", "Note", "ValueTest"]

Scale = Literal["wilson", "logit", "plain", "bca", "bc", "percentile"]


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float
    level: float
    scale: str


class Effective(NamedTuple):
    """As many cases as would give a share the variance of this value, and how well it is known."""

    size: float
    degrees_of_freedom: float
    signed: bool = False
    """Whether the value is the size of a number that may be negative, such as a determinant: then
    the limits are those of the number, and contain 0 where its sign is not known."""


class Note(NamedTuple):
    """Something right but surprising about a number: a code to look up, and the fact in words."""

    code: str
    text: str


@dataclass(frozen=True)
class ValueTest:
    """A test of the value of a metric against a constant; see :meth:`Estimate.test`."""

    metric: str
    value: float
    against: float
    alternative: str
    margin: float
    scale: str
    degrees_of_freedom: float
    statistic: float = math.nan
    """Of t, or of the normal distribution; NaN for percentiles of replicates."""
    p_value: float = math.nan

    def by(self, pivot: Pivot, lower_is_better: bool) -> "ValueTest":
        """The test with its statistic and p-value."""
        lower, upper = self.against - self.margin, self.against + self.margin
        if self.alternative == "two-sided":
            tails = pivot.p_above(self.against), pivot.p_below(self.against)
            return self._found(pivot, self.against, min(1.0, 2 * min(tails)))
        if self.alternative == "equivalent":
            above, below = pivot.p_above(lower), pivot.p_below(upper)
            return self._found(pivot, lower if above >= below else upper, max(above, below))
        upwards = (self.alternative != "less") != lower_is_better
        bound = upper if upwards == (self.alternative != "noninferior") else lower
        return self._found(pivot, bound, pivot.p_above(bound) if upwards else pivot.p_below(bound))

    def _found(self, pivot: Pivot, bound: float, p_value: float) -> "ValueTest":
        return replace(self, statistic=pivot.statistic(bound), p_value=p_value)

    def conclusion(self, level: float = 0.95) -> str:
        """What the test shows, in a sentence; empty if there is no test."""
        check_level(level)
        if math.isnan(self.p_value):
            return ""
        rejected = self.p_value <= 1 - level + 1e-12
        said = claim(self.alternative, rejected, f"{self.value:.4f}", f"{self.against:g}")
        within = f" (margin {self.margin:g})" if self.margin else ""
        return f"{self.metric}: {said}{within}, {p_in_words(self.p_value)}."

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: a number that does not exist, or is infinite, is None."""
        return without_nan(vars(self))


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
        if self.standard_error == 0:  # exact: there is nothing to be unsure of
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
        share = np.mean(self.replicates < self.value) + np.mean(self.replicates == self.value) / 2
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
            "degrees_of_freedom": (
                None if math.isinf(self.degrees_of_freedom) else self.degrees_of_freedom
            ),
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


@dataclass(frozen=True)
class Evaluation(Mapping[str, Estimate]):
    """Estimates of several metrics for the same predictions."""

    estimates: tuple[Estimate, ...]
    level: float = 0.95
    joint: Float64Array | None = field(default=None, repr=False, compare=False)
    """Covariances of the values, where they come from influence values."""

    def covariance(self) -> "pd.DataFrame":
        """How the values vary together: covariances, a row and a column per metric.

        From influence values, or from the replicates of a bootstrap; NaN where a metric has no
        standard error, and between values from random tuples. The diagonal holds the squares of
        the standard errors, and the variance of a difference of two metrics of the same cases is
        V_aa + V_bb − 2 V_ab.

        Examples
        --------
        >>> from polyroc import evaluate
        >>> from polyroc.datasets import example_predictions
        >>> y, models, labels = example_predictions()
        >>> found = evaluate(y, models["forest"], ["hand_till", "pdi"], labels=labels)
        >>> v = found.covariance()
        >>> errors = [each.standard_error for each in found.values()]
        >>> round(float(v.loc["hand_till", "pdi"] / (errors[0] * errors[1])), 3)
        0.989
        """
        import pandas as pd

        names, matrix = list(self), self.joint
        if matrix is None:
            if all(each.replicates is None for each in self.estimates):
                raise InvalidInput(
                    "There are no covariances without standard errors. Pass "
                    'interval="influence" or "bootstrap".'
                )
            matrix = self._of_replicates()
        return pd.DataFrame(matrix, index=names, columns=names)

    def _of_replicates(self) -> Float64Array:
        """Covariances over the replicates; NaN for a metric without any."""
        n = max(len(each.replicates) for each in self.estimates if each.replicates is not None)
        none = np.full(n, np.nan)
        drawn = [none if each.replicates is None else each.replicates for each in self.estimates]
        return np.atleast_2d(np.cov(np.array(drawn))).astype(np.float64)

    def __getitem__(self, metric: str) -> Estimate:
        for estimate in self.estimates:
            if estimate.metric == metric:
                return estimate
        names = ", ".join(estimate.metric for estimate in self.estimates)
        raise UnknownName(f"{metric!r} was not evaluated. There are {names}.")

    def __iter__(self) -> Iterator[str]:
        return (estimate.metric for estimate in self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def frame(self, level: float | None = None) -> "pd.DataFrame":
        """A row per metric: metric, value, standard_error, low, high, method, note."""
        import pandas as pd

        return pd.DataFrame(self._rows(self.level if level is None else level))

    def _rows(self, level: float) -> list[dict[str, Any]]:
        return [
            {
                "metric": estimate.metric,
                "value": estimate.value,
                "standard_error": estimate.standard_error,
                "low": estimate.interval(level).low,
                "high": estimate.interval(level).high,
                "method": estimate.method,
                "note": estimate.note,
            }
            for estimate in self.estimates
        ]

    def to_dict(self, level: float | None = None) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        level = self.level if level is None else level
        return {"level": level, "metrics": [each.to_dict(level) for each in self.estimates]}

    def __repr__(self) -> str:
        return text_table(self._rows(self.level))

    def _repr_html_(self) -> str:
        return html_table(self._rows(self.level))


def without_nan(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row for JSON: a number that does not exist, or is infinite, is None."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in row.items()
    }


def two_sided_quantile(level: float, degrees_of_freedom: float = math.inf) -> float:
    """Quantile of the t distribution (normal for infinite degrees of freedom)."""
    from scipy.special import ndtri, stdtrit

    check_level(level)
    upper = (1 + level) / 2
    if math.isinf(degrees_of_freedom):
        return float(ndtri(upper))
    return float(stdtrit(degrees_of_freedom, upper))


def check_constant(against: Any, allowed: tuple[float, float]) -> None:
    """What a value is tested against lies in the range of the metric."""
    if isinstance(against, bool) or not isinstance(against, (int, float)):
        raise InvalidType(f"against must be a number, got {shown(against)}.")
    lowest, highest = allowed
    if not lowest <= against <= highest:
        raise InvalidInput(
            f"against must lie in the range of the metric, {lowest:g} to {highest:g}, got "
            f"{against!r}."
        )


def check_level(level: float) -> None:
    """A confidence level lies between 0 and 1."""
    if not isinstance(level, (int, float)) or not 0 < level < 1:
        raise InvalidInput(
            f"level must lie between 0 and 1, got {shown(level)}. Pass 0.95 for 95 %."
        )


def text_table(rows: list[dict[str, Any]]) -> str:
    """Rows as aligned text, numbers with four digits."""
    if not rows:
        return "(nothing)"
    cells = [list(rows[0])] + [[_cell_of(*item) for item in row.items()] for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    numeric = [isinstance(value, float) for value in rows[0].values()]
    lines = (
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in cells
    )
    return "\n".join(lines)


def html_table(rows: list[dict[str, Any]]) -> str:
    """Rows as an HTML table; all text is escaped."""
    head = "".join(f"<th>{escape(name)}</th>" for name in (rows[0] if rows else {}))
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_cell_of(*item))}</td>" for item in row.items()) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell_of(column: str, value: Any) -> str:
    return p_cell(value) if column in ("p_value", "p_adjusted") else cell(value)


def p_cell(value: float) -> str:
    """A p-value; one that is too small for a float is not 0.

    Examples
    --------
    >>> p_cell(0.04), p_cell(2e-9), p_cell(0.0)
    ('0.0400', '2.0e-09', '<1e-300')
    """
    return "<1e-300" if value == 0 else cell(value)


def cell(value: Any) -> str:
    """A cell of a table: four decimals, fewer zeros for small p-values, a dash for NaN."""
    if not isinstance(value, float):
        return str(value)
    if math.isnan(value):
        return "–"
    return f"{value:.4f}" if value == 0 or abs(value) >= 1e-4 else f"{value:.1e}"
