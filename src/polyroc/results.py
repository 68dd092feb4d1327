"""Results: a value with its uncertainty, frozen, that is asked for intervals later."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from polyroc._base.checks import check_choice, shown
from polyroc.errors import InvalidInput, UnknownName
from polyroc.typing import Float64Array, Label

if TYPE_CHECKING:
    import pandas as pd

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
        self, level: float = 0.95, *, scale: Scale | None = None, small_sample: bool = True
    ) -> Interval:
        """Confidence limits of the true value.

        ``scale`` is ``"wilson"`` (the default), ``"logit"`` or ``"plain"``; with bootstrap
        replicates also ``"percentile"``, ``"bc"`` or ``"bca"``, their bias-corrected and (with an
        estimated acceleration) accelerated percentiles, the default then. ``small_sample=False``
        uses the normal quantile instead of that of t. Where the error is that of Monte Carlo
        samples, what is known of the true value is not, and there are no limits.
        """
        check_level(level)
        scale = scale or self._default_scale()
        check_choice(scale, "scale", ("wilson", "logit", "plain", "bca", "bc", "percentile"))
        if scale in ("bca", "bc", "percentile"):
            return self._percentiles(level, scale)
        if scale == "wilson":
            return self._wilson(level, small_sample)
        if math.isnan(self.standard_error) or self.error_of == "samples":
            return Interval(math.nan, math.nan, level, scale)
        if self.standard_error == 0:  # exact: there is nothing to be unsure of
            return Interval(self.value, self.value, level, scale)
        quantile = two_sided_quantile(level, self.degrees_of_freedom if small_sample else math.inf)
        if scale == "plain":
            reach = quantile * self.standard_error
            return Interval(self._centre - reach, self._centre + reach, level, scale)
        return self._logit(level, quantile)

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

    def _wilson(self, level: float, small_sample: bool) -> Interval:
        """Where (θ̂ − θ)² ≤ q² θ(1 − θ)/n, θ being a share of the range."""
        if self.effective is None:
            return Interval(math.nan, math.nan, level, "wilson")
        size, freedom, signed = self.effective
        squared = two_sided_quantile(level, freedom if small_sample else math.inf) ** 2 / size
        lowest, highest = (-self.range[1] if signed else self.range[0]), self.range[1]
        share = (self._centre - lowest) / (highest - lowest)
        reach = math.sqrt(squared * (share * (1 - share) + squared / 4))
        low, high = (
            lowest + (highest - lowest) * (share + squared / 2 + side) / (1 + squared)
            for side in (-reach, reach)
        )
        low = lowest if share <= 0 else max(low, lowest)
        high = highest if share >= 1 else min(high, highest)
        if signed and low < 0:
            low, high = 0.0, max(high, -low)
        return Interval(low, high, level, "wilson")

    def _logit(self, level: float, quantile: float) -> Interval:
        lowest, highest = self.range
        width = highest - lowest
        share = (self._centre - lowest) / width
        if not 0 < share < 1:
            return Interval(math.nan, math.nan, level, "logit")
        reach = quantile * self.standard_error / width / (share * (1 - share))
        centre = math.log(share / (1 - share))
        low, high = (
            lowest + width / (1 + math.exp(-limit)) if limit > -700 else lowest
            for limit in (centre - reach, centre + reach)
        )
        return Interval(low, high, level, "logit")

    def _percentiles(self, level: float, scale: str) -> Interval:
        from scipy.special import ndtr, ndtri

        if self.replicates is None:
            raise InvalidInput(
                f'The scale {scale!r} needs bootstrap replicates. Pass interval="bootstrap".'
            )
        if scale == "bca" and self.acceleration is None:
            raise InvalidInput('The acceleration of BCa limits was not estimated. Use scale="bc".')
        tails = np.array([(1 - level) / 2, (1 + level) / 2])
        if scale in ("bca", "bc"):
            least = 0.5 / len(self.replicates)
            share = (
                np.mean(self.replicates < self.value) + np.mean(self.replicates == self.value) / 2
            )
            bias = ndtri(np.clip(share, least, 1 - least))
            shifted = bias + ndtri(tails)
            acceleration = self.acceleration if scale == "bca" and self.acceleration else 0.0
            tails = ndtr(bias + shifted / (1 - acceleration * shifted))
        low, high = np.quantile(self.replicates, tails)
        return Interval(float(low), float(high), level, scale)

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


def quantile_above(tail: float, degrees_of_freedom: float = math.inf) -> float:
    """What t, or the normal distribution, exceeds with this probability; infinite for 0."""
    from scipy.special import ndtri, stdtrit

    if tail == 0:
        return math.inf
    infinite = math.isinf(degrees_of_freedom)
    return -float(ndtri(tail) if infinite else stdtrit(degrees_of_freedom, tail))


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
