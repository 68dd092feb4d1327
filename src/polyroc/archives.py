"""NPZ files read with distrust: nothing is unpickled, and nothing unpacked that the header denies.

``numpy.load`` sets memory aside for whatever shape a header announces, and unpacks members of any
size. Here the directory of the archive must name each array once, the sizes that it announces must
be allowed by :mod:`polyroc.memory`, and each array must fill its member exactly, before a byte of
it is unpacked.
"""

import math
import zipfile
from collections import Counter
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from polyroc.errors import InvalidInput
from polyroc.memory import check_size
from polyroc.options import reason_of, shown

Arrays = dict[str, NDArray[Any]]

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
        raise Unreadable(f"it holds {shown(repeated[0])} more than once")
    for member in members:
        if not member.filename.endswith(_SUFFIX):
            raise NoArray(f"it holds {shown(member.filename)}, which is no array")
        if member.flag_bits & _ENCRYPTED:
            raise Unreadable(f"{shown(member.filename)} is encrypted")
        if member.compress_type not in _METHODS:
            raise Unreadable(f"{shown(member.filename)} is compressed in an unknown way")


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    """An array that fills its member."""
    name = shown(member.filename)
    with archive.open(member) as stream:
        if stream.read(len(npy.MAGIC_PREFIX)) != npy.MAGIC_PREFIX:
            raise NoArray(f"it holds {name}, which is no array")
        version = (*stream.read(2),)
        if version not in _HEADERS:
            raise Unreadable(f"{name} has an unknown format")
        shape, _, dtype = _HEADERS[version](stream)
        if dtype.hasobject:
            raise HoldsObjects(f"{name} holds Python objects")
        if not _fills(shape, dtype, member.file_size - stream.tell()):
            raise Unreadable(f"{name} has a shape that does not fit its size")
    with archive.open(member) as stream:
        array: NDArray[Any] = npy.read_array(stream, allow_pickle=False)
    if dtype.kind == "U" and not _is_text(array):
        raise Unreadable(f"{name} holds strings that are no text")
    return array


def _is_text(array: NDArray[Any]) -> bool:
    """Whether all signs exist: numpy believes the file, and Python fails on them later."""
    signs = np.ascontiguousarray(array).reshape(-1).view(array.dtype.byteorder + "u4")
    return not ((signs > 0x10FFFF) | ((signs >= 0xD800) & (signs < 0xE000))).any()


def _fills(shape: tuple[int, ...], dtype: np.dtype[Any], size: int) -> bool:
    """Whether an array has exactly so many bytes; strings without length have none."""
    if dtype.itemsize == 0 or any(length < 0 for length in shape):
        return False
    return math.prod(shape) * dtype.itemsize == size
