"""AUC_mu of Kleiman & Page, the metric of margins."""

from typing import Any

import numpy as np

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput
from polyroc.metrics.combination import combined
from polyroc.metrics.declaration import HALF, Metric, Property, Repeats
from polyroc.metrics.question import Gradient, Question
from polyroc.metrics.registry import registry
from polyroc.predictions import Predictions, predictions_of
from polyroc.predictions._containers import place, read_weights
from polyroc.predictions._tables import by_class
from polyroc.predictions._weights import moderate, shares
from polyroc.statistics.directed import Partition
from polyroc.statistics.margins import MarginGradient, Margins, equal_pairs
from polyroc.statistics.pairs import tie_credit
from polyroc.statistics.statistic import Need
from polyroc.typing import Absent, Float64Array, LabelsLike, ScoresLike, Ties, WeightsLike


def _value(
    margins: Margins, pair_weights: Float64Array | None = None, ties: Ties = "fair"
) -> float:
    """Σ_{i<j} W_ij θ_ij, all pairs counting the same by default."""
    return combined(_weights(margins, pair_weights), margins.auc(ties))


def _gradient(
    margins: Margins, pair_weights: Float64Array | None = None, ties: Ties = "fair"
) -> Gradient:
    return Gradient(MarginGradient(_weights(margins, pair_weights), tie_credit(ties)))


def _weights(margins: Margins, pair_weights: Float64Array | None) -> Float64Array:
    if pair_weights is not None:
        return pair_weights
    return equal_pairs(margins.n_classes)


def _question(
    metric: Metric,
    predictions: Predictions,
    partition: Any = None,
    pair_weights: Any = None,
    ties: Ties = "fair",
) -> Question:
    costs = _checked_partition(partition, predictions)
    options = {"ties": ties, "pair_weights": _checked_pair_weights(pair_weights, predictions)}
    return Question(metric, Need(Margins, (("partition", costs),)), options)


AUC_MU = registry.add(
    Metric(
        "auc_mu",
        Margins,
        value=_value,
        gradient=_gradient,
        title="AUC_μ (Kleiman & Page)",
        symbol="AUC_μ",
        reference="Kleiman & Page 2019",
        complexity="O(K n log n), with a partition O(K n (K + log n))",
        repeats=(Repeats(2, ("roc_auc",), one_sum=True),),
        chance=HALF,
        properties=frozenset(
            {Property.PERFECT_ARGMAX, Property.SKEW, Property.ROW_SHIFT, Property.COMMON_SCALE}
        ),
        ask=_question,
    )
)


def auc_mu(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    partition: Any = None,
    pair_weights: Any = None,
    ties: Ties = "fair",
    absent: Absent = "raise",
    n_threads: int | None = None,
) -> float:
    """AUC_μ: how often cases of two classes are in the correct order across their boundary.

    AUC_μ = Σ_{i<j} W_ij mean over a in i, b in j of step(o(a, b)) / Σ_{i<j} W_ij,
    o(a, b) = [v · (e_i − e_j)] [v · (p_a − p_b)], v = A_i − A_j, rows of the partition matrix A.

    By default A = 1 − I, deciding by the highest score: then o compares p_i − p_j, and AUC_μ is 1
    as soon as every case has its highest score in its own class, unlike M. All pairs
    count the same unless ``pair_weights`` says otherwise. Margins that are equal as decimals are
    tied: .3 − .1 and .5 − .3, although they differ in floating point.

    LightGBM's ``auc_mu`` ranks raw scores before the softmax, where differences are log ratios:
    pass those as ``y_score`` for its number, probabilities for that of the paper.

    Parameters
    ----------
    y_true : true class of each case: strings, integers, booleans or a categorical; or one
        Predictions, which takes the place of labels and scores.
    y_score : scores, a row per case and a column per class; a frame's column names are classes.
    labels : the classes in the order of the columns; by default the sorted ones of y_true.
    sample_weight : weight of each case; 0 is the same as leaving the case out.
    partition : K × K costs that decide between classes; row: class named, column: true class.
    pair_weights : K × K weights of the pairs; both entries of a pair are added up.
    ties : credit of a tie: "fair" shares it, "strict" gives nothing, "lenient" gives all.
    absent : a class without cases: "raise" an error, or "skip" it and use the others.
    n_threads : threads to use; by default all that the process may run on.

    Examples
    --------
    >>> from polyroc import auc_mu, hand_till
    >>> y = [0, 1, 2]
    >>> p = [[0.4, 0.3, 0.3], [0.42, 0.48, 0.1], [0.3, 0.3, 0.4]]  # every argmax is right
    >>> auc_mu(y, p)
    1.0
    >>> round(hand_till(y, p), 6)  # in column 0 the case of class 1 is ahead
    0.833333
    """
    cases = predictions_of(y_true, y_score, labels, sample_weight, absent, n_threads=n_threads)
    return AUC_MU.of(cases, partition=partition, pair_weights=pair_weights, ties=ties)


def _checked_partition(partition: Any, predictions: Predictions) -> Partition | None:
    """A partition matrix as nested tuples; None for the argmax."""
    if partition is None:
        return None
    costs = moderate(_square(partition, "partition", predictions))
    off_diagonal = ~np.eye(len(costs), dtype=bool)
    if np.diag(costs).any() or (costs < 0).any() or ((costs + costs.T)[off_diagonal] == 0).any():
        raise InvalidInput(
            "partition must have a zero diagonal, no negative costs and a positive cost for at "
            f"least one direction of each pair, got {shown(costs.tolist())}."
        )
    return tuple(tuple(row) for row in costs.tolist())


def _checked_pair_weights(pair_weights: Any, predictions: Predictions) -> Float64Array | None:
    """Weights of the pairs i < j in the upper triangle, summing to 1; None: all the same."""
    if pair_weights is None:
        return None
    given = _square(pair_weights, "pair_weights", predictions)
    weights = np.triu(moderate(given) + moderate(given).T, 1)
    if (given < 0).any() or not weights.any():
        raise InvalidInput(
            "pair_weights must not be negative and at least one pair must count, "
            f"got {shown(given.tolist())}."
        )
    return shares(weights)


def _square(values: Any, name: str, predictions: Predictions) -> Float64Array:
    """A finite K × K matrix; one for all declared classes is cut to those with cases."""
    n_classes, all_classes = predictions.n_classes, predictions.declared
    for_all = predictions.skipped and read_weights(values, name).shape == (len(all_classes),) * 2
    named = by_class(values, all_classes if for_all else predictions.classes, name)
    matrix = read_weights(named, name)
    if for_all:
        matrix = matrix[np.ix_(predictions.present, predictions.present)]
    expected = f"{name} must be a {n_classes} × {n_classes} matrix of finite numbers, got"
    if matrix.shape != (n_classes, n_classes):
        raise InvalidInput(f"{expected} shape {matrix.shape}.")
    wrong = np.argwhere(~np.isfinite(matrix))
    if wrong.size:
        raise InvalidInput(f"{expected} {matrix[tuple(wrong[0])]} in {place(wrong[0].tolist())}.")
    return matrix
