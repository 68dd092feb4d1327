"""``read_predictions``: true classes and the scores of one model or several, from a file."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import did_you_mean, shown
from polyroc.errors import InvalidInput, InvalidType, UnknownName
from polyroc.predictions import Predictions
from polyroc.predictions._classes import classes_of, listed
from polyroc.predictions._containers import read_labels
from polyroc.predictions._names import of_the_kind
from polyroc.predictions._score_columns import (
    ColumnsLike,
    ScoreColumns,
    is_named,
    names_in,
    naming_option,
    spelled,
)
from polyroc.readers._cells import groups_in, ids_in, labels_in, numbers_in, values_in
from polyroc.readers._files import read_table
from polyroc.readers._identity import check_unique, complete_ids
from polyroc.readers._names import CASES, GROUPS, WEIGHTS, check_name, role_among, target_among
from polyroc.readers._scores import scores_in
from polyroc.readers._table import PathLike, Table
from polyroc.typing import Float64Array, Label, LabelsLike

FEWEST_GROUPS = 3
"""A column with fewer, found by its name alone, says which arm a case is in, not which patient."""


@dataclass(frozen=True)
class Roles:
    """Which column of a file is what."""

    target: str
    scores: Mapping[str, tuple[str, ...]]
    """Columns of each model, in the order of the classes."""
    weight: str | None = None
    group: str | None = None
    unused: tuple[str, ...] = ()
    score_of: Label | None = None
    """The class that one column of scores belongs to, of two classes."""
    fold: str | None = None
    slices: tuple[str, ...] = ()
    case: str | None = None
    """The column that names the cases, where it was asked for."""

    def describe(self) -> str:
        """The roles in words, for people to check."""
        columns = [name for names in self.scores.values() for name in names]
        whose = "" if self.score_of is None else f" of {shown(self.score_of)}"
        parts = [f"true classes in {shown(self.target)}", f"scores{whose} in {listed(columns, 4)}"]
        parts += [f"weights in {shown(self.weight)}"] if self.weight else []
        parts += [f"groups in {shown(self.group)}"] if self.group else []
        parts += [f"folds in {shown(self.fold)}"] if self.fold else []
        parts += [f"slices by {listed(self.slices, 4)}"] if self.slices else []
        parts += [f"cases named in {shown(self.case)}"] if self.case else []
        parts += [f"not used: {listed(self.unused, 4)}"] if self.unused else []
        return "; ".join(parts)


@dataclass(frozen=True, eq=False)
class FilePredictions:
    """Labels, and the scores of each model, of the cases in a file.

    Attributes
    ----------
    path : of the file.
    y_true : (n,) true classes.
    models : scores of each model, (n, K), or (n, 1) for the second of two classes.
    labels : the classes in the order of the columns.
    sample_weight, groups : (n,) where the file has them.
    case_ids : (n,) names of the cases by column: the one asked for, or all that are named like one.
    group_names : (n,) the groups as the file names them, where it has groups.
    folds : (n,) the fold in which each case was held out, where a column was named.
    slices : attributes of the cases by column, where columns were named; None where a value is
        missing.
    roles : the column that each of these comes from.
    """

    path: str
    y_true: NDArray[Any]
    models: dict[str, Float64Array]
    labels: tuple[Label, ...]
    sample_weight: Float64Array | None
    groups: NDArray[Any] | None
    roles: Roles
    case_ids: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    group_names: NDArray[Any] | None = None
    folds: NDArray[Any] | None = None
    slices: Mapping[str, NDArray[Any]] | None = None

    def __len__(self) -> int:
        return len(self.y_true)

    def __repr__(self) -> str:
        names = ", ".join(self.models)
        return f"FilePredictions({len(self)} cases, classes {listed(self.labels)}, models {names})"

    def rows(self, order: NDArray[np.intp]) -> "FilePredictions":
        """The same with some of its cases, in this order."""

        def taken(values: Any) -> Any:
            return None if values is None else values[order]

        return replace(
            self,
            y_true=self.y_true[order],
            models={name: scores[order] for name, scores in self.models.items()},
            sample_weight=taken(self.sample_weight),
            groups=taken(self.groups),
            group_names=taken(self.group_names),
            folds=taken(self.folds),
            slices=self.slices and {name: each[order] for name, each in self.slices.items()},
            case_ids={name: ids[order] for name, ids in self.case_ids.items()},
        )

    def predictions(self, model: str | None = None, **options: Any) -> Predictions:
        """The predictions of a model, which need not be named if it is the only one."""
        if model is None and len(self.models) == 1:
            model = next(iter(self.models))
        scores = chosen(self.models, model, self.path)
        return Predictions(
            self.y_true,
            scores,
            labels=list(self.labels),
            sample_weight=self.sample_weight,
            folds=self.folds,
            slices=self.slices,
            **options,
        )


def read_predictions(
    path: PathLike,
    *,
    target: str | None = None,
    columns: ColumnsLike | None = None,
    model: str | None = None,
    labels: LabelsLike | None = None,
    weight: str | bool | None = None,
    group: str | bool | None = None,
    fold: str | None = None,
    slices: Iterable[str] = (),
    case_id: str | bool | None = None,
    decimal: str = ".",
) -> FilePredictions:
    """True classes and scores from a CSV, Parquet, Arrow or NPZ file, which is read into memory.

    Columns that are not named by an option are found by their names; ``roles`` of the result says
    which were taken. Files are not trusted: nothing in them is run or unpickled, and one that grows
    more than a hundredfold and beyond 1 GiB when it is unpacked is refused.

    Parameters
    ----------
    path : the file, or ``-`` for the standard input. Text may be gzipped, UTF-8 or UTF-16, with
        any usual separator.
    target : the column of true classes; by default the one named y, label, target, truth, ….
    columns : the columns of the scores in the order of the classes, or a mapping from class to
        column. By default those named after the classes, alone or after ``p_``, ``prob_``,
        ``proba_``, ``score_``; several models are told apart by names such as ``forest:common``.
    model : the only model to read of several.
    labels : the classes in order; by default those of the columns.
    weight, group : columns of weights of the cases and of what cases belong together, such as
        patients; None finds them by their names, False reads none. A column of two groups is not
        taken unless it is named here.
    fold : column that names the fold of a cross-validation in which each case was held out.
    slices : columns of attributes, such as sex or site, by whose values results are also given.
    case_id : column whose values tell the cases apart, to join files by; None reads all columns
        that are named like one (id, case, image, …), False none.
    decimal : the decimal sign of numbers in text files, a point or a comma.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "forest.csv")
    ...     _ = path.write_text("y,p_a,p_b\\na,.9,.1\\nb,.2,.8\\n")
    ...     read = read_predictions(path)
    >>> read
    FilePredictions(2 cases, classes 'a', 'b', models forest)
    >>> read.models["forest"]
    array([[0.9, 0.1],
           [0.2, 0.8]])
    >>> read.roles.describe()
    "true classes in 'y'; scores in 'p_a', 'p_b'"
    """
    check_name(target, "target")
    check_name(fold, "fold")
    table = read_table(path, target=target, decimal=decimal)
    target = target_among(table.names, target, table.path)
    others = tuple(name for name in table.names if name != target)
    weight = role_among(others, weight, WEIGHTS, "weight", table.path)
    found = role_among(others, group, GROUPS, "group", table.path)
    attributes = tuple(names_in(slices, "slices"))
    taken = [name for name in (target, weight, found, fold, *attributes) if name is not None]
    table.check_has(taken)
    groups = _groups(table, found, asked=group is not None)
    y_true = labels_in(table, target)
    free = tuple(name for name in table.names if name not in taken)
    occurring = classes_of(y_true)
    scores = scores_in(table, free, occurring, _typed(labels, y_true), columns)
    if columns is not None and labels is None:
        _check_named(table, target, y_true, occurring, scores.labels)
    models = scores.models if model is None else {model: chosen(scores.models, model, table.path)}
    role = None if groups is None else found
    read = _read(table, ScoreColumns(scores.labels, models), y_true, target, weight, role, groups)
    read = replace(read, group_names=None if role is None else ids_in(table, role, "group"))
    return _with_roles(read, table, fold, attributes, case_id)


def _check_named(
    table: Table,
    target: str,
    y_true: NDArray[Any],
    occurring: tuple[Label, ...],
    classes: tuple[Label, ...],
) -> None:
    """Whether the classes that columns= stands for are all that occur."""
    stray = next((label for label in occurring if label not in classes), None)
    if stray is not None:
        row = int(np.flatnonzero(y_true == stray)[0])
        hints = (did_you_mean(each, [stray]) for each in classes if each not in occurring)
        hint = next(filter(None, hints), "")
        raise InvalidInput(
            f"{table.path}: column {shown(target)} has the label {shown(stray)} in row {row}, "
            f"but columns= names columns for {listed(classes)} only.{hint} Correct the "
            "label or the class in columns=, or add the column of this class."
        )


def _with_roles(
    read: FilePredictions,
    table: Table,
    fold: str | None,
    attributes: tuple[str, ...],
    case_id: str | bool | None,
) -> FilePredictions:
    """With folds, slices and names of the cases, which are then not among the unused columns."""
    case = case_id if isinstance(case_id, str) else None
    unused = tuple(name for name in read.roles.unused if name not in (fold, case, *attributes))
    return replace(
        read,
        roles=replace(read.roles, fold=fold, slices=attributes, case=case, unused=unused),
        folds=None if fold is None else ids_in(table, fold, "fold"),
        slices={name: values_in(table, name, "slice") for name in attributes} or None,
        case_ids=_case_ids(table, case_id, unused),
    )


def _case_ids(
    table: Table, case_id: str | bool | None, unused: tuple[str, ...]
) -> dict[str, NDArray[Any]]:
    """Columns that name the cases: the one given, which tells them apart, or those named so."""
    if case_id is False:
        return {}
    if case_id is not None:
        check_name(case_id, "case_id")
        ids = ids_in(table, str(case_id), "case")
        check_unique(ids, str(case_id), table)
        return {str(case_id): ids}
    named = [name for name in unused if is_named(name, CASES) and len(table.places[name]) == 1]
    found = {name: complete_ids(table, name) for name in named}
    return {name: ids for name, ids in found.items() if ids is not None}


def _groups(table: Table, name: str | None, asked: bool) -> NDArray[Any] | None:
    """Groups of cases; two of them are rather the arms of a trial, unless they are asked for."""
    if name is None:
        return None
    groups = groups_in(table, name)
    return groups if asked or len(np.unique(groups)) >= FEWEST_GROUPS else None


def _read(
    table: Table,
    scores: ScoreColumns,
    y_true: NDArray[Any],
    target: str,
    weight: str | None,
    group: str | None,
    groups: NDArray[Any] | None,
) -> FilePredictions:
    used = {target, weight, group, *(name for names in scores.models.values() for name in names)}
    unused = tuple(dict.fromkeys(name for name in table.names if name not in used))
    tables = {
        model: np.column_stack([numbers_in(table, name) for name in names])
        for model, names in scores.models.items()
    }
    return FilePredictions(
        table.path,
        y_true,
        tables,
        scores.labels,
        None if weight is None else numbers_in(table, weight),
        groups,
        Roles(target, scores.models, weight, group, unused, _score_of(scores)),
    )


def _score_of(scores: ScoreColumns) -> Label | None:
    """The second class, if each model has one column."""
    one_column = all(len(names) == 1 for names in scores.models.values())
    return scores.labels[1] if one_column else None


def chosen(models: Mapping[str, Any], model: str | None, path: str) -> Any:
    """What belongs to the model of a name; an error if there is none."""
    if model is None:
        raise InvalidInput(f"{path} has the models {listed(models)}. Choose one with model=.")
    if not isinstance(model, str) or model not in models:
        raise UnknownName(
            f"{path}: there is no model {shown(model)}.{did_you_mean(model, models)} "
            f"There {'is' if len(models) == 1 else 'are'} {listed(models)}."
        )
    return models[model]


def _typed(labels: LabelsLike | None, y_true: NDArray[Any]) -> tuple[Label, ...] | None:
    """The classes asked for as labels of the type that the column has: "1" as 1."""
    if labels is None:
        return None
    given = read_labels(labels, "labels")[0].tolist()
    if not given:
        raise InvalidInput("labels names no class. Name all of them, or leave labels out.")
    repeated = [label for label, count in Counter(given).items() if count > 1]
    if repeated:
        raise InvalidInput(
            f"labels name {shown(repeated[0])} more than once. Name each class once."
        )
    kind = y_true.dtype.kind
    if kind == "O":
        return tuple(spelled(label) for label in given)
    there = [False, True] if kind == "b" else np.unique(y_true).tolist()
    known = {spelled(label).casefold(): label for label in there}
    return tuple(
        known[name] if (name := spelled(label).casefold()) in known else _number(label, there)
        for label in given
    )


def _number(label: Any, there: list[Label]) -> Label:
    """A class without cases as a whole number like those that are there."""
    if isinstance(there[0], bool):
        raise InvalidInput(f"labels names {shown(label)}, but the labels are True and False.")
    number = of_the_kind(label, (0,))
    if isinstance(label, bool) or not isinstance(number, int):
        raise InvalidType(
            f"labels names {shown(label)}, but the true classes are whole numbers. Leave labels= "
            f"out, and name the column of each class, such as {naming_option(there)}."
        )
    return number
