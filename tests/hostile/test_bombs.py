"""Small files that want much memory are refused before they have it."""

import gzip
import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile import crafted
from hostile.child import read_in_child
from hostile.loaders import LOADERS

from polyroc._storage import limits
from polyroc._storage.limits import check_size, in_words, memory_of_machine
from polyroc.errors import InvalidInput
from polyroc.readers import read_predictions
from polyroc.readers._files import _unzipped
from polyroc.scale import evaluate_parquet

SPACE = 12 << 30
"""Addresses that a child may have: libraries reserve many more than they use."""

LITTLE = 200 << 20
"""Memory that refusing a bomb may take."""


def cheap_bombs() -> dict[str, dict[str, bytes]]:
    """Those that are made in a moment."""
    archives = crafted.archive_bombs()
    arrows = crafted.arrow_bombs()
    return {
        "npz": archives,
        "surface_load": archives,
        "search_checkpoint": archives,
        "study_checkpoint": archives,
        "summary_load": archives,
        "arrow": arrows,
    }


@pytest.mark.slow
def test_bombs_are_refused(tmp_path: Path) -> None:
    """Gigabytes of zeros in a few megabytes, in a process that may not have them."""
    for loader, files in cheap_bombs().items():
        folder = tmp_path / loader
        folder.mkdir()
        found = read_in_child(loader, files, folder, SPACE, seconds=110)
        for what, each in found.items():
            assert "broken" not in each, f"{loader}, {what}: {each}"
            assert "InvalidInput" in each["outcome"], what
            assert each["peak"] < LITTLE, f"{loader}, {what}: {in_words(each['peak'])}"


@pytest.mark.slow
@pytest.mark.parametrize("loader", ["parquet", "parquet_stream"])
def test_parquet_bombs(loader: str, tmp_path: Path) -> None:
    found = read_in_child(loader, crafted.parquet_bombs(), tmp_path, SPACE, seconds=110)
    for what, each in found.items():
        assert "broken" not in each, f"{what}: {each}"
        assert each["peak"] < limits.ROOM + LITTLE, f"{what}: {in_words(each['peak'])}"


@pytest.mark.slow
def test_a_text_bomb(tmp_path: Path) -> None:
    """A gzipped file does not say how large it is: it is unpacked up to the limit."""
    files = {"a gzip bomb": crafted.text_bomb()}
    (found,) = read_in_child("csv", files, tmp_path, SPACE, seconds=110).values()
    assert "contains 1.1 GB" in found["outcome"]
    assert found["peak"] < limits.ROOM + LITTLE


# The same in small: the limit is lowered, and so are the bombs

SMALL = 1 << 20


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def small_bombs() -> dict[str, bytes]:
    """A few kilobytes that stand for a few megabytes."""
    import pyarrow as pa

    n = SMALL // 4
    zeros, word = pa.array(np.zeros(n)), pa.array(["a" * SMALL] * 4)
    table = pa.table({"y": pa.array(np.zeros(n, dtype=np.int8)), "p_a": zeros, "p_b": zeros})
    words = pa.table({"y": word, "p_a": zeros[:4], "p_b": zeros[:4]})
    nothing = pa.Array.from_buffers(pa.null(), SMALL, [None])
    bombs = {
        "NPZ": npz(y_true=np.zeros(n), m=np.zeros((n, 2)), labels=np.array(["a", "b"])),
        "gzip": gzip.compress(b"y,p_a,p_b\n" + b"a,.9,.1\n" * SMALL),
        "two gzips": gzip.compress(b"y,p\n") + gzip.compress(b"a,1\n" * SMALL),
        "Arrow nulls": crafted.arrow_of(pa.table({"y": nothing, "p_a": nothing})),
        "Parquet runs": crafted.parquet_of(table),
    }
    for codec in ("zstd", "lz4"):
        bombs[f"Arrow {codec}"] = crafted.arrow_of(table, compression=codec)
    for codec in ("zstd", "gzip", "brotli"):
        for version in ("1.0", "2.0"):
            bombs[f"Parquet {codec} {version}"] = crafted.parquet_of(
                words, compression=codec, use_dictionary=False, data_page_version=version
            )
    return bombs


def test_small_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ROOM", SMALL)
    for what, content in small_bombs().items():
        path = tmp_path / "file"
        path.write_bytes(content)
        assert len(content) * 100 < 4 * SMALL, what
        with pytest.raises(InvalidInput, match="more than a hundred times as much"):
            read_predictions(path)


