"""Mixtures of Gaussian densities: what a class may look like to an ideal observer."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput, InvalidType
from polyroc.typing import Float64Array


@runtime_checkable
class Density(Protocol):
    """A density that observations can be drawn from: any object with these two methods."""

    def sample(self, n: int, rng: np.random.Generator) -> Float64Array:
        """(n, d) observations."""

    def log_density(self, x: Float64Array) -> Float64Array:
        """(n,) logarithms of the density at (n, d) observations."""


@dataclass(frozen=True, eq=False, repr=False)
class GaussianMixture:
    """Mixture of m Gaussian densities in d dimensions.

    Parameters
    ----------
    means : (m, d), or (d,) for a single Gaussian.
    covariances : (m, d, d), one (d, d) for all, or a number: that variance in every direction.
    weights : (m,) shares of the Gaussians, on any scale; equal by default.

    Examples
    --------
    >>> GaussianMixture([0, 0]).log_density(np.zeros((1, 2))).round(4)  # −ln 2π
    array([-1.8379])
    """

    means: ArrayLike
    covariances: ArrayLike = 1.0
    weights: ArrayLike | None = None

    def __post_init__(self) -> None:
        means = np.atleast_2d(_numbers(self.means, "means"))
        if means.ndim != 2 or not means.size or not np.isfinite(means).all():
            raise InvalidInput(f"means must be finite, (m, d), got the shape {means.shape}.")
        object.__setattr__(self, "means", means)
        factors = _factors(self.covariances, means.shape)
        object.__setattr__(self, "covariances", factors @ factors.transpose(0, 2, 1))
        object.__setattr__(self, "weights", _shares(self.weights, len(means)))
        object.__setattr__(self, "_factors", factors)

    @property
    def n_dimensions(self) -> int:
        """d."""
        return int(np.shape(self.means)[1])

    def sample(self, n: int, rng: np.random.Generator) -> Float64Array:
        """(n, d) observations."""
        means, factors = np.asarray(self.means), self._all_factors
        which = rng.choice(len(means), size=n, p=np.asarray(self.weights))
        noise = rng.standard_normal((n, self.n_dimensions))
        drawn: Float64Array = means[which] + np.einsum("nij,nj->ni", factors[which], noise)
        return drawn

    def log_density(self, x: ArrayLike) -> Float64Array:
        """(n,) logarithms of the density at (n, d) observations."""
        from scipy.special import logsumexp

        points = _numbers(x, "x")
        if points.ndim != 2 or points.shape[1] != self.n_dimensions:
            raise InvalidInput(
                f"x must be (n, {self.n_dimensions}), got the shape {points.shape}. "
                "All classes need as many dimensions."
            )
        with np.errstate(divide="ignore"):  # a share of 0
            shares = np.log(np.asarray(self.weights))
        parts = [share + part for share, part in zip(shares, self._each(points), strict=True)]
        return np.asarray(logsumexp(parts, axis=0))

    @property
    def _all_factors(self) -> Float64Array:
        return np.asarray(self.__dict__["_factors"])

    def _each(self, points: Float64Array) -> list[Float64Array]:
        from scipy.linalg import solve_triangular

        found = []
        for mean, factor in zip(np.asarray(self.means), self._all_factors, strict=True):
            scaled = solve_triangular(factor, (points - mean).T, lower=True)
            size = np.log(np.diag(factor)).sum() + np.log(2 * np.pi) * len(mean) / 2
            found.append(-0.5 * (scaled**2).sum(axis=0) - size)
        return found

    def __repr__(self) -> str:
        return f"GaussianMixture({len(np.asarray(self.means))} in {self.n_dimensions} dimensions)"


def _numbers(values: ArrayLike, name: str) -> Float64Array:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidType(
            f"{name} must be an array of numbers with rows of equal length, got {shown(values)}."
        ) from None


def _factors(covariances: ArrayLike, shape: tuple[int, ...]) -> Float64Array:
    """Lower Cholesky factors, (m, d, d)."""
    count, size = shape
    table = _numbers(covariances, "covariances")
    table = table * np.eye(size) if table.ndim == 0 else table
    if table.shape not in ((size, size), (count, size, size)):
        raise InvalidInput(
            f"covariances must be a number, ({size}, {size}) or ({count}, {size}, {size}), "
            f"got the shape {table.shape}."
        )
    table = np.broadcast_to(table, (count, size, size))
    if not np.isfinite(table).all():
        raise InvalidInput(f"covariances must be finite, got {shown(covariances)}.")
    if not np.allclose(table, table.transpose(0, 2, 1)):
        raise InvalidInput("covariances must be symmetric.")
    try:
        factors: Float64Array = np.linalg.cholesky(table).astype(np.float64)
        return factors
    except np.linalg.LinAlgError:
        raise InvalidInput(
            "covariances must be positive definite, with positive variances in every direction."
        ) from None


def _shares(weights: ArrayLike | None, count: int) -> Float64Array:
    shares = np.ones(count) if weights is None else _numbers(weights, "weights")
    if shares.shape != (count,) or not np.isfinite(shares).all() or (shares < 0).any():
        raise InvalidInput(
            f"weights must be {count} finite non-negative numbers, got {shown(weights)}."
        )
    if not shares.sum() > 0:
        raise InvalidInput("weights must not all be 0.")
    return np.asarray(shares / shares.sum())
