"""The matrix of all pairwise AUCs."""

import numpy as np

from polyroc.predictions import Predictions
from polyroc.statistics.pairs import Ranked
from polyroc.typing import Absent, Float64Array, LabelsLike, ScoresLike, Ties, WeightsLike


def pairwise_auc(
    y_true: LabelsLike,
    y_score: ScoresLike,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    ties: Ties = "fair",
    absent: Absent = "raise",
    n_threads: int | None = None,
) -> Float64Array:
    """AUC(k|r) for all ordered pairs of classes: row = positive class, whose column is used.

    The diagonal is NaN, and so are the rows and columns of classes skipped by ``absent="skip"``.
    One sort per column serves all pairs: O(K n log n).
    Van Calster et al. 2008 §III A and the multi-class AUC slides.

    Examples
    --------
    >>> from polyroc import pairwise_auc
    >>> y = [1, 1, 2, 2, 3, 3]
    >>> p = [[0.7, 0.2, 0.1], [0.5, 0.3, 0.2], [0.3, 0.5, 0.2],
    ...      [0.4, 0.5, 0.1], [0.6, 0.1, 0.3], [0.1, 0.1, 0.8]]
    >>> pairwise_auc(y, p)
    array([[ nan, 1.  , 0.75],
           [1.  ,  nan, 1.  ],
           [1.  , 1.  ,  nan]])
    """
    predictions = Predictions.borrowed(
        y_true,
        y_score,
        labels=labels,
        sample_weight=sample_weight,
        absent=absent,
        n_threads=n_threads,
    )
    matrix = Ranked(ties).matrix(predictions)
    if not predictions.skipped:
        return matrix
    whole = np.full((len(predictions.declared),) * 2, np.nan)
    whole[np.ix_(predictions.present, predictions.present)] = matrix
    return whole
