"""The table of scores: finite, normalized where asked, and whether its rows are probabilities.

Messages speak of the table as the user passed it, whatever was reordered, dropped or added since.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from polyroc._base.ties import SLACK, merged
from polyroc.errors import InvalidInput
from polyroc.predictions._containers import place
from polyroc.predictions._rows import RowLabels
from polyroc.typing import FloatArray

SUM_TOLERANCE = 1e-4
"""Rows whose scores sum to 1 within this count as probabilities (float16 rows do)."""

_ROWS_PER_BLOCK = 1 << 16
_CELLS_PER_BLOCK = 1 << 24


@dataclass(frozen=True)
class Origin:
    """Where the scores of some cases and columns stand in the table that the user passed."""

    names: tuple[Any, ...] | None = None
    """Names of the user's columns."""
    rows: NDArray[np.intp] | None = None
    """The user's row of each case; None if no row was left out."""
    columns: tuple[int, ...] | None = None
    """The user's column of each column; None if all are where they were."""
    n_rows: int | None = None
    """How many rows the user passed; None if that is not known."""
    row_labels: RowLabels | None = None
    """The index of these rows, where there is one."""

    def row(self, case: int) -> int:
        """The user's row of a case."""
        return case if self.rows is None else int(self.rows[case])

    def part(self, rows: NDArray[np.intp], columns: list[int] | None) -> "Origin":
        """Of some of the cases and columns."""
        own = rows if self.rows is None else self.rows[rows]
        if columns is None:
            return Origin(self.names, own, self.columns)
        first = columns if self.columns is None else [self.columns[column] for column in columns]
        return Origin(self.names, own, tuple(first))

    def place(self, case: int, column: int) -> str:
        """A score of a case, in words."""
        index = column if self.columns is None else self.columns[column]
        return place((self.row(case), index), self.names)


def _blocks(table: FloatArray) -> Iterator[tuple[int, FloatArray]]:
    """A table in pieces of moderate size, each with its first row."""
    width = max(1, math.prod(table.shape[1:]))
    rows = max(1, min(_ROWS_PER_BLOCK, _CELLS_PER_BLOCK // width))
    for start in range(0, len(table), rows):
        yield start, table[start : start + rows]


def as_table(scores: FloatArray) -> FloatArray:
    """Scores with two dimensions; one dimension is one column."""
    if scores.ndim == 1:
        return scores[:, None]
    if scores.ndim != 2:
        raise InvalidInput(
            f"y_score must have two dimensions, cases and classes, got shape {scores.shape}."
        )
    return scores


def check_lengths(n_labels: int, n_rows: int, what: str = "y_score") -> None:
    """Whether there are as many labels as rows, and some of them."""
    if n_labels != n_rows:
        row = "row of scores" if what == "y_score" else "value"
        raise InvalidInput(
            f"y_true has {n_labels} cases but {what} has {n_rows}. "
            f"Pass one label and one {row} per case."
        )
    if n_labels == 0:
        raise InvalidInput("There are no cases: y_true is empty. Pass at least one case per class.")


def check_finite(
    table: FloatArray, names: tuple[Any, ...] | None = None, what: str = "y_score"
) -> None:
    """Whether all scores, or values of a marker, are finite numbers."""
    for start, block in _blocks(table):
        finite = np.isfinite(block)
        if not finite.all():
            row, *column = (int(index) for index in np.argwhere(~finite)[0])
            raise InvalidInput(
                f"{what} contains {block[row, *column]} in {place((start + row, *column), names)}. "
                "Scores must be finite numbers: remove the case or correct its scores."
            )


def mirrored(scores: FloatArray) -> FloatArray:
    """One column s of scores for the second class as the pair (−s, s): no tie is made or lost."""
    return np.hstack([-scores, scores])


def complement(scores: FloatArray) -> FloatArray:
    """The second column p as the pair (1 − p, p)."""
    own = scores[:, -1:].astype(np.float64)  # 1 − p is exact for float32
    return np.hstack([1 - own, own])


def normalized(scores: FloatArray, origin: Origin) -> FloatArray:
    """Rows divided by their sums; one column of probabilities gets its complement."""
    if scores.shape[1] == 1:
        return _normalized_column(scores, origin)
    negative = np.argwhere(scores < 0)
    if negative.size:
        row, column = (int(index) for index in negative[0])
        raise InvalidInput(
            f"normalize=True needs scores that are not negative, got {scores[row, column]} in "
            f"{origin.place(row, column)}. Pass probabilities, such as "
            "scipy.special.softmax(scores, axis=1) for logits."
        )
    sums = np.zeros(len(scores))
    with np.errstate(over="ignore"):
        for column in scores.T:  # one after the other, whatever their order in memory
            sums += column
    if not sums.all():
        row = origin.row(int(np.flatnonzero(sums == 0)[0]))
        raise InvalidInput(f"normalize=True cannot divide row {row} by its sum 0. Remove the case.")
    if not np.isfinite(sums).all():
        return normalized(scores / scores.max(axis=1, keepdims=True), origin)
    # Sums that are equal as decimals are made equal, so that equal scores of two rows stay so.
    sums = merged(sums, SLACK * scores.max(axis=1).astype(np.float64))
    return cast("FloatArray", scores / sums[:, None])


def _normalized_column(scores: FloatArray, origin: Origin) -> FloatArray:
    row = _first_outside(scores)
    if row is not None:
        raise InvalidInput(
            "normalize=True needs one column of probabilities, or a column per class, got "
            f"{scores[row, 0]} in {origin.place(row, 0)}. Pass probabilities, such as "
            "scipy.special.expit(score) for log-odds."
        )
    return complement(scores)


def _first_outside(column: FloatArray) -> int | None:
    """The first row that is no probability."""
    outside = np.flatnonzero((column[:, -1] < 0) | (column[:, -1] > 1))
    return int(outside[0]) if outside.size else None


def column_fault(scores: FloatArray, origin: Origin) -> str | None:
    """What keeps the last column from being probabilities, in words; None if nothing does."""
    row = _first_outside(scores)
    return None if row is None else f"row {origin.row(row)} of y_score contains {scores[row, -1]:g}"


def row_fault(rows: FloatArray, origin: Origin) -> str | None:
    """What keeps the rows from being probabilities, in words; None if nothing does."""
    for start, block in _blocks(rows):
        with np.errstate(over="ignore", invalid="ignore"):  # of finite scores, whatever their size
            sums = block.sum(axis=1, dtype=np.float64)
        wrong = np.abs(sums - 1) > SUM_TOLERANCE
        wrong |= (block < 0).any(axis=1)
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            lowest = float(block[row].min())
            found = f"contains {lowest:g}" if lowest < 0 else f"sums to {sums[row]:g}"
            return f"row {origin.row(start + row)} of y_score {found}"
    return None
