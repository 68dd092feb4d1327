"""Where area and expected cost order binormal ROC curves differently."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from polyroc.display._base import Display
from polyroc.display._cost_grid import CostGrid, ModelName, model_named
from polyroc.display._marks import COLOURS
from polyroc.display._saec_pair import SaecPairDisplay
from polyroc.typing import Float64Array, Int64Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

RELATIVE_ERROR = 1e-9
"""Values that differ by less, relatively, count as equal: ten times what the arc length may err."""


@dataclass(frozen=True, eq=False, repr=False)
class SaecDiscordanceDisplay(Display):
    """For each curve of a grid, the share of the other curves that the metrics order differently.

    A pair of curves is discordant if one has less area and less SAEC than the other. Edwards & Metz
    2007 §5 saw no such pair among proper curves and asked whether there is none; there are. On
    their grid differences within the numerical error are not counted.

    Attributes
    ----------
    pair : two curves about which the metrics disagree.
    counts : discordant partners of each point of the grid.
    share : discordant pairs among all pairs of the grid.

    Examples
    --------
    >>> SaecDiscordanceDisplay.over_grid("proper", n_values=30).share > 0
    True
    """

    grid: CostGrid
    pair: SaecPairDisplay
    counts: Int64Array

    @classmethod
    def over_grid(cls, model: ModelName = "proper", *, n_values: int = 250) -> Self:
        """Over the paper's ranges of the parameters of ``"binormal"`` or ``"proper"`` curves."""
        grid = CostGrid.over(model_named(model), n_values)
        counts = discordant_partners(grid.area_above.ravel(), grid.saec.ravel(), RELATIVE_ERROR)
        return cls(grid, SaecPairDisplay.of(model), counts.reshape(grid.saec.shape))

    @property
    def shares(self) -> Float64Array:
        """Share of the other curves that are discordant with each."""
        return self.counts / (self.counts.size - 1)

    @property
    def share(self) -> float:
        """Discordant pairs among all pairs."""
        return float(self.shares.mean())

    def frame(self) -> "pd.DataFrame":
        """A row per point of the grid: parameters, area, saec, discordant share."""
        return self.grid.frame().assign(discordant=self.shares.ravel())

    def _draw(self, ax: "Axes") -> None:
        grid, percent = self.grid, 100 * self.shares
        mesh = ax.pcolormesh(grid.first, grid.second, percent, cmap="Blues", shading="nearest")
        style: dict[str, Any] = {"color": COLOURS[4], "markeredgecolor": "white", "zorder": 4}
        for point, marker in zip(self.pair.points, "os", strict=True):
            ax.plot(*point, marker, label=grid.model.named(point), clip_on=False, **style)
        ax.legend(loc="upper right", fontsize="small")
        bar = ax.inset_axes((1.03, 0.0, 0.04, 1.0))
        ax.figure.colorbar(mesh, cax=bar, label="Discordant partners, % of all curves")
        ax.set(xlabel=grid.model.axis_names[0], ylabel=grid.model.axis_names[1])
        title = f"{grid.model.title.capitalize()} curves: {100 * self.share:.3f} % of pairs"
        ax.set_title(title, fontsize="medium")


def discordant_partners(
    area_above: Float64Array, saec: Float64Array, tolerance: float
) -> Int64Array:
    """For each curve, how many others have more of one of 1 − AUC and SAEC and less of the other.

    Relative differences up to the tolerance do not count. O(n log² n).

    Examples
    --------
    >>> discordant_partners(np.array([0.1, 0.2, 0.3]), np.array([0.3, 0.2, 0.4]), 1e-9)
    array([1, 1, 0])
    """
    with np.errstate(divide="ignore"):  # the perfect curve has neither: −∞, and agrees with all
        area, cost = np.log(area_above), np.log(saec)
    return _beyond(area, -cost, tolerance) + _beyond(-area, cost, tolerance)


def _beyond(x: Float64Array, y: Float64Array, tolerance: float) -> Int64Array:
    """For each point, how many others exceed it by more than the tolerance in both."""
    order = np.argsort(x, kind="stable")
    start = np.searchsorted(x[order], x + tolerance, side="right")
    heights = np.sort(-y)
    rank = np.empty(len(y), dtype=np.int64)
    rank[np.argsort(-y[order], kind="stable")] = np.arange(len(y))
    return _suffix_counts(rank, start, np.searchsorted(heights, -y - tolerance, side="left"))


def _suffix_counts(rank: Int64Array, start: Int64Array, limit: Int64Array) -> Int64Array:
    """How many of rank[start:] are below the limit, for each start and limit.

    A suffix is made of blocks of sizes 1, 2, 4, …, each at a multiple of its size; all blocks of a
    size are sorted at once, and told apart by an offset.
    """
    n = 1 << len(rank).bit_length()
    padded = np.full(n, n)
    padded[: len(rank)] = rank
    start, counts = start.copy(), np.where(start == 0, limit, 0)
    size = 1
    while size < n:
        blocks = np.sort(padded.reshape(-1, size), axis=1)
        keys = (blocks + (n + 1) * np.arange(n // size)[:, None]).ravel()
        now = np.flatnonzero(start & size)
        block = start[now] // size
        counts[now] += np.searchsorted(keys, block * (n + 1) + limit[now]) - block * size
        start[now] += size
        size *= 2
    return counts
