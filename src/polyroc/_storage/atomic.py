"""Files that are whole at every moment: the old one or the new one, never half of one."""

import errno
import os
import secrets
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from polyroc.errors import InvalidInput


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
    try:
        os.link(path, link)
    except OSError:  # a file system without links
        shutil.copyfile(path, link)
    link.replace(previous_of(path))


def previous_of(path: Path) -> Path:
    """Where ``keep_previous`` keeps the file that was replaced last."""
    return path.with_name(f"{path.name}.previous")


def unfinished(path: Path) -> Path:
    """A name beside a file that no other writer has, in any thread or process."""
    return path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")


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
    return InvalidInput(f"{path} cannot be written ({reason}). Mend that, or name another file.")
