"""One column of scores, and where every case stands among its positives.

For a case with score s, ``left`` is the number of positives below s and ``right`` the number not
above s. These two ranks are all that AUC, scored AUC and their influence values need:

* from the side of a case b of another class: the positives above b are those from ``right`` on,
  and the positives tied with b those from ``left`` to ``right``;
* from the side of the positive j (in sorted order): the cases below it are those with
  ``right ≤ j``, and the cases below or tied those with ``left ≤ j``.

Three routes to the ranks, with equal results:

* few positives of many cases: look up each case among the sorted positives, most of them in a
  table by their leading bits, O(n + n log n_k), no sort of the column;
* many positives: sort all cases once and count along, O(n log n);
* many positives, and nobody asks which case is which: sort the scores with the class of the case
  packed into the unused bits of the number, which spares the index and the gathers.

Where compiled loops are loaded, they sort long columns by their digits.

The cases come in blocks, so that memory stays near one sorted index per column.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyroc._base.lazy import lazy_property
from polyroc._base.sums import running_sum, running_weight
from polyroc.typing import Float64Array, FloatArray, IntArray

Cases: TypeAlias = NDArray[np.intp] | slice

FEW_POSITIVES = 512
"""Up to here a look-up stays in the fastest cache and beats the sort of the whole column."""

SHORT_COLUMN = 1 << 12
"""Cases up to which a sort of all costs less than a table of leading bits."""

MOST_KEPT_RANKS = 1 << 17
"""Cases of a column whose ranks are kept between its value and its influence values."""

MOST_REMEMBERED_RANKS = 1 << 20
"""Cases of a column whose ranks are kept while several metrics ask for their influence values."""

MANY_KEYS = 1 << 13
"""From here on compiled loops take at most as long as NumPy for scores that differ in their leading
bits: about as long with AVX-512, half of it with AVX2, a tenth without vector instructions or where
AVX-512 has no fast compression to memory (AMD's Zen 4)."""

_BLOCK = 1 << 16


class Ranks(NamedTuple):
    """A block of cases with their ranks among the positives."""

    cases: Cases
    codes: IntArray
    scores: FloatArray
    left: NDArray[np.intp]
    right: NDArray[np.intp]


@dataclass(frozen=True)
class Column:
    """Scores of all cases in one column; the positives are the cases of class ``k``."""

    scores: FloatArray
    codes: IntArray
    k: int
    weights: Float64Array | None = None
    kept: bool = False
    """Whether influence values will ask for the ranks again: then the order of cases is kept, or
    the ranks themselves where positives are few."""

    @lazy_property
    def n_positives(self) -> int:
        """Number of positive cases."""
        return int(np.count_nonzero(self.codes == self.k))

    @lazy_property
    def members(self) -> NDArray[np.intp]:
        """The positive cases in ascending order of score."""
        if "order" in vars(self):
            return self.order[self._places]
        cases = np.flatnonzero(self.codes == self.k)
        return cases[np.argsort(self.scores[cases])]

    @lazy_property
    def weight_below(self) -> Float64Array:
        """Weight of the first j positives, j = 0 … m."""
        if self.weights is None:
            return np.arange(self.n_positives + 1, dtype=np.float64)
        return running_weight(self.weights[self.members])

    @lazy_property
    def score_below(self) -> Float64Array:
        """Weighted sum of the scores of the first j positives."""
        scores = self.scores[self.members].astype(np.float64)
        return running_sum(scores if self.weights is None else scores * self.weights[self.members])

    @property
    def weight(self) -> float:
        """Weight of all positives."""
        return float(self.weight_below[-1])

    @lazy_property
    def order(self) -> NDArray[np.intp]:
        """All cases in ascending order of score; kept as long as the column is."""
        return in_ascending_order(self.scores)[0]

    def ascending(self) -> tuple[NDArray[np.int32], Float64Array]:
        """Codes and scores in ascending order of score, for compiled loops."""
        if self.kept or "order" in vars(self):
            return self.with_cases[:2]
        packed = _pack(self.scores, self.codes)
        if packed is None:
            return self.with_cases[:2]
        codes, scores = packed.unpacked()
        return codes, scores.astype(np.float64, copy=False)

    @lazy_property
    def with_cases(self) -> tuple[NDArray[np.int32], Float64Array, NDArray[np.uint32]]:
        """The same, and the cases in that order."""
        order, scores = self._in_order()
        codes, cases = np.empty((2, len(order)), np.int32)  # together, in larger pages of memory
        codes[:], cases[:] = self.codes.take(order), order
        return codes, scores.astype(np.float64, copy=False), cases.view(np.uint32)

    def _in_order(self) -> tuple[NDArray[np.intp], FloatArray]:
        """The order of the cases, and their scores in it."""
        if "order" in vars(self):
            return self.order, self.scores.take(self.order)
        return in_ascending_order(self.scores)

    def in_order(self, order: NDArray[np.intp]) -> Self:
        """The column with the order of its cases, where it is known and will be asked for."""
        if self.n_positives > FEW_POSITIVES:
            vars(self)["order"] = order
        return self

    @lazy_property
    def _ascending(self) -> tuple[IntArray, FloatArray]:
        """Codes and scores in that order."""
        vars(self)["order"], scores = self._in_order()
        return self.codes.take(self.order), scores

    @lazy_property
    def _places(self) -> NDArray[np.intp]:
        """Where the positives stand in the order of all cases."""
        return np.flatnonzero(self._ascending[0] == self.k)

    def is_reversed(self, scores: FloatArray) -> bool:
        """Whether other scores put the cases in the opposite order, with the same ties."""
        _, own = self._ascending
        other = scores[self.order]
        falls = other[1:] < other[:-1]
        if not np.array_equal(falls, own[1:] > own[:-1]):
            return False
        return bool((falls | (other[1:] == other[:-1])).all())

    def summed_below(self, values: Float64Array, *, tied: bool = False) -> Float64Array:
        """Sums of a value of each case over those below every positive, or ``tied`` with it."""
        sums = np.zeros(self.n_positives + 1)
        for ranks in self.ranks():
            add_to_cells(sums, ranks.left if tied else ranks.right, values[ranks.cases])
        return running_sum(sums)[1:-1]

    def class_weights_below(self, classes: slice, credit: float) -> Float64Array:
        """Weight of the cases of some classes (columns) below each positive (rows).

        Those tied with it count ``credit``.
        """
        width = classes.stop - classes.start
        sums = np.zeros((self.n_positives + 1) * width)
        for ranks in self.ranks():
            _, codes, _, left, right = ranks
            weights = None if self.weights is None else self.weights[ranks.cases]
            if classes.start or width <= codes.max():
                inside = (codes >= classes.start) & (codes < classes.stop)
                codes, left, right = codes[inside] - classes.start, left[inside], right[inside]
                weights = None if weights is None else weights[inside]
            add_to_cells(sums, right * width + codes, weights)
            tied = np.flatnonzero(left != right)
            weights = None if weights is None else weights[tied]
            for side, share in ((left, credit), (right, -credit)):
                add_to_cells(sums, side[tied] * width + codes[tied], weights, share)
        table = sums.reshape(self.n_positives + 1, width)
        if self.weights is None:  # whole numbers of credits: exact in any order
            return np.cumsum(table, axis=0, out=table)[:-1]
        return running_sum(table)[1:-1]

    def placed(self, ranks: Ranks, credit: float) -> Float64Array:
        """Weight of the positives above each case, ties counting ``credit``."""
        if self.weights is None:
            return self.n_positives - ((1 - credit) * ranks.right + credit * ranks.left)
        below = self.weight_below
        return self.weight - ((1 - credit) * below[ranks.right] + credit * below[ranks.left])

    def above(self, ranks: Ranks) -> Float64Array:
        """Weight of the positives above each case."""
        if self.weights is None:
            return self.n_positives - ranks.right.astype(np.float64)
        return self.weight - self.weight_below[ranks.right]

    def tied(self, ranks: Ranks) -> Float64Array:
        """Weight of the positives tied with each case."""
        if self.weights is None:
            return (ranks.right - ranks.left).astype(np.float64)
        return self.weight_below[ranks.right] - self.weight_below[ranks.left]

    def excess(self, ranks: Ranks) -> Float64Array:
        """Weighted sum over the positives above each case of how far they are above it."""
        excess: Float64Array = self.score_below[-1] - self.score_below[ranks.right]
        excess -= ranks.scores * self.above(ranks)
        return excess

    def ranks(self) -> Iterator[Ranks]:
        """Ranks of all cases among the positives, block by block, each case once."""
        if self._keeps_ranks:
            self._remember()
        return iter(vars(self).get("_remembered") or self._found_ranks())

    def _found_ranks(self) -> Iterator[Ranks]:
        few = self.n_positives <= FEW_POSITIVES
        return self._by_lookup() if few else self._by_sorting()

    @contextmanager
    def remembered_ranks(self) -> Iterator[None]:
        """While inside, ranks are found once, unless cases are very many; then forgotten.

        Those that the column keeps are not, nor those of a short column that were there before.
        """
        stay = "_remembered" in vars(self) and len(self.scores) <= SHORT_COLUMN
        if self.n_positives <= FEW_POSITIVES or len(self.scores) <= MOST_REMEMBERED_RANKS:
            self._remember()
        try:
            yield
        finally:
            if not (stay or self._keeps_ranks):
                vars(self).pop("_remembered", None)

    @property
    def _keeps_ranks(self) -> bool:
        return self.kept and len(self.scores) <= MOST_KEPT_RANKS

    def _remember(self) -> None:
        if "_remembered" not in vars(self):
            vars(self)["_remembered"] = tuple(self._found_ranks())

    def anonymous_ranks(self) -> Iterator[Ranks]:
        """The same, where ``cases`` is not needed: it may be empty."""
        sort_anyway = self.kept or "order" in vars(self)
        if self.weights is None and self.n_positives > FEW_POSITIVES and not sort_anyway:
            packed = _pack(self.scores, self.codes)
            if packed is not None:
                return self._by_packing(packed)
        return self.ranks()

    def _by_lookup(self) -> Iterator[Ranks]:
        if len(self.scores) <= SHORT_COLUMN:
            yield self._by_short_sort()
            return
        positives = self.scores[self.members]
        ordered = _in_float_order(self.scores)
        buckets = _Buckets.of(ordered, ordered[self.members])
        for start in range(0, len(self.scores), _BLOCK):
            cases = slice(start, start + _BLOCK)
            scores = self.scores[cases]
            left, near = buckets.look_up(ordered[cases])
            right = left.copy()
            left[near] = np.searchsorted(positives, scores[near], side="left")
            right[near] = np.searchsorted(positives, scores[near], side="right")
            yield Ranks(cases, self.codes[cases], scores, left, right)

    def _by_short_sort(self) -> Ranks:
        """Of few cases: counted along their order, and put back in the order given."""
        order = np.argsort(self.scores)
        left, right = np.empty((2, len(order)), np.intp)
        own, scores = self.codes[order] == self.k, self.scores[order]
        left[order], right[order] = _count_along(own, scores, 0)
        return Ranks(slice(0, len(order)), self.codes, self.scores, left, right)

    def _by_sorting(self) -> Iterator[Ranks]:
        codes, scores = self._ascending
        start, seen = 0, 0
        while start < len(scores):
            stop = min(start + _BLOCK, len(scores))
            if stop < len(scores):  # no run of equal scores is cut
                stop = int(np.searchsorted(scores, scores[stop - 1], side="right"))
            block = slice(start, stop)
            left, right = _count_along(codes[block] == self.k, scores[block], seen)
            yield Ranks(self.order[block], codes[block], scores[block], left, right)
            start, seen = stop, int(right[-1])

    def _by_packing(self, packed: "_Packed") -> Iterator[Ranks]:
        none = np.empty(0, dtype=np.intp)
        start, seen = 0, 0
        while start < len(packed.keys):
            stop = packed.end_of_block(start)
            codes, scores = packed.unpack(start, stop)
            left, right = _count_along(codes == self.k, scores, seen)
            yield Ranks(none, codes, scores, left, right)
            start, seen = stop, int(right[-1])


def add_to_cells(
    sums: Float64Array, cells: NDArray[np.intp], values: FloatArray | None, share: float = 1.0
) -> None:
    """Add a share of the values, or of ones, to the sums of the cells that they are in.

    Where cells are many, those of a block are near each other.
    """
    if not (share and cells.size):
        return
    first, last = 0, len(sums)
    if last > 2 * cells.size:
        first, last = int(cells.min()), int(cells.max()) + 1
        cells = cells - first
    found = np.bincount(cells, values, last - first)
    sums[first:last] += found if share == 1 else share * found


def _count_along(
    own: NDArray[np.bool_], scores: FloatArray, seen: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Ranks of cases in ascending order of score, ``seen`` positives being below the first.

    Every case of a run of equal scores gets the left of the first and the right of the last.
    """
    right = np.cumsum(own, dtype=np.intp)
    right += seen
    left = right - own
    new = scores[1:] != scores[:-1]
    if new.all():
        return left, right
    ends = np.empty(np.count_nonzero(new) + 1, np.intp)
    ends[:-1], ends[-1] = new.nonzero()[0] + 1, len(scores)
    lengths = ends.copy()
    lengths[1:] -= ends[:-1]
    return left[ends - lengths].repeat(lengths), right[ends - 1].repeat(lengths)


@dataclass(frozen=True)
class _Buckets:
    """Positives counted by the leading bits of their scores.

    A case whose bucket holds no positive has its rank from the table; only the others are searched.
    """

    lowest: int
    shift: int
    below: NDArray[np.intp]
    """Positives in the buckets before each."""
    occupied: NDArray[np.bool_]

    @classmethod
    def of(cls, ordered: IntArray, positives: IntArray) -> "_Buckets":
        lowest, highest = int(ordered.min()), int(ordered.max())
        bits = min(16, len(positives).bit_length() + 6)
        shift = max(0, (highest - lowest).bit_length() - bits)
        counts = np.bincount(
            (_offset(positives, lowest) >> shift).astype(np.intp),
            minlength=((highest - lowest) >> shift) + 1,
        )
        return cls(lowest, shift, np.cumsum(counts) - counts, counts > 0)

    def look_up(self, ordered: IntArray) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Positives in lower buckets, and which cases share a bucket with a positive."""
        bucket = (_offset(ordered, self.lowest) >> self.shift).astype(np.intp)
        return self.below[bucket], np.flatnonzero(self.occupied[bucket])


@dataclass(frozen=True)
class _Packed:
    """Sorted integer keys: the order of the score in the high bits, the class in the low ones."""

    keys: NDArray[Any]
    code_bits: int
    lowest: int
    floating: type[np.float32 | np.float64]

    def end_of_block(self, start: int) -> int:
        """End of the block from start, moved so that no run of equal scores is cut."""
        stop = min(start + _BLOCK, len(self.keys))
        following = ((int(self.keys[stop - 1]) >> self.code_bits) + 1) << self.code_bits
        if following > np.iinfo(self.keys.dtype).max:
            return len(self.keys)
        return int(np.searchsorted(self.keys, self.keys.dtype.type(following)))

    def unpacked(self) -> tuple[NDArray[np.int32], FloatArray]:
        """Codes and scores of all cases, the scores in the place of the keys."""
        codes = np.empty(len(self.keys), dtype=np.int32)
        mask = self.keys.dtype.type((1 << self.code_bits) - 1)
        np.bitwise_and(self.keys, mask, out=codes, casting="unsafe")
        ordered = self.keys
        ordered >>= ordered.dtype.type(self.code_bits)
        if self.floating is np.float32:
            ordered = ordered.astype(np.int32)
        ordered = ordered.view(np.int32 if ordered.itemsize == 4 else np.int64)
        ordered += ordered.dtype.type(self.lowest)
        return codes, _swap_negative(ordered).view(self.floating)

    def unpack(self, start: int, stop: int) -> tuple[IntArray, FloatArray]:
        """Codes and scores of a block."""
        keys = self.keys[start:stop]
        codes = (keys & ((1 << self.code_bits) - 1)).astype(np.intp)
        signed = np.int32 if self.floating is np.float32 else np.int64
        ordered: IntArray = (keys >> self.code_bits).astype(signed)
        ordered += signed(self.lowest)
        return codes, _swap_negative(ordered).view(self.floating)


def _pack(scores: FloatArray, codes: IntArray) -> _Packed | None:
    """Scores and codes in sorted keys, or None if both do not fit into 64 bits without loss.

    float32 scores always fit, mostly into 32 bits; float64 scores fit if they span few enough
    powers of two, as probabilities other than 0 mostly do.
    """
    ordered = _in_float_order(scores)
    lowest, highest = int(ordered.min()), int(ordered.max())
    code_bits = int(codes.max()).bit_length()
    bits = (highest - lowest).bit_length() + code_bits
    if bits > 64:
        return None
    wide = ordered if bits <= 32 or ordered.itemsize == 8 else ordered.astype(np.int64)
    wide -= wide.dtype.type(lowest)  # in place: with the column itself, that is all that is held
    keys: NDArray[Any] = wide.view(np.uint32 if wide.itemsize == 4 else np.uint64)
    keys <<= keys.dtype.type(code_bits)
    np.bitwise_or(keys, codes, out=keys, casting="unsafe")
    keys = sorted_keys(keys)  # with the class, so that the order of the rows is of no account
    return _Packed(keys, code_bits, lowest, np.float32 if scores.itemsize == 4 else np.float64)


def in_ascending_order(scores: FloatArray) -> tuple[NDArray[np.intp], FloatArray]:
    """Cases in ascending order of score, and their scores; equal ones stay in the order given.

    Found by sorting keys of their leading bits and their numbers: NumPy sorts numbers in a third of
    the time that it takes to find their order. Where scores differ only in the bits left out, few
    are out of order, and these are put in order.
    """
    find = _order_by_loops if _loops_pay(len(scores)) else _order_by_keys
    order, ascending, right = find(scores)
    if right:
        return order, ascending
    again = np.argsort(ascending, kind="stable")  # which merges what is nearly sorted
    return order[again], ascending[again]


def _order_by_keys(scores: FloatArray) -> tuple[NDArray[np.intp], FloatArray, bool]:
    """Order, scores in that order, and whether that is ascending."""
    ordered = _in_float_order(scores)
    lowest, highest = int(ordered.min()), int(ordered.max())
    bits = (len(ordered) - 1).bit_length()
    left_out = max(0, (highest - lowest).bit_length() + bits - 64)
    keys = _offset(ordered, lowest).astype(np.uint64, copy=False)
    for start in range(0, len(keys), _BLOCK):
        block = keys[start : start + _BLOCK]
        block >>= np.uint64(left_out)
        block <<= np.uint64(bits)
        block |= np.arange(start, start + len(block), dtype=np.uint64)
    keys.sort()
    keys &= np.uint64((1 << bits) - 1)
    order = keys.view(np.intp)
    ordered = ordered.take(order)  # not the scores, which may be far apart in memory
    right = not (ordered[1:] < ordered[:-1]).any()
    return order, _swap_negative(ordered).view(scores.dtype), right


def _order_by_loops(scores: FloatArray) -> tuple[NDArray[np.intp], FloatArray, bool]:
    """The same in compiled loops."""
    from polyroc.kernels.sorting import bring_in_order, sort_places

    floats = scores + scores.dtype.type(0)  # together in memory, and −0 equal to 0
    stored: NDArray[Any] = floats.view(np.uint32 if floats.itemsize == 4 else np.uint64)
    first, second = (np.empty(len(floats), np.uint64) for _ in range(2))
    order, other = (second, first) if sort_places(stored, first, second) else (first, second)
    ascending = other.view(scores.dtype)[: len(scores)]  # in the place of what is of no more use
    right = bring_in_order(floats, order, ascending)
    return order.view(np.intp), ascending, right


def sorted_scores(scores: FloatArray) -> FloatArray:
    """Scores in ascending order."""
    ordered = _in_float_order(scores)
    lowest = int(ordered.min())
    keys = sorted_keys(_offset(ordered, lowest)).view(ordered.dtype)
    keys += ordered.dtype.type(lowest)
    return _swap_negative(keys).view(scores.dtype)


def sorted_keys(keys: NDArray[Any]) -> NDArray[Any]:
    """Keys in ascending order."""
    if not _loops_pay(len(keys)):
        keys.sort()
        return keys
    from polyroc.kernels.sorting import sort_keys

    spare = np.empty_like(keys)
    return spare if sort_keys(keys, spare) else keys


def _loops_pay(n: int) -> bool:
    """Whether so many numbers are sorted by compiled loops, if these are loaded."""
    return n >= MANY_KEYS and "polyroc.kernels.compile" in sys.modules


def _in_float_order(scores: FloatArray) -> IntArray:
    """Integers in the order of the scores, equal exactly where the scores are equal."""
    signed = np.int32 if scores.itemsize == 4 else np.int64
    return _swap_negative((scores + scores.dtype.type(0)).view(signed))  # + 0 makes −0 equal 0


def _offset(ordered: IntArray, lowest: int) -> NDArray[Any]:
    """Distance from the lowest, without sign; the difference may use all bits."""
    distance: NDArray[Any] = ordered - ordered.dtype.type(lowest)
    return distance.view(np.uint32 if distance.itemsize == 4 else np.uint64)


def _swap_negative(bits: NDArray[Any]) -> NDArray[Any]:
    """Bits of floats as integers in the order of the floats, and back: it is its own inverse."""
    if bits.min() >= 0:
        return bits
    negative = bits >> (8 * bits.itemsize - 1)
    swapped: NDArray[Any] = bits ^ (negative & np.iinfo(bits.dtype).max)
    return swapped
