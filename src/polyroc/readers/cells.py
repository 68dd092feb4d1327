"""Cells of a table as labels, numbers or groups; a cell that is none is named with its place."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc.errors import InvalidInput, InvalidType
from polyroc.options import shown
from polyroc.readers.table import Table
from polyroc.typing import Float64Array


def labels_in(table: Table, name: str) -> NDArray[Any]:
    """A column of labels: integers, booleans or strings, none of them missing."""
    import pyarrow as pa

    column = _plain(table.column(name))
    _check_missing(table, name, column, "Remove the row, or give it its true class.")
    kind = column.type
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _whole(table, name, column)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    if not _is_text(kind):
        raise InvalidType(
            f"{table.path}: column {shown(name)} has the type {kind}. Class labels are strings, "
            "integers or booleans."
        )
    labels = np.asarray(column.to_numpy(zero_copy_only=False), dtype=object)
    empty = np.flatnonzero(labels == "")
    if empty.size:
        raise _missing(table, name, int(empty[0]), "Remove the row, or give it its true class.")
    return labels


def numbers_in(
    table: Table, name: str, mend: str = "Remove the row, or fill it in."
) -> Float64Array:
    """A column of finite numbers."""
    import pyarrow as pa

    column = _plain(table.column(name))
    kind = column.type
    if _is_text(kind):
        column = _parsed(table, name, column, mend)
    elif not (pa.types.is_null(kind) or pa.types.is_boolean(kind) or _is_number(kind)):
        raise InvalidType(f"{table.path}: column {shown(name)} has the type {kind}, not numbers.")
    _check_missing(table, name, column, mend)
    numbers = np.asarray(column.to_numpy(zero_copy_only=False)).astype(np.float64)
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if wrong.size:
        row = int(wrong[0])
        raise InvalidInput(
            f"{table.path} holds {numbers[row]} in {table.place(row, name)}. "
            f"Expected a finite number. {mend}"
        )
    return numbers


def groups_in(table: Table, name: str) -> NDArray[Any]:
    """The group of each case as a number from 0 on."""
    column = _plain(table.column(name))
    _check_missing(table, name, column, "Every case needs a group.")
    encoded = column.dictionary_encode()
    return np.asarray(encoded.indices.to_numpy(zero_copy_only=False))


def is_numeric(column: Any) -> bool:
    """Whether a column can hold scores."""
    return _is_number(_plain(column[:0]).type)


def _plain(column: Any) -> Any:
    """One Arrow array; a dictionary is replaced by its values."""
    import pyarrow as pa

    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(whole, pa.ChunkedArray):
        whole = pa.concat_arrays(whole.chunks) if whole.num_chunks else pa.array([], whole.type)
    return whole.dictionary_decode() if pa.types.is_dictionary(whole.type) else whole


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    view = getattr(pa.types, "is_string_view", None)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or (view and view(kind)))


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def _check_missing(table: Table, name: str, column: Any, mend: str) -> None:
    import pyarrow.compute as pc

    if column.null_count:
        row = int(np.argmax(pc.is_null(column).to_numpy(zero_copy_only=False)))
        raise _missing(table, name, row, mend)


def _missing(table: Table, name: str, row: int, mend: str) -> InvalidInput:
    return InvalidInput(f"{table.path} has no value in {table.place(row, name)}. {mend}")


def _whole(table: Table, name: str, column: Any) -> NDArray[Any]:
    values = np.asarray(column.to_numpy(zero_copy_only=False)).astype(np.float64)
    wrong = np.flatnonzero(~(np.abs(values) < 2.0**63) | (values != np.rint(values)))
    if wrong.size:
        row = int(wrong[0])
        raise InvalidInput(
            f"{table.path} holds {values[row]} in {table.place(row, name)}. Class labels are "
            "strings or whole numbers: is this the column of true classes?"
        )
    return values.astype(np.int64)


def _parsed(table: Table, name: str, column: Any, mend: str) -> Any:
    """Text as numbers, since one bad cell makes a column of a CSV file text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return pc.cast(pc.utf8_trim_whitespace(column), pa.float64())
    except pa.ArrowInvalid:
        pass
    for row, text in enumerate(column.to_pylist()):
        if text is None or text.strip().casefold() in ("", "na", "n/a", "nan", "null", "none"):
            raise _missing(table, name, row, mend)
        if not _is_decimal(text):
            raise InvalidType(
                f"{table.path} holds {shown(text)} in {table.place(row, name)}; expected a number."
            )
    return pa.array([float(text) for text in column.to_pylist()])


def _is_decimal(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
