"""Probabilistic k-nn averaged over its parameters, as Holmes & Adams 2002 do."""

import numpy as np

from polyroc.surface.models.knn import KnnModel
from polyroc.surface.models.model import LARGEST
from polyroc.typing import Float64Array

N_NEIGHBOURS = 30
N_STRENGTHS = 40
SPREAD = 10.0
"""Scale of the half-normal prior of β."""
_NEGLIGIBLE = 1e-6


class AveragedKnnModel(KnnModel):
    """P(j | x) = E P(j | x, k, β) over the posterior of k and β; only costs vary in a search.

    The likelihood of (k, β) is Π P(y_i | x_i, k, β) with each case left out of its own neighbours,
    the priors are uniform for k from 1 to half of the cases and half-normal of scale 10 for β.
    Holmes & Adams sample this posterior by a Markov chain; with two parameters a grid of 30 values
    of k times 40 of β gives the mean without random error. The product is a pseudo-likelihood, not
    the joint probability of the labels, so that "posterior" is to be interpreted with caution.

    Attributes
    ----------
    grid, grid_weights : values of (k, β), and their posterior probabilities.

    Examples
    --------
    >>> from polyroc.datasets import three_class_mixture
    >>> X, y = three_class_mixture((20, 20, 20), rng=0)
    >>> model = AveragedKnnModel(X, y)
    >>> bool(abs(model.grid_weights.sum() - 1) < 1e-12)
    True
    """

    name = "averaged_knn"
    arrays = ("reference", "reference_codes", "grid", "grid_weights")
    noise = np.zeros(0)
    grid: Float64Array
    grid_weights: Float64Array

    def draw(self, rng: np.random.Generator) -> Float64Array:
        return np.zeros(0)

    def within(self, parameters: Float64Array) -> Float64Array:
        """There are none."""
        return parameters

    def probabilities(self, parameters: Float64Array) -> Float64Array:
        """Posteriors averaged over the grid."""
        found = np.zeros((len(self.X), len(self.classes)))
        used = self.grid_weights > _NEGLIGIBLE * self.grid_weights.max()
        weights = self.grid_weights[used] / self.grid_weights[used].sum()
        for (k, beta), weight in zip(self.grid[used], weights, strict=True):
            found += weight * self.posteriors(k, beta)
        return found

    def take(self, X: Float64Array) -> None:
        super().take(X)
        if not hasattr(self, "grid"):
            self._weigh()

    def _weigh(self) -> None:
        """Posterior probabilities of a grid of parameters, by the cases the model is made with."""
        n_cases = len(self.reference)
        ks = np.unique(np.geomspace(1, max(1, n_cases // 2), N_NEIGHBOURS).round())
        ks = np.minimum(ks, n_cases - 2)
        betas = (np.arange(N_STRENGTHS) + 0.5) * 3 * SPREAD / N_STRENGTHS
        stand_for = np.gradient(ks) if len(ks) > 1 else np.ones(1)  # values of k that each means
        own = np.arange(len(self.X)), self.cases.codes
        logs = np.empty((len(ks), len(betas)))
        for a, k in enumerate(ks):
            for b, beta in enumerate(betas):
                likely = np.log(np.maximum(self.posteriors(k, beta)[own], 1e-300))
                prior = np.log(stand_for[a]) - (beta / SPREAD) ** 2 / 2
                logs[a, b] = self.cases.weights @ likely + prior
        weights = np.exp(logs - logs.max()).ravel()
        self.grid = np.array([(k, beta) for k in ks for beta in betas])
        self.grid_weights = weights / weights.sum()

    def check(self) -> None:
        super().check()
        shapes = self.grid.ndim == 2 and self.grid.shape == (len(self.grid_weights), 2)
        numbers = shapes and (np.abs(self.grid) <= LARGEST).all() and (self.grid_weights >= 0).all()
        room = len(self.reference) - 2
        if not (numbers and self.grid[:, 0].min() >= 1 and self.grid[:, 0].max() <= room):
            raise ValueError("its grid of parameters is not that of an averaged k-nn model")
