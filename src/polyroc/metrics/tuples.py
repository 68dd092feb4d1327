"""Metrics of tuples: one case of each class, judged by a rule, and what a right tuple counts."""

from collections.abc import Callable

import numpy as np

from polyroc._base.checks import check_choice, generator_of, shown
from polyroc.errors import InvalidInput
from polyroc.metrics.declaration import ONE_ORDER, THREE_CLASSES, Metric, Property, Repeats
from polyroc.metrics.question import Gradient, Question
from polyroc.metrics.registry import registry
from polyroc.predictions import Predictions, predictions_of
from polyroc.statistics.statistic import Need
from polyroc.statistics.tuples import Rule, Tuples
from polyroc.typing import (
    Absent,
    Float64Array,
    LabelsLike,
    RandomState,
    ScoresLike,
    Ties,
    WeightsLike,
)

Credit = Callable[[int, Ties], Float64Array]
"""Classes, ties → coefficients of the credits that a rule gives to a tuple."""


def _value(tuples: Tuples, coefficients: Float64Array) -> float:
    return tuples.mean(coefficients)


def _gradient(tuples: Tuples, coefficients: Float64Array) -> Gradient:
    del tuples  # the mean is linear in the credits
    return Gradient(coefficients)


def _assignment(rule: Rule, credit: Credit) -> Callable[..., Question]:
    """Questions about the assignment of cases to corners."""

    def ask(
        metric: Metric,
        predictions: Predictions,
        ties: Ties = "fair",
        n_tuples: int | None = None,
        rng: RandomState = None,
    ) -> Question:
        coefficients = credit(predictions.n_classes, ties)
        return _question(metric, predictions, rule, coefficients, n_tuples, rng)

    return ask


def _highest(credit: list[float], near: bool = False) -> Callable[..., Question]:
    """Questions about the highest score of each column; near: weighted by a mean over classes."""

    def ask(
        metric: Metric,
        predictions: Predictions,
        ties: Ties = "strict",
        n_tuples: int | None = None,
        rng: RandomState = None,
    ) -> Question:
        rule = _highest_rule(ties, near)
        coefficients = np.array(credit) / (predictions.n_classes if near else 1)
        return _question(metric, predictions, rule, coefficients, n_tuples, rng)

    return ask


def _question(
    metric: Metric,
    predictions: Predictions,
    rule: Rule,
    coefficients: Float64Array,
    n_tuples: int | None,
    rng: RandomState,
) -> Question:
    """All tuples, or random ones if asked for: by their number, or by a seed where all are many."""
    if rng is not None:
        generator_of(rng)
    options: tuple[tuple[str, object], ...] = (("rule", rule),)
    if n_tuples is not None or (rng is not None and predictions.n_classes > 3):
        options += (("n_tuples", n_tuples), ("rng", rng), ("drawn", True))
    return Question(metric, Need(Tuples, options), {"coefficients": coefficients})


def _plain_credit(_: int, ties: Ties) -> Float64Array:
    """A right tuple counts 1."""
    names = ("strict", "fair", "lenient")
    check_choice(ties, "ties", ("fair", "strict", "lenient"))
    return np.eye(6, dtype=np.float64)[names.index(ties), :]


def _near_credit(n_classes: int, ties: Ties) -> Float64Array:
    """A right tuple counts 1 − Σ ℓ_k(x_k) / (K√2); the last three credits hold the lengths."""
    plain = _plain_credit(n_classes, ties)
    coefficients: Float64Array = plain - np.roll(plain, 3) / (n_classes * np.sqrt(2))
    return coefficients


def _highest_rule(ties: Ties, near: bool) -> Rule:
    """The highest-probability rule: strict, or lenient; a fair value is not defined."""
    rules = {"strict": Rule.HIGHEST, "lenient": Rule.HIGHEST_LENIENT}
    if near:
        rules = {"strict": Rule.NEAR_HIGHEST, "lenient": Rule.NEAR_HIGHEST_LENIENT}
    if not isinstance(ties, str) or ties not in rules:
        raise InvalidInput(
            f'ties must be "strict" or "lenient" for this rule, got {shown(ties)}: '
            "a tie within a column has no fair share. Report both, they enclose every other choice."
        )
    return rules[ties]


