"""Text files with a separator, in the encodings and dialects that programs write."""

import csv
import io
from typing import TYPE_CHECKING, Any

from polyroc.errors import InvalidInput
from polyroc.readers.table import MOST_COLUMNS, Table, arrow_table, check_width, unreadable

if TYPE_CHECKING:
    import pyarrow as pa

SEPARATORS = (",", "\t", ";", "|")

_LARGEST_BLOCK = (1 << 31) - 1


def read_delimited(content: bytes, path: str) -> Table:
    """A CSV file whose first line names the columns."""
    text = _utf8(content, path)
    header = _header(text)
    separator = _separator(header)
    check_width(_count(header, separator) + 1, path)
    table = _parsed(text, separator, path)
    names = [name.strip() for name in table.column_names]

    def line(row: int) -> int:
        return line_of(text, separator, row)

    return arrow_table(_trimmed(table.rename_columns(names)), path, line)


def _utf8(content: bytes, path: str) -> bytes:
    """The text in UTF-8 without a byte order mark."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            return content.decode("utf-16").encode()
        except UnicodeError as error:
            raise unreadable(path, "UTF-16 text", error) from None
    if b"\0" in content[: 1 << 16]:
        raise InvalidInput(
            f"{path} is neither text nor a table that polyroc knows. "
            "Save it as CSV (UTF-8), Parquet, Arrow or NPZ."
        )
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidInput(
            f"{path} is not UTF-8 text: line {line} holds the byte 0x{content[error.start]:02x}. "
            "Save it in UTF-8."
        ) from None
    return content.removeprefix(b"\xef\xbb\xbf")


def _header(text: bytes) -> bytes:
    """The first line, which may hold line ends between quotes."""
    start = len(text) - len(text.lstrip(b"\r\n"))
    end = start
    while True:
        ends = [found for mark in (b"\n", b"\r") if (found := text.find(mark, end)) >= 0]
        if not ends:
            return text[start:]
        end = min(ends)
        if text.count(b'"', start, end) % 2 == 0:
            return text[start:end]
        end += 1


def _count(header: bytes, separator: str) -> int:
    """Separators outside quotes, or so many that counting them all is not worth it."""
    if header.count(separator.encode()) <= MOST_COLUMNS and b'"' in header:
        return sum(part.count(separator.encode()) for part in header.split(b'"')[::2])
    return header.count(separator.encode())


def _separator(header: bytes) -> str:
    """The separator that occurs most often in the header; a comma if none does."""
    return max(SEPARATORS, key=lambda each: _count(header, each))


def _parsed(text: bytes, separator: str, path: str) -> "pa.Table":
    """Arrow's reader, which infers types from its first block: on failure from the whole text."""
    import pyarrow as pa

    try:
        return _read(text, separator, block_size=1 << 20)
    except pa.ArrowInvalid:
        pass
    try:
        return _read(text, separator, block_size=min(len(text) + 1, _LARGEST_BLOCK), threads=False)
    except pa.ArrowInvalid as error:
        reason = str(error).split(": ", 1)[-1]
        raise unreadable(path, "CSV", reason) from None


def _read(text: bytes, separator: str, block_size: int, threads: bool = True) -> "pa.Table":
    import pyarrow as pa
    import pyarrow.csv as pc

    return pc.read_csv(
        pa.BufferReader(text),
        read_options=pc.ReadOptions(block_size=block_size, use_threads=threads),
        parse_options=pc.ParseOptions(delimiter=separator, newlines_in_values=b'"' in text),
        convert_options=pc.ConvertOptions(timestamp_parsers=["%Y-%m-%dT%H:%M:%SZ"]),
    )


def _trimmed(table: "pa.Table") -> "pa.Table":
    """Text without the blanks that people put after separators."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns: list[Any] = [
        pc.utf8_trim_whitespace(column) if pa.types.is_string(column.type) else column
        for column in table.columns
    ]
    return pa.table(columns, names=table.column_names)


def line_of(text: bytes, separator: str, row: int) -> int:
    """The line in which a row stands; only messages need it, so it is counted when they do.

    Examples
    --------
    >>> line_of(b'y,p\\n\\n"two\\nlines",1\\nb,2\\n', ",", 1)
    5
    """
    lines = csv.reader(io.StringIO(text.decode(), newline=""), delimiter=separator)
    rows = (lines.line_num for cells in lines if cells)
    for number, line in enumerate(rows, start=-1):
        if number == row:
            return line
    return row + 2
