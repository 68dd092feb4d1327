"""Files of arrays with a JSON header: whole at every moment, read without unpickling anything."""

import errno
import json
import os
import secrets
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from polyroc.archives import read_archive
from polyroc.errors import InvalidInput, InvalidType
from polyroc.options import reason_of, shown

_HEADER = "header"


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


def write_arrays(
    path: Path,
    schema: str,
    header: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    *,
    keep_previous: bool = False,
) -> None:
    """Write arrays and a header, the file being whole at every moment.

    ``keep_previous`` keeps the file that is replaced under its name with ``.previous`` added.
    """
    text = json.dumps({"schema": schema, **header}).encode()
    content: dict[str, Any] = {_HEADER: np.frombuffer(text, dtype=np.uint8), **arrays}
    write_whole(path, lambda file: np.savez(file, **content), keep_previous=keep_previous)


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


def read_arrays(
    path: Path, schema: str, what: str
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header and arrays of a file; an error in one line for anything else."""
    try:
        with open_regular(path) as file:
            arrays = read_archive(file, os.fstat(file.fileno()).st_size, str(path))
        return _header(arrays, schema), arrays
    except FileNotFoundError:
        raise InvalidInput(f"There is no file {path}.") from None
    except InvalidInput:
        raise
    except Exception as error:  # of many kinds, depending on which byte is broken
        reason = reason_of(error)
        raise InvalidInput(f"{path} is not {what} ({reason}); it was left as it is.") from error


def _header(arrays: dict[str, NDArray[Any]], schema: str) -> dict[str, Any]:
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


def path_of(path: Any, what: str = "path") -> Path:
    """A path that the system can be asked about."""
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidType(f"{what} must be the path of a file, got {shown(path)}.")
    name = os.fsdecode(path)
    if "\0" in name:
        raise InvalidInput(f"{what} {shown(name)} cannot be read or written: it holds a zero byte.")
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
