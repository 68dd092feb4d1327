"""Error rates of a classifier under many costs."""

from itertools import pairwise

import numpy as np

from polyroc.kernels.confusion import confusion_tables
from polyroc.surface.cases import Cases
from polyroc.surface.costs import errors, matrices
from polyroc.threads import map_threads, thread_count
from polyroc.typing import Float64Array

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
        confusion_tables(probabilities, cases.codes, cases.weights, square[part], tables[part])

    if len(costs) * len(cases) <= _WORTH_A_THREAD:
        fill(slice(None))
    else:
        threads = thread_count(n_threads)
        edges = np.linspace(0, len(costs), threads + 1).astype(int)
        map_threads(fill, [slice(*pair) for pair in pairwise(edges)], threads)
    return errors(tables / cases.class_weights[:, None])
