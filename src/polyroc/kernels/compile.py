"""The one decorator that sets the compiler flags of every kernel."""

from __future__ import annotations

from collections.abc import Callable
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
        kernel = numba.njit(cache=True, nogil=True, fastmath=False)(function)
    except RuntimeError:
        # Numba looks for its cache folder while decorating, and refuses if there is none.
        kernel = numba.njit(nogil=True, fastmath=False)(function)
    return cast(Kernel, kernel)
