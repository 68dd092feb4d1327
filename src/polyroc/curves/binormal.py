"""The conventional binormal ROC curve: two normal densities, decisions on the score itself."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polyroc.curves.arc_length import arc_length, checked_pair
from polyroc.typing import Float64Array


@dataclass(frozen=True)
class BinormalCurve:
    """Conventional binormal ROC curve: FPF = Φ(−x), TPF = Φ(a − b x).

    Negatives are N(0, 1) and positives N(a/b, 1/b), up to a monotone transformation of the scores
    (Edwards & Metz 2007 eq. 18–19). Unless b = 1 the curve crosses the diagonal somewhere, and has
    a hook there. Limits: b = 0 and b = ∞ are made of straight pieces along the axes and one level
    Φ(a), or Φ(−a/b); a = ∞ is the perfect curve.

    Examples
    --------
    >>> curve = BinormalCurve(a=0.4819, b=0.5060)
    >>> print(f"{curve.area:.4f} {curve.length:.4f} {curve.saec:.4f}")
    0.6664 1.5468 0.4313
    >>> curve.true_positive_rate([0.1, 0.5]).round(4)
    array([0.4338, 0.6851])
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

        rate: Float64Array = ndtr(self.a + self.b * ndtri(np.asarray(false_positive_rate)))
        return rate

    def slope(self, false_positive_rate: ArrayLike) -> Float64Array:
        """dTPF/dFPF, the likelihood ratio b φ(a − b x)/φ(x) at x = −Φ⁻¹(FPF)."""
        from scipy.special import ndtri

        x = -ndtri(np.asarray(false_positive_rate, dtype=np.float64))
        with np.errstate(divide="ignore", over="ignore"):
            ratio: Float64Array = self.b * np.exp((x * x - (self.a - self.b * x) ** 2) / 2)
        return ratio

    def at_slope(self, slope: float) -> tuple[float, float]:
        """The point (FPF, TPF) that maximises TPF − slope · FPF, corners included.

        Inside the square the slope of the curve there is ``slope`` and falling: the solution of
        ln b + (x² − (b x − a)²)/2 = ln slope with the rising likelihood ratio. On a hook a corner
        may be better.
        """
        from scipy.special import ndtr

        a, b = self.a, self.b
        square, linear = (1 - b * b) / 2, a * b
        with np.errstate(divide="ignore"):
            constant = float(np.log(b) - np.log(slope)) - a * a / 2
        x = rising_root(square, linear, constant)
        inside = [(float(ndtr(-x)), float(ndtr(a - b * x)))] if np.isfinite(x) else []
        return max([(0.0, 0.0), (1.0, 1.0), *inside], key=lambda point: point[1] - slope * point[0])

    def points(self, n_points: int = 201) -> tuple[Float64Array, Float64Array]:
        """FPF and TPF of so many points, corners included, dense where the curve bends."""
        from scipy.special import ndtr

        z = np.linspace(-5, 5, n_points - 2)
        finite = 0 < self.b < np.inf
        x = z if not finite else np.sort(np.append(z[::2], (z[1::2] + self.a) / self.b))
        false, true = ndtr(-x), ndtr(self.a - self.b * x)
        return np.concatenate([[0], false[::-1], [1]]), np.concatenate([[0], true[::-1], [1]])

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


def rising_root(square: float, linear: float, constant: float) -> float:
    """Where square·x² + linear·x + constant crosses 0 upwards; infinite or NaN if nowhere."""
    inside = linear * linear - 4 * square * constant
    if inside < 0:
        return float("nan")
    root = float(np.sqrt(inside))
    if linear >= 0:  # the form without cancellation
        return -2 * constant / (linear + root) if linear + root > 0 else float("nan")
    return (root - linear) / (2 * square) if square else float("nan")
