"""Histograms of one column of scores, a row per class, that add up and bound AUCs.

Bins come in pages of 512, made when a score first falls into them: a column of probabilities needs
some 20 to 80 pages, and nothing is set aside for scores that do not occur. Counts are float64, so
whole numbers up to 2⁵³ add up exactly and in any order.

A bin remembers the value in it for as long as there is only one. Cases that share such a bin are
tied; of cases that share another bin the order is not known, and bounds allow both. Numbers that
are computed from scores may be tied across bins (:mod:`polyroc.scale._extents`).
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.scale._codes import SIGNIFICANT, code_of_one, highest_code, ordered_codes
from polyroc.scale._extents import Extents, links
from polyroc.typing import Float64Array, FloatArray, Int64Array, IntArray

PAGE_BITS = 9
PAGE = 1 << PAGE_BITS

AHEAD = 1 << 12
"""Scores to look through for more pages that are missing, where one is."""

EMPTY, ONE_VALUE, SEVERAL = 0, 1, 2


class PairBounds(NamedTuple):
    """Weights of the pairs of a positive case with the cases of each class."""

    above: Float64Array
    """The positive is in a higher bin."""
    tied: Float64Array
    """Both have the same score."""
    undecided: Float64Array
    """Both are in one bin, or in linked bins, with several scores."""


class Bins(NamedTuple):
    """The bins that are not empty, in ascending order."""

    counts: Float64Array
    """(rows, bins)."""
    one_value: NDArray[np.bool_]
    codes: Int64Array
    extents: tuple[Float64Array, Float64Array, Float64Array] | None = None
    """Of computed numbers: the least, the largest and the largest slack of each bin."""

    def linked(self) -> "Bins":
        """The bins with those that are linked made one; its code is that of the first."""
        if self.extents is None or not len(self.codes):
            return self
        starts, tied = links(*self.extents)
        alone = np.diff(starts, append=len(self.codes)) == 1
        tied |= alone & self.one_value[starts]
        return Bins(np.add.reduceat(self.counts, starts, axis=1), tied, self.codes[starts])


@lru_cache(maxsize=4)
def _no_pages(origin: int) -> Int64Array:
    place = np.full(2 * origin, -1, dtype=np.int64)
    place.flags.writeable = False
    return place


class Histogram:
    """Weights of the cases of each row in each bin."""

    def __init__(self, n_rows: int, mantissa_bits: int, computed: bool = False) -> None:
        self.n_rows = n_rows
        self.mantissa_bits = mantissa_bits
        self._origin = (highest_code(mantissa_bits) >> PAGE_BITS) + 1
        self._place = _no_pages(self._origin)
        """First slot of each page by its number, −1 for those that do not exist."""
        self.pages = np.empty(0, dtype=np.int64)
        self.counts = np.zeros((0, n_rows, PAGE))
        self.values = np.zeros((0, PAGE))
        self.state = np.zeros((0, PAGE), dtype=np.uint8)
        self.extents = Extents(PAGE) if computed else None

    def add(
        self,
        values: FloatArray,
        rows: IntArray,
        weights: Float64Array | None = None,
        compiled: bool = False,
        slacks: Float64Array | None = None,
    ) -> None:
        """Add cases with their rows; compiled or not, the result is the same.

        To the bit, or to the rounding of weights. ``slacks`` are those of computed numbers.
        """
        if compiled:
            self._add_compiled(values, rows, weights)
        elif values.size:
            self._add(values.astype(np.float64, copy=False), rows, weights)
        if self.extents is not None and slacks is not None and values.size:
            self._extend(values.astype(np.float64, copy=False), slacks, compiled)

    def _extend(self, values: Float64Array, slacks: Float64Array, compiled: bool) -> None:
        assert self.extents is not None
        if not compiled:
            self.extents.add(self.slots(values), values + 0.0, slacks)
            return
        from polyroc.kernels.histogram import extend_bins

        extend_bins(values, slacks, self._bits, self._place, *self.extents.arrays())

    @property
    def _bits(self) -> tuple[int, int, int]:
        """Bits that the code drops, the code of 1 and the position of page 0."""
        return SIGNIFICANT - self.mantissa_bits, code_of_one(self.mantissa_bits), self._origin

    def _add(self, values: Float64Array, rows: IntArray, weights: Float64Array | None) -> None:
        slots = self._slots_made(values)
        self._remember(slots, values)
        # A cell is (page, row, bin): the slot (page, bin) moved by the rows of the pages before.
        cells = slots >> PAGE_BITS
        cells *= (self.n_rows - 1) * PAGE
        cells += slots
        cells += rows.astype(np.int64) << PAGE_BITS
        flat = self.counts.reshape(-1)
        if values.size * 4 < flat.size:
            np.add.at(flat, cells, 1.0 if weights is None else weights)
        else:
            flat += np.bincount(cells, weights, flat.size)

    def _add_compiled(
        self, values: FloatArray, rows: IntArray, weights: Float64Array | None
    ) -> None:
        from polyroc.kernels.histogram import count_column

        weights = np.empty(0) if weights is None else weights
        reached = 0
        while True:
            arrays = (self._place, self.counts, self.state, self.values)
            reached = count_column(values, rows, weights, reached, self._bits, *arrays)
            if reached == len(values):
                return
            codes = ordered_codes(
                values[reached : reached + AHEAD].astype(np.float64), self.mantissa_bits
            )
            self.make_pages(np.unique(codes >> PAGE_BITS))

    def merge(self, other: "Histogram") -> None:
        """Add the cases of another histogram of the same shape."""
        self.make_pages(other.pages)
        own = self._place[other.pages + self._origin] >> PAGE_BITS
        self.counts[own] += other.counts
        mine, theirs = self.state[own], other.state
        agree = (mine == ONE_VALUE) & (theirs == ONE_VALUE) & (self.values[own] == other.values)
        state = np.where((mine == EMPTY) | agree, theirs, np.where(theirs == EMPTY, mine, SEVERAL))
        values = np.where(mine == EMPTY, other.values, self.values[own])
        self.state[own] = state
        self.values[own] = np.where(state == ONE_VALUE, values, 0)
        if self.extents is not None and other.extents is not None:
            self.extents.merge(own, other.extents)

    def slots(self, values: Float64Array) -> Int64Array:
        """Where the bins of values lie in the flat arrays; −1 or less for bins never made."""
        return self.slots_of_codes(ordered_codes(values, self.mantissa_bits))

    def slots_of_codes(self, codes: Int64Array) -> Int64Array:
        """The same from the codes of the values."""
        inside = codes & (PAGE - 1)
        places: Int64Array = self._place[(codes >> PAGE_BITS) + self._origin]
        places += np.where(places < 0, -PAGE, inside) if places.min(initial=0) < 0 else inside
        return places

    def bins(self) -> Bins:
        """What the bins hold, in ascending order."""
        order = np.argsort(self.pages)
        state = self.state[order].reshape(-1)
        used = np.flatnonzero(state)
        counts = self.counts[order].transpose(1, 0, 2).reshape(self.n_rows, -1)[:, used]
        codes = (self.pages[order][:, None] * PAGE + np.arange(PAGE)).reshape(-1)[used]
        if self.extents is None:
            return Bins(counts, state[used] == ONE_VALUE, codes)
        low, high, slack = (each[order].reshape(-1)[used] for each in self.extents.arrays())
        return Bins(counts, state[used] == ONE_VALUE, codes, (low, high, slack))

    def _slots_made(self, values: Float64Array) -> Int64Array:
        slots = self.slots(values)
        missing = slots < 0
        if missing.any():
            codes = ordered_codes(values[missing], self.mantissa_bits)
            self.make_pages(np.unique(codes >> PAGE_BITS))
            slots[missing] = self.slots(values[missing])
        return slots

    def make_pages(self, pages: Int64Array) -> None:
        """Set aside the pages of these numbers, as far as they do not exist."""
        new = pages[self._place[pages + self._origin] < 0]
        if not new.size:
            return
        if not self.pages.size:
            self._place = self._place.copy()  # one is shared by all that are empty
        self._place[new + self._origin] = (len(self.pages) + np.arange(new.size)) << PAGE_BITS
        self.pages = np.concatenate([self.pages, new])
        self.counts = np.concatenate([self.counts, np.zeros((new.size, self.n_rows, PAGE))])
        self.values = np.concatenate([self.values, np.zeros((new.size, PAGE))])
        self.state = np.concatenate([self.state, np.zeros((new.size, PAGE), dtype=np.uint8)])
        if self.extents is not None:
            self.extents.grow(new.size)

    def room_for(self, n_pages: int) -> int:
        """Bytes of memory that so many pages take."""
        of_bin = 8 * self.n_rows + 9 + (0 if self.extents is None else 24)
        return n_pages and n_pages * PAGE * of_bin + self._place.nbytes

    def _remember(self, slots: Int64Array, values: Float64Array) -> None:
        """Note the only value of a bin, or that it has several."""
        state, kept = self.state.reshape(-1), self.values.reshape(-1)
        unsettled = np.flatnonzero(state[slots] != SEVERAL)
        if not unsettled.size:
            return
        slots, values = slots[unsettled], values[unsettled] + 0.0  # −0 is 0
        fresh = state[slots] == EMPTY
        kept[slots[fresh]] = values[fresh]
        state[slots[fresh]] = ONE_VALUE
        several = slots[kept[slots] != values]
        state[several] = SEVERAL
        kept[several] = 0  # so that equal data give equal arrays, whatever their order


def pair_bounds(bins: Bins, positive: int) -> PairBounds:
    """Pairs of the cases of a row with those of every row. O(rows × bins)."""
    counts, own = bins.counts, bins.counts[positive]
    below = np.cumsum(counts, axis=1)
    below -= counts
    shared = np.where(bins.one_value, own, 0)
    return PairBounds(below @ own, counts @ shared, counts @ (own - shared))


def placement_variances(
    bins: Bins, positive: int, totals: Float64Array
) -> tuple[Float64Array, Float64Array]:
    """Variances of the placements: of the positives among each row, and of each row among them.

    Cases of one bin share the placement of its middle. From above or below, variances are the same.
    """
    counts, own = bins.counts, bins.counts[positive]
    middle = (np.cumsum(counts, axis=1) - counts / 2) / totals[:, None]
    among_rows = _variances(np.broadcast_to(own, counts.shape), middle)
    among_own = _variances(counts, np.broadcast_to(middle[positive], counts.shape))
    return among_rows, among_own


def _variances(counts: Float64Array, values: Float64Array) -> Float64Array:
    totals = counts.sum(axis=1)
    means = (counts * values).sum(axis=1) / totals
    squares = (counts * (values - means[:, None]) ** 2).sum(axis=1)
    variances = np.full(len(totals), np.nan)
    np.divide(squares, totals - 1, out=variances, where=totals > 1)
    return variances
