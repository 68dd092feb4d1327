"""The AUC of two classes."""

from polyroc.metrics.declaration import HALF, Classes, Property
from polyroc.metrics.pair_metric import combined, pair_influence, second_against_first
from polyroc.metrics.registry import metric
from polyroc.predictions import Predictions
from polyroc.statistics.pairs import Ranked
from polyroc.typing import Ties


@metric(
    influence=pair_influence(Ranked, second_against_first),
    title="Area under the ROC curve",
    symbol="AUC",
    statistic="pairs",
    reference="Van Calster et al. 2008 eq. 1–2",
    complexity="O(n log n)",
    chance=HALF,
    classes=Classes(2, 2),
    instead="hand_till",
    properties=frozenset(
        {
            Property.PERFECT_ARGMAX,
            Property.SKEW,
            Property.COLUMN_MONOTONE,
            Property.COMMON_SCALE,
        }
    ),
)
def roc_auc(predictions: Predictions, *, ties: Ties = "fair") -> float:
    """AUC of two classes: how often a case of the second class outscores one of the first.

    AUC = mean over a in class 2, b in class 1 of step(p_a − p_b), p the scores of class 2.

    Examples
    --------
    >>> from polyroc import roc_auc
    >>> roc_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])  # 3 of 4 pairs
    0.75
    """
    return combined(second_against_first(predictions.priors), Ranked(ties).matrix(predictions))
