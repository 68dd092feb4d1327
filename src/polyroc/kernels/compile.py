"""The one decorator that sets the compiler flags of every kernel."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar, cast

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def compiled(function: Kernel) -> Kernel:
    """Compile `function` to machine code that releases the interpreter lock.

    The code is kept on disk between processes where Numba finds a folder it may write to, and
    compiled once per process elsewhere (a read-only installation, for instance). Fast-math stays
    off: the order of additions is part of the answer.
    """
    try:
        kernel: Any = numba.njit(cache=True, nogil=True, fastmath=False)(function)
    except RuntimeError:
        # Numba looks for its cache folder while decorating, and refuses if there is none.
        kernel = numba.njit(nogil=True, fastmath=False)(function)
    _forgive(getattr(kernel, "_cache", None))
    return cast(Kernel, kernel)


def _forgive(cache: Any) -> None:
    """Let failures of the cache cost time and nothing else.

    Numba ends the computation where the disk is full or a file in the cache is damaged.
    """
    if not hasattr(cache, "flush"):
        return
    load, save = cache.load_overload, cache.save_overload

    def load_or_nothing(*arguments: Any) -> Any:
        try:
            return load(*arguments)
        except Exception:  # of many kinds, depending on which byte is damaged
            with suppress(Exception):
                cache.flush()  # lest nothing can be saved beside what is damaged
            return None

    def save_or_not(*arguments: Any) -> None:
        with suppress(Exception):
            save(*arguments)

    cache.load_overload, cache.save_overload = load_or_nothing, save_or_not
