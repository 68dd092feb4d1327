"""``evaluate_pairs``: every AUC(k|r) with its standard error and interval."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from polyroc._base.levels import check_level
from polyroc.inference._influence import CaseDesign
from polyroc.inference._pair_spread import PairCases
from polyroc.metrics.question import NO_VARIATION
from polyroc.predictions import Predictions, predictions_of
from polyroc.results import Effective, Estimate
from polyroc.typing import (
    Absent,
    BoolArray,
    Float64Array,
    Label,
    LabelsLike,
    ScoresLike,
    WeightsLike,
)

if TYPE_CHECKING:
    import pandas as pd


def evaluate_pairs(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    groups: Any = None,
    folds: Any = None,
    level: float = 0.95,
    absent: Absent = "raise",
    n_threads: int | None = None,
) -> "pd.DataFrame":
    """AUC(k|r) of all ordered pairs of classes, with standard errors and confidence intervals.

    AUC(k|r) is the share of pairs, a case of k and one of r, in which the case of k has the higher
    score for k. The two orientations of a pair of classes use different columns of scores. A row is
    what :func:`evaluate` says of the two classes alone. The intervals are of single pairs: the
    lowest of many values is low also by chance.

    Parameters
    ----------
    y_true, y_score, labels, sample_weight, absent : see :class:`polyroc.Predictions`, of which one
        takes the place of labels and scores.
    groups : group of each case where cases are not independent, or a :class:`polyroc.Design`.
    folds : the fold of a cross-validation in which each case was held out: values are means over
        the folds that have cases of both classes.
    level : confidence level of the limits.
    n_threads : threads to use; by default all that the process may run on.

    Returns
    -------
    DataFrame
        A row per ordered pair: positive, negative, value, standard_error, low, high. A class of one
        case has no standard error, nor has a value on which every case agrees, such as 1; the
        latter has limits.

    Examples
    --------
    >>> from polyroc import evaluate_pairs
    >>> from polyroc.datasets import example_predictions
    >>> y, models, labels = example_predictions()
    >>> pairs = evaluate_pairs(y, models["logistic"], labels=labels)
    >>> pairs.sort_values("value").head(2).round(3)
       positive  negative  value  standard_error    low   high
    3  frequent      rare  0.756           0.029  0.693  0.810
    5      rare  frequent  0.871           0.026  0.810  0.914
    """
    check_level(level)
    given = {"folds": folds, "n_threads": n_threads}
    predictions = predictions_of(y_true, y_score, labels, sample_weight, absent, **given)
    return pair_frame(pair_estimates(predictions, CaseDesign.of(groups, predictions)), level)


def pair_estimates(
    predictions: Predictions, design: CaseDesign
) -> dict[tuple[Label, Label], Estimate]:
    """An estimate of AUC(k|r) for each (k, r)."""
    cases = PairCases.of(predictions, design)
    found, classes = cases.spread(), predictions.classes
    totals = predictions.class_counts.tolist()
    estimates = {}
    for k, r in np.argwhere(~np.eye(len(classes), dtype=bool)).tolist():
        value, variance, freedom, size, size_freedom = (float(each[k, r]) for each in found)
        error = math.sqrt(variance)
        known = error > NO_VARIATION
        estimates[classes[k], classes[r]] = Estimate(
            metric="auc",
            value=value,
            standard_error=error if known else math.nan,
            method="influence",
            degrees_of_freedom=freedom if known else math.inf,
            counts={classes[k]: totals[k], classes[r]: totals[r]},
            settings=design.settings(),
            effective=None if math.isnan(size) else Effective(size, size_freedom),
        )
    return estimates


def pair_limits(predictions: Predictions, design: CaseDesign, level: float) -> Float64Array:
    """Lower and upper limits of every AUC(k|r), (2, K, K): NaN on the diagonal."""
    n_classes = predictions.n_classes
    found = np.full((2, n_classes, n_classes), math.nan)
    limits = [each.interval(level)[:2] for each in pair_estimates(predictions, design).values()]
    found[:, ~np.eye(n_classes, dtype=bool)] = np.array(limits).T
    return found


def reversed_pairs(
    predictions: Predictions, design: CaseDesign, limits: Float64Array, level: float
) -> BoolArray:
    """Pairs with both upper limits below ½, the level adjusted for the number of pairs.

    ``limits`` are those of ``pair_limits`` at that level. Of two classes there are none: their
    metric itself says so.
    """
    n_classes = predictions.n_classes
    below = (limits[1] < 0.5) & (limits[1].T < 0.5)
    if n_classes == 2 or not below.any():
        return np.zeros((n_classes, n_classes), dtype=bool)
    n_pairs = n_classes * (n_classes - 1) / 2
    upper = pair_limits(predictions, design, 1 - (1 - level) / n_pairs)[1]
    return np.asarray((upper < 0.5) & (upper.T < 0.5))


def pair_frame(estimates: dict[tuple[Label, Label], Estimate], level: float) -> "pd.DataFrame":
    """A row per ordered pair."""
    import pandas as pd

    rows = [
        (*pair, each.value, each.standard_error, *each.interval(level)[:2])
        for pair, each in estimates.items()
    ]
    columns = ["positive", "negative", "value", "standard_error", "low", "high"]
    return pd.DataFrame(rows, columns=columns)
