"""Margins of many classes: sorted in blocks of pairs of classes, and merged by compiled loops.

A block joins up to ``WIDTH`` classes with as many others. The margins of the cases of a class
towards it are sorted once in a block, a row for each class of the other side, so that memory does
not grow with the number of pairs. Blocks are added up in the same order for any number of threads.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc._base.parallel import each_of_threads
from polyroc._base.ties import SLACK
from polyroc.predictions import Predictions
from polyroc.statistics.directed import Directed, margins_of
from polyroc.statistics.mixture import Carried, Mixture
from polyroc.typing import Float64Array, FloatArray

if TYPE_CHECKING:
    from polyroc.kernels.margins import Lists, Table

WIDTH = 64
"""Classes on either side of a block."""


class Sums(NamedTuple):
    """Weight of the pairs above and tied for i < j, and influence values if they were asked for."""

    above: Float64Array
    tied: Float64Array
    carried: Carried


class _Pool(NamedTuple):
    """Rows that are cases of every class."""

    rows: NDArray[np.intp]
    shares: Float64Array
    added: Float64Array


def sums_by_blocks(
    cases: Predictions | Mixture,
    directed: Directed,
    pull: Float64Array | None = None,
    credit: float = 0.5,
) -> Sums:
    """Sums over all pairs of classes and, with ``pull``, the placements of cases times it."""
    from polyroc.kernels.margins import Found, Pulls, place_block

    predictions = cases.predictions if isinstance(cases, Mixture) else cases
    table, n_classes = _table(cases, predictions, directed), predictions.n_classes
    by_class = _by_class(table, directed)
    pulls = Pulls(np.empty((0, 0)) if pull is None else pull, credit)
    above, tied = np.zeros((2, n_classes, n_classes))
    n_cases = 0 if pull is None else len(predictions)

    def of_block(corner: tuple[int, int]) -> Carried:
        found = Found(above, tied, np.zeros(n_cases), np.zeros((n_classes, len(table.pool))))
        place_block(table, _lists(table, by_class, directed, *corner), pulls, found)
        return Carried(found.cases, found.pooled)

    total = Carried(np.zeros(n_cases), np.zeros((n_classes, len(table.pool))))
    for part in each_of_threads(of_block, _corners(n_classes), predictions.n_threads):
        total.add(part)
    own = np.empty(n_cases)
    own[table.members[:n_cases]] = total.own
    return Sums(above, tied, Carried(own, total.pooled.T))


def _corners(n_classes: int) -> Iterator[tuple[int, int]]:
    """First classes of the blocks that have pairs i < j."""
    for row in range(0, n_classes, WIDTH):
        yield from ((row, column) for column in range(row, n_classes, WIDTH))


def _table(cases: Predictions | Mixture, predictions: Predictions, directed: Directed) -> "Table":
    """What the compiled loops need."""
    from polyroc.kernels.margins import Table

    members = np.concatenate(predictions.members).astype(np.int64)
    pool = _Pool(np.empty(0, np.intp), np.empty(0), np.empty(0))
    if isinstance(cases, Mixture):
        pool = _Pool(cases.pool, cases.shares, cases.added)
    return Table(
        directed.scores,
        cases.case_weights[members],
        members,
        np.concatenate(([0], np.cumsum(predictions.class_counts))).astype(np.int64),
        np.empty((0, 0)) if directed.partition is None else directed.partition,
        SLACK,
        directed.most_slack,
        np.ascontiguousarray(cases.class_weights),
        np.asarray(pool.rows, dtype=np.int64),
        pool.shares,
        pool.added,
    )


def _by_class(table: "Table", directed: Directed) -> FloatArray:
    """Columns of the scores as rows, the cases class by class, then the pool."""
    from polyroc.kernels.margins import columns_of

    rows = np.concatenate([table.members, table.pool])
    columns = np.empty((directed.scores.shape[1], len(rows)), directed.scores.dtype)
    columns_of(directed.scores, rows, columns)
    return columns


def _lists(
    table: "Table", by_class: FloatArray, directed: Directed, row: int, column: int
) -> "Lists":
    """The sorted margins of a block."""
    from polyroc.kernels.margins import Lists

    rows, columns = (range(start, min(start + WIDTH, len(by_class))) for start in (row, column))
    first = _sorted(table, by_class, directed, rows, columns)
    second = first if row == column else _sorted(table, by_class, directed, columns, rows)
    pool = np.empty(0), np.empty(0, np.int64)
    if len(table.pool):
        span = slice(table.starts[-1], by_class.shape[1])
        margins = np.concatenate([_margins(by_class, directed, span, i, columns) for i in rows])
        pool = margins.ravel(), np.argsort(margins, axis=1).astype(np.int64, copy=False).ravel()
    return Lists(row, len(rows), column, len(columns), *first, *second, *pool)


def _sorted(
    table: "Table", by_class: FloatArray, directed: Directed, own: range, others: range
) -> tuple[Float64Array, NDArray[np.int64]]:
    """Margins of the cases of some classes towards each and away from others; and their order."""
    starts = table.starts[own.start : own.stop + 1]
    ends = ((starts - starts[0]) * len(others)).tolist()
    margins, order = np.empty(ends[-1]), np.empty(ends[-1], np.int64)
    for i, start, end in zip(own, ends, ends[1:], strict=False):
        span = slice(table.starts[i], table.starts[i + 1])
        found = _margins(by_class, directed, span, i, others)
        margins[start:end] = found.ravel()
        order[start:end] = found.argsort(axis=1).ravel()
    return margins, order


def _margins(
    columns: FloatArray, directed: Directed, span: slice, i: int, others: range
) -> Float64Array:
    """Margins of some cases towards class i, a row for each class that they are away from."""
    if directed.partition is None:
        away = columns[others.start : others.stop, span]
        if directed.has_large_margins:
            return margins_of(columns[i, span], away)
        return np.subtract(columns[i, span], away, dtype=np.float64)
    from polyroc.kernels.margins import directed_margins

    margins = np.empty((len(others), span.stop - span.start))
    rows = np.ascontiguousarray(columns[:, span].T, dtype=np.float64)
    costs = np.ascontiguousarray(directed.partition.T)
    directed_margins(rows, costs, i, others.start, margins)
    return margins
