"""Multinomial recalibration: log ratios of probabilities against what was observed.

Van Hoorde et al. 2014. With z_j = log(q_j / q_r), r a reference class, the model is
log(P(y = j) / P(y = r)) = a_j + Σ_m b_jm z_m. Calibrated probabilities have a = 0 and b = I.
"""

from typing import Any

from polyroc._base.checks import shown
from polyroc.calibration._log_ratios import checked_floor, log_probabilities
from polyroc.calibration._problem import Problem
from polyroc.calibration._result import Recalibration
from polyroc.errors import NotDefined, UnknownName
from polyroc.predictions import Predictions, predictions_of
from polyroc.predictions._classes import listed
from polyroc.typing import Label, LabelsLike, ScoresLike, WeightsLike

MOST_CLASSES = 40
"""K(K − 1) parameters: for more classes neither memory nor cases suffice."""


def recalibration(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    groups: Any = None,
    reference: Label | None = None,
    floor: float | None = None,
) -> Recalibration:
    """Intercepts and slopes that would calibrate the probabilities, with tests.

    The multinomial logistic model log(P(y = j) / P(y = r)) = a_j + Σ_m b_jm z_m of the log ratios
    z_j = log(q_j / q_r) of the probabilities q, fitted by maximum likelihood (Van Hoorde et al.
    2014). Intercepts are fitted given slopes of 1: one above 0 says that class j is more frequent,
    against class r, than its probabilities say. A slope b_jj below 1 says that the probabilities
    are too extreme, and one above 1 that they are not extreme enough. ``test()`` tests whether the
    probabilities are calibrated.

    Undefined if a class has no cases, if log ratios are linearly dependent (a model that gives all
    cases the same probabilities), and if they separate classes completely, because the likelihood
    then has no maximum. O(n K⁴) for each of about ten Newton steps.

    Parameters
    ----------
    y_true, y_score, labels, sample_weight : see :class:`polyroc.Predictions`; the scores must be
        probabilities. Weights are sampling weights: their scale does not matter, and standard
        errors are those of a sandwich.
    groups : group of each case where cases are not independent, such as the patient of an image.
    reference : the class r; by default the last one. Log-likelihoods and all tests except that of
        the diagonal slopes do not depend on it.
    floor : probabilities below it are raised to it, because 0 has no logarithm. None: only those
        of 0 are, to half the smallest positive probability. ``notes`` of the result says how many
        were raised; slopes depend on it if they are not few.

    Returns
    -------
    Recalibration
        ``intercepts``, ``slopes``, their standard errors, ``test()``, ``apply(y_score)``,
        ``frame()``.

    References
    ----------
    K. Van Hoorde, Y. Vergouwe, D. Timmerman, S. Van Huffel, E. W. Steyerberg, B. Van Calster:
    Assessing calibration of multinomial risk prediction models. Statistics in Medicine 33 (2014)
    2585–2596.

    Examples
    --------
    >>> from polyroc.calibration import recalibration
    >>> from polyroc.datasets import example_predictions
    >>> y, models, labels = example_predictions()
    >>> found = recalibration(y, models["logistic"], labels=labels)
    >>> found.intercepts.round(3)
    array([0.014, 0.015])
    >>> found.slopes.round(2)
    array([[ 1.08, -0.08],
           [ 0.02,  0.99]])
    >>> found.test()["slopes"].p_value > 0.05
    True
    """
    predictions = predictions_of(y_true, y_score, labels, sample_weight)
    floor, place = checked_floor(floor), _place_of(reference, predictions)
    if predictions.n_classes > MOST_CLASSES:
        raise NotDefined(
            f"Recalibration fits K(K − 1) parameters, which is too many for "
            f"{predictions.n_classes} classes; at most {MOST_CLASSES} are allowed. Use "
            'calibration.Recalibrated(estimator, method="temperature"), or join classes.'
        )
    read = log_probabilities(predictions, floor, "Recalibration")
    return Problem.of(predictions, read.logs, place, groups).solved(read.floor, read.notes)


def _place_of(reference: Any, predictions: Predictions) -> int:
    classes = predictions.classes
    if reference is None:
        return len(classes) - 1
    if reference not in classes:
        raise UnknownName(
            f"The reference {shown(reference)} is not a class. There are {listed(classes)}."
        )
    return classes.index(reference)
