"""Text files: encodings, separators, quotes, lines; and what a file, a pipe or a folder is."""

from __future__ import annotations

import codecs
import gzip
import io
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from polyroc.errors import InvalidInput, InvalidType
from polyroc.readers import _delimited, _files, read_predictions, read_table
from polyroc.readers._delimited import header_of, line_of, read_delimited
from polyroc.readers._files import content_of
from polyroc.readers._header import column_names

TEXT = "y,p_a,p_b\na,.9,.1\nb,.2,.8\n"


def put(folder: Path, content: str | bytes) -> Path:
    path = folder / "x.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def told(call: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(InvalidInput) as caught:
        call(*arguments, **options)
    return str(caught.value)


# Encodings


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b""),
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
        ("utf-32-le", codecs.BOM_UTF32_LE),
        ("utf-32-be", codecs.BOM_UTF32_BE),
    ],
)
def test_encodings_by_their_marks(encoding: str, mark: bytes) -> None:
    content = mark + "y,é\n😀,1\n".encode(encoding)
    found = read_delimited(content, "x")
    assert found.names == ("y", "é") and found.columns[0].to_pylist() == ["😀"]


def test_text_that_is_broken() -> None:
    assert told(read_delimited, codecs.BOM_UTF16_LE + b"a\x00b", "x").startswith(
        "x cannot be read as UTF-16 text: "
    )
    assert told(read_delimited, codecs.BOM_UTF32_LE + b"a\x00b", "x").startswith(
        "x cannot be read as UTF-32 text: "
    )
    for line, content in (
        (1, b"y,\xe9\na,1\n"),
        (3, b"y,p\na,1\n\xe9,2\n"),
        (2, b"y\n\xc3"),
        (2, b"\n\xe9,p\n"),
    ):
        byte = next(each for each in content if each > 127)
        assert told(read_delimited, content, "x") == (
            f"x is not UTF-8 text: line {line} contains the byte 0x{byte:02x}. Save it in UTF-8."
        )


def test_signs_that_are_cut_between_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    for size in (1, 2, 3, 5, 8):
        monkeypatch.setattr(_delimited, "_PIECE", size)
        whole = "y,é😀\nü,1\n".encode()
        assert _delimited._first_broken(whole) is None
        for place in (0, 4, 9, len(whole) - 1):
            broken = whole[:place] + b"\xff" + whole[place:]
            with pytest.raises(UnicodeDecodeError) as caught:
                broken.decode()
            assert _delimited._first_broken(broken) == caught.value.start, (size, place)
        assert _delimited._first_broken(whole + "é".encode()[:1]) == len(whole)


def test_zeros_are_no_text() -> None:
    words = (
        "x is neither text nor a table that polyroc knows. Save it as CSV (UTF-8), Parquet, Arrow "
        "or NPZ."
    )
    for content in (b"y,p\na,\x001\n", b"\0y,p\na,1\n"):
        assert told(read_delimited, content, "x") == words
    padded = b"y,p\n" + b"a,1\n" * (1 << 14)
    assert told(read_delimited, padded[: (1 << 16) - 1] + b"\0", "x") == words
    late = read_delimited(padded[: 1 << 16] + b"\0,1\n", "x")
    assert late.names == ("y", "p") and late.columns[0][-1].as_py() == "\0"


# Separators and lines


@pytest.mark.parametrize(
    ("header", "separator"),
    [
        ("y", ","),
        ("y,p", ","),
        ("y;p", ";"),
        ("y\tp", "\t"),
        ("y|p", "|"),
        ("y;p;q,r", ";"),
        ("y,p;q", ","),
        ('y|"a,b,c"|q', "|"),
        ('"a;b;c;d",p,q', ","),
        ('y\t"p,q,r,s', "\t"),
    ],
)
def test_the_separator_is_the_sign_that_occurs_most(header: str, separator: str) -> None:
    assert header_of(header.encode() + b"\n1,2;3|4\t5,6,7\n")[1] == separator
    assert header_of(b"\xef\xbb\xbf" + header.encode())[1] == separator


def test_the_first_line() -> None:
    for content, line in (
        (b"\n\r\ny,p\r\n1,2", b"y,p"),
        (b"y,p", b"y,p"),
        (b"", b""),
        (b'y,"p\nq",r\n1', b'y,"p\nq",r'),
        (b"\xef\xbb\xbfy,p\n", b"y,p"),
    ):
        assert header_of(content)[0] == line


