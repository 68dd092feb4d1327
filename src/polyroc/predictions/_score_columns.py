"""Which columns of a table with other columns, too, hold the scores of which class.

Columns are named after the classes, with a beginning that is the same for all of them: ``p_``, or
the name of a model. Files in memory, Parquet files of any size and Dask frames are all searched
here.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from polyroc._base.checks import did_you_mean, shown
from polyroc._base.wording import plural
from polyroc.errors import InvalidInput, InvalidType
from polyroc.predictions._classes import listed
from polyroc.predictions._completing import ROUNDED, are_complete, completing, named_alike
from polyroc.predictions._names import Naming, as_label, of_the_kind
from polyroc.typing import Float64Array, Label

ColumnsLike = Sequence[str] | Mapping[Any, str]
SEPARATORS = "_:-./ |"

BEGINNINGS = ("", "p_", "prob_", "proba_", "probability_", "score_", "p:", "prob:", "proba:")
"""What may stand before the name of a class where a table holds one model."""

SECOND_CLASS = ("score", "prob", "proba", "probability", "p", "y_score", "y_prob", "y_proba")
"""Names for one column of scores that belongs to the second of two classes."""

_SIMPLE = re.compile(r"[\w.-]{1,40}")
"""Names that need no quotes, in Python's braces and on a command line."""

_SHOWN = 10
"""Classes of which an example of an option names the columns."""

_EXTRA = 40
"""Signs by which a class in a name may be longer than it is by itself: 007.0 for 7."""


class ColumnSet(NamedTuple):
    """Columns with one beginning: of each class that is known, and the others."""

    own: dict[Label, list[str]]
    rest: list[str]


@dataclass(frozen=True)
class ScoreColumns:
    """The classes in order; each model's columns: one per class, or one for the second of two."""

    labels: tuple[Label, ...]
    models: dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Search:
    """What is known before the columns of the scores are looked for."""

    candidates: tuple[str, ...]
    """Columns that have no other role."""
    occurring: tuple[Label, ...]
    """Labels that occur, in order."""
    labels: tuple[Label, ...] | None
    """Classes asked for."""
    numbers: Callable[[Sequence[str]], dict[str, Float64Array]]
    """Those of some columns that are there once and hold numbers, NaN where one is missing."""
    check_there: Callable[[Sequence[str]], None]
    """Whether each of these columns is there once; else an error."""
    where: str = ""
    """What messages begin with."""
    stem: str = "model"
    """A model's name where the columns give none."""
    asked: str = "labels="
    """The option that names the classes."""

    def error(self, text: str) -> InvalidInput:
        """An error that says where."""
        return InvalidInput(self.where + text if self.where else text[:1].upper() + text[1:])

    @property
    def classes(self) -> tuple[Label, ...]:
        return self.labels or self.occurring

    @cached_property
    def naming(self) -> Naming:
        return Naming(self.classes)

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """How many characters at the end of a name may stand for a class, the most first."""
        own = {len(spelled(label)) for label in self.classes}
        if not any(isinstance(label, str) for label in self.classes):
            own.update(range(max(own, default=0) + _EXTRA))
        return tuple(sorted(own, reverse=True))

    def as_labels(self, names: Iterable[str]) -> list[Label]:
        """Names of classes as labels like those that occur."""
        names = list(names)
        found = self.naming.labels_of(names)
        return [
            of_the_kind(name, self.occurring) if label is None else label
            for name, label in zip(names, found, strict=True)
        ]


def spelled(label: Any) -> str:
    """A label as a column's name spells it."""
    return str(as_label(label))


def is_named(name: str, words: Sequence[str]) -> bool:
    """Whether a name is one of some words, whatever its case."""
    return name.strip().casefold().replace(" ", "_").replace("-", "_") in words


def names_in(names: Any, option: str, form: str = "names of columns") -> list[str]:
    """Names of columns as a list."""
    try:
        found = None if isinstance(names, str) else list(names)
    except Exception:  # no sequence, or one that cannot be gone through
        found = None
    if found is None:
        raise InvalidType(f"{option} must be {form}, got {shown(names)}.")
    for name in found:
        if not isinstance(name, str):
            raise InvalidType(f"Columns are named by strings, got {shown(name)}.")
    return found


# Columns that the user names


