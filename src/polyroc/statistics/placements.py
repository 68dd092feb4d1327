"""Placements: what share of each class lies below, or level with, each positive of a column.

From them, how often a case of class k has the highest score for k among one case of every class. A
positive whose column has the share below_r of class r below it and the share tied_r level with it
wins with the chance ∫₀¹ Π_{r≠k} (below_r + t · tied_r) dt when ties are split evenly: a polynomial
of t, exact by Gauss–Legendre quadrature with ⌈(m + 1)/2⌉ nodes, m the most classes tied at once.
Where many classes are tied, each in a small share, fewer nodes do: with S = Σ_r tied_r the
coefficient of t^j is at most S^j/j!, and c nodes are exact up to t^(2c−1), so that the error is at
most Σ_{j≥2c} S^j/j!. O(K n log n + K² n) in all.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Self

import numpy as np

from polyroc._base.parallel import each_of_threads, map_threads
from polyroc._base.sums import running_sum, sum_by_class
from polyroc.predictions import Predictions
from polyroc.predictions._columns import Column
from polyroc.statistics import many_columns
from polyroc.statistics.long_tables import is_long, projected_wins, sums_and_wins
from polyroc.statistics.many_columns import in_blocks
from polyroc.statistics.means import centre_by_class
from polyroc.statistics.mixture import Carried, MixedColumn, Mixture
from polyroc.statistics.pairs import Pairs, column_threads, mixed_columns
from polyroc.statistics.statistic import Statistic
from polyroc.typing import Float64Array, IntArray

FEW_NODES = 4
"""Up to here all nodes of the exact quadrature are used."""

NEGLIGIBLE = 1e-18
"""An error of a chance that is no error: far below its last bit."""

ROUNDING = 1e-14
"""Shares of a class in the pool up to this are rounding of running sums, and no tie."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Placements(Statistic):
    """How often the case of each class has the highest score for it in a tuple."""

    wins: Float64Array
    """(K,) one chance per class."""

    projected: Float64Array | None = None
    """Sum over the columns of what each case contributes, where it was found along."""
    mixed: Carried | None = None
    """The same of classes that are shrunken towards a pool."""

    @classmethod
    def of(cls, predictions: Predictions) -> Self:
        """One sort per column."""
        if is_long(predictions):
            return cls._of(predictions, sums_and_wins(predictions)[1])
        if predictions.n_classes >= many_columns.MANY_CLASSES:
            return cls._of(predictions, _by_blocks(predictions, carried=False)[0])

        def of_class(k: int) -> float:
            places = _Places.of(predictions, k)
            return _wins(places, _chance_to_win(places))

        columns, n_threads = range(predictions.n_classes), column_threads(predictions)
        wins = np.array(map_threads(of_class, columns, n_threads))
        return cls._of(predictions, wins)

    @classmethod
    def of_carried(cls, predictions: Predictions, **options: Any) -> Self:
        """The same, and of a positive its chance to win, of another case how often it lets one."""
        del options
        if is_long(predictions):
            return cls._of(predictions, *projected_wins(predictions))
        if predictions.n_classes >= many_columns.MANY_CLASSES:
            made, carried = _by_blocks(predictions)
            return cls._of(predictions, made, carried.own)

        def of_class(k: int) -> tuple[float, Float64Array]:
            column = predictions.column(k)
            with column.remembered_ranks():
                return _projection(_Places.of_column(column, predictions.class_weights))

        wins, total = [], np.zeros(len(predictions))
        columns, n_threads = range(predictions.n_classes), column_threads(predictions)
        for share, part in each_of_threads(of_class, columns, n_threads):
            wins.append(share)
            total += part
        return cls._of(predictions, np.array(wins), total)

    @classmethod
    def _of(
        cls, predictions: Predictions, wins: Float64Array, projected: Float64Array | None = None
    ) -> Self:
        classes, weights = predictions.classes, predictions.class_weights
        return cls(classes=classes, weights=weights, wins=wins, projected=projected)

    def carry(
        self, predictions: Predictions, gradients: Sequence[Float64Array]
    ) -> list[Float64Array]:
        """All columns count the same."""
        found = self if self.projected is not None else type(self).of_carried(predictions)
        moved = [np.asarray(found.projected) / (1 / _common(each)) for each in gradients]
        return [centre_by_class(predictions, each) for each in moved]

    @classmethod
    def with_pairs(cls, predictions: Predictions) -> tuple[Self, Pairs]:
        """Of a long table, both from one sort of each column."""
        (above, tied, excess), wins = sums_and_wins(predictions)
        classes, weights = predictions.classes, predictions.class_weights
        pairs = Pairs(classes=classes, weights=weights, above=above, tied=tied, excess=excess)
        return cls._of(predictions, wins), pairs

    @classmethod
    def of_mixture(cls, mixture: Mixture, **options: Any) -> Self:
        """One sort per column, in which the pool is once."""
        del options
        classes, weights = mixture.predictions.classes, mixture.class_weights
        if mixture.n_classes >= many_columns.MANY_CLASSES:
            made, carried = _by_blocks(mixture)
            return cls(classes=classes, weights=weights, wins=made, mixed=carried)

        def of_column(mixed: MixedColumn) -> tuple[float, Carried]:
            return _mixed_projection(mixed, _mixed_places(mixed, mixture.class_weights))

        wins, total = [], mixture.nothing()
        for share, part in mixed_columns(mixture, of_column):
            wins.append(share)
            total.add(part)
        return cls(classes=classes, weights=weights, wins=np.array(wins), mixed=total)

    def carry_mixture(
        self, mixture: Mixture, gradients: Sequence[Float64Array]
    ) -> list[Float64Array]:
        """The same of the cases, and of the pool as cases of every class."""
        own, pooled = (self.mixed or type(self).of_mixture(mixture).mixed) or mixture.nothing()
        return [
            mixture.centred(Carried(_common(each) * own, _common(each) * pooled))
            for each in gradients
        ]


