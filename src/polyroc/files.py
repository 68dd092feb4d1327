"""Files of arrays with a JSON header: whole at every moment, read without unpickling anything."""

import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from polyroc.errors import InvalidInput

_HEADER = "header"


def check_folder(path: Path, what: str) -> None:
    """Whether the folder of a file to be written is there; better to know before long work."""
    if not path.parent.is_dir():
        raise InvalidInput(f"There is no folder {path.parent} for {what}. Make it first.")


def write_arrays(
    path: Path,
    schema: str,
    header: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    *,
    keep_previous: bool = False,
) -> None:
    """Write beside the file, flush to the disk, then put it in its place.

    A process that is killed at any moment leaves the old file or the new one, never half of one.
    ``keep_previous`` keeps the file that is replaced under its name with ``.previous`` added.
    """
    text = json.dumps({"schema": schema, **header}).encode()
    content: dict[str, Any] = {_HEADER: np.frombuffer(text, dtype=np.uint8), **arrays}
    temporary = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with temporary.open("wb") as file:
            np.savez(file, **content)
            file.flush()
            os.fsync(file.fileno())
        if keep_previous and path.exists():
            _keep(path)
        temporary.replace(path)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written ({error.strerror or error}).") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def previous_of(path: Path) -> Path:
    """Where ``keep_previous`` keeps the file that was replaced last."""
    return path.with_name(f"{path.name}.previous")


def _keep(path: Path) -> None:
    """A second name for the file as it is, put in place of an older one at once."""
    link = path.with_name(f"{path.name}.{os.getpid()}.link")
    link.unlink(missing_ok=True)
    try:
        os.link(path, link)
    except OSError:  # a file system without links
        shutil.copyfile(path, link)
    link.replace(previous_of(path))


def read_arrays(
    path: Path, schema: str, what: str
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header and arrays of a file; an error in one line for anything else."""
    try:
        with path.open("rb") as raw, np.lib.npyio.NpzFile(raw, allow_pickle=False) as file:
            header = json.loads(bytes(file[_HEADER]).decode())
            if header["schema"] != schema:
                raise ValueError(f"its schema is {header['schema']!r}, not {schema!r}")
            return header, {name: file[name] for name in file.files if name != _HEADER}
    except FileNotFoundError:
        raise InvalidInput(f"There is no file {path}.") from None
    except (
        OSError,
        EOFError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        BadZipFile,
    ) as error:
        raise InvalidInput(f"{path} is not {what} ({error}); it was left as it is.") from error
