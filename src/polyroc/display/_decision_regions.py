"""Decision regions of an operating point in the plane of two features."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from polyroc._base.checks import shown, whole_number
from polyroc.display._base import Display
from polyroc.display._marks import COLOURS, MARKERS, mark_of
from polyroc.display._naming import shown_names, wrapped_names
from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.surface._cases import Cases, cases_of, read_features
from polyroc.surface._operating_point import SurfacePoint
from polyroc.typing import Float64Array, Int64Array, Label, LabelsLike, ScoresLike

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

Posteriors: TypeAlias = Callable[[Float64Array], ArrayLike]
"""From (m, 2) features to (m, K) probabilities of the classes, in their order."""

MARGIN = 0.06
"""Room around the cases, as a share of their range."""

BOUNDARY_NAME = "ideal boundary"


@dataclass(frozen=True, eq=False, repr=False)
class DecisionRegionsDisplay(Display):
    """Which class is decided where, the cases, and the boundaries of the ideal decision.

    Everson & Fieldsend 2006, Figures 2 to 4. Tints show the class that the operating point decides
    at each place; lines show where the greatest of the true probabilities changes, which is the
    boundary of Bayes' rule for equal costs.

    Examples
    --------
    >>> from polyroc.datasets import three_class_mixture, three_class_posteriors
    >>> X, y = three_class_mixture((4, 4, 4), rng=0)
    >>> display = DecisionRegionsDisplay.from_data(X, y, boundary=three_class_posteriors, n_grid=3)
    >>> display.frame()["kind"].value_counts().to_dict()
    {'case': 12, 'place': 9}
    """

    classes: tuple[Label, ...]
    cases: Float64Array
    """(n, 2) features."""
    codes: Int64Array
    """(n,) position in ``classes`` of each case's class."""
    x: Float64Array
    y: Float64Array
    decided: Int64Array | None
    """(len(y), len(x)) position in ``classes`` of the decision; None for the cases alone."""
    posteriors: Float64Array | None
    """(len(y), len(x), K) probabilities whose greatest decides ideally."""
    title: str = ""

    @classmethod
    def from_point(
        cls,
        point: SurfacePoint,
        *,
        boundary: Posteriors | None = None,
        X: ScoresLike | None = None,
        y: LabelsLike | None = None,
        n_grid: int = 201,
    ) -> Self:
        """Regions of an operating point of a surface whose model has two features.

        ``boundary`` gives true probabilities for (m, 2) places; ``X`` and ``y`` are other cases to
        show than those of the search.
        """
        if not isinstance(point, SurfacePoint):
            raise InvalidType(
                f"Pass an operating point, as surface.choose returns it, got {shown(point)}."
            )
        features, cases = _cases_of(point, X, y)
        grid = _grid(features, n_grid)
        places = np.stack(np.meshgrid(*grid), axis=-1)
        decided = _codes_of(point.decide(places.reshape(-1, 2)), point.classes)
        ideal = _posteriors(boundary, places, len(cases.classes))
        title = f"{point.criterion} = {point.value:.4g}"
        return cls(
            cases.classes, features, cases.codes, *grid, decided.reshape(places.shape[:2]), ideal,
            title,
        )  # fmt: skip

    @classmethod
    def from_data(
        cls,
        X: ScoresLike,
        y: LabelsLike,
        *,
        labels: LabelsLike | None = None,
        boundary: Posteriors | None = None,
        n_grid: int = 201,
    ) -> Self:
        """The cases alone, and the ideal boundary where true probabilities are known."""
        cases = cases_of(y, labels)
        features = _two_features(X, len(cases))
        grid = _grid(features, n_grid)
        places = np.stack(np.meshgrid(*grid), axis=-1)
        ideal = _posteriors(boundary, places, len(cases.classes))
        return cls(cases.classes, features, cases.codes, *grid, None, ideal)

    def frame(self) -> "pd.DataFrame":
        """A row per place of the grid (class decided, ideal decision) and per case (its class)."""
        import pandas as pd

        names = np.array(self.classes, dtype=object)
        case_rows = {"kind": "case", "x": self.cases[:, 0], "y": self.cases[:, 1]}
        frames = [pd.DataFrame({**case_rows, "class": names[self.codes]})]
        columns: dict[str, Any] = {}
        if self.decided is not None:
            columns["class"] = names[self.decided.ravel()]
        if self.posteriors is not None:
            columns["ideal"] = names[self.posteriors.argmax(axis=2).ravel()]
        if columns:
            x, y = (table.ravel() for table in np.meshgrid(self.x, self.y))
            frames.insert(0, pd.DataFrame({"kind": "place", "x": x, "y": y, **columns}))
        found: pd.DataFrame = pd.concat(frames, ignore_index=True)
        return found

    def _size(self) -> tuple[float, float]:
        names = self._names()
        if _in_one_row(names):
            return 6.2, 4.8
        return 6.4 + 0.087 * max(map(len, names)), 4.8

    def _names(self) -> list[str]:
        return shown_names(self.classes) + [BOUNDARY_NAME] * (self.posteriors is not None)

    def _draw(self, ax: "Axes") -> None:
        if self.decided is not None:
            self._draw_regions(ax, self.decided)
        if self.posteriors is not None:
            self._draw_boundary(ax, self.posteriors)
        for k, name in enumerate(shown_names(self.classes)):
            ax.plot(
                *self.cases[self.codes == k].T, linestyle="", marker=MARKERS[k % len(MARKERS)],
                markersize=4.5, color=mark_of(k).colour, markeredgecolor="white",
                markeredgewidth=0.4, label=name,
            )  # fmt: skip
        across, up = np.ptp(self.x), np.ptp(self.y)
        ax.set_aspect("equal" if 0.25 < across / up < 4 else "auto")
        ax.set(xlim=self.x[[0, -1]], ylim=self.y[[0, -1]])
        ax.set(xlabel="First feature", ylabel="Second feature")
        ax.set_title(wrapped_names([self.title], 48)[0] if self.title else "", fontsize="small")
        self._name(ax)

    def _draw_regions(self, ax: "Axes", decided: Int64Array) -> None:
        from matplotlib.colors import ListedColormap

        half_x, half_y = (np.ptp(axis) / (len(axis) - 1) / 2 for axis in (self.x, self.y))
        ax.imshow(
            decided, origin="lower", interpolation="nearest",
            extent=(self.x[0] - half_x, self.x[-1] + half_x,
                    self.y[0] - half_y, self.y[-1] + half_y),
            cmap=ListedColormap(tints(len(self.classes))), vmin=-0.5, vmax=len(self.classes) - 0.5,
        )  # fmt: skip

    def _draw_boundary(self, ax: "Axes", posteriors: Float64Array) -> None:
        for k in range(len(self.classes) - 1):  # each boundary has two sides: one is left out
            others = np.delete(posteriors, k, axis=2).max(axis=2)
            margin = posteriors[:, :, k] - others
            if margin.min() < 0 < margin.max():
                ax.contour(self.x, self.y, margin, levels=[0.0], colors=COLOURS[4], linewidths=1.4)

    def _name(self, ax: "Axes") -> None:
        """A legend below the axes, or beside them where it is long: cases fill the corners."""
        if self.posteriors is not None:
            ax.plot([], [], color=COLOURS[4], linewidth=1.4, label=BOUNDARY_NAME)
        place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.01)}
        if _in_one_row(self._names()):
            below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.13)}
            place = {**below, "ncols": len(self._names())}
        ax.legend(fontsize="small", **place)


