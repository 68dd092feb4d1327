"""Whether the likelihood ratios of all classes depend on one variable, and what follows from it.

Then the observations lie on a curve in the simplex of likelihoods. Costs of N classes leave those
undecided at which the curve crosses a boundary between decisions, and a facet of the ROC surface
needs N² − N − 1 of them at once: five for three classes, where a curve that runs from one class to
the next crosses two. The surface has fewer dimensions than eq. 11 and 15 of Edwards & Metz (2007)
integrate over.
"""

import numpy as np
from numpy.typing import NDArray

from polyroc.errors import NotDefined
from polyroc.typing import Float64Array

NEIGHBOURS = 8
ANCHORS = 400
MOST_OBSERVATIONS = 3000
FLAT = 0.1
"""Median ratio of the second to the first spread of neighbours below which they lie on a line; a
cloud of two dimensions has about one half."""

COSTS = 12
"""Random costs at which the boundaries between decisions are looked at."""

NEGLIGIBLE = 0.01
"""Singular values smaller than this share of the largest are the width of gaps between cases."""


def on_a_curve(likelihoods: Float64Array) -> bool:
    """Whether observations, (n, N) likelihoods, lie on a curve, by the spread of neighbours.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(500, 1))
    >>> on_a_curve(np.exp(x * np.array([0.0, 1.0, 2.0])))
    True
    >>> on_a_curve(rng.dirichlet(np.ones(3), 500))
    False
    """
    from scipy.spatial import KDTree

    points = _distinct(likelihoods)
    if likelihoods.shape[1] < 3 or len(points) <= 2 * NEIGHBOURS:
        return False
    places = _white(points)
    if places.shape[1] < 2:
        return True
    near = max(NEIGHBOURS, len(points) // 25)
    _, around = KDTree(places).query(places[:: -(-len(places) // ANCHORS)], near)
    spread = places[around] - places[around].mean(axis=1, keepdims=True)
    first, second = np.linalg.svd(spread, compute_uv=False)[:, :2].T
    return bool(np.median(second[first > 0] / first[first > 0]) < FLAT)


def decision_rank(likelihoods: Float64Array) -> int:
    """Observations that random costs leave undecided, counted by the directions of their edges.

    At each of some random costs, neighbours with different decisions are joined, and the edges of
    the points where the boundaries are crossed span as many dimensions as the surface has there.
    The most that was found; N² − N − 1 where the surface has its full dimension.

    Examples
    --------
    >>> x = np.linspace(-2, 4, 400)[:, None]
    >>> decision_rank(np.exp(x * np.array([0.0, 1.0, 2.0]) - np.array([0.0, 0.5, 2.0])))  # not 5
    3
    """
    points, rng = _distinct(likelihoods), np.random.default_rng(0)
    if len(points) < 2:
        return 0
    first, second = _neighbours(points)
    return max(
        _rank(_edges(points, balanced_costs(points, rng), first, second)) for _ in range(COSTS)
    )


def check_surface(likelihoods: Float64Array, what: str) -> None:
    """An error where the classes differ in one variable, so that the surface is degenerate."""
    n_classes = likelihoods.shape[1]
    dimensions = n_classes * (n_classes - 1) - 1
    if not on_a_curve(likelihoods):
        return
    rank = decision_rank(likelihoods)
    if rank >= dimensions:
        return
    if rank == 0:
        raise NotDefined(
            f"{what}: the probabilities separate the classes completely, so that no case is "
            "undecided at any costs. The expected cost is 0 or close to it, and these cases cannot "
            "tell how close. Pass more cases."
        )
    raise NotDefined(
        f"{what}: the surface is degenerate. The likelihood ratios of all {n_classes} classes "
        f"depend on one variable, so fewer than {dimensions} observations are undecided at the "
        f"same costs (here {rank}), the surface has fewer than {dimensions} dimensions, and its "
        "mean cost is not defined. Compare the classes in pairs with saec, order them and use "
        "ordinal_vus, or pass observations of more variables."
    )


def _distinct(likelihoods: Float64Array) -> Float64Array:
    """Different posteriors at equal priors, over their means; not more than are needed."""
    shares = likelihoods / likelihoods.sum(axis=1, keepdims=True)
    points = np.unique(shares / shares.mean(axis=0), axis=0)
    return np.asarray(points[:: -(-len(points) // MOST_OBSERVATIONS)])


def _white(points: Float64Array) -> Float64Array:
    """Coordinates of equal spread, without those that only rounding fills."""
    sides, sizes, _ = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
    return np.asarray(sides[:, sizes > 1e-9 * max(sizes[0], 1e-300)])


def _neighbours(points: Float64Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs of neighbours."""
    from scipy.spatial import KDTree

    count = min(6, len(points) - 1)
    _, found = KDTree(_white(points)).query(_white(points), count + 1)
    return np.repeat(np.arange(len(points)), count), np.asarray(found[:, 1:]).ravel()


def balanced_costs(points: Float64Array, rng: np.random.Generator) -> Float64Array:
    """Random costs (truth, decision), their columns scaled so that all decisions occur."""
    n_classes = points.shape[1]
    costs = np.exp(rng.normal(0, 1, (n_classes, n_classes)))
    np.fill_diagonal(costs, 0)
    costs /= costs.sum(axis=0)
    for step in range(150):
        chosen = np.bincount((points @ costs).argmin(axis=1), minlength=n_classes) / len(points)
        costs *= np.exp(0.94**step * (chosen - 1 / n_classes))
    return costs


def _edges(
    points: Float64Array, costs: Float64Array, first: NDArray[np.intp], second: NDArray[np.intp]
) -> Float64Array:
    """Unit edges, columns of equal spread, of the crossings between neighbours."""
    each = points @ costs
    decided = each.argmin(axis=1)
    apart = decided[first] != decided[second]
    a, b = first[apart], second[apart]
    i, j = decided[a], decided[b]
    here, there = each[a, i] - each[a, j], each[b, i] - each[b, j]
    crossing = (there[:, None] * points[a] - here[:, None] * points[b]) / (there - here)[:, None]
    n_classes = len(costs)
    edges = np.zeros((len(crossing), n_classes, n_classes - 1))
    for decision in range(n_classes):
        others = np.arange(n_classes) != decision
        moments = points[:, others].T @ points[:, others] / len(points)
        values, vectors = np.linalg.eigh(moments)
        column = crossing[:, others] @ (vectors / np.sqrt(np.maximum(values, 1e-14)))
        sign = (i == decision).astype(float) - (j == decision)
        edges[:, decision] = sign[:, None] * column
    flat = edges.reshape(len(edges), n_classes * (n_classes - 1))
    return np.asarray(flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-300))


def _rank(edges: Float64Array) -> int:
    if not len(edges):
        return 0
    sizes = np.linalg.svd(edges, compute_uv=False)
    return int((sizes > NEGLIGIBLE * sizes[0]).sum())
