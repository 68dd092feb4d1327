"""Error rates of a classifier under many costs."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import shown
from polyroc._base.parallel import map_threads, thread_count
from polyroc.errors import InvalidInput
from polyroc.kernels.confusion import confusion_tables
from polyroc.surface._cases import Cases
from polyroc.surface._costs import TIED, errors, matrices
from polyroc.surface.models.model import Model
from polyroc.typing import Float64Array

_GRID = 2.0**40
"""Equal rates are to be equal although sums of weights that are no whole numbers are rounded."""

_WORTH_A_THREAD = 4_000_000
"""Decisions below which starting threads costs more than it saves."""


def error_rates(
    probabilities: Float64Array,
    cases: Cases,
    costs: Float64Array,
    n_threads: int | None = None,
) -> Float64Array:
    """(m, D) rates C_kj = share of class k decided as j, for (m, D) costs.

    Each cost matrix has a table of its own, so threads do not change a bit of the answer.
    """
    n_classes = len(cases.classes)
    tables = np.zeros((len(costs), n_classes, n_classes))
    square = matrices(costs, n_classes)

    def fill(part: slice) -> None:
        confusion_tables(
            probabilities, cases.codes, cases.weights, square[part], tables[part], TIED
        )

    if len(costs) * len(cases) <= _WORTH_A_THREAD:
        fill(slice(None))
    else:
        threads = thread_count(n_threads)
        edges = np.linspace(0, len(costs), threads + 1).astype(int)
        map_threads(fill, [slice(*pair) for pair in pairwise(edges)], threads)
    rates = errors(tables / cases.class_weights[:, None])
    return rates if cases.counted else np.round(rates * _GRID) / _GRID


def sharing_parameters(parameters: Float64Array) -> list[NDArray[np.intp]]:
    """Positions of the members that share their parameters, and with them the probabilities."""
    if not len(parameters):
        return []
    if not parameters.shape[1]:
        return [np.arange(len(parameters))]
    inverse = np.unique(parameters, axis=0, return_inverse=True)[1].ravel()
    order = np.argsort(inverse, kind="stable")
    starts = np.flatnonzero(np.diff(inverse[order], prepend=-1))
    return np.split(order, starts[1:])


def model_probabilities(model: Model, parameters: Float64Array) -> Float64Array:
    """Probabilities of a model's cases, checked: compiled loops trust what they are given."""
    found = model.probabilities(parameters)
    expected = (len(model.cases), len(model.classes))
    if not isinstance(found, np.ndarray) or found.shape != expected:
        raise InvalidInput(
            f"probabilities() of {type(model).__name__} gave {shown_shape(found)} instead of an "
            f"array of the shape {expected}: a row per case, a column per class."
        )
    if not np.isfinite(found).all():
        raise InvalidInput(
            f"probabilities() of {type(model).__name__} gave a number that is not finite, for the "
            f"parameters {shown(parameters.tolist())}."
        )
    return np.ascontiguousarray(found, dtype=np.float64)


def shown_shape(found: object) -> str:
    if isinstance(found, np.ndarray):
        return f"an array of the shape {found.shape}"
    return f"a {type(found).__name__}"