def _in_one_row(names: list[str]) -> bool:
    return sum(len(name) + 4 for name in names) <= 60


def tints(n_classes: int) -> list[tuple[float, ...]]:
    """A pale colour for each class; where colours repeat, a less pale one.

    Examples
    --------
    >>> [round(part, 2) for part in tints(1)[0]]
    [0.72, 0.85, 0.92]
    """
    from matplotlib.colors import to_rgb

    strength = (0.28, 0.5)
    turns = [strength[(k // len(COLOURS)) % 2] for k in range(n_classes)]
    return [
        tuple(1 - share * (1 - part) for part in to_rgb(mark_of(k).colour))
        for k, share in enumerate(turns)
    ]


def _cases_of(
    point: SurfacePoint, X: ScoresLike | None, y: LabelsLike | None
) -> tuple[Float64Array, Cases]:
    """The cases given, or those of the search."""
    model = point.surface.model
    if model is None or model.name == "scores":
        raise NotDefined(
            "Decision regions need a model of two features; this surface contains "
            + ("no model." if model is None else "scores only.")
            + " FalsePositiveFrontDisplay and ParallelCoordinatesDisplay show its rates."
        )
    if (X is None) != (y is None):
        raise InvalidInput("Give X and y together, or neither.")
    if y is not None:
        cases = cases_of(y, point.classes)
        return _two_features(X, len(cases)), cases
    if not hasattr(model, "cases"):
        raise NotDefined("A surface from a file does not contain its cases. Pass them as X and y.")
    return _two_features(model.X, len(model.cases)), model.cases


def _two_features(X: ScoresLike, n_cases: int) -> Float64Array:
    features = read_features(X)
    if features.shape[1] != 2:
        raise NotDefined(
            f"Decision regions are shown for two features, got {features.shape[1]}. "
            "FalsePositiveFrontDisplay and ParallelCoordinatesDisplay need no features."
        )
    if len(features) != n_cases:
        raise InvalidInput(f"X has {len(features)} rows and y has {n_cases}. Give one per case.")
    return features


def _grid(features: Float64Array, n_grid: int) -> tuple[Float64Array, Float64Array]:
    """Values of both features at the places where decisions are shown."""
    n = whole_number(n_grid, "n_grid", least=2)
    low, high = features.min(axis=0), features.max(axis=0)
    reach = np.where(high > low, (high - low) * MARGIN, np.maximum(np.abs(low), 1) * 0.5)
    first, second = (np.linspace(*ends, n) for ends in zip(low - reach, high + reach, strict=True))
    return first, second


def _codes_of(decisions: Any, classes: tuple[Label, ...]) -> Int64Array:
    codes = np.empty(len(decisions), dtype=np.int64)
    for k, name in enumerate(np.array(classes)):
        codes[decisions == name] = k
    return codes


def _posteriors(
    boundary: Posteriors | None, places: Float64Array, n_classes: int
) -> Float64Array | None:
    if boundary is None:
        return None
    if not callable(boundary):
        raise InvalidType(
            f"boundary must be a function from (m, 2) places to probabilities, got "
            f"{shown(boundary)}."
        )
    found = np.asarray(boundary(places.reshape(-1, 2)), dtype=np.float64)
    wanted = (places.shape[0] * places.shape[1], n_classes)
    if found.shape != wanted or not np.isfinite(found).all():
        raise InvalidInput(
            f"boundary must give {wanted} finite probabilities, a column per class, got the shape "
            f"{found.shape}{'' if np.isfinite(found).all() else ' with values that are not'}."
        )
    return found.reshape(*places.shape[:2], n_classes)
