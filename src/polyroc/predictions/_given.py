"""Predictions given as such, or as labels and scores, to functions whose results outlive the call.

And predictions of several models, given by name.
"""

from collections.abc import Mapping
from typing import Any

from polyroc._base.checks import name_of, shown
from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.predictions._gate import common_labels
from polyroc.predictions._predictions import Predictions, predictions_of
from polyroc.typing import LabelsLike, ScoresLike


def kept_predictions_of(
    y_true: LabelsLike | Predictions, y_score: ScoresLike | None = None, **options: Any
) -> Predictions:
    """As :func:`predictions_of`, with copies of the arrays given, for a result that keeps them."""
    if y_score is None or isinstance(y_true, Predictions):
        return predictions_of(y_true, y_score, **options)
    return Predictions(y_true, y_score, **options)


def are_predictions(given: Any) -> bool:
    """Whether models come with labels and scores in one: a mapping with Predictions in it."""
    return isinstance(given, Mapping) and any(isinstance(x, Predictions) for x in given.values())


def model_predictions(
    y_true: LabelsLike | Mapping[Any, Predictions],
    models: Mapping[Any, ScoresLike] | None = None,
    **options: Any,
) -> dict[str, Predictions]:
    """Predictions of each model: from labels and scores by name, or from Predictions by name.

    Columns that have names may be in another order in each model: they are matched by them.

    Examples
    --------
    >>> model_predictions([0, 1], {"a": [0.1, 0.9]})
    {'a': Predictions(2 cases, 2 classes)}
    >>> model_predictions({"a": Predictions([0, 1], [0.1, 0.9])})
    {'a': Predictions(2 cases, 2 classes)}
    """
    if are_predictions(y_true):
        return {
            name_of(name, "A model"): predictions_of(_checked(name, each), models, **options)
            for name, each in y_true.items()
        }
    named = checked_models(models)
    order = common_labels(named, options.pop("labels", None), lambda _: y_true)
    return {
        name: predictions_of(y_true, each, labels=order[name], **options)
        for name, each in named.items()
    }


def checked_models(models: Any) -> dict[str, Any]:
    """Models by name: a mapping that is not empty."""
    if not isinstance(models, Mapping):
        raise InvalidType(f"models must be a mapping from names, got {shown(models)}.")
    if not models:
        raise NotDefined("There are no models to show. Pass at least one.")
    return {name_of(name, "A model"): model for name, model in models.items()}


def _checked(name: Any, given: Any) -> Predictions:
    if isinstance(given, Predictions):
        return given
    raise InvalidInput(
        f"Model {shown(name)} is not given as Predictions, but others are. Pass Predictions for "
        "all models, or the labels and a mapping from names to scores."
    )
