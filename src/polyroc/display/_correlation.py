"""Correlations between metrics as a heat map."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from polyroc._base.checks import shown
from polyroc.display._base import Display
from polyroc.display._matrix import Scale, draw_matrix, matrix_frame, matrix_size
from polyroc.errors import InvalidType
from polyroc.inference._study.result import Correlation, Study
from polyroc.typing import Float64Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class CorrelationDisplay(Display):
    """Correlations between metrics over the splits of a study, averaged over its learners.

    Table 1 of Van Calster et al. 2008 as a figure.
    """

    matrix: Float64Array
    metrics: tuple[str, ...]
    method: str

    @classmethod
    def from_study(cls, study: Study, method: Correlation = "spearman") -> Self:
        """From the result of ``study``."""
        if not isinstance(study, Study):
            raise InvalidType(f"Pass the result of study, got {shown(study)}.")
        return cls(study.correlations(method).to_numpy(), study.metrics, method)

    def frame(self) -> "pd.DataFrame":
        """A row per ordered pair of metrics: metric_a, metric_b, correlation."""
        return matrix_frame(self.matrix, self.metrics, ("metric_a", "metric_b", "correlation"))

    def _size(self) -> tuple[float, float]:
        return matrix_size(self.metrics)

    def _draw(self, ax: "Axes") -> None:
        scale = Scale(f"{self.method.title()} correlation", -1.0, 1.0, "PuOr", "{:.2f}")
        draw_matrix(ax, self.matrix, self.metrics, scale)
