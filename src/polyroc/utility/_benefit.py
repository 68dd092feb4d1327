"""What strategies gain at each of several thresholds or costs: curves with bands, frozen."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polyroc._base.checks import shown
from polyroc._base.levels import check_level, two_sided_quantile
from polyroc._base.sums import sum_by_class
from polyroc.errors import UnknownName
from polyroc.typing import Float64Array, IntArray

if TYPE_CHECKING:
    import pandas as pd


EQUAL = 1e-12
"""Sums that differ by less, for the size of their terms, are equal."""


class BenefitDifference(NamedTuple):
    """Benefit of one strategy minus that of another, on the same cases, at each position."""

    difference: Float64Array
    standard_error: Float64Array
    low: Float64Array
    high: Float64Array
    p_value: Float64Array


class BestStrategy(NamedTuple):
    """The best strategy over a range of positions, and whether that is more than chance."""

    start: float
    end: float
    strategy: str
    clear: bool
    """Whether the intervals of its differences to all other strategies lie above 0."""


@dataclass(frozen=True, eq=False, repr=False)
class BenefitCurves:
    """Mean benefit of each strategy at each position, with what is needed for intervals.

    Attributes
    ----------
    position : what the positions are: ``"threshold"``, or the name given to the costs.
    positions : (T,).
    strategies : names: models, then the strategies that do not look at the case.
    n_models : how many of them are models.
    values : (S, T) mean benefit per case.
    covariances : (T, S, S) of the values of the strategies, from paired influence values.
    degrees_of_freedom : independent cases or groups, minus one.
    constants : what the strategy that ignores the case is at each position, where it varies.
    """

    position: str
    positions: Float64Array
    strategies: tuple[str, ...]
    n_models: int
    values: Float64Array
    covariances: Float64Array
    degrees_of_freedom: float
    constants: tuple[Any, ...] = ()

    @property
    def standard_errors(self) -> Float64Array:
        """(S, T) of the values."""
        return np.asarray(np.sqrt(np.diagonal(self.covariances, axis1=1, axis2=2).T))

    def value(self, strategy: str) -> Float64Array:
        """(T,) benefit of a strategy."""
        return np.asarray(self.values[self._place(strategy)])

    def difference(self, a: str, b: str, level: float = 0.95) -> BenefitDifference:
        """Benefit of strategy a less that of b, at each position by itself."""
        from scipy.special import stdtr

        i, j = self._place(a), self._place(b)
        moved, spread = self.values[i] - self.values[j], self.covariances
        variance = spread[:, i, i] + spread[:, j, j] - 2 * spread[:, i, j]
        error = np.sqrt(np.where(variance <= 1e-14 * spread[:, i, i], 0, variance))
        reach = two_sided_quantile(level, self.degrees_of_freedom) * error
        ratio = np.divide(-np.abs(moved), error, out=np.full(len(moved), np.nan), where=error > 0)
        p_value = 2 * stdtr(self.degrees_of_freedom, ratio)
        return BenefitDifference(moved, error, moved - reach, moved + reach, p_value)

    def where(self, level: float = 0.95) -> list[BestStrategy]:
        """Which strategy is best, where: ranges of positions, in order; the first of equals."""
        check_level(level)
        best, clear = self._best(), np.ones(len(self.positions), dtype=bool)
        for i, name in enumerate(self.strategies):
            for other in self.strategies:
                if other != name:
                    low = self.difference(name, other, level).low
                    clear &= (best != i) | (low > self._rounding)
        ranges: list[BestStrategy] = []
        for x, i, sure in zip(self.positions.tolist(), best.tolist(), clear.tolist(), strict=True):
            found = BestStrategy(x, x, self.strategies[i], sure)
            if ranges and ranges[-1][2:] == found[2:]:
                found = ranges.pop()._replace(end=x)
            ranges.append(found)
        return ranges

    def frame(self, level: float = 0.95) -> "pd.DataFrame":
        """A row per strategy and position: strategy, position, benefit, standard_error, low, high.

        ``best`` says whether the strategy is the best of all there. The column of positions has
        the name of what they are.
        """
        import pandas as pd

        errors, best = self.standard_errors, self._best()
        reach = two_sided_quantile(level, self.degrees_of_freedom) * errors
        rows = [
            {
                "strategy": name,
                self.position: self.positions[t],
                "benefit": self.values[i, t],
                "standard_error": errors[i, t],
                "low": self.values[i, t] - reach[i, t],
                "high": self.values[i, t] + reach[i, t],
                "best": bool(best[t] == i),
            }
            for i, name in enumerate(self.strategies)
            for t in range(len(self.positions))
        ]
        return pd.DataFrame(rows)

    def differences(self, level: float = 0.95) -> "pd.DataFrame":
        """A row per pair of models and position: difference, standard_error, low, high, p_value."""
        import pandas as pd

        models, rows = self.strategies[: self.n_models], []
        for i, a in enumerate(models):
            for b in models[i + 1 :]:
                found = self.difference(a, b, level)
                for t, x in enumerate(self.positions.tolist()):
                    numbers = {name: float(value[t]) for name, value in found._asdict().items()}
                    rows.append({"model_a": a, "model_b": b, self.position: x, **numbers})
        names = ["model_a", "model_b", self.position, *BenefitDifference._fields]
        return pd.DataFrame(rows, columns=names)

    @property
    def _rounding(self) -> Float64Array:
        """(T,) differences that are none, for the size of what was summed at each position."""
        spread = np.nan_to_num(self.standard_errors) * math.sqrt(self.degrees_of_freedom + 1)
        return np.asarray(EQUAL * (np.abs(self.values) + spread).max(axis=0))

    def _best(self) -> IntArray:
        """(T,) place of the best strategy; of equals the first."""
        equal = self.values >= self.values.max(axis=0) - self._rounding
        return np.asarray(np.argmax(equal, axis=0))

    def _place(self, strategy: str) -> int:
        if strategy not in self.strategies:
            names = ", ".join(self.strategies)
            raise UnknownName(f"{shown(strategy)} is not a strategy. There are {names}.")
        return self.strategies.index(strategy)

    def __repr__(self) -> str:
        return "\n".join(f"{self.position} {_in_words(each)}" for each in self.where())


def _in_words(found: BestStrategy) -> str:
    """A range, or a single position, and what is best there."""
    alone = found.start == found.end
    place = f"{found.start:g}" if alone else f"{found.start:g} to {found.end:g}"
    return f"{place}: {found.strategy}{'' if found.clear else ' (not clearly)'}"


def mean_and_covariance(
    benefits: Float64Array, weights: Float64Array, groups: Any
) -> tuple[Float64Array, Float64Array]:
    """Weighted means of benefits (S, n), and their covariance from independent units.

    Examples
    --------
    >>> mean_and_covariance(np.array([[0.0, 1.0, 2.0]]), np.ones(3), None)
    (array([1.]), array([[0.33333333]]))
    """
    total = weights.sum()
    means = np.array([float(weights @ row) for row in benefits]) / total
    parts = (benefits - means[:, None]) * (weights / total)
    if groups is not None:
        numbers = np.unique(groups, return_inverse=True)[1]
        n_groups = int(numbers.max()) + 1
        parts = np.array([sum_by_class(numbers, row, n_groups) for row in parts])
    n = parts.shape[1]
    factor = n / (n - 1) if n > 1 else math.nan
    return means, np.asarray(parts @ parts.T * factor)
