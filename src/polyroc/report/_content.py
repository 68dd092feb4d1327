"""What a report says, gathered from the rest of the library before any of it is laid out."""

import datetime
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import flag, name_of
from polyroc._base.levels import check_level
from polyroc.curves._roc import RocCurve, roc_of, two_sides
from polyroc.display._rate_bands import thinned
from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.inference import Comparison, compare, evaluate
from polyroc.inference._influence import CaseDesign
from polyroc.inference._pairs import pair_limits, reversed_pairs
from polyroc.inference._slices.parts import attributes_of
from polyroc.metrics import registry
from polyroc.metrics.declaration import Occasion
from polyroc.metrics.folds import pairs_of
from polyroc.predictions import Predictions
from polyroc.predictions._gate import common_labels
from polyroc.predictions._given import are_predictions, kept_predictions_of, model_predictions
from polyroc.predictions._scores import Origin, normalized
from polyroc.report._cases import PageCases, page_cases
from polyroc.report._curves import MOST_CURVES, PageCurve, page_curves
from polyroc.report._earlier import Earlier, read_earlier
from polyroc.report._surfaces import MOST_CLASSES, PageSurface, page_surface
from polyroc.results import Evaluation
from polyroc.typing import BoolArray, Float64Array, Int64Array, LabelsLike, ScoresLike, WeightsLike

CURVE_POINTS = 250
"""Most points of one curve."""
ALL_POINTS = 12_000
"""Most points of all curves together, as long as each keeps 40."""


@dataclass(frozen=True, eq=False)
class ModelContent:
    """What the report says about one model."""

    name: str
    predictions: Predictions
    evaluation: Evaluation
    pairs: Float64Array
    """(K, K) pairwise AUC, row = positive class."""
    pair_limits: Float64Array
    """(2, K, K) their lower and upper confidence limits."""
    reversed_pairs: BoolArray
    """(K, K) whether both AUCs of two classes are clearly below ½."""
    rest: tuple[float, ...]
    """AUC of each class against the rest."""
    curves: Mapping[int, RocCurve]
    """Class against the rest, for the classes that are drawn."""
    probabilities: Float64Array | None
    fault: str
    """Why these scores are not probabilities; empty if they are."""


@dataclass(frozen=True, eq=False)
class Content:
    """Everything a report says; ``models`` are in the order given."""

    title: str
    level: float
    classes: tuple[str, ...]
    literals: tuple[str, ...]
    """The classes as Python writes them, for code that is copied from the page."""
    models: tuple[ModelContent, ...]
    comparison: Comparison | None
    cases: PageCases
    surfaces: Mapping[str, PageSurface]
    n_given: int
    """Cases given, with those of weight 0."""
    groups: Int64Array | None = None
    """Number of the group of each case; None if cases are independent."""
    source: str = ""
    """What the predictions were read from."""
    holds_cases: bool = True
    """Whether the page holds the cases, for its explorer."""
    date: str = ""
    """On which it was made."""
    earlier: Earlier | None = None
    """What it is compared with."""
    panels: Mapping[int, tuple[PageCurve, ...]] = field(default_factory=dict)
    """From each class whose ROC curves are drawn to those of the models."""

    @property
    def alpha(self) -> float:
        """Significance level of tests, so that they agree with the intervals."""
        return round(1 - self.level, 12)

    def rejects(self, p_value: float) -> bool:
        """Whether a test rejects at that level; one without a p-value does not."""
        return p_value <= self.alpha

    @property
    def n_groups(self) -> int:
        """Groups of cases; cases where they are independent."""
        return len(self.predictions) if self.groups is None else len(np.unique(self.groups))

    @property
    def predictions(self) -> Predictions:
        """Of the first model: true classes and weights are the same for all."""
        return self.models[0].predictions

    @property
    def main_metric(self) -> str:
        """The metric that the summary speaks of."""
        return "roc_auc" if len(self.classes) == 2 else "hand_till"

    @property
    def leading(self) -> ModelContent:
        """The model with the best value of that metric."""
        sign = registry[self.main_metric].sign
        values = [sign * model.evaluation[self.main_metric].value for model in self.models]
        return self.models[int(np.argmax(np.nan_to_num(values, nan=-math.inf)))]


