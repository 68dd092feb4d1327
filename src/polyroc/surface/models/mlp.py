"""Multi-layer perceptron with one hidden layer: Everson & Fieldsend 2006 §4.3."""

import numpy as np

from polyroc._base.checks import repeats
from polyroc.surface.models.softmax import SoftmaxModel
from polyroc.typing import Float64Array, LabelsLike, ScoresLike, WeightsLike


class MlpModel(SoftmaxModel):
    """Probabilities softmax(Bᵀ tanh(Aᵀx)); parameters are the entries of A, then of B.

    With the paper's 5 hidden units, 2 features and 3 classes there are 33 of them, biases
    included. The archive starts from maximum-likelihood fits by a quasi-Newton method. The
    likelihood has several maxima, and a surface grown from one of them may never reach what
    another gives at once, so ``fits`` random starts are used; the paper has one. Noise: Laplacian
    of scale 0.1 for standardised features.
    """

    name = "mlp"
    remembered = ("hidden", "fits")

    def __init__(
        self,
        X: ScoresLike,
        y: LabelsLike,
        hidden: int = 5,
        *,
        fits: int = 5,
        labels: LabelsLike | None = None,
        sample_weight: WeightsLike | None = None,
    ) -> None:
        self.hidden = repeats(hidden, "hidden", least=1)
        self.fits = repeats(fits, "fits", least=1)
        super().__init__(X, y, labels=labels, sample_weight=sample_weight)

    @property
    def n_parameters(self) -> int:
        return self._n_inner + (self.hidden + 1) * len(self.classes)

    @property
    def _n_inner(self) -> int:
        return (len(self.centre) + 1) * self.hidden

    def logits(self, parameters: Float64Array) -> Float64Array:
        _, outer = self._layers(parameters)
        return self._units(parameters) @ outer

    def gradient(self, parameters: Float64Array, slopes: Float64Array) -> Float64Array:
        _, outer = self._layers(parameters)
        units = self._units(parameters)
        inner_slopes = (slopes @ outer[:-1].T) * (1 - units[:, :-1] ** 2)
        return np.concatenate([(self.inputs.T @ inner_slopes).ravel(), (units.T @ slopes).ravel()])

    def _layers(self, parameters: Float64Array) -> tuple[Float64Array, Float64Array]:
        inner, outer = np.split(parameters, [self._n_inner])
        return inner.reshape(-1, self.hidden), outer.reshape(self.hidden + 1, -1)

    def _units(self, parameters: Float64Array) -> Float64Array:
        """Activations of the hidden units, and a column of ones for the biases."""
        inner, _ = self._layers(parameters)
        units = np.ones((len(self.inputs), self.hidden + 1))
        np.tanh(self.inputs @ inner, out=units[:, :-1])
        return units

    def check(self) -> None:
        super().check()
        self.hidden = repeats(self.hidden, "hidden", least=1)
        self.fits = repeats(self.fits, "fits", least=1)
