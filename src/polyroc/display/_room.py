"""Room for what stands beside the axes: numbers, legends, scales of colours.

A figure made for a display makes room by itself. One with axes of the user's own may not: then the
axes shrink until all that was drawn lies where they were, and nothing covers their neighbours.
"""

from typing import TYPE_CHECKING, Any, cast

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARGINS = np.array([0.125, 0.11, 0.01, 0.06])
"""Beyond the axes on the left, below, on the right and above, as shares of the figure."""
EDGE = 0.01
"""Share of the figure at its edges that stays empty: text is a little wider in some files."""
SIGNS = np.array([-1, -1, 1, 1])
LEAST = 0.3
"""Share of their size that the axes keep."""
TIMES = 3
"""How often they are measured; what stands beside them moves along."""


def makes_room(ax: "Axes") -> bool:
    """Whether the figure has a layout that takes what stands beside its axes into account."""
    engine = ax.figure.get_layout_engine()
    return engine is not None and engine.adjust_compatible is False


class Inset:
    """Where axes are drawn: in their place, less a margin on each side.

    Their place stays what it was, so that ``tight_layout`` and ``subplots_adjust`` still work.
    """

    def __init__(self, ax: "Axes", margins: Any) -> None:
        self.ax, self.margins = ax, margins

    def get_subplotspec(self) -> Any:
        """Which of the subplots it is, as ``tight_layout`` asks for it."""
        return self.ax.get_subplotspec()

    def __call__(self, ax: Any, renderer: Any) -> Any:
        """The box of the axes, as matplotlib asks for it whenever it draws."""
        from matplotlib.transforms import Bbox

        return Bbox.from_extents(*(_place(ax) - SIGNS * self.margins))


def keep_in_place(ax: "Axes") -> None:
    """Shrink axes whose decorations reach beyond their place in the figure."""
    if not isinstance(ax.get_axes_locator(), Inset | None):
        return  # something else places them
    place, margins = _place(ax), np.zeros(4)
    limits = np.clip(place + SIGNS * MARGINS, EDGE, 1 - EDGE)
    most = (1 - LEAST) * np.tile(place[2:] - place[:2], 2)
    ax.set_axes_locator(cast(Any, None))
    for _ in range(TIMES):
        beyond = np.maximum(0, SIGNS * (_extents(ax) - limits))
        if not (beyond > 0.002).any():
            return
        margins = margins + beyond
        both = np.tile(margins[:2] + margins[2:], 2)
        margins = margins * np.minimum(1, most / np.maximum(both, 1e-9))
        ax.set_axes_locator(Inset(ax, margins))


def _place(ax: "Axes") -> Any:
    """Left, lower, right and upper end of the axes as the user has placed them."""
    return np.array(ax.get_position(original=True).extents)


def _extents(ax: "Axes") -> Any:
    """The same of all that is drawn, as shares of the figure."""
    box = ax.get_tightbbox()
    if box is None:
        return _place(ax)
    return np.array(box.transformed(ax.figure.transSubfigure.inverted()).extents)
