"""Volume and expected cost of the ideal observer of three classes against their separation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from polyroc._base.checks import shown, whole_number
from polyroc._base.random import seed_of
from polyroc.display._base import Display
from polyroc.display._marks import COLOURS
from polyroc.errors import InvalidInput
from polyroc.typing import Float64Array, RandomState

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from polyroc.utility._mixtures import GaussianMixture
    from polyroc.utility._surface_average import SurfaceIntegrals

SEPARATIONS = (0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)


@dataclass(frozen=True, eq=False, repr=False)
class ObserverCostDisplay(Display):
    """HUH and SAEC of three equally distant Gaussians against the distance.

    HUH, the volume under the ROC hypersurface, is near 0 for observers that are nearly perfect and
    for those that nearly guess, so that it cannot tell them apart; SAEC decreases throughout
    (Edwards & Metz 2007). The classes are alike, so that HUH is the mean over the six errors that
    may be its last axis. Bars are two standard errors of the simulation: some ten seconds by
    default.

    Examples
    --------
    >>> display = ObserverCostDisplay.of((1, 2), n_blocks=4, n_draws=4_000, rng=0)
    >>> bool(display.saec[0] > display.saec[1])
    True
    """

    separations: Float64Array
    huh: Float64Array
    huh_error: Float64Array
    saec: Float64Array
    saec_error: Float64Array
    seed: int

    @classmethod
    def of(
        cls,
        separations: Sequence[float] = SEPARATIONS,
        *,
        n_blocks: int = 8,
        n_draws: int = 40_000,
        rng: RandomState = None,
    ) -> Self:
        """Unit Gaussians in the plane at these pairwise distances, by independent draws."""
        from polyroc.utility._surface_average import mean_error

        values = np.unique(np.asarray(separations, dtype=np.float64))
        if not len(values) or not (np.isfinite(values).all() and values[0] > 0):
            raise InvalidInput(f"separations must be positive numbers, got {shown(separations)}.")
        whole_number(n_blocks, "n_blocks", least=2)
        seed = seed_of(rng)
        found = [_integrals(float(value), n_blocks, n_draws, seed) for value in values]
        volumes = np.array([mean_error(each.parts.mean(axis=1)) for each in found])
        costs = np.array([each.cost for each in found])
        (huh, huh_error), (saec, saec_error) = volumes.T, costs.T
        return cls(values, huh, huh_error, saec, saec_error, seed)

    def frame(self) -> "pd.DataFrame":
        """A row per separation: both values and their standard errors."""
        import pandas as pd

        names = ("huh", "huh_error", "saec", "saec_error")
        columns = {name: getattr(self, name) for name in names}
        return pd.DataFrame({"separation": self.separations, **columns})

    def _size(self) -> tuple[float, float]:
        return 6.4, 5.6

    def _draw(self, ax: "Axes") -> None:
        ax.set_axis_off()
        upper, lower = ax.inset_axes((0, 0.54, 1, 0.46)), ax.inset_axes((0, 0, 1, 0.46))
        rows = (
            (upper, self.huh, self.huh_error, COLOURS[0], "HUH"),
            (lower, self.saec, self.saec_error, COLOURS[4], "SAEC"),
        )
        for axes, value, error, colour, name in rows:
            axes.errorbar(
                self.separations, value, 2 * error, color=colour, marker="o", markersize=4,
                capsize=3,
            )  # fmt: skip
            axes.set(ylabel=name)
            axes.set_ylim(bottom=0)
            axes.set_xlim(0, 1.03 * self.separations[-1])
        upper.ticklabel_format(axis="y", style="plain")
        upper.tick_params(axis="x", labelbottom=False)
        lower.set(xlabel="Distance between the means, in standard deviations")


def _three_gaussians(separation: float) -> "list[GaussianMixture]":
    from polyroc.utility._mixtures import GaussianMixture

    radius = separation / np.sqrt(3)
    angles = 2 * np.pi * np.arange(3) / 3
    return [GaussianMixture([radius * np.cos(a), radius * np.sin(a)]) for a in angles]


def _integrals(separation: float, n_blocks: int, n_draws: int, seed: int) -> "SurfaceIntegrals":
    from polyroc.utility._observer import ideal_observer

    observer = ideal_observer(_three_gaussians(separation))
    return observer.integrals(n_blocks=n_blocks, n_draws=n_draws, rng=seed)
