"""Which columns hold the scores of which class, for one model or several."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any

import numpy as np

from polyroc.errors import InvalidInput
from polyroc.options import shown
from polyroc.predictions._classes import listed
from polyroc.predictions._names import as_label
from polyroc.predictions._scores import SUM_TOLERANCE
from polyroc.readers.cells import is_numeric, numbers_in
from polyroc.readers.names import BEGINNINGS, SECOND_CLASS, is_named, names_in
from polyroc.readers.table import Table
from polyroc.typing import Label

ColumnsLike = Sequence[str] | Mapping[Any, str]
SEPARATORS = "_:-./ |"

MOST_DIGITS = 400
"""Of a number in a name."""

_EXTRA = 40
"""Signs by which a class in a name may be longer than it is by itself: 007.0 for 7."""

ColumnSet = dict[str, list[str]]
"""Columns with one beginning, by what follows it."""


@dataclass(frozen=True)
class Scores:
    """The classes in order; each model's columns: one per class, or one for the second of two."""

    labels: tuple[Label, ...]
    models: dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Search:
    """What is known before the columns of the scores are looked for."""

    table: Table
    candidates: tuple[str, ...]
    """Columns that have no other role."""
    occurring: tuple[Label, ...]
    """Labels that occur, in order."""
    labels: tuple[Label, ...] | None
    """Classes asked for."""

    @property
    def classes(self) -> tuple[Label, ...]:
        return self.labels or self.occurring

    @property
    def stem(self) -> str:
        """A model's name where the file gives none."""
        return PurePath(self.table.path).name.partition(".")[0] or "model"

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The classes as names of columns are compared with them."""
        return tuple(self.key(spelled(label)) for label in self.classes)

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """How many signs at the end of a name may stand for a class, the most first."""
        own = {len(key) for key in self.keys}
        if not self.are_words:
            own.update(range(max(own, default=0) + _EXTRA))
        return tuple(sorted(own, reverse=True))

    @cached_property
    def are_words(self) -> bool:
        """Whether labels are strings, which names hold exactly as they are."""
        return any(isinstance(label, str) for label in self.occurring)

    def key(self, name: str) -> str:
        """Strings are compared exactly; for numbers "01" and "1.0" are 1, for booleans any case."""
        if self.are_words:
            return name
        digits = name.removesuffix(".0")
        return str(int(digits)) if _is_whole(digits) else name.casefold()

    def as_labels(self, names: Iterable[str]) -> tuple[Label, ...]:
        """Names of classes as labels like those that occur."""
        known = {self.key(spelled(label)): label for label in self.classes}
        return tuple(known.get(self.key(name), self._of_kind(name)) for name in names)

    def _of_kind(self, name: str) -> Label:
        numbers = not any(isinstance(label, (str, bool)) for label in self.occurring)
        key = self.key(name)
        return int(key) if numbers and _is_whole(key) else name


def _is_whole(text: str) -> bool:
    """Whether a text is a whole number, of a length that may be meant as one."""
    digits = text.removeprefix("-")
    return len(digits) <= MOST_DIGITS and digits.isascii() and digits.isdecimal()


def spelled(label: Any) -> str:
    """A label as a column's name spells it."""
    return str(as_label(label))


# Columns that the user names


def named_scores(search: Search, columns: ColumnsLike) -> Scores:
    """The columns named, in the order of the classes or by class."""
    if isinstance(columns, Mapping):
        by_class = {search.key(spelled(label)): name for label, name in columns.items()}
        classes = search.labels or search.as_labels(spelled(label) for label in columns)
        unnamed = [label for label in classes if search.key(spelled(label)) not in by_class]
        if unnamed:
            raise InvalidInput(f"columns= names no column for the classes {listed(unnamed)}.")
        named = [by_class[search.key(spelled(label))] for label in classes]
        names = tuple(names_in(named, "columns"))
    else:
        form = "names of columns, or a mapping by class"
        names = tuple(names_in(columns, "columns", form))
        classes = search.labels or _classes_of_columns(search, names)
    if not names:
        raise InvalidInput("columns= names no columns. Name one per class, or leave it out.")
    search.table.check_has(names)
    if len(names) != len(classes) and (len(names), len(classes)) != (1, 2):
        raise InvalidInput(
            f"columns= names {len(names)} columns for the {len(classes)} classes "
            f"{listed(classes)}. Name one per class."
        )
    return Scores(classes, {search.stem: names})


