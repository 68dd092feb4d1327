"""``evaluate_dask``, and Parquet files read by a Dask cluster.

Each range of rows is a task that fills a collector of its own; collectors are merged eight at a
time, always into a new one, so that a task can be repeated when a worker is lost. For exact values
a task picks the cases of each part out of its range, and another brings the pieces of a part
together and sorts them: a range partition whose splitters come from the summary.
"""

import pickle
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from polyroc._base.checks import reason_of, shown, whole_number
from polyroc.errors import InvalidInput, InvalidType
from polyroc.predictions._score_columns import ColumnsLike
from polyroc.scale._batch import Track
from polyroc.scale._certified import CertifiedEvaluation
from polyroc.scale._discovery import distinct_labels, layout_of
from polyroc.scale._evaluation import checked_names, needs_margins
from polyroc.scale._exact import Cases, Part, PartCollector, Resolved
from polyroc.scale._extras import Client, required
from polyroc.scale._job import MEMORY, Collected, Job, Needed
from polyroc.scale._passes import Filled, Placed, chunks_of, chunks_of_files, run_pass
from polyroc.scale._source import Files, Layout, Piece
from polyroc.scale._summary import MANTISSA_BITS
from polyroc.typing import Absent, Label, LabelsLike, Ties

FAN_IN = 8
"""Collectors that a task merges."""

SCORES_PER_TASK = 1 << 23
"""Some tenths of a second of work."""

SCORES_PER_CELL = 4
"""Fewer than so many scores for each number of a collector are not worth sending it."""


def evaluate_dask(
    ddf: Any,
    *,
    target: str,
    classes: LabelsLike | None = None,
    columns: ColumnsLike | None = None,
    sample_weight: str | None = None,
    metrics: Iterable[str] | str | None = None,
    ties: Ties = "fair",
    absent: Absent = "raise",
    exact: bool = False,
    mantissa_bits: int = MANTISSA_BITS,
    memory: int = MEMORY,
    client: Client | None = None,
) -> CertifiedEvaluation:
    """Metrics of predictions in a Dask data frame: certified bounds, or exact values.

    The column of labels is read first, for its length, then all columns once, and with ``exact``
    some of them again: ``ddf.persist()`` a frame that is expensive to compute. Options are those of
    :func:`~polyroc.scale.evaluate_parquet`, and so is the result: to the bit, or to the rounding of
    weights. The categories of a categorical target are the classes, in their order.

    Parameters
    ----------
    client : the ``distributed.Client`` to use; by default Dask's current scheduler.
    memory : bytes on each worker for histograms and sorting, besides those of a partition.

    Examples
    --------
    >>> import dask.dataframe as dd, pandas as pd
    >>> from polyroc.scale import evaluate_dask
    >>> frame = pd.DataFrame({"y": ["a", "b", "a"], "a": [0.9, 0.2, 0.1], "b": [0.1, 0.8, 0.9]})
    >>> result = evaluate_dask(dd.from_pandas(frame, npartitions=2), target="y")
    >>> result["roc_auc"].low, result["roc_auc"].high
    (0.5, 0.5)
    """
    memory = whole_number(memory, "memory", 1 << 20)
    reader = frame_reader(ddf, (target, classes, columns, sample_weight), client)
    metrics = checked_names(metrics)
    options = {"mantissa_bits": mantissa_bits, "auc_mu": needs_margins(metrics)}
    return Job(reader, reader.layout, options, memory).known(exact).evaluate(metrics, ties, absent)


def frame_reader(
    ddf: Any,
    given: tuple[str, LabelsLike | None, ColumnsLike | None, str | None],
    client: Client | None,
) -> "_FrameReader":
    """A frame with what is in its columns: target, classes, columns of scores and of weights."""
    target, classes, columns, sample_weight = given
    frame, scheduler = _checked_frame(ddf), Scheduler(_checked_client(client))
    survey = _Survey(frame, scheduler)
    if classes is None and columns is None:
        classes = survey.categories(target)
    layout = layout_of(survey, target, classes, columns, sample_weight)
    reader = _FrameReader(scheduler, layout, survey)
    if not reader.n_rows:
        raise InvalidInput("The frame contains no rows. Pass at least one case per class.")
    return reader


def cluster_of_files(files: Files, layout: Layout, client: Any) -> "_FilesReader":
    """Files as the workers of a cluster read them."""
    return _FilesReader(Scheduler(_checked_client(client)), layout, files)


def _checked_frame(ddf: Any) -> Any:
    frames = required("dask.dataframe", "dask")
    if not isinstance(ddf, frames.DataFrame):
        raise InvalidType(
            f"ddf must be a dask.dataframe.DataFrame, got {type(ddf).__name__}. "
            "Use dask.dataframe.from_pandas, or polyroc.evaluate for data in memory."
        )
    return ddf


