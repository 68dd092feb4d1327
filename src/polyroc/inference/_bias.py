"""The bias of metrics that are no means: how far values lie from the truth on average.

TL is made of lengths of the means of vectors, and a length is larger for a mean of few cases than
for the true mean: with C_k the covariance matrix of the mean of class k, L_k its distance from its
corner and u_k the direction there, the mean length exceeds L_k by [tr C_k − u_kᵀ C_k u_k]/(2 L_k).
"""

import math

import numpy as np

from polyroc.inference._influence import CaseDesign, contributions
from polyroc.metrics.declaration import Metric
from polyroc.metrics.question import Influence
from polyroc.predictions import Predictions
from polyroc.typing import Float64Array


def bias_of(metric: Metric, predictions: Predictions, design: CaseDesign) -> float:
    """Mean of the values of samples like this one less the true value, to first order."""
    if metric.name != "total_length" or predictions.folds is not None:
        return 0.0
    if (design.counts(predictions) <= 1).any():
        return 0.0
    vectors = predictions.probabilities(metric.name).astype(np.float64)
    excess = [_longer(predictions, design, vectors, k) for k in range(predictions.n_classes)]
    return -sum(excess) / (predictions.n_classes * math.sqrt(2))


def _longer(predictions: Predictions, design: CaseDesign, vectors: Float64Array, k: int) -> float:
    """By how much the distance of the mean of class k from its corner is too long."""
    members = predictions.members[k]
    weights = predictions.case_weights[members]
    mean = np.average(vectors[members], axis=0, weights=weights)
    gap = np.eye(predictions.n_classes)[k] - mean
    length = float(np.linalg.norm(gap))
    if length == 0:
        return 0.0
    own = (predictions.codes == k)[:, None]
    moved = np.where(own, vectors - mean, 0.0)
    columns = contributions(predictions, [Influence(column) for column in moved.T], _fixed(design))
    along = columns @ (gap / length)
    return float((columns**2).sum() - (along**2).sum()) / (2 * length)


def _fixed(design: CaseDesign) -> CaseDesign:
    """The same design with fixed class sizes: means of classes do not depend on their shares."""
    return CaseDesign(design.groups, design.weights, "stratified", design.n_groups)
