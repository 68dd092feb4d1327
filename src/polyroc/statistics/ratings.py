"""Ratings: how much weight each class has at each distinct score, for curves fitted to ranks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from polyroc.predictions import Predictions
from polyroc.statistics.means import centre_by_class
from polyroc.statistics.statistic import Statistic
from polyroc.typing import Float64Array, FloatArray, IntArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Ratings(Statistic):
    """Weights of two classes at the m distinct scores of the second, in ascending order."""

    scores: FloatArray
    """(m,)."""
    levels: Float64Array
    """(2, m) sums of the weights."""
    squares: Float64Array
    """(2, m) sums of the squared weights, of which sandwich variances are made."""
    extremes: Float64Array
    """(2,) least and greatest weight of a case."""

    @classmethod
    def of(cls, predictions: Predictions) -> Self:
        """One sort."""
        scores, place = np.unique(predictions.scores[:, 1], return_inverse=True)
        cells = np.where(predictions.codes == 1, len(scores), 0) + place.ravel()
        weights = predictions.case_weights

        def table(values: Float64Array) -> Float64Array:
            sums = np.bincount(cells, values, minlength=2 * len(scores))
            return sums.reshape(2, -1).astype(np.float64)

        return cls(
            classes=predictions.classes,
            weights=predictions.class_weights,
            scores=scores,
            levels=table(weights),
            squares=table(weights**2),
            extremes=np.array([weights.min(), weights.max()]),
        )

    def carry(
        self, predictions: Predictions, gradients: Sequence[Float64Array]
    ) -> list[Float64Array]:
        """φ_i = n_k ∂θ/∂w at the class and score of the case, less its mean over the class."""
        place: IntArray = np.searchsorted(self.scores, predictions.scores[:, 1])
        sizes = self.weights[:, None]
        return [
            centre_by_class(predictions, (sizes * gradient)[predictions.codes, place])
            for gradient in gradients
        ]
