"""Scores of a fitted classifier, with columns that are known to belong to its classes."""

from typing import Any

from polyroc.errors import InvalidInput, InvalidType


def gives_probabilities(estimator: Any) -> bool:
    """Whether scores of a classifier will be its probabilities."""
    return hasattr(estimator, "predict_proba")


def scores_of(estimator: Any, X: Any) -> Any:
    """Probabilities of a fitted classifier, or its decision function where it has none.

    Columns are in the order of ``classes_``. A decision function with a column per pair of classes
    is refused: with three classes it has three columns, too.
    """
    if gives_probabilities(estimator):
        return estimator.predict_proba(X)
    if not hasattr(estimator, "decision_function"):
        raise InvalidType(
            f"{type(estimator).__name__} has neither predict_proba nor decision_function. "
            "Pass a fitted classifier that has one."
        )
    _check_shape(estimator)
    scores = estimator.decision_function(X)
    _check_column_count(estimator, scores)
    return scores


def _check_shape(estimator: Any) -> None:
    """Whether a support vector machine inside decides pair by pair."""
    for part in _parts(estimator):
        pairwise = getattr(part, "decision_function_shape", None) == "ovo"
        if pairwise and _n_classes(estimator) > 2:
            raise _pairwise(type(part).__name__)


def _check_column_count(estimator: Any, scores: Any) -> None:
    """Whether there is a column per class, where both numbers are known."""
    n_classes, shape = _n_classes(estimator), tuple(getattr(scores, "shape", ()))
    if n_classes > 3 and shape[1:] == (n_classes * (n_classes - 1) // 2,):
        raise _pairwise(type(estimator).__name__)


def _n_classes(estimator: Any) -> int:
    classes = getattr(estimator, "classes_", None)
    return 0 if classes is None else len(classes)


def _parts(estimator: Any) -> list[Any]:
    """An estimator and those inside that decide for it: of a pipeline, a search, a wrapper."""
    found: list[Any] = []
    while estimator is not None and all(estimator is not each for each in found):
        found.append(estimator)
        steps = getattr(estimator, "steps", None)
        if isinstance(steps, list) and steps:
            estimator = steps[-1][1]
            continue
        inner = ("best_estimator_", "estimator_", "estimator")
        estimator = next((vars(estimator)[name] for name in inner if name in _own(estimator)), None)
    return found


def _own(estimator: Any) -> dict[str, Any]:
    return getattr(estimator, "__dict__", {})


def _pairwise(name: str) -> InvalidInput:
    return InvalidInput(
        f"The decision function of {name} has a column per pair of classes "
        '(decision_function_shape="ovo"), and a column per class is needed. Pass '
        'decision_function_shape="ovr", or wrap the classifier in '
        "sklearn.calibration.CalibratedClassifierCV or polyroc.PairwiseCoupling."
    )
