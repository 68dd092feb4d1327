"""The names of the columns of a file, without its rows."""

import csv
from pathlib import Path

from polyroc.readers._delimited import header_of

_START = 1 << 20
"""Bytes in which the first line of a text file ends."""


def column_names(path: str) -> list[str]:
    """Columns of a CSV or Parquet file, in order; none for other files."""
    with Path(path).open("rb") as file:
        start = file.read(_START)
    if start.startswith(b"PAR1"):
        from pyarrow import ArrowException
        from pyarrow.parquet import read_schema

        try:
            return list(read_schema(path).names)
        except ArrowException:
            return []
    if b"\0" in start or start.startswith(b"\x1f\x8b"):
        return []
    line, separator = header_of(start)
    text = line.decode("utf-8", errors="replace")
    return [name.strip() for name in next(csv.reader([text], delimiter=separator), [])]
