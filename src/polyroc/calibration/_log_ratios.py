"""Logarithms of probabilities, and what is done about probabilities of 0, which have none."""

from typing import Any, NamedTuple

import numpy as np

from polyroc._base.checks import is_real, shown
from polyroc.errors import InvalidInput, NotDefined
from polyroc.predictions import Predictions
from polyroc.predictions._gate import read_rows
from polyroc.predictions._scores import Origin, column_fault, complement, row_fault
from polyroc.results import Note
from polyroc.typing import Float64Array, Label, ScoresLike


def checked_floor(floor: Any) -> float | None:
    """The least probability that is taken as it is: None, or a small share."""
    if floor is None or (is_real(floor) and 0 < floor <= 0.1):
        return None if floor is None else float(floor)
    raise InvalidInput(f"floor must lie between 0 and 0.1, or be None, got {shown(floor)}.")


class LogProbabilities(NamedTuple):
    """(n, K) logarithms, the floor that was used, if any, and what was done, as notes."""

    logs: Float64Array
    floor: float | None
    notes: tuple[Note, ...]


def log_probabilities(
    predictions: Predictions, floor: float | None, needed_by: str
) -> LogProbabilities:
    """Logarithms of the probabilities; those below the floor are raised to it.

    Without a floor, half the smallest positive probability takes the place of 0: what was rounded
    to 0, or counted by no vote of a forest, lies below what could be told from 0.
    """
    q = np.asarray(predictions.probabilities(needed_by), dtype=np.float64)
    floor = _half_of_smallest(q) if floor is None else floor
    if floor is None or not (low := q < floor).any():
        return LogProbabilities(np.log(q), floor, ())
    what = "of 0" if not q[low].any() else f"below {floor:g}"
    text = (
        f"{int(low.sum()):,} probabilities {what}, in {int(low.any(axis=1).sum()):,} of "
        f"{len(q):,} cases, were raised to {floor:.3g}, because 0 has no logarithm"
    )
    return LogProbabilities(log_floored(q, floor), floor, (Note("raised-to-floor", text),))


def _half_of_smallest(q: Float64Array) -> float | None:
    """Where some are 0, half the smallest of the others."""
    return None if (q > 0).all() else float(q[q > 0].min() / 2)


def log_floored(q: Float64Array, floor: float) -> Float64Array:
    """Logarithms of probabilities that are raised to the floor, rows with sum 1.

    Examples
    --------
    >>> np.exp(log_floored(np.array([[0.0, 1.0]]), 0.25))
    array([[0.2, 0.8]])
    """
    raised = np.maximum(q, floor)
    return np.asarray(np.log(raised / raised.sum(axis=1, keepdims=True)))


def probability_rows(y_score: ScoresLike, classes: tuple[Label, ...]) -> Float64Array:
    """Probabilities of cases whose classes nobody knows, in the order of the classes."""
    given = read_rows(y_score, list(classes))
    table, alone = given.table, given.table.shape[1] == 1
    fault = (column_fault if alone else row_fault)(table, Origin(given.names))
    if fault:
        raise NotDefined(f"Recalibration needs probabilities, but {fault}.")
    columns = complement(table) if alone else table[:, given.declared.columns]
    return np.asarray(columns, dtype=np.float64)
