"""What a comparison is to show: a difference, superiority, non-inferiority or equivalence.

Let e be the difference a − b of a metric where higher is better, and b − a where lower is better,
with standard error s, m ≥ 0 the margin, and T the reference distribution:

    greater       H₀: e ≤ m     p = P(T ≥ (e − m)/s)
    less          H₀: e ≥ −m    p = P(T ≤ (e + m)/s)
    noninferior   H₀: e ≤ −m    p = P(T ≥ (e + m)/s)
    equivalent    H₀: |e| ≥ m   the larger of P(T ≥ (e + m)/s) and P(T ≤ (e − m)/s)
"""

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from polyroc._base.checks import check_choice, shown
from polyroc.errors import InvalidInput, InvalidType
from polyroc.inference._comparison import WITHIN, Difference
from polyroc.metrics.declaration import Metric

Alternative = Literal["two-sided", "greater", "less", "noninferior", "equivalent"]
Reference = Literal["t", "normal"]

_NEEDS_MARGIN = ("noninferior", "equivalent")


@dataclass(frozen=True)
class Hypothesis:
    """The alternative of a test of differences, its margin and its reference distribution."""

    alternative: Alternative = "two-sided"
    margin: float = 0.0
    reference: Reference = "t"

    @classmethod
    def of(cls, alternative: Any, margin: Any, reference: Any = "t") -> "Hypothesis":
        """A checked hypothesis."""
        check_choice(alternative, "alternative", get_args(Alternative))
        check_choice(reference, "reference", get_args(Reference))
        if margin is None:
            if alternative in _NEEDS_MARGIN:
                raise InvalidInput(
                    f'alternative="{alternative}" needs a margin. Pass margin=, the largest '
                    "difference that does not matter."
                )
            return cls(alternative, 0.0, reference)
        return cls(alternative, _checked(margin, alternative), reference)

    def tests(self, rows: list[Difference], metric: Metric) -> list[Difference]:
        """Rows with the p-values of this alternative; those given are of two-sided tests."""
        lower = metric.direction == "lower"
        return [
            replace(
                row,
                p_value=self.p_value(row, lower),
                alternative=self.alternative,
                margin=self.margin,
                lower_is_better=lower,
            )
            for row in rows
        ]

    def p_value(self, row: Difference, lower_is_better: bool) -> float:
        """P-value of a difference; that of the row if two-sided."""
        if self.alternative == "two-sided" or math.isnan(row.standard_error):
            return row.p_value
        ahead = -row.difference if lower_is_better else row.difference

        def beyond(bound: float, side: int = 1) -> float:
            statistic = side * (ahead - bound) / row.standard_error
            return _upper_tail(statistic, row.degrees_of_freedom)

        if self.alternative == "greater":
            return beyond(self.margin)
        if self.alternative == "less":
            return beyond(-self.margin, side=-1)
        if self.alternative == "noninferior":
            return beyond(-self.margin)
        return max(beyond(-self.margin), beyond(self.margin, side=-1))

    def settings(self) -> dict[str, Any]:
        """What a result says of its tests."""
        return {
            "alternative": self.alternative,
            "margin": self.margin,
            "reference": self.reference,
            "adjusted_for": WITHIN,
        }


def _checked(margin: Any, alternative: str) -> float:
    """The margin as a number that makes sense for an alternative."""
    if isinstance(margin, bool) or not isinstance(margin, (int, float)):
        raise InvalidType(f"margin must be a number, got {shown(margin)}.")
    if alternative == "two-sided":
        raise InvalidInput(
            f"margin={margin!r} has no meaning for a two-sided test. Pass alternative="
            '"noninferior", "equivalent", "greater" or "less".'
        )
    least = "positive" if alternative in _NEEDS_MARGIN else "at least 0"
    if not (0 <= margin < math.inf) or (margin == 0 and alternative in _NEEDS_MARGIN):
        raise InvalidInput(f"margin must be {least} and finite, got {margin!r}.")
    return float(margin)


def _upper_tail(statistic: float, freedom: float) -> float:
    """P(T ≥ t), by t or, with infinite degrees of freedom, by the normal distribution."""
    from scipy.special import ndtr, stdtr

    return float(ndtr(-statistic) if math.isinf(freedom) else stdtr(freedom, -statistic))