VUS = registry.add(
    Metric(
        "vus",
        Tuples,
        value=_value,
        gradient=_gradient,
        title="Volume under the ROC surface",
        symbol="VUS",
        reference="Van Calster et al. 2008 eq. 7–8",
        affordable=THREE_CLASSES,
        repeats=(Repeats(2, ("roc_auc",)),),
        chance=ONE_ORDER,
        needs_probabilities=True,
        properties=frozenset({Property.PERFECT_ARGMAX, Property.SKEW}),
        complexity="O(n²) for K ≤ 3, else all tuples or random ones",
        ask=_assignment(Rule.LENGTHS, _plain_credit),
    )
)


def vus(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    ties: Ties = "fair",
    n_tuples: int | None = None,
    rng: RandomState = None,
    absent: Absent = "raise",
    normalize: bool = False,
    n_threads: int | None = None,
) -> float:
    """VUS: share of tuples, one case per class, whose cases are nearest to the correct corners.

    A tuple (x_1 … x_K) is right if Σ_k ‖x_k − e_k‖ is less than Σ_k ‖x_k − e_q(k)‖ for every other
    permutation q. If the identity is one of m best permutations, it counts 1/m (``ties="fair"``), 0
    (``"strict"``, as in the paper) or 1 (``"lenient"``).

    A model without information reaches 1/K!, so values for different K are not comparable. For K =
    2 it is the AUC. Sums of distances are equal if they differ by no more than 2⁻⁴⁰ of the largest
    of them, because equal sums of square roots are not equal in floating point.

    For K ≥ 4 all tuples are enumerated while there are not too many; ``n_tuples`` or ``rng`` asks
    for an estimate from random tuples.

    Parameters
    ----------
    y_true : true class of each case: strings, integers, booleans or a categorical; or one
        Predictions, which takes the place of labels and scores.
    y_score : scores, a row per case and a column per class; a frame's column names are classes.
    labels : the classes in the order of the columns; by default the sorted ones of y_true.
    sample_weight : weight of each case; 0 is the same as leaving the case out.
    ties : credit of a tie: "fair" shares it, "strict" gives nothing, "lenient" gives all.
    n_tuples : draw this many tuples at random instead of using all, which is expensive for K ≥ 4.
    rng : seed or generator of that draw.
    absent : a class without cases: "raise" an error, or "skip" it and use the others.
    normalize : divide each row of scores by its sum.
    n_threads : threads to use; by default all that the process may run on.

    Examples
    --------
    >>> from polyroc import vus
    >>> p = [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]
    >>> vus([0, 1, 2], p)
    1.0
    >>> round(vus([0, 1, 2], [[0.2, 0.4, 0.4]] * 3), 6)  # all six permutations are as good
    0.166667
    """
    cases = predictions_of(y_true, y_score, labels, sample_weight, absent, normalize, n_threads)
    return VUS.of(cases, ties=ties, n_tuples=n_tuples, rng=rng)


WVUS = registry.add(
    Metric(
        "wvus",
        Tuples,
        value=_value,
        gradient=_gradient,
        title="VUS weighted by distance to the corners",
        symbol="wVUS",
        reference="Van Calster et al. 2008 eq. 11–12",
        affordable=THREE_CLASSES,
        repeats=(Repeats(2, ("roc_auc", "scored_auc")),),
        chance=None,
        needs_probabilities=True,
        properties=frozenset({Property.SKEW}),
        complexity="O(n²) for K ≤ 3, else all tuples or random ones",
        ask=_assignment(Rule.LENGTHS, _near_credit),
    )
)


