"""Whether a file is still the one that was read before: passes over another would not fit."""

import hashlib
import os
import socket
from pathlib import Path
from typing import IO, NamedTuple

from polyroc.errors import InvalidInput


class Stamp(NamedTuple):
    """What tells a Parquet file from one that has taken its place."""

    size: int
    footer: str
    """Hash of the description at its end, which has the extremes of each column."""
    host: str
    """The machine that saw the file; another may have a copy, with its own number and date."""
    inode: int
    modified: int


def stamp_of(path: str) -> Stamp:
    """The stamp of a file as it is now."""
    with Path(path).open("rb") as file:
        found = os.fstat(file.fileno())
        footer = _footer(file, found.st_size)
    return Stamp(found.st_size, footer, socket.gethostname(), found.st_ino, found.st_mtime_ns)


def _footer(file: IO[bytes], size: int) -> str:
    """Of the description and its length, which is the number before the last four bytes."""
    file.seek(max(0, size - 8))
    length = int.from_bytes(file.read(4), "little")
    file.seek(max(0, size - 8 - length))
    return hashlib.sha256(file.read()).hexdigest()


def check_same(path: str, stamp: Stamp | None) -> None:
    """Refuse a file that has changed since its stamp was taken."""
    if stamp is None:
        return
    now = stamp_of(path)
    elsewhere = now.host != stamp.host
    if (now[:2] if elsewhere else now) != (stamp[:2] if elsewhere else stamp):
        raise InvalidInput(
            f"{path} has changed while it was evaluated, so that its passes would not fit "
            "together. Evaluate it again when nothing writes to it any more, or a copy of it."
        )
