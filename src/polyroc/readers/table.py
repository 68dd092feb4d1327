"""A file as a table: which format it has is seen in its first bytes, not in its name."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyroc.classes import listed
from polyroc.errors import InvalidInput, InvalidType
from polyroc.options import shown

if TYPE_CHECKING:
    import pyarrow as pa

PathLike = str | os.PathLike[str]

MOST_COLUMNS = 100_000
"""More columns than this are taken for a mistake, such as a table lying on its side."""

_LONGEST_REASON = 200
_FORMATS = "polyroc reads CSV, TSV, Parquet, Arrow (Feather) and NPZ files."


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Named columns of a file.

    Attributes
    ----------
    path : of the file, for messages.
    names : of the columns; they may repeat, which only matters where such a column is used.
    columns : an Arrow array for each.
    line : the line of the file in which a row stands; None where files have no lines.
    """

    path: str
    names: tuple[str, ...]
    columns: tuple[Any, ...]
    line: Callable[[int], int] | None = None

    def __len__(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def column(self, name: str) -> Any:
        """The column of this name, which must be there once."""
        self.check_has([name])
        return self.columns[self.places[name][0]]

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Where each name stands."""
        places: dict[str, list[int]] = {}
        for place, name in enumerate(self.names):
            places.setdefault(name, []).append(place)
        return places

    def check_has(self, wanted: Sequence[Any]) -> None:
        """Whether each of these names belongs to exactly one column."""
        for name in wanted:
            if not isinstance(name, str):
                raise InvalidType(f"Columns are named by strings, got {shown(name)}.")
            count = len(self.places.get(name, ()))
            if count != 1:
                number = "no column" if count == 0 else f"{count} columns named"
                are = "is" if count == 0 else "are"
                raise InvalidInput(
                    f"{self.path}: there {are} {number} {shown(name)}. "
                    f"The columns are {listed(self.names)}."
                )

    def place(self, row: int, name: str) -> str:
        """Where a cell stands, in words."""
        line = "" if self.line is None else f" (line {self.line(row)})"
        return f"row {row}{line}, column {shown(name)}"


def read_table(path: PathLike, *, target: str | None = None) -> Table:
    """All columns of a file.

    CSV files may be gzipped, in UTF-8 or UTF-16, and separated by commas, semicolons, tabs or
    bars. Of an NPZ file, arrays of one dimension are columns, and a two-dimensional array
    ``forest`` gives the columns ``forest:a``, ``forest:b``, … with the names of the array
    ``labels``, or else of the classes in the array ``target``; nothing is unpickled.
    """
    name, content = os.fsdecode(path), _content(path)
    if content[:2] == b"\x1f\x8b":
        content = _unzipped(content, name)
    if not content.strip(b"\xef\xbb\xbf \t\r\n"):
        raise InvalidInput(f"{name} is empty. {_FORMATS}")
    table = _reader(content, target)(content, name)
    if len(table) == 0:
        raise InvalidInput(f"{name} has columns but no rows. Pass at least one case per class.")
    return table


def check_width(n_columns: int, path: str) -> None:
    """Refuse tables of absurd width before they are read."""
    if n_columns > MOST_COLUMNS:
        raise InvalidInput(
            f"{path} has more than {MOST_COLUMNS:,} columns. A row is a case and a column a class: "
            "transpose the table, or leave columns out."
        )


def unreadable(path: str, kind: str, error: object) -> InvalidInput:
    """One line about a file that looks like a format and is none."""
    reason = str(error).strip().split("\n")[0].rstrip(".") or type(error).__name__
    reason = reason if len(reason) <= _LONGEST_REASON else f"{reason[:_LONGEST_REASON]}…"
    return InvalidInput(f"{path} cannot be read as {kind}: {reason}. Is it complete?")


def _content(path: PathLike) -> bytes:
    name = os.fsdecode(path)
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise InvalidInput(f"There is no file {name}. Check the path.") from None
    except IsADirectoryError:
        raise InvalidInput(f"{name} is a folder. Pass a file in it.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidInput(f"{name} cannot be read: {reason}.") from None


def _unzipped(content: bytes, path: str) -> bytes:
    import gzip
    import zlib

    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise unreadable(path, "a gzipped file", error) from None


def _reader(content: bytes, target: str | None) -> Callable[[bytes, str], Table]:
    from polyroc.readers.archives import read_npz
    from polyroc.readers.delimited import read_delimited

    for start, reader in (
        (b"PAR1", _read_parquet),
        (b"ARROW1", _read_arrow),
        (b"\xff\xff\xff\xff", _read_arrow),
        (b"FEA1", _refuse_old_feather),
        (b"PK\x03\x04", partial(read_npz, target=target)),
        (b"PK\x05\x06", partial(read_npz, target=target)),
        (b"\x93NUMPY", _refuse_one_array),
    ):
        if content.startswith(start):
            return reader
    return read_delimited


def _refuse_one_array(content: bytes, path: str) -> Table:
    raise InvalidInput(
        f"{path} holds one array, and labels are needed beside scores. "
        "Save both, such as np.savez(path, y_true=…, forest=…, labels=…)."
    )


def _refuse_old_feather(content: bytes, path: str) -> Table:
    raise InvalidInput(f"{path} cannot be read as Feather of version 1. Save it as version 2.")


def _read_parquet(content: bytes, path: str) -> Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(pa.BufferReader(content))
        check_width(file.metadata.num_columns, path)
        return _validated(file.read(), path)
    except InvalidInput:
        raise
    except Exception as error:  # of many kinds, depending on which byte is broken
        raise unreadable(path, "a Parquet file", error) from None


def _read_arrow(content: bytes, path: str) -> Table:
    import pyarrow as pa

    try:
        if content.startswith(b"\xff"):
            return _validated(pa.ipc.open_stream(content).read_all(), path)
        return _validated(pa.ipc.open_file(pa.BufferReader(content)).read_all(), path)
    except InvalidInput:
        raise
    except Exception as error:  # of many kinds, depending on which byte is broken
        raise unreadable(path, "an Arrow file", error) from None


def _validated(table: "pa.Table", path: str) -> Table:
    """A table that points nowhere outside itself: Arrow believes a broken file otherwise."""
    table.validate(full=True)
    return arrow_table(table, path)


def arrow_table(table: "pa.Table", path: str, line: Callable[[int], int] | None = None) -> Table:
    """An Arrow table as ours."""
    check_width(table.num_columns, path)
    return Table(path, tuple(table.column_names), tuple(table.columns), line)
