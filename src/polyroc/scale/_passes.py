"""A pass over cases: threads share the work on each chunk, and one of them reads the next."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol, TypeVar

from polyroc._base.parallel import map_threads
from polyroc.scale._batch import Chunk
from polyroc.scale._histograms import Task
from polyroc.scale._source import Files, Layout, Piece, pieces, read_record_batch


class Collector(Protocol):
    """What chunks are added to."""

    def tasks(self, chunk: Chunk, position: int) -> list[Task]:
        """Tasks that add a chunk, whose first case has this position among all."""


Filled = TypeVar("Filled", bound=Collector)
Advance = Callable[[int], None]


class Placed(NamedTuple):
    """A chunk, and the position of its first case among all."""

    chunk: Chunk
    position: int


def run_pass(
    stream: Iterator[Placed], collector: Filled, n_threads: int, advance: Advance
) -> Filled:
    """Put all chunks into the collector."""
    placed = next(stream, None)
    while placed is not None:
        following: list[Placed | None] = []

        def read(into: list[Placed | None] = following) -> None:
            into.append(next(stream, None))

        tasks = [read, *collector.tasks(placed.chunk, placed.position)]
        map_threads(lambda task: task(), tasks, n_threads)
        advance(len(placed.chunk.codes))
        placed = following[0]
    return collector


def chunks_of_files(files: Files, layout: Layout, needed: list[int] | None) -> Iterator[Placed]:
    """Some columns of scores, or all, in chunks."""
    return chunks_of(pieces(files, layout.names(needed)), layout, needed)


def chunks_of(read: Iterable[Piece], layout: Layout, needed: list[int] | None) -> Iterator[Placed]:
    """Checked chunks of record batches."""
    for piece in read:
        batch = read_record_batch(piece.records, layout, needed, piece.row, piece.path)
        position = piece.first
        for chunk in batch.chunks():
            first = position if chunk.rows is None else piece.first + int(chunk.rows[0])
            yield Placed(chunk, first)
            position += len(chunk.codes)
