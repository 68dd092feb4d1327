"""Costs drawn from a Dirichlet distribution."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np

from polyroc._base.checks import generator_of, shown, whole_number
from polyroc.display._base import Display
from polyroc.display._marks import COLOURS, GREY
from polyroc.errors import InvalidInput
from polyroc.typing import Float64Array, RandomState

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class DirichletCostsDisplay(Display):
    """Three costs drawn from a Dirichlet distribution: points on the simplex Σ λ = 1.

    Everson & Fieldsend 2006, Figure 1. With all α = 1 they are spread evenly over it; in the ratio
    of expected costs they gather there, the closer the larger α is.

    Examples
    --------
    >>> display = DirichletCostsDisplay.draw(alpha=(1, 1, 2), n=5, rng=0)
    >>> display.costs.sum(axis=1)
    array([1., 1., 1., 1., 1.])
    """

    projection: ClassVar[str | None] = "3d"
    costs: Float64Array
    """(n, 3), rows sum to 1."""
    alpha: tuple[float, float, float]

    @classmethod
    def draw(
        cls, alpha: Sequence[float] = (1.0, 1.0, 1.0), n: int = 500, rng: RandomState = None
    ) -> Self:
        """n costs from Dirichlet(α)."""
        values = np.asarray(alpha, dtype=np.float64)
        if values.shape != (3,) or not (np.isfinite(values).all() and (values > 0).all()):
            raise InvalidInput(f"alpha must be three positive numbers, got {shown(alpha)}.")
        costs = generator_of(rng).dirichlet(values, whole_number(n, "n", least=1))
        first, second, third = values.tolist()
        return cls(costs, (first, second, third))

    def frame(self) -> "pd.DataFrame":
        """A row per draw: the three costs."""
        import pandas as pd

        return pd.DataFrame(self.costs, columns=["cost_1", "cost_2", "cost_3"])

    def _size(self) -> tuple[float, float]:
        return 5.8, 5.4

    def _draw(self, ax: "Axes") -> None:
        solid = cast("Any", ax)  # three-dimensional axes have no types of their own
        corners = np.eye(3)[[0, 1, 2, 0]]
        solid.plot(*corners.T, color=GREY, linewidth=1.2)
        fade = float(np.clip(15 / np.sqrt(len(self.costs)), 0.1, 0.8))
        solid.plot(
            *self.costs.T, linestyle="", marker="o", markersize=3.5, markeredgewidth=0,
            color=COLOURS[0], alpha=fade,
        )  # fmt: skip
        solid.set(xlim=(0, 1), ylim=(0, 1), zlim=(0, 1), xlabel="λ₁", ylabel="λ₂")
        solid.set_zlabel("λ₃")
        for axis in (solid.xaxis, solid.yaxis, solid.zaxis):
            axis.set_ticks([0.2, 0.4, 0.6, 0.8])  # 0 and 1 of two axes would meet in a corner
        parameters = ", ".join(f"{value:g}" for value in self.alpha)
        solid.set_title(f"{len(self.costs):,} draws from Dir({parameters})", fontsize="medium")
        solid.view_init(elev=25, azim=35)
        solid.set_box_aspect(None, zoom=0.85)
