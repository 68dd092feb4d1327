"""Costs of misclassification: checked, put in order, and the decision that costs least.

A cost matrix has a row per true class and a column per decision, zeros on its diagonal and sum 1.
Its D = K(K − 1) other entries, and the error rates that belong to them, are kept in row-major
order.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from polyroc._base.checks import did_you_mean, shown
from polyroc._base.ties import SLACK, tied_with_least
from polyroc.errors import InvalidInput, InvalidType, PolyrocError, UnknownName
from polyroc.predictions._classes import listed
from polyroc.predictions._containers import read_weights
from polyroc.predictions._tables import by_class
from polyroc.typing import BoolArray, Float64Array, Int64Array, Label

TIED = SLACK
"""Expected costs that differ by no more than this share of the larger are equal."""

TIED_SINGLE = 2.0**-22
"""The same for probabilities that were rounded to single precision, as those in a report are."""

CostsLike: TypeAlias = ArrayLike | Mapping[tuple[Any, Any], float]


def off_diagonal(n_classes: int) -> BoolArray:
    """Mask of the errors in a K × K table."""
    return ~np.eye(n_classes, dtype=bool)


def errors(tables: Float64Array) -> Float64Array:
    """The off-diagonal entries of K × K tables: (…, K, K) to (…, D)."""
    return tables[..., off_diagonal(tables.shape[-1])]


def matrices(entries: Float64Array, n_classes: int) -> Float64Array:
    """K × K tables with these off-diagonal entries and zeros: (…, D) to (…, K, K)."""
    tables = np.zeros((*entries.shape[:-1], n_classes, n_classes))
    tables[..., off_diagonal(n_classes)] = entries
    return tables


def cost_matrix(costs: CostsLike, classes: Sequence[Label]) -> Float64Array:
    """Costs as a K × K table that sums to 1, checked; see ``checked_costs``.

    Examples
    --------
    >>> cost_matrix({("ill", "well"): 3, ("well", "ill"): 1}, ("ill", "well"))
    array([[0.  , 0.75],
           [0.25, 0.  ]])
    """
    table = checked_costs(costs, classes)
    scaled = table / table.max()  # so that the sum of huge or tiny costs exists
    return np.asarray(scaled / scaled.sum())


def checked_costs(costs: CostsLike, classes: Sequence[Label]) -> Float64Array:
    """Costs as a K × K table on the scale they were given.

    ``costs`` is such a table, or a mapping from (truth, decided) to a cost, in which an error that
    is not named costs 1. A table with names of rows and columns is matched by them.
    """
    table = _named(costs, classes) if isinstance(costs, Mapping) else _square(costs, classes)
    if not (np.isfinite(table).all() and (table >= 0).all()):
        raise InvalidInput(
            f"costs must be finite non-negative numbers, got {shown(table.tolist())}."
        )
    if np.diag(table).any():
        raise InvalidInput(
            "The correct decision must cost 0, got a diagonal of "
            f"{shown(np.diag(table).tolist())}. "
            "Subtract the cost of the correct decision from each row."
        )
    if not table.any():
        raise InvalidInput("All costs are 0, so every decision is as good. Give one a cost.")
    return table


def _square(costs: Any, classes: Sequence[Label]) -> Float64Array:
    """A table by the names of its rows and columns, or by position where it has none."""
    costs = by_class(costs, classes, "costs")
    try:
        table = np.array(read_weights(costs, "costs"))
    except PolyrocError:
        raise InvalidType(
            f"costs must be a table of numbers or a mapping from (truth, decided), "
            f"got {shown(costs)}."
        ) from None
    if table.shape != (len(classes), len(classes)):
        raise InvalidInput(
            f"costs must have a row and a column for each of the {len(classes)} classes, got the "
            f"shape {table.shape}. Rows are true classes, columns are decisions."
        )
    return table


def _named(costs: Mapping[tuple[Any, Any], float], classes: Sequence[Label]) -> Float64Array:
    table = 1 - np.eye(len(classes))
    for pair, cost in costs.items():
        number = read_weights(cost, f"The cost of {shown(pair)}")
        if number.ndim:
            raise InvalidType(f"The cost of {shown(pair)} must be a number, got {shown(cost)}.")
        table[pair_index(pair, classes)] = number
    return table


def pair_index(pair: Any, classes: Sequence[Label]) -> tuple[int, int]:
    """Row and column of a (truth, decided) pair of class names."""
    if not (isinstance(pair, tuple) and len(pair) == 2):
        raise InvalidInput(f"Name an error by (truth, decided), got {shown(pair)}.")
    places = {label: index for index, label in enumerate(classes)}
    unknown = [label for label in pair if label not in places]
    if unknown:
        hint = did_you_mean(unknown[0], classes)
        raise UnknownName(f"{shown(unknown[0])} is not a class.{hint} There are {listed(classes)}.")
    if pair[0] == pair[1]:
        raise InvalidInput(f"{shown(pair)} is not an error: truth and decision are the same class.")
    return places[pair[0]], places[pair[1]]


def expected_costs(
    probabilities: Float64Array, costs: Float64Array, tied: float = TIED
) -> Float64Array:
    """Σ_k λ_kj p_k for each row and decision; what is equal to the least is exactly equal.

    Expected costs that differ by no more than the share ``tied`` of the larger are equal, and so
    are those that a chain of such neighbours joins: the same costs on another scale, and decimals
    such as .1, are rounded otherwise.
    """
    expected = _sums_of_costs(probabilities, costs)
    least = _least_of(expected)[..., None]
    near = expected * (1 - tied) <= least
    rows = _more_than_one(near)
    if rows.any():
        close = expected[rows]
        expected[rows] = np.where(tied_with_least(close, tied * close), least[rows], close)
    return np.asarray(expected)


def least_cost(probabilities: Float64Array, costs: Float64Array, tied: float = TIED) -> Int64Array:
    """The decision of lowest expected cost for each row, argmin_j Σ_k λ_kj p_k; first of equals.

    The one rule of every decision by costs; the search counts with the same one, compiled, and the
    page of a report repeats it.

    Examples
    --------
    >>> p = np.array([[0.6, 0.4], [0.9, 0.1]])
    >>> least_cost(p, np.array([[0.0, 1.0], [1.0, 0.0]]))
    array([0, 0])
    >>> least_cost(p, np.array([[0.0, 1.0], [4.0, 0.0]]))
    array([1, 0])
    >>> tied = np.array([[0.3, 0.7]])  # .3 · .7 = .7 · .3 as decimals
    >>> least_cost(tied, np.array([[0.0, 0.7], [0.3, 0.0]]))
    array([0])
    """
    expected = expected_costs(probabilities, costs, tied)
    return np.asarray(np.argmin(expected, axis=-1), dtype=np.int64)


BLOCK = 1 << 16
"""Numbers that are added up at a time, few enough to stay near the processor."""


def _sums_of_costs(probabilities: Float64Array, costs: Float64Array) -> Float64Array:
    """Σ_k λ_kj p_k, added up in the order of k, whatever the number of rows."""
    rows = probabilities.reshape(-1, probabilities.shape[-1])
    found = np.empty((len(rows), costs.shape[1]))
    step = max(1, BLOCK // max(1, costs.shape[1]))
    product = np.empty((min(step, len(rows)), costs.shape[1]))
    for start in range(0, len(rows), step):
        block, total = rows[start : start + step], found[start : start + step]
        np.multiply(block[:, :1], costs[0], out=total)
        for truth in range(1, len(costs)):
            total += np.multiply(block[:, truth, None], costs[truth], out=product[: len(block)])
    return found.reshape(*probabilities.shape[:-1], costs.shape[1])


FEW_COLUMNS = 16
"""So few columns are compared one after the other: NumPy is slow along a short last axis."""


def _least_of(table: Float64Array) -> Float64Array:
    """The least number of each row."""
    if table.shape[-1] > FEW_COLUMNS:
        return np.asarray(table.min(axis=-1))
    least = table[..., 0]
    for column in range(1, table.shape[-1]):
        least = np.minimum(least, table[..., column])
    return least


def _more_than_one(marks: BoolArray) -> BoolArray:
    """Whether a row has several marks."""
    if marks.shape[-1] > FEW_COLUMNS:
        return np.asarray(marks.sum(axis=-1) > 1)
    one = marks[..., 0].copy()
    several = np.zeros_like(one)
    for column in range(1, marks.shape[-1]):
        several |= one & marks[..., column]
        one |= marks[..., column]
    return several
