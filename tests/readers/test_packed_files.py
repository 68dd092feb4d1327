"""NPZ, Parquet and Arrow files: arrays as columns, and sizes before anything is unpacked."""

from __future__ import annotations

import io
import struct
import zipfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from polyroc._storage.parquet_pages import _DEEPEST, _pages, _Thrift
from polyroc._storage.parquet_pages import unpacked_size as parquet_size
from polyroc.errors import InvalidInput, InvalidType
from polyroc.readers import _parquet, read_predictions, read_table
from polyroc.readers._archives import read_npz
from polyroc.readers._arrow_buffers import _BUFFER, _number, _Table
from polyroc.readers._arrow_buffers import unpacked_size as arrow_size
from polyroc.readers._parquet import _bits, _has_words, _is_flat, _rows_at_once, read_parquet
from polyroc.readers._table import unreadable


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def told(error: type[Exception], call: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(error) as caught:
        call(*arguments, **options)
    return str(caught.value)


# Arrays


def test_arrays_are_columns() -> None:
    scores, other = np.arange(12.0).reshape(4, 3), -np.arange(12.0).reshape(4, 3)
    content = npz(y=list("abca"), m=scores, n=other, labels=list("cab"), age=[1, 2, 3, 4])
    found = read_npz(content, "x")
    assert found.names == ("y", "age", "m:c", "m:a", "m:b", "n:c", "n:a", "n:b")
    assert [column.to_pylist() for column in found.columns[:2]] == [list("abca"), [1, 2, 3, 4]]
    for k in range(3):
        assert found.columns[2 + k].to_pylist() == scores[:, k].tolist()
        assert found.columns[5 + k].to_pylist() == other[:, k].tolist()
    assert found.path == "x" and len(found) == 4 and found.line is None
    only = read_npz(npz(y=[1, 2], s=[0.5, 0.25]), "x")
    assert only.names == ("y", "s")


@pytest.mark.parametrize("name", ["labels", "classes", "class_names", "Class Names"])
def test_names_of_classes_are_as_long_as_tables_are_wide(name: str) -> None:
    y, m = [0, 1, 1], np.ones((3, 2))
    assert read_npz(npz(y=y, m=m, **{name: ["u", "v"]}), "x").names == ("y", "m:u", "m:v")
    longer = read_npz(npz(y=y, m=m, **{name: ["u", "v", "w"]}), "x", "y")
    assert longer.names == ("y", name, "m:0", "m:1"), "a column like any other"


def test_the_target_names_no_classes() -> None:
    content = npz(labels=["u", "v"], m=np.eye(2))
    assert read_npz(content, "x", "labels").names == ("labels", "m:u", "m:v")
    assert "no array of labels" not in told(InvalidInput, read_npz, npz(q=[1, 2], m=np.eye(2)), "x")
    assert told(InvalidInput, read_npz, npz(q=[1, 2], m=np.eye(2)), "x", "z") == (
        "x: there is no array 'z' of labels among 'q'."
    )
    assert (
        told(InvalidInput, read_npz, npz(y=[1, 2], m=np.eye(2), labels=[1, 2], classes=[1, 2]), "x")
        == "x has several arrays of class names: 'labels', 'classes'."
    )


def test_arrays_that_do_not_fit_together() -> None:
    assert told(InvalidInput, read_npz, npz(m=np.eye(2)), "x") == (
        "x has no array of labels. Save one, such as y_true=…."
    )
    assert told(InvalidInput, read_npz, npz(y=[0, 1], m=np.ones((2, 3))), "x") == (
        "x: the array 'm' has 3 columns for the 2 classes of the labels that occur. Save the "
        "classes in order as labels=…."
    )
    assert told(
        InvalidInput, read_npz, npz(y=[0, 1], m=np.eye(2), n=np.ones((2, 3)), labels=[0, 1]), "x"
    ).startswith("x: the array 'n' has 3 columns for the 2 classes of labels. ")
    arrays = {f"a{k}": np.zeros(k + 1) for k in range(8)}
    assert told(InvalidInput, read_npz, npz(**arrays), "x") == (
        "x: arrays have different lengths ('a0' 1, 'a1' 2, 'a2' 3, 'a3' 4, 'a4' 5, 'a5' 6). Save "
        "one per case."
    )
    assert told(InvalidType, read_npz, npz(y=[0, 1], d=np.array([1j, 2])), "x") == (
        "x: the array 'd' has the type complex128. Save numbers or strings."
    )
    assert told(InvalidInput, read_npz, npz(y=np.array([None, 1])), "x") == (
        "x contains Python objects, which polyroc does not load because loading can run code. Save "
        "labels as strings or integers, such as y.astype(str)."
    )


def test_other_archives() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("doc.xml", "<x/>")
    words = told(InvalidInput, read_npz, file.getvalue(), "x")
    assert words.startswith("x is a zip archive but not an NPZ file (")
    assert words.endswith("). Save the table as CSV (UTF-8), Parquet or NPZ.")
    empty = io.BytesIO()
    with zipfile.ZipFile(empty, "w"):
        pass
    assert told(InvalidInput, read_npz, empty.getvalue(), "x") == "x contains no arrays."


def test_types_of_arrays() -> None:
    for array, values in (
        (np.array([0.5, 1], dtype=np.float16), [0.5, 1.0]),
        (np.array([0.5, 1], dtype=np.longdouble), [0.5, 1.0]),
        (np.array([0.5, np.finfo(np.longdouble).max], dtype=np.longdouble), [0.5, np.inf]),
        (np.array([0.5, 1], dtype=np.float32), [0.5, 1.0]),
        (np.array([0.5, 1], dtype=">f8"), [0.5, 1.0]),
        (np.array([3, 4], dtype=">i2"), [3, 4]),
        (np.array([3, 4], dtype=np.uint8), [3, 4]),
        (np.array([True, False]), [True, False]),
        (np.array(["é", "bb"]), ["é", "bb"]),
        (np.array([b"a", b"bb"]), ["a", "bb"]),
        (np.array([1.0, 2, 3, 4])[::2], [1.0, 3.0]),
    ):
        found = read_npz(npz(y=[0, 1], c=array), "x").columns[1]
        assert found.to_pylist() == values
    precise = read_npz(npz(y=[0, 1], c=np.array([0.1, 0.7], dtype=np.longdouble)), "x").columns[1]
    assert precise.to_pylist() == [0.1, 0.7]
    others = npz(y=[0, 1], one=np.array(3), cube=np.ones((2, 2, 2)), m=np.eye(2))
    assert read_npz(others, "x").names == ("y", "m:0", "m:1"), "numbers and cubes are passed over"
    doubles = read_npz(npz(y=[0, 1], c=np.array([0.5, 1], dtype=np.longdouble)), "x").columns[1]
    assert doubles.type == pa.float64()
    assert "text in the array 'c'" in told(
        InvalidInput, read_npz, npz(y=[0, 1], c=np.array([b"\xff", b"a"])), "x"
    )


def test_archives_with_very_many_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyroc._base.table_size.MOST_COLUMNS", 5)
    y = [0, 1, 0]
    assert len(read_npz(npz(y=y, m=np.ones((3, 2)), n=np.ones((3, 2))), "x").names) == 5
    for arrays in ({"m": np.ones((3, 2)), "n": np.ones((3, 2)), "z": y}, {"m": np.ones((3, 5))}):
        assert "columns" in told(InvalidInput, read_npz, npz(y=y, **arrays), "x")


# Parquet


def parquet(table: pa.Table, **options: Any) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    return file.getvalue()


def test_columns_of_cells_without_parts_are_read() -> None:
    table = pa.table(
        {
            "list": [[1.0], [2.0, 3.0]],
            "y": ["a", "b"],
            "struct": [{"u": 1}, {"u": 2}],
            "p": [0.5, 0.25],
        }
    )
    found = read_parquet(parquet(table), "x")
    assert found.names == ("list", "y", "struct", "p") and found.path == "x"
    assert found.columns[1].to_pylist() == ["a", "b"] and found.columns[3].to_pylist() == [
        0.5,
        0.25,
    ]
    assert len(found.columns[0]) == len(found.columns[2]) == 0
    assert found.columns[0].type == table.schema.field("list").type
    plain = read_parquet(parquet(table.select(["y", "p"])), "x")
    assert plain.names == ("y", "p") and pa.types.is_dictionary(plain.columns[0].type)
    empty = read_parquet(parquet(table.select(["y", "p"])[:0]), "x")
    assert empty.names == ("y", "p") and len(empty) == 0


def test_types_without_parts() -> None:
    words = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())
    for kind in (*words, pa.int8(), pa.float16(), pa.date32(), pa.bool_(), pa.decimal128(5, 2)):
        assert _is_flat(kind) and _has_words(kind) is (kind in words)
    assert _has_words(pa.dictionary(pa.int8(), pa.string()))
    assert not _has_words(pa.dictionary(pa.int8(), pa.int64()))
    for kind in (pa.list_(pa.int8()), pa.struct({"a": pa.int8()}), pa.map_(pa.int8(), pa.int8())):
        assert not _is_flat(kind)
    assert _is_flat(pa.uuid()) and not _is_flat(pa.json_())