def _classes_of_columns(search: Search, names: tuple[str, ...]) -> tuple[Label, ...]:
    """The classes in the order of the columns that are named after them."""
    if len(names) == 1:
        return _second(search, names[0])
    for beginning, found in _sets(search, names).items():
        if len(found) == len(names):
            return search.as_labels(name.removeprefix(beginning) for name in names)
    raise InvalidInput(
        f"The columns {listed(names)} do not say which of the classes {listed(search.occurring)} "
        "they belong to. Name the classes in the same order with labels=."
    )


def _second(search: Search, name: str) -> tuple[Label, ...]:
    """The classes with the one last that the only column is named after, if it is."""
    ends = {search.key(name[place:]) for place in _ends(name, search.lengths)}
    own = [label for label in search.occurring if search.key(spelled(label)) in ends]
    if len(own) != 1:
        return search.occurring
    return (*(label for label in search.occurring if label != own[0]), own[0])


# Columns that are guessed


def guessed_scores(search: Search) -> Scores:
    """The columns named after the classes, with a beginning that is the same for all of them."""
    sets = _sets(search, search.candidates)
    chosen = _chosen(search, list(sets))
    if not chosen:
        return _one_column(search)
    classes = {start: _classes_in(search, start, sets[start]) for start in chosen}
    if len({frozenset(each) for each in classes.values()}) > 1:
        raise InvalidInput(
            f"{search.table.path}: models have columns for different classes: "
            + "; ".join(f"{shown(start)} for {listed(classes[start])}" for start in chosen)
            + ". Name the classes with labels=."
        )
    labels = classes[chosen[0]]
    if len(labels) < 2:
        raise _too_few(search)
    models = {
        _model_name(search, start): tuple(_column(search, sets[start], each) for each in labels)
        for start in chosen
    }
    if len(models) < len(chosen):
        raise _ambiguous(search, chosen)
    return Scores(labels, models)


def _sets(search: Search, names: Sequence[str]) -> dict[str, ColumnSet]:
    """Sets of columns that begin alike and go on with every class.

    First the beginnings, from the names that end in a class, then all names that begin so: classes
    without cases are among them.
    """
    wanted, classes = set(search.keys), dict[str, set[str]]()
    for name in names:
        for end in _ends(name, search.lengths):
            key = search.key(name[end:])
            if key in wanted:
                classes.setdefault(name[:end], set()).add(key)
    complete = {start for start, found in classes.items() if wanted <= found}
    lengths = sorted({len(start) for start in complete})
    sets: dict[str, ColumnSet] = {}
    for name in names:
        for end in (length for length in lengths if length <= len(name)):
            if name[:end] in complete:
                found = sets.setdefault(name[:end], {})
                found.setdefault(search.key(name[end:]), []).append(name)
    return sets


def _ends(name: str, lengths: Iterable[int]) -> list[int]:
    """Where a beginning may end so that a class may follow: at once, or after a separator."""
    ends = (len(name) - length for length in lengths if length <= len(name))
    return [end for end in ends if end == 0 or name[end - 1] in SEPARATORS]


def _chosen(search: Search, beginnings: list[str]) -> list[str]:
    """Beginnings to use: the usual ones, else ``model:``, else any, which are models too."""
    plain = [start for start in beginnings if start in BEGINNINGS]
    models = [start for start in beginnings if start.endswith(":") and start not in plain]
    if len(plain) > 1 or (plain and models):
        raise _ambiguous(search, [*plain, *models])
    return plain or models or beginnings


def _classes_in(search: Search, beginning: str, found: ColumnSet) -> tuple[Label, ...]:
    """The classes in the order of their columns: also those without cases, lest K shrinks."""
    if search.labels is not None:
        return search.labels
    known = set(search.keys)
    own = [name for key, names in found.items() if key in known for name in names]
    rest = [name for key, names in found.items() if key not in known for name in names]
    if beginning == "" and not _complete_rows(search.table, own, rest):
        rest = []
    taken = {*own, *rest}
    ends = (name.removeprefix(beginning) for name in search.candidates if name in taken)
    return tuple(dict.fromkeys(search.as_labels(ends)))


