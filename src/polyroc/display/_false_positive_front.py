"""A ROC surface seen in the space of one error rate per class."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import check_choice
from polyroc.display._base import Display
from polyroc.display._marks import GREY, MARKERS, mark_of
from polyroc.display._naming import shown_names
from polyroc.display._surfaces import checked_surface, named_points, thinned
from polyroc.errors import NotDefined
from polyroc.surface._costs import errors, matrices
from polyroc.surface._objectives import objective_values, on_front
from polyroc.surface._operating_point import SurfacePoint
from polyroc.typing import BoolArray, Float64Array, Int64Array, Label

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from polyroc.surface._front import RocSurface

PerClass = Literal["errors_into", "errors_of"]
AXIS = {"errors_into": "Errors into {}", "errors_of": "Errors of {}"}


@dataclass(frozen=True, eq=False, repr=False)
class FalsePositiveFrontDisplay(Display):
    """Operating points by the rates F_k, coloured by the class into which most cases are misplaced.

    Everson & Fieldsend 2006, Figures 5 and 6; two or three classes. ``"errors_into"`` adds the
    rates of the errors that end in a class, as the text of the paper says; ``"errors_of"`` those
    made on its cases, as eq. 12 is printed. Points that no other dominates in these rates (eq. 13)
    stand out; on a surface that was searched for all rates most are dominated.

    Examples
    --------
    >>> from polyroc.surface import ScoreModel, search
    >>> model = ScoreModel([0, 1, 0, 1], [0.1, 0.35, 0.4, 0.8])
    >>> surface = search(model, generations=10, rng=0, progress=False)
    >>> FalsePositiveFrontDisplay.from_surface(surface).frame()
       point  errors into 0  errors into 1 most_errors_into  on_front
    0      0            0.5            0.0                0      True
    1      1            0.0            0.5                1      True
    """

    points: NDArray[np.intp]
    """Positions on the surface of the points drawn."""
    rates: Float64Array
    """(m, K) F_k of each."""
    most_errors_into: Int64Array
    """(m,) position in ``classes`` of the class into which most cases are misplaced."""
    on_front: BoolArray
    classes: tuple[Label, ...]
    objectives: PerClass
    n_points: int
    chosen: Mapping[str, SurfacePoint] = field(default_factory=dict)
    """Operating points that are marked, by name."""

    @classmethod
    def from_surface(
        cls,
        surface: "RocSurface",
        *,
        objectives: PerClass = "errors_into",
        most_points: int = 10_000,
        chosen: SurfacePoint | Mapping[str, SurfacePoint] | None = None,
    ) -> Self:
        """All points of a surface, or evenly spaced ones of a larger one; chosen ones are marked.

        ``chosen`` is an operating point, such as ``surface.choose(criterion="knee")``, or several
        by name.
        """
        surface = checked_surface(surface)
        check_choice(objectives, "objectives", tuple(AXIS))
        if surface.n_classes > 3:
            raise NotDefined(
                f"{cls.__name__} shows 2 to 3 classes, got {surface.n_classes}. "
                f'Use ParallelCoordinatesDisplay with objectives="{objectives}".'
            )
        points = thinned(len(surface), most_points)
        rates = objective_values(surface.rates, surface.n_classes, objectives)
        front = on_front(rates)
        misplaced = matrices(surface.rates, surface.n_classes) * surface.class_weights[:, None]
        into = misplaced.sum(axis=1).argmax(axis=1).astype(np.int64)
        return cls(
            points, rates[points], into[points], front[points], surface.classes, objectives,
            len(surface), named_points(chosen, surface.classes),
        )  # fmt: skip

    @property
    def projection(self) -> str | None:  # type: ignore[override]
        """Three axes for three classes, two for two."""
        return "3d" if len(self.classes) == 3 else None

    def frame(self) -> "pd.DataFrame":
        """A row per point: position on the surface, F_k, class of most errors, whether on front."""
        import pandas as pd

        names = [f"{self.objectives.replace('_', ' ')} {label}" for label in self.classes]
        return pd.DataFrame(
            {
                "point": self.points,
                **dict(zip(names, self.rates.T, strict=True)),
                "most_errors_into": np.array(self.classes, dtype=object)[self.most_errors_into],
                "on_front": self.on_front,
            }
        )

    def _size(self) -> tuple[float, float]:
        return (7.4, 6.6) if self.projection else (5.6, 5.6)

    def _draw(self, ax: "Axes") -> None:
        axes = cast("Any", ax)  # three-dimensional axes have no types of their own
        for k, name in enumerate(shown_names(self.classes)):
            own = self.most_errors_into == k
            style = {
                "linestyle": "", "marker": MARKERS[k], "color": mark_of(k).colour,
                "markeredgewidth": 0,
            }  # fmt: skip
            behind, front = self.rates[own & ~self.on_front], self.rates[own & self.on_front]
            axes.plot(*behind.T, markersize=2.5, alpha=0.3, **style)
            axes.plot(*front.T, markersize=4.5, alpha=0.85, label=name, **style)
        self._mark_chosen(axes)
        labels = [AXIS[self.objectives].format(name) for name in shown_names(self.classes, 20)]
        axes.set(xlabel=labels[0], ylabel=labels[1])
        if self.projection:
            self._finish_three(axes, labels[2])
        else:
            axes.plot([0, 1], [1, 0], color=GREY, linewidth=0.8, linestyle=":", zorder=1)
            axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        self._name(axes)

    def _mark_chosen(self, axes: Any) -> None:
        """A star for each chosen point, in front of all others."""
        for k, (name, point) in enumerate(self.chosen.items()):
            own = errors(point.confusion)[None]
            place = objective_values(own, len(self.classes), self.objectives)[0]
            axes.plot(
                *([value] for value in place), linestyle="", marker="*", markersize=17,
                color=mark_of(len(self.classes) + k).colour, markeredgecolor="black",
                markeredgewidth=0.9, label=shown_names([name])[0], zorder=20,
            )  # fmt: skip

    def _finish_three(self, solid: Any, label: str) -> None:
        solid.set_zlabel(label)
        for axis, top in zip((solid.xaxis, solid.yaxis, solid.zaxis), self._tops(), strict=True):
            axis.axes.set(**{f"{axis.axis_name}lim": (0, top)})
            axis.set_major_locator(_inner_ticks())
            axis.labelpad = 8
        solid.view_init(elev=26, azim=40)
        solid.set_box_aspect(None, zoom=0.87)
        solid.computed_zorder = not self.chosen  # chosen points come last, in front

    def _tops(self) -> Float64Array:
        """How far each axis goes: to its largest rate, and not less than a tenth."""
        return np.asarray(np.maximum(self.rates.max(axis=0) * 1.03, 0.1))

    def _name(self, axes: Any) -> None:
        place = "upper left" if self.projection else "upper right"
        axes.legend(
            title="Most errors go into", fontsize="small", title_fontsize="small", loc=place
        )
        if len(self.points) < self.n_points:
            note = f"{len(self.points):,} of {self.n_points:,} operating points"
            axes.set_title(note, fontsize="small")


def _inner_ticks() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(4, prune="both")
