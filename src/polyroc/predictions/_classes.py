"""Which classes there are, which column belongs to each, and labels as positions among them.

Nothing is matched by guess. Names of columns decide where there are some; ``labels=`` gives the
order of columns without names; without either it is the sorted order of the labels, unless
categories have another order: then nobody can tell, and it is an error.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput
from polyroc.predictions._containers import read_labels
from polyroc.predictions._frames import ColumnNames
from polyroc.predictions._names import Naming, of_the_kind
from polyroc.typing import Absent, IntArray, Label, LabelsLike

_COLUMN_NAMES = "the column names of y_score"


class Declared(NamedTuple):
    """The classes in order, with the column of each."""

    classes: tuple[Label, ...]
    columns: tuple[int, ...]
    by_columns: bool = False
    """Whether the names of the columns say which classes there are."""

    def columns_of(self, present: NDArray[np.intp]) -> tuple[int, ...]:
        """Columns of some of the classes; the only one where there is one for two classes."""
        return self.columns if len(self.columns) == 1 else tuple(self.columns[k] for k in present)

    def counted(self, present: NDArray[np.intp]) -> dict[str, tuple[Label, ...]]:
        """The classes that have cases, all that were declared, and those left out."""
        kept = set(present.tolist())
        return {
            "classes": tuple(self.classes[k] for k in present),
            "declared": self.classes,
            "skipped": tuple(label for k, label in enumerate(self.classes) if k not in kept),
        }


def declared_classes(
    labels: LabelsLike | None,
    columns: ColumnNames | None,
    categories: tuple[Label, ...] | None,
    values: NDArray[Any],
    n_columns: int,
) -> Declared:
    """The classes in order, by the first of: labels, column names, categories, what occurs."""
    given = None if labels is None else tuple(read_labels(labels, "labels")[0].tolist())
    names = _names_of_classes(columns, given, values, n_columns)
    if given is not None:
        classes, source = given, "labels"
    elif names is not None:
        classes, source = _named_classes(names, values), _COLUMN_NAMES
    elif categories is not None:
        classes, source = categories, "the categories of y_true"
    else:
        classes, source = _distinct(values), "y_true"
    _check_repeated(classes, source)
    _check_number(classes, source, n_columns)
    if source == "the categories of y_true":
        _check_sorted(classes)
    if n_columns == 1:
        _check_one_column(columns, classes)
    if names is None or given is None:
        return Declared(classes, tuple(range(n_columns)), source == _COLUMN_NAMES)
    return Declared(classes, columns_of(classes, names))


def _names_of_classes(
    columns: ColumnNames | None,
    given: tuple[Label, ...] | None,
    values: NDArray[Any],
    n_columns: int,
) -> tuple[Any, ...] | None:
    """The names of columns that are names of classes; None where columns have only numbers.

    0, 1, 2, … are names where every class is among them. Otherwise they are none if the container
    numbered the columns itself, or if no class is among them.
    """
    if columns is None or n_columns == 1:
        return None
    _check_repeated(columns.names, _COLUMN_NAMES)
    if columns.given and columns.names != tuple(range(len(columns.names))):
        return columns.names
    classes = _occurring(values) if given is None else list(given)
    named = set(Naming(classes).labels_of(columns.names)) - {None}
    known = len(named) == len(set(classes)) > 0
    return columns.names if known or (named and columns.given) else None


def _check_sorted(categories: tuple[Label, ...]) -> None:
    """Whether categories are in sorted order; columns without names may be in either."""
    ordered = in_order(categories)
    if list(categories) != ordered:
        raise InvalidInput(
            f"The categories of y_true are in the order {listed(categories)}, which is not their "
            f"sorted order {listed(ordered)}, and the columns of y_score have no names. Pass "
            f"labels={_as_list(categories)} if the columns are in the order of the categories, or "
            f"labels={_as_list(ordered)} if they are in sorted order, as scikit-learn's are."
        )


def _as_list(labels: Iterable[Label]) -> str:
    return shown(list(labels), 400)


def _check_one_column(columns: ColumnNames | None, classes: tuple[Label, ...]) -> None:
    """Whether the only column is not named after the class that it does not belong to."""
    if columns is None or not columns.given:
        return
    named = Naming(classes).label_of(columns.names[0])
    if named is not None and named == classes[0]:
        raise InvalidInput(
            f"The one column of y_score is named {shown(columns.names[0])}, but one column belongs "
            f"to the second class, {shown(classes[1])}. Pass labels={_as_list(classes[::-1])} if "
            f"it contains the scores of {shown(named)}, or an array if it does not."
        )


def classes_of(y_true: LabelsLike, labels: LabelsLike | None = None) -> tuple[Label, ...]:
    """The classes that labels alone declare: as given, else the categories, else what occurs."""
    if labels is not None:
        given = tuple(read_labels(labels, "labels")[0].tolist())
        _check_repeated(given, "labels")
        return given
    values, categories = read_labels(y_true)
    return _distinct(values) if categories is None else categories


def listed(labels: Iterable[Any], most: int = 10) -> str:
    """Labels in a message, the first few of many."""
    return some_of([shown(label) for label in labels], most)


def some_of(texts: Sequence[str], most: int = 10) -> str:
    """The first few of many texts, and how many more there are."""
    more = f" and {len(texts) - most:,} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def _check_repeated(labels: tuple[Any, ...], source: str) -> None:
    repeated = sorted(shown(label) for label, count in Counter(labels).items() if count > 1)
    if repeated:
        start = source[0].upper() + source[1:] if source.startswith("the") else source
        raise InvalidInput(
            f"{start} name {some_of(repeated)} more than once. Name each class once."
        )


def _check_number(classes: tuple[Label, ...], source: str, n_columns: int) -> None:
    if len(classes) < 2:
        raise _too_few(classes, source)
    if n_columns == len(classes) or (n_columns == 1 and len(classes) == 2):
        return
    raise InvalidInput(
        f"y_score has {n_columns} column{'s' * (n_columns != 1)} but {source} "
        f"{'has' if source == 'y_true' else 'have'} {len(classes)} classes: {listed(classes)}. "
        "Pass one column per class and name their classes in labels=."
    )


def _too_few(classes: tuple[Label, ...], source: str) -> InvalidInput:
    found = f"only {listed(classes)}" if classes else "none"
    if source == "labels":
        return InvalidInput(
            f"At least two classes are needed, but labels names {found}. "
            "Name the class of every column, or leave labels out."
        )
    return InvalidInput(
        f"At least two classes are needed, but {source} {'has' if source == 'y_true' else 'have'} "
        f"{found}. Name the classes without cases in labels=."
    )


# Classes that occur


def _occurring(values: NDArray[Any]) -> list[Label]:
    """The distinct labels, numbers before strings, each kind in order."""
    if values.dtype != object:
        occurring: list[Label] = np.unique(values).tolist()
        return occurring
    return in_order(set(values.tolist()))


def in_order(labels: Iterable[Label]) -> list[Label]:
    """Labels in sorted order, numbers before strings."""
    return sorted(labels, key=lambda label: (isinstance(label, str), label))


def _distinct(values: NDArray[Any]) -> tuple[Label, ...]:
    """The distinct labels, which must be of one kind to have an order."""
    occurring = _occurring(values)
    if occurring and isinstance(occurring[0], str) != isinstance(occurring[-1], str):
        raise InvalidInput(
            f"y_true mixes strings and numbers, for instance {shown(occurring[-1])} and "
            f"{shown(occurring[0])}. Use one kind of label."
        )
    return tuple(occurring)


# Columns with names


def _named_classes(names: tuple[Any, ...], values: NDArray[Any]) -> tuple[Label, ...]:
    """The classes that the columns are named after; a class need not have cases."""
    occurring = _occurring(values)
    found = Naming(occurring).labels_of(names)
    if all(label is None for label in found):
        raise InvalidInput(
            f"The columns of y_score are named {listed(names)}, but the labels of y_true are "
            f"{listed(occurring)}. Rename the columns after the labels, or pass an array of the "
            "scores with labels= in the order of its columns."
        )
    return tuple(
        of_the_kind(name, occurring) if label is None else label
        for name, label in zip(names, found, strict=True)
    )


def columns_of(
    classes: Iterable[Label], names: Iterable[Any], what: str = "y_score"
) -> tuple[int, ...]:
    """The column of each class, by its name; a class without one is an error, or with two."""
    classes, names = list(classes), list(names)
    places: dict[Label, list[int]] = {}
    for place, label in enumerate(Naming(classes).labels_of(names)):
        if label is not None:
            places.setdefault(label, []).append(place)
    unmatched = [label for label in classes if label not in places]
    if unmatched:
        raise InvalidInput(
            f"{what} has no column for {listed(unmatched)}; its columns are {listed(names)}. "
            "Name the columns as the classes, or pass an array."
        )
    for label, found in places.items():
        if len(found) > 1:
            several = listed(names[place] for place in found)
            raise InvalidInput(
                f"{what} has several columns for {shown(label)}: {several}. Name one of them after "
                "the class."
            )
    return tuple(places[label][0] for label in classes)


# Labels as positions


def positions(classes: Sequence[Label]) -> dict[Label, int]:
    """Where each class stands among all."""
    return {label: k for k, label in enumerate(classes)}


def encode(values: NDArray[Any], declared: Declared) -> IntArray:
    """Position of each label in the classes; labels that are not there are an error."""
    classes = declared.classes
    if values.dtype != object and all(isinstance(label, int) for label in classes):
        codes = _encode_integers(values.view(np.uint8) if values.dtype == bool else values, classes)
    else:
        position = positions(classes)
        codes = np.array([position.get(label, len(classes)) for label in values.tolist()])
    strays = np.flatnonzero(codes == len(classes))
    if strays.size:
        row = int(strays[0])
        raise _unknown(values[row : row + 1].tolist()[0], row, declared)
    return codes.astype(np.min_scalar_type(len(classes)), copy=False)


def _encode_integers(values: NDArray[Any], classes: tuple[Label, ...]) -> IntArray:
    """Through a table where the labels lie close together, else by search."""
    low, high = int(values.min()), int(values.max())
    inside = [(int(label), k) for k, label in enumerate(classes) if low <= int(label) <= high]
    if high - low > max(1 << 16, 4 * len(values)):
        return _search(values, sorted(inside), len(classes))
    table = np.full(high - low + 1, len(classes), dtype=np.min_scalar_type(len(classes)))
    for label, k in inside:
        table[label - low] = k
    if low != 0 and values.dtype.itemsize < 8:  # differences may not fit into the narrow type
        values = values.astype(np.int64)
    codes: IntArray = table[values if low == 0 else values - values.dtype.type(low)]
    return codes


def _search(values: NDArray[Any], inside: list[tuple[int, int]], unknown: int) -> IntArray:
    """``inside`` holds labels in ascending order, all within the type of the values."""
    if not inside:
        return np.full(len(values), unknown)
    known = np.array([label for label, _ in inside], dtype=values.dtype)
    order = np.array([k for _, k in inside])
    place = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.where(known[place] == values, order[place], unknown)


def _unknown(label: Label, row: int, declared: Declared) -> InvalidInput:
    if declared.by_columns:
        return InvalidInput(
            f"y_true has the label {shown(label)} in row {row}, but the columns of y_score are "
            f"named after the classes {listed(declared.classes)}. Correct the label, rename the "
            "columns, or pass an array of the scores with labels=."
        )
    return InvalidInput(
        f"y_true has the label {shown(label)} in row {row}, which is not among "
        f"the classes {listed(declared.classes)}. Correct the label, or add it to labels=."
    )


def present_classes(
    codes: IntArray, classes: tuple[Label, ...], absent: Absent
) -> NDArray[np.intp]:
    """Positions of the classes that have cases; the others are an error unless skipped."""
    counts = np.bincount(codes, minlength=len(classes))
    present = np.flatnonzero(counts)
    if len(present) == len(classes):
        return present
    missing = [classes[k] for k in np.flatnonzero(counts == 0)]
    if absent == "raise":
        plural = "es" * (len(missing) > 1)
        raise InvalidInput(
            f"The class{plural} {listed(missing)} {'have' if plural else 'has'} no cases. "
            'Pass absent="skip" to evaluate the other classes, or remove the column.'
        )
    if len(present) < 2:
        found = [shown(classes[k]) for k in present]
        raise InvalidInput(
            "At least two classes with cases are needed, but "
            f"{f'only {found[0]} has some' if found else 'none has any'}. "
            "Add cases of another class."
        )
    return present
