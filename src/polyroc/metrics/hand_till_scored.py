"""M_s: the scored AUC averaged over all ordered pairs of classes."""

from polyroc.metrics.declaration import Property, Repeats
from polyroc.metrics.pair_metric import combined, pair_influence, uniform
from polyroc.metrics.registry import metric
from polyroc.predictions import Predictions
from polyroc.statistics.pairs import Scored


@metric(
    influence=pair_influence(Scored, uniform),
    title="Mean scored AUC of pairs",
    symbol="M_s",
    statistic="scored pairs",
    reference="Van Calster et al. 2008 eq. 14",
    complexity="O(K n log n)",
    repeats=(Repeats(2, ("scored_auc",)),),
    chance=None,
    needs_probabilities=True,
    properties=frozenset({Property.SKEW}),
)
def hand_till_scored(predictions: Predictions) -> float:
    """Mean scored AUC: by how much the right case of a pair is ahead, wrong pairs counting 0.

    M_s = 1/(K(K−1)) Σ_{k≠r} sAUC(k|r), sAUC(k|r) = mean over a in k, b in r of max(p_ak − p_bk, 0).

    It falls when ranks are right by thin margins only. It never exceeds M, and reaches 1 only for
    probabilities of 0 and 1.

    Examples
    --------
    >>> from polyroc import hand_till_scored
    >>> p = [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]
    >>> round(hand_till_scored([0, 1, 2], p), 6)  # mean of .6 .6 .5 .4 .5 .4
    0.5
    """
    return combined(uniform(predictions.priors), Scored().matrix(predictions))
