"""Differences between models with intervals and p-values."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from polyroc._base.checks import shown
from polyroc._base.hypotheses import limits_in_words
from polyroc.display._base import Display
from polyroc.display._intervals import IntervalRow, draw_intervals, rows_size
from polyroc.display._marks import GREY
from polyroc.display._naming import short_names
from polyroc.errors import InvalidType, NotDefined
from polyroc.inference._comparison import Comparison, Difference

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonDisplay(Display):
    """Differences of metrics between pairs of models, with intervals and p-values.

    The p-values are Holm's over the pairs of models, within each metric.

    Examples
    --------
    >>> from polyroc import compare
    >>> y = [0, 0, 1, 1, 1]
    >>> models = {"a": [0.1, 0.4, 0.35, 0.8, 0.7], "b": [0.5, 0.4, 0.35, 0.8, 0.2]}
    >>> display = ComparisonDisplay.from_comparison(compare(y, models, ["roc_auc"]))
    >>> display.frame()[["metric", "model_a", "model_b", "difference"]].round(4)
        metric model_a model_b  difference
    0  roc_auc       a       b         0.5
    """

    styles = ("line_kw",)

    differences: tuple[Difference, ...]
    level: float

    @classmethod
    def from_comparison(cls, comparison: Comparison, *, level: float | None = None) -> Self:
        """From the result of ``compare``; a metric without a difference has no row."""
        if not isinstance(comparison, Comparison):
            raise InvalidType(f"Pass the result of compare, got {shown(comparison)}.")
        known = tuple(d for d in comparison.differences if np.isfinite(d.difference))
        if not known:
            raise NotDefined("There is no difference to show. The notes of the comparison say why.")
        return cls(known, comparison.level if level is None else level)

    @property
    def rows(self) -> tuple[IntervalRow, ...]:
        """What is drawn, in order."""
        names = dict.fromkeys(m for d in self.differences for m in (d.model_a, d.model_b))
        short = dict(zip(names, short_names(names, most=18), strict=True))
        return tuple(self._row(each, short) for each in self.differences)

    def _row(self, each: Difference, short: dict[str, str]) -> IntervalRow:
        low, high, *_ = each.interval(self.level)
        signed = f"{each.difference:+.3f}".replace("-", "−")
        text = signed + ("" if np.isnan(each.p_value) else _p_text(each))
        series = f"{short[each.model_a]} − {short[each.model_b]}"
        return IntervalRow(each.metric, series, each.difference, low, high, text)

    def frame(self) -> "pd.DataFrame":
        """A row per mark: metric, models, difference, low, high, p_value, p_adjusted."""
        import pandas as pd

        rows = []
        for each in self.differences:
            low, high, *_ = each.interval(self.level)
            models = each.metric, each.model_a, each.model_b
            rows.append((*models, each.difference, low, high, each.p_value, each.p_adjusted))
        names = "metric model_a model_b difference low high p_value p_adjusted"
        return pd.DataFrame(rows, columns=names.split())

    def _size(self) -> tuple[float, float]:
        return rows_size(self.rows)

    def _draw(self, ax: "Axes") -> None:
        ax.axvline(0, color=GREY, linewidth=1, linestyle=":")
        draw_intervals(ax, self.rows)
        told = limits_in_words(self.differences[0].alternative, self.level)
        ax.set_xlabel(f"Difference with {told}")


def _p_text(each: Difference) -> str:
    p = each.p_value if np.isnan(each.p_adjusted) else each.p_adjusted
    return "  p < 0.001" if p < 0.001 else f"  p = {p:.3f}"
