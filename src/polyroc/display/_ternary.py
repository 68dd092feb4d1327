"""Places of three probabilities in an equilateral triangle."""

import numpy as np

from polyroc.typing import Float64Array

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
"""Where the first, second and third class stand in the plane."""


def placed(rows: Float64Array) -> Float64Array:
    """(m, 2) places of rows of three probabilities.

    Examples
    --------
    >>> placed(np.array([[0.5, 0.5, 0.0]]))
    array([[0.5, 0. ]])
    """
    return np.asarray(rows @ CORNERS)
