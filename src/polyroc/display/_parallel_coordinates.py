"""The operating points of a surface as lines over all its error rates."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import check_choice
from polyroc.display._base import Display
from polyroc.display._marks import MARKERS, mark_of
from polyroc.display._naming import literal, short_names, shown_names
from polyroc.display._surfaces import checked_surface, named_points, thinned
from polyroc.errors import NotDefined
from polyroc.surface._costs import errors
from polyroc.surface._objectives import OBJECTIVES, Objectives, objective_values
from polyroc.surface._operating_point import SurfacePoint
from polyroc.typing import Float64Array, Label

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from polyroc.surface._front import RocSurface

MOST_AXES = 30
LONGEST_NAME = 10


@dataclass(frozen=True, eq=False, repr=False)
class ParallelCoordinatesDisplay(Display):
    """A line per operating point over one axis per error (truth → decision).

    For surfaces of any number of classes, up to 30 axes: all errors of up to six classes, or one
    rate per class with ``objectives="errors_into"`` or ``"errors_of"``. Chosen points stand out.

    Examples
    --------
    >>> from polyroc.surface import ScoreModel, search
    >>> model = ScoreModel([0, 1, 0, 1], [0.1, 0.35, 0.4, 0.8])
    >>> surface = search(model, generations=10, rng=0, progress=False)
    >>> ParallelCoordinatesDisplay.from_surface(surface).frame()
       point chosen  0 → 1  1 → 0
    0      0           0.0    0.5
    1      1           0.5    0.0
    """

    points: NDArray[np.intp]
    """Positions on the surface of the points drawn."""
    rates: Float64Array
    """(m, d) values of each on the axes."""
    chosen: Mapping[str, SurfacePoint]
    chosen_rates: Float64Array
    classes: tuple[Label, ...]
    objectives: Objectives
    n_points: int

    @classmethod
    def from_surface(
        cls,
        surface: "RocSurface",
        *,
        chosen: SurfacePoint | Mapping[str, SurfacePoint] | None = None,
        objectives: Objectives = "pairs",
        most_points: int = 2_000,
    ) -> Self:
        """All points of a surface, or evenly spaced ones of a larger one, and chosen ones."""
        surface = checked_surface(surface)
        check_choice(objectives, "objectives", OBJECTIVES)
        n_axes = surface.rates.shape[1] if objectives == "pairs" else surface.n_classes
        if n_axes > MOST_AXES:
            raise NotDefined(
                f"{cls.__name__} shows up to {MOST_AXES} axes, got {n_axes} for "
                f"{surface.n_classes} classes. "
                + ('Pass objectives="errors_into".' if objectives == "pairs" else "Join classes.")
            )
        named = named_points(chosen, surface.classes)
        own = np.array([errors(each.confusion) for each in named.values()])
        own = own.reshape(-1, surface.rates.shape[1])
        points = thinned(len(surface), most_points)
        rates, highlighted = (
            objective_values(table, surface.n_classes, objectives)
            for table in (surface.rates[points], own)
        )
        return cls(
            points, rates, named, highlighted, surface.classes, objectives, len(surface)
        )  # fmt: skip

    def frame(self) -> "pd.DataFrame":
        """A row per line: position on the surface, name if chosen, and its rate on each axis."""
        import pandas as pd

        places = [*self.points, *(each.index for each in self.chosen.values())]
        names = [""] * len(self.points) + list(self.chosen)
        columns = dict(
            zip(self._axes(self.classes), np.vstack([self.rates, self.chosen_rates]).T, strict=True)
        )
        return pd.DataFrame({"point": places, "chosen": names, **columns})

    def _axes(self, names: "tuple[Label, ...] | list[str]") -> list[str]:
        if self.objectives != "pairs":
            words = self.objectives.replace("_", " ")
            return [f"{words} {name}" for name in names]
        return [f"{a} → {b}" for i, a in enumerate(names) for j, b in enumerate(names) if i != j]

    def _size(self) -> tuple[float, float]:
        return max(7.2, 1.6 + 0.5 * self.rates.shape[1]), 5.2

    def _draw(self, ax: "Axes") -> None:
        from matplotlib.collections import LineCollection

        across = np.arange(self.rates.shape[1])
        fade = float(np.clip(3 / np.sqrt(len(self.rates)), 0.04, 0.6))
        paths = [np.column_stack([across, row]) for row in self.rates]
        ax.vlines(across, 0, 1, transform=ax.get_xaxis_transform(), color="0.85", linewidth=0.8)
        ax.add_collection(LineCollection(paths, colors="0.55", alpha=fade, linewidths=0.9))
        for k, (name, row) in enumerate(
            zip(shown_names(self.chosen), self.chosen_rates, strict=True)
        ):
            mark = mark_of(k)
            ax.plot(
                across, row, color=mark.colour, linestyle=mark.dashes, linewidth=2,
                marker=MARKERS[k % len(MARKERS)], markersize=5, label=name,
            )  # fmt: skip
        self._name_axes(ax, across)

    def _name_axes(self, ax: "Axes", across: NDArray[Any]) -> None:
        short = short_names(self.classes, LONGEST_NAME)
        labels = [literal(text) for text in self._axes(short)]
        upright = len(labels) <= 6 and max(map(len, labels)) <= 12
        ax.set_xticks(across, labels, fontsize="medium" if len(labels) <= 12 else "small")
        if not upright:
            ax.tick_params(axis="x", labelrotation=90)
        tallest = max(float(self.rates.max()), float(self.chosen_rates.max(initial=0)), 0.05)
        room = 1.03 + 0.09 * len(self.chosen)  # for the legend, above all lines
        ax.set(xlim=(-0.3, across[-1] + 0.3), ylim=(-0.02 * tallest, room * tallest))
        ax.set_yticks([tick for tick in ax.get_yticks() if 0 <= tick <= 1.03 * tallest])
        if self.objectives == "pairs":
            ax.set_ylabel("Error rate, truth → decision")
        else:
            ax.set_ylabel("Sum of error rates")
        if len(self.points) < self.n_points:
            note = f"{len(self.points):,} of {self.n_points:,} operating points"
            ax.set_title(note, fontsize="small")
        if self.chosen:
            ax.legend(loc="upper right", fontsize="small")