def _by_blocks(cases: Predictions | Mixture, carried: bool = True) -> tuple[Float64Array, Carried]:
    """Chances of many classes, and the sum over the columns of what each case contributes."""
    from polyroc.kernels.placements import Nodes, add_chances, chances_of, shares_of
    from polyroc.kernels.ranks import Block, Cases, ranked

    totals = np.array(cases.class_weights, dtype=np.float64)

    def of_block(table: Cases, block: Block) -> tuple[list[float], Carried]:
        wins, total = [], many_columns.nothing(cases)
        for c in range(len(block.scores)):
            places = ranked(table, block, c)
            shares = shares_of(table, totals, places)
            points, weights = zip(*_nodes_for(shares.most_tied, shares.most_level), strict=True)
            nodes = Nodes(np.array(points), np.array(weights))
            chances = chances_of(places, shares, nodes, carried)
            won = float((np.diff(places.weights) * chances.won).sum())
            wins.append(won / float(places.weights[-1]))
            if carried:
                add_chances(table, places, chances, *total)
        return wins, total

    found, total = list[float](), many_columns.nothing(cases)
    for wins, part in in_blocks(cases, of_block):
        found += wins
        total.add(part)
    return np.array(found), total


def _common(gradient: Float64Array) -> float:
    """The derivative by the chance of each class, which is the same for all."""
    if (gradient != gradient[0]).any():
        raise NotImplementedError("the classes count differently")
    return float(gradient[0])


class _Places(NamedTuple):
    """Rows: the positives of a column in ascending order of score; columns: the classes."""

    column: Column
    below: Float64Array
    tied: Float64Array | None
    """None where no case is level with a positive other than itself."""

    @classmethod
    def of(cls, predictions: Predictions, k: int) -> "_Places":
        """Shares of every class below and level with the cases of class k in column k.

        The row of a positive counts the cases of rank ``right`` ≤ its position as below it, and
        those of rank ``left`` ≤ position as below or level. O(n log n + n_k K).
        """
        return cls.of_column(predictions.column(k), predictions.class_weights)

    @classmethod
    def of_column(cls, column: Column, totals: Float64Array) -> "_Places":
        """The same of a column, from the weights of the classes."""
        strict, lenient = np.zeros((2, column.n_positives + 1, len(totals)))
        n_level = 0
        for ranks in column.anonymous_ranks():  # which are those of the cases where these weigh
            weights = None if column.weights is None else column.weights[ranks.cases]
            _tally(strict, ranks.right, ranks.codes, weights)
            _tally(lenient, ranks.left, ranks.codes, weights)
            n_level += int((ranks.right - ranks.left).sum())
        below = running_sum(strict)[1:-1]
        if n_level == column.n_positives:  # each is level with itself
            return cls(column, below / totals, None)
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


def _wins(places: _Places, chances: Float64Array) -> float:
    """How often the positives win."""
    weights = np.diff(places.column.weight_below)
    return float((weights * chances).sum()) / places.column.weight


def _mixed_places(mixed: MixedColumn, totals: Float64Array) -> _Places:
    """Places of the positives, the pool among them, in classes that contain the pool."""
    column, n_classes = mixed.column, len(totals)
    strict, lenient = np.zeros((2, column.n_positives + 1, n_classes + 1))
    for ranks in column.ranks():
        codes, weights = mixed.others(ranks)
        _tally(strict, ranks.right, codes, weights)
        _tally(lenient, ranks.left, codes, weights)
    strict, lenient = (each[:, :-1] + each[:, -1:] * mixed.added for each in (strict, lenient))
    below = running_sum(strict)[1:-1]
    level = running_sum(lenient)[1:-1] - below
    level[np.abs(level) <= ROUNDING * totals] = 0
    return _Places(column, below / totals, np.maximum(level, 0) / totals)


