"""Which classes there are, which column belongs to each, and labels as positions among them."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.errors import InvalidInput
from polyroc.options import shown
from polyroc.predictions._containers import read_labels
from polyroc.typing import Absent, IntArray, Label, LabelsLike

_COLUMN_NAMES = "the column names of y_score"
_WHOLE = re.compile(r"([+-]?)0*([0-9]{1,40})(?:\.0*)?")
_MOST = 10**40
"""Larger integers are not looked for among spellings; the largest cannot be spelled at all."""


class Declared(NamedTuple):
    """The classes in order, with the column of each."""

    classes: tuple[Label, ...]
    columns: tuple[int, ...]
    by_columns: bool = False
    """Whether the names of the columns say which classes there are."""

    def columns_of(self, present: NDArray[np.intp]) -> tuple[int, ...]:
        """Columns of some of the classes; the only one where there is one for two classes."""
        return self.columns if len(self.columns) == 1 else tuple(self.columns[k] for k in present)

    def classes_without(self, present: NDArray[np.intp]) -> tuple[Label, ...]:
        """The other classes."""
        kept = set(present.tolist())
        return tuple(label for k, label in enumerate(self.classes) if k not in kept)


def declared_classes(
    labels: LabelsLike | None,
    names: tuple[Any, ...] | None,
    categories: tuple[Label, ...] | None,
    values: NDArray[Any],
    n_columns: int,
) -> Declared:
    """The classes in order, by the first of: labels, column names, categories, what occurs."""
    if n_columns == 1:
        names = None
    if names is not None:
        _check_repeated(names, _COLUMN_NAMES)
    if labels is not None:
        classes, source = tuple(read_labels(labels, "labels")[0].tolist()), "labels"
    elif names is not None:
        classes, source = _named_classes(names, values), _COLUMN_NAMES
    elif categories is not None:
        classes, source = categories, "the categories of y_true"
    else:
        classes, source = _distinct(values), "y_true"
    _check_repeated(classes, source)
    _check_number(classes, source, n_columns)
    if names is None or labels is None:
        return Declared(classes, tuple(range(n_columns)), source == _COLUMN_NAMES)
    return Declared(classes, _columns_of(classes, names))


def classes_of(y_true: LabelsLike, labels: LabelsLike | None = None) -> tuple[Label, ...]:
    """The classes that labels alone declare: as given, else the categories, else what occurs."""
    if labels is not None:
        return tuple(read_labels(labels, "labels")[0].tolist())
    values, categories = read_labels(y_true)
    return _distinct(values) if categories is None else categories


def listed(labels: Iterable[Any], most: int = 10) -> str:
    """Labels in a message, the first few of many."""
    labels = list(labels)
    text = ", ".join(shown(label) for label in labels[:most])
    return text + (f" and {len(labels) - most} more" if len(labels) > most else "")


def _check_repeated(labels: tuple[Any, ...], source: str) -> None:
    repeated = sorted(shown(label) for label, count in Counter(labels).items() if count > 1)
    if repeated:
        start = source[0].upper() + source[1:] if source.startswith("the") else source
        raise InvalidInput(
            f"{start} name {', '.join(repeated)} more than once. Name each class once."
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
    return sorted(set(values.tolist()), key=lambda label: (isinstance(label, str), label))


def _distinct(values: NDArray[Any]) -> tuple[Label, ...]:
    """The distinct labels, which must be of one kind to have an order."""
    occurring = _occurring(values)
    if occurring and isinstance(occurring[0], str) != isinstance(occurring[-1], str):
        raise InvalidInput(
            f"y_true mixes strings and numbers, for instance {shown(occurring[-1])} and "
            f"{shown(occurring[0])}. Use one kind of label."
        )
    return tuple(occurring)


# Columns with names. A name stands for the label that it equals, or else for the one that is
# spelled as it is: "2", "2.0" and 2 are spelled alike. Where two are, only equality counts.


def _spelling(value: Any) -> Any:
    if isinstance(value, int) and abs(value) >= _MOST:
        return value
    whole = _WHOLE.fullmatch(str(value))
    return f"{whole[1].strip('+')}{whole[2]}" if whole else str(value)


def _by_spelling(values: Iterable[Any]) -> dict[Any, Any]:
    """Values by how they are spelled, those without those spelled alike."""
    values = list(values)
    counts = Counter(map(_spelling, values))
    return {_spelling(value): value for value in values if counts[_spelling(value)] == 1}


def _named_classes(names: tuple[Any, ...], values: NDArray[Any]) -> tuple[Label, ...]:
    """The classes that the columns are named after; a class need not have cases."""
    occurring = _occurring(values)
    equal, spelled = {label: label for label in occurring}, _by_spelling(occurring)
    unique = _by_spelling(names)
    classes, matched = [], False
    for name in names:
        spelling = _spelling(name)
        if name in equal:
            classes.append(equal[name])
        elif spelling in spelled and spelling in unique:
            classes.append(spelled[spelling])
        else:
            classes.append(_of_the_kind(name, occurring))
            continue
        matched = True
    if not matched:
        raise InvalidInput(
            f"The columns of y_score are named {listed(names)}, but the labels of y_true are "
            f"{listed(occurring)}. Rename the columns after the labels, or pass an array of the "
            "scores with labels= in the order of its columns."
        )
    return tuple(classes)


def _of_the_kind(name: Any, occurring: list[Label]) -> Any:
    """The name of a class without cases as a label like those that occur."""
    if all(isinstance(label, str) for label in occurring):
        return str(name) if isinstance(name, int) and abs(name) < _MOST else name
    whole = isinstance(name, str) and _WHOLE.fullmatch(name)
    return int(_spelling(name)) if whole else name


def _columns_of(classes: tuple[Label, ...], names: tuple[Any, ...]) -> tuple[int, ...]:
    """The column of each class, by its name."""
    position = {name: column for column, name in enumerate(names)}
    spelled, unique = _by_spelling(names), _by_spelling(classes)

    def column(label: Label) -> int | None:
        if label in position:
            return position[label]
        spelling = _spelling(label)
        return position[spelled[spelling]] if spelling in spelled and spelling in unique else None

    columns = [column(label) for label in classes]
    unmatched = [label for label, k in zip(classes, columns, strict=True) if k is None]
    if unmatched:
        raise InvalidInput(
            f"y_score has no column for {listed(unmatched)}; its columns are {listed(names)}. "
            "Name the columns as the classes, or pass an array."
        )
    return tuple(k for k in columns if k is not None)


# Labels as positions


def encode(values: NDArray[Any], declared: Declared) -> IntArray:
    """Position of each label in the classes; labels that are not there are an error."""
    classes = declared.classes
    if values.dtype != object and all(isinstance(label, int) for label in classes):
        codes = _encode_integers(values.view(np.uint8) if values.dtype == bool else values, classes)
    else:
        position = {label: k for k, label in enumerate(classes)}
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
