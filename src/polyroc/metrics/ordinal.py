"""The volume under the surface of one ordered marker."""

import math

import numpy as np

from polyroc._base.sums import running_sum, sum_by_class
from polyroc.errors import InvalidInput
from polyroc.predictions import Predictions
from polyroc.predictions._classes import classes_of
from polyroc.predictions._containers import read_labels, read_scores
from polyroc.predictions._frames import categories_of
from polyroc.predictions._rows import rows_by_position
from polyroc.predictions._scores import check_finite, check_lengths
from polyroc.typing import Float64Array, LabelsLike, WeightsLike


def ordinal_vus(
    y_true: LabelsLike,
    marker: LabelsLike,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
) -> float:
    """How often one case per class comes in the right order of one marker.

    P(x_1 < x_2 < … < x_K) over all tuples, x_k the marker of a case of the k-th class; m cases of
    neighbouring classes that are tied count 1/m!: 1, ½, 1/6 … A marker without information reaches
    1/K!. ``labels`` gives the order of the classes, from low to high.

    Chains are counted class by class along the sorted marker: O(n log n + n K) without ties, and a
    tie costs as much as it has classes.

    Examples
    --------
    >>> from polyroc import ordinal_vus
    >>> ordinal_vus(["low", "mid", "high"], [1.0, 2.0, 3.0], labels=["low", "mid", "high"])
    1.0
    >>> ordinal_vus(["low", "mid", "high"], [1.0, 2.0, 2.0], labels=["low", "mid", "high"])
    0.5
    """
    values, _ = read_scores(marker, "marker")
    if values.ndim != 1:
        raise InvalidInput(
            f"marker must have one value per case, got an array of shape {values.shape}."
        )
    check_lengths(len(read_labels(y_true)[0]), len(values), "marker")
    check_finite(values, what="marker")
    rows_by_position({"y_true": y_true, "marker": marker, "sample_weight": sample_weight})
    classes = classes_of(y_true, labels)
    columns = np.broadcast_to(values[:, None], (len(values), len(classes)))
    if labels is None and categories_of(y_true) is not None:
        labels = list(classes)  # the order of categories is that of the marker
    predictions = Predictions.borrowed(y_true, columns, labels=labels, sample_weight=sample_weight)
    # Powers of two, a class at a time: products over many classes stay finite, no digit changes.
    totals, exponents = np.frexp(predictions.class_weights)
    chains = _chains(np.ldexp(_weights_by_value(predictions), -exponents))
    return float(chains / np.prod(totals))


def _weights_by_value(predictions: Predictions) -> Float64Array:
    """Weight of each class (column) at each distinct value of the marker (row), ascending."""
    _, value = np.unique(predictions.scores[:, 0], return_inverse=True)
    n_classes = predictions.n_classes
    n_values = int(value.max()) + 1
    cells = value * n_classes + predictions.codes
    flat = sum_by_class(cells, predictions.case_weights, n_values * n_classes)
    return flat.reshape(n_values, n_classes)


def _chains(weights: Float64Array) -> float:
    """Total credit of the chains through all classes.

    Before a value, ``before[j]`` chains end in class j. Chains to class k that use this value for
    their last m classes, all tied there, add before[k−m] · Π weights / m!.
    """
    n_values, n_classes = weights.shape
    before = [np.ones(n_values)]
    for k in range(n_classes):
        added = np.zeros(n_values)
        product = np.ones(n_values)
        for m in range(1, k + 2):
            product = product * weights[:, k + 1 - m]
            if not product.any():
                break
            added += before[k + 1 - m] * product / math.factorial(m)
        before.append(running_sum(added)[:-1])
    return float(added.sum())
