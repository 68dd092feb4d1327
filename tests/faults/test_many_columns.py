"""A million columns are refused with a message, quickly and in little memory; a thousand work."""

import resource
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from faults.processes import command, in_child

from polyroc import hand_till
from polyroc._base.table_size import MOST_COLUMNS, check_column_count
from polyroc.errors import InvalidInput
from polyroc.readers import read_predictions
from polyroc.scale import PairSummary, evaluate_parquet
from polyroc.scale import _room as room

MILLION = 10**6
SECONDS, MEGABYTES = 5, 1000
UNTRACED = {"COVERAGE_PROCESS_START": "", "COVERAGE_PROCESS_CONFIG": ""}
"""Environment of a child whose time is taken: its lines are not counted meanwhile."""


def variable(number: int) -> bytes:
    """An integer in as many bytes as it needs, seven bits in each."""
    low, rest = number & 127, number >> 7
    return bytes([low | 128]) + variable(rest) if rest else bytes([low])


def parquet_footer(n_columns: int) -> bytes:
    """A Parquet file of so many columns and no rows, as the format describes it.

    pyarrow takes minutes and gigabytes to write one.
    """
    root = b"\x48" + b"\x01r" + b"\x15" + variable(2 * n_columns) + b"\x00"
    column = b"\x15\x0a" + b"\x25\x00" + b"\x18\x01c" + b"\x00"
    listed = b"\xfc" + variable(n_columns + 1) + root + column * n_columns
    footer = b"\x15\x02" + b"\x19" + listed + b"\x16\x00" + b"\x19\x0c" + b"\x00"
    return b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def write_wide(path: Path, kind: str) -> None:
    if kind == "csv":
        row = ",0.5" * MILLION
        names = ",".join(f"p_{k}" for k in range(MILLION))
        path.write_text(f"y,{names}\n0{row}\n1{row}\n")
    elif kind == "quoted csv":
        path.write_text(",".join(f'"p,{k}"' for k in range(MILLION)) + "\n")
    elif kind == "npz":
        with path.open("wb") as file:
            np.savez(file, y=np.arange(2), forest=np.zeros((2, MILLION)))
    elif kind == "parquet":
        path.write_bytes(parquet_footer(MILLION))
    else:
        schema = pa.schema([(f"p_{k}", pa.float64()) for k in range(MILLION)])
        stream = kind == "Arrow stream"
        with pa.OSFile(str(path), "wb") as file:
            (pa.ipc.new_stream if stream else pa.ipc.new_file)(file, schema).close()


def read_wide(path: str) -> dict[str, Any]:
    """What a reader says, after how many seconds and megabytes."""
    read_predictions_of_nothing()
    start, before = time.monotonic(), memory()
    try:
        read_predictions(path)
        said = "nothing"
    except InvalidInput as error:
        said = str(error)
    return {"said": said, "seconds": time.monotonic() - start, "megabytes": memory() - before}


def read_predictions_of_nothing() -> None:
    """Load what reading loads."""
    with pytest.raises(InvalidInput):
        read_predictions("/dev/null/nothing")


def memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


FORMATS = ("csv", "npz", "parquet", "quoted csv", "Arrow", "Arrow stream")
QUICK = ("csv", "parquet")


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=() if kind in QUICK else pytest.mark.slow) for kind in FORMATS],
)
def test_files(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "wide"
    write_wide(path, kind)
    found = in_child(read_wide, path, folder=tmp_path, **UNTRACED)
    assert found["said"] == (
        f"{path} has more than 100,000 columns. A row is a case and a column a class: "
        "transpose the table, or leave columns out."
    )
    assert found["seconds"] < SECONDS
    assert found["megabytes"] < MEGABYTES


def test_the_footer_is_one_that_arrow_reads() -> None:
    metadata = pq.ParquetFile(pa.BufferReader(parquet_footer(1000))).metadata
    assert (metadata.num_columns, metadata.num_rows) == (1000, 0)


@pytest.mark.parametrize("more", [(), ("--streaming", "--target", "c")], ids=["", "streaming"])
def test_the_program(more: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "wide.parquet"
    path.write_bytes(parquet_footer(MILLION))
    ended = command("evaluate", path, *more)
    assert (ended.code, ended.printed) == (2, "")
    assert ended.said.startswith(f"polyroc: {path} has more than 100,000 columns. ")
    assert len(ended.said.splitlines()) == 1


def arrays_of_a_million() -> dict[str, Any]:
    """What the library says to arrays of a million columns, and to a million classes."""
    scores, y = np.zeros((3, MILLION), dtype=np.float32), [0, 1, 2]
    before, made = memory(), {}
    for name, call in {
        "columns without names": lambda: hand_till(y, scores),
        "columns without cases": lambda: hand_till(y, scores, labels=range(MILLION)),
        "a summary": lambda: PairSummary(range(MILLION)),
    }.items():
        start = time.monotonic()
        try:
            call()
            said = "nothing"
        except InvalidInput as error:
            said = str(error)
        made[name] = [said, time.monotonic() - start, memory() - before]
    return made


def test_arrays(tmp_path: Path) -> None:
    found = in_child(arrays_of_a_million, folder=tmp_path, **UNTRACED)
    expected = {
        "columns without names": "y_score has 1000000 columns but y_true has 3 classes",
        "columns without cases": "and 999,987 more have no cases",
        "a summary": "A summary of 1,000,000 classes would not fit into memory",
    }
    for name, (said, seconds, megabytes) in found.items():
        assert expected[name] in said and "\n" not in said and len(said) < 400
        assert seconds < SECONDS and megabytes < MEGABYTES


def test_a_thousand_classes_work(tmp_path: Path) -> None:
    """From files and from arrays, to the same number."""
    n_classes, rng = 1000, np.random.default_rng(0)
    y = np.arange(2 * n_classes) % n_classes
    scores = (rng.random((len(y), n_classes)) + 0.3 * np.eye(n_classes)[y]).round(3)
    path = tmp_path / "thousand.npz"
    np.savez(path, y=y, forest=scores)
    read = read_predictions(path)
    value = hand_till(read.y_true, read.models["forest"], labels=read.labels)
    assert value == hand_till(y, scores)
    assert 0.7 < value < 0.8
    columns = {"y": y, **{f"p_{k}": scores[:, k] for k in range(n_classes)}}
    pq.write_table(pa.table(columns), tmp_path / "thousand.parquet")
    bounds = evaluate_parquet(tmp_path / "thousand.parquet", target="y")["hand_till"]
    assert bounds.low <= value <= bounds.high


def test_a_summary_that_outgrows_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each pair of classes has histograms of its own, which no limit on columns covers."""
    monkeypatch.setattr(room, "memory_of_machine", lambda: 10**7)
    y, scores = np.arange(40), np.random.default_rng(0).random((40, 40))
    with pytest.raises(InvalidInput, match=r"40 classes needs .* may use 10\.0 MB"):
        PairSummary(range(40)).update(y, scores)


def test_the_limit_itself() -> None:
    check_column_count(MOST_COLUMNS, "x")
    with pytest.raises(InvalidInput, match="x has more than 100,000 columns"):
        check_column_count(MOST_COLUMNS + 1, "x")
