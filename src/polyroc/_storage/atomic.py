"""Files that are whole at every moment: the old one or the new one, never half of one.

Names beside a file end in ``.polyroc-part``, ``.polyroc-previous`` and ``.polyroc-lock``. What has
such a name and was not written by polyroc is left as it is.
"""

import errno
import glob
import os
import secrets
import shutil
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from polyroc.errors import InvalidInput

_MARK = b'"schema": "polyroc '
"""Begins the header of every NPZ file that polyroc writes."""

_AT_ONCE = getattr(os, "O_NONBLOCK", 0)


def check_place(path: Path, what: str) -> None:
    """Whether a file can be written, as far as that can be known before long work."""
    try:
        if not path.parent.is_dir():
            raise InvalidInput(f"There is no folder {path.parent} for {what}. Make it first.")
        if path.is_dir():
            raise InvalidInput(f"{path} is a folder. Name a file in it.")
        if not path.exists() or path.is_file():
            _try_beside(_led_to(path))
    except OSError as error:
        raise _unwritable(path, error) from error


def write_whole(
    path: Path, fill: Callable[[IO[bytes]], object], *, keep_previous: bool = False
) -> None:
    """Write beside the file, flush to the disk, then put it in its place.

    A process that is killed at any moment leaves the old file or the new one, never half of one; an
    error leaves the old one and nothing beside it. A link stays, and what it leads to is replaced;
    permissions stay. What is no file, such as ``/dev/stdout``, is written to and not replaced.
    """
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as stream:
                fill(stream)
        else:
            _replace(_led_to(path), fill, keep_previous)
    except OSError as error:
        raise _unwritable(path, error) from error


def _replace(path: Path, fill: Callable[[IO[bytes]], object], keep_previous: bool) -> None:
    _check_protected(path)
    before = path.exists()
    temporary, link = unfinished(path), unfinished(path)
    try:
        with temporary.open("xb") as file:
            if before:
                shutil.copymode(path, temporary)
            fill(file)
            file.flush()
            os.fsync(file.fileno())
        if keep_previous and before:
            _keep(path, link)
        temporary.replace(path)
    finally:
        for name in (temporary, link):
            with suppress(OSError):
                name.unlink(missing_ok=True)


def _keep(path: Path, link: Path) -> None:
    """A second name for the file as it is, put in place of an older one at once."""
    check_previous(path)
    try:
        os.link(path, link)
    except OSError:  # a file system without links
        shutil.copyfile(path, link)
    link.replace(previous_of(path))


def previous_of(path: Path) -> Path:
    """Where ``keep_previous`` keeps the file that was replaced last."""
    path = _led_to(path)
    return path.with_name(f"{path.name}.polyroc-previous")


def check_previous(path: Path) -> None:
    """Whether the name that ``keep_previous`` needs is free, or that of a file of polyroc."""
    previous = previous_of(path)
    if os.path.lexists(previous) and _MARK not in beginning(previous, 1000):
        raise not_ours(previous, "a checkpoint")


def beginning(path: Path, size: int) -> bytes:
    """The first bytes of a file; none of what is a link, a folder or a device."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | _AT_ONCE)
    except OSError:
        return b""
    try:
        return os.read(descriptor, size) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    finally:
        os.close(descriptor)


def not_ours(path: Path, what: str) -> InvalidInput:
    """What to say of a name that is taken."""
    return InvalidInput(
        f"{path} is in the way: it is not {what} that polyroc wrote, and was left as it is. "
        "Move it, or name another file."
    )


def unfinished(path: Path) -> Path:
    """A name beside a file that no other writer has, in any thread or process."""
    return path.with_name(f"{path.name}.{secrets.token_hex(4)}.polyroc-part")


def remove_unfinished(path: Path) -> None:
    """Remove what writers of an NPZ file left half-written when they were killed."""
    for part in path.parent.glob(f"{glob.escape(path.name)}.????????.polyroc-part"):
        with suppress(OSError):
            if stat.S_ISREG(part.lstat().st_mode) and beginning(part, 2) in (b"", b"PK"):
                part.unlink()


def _led_to(path: Path) -> Path:
    """The file behind links."""
    return Path(os.path.realpath(path))


def _check_protected(path: Path) -> None:
    """Replacing asks for a writable folder only; a file that is protected is left alone, too."""
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _try_beside(path: Path) -> None:
    """Begin to write and leave it at that."""
    _check_protected(path)
    temporary = unfinished(path)
    temporary.open("xb").close()
    temporary.unlink()


def _unwritable(path: Path, error: OSError) -> InvalidInput:
    reason = error.strerror or error
    return InvalidInput(f"{path} cannot be written ({reason}). Fix that, or name another file.")
