"""The volume under the surface of one ordered marker."""

from typing import Any

import numpy as np

from polyroc.errors import InvalidInput
from polyroc.metrics.declaration import ONE_ORDER, Metric, Property
from polyroc.metrics.question import Gradient
from polyroc.predictions import Predictions
from polyroc.predictions._classes import classes_of
from polyroc.predictions._containers import read_labels, read_scores
from polyroc.predictions._frames import categories_of
from polyroc.predictions._rows import rows_by_position
from polyroc.predictions._scores import check_finite, check_lengths
from polyroc.statistics.chains import Chains
from polyroc.typing import LabelsLike, WeightsLike


def _gradient(_: Chains) -> Gradient:
    return Gradient(1.0)


ORDINAL_VUS = Metric(
    "ordinal_vus",
    Chains,
    value=lambda chains: chains.credit,
    gradient=_gradient,
    title="Volume under the surface of one ordered marker",
    symbol="VUS",
    reference="Nakas & Yiannoutsos 2004",
    complexity="O(n log n + n K)",
    chance=ONE_ORDER,
    properties=frozenset({Property.SKEW, Property.COLUMN_MONOTONE, Property.COMMON_SCALE}),
)
"""Of one marker and the order of the classes. The registry has the metrics of a score per class."""


def ordinal_vus(
    y_true: LabelsLike,
    marker: LabelsLike,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
) -> float:
    """How often one case per class is in the correct order of one marker.

    P(x_1 < x_2 < … < x_K) over all tuples, x_k the marker of a case of the k-th class; m cases of
    neighbouring classes that are tied count 1/m!: 1, ½, 1/6 … A marker without information reaches
    1/K!. ``labels`` gives the order of the classes, from low to high.

    Chains are counted class by class along the sorted marker: O(n log n + n K) without ties, and a
    tie costs as much as it has classes. :func:`polyroc.estimate_ordinal_vus` has intervals.

    Examples
    --------
    >>> from polyroc import ordinal_vus
    >>> ordinal_vus(["low", "mid", "high"], [1.0, 2.0, 3.0], labels=["low", "mid", "high"])
    1.0
    >>> ordinal_vus(["low", "mid", "high"], [1.0, 2.0, 2.0], labels=["low", "mid", "high"])
    0.5
    """
    predictions = marked_predictions(y_true, marker, labels, sample_weight=sample_weight)
    return ORDINAL_VUS.of(predictions)


def marked_predictions(
    y_true: LabelsLike, marker: LabelsLike, labels: LabelsLike | None, **given: Any
) -> Predictions:
    """Predictions in which every column is the marker; ``labels`` is the order of the classes."""
    values, _ = read_scores(marker, "marker")
    if values.ndim != 1:
        raise InvalidInput(
            f"marker must have one value per case, got an array of shape {values.shape}."
        )
    check_lengths(len(read_labels(y_true)[0]), len(values), "marker")
    check_finite(values, what="marker")
    weights = given.get("sample_weight")
    rows_by_position({"y_true": y_true, "marker": marker, "sample_weight": weights})
    classes = classes_of(y_true, labels)
    columns = np.broadcast_to(values[:, None], (len(values), len(classes)))
    if labels is None and categories_of(y_true) is not None:
        labels = list(classes)  # the order of categories is that of the marker
    return Predictions.borrowed(y_true, columns, labels=labels, **given)
