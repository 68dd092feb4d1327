"""A progress bar for long work: on a terminal, or below the cell of a notebook."""

import sys
import time
from html import escape
from types import TracebackType
from typing import Any, Protocol, Self

SECONDS_BETWEEN = 0.2
"""A notebook is sent no more than five pictures a second."""


class ProgressBar:
    """How far some work is; nothing is shown where there is neither a terminal nor a notebook.

    Parameters
    ----------
    what : is counted, such as "splits".
    total : how many there are.
    shown : whether anybody wants to see it.
    done : those that were done before.
    transient : whether a terminal forgets the bar when the work is done.
    """

    def __init__(
        self, what: str, total: int, *, shown: bool, done: int = 0, transient: bool = False
    ) -> None:
        self.what, self.total, self.done, self.note = what, total, done, ""
        self._screen: _Screen | None = None
        if shown and in_notebook():
            self._screen = _Notebook()
        elif shown and on_terminal():
            self._screen = _Terminal(transient)

    @property
    def active(self) -> bool:
        """Whether anything is shown."""
        return self._screen is not None

    def advance(self, number: int = 1) -> None:
        """Count so many more."""
        self.to(self.done + number)

    def to(self, done: int, note: str = "") -> None:
        """Say how many are done, and a few words more."""
        self.done, self.note = done, note
        if self._screen is not None:
            self._screen.show(self)

    def __enter__(self) -> Self:
        if self._screen is not None:
            self._screen.open(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._screen is not None:
            self._screen.close(self)


class _Screen(Protocol):
    """Where a bar is shown."""

    def open(self, bar: ProgressBar) -> None: ...
    def show(self, bar: ProgressBar) -> None: ...
    def close(self, bar: ProgressBar) -> None: ...


class _Terminal:
    """Standard error, by rich."""

    def __init__(self, transient: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.completed:,.0f} of {task.total:,.0f}"),
            TextColumn("{task.fields[note]}", markup=False),
            TimeRemainingColumn(),
            console=Console(stderr=True, force_jupyter=False),
            transient=transient,
        )

    def open(self, bar: ProgressBar) -> None:
        self._task = self._bar.add_task(bar.what, total=bar.total, completed=bar.done, note="")
        self._bar.start()

    def show(self, bar: ProgressBar) -> None:
        self._bar.update(self._task, completed=bar.done, note=bar.note)

    def close(self, bar: ProgressBar) -> None:
        self._bar.stop()


class _Notebook:
    """An output of the cell that is replaced; needs no widgets."""

    def open(self, bar: ProgressBar) -> None:
        from IPython.display import display  # the kernel has loaded it

        self._began = self._last = time.monotonic()
        self._handle = display(self._picture(bar), raw=True, display_id=True)

    def show(self, bar: ProgressBar) -> None:
        if time.monotonic() - self._last >= SECONDS_BETWEEN:
            self._replace(bar)

    def close(self, bar: ProgressBar) -> None:
        self._replace(bar)

    def _replace(self, bar: ProgressBar) -> None:
        self._last = time.monotonic()
        self._handle.update(self._picture(bar), raw=True)

    def _picture(self, bar: ProgressBar) -> dict[str, str]:
        """The bar for a page, and in words."""
        seconds = time.monotonic() - self._began
        words = [f"{bar.what}: {bar.done:,} of {bar.total:,}", bar.note, f"{seconds:.0f} s"]
        text = ", ".join(word for word in words if word)
        drawn = f'<progress value="{bar.done}" max="{bar.total}"></progress> {escape(text)}'
        return {"text/html": f"<div>{drawn}</div>", "text/plain": text}


def on_terminal() -> bool:
    """Whether standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


def in_notebook() -> bool:
    """Whether this runs in the kernel of a notebook; nothing is imported to find out."""
    shell_of: Any = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return shell_of is not None and getattr(shell_of(), "kernel", None) is not None
