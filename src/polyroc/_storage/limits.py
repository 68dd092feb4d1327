"""How large the contents of a file may become in memory.

A few kilobytes of zip, gzip, zstd or run lengths can stand for terabytes. What a file announces, or
what has come out of it so far, is therefore compared with two limits, neither of which is in the
way of honest data:

- the memory of the machine, since more cannot be read however long one waits;
- 1 GiB, or a hundred times the size of the file where that is more. Real predictions, even one-hot
  rows and repeated labels, seldom shrink more than that, and a file that did can be saved again
  without compression. A file of 10 GB that is not compressed has nothing to fear from this.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

from polyroc.errors import InvalidInput

ROOM = 1 << 30
"""Bytes that the contents of any file may take."""

GROWTH = 100
"""Times its size that the contents of a larger file may take."""

_CONTAINER = Path("/sys/fs/cgroup/memory.max")


def check_size(needed: int, size: int, name: str) -> None:
    """Refuse contents of ``needed`` bytes in a file of ``size`` bytes that are beyond a limit."""
    if needed > max(ROOM, GROWTH * size):
        raise InvalidInput(
            f"{name} has {in_words(size)} but contains {in_words(needed)}, more than a hundred "
            "times as much, which looks like a mistake or an attack. If it is right, save it "
            "without compression."
        )
    most = memory_of_machine()
    if needed > most:
        raise InvalidInput(
            f"{name} contains {in_words(needed)}, and this process may use {in_words(most)} of "
            "memory. polyroc.scale.evaluate_parquet reads Parquet files of any size."
        )


def memory_of_machine() -> int:
    """Bytes that this process can have at most: of the machine, its container and its limits."""
    limits = [sys.maxsize]
    with suppress(AttributeError, ValueError, OSError):
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError, ValueError):  # the text is "max" where there is no limit
        limits.append(int(_CONTAINER.read_text()))
    with suppress(ImportError, OSError, ValueError):
        import resource

        own = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
        limits += [limit for limit in own if limit != resource.RLIM_INFINITY]
    return min(limit for limit in limits if limit > 0)


def in_words(size: int) -> str:
    """A number of bytes for people.

    Examples
    --------
    >>> in_words(512), in_words(2_500_000)
    ('512 bytes', '2.5 MB')
    """
    for unit, name in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return f"{size} bytes"