def test_rows_that_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """64 MiB of values at most, a million rows at most, and one row at least."""
    assert _bits(pa.int64()) == 64 and _bits(pa.bool_()) == 1 and _bits(pa.string()) == 32
    assert _rows_at_once([]) == _rows_at_once([pa.int8()]) == 1 << 20
    assert _rows_at_once([pa.float64()] * 8) == 1 << 20
    assert _rows_at_once([pa.float64()] * 16) == 1 << 19
    assert _rows_at_once([pa.float64()] * 10 + [pa.string()] * 4) == (1 << 29) // (640 + 128)
    monkeypatch.setattr(_parquet, "_BATCH", 100)
    assert _rows_at_once([pa.float64()] * 5) == 2 and _rows_at_once([pa.float64()] * 100) == 1


def test_what_has_been_read_is_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[tuple[int, int]] = []
    monkeypatch.setattr(
        _parquet, "check_size", lambda held, size, path: checked.append((held, size))
    )
    monkeypatch.setattr(_parquet, "_MOST_ROWS", 3)
    table = pa.table({"y": pa.array([1, 2] * 4, pa.int8()), "p": pa.array([1] * 8, pa.int8())})
    content = parquet(table)
    found = read_parquet(content, "x")
    assert found.columns[0].to_pylist() == [1, 2] * 4
    size = len(content)
    assert checked == [(0, size), (8 * 3 * 2, size), (8 * 6 * 2, size), (8 * 8 * 2, size)]
    checked.clear()
    wide = parquet(pa.table({"d": pa.array([Decimal(1)] * 3, pa.decimal128(30, 2))}))
    read_parquet(wide, "x")
    assert checked[1][0] >= 3 * 16, "what takes more room is weighed as it is"


