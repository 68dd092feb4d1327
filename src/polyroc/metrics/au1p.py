"""AU1P: the pairs of classes weighted by how frequent they are."""

import numpy as np

from polyroc.metrics.declaration import HALF, Property, Repeats
from polyroc.metrics.pair_metric import combined, pair_influence
from polyroc.metrics.registry import metric
from polyroc.predictions import Predictions
from polyroc.statistics.pairs import Ranked
from polyroc.typing import Float64Array, PriorsLike, Ties


def weights(priors: Float64Array) -> Float64Array:
    """W_kr = ½(π_k + π_r)/(K−1)."""
    return (priors[:, None] + priors) / (2 * (len(priors) - 1))


def prior_gradient(priors: Float64Array, theta: Float64Array) -> Float64Array:
    """D_c = Σ_{r≠c} ½(θ_cr + θ_rc)/(K−1)."""
    gradient: Float64Array = np.nansum(theta + theta.T, axis=1) / (2 * (len(priors) - 1))
    return gradient


@metric(
    influence=pair_influence(Ranked, weights, prior_gradient),
    title="One-vs-one AUC weighted by prevalence",
    symbol="AU1P",
    statistic="pairs",
    reference="multi-class AUC slides; Ferri et al. 2009",
    complexity="O(K n log n)",
    repeats=(Repeats(2, ("hand_till",)),),
    chance=HALF,
    prior_weighted=True,
    properties=frozenset({Property.COLUMN_MONOTONE, Property.COMMON_SCALE}),
)
def au1p(
    predictions: Predictions, *, ties: Ties = "fair", priors: PriorsLike | None = None
) -> float:
    """One-vs-one AUC in which frequent classes count more.

    AU1P = Σ_{k≠r} ½(π_k + π_r) AUC(k|r) / (K−1), π the shares of the classes.

    The number that scikit-learn calls ``multi_class="ovo", average="weighted"``. It moves with the
    mix of classes: compare it only between samples of the same mix, or fix ``priors``.

    Examples
    --------
    >>> from polyroc import au1p
    >>> y = [0, 1, 0, 2]
    >>> p = [[0.1, 0.8, 0.1], [0.3, 0.4, 0.3], [0.35, 0.5, 0.15], [0, 0.2, 0.8]]
    >>> au1p(y, p)
    0.71875
    """
    given = predictions.priors_or(priors)
    return combined(weights(given), Ranked(ties).matrix(predictions))
