"""Summaries survive files, and files that are no summaries are refused."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyroc.errors import InvalidInput
from polyroc.scale import PairSummary


def example(**options: Any) -> PairSummary:
    rng = np.random.default_rng(0)
    y = np.array(["a", "b", "c"])[np.r_[0, 1, 2, rng.integers(0, 3, 200)]]
    return PairSummary(["a", "b", "c"], **options).update(y, rng.dirichlet(np.ones(3), 203))


def changed(name: str, change: Any, summary: PairSummary | None = None) -> bytes:
    """A file with one array changed, its checksums right."""
    summary = example(auc_mu=True) if summary is None else summary
    with np.load(io.BytesIO(summary.to_bytes())) as file:
        arrays = {key: file[key] for key in file.files}
    if name == "header":
        header = json.loads(bytes(arrays["header"]).decode())
        change(header)
        arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    else:
        arrays[name] = change(arrays[name].copy())
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def put(index: Any, value: Any) -> Any:
    def change(array: np.ndarray) -> np.ndarray:
        array[index] = value
        return array

    return change


@pytest.mark.parametrize("options", [{}, {"auc_mu": True}, {"mantissa_bits": 4}])
def test_round_trip(options: dict[str, Any], tmp_path: Path) -> None:
    summary = example(**options)
    path = tmp_path / "summary.npz"
    summary.save(path)
    again = PairSummary.load(path)
    assert again.to_bytes() == summary.to_bytes()
    assert again.merge(example(**options)).n_cases == 406
    assert list(tmp_path.iterdir()) == [path]


def test_an_empty_and_a_weighted_summary() -> None:
    empty = PairSummary([0, 1]).to_bytes()
    assert PairSummary.from_bytes(empty).to_bytes() == empty
    weighted = PairSummary([0, 1]).update([0, 1, 1], [0.2, 0.7, 0.1], [0.1, 0.7, 3]).to_bytes()
    again = PairSummary.from_bytes(weighted)
    assert again.to_bytes() == weighted and again.one_column is True


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("header", lambda header: header.update(schema="other 1")),
        ("header", lambda header: header.update(classes=["a", "b"])),
        ("header", lambda header: header.update(classes=["a", "b", None])),
        ("header", lambda header: header.update(classes=7)),
        ("header", lambda header: header.update(mantissa_bits=40)),
        ("header", lambda header: header.update(auc_mu=False)),
        ("header", lambda header: header.update(auc_mu="yes")),
        ("header", lambda header: header.update(unit="1")),
        ("header", lambda header: header.update(n_faulty=-1)),
        ("header", lambda header: header.update(one_column=True)),
        ("header", lambda header: header.pop("weighted")),
        ("header", lambda header: header.clear()),
        ("counts", put(0, -1)),
        ("counts", put(0, 0)),
        ("counts", lambda array: array[:2]),
        ("counts", lambda array: array.astype(np.float64)),
        ("weights", put(0, np.nan)),
        ("digits", put((1, 0, 0), -5)),
        ("digits", put((2, 0, 0), 1 << 40)),
        ("weighted_sums", lambda array: array[:2]),
        ("sample_codes", put(0, 3)),
        ("sample_codes", put(0, -1)),
        ("sample_rows", put((0, 0), np.inf)),
        ("sample_rows", lambda array: array[1:]),
        ("sample_weights", put(0, 0)),
        ("lengths", put(0, -1)),
        ("lengths", put(0, 1 << 40)),
        ("bin_codes", put(0, 1 << 60)),
        ("bin_codes", put(1, 0)),
        ("bin_states", put(0, 0)),
        ("bin_states", put(0, 9)),
        ("bin_values", put(0, 0.123)),
        ("bin_values", put(0, np.nan)),
        ("bin_counts", put(0, -1.0)),
        ("bin_counts", put(slice(0, 3), 0.0)),
        ("bin_counts", put(0, 1e9)),
        ("bin_counts", put(0, np.inf)),
    ],
)
def test_crafted_files_are_refused(name: str, change: Any) -> None:
    with pytest.raises(InvalidInput, match="not a summary that can be read"):
        PairSummary.from_bytes(changed(name, change))


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
@pytest.mark.parametrize("name", ["weights", "weighted_sums"])
def test_crafted_sums_of_weights_are_refused(name: str, value: float) -> None:
    weighted = PairSummary([0, 1]).update([0, 1, 1], [0.2, 0.7, 0.1], [0.1, 0.7, 3])
    assert PairSummary.from_bytes(changed(name, lambda array: array, weighted)).n_cases == 3
    with pytest.raises(InvalidInput, match="not a summary that can be read"):
        PairSummary.from_bytes(
            changed(name, put((0,) * (1 + (name != "weights")), value), weighted)
        )


def test_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    data = example().to_bytes()
    pickled = io.BytesIO()
    np.savez(pickled, header=np.array([{}], dtype=object))
    compressed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as source,
        zipfile.ZipFile(compressed, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for each in source.infolist():
            target.writestr(each.filename, source.read(each))
    assert PairSummary.from_bytes(compressed.getvalue()).to_bytes() == data
    for wrong in (b"", b"PK", data[:1000], data[:-30], pickled.getvalue()):
        with pytest.raises(InvalidInput, match="not a summary"):
            PairSummary.from_bytes(wrong)
    with pytest.raises(InvalidInput, match=r"There is no file .*nothing\.npz"):
        PairSummary.load(tmp_path / "nothing.npz")
    with pytest.raises(InvalidInput, match="cannot be written"):
        example().save(tmp_path / "no" / "folder.npz")


def test_a_header_that_claims_more_than_the_file_holds() -> None:
    data = example().to_bytes()
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(stream, "w") as target:
        for each in source.infolist():
            member = source.read(each)
            if each.filename == "counts.npy":
                member = member.replace(b"(3,)", b"(9999999999,)", 1)
            target.writestr(each.filename, member)
    with pytest.raises(InvalidInput, match="not a summary"):
        PairSummary.from_bytes(stream.getvalue())


def test_flipped_bits_never_break_out() -> None:
    data = example().to_bytes()
    rng = np.random.default_rng(1)
    for _ in range(200):
        broken = bytearray(data)
        broken[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
        try:
            again = PairSummary.from_bytes(bytes(broken))
        except InvalidInput:
            continue
        assert again.to_bytes() == data  # dates and other fields that nobody reads
