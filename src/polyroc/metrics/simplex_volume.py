"""AOT for any number of classes: the volume that the mean vectors of the classes span."""

import numpy as np

from polyroc.metrics.declaration import NOTHING, Affordable, Influence, Property, Repeats
from polyroc.metrics.registry import metric
from polyroc.predictions import Predictions
from polyroc.statistics.means import mean_influence, probability_means
from polyroc.typing import Float64Array


def volume_influence(predictions: Predictions) -> Influence:
    """∂|det p̄| = sign(det) · cofactors of p̄; none where the determinant is 0.

    The volume of many classes is small although no two of them are alike, so what counts as 0 is
    judged by the singular values.
    """
    means = probability_means(predictions, "the volume of the class means")
    widest, *_, narrowest = np.linalg.svd(means, compute_uv=False).tolist()
    if narrowest <= 1e-12 * widest:
        return Influence.undefined(
            predictions, "the class means lie in a lower dimension, where the volume has a corner"
        )
    gradient = np.sign(np.linalg.det(means)) * cofactor_matrix(means)
    rows = predictions.probabilities("the volume of the class means")
    scale = float(np.abs(gradient).max())
    return Influence(mean_influence(predictions, rows, gradient), scale=scale)


def cofactor_matrix(matrix: Float64Array) -> Float64Array:
    """Derivative of the determinant by each entry, also for singular matrices.

    From the singular value decomposition: adj = det(UV) · V · (products of the other singular
    values) · Uᵀ, so nothing is divided.
    """
    u, s, vt = np.linalg.svd(matrix)
    others = np.array([np.prod(np.delete(s, i)) for i in range(len(s))])
    sign = np.linalg.det(u) * np.linalg.det(vt)
    cofactors: Float64Array = sign * (u * others) @ vt
    return cofactors


@metric(
    influence=volume_influence,
    title="Volume of the simplex of class means",
    symbol="AOT_K",
    statistic="means",
    reference="Van Calster et al. 2008 §III B",
    complexity="O(n K + K³)",
    affordable=Affordable(most_classes=5),  # a product of many factors: 10⁻⁵⁰ for fifty classes
    repeats=(Repeats(2, ("probabilistic_auc",)), Repeats(3, ("triangle_area",))),
    chance=NOTHING,
    needs_probabilities=True,
    properties=frozenset({Property.SKEW}),
)
def simplex_volume(predictions: Predictions) -> float:
    """Volume spanned by the mean probability vectors of the classes, 1 for a perfect classifier.

    |det [p̄_1; …; p̄_K]|, p̄_k the mean vector of class k; for K = 3 the area of the triangle, AOT.

    How far the model pulls the classes apart on average. A volume has no sign: two classes that are
    exchanged throughout score as well as two that are right. At 0 it has a corner, and there are no
    influence values.

    Examples
    --------
    >>> from polyroc import simplex_volume
    >>> round(simplex_volume([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 6)  # |2 pAUC − 1|
    0.325
    """
    return float(abs(np.linalg.det(probability_means(predictions, "simplex_volume"))))
