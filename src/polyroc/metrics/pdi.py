"""PDI: how often a case has the highest score of its class in a tuple of one case per class."""

import math
from typing import NamedTuple

import numpy as np

from polyroc.metrics.declaration import ONE_OF_K, Influence, Property, Repeats
from polyroc.metrics.registry import metric
from polyroc.predictions import Predictions
from polyroc.statistics.means import centre_by_class
from polyroc.statistics.pairs import column_threads
from polyroc.statistics.placements import Placements, placements
from polyroc.sums import running_sum
from polyroc.threads import map_threads
from polyroc.typing import Float64Array


class Node(NamedTuple):
    """A point and a weight of a quadrature on [0, 1]."""

    at: float
    weight: float


def nodes(places: Placements) -> list[Node]:
    """Exact quadrature for the split of ties: Gauss–Legendre, or one node where nothing is tied."""
    n_classes = places.below.shape[1]
    if not np.delete(places.tied, places.column.k, axis=1).any():
        return [Node(0.5, 1.0)]
    points, weights = np.polynomial.legendre.leggauss(math.ceil(n_classes / 2))
    return [Node((t + 1) / 2, g / 2) for t, g in zip(points, weights, strict=True)]


def beaten(places: Placements, node: Node) -> Float64Array:
    """below_r + t · tied_r for each positive and class, 1 for its own class."""
    shares = places.below + node.at * places.tied
    shares[:, places.column.k] = 1
    return shares


def chance_to_win(places: Placements) -> Float64Array:
    """For each positive, how often it beats one case of every other class, ties split evenly."""
    chances = np.zeros(len(places.below))
    for node in nodes(places):
        chances += node.weight * beaten(places, node).prod(axis=1)
    return chances


def influence(predictions: Predictions) -> Influence:
    """Projections: of a positive its chance to win, of another case how often it lets others."""

    def of_class(k: int) -> Float64Array:
        return _projection(placements(predictions, k))

    columns = range(predictions.n_classes)
    parts = map_threads(of_class, columns, column_threads(predictions))
    total = np.sum(parts, axis=0) / predictions.n_classes
    return Influence(centre_by_class(predictions, total))


def _projection(places: Placements) -> Float64Array:
    """A case of class r lets a positive win by the product over the classes other than k and r."""
    column = places.column
    clear, level = np.zeros((2, *places.below.shape))
    for node in nodes(places):
        others = node.weight * _products_without_one(beaten(places, node))
        clear += others
        level += node.at * others
    weights = np.diff(column.weight_below)[:, None] / column.weight
    clear, level = running_sum(clear * weights), running_sum(level * weights)
    projection = np.empty(len(column.scores))
    for ranks in column.ranks():
        won = clear[-1, ranks.codes] - clear[ranks.right, ranks.codes]
        split = level[ranks.right, ranks.codes] - level[ranks.left, ranks.codes]
        projection[ranks.cases] = won + split
    projection[column.members] = chance_to_win(places)
    return projection


def _products_without_one(factors: Float64Array) -> Float64Array:
    """Product over all columns but one, for each column, without dividing."""
    ones = np.ones((len(factors), 1))
    before = np.cumprod(np.hstack([ones, factors[:, :-1]]), axis=1, dtype=np.float64)
    after = np.cumprod(np.hstack([ones, factors[:, :0:-1]]), axis=1, dtype=np.float64)[:, ::-1]
    return before * after


@metric(
    influence=influence,
    title="Polytomous discrimination index",
    symbol="PDI",
    statistic="placements",
    reference="Van Calster et al. 2012",
    complexity="O(K n log n + K² n)",
    repeats=(Repeats(2, ("hand_till",)),),
    chance=ONE_OF_K,
    properties=frozenset({Property.SKEW, Property.COLUMN_MONOTONE, Property.COMMON_SCALE}),
)
def pdi(predictions: Predictions) -> float:
    """PDI: of one case per class, how often the case of class k has the highest score of k.

    PDI = 1/K Σ_k mean over tuples of [p_k(x_k) > p_k(x_r) for all r ≠ k], ties split evenly.

    A model without information reaches 1/K. No tuple is enumerated: a case of class k wins with
    ∫₀¹ Π_{r≠k} (below_r + t · tied_r) dt, below_r and tied_r the shares of class r below and level.

    Examples
    --------
    >>> from polyroc import pdi
    >>> p = [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]
    >>> pdi([0, 1, 2], p)
    1.0
    >>> round(pdi([0, 1, 2], [[1, 1, 1], [1, 1, 1], [1, 1, 1]]), 6)
    0.333333
    """

    def of_class(k: int) -> float:
        places = placements(predictions, k)
        weights = np.diff(places.column.weight_below)
        return float((weights * chance_to_win(places)).sum()) / places.column.weight

    columns = range(predictions.n_classes)
    return float(np.mean(map_threads(of_class, columns, column_threads(predictions))))
