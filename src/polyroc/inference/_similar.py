"""What DeLong's variance of a difference counts too much, which matters for similar models.

For a pair of classes let d_ij be the difference of two models in what the cases i and j contribute
to a metric of pairs, both columns of the pair together. Squares of the means d_i· and d_·j also
hold the part of d_ij that neither case explains alone,

    γ̂ = Σ_ij (d_ij − d_i· − d_·j + d_··)² / ((m − 1)(n − 1)),

and Σ over pairs of classes of γ̂/(mn) is subtracted. For models that differ in a few pairs of cases
it is most of the variance. Weights enter as shares of their class; a group counts as one case.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from polyroc.inference._influence import CaseDesign
from polyroc.metrics.folds import FoldStatistics
from polyroc.metrics.measure import CaseStatistics
from polyroc.metrics.question import Question
from polyroc.predictions import Predictions
from polyroc.statistics.mu import Directed, MarginGradient, Margins
from polyroc.statistics.pairs import PairGradient, Pairs
from polyroc.typing import Float64Array

MOST_PAIRS = 1_000_000
"""Pairs of cases that are gone through; with more, what is subtracted is small."""


def overcounted(
    statistics: Sequence[CaseStatistics | FoldStatistics],
    questions: Sequence[Question],
    design: CaseDesign,
) -> Float64Array | None:
    """Σ γ̂/(mn) of each difference of paired models; None where it is not computed."""
    first = statistics[0].predictions
    if questions[0].metric.statistic not in (Pairs, Margins) or _many(first):
        return None
    if first.folds is not None or design.most_freedom(first) < np.inf:
        return None  # pairs of cases are formed within folds; groups that span classes meet
    slopes = [
        question.gradient(each[question.need]).of_statistic
        for each, question in zip(statistics, questions, strict=True)
    ]
    scores = [_directed(*each) for each in zip(statistics, questions, strict=True)]
    total = np.zeros((len(statistics), len(statistics)))
    for k, r in combinations(range(first.n_classes), 2):
        kernels = [
            kernel(each.predictions, directed, slope, k, r)
            for each, directed, slope in zip(statistics, scores, slopes, strict=True)
        ]
        units = Units.of(first, design, k), Units.of(first, design, r)
        for a, b in combinations(range(len(statistics)), 2):
            total[a, b] += interaction(kernels[a] - kernels[b], *units)
    return total + total.T


def _many(predictions: Predictions) -> bool:
    counts = predictions.class_counts.astype(np.float64)
    return bool(counts.sum() ** 2 - (counts**2).sum() > 2 * MOST_PAIRS)


def _directed(statistics: CaseStatistics | FoldStatistics, question: Question) -> Directed | None:
    if question.metric.statistic is not Margins:
        return None
    return Directed.of(statistics.predictions, dict(question.need.options)["partition"])


def kernel(
    predictions: Predictions,
    directed: Directed | None,
    slope: PairGradient | MarginGradient,
    k: int,
    r: int,
) -> Float64Array:
    """What each pair of a case of class k and one of class r contributes to a metric."""
    first, second = predictions.members[k], predictions.members[r]
    if directed is not None:
        margins = directed.merged(np.concatenate([first, second]), k, r)
        own, other = margins[: len(first)], margins[len(first) :]
        return np.asarray(slope.matrix[k, r] * _credit(own, other, slope.credit))
    own, other = (predictions.column(c).scores.astype(np.float64) for c in (k, r))
    forward = _credit(own[first], own[second], slope.credit)
    backward = _credit(other[second], other[first], slope.credit)
    return np.asarray(slope.matrix[k, r] * forward + slope.matrix[r, k] * backward.T)


def _credit(ahead: Float64Array, behind: Float64Array, tie: float | None) -> Float64Array:
    """Credit of each pair: 1 in order, ``tie`` for a tie; or by how much it is ahead."""
    if tie is None:
        return np.maximum(ahead[:, None] - behind, 0)
    # Compared, not subtracted: the largest numbers are further apart than a number can be.
    return np.asarray((ahead[:, None] > behind) + tie * (ahead[:, None] == behind))


class Units:
    """Cases or groups of a class: which cases, and their shares."""

    def __init__(self, spread: Any, shares: Float64Array, count: float, copies: Float64Array):
        self.spread, self.shares, self.count, self.copies = spread, shares, count, copies

    @classmethod
    def of(cls, predictions: Predictions, design: CaseDesign, k: int) -> "Units":
        """The units of class k."""
        members = predictions.members[k]
        shares = predictions.case_weights[members] / predictions.class_weights[k]
        count = float(design.counts(predictions)[k])
        if design.weights == "frequency":
            return cls(shares[:, None], shares, count, predictions.case_weights[members])
        if design.groups is None:
            return cls(shares[:, None], shares, count, np.ones(len(members)))
        _, number = np.unique(design.groups[members], return_inverse=True)
        sums = np.zeros((int(number.max()) + 1, len(members)))
        sums[number, np.arange(len(members))] = shares
        return cls(sums, sums.sum(axis=1), count, np.ones(len(sums)))

    def gather(self, kernel: Float64Array) -> Float64Array:
        """Rows of a kernel, weighted by shares and summed over groups."""
        if self.spread.shape[1] == 1:
            return np.asarray(self.spread * kernel)
        return np.asarray(self.spread @ kernel)


def interaction(kernel: Float64Array, rows: Units, columns: Units) -> float:
    """γ̂/(mn) of one pair of classes."""
    if rows.count <= 1 or columns.count <= 1:
        return np.nan
    moved = columns.gather(rows.gather(kernel).T).T
    by_row, by_column = moved.sum(axis=1), moved.sum(axis=0)
    left = (
        moved
        - np.outer(by_row, columns.shares)
        - np.outer(rows.shares, by_column)
        + moved.sum() * np.outer(rows.shares, columns.shares)
    )
    squares = float((left**2 / np.outer(rows.copies, columns.copies)).sum())
    known = (rows.count - 1) * (columns.count - 1)
    return squares * rows.count * columns.count / known
