"""A scikit-learn classifier that decides for the class of lowest expected cost."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from polyroc._base.checks import check_choice
from polyroc.predictions._rows import rows_by_position
from polyroc.predictions._tables import check_order_known
from polyroc.predictions._weights import checked_priors
from polyroc.surface._costs import CostsLike, cost_matrix, expected_costs, least_cost
from polyroc.surface.classifiers.inner import (
    Wrapper,
    check_probabilistic,
    check_takes_weights,
    class_labels,
    routed,
    take_features,
)
from polyroc.surface.classifiers.out_of_fold import positions
from polyroc.typing import Float64Array, Int64Array, Label, PriorsLike


def relative_costs(costs: CostsLike | None, classes: tuple[Label, ...]) -> Float64Array:
    """Costs as a checked K × K table whose largest entry is 1; None is 0/1.

    Examples
    --------
    >>> relative_costs({("ill", "well"): 4, ("well", "ill"): 1}, ("ill", "well"))
    array([[0.  , 1.  ],
           [0.25, 0.  ]])
    """
    if costs is None:
        return 1 - np.eye(len(classes))
    table = cost_matrix(costs, classes)
    return np.asarray(table / table.max())


def preferences(probabilities: Float64Array, costs: Float64Array | None) -> Float64Array:
    """How much each decision is preferred: minus its expected cost; None prefers by probability."""
    return probabilities if costs is None else -expected_costs(probabilities, costs)


def decide(probabilities: Float64Array, costs: Float64Array | None) -> Int64Array:
    """The decision of lowest expected cost for each row; None is argmax. First of equals.

    Argmax takes probabilities at their last digit, as the inner classifier does. Costs do not:
    expected costs that are equal as decimals are equal (:func:`polyroc.surface._costs.least_cost`).
    """
    if costs is not None:
        return least_cost(probabilities, costs)
    return np.asarray(np.argmax(probabilities, axis=1), dtype=np.int64)


def tie_order(costs: CostsLike | None, classes: tuple[Label, ...]) -> Int64Array:
    """Positions of the classes in the order in which ties are decided.

    A mapping names them in some order, that of an operating point in the order of its surface, so
    that ties are decided as there; classes that it does not name come last.

    Examples
    --------
    >>> tie_order({("well", "ill"): 1, ("ill", "well"): 4}, ("ill", "well"))
    array([1, 0])
    """
    named = [pair[0] for pair in costs] if isinstance(costs, Mapping) else []
    ranks = [named.index(label) if label in named else len(named) for label in classes]
    return np.argsort(ranks, kind="stable")


def _has_log_proba(self: Any) -> bool:
    return hasattr(getattr(self, "estimator_", self.estimator), "predict_log_proba")


class CostDecisions(Wrapper):
    """What classifiers that decide by ``estimator_`` and ``costs_`` have in common."""

    estimator_: Any
    costs_: Float64Array
    _argmax: bool
    _tie_order: Int64Array

    @property
    def classes_(self) -> Any:
        """The classes, in the order of the rows and columns of ``costs_``."""
        return self.estimator_.classes_

    def predict(self, X: Any) -> Any:
        """The class of lowest expected cost; of equals the first that a mapping of costs names."""
        check_is_fitted(self, "costs_")
        order, probabilities = self._tie_order, self._probabilities(X)
        if self._argmax:
            return self.classes_[decide(probabilities, None)]
        decided = decide(probabilities[:, order], self.costs_[np.ix_(order, order)])
        return self.classes_[order[decided]]

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the inner classifier; costs do not change them."""
        check_is_fitted(self, "costs_")
        return self.estimator_.predict_proba(X)

    @available_if(_has_log_proba)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Any:
        """Logarithms of the probabilities, by the inner classifier."""
        check_is_fitted(self, "costs_")
        return self.estimator_.predict_log_proba(X)

    def decision_function(self, X: Any) -> Float64Array:
        """Minus the expected cost of each decision, up to a constant and a scale.

        The greatest is what ``predict`` decides; equal ones are exactly equal. For two classes a
        single number, positive for the second class. Where argmax decides these are the
        probabilities.
        """
        check_is_fitted(self, "costs_")
        costs = None if self._argmax else self.costs_
        preferred = preferences(self._probabilities(X), costs)
        return preferred if len(self.classes_) != 2 else preferred[:, 1] - preferred[:, 0]

    def _probabilities(self, X: Any) -> Float64Array:
        return np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)


