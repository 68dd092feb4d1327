"""The histograms of several tracks, filled and merged together."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeAlias

from polyroc._base.parallel import map_threads
from polyroc.scale._batch import Chunk, Track
from polyroc.scale._histogram import Histogram, PairBounds, pair_bounds

Histograms: TypeAlias = dict[Track, Histogram]
Task: TypeAlias = Callable[[], None]


def empty_histograms(tracks: Iterable[Track], mantissa_bits: int) -> Histograms:
    """A histogram for each track, without cases."""
    return {track: Histogram(track.n_rows, mantissa_bits, track.computed) for track in tracks}


def counting(histograms: Histograms, chunk: Chunk, compiled: bool) -> list[Task]:
    """Tasks that add the cases of a chunk to every histogram."""

    def add(track: Track, histogram: Histogram) -> None:
        values, rows, weights, slacks = track.of(chunk)
        histogram.add(values, rows, weights, compiled, slacks)

    return [partial(add, track, histogram) for track, histogram in histograms.items()]


def merge_histograms(histograms: Histograms, others: Histograms) -> None:
    """Add the cases of other histograms of the same tracks."""
    for track, histogram in histograms.items():
        histogram.merge(others[track])


def bounds_of(histograms: Histograms) -> Iterator[tuple[Track, PairBounds]]:
    """What each histogram says of its pairs."""

    def bounds(track: Track) -> PairBounds:
        return pair_bounds(histograms[track].bins().linked(), track.positive)

    return zip(histograms, map_threads(bounds, histograms), strict=True)


class TrackCounts:
    """Histograms of some tracks alone, where those of all do not fit into memory."""

    def __init__(self, tracks: Iterable[Track], mantissa_bits: int, compiled: bool) -> None:
        self.histograms = empty_histograms(tracks, mantissa_bits)
        self.compiled = compiled

    def tasks(self, chunk: Chunk, position: int) -> list[Task]:
        """What is to be done with a chunk, in any order and on any threads."""
        return counting(self.histograms, chunk, self.compiled)

    def merge(self, other: "TrackCounts") -> "TrackCounts":
        """Add the cases of others of the same tracks; returns self."""
        merge_histograms(self.histograms, other.histograms)
        return self
