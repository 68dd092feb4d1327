"""Bins of numbers between 0 and 1, or between −1 and 1, as many as there will ever be.

The bins are those of :mod:`polyroc.scale`, as far as probabilities need them: down to 2⁻⁶⁴ above 0
and to 2⁻³² below 1, each binade in 2^mantissa_bits bins. What is closer to 0 or to 1 shares a bin,
and 0 and 1 have one each.
"""

from typing import Any

import numpy as np
import torch

from polyroc.scale._codes import SIGNIFICANT, code_of_one, ordered_codes

ABOVE_0, BELOW_1 = 64, 32
"""Binades that have bins of their own."""


class Grid:
    """The bins of probabilities."""

    def __init__(self, mantissa_bits: int) -> None:
        self.mantissa_bits = mantissa_bits
        self.one = code_of_one(mantissa_bits)
        ends = np.array([2.0**-ABOVE_0, 1 - 2.0**-BELOW_1])
        self.first, last = ordered_codes(ends, mantissa_bits).tolist()
        self.last = last - self.first + 4
        self.n_bins = self.last + 1

    def bins_of(self, values: Any) -> Any:
        """Numbers that never fall where values between 0 and 1 rise, of float64 tensors."""
        return self._bins_of_sizes(values)

    def _bins_of_sizes(self, values: Any) -> Any:
        corner = torch.round(values)
        codes = corner.to(torch.int64) * self.one + self._leading_bits(values - corner)
        bins = (codes - self.first + 2).clamp(1, self.last - 1)
        bins = torch.where(values == 0, 0, bins)
        return torch.where(values == 1, self.last, bins)

    def _leading_bits(self, gaps: Any) -> Any:
        """Exponent and leading bits of the mantissa, rounded up, with the sign of the gap."""
        dropped = SIGNIFICANT - self.mantissa_bits
        bits = (gaps.abs().view(torch.int64) + ((1 << dropped) - 1)) >> dropped
        return torch.where(gaps < 0, -bits, bits)


class SignedGrid(Grid):
    """The bins of differences of probabilities: those of their sizes, on both sides of 0."""

    def __init__(self, mantissa_bits: int) -> None:
        super().__init__(mantissa_bits)
        self.zero = self.last
        self.n_bins = 2 * self.last + 1

    def bins_of(self, values: Any) -> Any:
        """Numbers that never fall where values between −1 and 1 rise, of float64 tensors."""
        sizes = self._bins_of_sizes(values.abs())
        return self.zero + torch.where(values < 0, -sizes, sizes)
