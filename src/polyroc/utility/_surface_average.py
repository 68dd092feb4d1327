"""Averages over the ROC hypersurface of an ideal observer, by its facets.

The reachable error rates of an ideal observer are a convex set, made of one edge for every
observation and pair of decisions. So its surface is made of facets, one for every
k = N² − N − 1 observations that some positive costs leave undecided, and an integral over the
surface is a mean over tuples of observations (for N = 2: S = ∫ √(f₊² + f₋²) dx). Neither second
derivatives nor cost vectors drawn at random are needed, and every term is bounded.

Where likelihoods are exactly 0, costs of exactly 0 count as positive, as in S. Costs that treat two
decisions alike do not count: they belong to a task of fewer classes, and the facets that every
observer of three or more classes has there would outweigh all others.

Independent tuples give integrals, but few of them are on the surface: all for N = 2, about 1 in
1,500 for N = 3, fewer than 1 in 10⁷ for N = 4. A Metropolis walk that stays on the surface gives
averages for any N. Edwards & Metz 2007 eq. 11 and 15.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

import numpy as np

from polyroc._base.parallel import map_threads
from polyroc._base.random import stream
from polyroc.errors import NotDefined
from polyroc.results import Note
from polyroc.typing import Float64Array, Int64Array
from polyroc.utility._latent import check_surface

Source = Callable[[int, np.random.Generator], Float64Array]
"""Likelihoods of the observations of a block, given its number and generator."""

WINDOW = 512
"""Observations that the expected cost at one facet is averaged over."""

EVERY = 50
"""Steps of a walk between two looks at the cost."""

BURN = 2_000
"""Steps before a walk counts, for each observation of a tuple: all must have been replaced."""

MOST_CLASSES_DRAWN = 3
"""With more classes hardly any independent tuple is on the surface."""


def pairs_of(n_classes: int) -> Int64Array:
    """Pairs of decisions, (N(N − 1)/2, 2)."""
    return np.array(list(combinations(range(n_classes), 2)), dtype=np.int64)


@cache
def groups_of(n_classes: int) -> tuple[Int64Array, Int64Array]:
    """Which pairs lie within each group of decisions, and how many observations it may hold.

    The costs of s decisions differ by s − 1 vectors of N numbers, fixed up to one scale, so
    N(s − 1) − 1 observations settle them; one more would force a cost to 0.
    """
    pairs = pairs_of(n_classes)
    groups = [g for s in range(2, n_classes + 1) for g in combinations(range(n_classes), s)]
    within = np.array([np.isin(pairs, group).all(axis=1) for group in groups], dtype=np.int64)
    limits = np.array([n_classes * (len(group) - 1) - 1 for group in groups], dtype=np.int64)
    return within, limits


@cache
def patterns_of(n_classes: int) -> Int64Array:
    """Numbers of observations between each pair of decisions that can settle all costs.

    Examples
    --------
    >>> patterns_of(3)
    array([[1, 2, 2],
           [2, 1, 2],
           [2, 2, 1]])
    """
    within, limits = groups_of(n_classes)
    total = n_classes * (n_classes - 1) - 1
    counts = np.array(list(product(range(n_classes), repeat=within.shape[1])), dtype=np.int64)
    fits = (counts @ within.T <= limits).all(axis=1) & (counts.sum(axis=1) == total)
    return np.asarray(counts[fits])


@dataclass(frozen=True, eq=False)
class SurfaceIntegrals:
    """Integrals over the surface, one row per independent block of observations.

    Attributes
    ----------
    areas : (b,) ∫ dσ.
    parts : (b, D) ∫ γ̂_q P_q dσ for every kind of error q: the volume between the surface and the
        plane P_q = 0, eq. 7 with q as its last axis. They add up to eq. 11.
    largest_share : of all cost, how much the most expensive hundredth of the surface pays.
    n_facets : facets met.
    """

    areas: Float64Array
    parts: Float64Array
    largest_share: float
    n_facets: int

    @property
    def cost(self) -> tuple[float, float]:
        """∫ γ̂·P dσ / ∫ dσ with its standard error, as a ratio of means over blocks."""
        costs = self.parts.sum(axis=1)
        value = float(costs.mean() / self.areas.mean())
        return value, mean_error((costs - value * self.areas) / self.areas.mean())[1]


def integrate(
    source: Source, n_classes: int, *, seed: int, n_blocks: int, n_draws: int
) -> SurfaceIntegrals:
    """Integrals by independent tuples of observations; N = 2 or 3."""
    from polyroc.kernels.facets import draw_facets

    pairs, patterns = pairs_of(n_classes), patterns_of(n_classes)

    def block(index: int) -> tuple[Float64Array, ...]:
        rng = stream(seed, index)
        likelihoods = source(index, rng)
        window = min(WINDOW, len(likelihoods))
        heights = _heights(likelihoods, rng)
        sizes, parts = draw_facets(likelihoods, heights, patterns, pairs, rng, n_draws, window)
        return sizes * (len(patterns) / n_draws), parts

    found = map_threads(block, range(n_blocks))
    sizes, parts = (np.concatenate(each) for each in zip(*found, strict=True))
    if not sizes.any():
        what = f"None of {n_blocks * n_draws} draws is a facet of the ROC surface"
        raise no_facets(what, source(0, stream(seed, 0)))
    return SurfaceIntegrals(
        areas=np.array([size.sum() for size, _ in found]),
        parts=np.array([size @ part for size, part in found]),
        largest_share=share_of_dearest(parts.sum(axis=1), sizes),
        n_facets=len(sizes),
    )


@dataclass(frozen=True, eq=False)
class SurfaceWalks:
    """Costs met on walks over the surface: (walks, looks)."""

    costs: Float64Array

    @property
    def cost(self) -> tuple[float, float]:
        """Mean with its standard error, from the differences between walks."""
        return mean_error(self.costs.mean(axis=1))

    @property
    def effective_size(self) -> float:
        """Independent looks that would give the same standard error."""
        return float(self.costs.var() / max(self.cost[1] ** 2, np.finfo(float).tiny))

    @property
    def largest_share(self) -> float:
        """Of all cost, how much the most expensive hundredth of the surface pays."""
        costs = self.costs.ravel()
        return share_of_dearest(costs, np.ones_like(costs))


def walk(source: Source, n_classes: int, *, seed: int, n_blocks: int, n_steps: int) -> SurfaceWalks:
    """Averages by walks of so many steps, after more than a tenth as many that do not count."""
    from polyroc.kernels.facets import walk_facets

    pairs, (groups, limits) = pairs_of(n_classes), groups_of(n_classes)

    def block(index: int) -> Float64Array:
        rng = stream(seed, index)
        likelihoods = source(index, rng)
        burn = n_steps // 10 + BURN * (n_classes * (n_classes - 1) - 1)
        sizes = (burn, n_steps, EVERY, min(WINDOW, len(likelihoods)))
        heights = _heights(likelihoods, rng)
        parts: Float64Array = walk_facets(likelihoods, heights, pairs, groups, limits, rng, *sizes)
        return np.asarray(parts.sum(axis=1))

    found = map_threads(block, range(n_blocks))
    if not all(map(len, found)):
        what = "A walk over the ROC surface did not find its facets"
        raise no_facets(what, source(0, stream(seed, 0)))
    return SurfaceWalks(np.array(found))


def no_facets(what: str, likelihoods: Float64Array) -> NotDefined:
    """Why no facets were found: the classes differ in one variable only, or there is no surface."""
    try:
        check_surface(likelihoods, what)
    except NotDefined as reason:
        return reason
    return NotDefined(
        f"{what}. The observer guesses, is perfect, or has too few cases: pass other densities, "
        "more cases or more draws."
    )


def _heights(likelihoods: Float64Array, rng: np.random.Generator) -> Float64Array:
    """What settles ties between decisions; of a generator of its own, so that it moves no draw."""
    return rng.spawn(1)[0].random(likelihoods.shape)


def mean_error(values: Float64Array) -> tuple[float, float]:
    """Mean of independent values with its standard error."""
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def share_of_dearest(costs: Float64Array, sizes: Float64Array) -> float:
    """Share of the total cost that the most expensive hundredth of the surface pays.

    Examples
    --------
    >>> round(share_of_dearest(np.ones(4), np.ones(4)), 6)
    0.01
    """
    order = np.argsort(-costs, kind="stable")
    share_of_area = np.append(0, np.cumsum(sizes[order]) / sizes.sum())
    paid = np.append(0, np.cumsum((costs * sizes)[order]))
    return float(np.interp(0.01, share_of_area, paid / paid[-1])) if paid[-1] > 0 else 0.0


HEAVY = 0.05
"""Share of the most expensive hundredth in all cost from which a tail is heavy: five times that."""


def tail_notes(share: float) -> tuple[Note, ...]:
    """A note where few facets carry much of the cost: the standard error is then too small."""
    if share < HEAVY:
        return ()
    text = (
        f"the most expensive hundredth of the surface pays {100 * share:.0f} % of the cost: the "
        "tail is heavy and the standard error uncertain"
    )
    return (Note("heavy-tail", text),)


def tail_share_notes(costs: Float64Array) -> tuple[Note, ...]:
    """The same for costs of facets that were visited in proportion to their size."""
    return tail_notes(share_of_dearest(costs, np.ones_like(costs)))