def test_wide_parquet_files(monkeypatch: pytest.MonkeyPatch) -> None:
    content = parquet(pa.table({name: [1] for name in "abcd"}))
    monkeypatch.setattr("polyroc._base.table_size.MOST_COLUMNS", 4)
    assert len(read_parquet(content, "x").names) == 4
    monkeypatch.setattr("polyroc._base.table_size.MOST_COLUMNS", 3)
    assert "columns" in told(InvalidInput, read_parquet, content, "x")


def test_descriptions_of_absurdly_many_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    content = parquet(pa.table({name: [1] for name in "abcdefgh"}))
    monkeypatch.setattr(_parquet, "LONGEST_LIST", 4)
    assert told(InvalidInput, read_parquet, content, "x") == (
        "x has more than 100,000 columns. A row is a case and a column a class: transpose the "
        "table, or leave columns out."
    )


def test_words_about_files_that_cannot_be_read() -> None:
    assert str(unreadable("x", "a list", ValueError("it is\nbroken"))).startswith(
        "x cannot be read as a list: it is"
    )
    long = str(unreadable("x", "CSV", "a\n" + "b" * 500))
    assert "\n" not in long and len(long) < 300 and long.endswith(". Is it complete?")
    with pytest.raises(MemoryError):
        unreadable("x", "CSV", MemoryError())


