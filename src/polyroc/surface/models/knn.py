"""Probabilistic k-nearest neighbours: Everson & Fieldsend 2006 §4.2."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc.errors import InvalidInput
from polyroc.kernels.neighbours import neighbour_posteriors
from polyroc.surface.cases import check_columns
from polyroc.surface.models.model import Model
from polyroc.typing import Float64Array, IntArray, LabelsLike, ScoresLike, WeightsLike


class KnnModel(Model):
    """Probabilistic k-nn with the tricube kernel; parameters are (k, β).

    P(j | x) ∝ exp(β Σ u(d) over those of the k nearest that belong to j), eq. 11, with tricube
    weights u scaled to sum 1, so that β means the same for every k. A case is not a neighbour of
    itself. k moves as a real number and is rounded where it is used.

    Neighbours are sorted once: O(n² log n) time and O(n²) memory, so n up to about 10,000.
    """

    name = "knn"

    def __init__(
        self,
        X: ScoresLike,
        y: LabelsLike,
        *,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
    ) -> None:
        super().__init__(X, y, labels=labels, sample_weight=sample_weight)
        self.noise = np.array([max(1.0, len(self.X) / 30), 1.0])

    def draw(self, rng: np.random.Generator) -> Float64Array:
        """k log-uniform up to half of the cases, β exponential with mean 5."""
        half = max(1.0, len(self.reference) / 2)
        return np.array([np.exp(rng.uniform(0, np.log(half))), rng.exponential(5.0)])

    def within(self, parameters: Float64Array) -> Float64Array:
        """k from 1 to n − 2 (h is the distance of the neighbour after it), β reflected at 0."""
        k, beta = parameters
        return np.array([np.clip(k, 1, len(self.reference) - 2), abs(beta)])

    def probabilities(self, parameters: Float64Array) -> Float64Array:
        posteriors = np.empty((len(self.X), len(self.classes)))
        k, beta = round(parameters[0]), float(parameters[1])
        neighbour_posteriors(self._cubes, self._codes, k, beta, posteriors)
        return posteriors

    def take(self, X: Float64Array) -> None:
        """Sort the reference cases by their distance from each case, once."""
        from scipy.spatial.distance import cdist

        super().take(X)
        own = not hasattr(self, "reference")
        if own:
            if len(X) < 3:
                raise InvalidInput(f"k-nn needs at least three cases, got {len(X)}.")
            self.reference, self.reference_codes = X, self.cases.codes
        check_columns(X, self.reference.shape[1])
        distances = cdist(X, self.reference)
        if own:
            np.fill_diagonal(distances, -1.0)  # first in order, and left out
        order = np.argsort(distances, axis=1, kind="stable")[:, int(own) :]
        ascending = np.take_along_axis(distances, order, axis=1)
        farthest = ascending.max() or 1.0
        self._cubes: Float64Array = (ascending / farthest) ** 3  # of any scale, without overflow
        few = self.reference_codes.astype(np.min_scalar_type(len(self.classes)))
        self._codes: IntArray = few[order]

    def state(self) -> dict[str, NDArray[Any]]:
        return {"reference": self.reference, "reference_codes": self.reference_codes}
