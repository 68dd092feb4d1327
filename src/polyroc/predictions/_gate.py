"""The gate: labels and scores of the same cases, with each column matched to its class.

Every route into polyroc that takes labels and scores in memory goes through :func:`read_cases`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from polyroc.predictions._classes import Declared, declared_classes, encode
from polyroc.predictions._containers import read_labels, read_scores
from polyroc.predictions._frames import ColumnNames, computed
from polyroc.predictions._rows import rows_by_position
from polyroc.predictions._scores import as_table, check_finite, check_lengths
from polyroc.typing import FloatArray, IntArray, LabelsLike, ScoresLike, WeightsLike


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


def read_cases(
    y_true: LabelsLike,
    y_score: ScoresLike,
    labels: LabelsLike | None,
    sample_weight: WeightsLike | None = None,
    *,
    may_be_empty: bool = False,
) -> GivenCases:
    """Labels and scores, checked and matched; weights are only looked at for their rows."""
    y_true, y_score = computed(y_true), computed(y_score)
    table, columns = read_scores(y_score)
    values, categories = read_labels(y_true)
    table = as_table(table)
    if len(values) or len(table) or not may_be_empty:
        check_lengths(len(values), len(table))
    given = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight}
    by_position = rows_by_position(given)
    declared = declared_classes(labels, columns, categories, values, table.shape[1])
    codes = encode(values, declared) if len(values) else np.empty(0, dtype=np.uint8)
    names = names_for_messages(columns, table.shape[1])
    check_finite(table, names)
    return GivenCases(declared, codes, table, names, by_position)


def read_rows(y_score: ScoresLike, labels: LabelsLike) -> GivenCases:
    """Scores of cases whose classes nobody knows, matched to these classes."""
    table, columns = read_scores(computed(y_score))
    table = as_table(table)
    nobody = np.empty(0, dtype=np.int64)
    declared = declared_classes(labels, columns, None, nobody, table.shape[1])
    names = names_for_messages(columns, table.shape[1])
    check_finite(table, names)
    return GivenCases(declared, nobody, table, names)


def names_for_messages(columns: ColumnNames | None, n_columns: int) -> tuple[Any, ...] | None:
    """Names of columns that a user would know them by."""
    if columns is None or not columns.given or len(columns.names) != n_columns:
        return None
    return columns.names
