"""Softmax classifiers on standardised features, seeded by maximum likelihood."""

from abc import abstractmethod

import numpy as np
from scipy.optimize import minimize  # loaded before a search limits the threads of its BLAS

from polyroc.surface._cases import check_columns
from polyroc.surface.models.model import LARGEST, Model
from polyroc.typing import Float64Array

PENALTY = 1e-3
"""Times the sum of squared weights, added to the negative log-likelihood of the seed: without it
the weights of classes that can be separated have no finite optimum."""


def softmax(logits: Float64Array) -> Float64Array:
    """Rows of probabilities."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


class SoftmaxModel(Model):
    """Probabilities softmax(logits), the logits a smooth function of standardised features."""

    arrays = ("centre", "spread")
    centre: Float64Array
    spread: Float64Array
    fits = 1

    @property
    def noise(self) -> Float64Array:  # type: ignore[override]
        """0.1 for every weight."""
        return np.full(self.n_parameters, 0.1)

    @property
    @abstractmethod
    def n_parameters(self) -> int:
        """Number of weights."""

    @abstractmethod
    def logits(self, parameters: Float64Array) -> Float64Array:
        """(n, K) logits of the cases."""

    @abstractmethod
    def gradient(self, parameters: Float64Array, slopes: Float64Array) -> Float64Array:
        """Derivative by the parameters of Σ slopes · logits."""

    def probabilities(self, parameters: Float64Array) -> Float64Array:
        return softmax(self.logits(parameters))

    def draw(self, rng: np.random.Generator) -> Float64Array:
        """Normal weights of half a standard deviation of the features."""
        return rng.normal(scale=0.5, size=self.n_parameters)

    def seeds(self, rng: np.random.Generator) -> list[Float64Array]:
        """Weights of greatest (slightly penalised) likelihood, by a quasi-Newton method.

        One from each of ``fits`` random starts, the best first.
        """
        found = [self._fit(self.draw(rng)) for _ in range(self.fits)]
        return sorted(found, key=lambda parameters: self._loss(parameters)[0])

    def _fit(self, start: Float64Array) -> Float64Array:
        found = minimize(self._loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500})
        return np.asarray(found.x)

    def _loss(self, parameters: Float64Array) -> tuple[float, Float64Array]:
        """Penalised negative log-likelihood and its gradient."""
        slopes = self.probabilities(parameters)
        own = slopes[np.arange(len(self.cases)), self.cases.codes]
        weights = self.cases.weights
        loss = -weights @ np.log(np.maximum(own, 1e-300)) + PENALTY * parameters @ parameters
        slopes[np.arange(len(self.cases)), self.cases.codes] -= 1.0
        gradient = self.gradient(parameters, slopes * weights[:, None])
        return float(loss), gradient + 2 * PENALTY * parameters

    def take(self, X: Float64Array) -> None:
        """Standardise by the cases that the model was made with, and add a column of ones."""
        super().take(X)
        if not hasattr(self, "centre"):
            weights = self.cases.weights
            self.centre = np.average(X, axis=0, weights=weights)
            spread = np.sqrt(np.average((X - self.centre) ** 2, axis=0, weights=weights))
            self.spread = np.where(spread > 0, spread, 1.0)
        check_columns(X, len(self.centre))
        self.inputs = np.column_stack([(X - self.centre) / self.spread, np.ones(len(X))])

    def check(self) -> None:
        both = (self.centre, self.spread)
        if any(each.ndim != 1 or each.dtype != np.float64 for each in both):
            raise ValueError("the centre and spread of its features are not numbers")
        if self.centre.shape != self.spread.shape:
            raise ValueError("its features have no centre and spread")
        if not ((np.abs(both) <= LARGEST).all() and (self.spread >= 1 / LARGEST).all()):
            raise ValueError("the spread of its features is not positive")