def test_a_word_that_every_row_repeats_is_kept_once(tmp_path: Path) -> None:
    """A long label, a long unused word and a list of them in every row of a Parquet file."""
    import pyarrow as pa

    n, size = 20_000, 50_000  # a gigabyte, were they written out
    codes = pa.array(np.arange(n, dtype=np.int32) % 2)
    words = pa.DictionaryArray.from_arrays(codes, pa.array(["a" * size, "b" * size]))
    lists = pa.ListArray.from_arrays(np.arange(n + 1, dtype=np.int32), words)
    score = pa.array(np.linspace(0, 1, n))
    table = pa.table({"y": words, "p": score, "words": words, "lists": lists})
    files = {
        "Parquet": crafted.parquet_of(table, store_schema=False),
        "Arrow": crafted.arrow_of(table),
    }
    path = tmp_path / "file"
    for content in files.values():
        path.write_bytes(content)
        found = read_predictions(path)
        assert len(found) == n and len({id(label) for label in found.y_true}) == 2


# What must still be read


def test_honest_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the limit, but in proportion to the file."""
    monkeypatch.setattr(limits, "ROOM", 1000)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 5000)
    path = tmp_path / "file"
    for content in (npz(y_true=y, m=np.eye(3)[y]), npz(y_true=y, m=rng.random((5000, 3)))):
        path.write_bytes(content)
        assert len(read_predictions(path)) == 5000
    for loader in ("csv", "npz", "parquet", "arrow", "surface_load", "summary_load"):
        for content in LOADERS[loader].seeds()[:2]:
            path.write_bytes(content)
            LOADERS[loader].read(path)


def test_limits() -> None:
    check_size(limits.ROOM, 1, "x")
    with pytest.raises(InvalidInput, match=r"x has 1 bytes but contains 1\.1 GB, more"):
        check_size(limits.ROOM + 1, 1, "x")
    large = 2 * memory_of_machine()
    with pytest.raises(InvalidInput, match=r"and this process may use .* of memory"):
        check_size(large, large, "x")
    assert 1 << 28 < memory_of_machine() < 1 << 60


def test_sizes_before_unpacking_are_those_after(tmp_path: Path) -> None:
    """For every codec, version of pages and kind of Arrow file."""
    import pyarrow as pa

    from polyroc._storage import parquet_pages
    from polyroc.readers import _arrow_buffers as arrow_buffers

    numbers = np.random.default_rng(0).random(5000)
    table = pa.table({"x": numbers, "y": np.zeros(5000)})
    for codec in ("zstd", "gzip", "brotli", "lz4"):
        for version in ("1.0", "2.0"):
            options = {"data_page_version": version, "use_dictionary": False}
            content = crafted.parquet_of(table, compression=codec, row_group_size=1000, **options)
            assert 80_000 <= parquet_pages.unpacked_size(content) < 80_400
    for content in (crafted.parquet_of(table), crafted.parquet_of(table, compression="none")):
        assert parquet_pages.unpacked_size(content) == 0, "codecs that cannot do harm"
    coded = pa.table({"x": numbers, "y": pa.array(["a" * 100, "b" * 100] * 2500)})
    coded = coded.set_column(1, "y", coded.column("y").dictionary_encode())
    for kind in (pa.ipc.new_file, pa.ipc.new_stream):
        for codec, expected in (("zstd", 60_208), ("lz4", 60_208), (None, 0)):
            file = pa.BufferOutputStream()
            with kind(file, coded.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as out:
                out.write_table(coded, max_chunksize=1000)
            found = arrow_buffers.unpacked_size(file.getvalue().to_pybytes())
            assert expected <= found <= 1.01 * expected, "numbers, codes and two words"


def test_page_sizes_that_lie(tmp_path: Path) -> None:
    """The header of a page that announces 2 GB where there are 100 bytes."""
    import pyarrow as pa

    from polyroc._storage.parquet_pages import unpacked_size

    table = pa.table({"y": ["a", "b"] * 50, "p_a": np.zeros(100), "p_b": np.zeros(100)})
    content = crafted.parquet_of(table, compression="zstd", use_dictionary=False)
    honest = unpacked_size(content)
    place = content.index(b"\x15\x00\x15") + 3  # a data page, then the size without compression
    lying = content[:place] + b"\xfe\xff\xff\xff\x0f" + content[place + 2 :]
    assert unpacked_size(content) == honest < 10_000
    path = tmp_path / "file"
    path.write_bytes(lying)
    with pytest.raises(InvalidInput, match=r"contains 2.1 GB|cannot be read"):
        read_predictions(path)


@pytest.mark.parametrize("codec", ["zstd", "snappy", "none"])
def test_streamed_pages_that_lie(codec: str, tmp_path: Path) -> None:
    """Reading in pieces sets nothing aside for 2 GB, packed or unpacked, that are not there."""
    import pyarrow as pa

    table = pa.table({"y": ["a", "b"] * 50, "p_a": np.zeros(100), "p_b": np.zeros(100)})
    content = crafted.parquet_of(table, compression=codec, use_dictionary=False)
    unpacked = content.index(b"\x15\x00\x15") + 3
    length = 1 + (content[unpacked] > 127)
    packed = unpacked + length + 1
    most = b"\xfe\xff\xff\xff\x0f"
    files = {
        "unpacked": content[:unpacked] + most + content[unpacked + length :],
        "packed": content[:packed] + most + content[packed + 1 + (content[packed] > 127) :],
    }
    found = read_in_child("parquet_stream", files, tmp_path, SPACE, seconds=60)
    for what, each in found.items():
        assert "InvalidInput" in each["outcome"], f"{what}: {each}"
        assert each["peak"] < LITTLE, f"{what}: {in_words(each['peak'])}"


@pytest.mark.parametrize("codec", ["zstd", "gzip"])
def test_a_small_streamed_file_is_refused_before_arrow_reads_it(codec: str, tmp_path: Path) -> None:
    """By what its page headers announce, whatever Arrow would make of them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"y": ["a", "b"] * 50, "p_a": np.zeros(100), "p_b": np.zeros(100)})
    content = crafted.parquet_of(table, compression=codec, use_dictionary=False)
    last = pq.ParquetFile(io.BytesIO(content)).metadata.row_group(0).column(2)
    place = last.data_page_offset + 3  # the last page, which moves no other
    assert content[place - 3 : place] == b"\x15\x00\x15"
    length = 1 + (content[place] > 127)
    path = tmp_path / "lying.parquet"
    path.write_bytes(content[:place] + b"\xfe\xff\xff\xff\x0f" + content[place + length :])
    with pytest.raises(InvalidInput, match=r"but contains 2\.1 GB, more than a hundred times"):
        evaluate_parquet(path, target="y")