def wvus(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    ties: Ties = "fair",
    n_tuples: int | None = None,
    rng: RandomState = None,
    absent: Absent = "raise",
    normalize: bool = False,
    n_threads: int | None = None,
) -> float:
    """wVUS: correct tuples of VUS weighted by how close their cases are to the corners.

    A tuple that is right by the rule of VUS counts 1 − Σ_k ‖x_k − e_k‖ / (K√2), times 1/m if it is
    one of m best permutations.

    Of the weighted metrics it follows the unweighted ones most closely
    (Van Calster et al. 2008 §V). For K = 2 and
    ``ties="strict"`` it is the mean of the strict AUC and the scored AUC.

    Parameters
    ----------
    y_true : true class of each case: strings, integers, booleans or a categorical; or one
        Predictions, which takes the place of labels and scores.
    y_score : scores, a row per case and a column per class; a frame's column names are classes.
    labels : the classes in the order of the columns; by default the sorted ones of y_true.
    sample_weight : weight of each case; 0 is the same as leaving the case out.
    ties : credit of a tie: "fair" shares it, "strict" gives nothing, "lenient" gives all.
    n_tuples : draw this many tuples at random instead of using all, which is expensive for K ≥ 4.
    rng : seed or generator of that draw.
    absent : a class without cases: "raise" an error, or "skip" it and use the others.
    normalize : divide each row of scores by its sum.
    n_threads : threads to use; by default all that the process may run on.

    Examples
    --------
    >>> from polyroc import wvus
    >>> p = [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]
    >>> round(wvus([0, 1, 2], p), 6)  # 1 − (√.06 + 2 √.24) / (3 √2)
    0.711325
    """
    cases = predictions_of(y_true, y_score, labels, sample_weight, absent, normalize, n_threads)
    return WVUS.of(cases, ties=ties, n_tuples=n_tuples, rng=rng)


HUM = registry.add(
    Metric(
        "hum",
        Tuples,
        value=_value,
        gradient=_gradient,
        title="Hypervolume under the manifold (Li & Fine)",
        symbol="HUM",
        reference="Li & Fine 2008",
        affordable=THREE_CLASSES,
        repeats=(Repeats(2, ("auc_mu",)),),
        chance=ONE_ORDER,
        properties=frozenset(
            {Property.PERFECT_ARGMAX, Property.SKEW, Property.ROW_SHIFT, Property.COMMON_SCALE}
        ),
        complexity="O(n²) for K ≤ 3, else all tuples or random ones",
        ask=_assignment(Rule.SCORES, _plain_credit),
    )
)


def hum(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    ties: Ties = "fair",
    n_tuples: int | None = None,
    rng: RandomState = None,
    absent: Absent = "raise",
    n_threads: int | None = None,
) -> float:
    """HUM: share of tuples, one case per class, whose correct assignment has the largest score.

    A tuple (x_1 … x_K) is right if Σ_k p_k(x_k) exceeds Σ_k p_q(k)(x_k) for every other permutation
    q; m best permutations share the credit. It is the rule of VUS with squared distances, and
    another number. The R package mcca gives the name HUM to the rule of VUS with lenient ties.

    A model without information reaches 1/K!. Sums are equal if they differ by no more than 2⁻⁴⁰ of
    the largest score in them, so that decimals and counts give the same value.

    Parameters
    ----------
    y_true : true class of each case: strings, integers, booleans or a categorical; or one
        Predictions, which takes the place of labels and scores.
    y_score : scores, a row per case and a column per class; a frame's column names are classes.
    labels : the classes in the order of the columns; by default the sorted ones of y_true.
    sample_weight : weight of each case; 0 is the same as leaving the case out.
    ties : credit of a tie: "fair" shares it, "strict" gives nothing, "lenient" gives all.
    n_tuples : draw this many tuples at random instead of using all, which is expensive for K ≥ 4.
    rng : seed or generator of that draw.
    absent : a class without cases: "raise" an error, or "skip" it and use the others.
    n_threads : threads to use; by default all that the process may run on.

    Examples
    --------
    >>> from polyroc import hum
    >>> p = [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]
    >>> hum([0, 1, 2], p)
    1.0
    """
    cases = predictions_of(y_true, y_score, labels, sample_weight, absent, n_threads=n_threads)
    return HUM.of(cases, ties=ties, n_tuples=n_tuples, rng=rng)


VUS2 = registry.add(
    Metric(
        "vus2",
        Tuples,
        value=_value,
        gradient=_gradient,
        title="Volume by the highest-probability rule",
        symbol="VUS₂",
        reference="Van Calster et al. 2008 §III D",
        affordable=THREE_CLASSES,
        repeats=(Repeats(2, ("roc_auc",), one_sum=True),),
        chance=None,
        properties=frozenset({Property.SKEW, Property.COLUMN_MONOTONE, Property.COMMON_SCALE}),
        complexity="O(n²) for K ≤ 3, else all tuples or random ones",
        ask=_highest([1.0, 0.0]),
    )
)


