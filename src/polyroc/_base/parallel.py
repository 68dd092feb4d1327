"""How many threads to use, and a map over them whose answer does not depend on how many."""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from contextvars import ContextVar
from typing import TypeVar

from polyroc._base.checks import whole_number

Item = TypeVar("Item")
Result = TypeVar("Result")

_inside_worker: ContextVar[bool] = ContextVar("polyroc_inside_worker", default=False)


def thread_count(n_threads: int | None = None) -> int:
    """Threads to use: as asked, else the processors this process may run on.

    Process pools tell their workers through OMP_NUM_THREADS how many threads each may have, so
    nested workers do not multiply. The variable may hold a list, a number per level of nesting.
    """
    if n_threads is not None:
        return whole_number(n_threads, "n_threads", least=1)
    if _inside_worker.get():
        return 1
    if hasattr(os, "sched_getaffinity"):
        available = len(os.sched_getaffinity(0))
    else:
        available = os.cpu_count() or 1
    granted = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return min(available, max(1, int(granted))) if granted.isdecimal() else available


class _BlasLimit:
    """One limit on the threads of BLAS for all that asks for it at the same time.

    The number of threads belongs to the process. If each asked and put back what it had found, the
    one that came second would put back the limit of the first, for good.
    """

    def __init__(self) -> None:
        self._lock, self._users, self._limits = threading.Lock(), 0, ExitStack()

    def __enter__(self) -> None:
        from threadpoolctl import threadpool_limits

        with self._lock:
            if not self._users:
                self._limits.enter_context(threadpool_limits(limits=1, user_api="blas"))
            self._users += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                self._limits.close()


_blas_limit = _BlasLimit()


def one_blas_thread() -> AbstractContextManager[None]:
    """While any thread is inside, BLAS uses one thread; after the last one as many as before."""
    return _blas_limit


def map_threads(
    work: Callable[[Item], Result], items: Iterable[Item], n_threads: int | None = None
) -> list[Result]:
    """``[work(item) for item in items]``, in that order, on several threads."""
    items = list(items)
    workers = min(thread_count(n_threads), len(items))
    if workers <= 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(_guarded(work), items))


def each_of_threads(
    work: Callable[[Item], Result], items: Iterable[Item], n_threads: int | None = None
) -> Iterator[Result]:
    """The same one after the other, for results that are added up: few are there at a time."""
    items = list(items)
    workers = min(thread_count(n_threads), len(items))
    if workers <= 1:
        yield from map(work, items)
        return
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        for item in items:
            if len(waiting) >= 2 * workers:
                yield waiting.popleft().result()
            waiting.append(pool.submit(_guarded(work), item))
        while waiting:
            yield waiting.popleft().result()


def _guarded(work: Callable[[Item], Result]) -> Callable[[Item], Result]:
    """Work that knows that it is done by one of several threads."""

    def guarded(item: Item) -> Result:
        token = _inside_worker.set(True)
        try:
            return work(item)
        finally:
            _inside_worker.reset(token)

    return guarded
