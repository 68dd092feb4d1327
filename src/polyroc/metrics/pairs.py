"""Metrics of ranked pairs: Σ W_kr AUC(k|r), each with its own weights W.

Every function here is the mean, over pairs of classes, of how often a case of class k has a higher
score for k than a case of class r. They differ in how much each pair of classes counts.
"""

from collections.abc import Callable

import numpy as np

from polyroc.metrics.combination import (
    PriorGradient,
    Weights,
    combined,
    second_against_first,
    shares_of_the_rest,
    uniform,
)
from polyroc.metrics.declaration import HALF, Classes, Metric, Property, Repeats
from polyroc.metrics.folds import pairs_of
from polyroc.metrics.question import Gradient
from polyroc.metrics.registry import registry
from polyroc.predictions import Predictions, predictions_of
from polyroc.statistics.pairs import PairGradient, Pairs, tie_credit
from polyroc.typing import (
    Absent,
    Float64Array,
    LabelsLike,
    PriorsLike,
    ScoresLike,
    Ties,
    WeightsLike,
)


def _value(weights: Weights) -> Callable[..., float]:
    """Σ W_kr AUC(k|r)."""

    def value(pairs: Pairs, ties: Ties = "fair") -> float:
        return combined(weights(pairs.priors), pairs.auc(ties))

    return value


def _gradient(weights: Weights, by_priors: PriorGradient | None = None) -> Callable[..., Gradient]:
    """W itself, and what the priors of the sample change."""

    def gradient(pairs: Pairs, ties: Ties = "fair") -> Gradient:
        slope = PairGradient(weights(pairs.priors), tie_credit(ties))
        if by_priors is None or pairs.given_priors is not None:
            return Gradient(slope)
        return Gradient(slope, by_priors(pairs.priors, pairs.auc(ties)))

    return gradient


HAND_TILL = registry.add(
    Metric(
        "hand_till",
        Pairs,
        value=_value(uniform),
        gradient=_gradient(uniform),
        title="Hand & Till's M (AU1U)",
        symbol="M",
        reference="Van Calster et al. 2008 eq. 9; multi-class AUC slides",
        complexity="O(K n log n)",
        repeats=(Repeats(2, ("roc_auc",), one_sum=True),),
        chance=HALF,
        properties=frozenset({Property.SKEW, Property.COLUMN_MONOTONE, Property.COMMON_SCALE}),
    )
)


