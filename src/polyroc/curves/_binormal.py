"""The conventional binormal ROC curve: two normal densities, decisions on the score itself."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polyroc.curves._arc_length import arc_length, checked_pair
from polyroc.errors import InvalidInput
from polyroc.typing import Float64Array


@dataclass(frozen=True)
class BinormalCurve:
    """Conventional binormal ROC curve: FPF = Φ(−x), TPF = Φ(a − b x).

    Negatives are N(0, 1) and positives N(a/b, 1/b), up to a monotone transformation of the scores
    (Edwards & Metz 2007 eq. 18–19). Unless b = 1 the curve crosses the diagonal somewhere, and has
    a hook there. Limits: b = 0 is level at TPF = Φ(a), b = ∞ is upright at FPF = ½, and a = ∞ is
    the perfect curve.

    Examples
    --------
    >>> curve = BinormalCurve(a=0.4819, b=0.5060)
    >>> print(f"{curve.area:.4f} {curve.length:.4f} {curve.saec:.4f}")
    0.6664 1.5468 0.4313
    >>> curve.true_positive_rate([0.1, 0.5]).round(4)
    array([0.4339, 0.6851])
    """

    a: float
    b: float

    def __post_init__(self) -> None:
        checked_pair(self.a, self.b)

    @property
    def area(self) -> float:
        """A_z = Φ(a / √(1 + b²))."""
        return float(binormal_area(self.a, self.b))

    @property
    def length(self) -> float:
        """Arc length S."""
        return float(arc_length(self.a, self.b))

    @property
    def saec(self) -> float:
        """Surface-averaged expected cost 2(1 − A_z)/S, Edwards & Metz 2007 eq. 17."""
        return 2 * float(binormal_area(-self.a, self.b)) / self.length

    def true_positive_rate(self, false_positive_rate: ArrayLike) -> Float64Array:
        """TPF = Φ(a + b Φ⁻¹(FPF))."""
        from scipy.special import ndtr, ndtri

        z = ndtri(np.asarray(false_positive_rate, dtype=np.float64))
        if math.isinf(self.a):
            return np.where(np.isnan(z), np.nan, float(self.a > 0))
        with np.errstate(invalid="ignore"):
            shift = self.b * z
        shift = np.where(np.isnan(shift) & ~np.isnan(z), 0.0, shift)  # 0 · ∞ at a limit of b
        rate: Float64Array = ndtr(self.a + shift)
        return rate

    def slope(self, false_positive_rate: ArrayLike) -> Float64Array:
        """dTPF/dFPF, the likelihood ratio b φ(a − b x)/φ(x) at x = −Φ⁻¹(FPF)."""
        from scipy.special import ndtri

        x = np.clip(-ndtri(np.asarray(false_positive_rate, dtype=np.float64)), -1e6, 1e6)
        with np.errstate(over="ignore", invalid="ignore"):
            ratio: Float64Array = self.b * np.exp((x * x - (self.a - self.b * x) ** 2) / 2)
        return ratio

    def at_slope(self, slope: float) -> tuple[float, float]:
        """The point (FPF, TPF) that maximises TPF − slope · FPF, corners included.

        Inside the square the slope of the curve there is ``slope`` and falling: the solution of
        ln b + (x² − (b x − a)²)/2 = ln slope with the rising likelihood ratio. On a hook a corner
        may be better.
        """
        from scipy.special import ndtr

        check_slope(slope)
        a, b = self.a, self.b
        if self._at_limit:
            return best_point(slope, *self._corners())
        x = rising_root((1 - b * b) / 2, a * b, math.log(b / slope) - a * a / 2)
        inside = (ndtr(-x), ndtr(a - b * x)) if math.isfinite(x) else (0.0, 0.0)
        return best_point(slope, *np.transpose([(0.0, 0.0), inside, (1.0, 1.0)]))

    def points(self, n_points: int = 201) -> tuple[Float64Array, Float64Array]:
        """FPF and TPF of so many points, corners included, dense where the curve bends."""
        from scipy.special import ndtr

        if self._at_limit:
            return self._corners()
        z = np.linspace(-5, 5, n_points - 2)
        x = np.sort(np.append(z[::2], (z[1::2] + self.a) / self.b))
        false, true = ndtr(-x), ndtr(self.a - self.b * x)
        return np.concatenate([[0], false[::-1], [1]]), np.concatenate([[0], true[::-1], [1]])

    @property
    def _at_limit(self) -> bool:
        return math.isinf(self.a) or self.b in (0, math.inf)

    def _corners(self) -> tuple[Float64Array, Float64Array]:
        """Points of a curve made of straight pieces."""
        from scipy.special import ndtr

        if math.isinf(self.a):
            turn = (0.0, 1.0) if self.a > 0 else (1.0, 0.0)
            points = [(0.0, 0.0), turn, (1.0, 1.0)]
        elif self.b == 0:
            points = [(0.0, 0.0), (0.0, ndtr(self.a)), (1.0, ndtr(self.a)), (1.0, 1.0)]
        else:
            points = [(0.0, 0.0), (0.5, 0.0), (0.5, 1.0), (1.0, 1.0)]
        false, true = np.transpose(points)
        return false, true

    def frame(self, n_points: int = 201) -> Any:
        """One row per point, as a pandas data frame."""
        import pandas as pd

        false, true = self.points(n_points)
        return pd.DataFrame({"false_positive_rate": false, "true_positive_rate": true})


def binormal_area(a: ArrayLike, b: ArrayLike) -> Float64Array:
    """A_z = Φ(a / √(1 + b²)) for arrays of parameters; ½ at b = ∞."""
    from scipy.special import ndtr

    centre, spread = checked_pair(a, b)
    area: Float64Array = ndtr(centre / np.hypot(1, spread))
    return area


def check_slope(slope: float) -> None:
    """Whether a slope is that of a decision between two positive costs."""
    if not 0 < slope < math.inf:
        raise InvalidInput(f"slope must be a positive number, got {slope}.")


def best_point(
    slope: float, false_positive_rate: Float64Array, true_positive_rate: Float64Array
) -> tuple[float, float]:
    """The first point that maximises TPF − slope · FPF."""
    best = int(np.argmax(true_positive_rate - slope * false_positive_rate))
    return float(false_positive_rate[best]), float(true_positive_rate[best])


def rising_root(square: float, linear: float, constant: float) -> float:
    """Where square·x² + linear·x + constant crosses 0 upwards; infinite or NaN if nowhere."""
    inside = linear * linear - 4 * square * constant
    if inside < 0:
        return float("nan")
    root = float(np.sqrt(inside))
    if linear >= 0:  # the form without cancellation
        return -2 * constant / (linear + root) if linear + root > 0 else float("nan")
    return (root - linear) / (2 * square) if square else float("nan")
