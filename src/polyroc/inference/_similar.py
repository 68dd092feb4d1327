"""What DeLong's variance of a difference counts too much, which matters for similar models.

For a pair of classes let d_ij be the difference of two models in what the cases i and j contribute
to a metric of pairs, both columns of the pair together. Squares of the means d_i· and d_·j also
hold the part of d_ij that neither case explains alone,

    γ̂ = Σ_ij (d_ij − d_i· − d_·j + d_··)² / ((m − 1)(n − 1)),

and Σ over pairs of classes of γ̂/(mn) is subtracted. For models that differ in a few pairs of cases
it is most of the variance. Weights enter as shares of their class; a group counts as one case.
"""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc.inference._influence import CaseDesign
from polyroc.inference._similar_counts import Unexplained, summed, unexplained
from polyroc.metrics.folds import in_folds
from polyroc.metrics.measure import Measured
from polyroc.predictions import Predictions
from polyroc.statistics.directed import Directed
from polyroc.statistics.margins import MarginGradient, Margins
from polyroc.statistics.pairs import PairGradient, Pairs
from polyroc.statistics.statistic import Need
from polyroc.typing import Float64Array

Counted = dict[Need, Unexplained]
"""By what is ranked."""

MOST_PAIRS = 1_000_000
"""Pairs of cases that are gone through; with more, what is subtracted is small."""

MANY_CLASSES = 20
"""With more, all pairs of classes are gone through at once."""

MOST_CASES = 3000
"""For which a matrix of all pairs of cases is made."""

CELLS_AT_ONCE = 1 << 16
"""Pairs of cases whose credit stays in the cache until it is added up."""

MOST_CLASSES = 60
"""Whose pairs are gone through one by one."""


def overcounted(
    models: Sequence[Predictions],
    found: Sequence[Measured],
    design: CaseDesign,
    counted: Counted,
) -> Float64Array | None:
    """Σ γ̂/(mn) of each difference of paired models; None where it is not computed.

    ``counted`` keeps what metrics of the same columns share.
    """
    first, need = models[0], found[0].need
    if need is None or need.statistic not in (Pairs, Margins) or _many(first):
        return None
    if in_folds(first) or design.most_freedom(first) < np.inf:
        return None  # pairs of cases are formed within folds; groups that span classes meet
    slopes = [each.influence.slope for each in found if each.influence is not None]
    many = first.n_classes > MANY_CLASSES
    if many and need.statistic is Pairs and len(first) <= MOST_CASES:
        return _at_once(models, slopes, design)
    if first.n_classes > MOST_CLASSES:
        return None
    if not _countable(first, slopes, design):
        return _one_by_one(models, _directed(models, need), slopes, design)
    if need not in counted:
        counted[need] = unexplained(models, _directed(models, need))
    return summed(counted[need], slopes[0].matrix)


def _one_by_one(
    models: Sequence[Predictions],
    scores: Sequence[Directed | None],
    slopes: Sequence[PairGradient | MarginGradient],
    design: CaseDesign,
) -> Float64Array:
    """From a matrix of the pairs of cases of each two classes."""
    first, total = models[0], np.zeros((len(models), len(models)))
    units = [Units.of(first, design, k) for k in range(first.n_classes)]
    # Memory for large matrices is asked for once: to be given new pages costs more than to fill it.
    *_, fewer, most = sorted(first.class_counts.tolist())
    room = np.empty((len(models), fewer * most))
    for k, r in combinations(range(first.n_classes), 2):
        shape = len(first.members[k]), len(first.members[r])
        kernels = [each[: math.prod(shape)].reshape(shape) for each in room]
        for each in zip(kernels, models, scores, slopes, strict=True):
            _fill(*each, k, r)
        total += _interactions(kernels, units[k], units[r])
    return total + total.T