def named_scores(search: Search, columns: ColumnsLike) -> ScoreColumns:
    """The columns named, in the order of the classes or by class."""
    if isinstance(columns, Mapping):
        classes, names = _by_class(search, columns)
        search.check_there(names)
    else:
        form = "names of columns, or a mapping by class"
        names = tuple(names_in(columns, "columns", form))
        search.check_there(names)
        classes = search.labels or classes_of_columns(search, names)
    if not names:
        raise InvalidInput("columns= names no columns. Name one per class, or leave it out.")
    if search.labels and not isinstance(columns, Mapping):
        _check_said(search, names, classes)
    if len(names) != len(classes) and (len(names), len(classes)) != (1, 2):
        raise InvalidInput(
            f"columns= names {plural(len(names), 'column')} for the {len(classes)} classes "
            f"{listed(classes)}. Name one per class."
        )
    return ScoreColumns(classes, {search.stem: names})


def _check_said(search: Search, names: tuple[str, ...], classes: tuple[Label, ...]) -> None:
    """Whether columns in the order of the classes are not named after other ones of them."""
    try:
        said = classes_of_columns(search, names)[-len(names) :]
    except InvalidInput:
        return
    if len(names) == 1 and _named_after(search, names[0]) is None:
        return
    given = classes[-len(names) :]
    wrong = [k for k, (a, b) in enumerate(zip(said, given, strict=False)) if a != b]
    if wrong and set(said) <= set(classes):
        name, own, other = (shown(each[wrong[0]]) for each in (names, said, given))
        raise InvalidInput(
            f"columns= gives the column {name} to the class {other}, but it is named after {own}. "
            "Put the columns into the order of the classes, or give them by class."
        )


def _named_after(search: Search, name: str) -> Label | None:
    """The only class that a column is named after; None if there is none, or several."""
    ends = {search.naming.label_of(name[place:]) for place in _ends(name, search.lengths)}
    own = [label for label in search.occurring if label in ends]
    return own[0] if len(own) == 1 else None


def _by_class(
    search: Search, columns: Mapping[Any, str]
) -> tuple[tuple[Label, ...], tuple[str, ...]]:
    given = [as_label(label) for label in columns]
    keys = [
        of_the_kind(key, search.occurring) if label is None else label
        for key, label in zip(given, search.naming.labels_of(given), strict=True)
    ]
    by_class = dict(zip(keys, columns.values(), strict=True))
    classes = search.labels or tuple(by_class)
    unnamed = [label for label in classes if label not in by_class]
    if unnamed:
        which = "classes" if len(unnamed) > 1 else "class"
        raise InvalidInput(f"columns= names no column for the {which} {listed(unnamed)}.")
    return classes, tuple(names_in([by_class[label] for label in classes], "columns"))


def classes_of_columns(search: Search, names: tuple[str, ...]) -> tuple[Label, ...]:
    """The classes in the order of the columns that are named after them."""
    if len(names) == 1:
        return _second(search, names[0])
    for beginning, found in _sets(search, names).items():
        if sum(map(len, found.own.values())) + len(found.rest) == len(names):
            return tuple(search.as_labels(name.removeprefix(beginning) for name in names))
    raise InvalidInput(
        f"The columns {listed(names)} do not say which of the classes {listed(search.occurring)} "
        f"they belong to. Name the classes in the same order with {search.asked}."
    )


def _second(search: Search, name: str) -> tuple[Label, ...]:
    """The classes with the one last that the only column is named after, if it is."""
    own = _named_after(search, name)
    if own is None:
        return search.occurring
    return (*(label for label in search.occurring if label != own), own)


# Columns that are found by their names


def found_scores(search: Search) -> ScoreColumns:
    """The columns named after the classes, with a beginning that is the same for all of them."""
    sets = _sets(search, search.candidates)
    chosen = _chosen(search, list(sets))
    if not chosen:
        return _one_column(search)
    classes = {start: _classes_in(search, start, sets[start]) for start in chosen}
    if len({frozenset(each) for each in classes.values()}) > 1:
        raise search.error(
            "models have columns for different classes: "
            + "; ".join(f"{shown(start)} for {listed(classes[start])}" for start in chosen)
            + f". Name the classes with {search.asked}."
        )
    labels = classes[chosen[0]]
    if len(labels) < 2:
        raise _too_few(search)
    models = {
        _model_name(search, start): _columns(search, start, sets[start], labels) for start in chosen
    }
    if len(models) < len(chosen):
        raise _ambiguous(search, chosen)
    return ScoreColumns(labels, models)


