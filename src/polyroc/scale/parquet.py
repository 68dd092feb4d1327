"""``evaluate_parquet``: metrics of predictions in files that need not fit into memory."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from polyroc.errors import InvalidInput
from polyroc.options import whole_number
from polyroc.scale.batch import Track
from polyroc.scale.certified import CertifiedEvaluation
from polyroc.scale.discovery import ColumnsLike, PathsLike, find_files, layout_of
from polyroc.scale.evaluation import Known
from polyroc.scale.exact import BYTES_TO_SORT, Part, PartCollector, open_parts, passes, whole
from polyroc.scale.histogram import PAGE, PairBounds
from polyroc.scale.histograms import Histograms, TrackCounts, bounds_of
from polyroc.scale.passes import Filled, progress_bar, run_pass
from polyroc.scale.source import Files, Layout
from polyroc.scale.summary import MANTISSA_BITS, MANY_SCORES, PairSummary
from polyroc.threads import map_threads, thread_count
from polyroc.typing import Absent, LabelsLike, Ties

MEMORY = 512 << 20

USUAL_PAGES = 64
"""Pages that a column of probabilities may need, to plan with."""


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
    auc_mu: bool = False,
    exact: bool = False,
    mantissa_bits: int = MANTISSA_BITS,
    memory: int = MEMORY,
    n_threads: int | None = None,
    progress: bool = False,
) -> CertifiedEvaluation:
    """Metrics of predictions in Parquet files, of any size: certified bounds, or exact values.

    One pass over the files makes a :class:`PairSummary`. With ``exact=True`` further passes sort
    what the summary leaves open, a few columns at a time. Where there are so many classes that the
    histograms of all columns do not fit into ``memory``, columns are counted in blocks; and where
    whole columns fit, they are sorted at once, and the values are exact without being asked for.

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
    auc_mu, mantissa_bits : see :class:`PairSummary`.
    exact : whether to resolve all bounds.
    memory : bytes for histograms and sorting; reading needs some 300 MB beside them.
    n_threads : threads to use; the result does not depend on them.
    progress : whether to show a bar, on a terminal only.

    Examples
    --------
    >>> import pyarrow as pa, pyarrow.parquet as pq, tempfile
    >>> from polyroc.scale import evaluate_parquet
    >>> table = pa.table({"y": ["a", "b", "a"], "p_a": [0.9, 0.2, 0.1], "p_b": [0.1, 0.8, 0.9]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pq.write_table(table, f"{folder}/scores.parquet")
    ...     result = evaluate_parquet(f"{folder}/*.parquet", target="y")
    >>> result["hand_till"].low, result["hand_till"].high
    (0.5, 0.5)
    """
    files = find_files(path)
    if not files.n_rows:
        raise InvalidInput("The files hold no rows. Pass at least one case per class.")
    layout = layout_of(files, target, classes, columns, sample_weight)
    options = {"mantissa_bits": mantissa_bits, "auc_mu": auc_mu}
    n_threads = thread_count(n_threads)
    memory = whole_number(memory, "memory", 1 << 20)
    job = _Job(files, layout, options, memory, n_threads, progress)
    return job.known(exact).evaluate(metrics, ties, absent)


@dataclass(frozen=True)
class _Job:
    """Files, what is in them, and what may be spent on them."""

    files: Files
    layout: Layout
    options: dict[str, Any]
    memory: int
    n_threads: int
    progress: bool

    def known(self, exact: bool) -> Known:
        """All that the metrics need."""
        empty = PairSummary(list(self.layout.classes), **self.options)
        tracks = empty.tracks()
        fits = self._bytes(tracks) <= self.memory // 2
        summary = self._summary(fits)
        known = summary.known()
        if fits:
            self._fill(known, summary.histograms, exact)
        elif self.files.n_rows <= self._most_cases:
            self._resolve(known, [whole(track, self.files.n_rows) for track in tracks])
        else:
            for block in self._blocks(tracks):
                self._fill(known, self._counted(block), exact)
        return known

    @property
    def _most_cases(self) -> int:
        """Cases that each thread may sort at a time."""
        return max(1, self.memory // (2 * self.n_threads * BYTES_TO_SORT))

    def _bytes(self, tracks: list[Track]) -> int:
        """Memory of the histograms of tracks."""
        return sum(track.n_rows + 1 for track in tracks) * USUAL_PAGES * PAGE * 8

    def _blocks(self, tracks: list[Track]) -> Iterator[list[Track]]:
        """Tracks whose histograms fit into half of the memory together; at least one."""
        block: list[Track] = []
        for track in tracks:
            if block and self._bytes([*block, track]) > self.memory // 2:
                yield block
                block = []
            block.append(track)
        yield block

    def _pass(self, collector: Filled, tracks: Iterable[Track] | None, doing: str) -> Filled:
        """Read the columns of some tracks, or all."""
        needed = None if tracks is None else self.layout.needed_by(tracks)
        with progress_bar(self.progress, doing, self.files.n_rows) as advance:
            return run_pass(self.files, self.layout, needed, collector, self.n_threads, advance)

    def _summary(self, with_histograms: bool) -> PairSummary:
        make = PairSummary if with_histograms else PairSummary.without_histograms
        summary = make(list(self.layout.classes), **self.options)
        return self._pass(summary.expect(self._n_scores), None, "Reading")

    @property
    def _n_scores(self) -> int:
        return self.files.n_rows * len(self.layout.columns)

    def _counted(self, tracks: list[Track]) -> Histograms:
        """Histograms of some tracks, from a pass over their columns."""
        bits, compiled = self.options["mantissa_bits"], self._n_scores >= MANY_SCORES
        return self._pass(TrackCounts(tracks, bits, compiled), tracks, "Counting").histograms

    def _fill(self, known: Known, histograms: Histograms, exact: bool) -> None:
        """Bounds from histograms; with ``exact``, their open bins resolved."""
        parts: list[Part] = []
        scale = known.totals.n_cases / max(float(known.totals.weights.sum()), 2.0**-200)
        for track, bounds in bounds_of(histograms, self.n_threads):
            known.fill(track, bounds)
            if exact:
                parts += open_parts(track, histograms[track], scale, self._most_cases)
        self._resolve(known, parts)

    def _resolve(self, known: Known, parts: list[Part]) -> None:
        for gathered in passes(parts, self.memory):
            for part, found in zip(gathered, self._sorted(gathered), strict=True):
                known.correct(part.track, part.known, found)

    def _sorted(self, parts: list[Part]) -> list[PairBounds]:
        """The pairs of parts, counted exactly."""
        tracks = [part.track for part in parts]
        cases = self._pass(PartCollector(parts), tracks, "Sorting").cases

        def resolve(number: int) -> PairBounds:
            track = parts[number].track
            return cases[number].pairs(track.positive, track.n_rows)

        return map_threads(resolve, range(len(parts)), self.n_threads)
