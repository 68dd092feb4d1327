"""TL: how near the mean vectors of the classes come to their corners."""

import numpy as np

from polyroc.metrics.declaration import Influence, Property, Repeats
from polyroc.metrics.registry import metric
from polyroc.predictions import Predictions
from polyroc.statistics.means import mean_influence, probability_means


def influence(predictions: Predictions) -> Influence:
    """∂TL/∂p̄_k = (e_k − p̄_k) / ‖p̄_k − e_k‖ / (K√2); none where a mean sits in its corner."""
    gaps = np.eye(predictions.n_classes) - probability_means(predictions, "total_length")
    lengths = np.linalg.norm(gaps, axis=1)
    if (lengths <= 1e-12).any():
        name = predictions.classes[int(lengths.argmin())]
        return Influence.undefined(
            predictions, f"the mean of class {name!r} is in its corner, where TL has no derivative"
        )
    gradient = gaps / lengths[:, None] / (predictions.n_classes * np.sqrt(2))
    rows = predictions.probabilities("total_length")
    return Influence(mean_influence(predictions, rows, gradient))


@metric(
    influence=influence,
    title="Total length between class means and corners",
    symbol="TL",
    statistic="means",
    reference="Van Calster et al. 2008 §III C",
    complexity="O(n K)",
    repeats=(Repeats(2, ("probabilistic_auc",)),),
    chance=None,
    needs_probabilities=True,
    properties=frozenset({Property.SKEW}),
)
def total_length(predictions: Predictions) -> float:
    """One less the mean distance of the class means from their corners, scaled to reach 0 and 1.

    TL = 1 − Σ_k ‖p̄_k − e_k‖ / (K√2), p̄_k the mean probability vector of class k.

    For two classes it is the probabilistic AUC. It has no derivative where a mean is exactly in its
    corner, so there are no influence values for a perfect class.

    Examples
    --------
    >>> from polyroc import total_length
    >>> round(total_length([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 6)
    0.6625
    """
    means = probability_means(predictions, "total_length")
    n_classes = predictions.n_classes
    lengths = np.linalg.norm(means - np.eye(n_classes), axis=1)
    return float(1 - lengths.sum() / (n_classes * np.sqrt(2)))
