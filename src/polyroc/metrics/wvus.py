"""wVUS: VUS with right tuples weighted by how near they come to their corners."""

import numpy as np

from polyroc.metrics.declaration import THREE_CLASSES, Property, Repeats
from polyroc.metrics.registry import metric
from polyroc.metrics.tuple_metric import assignment_credit, tuple_influence, tuple_value
from polyroc.predictions import Predictions
from polyroc.statistics.tuples import Rule
from polyroc.typing import Float64Array, RandomState, Ties


def worth(predictions: Predictions, ties: Ties) -> tuple[Rule, Float64Array]:
    """A right tuple counts 1 − Σ ℓ_k(x_k) / (K√2); the last three credits hold the lengths."""
    plain = assignment_credit(ties)
    longest = predictions.n_classes * np.sqrt(2)
    return Rule.LENGTHS, plain - np.roll(plain, 3) / longest


@metric(
    influence=tuple_influence(worth, "fair"),
    title="VUS weighted by distance to the corners",
    symbol="wVUS",
    reference="Van Calster et al. 2008 eq. 11–12",
    chance=None,
    needs_probabilities=True,
    properties=frozenset({Property.SKEW}),
    statistic="tuples",
    complexity="O(n²) for K ≤ 3, else all tuples or random ones",
    affordable=THREE_CLASSES,
    repeats=(Repeats(2, ("roc_auc", "scored_auc")),),
)
def wvus(
    predictions: Predictions,
    *,
    ties: Ties = "fair",
    n_tuples: int | None = None,
    rng: RandomState = None,
) -> float:
    """wVUS: right tuples of VUS weighted by how near their cases come to the corners.

    A tuple that is right by the rule of VUS counts 1 − Σ_k ‖x_k − e_k‖ / (K√2), times 1/m if it is
    one of m best permutations.

    Of the weighted metrics it follows the unweighted ones most closely
    (Van Calster et al. 2008 §V). For K = 2 and
    ``ties="strict"`` it is the mean of the strict AUC and the scored AUC.

    Examples
    --------
    >>> from polyroc import wvus
    >>> p = [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]
    >>> round(wvus([0, 1, 2], p), 6)  # 1 − (√.06 + 2 √.24) / (3 √2)
    0.711325
    """
    return tuple_value(worth, predictions, ties, n_tuples, rng)