def gather(
    y_true: LabelsLike | Predictions | Mapping[Any, Predictions],
    models: Mapping[Any, ScoresLike] | ScoresLike | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    groups: Any = None,
    folds: Any = None,
    by: Any = None,
    ids: Any = None,
    title: str | None = None,
    source: str | None = None,
    include_cases: bool = True,
    level: float = 0.95,
    earlier: Any = None,
) -> Content:
    """Evaluate and compare the models, and choose the cases that go into the page."""
    holds_cases, read = flag(include_cases, "include_cases"), read_earlier(earlier)
    gate = {"labels": labels, "sample_weight": sample_weight, "folds": folds}
    named = _named(y_true, models, gate)
    found = _contents(_arguments(y_true, named, gate), level, {"groups": groups, "by": by})
    first = found[0].predictions
    together = CaseDesign.of(groups, first).groups
    cases = _cases_of(found, together, by, ids)
    return Content(
        _title(first.n_classes) if title is None else name_of(title, "A report"),
        level,
        tuple(str(label) for label in first.classes),
        tuple(repr(label) for label in first.classes),
        found,
        _comparison(y_true, named, metric_names(first), level, {**gate, "groups": groups}),
        cases,
        _surfaces_of(cases, first.n_classes),
        first.n_given,
        together,
        "" if source is None else str(source),
        holds_cases,
        datetime.date.today().isoformat(),
        read,
        page_curves(found, together, level),
    )


def _title(n_classes: int) -> str:
    return "ROC report" if n_classes == 2 else "Multi-class ROC report"


def _cases_of(
    models: tuple[ModelContent, ...], groups: Int64Array | None, by: Any, ids: Any
) -> PageCases:
    """The cases with the probabilities of all models that have them."""
    first = models[0].predictions
    known = {each.name: each.probabilities for each in models if each.probabilities is not None}
    slices, names = attributes_of(by, first)[0], _ids(ids, first)
    return page_cases(first, first.given_rows, known, groups, slices, names)


def _surfaces_of(cases: PageCases, n_classes: int) -> dict[str, PageSurface]:
    """Of each model; of many classes none."""
    if n_classes > MOST_CLASSES:
        return {}
    return {name: page_surface(cases, name) for name in cases.scores}


def _ids(ids: Any, predictions: Predictions) -> NDArray[Any] | None:
    """Names of the cases that count."""
    if ids is None:
        return None
    names = np.asarray(ids, dtype=object).ravel()
    return np.asarray(predictions.of_cases(names, "ids"))


def metric_names(predictions: Predictions) -> list[str]:
    """The default metrics, that of the findings first."""
    chosen = [metric.name for metric in registry.select(None, Occasion.of(predictions))]
    return sorted(chosen, key=lambda name: name not in ("hand_till", "roc_auc"))


def _named(y_true: Any, models: Any, gate: Mapping[str, Any]) -> dict[str, Any]:
    """The models by name, as scores or as Predictions."""
    if isinstance(y_true, Predictions) or are_predictions(y_true):
        given = {"model": y_true} if isinstance(y_true, Predictions) else y_true
        if models is not None:
            raise InvalidInput(
                "models cannot be given together with Predictions. Pass a mapping from names to "
                "Predictions in the place of y_true and models."
            )
        return _texts(model_predictions(given, **gate), given)
    if models is None:
        raise InvalidType("models is missing. Pass labels and scores, or Predictions.")
    if not isinstance(models, Mapping):
        return {"model": models}
    if not models:
        raise InvalidInput("There are no models. Pass a mapping from name to scores.")
    return _texts({name_of(name, "A model"): each for name, each in models.items()}, models)


def _texts(named: dict[str, Any], models: Mapping[Any, Any]) -> dict[str, Any]:
    """The models, if their names are different as text."""
    if len(named) < len(models):
        raise InvalidInput("Two models have the same name as text. Give each a name of its own.")
    return named


