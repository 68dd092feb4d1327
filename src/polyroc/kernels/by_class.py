"""Passes over many cases, in which each number meets those of the class of its case."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polyroc.kernels.compile import compiled

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

AT_ONCE = 512
"""Cases whose numbers are summed before they are added to the rest."""


@compiled
def sums_of_classes(codes: Codes, values: Floats, n_classes: int) -> Floats:
    """Sum of the values of each class."""
    total, part = np.zeros(n_classes), np.zeros(n_classes)
    for start in range(0, len(codes), AT_ONCE):
        for case in range(start, min(start + AT_ONCE, len(codes))):
            part[codes[case]] += values[case]
        for r in range(n_classes):
            total[r] += part[r]
            part[r] = 0.0
    return total


@compiled
def less_of_classes(codes: Codes, values: Floats, means: Floats, found: Floats) -> None:
    """Fill in each value less the number of its class."""
    for case in range(len(codes)):
        found[case] = values[case] - means[codes[case]]


@compiled
def squares_across(codes: Codes, rows: Floats, means: Floats, towards: Floats) -> Floats:
    """Squared distance of each row from a line through the mean of its class, of unit direction."""
    found = np.empty(len(codes))
    for case in range(len(codes)):
        of_class, squares, along = codes[case], 0.0, 0.0
        for c in range(rows.shape[1]):
            gap = rows[case, c] - means[of_class, c]
            squares += gap * gap
            along += gap * towards[of_class, c]
        found[case] = squares - along * along
    return found


@compiled
def products_of_classes(codes: Codes, scaled: Floats, n_classes: int) -> Floats:
    """Sums (K, G, G) over the cases of each class of the products of G numbers of a case.

    ``scaled`` has a row of all cases for each number. What lies above the diagonal is 0.
    """
    n_numbers = len(scaled)
    sums, own = np.zeros((n_classes, n_numbers, n_numbers)), np.empty(n_numbers)
    for case in range(len(codes)):
        of_class = sums[codes[case]]
        for g in range(n_numbers):
            own[g] = scaled[g, case]
        for g in range(n_numbers):
            for h in range(g + 1):
                of_class[g, h] += own[g] * own[h]
    return sums
