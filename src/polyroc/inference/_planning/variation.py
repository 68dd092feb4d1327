"""How much each class contributes to a variance: Var = Σ_k c_k/n_k for n_k cases of class k.

In a pilot c_k is the variance of the influence values within class k; of two models on the same
cases, that of their difference.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.inference._edge import ExtraMass, extra_mass
from polyroc.inference._estimates import options_of
from polyroc.inference._influence import CaseDesign, contributions
from polyroc.metrics.declaration import Metric
from polyroc.metrics.measure import CaseStatistics, Measured, measure
from polyroc.metrics.question import NO_VARIATION, Influence
from polyroc.predictions import Predictions
from polyroc.typing import Float64Array, Label, PriorsLike

FEW_CASES = 10
"""Fewer cases of a class in a pilot say little about its variance."""


@dataclass(frozen=True, eq=False)
class Variation:
    """An assumed value, and what each class contributes to its variance."""

    classes: tuple[Label, ...]
    value: float
    variances: Float64Array
    """c_k."""
    words: tuple[str, ...]
    """Where they come from."""
    range: tuple[float, float] | None = None
    """Of the metric, whose intervals are on the logit scale; None: on the plain scale."""
    null: Float64Array | None = None
    """c_k in the critical value of a test, where its variance is that of equal models."""
    shares: Float64Array | None = None
    """Of the classes in the pilot."""
    models: tuple[str, str] | None = None
    extra: ExtraMass | None = None
    """Of the intervals of ``evaluate`` near the end of the range, at the value of the pilot."""

    def at(self, value: float) -> "Variation":
        """The same for another value; within a range, variances follow (θ − lowest)(highest − θ).

        So the number of independent yes-or-no answers that would vary as much stays the same.
        """
        if self.range is None:
            return replace(self, value=value)
        low, high = self.range
        scale = (value - low) * (high - value) / ((self.value - low) * (high - self.value))
        words = (*self.words, "times θ(1 − θ) at the value assumed over that of the pilot")
        variances = scale * self.variances
        return replace(self, value=value, variances=variances, words=words)

    def with_shares(self, shares: Float64Array) -> Self:
        """The same, with the shares of a pilot."""
        return replace(self, shares=shares)

    def null_variances(self, against: float) -> Float64Array | None:
        """c_k in the critical value of a test against a value; None: those of the value itself."""
        del against
        return self.null


@dataclass(frozen=True, eq=False)
class Obuchowski(Variation):
    """Obuchowski's variance of one AUC in the binormal model, at the null and at the value."""

    @classmethod
    def of(cls, classes: tuple[Label, ...], value: float, words: tuple[str, ...]) -> "Obuchowski":
        """For an AUC."""
        if not 0 < value < 1:
            raise NotDefined(
                f"Obuchowski's variance does not exist at an AUC of {value:g}. Plan for a value "
                "between 0 and 1."
            )
        return cls(classes, value, obuchowski_variances(value), words)

    def at(self, value: float) -> "Obuchowski":
        """The variance follows the value."""
        return replace(self, value=value, variances=obuchowski_variances(value))

    def null_variances(self, against: float) -> Float64Array:
        """Those at the value tested against."""
        return obuchowski_variances(against)


def obuchowski_variances(auc: float) -> Float64Array:
    """c of the negative and of the positive class: v(θ)/n₁ = c₁/n₁ + c₀/n₀."""
    from scipy.special import ndtri

    separation = 1.414 * float(ndtri(auc))
    size = 0.0099 * np.exp(-(separation**2) / 2)
    return np.array([size * (separation**2 + 8), size * (5 * separation**2 + 8)])


def of_pilot(predictions: Predictions, metric: Metric, priors: PriorsLike | None) -> Variation:
    """Of one model's metric."""
    statistics, asked = CaseStatistics(predictions), (metric, options_of(metric, priors))
    found = _measured(statistics, asked)
    variances = class_variances(predictions, _influence(found))
    return Variation(
        predictions.classes,
        found.value,
        _varying(variances, found),
        (f"variances from the {len(predictions):,} cases of the pilot", *_doubts(predictions)),
        range=(metric.lowest, metric.highest),
        shares=predictions.class_counts / len(predictions),
        extra=extra_mass(statistics, asked, found),
    )


