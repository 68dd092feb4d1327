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

from polyroc._base.checks import check_choice
from polyroc._base.hypotheses import Alternative, checked_margin
from polyroc._base.pivots import upper_tail
from polyroc.inference._comparison import WITHIN, Difference
from polyroc.metrics.declaration import Metric

Reference = Literal["t", "normal"]


@dataclass(frozen=True)
class Hypothesis:
    """The alternative of a test of differences, its margin and its reference distribution."""

    alternative: Alternative = "two-sided"
    margin: float = 0.0
    reference: Reference = "t"

    @classmethod
    def of(cls, alternative: Any, margin: Any, reference: Any = "t") -> "Hypothesis":
        """A checked hypothesis."""
        margin = checked_margin(alternative, margin)
        check_choice(reference, "reference", get_args(Reference))
        return cls(alternative, margin, reference)

    def tests(self, rows: list[Difference], metric: Metric) -> list[Difference]:
        """Rows with the p-values of this alternative; those given are of two-sided tests."""
        if self.alternative == "two-sided":
            return rows
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
            return upper_tail(statistic, row.degrees_of_freedom)

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
