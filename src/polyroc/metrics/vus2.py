"""VUS₂: how often every case of a tuple has the highest probability of its own class."""

import numpy as np

from polyroc.metrics.declaration import THREE_CLASSES, Property, Repeats
from polyroc.metrics.registry import metric
from polyroc.metrics.tuple_metric import highest_rule, tuple_influence, tuple_value
from polyroc.predictions import Predictions
from polyroc.statistics.tuples import Rule
from polyroc.typing import Float64Array, RandomState, Ties


def worth(_: Predictions, ties: Ties) -> tuple[Rule, Float64Array]:
    """A right tuple counts 1."""
    return highest_rule(ties), np.array([1.0, 0.0])


@metric(
    influence=tuple_influence(worth, "strict"),
    title="Volume by the highest-probability rule",
    symbol="VUS₂",
    reference="Van Calster et al. 2008 §III D",
    chance=None,
    properties=frozenset({Property.SKEW, Property.COLUMN_MONOTONE, Property.COMMON_SCALE}),
    statistic="tuples",
    complexity="O(n²) for K ≤ 3, else all tuples or random ones",
    affordable=THREE_CLASSES,
    repeats=(Repeats(2, ("roc_auc",), one_sum=True),),
)
def vus2(
    predictions: Predictions,
    *,
    ties: Ties = "strict",
    n_tuples: int | None = None,
    rng: RandomState = None,
) -> float:
    """VUS₂: share of tuples in which every case has the highest score of its own class.

    A tuple (x_1 … x_K) is right if p_k(x_k) > p_k(x_r) for every k ≠ r.

    A tie makes the tuple wrong (``ties="strict"``, the paper) or leaves it right (``"lenient"``);
    there is no fair share, and the two enclose every other choice. Right by this rule implies right
    by the rule of HUM, but not by that of VUS, whatever Van Calster et al. 2008 §III D says.

    Examples
    --------
    >>> from polyroc import vus, vus2
    >>> p = [[0.853, 0.146, 0.001], [0.771, 0.147, 0.082], [0.852, 0.065, 0.083]]
    >>> vus2([0, 1, 2], p), vus([0, 1, 2], p)  # a counterexample to VUS₂ ≤ VUS
    (1.0, 0.0)
    """
    return tuple_value(worth, predictions, ties, n_tuples, rng)
