"""K × K tables with a row per true class and a column per decision, matched by their names.

Names decide wherever a table has them. pandas has names for rows and columns, xarray for the axes
with coordinates, polars and Arrow for columns only: there the rows take their names from the one
column that is no class.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput
from polyroc.predictions._classes import in_order, listed
from polyroc.predictions._frames import categories_of, column_names, computed
from polyroc.predictions._names import Naming, as_label
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
    naming = Naming(classes)
    frame = _rows_from_column(frame, naming, len(classes))
    rows, columns = (_places(axis, naming, classes) for axis in (frame.index, frame.columns))
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


def by_own_names(table: Any, what: str) -> tuple[Any, tuple[Label, ...] | None]:
    """A table with its columns in the order of its rows, and their names; None if it has none.

    Examples
    --------
    >>> import pandas as pd
    >>> utilities = pd.DataFrame({"well": [-5, 0], "ill": [0, -1]}, index=["ill", "well"])
    >>> values, names = by_own_names(utilities, "utilities")
    >>> values.tolist(), names
    ([[0, -5], [-1, 0]], ('ill', 'well'))
    """
    frame = as_frame(table)
    if frame is None:
        return table, None
    if _unnamed(frame.index) and _unnamed(frame.columns):
        return frame.to_numpy(), None
    names = tuple(as_label(name) for name in _names_of(frame))
    return by_class(frame, names, what), names


def _names_of(frame: Any) -> list[Any]:
    """Names of the rows; where they have none those of the columns, without that of the truths."""
    if not _unnamed(frame.index):
        return list(frame.index)
    for column in frame.columns:
        others = [name for name in frame.columns if name != column]
        if sorted(map(str, frame[column])) == sorted(map(str, others)):
            return others
    return list(frame.columns)


def as_frame(table: Any) -> Any:
    """A table with names as a pandas frame; None for everything else."""
    table = computed(table)
    if not hasattr(table, "loc") and hasattr(table, "to_pandas"):  # polars, pyarrow, xarray
        table = table.to_pandas()
    named = hasattr(table, "loc") and hasattr(table, "columns") and hasattr(table, "index")
    return table if named else None


def check_order_known(values: Any, y: Any, what: str) -> None:
    """Whether a table without names cannot be meant in the order of categories of ``y``."""
    categories = categories_of(y)
    if categories is None or list(categories) == in_order(categories):
        return
    columns = column_names(values)
    if isinstance(values, Mapping) or (columns is not None and columns.given):
        return
    raise InvalidInput(
        f"The categories of y are in the order {listed(categories)}, which is not their sorted "
        f"order, and {what} has no names. Name the rows and columns of {what} after the classes, "
        "or pass a mapping from (truth, decided)."
    )


def _rows_from_column(frame: Any, naming: Naming, n_classes: int) -> Any:
    """Rows named by the only column that is no class, where they have no names of their own."""
    others = [name for name in frame.columns if naming.label_of(as_label(name)) is None]
    if len(frame.columns) == n_classes + 1 and len(others) == 1 and _unnamed(frame.index):
        return frame.set_index(others[0])
    return frame


def _unnamed(axis: Any) -> bool:
    """Whether these are the numbers that pandas gives to rows and columns without names."""
    return bool(list(axis) == list(range(len(axis))))


def _places(axis: Any, naming: Naming, classes: Sequence[Label]) -> NDArray[np.intp] | None:
    """Where each class is on an axis; None where the names are not those of the classes."""
    labels = naming.labels_of(as_label(name) for name in axis)
    found = {label: place for place, label in enumerate(labels)}
    if None in found or not len(found) == len(axis) == len(classes):
        return None
    return np.array([found[label] for label in classes], dtype=np.intp)


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
