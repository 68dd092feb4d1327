"""Cases in bins of a probability: shares, mean probabilities and what separates them."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import check_choice, whole_number
from polyroc._base.sums import sum_by_class
from polyroc.predictions import Predictions
from polyroc.typing import Float64Array

Strategy = Literal["uniform", "quantile"]


@dataclass(frozen=True, eq=False)
class Column:
    """A probability of each case, and whether what it is the probability of is true."""

    p: Float64Array
    true: Float64Array


def top_label(predictions: Predictions, q: Float64Array) -> Column:
    """The highest probability of each case, the first of equals, and whether it is that of y."""
    highest = np.argmax(q, axis=1)
    p = np.take_along_axis(q, highest[:, None], axis=1)[:, 0]
    return Column(p, (highest == predictions.codes).astype(np.float64))


def class_columns(predictions: Predictions, q: Float64Array) -> list[Column]:
    """The probability of each class, and whether it is the true one."""
    return [Column(q[:, k], (predictions.codes == k).astype(np.float64)) for k in range(q.shape[1])]


def check_bins(bins: int, strategy: str) -> int:
    """A number of bins, and how their edges are found."""
    check_choice(strategy, "strategy", ("uniform", "quantile"))
    return whole_number(bins, "bins", least=1, most=10_000)


def bin_edges(p: Float64Array, weights: Float64Array, bins: int, strategy: str) -> Float64Array:
    """Edges from 0 to 1: equally far apart, or with about the same weight of cases between them.

    Examples
    --------
    >>> bin_edges(np.array([0.1, 0.2, 0.3, 0.9]), np.ones(4), 2, "quantile")
    array([0.  , 0.25, 1.  ])
    """
    if strategy == "uniform":
        return np.linspace(0, 1, bins + 1)
    order = np.argsort(p, kind="stable")
    values, reached = p[order], np.cumsum(weights[order])
    cuts = np.searchsorted(reached, reached[-1] * np.arange(1, bins) / bins * (1 - 1e-12))
    after = np.minimum(cuts + 1, len(values) - 1)
    return np.unique(np.concatenate([[0.0], (values[cuts] + values[after]) / 2, [1.0]]))


def bin_numbers(p: Float64Array, edges: Float64Array) -> NDArray[np.intp]:
    """The bin of each case: closed below, the last one closed above, too."""
    return np.clip(np.searchsorted(edges, p, side="right") - 1, 0, len(edges) - 2)


@dataclass(frozen=True, eq=False)
class Binned:
    """A column in bins, with sums over the cases of each."""

    numbers: NDArray[np.intp]
    edges: Float64Array
    weight: Float64Array
    squares: Float64Array
    cases: NDArray[np.intp]
    p: Float64Array
    """Σ w p."""
    true: Float64Array
    """Σ w y."""
    variance: Float64Array
    """Σ w² p (1 − p): of Σ w y, were the probabilities right."""

    @classmethod
    def of(
        cls, column: Column, weights: Float64Array, bins: int, strategy: str = "uniform"
    ) -> "Binned":
        """A column, binned."""
        edges = bin_edges(column.p, weights, bins, strategy)
        numbers, n = bin_numbers(column.p, edges), len(edges) - 1

        def total(values: Float64Array) -> Float64Array:
            return sum_by_class(numbers, values, n)

        spread = weights**2 * np.clip(column.p * (1 - column.p), 0, None)
        cases = np.bincount(numbers, minlength=n)
        own = weights * column.p, weights * column.true
        sums = total(weights), total(weights**2)
        return cls(numbers, edges, *sums, cases, total(own[0]), total(own[1]), total(spread))


def effective_counts(
    binned: Binned, column: Column, weights: Float64Array, units: NDArray[Any] | None
) -> Float64Array:
    """Number of cases that the share of each bin rests on; NaN where a bin has none.

    (Σw)²/Σw²; where cases come in groups (``units``), divided by the design effect, the variance
    over groups against that over cases. A share of 0 or 1 has no variance, and rests on as many
    cases as there are groups.
    """
    n = len(binned.weight)
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = binned.weight**2 / binned.squares
        if units is None:
            return np.asarray(alike)
        share = binned.true / binned.weight
        apart = weights * (column.true - share[binned.numbers])
        groups = np.unique(units, return_inverse=True)[1]
        pairs = binned.numbers * (groups.max() + 1) + groups
        found, places = np.unique(pairs, return_inverse=True)
        of_bin = found // (groups.max() + 1)
        m = np.bincount(of_bin, minlength=n)
        together = np.bincount(of_bin, np.bincount(places, apart) ** 2, n) * m / (m - 1)
        alone = np.bincount(binned.numbers, apart**2, n) * binned.cases / (binned.cases - 1)
        certain = (m < 2) | (share <= 1e-12) | (share >= 1 - 1e-12)
        counts = np.where(certain, np.minimum(alike, m), alike / np.fmax(1, together / alone))
    return np.asarray(np.where(binned.cases > 0, counts, np.nan))
