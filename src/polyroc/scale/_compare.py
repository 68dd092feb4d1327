"""``compare_parquet`` and ``compare_dask``: models compared on cases that need not fit memory."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

from polyroc._base.checks import flag, shown, whole_number
from polyroc._base.parallel import thread_count
from polyroc.errors import InvalidInput
from polyroc.predictions._score_columns import ColumnsLike
from polyroc.scale._certified import CertifiedEvaluation
from polyroc.scale._comparison import CertifiedComparison, CertifiedDifference, checked_models
from polyroc.scale._discovery import PathsLike
from polyroc.scale._evaluation import Known, checked_names, needs_margins
from polyroc.scale._extras import Client
from polyroc.scale._job import MEMORY, Job, Reader
from polyroc.scale._paired import Pairing, check_paired, paired_errors
from polyroc.scale._parquet import files_reader
from polyroc.scale._summary import MANTISSA_BITS
from polyroc.typing import Absent, LabelsLike, Ties


def compare_parquet(
    models: Mapping[str, PathsLike],
    *,
    target: str,
    classes: LabelsLike | None = None,
    columns: ColumnsLike | Mapping[str, ColumnsLike] | None = None,
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
) -> CertifiedComparison:
    """Paired differences of metrics of models whose scores are in Parquet files of any size.

    Row i of each model's files is the same case: whether classes and weights agree row by row is
    checked. A pass over each model's files gives bounds of its metrics, further ones exact values;
    another gives a sample of the same cases of all models, from which the standard errors of the
    differences follow.

    Parameters
    ----------
    models : the files of each model by its name, as ``path`` of
        :func:`~polyroc.scale.evaluate_parquet`; two models may be in the same files.
    columns : as for :func:`~polyroc.scale.evaluate_parquet`, for all models; or by model.
    target, classes, sample_weight, metrics, ties, absent, exact, mantissa_bits, memory, n_threads,
    progress, client : see :func:`~polyroc.scale.evaluate_parquet`.

    Returns
    -------
    CertifiedComparison
        With ``frame()``: bounds of each difference, its standard error, confidence limits and
        p-values, which hold for every difference between the bounds. Limits and p-values are those
        of :func:`~polyroc.compare` with ``reference="normal"``; Holm's adjustment is over all rows.

    Examples
    --------
    >>> import numpy as np, pyarrow as pa, pyarrow.parquet as pq, tempfile
    >>> from polyroc.scale import compare_parquet
    >>> y, rng = np.arange(300) % 2, np.random.default_rng(0)
    >>> models = {name: rng.normal(y * shift) for name, shift in (("new", 2.0), ("old", 1.0))}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, p in models.items():
    ...         pq.write_table(pa.table({"y": y, "p": p}), f"{folder}/{name}.parquet")
    ...     files = {name: f"{folder}/{name}.parquet" for name in models}
    ...     found = compare_parquet(files, target="y", columns=["p"], metrics=["roc_auc"])
    >>> found.frame()[["metric", "model_a", "model_b", "least", "p_value"]].round(3)
        metric model_a model_b  least  p_value
    0  roc_auc     new     old  0.178      0.0
    """
    exact, progress = flag(exact, "exact"), flag(progress, "progress")
    threads, memory = thread_count(n_threads), whole_number(memory, "memory", 1 << 20)
    names = checked_names(metrics)

    def opened_files(path: Any, known: Any, own: Any) -> Any:
        options = (target, known, own, sample_weight)
        return files_reader(path, options, memory, threads, progress, client)

    opened = _opened(models, columns, classes, opened_files)
    settings = {"mantissa_bits": mantissa_bits, "auc_mu": needs_margins(names)}
    jobs = {name: Job(reader, reader.layout, settings, memory) for name, reader in opened.items()}
    return _compared(jobs, exact, (names, ties, absent))


def compare_dask(
    models: Mapping[str, Any],
    *,
    target: str,
    classes: LabelsLike | None = None,
    columns: ColumnsLike | Mapping[str, ColumnsLike] | None = None,
    sample_weight: str | None = None,
    metrics: Iterable[str] | str | None = None,
    ties: Ties = "fair",
    absent: Absent = "raise",
    exact: bool = False,
    mantissa_bits: int = MANTISSA_BITS,
    memory: int = MEMORY,
    client: Client | None = None,
) -> CertifiedComparison:
    """Paired differences of metrics of models whose scores are in Dask data frames.

    Options are those of :func:`~polyroc.scale.compare_parquet`, and so is the result,
    however the frames are divided into partitions: to the bit, or to the rounding of weights.

    Parameters
    ----------
    models : the ``dask.dataframe.DataFrame`` of each model by its name.

    Examples
    --------
    >>> import dask.dataframe as dd, numpy as np, pandas as pd
    >>> from polyroc.scale import compare_dask
    >>> frame = pd.DataFrame({"y": [0, 1] * 20, "a": np.arange(40) % 7, "b": np.arange(40) % 3})
    >>> ddf = dd.from_pandas(frame, npartitions=3)
    >>> found = compare_dask({"a": ddf, "b": ddf}, target="y", columns={"a": ["a"], "b": ["b"]})
    >>> found["a"]["roc_auc"].low < found["b"]["roc_auc"].low
    False
    """
    from polyroc.scale._dask import frame_reader

    memory, names = whole_number(memory, "memory", 1 << 20), checked_names(metrics)

    def opened_frame(ddf: Any, known: Any, own: Any) -> Any:
        return frame_reader(ddf, (target, known, own, sample_weight), client)

    opened = _opened(models, columns, classes, opened_frame)
    settings = {"mantissa_bits": mantissa_bits, "auc_mu": needs_margins(names)}
    jobs = {name: Job(reader, reader.layout, settings, memory) for name, reader in opened.items()}
    return _compared(jobs, flag(exact, "exact"), (names, ties, absent))


def _opened(
    models: Any, columns: Any, classes: Any, open_one: Callable[[Any, Any, Any], Any]
) -> dict[str, Any]:
    """The tables of the models, all with the classes of the first in its order."""
    opened: dict[str, Any] = {}
    for name, table in checked_models(models, "tables").items():
        own = _columns_of(columns, models, name)
        first = next(iter(opened.values()), None)
        known = classes if first is None or isinstance(own, Mapping) else first.layout.classes
        opened[name] = open_one(table, known, own)
        if first is not None and opened[name].layout.classes != first.layout.classes:
            raise InvalidInput(
                f"The classes of {name!r} are {shown(opened[name].layout.classes)}, those of "
                f"{next(iter(opened))!r} {shown(first.layout.classes)}. Name the same classes in "
                "the same order in columns=."
            )
    return opened


def _columns_of(columns: Any, models: Mapping[str, Any], name: str) -> Any:
    """The columns of a model: its own where they were given by model."""
    by_model = (
        isinstance(columns, Mapping)
        and set(columns) == set(models)
        and not any(isinstance(each, str) for each in columns.values())
    )
    return columns[name] if by_model else columns


@dataclass(frozen=True)
class _Read:
    """What was read of one model."""

    known: Known
    pairing: Pairing
    evaluation: CertifiedEvaluation


def _compared(
    jobs: Mapping[str, Job], exact: bool, asked: tuple[Any, Ties, Absent]
) -> CertifiedComparison:
    pairings = {name: _pairing(job.reader, len(job.layout.classes)) for name, job in jobs.items()}
    check_paired(pairings)
    read = {}
    for name, job in jobs.items():
        known = job.known(exact)
        found = replace(known.evaluate(*asked), columns=tuple(job.layout.columns))
        read[name] = _Read(known, pairings[name], found)
    differences = [
        each for a, b in combinations(read, 2) for each in _differences(a, b, read, asked)
    ]
    order = {metric: place for place, metric in enumerate(next(iter(read.values())).evaluation)}
    differences.sort(key=lambda each: order[each.metric])
    return CertifiedComparison(
        {name: each.evaluation for name, each in read.items()}, tuple(differences)
    )


def _pairing(reader: Reader, n_classes: int) -> Pairing:
    return reader.collect(partial(Pairing, n_classes), None, 0, "Pairing")


def _differences(
    a: str, b: str, read: Mapping[str, _Read], asked: tuple[Any, Ties, Absent]
) -> list[CertifiedDifference]:
    """A row per metric that both models have."""
    one, other = read[a], read[b]
    _, ties, absent = asked
    metrics = one.known.metrics_of([name for name in one.evaluation if name in other.evaluation])
    errors = paired_errors(
        (one.known, one.pairing),
        (other.known, other.pairing),
        metrics,
        one.known.present(absent),
        ties,
    )
    found = []
    for metric in metrics:
        x, y = one.evaluation[metric.name], other.evaluation[metric.name]
        note = x.note if x.low != x.low else y.note if y.low != y.low else errors[metric.name].note
        bounds = x.low - y.high, x.high - y.low
        error = errors[metric.name].value
        found.append(CertifiedDifference(metric.name, a, b, *bounds, error, note))
    return found