def test_columns_that_are_not_described_as_such() -> None:
    """A footer of Thrift whose row groups are numbers, or have columns without a place."""
    from polyroc._storage.parquet_pages import unpacked_at_once, unpacked_size

    numbers = b"\x49\x25\x02\x04\x00"  # field 4: a list of two numbers
    placeless = b"\x49\x1c\x19\x1c\x3c\x45\x0c\x00\x00\x00\x00"  # one column, of codec 6 alone
    for footer in (numbers, placeless):
        content = b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"
        for size in (unpacked_at_once, unpacked_size):
            with pytest.raises(ValueError, match=r"^its columns are not described as such$"):
                size(content)


def test_descriptions_that_are_too_deep() -> None:
    """Structures within structures, and lists within lists, in which there is no structure."""
    from polyroc._storage.parquet_pages import unpacked_at_once, unpacked_size

    for nested in (b"\x1c" * 5000, b"\x19" * 5000, b"\x1c\x19" * 2500, b"\x19" * 14):
        footer = nested + bytes(5001)
        content = b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"
        for size in (unpacked_at_once, unpacked_size):
            with pytest.raises(ValueError, match=r"^its description is too deep$"):
                size(content)


def test_what_is_unpacked_at_once() -> None:
    """Of each column one page, in the group of rows where that is most."""
    import pyarrow as pa

    from polyroc._storage.parquet_pages import unpacked_at_once, unpacked_size

    table = pa.table({"x": np.random.default_rng(0).random(5000), "y": np.zeros(5000)})
    options = {"compression": "zstd", "use_dictionary": False, "write_batch_size": 100}
    one = crafted.parquet_of(table, row_group_size=2000, **options)
    small = crafted.parquet_of(table, row_group_size=2000, data_page_size=1600, **options)
    assert 80_000 <= unpacked_size(one) < 80_400
    assert 32_000 <= unpacked_at_once(one) < 32_200, "two columns of 2,000 numbers"
    assert 2 * 1600 <= unpacked_at_once(small) < 2 * 1800
    assert unpacked_at_once(crafted.parquet_of(table.slice(0, 0))) == 0


def test_lists_of_buffers_that_are_cut() -> None:
    """A vector of two structures in a FlatBuffer that ends after the first."""
    from polyroc.readers._arrow_buffers import _BUFFER, _Table

    fields = struct.pack("<HHHxx", 6, 8, 4)
    content = fields + struct.pack("<iII", len(fields), 4, 2) + _BUFFER.pack(3, 5)
    found = _Table(content, len(fields)).structures(0, _BUFFER)
    assert next(found) == (3, 5)
    with pytest.raises(ValueError, match="a list of batches or buffers is cut"):
        next(found)


def test_texts_are_unpacked_up_to_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ROOM", SMALL)
    text = b"a" * SMALL
    assert _unzipped(gzip.compress(text), "x") == text
    with pytest.raises(InvalidInput, match=r"contains 1\.0 MB, more than a hundred times"):
        _unzipped(gzip.compress(text + b"a"), "x")
