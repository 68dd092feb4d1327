"""K × K tables with a row per true class and a column per decision, matched by their names.

Names decide wherever a table has them. pandas has names for rows and columns, xarray for the axes
with coordinates, polars and Arrow for columns only: there the rows take their names from the one
column that is no class.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc.errors import InvalidInput
from polyroc.options import shown
from polyroc.typing import Label


def by_class(table: Any, classes: Sequence[Label], what: str) -> Any:
    """The table in the order of the classes; as it is where nothing has a name.

    Examples
    --------
    >>> import pandas as pd
    >>> costs = pd.DataFrame({"well": [5, 0], "ill": [0, 1]}, index=["ill", "well"])
    >>> by_class(costs, ("ill", "well"), "costs").tolist()
    [[0, 5], [1, 0]]
    """
    frame = as_frame(table)
    if frame is None:
        return table
    frame = _rows_from_column(frame, classes)
    rows, columns = (_places(axis, classes) for axis in (frame.index, frame.columns))
    for places, axis, of in ((rows, frame.index, "rows"), (columns, frame.columns, "columns")):
        if places is None and not _unnamed(axis):
            raise InvalidInput(
                f"The {of} of {what} are named {shown(list(axis))}, but the classes are "
                f"{shown(list(classes))}. Name them after the classes, or pass an array."
            )
    if rows is None and columns is None:
        return frame.to_numpy()
    if rows is None or columns is None:
        rows = columns = _common_order(rows, columns, len(frame), what)
    return frame.to_numpy()[np.ix_(rows, columns)]


def as_frame(table: Any) -> Any:
    """A table with names as a pandas frame; None for everything else."""
    if type(table).__module__.split(".")[0] in ("dask", "dask_expr"):
        table = table.compute()
    if not hasattr(table, "loc") and hasattr(table, "to_pandas"):  # polars, pyarrow, xarray
        table = table.to_pandas()
    named = hasattr(table, "loc") and hasattr(table, "columns") and hasattr(table, "index")
    return table if named else None


def _rows_from_column(frame: Any, classes: Sequence[Label]) -> Any:
    """Rows named by the only column that is no class, where they have no names of their own."""
    others = [name for name in frame.columns if _place(name, classes) is None]
    if len(frame.columns) == len(classes) + 1 and len(others) == 1 and _unnamed(frame.index):
        return frame.set_index(others[0])
    return frame


def _unnamed(axis: Any) -> bool:
    """Whether these are the numbers that pandas gives to rows and columns without names."""
    return bool(list(axis) == list(range(len(axis))))


def _places(axis: Any, classes: Sequence[Label]) -> NDArray[np.intp] | None:
    """Where each class is on an axis; None where the names are not those of the classes."""
    found = [_place(name, classes) for name in axis]
    if sorted(place for place in found if place is not None) != list(range(len(classes))):
        return None
    return None if None in found else np.argsort(np.array(found))


def _place(name: Any, classes: Sequence[Label]) -> int | None:
    """The position of the class that a name means: itself, or how it is written.

    polars and Arrow write every name as a string.
    """
    for place, label in enumerate(classes):
        if label == name:
            return place
    written = [str(label) for label in classes]
    return written.index(name) if isinstance(name, str) and written.count(name) == 1 else None


def _common_order(
    rows: NDArray[np.intp] | None, columns: NDArray[np.intp] | None, size: int, what: str
) -> NDArray[np.intp]:
    """One axis has names in the order of the classes, the other none: then it has that order."""
    known = columns if rows is None else rows
    bare = "rows" if rows is None else "columns"
    if known is None or size != len(known) or (known != np.arange(len(known))).any():
        raise InvalidInput(
            f"The {bare} of {what} have no names, and the others are not in the order of the "
            "classes, so the order of these is not known. Name both: an index in pandas, a column "
            "with the true class of each row in polars and Arrow."
        )
    return known
