"""The bias of metrics that are no means: how far values lie from the truth on average.

TL is made of lengths of the means of vectors, and a length is larger for a mean of few cases than
for the true mean: with C_k the covariance matrix of the mean of class k, L_k its distance from its
corner and u_k the direction there, the mean length exceeds L_k by [tr C_k − u_kᵀ C_k u_k]/(2 L_k).
"""

import math

import numpy as np

from polyroc._base.sums import sum_by_class
from polyroc.inference._influence import CaseDesign, case_scale
from polyroc.metrics.declaration import Metric
from polyroc.metrics.folds import FoldStatistics
from polyroc.metrics.measure import CaseStatistics
from polyroc.predictions import Predictions
from polyroc.statistics.means import Means
from polyroc.statistics.statistic import Need
from polyroc.typing import Float64Array


def bias_of(
    metric: Metric, statistics: CaseStatistics | FoldStatistics, design: CaseDesign
) -> float:
    """Mean of the values of samples like this one less the true value, to first order."""
    predictions = statistics.predictions
    if metric.name != "total_length" or predictions.folds is not None:
        return 0.0
    if (design.counts(predictions) <= 1).any():
        return 0.0
    means = statistics[Need(Means)].vectors
    gaps = np.eye(predictions.n_classes) - means
    lengths = np.linalg.norm(gaps, axis=1)
    far = lengths > 0
    towards = gaps / np.where(far, lengths, 1.0)[:, None]
    across = _spread_across(predictions, design, means, towards)
    excess = float(np.sum(across[far] / (2 * lengths[far])))
    return -excess / (predictions.n_classes * math.sqrt(2))


def _spread_across(
    predictions: Predictions, design: CaseDesign, means: Float64Array, towards: Float64Array
) -> Float64Array:
    """tr C_k − u_kᵀ C_k u_k of every class, C_k from the cases or from sums over groups."""
    codes, n_classes = predictions.codes.astype(np.intp), predictions.n_classes
    scale = case_scale(predictions, design.counts(predictions))
    if design.weights == "frequency":
        scale = scale / np.sqrt(predictions.case_weights)
    units = None if design.groups is None else codes + n_classes * design.groups
    owners = codes if units is None else np.arange(int(units.max()) + 1) % n_classes
    squares, along = np.zeros((2, len(owners)))
    columns = predictions.probabilities("total_length").T
    for column, mean, direction in zip(columns, means.T, towards.T, strict=True):
        moved = column - np.take(mean, codes)
        moved *= scale
        if units is not None:
            moved = np.bincount(units, moved)
        squares += moved**2
        along += moved * np.take(direction, owners)
    squares -= along**2
    return sum_by_class(owners, squares, n_classes)
