"""Text files with a separator, in the encodings and dialects that programs write."""

import codecs
import re
from functools import partial
from typing import TYPE_CHECKING, Any

from polyroc._base.table_size import MOST_COLUMNS, check_column_count
from polyroc.errors import InvalidInput
from polyroc.readers._table import Table, arrow_table, unreadable

if TYPE_CHECKING:
    import pyarrow as pa

SEPARATORS = (",", "\t", ";", "|")

_LARGEST_BLOCK = (1 << 31) - 1
_PIECE = 1 << 24

# Nothing in these is tried twice, so that a quote without an end costs no more than any other sign.
_FIRST_LINE = re.compile(rb'[\r\n]*+((?:[^"\r\n]++|"[^"]*+"?)*+)')
_LINE_END = re.compile(rb"\r\n|\r|\n")
_CELL = r'(?:"(?:[^"]|"")*+"?)?+[^{0}\r\n]*+'
_ROW = rf"({_CELL}(?:{{0}}{_CELL})*+)(?:\r\n|\r|\n|\Z)"


def read_delimited(content: bytes, path: str, decimal: str = ".") -> Table:
    """A CSV file whose first line names the columns."""
    text = _utf8(content, path)
    header = _header(text)
    separator = _separator(header)
    check_column_count(_count(header, separator) + 1, path)
    table = _parsed(text, separator, path, decimal)
    names = [name.strip() for name in table.column_names]
    line = partial(line_of, text, separator)
    as_text = partial(_as_text, text, separator, table.column_names)
    return arrow_table(_trimmed(table.rename_columns(names)), path, line, as_text, decimal)


def _utf8(content: bytes, path: str) -> bytes:
    """The text in UTF-8 without a byte order mark."""
    wide = _wide_encoding(content)
    if wide is not None:
        try:
            return content.decode(wide).encode()
        except UnicodeError as error:
            raise unreadable(path, f"{wide} text", error) from None
    if b"\0" in content[: 1 << 16]:
        raise InvalidInput(
            f"{path} is neither text nor a table that polyroc knows. "
            "Save it as CSV (UTF-8), Parquet, Arrow or NPZ."
        )
    broken = _first_broken(content)
    if broken is not None:
        line = content.count(b"\n", 0, broken) + 1
        raise InvalidInput(
            f"{path} is not UTF-8 text: line {line} contains the byte 0x{content[broken]:02x}. "
            "Save it in UTF-8."
        )
    return content.removeprefix(b"\xef\xbb\xbf")


def _wide_encoding(content: bytes) -> str | None:
    """UTF-32 or UTF-16, if the text begins with one of their marks; the longer marks first."""
    marks = {
        "UTF-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
        "UTF-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
    }
    return next((name for name, mark in marks.items() if content.startswith(mark)), None)


def _first_broken(content: bytes) -> int | None:
    """The first byte that is not UTF-8; in pieces, since one emoji makes Python's text wide."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(content), _PIECE):
        piece = content[start : start + _PIECE]
        try:
            decoder.decode(piece, final=start + _PIECE >= len(content))
        except UnicodeDecodeError as error:
            before = len(error.object) - len(piece)  # of a sign that began in the piece before
            return start - before + error.start
    return None


def header_of(content: bytes) -> tuple[bytes, str]:
    """The first line of a text in UTF-8, and its separator."""
    header = _header(content.removeprefix(b"\xef\xbb\xbf"))
    return header, _separator(header)


def _header(text: bytes) -> bytes:
    """The first line, which may hold line ends between quotes."""
    found = _FIRST_LINE.match(text)
    assert found is not None  # it may be empty
    return found[1]


def _count(header: bytes, separator: str) -> int:
    """Separators outside quotes, or so many that counting them all is not worth it."""
    if header.count(separator.encode()) <= MOST_COLUMNS and b'"' in header:
        return sum(part.count(separator.encode()) for part in header.split(b'"')[::2])
    return header.count(separator.encode())


def _separator(header: bytes) -> str:
    """The separator that occurs most often in the header; a comma if none does."""
    return max(SEPARATORS, key=lambda each: _count(header, each))


def _parsed(text: bytes, separator: str, path: str, decimal: str) -> "pa.Table":
    """Arrow's reader, which infers types from its first block: on failure from the whole text."""
    import pyarrow as pa

    try:
        return _read(text, separator, block_size=1 << 20, decimal_point=decimal)
    except pa.ArrowInvalid:
        pass
    try:
        whole = min(len(text) + 1, _LARGEST_BLOCK)
        return _read(text, separator, whole, threads=False, decimal_point=decimal)
    except pa.ArrowInvalid as error:
        reason = str(error).split(": ", 1)[-1]
        raise unreadable(path, "CSV", reason) from None


def _read(
    text: bytes, separator: str, block_size: int, threads: bool = True, **options: Any
) -> "pa.Table":
    import pyarrow as pa
    import pyarrow.csv as pc

    return pc.read_csv(
        pa.BufferReader(text),
        read_options=pc.ReadOptions(block_size=block_size, use_threads=threads),
        parse_options=pc.ParseOptions(delimiter=separator, newlines_in_values=b'"' in text),
        convert_options=pc.ConvertOptions(timestamp_parsers=["%Y-%m-%dT%H:%M:%SZ"], **options),
    )


def _as_text(text: bytes, separator: str, names: list[str], place: int) -> Any:
    """A column as it is written; None if another has its name."""
    import pyarrow as pa

    if names.count(names[place]) > 1:
        return None
    options = {"include_columns": [names[place]], "column_types": {names[place]: pa.string()}}
    try:
        table = _read(text, separator, min(len(text) + 1, _LARGEST_BLOCK), False, **options)
    except pa.ArrowInvalid:
        return None
    return _trimmed(table).column(0)


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
    rows = re.compile(_ROW.format(re.escape(separator)).encode())
    line, number = 0, -2
    for found in rows.finditer(text):
        line += len(_LINE_END.findall(found[1])) + 1
        number += bool(found[1])
        if number == row:
            break
    return line
