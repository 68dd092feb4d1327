"""The columns of the scores in a file that is in memory."""

from collections.abc import Sequence
from pathlib import PurePath

from polyroc.predictions._score_columns import (
    ColumnsLike,
    ScoreColumns,
    Search,
    found_scores,
    named_scores,
)
from polyroc.readers._cells import floats_in, is_numeric
from polyroc.readers._table import Table
from polyroc.typing import Float64Array, Label


def scores_in(
    table: Table,
    candidates: tuple[str, ...],
    occurring: tuple[Label, ...],
    labels: tuple[Label, ...] | None,
    columns: ColumnsLike | None,
) -> ScoreColumns:
    """The columns as given, else those named after the classes; each is there once."""

    def numbers(names: Sequence[str]) -> dict[str, Float64Array]:
        return _numbers(table, names)

    stem = PurePath(table.path).name.partition(".")[0] or "model"
    search = Search(
        candidates, occurring, labels, numbers, table.check_has, f"{table.path}: ", stem
    )
    found = found_scores(search) if columns is None else named_scores(search, columns)
    for names in found.models.values():
        table.check_has(names)
    return found


def _numbers(table: Table, names: Sequence[str]) -> dict[str, Float64Array]:
    """Columns of numbers among some, each there once; NaN where a number is missing."""
    once = [name for name in names if len(table.places[name]) == 1]
    columns = {name: table.column(name) for name in once}
    return {name: floats_in(column) for name, column in columns.items() if is_numeric(column)}
