"""How a search went: G so far and the size of the archive over the generations."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from polyroc.display._base import Display
from polyroc.display._marks import line_options
from polyroc.display._naming import shown_names
from polyroc.display._surfaces import named_surfaces
from polyroc.errors import NotDefined

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class SearchProgressDisplay(Display):
    """G so far and the number of operating points against the generations of searches.

    G is followed with a fixed sample of points, so that it differs from the exact one by up to
    some thousandths. A search that is done shows a level line.

    Examples
    --------
    >>> from polyroc.surface import ScoreModel, search
    >>> model = ScoreModel([0, 1, 0, 1], [0.1, 0.35, 0.4, 0.8])
    >>> surface = search(model, generations=3, rng=0, progress=False)
    >>> SearchProgressDisplay.from_surfaces(surface).frame()[["surface", "generation", "points"]]
      surface  generation  points
    0  scores           1       2
    1  scores           2       2
    2  scores           3       2
    """

    styles = ("line_kw",)

    histories: Mapping[str, tuple[tuple[int, int, float], ...]]
    """For each surface: generation, operating points, G so far."""

    @classmethod
    def from_surfaces(cls, surfaces: Any) -> Self:
        """From a surface that was searched, or several by name."""
        named = named_surfaces(surfaces)
        histories = {
            name: tuple((int(t), int(size), float(share)) for t, size, share in history)
            for name, surface in named.items()
            for history in [surface.provenance.get("history", ())]
        }
        empty = [name for name, history in histories.items() if not history]
        if empty:
            raise NotDefined(
                f"The surface {empty[0]!r} has no history of a search. "
                "Search it with at least one generation."
            )
        return cls(histories)

    def frame(self) -> "pd.DataFrame":
        """A row per generation recorded: surface, generation, points, gini."""
        import pandas as pd

        rows = [(name, *entry) for name, history in self.histories.items() for entry in history]
        return pd.DataFrame(rows, columns=["surface", "generation", "points", "gini"])

    def _size(self) -> tuple[float, float]:
        return 6.4, 5.6

    def _draw(self, ax: "Axes") -> None:
        from matplotlib.ticker import MaxNLocator

        ax.set_axis_off()
        upper, lower = ax.inset_axes((0, 0.54, 1, 0.46)), ax.inset_axes((0, 0, 1, 0.46))
        names = shown_names(self.histories)
        for k, (name, history) in enumerate(zip(names, self.histories.values(), strict=True)):
            generations, sizes, shares = zip(*history, strict=True)
            style = line_options(k, len(names))
            upper.plot(generations, shares, label=name, **style)
            lower.plot(generations, sizes, label=name, **style)
        for panel in (upper, lower):
            panel.set_xscale("log")
            panel.xaxis.set_major_formatter("{x:,.0f}")
            panel.xaxis.set_minor_formatter("")
        upper.set_ylabel("G so far")
        upper.tick_params(axis="x", labelbottom=False)
        lower.set(ylabel="Operating points", xlabel="Generation")
        lower.yaxis.set_major_locator(MaxNLocator(5, integer=True))
        lower.yaxis.set_major_formatter("{x:,.0f}")
        if len(names) > 1:
            place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1.01), "ncols": 2}
            upper.legend(fontsize="small", handlelength=3, **place)
