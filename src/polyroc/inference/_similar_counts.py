"""What neither case of a pair explains alone, by counting, where all cases weigh the same.

With F_ij the difference of two models in the credit of case i of class k over case j of class r in
the column of k, and B_ij that in the column of r, a metric with the weights W has the differences
d = W_kr F − W_rk B, and

    Σ_ij (d_ij − d_i· − d_·j + d_··)² = W_kr² Q(F, F) − 2 W_kr W_rk Q(F, B) + W_rk² Q(B, B),
    Q(X, Y) = ΣXY − Σ_i X_i+ Y_i+/n − Σ_j X_+j Y_+j/m + X_++ Y_++/(mn).

Q of differences follows from Q of the credits of the models. Credits are 0, ½ or 1, so that 4mn Q
is a whole number, and exact; one Q serves all models and all metrics of the same columns.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.predictions import Predictions
from polyroc.statistics.directed import Directed
from polyroc.typing import Float64Array

Ranks = NDArray[np.unsignedinteger[Any]]
Bits = NDArray[np.bool_]
Cases = NDArray[np.intp] | slice

Unexplained = Float64Array
"""(pairs of classes, columns, columns, models, models): Q of the differences of two models, divided
by (mn)² (1 − 1/m)(1 − 1/n)."""


def unexplained(models: Sequence[Predictions], directed: Sequence[Directed | None]) -> Unexplained:
    """Of all pairs of classes, in two columns or along one direction, and of all models."""
    ranked = [_Ranked(*each) for each in zip(models, directed, strict=True)]
    made = [
        _of_pair([each.columns(*pair) for each in ranked])
        for pair in combinations(range(models[0].n_classes), 2)
    ]
    return np.stack(made)


def summed(found: Unexplained, matrix: Float64Array) -> Float64Array:
    """Σ of γ̂/(mn) over the pairs of classes, for all pairs of models; a weight of NaN counts 0."""
    first, second = _pairs(len(matrix))
    weights = np.stack([matrix[first, second], -matrix[second, first]], axis=1)
    used = np.where(np.isnan(weights), 0.0, weights)[:, : found.shape[1]]
    products = used[:, :, None] * used[:, None]
    return np.asarray((products[..., None, None] * found).sum(axis=(0, 1, 2)))


@lru_cache(maxsize=8)
def _pairs(n_classes: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    first, second = np.triu_indices(n_classes, 1)
    return first, second


class _Ranked:
    """The cases of a model by rank, equal scores having the same."""

    def __init__(self, predictions: Predictions, directed: Directed | None) -> None:
        self.members, self.directed = predictions.members, directed
        scores = predictions.scores.T if directed is None else ()
        self.by_class = [_ranks(column) for column in scores]

    def columns(self, k: int, r: int) -> "list[_Credit]":
        """Credits of cases of class k over those of r, by their scores for k and for r."""
        first, second = self.members[k], self.members[r]
        if self.directed is None:
            return [_Credit.of(self.by_class[c], first, second) for c in (k, r)]
        ranked = _ranks(self.directed.merged(np.concatenate([first, second]), k, r))
        return [_Credit.of(ranked, slice(len(first)), slice(len(first), None))]


def _ranks(values: NDArray[np.floating]) -> tuple[Ranks, bool]:
    """How many different values are lower, in few bits; and whether any are equal."""
    order = np.argsort(values)
    ascending = values[order]
    new = ascending[1:] != ascending[:-1]
    ranks = np.zeros(len(values), np.min_scalar_type(len(values)))
    ranks[order[1:]] = np.cumsum(new)
    return ranks, not new.all()


class _Credit(NamedTuple):
    """Credit of each pair of cases: the mean of one table of bits, or of two where any are tied."""

    tables: tuple[Bits, ...]
    rows: Float64Array
    """Its sum for each case of the first class."""
    columns: Float64Array
    """Its sum for each case of the second class."""

    @classmethod
    def of(cls, ranked: tuple[Ranks, bool], first: Cases, second: Cases) -> "_Credit":
        """Of the ranks of the cases of both classes."""
        ranks, tied = ranked
        ahead, behind = ranks[first], ranks[second]
        above = ahead[:, None] > behind
        tables = (above, ahead[:, None] >= behind) if tied else (above,)
        rows = _below(ahead, behind, len(ranks))
        return cls(tables, rows, len(ahead) - _below(behind, ahead, len(ranks)))

    def times(self, other: "_Credit") -> float:
        """Sum of the products of credits."""
        if other is self and len(self.tables) == 1:
            return float(self.rows.sum())
        counts = [np.count_nonzero(one & two) for one in self.tables for two in other.tables]
        return sum(counts) / len(counts)


def _below(ranks: Ranks, others: Ranks, n_ranks: int) -> Float64Array:
    """How many of the others are below each rank, an equal one counting half."""
    equal = np.bincount(others, minlength=n_ranks)
    return np.asarray((equal.cumsum() - equal / 2)[ranks])


def _of_pair(models: Sequence[Sequence[_Credit]]) -> Unexplained:
    """Of one pair of classes."""
    credits = [column for columns in zip(*models, strict=True) for column in columns]
    (m, n), n_columns, n_models = credits[0].tables[0].shape, len(models[0]), len(models)
    if m <= 1 or n <= 1:
        return np.full((n_columns, n_columns, n_models, n_models), np.nan)
    whole = _times_pairs(credits, m, n).reshape(n_columns, n_models, n_columns, n_models)
    whole = whole.transpose(0, 2, 1, 3)
    own = whole.diagonal(axis1=2, axis2=3)
    apart = own[..., :, None] + own[..., None, :] - whole - whole.swapaxes(2, 3)
    return np.asarray(apart / ((m * n) ** 2 * (m - 1) * (n - 1)))


def _times_pairs(credits: Sequence[_Credit], m: int, n: int) -> Float64Array:
    """mn Q of all pairs of credits."""
    products = np.empty((len(credits), len(credits)))
    for i, one in enumerate(credits):
        for j, other in enumerate(credits[: i + 1]):
            products[i, j] = products[j, i] = one.times(other)
    rows = np.array([each.rows for each in credits])
    columns = np.array([each.columns for each in credits])
    sums = rows.sum(axis=1)
    explained = m * (rows @ rows.T) + n * (columns @ columns.T)
    return np.asarray(m * n * products - explained + np.outer(sums, sums))
