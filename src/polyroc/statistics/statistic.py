"""What all statistics share.

A statistic is a frozen value: a few sums or means over the cases, by class. Metrics are formulas
over one statistic and do not know who made it: the cases in memory (``of``), a bootstrap replicate,
a summary of a stream (once for its lower and once for its upper bound) or a graphics card. Where
sums have a meaning, statistics of disjoint sets of cases add.

A statistic also carries derivatives back to the cases: given the derivative of a metric by what the
statistic holds, ``carry`` returns the influence value φ_i = n_k ∂θ/∂w_i of every case, at fixed
priors. Several gradients are carried in one pass over the cases.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from polyroc.predictions import Predictions
from polyroc.predictions._weights import shares
from polyroc.statistics.mixture import Mixture
from polyroc.typing import Float64Array, Label


@dataclass(frozen=True, kw_only=True, eq=False)
class Statistic:
    """Base of all statistics: the classes, their weights and the priors that metrics use."""

    classes: tuple[Label, ...]
    weights: Float64Array
    """Weight of each class: n_k where cases are not weighted."""
    given_priors: Float64Array | None = None
    """Priors in place of the shares of the weights."""

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    @classmethod
    def of(cls, predictions: Predictions, *args: Any, **options: Any) -> Self:
        """The statistic of cases in memory."""
        raise NotImplementedError

    @classmethod
    def of_carried(cls, predictions: Predictions, **options: Any) -> Self:
        """The same where influence values will be asked for, some of which may be found along."""
        return cls.of(predictions, **options)

    def carry(self, predictions: Predictions, gradients: Sequence[Any]) -> list[Float64Array]:
        """Influence values of the cases, for each gradient."""
        raise NotImplementedError

    @classmethod
    def of_mixture(cls, mixture: Mixture, **options: Any) -> Self:
        """The statistic of classes that are shrunken towards a pool of cases."""
        return cls.of(mixture.written_out(), **options)

    def carry_mixture(self, mixture: Mixture, gradients: Sequence[Any]) -> list[Float64Array]:
        """Influence values of the cases, then of the pool as cases of every class."""
        return self.carry(mixture.written_out(), gradients)

    def drawn(self, gradient: Any) -> "Drawn | None":
        """The random tuples that influence values are estimated from, if they are."""
        del gradient
        return None

    @property
    def n_classes(self) -> int:
        """K."""
        return len(self.classes)

    @property
    def priors(self) -> Float64Array:
        """Priors of the classes: those given, or the shares in the sample."""
        return shares(self.weights) if self.given_priors is None else self.given_priors

    def with_priors(self, priors: Float64Array | None) -> Self:
        """The same statistic for other priors; None leaves it as it is."""
        return self if priors is None else replace(self, given_priors=priors)


class Need(NamedTuple):
    """Which statistic a metric needs, and with which options it is made from cases."""

    statistic: type[Statistic]
    options: tuple[tuple[str, Any], ...] = ()

    def covers(self, other: "Need") -> bool:
        """Whether its statistic holds all that the other one does."""
        return self.statistic is other.statistic and set(self.options) >= set(other.options)

    def of(self, cases: Predictions | Mixture, carried: bool = False) -> Statistic:
        """The statistic of these cases, ``carried`` where influence values will be asked for."""
        options = dict(self.options)
        if isinstance(cases, Mixture):
            return self.statistic.of_mixture(cases, **options)
        made = self.statistic.of_carried if carried else self.statistic.of
        return made(cases, **options)


class Drawn(NamedTuple):
    """Random tuples: their cases (B, K), and the credit of each."""

    tuples: NDArray[np.intp]
    credit: Float64Array

    @property
    def value(self) -> float:
        """Their mean credit."""
        return float(self.credit.mean())

    @property
    def deviations(self) -> Float64Array:
        """Credit less its mean."""
        return np.asarray(self.credit - self.credit.mean())

    def pull(self, n_cases: int) -> Float64Array:
        """For each case the sum of the deviations of the tuples that hold it, over their number."""
        deviations = np.repeat(self.deviations, self.tuples.shape[1])
        sums = np.bincount(self.tuples.ravel(), deviations, n_cases)
        return np.asarray(sums / len(self.credit))