def test_broken_parquet_files() -> None:
    content = parquet(pa.table({"y": ["a", "b"]}))
    for wrong in (content[:-10], content[:8], b"PAR1" + b"\0" * 40 + b"PAR1"):
        assert told(InvalidInput, read_parquet, wrong, "x").startswith(
            "x cannot be read as a Parquet file: "
        )


# Thrift's compact protocol


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def zigzag(value: int) -> bytes:
    return varint(2 * value if value >= 0 else -2 * value - 1)


def structure(*fields: tuple[int, int, bytes]) -> bytes:
    """Fields as number, type and bytes, numbers relative where they can be."""
    out, before = b"", 0
    for number, kind, value in fields:
        step = number - before
        out += bytes([step << 4 | kind]) if 0 < step < 16 else bytes([kind]) + zigzag(number)
        out, before = out + value, number
    return out + b"\0"


def test_structures_are_read() -> None:
    inner = structure((2, 6, zigzag(-300)), (3, 8, varint(3) + b"abc"))
    several = bytes([3 << 4 | 5]) + zigzag(1) + zigzag(-1) + zigzag(70)
    many = bytes([15 << 4 | 3]) + varint(16) + bytes(range(16))
    flags, others = (bytes([2 << 4 | kind]) + b"\1\2" for kind in (1, 2))
    content = b"??" + structure(
        (1, 5, zigzag(64)), (2, 4, zigzag(-65)), (3, 1, b""), (4, 2, b""), (5, 3, b"\x7f"),
        (6, 12, inner), (7, 9, several), (8, 10, many), (9, 7, b"8 bytes."), (30, 6, zigzag(5)),
        (31, 9, flags), (32, 9, others), (33, 5, zigzag(1 << 40)),
    )  # fmt: skip
    reader = _Thrift(content + b"rest", 2)
    found = reader.structure()
    assert reader.place == len(content)
    assert {k: v for k, v in found.items() if k not in (3, 4, 9)} == {
        1: 64, 2: -65, 5: 127, 6: {2: -300, 3: 0}, 7: [1, -1, 70], 8: list(range(16)), 30: 5,
        31: [1, 2], 32: [1, 2], 33: 1 << 40,
    }  # fmt: skip


def test_structures_that_are_broken() -> None:
    def words(content: bytes, place: int = 0) -> str:
        return told(ValueError, _Thrift(content, place).structure)

    assert words(b"\x15") == words(b"") == words(b"\0", 1) == "its description is cut"
    assert (
        words(b"\x1b\0") == words(b"\x1f\0") == ("its description has a type that does not exist")
    )
    assert words(b"\x16" + b"\xff" * 10) == "a number in its description is too long"
    long = b"\x16" + b"\x80" * 9 + b"\x01\0"
    assert _Thrift(long, 0).structure() == {1: 1 << 62}, "ten bytes of seven bits"
    list_of = b"\x19" + bytes([15 << 4 | 3])
    assert words(list_of + varint(100) + b"\0") == "a list in its description is too long"
    assert words(list_of + varint(5) + b"\1\2") == "its description is cut", "five bytes in all"
    fits = list_of + varint(3) + b"\1\2\3\0"
    assert _Thrift(fits, 0).structure() == {1: [1, 2, 3]}
    nested = b"\x1c" * _DEEPEST
    assert _Thrift(nested + b"\0" * (_DEEPEST + 1), 0).structure()
    assert words(nested + b"\x1c" + b"\0" * 20) == "its description is too deep"
    lists = b"\x19" + b"\x19" * _DEEPEST + b"\x1c\0\0"
    assert words(lists) == "its description is too deep"


