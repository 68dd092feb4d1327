"""A metric in the slices of attributes, beside its value for all cases."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from polyroc._base.checks import shown
from polyroc._base.levels import check_level
from polyroc._base.tables import table_rows
from polyroc.display._base import Display
from polyroc.display._intervals import IntervalRow, draw_intervals, rows_size
from polyroc.display._marks import GREY
from polyroc.errors import InvalidType, NotDefined, UnknownName
from polyroc.inference import SlicedEvaluation
from polyroc.metrics import registry

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class SliceDisplay(Display):
    """A metric in each slice with its interval, the worst slice of each attribute first.

    The line is the value for all cases; a star marks a slice that differs from the rest at the
    level of the intervals, by Holm's adjusted p-value.

    Examples
    --------
    >>> from polyroc import evaluate
    >>> y, p = [0, 0, 1, 1] * 4, [0.1, 0.4, 0.35, 0.8, 0.2, 0.3, 0.6, 0.7] * 2
    >>> site = ["a", "a", "a", "a", "b", "b", "b", "b"] * 2
    >>> found = evaluate(y, p, ["roc_auc"], by={"site": site})
    >>> SliceDisplay.from_evaluation(found).frame()[["attribute", "slice", "value"]]
      attribute slice  value
    0      site     a   0.75
    1      site     b   1.00
    """

    styles = ("line_kw",)

    metric: str
    table: "pd.DataFrame"
    """Rows of :meth:`polyroc.inference.SlicedEvaluation.frame` that are drawn."""
    overall: float
    level: float

    @classmethod
    def from_evaluation(
        cls,
        evaluation: SlicedEvaluation,
        metric: str | None = None,
        *,
        attribute: str | None = None,
        level: float | None = None,
    ) -> Self:
        """From the result of ``evaluate(…, by=…)``.

        Parameters
        ----------
        evaluation : the result.
        metric : the metric to show; by default the first.
        attribute : the only attribute to show of several.
        level : confidence level; by default that of the evaluation.
        """
        if not isinstance(evaluation, SlicedEvaluation):
            raise InvalidType(f"Pass the result of evaluate(…, by=…), got {shown(evaluation)}.")
        if attribute is not None and attribute not in evaluation.slices:
            there = ", ".join(evaluation.slices)
            raise UnknownName(f"There is no attribute {shown(attribute)}. There are {there}.")
        metric = next(iter(evaluation)) if metric is None else metric
        overall, level = evaluation[metric].value, evaluation.level if level is None else level
        check_level(level)
        table = evaluation.frame(level)
        kept = (table["metric"] == metric) & np.isfinite(table["value"])
        if attribute is not None:
            kept &= table["attribute"] == attribute
        if not kept.any():
            raise NotDefined(f"No slice has a value of {metric}. The notes say why.")
        return cls(metric, table[kept].reset_index(drop=True), overall, level)

    @property
    def rows(self) -> tuple[IntervalRow, ...]:
        """What is drawn, in order."""
        return tuple(
            IntervalRow(
                f"{r.attribute} = {r.slice}",
                self.metric,
                r.value,
                r.low,
                r.high,
                _text(r, self.level),
            )
            for r in table_rows(self.table)
        )

    def frame(self) -> "pd.DataFrame":
        """A row per slice: those of the evaluation, and the value for all cases, ``overall``."""
        return self.table.assign(overall=self.overall)

    def _size(self) -> tuple[float, float]:
        return rows_size(self.rows)

    def _draw(self, ax: "Axes") -> None:
        ax.axvline(self.overall, color=GREY, linewidth=1, linestyle=":")
        draw_intervals(ax, self.rows, beside=False)
        better = " (lower is better)" if registry.sign_of(self.metric) < 0 else ""
        limits = f"{100 * self.level:g} % interval"
        ax.set_xlabel(f"{self.metric}{better} with {limits}; line: all cases, {self.overall:.3f}")


def _text(row: object, level: float) -> str:
    """Value, cases, and whether the slice differs from the rest."""
    value, cases, p = (getattr(row, name) for name in ("value", "cases", "p_adjusted"))
    star = " *" if p <= 1 - level else ""
    return f"{value:.3f}  n = {cases:,}{star}"
