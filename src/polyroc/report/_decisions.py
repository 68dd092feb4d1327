"""Decisions where every error costs the same, and how certain means over cases are."""

import math
from typing import NamedTuple

import numpy as np

from polyroc.report._content import ModelContent
from polyroc.typing import BoolArray, Float64Array, Int64Array


def decided(model: ModelContent) -> Int64Array | None:
    """The most probable class of each case, the first of equals; None without probabilities."""
    if model.probabilities is None:
        return None
    return np.asarray(np.argmax(model.probabilities, axis=1), dtype=np.int64)


class Confusions(NamedTuple):
    """Truth (row) against decision: shares of the true class, and numbers of cases."""

    rates: Float64Array
    counts: Int64Array

    @classmethod
    def of(cls, model: ModelContent, decisions: Int64Array) -> "Confusions":
        """Of decisions of a model; codes are widened first, a byte cannot hold the cells."""
        predictions, n_classes = model.predictions, model.predictions.n_classes
        cells = predictions.codes.astype(np.int64) * n_classes + decisions
        shape = (n_classes, n_classes)
        weights = np.bincount(cells, predictions.weights, n_classes**2).reshape(shape)
        counts = np.bincount(cells, minlength=n_classes**2).reshape(shape)
        return cls(weights / predictions.class_weights[:, None], counts)

    def worst(self) -> tuple[int, int]:
        """Truth and decision of the highest error rate; of equal rates that with the most cases."""
        errors = ~np.eye(len(self.rates), dtype=bool)
        highest = self.rates[errors].max()
        candidates = np.argwhere(errors & (self.rates >= highest * (1 - 1e-12)))
        truth, decision = max(candidates.tolist(), key=lambda cell: self.counts[tuple(cell)])
        return truth, decision

    @property
    def n_errors(self) -> int:
        """Cases that are misclassified."""
        return int(self.counts.sum() - np.trace(self.counts))


def perfect_pairs(model: ModelContent) -> BoolArray:
    """(K, K): whether every case of k has a higher score for k than every case of r in its fold."""
    predictions, n_classes = model.predictions, model.predictions.n_classes
    perfect = np.ones((n_classes, n_classes), dtype=bool)
    for rows in predictions.fold_rows:
        by_class = rows[np.argsort(predictions.codes[rows], kind="stable")]
        scores, codes = predictions.scores[by_class], predictions.codes[by_class]
        there, starts = np.unique(codes, return_index=True)
        lowest, highest = np.full(n_classes, np.inf), np.full((n_classes, n_classes), -np.inf)
        lowest[there] = np.minimum.reduceat(scores[np.arange(len(codes)), codes], starts)
        highest[there] = np.maximum.reduceat(scores, starts, axis=0)
        perfect &= lowest[:, None] > highest.T
    return perfect


def error_if_calibrated(p: Float64Array, weights: Float64Array) -> float:
    """Standard error of a share of cases that are true with these probabilities.

    Where all cases come out alike, such as few that are all correct, it does not vanish.
    """
    return math.sqrt(float((weights**2 * p * (1 - p)).clip(0).sum())) / float(weights.sum())


def mean_with_error(
    values: Float64Array, weights: Float64Array, groups: Int64Array | None = None
) -> tuple[float, float]:
    """A weighted mean and its standard error, over groups where cases belong together."""
    mean = float(np.average(values, weights=weights))
    apart = weights * (values - mean)
    if groups is not None:
        apart = np.bincount(groups, apart).astype(np.float64)
    return mean, math.sqrt(float((apart**2).sum())) / float(weights.sum())
