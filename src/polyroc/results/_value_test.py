"""Tests of the value of a metric against a constant."""

import math
from dataclasses import dataclass, replace
from typing import Any

from polyroc._base.checks import shown
from polyroc._base.hypotheses import claim, p_in_words
from polyroc._base.levels import check_level
from polyroc._base.pivots import Pivot
from polyroc._base.tables import without_nan
from polyroc.errors import InvalidInput, InvalidType


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
