"""Pairs above and tied in all columns, or margins, of a short table at once.

Of a thousand cases the calls of NumPy cost more than their sorting: here all columns share them.
Counts of unweighted cases are whole numbers, equal to those of one column after the other.
"""

import numpy as np

from polyroc.predictions import Predictions
from polyroc.statistics.directed import Directed
from polyroc.statistics.mixture import Carried, Mixture
from polyroc.typing import Float64Array

SHORT = 1 << 12
"""Cases up to which the calls cost more than the memory for all columns side by side."""

FEW_SCORES = 1 << 15
"""Scores that stay in the cache while all columns are sorted."""

MARGINS_OF_PAIR = 140
"""So many margins are sorted in the time that the calls for one pair of classes take."""

MOST_MARGINS = 1 << 14
"""Margins that stay in the cache while they are sorted."""


def is_short(predictions: Predictions) -> bool:
    """Whether the columns of unweighted cases are so short that they are sorted together."""
    few = len(predictions) <= SHORT and predictions.scores.size <= FEW_SCORES
    return few and predictions.weights is None


def counted_pairs(predictions: Predictions) -> tuple[Float64Array, Float64Array]:
    """Pairs in which the case of class k (row) has more, or the same, than that of r (column)."""
    columns, counts = predictions.sorted_together(), predictions.class_weights
    upto, level = columns.summed_positives
    tied = np.diag(counts) if level is None else level
    return counts[:, None] * counts - upto, tied


def mixed_pairs(mixture: Mixture) -> tuple[Float64Array, Float64Array]:
    """The same of classes that are shrunken towards a pool, by their weights.

    Either case of a pair is one of its class or of the pool: four ways.
    """
    blend = mixture.blend
    columns, counts, pool = blend.columns, blend.counts, blend.pool
    mean_below, mean_level = (columns.summed(each) / counts for each in pool.masses)
    alike = np.einsum("ki,ki->k", pool.shares, pool.masses.level)[:, None]
    above, tied = (each / np.outer(counts, counts) for each in counted_pairs(mixture.predictions))
    own, other = blend.kept[:, None], blend.kept
    pooled, others_pooled = blend.pooled[:, None], blend.pooled
    above = own * (other * above + others_pooled * np.diag(mean_below)[:, None])
    above += pooled * (other * (1 - mean_below - mean_level) + others_pooled * (1 - alike) / 2)
    tied = own * (other * tied + others_pooled * np.diag(mean_level)[:, None])
    tied += pooled * (other * mean_level + others_pooled * alike)
    pairs = np.outer(mixture.class_weights, mixture.class_weights)
    return above * pairs, tied * pairs


def carried_together(
    cases: Predictions | Mixture, slopes: Float64Array, credit: float
) -> list[Carried]:
    """Influence values, before they are centred, for derivatives W (G, K, K) by AUC(k|r).

    As a case of class k a case wins against Σ_r W_kr times the share of class r below it, and as a
    case of class r it loses against Σ_k W_kr times the share of class k above it.
    """
    slopes = np.where(np.eye(slopes.shape[1], dtype=bool), 0.0, slopes)
    blend = cases.blend if isinstance(cases, Mixture) else None
    predictions = cases.predictions if isinstance(cases, Mixture) else cases
    columns, counts = predictions.side_by_side, predictions.class_weights
    upto, level = columns.positives
    above = counts[:, None] - upto + credit * (columns.own if level is None else level)
    above /= counts[:, None]
    each_case = 1 / counts
    if blend is not None:
        above *= blend.kept[:, None]
        above += blend.pooled[:, None] * (1 - blend.pool.masses.up_to(1 - credit))
        each_case = blend.kept / counts
    values = (slopes * each_case).reshape(len(slopes), -1).take(columns.cells, axis=1)
    if blend is not None:
        values += (slopes * blend.pooled).sum(axis=2)[:, :, None] * blend.pool.shares
    won = columns.masses(values).up_to(credit).reshape(len(slopes), -1)
    above = above.ravel()
    own = (slopes.take(predictions.codes, axis=2) * above.take(columns.places)).sum(axis=1)
    own += won.take(columns.places_of_own, axis=1)
    if blend is None:
        return [Carried(each, each[:0, None]) for each in own]
    pool = columns.places[:, blend.pool.rows]
    pooled = won.take(pool, axis=1).transpose(0, 2, 1)
    pooled += np.einsum("km,gkc->gmc", above.take(pool), slopes)
    return [Carried(*each) for each in zip(own, pooled, strict=True)]


def has_few_margins(predictions: Predictions) -> bool:
    """Whether the margins of unweighted cases are sorted sooner than calls for all pairs made."""
    n_classes, n_margins = predictions.n_classes, predictions.scores.size
    few = 2 * n_margins <= MARGINS_OF_PAIR * n_classes * (n_classes - 3)
    return few and n_margins <= MOST_MARGINS and predictions.weights is None


def ranked_margins(predictions: Predictions, directed: Directed) -> Float64Array | None:
    """Pairs in which the case of i has the greater margin, for i < j; none if any may be tied.

    The margins of all pairs of classes, those of j with the opposite sign, are sorted together.
    The ranks of the cases of i among those of i and j then sum to the wins and n_i(n_i − 1)/2.
    """
    n_classes, codes = predictions.n_classes, predictions.codes.astype(np.intp)[:, None]
    classes, counts = np.arange(n_classes), predictions.class_counts
    margins = directed.between(np.take_along_axis(directed.scores, codes, axis=1), directed.scores)
    first, other = codes < classes, codes != classes
    pairs = np.where(first, codes * n_classes + classes, classes * n_classes + codes)[other]
    margins, first = np.where(first, margins, -margins)[other], first[other]
    order = margins.argsort()
    # Short numbers are sorted by their digits; every class has cases, so K² ≤ nK is one.
    order = order[pairs[order].astype(np.uint16).argsort(kind="stable")]
    margins, first, pairs = margins[order], first[order], pairs[order]
    close = margins[1:] <= margins[:-1] + directed.most_slack
    if (close & (first[1:] != first[:-1]) & (pairs[1:] == pairs[:-1])).any():
        return None
    i, j = np.triu_indices(n_classes, 1)
    ends = np.cumsum(counts[i] + counts[j])
    starts = ends - counts[i] - counts[j]
    sums = np.concatenate(([0], np.cumsum(np.where(first, np.arange(len(first)), 0))))
    above = np.zeros((n_classes, n_classes))
    above[i, j] = sums[ends] - sums[starts] - counts[i] * (starts + (counts[i] - 1) / 2)
    return above