def hand_till(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    ties: Ties = "fair",
    absent: Absent = "raise",
    n_threads: int | None = None,
) -> float:
    """Hand & Till's M: how often a case of class k outscores one of class r in column k.

    M = 1/(K(K−1)) Σ_{k≠r} AUC(k|r), AUC(k|r) = mean over a in k, b in r of step(p_ak − p_bk).

    Read it as the AUC of an average pair of classes: every pair counts the same, however rare its
    classes are. A tie counts ½; ``ties="strict"`` counts it 0, as
    Van Calster et al. 2008 eq. 2 is printed.

    Parameters
    ----------
    y_true : true class of each case: strings, integers, booleans or a categorical; or one
        Predictions, which takes the place of labels and scores.
    y_score : scores, a row per case and a column per class; a frame's column names are classes.
    labels : the classes in the order of the columns; by default the sorted ones of y_true.
    sample_weight : weight of each case; 0 is the same as leaving the case out.
    ties : credit of a tie: "fair" shares it, "strict" gives nothing, "lenient" gives all.
    absent : a class without cases: "raise" an error, or "skip" it and use the others.
    n_threads : threads to use; by default all that the process may run on.

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
    cases = predictions_of(y_true, y_score, labels, sample_weight, absent, n_threads=n_threads)
    return HAND_TILL.of(cases, ties=ties)


ROC_AUC = registry.add(
    Metric(
        "roc_auc",
        Pairs,
        value=_value(second_against_first),
        gradient=_gradient(second_against_first),
        title="Area under the ROC curve",
        symbol="AUC",
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
)


def roc_auc(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    ties: Ties = "fair",
    absent: Absent = "raise",
    n_threads: int | None = None,
) -> float:
    """AUC of two classes: how often a case of the second class outscores one of the first.

    AUC = mean over a in class 2, b in class 1 of step(p_a − p_b), p the scores of class 2.

    Parameters
    ----------
    y_true : true class of each case: strings, integers, booleans or a categorical; or one
        Predictions, which takes the place of labels and scores.
    y_score : scores, a row per case and a column per class; a frame's column names are classes.
    labels : the classes in the order of the columns; by default the sorted ones of y_true.
    sample_weight : weight of each case; 0 is the same as leaving the case out.
    ties : credit of a tie: "fair" shares it, "strict" gives nothing, "lenient" gives all.
    absent : a class without cases: "raise" an error, or "skip" it and use the others.
    n_threads : threads to use; by default all that the process may run on.

    Examples
    --------
    >>> from polyroc import roc_auc
    >>> roc_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])  # 3 of 4 pairs
    0.75
    """
    cases = predictions_of(y_true, y_score, labels, sample_weight, absent, n_threads=n_threads)
    return ROC_AUC.of(cases, ties=ties)


def _au1p_weights(priors: Float64Array) -> Float64Array:
    """W_kr = ½(π_k + π_r)/(K−1)."""
    return (priors[:, None] + priors) / (2 * (len(priors) - 1))


def _au1p_by_priors(priors: Float64Array, theta: Float64Array) -> Float64Array:
    """D_c = Σ_{r≠c} ½(θ_cr + θ_rc)/(K−1)."""
    gradient: Float64Array = np.nansum(theta + theta.T, axis=1) / (2 * (len(priors) - 1))
    return gradient


AU1P = registry.add(
    Metric(
        "au1p",
        Pairs,
        value=_value(_au1p_weights),
        gradient=_gradient(_au1p_weights, _au1p_by_priors),
        title="One-vs-one AUC weighted by prevalence",
        symbol="AU1P",
        reference="multi-class AUC slides; Ferri et al. 2009",
        complexity="O(K n log n)",
        repeats=(Repeats(2, ("hand_till",)),),
        chance=HALF,
        prior_weighted=True,
        properties=frozenset({Property.COLUMN_MONOTONE, Property.COMMON_SCALE}),
    )
)


def au1p(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    ties: Ties = "fair",
    priors: PriorsLike | None = None,
    absent: Absent = "raise",
    n_threads: int | None = None,
) -> float:
    """One-vs-one AUC in which frequent classes count more.

    AU1P = Σ_{k≠r} ½(π_k + π_r) AUC(k|r) / (K−1), π the shares of the classes.

    The number that scikit-learn calls ``multi_class="ovo", average="weighted"``. It moves with the
    mix of classes: compare it only between samples of the same mix, or fix ``priors``.

    Parameters
    ----------
    y_true : true class of each case: strings, integers, booleans or a categorical; or one
        Predictions, which takes the place of labels and scores.
    y_score : scores, a row per case and a column per class; a frame's column names are classes.
    labels : the classes in the order of the columns; by default the sorted ones of y_true.
    sample_weight : weight of each case; 0 is the same as leaving the case out.
    ties : credit of a tie: "fair" shares it, "strict" gives nothing, "lenient" gives all.
    priors : prior of each class, by class or in order, instead of the shares in the sample.
    absent : a class without cases: "raise" an error, or "skip" it and use the others.
    n_threads : threads to use; by default all that the process may run on.

    Examples
    --------
    >>> from polyroc import au1p
    >>> y = [0, 1, 0, 2]
    >>> p = [[0.1, 0.8, 0.1], [0.3, 0.4, 0.3], [0.35, 0.5, 0.15], [0, 0.2, 0.8]]
    >>> au1p(y, p)
    0.71875
    """
    cases = predictions_of(y_true, y_score, labels, sample_weight, absent, n_threads=n_threads)
    return AU1P.of(cases, ties=ties, priors=priors)


def _aunu_weights(priors: Float64Array) -> Float64Array:
    """W_kr = π_r / (1 − π_k) / K, because AUC(k|rest) is the mean of AUC(k|r) weighted by π_r."""
    return priors / shares_of_the_rest(priors)[:, None] / len(priors)


def _aunu_by_priors(priors: Float64Array, theta: Float64Array) -> Float64Array:
    """D_c = [AUC(c|rest)/(1−π_c) + Σ_{k≠c} θ_kc/(1−π_k)] / K."""
    per_rest = 1 / shares_of_the_rest(priors)
    rest = np.nansum(theta * priors, axis=1) * per_rest
    against = np.nansum(theta * per_rest[:, None], axis=0)
    gradient: Float64Array = (rest * per_rest + against) / len(priors)
    return gradient


AUNU = registry.add(
    Metric(
        "aunu",
        Pairs,
        value=_value(_aunu_weights),
        gradient=_gradient(_aunu_weights, _aunu_by_priors),
        title="Mean one-vs-rest AUC",
        symbol="AUNU",
        reference="multi-class AUC slides; Ferri et al. 2009",
        complexity="O(K n log n)",
        repeats=(Repeats(2, ("hand_till",)),),
        chance=HALF,
        prior_weighted=True,
        properties=frozenset({Property.COLUMN_MONOTONE, Property.COMMON_SCALE}),
    )
)


def aunu(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    ties: Ties = "fair",
    priors: PriorsLike | None = None,
    absent: Absent = "raise",
    n_threads: int | None = None,
) -> float:
    """Mean over the classes of the AUC of the class against all others together.

    AUNU = 1/K Σ_k AUC(k|rest).

    The number that scikit-learn calls ``multi_class="ovr", average="macro"``. Every class counts
    the same as the positive one, but the rest is dominated by its frequent classes, so the number
    moves with the mix of classes; ``priors`` fixes the mix.

    Parameters
    ----------
    y_true : true class of each case: strings, integers, booleans or a categorical; or one
        Predictions, which takes the place of labels and scores.
    y_score : scores, a row per case and a column per class; a frame's column names are classes.
    labels : the classes in the order of the columns; by default the sorted ones of y_true.
    sample_weight : weight of each case; 0 is the same as leaving the case out.
    ties : credit of a tie: "fair" shares it, "strict" gives nothing, "lenient" gives all.
    priors : prior of each class, by class or in order, instead of the shares in the sample.
    absent : a class without cases: "raise" an error, or "skip" it and use the others.
    n_threads : threads to use; by default all that the process may run on.

    Examples
    --------
    >>> from polyroc import aunu
    >>> y = [0, 1, 2, 2]
    >>> p = [[1, 0, 0], [0.1, 0.5, 0.4], [0.1, 0.1, 0.8], [0.3, 0.3, 0.4]]
    >>> round(aunu(y, p), 6)  # (1 + 1 + 0.875) / 3
    0.958333
    """
    cases = predictions_of(y_true, y_score, labels, sample_weight, absent, n_threads=n_threads)
    return AUNU.of(cases, ties=ties, priors=priors)


def _aunp_weights(priors: Float64Array) -> Float64Array:
    """W_kr = π_k π_r / (1 − π_k), because AUC(k|rest) is the mean of AUC(k|r) weighted by π_r."""
    return np.outer(priors / shares_of_the_rest(priors), priors)


def _aunp_by_priors(priors: Float64Array, theta: Float64Array) -> Float64Array:
    """D_c = AUC(c|rest)/(1−π_c) + Σ_{k≠c} π_k θ_kc/(1−π_k)."""
    share = shares_of_the_rest(priors)
    rest = np.nansum(theta * priors, axis=1) / share
    odds = priors / share
    gradient: Float64Array = rest / share + np.nansum(theta * odds[:, None], axis=0)
    return gradient


AUNP = registry.add(
    Metric(
        "aunp",
        Pairs,
        value=_value(_aunp_weights),
        gradient=_gradient(_aunp_weights, _aunp_by_priors),
        title="One-vs-rest AUC weighted by prevalence (Provost & Domingos)",
        symbol="AUNP",
        reference="Van Calster et al. 2008 §III A; multi-class AUC slides",
        complexity="O(K n log n)",
        repeats=(Repeats(2, ("roc_auc",), one_sum=True),),
        chance=HALF,
        prior_weighted=True,
        properties=frozenset({Property.COLUMN_MONOTONE, Property.COMMON_SCALE}),
    )
)


def aunp(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    ties: Ties = "fair",
    priors: PriorsLike | None = None,
    absent: Absent = "raise",
    n_threads: int | None = None,
) -> float:
    """One-vs-rest AUC in which frequent classes count more.

    AUNP = Σ_k π_k AUC(k|rest), π the shares of the classes.

    The number that scikit-learn calls ``multi_class="ovr", average="weighted"``. A rare class
    barely affects it, and it changes with the mix of classes; ``priors`` fixes the mix.

    Parameters
    ----------
    y_true : true class of each case: strings, integers, booleans or a categorical; or one
        Predictions, which takes the place of labels and scores.
    y_score : scores, a row per case and a column per class; a frame's column names are classes.
    labels : the classes in the order of the columns; by default the sorted ones of y_true.
    sample_weight : weight of each case; 0 is the same as leaving the case out.
    ties : credit of a tie: "fair" shares it, "strict" gives nothing, "lenient" gives all.
    priors : prior of each class, by class or in order, instead of the shares in the sample.
    absent : a class without cases: "raise" an error, or "skip" it and use the others.
    n_threads : threads to use; by default all that the process may run on.

    Examples
    --------
    >>> from polyroc import aunp
    >>> y = [0, 1, 2, 2]
    >>> p = [[1, 0, 0], [0.1, 0.5, 0.4], [0.1, 0.1, 0.8], [0.3, 0.3, 0.4]]
    >>> round(aunp(y, p), 6)  # (1 + 1 + 2 · 0.875) / 4
    0.9375
    """
    cases = predictions_of(y_true, y_score, labels, sample_weight, absent, n_threads=n_threads)
    return AUNP.of(cases, ties=ties, priors=priors)


def pairwise_auc(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    ties: Ties = "fair",
    absent: Absent = "raise",
    n_threads: int | None = None,
) -> Float64Array:
    """AUC(k|r) for all ordered pairs of classes: row = positive class, whose column is used.

    The diagonal is NaN, and so are the rows and columns of classes skipped by ``absent="skip"``.
    One sort per column serves all pairs: O(K n log n).
    Van Calster et al. 2008 §III A and the multi-class AUC slides.

    Examples
    --------
    >>> from polyroc import pairwise_auc
    >>> y = [1, 1, 2, 2, 3, 3]
    >>> p = [[0.7, 0.2, 0.1], [0.5, 0.3, 0.2], [0.3, 0.5, 0.2],
    ...      [0.4, 0.5, 0.1], [0.6, 0.1, 0.3], [0.1, 0.1, 0.8]]
    >>> pairwise_auc(y, p)
    array([[ nan, 1.  , 0.75],
           [1.  ,  nan, 1.  ],
           [1.  , 1.  ,  nan]])
    """
    cases = predictions_of(y_true, y_score, labels, sample_weight, absent, n_threads=n_threads)
    matrix = pairs_of(cases).auc(ties)
    if not cases.skipped:
        return matrix
    whole = np.full((len(cases.declared),) * 2, np.nan)
    whole[np.ix_(cases.present, cases.present)] = matrix
    return whole