def of_paired_pilot(
    pilot: Mapping[str, Predictions], metric: Metric, priors: PriorsLike | None, equal: bool
) -> Variation:
    """Of the difference between two models; ``equal``: tested by the variance of equal models."""
    names, (first, second) = _two(pilot)
    _check_same_cases(names, first, second)
    asked = metric, options_of(metric, priors)
    a, b = (_measured(CaseStatistics(each), asked) for each in (first, second))
    moved_a, moved_b = _influence(a), _influence(b)
    apart = replace(moved_a, cases=moved_a.cases - moved_b.cases)
    variances = class_variances(first, apart)
    if float(variances.sum()) <= (NO_VARIATION * apart.scale) ** 2:
        raise NotDefined(
            f"{names[0]} and {names[1]} agree on every case of the pilot, so there is no variance "
            "to plan with. Pass models that differ."
        )
    null = _null_variances(first, moved_a, moved_b, variances) if equal else None
    return Variation(
        first.classes,
        a.value - b.value,
        variances,
        (
            f"variances of the difference from the {len(first):,} cases of the pilot",
            *_doubts(first),
        ),
        null=null,
        shares=first.class_counts / len(first),
        models=names,
    )


def class_variances(predictions: Predictions, influence: Influence) -> Float64Array:
    """c_k: the number of cases of class k times their part of the variance."""
    moved = contributions(predictions, [influence], CaseDesign())[:, 0]
    parts = np.bincount(predictions.codes, moved**2, predictions.n_classes)
    return np.asarray(predictions.class_counts * parts)


def _null_variances(
    predictions: Predictions, first: Influence, second: Influence, apart: Float64Array
) -> Float64Array:
    """c_k of 2 Var₁ − 2 Cov = Var₁ − Var₂ + Var(difference): both models vary as the first."""
    own, other = (class_variances(predictions, each) for each in (first, second))
    null: Float64Array = own - other + apart
    if not null.sum() > 0:
        raise NotDefined(
            'method="delong" takes the first model\'s variance for both, and that of a difference '
            'is then not positive. Name the other model first, or use method="influence".'
        )
    return null


def _two(pilot: Mapping[str, Predictions]) -> tuple[tuple[str, str], tuple[Predictions, ...]]:
    if len(pilot) != 2:
        raise InvalidInput(f"A paired pilot names two models, got {len(pilot)}. Choose two.")
    for name, each in pilot.items():
        if not isinstance(each, Predictions):
            raise InvalidType(
                f"The pilot of {shown(name)} must be Predictions, got {type(each).__name__}. Pass "
                "Predictions(y_true, scores)."
            )
    first, second = (str(name) for name in pilot)
    return (first, second), tuple(pilot.values())


def _check_same_cases(names: tuple[str, str], first: Predictions, second: Predictions) -> None:
    same = (
        first.classes == second.classes
        and np.array_equal(first.codes, second.codes)
        and np.array_equal(first.case_weights, second.case_weights)
    )
    if not same:
        raise InvalidInput(
            f"{names[0]} and {names[1]} have different cases: their classes, true classes or "
            "weights differ. A paired pilot needs both models on the same cases, in the same order."
        )


def _measured(statistics: CaseStatistics, asked: tuple[Metric, Mapping[str, Any]]) -> Measured:
    predictions, (found,) = statistics.predictions, measure(statistics, [asked])
    if found.reason is not None:
        raise NotDefined(found.reason)
    alone = np.flatnonzero(predictions.class_counts <= 1)
    if alone.size:
        label = shown(predictions.classes[alone[0]])
        raise NotDefined(
            f"Class {label} has one case in the pilot, which does not show how cases of {label} "
            "vary. Pass a pilot with two or more cases of each class."
        )
    return found


def _influence(found: Measured) -> Influence:
    influence = found.influence
    if influence is None or influence.reason is not None:
        reason = "" if influence is None else f": {influence.reason}"
        raise NotDefined(f"{found.metric.name} has no influence values in this pilot{reason}.")
    return influence


def _varying(variances: Float64Array, found: Measured) -> Float64Array:
    if float(np.sqrt(variances.sum())) <= NO_VARIATION * _influence(found).scale:
        raise NotDefined(
            f"Every case of the pilot agrees on {found.metric.name} = {found.value:.4g}, so there "
            "is no variance to plan with. Pass a larger pilot, or pair_auc=."
        )
    return variances


def _doubts(predictions: Predictions) -> tuple[str, ...]:
    """What to be careful about in a pilot: folds that are not told apart, few cases."""
    pooled = ("the cases of all folds of the pilot are taken together",)
    few = [
        f"{label} ({count})"
        for label, count in zip(predictions.classes, predictions.class_counts, strict=True)
        if count < FEW_CASES
    ]
    rough = (f"rough: fewer than {FEW_CASES} cases in the pilot of {', '.join(few)}",)
    return (*(pooled if predictions.folds is not None else ()), *(rough if few else ()))
