"""Coverage against risk, with pointwise limits."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from polyroc.display._base import PredictionsDisplay
from polyroc.display._marks import band_options, line_options
from polyroc.predictions import Predictions
from polyroc.surface._costs import CostsLike
from polyroc.surface._risk_coverage import RiskCoverage, risk_coverage
from polyroc.typing import LabelsLike, ScoresLike, WeightsLike

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

WIDE_LIMITS = 0.05
"""Limits for smaller shares of the cases are wide and may be cut off."""


@dataclass(frozen=True, eq=False)
class RiskCoverageDisplay(PredictionsDisplay):
    """Mean cost of the cases decided, against their share, if the least certain are referred.

    ``from_cv_results`` takes the cases of all folds together: one rule decides about all of them.

    Attributes
    ----------
    curve : :class:`~polyroc.surface.RiskCoverage`.
    """

    styles = ("line_kw", "band_kw")

    curve: RiskCoverage

    @classmethod
    def from_predictions(
        cls,
        y_true: LabelsLike | Predictions,
        y_score: ScoresLike | None = None,
        *,
        costs: CostsLike | None = None,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        level: float = 0.95,
        ax: "Axes | None" = None,
    ) -> Self:
        """From true classes and probabilities, drawn at once."""
        found = risk_coverage(
            y_true, y_score, costs=costs, labels=labels, sample_weight=sample_weight, level=level
        )
        return cls(found)._drawn(ax)

    def frame(self) -> "pd.DataFrame":
        """Coverage, risk, low, high and threshold."""
        return self.curve.frame()

    def _draw(self, ax: "Axes") -> None:
        curve = self.curve
        style = {**line_options(0, 1), "drawstyle": "steps-pre"}
        band = band_options(style["color"])
        ax.fill_between(curve.coverage, curve.low, curve.high, step="pre", **band)
        ax.plot(curve.coverage, curve.risk, label=f"area {curve.area:.3g}", **style)
        ax.set_xlim(0, 1)
        shown = curve.high[curve.coverage >= WIDE_LIMITS]
        ax.set_ylim(0, 1.05 * float(shown.max(initial=float(curve.risk.max()))) or 1.0)
        ax.set_xlabel("share of cases decided (coverage)")
        ax.set_ylabel("mean cost of the cases decided (risk)")
        ax.legend(loc="upper left")
