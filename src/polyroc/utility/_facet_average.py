"""Lower convex hull of the points of a ROC surface: its area and its surface-averaged cost."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polyroc._base.checks import whole_number
from polyroc._base.random import seed_of, stream
from polyroc._base.wording import plural
from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.results import Estimate, Note
from polyroc.typing import Float64Array, RandomState

MOST_ERRORS = 6
"""Kinds of errors up to which the number of points alone decides whether a hull can be drawn."""

MOST_FACETS = 300_000
"""Facets that a hull of more kinds of errors may have, at worst."""

MOST_POINTS = 1500
"""Points that a hull in six dimensions is drawn of, in some seconds."""

ROUNDING = 1e-10
"""Components of a normal closer to 0 than this are 0."""

RATE_ROUNDING = 1e-9
"""Rates that are less than this outside [0, 1] are rounding, as for the Gini coefficient."""


@dataclass(frozen=True, eq=False, repr=False)
class HullFacets:
    """Facets of the lower convex hull of error rates, whose normals are costs γ̂ ≥ 0.

    Attributes
    ----------
    normals : (f, D) unit costs.
    areas : (f,) of D − 1 dimensions.
    centres : (f, D) mean of the corners of each facet.
    n_points : points that the hull was drawn of, trivial rules included.
    """

    normals: Float64Array
    areas: Float64Array
    centres: Float64Array
    n_points: int

    @property
    def area(self) -> float:
        """∫ dσ."""
        return float(self.areas.sum())

    @property
    def parts(self) -> Float64Array:
        """∫ γ̂_q P_q dσ for each kind of error q: Edwards & Metz 2007 eq. 7 with q last."""
        return np.asarray(self.areas @ (self.normals * self.centres))

    @property
    def saec(self) -> float:
        """∫ γ̂·P dσ / ∫ dσ: Edwards & Metz 2007 eq. 15, exact for the hull."""
        return float(self.parts.sum() / self.area)

    def huh(self, last: int = -1) -> float:
        """Hypervolume under the hull over all errors but ``last``: eq. 7."""
        return float(self.parts[last])

    def __repr__(self) -> str:
        facets = plural(len(self.areas), "facet")
        return f"HullFacets({self.n_points:,} points, {facets}, SAEC {self.saec:.6g})"


def hull_facets(surface: Any, *, n_classes: int | None = None) -> HullFacets:
    """Lower convex hull of a ROC surface: what deciding at random between its points can reach.

    The N rules that always decide the same are added: every classifier can follow them, and
    without them the hull would end where the points happen to. A facet with a cost of exactly 0
    (where some error never occurs) counts, as the vertical parts of a two-class curve do. For three
    classes so do facets whose costs treat two decisions alike, if the points reach them;
    ``ideal_observer`` leaves these out, since they belong to a task of fewer classes.

    Parameters
    ----------
    surface : an object with ``rates`` (m, D) in row-major order of the off-diagonal (truth,
        decision) and ``classes``; or such an array, with ``n_classes`` if you want it checked.

    Examples
    --------
    >>> hull = hull_facets([[0.0, 0.5], [0.5, 0.0], [0.9, 0.9]])
    >>> hull.centres.tolist(), round(hull.huh(), 4)
    ([[0.0, 0.75], [0.25, 0.25], [0.75, 0.0]], 0.125)
    """
    rates, n_classes = _checked_rates(surface, n_classes)
    return _hull(_with_corners(rates, n_classes))


def saec_surface(
    surface: Any, *, n_classes: int | None = None, n_sizes: int = 4, rng: RandomState = None
) -> Estimate:
    """Surface-averaged expected cost of a ROC surface by its lower convex hull, with its trend.

    For three classes it is biased. The gaps between finitely many points are part of their hull:
    three unit Gaussians at distance 2 have .116, and 1,500 points spread evenly over their true
    surface .139. And rates that were counted on cases make points that are too good: searched on
    100, 400 and 2,000 cases per class the hull has .025, .077 and .141. A note says so, and
    ``settings["trend"]`` holds (points, value) for nested random subsets, each half as large as
    the next. If the scores are calibrated probabilities, ``ideal_observer(probabilities).saec()``
    is not biased in this way. There is no standard error: points
    of a surface are not a sample. At most 1,500 points of three classes are used, drawn at random.
    Two classes are exact. For four or more a hull can be drawn of few points only, an observer
    that has no others: 28 for four classes besides those that always decide one class. The
    posteriors of the cases have no such limit: see ``ideal_observer``.

    Examples
    --------
    >>> saec_surface([[0.0, 0.5], [0.5, 0.0]]).value  # 2 · (1/8) / (1/2 + 1/√2 + 1/2)
    0.14644660940672624
    """
    rates, n_classes = _checked_rates(surface, n_classes)
    sizes = whole_number(n_sizes, "n_sizes", least=1)
    seed = seed_of(rng)
    order = stream(seed, 0).permutation(len(rates)) if n_classes > 2 else np.arange(len(rates))
    used = rates[order] if n_classes == 2 else rates[order[:MOST_POINTS]]
    hull = _hull(_with_corners(used, n_classes))
    trend = () if n_classes == 2 else _trend(used, n_classes, sizes)
    notes = []
    if n_classes > 2:
        notes.append(Note("biased", _BIASED.format(n_classes)))
    if len(used) < len(rates):
        text = f"hull of {len(used):,} of {len(rates):,} points, drawn at random"
        notes.append(Note("subset", text))
    return Estimate(
        metric="saec",
        value=hull.saec,
        standard_error=math.nan,
        method="lower convex hull",
        direction="lower",
        notes=tuple(notes),
        settings={
            "seed": seed,
            "n_points": len(used),
            "n_facets": len(hull.areas),
            "area": hull.area,
            "trend": (*trend, (len(used), hull.saec)),
        },
    )


_BIASED = (
    "the hull of the points of {} classes is biased: gaps between points raise it (see the trend), "
    "rates counted on few cases lower it (for three classes .025, .077 and .141 on 100, 400 and "
    "2,000 cases per class where .116 is true); with calibrated probabilities use ideal_observer"
)


def _trend(rates: Float64Array, n_classes: int, n_sizes: int) -> tuple[tuple[int, float], ...]:
    """Values on the first half of the points, the first quarter, …, the smallest first."""
    found: list[tuple[int, float]] = []
    for halvings in range(n_sizes - 1, 0, -1):
        count = len(rates) >> halvings
        try:
            found.append((count, _hull(_with_corners(rates[:count], n_classes)).saec))
        except NotDefined:  # too few points to span the space
            continue
    return tuple(found)


def _checked_rates(surface: Any, n_classes: int | None) -> tuple[Float64Array, int]:
    classes = getattr(surface, "classes", None)
    try:
        rates = np.array(getattr(surface, "rates", surface), dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidType(
            f"Give a ROC surface or an (m, D) array of error rates, got {type(surface).__name__}."
        ) from None
    if rates.ndim != 2 or not len(rates):
        raise InvalidInput(f"rates must be (m, D) with a point, got the shape {rates.shape}.")
    n_errors = rates.shape[1]
    fitting = round((1 + math.sqrt(1 + 4 * n_errors)) / 2)
    told = len(classes) if classes is not None else n_classes or fitting
    if told < 2 or n_errors != told * (told - 1):
        raise InvalidInput(
            f"rates have {n_errors} columns; {told} classes have {told * (told - 1)} kinds of "
            "errors. Give a column for each, in row-major order of the off-diagonal."
        )
    _check_range(rates, told)
    return rates.clip(0.0, 1.0), told


def _check_range(rates: Float64Array, n_classes: int) -> None:
    of_class = rates.reshape(len(rates), n_classes, n_classes - 1).sum(axis=2)
    most = 1 + RATE_ROUNDING * (n_classes - 1)
    if not ((rates >= -RATE_ROUNDING).all() and (of_class <= most).all()):
        raise InvalidInput(
            "rates must be non-negative, and those of one true class sum to at most 1; got others."
        )


def _with_corners(rates: Float64Array, n_classes: int) -> Float64Array:
    """The points and the N rules that always decide the same, without repetitions."""
    errors = ~np.eye(n_classes, dtype=bool)
    always = np.zeros((n_classes, n_classes, n_classes))
    for decision in range(n_classes):
        always[decision, :, decision] = 1
    return np.unique(np.concatenate([rates, always[:, errors]]), axis=0)


def _hull(points: Float64Array) -> HullFacets:
    n_errors = points.shape[1]
    if n_errors > MOST_ERRORS:
        _check_facets(len(points), n_errors)
    corners, normals = _polygon(points) if n_errors == 2 else _polytope(points)
    lower = (normals >= -ROUNDING).all(axis=1)
    if not lower.any():
        raise NotDefined("The hull has no facet whose costs are all positive.")
    corners, normals = corners[lower], np.maximum(normals[lower], 0)
    edges = corners[:, 1:] - corners[:, :1]
    squares = np.linalg.det(edges @ edges.transpose(0, 2, 1))
    areas = np.sqrt(np.maximum(squares, 0)) / math.factorial(n_errors - 1)
    return HullFacets(normals, areas, corners.mean(axis=1), len(points))


def _check_facets(n_points: int, n_errors: int) -> None:
    """An error if the hull of so many points may have too many facets."""
    most = n_errors + 1
    while facets_at_most(most + 1, n_errors) <= MOST_FACETS:
        most += 1
    if n_points > most:
        raise NotDefined(
            f"A convex hull of {n_points} points in {n_errors} dimensions may have too many facets "
            f"to draw. Pass at most {most} points, including those that always choose one class, "
            "or use ideal_observer(probabilities).saec(), which works for any number of classes."
        )


def facets_at_most(n_points: int, dimensions: int) -> int:
    """The most facets that a hull of so many points can have, McMullen's upper bound.

    Examples
    --------
    >>> facets_at_most(10, 2), facets_at_most(8, 3), facets_at_most(32, 12)
    (10, 12, 283360)
    """
    beyond = n_points - dimensions
    first, second = (dimensions + 1) // 2, (dimensions + 2) // 2
    return math.comb(n_points - first, beyond) + math.comb(n_points - second, beyond)


def _polygon(points: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Lower hull in the plane from (0, 1) to (1, 0), straight lines included: O(m log m)."""
    chain: list[Float64Array] = []
    for point in points[np.lexsort((-points[:, 1], points[:, 0]))]:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
            chain.pop()
        chain.append(point)
    corners = np.stack([chain[:-1], chain[1:]], axis=1)
    step = corners[:, 1] - corners[:, 0]
    normals = np.stack([-step[:, 1], step[:, 0]], axis=1)
    return corners, normals / np.hypot(*step.T)[:, None]


def _turn(first: ArrayLike, second: ArrayLike, third: ArrayLike) -> float:
    """Positive where the way through three points turns left."""
    one, other = np.subtract(second, first), np.subtract(third, first)
    return float(one[0] * other[1] - one[1] * other[0])


def _polytope(points: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Corners and inward unit normals of all facets, each a simplex."""
    from scipy.spatial import ConvexHull, QhullError

    n_errors = points.shape[1]
    needed = n_errors + 1
    if len(points) < needed or np.linalg.matrix_rank(points - points[0], tol=1e-9) < n_errors:
        raise NotDefined(
            f"{len(points)} points, trivial rules included, do not span the {n_errors} dimensions "
            f"of ROC space: at least {needed} in general position are needed. Pass more points; "
            "an observer that guesses has none."
        )
    try:
        hull = ConvexHull(points)
    except QhullError as problem:
        reason = str(problem).splitlines()[0]
        raise NotDefined(f"The points are too flat for a hull ({reason}).") from None
    return points[hull.simplices], -hull.equations[:, :-1]
