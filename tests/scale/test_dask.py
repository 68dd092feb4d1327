"""A cluster gives the bounds of one process to the bit, also when a worker dies."""

from __future__ import annotations

import functools
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import polyroc
from polyroc.errors import InvalidInput, InvalidType
from polyroc.scale import (
    CertifiedEvaluation,
    Layout,
    MissingExtra,
    PairSummary,
    evaluate_dask,
    evaluate_parquet,
    summarise,
)

pytest.importorskip("distributed", reason="Dask is not installed")

NAMES = np.array(["ant", "bee", "cat", "dog"])


def scores(n: int = 6000, n_classes: int = 4, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    raw = rng.normal(size=(n, n_classes))
    raw[np.arange(n), y] += 1
    p = np.exp(raw)
    p /= p.sum(axis=1, keepdims=True)
    p[::3] = np.round(p[::3], 2)
    return y, p


def frame_of(y: Any, p: np.ndarray, **more: Any) -> pd.DataFrame:
    columns = {str(name): p[:, k] for k, name in enumerate(NAMES[: p.shape[1]])}
    return pd.DataFrame({"y": NAMES[y], **columns, **more})


def same(one: CertifiedEvaluation, other: CertifiedEvaluation) -> bool:
    """Bit for bit: bounds, standard errors, counts."""
    return (
        one.pairwise_low.tobytes() == other.pairwise_low.tobytes()
        and one.pairwise_high.tobytes() == other.pairwise_high.tobytes()
        and repr(one.metrics) == repr(other.metrics)
        and [each.to_dict() for each in one.metrics] == [each.to_dict() for each in other.metrics]
        and one.counts == other.counts
    )


pytestmark = pytest.mark.system  # most of it is run by processes of a cluster


@pytest.fixture(autouse=True)
def limit() -> Iterator[None]:
    """A cluster that does not answer fails a test, and does not stop all others."""

    def give_up(*_: object) -> None:
        raise TimeoutError("the cluster did not answer within two minutes")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two worker processes with a thread each, which find this module whoever started pytest."""
    from distributed import Client, LocalCluster

    with (
        pytest.MonkeyPatch.context() as patch,
        patched_path(patch),
        LocalCluster(
            n_workers=2, processes=True, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@contextmanager
def patched_path(patch: pytest.MonkeyPatch) -> Iterator[None]:
    patch.syspath_prepend(Path(__file__).parents[2])
    yield


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three files of several row groups; tasks and parts small enough that there are many."""
    from polyroc.scale import _dask as dask
    from polyroc.scale import _job as job

    monkeypatch.setattr(job, "BYTES_TO_SORT", 20_000)
    monkeypatch.setattr(dask, "SCORES_PER_TASK", 2400)
    monkeypatch.setattr(dask, "SCORES_PER_CELL", 0)
    y, p = scores()
    weights = np.random.default_rng(1).integers(1, 5, len(y)) / 4
    whole = pa.Table.from_pandas(frame_of(y, p, w=weights), preserve_index=False)
    for number, start in enumerate(range(0, len(y), 2300)):
        part = whole.slice(start, 2300)
        pq.write_table(part, tmp_path / f"{number}.parquet", row_group_size=250)
    return tmp_path


@pytest.mark.parametrize(("weight", "exact"), [(None, False), (None, True), ("w", True)])
def test_files_and_frames_on_two_processes(
    client: Any, files: Path, weight: str | None, exact: bool
) -> None:
    import dask.dataframe as dd

    options: dict[str, Any] = {"target": "y", "sample_weight": weight, "exact": exact}
    options |= {"metrics": "all", "mantissa_bits": 4, "memory": 64 << 20}
    expected = evaluate_parquet(files, **options)
    assert (expected["hand_till"].width == 0) == exact
    assert same(evaluate_parquet(files, n_threads=1, **options), expected)
    assert same(evaluate_parquet(files, client=client, **options), expected)
    ddf = dd.read_parquet(files, blocksize=None)
    assert ddf.npartitions == 3
    assert same(evaluate_dask(ddf, client=client, **options), expected)


def test_exact_values_are_those_in_memory(client: Any, files: Path) -> None:
    y, p = scores()
    result = evaluate_parquet(files, target="y", exact=True, client=client, memory=1 << 20)
    assert np.array_equal(
        result.pairwise_low, polyroc.pairwise_auc(NAMES[y], p, labels=NAMES), equal_nan=True
    )


@pytest.mark.parametrize("bytes_to_sort", [48, 20_000], ids=["whole columns", "blocks"])
def test_many_classes_go_by_columns(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bytes_to_sort: int
) -> None:
    from polyroc.scale import _job as job

    monkeypatch.setattr(job, "BYTES_TO_SORT", bytes_to_sort)
    y, p = scores(1200, 12)
    table = pa.table({"y": y, **{str(k): p[:, k] for k in range(12)}})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=300)
    options: dict[str, Any] = {"target": "y", "memory": 1 << 20, "mantissa_bits": 3}
    expected = evaluate_parquet(tmp_path, n_threads=2, **options)
    assert (expected["hand_till"].width == 0) == (bytes_to_sort == 48)
    assert same(evaluate_parquet(tmp_path, n_threads=1, **options), expected)
    assert same(evaluate_parquet(tmp_path, client=client, **options), expected)


