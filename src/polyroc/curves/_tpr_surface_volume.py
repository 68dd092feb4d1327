"""The volume under the ROC surface of TPR triples, without the surface."""

import numpy as np

from polyroc.predictions import Predictions, predictions_of
from polyroc.statistics.tuples import Rule, Tuples
from polyroc.typing import LabelsLike, ScoresLike, WeightsLike


def tpr_surface_volume(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    n_threads: int | None = None,
) -> float:
    """Volume under the surface of true positive rates of the rules argmax_k s_k p_k.

    It is the share of tuples, one case per class, in which Π_k p_k(x_k) exceeds the product of
    every other assignment of the cases to the classes: neither VUS, which adds distances, nor HUM,
    which adds probabilities. A tie counts as wrong, as does a case whose own probability is 0.

    O(n²) for three classes, where it equals ``tpr_surface(…).volume``; for more classes all tuples
    are enumerated. Van Calster et al. 2008 §III A (Mossman; Dreiseitl et al.).

    Examples
    --------
    >>> from polyroc.curves import tpr_surface_volume
    >>> p = [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]
    >>> tpr_surface_volume([0, 1, 2], p)
    1.0
    """
    predictions = predictions_of(y_true, y_score, labels, sample_weight, n_threads=n_threads)
    predictions.probabilities("tpr_surface_volume")
    strict = np.eye(6, dtype=np.float64)[0, :]
    volume: float = Tuples.of(predictions, Rule.LOGARITHMS).mean(strict)
    return volume
