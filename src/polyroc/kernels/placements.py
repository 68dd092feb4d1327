"""Products of the shares of classes that positives beat, without one of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled

Floats = NDArray[np.float64]


@compiled
def add_products(shares: Floats, at: float, weight: float, clear: Floats, level: Floats) -> None:
    """Add one node of a quadrature: the products of each row without one column, times its weight.

    They are added to ``level`` times the place of the node.
    """
    n_classes = shares.shape[1]
    before = np.empty(n_classes)
    for row in range(len(shares)):
        product = 1.0
        for c in range(n_classes):
            before[c] = product
            product *= shares[row, c]
        after = 1.0
        for c in range(n_classes - 1, -1, -1):
            others = weight * (before[c] * after)
            clear[row, c] += others
            level[row, c] += at * others
            after *= shares[row, c]
