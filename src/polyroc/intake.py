"""Other people's containers → plain arrays: lists, arrays, pandas, polars and torch objects.

Nothing here judges the values; :mod:`polyroc.predictions` does. Optional libraries are recognised
by the module of the object's type, so none of them is imported.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc.errors import InvalidInput, InvalidType
from polyroc.typing import FloatArray, Label


def _library(values: object) -> str:
    return type(values).__module__.partition(".")[0]


def _plain(values: Any, what: str) -> Any:
    """A torch tensor as an array; everything else as it is."""
    if _library(values) != "torch":
        return values
    if values.device.type != "cpu":
        raise InvalidType(
            f"{what} is a tensor on the device {str(values.device)!r}; expected one on the CPU. "
            f"Pass {what}.cpu()."
        )
    values = values.detach()
    return (values.float() if str(values.dtype) == "torch.bfloat16" else values).numpy()


def read_scores(y_score: Any) -> tuple[FloatArray, tuple[Any, ...] | None]:
    """Scores as a float32 or float64 array, a view where possible, and the names of its columns."""
    names = _column_names(y_score)
    try:
        scores = np.asarray(_plain(y_score, "y_score"))
    except ValueError as error:
        raise InvalidInput(
            f"y_score is not a rectangular table of numbers ({error}). "
            "Pass one row of scores per case, all of the same length."
        ) from None
    if scores.dtype == np.float16:
        scores = scores.astype(np.float32)
    elif scores.dtype not in (np.float32, np.float64):
        scores = _as_float64(scores)
    if not scores.dtype.isnative:
        scores = scores.astype(scores.dtype.newbyteorder("="))
    return scores, names


def _as_float64(scores: NDArray[Any]) -> FloatArray:
    if scores.dtype.kind in "biuf" or scores.dtype == object:
        try:
            return scores.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidType(
                f"y_score holds values that are not numbers ({error}). Pass scores as numbers."
            ) from None
    raise InvalidType(f"y_score has the type {scores.dtype}; expected numbers.")


def _column_names(y_score: Any) -> tuple[Any, ...] | None:
    """Names of a frame's columns, or None where the frame only counts its columns."""
    columns = getattr(y_score, "columns", None)
    if columns is None or _library(y_score) not in ("pandas", "polars"):
        return None
    names = tuple(_label(name) for name in columns)
    unnamed = names == tuple(range(len(names))) or names == tuple(
        f"column_{index}" for index in range(len(names))
    )
    return None if unnamed else names


def read_labels(y_true: Any, what: str = "y_true") -> tuple[NDArray[Any], tuple[Label, ...] | None]:
    """Labels as an integer, boolean or object array, and the categories where the type has some.

    Objects are Python strings, integers or booleans. Missing labels are an error.
    """
    categories = _categories(y_true)
    values = _label_array(_plain(y_true, what), what)
    if values.ndim != 1:
        raise InvalidInput(
            f"{what} must have one label per case, got an array of shape {values.shape}. "
            "Pass class labels, not one-hot rows."
        )
    if values.dtype.kind in "iub":
        return values, categories
    if values.dtype.kind == "f":
        return _whole_numbers(values, what), categories
    return _objects(values.tolist(), what), categories


def _categories(y_true: Any) -> tuple[Label, ...] | None:
    """Categories of a pandas categorical or a polars Enum, in their order."""
    dtype = getattr(y_true, "dtype", None)
    ordered = (_library(y_true), type(dtype).__name__)
    if ordered not in (("pandas", "CategoricalDtype"), ("polars", "Enum")):
        return None
    return tuple(_label(category) for category in dtype.categories)  # type: ignore[union-attr]


def _label_array(values: Any, what: str) -> NDArray[Any]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InvalidType(f"{what} must be a sequence of labels, got {type(values).__name__}.")
    if isinstance(values, np.ndarray):
        return values
    if isinstance(values, Sequence):
        kinds = {type(value) for value in values}
        if not (kinds <= {int} or kinds <= {bool} or kinds <= {float}):
            array = np.empty(len(values), dtype=object)
            array[:] = values
            return array
    return np.asarray(values)


def _whole_numbers(values: NDArray[Any], what: str) -> NDArray[Any]:
    missing = np.flatnonzero(np.isnan(values))
    if missing.size:
        raise _missing(what, int(missing[0]))
    broken = np.flatnonzero(values != np.rint(values))
    if broken.size:
        row = int(broken[0])
        raise InvalidInput(
            f"{what} holds {values[row]} in row {row}, which is not a whole number. "
            "Class labels are strings, integers, booleans or floats with whole values."
        )
    return values.astype(np.int64)


def _objects(values: list[Any], what: str) -> NDArray[Any]:
    labels = np.empty(len(values), dtype=object)
    for row, value in enumerate(values):
        if isinstance(value, str):
            labels[row] = value
            continue
        if value is None or value != value or type(value).__name__ == "NAType":
            raise _missing(what, row)
        labels[row] = _label(value)
        if not isinstance(labels[row], (str, int)):
            raise InvalidType(
                f"{what} holds {value!r} of type {type(value).__name__} in row {row}. "
                "Class labels are strings, integers, booleans or floats with whole values."
            )
    return labels


def _missing(what: str, row: int) -> InvalidInput:
    return InvalidInput(
        f"{what} has a missing label in row {row}. Remove the row, or give it its true class."
    )


def _label(value: Any) -> Any:
    """A label as the Python object that it equals: numpy scalars unwrapped, 2.0 as 2."""
    if isinstance(value, np.generic):
        value = value.item()
    return int(value) if isinstance(value, float) and value.is_integer() else value


def read_weights(sample_weight: Any) -> NDArray[np.float64]:
    """Weights as a float64 array."""
    try:
        return np.asarray(_plain(sample_weight, "sample_weight"), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidType(
            f"sample_weight holds values that are not numbers ({error}). Pass one number per case."
        ) from None
