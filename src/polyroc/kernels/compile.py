"""The one decorator that sets the compiler flags of every kernel."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core.runtime.nrt import rtsys

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def compiled(function: Kernel) -> Kernel:
    """Compile `function` to machine code that releases the interpreter lock.

    The code is kept on disk between processes where Numba finds a folder it may write to, and
    compiled once per process elsewhere (a read-only installation, for instance). It is compiled
    anew when the source of any kernel has changed. Fast-math stays off: the order of additions is
    part of the answer.
    """
    try:
        kernel: Any = numba.njit(cache=True, nogil=True, fastmath=False)(function)
    except RuntimeError:
        # Numba looks for its cache folder while decorating, and refuses if there is none.
        kernel = numba.njit(nogil=True, fastmath=False)(function)
    cache = getattr(kernel, "_cache", None)
    if hasattr(cache, "flush"):
        _depend_on_all_sources(cache)
        _load_without_compiler(cache)
        _forgive(cache)
    return cast(Kernel, kernel)


def _hash_of_sources() -> str:
    """A hash of all kernels; empty where their sources are not there."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    parts = [f"{path.name}\0".encode() + path.read_bytes() for path in files]
    return hashlib.sha256(b"\0".join(parts)).hexdigest() if files else ""


_SOURCES = _hash_of_sources()


def _depend_on_all_sources(cache: Any) -> None:
    """Let code on disk count only for the sources that it was compiled from.

    Numba compares the file of the kernel alone, and code contains that of the kernels it calls.
    Where the comparison cannot be extended, no code is kept.
    """
    file: Any = getattr(cache, "_cache_file", None)
    if _SOURCES and hasattr(file, "_source_stamp"):
        file._source_stamp = (file._source_stamp, _SOURCES)
    else:
        cache.disable()


def _load_without_compiler(cache: Any) -> None:
    """Let code on disk be loaded before Numba's compiler is ready, which takes ten times as long.

    Numba registers all functions that it can compile before it looks whether there is anything to
    compile. Code that was compiled needs its runtime, and no more.
    """
    load, load_code = cache.load_overload, getattr(cache, "_load_overload", None)
    if load_code is None or not hasattr(rtsys, "initialize"):
        return
    guard = getattr(cache, "_guard_against_spurious_io_errors", nullcontext)

    def load_or_get_ready(signature: Any, context: Any) -> Any:
        rtsys.initialize(context)
        with guard():
            found = load_code(signature, context)
        return load(signature, context) if found is None else found

    cache.load_overload = load_or_get_ready


def _forgive(cache: Any) -> None:
    """Let failures of the cache cost time and nothing else.

    Numba ends the computation where the disk is full or a file in the cache is damaged.
    """
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