def _sets(search: Search, names: Sequence[str]) -> dict[str, ColumnSet]:
    """Sets of columns that begin alike and go on with every class.

    First the beginnings, from the names that end in a class, then all names that begin so: classes
    without cases are among them.
    """
    wanted, classes = set(search.classes), dict[str, set[Label]]()
    for name in names:
        for end in _ends(name, search.lengths):
            label = search.naming.label_of(name[end:])
            if label is not None:
                classes.setdefault(name[:end], set()).add(label)
    complete = {start for start, found in classes.items() if wanted <= found}
    lengths = sorted({len(start) for start in complete})
    members: dict[str, list[str]] = {}
    for name in names:
        for end in (length for length in lengths if length <= len(name)):
            if name[:end] in complete:
                members.setdefault(name[:end], []).append(name)
    return {start: _column_set(search, start, found) for start, found in members.items()}


def _column_set(search: Search, start: str, names: list[str]) -> ColumnSet:
    found = ColumnSet({}, [])
    labels = search.naming.labels_of(name.removeprefix(start) for name in names)
    for name, label in zip(names, labels, strict=True):
        if label is None:
            found.rest.append(name)
        else:
            found.own.setdefault(label, []).append(name)
    return found


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
    own = [name for names in found.own.values() for name in names]
    rest = found.rest if beginning else []
    taken = {*own, *rest, *_without_cases(search, beginning, [*own, *rest])}
    ends = (name.removeprefix(beginning) for name in search.candidates if name in taken)
    return tuple(dict.fromkeys(search.as_labels(ends)))


def _without_cases(search: Search, beginning: str, taken: list[str]) -> list[str]:
    """Other columns that are classes; an error where nobody can tell which of them are."""
    own = search.numbers(taken)
    scores = np.column_stack([*own.values()]) if len(own) == len(taken) else None
    if scores is None or not np.isfinite(scores).all() or are_complete(scores):
        return []
    others = search.numbers([name for name in search.candidates if name not in taken])
    found = completing(scores, others)
    if len(found) > 1 or (found and beginning):
        raise _incomplete(search, taken, found)
    rounded = beginning or are_complete(scores, ROUNDED)
    alike = [] if rounded else named_alike(taken, list(others))
    return [*(found[0] if found else ()), *alike]


def _columns(
    search: Search, start: str, found: ColumnSet, labels: tuple[Label, ...]
) -> tuple[str, ...]:
    """The column of each class; those without cases are named after themselves."""
    others = dict(zip(_others(search, start, found), found.rest, strict=True))
    columns = []
    for label in labels:
        names = found.own.get(label) or ([others[label]] if label in others else [])
        search.check_there(names[:1])
        if len(names) != 1:
            number = f"{len(names)} columns" if names else "no column"
            raise search.error(
                f"there {'are' if names else 'is'} {number} for the class "
                f"{shown(label)}{': ' + listed(names) if names else ''}. Name the columns of the "
                "scores with columns=."
            )
        columns.append(names[0])
    return tuple(columns)


def _others(search: Search, start: str, found: ColumnSet) -> list[Label]:
    return [of_the_kind(name.removeprefix(start), search.occurring) for name in found.rest]


def _model_name(search: Search, beginning: str) -> str:
    name = beginning.strip(SEPARATORS)
    generic = beginning in BEGINNINGS or is_named(name, SECOND_CLASS)
    return search.stem if generic or not name else name


def _one_column(search: Search) -> ScoreColumns:
    """One column of scores for one of two classes; else an error that says what is missing."""
    classes, names = search.classes, search.candidates
    if len(classes) == 2:
        for label, other in (classes[::-1], classes):
            found = [start + spelled(label) for start in BEGINNINGS[1:]]
            found = [name for name in found if name in names]
            if len(found) == 1:
                return _of_one_class(search, label, other, {search.stem: found[0]})
            models = [name for name in names if name.endswith(f":{spelled(label)}")]
            if models and not any(name.endswith(f":{spelled(other)}") for name in names):
                starts = [name.removesuffix(f":{spelled(label)}") for name in models]
                return _of_one_class(search, label, other, dict(zip(starts, models, strict=True)))
        single = [name for name in names if is_named(name, SECOND_CLASS)]
        if len(single) == 1:
            return ScoreColumns(classes, {search.stem: (single[0],)})
    raise _not_found(search)


