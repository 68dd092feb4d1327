"""What a metric is: a formula over a statistic, its gradient, and what it declares of itself.

The declarations drive the reference page, the tables of properties and the tests that run over
every metric: what is claimed here is tested there, and what is denied has a counterexample there.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from importlib import import_module
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from polyroc.errors import NotDefined
from polyroc.metrics.folds import FoldStatistics
from polyroc.metrics.question import Gradient, Influence, Question, influences
from polyroc.predictions import Predictions
from polyroc.predictions._scores import SUM_TOLERANCE
from polyroc.statistics.statistic import Need, Statistic
from polyroc.typing import FloatArray


class Property(Enum):
    """Changes that leave a metric as it is, or classifiers it must recognise."""

    PERFECT_ARGMAX = "is best as soon as every case's highest score is that of its own class"
    SKEW = "does not depend on how frequent the classes are"
    COLUMN_MONOTONE = "depends only on the order of the scores within each column"
    ROW_SHIFT = "does not change when a number is added to all scores of a case"
    COMMON_SCALE = "does not change when all scores are multiplied by one positive number"


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
    with np.errstate(over="ignore", invalid="ignore"):  # sums beyond the largest float are not one
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


ON_REQUEST = Affordable(most_classes=0)
"""Never computed without being asked for."""


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


Direction = Literal["higher", "lower"]


def _plain_question(metric: "Metric", predictions: Predictions, **options: Any) -> Question:
    """The options go to the formula; given priors take the place of those of the sample."""
    priors = options.pop("priors", None) if metric.prior_weighted else None
    resolved = None if priors is None else predictions.priors_or(priors)
    return Question(metric, Need(metric.statistic), options, resolved)


@dataclass(frozen=True)
class Metric:
    """A metric: a formula over a statistic, its gradient, and its claims."""

    name: str
    statistic: type[Statistic]
    value: Callable[..., float] = field(repr=False)
    """Statistic, options → θ."""
    gradient: Callable[..., Gradient] = field(repr=False)
    """Statistic, options → derivatives of θ."""
    title: str
    symbol: str
    reference: str
    complexity: str
    chance: Chance | None
    """Value when scores say nothing about the class; None if that depends on the scores."""
    direction: Direction = "higher"
    """Whether a higher or a lower value is better."""
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
    fault: Callable[..., str | None] | None = field(repr=False, default=None)
    """Statistic, options → what is wrong with θ, or None: for metrics of curves that are fitted."""
    ask: Callable[..., Question] = field(repr=False, default=_plain_question)
    """Metric, predictions, options → question; by default all options go to the formula."""

    @property
    def sign(self) -> int:
        """1 if a higher value is better and −1 if a lower one is: sign · θ is higher if better."""
        return 1 if self.direction == "higher" else -1

    @property
    def of_sizes(self) -> bool:
        """Whether the sizes of probabilities matter, not only what they rank or decide."""
        ranks_or_decides = Property.COMMON_SCALE, Property.PERFECT_ARGMAX
        return self.needs_probabilities and self.properties.isdisjoint(ranks_or_decides)

    def best(self, values: ArrayLike) -> float:
        """The best of some values, leaving out NaN; NaN if there are no others."""
        known = self.sign * np.asarray(values, dtype=np.float64)
        return self.sign * float(np.fmax.reduce(known, axis=None, initial=np.nan))

    def worse_than_guessing(self, low: float, high: float, n_classes: int) -> bool:
        """Whether an interval is, as a whole, worse than the value of guessing."""
        if self.chance is None:
            return False
        chance = self.chance(n_classes)
        return high < chance if self.direction == "higher" else low > chance

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

    def question(self, predictions: Predictions, **options: Any) -> Question:
        """The metric with its options, checked against the cases."""
        self.check_classes(predictions.n_classes)
        if self.needs_probabilities:
            predictions.probabilities(self.name)
        return self.ask(self, predictions, **options)

    def at(self, statistic: Statistic, **options: Any) -> float:
        """θ at a statistic, whoever made it."""
        self.check_classes(statistic.n_classes)
        value = float(self.value(statistic, **options))
        # Rounding, and rows that sum to 1 only nearly, must not carry a value out of its range.
        return min(max(value, self.lowest), self.highest)

    def of(self, predictions: Predictions, **options: Any) -> float:
        """θ of cases; where they have folds, the mean over folds."""
        question = self.question(predictions, **options)
        if predictions.folds is not None:
            return FoldStatistics(predictions).value(question)
        return question.value(question.need.of(predictions))

    def influence(self, predictions: Predictions, **options: Any) -> Influence:
        """Influence values of cases."""
        question = self.question(predictions, **options)
        return influences([question], question.need.of(predictions), predictions)[0]

    def check_classes(self, n_classes: int) -> None:
        """An error if the metric is not defined for so many classes."""
        if n_classes not in self.classes:
            raise NotDefined(
                f"{self.name} is defined for {self.classes} classes, but there are "
                f"{n_classes}. Use {self.instead}, which is defined for any number."
            )

    @property
    def function(self) -> Callable[..., float]:
        """The public function of labels and scores."""
        public: Callable[..., float] = getattr(import_module("polyroc.metrics"), self.name)
        return public

    @property
    def summary(self) -> str:
        """First line of the function's docstring."""
        return (self.function.__doc__ or "").strip().splitlines()[0]

    def __reduce__(self) -> tuple[Any, ...]:
        return _registered, (self.name,)


def _registered(name: str) -> Metric:
    metric: Metric = import_module("polyroc.metrics").registry[name]
    return metric
