"""Ctrl-C and SIGTERM: heard whenever they come, raised only where nothing can swallow them.

A KeyboardInterrupt that is raised while a module is being imported is lost where compiled code
asked for the import and takes every failure for "not installed", as pyarrow does with pandas: the
program then runs to its end as if nobody had pressed Ctrl-C. So an interrupt that comes during an
import is remembered, and raised once the import is over. One that was lost in a destructor or a
callback, which Python reports as unraisable, is raised again. And Arrow, which puts handlers of its
own in the place of ours while it reads and loses what comes as it puts them back, is told not to.
"""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

SECONDS_BETWEEN_TRIES = 0.005

_IMPORTING = ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")


class Terminated(KeyboardInterrupt):
    """SIGTERM: what Ctrl-C does, and another exit code."""


@contextmanager
def heeded_interrupts() -> Iterator[None]:
    """Raise Ctrl-C as KeyboardInterrupt and SIGTERM as Terminated, each of them for certain.

    Signals that the caller has set to be ignored, as nohup does, stay so, and a host with handlers
    of its own keeps them.
    """
    if not hasattr(signal, "setitimer") or not _is_main_thread():
        yield
        return
    interrupts = _Interrupts()
    own = {signal.SIGALRM: interrupts.try_again}
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        own[signal.SIGINT] = interrupts.remember
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        own[signal.SIGTERM] = interrupts.remember
    before = {number: signal.signal(number, handler) for number, handler in own.items()}
    hook, sys.unraisablehook = sys.unraisablehook, interrupts.recover(sys.unraisablehook)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, handler)


def keep_from_arrow() -> None:
    """Let Arrow leave signals to this program; they are raised when it has read what it reads."""
    import pyarrow

    pyarrow.enable_signal_handlers(False)


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


class _Interrupts:
    """Interrupts that came and are still to be raised."""

    def __init__(self) -> None:
        self.pending: KeyboardInterrupt | None = None

    def remember(self, number: int, frame: FrameType | None) -> None:
        """The handler of SIGINT and SIGTERM."""
        self.pending = Terminated() if number == signal.SIGTERM else KeyboardInterrupt()
        self.try_again(number, frame)

    def try_again(self, number: int, frame: FrameType | None) -> None:
        """Raise what is pending, or come back a little later if a module is being imported."""
        if self.pending is None:
            return
        if _importing(frame):
            signal.setitimer(signal.ITIMER_REAL, SECONDS_BETWEEN_TRIES)
            return
        raised, self.pending = self.pending, None
        raise raised

    def recover(self, others: Callable[[Any], Any]) -> Callable[[Any], None]:
        """A hook for exceptions that cannot be raised where they occurred."""

        def hook(lost: Any) -> None:
            if isinstance(lost.exc_value, KeyboardInterrupt):
                self.pending = lost.exc_value
                signal.setitimer(signal.ITIMER_REAL, SECONDS_BETWEEN_TRIES)
            else:
                others(lost)

        return hook


def _importing(frame: FrameType | None) -> bool:
    """Whether a module is being imported somewhere below."""
    while frame is not None:
        if frame.f_code.co_filename in _IMPORTING:
            return True
        frame = frame.f_back
    return False
