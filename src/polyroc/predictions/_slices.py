"""Slices: parts of the cases by attributes such as sex, site or device.

An attribute is a column of values, and its slices are the cases that share a value. A missing value
says something of a case too, so these cases are a slice of their own and never left out.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import name_of, reason_of, shown
from polyroc.errors import InvalidInput, InvalidType
from polyroc.predictions._frames import computed, frame_columns, library_of, row_labels
from polyroc.predictions._groups import MISSING_WORDS, check_one_kind, one_dimension

MISSING = "(missing)"
"""The slice of the cases without a value."""

MOST_NUMBERS = 50
"""Slices of an attribute of numbers: with more, it is a measurement and wants bins."""

MOST_SLICES = 200
"""Slices of any attribute."""

NO_VALUE = MISSING_WORDS - {"none"}
"""Texts that stand for nothing; "none" may well be an answer, such as no treatment."""


class Attribute(NamedTuple):
    """The slice of each case as a number from 0, and the names of the slices in their order."""

    name: str
    numbers: NDArray[np.intp]
    slices: tuple[Any, ...]

    def of(self, rows: NDArray[np.intp] | None) -> "Attribute":
        """Of some of the cases; slices without any are left out."""
        if rows is None:
            return self
        there, numbers = np.unique(self.numbers[rows], return_inverse=True)
        return Attribute(self.name, numbers, tuple(self.slices[s] for s in there.tolist()))

    def rows(self) -> list[NDArray[np.intp]]:
        """The cases of each slice, in the order in which they were given."""
        small = self.numbers.astype(np.uint8 if len(self.slices) <= 256 else np.uint16)
        order = np.argsort(small, kind="stable")
        counts = np.bincount(self.numbers, minlength=len(self.slices))
        return np.split(order, np.cumsum(counts)[:-1])


def same_slices(slices: tuple[Attribute, ...] | None, others: tuple[Attribute, ...] | None) -> bool:
    """Whether two lists of attributes say the same of the cases."""
    if slices is None or others is None:
        return slices is others
    return len(slices) == len(others) and all(
        (one.name, one.slices) == (other.name, other.slices)
        and np.array_equal(one.numbers, other.numbers)
        for one, other in zip(slices, others, strict=True)
    )


def given_attributes(by: Any, what: str) -> dict[str, Any]:
    """Columns by the names of their attributes: of one column, a mapping or a frame."""
    by = computed(by)
    columns = dict(_columns(by, what))
    if not columns:
        raise InvalidInput(f"{what} has no columns. Pass at least one attribute of the cases.")
    return columns


def _columns(by: Any, what: str) -> Iterator[tuple[str, Any]]:
    if isinstance(by, Mapping):
        for name, values in by.items():
            yield name_of(name, f"Each attribute of {what}"), computed(values)
        return
    names = frame_columns(by) if getattr(by, "ndim", 2) == 2 else None
    if names is None:
        name = getattr(by, "name", None)
        yield (
            ("slice" if name is None or name == "" else name_of(name, f"Each attribute of {what}")),
            by,
        )
        return
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise InvalidInput(f"{what} has two columns {shown(repeated)}. Give each its own name.")
    pandas = library_of(by) == "pandas" or hasattr(by, "iloc")
    for place, name in enumerate(names):
        yield name_of(name, f"Each attribute of {what}"), by.iloc[:, place] if pandas else by[name]


def _times_as_text(column: NDArray[Any], told: str) -> NDArray[Any]:
    """Dates and durations as pandas writes them."""
    import pandas as pd

    try:
        return np.asarray(pd.Series(column).astype(str).to_numpy())
    except ValueError as error:  # also those that it calls out of bounds
        raise InvalidInput(
            f"{told} contains a time that cannot be read ({reason_of(error)}). Pass text."
        ) from None


def read_attribute(name: str, values: Any) -> Attribute:
    """The slices of one attribute, missing values the last of them."""
    import pandas as pd

    told = f"Attribute {shown(name)}"
    column = one_dimension(_without_categories(values), told, unit="value")
    if column.dtype.kind in "mM":
        column = _times_as_text(column, told)
    try:
        numbers, found = pd.factorize(column, use_na_sentinel=True)
    except Exception:  # lists, which are no names, and objects that cannot be compared
        raise InvalidType(f"{told} must contain strings or numbers, got {shown(values)}.") from None
    listed = [_plain(value) for value in found.tolist()]
    nothing = np.array([isinstance(v, str) and v.strip().casefold() in NO_VALUE for v in listed])
    named = [value for value, no in zip(listed, nothing, strict=True) if not no]
    _check_names(name, named, column.dtype.kind)
    ordered = _ordered(name, named, values)
    position = {value: place for place, value in enumerate(ordered)}
    places = [len(ordered) if no else position[v] for v, no in zip(listed, nothing, strict=True)]
    table = np.array([*places, len(ordered)], dtype=np.intp)  # the last: a sentinel of −1
    numbers = table[numbers]
    missing = bool((numbers == len(ordered)).any())
    return Attribute(name, numbers, (*ordered, MISSING) if missing else tuple(ordered))


def _without_categories(values: Any) -> Any:
    """A categorical as its values, which NumPy makes of it where it is not one of pandas."""
    return values.to_numpy() if hasattr(values, "to_numpy") else values


def _plain(value: Any) -> Any:
    """A whole number that a missing value beside it made a float, as a whole number."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


def _ordered(name: str, values: list[Any], given: Any) -> list[Any]:
    """In the order of the categories, where there are some, or sorted."""
    categories = getattr(getattr(given, "dtype", None), "categories", None)
    if categories is not None:
        there = set(values)
        return [value for value in map(_plain, categories) if value in there]
    try:
        return sorted(values)
    except Exception:  # what objects of the caller raise when they are compared
        raise InvalidType(
            f"The values of attribute {shown(name)} have no order, such as {shown(values[0])}. "
            "Pass strings or numbers."
        ) from None


def _check_names(name: str, values: list[Any], kind: str) -> None:
    """Few enough to be slices, and all of one kind."""
    if any(isinstance(value, str) and value == MISSING for value in values):
        raise InvalidInput(
            f"Attribute {shown(name)} has the value {MISSING!r}, which is the name of the slice of "
            "missing values. Give it another name, or leave these values out (None)."
        )
    numeric = kind in "iuf" or (
        bool(values) and all(type(value) in (int, float) for value in values)
    )
    if numeric and len(values) > MOST_NUMBERS:
        raise InvalidInput(
            f"Attribute {shown(name)} is a number with {len(values):,} different values; at most "
            f"{MOST_NUMBERS} make slices. Bin it first, such as pandas.cut({name}, 4) or "
            f"pandas.qcut({name}, 4), or make strings of it if the numbers are names."
        )
    if len(values) > MOST_SLICES:
        raise InvalidInput(
            f"Attribute {shown(name)} has {len(values):,} different values, more than the "
            f"{MOST_SLICES} that can be slices. Join rare values into one first."
        )
    check_one_kind(values, f"Attribute {shown(name)}")


def row_labels_of(columns: Mapping[str, Any], what: str) -> dict[str, Any]:
    """What has an index among the columns, by what a message calls it."""
    return {
        what if len(columns) == 1 else f"{what}[{name!r}]": values
        for name, values in columns.items()
        if row_labels(values) is not None
    }