def _checked_client(client: Any) -> Any:
    distributed = required("distributed", "dask")
    if client is not None and (not isinstance(client, distributed.Client) or client.asynchronous):
        raise InvalidType(
            f"client must be a distributed.Client that is not asynchronous, got {shown(client)}."
        )
    return client


@dataclass(frozen=True)
class Scheduler:
    """Who runs tasks: a client's workers, or what Dask uses at the moment."""

    client: Any

    @property
    def n_workers(self) -> int:
        """Workers with memory of their own."""
        return 1 if self.client is None else max(1, len(self.client.nthreads()))

    def compute(self, tasks: list[Any]) -> list[Any]:
        """Results of tasks in order."""
        if self.client is not None:
            return list(self.client.gather(self.client.compute(tasks)))
        return list(required("dask", "dask").compute(*tasks))


def task(function: Callable[..., Any], *arguments: Any) -> Any:
    """A call that a scheduler makes later; other tasks among the arguments come first."""
    delayed = required("dask", "dask").delayed
    return delayed(function, pure=False, traverse=False)(*arguments)


# Readers


@dataclass(frozen=True)
class _Reader(ABC):
    """A table whose ranges of rows are tasks."""

    scheduler: Scheduler
    layout: Layout

    n_sorters = 1

    @property
    def n_machines(self) -> int:
        return self.scheduler.n_workers

    @abstractmethod
    def tasks(
        self, needed: Needed, n_cells: int, work: Callable[..., Any], *arguments: Any
    ) -> list[Any]:
        """``work(chunks, *arguments)`` for each range of rows."""

    def collect(
        self, make: Callable[[], Collected], needed: Needed, n_cells: int, doing: str
    ) -> Collected:
        """A collector for each range, merged as a tree."""
        filled = self.tasks(needed, n_cells, partial(_fill, make))
        while len(filled) > 1:
            groups = [filled[start : start + FAN_IN] for start in range(0, len(filled), FAN_IN)]
            filled = [task(partial(_merged, make), group) for group in groups]
        collected: Collected = self.scheduler.compute(filled)[0]
        return collected

    def sort(self, parts: list[Part], needed: Needed) -> list[Resolved]:
        """The pieces of a part go from each range to the task that sorts it."""
        shared = task(partial(bytes, _packed(parts)))  # once for all tasks
        size = -(-len(parts) // (4 * self.n_machines))
        groups = [range(len(parts))[start : start + size] for start in range(0, len(parts), size)]
        picked = self.tasks(needed, 0, partial(_pick, groups), shared)
        sorting = (partial(_sort, [parts[number].track for number in group]) for group in groups)
        sorted_groups = [
            task(work, [piece[number] for piece in picked]) for number, work in enumerate(sorting)
        ]
        return [found for group in self.scheduler.compute(sorted_groups) for found in group]


@dataclass(frozen=True)
class _FilesReader(_Reader):
    """Parquet files that every worker can open."""

    files: Files

    @property
    def n_rows(self) -> int:
        return self.files.n_rows

    def tasks(
        self, needed: Needed, n_cells: int, work: Callable[..., Any], *arguments: Any
    ) -> list[Any]:
        """Row groups that together make a task worth its while."""
        n_columns = len(self.layout.columns if needed is None else needed)
        n_rows = max(SCORES_PER_TASK, SCORES_PER_CELL * n_cells) // max(1, n_columns)
        return [
            task(partial(_on_files, work, files, self.layout, needed), *arguments)
            for files in self.files.ranges(n_rows)
        ]


@dataclass(frozen=True)
class _FrameReader(_Reader):
    """A data frame whose partitions are the ranges."""

    survey: "_Survey"

    @property
    def n_rows(self) -> int:
        return sum(self.survey.lengths(self.layout.target))

    def tasks(
        self, needed: Needed, n_cells: int, work: Callable[..., Any], *arguments: Any
    ) -> list[Any]:
        """A task for each partition."""
        partitions = self.survey.partitions(self.layout.names(needed))
        first, found = 0, []
        for number, n_rows in enumerate(self.survey.lengths(self.layout.target)):
            call = partial(_on_frame, work, self.layout, needed, number, first)
            found.append(task(call, partitions[number], *arguments))
            first += n_rows
        return found


class _Survey:
    """What must be known of a data frame first: its names, its labels, its lengths."""

    def __init__(self, frame: Any, scheduler: Scheduler) -> None:
        self._frame, self._scheduler = frame, scheduler
        self.names = [str(name) for name in frame.columns]
        self._found: list[tuple[int, set[Label]]] | None = None

    def partitions(self, names: Sequence[str]) -> list[Any]:
        """Some columns of each partition, with nothing else computed where Dask can tell."""
        own = dict(zip(self.names, self._frame.columns, strict=True))
        return list(self._frame[[own[name] for name in names]].to_delayed())

    def categories(self, target: str) -> list[Label] | None:
        """The classes in the order of a categorical, if the target is one that Dask knows."""
        if self.names.count(target) != 1:
            return None
        kind = self._frame.dtypes.iloc[self.names.index(target)]
        categories = getattr(kind, "categories", None)
        if categories is None or "__UNKNOWN_CATEGORIES__" in categories:
            return None
        return list(categories)

    def has_numbers(self, target: str) -> bool:
        """Whether labels are numbers, by the type of their column."""
        kind = self._frame.dtypes.iloc[self.names.index(target)]
        return getattr(kind, "kind", "O") in "iuf"

    def first_rows(self, names: list[str]) -> Any:
        """Some columns of the first partition that has rows."""
        for number, part in enumerate(self.partitions(names)):
            frame = self._scheduler.compute([part])[0]
            for piece in _pieces(frame, number, 0):
                if piece.records.num_rows:
                    return piece.records
        return None

    def labels(self, target: str) -> set[Label]:
        """The labels that occur."""
        return set().union(*(labels for _, labels in self._surveyed(target)))

    def lengths(self, target: str) -> list[int]:
        """Rows of each partition."""
        return [n_rows for n_rows, _ in self._surveyed(target)]

    def _surveyed(self, target: str) -> list[tuple[int, set[Label]]]:
        if self._found is None:
            partitions = enumerate(self.partitions([target]))
            tasks = [task(partial(_look, target, number), part) for number, part in partitions]
            self._found = self._scheduler.compute(tasks)
        return self._found


# What tasks do. Nothing that comes from another task is changed: it may be needed again.


def _on_files(
    work: Callable[..., Any], files: Files, layout: Layout, needed: Needed, *arguments: Any
) -> Any:
    return work(chunks_of_files(files, layout, needed), *arguments)


def _on_frame(
    work: Callable[..., Any],
    layout: Layout,
    needed: Needed,
    number: int,
    first: int,
    frame: Any,
    *arguments: Any,
) -> Any:
    return work(chunks_of(_pieces(frame, number, first), layout, needed), *arguments)


def _look(target: str, number: int, frame: Any) -> tuple[int, set[Label]]:
    """Rows and labels of a partition."""
    found: set[Label] = set()
    for piece in _pieces(frame, number, 0):
        found |= distinct_labels(piece.records.column(target), target, piece.row, piece.path)
    return len(frame), found


def _pieces(frame: Any, number: int, first: int) -> Iterator[Piece]:
    """A partition as record batches."""
    import pyarrow as pa

    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    try:
        table = pa.Table.from_pandas(frame, preserve_index=False).combine_chunks()
    except pa.ArrowException as error:
        raise InvalidType(
            f"Partition {number} cannot be read ({reason_of(error)}). Pass columns of one type."
        ) from None
    row = 0
    for records in table.to_batches():
        yield Piece(records, f"partition {number}", row, first + row)
        row += records.num_rows


def _fill(make: Callable[[], Filled], chunks: Iterator[Placed]) -> Filled:
    return run_pass(chunks, make(), 1, lambda _: None)


def _merged(make: Callable[[], Collected], collectors: list[Collected]) -> Collected:
    """Collectors added up in a new one."""
    total = make()
    for each in collectors:
        total.merge(each)
    return total


def _packed(parts: list[Part]) -> bytes:
    """Which bins the parts have, small enough to travel with the graph of tasks."""
    marks = [(part.track, part.n_cases, part.codes, part.mantissa_bits) for part in parts]
    return zlib.compress(pickle.dumps(marks), 1)


def _pick(groups: list[range], chunks: Iterator[Placed], packed: bytes) -> list[list[Cases]]:
    """The cases of every part in a range of rows, by group of parts."""
    nothing: Any = None
    parts = [
        Part(track, n_cases, nothing, nothing, codes, bits)
        for track, n_cases, codes, bits in pickle.loads(zlib.decompress(packed))
    ]
    cases = _fill(partial(PartCollector, parts), chunks).cases
    return [[cases[number] for number in group] for group in groups]


def _sort(tracks: list[Track], pieces: list[list[Cases]]) -> list[Resolved]:
    """The pairs of each part of a group, whose cases come from all ranges in order."""
    return [
        Cases.joined([piece[number] for piece in pieces]).resolved(track.positive, track.n_rows)
        for number, track in enumerate(tracks)
    ]
