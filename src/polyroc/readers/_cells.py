"""Cells of a table as labels, numbers or groups; a cell that is none is named with its place.

Text is worked with as codes and the distinct words behind them. A file can hold a long word once
and refer to it from every row, so it is never written out for each of them.
"""

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import harmless, shown
from polyroc.errors import InvalidInput, InvalidType
from polyroc.predictions._containers import as_float64
from polyroc.predictions._groups import is_missing_word
from polyroc.readers._table import Table
from polyroc.typing import Float64Array

_DECIMAL = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:inf|infinity|nan)",
    re.IGNORECASE | re.ASCII,
)
FILL, CORRECT = "fill it in", "correct it"
"""What to do with a cell that has no value, and with one that has a wrong value."""


class Words(NamedTuple):
    """A column of text: the distinct words as an Arrow array, and the word of each row."""

    words: Any
    codes: NDArray[Any]


def labels_in(table: Table, name: str) -> NDArray[Any]:
    """A column of labels: integers, booleans or strings, none of them missing."""
    import pyarrow as pa

    column = _whole_column(table.column(name))
    remedy = "Remove the row, or give it its true class."
    _check_missing(table, name, column, remedy)
    kind = column.type
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _whole(table, name, column)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    if not _is_text(kind):
        raise InvalidType(
            f"{table.path}: column {shown(name)} has the type {type_name(kind)}. Class labels are "
            "strings, integers or booleans."
        )
    words, codes = _words(column)
    labels: NDArray[Any] = np.array(words.to_pylist(), dtype=object)[codes]
    empty = np.flatnonzero(labels == "")
    if empty.size:
        raise _missing(table, name, int(empty[0]), remedy)
    return labels


def numbers_in(
    table: Table, name: str, remedy: str = f"Remove the row, or {FILL}."
) -> Float64Array:
    """A column of finite numbers."""
    import pyarrow as pa

    column = _whole_column(table.column(name))
    kind = column.type
    if not (_is_text(kind) or pa.types.is_null(kind) or pa.types.is_boolean(kind)) and not (
        _is_number(kind)
    ):
        raise InvalidType(
            f"{table.path}: column {shown(name)} has the type {type_name(kind)}, not numbers. "
            f"{remedy}"
        )
    _check_missing(table, name, column, remedy)
    text = _words(column) if _is_text(kind) else None
    numbers = _as_floats(column) if text is None else _parsed(table, name, text, remedy)
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if wrong.size:
        row = int(wrong[0])
        raise InvalidInput(
            f"{table.path} contains {numbers[row]} in {table.place(row, name)}. "
            f"Expected a finite number. {remedy}"
        )
    return numbers


def groups_in(table: Table, name: str) -> NDArray[Any]:
    """The group of each case as a number from 0 on."""
    import pyarrow as pa

    column = _whole_column(table.names_in(name))
    remedy = "Every case needs a group: name it, or leave the groups out."
    _check_missing(table, name, column, remedy)
    try:
        words, codes = _words(column)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise InvalidType(
            f"{table.path}: column {shown(name)} has the type {type_name(column.type)}, which "
            "cannot name groups. Use strings or integers."
        ) from None
    nothing = _stand_for_nothing(words)
    if nothing[codes].any():
        raise _missing(table, name, int(np.argmax(nothing[codes])), remedy)
    return codes


def _stand_for_nothing(words: Any) -> NDArray[np.bool_]:
    """Which words name no group: empty ones, NA, NaN, and one that is missing itself."""
    import pyarrow as pa

    if _is_text(words.type):
        return np.array([is_missing_word(word or "") for word in words.to_pylist()], dtype=bool)
    if pa.types.is_floating(words.type):
        return np.isnan(_as_floats(words))
    return np.zeros(len(words), dtype=bool)


def ids_in(table: Table, name: str, what: str) -> NDArray[Any]:
    """A column of names or numbers that tell things apart; whole floats are integers."""
    remedy = f"Name the {what} of every row, or remove the row."
    _check_missing(table, name, _whole_column(table.names_in(name)), remedy)
    ids = values_in(table, name, what)
    empty = np.flatnonzero(ids == "")
    if empty.size:
        raise _missing(table, name, int(empty[0]), remedy)
    return ids


def values_in(table: Table, name: str, what: str) -> NDArray[Any]:
    """A column of names or numbers, None where one is missing; whole floats are integers."""
    import pyarrow as pa

    column = _whole_column(table.names_in(name))
    try:
        words, codes = _words(column)
        listed = words.to_pylist()
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise InvalidType(
            f"{table.path}: column {shown(name)} has the type {type_name(column.type)}, which "
            f"cannot name a {what}. Use strings or integers."
        ) from None
    except (OverflowError, ValueError):
        raise InvalidInput(
            f"{table.path}: column {shown(name)} has a value of the type "
            f"{type_name(column.type)} that is too large to name a {what}. Use strings or integers."
        ) from None
    found = np.empty(len(words), dtype=object)
    found[:] = [None if word is None else _plain_id(word) for word in listed]
    values: NDArray[Any] = found[codes]
    return values


def _plain_id(word: Any) -> Any:
    """A name as text or a number: 2.0 is 2, and a date is its text."""
    if isinstance(word, float) and word.is_integer():
        return int(word)
    return word if isinstance(word, (str, int, float)) else str(word)


def is_numeric(column: Any) -> bool:
    """Whether a column can hold scores."""
    return _is_number(_whole_column(column[:0]).type)


def floats_in(column: Any) -> Float64Array:
    """A column that can hold scores as it is, NaN where there is no number."""
    return _as_floats(_whole_column(column))


