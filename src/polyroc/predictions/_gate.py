"""The gate: labels and scores of the same cases, with each column matched to its class.

Every route into polyroc that takes labels and scores in memory goes through :func:`read_cases`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyroc.errors import PolyrocError
from polyroc.predictions._classes import Declared, declared_classes, encode
from polyroc.predictions._containers import read_labels, read_scores
from polyroc.predictions._frames import ColumnNames, column_names, computed
from polyroc.predictions._names import Naming
from polyroc.predictions._rows import RowLabels, labels_of_rows, rows_by_position
from polyroc.predictions._scores import as_table, check_finite, check_lengths
from polyroc.typing import FloatArray, IntArray, Label, LabelsLike, ScoresLike, WeightsLike


@dataclass(frozen=True)
class GivenCases:
    """Cases as they were given, all of them, in their order."""

    declared: Declared
    codes: IntArray
    """Position of each case's class."""
    table: FloatArray
    """The scores with the user's columns in the user's order."""
    names: tuple[Any, ...] | None
    """Names of those columns."""
    by_position: tuple[str, ...] = ()
    """What was matched with the labels by position although its index differs."""
    row_labels: RowLabels | None = None
    """The index of the rows, where one of the objects has one."""


def read_cases(
    y_true: LabelsLike,
    y_score: ScoresLike,
    labels: LabelsLike | None,
    sample_weight: WeightsLike | None = None,
    folds: Any = None,
    *,
    may_be_empty: bool = False,
) -> GivenCases:
    """Labels and scores, checked and matched; the rest is only looked at for its rows."""
    y_true, y_score = computed(y_true), computed(y_score)
    table, columns = read_scores(y_score)
    values, categories = read_labels(y_true)
    table = as_table(table)
    if len(values) or len(table) or not may_be_empty:
        check_lengths(len(values), len(table))
    given = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight, "folds": folds}
    by_position = rows_by_position(given)
    declared = declared_classes(labels, columns, categories, values, table.shape[1])
    codes = encode(values, declared) if len(values) else np.empty(0, dtype=np.uint8)
    names = names_for_messages(columns, table.shape[1])
    check_finite(table, names)
    return GivenCases(declared, codes, table, names, by_position, labels_of_rows(given))


def read_rows(y_score: ScoresLike, labels: LabelsLike) -> GivenCases:
    """Scores of cases whose classes nobody knows, matched to these classes."""
    table, columns = read_scores(computed(y_score))
    table = as_table(table)
    nobody = np.empty(0, dtype=np.int64)
    declared = declared_classes(labels, columns, None, nobody, table.shape[1])
    names = names_for_messages(columns, table.shape[1])
    check_finite(table, names)
    return GivenCases(declared, nobody, table, names)


def common_labels(
    models: Mapping[str, ScoresLike],
    labels: LabelsLike | None,
    labels_of: Callable[[str], LabelsLike],
) -> dict[str, LabelsLike | None]:
    """``labels=`` of each model, so that all have their classes in one order.

    Models whose columns have names may have them in different orders; they follow a model without
    names, or else the first. ``labels_of`` gives the true classes of a model's cases.
    """
    named = {name: column_names(computed(scores)) for name, scores in models.items()}
    if labels is not None or all(columns is None for columns in named.values()):
        return dict.fromkeys(models, labels)
    reference = next((name for name in models if named[name] is None), next(iter(models)))
    try:
        classes = _classes_of(labels_of(reference), models[reference])
    except PolyrocError:  # told with the name of the model when it is read
        return dict.fromkeys(models)
    return {name: _if_named_after(named[name], classes) for name in models}


def _classes_of(y_true: LabelsLike, y_score: ScoresLike) -> tuple[Label, ...]:
    table, columns = read_scores(computed(y_score))
    values, categories = read_labels(computed(y_true))
    n_columns = as_table(table).shape[1]
    return declared_classes(None, columns, categories, values, n_columns).classes


def _if_named_after(columns: ColumnNames | None, classes: tuple[Label, ...]) -> list[Label] | None:
    """The classes, if the columns are named after exactly these."""
    if columns is None or len(columns.names) != len(classes):
        return None
    named = Naming(classes).labels_of(columns.names)
    return list(classes) if set(named) == set(classes) else None


def names_for_messages(columns: ColumnNames | None, n_columns: int) -> tuple[Any, ...] | None:
    """Names of columns that a user would know them by."""
    if columns is None or not columns.given or len(columns.names) != n_columns:
        return None
    return columns.names
