"""Surface-averaged expected cost of labelled cases of any number of classes, with an interval."""

import math
from typing import Any

import numpy as np

from polyroc._base.checks import whole_number
from polyroc._base.random import seed_of
from polyroc.calibration._log_ratios import checked_floor, log_probabilities
from polyroc.errors import NotDefined
from polyroc.predictions import Predictions, predictions_of
from polyroc.results import Estimate, Note
from polyroc.typing import Float64Array, LabelsLike, RandomState, ScoresLike, WeightsLike
from polyroc.utility._latent import check_surface
from polyroc.utility._recalibrated import recalibrated
from polyroc.utility._surface_average import tail_share_notes
from polyroc.utility._visits import Walked, walked

DISAGREE = 2.0
"""Standard errors between labels and posteriors from which a note says that they disagree."""


def saec_of_scores(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    floor: float | None = None,
    n_folds: int = 5,
    n_walks: int = 8,
    n_looks: int = 2000,
    rng: RandomState = None,
) -> Estimate:
    """Surface-averaged expected cost of a classifier of N classes, from labelled cases.

    The classifier is taken to decide by lowest expected cost. Its probabilities are recalibrated by
    the multinomial logistic model, each case by a fit to the cases of the other folds; the
    directions of cost and the area of the ROC surface follow from these posteriors, as for
    ``ideal_observer``, and the error rates from the labels. ``settings["by_posteriors"]`` is the
    value with rates that follow from the posteriors too, and a note says where the two disagree:
    then the recalibrated probabilities are not calibrated either, and the directions of cost are
    not trustworthy. Edwards & Metz 2007 eq. 15.

    The standard error contains the cases (as corners of facets, by their decisions, and through the
    recalibration, to first order: an infinitesimal jackknife) and the simulation. O(n_walks n_looks
    n N²): about a second for 1,200 cases of three classes.

    Undefined where the likelihood ratios of three or more classes depend on one variable, such as
    one feature: the surface is then degenerate, and the message says so.

    Parameters
    ----------
    y_true, y_score, labels, sample_weight : see :class:`polyroc.Predictions`; the scores must be
        probabilities. Groups of the Predictions share a fold, and are what varies. Its folds are
        taken together.
    floor : probabilities below it are raised to it; by default only those of 0 are, to half the
        smallest of the others.
    n_folds : of the recalibration.
    n_walks : independent walks over the surface.
    n_looks : facets that each walk looks at.
    rng : seed or generator, of the folds and the walks.

    Returns
    -------
    Estimate
        With ``interval(level)``; lower is better. ``settings`` holds ``by_posteriors`` and
        ``simulation_error``.

    Examples
    --------
    >>> from polyroc.datasets import example_predictions
    >>> from polyroc.utility import saec_of_scores
    >>> y, models, classes = example_predictions()
    >>> found = saec_of_scores(y, models["logistic"], labels=classes, n_looks=200, rng=1)
    >>> bool(found.interval().low < found.value < found.interval().high)
    True
    """
    predictions = predictions_of(y_true, y_score, labels, sample_weight)
    folds = whole_number(n_folds, "n_folds", least=2)
    walks = whole_number(n_walks, "n_walks", least=2)
    looks = whole_number(n_looks, "n_looks", least=10)
    seed, floor = seed_of(rng), checked_floor(floor)
    logs, floor, notes = log_probabilities(predictions, floor, "saec_of_scores")
    _check_cases(predictions, folds)
    check_surface(np.exp(logs), "saec_of_scores")
    known = recalibrated(predictions, logs, folds, seed)
    found = walked(known, seed=seed, n_walks=walks, n_looks=looks)
    if found is None:
        raise NotDefined(
            "A walk over the ROC surface did not find its facets. The scores guess, or separate "
            "the classes completely, or there are too few cases: pass more cases."
        )
    settings = {"n_folds": folds, "n_walks": walks, "n_looks": looks, "seed": seed}
    return _estimate(predictions, found, notes, settings)


def _check_cases(predictions: Predictions, n_folds: int) -> None:
    """Each class in the fits of all folds, and enough cases for the tuples."""
    fewest, n_classes = int(predictions.class_counts.min()), predictions.n_classes
    if fewest < 2 * n_folds:
        rare = predictions.classes[int(predictions.class_counts.argmin())]
        raise NotDefined(
            f"Recalibration in {n_folds} folds needs {2 * n_folds} cases of each class, but class "
            f"{rare!r} has {fewest}. Pass more cases, or a smaller n_folds."
        )
    if len(predictions) <= n_classes * (n_classes - 1):
        raise NotDefined(
            f"Facets of {n_classes} classes have {n_classes * (n_classes - 1) - 1} cases, and "
            f"there are {len(predictions)}. Pass more."
        )


def _estimate(
    predictions: Predictions, found: Walked, notes: tuple[Note, ...], settings: dict[str, Any]
) -> Estimate:
    by_labels, by_posteriors = found.costs.mean(axis=(0, 1))
    variance, freedom = _spread(predictions, found.contributions)
    simulation = found.costs.mean(axis=1)[:, 0].var(ddof=1) / len(found.costs)
    error = math.sqrt(variance + simulation)
    notes += tail_share_notes(found.costs[:, :, 0].ravel())
    if abs(by_labels - by_posteriors) > DISAGREE * error:
        text = (
            f"labels give {by_labels:.4f} and the recalibrated posteriors {by_posteriors:.4f}: the "
            "recalibration does not make them calibrated, so that costs and areas are uncertain"
        )
        notes += (Note("posteriors-disagree", text),)
    if predictions.folds is not None:
        notes += (Note("folds-pooled", "the cases of all folds are taken together"),)
    sizes = predictions.class_counts.tolist()
    settings |= {"by_posteriors": float(by_posteriors), "simulation_error": math.sqrt(simulation)}
    return Estimate(
        metric="saec",
        value=float(by_labels),
        standard_error=error,
        method="recalibrated posteriors, walk",
        degrees_of_freedom=freedom,
        direction="lower",
        counts=dict(zip(predictions.classes, sizes, strict=True)),
        notes=notes,
        settings=settings,
    )


def _spread(predictions: Predictions, parts: Float64Array) -> tuple[float, float]:
    """Variance over cases, or groups, and its degrees of freedom.

    The contributions of each walk contain its own error. The mean of products of different walks
    does not, and is the square of the mean less the variance of the mean.
    """
    codes, weights = predictions.codes, predictions.case_weights
    totals = np.stack([np.bincount(codes, part) for part in parts])
    centred = parts - (totals / predictions.class_weights)[:, codes] * weights
    units = codes
    if predictions.groups is not None:
        numbers = np.unique(predictions.groups, return_inverse=True)[1]
        centred = np.stack([np.bincount(numbers, part) for part in centred])
        units = np.zeros(centred.shape[1], dtype=np.int64)
    products = centred.mean(axis=0) ** 2 - centred.var(axis=0, ddof=1) / len(centred)
    counts = np.bincount(units)
    each = counts / (counts - 1) * np.bincount(units, products)
    variance = float(each.sum())
    if not variance > 0:
        raise NotDefined(
            "The walks are too short to tell the contributions of cases from their own error. "
            "Pass a larger n_looks."
        )
    return variance, variance**2 / float(np.sum(each**2 / (counts - 1)))
