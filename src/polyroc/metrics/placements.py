"""PDI, the metric of placements."""

import numpy as np

from polyroc.metrics.declaration import ONE_OF_K, Metric, Property, Repeats
from polyroc.metrics.question import Gradient
from polyroc.metrics.registry import registry
from polyroc.predictions import Predictions, predictions_of
from polyroc.statistics.placements import Placements
from polyroc.typing import Absent, LabelsLike, ScoresLike, WeightsLike


def _gradient(places: Placements) -> Gradient:
    return Gradient(np.full(places.n_classes, 1 / places.n_classes))


PDI = registry.add(
    Metric(
        "pdi",
        Placements,
        value=lambda places: float(np.mean(places.wins)),
        gradient=_gradient,
        title="Polytomous discrimination index",
        symbol="PDI",
        reference="Van Calster et al. 2012",
        complexity="O(K n log n + K² n)",
        repeats=(Repeats(2, ("hand_till",)),),
        chance=ONE_OF_K,
        properties=frozenset({Property.SKEW, Property.COLUMN_MONOTONE, Property.COMMON_SCALE}),
    )
)


def pdi(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    absent: Absent = "raise",
    n_threads: int | None = None,
) -> float:
    """PDI: of one case per class, how often the case of class k has the highest score for k.

    PDI = 1/K Σ_k mean over tuples of [p_k(x_k) > p_k(x_r) for all r ≠ k], ties split evenly.

    A model without information reaches 1/K. No tuple is enumerated: a case of class k wins with
    ∫₀¹ Π_{r≠k} (below_r + t · tied_r) dt, below_r and tied_r the shares of class r below and level.

    Parameters
    ----------
    y_true : true class of each case: strings, integers, booleans or a categorical; or one
        Predictions, which takes the place of labels and scores.
    y_score : scores, a row per case and a column per class; a frame's column names are classes.
    labels : the classes in the order of the columns; by default the sorted ones of y_true.
    sample_weight : weight of each case; 0 is the same as leaving the case out.
    absent : a class without cases: "raise" an error, or "skip" it and use the others.
    n_threads : threads to use; by default all that the process may run on.

    Examples
    --------
    >>> from polyroc import pdi
    >>> p = [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]]
    >>> pdi([0, 1, 2], p)
    1.0
    >>> round(pdi([0, 1, 2], [[1, 1, 1], [1, 1, 1], [1, 1, 1]]), 6)
    0.333333
    """
    cases = predictions_of(y_true, y_score, labels, sample_weight, absent, n_threads=n_threads)
    return PDI.of(cases)
