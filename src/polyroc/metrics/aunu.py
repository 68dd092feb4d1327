"""AUNU: the mean of the one-vs-rest AUCs."""

import numpy as np

from polyroc.metrics.declaration import HALF, Property, Repeats
from polyroc.metrics.pair_metric import combined, pair_influence, shares_of_the_rest
from polyroc.metrics.registry import metric
from polyroc.predictions import Predictions
from polyroc.statistics.pairs import Ranked
from polyroc.typing import Float64Array, PriorsLike, Ties


def weights(priors: Float64Array) -> Float64Array:
    """W_kr = π_r / (1 − π_k) / K, because AUC(k|rest) is the mean of AUC(k|r) weighted by π_r."""
    return priors / shares_of_the_rest(priors)[:, None] / len(priors)


def prior_gradient(priors: Float64Array, theta: Float64Array) -> Float64Array:
    """D_c = [AUC(c|rest)/(1−π_c) + Σ_{k≠c} θ_kc/(1−π_k)] / K."""
    per_rest = 1 / shares_of_the_rest(priors)
    rest = np.nansum(theta * priors, axis=1) * per_rest
    against = np.nansum(theta * per_rest[:, None], axis=0)
    gradient: Float64Array = (rest * per_rest + against) / len(priors)
    return gradient


@metric(
    influence=pair_influence(Ranked, weights, prior_gradient),
    title="Mean one-vs-rest AUC",
    symbol="AUNU",
    statistic="pairs",
    reference="multi-class AUC slides; Ferri et al. 2009",
    complexity="O(K n log n)",
    repeats=(Repeats(2, ("hand_till",)),),
    chance=HALF,
    prior_weighted=True,
    properties=frozenset({Property.COLUMN_MONOTONE, Property.COMMON_SCALE}),
)
def aunu(
    predictions: Predictions, *, ties: Ties = "fair", priors: PriorsLike | None = None
) -> float:
    """Mean over the classes of the AUC of the class against all others together.

    AUNU = 1/K Σ_k AUC(k|rest).

    The number that scikit-learn calls ``multi_class="ovr", average="macro"``. Every class counts
    the same as the positive one, but the rest is dominated by its frequent classes, so the number
    moves with the mix of classes; ``priors`` fixes the mix.

    Examples
    --------
    >>> from polyroc import aunu
    >>> y = [0, 1, 2, 2]
    >>> p = [[1, 0, 0], [0.1, 0.5, 0.4], [0.1, 0.1, 0.8], [0.3, 0.3, 0.4]]
    >>> round(aunu(y, p), 6)  # (1 + 1 + 0.875) / 3
    0.958333
    """
    given = predictions.priors_or(priors)
    return combined(weights(given), Ranked(ties).matrix(predictions))
