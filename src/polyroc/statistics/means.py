"""Mean score vector of each class."""

import numpy as np

from polyroc.predictions import Predictions
from polyroc.sums import sum_by_class
from polyroc.typing import Float64Array, FloatArray


def class_means(predictions: Predictions) -> Float64Array:
    """p̄: row c is the mean score vector of class c (Van Calster et al. 2008 eq. 10). O(n K)."""
    return predictions.derived(means_of_scores)


def probability_means(predictions: Predictions, needed_by: str) -> Float64Array:
    """p̄ of scores that must be probabilities."""
    predictions.probabilities(needed_by)
    return predictions.derived(_means_of_probabilities)


def mean_influence(
    predictions: Predictions, rows: FloatArray, gradient: Float64Array
) -> Float64Array:
    """φ of a function of the class means whose derivative by p̄ is the matrix ``gradient``.

    φ_i = (x_i − p̄_c) · gradient_c for case i of class c, summed column by column, so that neither
    the order of rows and columns in memory nor their number changes how it is rounded.
    """
    moved = np.zeros(len(predictions))
    for column, slope in zip(rows.T, gradient.T, strict=True):
        moved += column * slope[predictions.codes]
    return centre_by_class(predictions, moved)


def centre_by_class(predictions: Predictions, values: Float64Array) -> Float64Array:
    """Values less the weighted mean of their class."""
    weighted = values if predictions.weights is None else values * predictions.weights
    sums = sum_by_class(predictions.codes, weighted, predictions.n_classes)
    centred: Float64Array = values - (sums / predictions.class_weights)[predictions.codes]
    return centred


def means_of_scores(predictions: Predictions) -> Float64Array:
    """p̄ of the scores as they are."""
    return _means(predictions, predictions.scores)


def _means_of_probabilities(predictions: Predictions) -> Float64Array:
    return _means(predictions, predictions.probabilities("the class means"))


def _means(predictions: Predictions, rows: FloatArray) -> Float64Array:
    codes, weights = predictions.codes, predictions.weights
    sums = [
        sum_by_class(codes, column if weights is None else column * weights, predictions.n_classes)
        for column in rows.T
    ]
    return np.array(sums).T / predictions.class_weights[:, None]
