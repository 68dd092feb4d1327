"""The surface of true positive rates of three classes in three dimensions."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np

from polyroc._base.checks import whole_number
from polyroc.curves._tpr_surface import TprSurface, tpr_surface
from polyroc.display._base import PredictionsDisplay, require_classes
from polyroc.display._cross_validated import HeldOut
from polyroc.display._naming import shown_names
from polyroc.errors import NotDefined
from polyroc.predictions import Predictions, predictions_of
from polyroc.typing import Float64Array, LabelsLike, ScoresLike, WeightsLike

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_FINE = 257
"""Points on each axis to which rates are cut for the drawing."""
_LIGHT = np.array([0.3, 0.15, 0.94])


@dataclass(frozen=True, eq=False, repr=False)
class TprSurfaceDisplay(PredictionsDisplay):
    """ROC surface of Mossman: the true positive rates that a classifier of three classes reaches.

    The height over (TPR_1, TPR_2) is the greatest TPR_3 of a rule argmax_k s_k p_k whose other two
    rates are at least these (Van Calster et al. 2008 §III A). The volume under the surface is the
    share of triplets whose own assignment has the largest Σ log p. There is no surface of a
    cross-validation: triplets would compare scores of different models.

    Examples
    --------
    >>> scores = [[0.8, 0.1, 0.1], [0.1, 0.5, 0.4], [0.1, 0.5, 0.4]]
    >>> display = TprSurfaceDisplay.from_predictions(["a", "b", "c"], scores, n_grid=2)
    >>> display.heights
    array([[1., 0.],
           [1., 0.]])
    """

    projection: ClassVar[str | None] = "3d"
    surface: TprSurface
    grid: Float64Array
    """(g,) rates of the first and second class."""
    heights: Float64Array
    """(g, g) rates of the third."""

    @classmethod
    def from_predictions(
        cls,
        y_true: LabelsLike | Predictions,
        y_score: ScoresLike | None = None,
        *,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
        n_grid: int = 41,
        ax: "Axes | None" = None,
    ) -> Self:
        """From true classes and probabilities, drawn at once over n_grid² points."""
        predictions = predictions_of(y_true, y_score, labels, sample_weight)
        require_classes(predictions, cls.__name__, 3, 3, "RocCurvesDisplay")
        surface = tpr_surface(predictions)
        grid = np.linspace(0, 1, whole_number(n_grid, "n_grid", least=2))
        return cls(surface, grid, heights_over(surface.rates, grid))._drawn(ax)

    @classmethod
    def _from_folds(cls, held_out: HeldOut, **options: Any) -> Self:
        raise NotDefined(
            f"{cls.__name__} has no form for cross-validation: its triplets would compare scores "
            "of different models. Draw from_predictions of one fold, or use RocCurvesDisplay."
        )

    def frame(self) -> "pd.DataFrame":
        """A row per point of the grid: the three rates."""
        import pandas as pd

        first, second = np.meshgrid(self.grid, self.grid, indexing="ij")
        columns = (first, second, self.heights)
        return pd.DataFrame(
            {
                f"rate_{label}": column.ravel()
                for label, column in zip(self.surface.classes, columns, strict=True)
            }
        )

    def _size(self) -> tuple[float, float]:
        return 6.6, 5.8

    def _faces(self) -> Any:
        """The surface and the walls under its edges, the brighter the higher and the more upright.

        A mesh over (TPR_1, TPR_2) would have teeth where the surface ends and its height drops to
        0. Seen from the origin it has no such place.
        """
        from matplotlib import colormaps
        from mpl_toolkits.mplot3d.art3d import (  # type: ignore[import-untyped]
            Poly3DCollection,
        )

        quads = seen_from_the_origin(self.surface.rates, max(len(self.grid) // 2, 2))
        normal = np.cross(quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1])
        length = np.linalg.norm(normal, axis=1)
        quads, normal = quads[length > 0], normal[length > 0] / length[length > 0, None]
        colors = colormaps["cividis"](quads[:, :, 2].mean(axis=1))
        colors[:, :3] *= 0.6 + 0.4 * np.abs(normal @ _LIGHT)[:, None]
        return Poly3DCollection(quads, facecolors=colors, edgecolors="0.35", linewidths=0.2)

    def _draw(self, ax: "Axes") -> None:
        solid = cast("Any", ax)  # three-dimensional axes have no types of their own
        solid.add_collection3d(self._faces())
        names = [f"TPR of {name}" for name in shown_names(self.surface.classes, most=20)]
        solid.set(xlim=(0, 1), ylim=(0, 1), zlim=(0, 1), xlabel=names[0], ylabel=names[1])
        solid.set_zlabel(names[2])
        for axis in (solid.xaxis, solid.yaxis):
            axis.set_ticks([0.2, 0.4, 0.6, 0.8])  # 1.0 of both would meet in the front corner
            axis.labelpad = 10
        solid.set_title(f"Volume {self.surface.volume:.3f}", fontsize="medium")
        solid.view_init(elev=24, azim=38)
        solid.set_box_aspect(None, zoom=0.82)


def seen_from_the_origin(rates: Float64Array, n: int) -> Float64Array:
    """(3 n², 4, 3) quadrilaterals of the border of all rates that some point reaches.

    Directions are the points of n × n meshes on the three far faces of the unit cube. Along a
    direction u the border is at the greatest of min_k rate_k / u_k, which changes with u without
    jumps. Rates are cut to multiples of 1/256.

    Examples
    --------
    >>> border = seen_from_the_origin(np.array([[0.5, 1.0, 0.8]]), 4)
    >>> border.shape, border.max(axis=(0, 1))
    ((48, 4, 3), array([0.5, 1. , 0.8]))
    """
    grid = np.linspace(0, 1, _FINE)
    heights = heights_over(rates, grid)
    first, second = np.nonzero(heights)
    points = np.column_stack([grid[first], grid[second], heights[first, second]])
    steps = np.linspace(0, 1, n + 1)
    along = np.stack([*np.meshgrid(steps, steps, indexing="ij"), np.ones((n + 1, n + 1))], axis=2)
    faces = [along[:, :, order] for order in ([2, 0, 1], [1, 2, 0], [0, 1, 2])]
    return np.concatenate([_quadrilaterals(_border(points, face)) for face in faces])


def _border(points: Float64Array, directions: Float64Array) -> Float64Array:
    """The farthest point of each direction that some point reaches."""
    found = np.zeros_like(directions)
    for row, column in np.ndindex(directions.shape[:2]):
        direction = directions[row, column]
        used = direction > 0
        reach = (points[:, used] / direction[used]).min(axis=1)
        found[row, column] = reach.max(initial=0) * direction
    return found


def _quadrilaterals(mesh: Float64Array) -> Float64Array:
    """The cells of a mesh, their corners in turn."""
    corners = mesh[:-1, :-1], mesh[1:, :-1], mesh[1:, 1:], mesh[:-1, 1:]
    return np.stack(corners, axis=2).reshape(-1, 4, 3)


def heights_over(rates: Float64Array, grid: Float64Array) -> Float64Array:
    """(g, g) greatest third rate of the points whose first two reach those of the grid.

    Examples
    --------
    >>> heights_over(np.array([[1, 0.5, 0.2], [0.5, 1, 0.4]]), np.array([0, 0.5, 1]))
    array([[0.4, 0.4, 0.4],
           [0.4, 0.4, 0.4],
           [0.2, 0.2, 0. ]])
    """
    heights = np.zeros((len(grid), len(grid)))
    reached = np.searchsorted(grid, rates[:, :2], side="right") - 1
    np.maximum.at(heights, (reached[:, 0], reached[:, 1]), rates[:, 2])
    for axis in (0, 1):
        heights = np.flip(np.maximum.accumulate(np.flip(heights, axis), axis=axis), axis)
    return heights
