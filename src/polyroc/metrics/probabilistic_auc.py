"""pAUC of two classes: the probabilistic AUC of Ferri et al."""

from polyroc.metrics.declaration import HALF, Classes, Property
from polyroc.metrics.pair_metric import combined, pair_influence, second_against_first
from polyroc.metrics.registry import metric
from polyroc.predictions import Predictions
from polyroc.statistics.pairs import Probabilistic


@metric(
    influence=pair_influence(Probabilistic, second_against_first),
    title="Probabilistic AUC",
    symbol="pAUC",
    statistic="means",
    reference="Van Calster et al. 2008 eq. 3–4",
    complexity="O(n)",
    chance=HALF,
    classes=Classes(2, 2),
    instead="hand_till_probabilistic",
    needs_probabilities=True,
    properties=frozenset({Property.SKEW}),
)
def probabilistic_auc(predictions: Predictions) -> float:
    """Probabilistic AUC of two classes: the difference of the mean probabilities, ½ being none.

    pAUC = ½ + ½ (mean of p over class 2 − mean of p over class 1), p the probability of class 2.

    This is not the partial AUC. Its curve is :func:`polyroc.curves.probabilistic_roc`.

    Examples
    --------
    >>> from polyroc import probabilistic_auc
    >>> round(probabilistic_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 6)  # ½ + ½ (.575 − .25)
    0.6625
    """
    return combined(second_against_first(predictions.priors), Probabilistic().matrix(predictions))
