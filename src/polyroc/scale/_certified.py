"""Metrics of a summary: bounds that hold for certain, with a standard error beside them."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from polyroc._base.tables import html_table, text_table, without_nan
from polyroc.errors import UnknownName
from polyroc.results import Estimate, Interval
from polyroc.typing import Float64Array, Label

if TYPE_CHECKING:
    import pandas as pd


ONE_VALUE = 1e-9
"""Bounds no further apart than this are one value, known up to rounding."""


def outward(low: float, high: float, digits: int) -> tuple[float, float]:
    """Bounds with so many decimals, rounded away from each other: what was between them still is.

    Bounds that are one value are rounded as such.

    Examples
    --------
    >>> outward(0.70006, 0.70014, 4), outward(2 / 3, 2 / 3, 4)
    ((0.7, 0.7002), (0.6667, 0.6667))
    """
    if not high - low > ONE_VALUE:
        return round(low, digits), round(high, digits)
    scale = 10**digits
    return math.floor(low * scale) / scale, math.ceil(high * scale) / scale


@dataclass(frozen=True)
class Certified:
    """Bounds of a metric of the data: the value in memory is certain to lie between them.

    The standard error says how far the value may be from that of the population, which is another
    matter: bounds describe what the summary lost, errors the uncertainty of the sample.
    """

    metric: str
    low: float
    high: float
    standard_error: float = math.nan
    note: str = ""
    range: tuple[float, float] = (0.0, 1.0)

    @property
    def midpoint(self) -> float:
        """The middle of the bounds."""
        return self.low + (self.high - self.low) / 2

    @property
    def width(self) -> float:
        """Distance between the bounds; 0 where the value is known exactly."""
        return self.high - self.low

    def interval(self, level: float = 0.95) -> Interval:
        """Confidence limits on the logit scale: the lower from ``low``, the upper from ``high``."""
        ends = [
            Estimate(self.metric, end, self.standard_error, "summary", range=self.range)
            for end in (self.low, self.high)
        ]
        lower, upper = (end.interval(level) for end in ends)
        return Interval(lower.low, upper.high, level, "logit")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return without_nan(self._row())

    def _row(self) -> dict[str, Any]:
        return {
            "metric": self.metric,
            "low": self.low,
            "high": self.high,
            "midpoint": self.midpoint,
            "width": self.width,
            "standard_error": self.standard_error,
            "note": self.note,
        }

    def printed_row(self) -> dict[str, Any]:
        """The row with bounds that still hold after four decimals."""
        low, high = outward(self.low, self.high, 4)
        return {**self._row(), "low": low, "high": high}

    def __repr__(self) -> str:
        if math.isnan(self.low):
            return f"{self.metric} is not defined: {self.note}"
        low, high = outward(self.low, self.high, 6)
        value = f"= {low:.6f}" if self.width <= ONE_VALUE else f"in [{low:.6f}, {high:.6f}]"
        known = not math.isnan(self.standard_error)
        error = f"standard error {self.standard_error:.2g}" if known else self.note
        return f"{self.metric} {value}, {error}"


@dataclass(frozen=True)
class CertifiedEvaluation(Mapping[str, Certified]):
    """Bounds of several metrics for the same data, and of all pairwise AUCs."""

    metrics: tuple[Certified, ...]
    counts: Mapping[Label, int]
    """Cases of each class."""
    pairwise_low: Float64Array = field(repr=False, compare=False)
    pairwise_high: Float64Array = field(repr=False, compare=False)
    columns: tuple[str, ...] = field(default=(), repr=False)
    """Columns of a table that the scores were read from."""

    @property
    def n_cases(self) -> int:
        """Cases in all."""
        return sum(self.counts.values())

    def __getitem__(self, metric: str) -> Certified:
        for each in self.metrics:
            if each.metric == metric:
                return each
        names = ", ".join(each.metric for each in self.metrics)
        raise UnknownName(f"{metric!r} was not evaluated. There are {names}.")

    def __iter__(self) -> Iterator[str]:
        return (each.metric for each in self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)

    def frame(self) -> "pd.DataFrame":
        """A row per metric: metric, low, high, midpoint, width, standard_error, note."""
        import pandas as pd

        return pd.DataFrame([each._row() for each in self.metrics])

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "counts": {str(label): count for label, count in self.counts.items()},
            "metrics": [each.to_dict() for each in self.metrics],
        }

    def __repr__(self) -> str:
        return text_table([each.printed_row() for each in self.metrics])

    def _repr_html_(self) -> str:
        return html_table([each.printed_row() for each in self.metrics])
