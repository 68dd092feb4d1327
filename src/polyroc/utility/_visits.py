"""Mean costs over the facets that walks visit, and what each case contributes to them."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from polyroc._base.parallel import map_threads
from polyroc._base.random import stream
from polyroc.typing import Float64Array, Int64Array
from polyroc.utility._latent import balanced_costs
from polyroc.utility._recalibrated import Recalibrated
from polyroc.utility._surface_average import BURN, groups_of, pairs_of

EVERY = 20
"""Steps of a walk between two facets that are looked at."""


@dataclass(frozen=True, eq=False)
class Walked:
    """Walks over the surface of cases.

    Attributes
    ----------
    costs : (walks, looks, 2) expected costs of facets, by labels and by likelihoods.
    contributions : (walks, n) w_i ∂θ/∂w_i of the mean cost by labels, for each case.
    """

    costs: Float64Array
    contributions: Float64Array


class _Facets(NamedTuple):
    seen: Int64Array
    between: Int64Array
    rates: Float64Array
    costs: Float64Array
    paid: Float64Array


def walked(known: Recalibrated, *, seed: int, n_walks: int, n_looks: int) -> Walked | None:
    """Walks over the surface of recalibrated cases; None where a walk finds no facets."""
    likelihoods = known.likelihoods()
    heights = stream(seed, n_walks).random(likelihoods.shape)
    moves = [_moves(known, likelihoods, shift) for shift in known.shifts()]
    by_case = known.influence()

    def one(index: int) -> tuple[Float64Array, Float64Array] | None:
        found = _facets(known, likelihoods, heights, stream(seed, index), n_looks)
        if found is None:
            return None
        slopes = np.array([_slope(found, heights, *move) for move in moves])
        return found.costs, _contributions(known, found, by_case @ slopes)

    every = map_threads(one, range(n_walks))
    known_walks = [each for each in every if each is not None]
    if len(known_walks) < n_walks:
        return None
    costs, parts = zip(*known_walks, strict=True)
    return Walked(np.array(costs), np.array(parts))


def visits_of(
    likelihoods: Float64Array,
    heights: Float64Array,
    weights: Float64Array,
    rng: np.random.Generator,
    n_looks: int,
    every: int = EVERY,
) -> tuple[Int64Array, Int64Array] | None:
    """Members of the facets that a walk visits, and their pairs of decisions.

    It begins at equal costs; where these do not lead to all decisions, at costs that do, and with
    more steps before it counts.
    """
    from polyroc.kernels.facets import even_costs
    from polyroc.kernels.visits import visited_facets

    n_classes = likelihoods.shape[1]
    tables = pairs_of(n_classes), *groups_of(n_classes)
    burn, ends = BURN * (n_classes * (n_classes - 1) - 1), np.cumsum(weights)
    for times, begin in ((1, even_costs(n_classes)), (5, balanced_costs(likelihoods, rng))):
        sizes = times * burn, n_looks, every
        found = visited_facets(likelihoods, heights, *tables, rng, ends, begin, *sizes)
        if len(found[0]):
            return found
    return None


def _facets(
    known: Recalibrated,
    likelihoods: Float64Array,
    heights: Float64Array,
    rng: np.random.Generator,
    n_looks: int,
) -> _Facets | None:
    from polyroc.kernels.visits import costs_of_visits

    weights, truth = known.cases.weights, known.cases.codes.astype(np.int64)
    visits = visits_of(likelihoods, heights, weights, rng, n_looks)
    if visits is None:
        return None
    paid = np.zeros(len(likelihoods))
    pairs = pairs_of(likelihoods.shape[1])
    found = costs_of_visits(likelihoods, heights, pairs, *visits, truth, weights, paid)
    return _Facets(*visits, *found, paid)


_Move = tuple[Float64Array, Float64Array, Float64Array, float]


def _moves(
    known: Recalibrated, likelihoods: Float64Array, shift: tuple[Float64Array, float]
) -> _Move:
    table, size = shift
    return known.likelihoods(-table), likelihoods, known.likelihoods(table), size


def _slope(
    found: _Facets,
    heights: Float64Array,
    below: Float64Array,
    here: Float64Array,
    above: Float64Array,
    step: float,
) -> float:
    """Derivative of the mean cost by a coefficient of the recalibration, at fixed rates.

    Facets change size and direction, and some leave the surface. Those that are on it here but not
    a step below have come on, as many as will with the next step: the walk does not meet those.
    That decisions change as well does not matter, because they are the cheapest.
    """
    from polyroc.kernels.visits import moved_facets

    pairs = pairs_of(here.shape[1])
    arguments = heights, pairs, found.seen, found.between, found.rates
    (low, low_cost), (size, cost), (high, high_cost) = (
        moved_facets(each, *arguments) for each in (below, here, above)
    )
    mean = found.costs[:, 0].mean()
    falls = _one_sided(low / size, low_cost - mean, cost - mean)
    rises = _one_sided(high / size, high_cost - mean, cost - mean)
    stays_low, stays_high = low > 0, high > 0
    both = np.where(stays_low & stays_high, (rises - falls) / 2, 0)
    only_low = np.where(stays_low & ~stays_high, -falls - (cost - mean), 0)
    only_high = np.where(stays_high & ~stays_low, rises + (cost - mean), 0)
    return float((both + only_low + only_high).mean() / step)


def _one_sided(ratio: Float64Array, moved: Float64Array, cost: Float64Array) -> Float64Array:
    """Change of size times cost, in units of the size here."""
    return np.asarray(ratio * moved - cost)


def _contributions(
    known: Recalibrated, found: _Facets, by_recalibration: Float64Array
) -> Float64Array:
    """By being a corner of facets, by being decided there, and by the recalibration."""
    weights, codes = known.cases.weights, known.cases.codes
    costs = found.costs[:, 0]
    corner = np.zeros(len(weights))
    np.add.at(corner, found.seen, (costs - costs.mean())[:, None])
    totals = np.bincount(codes, weights)
    decided = found.paid * weights / totals[codes]
    return np.asarray((corner + decided) / len(costs) + by_recalibration)
