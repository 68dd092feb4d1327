"""Power of a planned reader study from the variance components of a pilot.

Hillis & Berbaum (Academic Radiology 11, 2004), in the form of Hillis, Obuchowski & Berbaum
(Academic Radiology 18, 2011). With c₀ cases in the pilot and c planned, in the same class shares,
Var(ε) and the covariances shrink by c₀/c while Var(T·R) stays. A negative Var(T·R) counts as 0.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from polyroc._base.checks import check_choice, is_real, shown, whole_number
from polyroc._base.levels import check_level, two_sided_quantile
from polyroc.errors import InvalidInput, NotDefined
from polyroc.inference._reader_study.analysis import RANDOM, ROUNDING, Random

MOST_CASES = 10**9
_TRIED = sorted({*(int(2 ** (step / 4)) for step in range(4, 120)), MOST_CASES})
"""Numbers of cases among which a plan is looked for: 2, then four to every doubling."""


@dataclass(frozen=True)
class Power:
    """Chance that a planned study finds a difference between two modalities.

    Attributes
    ----------
    power : of the two-sided test at ``level``, 0.95 for α = .05.
    readers, cases : planned.
    difference : true difference between the means of two modalities.
    random : what the test takes as random.
    noncentrality, df, ddf : of the distribution of its statistic.
    """

    power: float
    readers: int
    cases: int
    difference: float
    random: str
    level: float
    noncentrality: float
    df: int
    ddf: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; infinite degrees of freedom are None."""
        return {**vars(self), "ddf": None if math.isinf(self.ddf) else self.ddf}

    def __repr__(self) -> str:
        return (
            f"power {self.power:.4f} for a difference of {self.difference:g} with {self.readers} "
            f"readers and {self.cases} cases (random {self.random}, level {self.level:g})"
        )


@dataclass(frozen=True)
class Pilot:
    """What planning needs of a study."""

    components: Mapping[str, float]
    n_modalities: int
    cases: int

    def power(
        self, readers: int, cases: int, difference: float, random: Random, level: float
    ) -> Power:
        """Power for given numbers of readers and cases."""
        df, freedom = self.n_modalities - 1, (self.n_modalities - 1) * (readers - 1)
        expected, ddf = self._error(readers, self.cases / cases, random, freedom)
        noncentrality = readers * difference**2 / (2 * expected)
        found = _beyond_critical(level, df, ddf, noncentrality)
        return Power(found, readers, cases, difference, random, level, noncentrality, df, ddf)

    def _error(
        self, readers: int, shrink: float, random: Random, freedom: float
    ) -> tuple[float, float]:
        """Expected denominator of the test, and its degrees of freedom."""
        expected, ddf = self._expected(readers, shrink, random, freedom)
        if expected <= ROUNDING * shrink:
            raise NotDefined(
                "The pilot shows no variance of differences between modalities, so there is none "
                "to plan with. Pass a pilot whose readings vary more."
            )
        return expected, ddf

    def _expected(
        self, readers: int, shrink: float, random: Random, freedom: float
    ) -> tuple[float, float]:
        parts = self.components
        excess = max(parts["cov2"] - parts["cov3"], 0.0)
        own = parts["var_error"] - parts["cov1"]
        fixed = shrink * (own + (readers - 1) * excess)
        if random == "cases":
            return fixed, math.inf
        interaction = max(parts["var_tr"], 0.0) + shrink * max(own - excess, 0.0)
        if random == "readers":
            return interaction, freedom
        total = max(parts["var_tr"], 0.0) + fixed
        return total, freedom * (total / interaction) ** 2 if interaction else math.inf

    def interval(
        self, readers: int, cases: int, random: Random, level: float
    ) -> tuple[float, float]:
        """Half-width of the interval of a difference between two modalities, and its error."""
        freedom = (self.n_modalities - 1) * (readers - 1)
        expected, ddf = self._error(readers, self.cases / cases, random, freedom)
        error = math.sqrt(2 * expected / readers)
        return two_sided_quantile(level, ddf) * error, error

    def cases_for(self, readers: int, half_width: float, random: Random, level: float) -> int:
        """The fewest cases whose interval is so narrow."""

        def gain(cases: int) -> float:
            return -self.interval(readers, cases, random, level)[0]

        found, most = _fewest(gain, -half_width)
        if found is None:
            raise NotDefined(
                f"{readers} readers do not reach a half-width of {half_width:g} with any number of "
                f"cases: at least {-most:.4f}. Plan more readers, or a wider interval."
            )
        return found

    def cases_needed(
        self, readers: int, power: float, difference: float, random: Random, level: float
    ) -> Power:
        """The fewest cases that reach a power."""

        def at(cases: int) -> Power:
            return self.power(readers, cases, difference, random, level)

        found, most = _fewest(lambda cases: at(cases).power, power)
        if found is None:
            raise NotDefined(
                f"{readers} readers do not reach a power of {power:g} with any number of cases: at "
                f"most {most:.4f}. Plan more readers, or a larger difference."
            )
        return at(found)


def _fewest(gain: Callable[[int], float], wanted: float) -> tuple[int | None, float]:
    """The fewest cases that gain what is wanted, None if none do, and how much these or any gain.

    More cases can gain less: as they grow, Hillis' degrees of freedom fall to those of the readers,
    so that with two or three readers an interval first narrows and then widens. There is one best.
    """
    low, best, most = 1, 2, -math.inf
    for cases in _TRIED:
        gained = gain(cases)
        if gained >= wanted:
            return _first(gain, wanted, low, cases)
        best, most = (cases, gained) if gained > most else (best, most)
        low = cases
    below, above = best // 2, min(2 * best, MOST_CASES)
    best = _peak(gain, max(below, 2), above)
    return _first(gain, wanted, below, best) if gain(best) >= wanted else (None, gain(best))


def _first(gain: Callable[[int], float], wanted: float, low: int, high: int) -> tuple[int, float]:
    """Between cases that are too few and cases that are enough."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if gain(middle) >= wanted else (middle, high)
    return high, gain(high)


def _peak(gain: Callable[[int], float], low: int, high: int) -> int:
    """The cases that gain the most, of a gain that rises and then falls."""
    while high - low > 3:
        third = (high - low) // 3
        rising = gain(low + third) < gain(high - third)
        low, high = (low + third, high) if rising else (low, high - third)
    return max(range(low, high + 1), key=gain)


def _beyond_critical(level: float, df: int, ddf: float, noncentrality: float) -> float:
    """P(statistic > critical value) under the alternative."""
    from scipy.special import chdtri, chndtr, fdtri, ncfdtr

    if math.isinf(ddf):
        return float(1 - chndtr(chdtri(df, 1 - level), df, noncentrality))
    return float(1 - ncfdtr(df, ddf, noncentrality, fdtri(df, ddf, level)))


def check_plan(readers: Any, random: Any, level: float) -> int:
    """The number of readers, if it and the other options of a plan are possible."""
    check_choice(random, "random", RANDOM)
    check_level(level)
    return whole_number(readers, "readers", least=2)


def checked_difference(difference: Any) -> float:
    """A difference that a study can look for."""
    if not is_real(difference) or difference == 0:
        raise InvalidInput(
            f"difference must be a number other than 0, got {shown(difference)}. Name the "
            "difference between two modalities that the study should find."
        )
    return float(difference)
