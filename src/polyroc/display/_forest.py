"""Metrics with intervals, of one model or of several side by side."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from polyroc._base.checks import shown
from polyroc._base.levels import check_level
from polyroc._base.print_tables import with_interval
from polyroc.display._base import Display
from polyroc.display._intervals import IntervalRow, draw_intervals, rows_size
from polyroc.display._marks import GREY
from polyroc.errors import InvalidType, NotDefined
from polyroc.metrics import registry
from polyroc.predictions._given import checked_models
from polyroc.results import Estimate, Evaluation

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class ForestDisplay(Display):
    """Metrics of one or more models with confidence intervals, and what chance would give.

    Examples
    --------
    >>> from polyroc import evaluate
    >>> y, p = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> ForestDisplay.from_evaluations(evaluate(y, p, ["roc_auc"])).frame()[["metric", "value"]]
        metric  value
    0  roc_auc   0.75
    """

    styles = ("line_kw",)

    rows: tuple[IntervalRow, ...]
    chance: dict[str, float]
    """For each metric, its value if scores said nothing; NaN where that depends on the scores."""
    level: float

    @classmethod
    def from_evaluations(
        cls, evaluations: Evaluation | Mapping[str, Evaluation], *, level: float | None = None
    ) -> Self:
        """From the result of ``evaluate``, or from several by name of the model.

        A metric without a value has no row: its note says why.
        """
        models = (
            {"model": evaluations}
            if isinstance(evaluations, Evaluation)
            else checked_models(evaluations)
        )
        for evaluation in models.values():
            if not isinstance(evaluation, Evaluation):
                raise InvalidType(f"Pass results of evaluate, got {shown(evaluation)}.")
        level = next(iter(models.values())).level if level is None else level
        check_level(level)
        metrics = dict.fromkeys(metric for each in models.values() for metric in each)
        rows = tuple(
            _row(name, evaluation[metric], level)
            for metric in metrics
            for name, evaluation in models.items()
            if metric in evaluation and np.isfinite(evaluation[metric].value)
        )
        if not rows:
            raise NotDefined("No metric has a value. The notes of the evaluation say why.")
        chance = {m: _chance(m, models) for m in metrics if any(r.group == m for r in rows)}
        return cls(rows, chance, level)

    def frame(self) -> "pd.DataFrame":
        """A row per mark: metric, model, value, low, high, chance."""
        import pandas as pd

        rows = [
            (row.group, row.series, row.value, row.low, row.high, self.chance[row.group])
            for row in self.rows
        ]
        return pd.DataFrame(rows, columns=["metric", "model", "value", "low", "high", "chance"])

    def _size(self) -> tuple[float, float]:
        return rows_size(self.rows)

    def _draw(self, ax: "Axes") -> None:
        several = len({row.series for row in self.rows}) > 1
        label = "chance" if several else None
        for place, value in enumerate(self.chance.values()):
            if np.isfinite(value):
                ax.plot([value, value], [place - 0.4, place + 0.4], color=GREY, label=label)
                label = None
        draw_intervals(ax, self.rows, several)
        grey = "; grey: chance" * bool(np.isfinite(list(self.chance.values())).any())
        ax.set_xlabel(f"Value with {100 * self.level:g} % interval{grey}")


def _row(model: str, estimate: Estimate, level: float) -> IntervalRow:
    low, high, *_ = estimate.interval(level)
    text = with_interval(estimate.value, low, high)
    return IntervalRow(estimate.metric, model, estimate.value, low, high, text)


def _chance(metric: str, models: Mapping[str, Evaluation]) -> float:
    """Chance for the number of classes of the first model that has the metric."""
    found = next(each[metric] for each in models.values() if metric in each)
    chance = registry[metric].chance if metric in registry else None
    return float("nan") if chance is None or not found.counts else chance(len(found.counts))
