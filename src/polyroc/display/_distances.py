"""How far the operating points of surfaces lie from random allocation."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from polyroc._base.checks import whole_number
from polyroc.display._base import Display
from polyroc.display._marks import GREY, mark_of
from polyroc.display._naming import shown_names
from polyroc.display._surfaces import named_surfaces
from polyroc.surface._gini import DistanceHistogram, distance_histogram

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class DistanceHistogramDisplay(Display):
    """Histograms of the signed distances of operating points from random allocation.

    Everson & Fieldsend 2006, Figure 8. Negative distances are better than chance; a point on the
    other side gives up some rates for others. All surfaces share their bins.

    Examples
    --------
    >>> from polyroc.surface import ScoreModel, search
    >>> model = ScoreModel([0, 1, 0, 1], [0.1, 0.35, 0.4, 0.8])
    >>> surface = search(model, generations=10, rng=0, progress=False)
    >>> display = DistanceHistogramDisplay.from_surfaces(surface, bins=1)
    >>> display.histograms["scores"].counts, display.histograms["scores"].better_than_chance
    (array([2]), 2)
    """

    histograms: Mapping[str, DistanceHistogram]

    @classmethod
    def from_surfaces(cls, surfaces: Any, *, bins: int = 40) -> Self:
        """From a surface, or several of the same classes by name."""
        named = named_surfaces(surfaces)
        bins = whole_number(bins, "bins", least=1)
        distances = np.concatenate([surface.signed_distance() for surface in named.values()])
        edges = np.histogram_bin_edges(distances, bins=bins)
        return cls(
            {
                name: distance_histogram(surface.rates, surface.n_classes, bins=edges)
                for name, surface in named.items()
            }
        )

    def frame(self) -> "pd.DataFrame":
        """A row per bin of each surface: surface, from, to, points."""
        import pandas as pd

        frames = [each.frame().assign(surface=name) for name, each in self.histograms.items()]
        found: pd.DataFrame = pd.concat(frames, ignore_index=True)
        return found[["surface", "from", "to", "points"]]

    def _size(self) -> tuple[float, float]:
        return 6.4, 4.2 + 0.4 * -(-len(self.histograms) // 2)

    def _draw(self, ax: "Axes") -> None:
        ax.axvline(0, color=GREY, linestyle=":", linewidth=1.2)
        for k, (name, each) in enumerate(zip(self._names(), self.histograms.values(), strict=True)):
            mark = mark_of(k)
            ax.stairs(each.counts, each.edges, fill=True, color=mark.colour, alpha=0.2)
            ax.stairs(
                each.counts, each.edges, color=mark.colour, linestyle=mark.dashes, linewidth=1.5,
                label=name,
            )  # fmt: skip
        low = min(each.edges[0] for each in self.histograms.values())
        high = max(each.edges[-1] for each in self.histograms.values())
        gap = 0.04 * (max(high, 0) - low)
        ax.set(xlim=(low - gap, max(high, 0) + gap), ylabel="Operating points")
        ax.set_xlabel("Signed distance from random allocation (negative is better)")
        ax.set_ylim(bottom=0)
        ax.legend(
            loc="lower left", bbox_to_anchor=(0, 1.01), ncols=2, fontsize="small", handlelength=3
        )  # fmt: skip

    def _names(self) -> list[str]:
        names = shown_names(self.histograms, most=22)
        return [
            f"{name}\n{each.better_than_chance:,} of {int(each.counts.sum()):,} better than chance"
            for name, each in zip(names, self.histograms.values(), strict=True)
        ]