def _interactions(kernels: list[Float64Array], rows: "Units", columns: "Units") -> Float64Array:
    """γ̂/(mn) of one pair of classes for each difference of models; the kernels are used up."""
    found = np.zeros((len(kernels), len(kernels)))
    for a, b in combinations(range(len(kernels)), 2):
        last = kernels[a] if b == len(kernels) - 1 else None  # which is not asked for again
        found[a, b] = interaction(np.subtract(kernels[a], kernels[b], out=last), rows, columns)
    return found


def _countable(
    predictions: Predictions, slopes: Sequence[PairGradient | MarginGradient], design: CaseDesign
) -> bool:
    """Whether all cases weigh the same, and all models are ranked with the same weights."""
    alike = predictions.weights is None and design.groups is None
    same = all(np.array_equal(each.matrix, slopes[0].matrix, True) for each in slopes[1:])
    return alike and same and slopes[0].credit == 0.5


def _at_once(
    models: Sequence[Predictions], slopes: Sequence[PairGradient], design: CaseDesign
) -> Float64Array:
    """The same for all pairs of classes together, from matrices of all pairs of cases."""
    first = models[0]
    groups = np.arange(len(first)) if design.groups is None else design.groups
    order = np.lexsort((groups, first.codes))
    codes, groups = first.codes[order], groups[order]
    starts = np.flatnonzero(np.r_[True, (np.diff(codes) != 0) | (np.diff(groups) != 0)])
    shares = (first.case_weights / first.class_weights[first.codes])[order]
    copies = first.case_weights[order] if design.weights == "frequency" else np.ones(len(starts))
    counts = design.counts(first)
    with np.errstate(divide="ignore", invalid="ignore"):  # a class of one case has no variance
        factor = np.where(counts > 1, counts / (counts - 1), np.nan)
    kernels = [
        _all_pairs(each, slope)[np.ix_(order, order)]
        for each, slope in zip(models, slopes, strict=True)
    ]
    total = np.zeros((len(models), len(models)))
    for a, b in combinations(range(len(models)), 2):
        blocks = _squares(kernels[a] - kernels[b], shares, starts, codes[starts], copies)
        total[a, b] = np.triu(blocks * np.outer(factor, factor), 1).sum()
    return total + total.T


def _all_pairs(predictions: Predictions, slope: PairGradient) -> Float64Array:
    """What each pair of cases contributes, in both columns of its classes together."""
    codes, scores = predictions.codes, predictions.scores.astype(np.float64)
    own = scores[np.arange(len(codes)), codes]
    others = scores[:, codes].T
    if slope.credit is None:
        credit = np.maximum(own[:, None] - others, 0)
    else:
        credit = (own[:, None] > others) + slope.credit * (own[:, None] == others)
    weighted = np.nan_to_num(slope.matrix)[np.ix_(codes, codes)] * credit
    return np.asarray(weighted + weighted.T)


def _squares(
    kernel: Float64Array,
    shares: Float64Array,
    starts: NDArray[np.intp],
    codes: NDArray[Any],
    copies: Float64Array,
) -> Float64Array:
    """For each pair of classes, the squares of what neither unit of a pair explains alone."""
    weighted = kernel * shares[:, None] * shares
    moved = np.add.reduceat(np.add.reduceat(weighted, starts, axis=0), starts, axis=1)
    share = np.add.reduceat(shares, starts)
    classes = np.flatnonzero(np.r_[True, np.diff(codes) != 0])
    rows = np.add.reduceat(moved, classes, axis=1)
    explained = rows[:, codes] * share
    means = np.add.reduceat(rows, classes, axis=0)[np.ix_(codes, codes)] * np.outer(share, share)
    left = (moved - explained - explained.T + means) ** 2 / np.outer(copies, copies)
    return np.asarray(np.add.reduceat(np.add.reduceat(left, classes, axis=0), classes, axis=1))


def _many(predictions: Predictions) -> bool:
    counts = predictions.class_counts.astype(np.float64)
    return bool(counts.sum() ** 2 - (counts**2).sum() > 2 * MOST_PAIRS)


