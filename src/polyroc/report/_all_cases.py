"""How all cases are classified where every error costs the same, for a page that holds only some.

Of many classes a page holds a few cases each: too few to see which classes are confused. The page
opens with what is known of all cases, and counts those it holds once the costs are other ones.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from polyroc.calibration._cost_calibration import calibration_of
from polyroc.predictions import Predictions
from polyroc.report._content import Content
from polyroc.report._packing import packed
from polyroc.report._tables import MOST_CLASSES
from polyroc.typing import Float64Array, Int64Array

MOST_CELLS = 500_000
"""Cells of truth and decision that may be in a page, of all models together."""


def counts_all(content: Content) -> bool:
    """Whether the page opens with all cases although it holds only some."""
    n_classes, cases = len(content.classes), content.cases
    if n_classes <= MOST_CLASSES or not (cases.sampled and content.holds_cases):
        return False
    most = len(cases.scores) * min(cases.n_cases, n_classes**2)
    return most <= MOST_CELLS and content.groups is None


def all_cases_data(content: Content) -> dict[str, Any] | None:
    """Confusions, predicted and observed costs, of each model; None where the page needs none."""
    if not counts_all(content):
        return None
    predictions = content.predictions
    squares = np.bincount(predictions.codes, predictions.case_weights**2, predictions.n_classes)
    decided = most_probable(content)
    return {
        "weights": packed(np.asarray(predictions.class_weights)),
        "counts": packed(predictions.class_weights**2 / squares),
        "models": [
            {**_confusions(predictions, each), **_promise(predictions, each, scores)}
            for each, scores in zip(decided.values(), _scores(content).values(), strict=True)
        ],
        "differences": [
            [_difference(predictions, one, other) for other in decided.values()]
            for one in decided.values()
        ],
    }


def most_probable(content: Content) -> dict[str, Int64Array]:
    """The decision of each model for every case."""
    return {name: np.argmax(table, axis=1) for name, table in _scores(content).items()}


def _scores(content: Content) -> Mapping[str, Any]:
    known = {model.name: model.probabilities for model in content.models}
    return {name: known[name] for name in content.cases.scores}


def _confusions(predictions: Predictions, decided: Int64Array) -> dict[str, Any]:
    """Steps between cells of truth and decision that have cases; their number and weight."""
    cells = predictions.codes.astype(np.int64) * predictions.n_classes + decided
    found, places, counts = np.unique(cells, return_inverse=True, return_counts=True)
    sums = None
    if predictions.weights is not None:
        sums = packed(np.bincount(places, predictions.weights))
    steps = np.diff(found, prepend=0)
    return {"steps": packed(steps), "counts": packed(counts), "sums": sums}


def _promise(predictions: Predictions, decided: Int64Array, scores: Any) -> dict[str, Any]:
    """Mean cost that the probabilities predict, that of the decisions, and the standard error."""
    shares = predictions.case_weights / predictions.case_weights.sum()
    own = np.take_along_axis(scores, decided[:, None], axis=1)[:, 0]
    promised = scores.sum(axis=1) - own
    paid = (decided != predictions.codes).astype(np.float64)
    found = calibration_of(paid, promised, promised, shares)
    error = None if math.isnan(found.standard_error) else found.standard_error
    freedom = found.degrees_of_freedom
    return {
        "expected": found.expected,
        "observed": found.observed,
        "error": error,
        "freedom": freedom,
    }


def _difference(predictions: Predictions, one: Int64Array, other: Int64Array) -> dict[str, Any]:
    """Mean cost of one model less that of another, its standard error and degrees of freedom."""
    codes, n_classes = predictions.codes, predictions.n_classes
    shares = predictions.case_weights / predictions.case_weights.sum()
    apart = (one != codes).astype(np.float64) - (other != codes)
    means = np.bincount(codes, shares * apart, n_classes) / np.bincount(codes, shares, n_classes)
    error, freedom = _within_classes(predictions, shares * (apart - means[codes]))
    return {"value": float(shares @ apart), "error": error, "freedom": freedom}


def _within_classes(
    predictions: Predictions, parts: Float64Array
) -> tuple[float | None, float | None]:
    """Standard error Σ m/(m − 1) Σ u² over classes, and Satterthwaite's degrees of freedom."""
    counts = predictions.class_counts
    if counts.min() < 2:
        return None, None
    squares = np.bincount(predictions.codes, parts**2, len(counts)) * counts / (counts - 1)
    spread = float((squares**2 / (counts - 1)).sum())
    if not spread:
        return 0.0, None
    return math.sqrt(squares.sum()), float(squares.sum()) ** 2 / spread
