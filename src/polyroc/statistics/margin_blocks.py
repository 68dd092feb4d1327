"""Margins of many classes: compared in blocks of pairs of classes, by compiled loops.

A block joins up to ``WIDTH`` classes with as many others. Margins of small classes are compared
each with each, which takes less time than sorting. Where classes are larger or many margins are
close, those of the cases of a class towards it are sorted once in a block, a row for each class of
the other side, and merged. Memory does not grow with the number of pairs, and blocks are added up
in the same order for any number of threads.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations, combinations_with_replacement
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc._base.parallel import each_of_threads, map_threads
from polyroc._base.ties import SLACK
from polyroc.predictions import Predictions
from polyroc.predictions._columns import in_ascending_order, sorted_scores
from polyroc.statistics.directed import Directed, margins_of
from polyroc.statistics.long_tables import LANES, added_up
from polyroc.statistics.means import BLOCK
from polyroc.statistics.mixture import Carried, Mixture
from polyroc.typing import Float64Array, FloatArray

if TYPE_CHECKING:
    from polyroc.kernels.margins import Ascending, Found, Lists, Pulls, Table

WIDTH = 64
"""Classes on either side of a block."""

SMALL_CLASS = 128
"""Cases, on average: up to here comparing each with each takes less time than sorting."""

MANY_CLOSE = 8
"""Where more than one pair of classes in so many has close margins, the block is sorted."""


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
    small = _is_small(predictions, directed, table)
    pulls = Pulls(np.empty((0, 0)) if pull is None else pull, credit)
    above, tied = np.zeros((2, n_classes, n_classes))
    n_cases = 0 if pull is None else len(predictions)

    def merge(into: Found, *corner: range) -> None:
        place_block(table, _lists(table, directed, *corner), pulls, into)

    def of_block(corner: tuple[range, range]) -> Carried:
        found = Found(above, tied, np.zeros(n_cases), np.zeros((n_classes, len(table.pool))))
        if not small:
            merge(found, *corner)
            return Carried(found.cases, found.pooled)
        close = _compared(table, corner, pulls, found)
        if close is None:
            found.cases[:], found.pooled[:] = 0, 0
            merge(found, *corner)
        else:
            for i, j in close:
                merge(found, range(i, i + 1), range(j, j + 1))
        return Carried(found.cases, found.pooled)

    total = Carried(np.zeros(n_cases), np.zeros((n_classes, len(table.pool))))
    for part in each_of_threads(of_block, _corners(n_classes), predictions.n_threads):
        total.add(part)
    own = np.empty(n_cases)
    own[table.members[:n_cases]] = total.own
    return Sums(above, tied, Carried(own, total.pooled.T))


def sums_by_pairs(
    predictions: Predictions,
    directed: Directed,
    pull: Float64Array | None = None,
    credit: float = 0.5,
) -> Sums:
    """The same of few classes with many cases: no list is there for longer than its pair."""
    from polyroc.kernels.margins import Found, Pulls, place_block, place_counts

    table, n_classes = _table(predictions, predictions, directed), predictions.n_classes
    pulls = Pulls(np.empty((0, 0)) if pull is None else pull, credit)
    above, tied = np.zeros((2, n_classes, n_classes))
    pairs, nothing = list(combinations(range(n_classes), 2)), np.zeros((n_classes, 0))

    margins = _margins_of_classes(predictions, directed)

    def of_lane(lane: int) -> Float64Array:
        found = Found(above, tied, np.zeros(0 if pull is None else len(predictions)), nothing)
        for i, j in pairs[lane::LANES]:
            first, second = (
                _ascending(margins(*pair), pull is not None) for pair in ((i, j), (j, i))
            )
            if not place_counts(table, first, second, i, j, pulls, found):
                place_block(table, _lists_of_pair(margins, i, j), pulls, found)
        return found.cases

    lanes = map_threads(of_lane, range(LANES), predictions.n_threads)
    own = added_up(lanes, predictions.n_threads, table.members)
    return Sums(above, tied, Carried(own, nothing.T))


def _ascending(margins: Float64Array, with_order: bool) -> "Ascending":
    """Margins of the cases of a class in ascending order, and if asked for their order."""
    from polyroc.kernels.margins import Ascending

    if with_order:
        order, ascending = in_ascending_order(margins)
    else:
        order, ascending = np.empty(0, np.intp), sorted_scores(margins)
    return Ascending(ascending.astype(np.float64, copy=False), order)


def _margins_of_classes(
    predictions: Predictions, directed: Directed
) -> Callable[[int, int], Float64Array]:
    """Margins of the cases of a class towards it and away from another one."""
    members = predictions.members
    if directed.partition is not None:
        return lambda i, j: directed.margins(members[i], i, j)
    # Copied once, column by column: every column is asked for with all others.
    columns = map_threads(partial(_columns_of, directed.scores), members, predictions.n_threads)
    return lambda i, j: directed.between(columns[i][i], columns[i][j])


def _columns_of(scores: FloatArray, cases: NDArray[np.intp]) -> FloatArray:
    """Scores of some cases, a row for each class."""
    columns = np.empty((scores.shape[1], len(cases)), scores.dtype)
    for start in range(0, len(cases), BLOCK):
        block = slice(start, start + BLOCK)
        columns[:, block] = scores.take(cases[block], axis=0).T
    return columns


def _lists_of_pair(margins: Callable[[int, int], Float64Array], i: int, j: int) -> "Lists":
    """Margins of the cases of either class towards it, and their order."""
    from polyroc.kernels.margins import Lists

    first, second = margins(i, j), margins(j, i)
    orders = (in_ascending_order(each)[0].astype(np.int64, copy=False) for each in (first, second))
    none = np.empty(0), np.empty(0, np.int64)
    return Lists(i, 1, j, 1, first, next(orders), second, next(orders), *none)


def _corners(n_classes: int) -> Iterator[tuple[range, range]]:
    """Classes of the blocks that have pairs i < j."""
    sides = [range(k, min(k + WIDTH, n_classes)) for k in range(0, n_classes, WIDTH)]
    return combinations_with_replacement(sides, 2)


def _is_small(predictions: Predictions, directed: Directed, table: "Table") -> bool:
    """Whether classes are small, and counts are all that is needed."""
    few = len(predictions) <= SMALL_CLASS * predictions.n_classes
    counted = predictions.weights is None and bool((table.shares == table.shares[:1]).all())
    return few and counted and directed.partition is None and not directed.has_large_margins


def _compared(
    table: "Table", corner: tuple[range, range], pulls: "Pulls", found: "Found"
) -> list[list[int]] | None:
    """Compare each with each; returns the pairs that were left out, None if they are too many."""
    from polyroc.kernels.all_pairs import Corner, compare_block

    close, most = np.zeros_like(found.above, dtype=bool), len(corner[0]) * len(corner[1])
    most //= MANY_CLOSE
    ends = Corner(corner[0].start, corner[0].stop, corner[1].start, corner[1].stop)
    n_close = compare_block(table, ends, pulls, found, close, most)
    return None if n_close > most else np.argwhere(close).tolist()


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


def _lists(table: "Table", directed: Directed, rows: range, columns: range) -> "Lists":
    """The sorted margins of a block."""
    from polyroc.kernels.margins import Lists

    first = _sorted(table, directed, rows, columns)
    second = first if rows == columns else _sorted(table, directed, columns, rows)
    pool = np.empty(0), np.empty(0, np.int64)
    if len(table.pool):
        margins = np.concatenate([_margins(directed, table.pool, i, columns) for i in rows])
        pool = margins.ravel(), np.argsort(margins, axis=1).astype(np.int64, copy=False).ravel()
    return Lists(rows.start, len(rows), columns.start, len(columns), *first, *second, *pool)


def _sorted(
    table: "Table", directed: Directed, own: range, others: range
) -> tuple[Float64Array, NDArray[np.int64]]:
    """Margins of the cases of some classes towards each and away from others; and their order."""
    starts = table.starts[own.start : own.stop + 1]
    ends = ((starts - starts[0]) * len(others)).tolist()
    margins, order = np.empty(ends[-1]), np.empty(ends[-1], np.int64)
    for i, start, end in zip(own, ends, ends[1:], strict=False):
        members = table.members[table.starts[i] : table.starts[i + 1]]
        found = _margins(directed, members, i, others)
        margins[start:end] = found.ravel()
        order[start:end] = found.argsort(axis=1).ravel()
    return margins, order


def _margins(directed: Directed, cases: NDArray[np.int64], i: int, others: range) -> Float64Array:
    """Margins of some cases towards class i, a row for each class that they are away from."""
    if directed.partition is None:
        own = directed.scores[cases, i]
        away = np.ascontiguousarray(directed.scores[cases, others.start : others.stop].T)
        if directed.has_large_margins:
            return margins_of(own, away)
        return np.asarray(np.subtract(own, away, dtype=np.float64))
    from polyroc.kernels.margins import directed_margins

    margins = np.empty((len(others), len(cases)))
    rows = np.ascontiguousarray(directed.scores[cases], dtype=np.float64)
    costs = np.ascontiguousarray(directed.partition.T)
    directed_margins(rows, costs, i, others.start, margins)
    return margins
