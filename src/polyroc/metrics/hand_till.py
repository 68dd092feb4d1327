"""M of Hand & Till: the mean of AUC(k|r) over all ordered pairs of classes."""

from polyroc.metrics.declaration import HALF, Property, Repeats
from polyroc.metrics.pair_metric import combined, pair_influence, uniform
from polyroc.metrics.registry import metric
from polyroc.predictions import Predictions
from polyroc.statistics.pairs import Ranked
from polyroc.typing import Ties


@metric(
    influence=pair_influence(Ranked, uniform),
    title="Hand & Till's M (AU1U)",
    symbol="M",
    statistic="pairs",
    reference="Van Calster et al. 2008 eq. 9; multi-class AUC slides",
    complexity="O(K n log n)",
    repeats=(Repeats(2, ("roc_auc",), one_sum=True),),
    chance=HALF,
    properties=frozenset({Property.SKEW, Property.COLUMN_MONOTONE, Property.COMMON_SCALE}),
)
def hand_till(predictions: Predictions, *, ties: Ties = "fair") -> float:
    """Hand & Till's M: how often a case of class k outscores one of class r in column k.

    M = 1/(K(K−1)) Σ_{k≠r} AUC(k|r), AUC(k|r) = mean over a in k, b in r of step(p_ak − p_bk).

    Read it as the AUC of an average pair of classes: every pair counts the same, however rare its
    classes are. A tie counts ½; ``ties="strict"`` counts it 0, as
    Van Calster et al. 2008 eq. 2 is printed.

    Examples
    --------
    Five of the six ordered pairs of classes are ranked without error; class 1 against class 3 gets
    three of its four pairs of cases right (multi-class AUC slides).

    >>> from polyroc import hand_till
    >>> y = [1, 1, 2, 2, 3, 3]
    >>> p = [[0.7, 0.2, 0.1], [0.5, 0.3, 0.2], [0.3, 0.5, 0.2],
    ...      [0.4, 0.5, 0.1], [0.6, 0.1, 0.3], [0.1, 0.1, 0.8]]
    >>> round(hand_till(y, p), 6)  # (5 + 3/4) / 6
    0.958333
    """
    return combined(uniform(predictions.priors), Ranked(ties).matrix(predictions))
