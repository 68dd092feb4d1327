"""Valid files changed at random: their bytes, the members of their archives, their headers."""

import io
import json
import random
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
from hostile import crafted

WIDTHS = (1, 2, 4, 8)
VALUES = (0, 1, -1, 127, 128, 255, 256, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1)
"""Numbers that lengths and offsets should not have."""


def mutated(content: bytes, other: bytes, chance: random.Random) -> bytes:
    """A file with some of its bytes changed; some are taken from another file."""
    made = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        chance.choice(CHANGES)(made, other, chance)
    return bytes(made)


def _flip(made: bytearray, other: bytes, chance: random.Random) -> None:
    if made:
        made[chance.randrange(len(made))] ^= 1 << chance.randrange(8)


def _set(made: bytearray, other: bytes, chance: random.Random) -> None:
    """A number that is special to programs, in a place."""
    width, value = chance.choice(WIDTHS), chance.choice(VALUES)
    place = chance.randrange(len(made) + 1)
    order = chance.choice(("little", "big"))
    made[place : place + width] = (value % (1 << 8 * width)).to_bytes(width, order)


def _cut(made: bytearray, other: bytes, chance: random.Random) -> None:
    start = chance.randrange(len(made) + 1)
    del made[start : start + chance.choice((1, 2, 4, 16, 64, len(made)))]


def _repeat(made: bytearray, other: bytes, chance: random.Random) -> None:
    start = chance.randrange(len(made) + 1)
    piece = made[start : start + chance.choice((1, 8, 64))]
    made[start:start] = piece * chance.choice((1, 2, 100))


def _splice(made: bytearray, other: bytes, chance: random.Random) -> None:
    start, place = chance.randrange(len(other) + 1), chance.randrange(len(made) + 1)
    piece = other[start : start + chance.choice((4, 16, 128, len(other)))]
    made[place : place + chance.choice((0, len(piece)))] = piece


def _insert(made: bytearray, other: bytes, chance: random.Random) -> None:
    place = chance.randrange(len(made) + 1)
    made[place:place] = chance.randbytes(chance.choice((1, 4, 32)))


CHANGES: tuple[Callable[[bytearray, bytes, random.Random], None], ...] = (
    _flip, _flip, _set, _set, _cut, _repeat, _splice, _insert,
)  # fmt: skip


# Archives: what a file says once it can be opened at all


def rebuilt(content: bytes, chance: random.Random) -> bytes:
    """An archive with one member changed that is still an array, or its header, still JSON."""
    members = crafted.opened(content)
    name = chance.choice(list(members))
    if name == "header.npy" and chance.random() < 0.8:
        return crafted.with_header(content, _header(content, chance))
    members[name] = _array(members[name], chance)
    if chance.random() < 0.1:
        members.pop(chance.choice(list(members)))
    method = chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    return crafted.zipped(members, compression=method)


def _header(content: bytes, chance: random.Random) -> bytes:
    header = crafted.header_of(content)
    place = chance.choice(crafted.places(header))
    value = chance.choice((*crafted.WRONG, chance.randint(-(2**70), 2**70), chance.random(), ...))
    return json.dumps(crafted.replaced(header, place, value)).encode()


NUMBERS = (0, 1, -1, 0.5, 2, np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 2**53, 1e19)
TYPES = ("f8", "f4", "f2", "i8", "i4", "u1", "u8", "?", "U3", "S3", "c16", "M8[s]", ">f8", ">i4")


def _array(member: bytes, chance: random.Random) -> bytes:
    """An array with another value, shape or type."""
    array = np.lib.format.read_array(io.BytesIO(member))
    change = chance.choice((_value, _value, _shape, _type))
    file = io.BytesIO()
    np.lib.format.write_array(file, np.asarray(change(array.copy(), chance)), allow_pickle=False)
    return file.getvalue()


def _value(array: Any, chance: random.Random) -> Any:
    if array.size and array.dtype.kind in "iuf":
        with np.errstate(all="ignore"):
            new = np.array(chance.choice(NUMBERS)).astype(array.dtype)
        array.reshape(-1)[chance.randrange(array.size)] = new
    return array


def _shape(array: Any, chance: random.Random) -> Any:
    kept = array[: chance.randint(0, len(array))] if array.ndim else array
    grown = np.concatenate([array, array]) if array.ndim else array
    return chance.choice((array.ravel(), array[None], array.T, kept, grown))


def _type(array: Any, chance: random.Random) -> Any:
    kind = chance.choice(TYPES)
    try:
        with np.errstate(all="ignore"):
            return array.astype(kind)
    except (ValueError, TypeError):
        return np.zeros(array.shape, dtype=kind)
