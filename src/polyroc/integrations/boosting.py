"""Evaluation functions for LightGBM, XGBoost and CatBoost, with which training can stop early.

    import lightgbm
    from polyroc.integrations import boosting

    lightgbm.train(settings, data, valid_sets=[held_out], feval=boosting.lightgbm("hand_till"))

The shape and order of the predictions, the weights of the cases and whether higher is better are
taken care of. The libraries number the classes 0 … K − 1, and so do the messages of errors.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from polyroc.errors import InvalidInput
from polyroc.integrations._options import (
    NOT_PROBABILITIES,
    Options,
    asked_metric,
    checked_logits,
    told_range,
)
from polyroc.metrics import registry
from polyroc.predictions._scores import SUM_TOLERANCE
from polyroc.typing import Absent, FloatArray

__all__ = ["CatBoostMetric", "LightGbmMetric", "XgboostMetric", "catboost", "lightgbm", "xgboost"]

_LIGHTGBM_NAMES = ("auc_mu",)
"""Metrics of LightGBM, whose values it would put into the same list as ours."""


@dataclass(frozen=True)
class _RoundMetric:
    """A metric of the predictions of one round of boosting."""

    metric: str
    logits: bool | None
    options: Options

    @property
    def higher_is_better(self) -> bool:
        """Whether training should stop when the value no longer rises, or no longer falls."""
        return registry[self.metric].direction == "higher"

    def value(self, labels: Any, predictions: Any, sample_weight: Any = None) -> float:
        """The metric of predictions of the classes 0 … K − 1, a column per class.

        One column belongs to class 1 of two.
        """
        y, scores = np.asarray(labels), np.asarray(predictions)
        scores = scores[:, 0] if scores.ndim == 2 and scores.shape[1] == 1 else scores
        n_classes = 2 if scores.ndim == 1 else scores.shape[1]
        _check_classes(y, scores)
        weights = None if sample_weight is None or not len(sample_weight) else sample_weight
        return registry[self.metric].function(
            y.astype(np.int64),
            _probabilities(scores, self.logits),
            labels=list(range(n_classes)),
            sample_weight=weights,
            **dict(self.options),
        )


class LightGbmMetric(_RoundMetric):
    """What :func:`lightgbm` returns: ``feval`` of training, ``eval_metric`` of classifiers."""

    def __call__(
        self, first: Any, second: Any, sample_weight: Any = None
    ) -> tuple[str, float, bool]:
        """Name, value and whether higher is better.

        Called with predictions and a Dataset, as ``lightgbm.train`` does, or with labels,
        predictions and weights, as the classifier does.
        """
        if hasattr(second, "get_label"):
            value = self.value(second.get_label(), first, second.get_weight())
        else:
            value = self.value(first, second, sample_weight)
        name = f"polyroc_{self.metric}" if self.metric in _LIGHTGBM_NAMES else self.metric
        return name, value, self.higher_is_better


class XgboostMetric(_RoundMetric):
    """What :func:`xgboost` returns: ``custom_metric`` of training, ``eval_metric`` of classifiers.

    XGBoost minimises a metric of its users, unless the name begins as those of its own AUCs do. So
    the name of a metric of which more is better begins with "auc".
    """

    @property
    def __name__(self) -> str:
        named = self.metric.startswith("auc") or not self.higher_is_better
        return self.metric if named else f"auc_{self.metric}"

    def __call__(self, first: Any, second: Any, sample_weight: Any = None) -> Any:
        """Name and value of predictions and a DMatrix; the value alone of labels and predictions.

        ``xgboost.train`` calls it in the first way, the classifier in the second.
        """
        if hasattr(second, "get_label"):
            return self.__name__, self.value(second.get_label(), first, second.get_weight())
        return self.value(first, second, sample_weight)


class CatBoostMetric(_RoundMetric):
    """What :func:`catboost` returns: an object for ``eval_metric`` of CatBoost."""

    no_jit: ClassVar[bool] = True
    """CatBoost would try to compile the methods with Numba, and warn that it cannot."""

    def is_max_optimal(self) -> bool:
        """Whether higher is better."""
        return self.higher_is_better

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        """The metric of all cases, and 1 in the place of a sum of weights."""
        columns = [np.array(column, dtype=np.float64) for column in approxes]
        scores = columns[0] if len(columns) == 1 else np.column_stack(columns)
        weights = None if weight is None else np.array(weight, dtype=np.float64)
        return self.value(np.array(target), scores, weights), 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """The metric itself."""
        return error

    def __reduce__(self) -> tuple[Any, ...]:
        return _catboost_metric, (self.metric, self.logits, self.options)


@lru_cache(maxsize=128)
def _catboost_class(name: str) -> type[CatBoostMetric]:
    """A class by the name of the metric: CatBoost shows a metric by the name of its class."""
    return type(name, (CatBoostMetric,), {"__doc__": CatBoostMetric.__doc__})


def _catboost_metric(name: str, logits: bool | None, options: Options) -> CatBoostMetric:
    return _catboost_class(name)(name, logits, options)


def lightgbm(
    name: str, *, logits: bool | None = False, absent: Absent = "raise", **options: Any
) -> LightGbmMetric:
    """A metric as LightGBM evaluates it after each round.

    Parameters
    ----------
    name : of a metric in :data:`polyroc.registry`.
    logits : LightGBM passes probabilities for its own objectives, and raw scores for an objective
        of yours. False: they are probabilities, and raw scores are an error; True: they are raw
        scores, and softmax is applied (the logistic function to one column); None: scores are
        evaluated as they are, such as those of ``objective="multiclassova"``.
    absent : what to do with a class without cases in the validation set: ``"raise"`` an error, or
        ``"skip"`` it.
    **options : further options of the function of the metric, such as ``ties="strict"``.

    Returns
    -------
    LightGbmMetric
        For ``feval=`` of ``lightgbm.train`` and ``lightgbm.cv``, and for ``eval_metric=`` of
        ``LGBMClassifier.fit``. Pass ``metric="none"`` in the settings to stop by it alone.

    Notes
    -----
    LightGBM's own ``auc_mu`` ranks raw scores, before the softmax; this one ranks probabilities and
    is shown as ``polyroc_auc_mu``.

    Examples
    --------
    >>> from polyroc.integrations import boosting
    >>> metric = boosting.lightgbm("hand_till")
    >>> metric([0, 1, 2], [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]])
    ('hand_till', 1.0, True)
    """
    return LightGbmMetric(*_asked(name, logits, absent, options))


def xgboost(
    name: str, *, logits: bool | None = False, absent: Absent = "raise", **options: Any
) -> XgboostMetric:
    """A metric as XGBoost evaluates it after each round.

    Parameters
    ----------
    name : of a metric in :data:`polyroc.registry`.
    logits : whether the predictions are raw scores, as they are with an objective of yours; see
        :func:`lightgbm`. Of XGBoost's own objectives use ``"multi:softprob"``:
        ``"multi:softmax"`` predicts classes, which cannot be ranked.
    absent, options : as for :func:`lightgbm`.

    Returns
    -------
    XgboostMetric
        For ``custom_metric=`` of ``xgboost.train`` and ``xgboost.cv``, and for ``eval_metric=`` of
        ``XGBClassifier``. XGBoost shows it as ``auc_hand_till``: it maximises what has such a name,
        and minimises other metrics of its users. It keeps six decimals of the values.

    Examples
    --------
    >>> from polyroc.integrations import boosting
    >>> metric = boosting.xgboost("hand_till")
    >>> metric.__name__, metric([0, 1, 1], [0.1, 0.7, 0.9])
    ('auc_hand_till', 1.0)
    """
    return XgboostMetric(*_asked(name, logits, absent, options))


def catboost(
    name: str, *, logits: bool | None = True, absent: Absent = "raise", **options: Any
) -> CatBoostMetric:
    """A metric as CatBoost evaluates it after each round.

    Parameters
    ----------
    name : of a metric in :data:`polyroc.registry`.
    logits : CatBoost passes raw scores. True: softmax is applied, which gives the probabilities of
        ``loss_function="MultiClass"`` and ``"Logloss"``; None: raw scores are evaluated as they
        are, which ranks cases as the probabilities of ``"MultiClassOneVsAll"`` do.
    absent, options : as for :func:`lightgbm`.

    Returns
    -------
    CatBoostMetric
        For ``eval_metric=`` of ``CatBoostClassifier``.

    Examples
    --------
    >>> from polyroc.integrations import boosting
    >>> metric = boosting.catboost("roc_auc")
    >>> metric.evaluate([[-1.0, 0.5, 2.0]], [0, 1, 1], None), metric.is_max_optimal()
    ((1.0, 1.0), True)
    """
    return _catboost_metric(*_asked(name, logits, absent, options))


def _asked(
    name: str, logits: bool | None, absent: Absent, options: dict[str, Any]
) -> tuple[str, bool | None, Options]:
    metric, chosen = asked_metric(name, {"absent": absent, **options})
    return metric.name, checked_logits(logits), chosen


def _check_classes(y: Any, scores: FloatArray) -> None:
    """One column for more than two classes holds classes, not scores."""
    if scores.ndim == 1 and scores.shape == y.shape and y.size and y.max() > 1:
        raise InvalidInput(
            f"There is one prediction per case, but there are classes up to {int(y.max())}. Train "
            'with an objective that predicts a probability per class: "multiclass" in LightGBM, '
            '"multi:softprob" in XGBoost (not "multi:softmax"), "MultiClass" in CatBoost.'
        )


def _probabilities(scores: FloatArray, logits: bool | None) -> FloatArray:
    if logits:
        from scipy.special import expit, softmax

        found: FloatArray = expit(scores) if scores.ndim == 1 else softmax(scores, axis=1)
        return found
    if logits is False and scores.size:
        low, high = float(scores.min()), float(scores.max())
        if low < -SUM_TOLERANCE or high > 1 + SUM_TOLERANCE:
            raise InvalidInput(f"{told_range(low, high)} {NOT_PROBABILITIES}")
    return scores
