"""How many cases of which weight there are, and whether sums over them are free of rounding."""

import numpy as np
from numpy.typing import NDArray

from polyroc.typing import Float64Array, IntArray

_NO_UNIT = 1 << 20
_EXACT_BITS = 52
"""Products of sums up to 2 to this, and halves of them, are exact in float64."""


class Totals:
    """Cases and weight of each class, and the power of two that divides every weight."""

    def __init__(self, n_classes: int) -> None:
        self.counts: NDArray[np.int64] = np.zeros(n_classes, dtype=np.int64)
        self.weights = np.zeros(n_classes)
        self.unit = _NO_UNIT
        self.weighted = False

    def add(self, codes: IntArray, weights: Float64Array | None) -> None:
        """Add cases."""
        counts = np.bincount(codes, minlength=len(self.counts))
        self.counts += counts
        if weights is None:
            self.weights += counts
            self.unit = min(self.unit, 0)
        elif weights.size:
            self.weights += np.bincount(codes, weights, len(self.counts))
            self.unit = min(self.unit, _common_unit(weights))
            self.weighted = True

    def merge(self, other: "Totals") -> None:
        """Add other cases."""
        self.counts += other.counts
        self.weights += other.weights
        self.unit = min(self.unit, other.unit)
        self.weighted |= other.weighted

    @property
    def n_cases(self) -> int:
        return int(self.counts.sum())

    @property
    def slack(self) -> float:
        """How far rounding may move an AUC, in a summary or in memory.

        None where sums and their products are whole multiples of a power of two that float64 can
        hold. Otherwise a sum of n numbers is off by n · 2⁻⁵³ of its size at most, and an AUC takes
        a few such sums.
        """
        if not self.n_cases:
            return 0.0
        heaviest = np.sort(self.weights)[-2:]
        bits = np.log2(np.maximum(heaviest, np.ldexp(1.0, self.unit))).sum() - 2 * self.unit
        return 0.0 if bits <= _EXACT_BITS else 16 * self.n_cases * 2.0**-53


def _common_unit(weights: Float64Array) -> int:
    """Exponent of the largest power of two that divides every weight."""
    mantissas, exponents = np.frexp(weights)
    digits = np.ldexp(mantissas, 53).astype(np.int64)
    trailing = np.frexp((digits & -digits).astype(np.float64))[1] - 1
    return int((exponents - 53 + trailing).min())
