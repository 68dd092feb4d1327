"""sAUC of two classes: the scored AUC of Wu & Flach."""

from polyroc.metrics.declaration import Classes, Property
from polyroc.metrics.pair_metric import combined, pair_influence, second_against_first
from polyroc.metrics.registry import metric
from polyroc.predictions import Predictions
from polyroc.statistics.pairs import Scored


@metric(
    influence=pair_influence(Scored, second_against_first),
    title="Scored AUC",
    symbol="sAUC",
    statistic="scored pairs",
    reference="Van Calster et al. 2008 eq. 5–6",
    complexity="O(n log n)",
    chance=None,
    classes=Classes(2, 2),
    instead="hand_till_scored",
    needs_probabilities=True,
    properties=frozenset({Property.SKEW}),
)
def scored_auc(predictions: Predictions) -> float:
    """Scored AUC of two classes: by how much the right case is ahead, wrong pairs counting 0.

    sAUC = mean over a in class 2, b in class 1 of max(p_a − p_b, 0), p the probability of class 2.

    The area under :func:`polyroc.curves.scored_roc`: how well the AUC survives a margin.

    Examples
    --------
    Model A ranks without error, model B has the larger margins (Van Calster et al. 2008 §I):

    >>> from polyroc import scored_auc
    >>> y = [1, 1, 1, 0, 0, 0]
    >>> round(scored_auc(y, [1, 0.7, 0.6, 0.5, 0.4, 0]), 5)
    0.46667
    >>> round(scored_auc(y, [1, 0.9, 0.5, 0.6, 0.2, 0]), 5)
    0.54444
    """
    return combined(second_against_first(predictions.priors), Scored().matrix(predictions))
