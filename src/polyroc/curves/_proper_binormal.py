"""The proper binormal ROC curve: two normal densities, decisions on their likelihood ratio."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polyroc.curves._arc_length import arc_length
from polyroc.curves._binormal import best_point, check_slope, rising_root
from polyroc.errors import InvalidInput
from polyroc.typing import Float64Array


@dataclass(frozen=True)
class ProperBinormalCurve:
    """Proper binormal ROC curve of Metz and Pan, concave everywhere.

    With s = d_a √(1 + c²), for c ≠ 0 (Edwards & Metz 2007 eq. 20–22; Metz & Pan 1999)

        FPF = Φ(−(1 − c) v − s/2) + Φ(−(1 − c) v + s/(2c)) − [c > 0]
        TPF = Φ(−(1 + c) v + s/2) + Φ(−(1 + c) v + s/(2c)) − [c > 0]

    for v ≥ s/(4c) if c < 0 and v ≤ s/(4c) if c > 0; for c = 0 the second terms vanish. Limits:
    c = ±1 and d_a = ∞ are the perfect curve, c = d_a = 0 the diagonal.

    Examples
    --------
    >>> less, more = ProperBinormalCurve(c=0.51, d_a=0), ProperBinormalCurve(c=0, d_a=1.2)
    >>> print(f"{less.area:.7f} {less.saec:.7f}, {more.area:.7f} {more.saec:.7f}")
    0.8002398 0.2476362, 0.8019280 0.2493682
    """

    c: float
    d_a: float

    def __post_init__(self) -> None:
        checked_proper(self.c, self.d_a)

    @property
    def area(self) -> float:
        """1 − 2 T(d_a/√2, (1 − c²)/(2 abs(c))), T the function of Owen."""
        return 1 - float(area_above_proper(self.c, self.d_a))

    @property
    def length(self) -> float:
        """Arc length S."""
        return float(proper_length(self.c, self.d_a))

    @property
    def saec(self) -> float:
        """Surface-averaged expected cost 2(1 − AUC)/S, Edwards & Metz 2007 eq. 17."""
        return 2 * float(area_above_proper(self.c, self.d_a)) / self.length

    def at(self, v: ArrayLike) -> tuple[Float64Array, Float64Array]:
        """FPF and TPF at v, which is held within its domain; abs(c) < 1 and d_a finite."""
        from scipy.special import ndtr

        v = np.clip(np.asarray(v, dtype=np.float64), *self.domain)
        s, c = self._scaled, self.c
        false, true = ndtr(-(1 - c) * v - s / 2), ndtr(-(1 + c) * v + s / 2)
        if c != 0:
            far, side = s / (2 * c), -math.copysign(1, c)
            false = false + side * ndtr(side * (far - (1 - c) * v))
            true = true + side * ndtr(side * (far - (1 + c) * v))
        return np.clip(false, 0, 1), np.clip(true, 0, 1)

    @property
    def domain(self) -> tuple[float, float]:
        """Least and greatest v: where the likelihood ratio has its extreme, and infinity."""
        if self.c == 0:
            return -np.inf, np.inf
        vertex = self._scaled / (4 * self.c)
        return (vertex, np.inf) if self.c < 0 else (-np.inf, vertex)

    def true_positive_rate(self, false_positive_rate: ArrayLike) -> Float64Array:
        """TPF at each FPF."""
        rates = np.asarray(false_positive_rate, dtype=np.float64)
        if self._perfect:
            return np.ones_like(rates)
        inside = self.at(self._v_at(rates))[1]
        return np.where(rates <= 0, 0.0, np.where(rates >= 1, 1.0, inside))

    def slope(self, false_positive_rate: ArrayLike) -> Float64Array:
        """dTPF/dFPF, the likelihood ratio: exp(s v − 2c v²)(1 + c)/(1 − c)."""
        rates = np.asarray(false_positive_rate, dtype=np.float64)
        if self._perfect:
            return np.where(rates > 0, 0.0, np.inf)
        v = self._v_at(rates)
        with np.errstate(over="ignore"):
            ratio: Float64Array = np.exp(self._log_ratio + self._scaled * v - 2 * self.c * v * v)
        return ratio

    def at_slope(self, slope: float) -> tuple[float, float]:
        """The point (FPF, TPF) that maximises TPF − slope · FPF: the one with that slope."""
        check_slope(slope)
        if self._perfect:
            return 0.0, 1.0
        v = rising_root(-2 * self.c, self._scaled, self._log_ratio - math.log(slope))
        if math.isfinite(v):
            false, true = self.at(v)
            return float(false), float(true)
        return best_point(slope, np.array([0.0, 1.0]), np.array([0.0, 1.0]))

    def points(self, n_points: int = 201) -> tuple[Float64Array, Float64Array]:
        """FPF and TPF of so many points, corners included, dense where the curve bends."""
        if self._perfect:
            return np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0])
        z, s = np.linspace(-5, 5, n_points - 2), self._scaled
        v = np.append((z[::2] - s / 2) / (1 - self.c), (z[1::2] + s / 2) / (1 + self.c))
        false, true = self.at(np.sort(v)[::-1])
        return np.concatenate([[0], false, [1]]), np.concatenate([[0], true, [1]])

    def frame(self, n_points: int = 201) -> Any:
        """One row per point, as a pandas data frame."""
        import pandas as pd

        false, true = self.points(n_points)
        return pd.DataFrame({"false_positive_rate": false, "true_positive_rate": true})

    @property
    def _perfect(self) -> bool:
        return abs(self.c) == 1 or math.isinf(self.d_a)

    @property
    def _scaled(self) -> float:
        return self.d_a * math.sqrt(1 + self.c * self.c)

    @property
    def _log_ratio(self) -> float:
        return 2 * math.atanh(self.c)

    def _v_at(self, rates: Float64Array) -> Float64Array:
        """v of each FPF by bisection: FPF falls with v."""
        reach = (40 + self._scaled) / (1 - self.c)
        low, high = (np.full(rates.shape, each) for each in np.clip([-reach, reach], *self.domain))
        for _ in range(80):
            middle = (low + high) / 2
            beyond = self.at(middle)[0] > rates
            low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
        middle = (low + high) / 2
        return np.asarray(middle)


def checked_proper(c: ArrayLike, d_a: ArrayLike) -> tuple[Float64Array, Float64Array]:
    """Parameters of the proper model: c from −1 to 1, d_a from 0 to infinity."""
    shape, distance = np.asarray(c, dtype=np.float64), np.asarray(d_a, dtype=np.float64)
    if not ((np.abs(shape) <= 1).all() and (distance >= 0).all()):
        raise InvalidInput(
            "c must be numbers from −1 to 1 and d_a non-negative numbers, got others. "
            "A negative d_a gives the same curve as its absolute value."
        )
    return shape, distance


def area_above_proper(c: ArrayLike, d_a: ArrayLike) -> Float64Array:
    """1 − AUC = 2 T(d_a/√2, (1 − c²)/(2|c|)) for arrays of parameters, exact also near 0."""
    from scipy.special import owens_t

    shape, distance = checked_proper(c, d_a)
    with np.errstate(divide="ignore"):
        steepness = (1 - shape * shape) / np.abs(2 * shape)
    above: Float64Array = 2 * owens_t(distance / np.sqrt(2), steepness)
    return above


def proper_length(c: ArrayLike, d_a: ArrayLike) -> Float64Array:
    """Arc length S for arrays of parameters; it is even in c, which swaps the classes."""
    shape, distance = checked_proper(c, d_a)
    spread = (1 - np.abs(shape)) / (1 + np.abs(shape))
    return arc_length(distance * np.sqrt((1 + spread * spread) / 2), spread)
