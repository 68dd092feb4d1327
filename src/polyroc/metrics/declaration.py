"""What a metric declares of itself, and how it is asked for its value and influence values.

The declarations drive the reference page, the tables of properties and the tests that run over
every metric: what is claimed here is tested there, and what is denied has a counterexample there.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from polyroc.errors import NotDefined
from polyroc.predictions import Predictions
from polyroc.predictions._scores import SUM_TOLERANCE
from polyroc.statistics.tuples import Drawn
from polyroc.typing import Float64Array, FloatArray


class Property(Enum):
    """Changes that leave a metric as it is, or classifiers it must recognise."""

    PERFECT_ARGMAX = "is best as soon as every case's highest score is that of its own class"
    SKEW = "does not depend on how frequent the classes are"
    COLUMN_MONOTONE = "depends only on the order of the scores within each column"
    ROW_SHIFT = "does not change when a number is added to all scores of a case"
    COMMON_SCALE = "does not change when all scores are multiplied by one positive number"


@dataclass(frozen=True)
class Influence:
    """How much each case moves the metric.

    ``cases`` holds φ_i = n_k ∂θ/∂w_i at fixed priors, n_k the weight of the case's class; its
    weighted mean is 0 within each class. ``priors`` holds D_k = ∂θ/∂π_k for a metric that depends
    on the priors of the sample, else None. The derivative by the weight of a case of class k is
    φ_i / n_k + (D_k − Σ_j π_j D_j) / n. Where the metric has no derivative the values are NaN, and
    ``reason`` says why. ``drawn`` are the random tuples that the values were estimated from, if
    any: their squares hold the noise of the draw. ``scale`` is the size of the numbers whose
    differences the values are: far below it there is nothing but rounding.
    """

    cases: Float64Array
    priors: Float64Array | None = None
    reason: str | None = None
    drawn: Drawn | None = None
    scale: float = 1.0

    @classmethod
    def undefined(cls, predictions: Predictions, reason: str) -> "Influence":
        """No derivative here."""
        return cls(np.full(len(predictions), np.nan), reason=reason)


class Classes(NamedTuple):
    """Numbers of classes that a metric allows."""

    least: int = 2
    most: int | None = None

    def __contains__(self, n_classes: object) -> bool:
        return (
            isinstance(n_classes, int)
            and n_classes >= self.least
            and (self.most is None or n_classes <= self.most)
        )

    def __str__(self) -> str:
        if self.most is None:
            return "any" if self.least == 2 else f"≥ {self.least}"
        return str(self.least) if self.least == self.most else f"{self.least}–{self.most}"


ANY_NUMBER = Classes()


class Occasion(NamedTuple):
    """What decides which metrics belong to an evaluation that names none."""

    n_classes: int
    n_cases: int
    one_sum: bool = True
    """Whether the scores of every case have the same sum, as those of probabilities do."""
    n_evaluations: int = 1
    """How often a metric is computed: the replicates of a bootstrap, for instance."""

    @classmethod
    def of(cls, predictions: Predictions, n_evaluations: int = 1) -> "Occasion":
        """For these predictions."""
        n_classes = predictions.n_classes
        one_sum = n_classes > 2 or predictions.are_probabilities or _one_sum(predictions.scores)
        return cls(n_classes, len(predictions), one_sum, n_evaluations)


def _one_sum(scores: FloatArray) -> bool:
    sums = scores.sum(axis=1, dtype=np.float64)
    return float(np.ptp(sums)) <= SUM_TOLERANCE * max(1.0, float(np.abs(scores).max()))


class Repeats(NamedTuple):
    """With so many classes, a metric is a function of others and tells nothing new."""

    n_classes: int
    others: tuple[str, ...]
    one_sum: bool = False
    """Only where the scores of every case have the same sum."""

    def holds(self, occasion: Occasion) -> bool:
        """Whether it does here."""
        return occasion.n_classes == self.n_classes and (occasion.one_sum or not self.one_sum)


class Affordable(NamedTuple):
    """Up to where a metric is computed without being asked for."""

    most_classes: int
    most_cases: float = math.inf
    most_pairs: float = math.inf
    """Of the squared number of cases times the number of evaluations."""

    def holds(self, occasion: Occasion) -> bool:
        """Whether it is affordable here."""
        pairs = occasion.n_cases**2 * occasion.n_evaluations
        within = occasion.n_classes <= self.most_classes and occasion.n_cases <= self.most_cases
        return within and pairs <= self.most_pairs


THREE_CLASSES = Affordable(most_classes=3, most_cases=3000, most_pairs=2e8)
"""Of O(n²) for three classes: half a second for 3,000 cases, or for a bootstrap of 300."""


@dataclass(frozen=True)
class Chance:
    """Value of a metric for K classes when the scores say nothing about the class."""

    formula: str
    at: Callable[[int], float] = field(repr=False)

    def __call__(self, n_classes: int) -> float:
        return self.at(n_classes)


HALF = Chance("½", lambda _: 0.5)
NOTHING = Chance("0", lambda _: 0.0)
ONE_OF_K = Chance("1/K", lambda n_classes: 1 / n_classes)
ONE_ORDER = Chance("1/K!", lambda n_classes: 1 / math.factorial(n_classes))


@dataclass(frozen=True)
class Metric:
    """A metric: its name and function, its claims, and how to compute it from predictions."""

    name: str
    function: Callable[..., float]
    """The public function of labels and scores."""
    formula: Callable[..., float] = field(repr=False)
    """The same as a function of predictions."""
    linearise: Callable[..., Influence] = field(repr=False)
    title: str
    symbol: str
    statistic: str
    reference: str
    complexity: str
    chance: Chance | None
    """Value when scores say nothing about the class; None if that depends on the scores."""
    properties: frozenset[Property] = frozenset()
    lowest: float = 0.0
    highest: float = 1.0
    classes: Classes = ANY_NUMBER
    instead: str | None = None
    """The metric to use for other numbers of classes."""
    needs_probabilities: bool = False
    prior_weighted: bool = False
    affordable: Affordable | None = None
    """Up to where it belongs to an evaluation that names no metrics; None: always."""
    repeats: tuple[Repeats, ...] = ()
    """Where it gives no number of its own."""

    def by_default(self, occasion: Occasion) -> bool:
        """Whether it belongs to an evaluation that names no metrics.

        It does if it is defined for this number of classes, is affordable for these cases, and is
        not a function of other metrics.
        """
        return (
            occasion.n_classes in self.classes
            and (self.affordable is None or self.affordable.holds(occasion))
            and not any(each.holds(occasion) for each in self.repeats)
        )

    def __reduce__(self) -> Any:
        """A registered metric is pickled by name: its formula has no name of its own."""
        from polyroc.metrics.registry import registered

        return registered(self) or super().__reduce__()

    def value(self, predictions: Predictions, **options: Any) -> float:
        """θ for these predictions."""
        self._check(predictions)
        value = float(self.formula(predictions, **options))
        # Rounding, and rows that sum to 1 only nearly, must not carry a value out of its range.
        return min(max(value, self.lowest), self.highest)

    def influence(self, predictions: Predictions, **options: Any) -> Influence:
        """Influence values for these predictions."""
        self._check(predictions)
        return self.linearise(predictions, **options)

    def _check(self, predictions: Predictions) -> None:
        if predictions.n_classes not in self.classes:
            raise NotDefined(
                f"{self.name} is defined for {self.classes} classes, but there are "
                f"{predictions.n_classes}. Use {self.instead}, which is defined for any number."
            )
        if self.needs_probabilities:
            predictions.probabilities(self.name)

    @property
    def summary(self) -> str:
        """First line of the function's docstring."""
        return (self.function.__doc__ or "").strip().splitlines()[0]
