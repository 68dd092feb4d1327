"""The Gini coefficient of the ROC surface that scores reach."""

import numpy as np

from polyroc.metrics.declaration import NOTHING, ON_REQUEST, Classes, Metric, Property
from polyroc.metrics.question import Gradient
from polyroc.metrics.registry import registry
from polyroc.predictions import Predictions, predictions_of
from polyroc.statistics.rates import Rates
from polyroc.typing import Absent, LabelsLike, ScoresLike, WeightsLike

ALL_WORK = 2**62

GRID = 2.0**40
"""Rates that tie share their area; sums of weights that are no whole numbers are rounded."""


def _gini(statistic: Rates) -> float:
    from polyroc.surface._gini import gini as volume

    rates, n_classes = statistic.rates, statistic.n_classes
    rates = np.unique(rates, axis=0) if n_classes > 2 else rates  # steps are different already
    return volume(rates, n_classes, method="exact", work=ALL_WORK, n_threads=1).value


def _slopes(statistic: Rates) -> Gradient:
    """Minus the areas of the facets."""
    from polyroc.surface._gradient import gini_slopes

    rates = np.round(statistic.rates * GRID) / GRID
    found = gini_slopes(rates, statistic.n_classes, work=ALL_WORK, spent=0)
    return Gradient(found.values)


GINI = registry.add(
    Metric(
        "gini",
        Rates,
        value=_gini,
        gradient=_slopes,
        title="Gini coefficient of the ROC surface",
        symbol="G",
        reference="Everson & Fieldsend 2006 §5",
        complexity="O(n log n) for two classes, O(1000 n) for three",
        chance=NOTHING,
        classes=Classes(2, 3),
        instead="hand_till",
        needs_probabilities=True,
        affordable=ON_REQUEST,
        properties=frozenset({Property.PERFECT_ARGMAX, Property.SKEW}),
    )
)


def gini(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    absent: Absent = "raise",
    normalize: bool = False,
    n_threads: int | None = None,
) -> float:
    """G: share of the region better than chance that decisions by the scores dominate.

    A point of the ROC surface has K(K − 1) error rates; random allocation has the sum K − 1. G is
    the share of the region below that sum in which no rate is lower than at some operating point.

    Two classes: every threshold is an operating point, and G ≥ 2·AUC − 1, ties counted as errors,
    with equality where the steps of the ROC curve stay better than chance. Three classes: the
    operating points are those of 996 fixed costs, spread evenly over all costs and the same for
    every order of the classes. ``polyroc.surface.search`` finds more, so its G is larger, on these
    cases. As a union over many points G is optimistic on few cases: with 100 cases per class by
    some hundredths. For four or more classes use ``gini()`` of a surface.

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
    >>> from polyroc import gini
    >>> gini([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])  # 2 · 3/4 − 1
    0.5
    >>> gini([0, 1, 2], [[0.8, 0.1, 0.1], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]])
    1.0
    """
    cases = predictions_of(y_true, y_score, labels, sample_weight, absent, normalize, n_threads)
    return GINI.of(cases)
