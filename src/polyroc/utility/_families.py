"""The two binormal families as the likelihood needs them: rates at shares of all cases.

A boundary between categories is told by q, the share of all cases below it under the model:
q = π₋ G₋ + π₊ G₊, with G the shares of the classes below. Unlike thresholds, q has the same domain
for every curve of a family. With L = dG₊/dG₋ the slope of the curve there and u = 1/(π₋ + π₊ L),

    dG₋/dq = u,  dG₊/dq = L u,  dG₋/dθ = π₊ u E_θ,  dG₊/dθ = −π₋ u E_θ,  E_θ = L ∂₋ − ∂₊

at fixed q, ∂ the derivatives of G₋ and G₊ by a parameter at a fixed place along the curve.
"""

import math
from typing import NamedTuple, Protocol

import numpy as np

from polyroc.typing import Float64Array

Theta = Float64Array
_Z = np.linspace(-8.5, 8.5, 69)
_ROOT = 1 / math.sqrt(2 * math.pi)
_STEEPEST, _LEAST = 200.0, 1e-100


class Place(NamedTuple):
    """Where boundaries lie on a curve."""

    below: Float64Array
    """(2, m) G of negatives and positives."""
    slope: Float64Array
    """(m,) L."""
    bend: Float64Array
    """(m,) d ln L / dq."""
    excess: Float64Array
    """(2, m) E for both parameters."""


class Family(Protocol):
    """A family of ROC curves with two free parameters."""

    limits: tuple[float, float]
    """Beyond these a parameter is on its way to infinity."""
    near_diagonal: float
    """Parameters this small give the diagonal, where the likelihood has a kink; 0 if none do."""

    def nodes(self, theta: Theta) -> Float64Array:
        """Places along the curve, ascending, that cover it."""

    def below(self, theta: Theta, x: Float64Array) -> tuple[Float64Array, Float64Array]:
        """G₋ and G₊ at places x, and nothing else."""

    def densities(self, theta: Theta, x: Float64Array) -> tuple[Float64Array, Float64Array]:
        """dG₋/dx and dG₊/dx."""

    def excess(self, theta: Theta, x: Float64Array, slope: Float64Array) -> Float64Array:
        """E for both parameters."""

    def log_slope(self, theta: Theta, x: Float64Array) -> Float64Array:
        """ln L."""

    def bend(self, theta: Theta, x: Float64Array) -> Float64Array:
        """d ln L/dx."""


def place(family: Family, theta: Theta, q: Float64Array, shares: Float64Array) -> Place:
    """The boundaries below which the shares q of all cases lie."""
    x = _solved(family, theta, q, shares)
    low, high = family.densities(theta, x)
    pooled = np.maximum(shares[0] * low + shares[1] * high, _LEAST)
    slope = np.exp(np.clip(family.log_slope(theta, x), -_STEEPEST, _STEEPEST))
    below = np.stack(family.below(theta, x))
    bend = family.bend(theta, x) / pooled
    return Place(below, slope, bend, family.excess(theta, x, slope))


def _solved(family: Family, theta: Theta, q: Float64Array, shares: Float64Array) -> Float64Array:
    """x with π₋ G₋ + π₊ G₊ = q: from a table, then by Newton's steps between its nodes."""

    def pooled(x: Float64Array) -> Float64Array:
        low, high = family.below(theta, x)
        return np.asarray(shares[0] * low + shares[1] * high)

    nodes = family.nodes(theta)
    table = pooled(nodes)
    right = np.clip(np.searchsorted(table, q), 1, len(nodes) - 1)
    least, most = nodes[right - 1], nodes[right]
    start, end = table[right - 1], table[right]
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.clip(np.nan_to_num((q - start) / (end - start), nan=0.5), 0, 1)
    x: Float64Array = least + part * (most - least)
    for _ in range(8):
        low, high = family.densities(theta, x)
        error = pooled(x) - q
        step = error / np.maximum(shares[0] * low + shares[1] * high, _LEAST)
        x = np.clip(x - step, least, most)
        if np.abs(error).max() < 1e-14:
            break
    return x


def _normal(x: Float64Array) -> Float64Array:
    return np.asarray(_ROOT * np.exp(-x * x / 2))


