"""What wrappers ask of the classifier inside: probabilities, weights, classes, features."""

from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import Bunch, get_tags
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import has_fit_parameter

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput, InvalidType
from polyroc.predictions._names import as_label
from polyroc.typing import Label


class Wrapper(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that takes the cases which ``estimator``, the one inside, takes."""

    estimator: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        if inner.classifier_tags is not None:
            tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        return tags


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


def check_takes_weights(estimator: Any, sample_weight: Any) -> None:
    """Whether weights, if there are any, can go to ``fit``."""
    if sample_weight is not None and not takes_weights(estimator):
        raise InvalidType(
            f"{type(estimator).__name__}.fit takes no sample_weight. Fit without weights."
        )


def routed(owner: Any, sample_weight: Any, params: dict[str, Any]) -> Any:
    """What of the parameters of ``owner.fit`` goes to the estimator and to the splitter."""
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    if get_config()["enable_metadata_routing"]:
        return process_routing(owner, "fit", **weights, **params)
    passed = {**weights, **params} if takes_weights(owner.estimator) else params
    return Bunch(estimator=Bunch(fit=passed), splitter=Bunch(split={}))


def take_features(owner: Any) -> None:
    """Number and names of the features, where ``owner.estimator_`` knows them."""
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(owner.estimator_, name):
            setattr(owner, name, getattr(owner.estimator_, name))
        elif name in vars(owner):  # of an earlier fit
            delattr(owner, name)
