"""What a search minimises: all error rates, or one rate per class."""

from typing import Literal, TypeAlias, get_args

import numpy as np

from polyroc.surface._costs import matrices
from polyroc.typing import BoolArray, Float64Array

Objectives: TypeAlias = Literal["pairs", "errors_of", "errors_into"]
OBJECTIVES: tuple[str, ...] = get_args(Objectives)


def objective_values(rates: Float64Array, n_classes: int, objectives: Objectives) -> Float64Array:
    """Values to minimise for points with these (m, D) error rates.

    ``"pairs"``: all D rates. ``"errors_of"``: for each class the errors made on its cases,
    Σ_j C_kj, as eq. 12 is printed. ``"errors_into"``: for each class the errors that end in it,
    Σ_k C_kj, as the text of the paper describes them (false positives).
    """
    if objectives == "pairs":
        return rates
    axis = 2 if objectives == "errors_of" else 1
    return np.asarray(matrices(rates, n_classes).sum(axis=axis))


def on_front(values: Float64Array) -> BoolArray:
    """Which of (m, d) points no other dominates; of equal points the first (eq. 13)."""
    from polyroc.kernels.archive import non_dominated

    order = np.lexsort(values.T[::-1])
    return non_dominated(np.ascontiguousarray(values, dtype=np.float64), order)
