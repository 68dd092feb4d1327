"""From a table of predictions to all that its metrics need, whoever reads the table.

A :class:`Reader` passes over the table, on the threads of this process or on a cluster. What is
asked of it, and what is done with the answers, is the same: so are the bounds, to the bit or to the
rounding of weights.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from polyroc.errors import InvalidInput
from polyroc.scale._batch import Track
from polyroc.scale._evaluation import Known
from polyroc.scale._exact import BYTES_TO_SORT, Part, Resolved, open_parts, passes, whole
from polyroc.scale._histogram import PAGE
from polyroc.scale._histograms import Histograms, TrackCounts, bounds_of
from polyroc.scale._passes import Collector
from polyroc.scale._source import Layout
from polyroc.scale._summary import MANY_SCORES, PairSummary
from polyroc.typing import Float64Array, Label

MEMORY = 512 << 20

USUAL_PAGES = 64
"""Pages that a column of probabilities may need, to plan with."""


class Mergeable(Collector, Protocol):
    """What chunks are added to, and others of its kind."""

    def merge(self, other: Self) -> Self:
        """Add what another has collected; returns itself."""


Collected = TypeVar("Collected", bound=Mergeable)
Needed = list[int] | None


class Reader(Protocol):
    """A table of predictions, and those who read it."""

    @property
    def n_rows(self) -> int:
        """Rows of the table."""

    @property
    def n_sorters(self) -> int:
        """Parts of the cases that are sorted at once within the memory of one machine."""

    @property
    def n_machines(self) -> int:
        """How many times the memory of one machine there is."""

    def collect(
        self, make: Callable[[], Collected], needed: Needed, n_cells: int, doing: str
    ) -> Collected:
        """One pass over some columns of scores, or all; ``make`` gives an empty collector.

        ``n_cells`` is about how many numbers the collector holds.
        """

    def sort(self, parts: list[Part], needed: Needed) -> list[Resolved]:
        """One pass that brings together the cases of each part and counts their pairs exactly."""


class LaidOut(Reader, Protocol):
    """A reader that knows what is in the columns."""

    @property
    def layout(self) -> Layout:
        """Which column holds what."""


@dataclass(frozen=True)
class Job:
    """A table, what is in it, and what may be spent on it."""

    reader: Reader
    layout: Layout
    options: dict[str, Any]
    memory: int

    def known(self, exact: bool) -> Known:
        """All that the metrics need."""
        tracks = PairSummary(list(self.layout.classes), **self.options).tracks()
        fits = self._bytes(tracks) <= self.memory // 2
        summary = self._summary(fits, tracks)
        known = summary.known()
        if fits:
            self._fill(known, summary.histograms, exact)
        elif self.reader.n_rows * BYTES_TO_SORT <= self.memory // 2:
            n_rows, weights = self.reader.n_rows, known.totals.weights
            self._resolve(known, [whole(track, n_rows, weights) for track in tracks])
        else:
            for block in self._blocks(tracks):
                histograms = self._counted(block)
                for track, histogram in histograms.items():
                    found = histogram.counts.sum(axis=(0, 2))
                    _check_same_cases(found, known.totals.weights[list(track.rows)])
                self._fill(known, histograms, exact)
        return known

    @property
    def _most_cases(self) -> int:
        """Cases that may be sorted at a time by each who sorts."""
        return max(1, self.memory // (2 * self.reader.n_sorters * BYTES_TO_SORT))

    def _bytes(self, tracks: list[Track]) -> int:
        """Memory of the histograms of tracks."""
        columns = sum(track.n_rows + (4 if track.computed else 1) for track in tracks)
        return columns * USUAL_PAGES * PAGE * 8

    def _blocks(self, tracks: list[Track]) -> Iterator[list[Track]]:
        """Tracks whose histograms fit into half of the memory together; at least one."""
        block: list[Track] = []
        for track in tracks:
            if block and self._bytes([*block, track]) > self.memory // 2:
                yield block
                block = []
            block.append(track)
        yield block

    def _needed(self, tracks: Iterable[Track]) -> list[int]:
        return self.layout.needed_by(tracks)

    @property
    def _n_scores(self) -> int:
        return self.reader.n_rows * len(self.layout.columns)

    def _summary(self, with_histograms: bool, tracks: list[Track]) -> PairSummary:
        classes = self.layout.classes
        make = partial(empty_summary, classes, self.options, self._n_scores, with_histograms)
        n_cells = self._bytes(tracks) // 8 if with_histograms else 0
        return self.reader.collect(make, None, n_cells, "Reading")

    def _counted(self, tracks: list[Track]) -> Histograms:
        """Histograms of some tracks, from a pass over their columns."""
        bits, compiled = self.options["mantissa_bits"], self._n_scores >= MANY_SCORES
        make, n_cells = partial(TrackCounts, tracks, bits, compiled), self._bytes(tracks) // 8
        return self.reader.collect(make, self._needed(tracks), n_cells, "Counting").histograms

    def _fill(self, known: Known, histograms: Histograms, exact: bool) -> None:
        """Bounds from histograms; with ``exact``, their open bins resolved."""
        parts: list[Part] = []
        scale = known.totals.n_cases / max(float(known.totals.weights.sum()), 2.0**-200)
        for track, bounds in bounds_of(histograms):
            known.fill(track, bounds)
            if exact:
                parts += open_parts(track, histograms[track], scale, self._most_cases)
        self._resolve(known, parts)

    def _resolve(self, known: Known, parts: list[Part]) -> None:
        for gathered in passes(parts, self.memory * self.reader.n_machines):
            needed = self._needed(part.track for part in gathered)
            for part, found in zip(gathered, self.reader.sort(gathered, needed), strict=True):
                _check_same_cases(found.weights, part.weights)
                known.correct(part.track, part.known, found.pairs)


def _check_same_cases(found: Float64Array, expected: Float64Array) -> None:
    """Whether a pass finds the cases that the first pass found there."""
    if not np.allclose(found, expected, rtol=1e-6, atol=0):
        raise InvalidInput(
            "The table has changed while it was evaluated: a later pass over it finds other cases "
            "than the first. Evaluate a table that stays the same, such as a copy or "
            "ddf.persist()."
        )


def empty_summary(
    classes: tuple[Label, ...], options: dict[str, Any], n_scores: int, with_histograms: bool
) -> PairSummary:
    """A summary without cases for so many scores; a function that other processes can call."""
    make = PairSummary if with_histograms else PairSummary.without_histograms
    return make(list(classes), **options).expect(n_scores)
