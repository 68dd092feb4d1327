"""A table: named columns of a file."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from polyroc._base.checks import did_you_mean, harmless, reason_of, shown
from polyroc._base.table_size import check_column_count
from polyroc.errors import InvalidInput, InvalidType
from polyroc.predictions._classes import listed

if TYPE_CHECKING:
    import pyarrow as pa

PathLike = str | os.PathLike[str]


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Named columns of a file.

    Attributes
    ----------
    path : of the file, for messages.
    names : of the columns; they may repeat, which only matters where such a column is used.
    columns : an Arrow array for each.
    line : the line of the file in which a row stands; None where files have no lines.
    text : a column as it is written, by its place; None where files hold numbers as numbers.
    decimal : the decimal sign of numbers that are written as text.
    """

    path: str
    names: tuple[str, ...]
    columns: tuple[Any, ...]
    line: Callable[[int], int] | None = None
    text: Callable[[int], Any] | None = None
    decimal: str = "."

    def __len__(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def column(self, name: str) -> Any:
        """The column of this name, which must be there once."""
        self.check_has([name])
        return self.columns[self.places[name][0]]

    def names_in(self, name: str) -> Any:
        """A column of names: as it is written, where two names are the same number (1.1, 1.10)."""
        import pyarrow.compute as pc

        column = self.column(name)
        written = None if self.text is None else self.text(self.places[name][0])
        if written is None or column.null_count or len(column) != len(written):
            return column
        return written if pc.count_distinct(written) != pc.count_distinct(column) else column

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Where each name stands."""
        places: dict[str, list[int]] = {}
        for place, name in enumerate(self.names):
            places.setdefault(name, []).append(place)
        return places

    def check_has(self, wanted: Sequence[Any], advice: str = "") -> None:
        """Whether each of these names belongs to exactly one column; advice is for one missing."""
        for name in wanted:
            if not isinstance(name, str):
                raise InvalidType(f"Columns are named by strings, got {shown(name)}.")
            count = len(self.places.get(name, ()))
            if count != 1:
                number = "no column" if count == 0 else f"{count} columns named"
                are = "is" if count == 0 else "are"
                raise InvalidInput(
                    f"{self.path}: there {are} {number} {shown(name)}."
                    f"{'' if count else did_you_mean(name, self.names)} "
                    f"The columns are {listed(self.names)}.{'' if count else advice}"
                )

    def place(self, row: int, name: str) -> str:
        """Where a cell stands, in words."""
        line = "" if self.line is None else f" (line {self.line(row)})"
        return f"row {row}{line}, column {shown(name)}"


def unreadable(path: str, kind: str, error: object) -> InvalidInput:
    """One line about a file that looks like a format and is none."""
    if isinstance(error, MemoryError):
        raise error
    reason = reason_of(error) if isinstance(error, Exception) else harmless(str(error), 200)
    return InvalidInput(f"{path} cannot be read as {kind}: {reason}. Is it complete?")


def validated(table: "pa.Table", path: str) -> Table:
    """A table that points nowhere outside itself: Arrow believes a broken file otherwise."""
    table.validate(full=True)
    return arrow_table(table, path)


def arrow_table(
    table: "pa.Table",
    path: str,
    line: Callable[[int], int] | None = None,
    text: Callable[[int], Any] | None = None,
    decimal: str = ".",
) -> Table:
    """An Arrow table as ours."""
    check_column_count(table.num_columns, path)
    return Table(path, tuple(table.column_names), tuple(table.columns), line, text, decimal)
