"""The bias of metrics that are no means: how far values lie from the truth on average.

TL is made of lengths of the means of vectors, and a length is larger for a mean of few cases than
for the true mean: with C_k the covariance matrix of the mean of class k, L_k its distance from its
corner and u_k the direction there, the mean length exceeds L_k by [tr C_k − u_kᵀ C_k u_k]/(2 L_k).
"""

import math

import numpy as np

from polyroc.inference._influence import CaseDesign, case_scale
from polyroc.metrics.declaration import Metric
from polyroc.predictions import Predictions
from polyroc.typing import Float64Array


def bias_of(metric: Metric, predictions: Predictions, design: CaseDesign) -> float:
    """Mean of the values of samples like this one less the true value, to first order."""
    if metric.name != "total_length" or predictions.folds is not None:
        return 0.0
    if (design.counts(predictions) <= 1).any():
        return 0.0
    scale = case_scale(predictions, design.counts(predictions))
    if design.weights == "frequency":
        scale = scale / np.sqrt(predictions.case_weights)
    excess = [_longer(predictions, design, scale, k) for k in range(predictions.n_classes)]
    return -sum(excess) / (predictions.n_classes * math.sqrt(2))


def _longer(predictions: Predictions, design: CaseDesign, scale: Float64Array, k: int) -> float:
    """By how much the distance of the mean of class k from its corner is too long."""
    rows = predictions.members[k]
    vectors = predictions.probabilities("total_length")[rows].astype(np.float64)
    mean = np.average(vectors, axis=0, weights=predictions.case_weights[rows])
    gap = np.eye(predictions.n_classes)[k] - mean
    length = float(np.linalg.norm(gap))
    if length == 0:
        return 0.0
    moved = scale[rows, None] * (vectors - mean)
    if design.groups is not None:
        numbers = np.unique(design.groups[rows], return_inverse=True)[1]
        sums = np.zeros((int(numbers.max()) + 1, moved.shape[1]))
        np.add.at(sums, numbers, moved)
        moved = sums
    along = moved @ (gap / length)
    return float((moved**2).sum() - (along**2).sum()) / (2 * length)
