"""Groups of cases that belong together, such as the images of a patient, as numbers.

Folds are named in the same way, and read by the same rules.
"""

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import MOST_BITS, shown
from polyroc.errors import InvalidInput, InvalidType
from polyroc.predictions._containers import is_missing
from polyroc.predictions._frames import computed

FEW_GROUPS = 10
"""Fewer groups than this say little about how groups differ."""

MISSING_WORDS = frozenset({"", "na", "n/a", "nan", "<na>", "nat", "null", "none"})
"""Texts that stand for nothing: one group of all cases without a group would be invented."""


def read_groups(groups: Any) -> NDArray[np.intp]:
    """Groups as numbers from 0; a missing one is an error, and so are groups of several kinds."""
    return read_named(groups, "groups")[0]


def read_named(given: Any, what: str) -> tuple[NDArray[np.intp], list[Any]]:
    """What each case belongs to as numbers from 0, and the names of the numbers, in their order."""
    values = one_dimension(computed(given), what)
    if values.dtype.kind in "iuf":
        missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(0, dtype=bool)
        _check_given(missing, what)
        names, numbers = np.unique(values, return_inverse=True)
        return numbers, names.tolist()
    listed = values.tolist()
    _check_given(np.array([_is_nothing(value) for value in listed], dtype=bool), what)
    check_one_kind(listed, what)
    try:
        ordered = sorted(set(listed))
    except Exception:  # groups without an order or a hash, or lists, which are no names
        raise _no_groups(given, what) from None
    position = {value: number for number, value in enumerate(ordered)}
    return np.array([position[value] for value in listed], dtype=np.intp), ordered


def _check_given(missing: NDArray[np.bool_], what: str) -> None:
    if missing.any():
        raise missing_groups(np.flatnonzero(missing).tolist(), len(missing), what)


ADVICE = {
    "groups": "Name the group of every case; a case that belongs to no other gets a name of its "
    "own.",
    "folds": "Name the fold in which each case was held out.",
}


def missing_groups(rows: list[int], n_cases: int, what: str = "groups") -> InvalidInput:
    """An error that names the first few rows without a group, or without a fold."""
    more = f" and {len(rows) - 5} more" if len(rows) > 5 else ""
    places = f"row{'s' * (len(rows) > 1)} {', '.join(map(str, rows[:5]))}{more}"
    advice = ADVICE.get(what, ADVICE["groups"])
    return InvalidInput(f"{what} has a missing value in {places} of {n_cases}. {advice}")


def is_missing_word(value: str) -> bool:
    """Whether a text stands for nothing."""
    return value.strip().casefold() in MISSING_WORDS


def one_dimension(groups: Any, what: str, unit: str | None = None) -> NDArray[Any]:
    """Groups as an array, of objects where they are not all numbers; what is masked is None."""
    if isinstance(groups, np.ma.MaskedArray):
        given: Any = np.ma.getdata(groups).astype(object)
        given[np.ma.getmaskarray(groups)] = None
        groups = given
    try:
        values = _of_list(groups) if isinstance(groups, (list, tuple)) else np.asarray(groups)
    except Exception:
        raise _no_groups(groups, what) from None
    if values.ndim != 1:
        raise InvalidInput(
            f"{what} must have one {unit or what[:-1]} per case, got an array of shape "
            f"{values.shape}."
        )
    if values.dtype == object:
        _check_writable(values, what)
    if values.dtype.kind == "T":  # strings of variable length, which have no byte order
        return values.astype(object)
    return values.astype(values.dtype.newbyteorder("="), copy=False)  # pandas reads no other order


def _check_writable(values: NDArray[Any], what: str) -> None:
    if any(type(value) is int and value.bit_length() > MOST_BITS for value in values.tolist()):
        raise InvalidInput(f"{what} contains a number of thousands of digits. Pass text.")


def _of_list(groups: Any) -> NDArray[Any]:
    """As it is, since NumPy makes text of the number 1 beside "1", and 1 of True beside 1."""
    if set(map(type, groups)) <= {int, float} or any(np.ndim(value) for value in groups):
        return np.asarray(groups)
    listed = [value.item() if isinstance(value, np.generic) else value for value in groups]
    return np.fromiter(listed, dtype=object, count=len(listed))


def _is_nothing(value: Any) -> bool:
    return is_missing_word(value) if isinstance(value, str) else is_missing(value)


def check_one_kind(values: list[Any], what: str) -> None:
    """1 and "1" may be one patient or two: nobody can tell."""
    first: dict[str, tuple[int, Any]] = {}
    for row, value in enumerate(values):
        first.setdefault(_kind(value), (row, value))
    if len(first) > 1:
        (one, a), (other, b) = list(first.values())[:2]
        raise InvalidType(
            f"{what} must be strings or numbers, all of one kind, got "
            f"{shown(a)} in row {one} and {shown(b)} in row {other}. Convert all to strings."
        )


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    for kind, name in ((Real, "number"), (str, "text"), (bytes, "bytes")):
        if isinstance(value, kind):
            return name
    return type(value).__name__


def _no_groups(given: Any, what: str) -> InvalidType:
    return InvalidType(f"{what} must be strings or numbers, all of one kind, got {shown(given)}.")
