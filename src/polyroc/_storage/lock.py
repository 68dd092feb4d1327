"""One run at a time on a checkpoint.

Two runs that save to the same file would overwrite each other's work in turn. The first to come
therefore holds a lock on a file beside it, ``name.lock``, for as long as it runs. The system lets
go of the lock when the process ends, however it ends, so a run that was killed is in nobody's way;
and workers that a run has started do not hold it.

Locks are those of POSIX. Where there are none, on Windows and on file systems that refuse them,
runs are not kept apart.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path

from polyroc.errors import InvalidInput

_held: set[tuple[int, Path]] = set()
"""Process and file of each lock held here: the system's locks do not keep threads apart."""


@contextmanager
def sole_run(path: Path) -> Iterator[None]:
    """Hold the lock of a checkpoint; an error if another run holds it.

    A folder that nothing can be written to has no locks, which is left to the writing to tell.
    """
    path = Path(os.path.realpath(path))
    key = (os.getpid(), path)
    if key in _held:
        raise _in_use(path, "another thread of this process")
    _held.add(key)
    descriptor = None
    try:
        descriptor = _lock(path)
        if descriptor is not None:
            _tidy(path)
        yield
    finally:
        _held.discard(key)
        if descriptor is not None:
            with suppress(OSError):  # while the lock is held, so that it is nobody else's
                _beside(path).unlink()
            os.close(descriptor)


def _lock(path: Path) -> int | None:
    """The descriptor that holds the lock; None where there are no locks."""
    try:
        import fcntl
    except ImportError:
        return None
    while True:
        try:
            descriptor = os.open(_beside(path), os.O_RDWR | os.O_CREAT, 0o666)
        except OSError:
            return None
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            holder = os.read(descriptor, 200).decode(errors="replace").strip()
            os.close(descriptor)
            raise _in_use(path, holder or "another process") from None
        except OSError:
            os.close(descriptor)
            return None
        if _is_still_there(descriptor, path):
            _sign(descriptor)
            return descriptor
        os.close(descriptor)  # its holder has just finished and removed it


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def _is_still_there(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), _beside(path).stat())
    except OSError:
        return False


def _sign(descriptor: int) -> None:
    """Say who holds the lock; on a full disk it is held without a name."""
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode())


def _tidy(path: Path) -> None:
    """Remove what runs on this file left half-written when they were killed."""
    for unfinished in path.parent.glob(f"{escape(path.name)}.*.part"):
        with suppress(OSError):
            unfinished.unlink()


def _in_use(path: Path, holder: str) -> InvalidInput:
    return InvalidInput(
        f"{path} is in use by {holder}, and two runs cannot share a checkpoint. "
        "Wait for the other, or name another file."
    )
