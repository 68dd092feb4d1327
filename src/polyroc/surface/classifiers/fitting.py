"""Fitting a wrapper's classifier: to all cases, and fold by fold for its probabilities."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import assert_all_finite, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from polyroc.errors import InvalidInput
from polyroc.predictions._weights import checked_weights
from polyroc.surface.classifiers.inner import class_labels, routed, take_features
from polyroc.surface.classifiers.out_of_fold import checked_splits, out_of_fold, positions
from polyroc.typing import Float64Array, Int64Array, Label


class OutOfFold(NamedTuple):
    """Cases of weight above 0: probabilities of a classifier that was not fitted to them."""

    probabilities: Float64Array
    truths: Int64Array
    weights: Float64Array
    folds: Int64Array
    classes: tuple[Label, ...]


def fit_out_of_fold(
    owner: Any, X: Any, y: Any, sample_weight: Any, params: Any, *, needs: str
) -> OutOfFold:
    """Fit ``owner.estimator_`` to all cases, and a clone per fold for its probabilities.

    ``needs`` begins the sentence about a single class.
    """
    X, y = indexable(X, y)
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    passed = routed(owner, sample_weight, params)
    splitter = check_cv(owner.cv, y, classifier=True)
    splits = checked_splits(list(splitter.split(X, y, **passed.splitter.split)), len(y))
    owner.estimator_ = clone(owner.estimator).fit(X, y, **passed.estimator.fit)
    known, classes = owner.estimator_.classes_, class_labels(owner.estimator_)
    if len(classes) < 2:
        raise InvalidInput(f"{needs} at least two classes, got one class: {classes[0]!r}.")
    truths = positions(y, known)
    probabilities, folds = out_of_fold(
        owner.estimator, X, y, splits, known, passed.estimator.fit, owner.n_jobs
    )
    take_features(owner)
    kept = checked_weights(sample_weight, len(y))
    rows = slice(None) if kept.rows is None else kept.rows
    weights = np.ones(len(y)) if kept.weights is None else kept.weights
    return OutOfFold(probabilities[rows], truths[rows], weights, folds[rows], classes)


def routing_of(owner: Any) -> Any:
    """What scikit-learn's metadata routing passes to a wrapper, its classifier and splitter."""
    to_fit = MethodMapping().add(caller="fit", callee="fit")
    to_split = MethodMapping().add(caller="fit", callee="split")
    return (
        MetadataRouter(owner=owner)
        .add_self_request(owner)
        .add(estimator=owner.estimator, method_mapping=to_fit)
        .add(splitter=owner.cv, method_mapping=to_split)
    )
