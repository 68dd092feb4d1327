"""What bins of computed numbers know of the numbers in them, so that ties across bins are seen.

Numbers computed from scores are tied where they are closer than their slack
(:mod:`polyroc._base.ties`), so two of them may be tied although a border of bins lies between
them. Each bin keeps the least and the largest number in it and the largest slack: bins that follow
each other are linked if the gap between them is no larger than a slack. The pairs within linked
bins, and within a bin of several numbers, are tied for certain if all their numbers are closer than
the least slack that they can have, half of 2⁻⁴⁰ of their size; else they may be tied or not.
"""

import numpy as np
from numpy.typing import NDArray

from polyroc._base.ties import SLACK
from polyroc.typing import Float64Array, FloatArray, Int64Array


class Extents:
    """The least number, the largest number and the largest slack of each bin, by page."""

    def __init__(self, page: int) -> None:
        self.low = np.zeros((0, page))
        self.high = np.zeros((0, page))
        self.slack = np.zeros((0, page))

    def arrays(self) -> tuple[Float64Array, Float64Array, Float64Array]:
        """All three."""
        return self.low, self.high, self.slack

    def grow(self, n_pages: int) -> None:
        """Pages without numbers."""
        shape = (n_pages, self.low.shape[1])
        self.low = np.concatenate([self.low, np.full(shape, np.inf)])
        self.high = np.concatenate([self.high, np.full(shape, -np.inf)])
        self.slack = np.concatenate([self.slack, np.zeros(shape)])

    def add(self, slots: Int64Array, values: Float64Array, slacks: Float64Array) -> None:
        """Add numbers in their bins."""
        np.minimum.at(self.low.reshape(-1), slots, values)
        np.maximum.at(self.high.reshape(-1), slots, values)
        np.maximum.at(self.slack.reshape(-1), slots, slacks)

    def merge(self, own: Int64Array, other: "Extents") -> None:
        """Add the pages of another, ``own`` being the pages here."""
        self.low[own] = np.minimum(self.low[own], other.low)
        self.high[own] = np.maximum(self.high[own], other.high)
        self.slack[own] = np.maximum(self.slack[own], other.slack)


def links(
    low: FloatArray, high: FloatArray, slack: FloatArray
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Where linked bins begin, and whether all their numbers are tied for certain.

    The bins are those that are not empty, in ascending order.
    """
    with np.errstate(over="ignore"):
        apart = low[1:] - high[:-1] > np.maximum(slack[1:], slack[:-1])
        starts = np.flatnonzero(np.concatenate(([True], apart)))
        ends = np.append(starts[1:], len(low)) - 1
        width = high[ends] - low[starts]
    same_sign = np.sign(low[starts]) == np.sign(high[ends])
    least = np.where(same_sign, np.minimum(np.abs(low[starts]), np.abs(high[ends])), 0)
    return starts, width <= SLACK / 2 * least
