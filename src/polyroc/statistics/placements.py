"""Placements: what share of each class lies below, or level with, each positive of a column.

From them, how often a case of class k has the highest score for k among one case of every class. A
positive whose column has the share below_r of class r below it and the share tied_r level with it
wins with the chance ∫₀¹ Π_{r≠k} (below_r + t · tied_r) dt when ties are split evenly: a polynomial
of t, exact by Gauss–Legendre quadrature with ⌈(m + 1)/2⌉ nodes, m the most classes tied at once.
O(K n log n + K² n) in all.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Self

import numpy as np

from polyroc._base.parallel import map_threads
from polyroc._base.sums import running_sum, sum_by_class
from polyroc.predictions import Predictions
from polyroc.predictions._columns import Column
from polyroc.statistics.means import centre_by_class
from polyroc.statistics.pairs import column_threads
from polyroc.statistics.statistic import Statistic
from polyroc.typing import Float64Array, IntArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Placements(Statistic):
    """How often the case of each class has the highest score for it in a tuple."""

    wins: Float64Array
    """(K,) one chance per class."""

    @classmethod
    def of(cls, predictions: Predictions) -> Self:
        """One sort per column."""

        def of_class(k: int) -> float:
            places = _Places.of(predictions, k)
            weights = np.diff(places.column.weight_below)
            return float((weights * _chance_to_win(places)).sum()) / places.column.weight

        columns, n_threads = range(predictions.n_classes), column_threads(predictions)
        wins = np.array(map_threads(of_class, columns, n_threads))
        return cls(classes=predictions.classes, weights=predictions.class_weights, wins=wins)

    def carry(
        self, predictions: Predictions, gradients: Sequence[Float64Array]
    ) -> list[Float64Array]:
        """Of a positive its chance to win, of another case how often it lets the positives win."""

        def of_class(k: int) -> Float64Array:
            return _projection(_Places.of(predictions, k))

        columns, n_threads = range(predictions.n_classes), column_threads(predictions)
        parts = np.array(map_threads(of_class, columns, n_threads))

        def weighted(gradient: Float64Array) -> Float64Array:
            largest = gradient.max()  # equal derivatives are made 1, and nothing is rounded twice
            total: Float64Array = np.sum((gradient / largest)[:, None] * parts, axis=0)
            return centre_by_class(predictions, total / (1 / largest))

        return [weighted(gradient) for gradient in gradients]


class _Places(NamedTuple):
    """Rows: the positives of a column in ascending order of score; columns: the classes."""

    column: Column
    below: Float64Array
    tied: Float64Array

    @classmethod
    def of(cls, predictions: Predictions, k: int) -> "_Places":
        """Shares of every class below and level with the cases of class k in column k.

        The row of a positive counts the cases of rank ``right`` ≤ its position as below it, and
        those of rank ``left`` ≤ position as below or level. O(n log n + n_k K).
        """
        column, totals = predictions.column(k), predictions.class_weights
        strict, lenient = np.zeros((2, column.n_positives + 1, predictions.n_classes))
        for ranks in column.ranks():
            weights = None if column.weights is None else column.weights[ranks.cases]
            _tally(strict, ranks.right, ranks.codes, weights)
            _tally(lenient, ranks.left, ranks.codes, weights)
        below = running_sum(strict)[1:-1]
        level = running_sum(lenient)[1:-1] - below
        return cls(column, below / totals, np.maximum(level, 0) / totals)


def _tally(
    table: Float64Array, ranks: IntArray, codes: IntArray, weights: Float64Array | None
) -> None:
    """Add cases by rank (row) and class (column).

    A block of sorted cases has neighbouring ranks, so only a few rows of a long table are touched.
    """
    first, n_classes = int(ranks.min()), table.shape[1]
    n_rows = int(ranks.max()) + 1 - first
    cells = (ranks - first) * n_classes + codes
    n_cells = n_rows * n_classes
    rows = table[first : first + n_rows].reshape(n_cells)
    if weights is None:
        rows += np.bincount(cells, minlength=n_cells)
    else:
        rows += sum_by_class(cells, weights, n_cells)


class _Node(NamedTuple):
    """A point and a weight of a quadrature on [0, 1]."""

    at: float
    weight: float


def _nodes(places: _Places) -> tuple[_Node, ...]:
    """Exact quadrature for the split of ties: of a degree as high as any positive has classes tied.

    That is one node where nothing is tied.
    """
    tied = places.tied > 0
    tied[:, places.column.k] = False
    return _gauss_legendre(math.ceil((int(tied.sum(axis=1).max(initial=0)) + 1) / 2))


@lru_cache(maxsize=64)
def _gauss_legendre(n_nodes: int) -> tuple[_Node, ...]:
    points, weights = np.polynomial.legendre.leggauss(n_nodes)
    return tuple(_Node((t + 1) / 2, g / 2) for t, g in zip(points, weights, strict=True))


def _beaten(places: _Places, node: _Node) -> Float64Array:
    """below_r + t · tied_r for each positive and class, 1 for its own class."""
    shares = places.below + node.at * places.tied
    shares[:, places.column.k] = 1
    return shares


def _chance_to_win(places: _Places) -> Float64Array:
    """For each positive, how often it beats one case of every other class, ties split evenly."""
    chances = np.zeros(len(places.below))
    for node in _nodes(places):
        chances += node.weight * _beaten(places, node).prod(axis=1)
    return chances


def _projection(places: _Places) -> Float64Array:
    """A case of class r lets a positive win by the product over the classes other than k and r."""
    column = places.column
    clear, level = np.zeros((2, *places.below.shape))
    for node in _nodes(places):
        others = node.weight * _products_without_one(_beaten(places, node))
        clear += others
        level += node.at * others
    weights = np.diff(column.weight_below)[:, None] / column.weight
    clear, level = running_sum(clear * weights), running_sum(level * weights)
    projection = np.empty(len(column.scores))
    for ranks in column.ranks():
        won = clear[-1, ranks.codes] - clear[ranks.right, ranks.codes]
        split = level[ranks.right, ranks.codes] - level[ranks.left, ranks.codes]
        projection[ranks.cases] = won + split
    projection[column.members] = _chance_to_win(places)
    return projection


def _products_without_one(factors: Float64Array) -> Float64Array:
    """Product over all columns but one, for each column, without dividing."""
    ones = np.ones((len(factors), 1))
    before = np.cumprod(np.hstack([ones, factors[:, :-1]]), axis=1, dtype=np.float64)
    after = np.cumprod(np.hstack([ones, factors[:, :0:-1]]), axis=1, dtype=np.float64)[:, ::-1]
    return before * after
