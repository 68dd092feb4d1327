"""wVUS₂: VUS₂ with right tuples weighted by the volume between their cases."""

import numpy as np

from polyroc.metrics.declaration import THREE_CLASSES, Property, Repeats
from polyroc.metrics.registry import metric
from polyroc.metrics.tuple_metric import highest_rule, tuple_influence, tuple_value
from polyroc.predictions import Predictions
from polyroc.statistics.tuples import Rule
from polyroc.typing import Float64Array, RandomState, Ties


def worth(_: Predictions, ties: Ties) -> tuple[Rule, Float64Array]:
    """A right tuple counts its own volume."""
    return highest_rule(ties), np.array([0.0, 1.0])


@metric(
    influence=tuple_influence(worth, "strict"),
    title="VUS₂ weighted by the volume of the tuple",
    symbol="wVUS₂",
    reference="Van Calster et al. 2008 §III D",
    chance=None,
    needs_probabilities=True,
    properties=frozenset({Property.SKEW}),
    statistic="tuples",
    complexity="O(n²) for K ≤ 3, else all tuples or random ones",
    affordable=THREE_CLASSES,
    repeats=(Repeats(2, ("scored_auc",)),),
)
def wvus2(
    predictions: Predictions,
    *,
    ties: Ties = "strict",
    n_tuples: int | None = None,
    rng: RandomState = None,
) -> float:
    """wVUS₂: right tuples of VUS₂ weighted by the volume between their cases, AOT for K = 3.

    A tuple that is right by the rule of VUS₂ counts |det [x_1; …; x_K]|.

    The weight of a right triplet is its area, so triplets whose cases hardly differ count little.
    For K = 2 it is the scored AUC.

    Examples
    --------
    >>> from polyroc import wvus2
    >>> p = [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]
    >>> round(wvus2([0, 1, 2], p), 6)
    0.24
    """
    return tuple_value(worth, predictions, ties, n_tuples, rng)