def test_errors_of_workers_are_those_of_one_process(client: Any, tmp_path: Path) -> None:
    frame = frame_of(*scores(60))
    frame.loc[41, "bee"] = np.inf
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "a.parquet", row_group_size=20)
    messages = []
    for where in (None, client):
        with pytest.raises(InvalidInput, match="'bee' contains inf in row 41 of") as caught:
            evaluate_parquet(tmp_path, target="y", client=where)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_ranges_of_rows_leave_none_out(files: Path) -> None:
    from polyroc.scale._discovery import find_files

    whole = find_files(files)
    for n_rows in (1, 250, 600, 10**6):
        ranges = whole.ranges(n_rows)
        stops = np.cumsum([each.n_rows for each in ranges])
        assert [each.first for each in ranges] == [0, *stops[:-1]] and stops[-1] == 6000
        assert all(each.n_rows >= n_rows for each in ranges[:-1])


def test_weights_that_are_rounded_stay_within_each_others_bounds(client: Any, files: Path) -> None:
    import dask.dataframe as dd

    y, p = scores()
    w = np.random.default_rng(2).random(len(y))
    ddf = dd.from_pandas(frame_of(y, p, w=w), npartitions=4)
    result = evaluate_dask(ddf, target="y", sample_weight="w", client=client)
    again = evaluate_dask(ddf, target="y", sample_weight="w", client=client)
    assert same(result, again)
    value = polyroc.hand_till(NAMES[y], p, labels=NAMES, sample_weight=w)
    assert result["hand_till"].low <= value <= result["hand_till"].high


def slowed(path: Path, run: Any, *arguments: Any) -> Any:
    """A pass that leaves the number of its process in a file, and takes its time."""
    (path / f"{os.getpid()}.pid").touch()
    time.sleep(0.3)
    return run(*arguments)


