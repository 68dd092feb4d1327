"""AUNP of Provost & Domingos: the one-vs-rest AUCs weighted by prevalence."""

import numpy as np

from polyroc.metrics.declaration import HALF, Property, Repeats
from polyroc.metrics.pair_metric import combined, pair_influence, shares_of_the_rest
from polyroc.metrics.registry import metric
from polyroc.predictions import Predictions
from polyroc.statistics.pairs import Ranked
from polyroc.typing import Float64Array, PriorsLike, Ties


def weights(priors: Float64Array) -> Float64Array:
    """W_kr = π_k π_r / (1 − π_k), because AUC(k|rest) is the mean of AUC(k|r) weighted by π_r."""
    return np.outer(priors / shares_of_the_rest(priors), priors)


def prior_gradient(priors: Float64Array, theta: Float64Array) -> Float64Array:
    """D_c = AUC(c|rest)/(1−π_c) + Σ_{k≠c} π_k θ_kc/(1−π_k)."""
    share = shares_of_the_rest(priors)
    rest = np.nansum(theta * priors, axis=1) / share
    odds = priors / share
    gradient: Float64Array = rest / share + np.nansum(theta * odds[:, None], axis=0)
    return gradient


@metric(
    influence=pair_influence(Ranked, weights, prior_gradient),
    title="One-vs-rest AUC weighted by prevalence (Provost & Domingos)",
    symbol="AUNP",
    statistic="pairs",
    reference="Van Calster et al. 2008 §III A; multi-class AUC slides",
    complexity="O(K n log n)",
    repeats=(Repeats(2, ("roc_auc",), one_sum=True),),
    chance=HALF,
    prior_weighted=True,
    properties=frozenset({Property.COLUMN_MONOTONE, Property.COMMON_SCALE}),
)
def aunp(
    predictions: Predictions, *, ties: Ties = "fair", priors: PriorsLike | None = None
) -> float:
    """One-vs-rest AUC in which frequent classes count more.

    AUNP = Σ_k π_k AUC(k|rest), π the shares of the classes.

    The number that scikit-learn calls ``multi_class="ovr", average="weighted"``. A rare class
    hardly moves it, and it changes with the mix of classes; ``priors`` fixes the mix.

    Examples
    --------
    >>> from polyroc import aunp
    >>> y = [0, 1, 2, 2]
    >>> p = [[1, 0, 0], [0.1, 0.5, 0.4], [0.1, 0.1, 0.8], [0.3, 0.3, 0.4]]
    >>> round(aunp(y, p), 6)  # (1 + 1 + 2 · 0.875) / 4
    0.9375
    """
    given = predictions.priors_or(priors)
    return combined(weights(given), Ranked(ties).matrix(predictions))
