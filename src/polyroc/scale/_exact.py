"""Exact values out of core: the cases of each open bin are read again and sorted.

A histogram leaves open the order of pairs within bins that hold several scores. These bins, in
ascending order, are divided into parts of as many cases as fit into memory. Another pass over the
column brings together the cases of a few parts; each part is sorted and its pairs are counted, in
place of what the histogram knew of them. Pairs of different parts are known from the histogram.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

from polyroc._base.ties import merged
from polyroc.predictions._columns import Column
from polyroc.scale._batch import Chunk, Track, Tracked
from polyroc.scale._histogram import PAGE_BITS, Bins, Histogram, PairBounds, pair_bounds
from polyroc.scale._histograms import Task
from polyroc.typing import Float64Array, FloatArray, Int64Array, IntArray

BYTES_TO_SORT = 48
"""Memory for each case of a part while it is sorted."""

BYTES_TO_HOLD = 26
"""Memory for each case of a part that waits: score, class, weight, slack."""

Chosen = Int64Array | slice


@dataclass(frozen=True)
class Part:
    """Some bins of a track, or all its cases, with what the histogram knows of their pairs."""

    track: Track
    n_cases: int
    known: PairBounds
    weights: Float64Array = field(repr=False)
    """Of its cases in each row, to compare with those that are found."""
    codes: Int64Array | None = field(default=None, repr=False)
    """Its bins in ascending order; None for all cases."""
    mantissa_bits: int = 1


class Resolved(NamedTuple):
    """The pairs of a part, and the weight of its cases in each row."""

    pairs: PairBounds
    weights: Float64Array


def whole(track: Track, n_cases: int, totals: Float64Array) -> Part:
    """All cases of a track, of which nothing is known but the weight of each class."""
    nothing = PairBounds(*np.zeros((3, track.n_rows)))
    return Part(track, n_cases, nothing, totals[list(track.rows)])


def open_parts(track: Track, histogram: Histogram, scale: float, most_cases: int) -> list[Part]:
    """Bins with pairs of unknown order, in parts of at most so many cases each.

    ``scale`` is the number of cases per weight. A bin is never divided, nor are linked ones.
    """
    bins = histogram.bins()
    linked = bins.linked()
    own, all_rows = linked.counts[track.positive], linked.counts.sum(axis=0)
    unknown = np.flatnonzero(~linked.one_value & (own > 0) & (all_rows > own))
    reached = np.cumsum(all_rows[unknown] * scale)
    starts = np.flatnonzero(np.diff(reached // most_cases, prepend=-1))
    chosen = [] if not unknown.size else np.split(unknown, starts[1:])
    group = np.searchsorted(linked.codes, bins.codes, side="right") - 1
    return [
        _part(track, histogram, linked, each, bins.codes[np.isin(group, each)], scale)
        for each in chosen
    ]


def _part(
    track: Track,
    histogram: Histogram,
    linked: Bins,
    chosen: Int64Array,
    codes: Int64Array,
    scale: float,
) -> Part:
    some = Bins(linked.counts[:, chosen], linked.one_value[chosen], linked.codes[chosen])
    n_cases = int(np.ceil(some.counts.sum() * scale))
    known = pair_bounds(some, track.positive)
    weights = some.counts.sum(axis=1)
    return Part(track, n_cases, known, weights, codes, histogram.mantissa_bits)


def passes(parts: list[Part], memory: int) -> Iterator[list[Part]]:
    """Parts that are brought together in one pass over the files."""
    gathered: list[Part] = []
    n_cases = 0
    for part in parts:
        if gathered and (n_cases + part.n_cases) * BYTES_TO_HOLD > memory // 2:
            yield gathered
            gathered, n_cases = [], 0
        gathered.append(part)
        n_cases += part.n_cases
    if gathered:
        yield gathered


class Cases:
    """The cases of one part, as they come."""

    def __init__(self) -> None:
        self._values: list[FloatArray] = []
        self._rows: list[IntArray] = []
        self._weights: list[Float64Array] = []
        self._slacks: list[Float64Array] = []

    @classmethod
    def joined(cls, several: "Sequence[Cases]") -> "Cases":
        """All cases in order, those given left as they are."""
        joined = cls()
        for each in several:
            joined._values += each._values
            joined._rows += each._rows
            joined._weights += each._weights
            joined._slacks += each._slacks
        return joined

    def add(self, cases: Tracked, chosen: Chosen = slice(None)) -> None:
        """Add some cases."""
        self._values.append(cases.values[chosen])
        self._rows.append(cases.rows[chosen])
        if cases.weights is not None:
            self._weights.append(cases.weights[chosen])
        if cases.slacks is not None:
            self._slacks.append(cases.slacks[chosen])

    def resolved(self, positive: int, n_rows: int) -> Resolved:
        """Sort the cases, count their pairs exactly, and forget them."""
        values, rows = np.concatenate(self._values), np.concatenate(self._rows)
        weights = np.concatenate(self._weights) if self._weights else None
        if self._slacks:
            values = merged(values.astype(np.float64, copy=False), np.concatenate(self._slacks))
        self._values, self._rows, self._weights, self._slacks = [], [], [], []
        column = Column(values, rows, positive, weights)
        above, tied = np.zeros((2, n_rows))
        for ranks in column.anonymous_ranks() if column.n_positives else ():
            for total, count in ((above, column.above(ranks)), (tied, column.tied(ranks))):
                if weights is not None:
                    count = count * weights[ranks.cases]
                total += np.bincount(ranks.codes, count, n_rows)
        found = PairBounds(above, tied, np.zeros(n_rows))
        return Resolved(found, np.bincount(rows, weights, n_rows).astype(np.float64))


class PartCollector:
    """The cases of several parts, picked out of batches."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.cases = [Cases() for _ in parts]
        self._numbers: dict[Track, list[int]] = {}
        for number, part in enumerate(parts):
            self._numbers.setdefault(part.track, []).append(number)
        self._marks = {track: _marks(numbers, parts) for track, numbers in self._numbers.items()}

    def tasks(self, chunk: Chunk, position: int) -> list[Task]:
        """What is to be done with a chunk, in any order and on any threads."""
        return [partial(self._pick, track, chunk) for track in self._numbers]

    def _pick(self, track: Track, chunk: Chunk) -> None:
        """Add the cases of every part of a track."""
        cases, marks = track.of(chunk), self._marks[track]
        if marks is None:
            self.cases[self._numbers[track][0]].add(cases)
            return
        belongs = marks.of(cases.values.astype(np.float64, copy=False))
        for number in self._numbers[track]:
            self.cases[number].add(cases, np.flatnonzero(belongs == number))


class _Marks:
    """The number of the part that each bin of a track belongs to."""

    def __init__(self, mantissa_bits: int, codes: dict[int, Int64Array]) -> None:
        self._bins = Histogram(0, mantissa_bits)  # without rows it only says where bins are
        for each in codes.values():
            self._bins.make_pages(np.unique(each >> PAGE_BITS))
        self._numbers = np.full(self._bins.state.size, -1, dtype=np.int64)
        for number, each in codes.items():
            self._numbers[self._bins.slots_of_codes(each)] = number

    def of(self, values: Float64Array) -> Int64Array:
        """Numbers of parts; −1 for values that are in none."""
        slots = self._bins.slots(values)
        return np.where(slots < 0, -1, self._numbers[np.maximum(slots, 0)])


def _marks(numbers: list[int], parts: Sequence[Part]) -> _Marks | None:
    """Marks for the parts of one track, unless one of them has all its cases."""
    codes = {number: each for number in numbers if (each := parts[number].codes) is not None}
    return _Marks(parts[numbers[0]].mantissa_bits, codes) if codes else None
