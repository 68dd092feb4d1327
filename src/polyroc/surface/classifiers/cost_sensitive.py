"""A scikit-learn classifier that decides for the class of least expected cost."""

from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import Bunch, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from polyroc.errors import InvalidInput, InvalidType
from polyroc.options import shown
from polyroc.predictions._containers import as_label
from polyroc.surface.costs import CostsLike, cost_matrix, errors, expected_costs
from polyroc.typing import Float64Array, Int64Array, Label


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


def preferences(probabilities: Float64Array, costs: Float64Array) -> Float64Array:
    """How much each decision is preferred: minus its expected cost, up to a constant and a scale.

    Where all errors cost the same these are the probabilities themselves, so that the choice is
    exactly argmax: 1 − p_j would round distinct small probabilities to equal ones.
    """
    of_errors = errors(costs)
    if (of_errors == of_errors[:1]).all():
        return probabilities
    return -expected_costs(probabilities, costs)


def decide(probabilities: Float64Array, costs: Float64Array) -> Int64Array:
    """The decision of least expected cost for each row, argmin_j Σ_k λ_kj p_k; first of equals.

    Examples
    --------
    >>> p = np.array([[0.6, 0.4], [0.9, 0.1]])
    >>> decide(p, np.array([[0.0, 1.0], [1.0, 0.0]]))
    array([0, 0])
    >>> decide(p, np.array([[0.0, 1.0], [4.0, 0.0]]))
    array([1, 0])
    """
    return np.asarray(np.argmax(preferences(probabilities, costs), axis=1), dtype=np.int64)


def class_labels(fitted: Any) -> tuple[Label, ...]:
    """The classes that a classifier has learned, as plain labels."""
    known = getattr(fitted, "classes_", None)
    if not isinstance(known, np.ndarray):
        raise InvalidInput(
            f"{type(fitted).__name__} has {shown(known)} as classes_ after fit. "
            "Pass a classifier of one label per case."
        )
    return tuple(as_label(label) for label in known)


def check_probabilistic(estimator: Any) -> None:
    """Whether an estimator can give probabilities."""
    if not (hasattr(estimator, "fit") and hasattr(estimator, "predict_proba")):
        raise InvalidType(
            f"Expected costs need probabilities, but {shown(estimator)} has no predict_proba. "
            "Pass a classifier that has, or wrap it in sklearn.calibration.CalibratedClassifierCV."
        )


def takes_weights(estimator: Any) -> bool:
    """Whether ``sample_weight`` can go to ``fit``; where metadata is routed, routing decides."""
    routing = get_config()["enable_metadata_routing"]
    return bool(routing or has_fit_parameter(estimator, "sample_weight"))


def routed(owner: Any, sample_weight: Any, params: dict[str, Any]) -> Any:
    """What of the parameters of ``owner.fit`` goes to the estimator and to the splitter."""
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    if get_config()["enable_metadata_routing"]:
        return process_routing(owner, "fit", **weights, **params)
    passed = {**weights, **params} if takes_weights(owner.estimator) else params
    return Bunch(estimator=Bunch(fit=passed), splitter=Bunch(split={}))


def _has_log_proba(self: Any) -> bool:
    return hasattr(getattr(self, "estimator_", self.estimator), "predict_log_proba")


class CostDecisions(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """What classifiers that decide by ``estimator_`` and ``costs_`` have in common."""

    estimator: Any
    estimator_: Any
    costs_: Float64Array

    @property
    def classes_(self) -> Any:
        """The classes, in the order of the rows and columns of ``costs_``."""
        return self.estimator_.classes_

    def predict(self, X: Any) -> Any:
        """The class of least expected cost; the first of equals."""
        check_is_fitted(self, "costs_")
        return self.classes_[decide(self._probabilities(X), self.costs_)]

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

        The greatest is what ``predict`` decides. For two classes a single number, positive for the
        second class. With equal costs these are the probabilities.
        """
        check_is_fitted(self, "costs_")
        preferred = preferences(self._probabilities(X), self.costs_)
        return preferred if len(self.classes_) != 2 else preferred[:, 1] - preferred[:, 0]

    def _probabilities(self, X: Any) -> Float64Array:
        return np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)

    def _take_features(self) -> None:
        """Number and names of the features, where the inner classifier knows them."""
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
            elif name in vars(self):  # of an earlier fit
                delattr(self, name)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        if inner.classifier_tags is not None:
            tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        return tags


class CostSensitiveClassifier(CostDecisions):
    """Decides for the class of least expected cost, argmin_j Σ_k λ_kj p_k(x).

    Everson & Fieldsend 2006 §2. With calibrated probabilities no other rule has a lower expected
    cost under λ; :class:`TunedCostClassifierCV` is for probabilities that are not.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``; a clone of it is fitted. One that is fitted
        already goes in as ``sklearn.frozen.FrozenEstimator(fitted)``.
    costs : K × K table, a row per true class and a column per decision, both in the order of the
        sorted classes, or a mapping from (truth, decided) to a cost, in which a pair that is not
        named costs nothing. None: all errors cost the same, which is argmax.

    Attributes
    ----------
    estimator_ : the fitted classifier.
    classes_ : its classes.
    costs_ : (K, K) the costs, the largest 1.
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

    def __init__(self, estimator: Any, costs: CostsLike | None = None) -> None:
        self.estimator = estimator
        self.costs = costs

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any
    ) -> "CostSensitiveClassifier":
        """Fit a clone of the estimator; weights and other parameters go to its ``fit``."""
        check_probabilistic(self.estimator)
        if sample_weight is not None and not takes_weights(self.estimator):
            raise InvalidType(
                f"{type(self.estimator).__name__}.fit takes no sample_weight. Fit without weights."
            )
        passed = routed(self, sample_weight, fit_params).estimator.fit
        self.estimator_ = clone(self.estimator).fit(X, y, **passed)
        self.costs_ = relative_costs(self.costs, class_labels(self.estimator_))
        self._take_features()
        return self

    def get_metadata_routing(self) -> Any:
        """What scikit-learn's metadata routing passes to the inner classifier."""
        return MetadataRouter(owner=self).add(
            estimator=self.estimator,
            method_mapping=MethodMapping().add(caller="fit", callee="fit"),
        )
