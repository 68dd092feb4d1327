"""Variance of a mean over random tuples: that of the draw, and that of the cases.

With z_t the credit of tuple t less the mean and B tuples, the draw adds Σ z_t² / (B (B − 1)). What
the cases add is the variance of all tuples, Σ_k m_k/(m_k − 1) Σ_{i in k} u_i². The sum of z_t over
the tuples that hold case i estimates B u_i; its square also holds the squares of the z_t, which are
noise of the draw, and the products of two different tuples alone estimate B (B − 1) u_i² without
bias. That may make the part of a class negative: then it is 0.

Cases in groups: the same with the sums over a group, also where it spans classes.
"""

import numpy as np
from numpy.typing import NDArray

from polyroc.inference._influence import (
    CaseDesign,
    freedom_of_parts,
    variance_of_parts,
    variance_parts,
)
from polyroc.metrics.question import Influence
from polyroc.predictions import Predictions
from polyroc.statistics.statistic import Drawn
from polyroc.typing import Float64Array


def spread_of_value(
    predictions: Predictions, influence: Influence, design: CaseDesign
) -> tuple[float, float]:
    """Variance of one metric, and its degrees of freedom."""
    if influence.drawn is not None:
        return drawn_spread(predictions, influence.drawn, design)
    return spread_of_parts(
        variance_parts(predictions, influence, design), predictions, influence, design
    )


def spread_of_parts(
    parts: Float64Array, predictions: Predictions, influence: Influence, design: CaseDesign
) -> tuple[float, float]:
    """The same from what each class adds to the variance."""
    variance = variance_of_parts(parts, predictions, influence, design)
    if not variance > 0:
        return float(variance), np.nan
    return float(variance), freedom_of_parts(parts, predictions, design)


def drawn_spread(predictions: Predictions, drawn: Drawn, design: CaseDesign) -> tuple[float, float]:
    """The same of a mean over random tuples."""
    counts = design.counts(predictions)
    if (counts <= 1).any():
        return np.nan, np.nan
    deviations, n_tuples = drawn.deviations, len(drawn.credit)
    scale = np.sqrt(counts / (counts - 1))[predictions.codes]
    if design.weights == "frequency":
        scale /= np.sqrt(predictions.case_weights)
    moved = deviations[:, None] * scale[drawn.tuples]
    units = drawn.tuples if design.groups is None else design.groups[drawn.tuples]
    by_class = np.array([_of_cases(units[:, [k]], moved[:, [k]]) for k in range(len(counts))])
    of_cases = by_class.sum() if design.groups is None else _of_cases(units, moved)
    of_draw = float((deviations**2).sum() / (n_tuples * (n_tuples - 1)))
    variance = of_draw + float(of_cases)
    parts = np.sum(by_class**2 / (counts - 1)) + of_draw**2 / (n_tuples - 1)
    if not parts > 0:
        return variance, np.nan
    freedom = float((by_class.sum() + of_draw) ** 2 / parts)
    return variance, min(freedom, design.most_freedom(predictions))


def _of_cases(units: NDArray[np.intp], moved: Float64Array) -> float:
    """Σ over units of the products of two different tuples that hold them, over B (B − 1)."""
    n_tuples, own = len(units), moved
    if units.shape[1] > 1:  # a tuple may hold a group twice
        same = np.arange(n_tuples)[:, None] * (int(units.max()) + 1) + units
        numbers = np.unique(same.ravel(), return_inverse=True)[1]
        own = np.bincount(numbers, moved.ravel()).astype(np.float64)
    sums = np.bincount(units.ravel(), moved.ravel())
    return max(float((sums**2).sum() - (own**2).sum()), 0.0) / (n_tuples * (n_tuples - 1))
