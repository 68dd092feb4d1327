"""One-vs-one ROC curves: a panel for each pair of classes, both orientations in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from polyroc.curves._roc import RocCurve, one_vs_one_roc
from polyroc.display._base import PredictionsDisplay, require_classes
from polyroc.display._cross_validated import HeldOut
from polyroc.display._marks import line_options, unit_square
from polyroc.display._mean_curve import mean_curve
from polyroc.display._naming import wrapped_names
from polyroc.display._rate_bands import thinned
from polyroc.predictions import Predictions, predictions_of
from polyroc.typing import Label, LabelsLike, ScoresLike, WeightsLike

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MOST_CLASSES = 6
"""Panels of more classes are too small to read."""

MOST_POINTS = 500


@dataclass(frozen=True, eq=False, repr=False)
class OneVsOneRocDisplay(PredictionsDisplay):
    """ROC curves of all ordered pairs of classes, the two orientations of a pair in one panel.

    The curve of (k, r) ranks the cases of both classes by the scores of k, in the style of k; the
    number beside that style is its AUC(k|r). With ``from_cv_results`` a curve is the mean of those
    of the folds at each false positive rate, and its AUC their mean.

    Examples
    --------
    >>> y = ["a", "b", "b"]
    >>> p = [[0.5, 0.5], [0.5, 0.5], [0.25, 0.75]]
    >>> OneVsOneRocDisplay.from_predictions(y, p).curves
    {('a', 'b'): RocCurve('a' against 'b': 3 points, area 0.75),
     ('b', 'a'): RocCurve('b' against 'a': 3 points, area 0.75)}
    """

    styles = ("line_kw",)

    curves: dict[tuple[Label, Label], RocCurve]
    classes: tuple[Label, ...]

    @classmethod
    def from_predictions(
        cls,
        y_true: LabelsLike | Predictions,
        y_score: ScoresLike | None = None,
        *,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """From true classes and scores of any kind, drawn at once."""
        predictions = predictions_of(y_true, y_score, labels, sample_weight)
        require_classes(predictions, cls.__name__, 2, MOST_CLASSES, "PairwiseAucDisplay")
        curves = one_vs_one_roc(predictions, drop_collinear=True)
        return cls._of(curves, predictions.classes)._drawn(ax)

    @classmethod
    def _from_folds(  # type: ignore[override]  # it has no other options
        cls, held_out: HeldOut, *, ax: "Axes | None" = None
    ) -> Self:
        whole = held_out.by_fold
        require_classes(whole, cls.__name__, 2, MOST_CLASSES, "PairwiseAucDisplay")
        parts = [one_vs_one_roc(whole.part(rows)) for rows in whole.fold_rows]
        curves = {pair: mean_curve([part[pair] for part in parts]) for pair in parts[0]}
        return cls._of(curves, whole.classes)._drawn(ax)

    @classmethod
    def _of(
        cls, curves: Mapping[tuple[Label, Label], RocCurve], classes: tuple[Label, ...]
    ) -> Self:
        return cls({pair: thinned(each, MOST_POINTS) for pair, each in curves.items()}, classes)

    def frame(self) -> "pd.DataFrame":
        """A row per point of each curve, with its area."""
        import pandas as pd

        frames = [curve.frame().assign(area=curve.area) for curve in self.curves.values()]
        points: pd.DataFrame = pd.concat(frames, ignore_index=True)
        return points

    def _size(self) -> tuple[float, float]:
        side = 1.9 * max(len(self.classes) - 1, 2)
        return side + 1.2, side + 0.8

    def _draw(self, ax: "Axes") -> None:
        ax.set_axis_off()
        n_panels = len(self.classes) - 1
        names = wrapped_names(self.classes, width=18)
        for row in range(n_panels):
            for column in range(row + 1):
                panel = ax.inset_axes(_place(row, column, n_panels))
                self._draw_panel(panel, column, row + 1)
                if row == n_panels - 1:
                    panel.set_xlabel(names[column], fontsize="small")
                if column == 0:
                    panel.set_ylabel(names[row + 1], fontsize="small")
        self._add_legend(ax, names)

    def _draw_panel(self, panel: "Axes", first: int, second: int) -> None:
        unit_square(panel, "", "")
        panel.set_xticks([0, 1])
        panel.set_yticks([0, 1])
        panel.tick_params(labelsize="x-small")
        for k, r in ((first, second), (second, first)):
            curve = self.curves[self.classes[k], self.classes[r]]
            area = f"{curve.area:.3f}"
            x, y = curve.false_positive_rate, curve.true_positive_rate
            panel.plot(x, y, label=area, **line_options(k, 2))
        panel.legend(loc="lower right", frameon=False, fontsize="small", handlelength=2.6)

    def _add_legend(self, ax: "Axes", names: list[str]) -> None:
        from matplotlib.lines import Line2D

        handles = [Line2D([], [], **line_options(k, 2)) for k in range(len(names))]
        ax.legend(
            handles,
            names,
            title="TPR against FPR,\nranked by the scores of",
            loc="upper right" if len(names) > 2 else "upper left",
            bbox_to_anchor=None if len(names) > 2 else (1.01, 1.0),
            fontsize="small",
            handlelength=3,
        )


def _place(row: int, column: int, n_panels: int) -> tuple[float, float, float, float]:
    """Left, bottom, width and height of a panel in a triangle of them, the longest row below."""
    step = 1 / n_panels
    return column * step, 1 - (row + 1) * step, 0.86 * step, 0.86 * step