def vus2(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    ties: Ties = "strict",
    n_tuples: int | None = None,
    rng: RandomState = None,
    absent: Absent = "raise",
    n_threads: int | None = None,
) -> float:
    """VUS₂: share of tuples in which every case has the highest score for its own class.

    A tuple (x_1 … x_K) is right if p_k(x_k) > p_k(x_r) for every k ≠ r.

    A tie makes the tuple wrong (``ties="strict"``, the paper) or correct (``"lenient"``);
    there is no fair share, and the two enclose every other choice. Right by this rule implies right
    by the rule of HUM, but not by that of VUS, whatever Van Calster et al. 2008 §III D says.

    Parameters
    ----------
    y_true : true class of each case: strings, integers, booleans or a categorical; or one
        Predictions, which takes the place of labels and scores.
    y_score : scores, a row per case and a column per class; a frame's column names are classes.
    labels : the classes in the order of the columns; by default the sorted ones of y_true.
    sample_weight : weight of each case; 0 is the same as leaving the case out.
    ties : credit of a tie: "strict" gives nothing, "lenient" gives all.
    n_tuples : draw this many tuples at random instead of using all, which is expensive for K ≥ 4.
    rng : seed or generator of that draw.
    absent : a class without cases: "raise" an error, or "skip" it and use the others.
    n_threads : threads to use; by default all that the process may run on.

    Examples
    --------
    >>> from polyroc import vus, vus2
    >>> p = [[0.853, 0.146, 0.001], [0.771, 0.147, 0.082], [0.852, 0.065, 0.083]]
    >>> vus2([0, 1, 2], p), vus([0, 1, 2], p)  # a counterexample to VUS₂ ≤ VUS
    (1.0, 0.0)
    """
    cases = predictions_of(y_true, y_score, labels, sample_weight, absent, n_threads=n_threads)
    return VUS2.of(cases, ties=ties, n_tuples=n_tuples, rng=rng)


WVUS2 = registry.add(
    Metric(
        "wvus2",
        Tuples,
        value=_value,
        gradient=_gradient,
        title="VUS₂ weighted by the volume of the tuple",
        symbol="wVUS₂",
        reference="Van Calster et al. 2008 §III D",
        affordable=THREE_CLASSES,
        repeats=(Repeats(2, ("scored_auc",)),),
        chance=None,
        needs_probabilities=True,
        properties=frozenset({Property.SKEW}),
        complexity="O(n²) for K ≤ 3, else all tuples or random ones",
        ask=_highest([0.0, 1.0]),
    )
)


def wvus2(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    ties: Ties = "strict",
    n_tuples: int | None = None,
    rng: RandomState = None,
    absent: Absent = "raise",
    normalize: bool = False,
    n_threads: int | None = None,
) -> float:
    """wVUS₂: correct tuples of VUS₂ weighted by the volume between their cases, AOT for K = 3.

    A tuple that is right by the rule of VUS₂ counts abs(det [x_1; …; x_K]).

    The weight of a correct triplet is its area, so triplets whose cases barely differ count little.
    For K = 2 it is the scored AUC.

    Parameters
    ----------
    y_true : true class of each case: strings, integers, booleans or a categorical; or one
        Predictions, which takes the place of labels and scores.
    y_score : scores, a row per case and a column per class; a frame's column names are classes.
    labels : the classes in the order of the columns; by default the sorted ones of y_true.
    sample_weight : weight of each case; 0 is the same as leaving the case out.
    ties : credit of a tie: "strict" gives nothing, "lenient" gives all.
    n_tuples : draw this many tuples at random instead of using all, which is expensive for K ≥ 4.
    rng : seed or generator of that draw.
    absent : a class without cases: "raise" an error, or "skip" it and use the others.
    normalize : divide each row of scores by its sum.
    n_threads : threads to use; by default all that the process may run on.

    Examples
    --------
    >>> from polyroc import wvus2
    >>> p = [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]
    >>> round(wvus2([0, 1, 2], p), 6)
    0.24
    """
    cases = predictions_of(y_true, y_score, labels, sample_weight, absent, normalize, n_threads)
    return WVUS2.of(cases, ties=ties, n_tuples=n_tuples, rng=rng)