class Conventional:
    """θ = (z, ln b) with z = a/√(1 + b²), A_z = Φ(z): G₋ = Φ(x), G₊ = Φ(b x − a)."""

    limits = (30.0, 5.0)
    near_diagonal = 0.0

    def nodes(self, theta: Theta) -> Float64Array:
        a, b = self.pair(theta)
        return np.sort(np.append(_Z, (_Z + a) / b))

    def below(self, theta: Theta, x: Float64Array) -> tuple[Float64Array, Float64Array]:
        from scipy.special import ndtr

        a, b = self.pair(theta)
        return ndtr(x), ndtr(b * x - a)

    def densities(self, theta: Theta, x: Float64Array) -> tuple[Float64Array, Float64Array]:
        a, b = self.pair(theta)
        return _normal(x), b * _normal(b * x - a)

    def excess(self, theta: Theta, x: Float64Array, slope: Float64Array) -> Float64Array:
        a, b = self.pair(theta)
        density = _normal(b * x - a)
        (by_z, by_b), (_, scale) = self.jacobian(theta)
        return np.stack([by_z * density, (by_b - scale * x) * density])

    def log_slope(self, theta: Theta, x: Float64Array) -> Float64Array:
        a, b = self.pair(theta)
        return np.asarray(theta[1] + (x * x - (b * x - a) ** 2) / 2)

    def bend(self, theta: Theta, x: Float64Array) -> Float64Array:
        a, b = self.pair(theta)
        return np.asarray(x - b * (b * x - a))

    @staticmethod
    def pair(theta: Theta) -> tuple[float, float]:
        """(a, b)."""
        b = math.exp(theta[1])
        return float(theta[0]) * math.hypot(1, b), b

    @staticmethod
    def jacobian(theta: Theta) -> Float64Array:
        """Derivatives of (a, b) by θ."""
        b = math.exp(theta[1])
        root = math.hypot(1, b)
        return np.array([[root, theta[0] * b * b / root], [0.0, b]])


class Proper:
    """θ = (artanh c, d_a), the places being Metz and Pan's v; the curve is even in d_a."""

    limits = (2.5, 20.0)
    near_diagonal = 1e-3

    def nodes(self, theta: Theta) -> Float64Array:
        c, s = self._shape(theta)
        vertex, far = s / (4 * c), s / (2 * c)
        ends = ((-s / 2, 1 - c), (far, 1 - c), (s / 2, 1 + c), (far, 1 + c))
        v = np.sort(np.concatenate([(_Z + shift) / scale for shift, scale in ends]))
        return np.append(vertex, v[v > vertex]) if c < 0 else np.append(v[v < vertex], vertex)

    def below(self, theta: Theta, x: Float64Array) -> tuple[Float64Array, Float64Array]:
        from scipy.special import ndtr

        c, s = self._shape(theta)
        side = math.copysign(1, c)
        far = s / (2 * c)
        low = ndtr((1 - c) * x + s / 2) + side * ndtr(side * ((1 - c) * x - far))
        high = ndtr((1 + c) * x - s / 2) + side * ndtr(side * ((1 + c) * x - far))
        return low, high

    def densities(self, theta: Theta, x: Float64Array) -> tuple[Float64Array, Float64Array]:
        c, s = self._shape(theta)
        far = s / (2 * c)
        low = (1 - c) * (_normal((1 - c) * x + s / 2) + _normal((1 - c) * x - far))
        high = (1 + c) * (_normal((1 + c) * x - s / 2) + _normal((1 + c) * x - far))
        return low, high

    def excess(self, theta: Theta, x: Float64Array, slope: Float64Array) -> Float64Array:
        c, s = self._shape(theta)
        d, root, far = abs(theta[1]), math.sqrt(1 + c * c), s / (2 * c)
        near, beyond = d * c / (2 * root), d / (2 * c * c * root)
        first, second = _normal((1 - c) * x + s / 2), _normal((1 - c) * x - far)
        third, fourth = _normal((1 + c) * x - s / 2), _normal((1 + c) * x - far)
        low_c = first * (near - x) + second * (beyond - x)
        high_c = third * (x - near) + fourth * (x + beyond)
        low_d = root / 2 * (first - second / c)
        high_d = -root / 2 * (third + fourth / c)
        by_c, by_d = slope * low_c - high_c, slope * low_d - high_d
        return np.stack([(1 - c * c) * by_c, math.copysign(1, theta[1]) * by_d])

    def log_slope(self, theta: Theta, x: Float64Array) -> Float64Array:
        c, s = self._shape(theta)
        return np.asarray(2 * theta[0] + s * x - 2 * c * x * x)

    def bend(self, theta: Theta, x: Float64Array) -> Float64Array:
        c, s = self._shape(theta)
        return np.asarray(s - 4 * c * x)

    @staticmethod
    def _shape(theta: Theta) -> tuple[float, float]:
        c = math.tanh(theta[0])
        c = math.copysign(max(abs(c), 1e-9), c)
        return c, abs(theta[1]) * math.sqrt(1 + c * c)