def test_separators_in_very_wide_headers_are_counted_without_quotes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Beyond the most columns it does not matter any more where they stand."""
    header = b'a,"b,c",d'
    monkeypatch.setattr(_delimited, "MOST_COLUMNS", 3)
    assert _delimited._count(header, ",") == 2
    monkeypatch.setattr(_delimited, "MOST_COLUMNS", 2)
    assert _delimited._count(header, ",") == 3
    assert _delimited._count(b"a,b,c,d", ",") == 3


def test_files_with_very_many_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyroc._base.table_size.MOST_COLUMNS", 4)
    assert len(read_delimited(b"a,b,c,d\n1,2,3,4\n", "x").names) == 4
    with pytest.raises(InvalidInput, match="columns"):
        read_delimited(b"a,b,c,d,e\n1,2,3,4,5\n", "x")


def test_names_and_words_lose_their_blanks() -> None:
    found = read_delimited(b" y , p ,q\n a b ,1, x\nc , 2,y \n", "x")
    assert found.names == ("y", "p", "q")
    assert found.columns[0].to_pylist() == ["a b", "c"]
    assert found.columns[2].to_pylist() == ["x", "y"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_rows_and_their_lines(end: str) -> None:
    lines = ["", "y;p", "", 'a;"1', 'x"', "b;2", "", "", '"c;d";3']
    text = end.join(lines).encode()
    found = [line_of(text, ";", row) for row in range(3)]
    assert found == [5, 6, 9]
    table = read_delimited(end.join(lines[1:]).encode(), "x")
    assert table.line is not None and [table.line(row) for row in range(3)] == [4, 5, 8]


def test_lines_of_cells_that_are_wrong(tmp_path: Path) -> None:
    path = put(tmp_path, "y,p_a,p_b\na,.9,.1\n\nb,x,.8\n")
    with pytest.raises(InvalidType, match=r"'x' in row 1 \(line 4\), column 'p_a'"):
        read_predictions(path)
    path = put(tmp_path, "y|p_a|p_b\na|.9|.1\nb|.2|\n")
    assert "in row 1 (line 3), column 'p_b'" in told(read_predictions, path)


def test_rows_of_unequal_length_are_told(tmp_path: Path) -> None:
    words = told(read_table, put(tmp_path, "y,p\na,1\nb,2,3\n"))
    assert words.startswith(f"{tmp_path / 'x.csv'} cannot be read as CSV: Row #3: Expected 2")
    assert words.endswith("Is it complete?")


def test_columns_as_they_are_written() -> None:
    found = read_delimited(b"id,p,p\n 007 ,1,2\n1.10,3,4\n", "x")
    assert found.text is not None
    assert found.text(0).to_pylist() == ["007", "1.10"]
    assert found.text(1) is None, "another has its name"
    assert found.columns[0].to_pylist() == [7.0, 1.1]


def test_times_stay_text_unless_they_are_universal() -> None:
    found = read_delimited(b"a,b\n2020-01-02T03:04:05Z,2020-01-02 03:04:05\n", "x")
    assert pa.types.is_timestamp(found.columns[0].type) and pa.types.is_string(
        found.columns[1].type
    )


# Files, pipes and folders


def test_what_is_no_file(tmp_path: Path) -> None:
    assert (
        told(read_table, tmp_path / "none")
        == f"There is no file {tmp_path / 'none'}. Check the path."
    )
    assert told(read_table, tmp_path) == f"{tmp_path} is a folder. Pass a file in it."
    assert told(read_table, "/dev/null") == "/dev/null is a device. Pass a file or a pipe."
    for content in (b"", b"\xef\xbb\xbf", b" \n\t\r\n", gzip.compress(b"\n")):
        path = put(tmp_path, content)
        assert told(read_table, path) == (
            f"{path} is empty. polyroc reads CSV, TSV, Parquet, Arrow (Feather) and NPZ files."
        )
    assert told(read_table, put(tmp_path, "y,p\n")) == (
        f"{tmp_path / 'x.csv'} has columns but no rows. Pass at least one case per class."
    )


def test_a_file_of_one_row(tmp_path: Path) -> None:
    found = read_table(put(tmp_path, "y,p\na,1\n"))
    assert len(found) == 1 and found.columns[1].to_pylist() == [1]


def test_the_standard_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Input:
        buffer = io.BytesIO(TEXT.encode())

    monkeypatch.setattr(sys, "stdin", Input)
    monkeypatch.setattr(_files, "_PIECE", 7)
    found = read_predictions("-")
    assert found.path == "standard input" and len(found) == 2
    Input.buffer = io.BytesIO(b" ")
    assert told(read_table, "-").startswith("standard input is empty. ")
    assert content_of(str(put(tmp_path, TEXT))) == TEXT.encode()


def test_memory_that_runs_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: Any, **options: Any) -> None:
        raise MemoryError

    path = put(tmp_path, TEXT)
    monkeypatch.setattr(_files, "read_delimited", full)
    assert told(read_table, path) == (
        f"There is not enough memory for {path}. polyroc.scale.evaluate_parquet reads Parquet "
        "files of any size."
    )


def test_sizes_are_checked_before_and_while_a_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A packed file by what it becomes and what it was, others by their size."""
    checked: list[tuple[int, int, str]] = []
    monkeypatch.setattr(_files, "check_size", lambda *sizes: checked.append(sizes))
    monkeypatch.setattr(_files, "_PIECE", 10)
    path = put(tmp_path, TEXT)
    read_table(path)
    n, name = len(TEXT), str(path)
    assert checked == [(n, n, name)]
    checked.clear()
    packed = gzip.compress(TEXT.encode())
    read_table(put(tmp_path, packed))
    size = len(packed)
    grown = [(min(10 * (k + 1), n), size, name) for k in range(-(-n // 10))]
    assert checked == [(size, size, name), *grown]
    checked.clear()
    pa.feather.write_feather(pa.table({"y": ["a", "b"], "p": [1.0, 2.0]}), str(path))
    read_table(path)
    size = path.stat().st_size
    assert [each[1:] for each in checked] == [(size, name)] * 3
    assert checked[0][0] == size and checked[2][0] == 8 * 2 * 2


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (b"FEA1", "cannot be read as Feather of version 1. Save it as version 2."),
        (b"\x93NUMPY", "contains one array, and labels are needed beside scores."),
        (b"PAR1", "cannot be read as a Parquet file: "),
        (b"ARROW1", "cannot be read as an Arrow file: "),
        (b"\xff\xff\xff\xff", "cannot be read as an Arrow file: "),
        (b"PK\x03\x04", "cannot be read as an NPZ file"),
        (b"PK\x05\x06", "cannot be read as an NPZ file"),
        (b"\x1f\x8b", "cannot be read as a gzipped file: "),
    ],
)
def test_formats_by_their_first_bytes(tmp_path: Path, start: bytes, words: str) -> None:
    path = put(tmp_path, start + b" and more of it")
    assert words in told(read_table, path)
    if start != b"\x1f\x8b":
        packed = put(tmp_path, gzip.compress(start + b" and more of it"))
        assert words in told(read_table, packed)


def test_files_that_break_off_in_the_middle(tmp_path: Path) -> None:
    packed = gzip.compress(TEXT.encode())
    assert "cannot be read as a gzipped file" in told(read_table, put(tmp_path, packed[:-6]))
    wrong = bytearray(packed)
    wrong[-6] ^= 1
    assert "cannot be read as a gzipped file" in told(read_table, put(tmp_path, bytes(wrong)))


def test_wide_arrow_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.arrow"
    pa.feather.write_feather(pa.table({name: ["a"] for name in "yabcd"}), str(path))
    monkeypatch.setattr("polyroc._base.table_size.MOST_COLUMNS", 5)
    assert len(read_table(path).names) == 5
    monkeypatch.setattr("polyroc._base.table_size.MOST_COLUMNS", 4)
    assert "columns" in told(read_table, path)


# Names of columns alone


def test_names_of_columns_without_rows(tmp_path: Path) -> None:
    def names(content: str | bytes) -> list[str]:
        return column_names(str(put(tmp_path, content)))

    assert names('\ufeff y ;"p a";q\n1;2;3\n') == ["y", "p a", "q"]
    assert names("y") == ["y"] and names("") == []
    assert names(gzip.compress(TEXT.encode())) == [] and names(b"a\0b,c") == []
    assert names(b"y,\xff\n") == ["y", "\ufffd"]
    pq.write_table(pa.table({"y": [1], "p a": [2]}), tmp_path / "x.parquet")
    content = (tmp_path / "x.parquet").read_bytes()
    assert names(content) == ["y", "p a"]
    assert names(content[:40]) == []


def test_line_ends_in_cells_do_not_end_a_row_where_a_block_ends() -> None:
    cells = [f"{number}\nlines of text" for number in range(20)]
    text = "y,p\n" + "".join(f'"{cell}",{number}\n' for number, cell in enumerate(cells))
    for size in range(60, 90):
        found = _delimited._read(text.encode(), ",", size)
        assert found.to_pydict() == {"y": cells, "p": list(range(20))}


def test_rows_that_do_not_fit_into_a_block_are_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text is read in blocks of a megabyte, and as one block if that fails."""
    first, used = _delimited._read, list[tuple[int, bool]]()

    def read(
        text: bytes, separator: str, block_size: int, threads: bool = True, **options: Any
    ) -> Any:
        used.append((block_size, threads))
        small = 16 if len(used) == 1 else block_size
        return first(text, separator, small, threads, **options)

    monkeypatch.setattr(_delimited, "_read", read)
    text = f"y;p\na;1\n{'b' * 60};0,5\n"
    found = read_table(put(tmp_path, text), decimal=",")
    assert found.columns[1].to_pylist() == [1.0, 0.5]
    assert found.text is not None and found.text(0).to_pylist() == ["a", "b" * 60]
    assert used == [(1 << 20, True), (len(text) + 1, False), (len(text) + 1, False)]
    monkeypatch.setattr(_delimited, "_LARGEST_BLOCK", 40)
    used.clear()
    found = read_table(put(tmp_path, text), decimal=",")
    assert found.text is not None and len(found) == len(found.text(0)) == 2
    assert used == [(1 << 20, True), (40, False), (40, False)]
