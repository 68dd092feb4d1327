"""``evaluate_parquet``: metrics of predictions in files that need not fit into memory."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from polyroc._base.checks import flag, whole_number
from polyroc._base.parallel import map_threads, thread_count
from polyroc._base.progress import ProgressBar
from polyroc.errors import InvalidInput
from polyroc.predictions._score_columns import ColumnsLike
from polyroc.scale._certified import CertifiedEvaluation
from polyroc.scale._discovery import FilesSurvey, PathsLike, find_files, layout_of
from polyroc.scale._evaluation import checked_names, needs_margins
from polyroc.scale._exact import BYTES_TO_SORT, Part, PartCollector, Resolved
from polyroc.scale._extras import Client
from polyroc.scale._job import MEMORY, Job, LaidOut, Needed
from polyroc.scale._passes import Filled, chunks_of_files, run_pass
from polyroc.scale._source import Files, Layout
from polyroc.scale._summary import MANTISSA_BITS
from polyroc.typing import Absent, LabelsLike, Ties


def evaluate_parquet(
    path: PathsLike,
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
    n_threads: int | None = None,
    progress: bool = False,
    client: Client | None = None,
) -> CertifiedEvaluation:
    """Metrics of predictions in Parquet files, of any size: certified bounds, or exact values.

    One pass over the files makes a :class:`PairSummary`. With ``exact=True`` further passes sort
    what the summary leaves open, a few columns at a time. Where there are so many classes that the
    histograms of all columns do not fit into ``memory``, columns are counted in blocks; and where
    whole columns fit, they are sorted at once, and the values are exact even without
    ``exact=True``.

    Parameters
    ----------
    path : a file, a pattern such as ``"scores/*.parquet"``, a folder, or several of them. Folders
        named ``key=value`` are columns.
    target : the column of true classes: strings, integers, booleans, dictionary-encoded or not.
    classes : the classes; by default those that occur, which costs a pass over their column.
    columns : the column of scores for each class, in order or by class. By default those named
        after the classes, with or without one beginning for all, such as ``p_``.
    sample_weight : the column of weights.
    metrics, ties, absent : see :meth:`PairSummary.compute`.
    mantissa_bits : see :class:`PairSummary`.
    exact : whether to resolve all bounds.
    memory : bytes for histograms and sorting; reading needs some 300 MB in addition. With a
        client, bytes on each worker.
    n_threads : threads to use; the result does not depend on them.
    progress : whether to show a bar, on a terminal or in a notebook.
    client : a ``distributed.Client`` whose workers read the files instead, row groups at a time;
        the paths must lead to the files on each of them. The result is the same.

    Examples
    --------
    >>> import pyarrow as pa, pyarrow.parquet as pq, tempfile
    >>> from polyroc.scale import evaluate_parquet
    >>> table = pa.table({"y": ["a", "b", "a"], "p_a": [0.9, 0.2, 0.1], "p_b": [0.1, 0.8, 0.9]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pq.write_table(table, f"{folder}/scores.parquet")
    ...     result = evaluate_parquet(f"{folder}/*.parquet", target="y")
    >>> result["roc_auc"].low, result["roc_auc"].high
    (0.5, 0.5)
    """
    exact, progress, metrics = (
        flag(exact, "exact"),
        flag(progress, "progress"),
        checked_names(metrics),
    )
    options = {"mantissa_bits": mantissa_bits, "auc_mu": needs_margins(metrics)}
    n_threads = thread_count(n_threads)
    memory = whole_number(memory, "memory", 1 << 20)
    given = (target, classes, columns, sample_weight)
    reader = files_reader(path, given, memory, n_threads, progress, client)
    layout = reader.layout
    found = Job(reader, layout, options, memory).known(exact).evaluate(metrics, ties, absent)
    return replace(found, columns=tuple(layout.columns))


def files_reader(
    path: PathsLike,
    given: tuple[str, LabelsLike | None, ColumnsLike | None, str | None],
    memory: int,
    n_threads: int,
    progress: bool,
    client: Client | None,
) -> LaidOut:
    """Files with what is in their columns, read by threads or by the workers of a client.

    Given are the target, the classes, the columns of scores and the column of weights.
    """
    files = find_files(path)
    if not files.n_rows:
        raise InvalidInput("The files contain no rows. Pass at least one case per class.")
    layout = layout_of(FilesSurvey(files), *given)
    if client is None:
        return _Threads(files, layout, memory, n_threads, progress)
    from polyroc.scale._dask import cluster_of_files

    return cluster_of_files(files, layout, client)


@dataclass(frozen=True)
class _Threads:
    """Files that the threads of this process read."""

    files: Files
    layout: Layout
    memory: int
    n_threads: int
    progress: bool

    n_machines = 1

    @property
    def n_rows(self) -> int:
        return self.files.n_rows

    @property
    def n_sorters(self) -> int:
        return self.n_threads

    def collect(
        self, make: Callable[[], Filled], needed: Needed, n_cells: int, doing: str
    ) -> Filled:
        """A pass over the files in order."""
        stream = chunks_of_files(self.files, self.layout, needed)
        with ProgressBar(doing, self.n_rows, shown=self.progress, transient=True) as bar:
            return run_pass(stream, make(), self.n_threads, bar.advance)

    def sort(self, parts: list[Part], needed: Needed) -> list[Resolved]:
        """As many parts at a time as may be in memory."""
        cases = self.collect(partial(PartCollector, parts), needed, 0, "Sorting").cases

        def resolve(number: int) -> Resolved:
            track = parts[number].track
            return cases[number].resolved(track.positive, track.n_rows)

        largest = max(part.n_cases for part in parts) * BYTES_TO_SORT
        n_threads = max(1, min(self.n_threads, self.memory // (2 * max(1, largest))))
        return map_threads(resolve, range(len(parts)), n_threads)
