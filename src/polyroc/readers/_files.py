"""A file as a table: which format it has is seen in its first bytes, not in its name.

Files are not trusted: nothing in them is run or unpickled, they lead to no other files, and what a
small one may become in memory is limited (:mod:`polyroc._storage.limits`).
"""

import io
import os
import stat
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO

from polyroc._base.checks import check_choice
from polyroc._base.table_size import check_column_count
from polyroc._storage.limits import check_size
from polyroc._storage.paths import path_of, readable
from polyroc.errors import InvalidInput
from polyroc.readers._archives import read_npz
from polyroc.readers._arrow_buffers import unpacked_size
from polyroc.readers._delimited import read_delimited
from polyroc.readers._parquet import read_parquet
from polyroc.readers._table import PathLike, Table, unreadable, validated

_PIECE = 1 << 24
_FORMATS = "polyroc reads CSV, TSV, Parquet, Arrow (Feather) and NPZ files."


STANDARD_INPUT = "-"
"""What is read from the standard input, not from a file of this name."""


def read_table(path: PathLike, *, target: str | None = None, decimal: str = ".") -> Table:
    """All columns of a file; ``-`` is the standard input.

    CSV files may be gzipped, in UTF-8, UTF-16 or UTF-32, and separated by commas, semicolons, tabs
    or bars; ``decimal=","`` reads numbers with a decimal comma. Of an NPZ file, arrays of one
    dimension are columns, and a two-dimensional array ``forest`` gives the columns ``forest:a``,
    ``forest:b``, … with the names of the array ``labels``, or else of the classes in the array
    ``target``; nothing is unpickled.

    The file may have any size that fits into memory, and may be a pipe. What grows a hundredfold
    and beyond 1 GiB when it is unpacked is refused: such a file must be saved uncompressed.
    """
    name = str(path_of(path))
    check_choice(decimal, "decimal", (".", ","))
    try:
        table = _table(name, target, decimal)
    except MemoryError:
        raise InvalidInput(
            f"There is not enough memory for {name}. polyroc.scale.evaluate_parquet reads Parquet "
            "files of any size."
        ) from None
    if len(table) == 0:
        raise InvalidInput(f"{name} has columns but no rows. Pass at least one case per class.")
    return table


def _table(name: str, target: str | None, decimal: str) -> Table:
    content = content_of(name)
    name = "standard input" if name == STANDARD_INPUT else readable(name)
    if content[:2] == b"\x1f\x8b":
        content = _unzipped(content, name)
    if not content.strip(b"\xef\xbb\xbf \t\r\n"):
        raise InvalidInput(f"{name} is empty. {_FORMATS}")
    return _reader(content, target, decimal)(content, name)


def content_of(name: str) -> bytes:
    """The bytes of a file, of a pipe or of the standard input; a device may have no end."""
    if name == STANDARD_INPUT:
        return _all_of(sys.stdin.buffer, "standard input")
    try:
        with Path(name).open("rb") as file:
            found = os.fstat(file.fileno())
            if stat.S_ISREG(found.st_mode):
                check_size(found.st_size, found.st_size, name)
                return file.read()
            if stat.S_ISFIFO(found.st_mode) or file.isatty():
                return _all_of(file, name)
        raise InvalidInput(f"{name} is a device. Pass a file or a pipe.")
    except FileNotFoundError:
        raise InvalidInput(f"There is no file {name}. Check the path.") from None
    except IsADirectoryError:
        raise InvalidInput(f"{name} is a folder. Pass a file in it.") from None
    except OSError as error:
        raise InvalidInput(f"{name} cannot be read: {error.strerror or error}.") from None


def _all_of(file: "io.BufferedIOBase | IO[bytes]", name: str, size: int | None = None) -> bytes:
    """What can be read, in pieces: it may have no end.

    ``size`` is that of the file which is unpacked; what comes through a pipe has no other.
    """
    pieces, total = [], 0
    while piece := file.read(_PIECE):
        pieces.append(piece)
        total += len(piece)
        check_size(total, total if size is None else size, name)
    return b"".join(pieces)


def _unzipped(content: bytes, path: str) -> bytes:
    import gzip
    import zlib

    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            return _all_of(file, path, len(content))
    except (OSError, EOFError, zlib.error) as error:
        raise unreadable(path, "a gzipped file", error) from None


def _reader(content: bytes, target: str | None, decimal: str) -> Callable[[bytes, str], Table]:
    for start, reader in (
        (b"PAR1", read_parquet),
        (b"ARROW1", _read_arrow),
        (b"\xff\xff\xff\xff", _read_arrow),
        (b"FEA1", _refuse_old_feather),
        (b"PK\x03\x04", partial(read_npz, target=target)),
        (b"PK\x05\x06", partial(read_npz, target=target)),
        (b"\x93NUMPY", _refuse_one_array),
    ):
        if content.startswith(start):
            return reader
    return partial(read_delimited, decimal=decimal)


def _refuse_one_array(content: bytes, path: str) -> Table:
    raise InvalidInput(
        f"{path} contains one array, and labels are needed beside scores. "
        "Save both, such as np.savez(path, y_true=…, forest=…, labels=…)."
    )


def _refuse_old_feather(content: bytes, path: str) -> Table:
    raise InvalidInput(f"{path} cannot be read as Feather of version 1. Save it as version 2.")


def _read_arrow(content: bytes, path: str) -> Table:
    import pyarrow as pa

    try:
        stream = content.startswith(b"\xff")
        file = pa.ipc.open_stream(content) if stream else pa.ipc.open_file(pa.BufferReader(content))
        check_column_count(len(file.schema), path)
        check_size(unpacked_size(content), len(content), path)
        table = file.read_all()
        check_size(8 * table.num_rows * table.num_columns, len(content), path)
        return validated(table, path)
    except InvalidInput:
        raise
    except Exception as error:  # of many kinds, depending on which byte is broken
        raise unreadable(path, "an Arrow file", error) from None
