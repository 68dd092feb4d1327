"""Curvature and knees of a ROC surface.

For costs λ that weigh the rates the best operating point is a vertex of the lower convex hull. The
share of costs for which a point is the best choice is the measure of its normal cone: a discrete
Gauss curvature of the hull, with the distribution of the costs in the place of angles. A knee is a
point without which much would be lost: its expected marginal utility (Branke et al. 2004) is the
mean over costs of what the best other point costs more, where it is the best. The classifiers that
always decide for the same class are there for everyone, so they count as other points; they are no
knees themselves.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polyroc._base.checks import generator_of, whole_number
from polyroc.surface._cost_space import CostSpace
from polyroc.surface._costs import matrices, off_diagonal
from polyroc.surface._knees_of_two import two_classes
from polyroc.typing import BoolArray, Float64Array, Int64Array, RandomState

if TYPE_CHECKING:
    import pandas as pd

    from polyroc.surface._front import RocSurface

N_SAMPLES = 1 << 15
_BLOCK = 1 << 22
"""Costs of points that are held at a time."""


@dataclass(frozen=True, eq=False)
class Curvature:
    """For each point the share of costs it is best for, and what it saves there on average.

    Attributes
    ----------
    shares, share_errors : (m,) and their standard errors, 0 where they are exact.
    utilities, utility_errors : (m,) expected marginal utilities and their standard errors.
    trivial : (m,) whether the point always decides for the same class.
    space : the costs.
    """

    shares: Float64Array
    share_errors: Float64Array
    utilities: Float64Array
    utility_errors: Float64Array
    trivial: BoolArray
    space: CostSpace


def curvature_of(
    rates: Float64Array,
    n_classes: int,
    space: CostSpace,
    weights: Float64Array | None = None,
    *,
    n_samples: int = N_SAMPLES,
    rng: RandomState = 0,
    trivial: bool = False,
) -> Curvature:
    """Curvature of points with these (m, D) rates; ``weights`` (D,) multiply the costs.

    Of equal points the first has the share of all. ``trivial`` makes rivals of the classifiers
    that always decide for the same class; what they are best for, no point has.
    """
    number = whole_number(n_samples, "n_samples", least=1)
    always = trivial_rates(n_classes)
    is_trivial = (rates[:, None] == always[None]).all(axis=2).any(axis=1)
    points = np.vstack([rates, always]) if trivial else rates
    points = points if weights is None else points * weights
    first = np.sort(np.unique(points, axis=0, return_index=True)[1])
    if n_classes == 2:
        found = two_classes(points[first], space)
    else:
        found = _sampled(points[first], space, number, generator_of(rng))
    whole = np.zeros((4, len(points)))
    whole[:, first] = found
    shares, share_errors, utilities, utility_errors = whole[:, : len(rates)]
    return Curvature(shares, share_errors, utilities, utility_errors, is_trivial, space)


def trivial_rates(n_classes: int) -> Float64Array:
    """(K, D) rates of the classifiers that always decide for the same class.

    Examples
    --------
    >>> trivial_rates(2)
    array([[0., 1.],
           [1., 0.]])
    """
    decided = np.broadcast_to(np.eye(n_classes)[:, None], (n_classes,) * 3)
    return decided[:, off_diagonal(n_classes)].copy()


def _sampled(
    points: Float64Array, space: CostSpace, number: int, rng: np.random.Generator
) -> Float64Array:
    """Shares, utilities and their standard errors from random costs: O(samples × points × D)."""
    wins, sums, squares = (np.zeros(len(points)) for _ in range(3))
    block = max(1, _BLOCK // len(points))
    for start in range(0, number, block):
        costs = space.draw(min(block, number - start), rng) @ points.T
        best, gain = _best_and_gain(costs)
        wins += np.bincount(best, minlength=len(points))
        sums += np.bincount(best, gain, minlength=len(points))
        squares += np.bincount(best, gain**2, minlength=len(points))
    shares, means = wins / number, sums / number
    spread = np.maximum(squares / number - means**2, 0.0)
    return np.stack(
        [shares, np.sqrt(shares * (1 - shares) / number), means, np.sqrt(spread / number)]
    )


def _best_and_gain(costs: Float64Array) -> tuple[Int64Array, Float64Array]:
    """For each row the position of the least cost, and how much more the next one costs."""
    rows = np.arange(len(costs))
    best = costs.argmin(axis=1)
    least = costs[rows, best]
    costs[rows, best] = np.inf
    gain = costs.min(axis=1) - least
    return best, np.where(np.isfinite(gain), gain, 0.0)


def knee_table(surface: "RocSurface", found: Curvature, number: int) -> "pd.DataFrame":
    """The points of greatest marginal utility that are not trivial, the best first."""
    import pandas as pd

    candidates = np.flatnonzero(~found.trivial & (found.utilities > 0))
    order = candidates[np.argsort(-found.utilities[candidates], kind="stable")][:number]
    confusion = matrices(surface.rates[order], surface.n_classes)
    return pd.DataFrame(
        {
            "point": order,
            "marginal_utility": found.utilities[order],
            "marginal_utility_error": found.utility_errors[order],
            "curvature": found.shares[order],
            "curvature_error": found.share_errors[order],
            "total_error": confusion.sum(axis=2) @ surface.priors(),
        }
    )