class CostSensitiveClassifier(CostDecisions):
    """Classifier that decides for the lowest expected cost, argmin_j Σ_k λ_kj p_k(x).

    Everson & Fieldsend 2006 §2. With calibrated probabilities no other rule has a lower expected
    cost under λ. Where they are not, ``calibrate`` corrects them, or :class:`TunedCostClassifierCV`
    tunes λ; :func:`polyroc.calibration.cost_calibration` tells by how much costs miss.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``; a clone of it is fitted. Pass one that is
        already fitted as ``sklearn.frozen.FrozenEstimator(fitted)``.
    costs : K × K table, a row per true class and a column per decision, both in the order of the
        sorted classes (a frame is matched by its names), or a mapping from (truth, decided) to a
        cost, in which an error that is not named costs 1. None: argmax. The costs of an operating
        point, ``point.named_costs``, decide every case as the point does.
    priors : shares of the classes where the classifier will be used, in the order of the sorted
        classes or by name. Probabilities are re-weighted from the shares in the ``y`` of ``fit`` to
        these before a decision: p_k becomes proportional to p_k π_k / share_k. None: as they are.
    calibrate : ``"auto"``, ``"temperature"``, ``"vector"`` or ``"multinomial"``: decide on the
        probabilities of :class:`polyroc.calibration.Recalibrated`. None: on those of the estimator.
    cv : folds in which ``calibrate`` learns, as in scikit-learn; None is five stratified folds.

    Attributes
    ----------
    estimator_ : the fitted classifier, inside a ``Recalibrated`` where ``calibrate`` is given.
    classes_ : its classes.
    costs_ : (K, K) all costs, those that were not named included, the largest 1; with ``priors``,
        each row times π_k / share_k, which decides as re-weighted probabilities do.
    n_features_in_, feature_names_in_ : where the inner classifier has them.

    Examples
    --------
    >>> from sklearn.naive_bayes import CategoricalNB
    >>> X, y = [[0], [0], [0], [0], [0], [1]], ["well", "well", "well", "well", "ill", "ill"]
    >>> CostSensitiveClassifier(CategoricalNB()).fit(X, y).predict([[0], [1]])
    array(['well', 'ill'], dtype='<U4')
    >>> costs = {("ill", "well"): 10, ("well", "ill"): 1}
    >>> CostSensitiveClassifier(CategoricalNB(), costs).fit(X, y).predict([[0], [1]])
    array(['ill', 'ill'], dtype='<U4')
    """

    def __init__(
        self,
        estimator: Any,
        costs: CostsLike | None = None,
        *,
        priors: PriorsLike | None = None,
        calibrate: Literal["auto", "temperature", "vector", "multinomial"] | None = None,
        cv: Any = None,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.priors = priors
        self.calibrate = calibrate
        self.cv = cv

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any
    ) -> "CostSensitiveClassifier":
        """Fit a clone of the estimator; weights and other parameters go to its ``fit``."""
        check_probabilistic(self.estimator)
        rows_by_position({"y": y, "X": X, "sample_weight": sample_weight})
        check_takes_weights(self.estimator, sample_weight)
        if self.costs is not None:
            check_order_known(self.costs, y, "costs")
        passed = routed(self, sample_weight, fit_params).estimator.fit
        self.estimator_ = self._unfitted().fit(X, y, **passed)
        classes = class_labels(self.estimator_)
        self.costs_ = self._at_priors(relative_costs(self.costs, classes), y, sample_weight)
        self._argmax = self.costs is None and self.priors is None
        self._tie_order = tie_order(self.costs, classes)
        take_features(self)
        return self

    def _at_priors(self, costs: Float64Array, y: Any, sample_weight: Any) -> Float64Array:
        """Costs that decide by these probabilities as the given ones do by re-weighted ones."""
        if self.priors is None:
            return costs
        known = self.estimator_.classes_
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        counts = np.bincount(positions(np.asarray(y).ravel(), known), weights, len(known))
        ratios = checked_priors(self.priors, class_labels(self.estimator_)) / counts
        moved = costs * ratios[:, None]
        return np.asarray(moved / moved.max())

    def _unfitted(self) -> Any:
        """What is fitted: a clone of the estimator, recalibrated where that is asked for."""
        from polyroc.calibration._recalibrated import Recalibrated

        if self.calibrate is None:
            return clone(self.estimator)
        check_choice(self.calibrate, "calibrate", ("auto", "temperature", "vector", "multinomial"))
        return Recalibrated(clone(self.estimator), method=self.calibrate, cv=self.cv)

    def get_metadata_routing(self) -> Any:
        """What scikit-learn's metadata routing passes to the inner classifier."""
        return MetadataRouter(owner=self).add(
            estimator=self.estimator,
            method_mapping=MethodMapping().add(caller="fit", callee="fit"),
        )
