"""Columns that tell cases apart."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput, PolyrocError
from polyroc.readers._cells import ids_in
from polyroc.readers._table import Table


def complete_ids(table: Table, name: str) -> NDArray[Any] | None:
    """The names of the cases in a column; None where one is missing.

    Names that repeat cannot join files, but tell just as well that rows are different cases.
    """
    try:
        return ids_in(table, name, "case")
    except PolyrocError:
        return None


def check_unique(ids: NDArray[Any], name: str, table: Table) -> None:
    """An error where two cases have the same name."""
    seen: dict[Any, int] = {}
    for row, each in enumerate(ids.tolist()):
        first = seen.setdefault(each, row)
        if first != row:
            raise InvalidInput(
                f"{table.path} has the case {shown(each)} twice, in {table.place(first, name)}, "
                f"and {table.place(row, name)}. Name a column that identifies the cases, or "
                "remove one of them."
            )


def place_of_each(wanted: NDArray[Any], ids: NDArray[Any]) -> NDArray[np.intp]:
    """The row of each wanted case among others; −1 where it is not there."""
    rows = {each: row for row, each in enumerate(ids.tolist())}
    return np.array([rows.get(each, -1) for each in wanted.tolist()], dtype=np.intp)
