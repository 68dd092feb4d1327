"""M_p: the probabilistic AUC averaged over all ordered pairs of classes."""

from polyroc.metrics.declaration import HALF, Property, Repeats
from polyroc.metrics.pair_metric import combined, pair_influence, uniform
from polyroc.metrics.registry import metric
from polyroc.predictions import Predictions
from polyroc.statistics.pairs import Probabilistic


@metric(
    influence=pair_influence(Probabilistic, uniform),
    title="Mean probabilistic AUC of pairs",
    symbol="M_p",
    statistic="means",
    reference="Van Calster et al. 2008 eq. 13",
    complexity="O(n K)",
    repeats=(Repeats(2, ("probabilistic_auc",)),),
    chance=HALF,
    needs_probabilities=True,
    properties=frozenset({Property.SKEW}),
)
def hand_till_probabilistic(predictions: Predictions) -> float:
    """Mean probabilistic AUC: how much more probability a class gets from its own cases.

    M_p = 1/(K(K−1)) Σ_{k≠r} pAUC(k|r), pAUC(k|r) = ½ + ½ (mean of p_k in k − mean of p_k in r).

    Unlike M it rewards confidence, also of badly calibrated models: read it beside M.

    Examples
    --------
    >>> from polyroc import hand_till_probabilistic
    >>> p = [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]
    >>> round(hand_till_probabilistic([0, 1, 2], p), 6)  # ½ + ½ · mean of .6 .6 .5 .4 .5 .4
    0.75
    """
    return combined(uniform(predictions.priors), Probabilistic().matrix(predictions))