def page(unpacked: int, packed: int, n_values: int, kind: int = 5) -> bytes:
    header = structure((1, 5, zigzag(n_values)))
    fields = [(1, 5, zigzag(0)), (2, 5, zigzag(unpacked)), (3, 5, zigzag(packed))]
    if n_values:
        fields.append((kind, 12, header))
    return structure(*fields) + b"x" * max(0, packed)


def test_pages_of_a_column() -> None:
    """Of the dictionary, of data in either version; up to the number of values or of bytes."""
    pages = [page(1000, 10, 0), page(200, 5, 30), page(300, 7, 20, 8), page(5000, 3, 9)]
    content = b"PAR1" + b"".join(pages)
    size = len(content) - 4
    chunk = {4: 6, 5: 50, 7: size, 9: 4 + len(pages[0]), 11: 4}
    assert list(_pages(content, chunk | {7: size})) == [1000, 200, 300]
    assert list(_pages(content, chunk | {5: 51})) == [1000, 200, 300, 5000]
    assert list(_pages(content, chunk | {5: 49})) == [1000, 200, 300]
    assert list(_pages(content, chunk | {5: 30})) == [1000, 200]
    short = sum(len(each) for each in pages[:2])
    assert list(_pages(content, chunk | {7: short})) == [1000, 200]
    assert list(_pages(content, chunk | {7: short + 1})) == [1000, 200, 300]
    assert list(_pages(content, {4: 6, 5: 50, 7: size - len(pages[0]), 9: 4 + len(pages[0])})) == [
        200, 300,
    ]  # fmt: skip
    for harmless in (0, 1):
        assert list(_pages(content, chunk | {4: harmless})) == []
    assert list(_pages(content, {})) == []
    for wrong in ({7: size + 1}, {11: -1}, {7: -1}):
        assert told(ValueError, list, _pages(content, chunk | wrong)) == (
            "a column lies outside the file"
        )
    for start in (0, 4, len(content)):
        assert list(_pages(content, {4: 6, 5: 0, 7: 0, 9: start})) == [], "a column without pages"
    negative = b"PAR1" + page(-5, 0, 1)
    assert list(_pages(negative, {4: 6, 5: 1, 7: len(negative) - 4, 9: 4})) == [0]


