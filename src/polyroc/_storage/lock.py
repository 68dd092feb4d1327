"""One run at a time on a checkpoint.

Two runs that save to the same file would overwrite each other's work in turn. The first to come
therefore holds a lock on a file beside it, ``name.polyroc-lock``, for as long as it runs. The
system lets go of the lock when the process ends, however it ends, so a run that was killed is in
nobody's way; and workers that a run has started do not hold it.

Locks are those of POSIX. Where there are none, on Windows and on file systems that refuse them,
runs are not kept apart.
"""

import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from polyroc._storage.atomic import not_ours, remove_unfinished
from polyroc.errors import InvalidInput

_SIGNATURE = b"polyroc: "

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
            remove_unfinished(path)
        yield
    finally:
        _held.discard(key)
        if descriptor is not None:
            with suppress(OSError):  # while the lock is held, so that it is nobody else's
                if _is_still_there(descriptor, path):
                    _beside(path).unlink()
            os.close(descriptor)


def _lock(path: Path) -> int | None:
    """The descriptor that holds the lock; None where there are no locks."""
    try:
        import fcntl
    except ImportError:
        return None
    while True:
        descriptor = _opened(_beside(path))
        if descriptor is None:
            return None
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            holder = _signed(descriptor).decode(errors="replace").strip()
            os.close(descriptor)
            raise _in_use(path, holder or "another process") from None
        except OSError:
            os.close(descriptor)
            return None
        if _is_still_there(descriptor, path):
            _sign(descriptor)
            return descriptor
        os.close(descriptor)  # its holder has just finished and removed it


def _opened(name: Path) -> int | None:
    """The file of a lock, made if it is not there; None where nothing can be written.

    What polyroc did not write is an error: a link, a device, a file with other content.
    """
    try:
        options = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = os.open(name, options, 0o666)
    except OSError:
        if os.path.lexists(name) and not stat.S_ISREG(name.lstat().st_mode):
            raise not_ours(name, "a lock") from None
        return None
    regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
    if not regular or os.pread(descriptor, 9, 0) not in (b"", _SIGNATURE):
        os.close(descriptor)
        raise not_ours(name, "a lock")
    return descriptor


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.polyroc-lock")


def _is_still_there(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), _beside(path).lstat())
    except OSError:
        return False


def _sign(descriptor: int) -> None:
    """Say who holds the lock; on a full disk it is held without a name."""
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        who = f"process {os.getpid()} on {socket.gethostname()}\n"
        os.write(descriptor, _SIGNATURE + who.encode())


def _signed(descriptor: int) -> bytes:
    """Who holds a lock, as far as that was written."""
    return os.pread(descriptor, 200, 0).removeprefix(_SIGNATURE)


def _in_use(path: Path, holder: str) -> InvalidInput:
    return InvalidInput(
        f"{path} is in use by {holder}, and two runs cannot share a checkpoint. "
        "Wait for the other, or name another file."
    )
