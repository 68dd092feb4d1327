"""What a statistic is asked, and what it answers: values, gradients, influence values of cases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polyroc.predictions import Predictions
from polyroc.statistics.mixture import Mixture
from polyroc.statistics.statistic import Drawn, Need, Statistic
from polyroc.typing import Float64Array

if TYPE_CHECKING:
    from polyroc.metrics.declaration import Metric

NO_VARIATION = 1e-12
"""Standard errors up to this share of the scale of influence values are rounding: every case agrees
on the value."""


@dataclass(frozen=True)
class Influence:
    """How much each case moves the metric.

    ``cases`` holds φ_i = n_k ∂θ/∂w_i at fixed priors, n_k the weight of the case's class; its
    weighted mean is 0 within each class. ``priors`` holds D_k = ∂θ/∂π_k for a metric that depends
    on the priors of the sample, else None. The derivative by the weight of a case of class k is
    φ_i / n_k + (D_k − Σ_j π_j D_j) / n; ``through_priors`` holds the second term for each case
    where folds have priors of their own. Where the metric has no derivative the values are NaN, and
    ``reason`` says why. ``drawn`` are the random tuples that the values were estimated from, if
    any: their squares hold the noise of the draw. ``scale`` is the size of the numbers whose
    differences the values are: far below it there is nothing but rounding. ``slope`` is the
    derivative by the statistic that the values were carried from.
    """

    cases: Float64Array
    priors: Float64Array | None = None
    reason: str | None = None
    through_priors: Float64Array | None = field(default=None, kw_only=True)
    drawn: Drawn | None = None
    scale: float = 1.0
    slope: Any = None

    @classmethod
    def undefined(cls, cases: Predictions | Mixture, reason: str) -> "Influence":
        """No derivative here."""
        return cls(np.full(len(cases), np.nan), reason=reason)


class NoDerivative(Exception):
    """The metric has a corner at this statistic; the message says where."""


class Gradient(NamedTuple):
    """Derivatives of a metric at a statistic."""

    of_statistic: Any
    """By what the statistic holds, in the form that its ``carry`` takes."""
    priors: Float64Array | None = None
    """D_k = ∂θ/∂π_k where the metric uses the priors of the sample."""
    scale: float = 1.0


@dataclass(frozen=True)
class Question:
    """A metric with its options, checked against some classes: what a statistic is asked."""

    metric: "Metric"
    need: Need
    options: Mapping[str, Any] = field(default_factory=dict)
    priors: Float64Array | None = None

    def value(self, statistic: Statistic) -> float:
        """θ at a statistic, whoever made it."""
        return self.metric.at(statistic.with_priors(self.priors), **self.options)

    def fault(self, statistic: Statistic) -> str | None:
        """What is wrong with θ at a statistic, if anything: then it is no estimate."""
        fault = self.metric.fault
        return None if fault is None else fault(statistic, **self.options)

    def gradient(self, statistic: Statistic) -> Gradient:
        """The derivatives of θ at a statistic."""
        return self.metric.gradient(statistic.with_priors(self.priors), **self.options)


def influences(
    questions: Sequence[Question], statistic: Statistic, cases: Predictions | Mixture
) -> list[Influence]:
    """Influence values of cases on several metrics of one statistic, in one pass over the cases."""
    found: list[Gradient | NoDerivative] = []
    for question in questions:
        try:
            found.append(question.gradient(statistic))
        except NoDerivative as reason:
            found.append(reason)
    slopes = [each for each in found if isinstance(each, Gradient)]
    carry = statistic.carry_mixture if isinstance(cases, Mixture) else statistic.carry
    carried = iter(carry(cases, [each.of_statistic for each in slopes]))  # type: ignore[arg-type]
    return [
        Influence.undefined(cases, str(each))
        if isinstance(each, NoDerivative)
        else Influence(
            next(carried),
            each.priors,
            drawn=statistic.drawn(each.of_statistic),
            scale=each.scale,
            slope=each.of_statistic,
        )
        for each in found
    ]
