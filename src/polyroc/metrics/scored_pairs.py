"""Metrics of scored pairs: by how much the case of class k is ahead of that of class r."""

from typing import Any

from polyroc.metrics.combination import combined, second_against_first, uniform
from polyroc.metrics.declaration import Classes, Metric, Property, Repeats
from polyroc.metrics.question import Gradient, Question
from polyroc.metrics.registry import registry
from polyroc.predictions import Predictions, predictions_of
from polyroc.statistics.pairs import PairGradient, Pairs
from polyroc.statistics.statistic import Need
from polyroc.typing import Absent, LabelsLike, ScoresLike, WeightsLike


def _question(metric: Metric, _: Predictions, **options: Any) -> Question:
    """The sums over pairs with the excess."""
    return Question(metric, Need(Pairs, (("scored", True),)), options)


HAND_TILL_SCORED = registry.add(
    Metric(
        "hand_till_scored",
        Pairs,
        value=lambda pairs: combined(uniform(pairs.priors), pairs.scored_auc()),
        gradient=lambda pairs: Gradient(PairGradient(uniform(pairs.priors), None)),
        title="Mean scored AUC of pairs",
        symbol="M_s",
        reference="Van Calster et al. 2008 eq. 14",
        complexity="O(K n log n)",
        repeats=(Repeats(2, ("scored_auc",)),),
        chance=None,
        needs_probabilities=True,
        ask=_question,
        properties=frozenset({Property.SKEW}),
    )
)


def hand_till_scored(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    absent: Absent = "raise",
    normalize: bool = False,
    n_threads: int | None = None,
) -> float:
    """Mean scored AUC: mean lead of pairs in the correct order, other pairs counting 0.

    M_s = 1/(K(K−1)) Σ_{k≠r} sAUC(k|r), sAUC(k|r) = mean over a in k, b in r of max(p_ak − p_bk, 0).

    It is low when pairs are in the correct order only by small margins. It never exceeds M, and
    reaches 1 only for probabilities of 0 and 1.

    Parameters
    ----------
    y_true : true class of each case: strings, integers, booleans or a categorical; or one
        Predictions, which takes the place of labels and scores.
    y_score : scores, a row per case and a column per class; a frame's column names are classes.
    labels : the classes in the order of the columns; by default the sorted ones of y_true.
    sample_weight : weight of each case; 0 is the same as leaving the case out.
    absent : a class without cases: "raise" an error, or "skip" it and use the others.
    normalize : divide each row of scores by its sum.
    n_threads : threads to use; by default all that the process may run on.

    Examples
    --------
    >>> from polyroc import hand_till_scored
    >>> p = [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]
    >>> round(hand_till_scored([0, 1, 2], p), 6)  # mean of .6 .6 .5 .4 .5 .4
    0.5
    """
    cases = predictions_of(y_true, y_score, labels, sample_weight, absent, normalize, n_threads)
    return HAND_TILL_SCORED.of(cases)


SCORED_AUC = registry.add(
    Metric(
        "scored_auc",
        Pairs,
        value=lambda pairs: combined(second_against_first(pairs.priors), pairs.scored_auc()),
        gradient=lambda pairs: Gradient(PairGradient(second_against_first(pairs.priors), None)),
        title="Scored AUC",
        symbol="sAUC",
        reference="Van Calster et al. 2008 eq. 5–6",
        complexity="O(n log n)",
        chance=None,
        classes=Classes(2, 2),
        instead="hand_till_scored",
        needs_probabilities=True,
        ask=_question,
        properties=frozenset({Property.SKEW}),
    )
)


def scored_auc(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    absent: Absent = "raise",
    normalize: bool = False,
    n_threads: int | None = None,
) -> float:
    """Scored AUC of two classes: mean lead of pairs in the correct order, others counting 0.

    sAUC = mean over a in class 2, b in class 1 of max(p_a − p_b, 0), p the probability of class 2.

    The area under :func:`polyroc.curves.scored_roc`: how well the AUC survives a margin.

    Parameters
    ----------
    y_true : true class of each case: strings, integers, booleans or a categorical; or one
        Predictions, which takes the place of labels and scores.
    y_score : scores, a row per case and a column per class; a frame's column names are classes.
    labels : the classes in the order of the columns; by default the sorted ones of y_true.
    sample_weight : weight of each case; 0 is the same as leaving the case out.
    absent : a class without cases: "raise" an error, or "skip" it and use the others.
    normalize : divide each row of scores by its sum.
    n_threads : threads to use; by default all that the process may run on.

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
    cases = predictions_of(y_true, y_score, labels, sample_weight, absent, normalize, n_threads)
    return SCORED_AUC.of(cases)