def _arguments(
    y_true: Any, named: Mapping[str, Any], gate: Mapping[str, Any]
) -> dict[str, tuple[tuple[Any, Any], Mapping[str, Any]]]:
    """What ``evaluate`` is given of each model: its Predictions alone, or labels and scores."""
    if are_predictions(named):
        return {name: ((predictions, None), {}) for name, predictions in named.items()}
    order = common_labels(named, gate["labels"], lambda _: y_true)
    return {
        name: ((y_true, scores), {**gate, "labels": order[name]}) for name, scores in named.items()
    }


def _contents(
    arguments: Mapping[str, tuple[Any, Any]], level: float, known: Mapping[str, Any]
) -> tuple[ModelContent, ...]:
    """Of all models, which have the same classes."""
    check_level(level)
    found = tuple(
        _model_content(name, *given, level, known, len(arguments))
        for name, given in arguments.items()
    )
    _check_same_classes(found)
    return found


def _model_content(
    name: str,
    given: tuple[Any, Any],
    gate: Mapping[str, Any],
    level: float,
    known: Mapping[str, Any],
    n_models: int,
) -> ModelContent:
    try:
        predictions = kept_predictions_of(*given, **gate)
    except ValueError as error:
        raise InvalidInput(f"Model {name!r}: {error}") from None
    names = metric_names(predictions)
    probabilities, fault = _probabilities(predictions)
    rest, curves = _curves(predictions, n_models)
    design = CaseDesign.of(known["groups"], predictions)
    limits = pair_limits(predictions, design, level)
    return ModelContent(
        name,
        predictions,
        _evaluated(given, names, level, {**known, **gate}),
        pairs_of(predictions).auc(),
        limits,
        reversed_pairs(predictions, design, limits, level),
        rest,
        curves,
        probabilities,
        fault,
    )


def _evaluated(
    given: tuple[Any, Any], names: list[str], level: float, known: Mapping[str, Any]
) -> Evaluation:
    """By slices, where there are any."""
    y_true, y_score = given
    found: Evaluation = evaluate(y_true, y_score, names, level=level, **known)
    return found


def _probabilities(predictions: Predictions) -> tuple[Float64Array | None, str]:
    """Rows that sum to 1, divided by their sums if need be, and what is wrong with those given."""
    try:
        return np.asarray(predictions.probabilities("The explorer"), dtype=np.float64), ""
    except NotDefined as reason:
        fault = str(reason).removeprefix("The explorer needs probabilities, but ").split(". ")[0]
        fault = fault.replace("y_score", "the scores")
    try:
        divided = normalized(predictions.scores, Origin())
    except InvalidInput:
        return None, fault
    return np.asarray(divided, dtype=np.float64), fault


def _curves(
    predictions: Predictions, n_models: int
) -> tuple[tuple[float, ...], dict[int, RocCurve]]:
    """AUC of each class against the rest, and its curve; two classes have one curve."""
    drawn = range(predictions.n_classes) if predictions.n_classes > 2 else (1,)
    most = ALL_POINTS // (n_models * min(len(drawn), MOST_CURVES))
    curves = {k: _curve(predictions, k, min(CURVE_POINTS, max(40, most))) for k in drawn}
    areas = tuple(curves[k].area if k in curves else math.nan for k in range(predictions.n_classes))
    return areas, curves


def _curve(predictions: Predictions, k: int, most: int) -> RocCurve:
    sides = two_sides(predictions, k, predictions.scores)
    return thinned(roc_of(predictions.classes[k], None, *sides, drop_collinear=True), most)


def _check_same_classes(models: tuple[ModelContent, ...]) -> None:
    first = models[0]
    for other in models[1:]:
        if other.predictions.classes != first.predictions.classes:
            raise InvalidInput(
                f"The models {first.name!r} and {other.name!r} have different classes. "
                "Pass the same labels for all, or columns in the same order."
            )


def _comparison(
    y_true: LabelsLike,
    models: Mapping[str, Any],
    names: list[str],
    level: float,
    gate: Mapping[str, Any],
) -> Comparison | None:
    if len(models) < 2:
        return None
    labels, scores = (models, None) if are_predictions(models) else (y_true, models)
    found: Comparison = compare(labels, scores, names, level=level, **gate)
    return found
