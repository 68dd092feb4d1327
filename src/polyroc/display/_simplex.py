"""The triangle of predicted probabilities of three classes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from polyroc._base.checks import whole_number
from polyroc.display._base import PredictionsDisplay, require_classes
from polyroc.display._marks import GREY, mark_of
from polyroc.display._naming import shown_names, wrapped_names
from polyroc.display._ternary import CORNERS, placed
from polyroc.display._triplets import MARKERS, Triplet, draw_triplet, triplets_of
from polyroc.metrics import registry
from polyroc.predictions import Predictions, predictions_of
from polyroc.statistics.means import Means
from polyroc.typing import Float64Array, IntArray, Label, LabelsLike, ScoresLike, WeightsLike

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class SimplexDisplay(PredictionsDisplay):
    """Predicted probabilities of three classes in the triangle whose corners are the classes.

    A case at a corner has the probability 1 of its class, one on the opposite side 0. Shown are
    the cases, the mean of each class, the triangle of the means, whose share of the area is AOT,
    and the lines from the means to their corners, whose lengths make TL. Triplets are drawn as in
    Figures 1 and 2 of Van Calster et al. 2008: square, triangle and star for a case of the first,
    second and third class. ``from_cv_results`` draws the cases of all folds.

    Examples
    --------
    >>> y, p = [0, 1, 2], [[1, 0, 0], [0, 1, 0], [0, 0.5, 0.5]]
    >>> display = SimplexDisplay.from_predictions(y, p)
    >>> display.triangle_area, display.means[2]
    (0.5, array([0. , 0.5, 0.5]))
    """

    classes: tuple[Label, ...]
    cases: Float64Array
    """(m, 3) probabilities of the cases that are drawn."""
    codes: IntArray
    """(m,) position of their classes."""
    n_cases: int
    means: Float64Array
    triangle_area: float
    total_length: float
    triplets: tuple[Triplet, ...]

    @classmethod
    def from_predictions(
        cls,
        y_true: LabelsLike | Predictions,
        y_score: ScoresLike | None = None,
        *,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        triplets: Iterable[Iterable[int]] = (),
        most_cases: int = 3000,
        ax: "Axes | None" = None,
    ) -> Self:
        """From true classes and probabilities, drawn at once.

        ``triplets`` holds triples of row numbers as given, one of each class. Of more than
        ``most_cases`` cases so many are drawn, evenly spaced in their order; means are those of
        all.
        """
        predictions = predictions_of(y_true, y_score, labels, sample_weight)
        require_classes(predictions, cls.__name__, 3, 3, "PairwiseAucDisplay or RocCurvesDisplay")
        rows, n = predictions.probabilities(cls.__name__), len(predictions)
        drawn = np.arange(n)[:: -(-n // whole_number(most_cases, "most_cases", least=1))]
        made = cls(
            predictions.classes,
            np.asarray(rows[drawn], dtype=np.float64),
            predictions.codes[drawn],
            n,
            Means.of(predictions).vectors,
            registry["triangle_area"].of(predictions),
            registry["total_length"].of(predictions),
            triplets_of(_unweighted(y_true, y_score, labels), triplets),
        )
        return made._drawn(ax)

    def frame(self) -> "pd.DataFrame":
        """A row per point: kind, triplet, class, its probabilities and its place."""
        import pandas as pd

        parts = [("case", -1, self.codes, self.cases), ("mean", -1, range(3), self.means)]
        parts += [("triplet", t, range(3), each.rows) for t, each in enumerate(self.triplets)]
        frames = []
        for kind, number, codes, rows in parts:
            columns: dict[str, Any] = {"kind": kind, "triplet": number}
            columns["class"] = [self.classes[k] for k in codes]
            columns |= {f"p_{label}": rows[:, k] for k, label in enumerate(self.classes)}
            x, y = placed(rows).T
            frames.append(pd.DataFrame(columns | {"x": x, "y": y}))
        return pd.concat(frames, ignore_index=True)

    def _size(self) -> tuple[float, float]:
        return 6.6, 5.6

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        cases: bool = True,
        means: bool = True,
        equal_probability: bool = False,
        line_kw: Mapping[str, Any] | None = None,
        band_kw: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the triangle; ``cases`` and ``means`` say whether those are shown.

        ``equal_probability`` adds the dashed lines of Figure 1(f) to triplets: a triplet is right
        by the rule of VUS₂ if no case lies beyond the line of another. There are no curves for
        ``line_kw`` and no bands for ``band_kw``.
        """
        draw = partial(self._draw, cases=cases, means=means, equal_probability=equal_probability)
        return self._plotted(ax, draw, line_kw, band_kw)

    def _draw(
        self,
        ax: "Axes",
        cases: bool = True,
        means: bool = True,
        equal_probability: bool = False,
    ) -> None:
        self._draw_frame(ax)
        if cases:
            self._draw_cases(ax)
        if means:
            self._draw_means(ax)
        for number, triplet in enumerate(self.triplets):
            draw_triplet(ax, triplet, number, equal_probability)
        ax.legend(loc="upper left", bbox_to_anchor=(0.72, 1.0), fontsize="small")

    def _draw_frame(self, ax: "Axes") -> None:
        ax.fill(*CORNERS.T, facecolor="none", edgecolor="black", linewidth=1)
        aligned = (("left", "top", -0.03), ("right", "top", -0.03), ("center", "bottom", 0.02))
        names = wrapped_names(self.classes)
        for name, (x, y), (across, along, shift) in zip(names, CORNERS, aligned, strict=True):
            ax.text(x, y + shift, name, ha=across, va=along)
        ax.set(xlim=(-0.08, 1.08), ylim=(-0.15, 1.0), aspect="equal")
        ax.set_axis_off()

    def _draw_cases(self, ax: "Axes") -> None:
        fade = float(np.clip(60 / np.sqrt(len(self.cases)) / 4, 0.15, 0.7))
        for k, name in enumerate(shown_names(self.classes)):
            x, y = placed(self.cases[self.codes == k]).T
            ax.plot(
                x, y, linestyle="", marker=MARKERS[k], markersize=4, alpha=fade,
                markeredgewidth=0, color=mark_of(k).colour, label=name,
            )  # fmt: skip
        if len(self.cases) < self.n_cases:
            note = f"{len(self.cases):,} of {self.n_cases:,} cases"
            ax.text(0.0, 1.0, note, transform=ax.transAxes, va="top", fontsize="small")

    def _draw_means(self, ax: "Axes") -> None:
        corners = placed(self.means)
        label = f"means, AOT {self.triangle_area:.3f}"
        ax.fill(*corners.T, facecolor="none", edgecolor="black", linewidth=1.4, label=label)
        for k, (mean, corner) in enumerate(zip(corners, CORNERS, strict=True)):
            text = f"to the corners, TL {self.total_length:.3f}" if k == 0 else None
            ax.plot(*np.transpose([mean, corner]), color=GREY, linestyle="--", zorder=3, label=text)
            ax.plot(
                *mean, marker=MARKERS[k], markersize=10, markeredgecolor="black",
                color=mark_of(k).colour, linestyle="",
            )  # fmt: skip


def _unweighted(
    y_true: LabelsLike | Predictions, y_score: ScoresLike | None, labels: LabelsLike | None
) -> Predictions:
    """All cases, those of weight 0 too where there are any: triplets may name them."""
    return y_true if isinstance(y_true, Predictions) else predictions_of(y_true, y_score, labels)
