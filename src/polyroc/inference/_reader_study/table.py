"""A long table of readings, a row per case, reader and modality, checked and put in order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput, InvalidType
from polyroc.inference._reader_study.crossing import check_crossed, reading
from polyroc.predictions._classes import classes_of, listed
from polyroc.predictions._containers import read_labels, read_numbers
from polyroc.predictions._names import as_label
from polyroc.predictions._score_columns import BEGINNINGS
from polyroc.typing import Float64Array, Label, LabelsLike

if TYPE_CHECKING:
    import pandas as pd

ScoreColumns = Sequence[str] | Mapping[Any, str]


@dataclass(frozen=True)
class Roles:
    """Which column of a table is what."""

    case: str
    reader: str
    modality: str
    truth: str
    rating: str | None = None
    scores: ScoreColumns | None = None

    @property
    def ids(self) -> tuple[str, str, str]:
        """Columns that say which reading a row is."""
        return self.case, self.reader, self.modality


@dataclass(frozen=True, eq=False)
class Readings:
    """Scores of n cases by J readers under I modalities.

    Attributes
    ----------
    cases, readers, modalities : in sorted order.
    truth : (n,) true class of each case.
    classes : in order; with two of them the second is positive.
    scores : (I, J, n, K), or (I, J, n, 1) for ratings.
    """

    cases: tuple[Any, ...]
    readers: tuple[Any, ...]
    modalities: tuple[Any, ...]
    truth: NDArray[Any]
    classes: tuple[Label, ...]
    scores: Float64Array


def read_readings(table: Any, roles: Roles, labels: LabelsLike | None) -> Readings:
    """All readings of a table; what keeps it from being a fully crossed study is an error."""
    frame = _frame(table)
    score_names = _score_names(roles)
    _check_columns(frame, roles, score_names)
    codes, names = _identified(frame, roles)
    cases, readers, modalities = names
    _check_enough(readers, modalities)
    truth = _truth_of_cases(frame, roles, codes, names)
    classes = _classes(frame[roles.truth], labels, roles)
    _check_classes(truth, classes, cases)
    columns = _columns_of(roles, classes, labels)
    present = np.zeros((len(modalities), len(readers), len(cases)), dtype=np.int64)
    np.add.at(present, (codes[2], codes[1], codes[0]), 1)
    check_crossed(present, *names)
    scores = np.empty((*present.shape, len(columns)))
    for k, column in enumerate(columns):
        scores[codes[2], codes[1], codes[0], k] = _numbers(frame, column, roles)
    return Readings(cases, readers, modalities, truth, classes, scores)


def _frame(table: Any) -> "pd.DataFrame":
    """A pandas frame of whatever holds columns by name."""
    import pandas as pd

    if hasattr(table, "to_pandas"):  # polars, pyarrow
        table = table.to_pandas()
    try:
        frame = table if isinstance(table, pd.DataFrame) else pd.DataFrame(table)
    except Exception:  # of many kinds, depending on what was passed
        raise _not_a_table(table) from None
    if not any(isinstance(name, str) for name in frame.columns):
        raise _not_a_table(table)
    if len(frame) == 0:
        raise InvalidInput("The table has no rows. Pass a row for each case, reader and modality.")
    return frame.reset_index(drop=True)


def _not_a_table(table: Any) -> InvalidType:
    return InvalidType(
        f"table must contain columns by name, such as a pandas DataFrame, got {shown(table)}."
    )


def _score_names(roles: Roles) -> list[str]:
    """The columns that hold ratings or scores."""
    if (roles.rating is None) == (roles.scores is None):
        raise InvalidInput(
            "Name either rating=, the column of ratings of two classes, or scores=, a column per "
            "class."
        )
    if roles.rating is not None:
        return [roles.rating]
    if isinstance(roles.scores, Mapping):
        return list(roles.scores.values())
    if isinstance(roles.scores, str) or not isinstance(roles.scores, Sequence):
        raise InvalidType(
            "scores must be a list of columns or a mapping from classes to columns, "
            f"got {shown(roles.scores)}."
        )
    return list(roles.scores)


def _check_columns(frame: "pd.DataFrame", roles: Roles, score_names: list[str]) -> None:
    """Whether every column that is named is there once and has one role."""
    asked = [*roles.ids, roles.truth, *score_names]
    there = [name for name in frame.columns if isinstance(name, str)]
    for name in asked:
        if not isinstance(name, str):
            raise InvalidType(f"Columns are named by strings, got {shown(name)}.")
    for name in asked:
        count = there.count(name)
        if count != 1:
            found = "no column" if count == 0 else f"{count} columns"
            raise InvalidInput(
                f"The table has {found} {shown(name)}. Its columns are {listed(there)}."
            )
        if asked.count(name) > 1:
            raise InvalidInput(
                f"The column {shown(name)} has two roles. Case, reader, modality, truth and scores "
                "need a column each."
            )


def _identified(
    frame: "pd.DataFrame", roles: Roles
) -> tuple[list[NDArray[np.intp]], list[tuple[Any, ...]]]:
    """Positions of cases, readers and modalities among their sorted names, and these names."""
    import pandas as pd

    codes, names = [], []
    for role, column in zip(("case", "reader", "modality"), roles.ids, strict=True):
        missing = _missing_rows(frame[column])
        if missing.size:
            raise InvalidInput(
                f"The column {shown(column)} has no {role} in row {missing[0]}. Name the {role} "
                "of every reading, or remove the row."
            )
        code, found = pd.factorize(_names(frame[column], column))
        order = _order(found.tolist(), column)
        places = np.empty(len(order), dtype=np.intp)
        places[order] = np.arange(len(order))
        names.append(tuple(as_label(found[place]) for place in order))
        codes.append(places[code])
    return codes, names


def _missing_rows(column: "pd.Series[Any]") -> NDArray[np.intp]:
    try:
        return np.flatnonzero(column.isna())
    except Exception:  # an object that cannot be asked; what is no name or label is found later
        return np.empty(0, dtype=np.intp)


def _names(column: "pd.Series[Any]", name: str) -> NDArray[Any]:
    """A column of numbers as it is; of anything else, the plain text or number of each cell."""
    if column.dtype.kind in "biuf" and isinstance(column.dtype, np.dtype):
        return np.asarray(column, dtype=column.dtype.newbyteorder("="))
    found = np.empty(len(column), dtype=object)
    for row, value in enumerate(column.tolist()):
        if not isinstance(value, (str, int, float, np.generic, date)):
            raise InvalidType(
                f"The column {shown(name)} contains {shown(value)} in row {row}. Name cases, "
                "readers and modalities by text or numbers."
            )
        found[row] = as_label(value)
    return found


def _order(found: list[Any], column: str) -> list[int]:
    """Places of the distinct names in sorted order."""
    try:
        return sorted(range(len(found)), key=found.__getitem__)
    except TypeError:
        raise InvalidInput(
            f"The column {shown(column)} mixes numbers and text, which have no common order. "
            "Use one kind of name."
        ) from None


def _check_enough(readers: tuple[Any, ...], modalities: tuple[Any, ...]) -> None:
    if len(readers) < 2:
        raise InvalidInput(
            f"There is one reader, {shown(readers[0])}, and a reader study needs at least two. "
            "Use compare, which compares modalities over cases."
        )
    if len(modalities) < 2:
        raise InvalidInput(
            f"There is one modality, {shown(modalities[0])}, and a reader study compares at least "
            "two. Use evaluate for each reader."
        )


def _truth_of_cases(
    frame: "pd.DataFrame",
    roles: Roles,
    codes: list[NDArray[np.intp]],
    names: list[tuple[Any, ...]],
) -> NDArray[Any]:
    """The true class of each case, which all its rows must agree on."""
    cases, missing = names[0], _missing_rows(frame[roles.truth])
    if missing.size:
        case = cases[codes[0][missing[0]]]
        raise InvalidInput(
            f"Case {shown(case)} has no truth in row {missing[0]}. Give every row the true class "
            "of its case, or remove the case."
        )
    given = read_labels(frame[roles.truth], f"The column {shown(roles.truth)}")[0]
    truth = np.empty(len(cases), dtype=given.dtype)
    truth[codes[0][::-1]] = given[::-1]  # the first row of each case
    wrong = np.flatnonzero(given != truth[codes[0]])
    if wrong.size:
        row = int(wrong[0])
        case = codes[0][row]
        who = reading(names[1][codes[1][row]], names[2][codes[2][row]])
        first, second = truth[[case]].tolist() + given[[row]].tolist()
        raise InvalidInput(
            f"Case {shown(cases[case])} has two truths: {shown(first)}, but {shown(second)} for "
            f"{who}. Give all rows of a case the same truth."
        )
    return truth


def _classes(truth: "pd.Series[Any]", labels: LabelsLike | None, roles: Roles) -> tuple[Label, ...]:
    """The classes as given, else sorted; a categorical in another order is not taken as either."""
    import pandas as pd

    classes = classes_of(truth, labels)
    if labels is None and isinstance(truth.dtype, pd.CategoricalDtype):
        occurring = classes_of(truth.astype(object).to_numpy())
        if classes != occurring:
            raise InvalidInput(
                f"The categories of {shown(roles.truth)} are {listed(classes)}, not the sorted "
                f"classes {listed(occurring)}. Name the classes in order with labels=."
            )
    return classes


def _check_classes(truth: NDArray[Any], classes: tuple[Label, ...], cases: tuple[Any, ...]) -> None:
    """Whether there are several classes, and those of the cases are the ones that were named."""
    occurring = truth.tolist()
    for case, label in zip(cases, occurring, strict=True):
        if label not in classes:
            raise InvalidInput(
                f"Case {shown(case)} has the truth {shown(label)}, which is not among the classes "
                f"{listed(classes)}. Correct it, or add it to labels=."
            )
    absent = [label for label in classes if label not in set(occurring)]
    if absent:
        raise InvalidInput(f"No case belongs to {listed(absent)}. Name the classes that occur.")
    if len(classes) < 2:
        raise InvalidInput(
            f"All cases belong to {listed(classes)}, and a reader study needs cases of at least "
            "two classes. Add cases of another class."
        )


def _columns_of(roles: Roles, classes: tuple[Label, ...], labels: LabelsLike | None) -> list[str]:
    """The columns of scores in the order of the classes."""
    if roles.rating is not None:
        if len(classes) != 2:
            raise InvalidInput(
                f"rating= names one column, which is enough for two classes, but there are "
                f"{len(classes)}: {listed(classes)}. Name a column per class with scores=."
            )
        return [roles.rating]
    if isinstance(roles.scores, Mapping):
        return _by_mapping(roles.scores, classes)
    columns = list(roles.scores or ())
    for beginning in BEGINNINGS:
        named = [f"{beginning}{label}" for label in classes]
        if set(named) == set(columns):
            return named
    if labels is not None and len(columns) == len(classes):
        return columns
    raise InvalidInput(
        f"scores= names the columns {listed(columns)}, which are not named after the classes "
        f"{listed(classes)}. Pass a mapping from each class to its column."
    )


def _by_mapping(scores: Mapping[Any, str], classes: tuple[Label, ...]) -> list[str]:
    if set(scores) != set(classes):
        raise InvalidInput(
            f"scores= maps {listed(scores)}, but the classes are {listed(classes)}. Map every "
            "class to its column."
        )
    return [scores[label] for label in classes]


def _numbers(frame: "pd.DataFrame", column: str, roles: Roles) -> Float64Array:
    """A column of finite numbers; the reading of one that is not is named."""
    values = read_numbers(frame[column], f"The column {shown(column)}")
    numbers = values.astype(np.float64)
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if wrong.size:
        row = frame[list(roles.ids)].astype(object).iloc[wrong[0]]
        case, reader, modality = row.tolist()
        who = reading(reader, modality)
        what = "no value" if np.isnan(numbers[wrong[0]]) else f"{numbers[wrong[0]]}"
        raise InvalidInput(
            f"The column {shown(column)} has {what} for case {shown(case)} of {who}. Every reader "
            "must rate every case under every modality with a finite number."
        )
    return numbers