def type_name(kind: Any) -> str:
    """An Arrow type in a message; files name its parts as they like."""
    return harmless(str(kind))


def _whole_column(column: Any) -> Any:
    """One Arrow array; codes of numbers are replaced by the numbers."""
    import pyarrow as pa

    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(whole, pa.ExtensionArray):
        whole = whole.storage
    if pa.types.is_dictionary(whole.type) and not _is_text(whole.type):
        return _decoded(whole)
    return whole


def _decoded(column: Any) -> Any:
    """The values behind codes, where each takes no more room than a number does."""
    import pyarrow as pa

    kind = column.type.value_type
    fixed = _is_number(kind) or pa.types.is_boolean(kind) or pa.types.is_temporal(kind)
    return column.dictionary_decode() if fixed else column


def _words(column: Any) -> Words:
    """Distinct values and codes of a column in which nothing is missing."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        coded = column.dictionary_encode(null_encoding="encode")
        return Words(coded.dictionary, np.asarray(coded.indices.to_numpy(zero_copy_only=False)))
    values, codes = _words(column.dictionary)  # a file may list a value twice
    return Words(values, codes[column.indices.to_numpy(zero_copy_only=False)])


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    view = getattr(pa.types, "is_string_view", None)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or (view and view(kind)))


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def _as_floats(column: Any) -> Float64Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_decimal(column.type):  # as text, since Arrow's own cast is off in the last digit
        column = pc.cast(pc.cast(column, pa.large_string()), pa.float64())
    return as_float64(np.asarray(column.to_numpy(zero_copy_only=False)), copy=True)


def _check_missing(table: Table, name: str, column: Any, remedy: str) -> None:
    """Whether every row has a value; what codes stand for may be missing as well."""
    import pyarrow as pa
    import pyarrow.compute as pc

    missing = None
    if column.null_count:
        missing = pc.is_null(column).to_numpy(zero_copy_only=False)
    elif pa.types.is_dictionary(column.type) and column.dictionary.null_count:
        words, codes = _words(column)
        missing = pc.is_null(words).to_numpy(zero_copy_only=False)[codes]
    if missing is not None and missing.any():
        raise _missing(table, name, int(np.argmax(missing)), remedy)


def _missing(table: Table, name: str, row: int, remedy: str) -> InvalidInput:
    return InvalidInput(f"{table.path} has no value in {table.place(row, name)}. {remedy}")


def _whole(table: Table, name: str, column: Any) -> NDArray[Any]:
    values = _as_floats(column)
    with np.errstate(invalid="ignore"):  # of signalling NaN
        wrong = np.flatnonzero(~(np.abs(values) < 2.0**63) | (values != np.rint(values)))
    if wrong.size:
        row = int(wrong[0])
        raise InvalidInput(
            f"{table.path} contains {values[row]} in {table.place(row, name)}. Class labels are "
            "strings or whole numbers: is this the column of true classes?"
        )
    return values.astype(np.int64)


def _parsed(table: Table, name: str, text: Words, remedy: str) -> Float64Array:
    """Text as numbers, since one bad cell makes a column of a CSV file text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    commas = table.decimal == ","
    words = _with_points(table, name, text) if commas else text.words.cast(pa.large_string())
    try:
        parsed = _as_floats(pc.cast(pc.utf8_trim_whitespace(words), pa.float64()))
        return np.take(parsed, text.codes)
    except pa.ArrowInvalid:
        pass
    listed = [str(word or "") for word in words.to_pylist()]
    empty = np.array([is_missing_word(word) for word in listed])
    wrong = np.array([not _is_decimal(word) for word in listed]) | empty
    rows = np.flatnonzero(wrong[text.codes])
    if rows.size:
        row, code = int(rows[0]), int(text.codes[rows[0]])
        if empty[code]:
            raise _missing(table, name, row, remedy)
        raise InvalidType(
            f"{table.path} contains {shown(listed[code])} in {table.place(row, name)}; "
            f"expected a number. {_number_hint(listed[code]) or remedy.replace(FILL, CORRECT)}"
        )
    parsed = np.array([float(word) if _is_decimal(word) else np.nan for word in listed])
    return np.take(parsed, text.codes)


def _with_points(table: Table, name: str, text: Words) -> Any:
    """Numbers with decimal commas as Arrow reads them; one with a point is an error."""
    import pyarrow as pa
    import pyarrow.compute as pc

    words = text.words.cast(pa.large_string())
    pointed = pc.match_substring(words, ".").to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(pointed[text.codes])
    if rows.size:
        row = int(rows[0])
        raise InvalidType(
            f"{table.path} contains {shown(words[int(text.codes[row])].as_py())} in "
            f'{table.place(row, name)}, a number with a point, but decimal="," is given. Write all '
            "numbers alike."
        )
    return pc.replace_substring(words, pattern=",", replacement=".")


def _number_hint(text: str) -> str:
    """What to do about a percentage, or about a number with a decimal comma."""
    share = text.strip(" ").removesuffix("%").strip(" ")
    if share != text.strip(" ") and _DECIMAL.fullmatch(share):
        return f"Write it as a plain number, {float(share) / 100:g} or {share}."
    if not _DECIMAL.fullmatch(text.strip(" ").replace(",", ".", 1)):
        return ""
    return 'Pass decimal="," where all numbers are written so, or write them with a decimal point.'


def _is_decimal(text: str) -> bool:
    """Whether a text is a number as files have them: Python's own rules allow 0.7_0 and ０.７."""
    return _DECIMAL.fullmatch(text.strip(" ")) is not None
