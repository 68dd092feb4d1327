"""Other people's containers → plain arrays: lists, arrays, frames, Arrow and torch objects.

What is refused here is what is no number or no label at all; :mod:`polyroc.predictions` judges the
values. What a container says beside its values is in :mod:`polyroc.predictions._frames`.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import shown
from polyroc._storage.limits import memory_of_machine
from polyroc.errors import InvalidInput, InvalidType, PolyrocError
from polyroc.predictions._frames import (
    ColumnNames,
    categories_of,
    column_names,
    computed,
    frame_columns,
    library_of,
)
from polyroc.predictions._names import BEYOND_INT64, as_label
from polyroc.typing import FloatArray, Label

_MISSING = ("NAType", "NaTType", "MaskedConstant")
_NO_NUMBERS = (str, bytes, bytearray, np.datetime64, np.timedelta64)
_MANY = 1 << 28
"""So many labels surely fit into memory."""

_KINDS = "Class labels are strings, integers, booleans or floats with whole values."


def place(index: Sequence[int], names: Sequence[Any] | None = None) -> str:
    """Where a value stands, in words; columns by name where they have names."""
    row, *column = (int(each) for each in index)
    if not column:
        return f"row {row}"
    named = repr(names[column[0]]) if names is not None else ", ".join(map(str, column))
    return f"row {row}, column {named}"


def _plain(values: Any, what: str) -> Any:
    """A torch tensor as an array, a Dask collection computed; everything else as it is."""
    values = computed(values)
    if library_of(values) != "torch" or not hasattr(values, "detach"):
        return values
    if values.device.type != "cpu":
        raise InvalidType(
            f"{what} is a tensor on the device {str(values.device)!r}; expected one on the CPU. "
            f"Pass {what}.cpu()."
        )
    if str(values.layout) != "torch.strided":
        raise InvalidType(
            f"{what} is a tensor with the layout {values.layout}; expected a dense one. "
            f"Pass {what}.to_dense()."
        )
    values = values.detach().resolve_conj().resolve_neg()
    return (values.float() if str(values.dtype) == "torch.bfloat16" else values).numpy()


def _as_array(values: Any, what: str) -> NDArray[Any]:
    """``np.asarray`` with our errors in place of those of all the libraries behind it."""
    try:
        return np.asarray(_plain(values, what))
    except PolyrocError:
        raise
    except ValueError as error:
        raise InvalidInput(
            f"{what} is not a rectangular table of numbers ({error}). "
            "Pass rows that all have the same length."
        ) from None
    except BaseException as error:
        panicked = type(error).__name__ == "PanicException"  # of polars 1, which is no Exception
        if not (panicked or isinstance(error, Exception)):
            raise
        raise InvalidType(
            f"{what} cannot be read as an array ({str(error).rstrip('.')}). Convert it to one."
        ) from None


# Numbers


def read_scores(y_score: Any, what: str = "y_score") -> tuple[FloatArray, ColumnNames | None]:
    """Scores as a float32 or float64 array, a view where possible, and the names of its columns."""
    if isinstance(y_score, Mapping):
        raise _mapping(y_score, what)
    y_score = computed(y_score)
    columns = column_names(y_score)
    scores = read_numbers(y_score, what, None if columns is None else columns.names)
    if scores.dtype == np.float16:
        scores = scores.astype(np.float32)
    elif scores.dtype not in (np.float32, np.float64):
        scores = as_float64(scores)
    if not scores.dtype.isnative:
        scores = scores.astype(scores.dtype.newbyteorder("="))
    return scores, columns


def _mapping(given: Mapping[Any, Any], what: str) -> InvalidType:
    """Several models, or columns by name, in place of one table."""
    names = ", ".join(shown(name) for name in list(given)[:3])
    more = ", …" if len(given) > 3 else ""
    return InvalidType(
        f"{what} is a mapping with the keys {names}{more}; expected the scores of one model. "
        f"polyroc.compare(y_true, {what}) compares the models of a mapping; a mapping of columns "
        f"becomes a table by pandas.DataFrame({what})."
    )


def read_weights(sample_weight: Any, what: str = "sample_weight") -> NDArray[np.float64]:
    """Weights as a float64 array."""
    return as_float64(read_numbers(sample_weight, what))


def read_numbers(values: Any, what: str, names: Sequence[Any] | None = None) -> NDArray[Any]:
    """An array of real numbers of any type; missing ones are NaN, everything else an error."""
    _check_masks(values, what, names)
    array = _as_array(values, what)
    if array.dtype == object:
        return _object_numbers(array, values, what, names)
    if array.dtype.kind not in "biuf":
        raise InvalidType(f"{what} has the type {array.dtype}; expected numbers.")
    return array


def as_float64(numbers: NDArray[Any], copy: bool = False) -> NDArray[np.float64]:
    """Numbers as float64: a long double beyond it is infinite, a signalling NaN is NaN."""
    with np.errstate(over="ignore", invalid="ignore"):
        return numbers.astype(np.float64, copy=copy)


def _check_masks(values: Any, what: str, names: Sequence[Any] | None) -> None:
    """Whether nothing is masked, in an array or in the rows of a list: NumPy would use it."""
    if isinstance(values, np.ma.MaskedArray):
        masked = np.argwhere(np.ma.getmaskarray(values))
        if masked.size:
            raise _masked(masked[0].tolist(), what, names)
    elif isinstance(values, (list, tuple)):
        for number, row in enumerate(values):
            if isinstance(row, np.ma.MaskedArray) and np.ma.getmaskarray(row).any():
                inside = np.argwhere(np.ma.getmaskarray(row))[0].tolist()
                raise _masked([number, *inside], what, names)


def _masked(index: list[int], what: str, names: Sequence[Any] | None) -> InvalidInput:
    return InvalidInput(
        f"{what} is masked in {place(index, names)}. Remove the case, or fill in its value."
    )


def _object_numbers(
    array: NDArray[Any], given: Any, what: str, names: Sequence[Any] | None
) -> NDArray[np.float64]:
    """Python numbers as float64; the first object that is none is named with its place."""
    if array.ndim == 0:
        dense = f" Pass {what}.toarray()." if hasattr(given, "toarray") else ""
        raise InvalidType(f"{what} is of type {type(given).__name__}; expected numbers.{dense}")
    flat = array.ravel().tolist()
    if all(issubclass(kind, (Real, Decimal, np.bool_)) for kind in set(map(type, flat))):
        try:
            return as_float64(array)
        except (OverflowError, ValueError):
            pass  # found and named below
    numbers = np.empty(array.size)
    for position, value in enumerate(flat):
        try:
            numbers[position] = _real(value)
        except Exception as error:
            index = place([int(i) for i in np.unravel_index(position, array.shape)], names)
            raise _no_number(value, what, index, error) from None
    return numbers.reshape(array.shape)


def _real(value: Any) -> float:
    if type(value) is float:
        return value
    if value is None or type(value).__name__ in _MISSING:
        return np.nan
    if isinstance(value, _NO_NUMBERS) or np.ndim(value):
        raise TypeError
    with np.errstate(over="ignore", invalid="ignore"):  # of long doubles, of signalling NaN
        return float(value)


def _no_number(value: Any, what: str, index: str, error: Exception) -> PolyrocError:
    if isinstance(error, OverflowError):
        return InvalidInput(f"{what} contains a number too large for float64 in {index}.")
    return InvalidType(
        f"{what} contains {shown(value)} of type {type(value).__name__} in {index}; expected a "
        "number."
    )


# Labels


def read_labels(y_true: Any, what: str = "y_true") -> tuple[NDArray[Any], tuple[Label, ...] | None]:
    """Labels as an integer, boolean or object array, and the categories where the type has some.

    Objects are Python strings, integers or booleans. Missing labels are an error.
    """
    y_true = computed(y_true)
    categories = categories_of(y_true)
    values = _label_array(y_true, what)
    if values.ndim != 1:
        raise InvalidInput(
            f"{what} must have one label per case, got an array of shape {values.shape}. "
            f"{_one_dimension(y_true, values, what)}"
        )
    if isinstance(y_true, np.ma.MaskedArray) and np.ma.getmaskarray(y_true).any():
        raise _missing(what, int(np.flatnonzero(np.ma.getmaskarray(y_true))[0]))
    if values.dtype.kind in "iub":
        return values, categories
    if values.dtype.kind == "f":
        return _whole_numbers(values, what), categories
    if values.dtype.kind in "mM":
        raise InvalidType(f"{what} has the type {values.dtype}. {_KINDS}")
    return _objects(values.tolist(), what), categories


def _one_dimension(y_true: Any, values: NDArray[Any], what: str) -> str:
    """What to pass in place of a table of labels."""
    columns, one_hot = frame_columns(y_true), _is_one_hot(values)
    if columns and one_hot:
        labels = f"{what}.idxmax(axis=1)" if hasattr(y_true, "idxmax") else "the name of its 1"
        return f"These are one-hot rows: pass the class of each row, {labels}."
    if columns:
        return f"Pass the column that contains the labels, such as {what}[{shown(columns[0])}]."
    if values.ndim == 2 and values.shape[1] == 1:
        return f"Pass its one column, {what}[:, 0]."
    if one_hot:
        return (
            "These are one-hot rows: pass the class of each row, such as "
            f"numpy.argmax({what}, axis=1)."
        )
    return "Pass class labels, not one-hot rows."


def _is_one_hot(values: NDArray[Any]) -> bool:
    """Whether each row has one 1 among zeros."""
    if values.ndim != 2 or values.shape[1] < 2 or values.dtype.kind not in "biuf":
        return False
    return bool(((values == 0) | (values == 1)).all() and (values.sum(axis=1) == 1).all())


def _label_array(values: Any, what: str) -> NDArray[Any]:
    """Labels as an array; lists become one of integers or floats only where nothing is lost."""
    no_sequence = InvalidType(f"{what} must be a sequence of labels, got {type(values).__name__}.")
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise no_sequence
    if isinstance(values, Sequence):
        _check_fits(len(values), what)
        kinds = {type(value) for value in values}
        if kinds <= {int} or kinds <= {bool} or kinds <= {float}:
            array = np.asarray(values)
            if array.dtype.kind != "f" or kinds <= {float}:
                return array
        return np.fromiter(values, dtype=object, count=len(values))
    array = _as_array(values, what)
    if array.ndim == 0 and not hasattr(values, "shape"):
        raise no_sequence
    return array


def _check_fits(n_labels: int, what: str) -> None:
    """Whether so many labels can be in memory, before they are gone through one by one."""
    if n_labels > _MANY and 8 * n_labels > memory_of_machine():
        raise InvalidInput(
            f"{what} has {n_labels:,} labels, which do not fit into memory. Pass fewer at a time."
        )


def _whole_numbers(values: NDArray[Any], what: str) -> NDArray[Any]:
    missing = np.flatnonzero(np.isnan(values))
    if missing.size:
        raise _missing(what, int(missing[0]))
    broken = np.flatnonzero((values != np.rint(values)) | (np.abs(values) >= BEYOND_INT64))
    if broken.size:
        row = int(broken[0])
        beyond = np.isfinite(values[row]) and abs(values[row]) >= BEYOND_INT64
        raise InvalidInput(
            f"{what} contains {values[row]} {_position(what, row)}, which is "
            f"{'too large for an integer of 64 bits' if beyond else 'not a whole number'}. {_KINDS}"
        )
    return values.astype(np.int64)


def _objects(values: list[Any], what: str) -> NDArray[Any]:
    labels = np.empty(len(values), dtype=object)
    if set(map(type, values)) <= {str}:
        labels[:] = values
        return labels
    for row, value in enumerate(values):
        if not isinstance(value, str) and is_missing(value):
            raise _missing(what, row)
        labels[row] = as_label(value)
        if not isinstance(labels[row], (str, int)):
            raise InvalidType(
                f"{what} contains {shown(value)} of type {type(value).__name__} "
                f"{_position(what, row)}. {_KINDS}"
            )
    return labels


def is_missing(value: Any) -> bool:
    """Whether a value stands for nothing: None, NaN, NA, NaT or masked."""
    if value is None or type(value).__name__ in _MISSING:
        return True
    try:
        return bool(value != value)
    except Exception:  # an array, a signalling NaN: no label either
        return False


def _position(what: str, row: int) -> str:
    return f"in row {row}" if what == "y_true" else f"at position {row}"


def _missing(what: str, row: int) -> InvalidInput:
    mending = {"y_true": "Remove the row, or give it its true class."}.get(
        what, "Name every class."
    )
    return InvalidInput(f"{what} has a missing label {_position(what, row)}. {mending}")
