"""Names of files: which the system can be asked about, and how people read them."""

import os
from pathlib import Path
from typing import IO, Any

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput, InvalidType


def path_of(path: Any, what: str = "path") -> Path:
    """A path that the system can be asked about."""
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidType(f"{what} must be the path of a file, got {shown(path)}.")
    name = os.fsdecode(path)
    if "\0" in name:
        raise InvalidInput(
            f"{what} {shown(name)} cannot be read or written: it contains a zero byte."
        )
    try:
        os.fsencode(name)
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{what} {shown(name)} cannot be the name of a file in this locale ({error.reason}). "
            "Choose a locale with UTF-8, or set the environment variable PYTHONUTF8=1."
        ) from None
    return Path(name)


def readable(name: str) -> str:
    """The name of a file as text for people and programs, whatever the locale is."""
    return os.fsencode(name).decode("utf-8", errors="backslashreplace")


def is_there(path: Path) -> bool:
    """Whether there is such a file; a name that no file can have is not there."""
    try:
        return path.exists()
    except OSError:
        return False


def open_regular(path: Path) -> IO[bytes]:
    """A file open for reading; what may never end is an error."""
    if path.exists() and not path.is_file():
        raise ValueError("it is a folder, a pipe or a device")
    return path.open("rb")
