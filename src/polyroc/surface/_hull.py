"""The lower convex hull of ROC surfaces, and classifiers combined at random to reach it.

A point of the hull between two operating points is reached by tossing a coin for each case, and
deciding by the one or the other. Optimal classifiers lie on the hull (Srinivasan 1999; Provost &
Fawcett 1998 for two classes).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polyroc._base.checks import generator_of, shown
from polyroc._base.wording import plural
from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.predictions._classes import listed
from polyroc.surface._costs import CostsLike, checked_costs, errors, matrices
from polyroc.surface._limits import checked_limits
from polyroc.surface._objectives import on_front
from polyroc.typing import (
    Float64Array,
    Int64Array,
    Label,
    PriorsLike,
    RandomState,
    ScoresLike,
)

if TYPE_CHECKING:
    from polyroc.surface._front import RocSurface

_OUTSIDE = 1e-9
"""Distance from the hull, in rates, from which on a point is beyond rounding outside of it."""

_NEAR = 50
"""Vertices that are enough to see that most other points lie above the hull."""


@dataclass(frozen=True, eq=False, repr=False)
class RandomisedRule:
    """Operating points to choose between at random, for each case anew.

    Attributes
    ----------
    surfaces : those that were combined.
    origin, indices : which of their points are used.
    probabilities : with which each is used.
    rates : (D,) expected error rates.
    value : what was minimised; NaN where a point was to be reached.
    """

    surfaces: "tuple[RocSurface, ...]"
    origin: Int64Array
    indices: Int64Array
    probabilities: Float64Array
    rates: Float64Array
    value: float

    def decide(self, X: ScoresLike, rng: RandomState = None) -> NDArray[Any]:
        """Decisions for new cases, each by one of the points, drawn at random."""
        points = zip(self.origin, self.indices, strict=True)
        decisions = np.stack([self.surfaces[which].decide(X, index) for which, index in points])
        drawn = generator_of(rng).choice(
            len(decisions), size=decisions.shape[1], p=self.probabilities
        )
        return np.asarray(decisions[drawn, np.arange(decisions.shape[1])])

    def __repr__(self) -> str:
        chance = "probability" if len(self.indices) == 1 else "probabilities"
        return (
            f"RandomisedRule({plural(len(self.indices), 'operating point')} with {chance} "
            f"{', '.join(f'{share:.3g}' for share in self.probabilities)})"
        )


@dataclass(frozen=True, eq=False, repr=False)
class SurfaceHull:
    """Operating points on the lower convex hull of one or several surfaces.

    Attributes
    ----------
    surfaces : the surfaces.
    origin : (m,) which of them each vertex belongs to.
    indices : (m,) its position there.
    rates : (m, D) its error rates.
    """

    surfaces: "tuple[RocSurface, ...]"
    origin: Int64Array
    indices: Int64Array
    rates: Float64Array

    def __len__(self) -> int:
        return len(self.rates)

    @property
    def classes(self) -> tuple[Label, ...]:
        return self.surfaces[0].classes

    def reach(self, rates: ArrayLike) -> RandomisedRule:
        """A random combination of vertices that is nowhere worse than the given error rates."""
        target = np.asarray(rates, dtype=np.float64)
        if target.shape != self.rates.shape[1:]:
            raise InvalidInput(
                f"rates must be the {self.rates.shape[1]} error rates of a point, "
                f"got the shape {target.shape}."
            )
        shares, gap = _combination(self.rates, target)
        if np.sqrt((gap**2).sum()) > _OUTSIDE:
            raise NotDefined(
                "No combination of these classifiers reaches the rates "
                f"{shown(target.tolist())}: they lie below the convex hull."
            )
        return self._rule(shares, np.nan)

    def best(
        self,
        *,
        costs: CostsLike,
        limits: Mapping[tuple[Any, Any], float] | None = None,
        priors: PriorsLike | None = None,
    ) -> RandomisedRule:
        """The random combination of lowest expected cost within limits on rates.

        It mixes at most one point more than there are limits, and is never worse than the best
        single point. Priors are those given, else those of the first surface's sample.
        """
        from scipy.optimize import linprog

        table = checked_costs(costs, self.classes) * self.surfaces[0].priors(priors)[:, None]
        value = self.rates @ errors(table)
        bounds = checked_limits(limits, self.classes)
        tables = matrices(self.rates, len(self.classes))
        found = linprog(
            value,
            A_ub=np.array([tables[:, row, column] for row, column in bounds]) if bounds else None,
            b_ub=list(bounds.values()) if bounds else None,
            A_eq=np.ones((1, len(value))),
            b_eq=[1.0],
            method="highs-ds",
        )
        if found.x is None:
            raise NotDefined(
                f"No combination of these classifiers meets the limits {shown(limits)}. Allow more."
            )
        return self._rule(found.x, float(value @ found.x))

    def _rule(self, shares: Float64Array, value: float) -> RandomisedRule:
        used = np.flatnonzero(shares > 1e-12)
        weights = shares[used] / shares[used].sum()
        return RandomisedRule(
            self.surfaces,
            self.origin[used],
            self.indices[used],
            weights,
            weights @ self.rates[used],
            value,
        )

    def __repr__(self) -> str:
        total = sum(len(surface) for surface in self.surfaces)
        return f"SurfaceHull({len(self)} of {total} operating points)"


def hull_of(surfaces: "Sequence[RocSurface]") -> SurfaceHull:
    """The vertices of the lower convex hull of all points of these surfaces."""
    first = surfaces[0]
    for other in surfaces:
        if not hasattr(other, "rates"):
            raise InvalidType(f"Expected a RocSurface, got {shown(other)}.")
        if other.classes != first.classes:
            raise InvalidInput(
                f"The surfaces have different classes, {listed(first.classes)} and "
                f"{listed(other.classes)}. Combine surfaces of the same classes in the same order."
            )
    sizes = [len(surface) for surface in surfaces]
    rates = np.vstack([surface.rates for surface in surfaces])
    origin = np.repeat(np.arange(len(sizes)), sizes)
    indices = np.concatenate([np.arange(size) for size in sizes])
    kept = lower_hull(rates)
    return SurfaceHull(tuple(surfaces), origin[kept], indices[kept], rates[kept])


def lower_hull(points: Float64Array) -> Int64Array:
    """Positions of the vertices of conv(points) + the positive orthant.

    Every point is tested against the vertices known so far; where it lies outside of their hull,
    the direction in which it does leads to a vertex that was missing (Clarkson 1994). Nothing
    depends on the dimension but the number of vertices, unlike the facets, which explode in six.
    """
    from polyroc.kernels.cone import find_vertices

    front = np.flatnonzero(on_front(points))
    candidates = np.ascontiguousarray(points[front], dtype=np.float64)
    known = np.zeros(len(front), dtype=bool)
    if len(front):
        known[np.argmin(candidates.sum(axis=1))] = True
        find_vertices(candidates, known, _NEAR, _OUTSIDE)
    return np.asarray(front[known], dtype=np.int64)


def _combination(vertices: Float64Array, point: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Weights of vertices whose mean comes nearest to being nowhere worse, and what is missing.

    (point, 1) lies in the cone of the (vertex, 1) and the unit vectors (e, 0) exactly if the point
    is on or above the hull; non-negative least squares projects it onto that cone.
    """
    from scipy.optimize import nnls

    n_vertices, n_rates = vertices.shape
    generators = np.zeros((n_rates + 1, n_vertices + n_rates))
    generators[:-1, :n_vertices] = vertices.T
    generators[-1, :n_vertices] = 1.0
    generators[:-1, n_vertices:] = np.eye(n_rates)
    shares, _ = nnls(generators, np.append(point, 1.0))
    weights, missing = shares[:n_vertices], point - generators[:-1] @ shares
    return weights / max(weights.sum(), 1e-300), missing