def kill_first(path: Path, killed: list[int]) -> None:
    """Kill the first worker that is known to be running a task."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        running = [int(each.stem) for each in path.glob("*.pid")]
        if running:
            os.kill(running[0], signal.SIGKILL)
            killed.append(running[0])
            return
        time.sleep(0.01)


@pytest.mark.parametrize("exact", [False, True])
def test_a_worker_killed_in_mid_run(
    client: Any, files: Path, tmp_path_factory: Any, monkeypatch: pytest.MonkeyPatch, exact: bool
) -> None:
    from polyroc.scale import _dask as dask

    before = set(client.run(os.getpid).values())
    assert len(before) == 2
    options: dict[str, Any] = {"target": "y", "exact": exact, "mantissa_bits": 4}
    options["classes"] = NAMES
    expected = evaluate_parquet(files, **options)
    signs = tmp_path_factory.mktemp("signs")
    monkeypatch.setattr(dask, "_on_files", functools.partial(slowed, signs, dask._on_files))
    killed: list[int] = []
    killer = threading.Thread(target=kill_first, args=(signs, killed))
    killer.start()
    result = evaluate_parquet(files, client=client, **options)
    killer.join()
    assert killed and killed[0] in before
    assert same(result, expected)
    client.wait_for_workers(2, timeout=30)  # the nanny starts another for the tests to come
    assert killed[0] not in set(client.run(os.getpid).values())


@pytest.mark.parametrize(
    "labels",
    [
        lambda y: NAMES[y],
        lambda y: pd.Categorical(NAMES[y], categories=NAMES[::-1]),
        lambda y: pd.array(NAMES[y], dtype="string"),
        lambda y: y,
        lambda y: y.astype(float),
    ],
    ids=["objects", "categorical", "strings", "integers", "floats"],
)
def test_kinds_of_frames_without_a_cluster(labels: Any) -> None:
    import dask.dataframe as dd

    y, p = scores(500)
    given = labels(y)
    names = NAMES if isinstance(np.asarray(given)[0], str) else range(4)
    frame = pd.DataFrame({"y": given, **{name: p[:, k] for k, name in enumerate(names)}})
    result = evaluate_dask(dd.from_pandas(frame, npartitions=3), target="y")
    expected = PairSummary(list(names)).update(np.asarray(given), p).compute()
    assert result["hand_till"].low == expected["hand_till"].low
    assert result["hand_till"].high == expected["hand_till"].high
    if isinstance(given, pd.Categorical):
        assert list(result.counts) == NAMES[::-1].tolist()


def test_one_column_and_empty_partitions() -> None:
    import dask.dataframe as dd

    y, p = scores(300, 2)
    frame = pd.DataFrame({"y": y == 1, "s": p[:, 1]})
    ddf = dd.concat([dd.from_pandas(frame, npartitions=2), dd.from_pandas(frame[:0], 1)])
    result = evaluate_dask(ddf, target="y", columns=["s"], exact=True)
    assert result["roc_auc"].low == polyroc.roc_auc(y == 1, p[:, 1])


@pytest.mark.parametrize(
    ("columns", "options", "error", "message"),
    [
        ({"ant": [0.1, np.nan, 0.3]}, {}, InvalidInput, "'ant' is null in row 0 of partition 1"),
        ({"bee": [0.1, np.inf, 0.3]}, {}, InvalidInput, "inf in row 0 of partition 1"),
        ({"y": ["ant", None, "bee"]}, {}, InvalidInput, "'y' is null in row 0 of partition 1"),
        ({"y": ["ant", "ant", "ant"]}, {}, InvalidInput, "at least two classes"),
        ({"bee": ["x", "y", "z"]}, {}, InvalidType, "'bee' has the type"),
        ({}, {"target": "z"}, InvalidInput, "no column 'z'"),
        ({}, {"target": 0}, InvalidType, "named by strings"),
        ({}, {"sample_weight": "z"}, InvalidInput, "no column 'z'"),
        ({}, {"columns": ["ant", "z"]}, InvalidInput, "no column 'z'"),
        ({}, {"client": "local"}, InvalidType, "client must be a distributed.Client"),
    ],
)
def test_what_is_refused(
    columns: dict[str, Any], options: dict[str, Any], error: Any, message: str
) -> None:
    import dask.dataframe as dd

    base: dict[str, Any] = {"y": ["ant", "bee", "ant"], "ant": [0.9, 0.2, 0.6]}
    frame = pd.DataFrame({**base, "bee": [0.1, 0.8, 0.4], **columns})
    ddf = dd.from_pandas(frame, npartitions=3)
    with pytest.raises(error, match=message):
        evaluate_dask(ddf, **{"target": "y", **options})


def test_frames_that_are_none_and_frames_without_rows() -> None:
    import dask.dataframe as dd

    frame = frame_of(*scores(50))
    with pytest.raises(InvalidType, match=r"dask\.dataframe\.DataFrame, got DataFrame"):
        evaluate_dask(frame, target="y")
    with pytest.raises(InvalidInput, match="no rows"):
        evaluate_dask(dd.from_pandas(frame[:0], npartitions=1), target="y", classes=NAMES)


def test_missing_dask_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    pq.write_table(pa.Table.from_pandas(frame_of(*scores(50))), tmp_path / "a.parquet")
    for name in ("dask.dataframe", "distributed"):
        monkeypatch.setitem(sys.modules, name, None)
    for call in (
        lambda: evaluate_dask(None, target="y"),
        lambda: evaluate_parquet(tmp_path, target="y", client=1),
    ):
        with pytest.raises(MissingExtra, match=r"pip install 'polyroc\[dask\]'") as caught:
            call()
        assert isinstance(caught.value, ImportError)


def test_any_engine_that_maps_and_reduces(tmp_path: Path) -> None:
    """The recipe for Ray and Spark in the documentation, with map and reduce in their place."""
    y, p = scores()
    classes = tuple(NAMES.tolist())
    layout = Layout("y", classes, classes)
    table = pa.Table.from_pandas(frame_of(y, p), preserve_index=False)
    parts = [table.slice(start, 700).combine_chunks() for start in range(0, len(y), 700)]

    def summary_of(part: pa.Table) -> bytes:
        summary = PairSummary(classes)
        for records in part.to_batches():
            summary.merge(summarise(records, layout))
        return summary.to_bytes()

    def merged(one: bytes, other: bytes) -> bytes:
        return PairSummary.from_bytes(one).merge(PairSummary.from_bytes(other)).to_bytes()

    result = PairSummary.from_bytes(functools.reduce(merged, map(summary_of, parts))).compute()
    expected = PairSummary(classes).update(NAMES[y], p).compute()
    assert result.pairwise_low.tobytes() == expected.pairwise_low.tobytes()
    assert result.pairwise_high.tobytes() == expected.pairwise_high.tobytes()


@pytest.mark.parametrize("memory", [1 << 20, 512 << 20])
def test_a_frame_that_changes_between_passes(memory: int) -> None:
    """Partitions are computed anew for each pass; random ones must be persisted."""
    import dask
    import dask.dataframe as dd

    made = []

    def partition(number: int) -> pd.DataFrame:
        made.append(number)
        return frame_of(*scores(500, seed=len(made)))

    parts = dd.from_map(partition, range(2), meta=frame_of(*scores(5)))
    options: dict[str, Any] = {"target": "y", "exact": True, "classes": NAMES, "memory": memory}
    with dask.config.set(scheduler="synchronous"):
        with pytest.raises(InvalidInput, match="a later pass over it finds other cases"):
            evaluate_dask(parts, **options)
        evaluate_dask(parts.persist(), **options)