def _complete_rows(table: Table, own: list[str], rest: list[str]) -> bool:
    """Whether columns that are named after no label are what rows lack to sum to 1."""
    used = [*own, *rest]
    if not rest or any(len(table.places[name]) > 1 for name in used):
        return False
    columns = [table.column(name) for name in rest]
    if any(column.null_count for column in columns) or not all(
        is_numeric(table.column(name)) for name in used
    ):
        return False
    sums = np.sum([numbers_in(table, name) for name in own], axis=0)
    total = sums + np.sum([column.to_numpy() for column in columns], axis=0)
    lacking = np.abs(sums - 1) > SUM_TOLERANCE
    return bool(lacking.any() and (np.abs(total - 1) <= SUM_TOLERANCE).all())


def _column(search: Search, found: ColumnSet, label: Label) -> str:
    names = found.get(search.key(spelled(label)), [])
    search.table.check_has(names[:1])
    if len(names) != 1:
        number = f"{len(names)} columns" if names else "no column"
        raise InvalidInput(
            f"{search.table.path}: there {'are' if names else 'is'} {number} for the class "
            f"{shown(label)}{': ' + listed(names) if names else ''}. Name the columns of the "
            "scores with columns=."
        )
    return names[0]


def _model_name(search: Search, beginning: str) -> str:
    name = beginning.strip(SEPARATORS)
    generic = beginning in BEGINNINGS or is_named(name, SECOND_CLASS)
    return search.stem if generic or not name else name


def _one_column(search: Search) -> Scores:
    """One column of scores for one of two classes; else an error that says what is missing."""
    classes, names = search.classes, search.candidates
    if len(classes) == 2:
        for label, other in (classes[::-1], classes):
            found = [start + spelled(label) for start in BEGINNINGS[1:]]
            found = [name for name in found if name in names]
            if len(found) == 1:
                return Scores((other, label), {search.stem: (found[0],)})
            models = [name for name in names if name.endswith(f":{spelled(label)}")]
            if models and not any(name.endswith(f":{spelled(other)}") for name in names):
                starts = [name.removesuffix(f":{spelled(label)}") for name in models]
                columns = ((name,) for name in models)
                return Scores((other, label), dict(zip(starts, columns, strict=True)))
        single = [name for name in names if is_named(name, SECOND_CLASS)]
        if len(single) == 1:
            return Scores(classes, {search.stem: (single[0],)})
    raise _not_found(search)


def _not_found(search: Search) -> InvalidInput:
    """What is missing: some of the classes, or all columns named after them."""
    path, classes, names = search.table.path, search.classes, search.candidates
    if len(classes) < 2:
        return _too_few(search)
    for start in BEGINNINGS:
        there = [label for label in classes if start + spelled(label) in names]
        if there:
            missing = [label for label in classes if label not in there]
            return InvalidInput(
                f"{path}: there is no column of scores for {listed(missing)}, but "
                f"{shown(start + spelled(there[0]))} for {shown(there[0])}. Correct the labels, "
                "or name the columns of the scores with columns=."
            )
    return InvalidInput(
        f"{path}: no columns are named after the classes {listed(classes, 5)}; the other columns "
        f"are {listed(names) or 'none'}. Name the columns of the scores with columns=, or another "
        "column of true classes with target=."
    )


def _too_few(search: Search) -> InvalidInput:
    return InvalidInput(
        f"{search.table.path}: at least two classes are needed, but there is only "
        f"{listed(search.classes)}. Choose another column with target=, or name all classes with "
        "labels=."
    )


def _ambiguous(search: Search, beginnings: list[str]) -> InvalidInput:
    first = spelled(search.classes[0])
    names = listed(start + first for start in beginnings)
    return InvalidInput(
        f"{search.table.path}: several sets of columns are named after the classes, with {names} "
        "for the first. Name the columns of the scores with columns=."
    )
