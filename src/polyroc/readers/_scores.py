"""The columns of the scores in a file that is in memory."""

from pathlib import PurePath

import numpy as np

from polyroc.predictions._score_columns import (
    ColumnsLike,
    ScoreColumns,
    Search,
    found_scores,
    named_scores,
)
from polyroc.predictions._scores import SUM_TOLERANCE
from polyroc.readers._cells import is_numeric, numbers_in
from polyroc.readers._table import Table
from polyroc.typing import Label


def scores_in(
    table: Table,
    candidates: tuple[str, ...],
    occurring: tuple[Label, ...],
    labels: tuple[Label, ...] | None,
    columns: ColumnsLike | None,
) -> ScoreColumns:
    """The columns as given, else those named after the classes; each is there once."""

    def complete(own: list[str], rest: list[str]) -> bool:
        return _complete_rows(table, own, rest)

    stem = PurePath(table.path).name.partition(".")[0] or "model"
    search = Search(
        candidates, occurring, labels, complete, table.check_has, f"{table.path}: ", stem
    )
    found = found_scores(search) if columns is None else named_scores(search, columns)
    for names in found.models.values():
        table.check_has(names)
    return found


def _complete_rows(table: Table, own: list[str], rest: list[str]) -> bool:
    """Whether columns that are named after no label are what rows lack to sum to 1."""
    used = [*own, *rest]
    if any(len(table.places[name]) > 1 for name in used):
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