def _mixed_projection(mixed: MixedColumn, places: _Places) -> tuple[float, Carried]:
    """The same as :func:`_projection`, and for the pool as cases of every class."""
    column, n_own = mixed.column, mixed.n_own
    chances, clear, level = _running_chances(places)
    own, pooled = np.empty(len(mixed.codes)), np.empty((len(mixed.codes) - n_own, len(mixed.added)))
    for ranks in column.ranks():
        codes, rows = mixed.others(ranks)[0], np.arange(len(mixed.codes))[ranks.cases]
        of_cases = codes < len(mixed.added)
        left, right, at = ranks.left[of_cases], ranks.right[of_cases], codes[of_cases]
        own[rows[of_cases]] = (
            clear[-1, at] - clear[right, at] + (level[right, at] - level[left, at])
        )
        left, right = ranks.left[~of_cases], ranks.right[~of_cases]
        pooled[rows[~of_cases] - n_own] = clear[-1] - clear[right] + (level[right] - level[left])
    own[column.members] = chances
    pooled[:, column.k] = own[n_own:]
    return _wins(places, chances), Carried(own[:n_own], pooled)


class _Node(NamedTuple):
    """A point and a weight of a quadrature on [0, 1]."""

    at: float
    weight: float


def _nodes(places: _Places) -> tuple[_Node, ...]:
    """Exact quadrature for the split of ties: of a degree as high as any positive has classes tied.

    That is one node where nothing is tied; of many, as many as matter.
    """
    if places.tied is None:
        return _nodes_for(0, 0.0)
    tied = places.tied > 0
    tied[:, places.column.k] = False
    others = places.tied.sum(axis=1) - places.tied[:, places.column.k]
    return _nodes_for(int(tied.sum(axis=1).max(initial=0)), float(others.max(initial=0)))


def _nodes_for(most_tied: int, share: float) -> tuple[_Node, ...]:
    """Of the most classes that a positive is tied with, and the largest sum of their shares."""
    n_nodes = math.ceil((most_tied + 1) / 2)
    if n_nodes > FEW_NODES:
        n_nodes = min(n_nodes, _nodes_that_matter(share))
    return _gauss_legendre(n_nodes)


def _nodes_that_matter(share: float) -> int:
    """The least number c ≥ ``FEW_NODES`` with Σ_{j≥2c} S^j/j! below ``NEGLIGIBLE``."""
    n_nodes = FEW_NODES
    while 2 * n_nodes < 2 * share or _term(share, 2 * n_nodes) > NEGLIGIBLE / 2:
        n_nodes += 1  # from 2c ≥ 2S on, each term is at most half of the one before it
    return n_nodes


def _term(share: float, power: int) -> float:
    """S^j/j!."""
    return math.exp(power * math.log(share) - math.lgamma(power + 1)) if share > 0 else 0.0


@lru_cache(maxsize=64)
def _gauss_legendre(n_nodes: int) -> tuple[_Node, ...]:
    points, weights = np.polynomial.legendre.leggauss(n_nodes)
    return tuple(_Node((t + 1) / 2, g / 2) for t, g in zip(points, weights, strict=True))


def _beaten(places: _Places, node: _Node) -> Float64Array:
    """below_r + t · tied_r for each positive and class, 1 for its own class."""
    shares = places.below.copy()
    if places.tied is not None:
        shares += node.at * places.tied
    shares[:, places.column.k] = 1
    return shares


def _chance_to_win(places: _Places) -> Float64Array:
    """For each positive, how often it beats one case of every other class, ties split evenly."""
    chances = np.zeros(len(places.below))
    for node in _nodes(places):
        chances += node.weight * _beaten(places, node).prod(axis=1)
    return chances


def _projection(places: _Places) -> tuple[float, Float64Array]:
    """A case of class r lets a positive win by the product over the classes other than k and r."""
    column = places.column
    chances, clear, level = _running_chances(places)
    projection = np.empty(len(column.scores))
    for ranks in column.ranks():
        won = clear[-1, ranks.codes] - clear[ranks.right, ranks.codes]
        if places.tied is not None:
            won += level[ranks.right, ranks.codes] - level[ranks.left, ranks.codes]
        projection[ranks.cases] = won
    projection[column.members] = chances
    return _wins(places, chances), projection


def _running_chances(places: _Places) -> tuple[Float64Array, Float64Array, Float64Array]:
    """Chances of positives to win; of those without one class, running sums, clear and tied.

    Where nothing is tied, the last is not needed.
    """
    column = places.column
    chances, (clear, level) = np.zeros(len(places.below)), np.zeros((2, *places.below.shape))
    for node in _nodes(places):
        shares = _beaten(places, node)
        chances += node.weight * shares.prod(axis=1)
        others = node.weight * _products_without_one(shares)
        clear += others
        level += node.at * others
    weights = np.diff(column.weight_below)[:, None] / column.weight
    clear = running_sum(clear * weights)
    return chances, clear, clear if places.tied is None else running_sum(level * weights)


def _products_without_one(factors: Float64Array) -> Float64Array:
    """Product over all columns but one, for each column, without dividing."""
    before, after = np.ones((2, *factors.shape))
    for c in range(1, factors.shape[1]):
        np.multiply(before[:, c - 1], factors[:, c - 1], out=before[:, c])
        np.multiply(after[:, -c], factors[:, -c], out=after[:, -c - 1])
    return np.asarray(before * after)
