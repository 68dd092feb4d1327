"""Probabilistic and scored ROC curves of all ordered pairs of K classes."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from polyroc.curves._probabilistic import ProbabilisticRoc, probabilistic_roc
from polyroc.curves._scored import ScoredRoc, scored_roc
from polyroc.predictions import Predictions, predictions_of
from polyroc.typing import Label, LabelsLike, ScoresLike, WeightsLike

Curve = TypeVar("Curve")
Pair = tuple[Label, Label]


def one_vs_one_probabilistic_roc(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
) -> dict[Pair, ProbabilisticRoc]:
    """Probabilistic ROC curves of all ordered pairs of classes (k, r), by the probabilities p_k.

    The mean of their areas is M_p, :func:`polyroc.hand_till_probabilistic` (Van Calster et al.
    2008 eq. 13). Each is :func:`probabilistic_roc` of the cases of both classes.

    Parameters
    ----------
    y_true, y_score, labels, sample_weight : as for metrics; ``y_score`` are probabilities.

    Returns
    -------
    dict : from (positive, negative) to :class:`ProbabilisticRoc`.

    Examples
    --------
    >>> y, p = ["a", "b", "c"], [[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6]]
    >>> one_vs_one_probabilistic_roc(y, p)["a", "b"]
    ProbabilisticRoc('a' against 'b': width 1.7746, area 0.7)
    """
    cases = predictions_of(y_true, y_score, labels, sample_weight)
    return _of_pairs(cases, "one_vs_one_probabilistic_roc", probabilistic_roc)


def one_vs_one_scored_roc(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    margins: ArrayLike | None = None,
) -> dict[Pair, ScoredRoc]:
    """Scored ROC curves of all ordered pairs of classes (k, r), by the probabilities p_k.

    The mean of their areas is M_s, :func:`polyroc.hand_till_scored` (Van Calster et al. 2008
    eq. 14). Each is :func:`scored_roc` of the cases of both classes.

    Parameters
    ----------
    y_true, y_score, labels, sample_weight : as for metrics; ``y_score`` are probabilities.
    margins : as for :func:`scored_roc`.

    Returns
    -------
    dict : from (positive, negative) to :class:`ScoredRoc`.

    Examples
    --------
    >>> y, p = ["a", "b", "c"], [[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6]]
    >>> round(one_vs_one_scored_roc(y, p)["a", "b"].area, 4)
    0.4
    """
    cases = predictions_of(y_true, y_score, labels, sample_weight)
    return _of_pairs(cases, "one_vs_one_scored_roc", scored_roc, margins=margins)


def _of_pairs(
    cases: Predictions, needed_by: str, curve: Callable[..., Curve], **options: Any
) -> dict[Pair, Curve]:
    """A curve of two classes for each ordered pair."""
    probabilities, classes = cases.probabilities(needed_by=needed_by), cases.classes
    found: dict[Pair, Curve] = {}
    for k, positive in enumerate(classes):
        for r, negative in enumerate(classes):
            if k == r:
                continue
            rows = np.flatnonzero((cases.codes == k) | (cases.codes == r))
            truth = np.array([negative, positive])[(cases.codes[rows] == k).astype(int)]
            found[positive, negative] = curve(
                truth.tolist(),
                probabilities[rows, k],
                labels=[negative, positive],
                sample_weight=cases.case_weights[rows],
                **options,
            )
    return found