@pytest.mark.parametrize("codec", ["zstd", "gzip", "brotli"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_pages_of_all_columns_and_row_groups(codec: str, version: str) -> None:
    n = 900
    numbers = np.random.default_rng(0).random(n)
    table = pa.table({"x": numbers, "y": numbers[::-1].copy(), "z": np.arange(n)})
    options = {"compression": codec, "data_page_version": version, "use_dictionary": False}
    content = parquet(table, row_group_size=200, write_statistics=False, **options)
    assert 3 * 8 * n <= parquet_size(content) < 3 * 8 * n + 15 * 12
    with_words = parquet(table, row_group_size=200, compression=codec, data_page_version=version)
    assert parquet_size(with_words) > 3 * 8 * n
    assert parquet_size(parquet(table, compression="snappy")) == 0


# Arrow


def arrow(table: pa.Table, stream: bool, **options: Any) -> bytes:
    file = pa.BufferOutputStream()
    kind = pa.ipc.new_stream if stream else pa.ipc.new_file
    with kind(file, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as out:
        out.write_table(table, max_chunksize=100)
    content: bytes = file.getvalue().to_pybytes()
    return content


@pytest.mark.parametrize("stream", [False, True])
def test_sizes_of_buffers(stream: bool, tmp_path: Path) -> None:
    n = 250
    words = pa.array(["a" * 50, "b" * 50]).take(pa.array(np.arange(n) % 2)).dictionary_encode()
    table = pa.table({"x": np.zeros(n), "y": words})
    found = arrow_size(arrow(table, stream, compression="zstd"))
    dictionary = 100 + 3 * 4
    assert 8 * n + 4 * n + dictionary <= found <= 8 * n + 4 * n + dictionary + 64
    assert arrow_size(arrow(table, stream)) == 0
    path = tmp_path / "x.arrow"
    path.write_bytes(arrow(table, stream, compression="zstd"))
    assert len(read_table(path)) == n


def test_numbers_outside_the_file_are_refused() -> None:
    content = struct.pack("<iHB", -7, 300, 9)
    assert _number(content, 0, "i") == -7 and _number(content, 4, "H") == 300
    assert _number(content, 6, "B") == 9
    for place, kind in ((-1, "B"), (7, "B"), (6, "H"), (4, "i")):
        assert told(ValueError, _number, content, place, kind) == (
            "an offset leads outside the file"
        )


def test_tables_of_flat_buffers() -> None:
    """A table of four fields: a byte, none, a vector of structures, and another table."""
    vtable = struct.pack("<HHHHHH", 12, 16, 4, 0, 8, 12)
    start = len(vtable)
    vector_place, other_place = start + 8, start + 12
    vector = struct.pack("<I", 2) + _BUFFER.pack(3, 5) + _BUFFER.pack(-7, 9)
    vector_at = start + 16
    other_at = vector_at + len(vector)
    body = struct.pack("<i", start) + struct.pack("<B3x", 42)
    body += struct.pack("<I", vector_at - vector_place)
    body += struct.pack("<I", other_at - other_place)
    other = struct.pack("<i", other_at)  # its fields are described at the beginning, too
    content = vtable + body + vector + other + b"\0" * 16
    found = _Table(content, start)
    assert found.place_of(0) == start + 4 and found.place_of(1) == 0
    assert found.place_of(4) == 0, "beyond the fields that are described"
    assert found.byte(0) == 42 and found.byte(1) == 0
    assert list(found.structures(2, _BUFFER)) == [(3, 5), (-7, 9)]
    assert list(found.structures(1, _BUFFER)) == []
    inner = found.table(3)
    assert inner is not None and inner.place == other_at and inner.fields == 0
    assert found.table(1) is None


def test_descriptions_of_columns_have_no_buffers() -> None:
    """They may list notes and features where a batch has its buffers and its compression."""
    message = struct.pack("<I2x5H", 16, 10, 12, 4, 6, 8) + struct.pack("<ihBxI", 10, 4, 1, 40 - 24)
    schema = struct.pack("<6H", 12, 16, 0, 4, 8, 12) + struct.pack("<i3I", 12, 12, 24, 8)
    lists = struct.pack("<I", 0) + struct.pack("<Iq", 1, 2) + struct.pack("<II", 1, 12)
    note = struct.pack("<4HiII", 8, 12, 4, 8, 8, 8, 12) + struct.pack("<I4sI4s", 1, b"k", 1, b"v")
    described = (message + schema + lists + note).ljust(120, b"\0")
    content = struct.pack("<iI", -1, len(described)) + described + struct.pack("<ii", -1, 0)
    assert pa.ipc.open_stream(content).schema.metadata == {b"k": b"v"}
    assert arrow_size(content) == 0


def test_broken_arrow_files(tmp_path: Path) -> None:
    table = pa.table({"y": ["a", "b"], "p": [0.5, 0.25]})
    path = tmp_path / "x.arrow"
    for stream in (False, True):
        content = arrow(table, stream, compression="lz4")
        path.write_bytes(content[: len(content) // 2])
        assert told(InvalidInput, read_predictions, path).startswith(
            f"{path} cannot be read as an Arrow file: "
        )
