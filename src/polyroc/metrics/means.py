"""Metrics of the mean probability vectors of the classes."""

from collections.abc import Callable

import numpy as np

from polyroc.metrics.combination import Weights, combined, second_against_first, uniform
from polyroc.metrics.declaration import (
    HALF,
    NOTHING,
    Affordable,
    Classes,
    Metric,
    Property,
    Repeats,
)
from polyroc.metrics.question import Gradient, NoDerivative
from polyroc.metrics.registry import registry
from polyroc.predictions import Predictions, predictions_of
from polyroc.statistics.means import Means
from polyroc.statistics.pairs import blank_diagonal
from polyroc.typing import Absent, Float64Array, LabelsLike, ScoresLike, WeightsLike


def _probabilistic_value(weights: Weights) -> Callable[[Means], float]:
    """Σ W_kr pAUC(k|r), pAUC(k|r) = ½ + ½ (p̄_kk − p̄_rk)."""

    def value(means: Means) -> float:
        vectors = means.vectors
        theta = blank_diagonal(0.5 + 0.5 * (np.diag(vectors)[:, None] - vectors.T))
        return combined(weights(means.priors), theta)

    return value


def _probabilistic_gradient(weights: Weights) -> Callable[[Means], Gradient]:
    """Linear in the means."""

    def gradient(means: Means) -> Gradient:
        own = np.eye(means.n_classes, dtype=bool)
        pull = -0.5 * np.where(own, 0, weights(means.priors)).T
        np.fill_diagonal(pull, -pull.sum(axis=0))
        return Gradient(pull)

    return gradient


HAND_TILL_PROBABILISTIC = registry.add(
    Metric(
        "hand_till_probabilistic",
        Means,
        value=_probabilistic_value(uniform),
        gradient=_probabilistic_gradient(uniform),
        title="Mean probabilistic AUC of pairs",
        symbol="M_p",
        reference="Van Calster et al. 2008 eq. 13",
        complexity="O(n K)",
        repeats=(Repeats(2, ("probabilistic_auc",)),),
        chance=HALF,
        needs_probabilities=True,
        properties=frozenset({Property.SKEW}),
    )
)


def hand_till_probabilistic(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    absent: Absent = "raise",
    normalize: bool = False,
    n_threads: int | None = None,
) -> float:
    """Mean probabilistic AUC: how much more probability a class gets from its own cases.

    M_p = 1/(K(K−1)) Σ_{k≠r} pAUC(k|r), pAUC(k|r) = ½ + ½ (mean of p_k in k − mean of p_k in r).

    Unlike M it rewards confidence, even of poorly calibrated models: read it together with M.

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
    >>> from polyroc import hand_till_probabilistic
    >>> p = [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]
    >>> round(hand_till_probabilistic([0, 1, 2], p), 6)  # ½ + ½ · mean of .6 .6 .5 .4 .5 .4
    0.75
    """
    cases = predictions_of(y_true, y_score, labels, sample_weight, absent, normalize, n_threads)
    return HAND_TILL_PROBABILISTIC.of(cases)


PROBABILISTIC_AUC = registry.add(
    Metric(
        "probabilistic_auc",
        Means,
        value=_probabilistic_value(second_against_first),
        gradient=_probabilistic_gradient(second_against_first),
        title="Probabilistic AUC",
        symbol="pAUC",
        reference="Van Calster et al. 2008 eq. 3–4",
        complexity="O(n)",
        chance=HALF,
        classes=Classes(2, 2),
        instead="hand_till_probabilistic",
        needs_probabilities=True,
        properties=frozenset({Property.SKEW}),
    )
)


def probabilistic_auc(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    absent: Absent = "raise",
    normalize: bool = False,
    n_threads: int | None = None,
) -> float:
    """Probabilistic AUC of two classes: the difference of the mean probabilities, ½ being none.

    pAUC = ½ + ½ (mean of p over class 2 − mean of p over class 1), p the probability of class 2.

    This is not the partial AUC. Its curve is :func:`polyroc.curves.probabilistic_roc`.

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
    >>> from polyroc import probabilistic_auc
    >>> round(probabilistic_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 6)  # ½ + ½ (.575 − .25)
    0.6625
    """
    cases = predictions_of(y_true, y_score, labels, sample_weight, absent, normalize, n_threads)
    return PROBABILISTIC_AUC.of(cases)


def _volume(means: Means) -> float:
    return float(abs(np.linalg.det(means.vectors)))


def _volume_gradient(means: Means) -> Gradient:
    """∂|det p̄| = sign(det) · cofactors of p̄; none where the determinant is 0.

    The volume of many classes is small although no two of them are alike, so what counts as 0 is
    judged by the singular values.
    """
    u, s, vt = np.linalg.svd(means.vectors)
    if s[-1] <= 1e-12 * s[0]:
        raise NoDerivative(
            "the class means lie in a lower dimension, where the volume has a corner"
        )
    gradient = np.sign(np.linalg.det(means.vectors)) * _cofactor_matrix(u, s, vt)
    return Gradient(gradient, scale=float(np.abs(gradient).max()))


