"""Variance of a mean over classes from what each case contributes, and its degrees of freedom."""

from typing import NamedTuple

import numpy as np

from polyroc._base.sums import sum_by_class
from polyroc.typing import Float64Array, IntArray


class Spread(NamedTuple):
    """Variance of an estimate, and the degrees of freedom of that variance."""

    variance: float
    freedom: float


def class_spread(
    influence: Float64Array, codes: IntArray, weights: Float64Array, n_classes: int
) -> Spread:
    """Var = Σ_k m_k/(m_k − 1) Σ_{i in k} u_i², u_i = w_i φ_i / n_k; Satterthwaite's freedom.

    φ_i has the weighted mean 0 in each class, m_k is the number of its cases and n_k their weight.
    NaN where a class has a single case.

    Examples
    --------
    The mean of class 0 has the variance S²/n = 3/3, that of class 1 has none:

    >>> values, codes = np.array([-1.0, -1.0, 2.0, 0.0, 0.0]), np.array([0, 0, 0, 1, 1])
    >>> class_spread(values, codes, np.ones(5), 2)
    Spread(variance=1.0, freedom=2.0)
    """
    cases = np.bincount(codes, minlength=n_classes).astype(np.float64)
    totals = sum_by_class(codes, weights, n_classes)
    if (cases <= 1).any():
        return Spread(float("nan"), float("nan"))
    moved = weights * influence / totals[codes]
    parts = cases / (cases - 1) * sum_by_class(codes, moved**2, n_classes)
    variance = float(parts.sum())
    if not variance > 0:
        return Spread(variance, float("nan"))
    return Spread(variance, variance**2 / float(np.sum(parts**2 / (cases - 1))))
