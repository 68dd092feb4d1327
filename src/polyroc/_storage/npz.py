"""NPZ files with a JSON header, written, and read with distrust: nothing is unpickled.

``numpy.load`` sets memory aside for whatever shape a header announces, and unpacks members of any
size. Here the directory of the archive must name each array once, the sizes that it announces must
be allowed by :mod:`polyroc._storage.limits`, and each array must fill its member exactly, before a
byte of it is unpacked.
"""

import io
import json
import math
import os
import zipfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from polyroc._base.checks import reason_of, shown
from polyroc._storage.atomic import write_whole
from polyroc._storage.limits import check_size
from polyroc._storage.paths import open_regular
from polyroc.errors import InvalidInput

Arrays = dict[str, NDArray[Any]]

_HEADER = "header"
_SUFFIX = ".npy"
_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


class Unreadable(ValueError):
    """No NPZ file, or none that can be trusted: the message says why, in one line."""


class HoldsObjects(Unreadable):
    """An array of Python objects, which only unpickling could bring back."""


class NoArray(Unreadable):
    """A member of the archive that is no array."""


def write_arrays(
    path: Path,
    schema: str,
    header: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    *,
    keep_previous: bool = False,
) -> None:
    """Write arrays and a header, the file being whole at every moment.

    ``keep_previous`` keeps the file that is replaced under a name beside it.
    """
    content = _content(schema, header, arrays)
    write_whole(path, lambda file: np.savez(file, **content), keep_previous=keep_previous)


def arrays_to_bytes(
    schema: str, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> bytes:
    """What ``write_arrays`` writes."""
    file = io.BytesIO()
    np.savez(file, **_content(schema, header, arrays))
    return file.getvalue()


def _content(
    schema: str, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> dict[str, Any]:
    """The header is an array of bytes, and comes first."""
    text = json.dumps({"schema": schema, **header}).encode()
    return {_HEADER: np.frombuffer(text, dtype=np.uint8), **arrays}


def read_arrays(path: Path, schema: str, what: str) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of a file; an error in one line for anything else."""
    try:
        with open_regular(path) as file:
            return _read(file, os.fstat(file.fileno()).st_size, str(path), schema)
    except FileNotFoundError:
        raise InvalidInput(f"There is no file {path}.") from None
    except InvalidInput:
        raise
    except Exception as error:  # of many kinds, depending on which byte is broken
        reason = reason_of(error)
        raise InvalidInput(f"{path} is not {what} ({reason}); it was left as it is.") from error


def arrays_from_bytes(data: bytes, schema: str, what: str) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of what ``arrays_to_bytes`` made."""
    return _read(io.BytesIO(data), len(data), what, schema)


def _read(file: IO[bytes], size: int, name: str, schema: str) -> tuple[dict[str, Any], Arrays]:
    arrays = read_archive(file, size, name)
    return _header(arrays, schema), arrays


def _header(arrays: Arrays, schema: str) -> dict[str, Any]:
    """The JSON text that is kept as an array of bytes, taken out."""
    text = arrays.pop(_HEADER, None)
    if text is None or text.dtype != np.uint8:
        raise ValueError("it has no header")
    header = json.loads(text.tobytes().decode())
    if not isinstance(header, dict) or "schema" not in header:
        raise ValueError("its header has no schema")
    if header["schema"] != schema:
        raise ValueError(f"its schema is {shown(header['schema'])}, not {schema!r}")
    return header


def read_archive(file: IO[bytes], size: int, name: str) -> Arrays:
    """The arrays of an NPZ file of so many bytes, which messages call by its name.

    Whatever is wrong with the bytes is ``Unreadable``; arrays that are too large are
    ``InvalidInput``.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            _check_members(members)
            check_size(sum(member.file_size for member in members), size, name)
            return {
                member.filename.removesuffix(_SUFFIX): _array(archive, member) for member in members
            }
    except (Unreadable, InvalidInput):
        raise
    except Exception as error:  # a dozen kinds, depending on which byte is broken
        raise Unreadable(reason_of(error)) from error


def _check_members(members: list[zipfile.ZipInfo]) -> None:
    """Whether the directory is that of an NPZ file, as numpy writes it."""
    repeated = [name for name, n in Counter(each.filename for each in members).items() if n > 1]
    if repeated:
        raise Unreadable(f"it contains {shown(repeated[0])} more than once")
    for member in members:
        if not member.filename.endswith(_SUFFIX):
            raise NoArray(f"it contains {shown(member.filename)}, which is not an array")
        if member.flag_bits & _ENCRYPTED:
            raise Unreadable(f"{shown(member.filename)} is encrypted")
        if member.compress_type not in _METHODS:
            raise Unreadable(f"{shown(member.filename)} is compressed in an unknown way")


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    """An array that fills its member."""
    name = shown(member.filename)
    with archive.open(member) as stream:
        if stream.read(len(npy.MAGIC_PREFIX)) != npy.MAGIC_PREFIX:
            raise NoArray(f"it contains {name}, which is not an array")
        version = (*stream.read(2),)
        if version not in _HEADERS:
            raise Unreadable(f"{name} has an unknown format")
        shape, _, dtype = _HEADERS[version](stream)
        if dtype.hasobject:
            raise HoldsObjects(f"{name} contains Python objects")
        if not _fills(shape, dtype, member.file_size - stream.tell()):
            raise Unreadable(f"{name} has a shape that does not fit its size")
    with archive.open(member) as stream:
        array: NDArray[Any] = npy.read_array(stream, allow_pickle=False)
    if dtype.kind == "U" and not _is_text(array):
        raise Unreadable(f"{name} contains strings that are not text")
    return array


def _is_text(array: NDArray[Any]) -> bool:
    """Whether all characters exist: numpy trusts the file, and Python fails on them later."""
    codes = np.ascontiguousarray(array).reshape(-1).view(array.dtype.byteorder + "u4")
    return not ((codes > 0x10FFFF) | ((codes >= 0xD800) & (codes < 0xE000))).any()


def _fills(shape: tuple[int, ...], dtype: np.dtype[Any], size: int) -> bool:
    """Whether an array has exactly so many bytes; strings without length have none."""
    if dtype.itemsize == 0 or any(length < 0 for length in shape):
        return False
    return math.prod(shape) * dtype.itemsize == size