def _of_one_class(
    search: Search, label: Label, other: Label, models: dict[str, str]
) -> ScoreColumns:
    """Columns named after one of two classes; scores of a third class beside them are an error."""
    for name in models.values() if search.labels is None else ():
        start = name.removesuffix(spelled(label))
        beside = [each for each in search.candidates if each != name and each.startswith(start)]
        beside = list(search.numbers(beside))
        if beside:
            raise search.error(
                f"there is no column of scores for {shown(other)}, but {shown(name)} for "
                f"{shown(label)}, and {listed(beside, 5)} of other classes. Name all classes with "
                f"{search.asked}, or the columns of the scores with columns=."
            )
    return ScoreColumns((other, label), {model: (name,) for model, name in models.items()})


def _not_found(search: Search) -> InvalidInput:
    """What is missing: some of the classes, or all columns named after them."""
    classes, names = search.classes, search.candidates
    if len(classes) < 2:
        return _too_few(search)
    repeated = [name for name, count in Counter(names).items() if count > 1]
    search.check_there([name for name in repeated if _named_after(search, name) is not None])
    for start in BEGINNINGS:
        there = [label for label in classes if start + spelled(label) in names]
        if there:
            missing = [label for label in classes if label not in there]
            taken = [start + spelled(label) for label in there]
            near = did_you_mean(start + spelled(missing[0]), set(names).difference(taken))
            return search.error(
                f"there is no column of scores for {listed(missing)}, but {shown(taken[0])} for "
                f"{shown(there[0])}.{near} Correct the labels or the names of the columns, or name "
                "the columns of the scores with columns=."
            )
    return search.error(
        f"no columns are named after the classes {listed(classes, 5)}; the other "
        f"columns are {listed(names) or 'none'}. Name the column of each class, such as "
        f"{naming_option(classes, [*search.numbers(names)])}, or another column of true classes "
        "with target=."
    )


def naming_option(classes: Sequence[Label], names: Sequence[str] = ()) -> str:
    """How to name the column of each class, with the names that are there if they are as many.

    Examples
    --------
    >>> naming_option((0, 1), ["p_cat", "p_dog"])
    "columns={0: 'p_cat', 1: 'p_dog'}"
    >>> naming_option(range(5))
    'columns={0: …, 1: …, 2: …, …}'
    """
    fits = len(names) == len(classes) <= _SHOWN and all(map(_SIMPLE.fullmatch, names))
    simple = [label for label in classes if _SIMPLE.fullmatch(spelled(label))]
    if len(simple) < len(classes):
        return "columns={class: column, …}"
    columns = list(map(repr, names)) if fits else ["…"] * min(len(classes), 3)
    pairs = [f"{label!r}: {name}" for label, name in zip(classes, columns, strict=False)]
    more = ["…"] * (len(columns) < len(classes))
    return f"columns={{{', '.join([*pairs, *more])}}}"


def _incomplete(search: Search, own: list[str], found: list[tuple[str, ...]]) -> InvalidInput:
    """Rows that sum to 1 only together with columns that would not be used."""
    sets = ", or with ".join(listed(names, 5) for names in found[:4])
    return search.error(
        f"the scores in {listed(own, 5)} do not sum to 1, but do together with {sets}. Name all "
        f"classes with {search.asked}, also those without cases, and the column of each with "
        "columns=."
    )


def _too_few(search: Search) -> InvalidInput:
    return search.error(
        f"at least two classes are needed, but there is only "
        f"{listed(search.classes)}. Choose another column with target=, or name all classes with "
        f"{search.asked}."
    )


def _ambiguous(search: Search, beginnings: list[str]) -> InvalidInput:
    first = spelled(search.classes[0])
    names = listed(start + first for start in beginnings)
    return search.error(
        f"several sets of columns are named after the classes, with {names} "
        "for the first. Name the columns of the scores with columns=."
    )
