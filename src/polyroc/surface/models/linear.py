"""Softmax of linear functions: multinomial logistic regression with weights free to move."""

from polyroc.surface.models.softmax import SoftmaxModel
from polyroc.typing import Float64Array


class LinearModel(SoftmaxModel):
    """Probabilities softmax(Wᵀx + c); parameters are the (p + 1) · K entries of W and c.

    The archive starts from the maximum-likelihood weights. Noise: Laplacian of scale 0.1 for
    standardised features.
    """

    name = "linear"

    @property
    def n_parameters(self) -> int:
        return (len(self.centre) + 1) * len(self.classes)

    def logits(self, parameters: Float64Array) -> Float64Array:
        return self.inputs @ parameters.reshape(self.inputs.shape[1], -1)

    def gradient(self, parameters: Float64Array, slopes: Float64Array) -> Float64Array:
        return (self.inputs.T @ slopes).ravel()
