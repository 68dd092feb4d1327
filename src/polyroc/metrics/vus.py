"""VUS: how often one case per class can be told apart by the corners they are nearest to."""

from polyroc.metrics.declaration import ONE_ORDER, THREE_CLASSES, Property, Repeats
from polyroc.metrics.registry import metric
from polyroc.metrics.tuple_metric import (
    assignment_credit,
    tuple_influence,
    tuple_value,
)
from polyroc.predictions import Predictions
from polyroc.statistics.tuples import Rule
from polyroc.typing import Float64Array, RandomState, Ties


def worth(_: Predictions, ties: Ties) -> tuple[Rule, Float64Array]:
    """A right tuple counts 1."""
    return Rule.LENGTHS, assignment_credit(ties)


@metric(
    influence=tuple_influence(worth, "fair"),
    title="Volume under the ROC surface",
    symbol="VUS",
    reference="Van Calster et al. 2008 eq. 7–8",
    chance=ONE_ORDER,
    needs_probabilities=True,
    properties=frozenset({Property.PERFECT_ARGMAX, Property.SKEW}),
    statistic="tuples",
    complexity="O(n²) for K ≤ 3, else all tuples or random ones",
    affordable=THREE_CLASSES,
    repeats=(Repeats(2, ("roc_auc",)),),
)
def vus(
    predictions: Predictions,
    *,
    ties: Ties = "fair",
    n_tuples: int | None = None,
    rng: RandomState = None,
) -> float:
    """VUS: share of tuples, one case per class, whose cases are nearest to the right corners.

    A tuple (x_1 … x_K) is right if Σ_k ‖x_k − e_k‖ is less than Σ_k ‖x_k − e_q(k)‖ for every other
    permutation q. If the identity is one of m best permutations, it counts 1/m (``ties="fair"``), 0
    (``"strict"``, as in the paper) or 1 (``"lenient"``).

    A model without information reaches 1/K!, so numbers for different K do not compare. For K = 2
    it is the AUC. Sums of distances are equal if they differ by no more than 2⁻⁴⁰ of the largest of
    them, because equal sums of square roots are not equal in floating point.

    For K ≥ 4 all tuples are enumerated while there are not too many; ``n_tuples`` or ``rng`` asks
    for an estimate from random tuples.

    Examples
    --------
    >>> from polyroc import vus
    >>> p = [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]
    >>> vus([0, 1, 2], p)
    1.0
    >>> round(vus([0, 1, 2], [[0.2, 0.4, 0.4]] * 3), 6)  # all six permutations are as good
    0.166667
    """
    return tuple_value(worth, predictions, ties, n_tuples, rng)
