"""Long tables of a few classes: each column is sorted, and summed in compiled loops.

Millions of scores pay for loading compiled code, half a million where influence values of pairs are
asked for, which take NumPy many more passes than values do. Pairs and placements of the same cases
are made from one sort of each column, and of the columns of a thread one is there at a time.

What columns or pairs of classes add to all cases is added up in ``LANES`` sums, for any number of
threads the same.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyroc._base.parallel import map_threads
from polyroc.predictions import Predictions
from polyroc.statistics import many_columns
from polyroc.typing import Float64Array

if TYPE_CHECKING:
    from polyroc.kernels.long_columns import Column, Quadratures

MANY_SCORES = 1 << 22
"""From here on loading compiled code takes less time than it saves."""

MANY_CARRIED = 1 << 19
"""The same for influence values of pairs, and the values that come with them."""

MANY_OF_PART = 1 << 15
"""The same for a part of a table, such as a fold, for others of which it is loaded anyway."""

LANES = 4
"""Sums that columns, or pairs of classes, are added to in turn."""

CASES_AT_ONCE = 1 << 16
"""Whose places in the columns are added up by one thread, those in ``LANES`` columns of more."""


def is_long(predictions: Predictions, carried: bool = False) -> bool:
    """Whether compiled loops over sorted columns pay; they do not know weights."""
    if predictions.weights is not None or predictions.n_classes >= many_columns.MANY_CLASSES:
        return False
    many = MANY_CARRIED if carried else MANY_SCORES
    return predictions.n_scores_of_whole >= many and predictions.scores.size >= MANY_OF_PART


def sums_of_columns(predictions: Predictions) -> Float64Array:
    """Above, tied and excess (3, K, K) of the positives of each column over each class."""
    from polyroc.kernels.long_columns import sum_column

    def of_column(k: int) -> Float64Array:
        return sum_column(*predictions.column(k).ascending(), k, predictions.n_classes)

    found = map_threads(of_column, range(predictions.n_classes), predictions.n_threads)
    return np.stack(found, axis=1)


def sums_and_wins(predictions: Predictions) -> tuple[Float64Array, Float64Array]:
    """Sums (3, K, K) over pairs, and how often the positives of each column win a tuple."""
    from polyroc.kernels.long_columns import Column, place_column, sum_column

    counts, nodes = predictions.class_weights.copy(), _nodes(predictions.n_classes)
    no_case, nothing = np.empty(0, dtype=np.uint32), np.empty(0)

    def of_column(k: int) -> tuple[Float64Array, float]:
        codes, scores = predictions.column(k).ascending()
        column = Column(k, codes, scores, no_case)
        wins = place_column(column, counts, nodes, nothing, nothing)
        return sum_column(codes, scores, k, len(counts)), wins / counts[k]

    found = map_threads(of_column, range(len(counts)), predictions.n_threads)
    return np.stack([sums for sums, _ in found], axis=1), np.array([wins for _, wins in found])


def projected_wins(predictions: Predictions) -> tuple[Float64Array, Float64Array]:
    """How often the positives of each column win, and the sum of what each case contributes."""
    from polyroc.kernels.long_columns import place_column

    counts, wins = predictions.class_weights.copy(), np.empty(predictions.n_classes)
    n_cases, nodes, columns = len(predictions), _nodes(len(counts)), range(len(counts))

    def of_lane(lane: int) -> Float64Array:
        room, total = np.empty(n_cases), np.zeros(n_cases)
        for k in columns[lane::LANES]:
            wins[k] = place_column(_whole(predictions, k), counts, nodes, room, total) / counts[k]
        return total

    lanes = map_threads(of_lane, range(min(LANES, len(counts))), predictions.n_threads)
    return wins, added_up(lanes, predictions.n_threads)


def carried_pairs(
    predictions: Predictions,
    columns: Sequence[int],
    rows: Float64Array,
    credit: float,
    n_ranked: int,
) -> Float64Array:
    """Influence values (n, G) through columns k, from the derivatives by AUC(k|r) in ``rows``.

    (K, K, G), 0 where k = r. From ``n_ranked`` on they are derivatives by sAUC(k|r).
    """
    from polyroc.kernels.long_columns import add_lost, carry_column

    n_cases, counts, n_threads = len(predictions), predictions.class_weights, predictions.n_threads
    given, carried = predictions.codes.astype(np.int32), np.zeros((n_cases, rows.shape[2]))
    at_once = LANES if n_cases > CASES_AT_ONCE else max(1, len(columns))
    n_kinds = 2 if n_ranked < rows.shape[2] else 1
    places = np.empty((min(at_once, len(columns)), n_cases, n_kinds))

    def of_column(place: int) -> None:
        k = some[place]
        won = np.ascontiguousarray((rows[k] / counts[:, None]).T)
        carry_column(_whole(predictions, k), credit, won, n_ranked, places[place], carried)

    def of_block(start: int) -> None:
        cases = slice(start, start + CASES_AT_ONCE)
        add_lost(given[cases], lost, n_ranked, places[: len(some), cases], carried[cases])

    for first in range(0, len(columns), at_once):
        some = columns[first : first + at_once]
        map_threads(of_column, range(len(some)), n_threads)  # a case is a positive of one of them
        lost = np.ascontiguousarray((rows[some] / counts[some, None, None]).transpose(1, 2, 0))
        map_threads(of_block, range(0, n_cases, CASES_AT_ONCE), n_threads)
    return carried


def added_up(
    lanes: Sequence[Float64Array], n_threads: int | None, places: NDArray[np.intp] | None = None
) -> Float64Array:
    """Sum of the lanes, each number where its case is, by default in the order that they have."""
    total = np.empty(len(lanes[0]))

    def of_block(start: int) -> None:
        block = slice(start, start + CASES_AT_ONCE)
        total[block if places is None else places[block]] = sum(lane[block] for lane in lanes)

    map_threads(of_block, range(0, len(total), CASES_AT_ONCE), n_threads)
    return total


def _whole(predictions: Predictions, k: int) -> "Column":
    """Column k with the cases that it is made of."""
    from polyroc.kernels.long_columns import Column

    return Column(k, *predictions.column(k).with_cases)


@lru_cache(maxsize=many_columns.MANY_CLASSES)
def _nodes(n_classes: int) -> "Quadratures":
    """Quadratures on [0, 1] for ties of up to all other classes."""
    from polyroc.kernels.long_columns import Quadratures

    most = n_classes // 2 + 1
    points, weights = np.zeros((2, most, most))
    for row in range(most):
        at, of = np.polynomial.legendre.leggauss(row + 1)
        points[row, : row + 1], weights[row, : row + 1] = (at + 1) / 2, of / 2
    return Quadratures(points, weights)