def _cofactor_matrix(u: Float64Array, s: Float64Array, vt: Float64Array) -> Float64Array:
    """Derivative of the determinant of U S Vᵀ by each entry, also for singular matrices.

    From the singular value decomposition: adj = det(UV) · V · (products of the other singular
    values) · Uᵀ, so nothing is divided.
    """
    others = np.array([np.prod(np.delete(s, i)) for i in range(len(s))])
    sign = np.linalg.det(u) * np.linalg.det(vt)
    cofactors: Float64Array = sign * (u * others) @ vt
    return cofactors


SIMPLEX_VOLUME = registry.add(
    Metric(
        "simplex_volume",
        Means,
        value=_volume,
        gradient=_volume_gradient,
        title="Volume of the simplex of class means",
        symbol="AOT_K",
        reference="Van Calster et al. 2008 §III B",
        complexity="O(n K + K³)",
        affordable=Affordable(most_classes=5),  # a product of many factors: 10⁻⁵⁰ for fifty classes
        repeats=(Repeats(2, ("probabilistic_auc",)), Repeats(3, ("triangle_area",))),
        chance=NOTHING,
        needs_probabilities=True,
        properties=frozenset({Property.SKEW}),
    )
)


def simplex_volume(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    absent: Absent = "raise",
    normalize: bool = False,
    n_threads: int | None = None,
) -> float:
    """Volume spanned by the mean probability vectors of the classes, 1 for a perfect classifier.

    abs(det [p̄_1; …; p̄_K]), p̄_k the mean vector of class k; for K = 3 the area of the triangle, AOT.

    How far the model pulls the classes apart on average. A volume has no sign: two classes that are
    exchanged throughout have the same volume as two that are not. At 0 it is not differentiable,
    and there are no influence values.

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
    >>> from polyroc import simplex_volume
    >>> round(simplex_volume([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 6)  # |2 pAUC − 1|
    0.325
    """
    cases = predictions_of(y_true, y_score, labels, sample_weight, absent, normalize, n_threads)
    return SIMPLEX_VOLUME.of(cases)


TRIANGLE_AREA = registry.add(
    Metric(
        "triangle_area",
        Means,
        value=_volume,
        gradient=_volume_gradient,
        title="Area of the triangle of class means",
        symbol="AOT",
        reference="Van Calster et al. 2008 §III B",
        complexity="O(n)",
        chance=NOTHING,
        classes=Classes(3, 3),
        instead="simplex_volume",
        needs_probabilities=True,
        properties=frozenset({Property.SKEW}),
    )
)


def triangle_area(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    absent: Absent = "raise",
    normalize: bool = False,
    n_threads: int | None = None,
) -> float:
    """Area of the triangle of the three mean probability vectors, 1 for a perfect classifier.

    AOT = area(p̄_1, p̄_2, p̄_3) / (√3/2) = abs(det [p̄_1; p̄_2; p̄_3]), √3/2 the area of the whole
    simplex.

    Low where one class is rare and its cases get little probability even if they are ranked well.

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
    >>> from polyroc import triangle_area
    >>> triangle_area([0, 1, 2], [[1, 0, 0], [0, 1, 0], [0, 0.5, 0.5]])
    0.5
    """
    cases = predictions_of(y_true, y_score, labels, sample_weight, absent, normalize, n_threads)
    return TRIANGLE_AREA.of(cases)


def _length(means: Means) -> float:
    lengths = np.linalg.norm(means.vectors - np.eye(means.n_classes), axis=1)
    return float(1 - lengths.sum() / (means.n_classes * np.sqrt(2)))


def _length_gradient(means: Means) -> Gradient:
    """∂TL/∂p̄_k = (e_k − p̄_k) / ‖p̄_k − e_k‖ / (K√2); none where a mean sits in its corner."""
    gaps = np.eye(means.n_classes) - means.vectors
    lengths = np.linalg.norm(gaps, axis=1)
    if (lengths <= 1e-12).any():
        name = means.classes[int(lengths.argmin())]
        raise NoDerivative(
            f"the mean of class {name!r} is in its corner, where TL has no derivative"
        )
    return Gradient(gaps / lengths[:, None] / (means.n_classes * np.sqrt(2)))


TOTAL_LENGTH = registry.add(
    Metric(
        "total_length",
        Means,
        value=_length,
        gradient=_length_gradient,
        title="Total length between class means and corners",
        symbol="TL",
        reference="Van Calster et al. 2008 §III C",
        complexity="O(n K)",
        repeats=(Repeats(2, ("probabilistic_auc",)),),
        chance=None,
        needs_probabilities=True,
        properties=frozenset({Property.SKEW}),
    )
)


def total_length(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    absent: Absent = "raise",
    normalize: bool = False,
    n_threads: int | None = None,
) -> float:
    """One minus the mean distance of the class means from their corners, scaled to [0, 1].

    TL = 1 − Σ_k ‖p̄_k − e_k‖ / (K√2), p̄_k the mean probability vector of class k.

    For two classes it is the probabilistic AUC. It is not differentiable where a mean is exactly in
    its corner, so there are no influence values for a perfect class.

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
    >>> from polyroc import total_length
    >>> round(total_length([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 6)
    0.6625
    """
    cases = predictions_of(y_true, y_score, labels, sample_weight, absent, normalize, n_threads)
    return TOTAL_LENGTH.of(cases)
