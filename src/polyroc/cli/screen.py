"""What people see: consoles, tables that fit, and a sign of life while something takes long."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from polyroc.cli.wording import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

PATIENCE = 1.0
"""Seconds before a sign of life."""


def console(*, stderr: bool = False) -> "Console":
    """A console that takes text as it is: no markup, no emoji codes, no colours of its own."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


class Titled(NamedTuple):
    """A table under its title."""

    title: str
    table: "Table"

    def add(self, *cells: object) -> None:
        """Add a row of cells that are shown as they are."""
        from rich.text import Text

        self.table.add_row(*(Text(printable(cell)) for cell in cells))

    def width(self) -> int:
        """Signs in a row if no cell is folded."""
        from rich.console import Console

        return Console(width=10_000).measure(self.table).maximum


def table(title: str, names: Iterable[object], numbers: Iterable[object] = ()) -> Titled:
    """A table with columns of names, which fold, and columns of numbers, to the right."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    made = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for name in names:
        made.add_column(Text(printable(name)), overflow="fold")
    for number in numbers:
        made.add_column(Text(printable(number)), justify="right", overflow="fold")
    return Titled(title, made)


def show(screen: "Console", made: Titled) -> None:
    """Print a table under its title, with an empty line after it."""
    screen.print(printable(made.title), style="bold")
    screen.print(made.table)
    screen.print()


@contextmanager
def reading() -> Iterator[None]:
    """The same while files are read, during which Ctrl-C is heard as well."""
    from polyroc.cli.interrupts import keep_from_arrow

    keep_from_arrow()
    with working("reading"):
        yield


@contextmanager
def working(what: str) -> Iterator[None]:
    """On a terminal, a moving line with the time taken, once something takes over a second."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        yield
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    line = Progress(*columns, console=screen, transient=True)
    line.add_task(what, total=None)
    timer = threading.Timer(PATIENCE, line.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        line.stop()