def _directed(models: Sequence[Predictions], need: Need) -> list[Directed | None]:
    if need.statistic is not Margins:
        return [None] * len(models)
    return [Directed.of(each, dict(need.options)["partition"]) for each in models]


def _fill(
    kernel: Float64Array,
    predictions: Predictions,
    directed: Directed | None,
    slope: PairGradient | MarginGradient,
    k: int,
    r: int,
) -> None:
    """What each pair of a case of class k and one of class r contributes to a metric."""
    first, second, credit = predictions.members[k], predictions.members[r], slope.credit
    if directed is not None:
        margins = directed.merged(np.concatenate([first, second]), k, r)
        own, other = margins[: len(first)], margins[len(first) :]
        kernel[:] = _credit(own, other, credit, slope.matrix[k, r])
        return
    by_k, by_r = (predictions.scores[:, c].astype(np.float64) for c in (k, r))
    for start in range(0, len(first), step := max(1, CELLS_AT_ONCE // len(second))):
        block, cases = kernel[start : start + step], first[start : start + step]
        block[:] = _credit(by_k[cases], by_k[second], credit, slope.matrix[k, r])
        block += _credit(-by_r[cases], -by_r[second], credit, slope.matrix[r, k])


def _credit(
    ahead: Float64Array, behind: Float64Array, tie: float | None, weight: float
) -> Float64Array:
    """Credit of each pair times a weight: 1 in order, ``tie`` for a tie; or how far it is ahead."""
    if tie is None:
        leads = np.subtract.outer(abs(weight) * ahead, abs(weight) * behind)
        np.maximum(leads, np.zeros(len(behind)), out=leads)  # faster than with the number 0
        return np.negative(leads, out=leads) if weight < 0 else leads
    # Compared, not subtracted: the largest numbers are further apart than a number can be.
    return np.asarray(weight * ((ahead[:, None] > behind) + tie * (ahead[:, None] == behind)))


class Units:
    """Cases or groups of a class: their shares, and means over the cases of each."""

    def __init__(
        self, shares: Float64Array, count: float, copies: Any = 1.0, means: Any = None
    ) -> None:
        self.shares, self.count, self._means = shares, count, means
        self.squares = shares**2 / copies

    @classmethod
    def of(cls, predictions: Predictions, design: CaseDesign, k: int) -> "Units":
        """The units of class k."""
        members = predictions.members[k]
        shares = predictions.case_weights[members] / predictions.class_weights[k]
        count = float(design.counts(predictions)[k])
        if design.weights == "frequency":
            return cls(shares, count, copies=predictions.case_weights[members])
        if design.groups is None:
            return cls(shares, count)
        _, number = np.unique(design.groups[members], return_inverse=True)
        sums = np.zeros((int(number.max()) + 1, len(members)))
        sums[number, np.arange(len(members))] = shares
        together = sums.sum(axis=1)
        return cls(together, count, means=sums / together[:, None])

    def means(self, kernel: Float64Array) -> Float64Array:
        """Rows of a kernel, those of a group as their mean."""
        return kernel if self._means is None else np.asarray(self._means @ kernel)


def interaction(kernel: Float64Array, rows: Units, columns: Units) -> float:
    """γ̂/(mn) of one pair of classes; the kernel is used up.

    In place, because large matrices cost more than what is computed in them; and not by BLAS, whose
    threads would round otherwise.
    """
    if rows.count <= 1 or columns.count <= 1:
        return np.nan
    left = columns.means(rows.means(kernel).T).T
    by_row = np.einsum("ij,j->i", left, columns.shares)
    by_column = np.einsum("i,ij->j", rows.shares, left)
    left -= by_row[:, None]
    left -= by_column - (by_row * rows.shares).sum()
    left *= left
    squares = float((np.einsum("ij,j->i", left, columns.squares) * rows.squares).sum())
    known = (rows.count - 1) * (columns.count - 1)
    return squares * rows.count * columns.count / known
