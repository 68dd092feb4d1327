"""What a container says beside its values: names of columns, labels of rows, categories.

Containers are recognised by the names in their type's ancestry, so that no optional library is
imported and subclasses of a frame are frames.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from polyroc.errors import InvalidInput, InvalidType
from polyroc.predictions._names import as_label


class ColumnNames(NamedTuple):
    """Names of the columns of a table."""

    names: tuple[Any, ...]
    given: bool = True
    """False where the container numbered the columns because nobody named them."""


def _kinds(values: object) -> frozenset[str]:
    kind: Any = type(values)
    return _names_of_kinds(kind)


@lru_cache(maxsize=256)
def _names_of_kinds(kind: Any) -> frozenset[str]:
    return frozenset(ancestor.__name__ for ancestor in kind.__mro__)


def library_of(values: object) -> str:
    """The package that an object's type comes from."""
    return type(values).__module__.partition(".")[0]


def computed(values: Any) -> Any:
    """A Dask collection as what it stands for; everything else as it is."""
    lazy = library_of(values) == "dask" and hasattr(values, "compute")
    return values.compute() if lazy else values


# Columns


def column_names(values: Any) -> ColumnNames | None:
    """Names of the columns of a table, or of the one column that a series is."""
    found = frame_columns(values)
    if found is not None:
        names = tuple(as_label(name) for name in found)
        return ColumnNames(names, not _is_numbered(values, names))
    if isinstance(values, (list, tuple)) and values and _is_row(values[0]):
        return _names_of_rows(values)
    name = getattr(values, "name", None) if "Series" in _kinds(values) else None
    return None if name is None or name == "" else ColumnNames((name,))


def frame_columns(values: Any) -> list[Any] | None:
    """Names of the columns of a data frame, an Arrow table or a labelled array; else None."""
    kinds = _kinds(values)
    if "LazyFrame" in kinds:
        raise InvalidType("A polars LazyFrame contains no values yet. Pass its .collect().")
    if "DataArray" in kinds:
        return _coordinate(values, 1)
    if not kinds & {"DataFrame", "Table", "RecordBatch"} or not hasattr(values, "columns"):
        return None
    return list(values.column_names if library_of(values) == "pyarrow" else values.columns)


def _coordinate(values: Any, axis: int) -> list[Any] | None:
    """Labels of an axis of an xarray.DataArray, if it has some."""
    if len(values.dims) <= axis or values.dims[axis] not in values.coords:
        return None
    return list(np.asarray(values.coords[values.dims[axis]]).tolist())


def _is_numbered(values: Any, names: tuple[Any, ...]) -> bool:
    """Whether the library numbered the columns itself: pandas 0, 1, …; polars column_0, …."""
    if type(getattr(values, "columns", None)).__name__ == "RangeIndex":
        return names == tuple(range(len(names)))
    return names == tuple(f"column_{index}" for index in range(len(names)))


def _is_row(value: Any) -> bool:
    return "Series" in _kinds(value) and hasattr(value, "index") and not callable(value.index)


def _names_of_rows(rows: Any) -> ColumnNames:
    """Names that the rows of a list of series have in common."""
    first = rows[0].index
    for number, row in enumerate(rows):
        if not (_is_row(row) and row.index.equals(first)):
            raise InvalidInput(
                f"The rows of y_score are series with different indexes: row {number} has another "
                "than row 0. Pass one frame, such as pandas.DataFrame(y_score)."
            )
    numbered = type(first).__name__ == "RangeIndex"
    return ColumnNames(tuple(first), not numbered)


# Rows


def row_labels(values: Any) -> Any:
    """The index of a pandas object, or of the rows of a labelled array, as an index; else None."""
    if "DataArray" in _kinds(values):
        named = _coordinate(values, 0) is not None
        return values.coords[values.dims[0]].to_index() if named else None
    if not _kinds(values) & {"DataFrame", "Series"}:
        return None
    index = getattr(values, "index", None)
    return index if hasattr(index, "equals") and hasattr(index, "isin") else None


# Categories


def categories_of(values: Any) -> tuple[Any, ...] | None:
    """Categories in their order: of pandas, of a polars Enum, of an Arrow dictionary.

    A dictionary of Arrow is an encoding and may list more than occurs, so only what occurs counts.
    A polars Categorical has no order of its own.
    """

    dtype = getattr(values, "dtype", None)
    if type(dtype).__name__ == "CategoricalDtype" or (
        library_of(values) == "polars" and type(dtype).__name__ == "Enum"
    ):
        return tuple(as_label(category) for category in dtype.categories)  # type: ignore[union-attr]
    if type(getattr(values, "type", None)).__name__ == "DictionaryType":
        return tuple(as_label(value) for value in _dictionary(values))
    return None


def _dictionary(values: Any) -> list[Any]:
    """What occurs in a dictionary-encoded Arrow array, in the order of its dictionary."""
    if hasattr(values, "chunks"):
        whole = values.unify_dictionaries()
        chunks = whole.chunks
    else:
        chunks = [values]
    used: set[int] = set()
    for chunk in chunks:
        used.update(chunk.indices.drop_null().unique().to_pylist())
    if not used:
        return []
    words = chunks[0].dictionary
    try:
        found = [words[place].as_py() for place in sorted(used)]
    except (OverflowError, ValueError):  # dates beyond those of Python, which are no labels anyway
        return []
    return [word for word in dict.fromkeys(found) if word is not None]
