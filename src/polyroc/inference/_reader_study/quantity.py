"""What is estimated for each reader and modality: a metric of predictions, by name.

Everything that a reader study asks of metrics is here: a value, and where there are any, influence
values of the cases in the order of the cases. Metrics that depend on class shares are taken at the
shares among all cases of the study, held fixed.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import did_you_mean, shown
from polyroc._base.parallel import map_threads
from polyroc.errors import NotDefined, UnknownName
from polyroc.inference._influence import CaseDesign
from polyroc.inference._resampling import Replicator, Resampler, drawn_weights
from polyroc.metrics import registry
from polyroc.metrics.declaration import Direction, Metric
from polyroc.metrics.registry import meant
from polyroc.predictions import Predictions
from polyroc.typing import Float64Array
from polyroc.utility import fit_binormal, fit_proper
from polyroc.utility._categories import Categories, RankedCases
from polyroc.utility._data_cost import HIGHEST, cost_of
from polyroc.utility._fits import fit_of, fit_runs
from polyroc.utility._fitted import BinormalFit, ProperFit

Fit = BinormalFit | ProperFit | None
"""The fit near which another one is, if any."""

AVERAGES = frozenset(
    (
        "roc_auc", "probabilistic_auc", "scored_auc",
        "hand_till", "hand_till_probabilistic", "hand_till_scored", "au1p", "aunp", "aunu",
        "auc_mu", "pdi", "hum", "length_weighted_vus2", "vus", "vus2", "wvus", "wvus2",
    )
)  # fmt: skip
"""Averages over one case from each class: linear in the cases of each class, so that leaving case i
of class k out changes them by exactly −φ_i/(n_k − 1)."""


Value = Callable[[Predictions], float]


@dataclass(frozen=True)
class Quantity:
    """A metric as a reader study needs it.

    Attributes
    ----------
    name : of the metric.
    range : lowest and highest value.
    value : of predictions.
    influence : φ_i of the cases, or None if the metric has none.
    is_average : whether leaving a case out changes the value by exactly −φ_i/(n_k − 1).
    metric : the registered metric, or None.
    resampled : makes, of predictions, the value of predictions drawn from them: a fit to cases of
        which few are others starts from the fit to all. None: as ``value``.
    direction : whether a higher or a lower value is better.
    """

    name: str
    range: tuple[float, float]
    value: Value
    influence: Callable[[Predictions], Float64Array] | None = None
    is_average: bool = False
    metric: Metric | None = None
    resampled: Callable[[Predictions], Value] | None = None
    direction: Direction = "higher"

    def check_classes(self, n_classes: int) -> None:
        """An error if there is no such value of so many classes."""
        defined = 2 if self.metric is None else self.metric.classes
        if n_classes != 2 if self.metric is None else n_classes not in self.metric.classes:
            instead = "hand_till" if self.metric is None else self.metric.instead
            raise NotDefined(
                f"{self.name} is defined for {defined} classes, but there are {n_classes}. "
                f'Pass metric="{instead}", which is defined for any number.'
            )

    def without_each_case(self, predictions: Predictions) -> Float64Array:
        """The value without case i, for every i."""
        if self.is_average and self.influence is not None:
            sizes = predictions.class_counts[predictions.codes]
            moved: Float64Array = self.influence(predictions) / (sizes - 1)
            return self.value(predictions) - moved
        rows = np.column_stack([predictions.codes, predictions.scores])
        value = self._near(predictions)
        _, first, same = np.unique(rows, axis=0, return_index=True, return_inverse=True)

        def without(case: int) -> float:
            copies = np.ones(len(predictions))
            copies[case] = 0
            return value(reweighted(predictions, copies))

        found = np.array(map_threads(without, first.tolist(), predictions.n_threads))
        return found[same.ravel()]

    def replicates(self, predictions: Predictions, copies: NDArray[Any]) -> Float64Array:
        """The value for each row of copies of the cases; NaN where there is none."""
        if self.metric is not None and self.name not in _FITTED:
            question = self.metric.question(predictions, **options_of(self.metric, predictions))
            return Replicator(predictions, [question]).values(copies)[:, 0]

        value = self._near(predictions)

        def drawn(row: NDArray[Any]) -> float:
            try:
                return value(reweighted(predictions, row))
            except NotDefined:
                return math.nan

        return np.array(map_threads(drawn, copies, predictions.n_threads))

    def _near(self, predictions: Predictions) -> Value:
        return self.value if self.resampled is None else self.resampled(predictions)


def drawn_copies(predictions: Predictions, seed: int, replicates: range) -> NDArray[Any]:
    """How often each case is drawn, with replacement within classes, in each replicate."""
    return drawn_weights(
        Resampler.of(predictions, CaseDesign()), seed, replicates, predictions.n_threads
    )


def reweighted(predictions: Predictions, copies: NDArray[Any]) -> Predictions:
    """Predictions with so many copies of each case."""
    kept = np.flatnonzero(copies)
    weights = copies[kept].astype(np.float64)
    return predictions.with_cases(predictions.codes[kept], predictions.scores[kept], weights)


def quantity_of(name: Any) -> Quantity:
    """The metric of this name: a registered one, or one of a fitted curve."""
    if isinstance(name, str) and name in _FITTED and name not in registry:
        return _FITTED[name]
    if name not in registry:
        names = ", ".join(dict.fromkeys([*registry, *_FITTED]))
        asked = meant(name, registry.values()) or did_you_mean(name, _FITTED)
        raise UnknownName(f"There is no metric {shown(name)}.{asked} The metrics are {names}.")
    metric = registry[name]
    if name in _FITTED:  # refitted near the fit to all cases, with influence values beside
        moved = partial(_registered_influence, metric)
        return replace(_FITTED[name], influence=moved, metric=metric)
    return Quantity(
        name=name,
        range=(metric.lowest, metric.highest),
        value=partial(_registered_value, metric),
        influence=partial(_registered_influence, metric),
        is_average=name in AVERAGES,
        metric=metric,
        direction=metric.direction,
    )


def options_of(metric: Metric, predictions: Predictions) -> dict[str, Any]:
    """Class shares of all cases, for a metric that depends on them."""
    return {"priors": predictions.priors} if metric.prior_weighted else {}


def _registered_value(metric: Metric, predictions: Predictions) -> float:
    return metric.of(predictions, **options_of(metric, predictions))


def _registered_influence(metric: Metric, predictions: Predictions) -> Float64Array:
    found = metric.influence(predictions, **options_of(metric, predictions))
    if found.reason is not None:
        raise NotDefined(f"{metric.name} has no influence values here: {found.reason}")
    return found.cases


# Curves fitted to the ranks of two classes: refitted for each case left out and each replicate.


def _fitted_area(model: str, predictions: Predictions, near: Fit = None) -> float:
    """Area under the fitted curve, in the limit where a threshold separates the classes."""
    data = _runs(f"{model}_auc", "roc_auc", predictions)
    if data.ordered:
        return 1.0 if data.right_way else (0.0 if model == "binormal" else 0.5)
    return float(fit_of(data, model, np.ones(1), near).curve.area)


def _areas_near(model: str, predictions: Predictions) -> Value:
    """Areas of cases drawn from predictions, each fit starting near theirs."""
    data = _runs(f"{model}_auc", "roc_auc", predictions)
    near = None if data.ordered else fit_of(data, model, np.ones(1))
    return lambda drawn: _fitted_area(model, drawn, near)


def _fitted_cost(name: str, model: Any, predictions: Predictions, near: Fit = None) -> float:
    if model != "hull":
        _runs(name, "saec_hull", predictions)
    return cost_of(RankedCases.of(predictions), model, near=near).saec


def _costs_near(name: str, model: Any, predictions: Predictions) -> Value:
    """Costs of cases drawn from predictions, each fit starting near theirs."""
    near = cost_of(RankedCases.of(predictions), model).fit
    return lambda drawn: _fitted_cost(name, model, drawn, near)


def _runs(name: str, instead: str, predictions: Predictions) -> Categories:
    """What a curve is fitted to, if there are enough distinct scores."""
    data = fit_runs(RankedCases.of(predictions))
    if data.n_categories < 3 and not data.ordered:
        raise NotDefined(
            f"{name} needs a curve with at least two operating points, and the scores give "
            f"{data.n_categories - 1}. Use {instead}, or finer scores."
        )
    return data


def fit_notes(name: str, predictions: Predictions) -> str | None:
    """What is unusual about the fit behind a value, if there is one."""
    if name not in _FITTED or name == "saec_hull":
        return None
    fit = fit_proper if "proper" in name else fit_binormal
    labels: Sequence[Any] = list(predictions.classes)
    truth = [labels[code] for code in predictions.codes.tolist()]
    try:
        return fit(truth, predictions.scores[:, 1], labels=labels).note
    except NotDefined:
        return "a threshold separates the classes, so the value is the limit of the model"


def _area(model: str) -> Quantity:
    return Quantity(
        f"{model}_auc",
        (0.0, 1.0),
        partial(_fitted_area, model),
        resampled=partial(_areas_near, model),
    )


def _cost(name: str, model: str) -> Quantity:
    cost = partial(_fitted_cost, name, model)
    near = partial(_costs_near, name, model)
    return Quantity(name, (0.0, HIGHEST), cost, resampled=near, direction="lower")


_FITTED = {
    "binormal_auc": _area("binormal"),
    "proper_auc": _area("proper"),
    "saec": _cost("saec", "binormal"),
    "saec_proper": _cost("saec_proper", "proper"),
    "saec_hull": _cost("saec_hull", "hull"),
}
