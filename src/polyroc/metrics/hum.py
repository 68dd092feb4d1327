"""HUM: the assignment rule on sums of scores."""

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
    return Rule.SCORES, assignment_credit(ties)


@metric(
    influence=tuple_influence(worth, "fair"),
    title="Hypervolume under the manifold (Li & Fine)",
    symbol="HUM",
    reference="Li & Fine 2008",
    chance=ONE_ORDER,
    properties=frozenset(
        {Property.PERFECT_ARGMAX, Property.SKEW, Property.ROW_SHIFT, Property.COMMON_SCALE}
    ),
    statistic="tuples",
    complexity="O(n²) for K ≤ 3, else all tuples or random ones",
    affordable=THREE_CLASSES,
    repeats=(Repeats(2, ("auc_mu",)),),
)
def hum(
    predictions: Predictions,
    *,
    ties: Ties = "fair",
    n_tuples: int | None = None,
    rng: RandomState = None,
) -> float:
    """HUM: share of tuples, one case per class, whose right assignment has the largest score.

    A tuple (x_1 … x_K) is right if Σ_k p_k(x_k) exceeds Σ_k p_q(k)(x_k) for every other permutation
    q; m best permutations share the credit. It is the rule of VUS with squared distances, and
    another number. The R package mcca gives the name HUM to the rule of VUS with lenient ties.

    A model without information reaches 1/K!. Sums are equal if they differ by no more than 2⁻⁴⁰ of
    the largest score in them, so that decimals and counts give the same value.

    Examples
    --------
    >>> from polyroc import hum
    >>> p = [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]
    >>> hum([0, 1, 2], p)
    1.0
    """
    return tuple_value(worth, predictions, ties, n_tuples, rng)
