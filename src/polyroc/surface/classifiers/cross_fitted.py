"""What classifiers have in common that choose how to decide on out-of-fold probabilities."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import assert_all_finite, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from polyroc.errors import InvalidInput
from polyroc.predictions._rows import rows_by_position
from polyroc.predictions._tables import check_order_known
from polyroc.predictions._weights import checked_weights
from polyroc.surface.classifiers.cost_sensitive import CostDecisions
from polyroc.surface.classifiers.inner import (
    check_probabilistic,
    class_labels,
    routed,
    take_features,
    takes_weights,
)
from polyroc.surface.classifiers.out_of_fold import checked_splits, out_of_fold, positions
from polyroc.typing import Float64Array, Int64Array, Label


class OutOfFold(NamedTuple):
    """Cases of weight above 0: probabilities of a classifier that was not fitted to them."""

    probabilities: Float64Array
    truths: Int64Array
    weights: Float64Array
    folds: Int64Array
    classes: tuple[Label, ...]


class CrossFittedDecisions(CostDecisions):
    """Decisions chosen on the out-of-fold probabilities of ``estimator``."""

    costs: Any
    cv: Any
    n_jobs: int | None

    def _fit_out_of_fold(self, X: Any, y: Any, sample_weight: Any, params: Any) -> OutOfFold:
        """Fit ``estimator_`` to all cases, and a clone per fold for its probabilities."""
        check_probabilistic(self.estimator)
        if sample_weight is not None and not takes_weights(self.estimator):
            warnings.warn(
                f"{type(self.estimator).__name__}.fit takes no sample_weight, so the weights count "
                "in tuning only.",
                UserWarning,
                stacklevel=3,
            )
        rows_by_position({"y": y, "X": X, "sample_weight": sample_weight})
        if self.costs is not None:
            check_order_known(self.costs, y, "costs")
        X, y = indexable(X, y)
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        passed = routed(self, sample_weight, params)
        splitter = check_cv(self.cv, y, classifier=True)
        splits = checked_splits(list(splitter.split(X, y, **passed.splitter.split)), len(y))
        self.estimator_ = clone(self.estimator).fit(X, y, **passed.estimator.fit)
        known, classes = self.estimator_.classes_, class_labels(self.estimator_)
        if len(classes) < 2:
            raise InvalidInput(
                f"Decisions need at least two classes, got one class: {classes[0]!r}."
            )
        truths = positions(y, known)
        probabilities, folds = out_of_fold(
            self.estimator, X, y, splits, known, passed.estimator.fit, self.n_jobs
        )
        take_features(self)
        kept = checked_weights(sample_weight, len(y))
        rows = slice(None) if kept.rows is None else kept.rows
        weights = np.ones(len(y)) if kept.weights is None else kept.weights
        return OutOfFold(probabilities[rows], truths[rows], weights, folds[rows], classes)

    def get_metadata_routing(self) -> Any:
        """What scikit-learn's metadata routing passes to tuner, classifier and splitter."""
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        to_split = MethodMapping().add(caller="fit", callee="split")
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(estimator=self.estimator, method_mapping=to_fit)
            .add(splitter=self.cv, method_mapping=to_split)
        )
