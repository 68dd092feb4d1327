"""AOT: the area of the triangle between the mean vectors of three classes."""

from polyroc.metrics.declaration import NOTHING, Classes, Property
from polyroc.metrics.registry import metric, registry
from polyroc.metrics.simplex_volume import volume_influence
from polyroc.predictions import Predictions


@metric(
    influence=volume_influence,
    title="Area of the triangle of class means",
    symbol="AOT",
    statistic="means",
    reference="Van Calster et al. 2008 §III B",
    complexity="O(n)",
    chance=NOTHING,
    classes=Classes(3, 3),
    instead="simplex_volume",
    needs_probabilities=True,
    properties=frozenset({Property.SKEW}),
)
def triangle_area(predictions: Predictions) -> float:
    """Area of the triangle of the three mean probability vectors, 1 for a perfect classifier.

    AOT = area(p̄_1, p̄_2, p̄_3) / (√3/2) = |det [p̄_1; p̄_2; p̄_3]|, √3/2 the area of the whole simplex.

    Low where one class is rare and its cases get little probability even if they are ranked well.

    Examples
    --------
    >>> from polyroc import triangle_area
    >>> triangle_area([0, 1, 2], [[1, 0, 0], [0, 1, 0], [0, 0.5, 0.5]])
    0.5
    """
    return registry["simplex_volume"].value(predictions)
