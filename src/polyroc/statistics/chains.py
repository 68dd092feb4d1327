"""Chains: one case per class, in the order of the classes along one marker.

A chain counts 1 if the marker rises strictly from class to class; m neighbours in it that are tied
count 1/m!. Chains are counted class by class along the sorted marker, O(n log n + n K) without
ties, and a tie costs as much as it has classes.

The chains through a case of class j with the value v are those that end in class a − 1 below v,
times those that start with class b + 1 above v, times what the run of classes a … b tied at v, of
which j is one, weighs without j, over (b − a + 1)!; summed over the runs.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from polyroc._base.sums import running_sum, sum_by_class
from polyroc.predictions import Predictions
from polyroc.statistics.means import centre_by_class
from polyroc.statistics.statistic import Statistic
from polyroc.typing import Float64Array


@dataclass(frozen=True, kw_only=True, eq=False)
class Chains(Statistic):
    """Mean credit of the chains of cases that are ordered by the first column of scores."""

    credit: float

    @classmethod
    def of(cls, predictions: Predictions) -> Self:
        """One sort."""
        marked = _Marked.of(predictions)
        return cls(
            classes=predictions.classes,
            weights=predictions.class_weights,
            credit=float(_total(marked.weights) / np.prod(marked.totals)),
        )

    def carry(self, predictions: Predictions, gradients: Sequence[float]) -> list[Float64Array]:
        """From the chains through each case."""
        marked = _Marked.of(predictions)
        through = _through(marked.weights)[marked.value, predictions.codes]
        others = np.prod(marked.totals) / marked.totals
        moved = centre_by_class(predictions, through / others[predictions.codes])
        return [gradient * moved for gradient in gradients]


class _Marked(NamedTuple):
    """Cases by their value of the marker.

    Weights are divided by powers of two, a class at a time: products over many classes stay finite,
    and no digit changes.
    """

    weights: Float64Array
    """Of each class (column) at each distinct value (row), ascending."""
    totals: Float64Array
    value: NDArray[np.intp]
    """Row of each case."""

    @classmethod
    def of(cls, predictions: Predictions) -> "_Marked":
        _, value = np.unique(predictions.scores[:, 0], return_inverse=True)
        value, n_classes = value.reshape(-1), predictions.n_classes
        n_values = int(value.max()) + 1
        cells = value * n_classes + predictions.codes
        flat = sum_by_class(cells, predictions.case_weights, n_values * n_classes)
        totals, exponents = np.frexp(predictions.class_weights)
        return cls(np.ldexp(flat.reshape(n_values, n_classes), -exponents), totals, value)


def _total(weights: Float64Array) -> float:
    """Total credit of the chains through all classes."""
    return float(_added(weights, _before(weights), weights.shape[1] - 1).sum())


def _before(weights: Float64Array) -> list[Float64Array]:
    """At j: credit of the chains through the first j classes that end below each value."""
    before = [np.ones(len(weights))]
    for k in range(weights.shape[1]):
        before.append(running_sum(_added(weights, before, k))[:-1])
    return before


def _added(weights: Float64Array, before: list[Float64Array], k: int) -> Float64Array:
    """Credit of the chains to class k that end at each value, by how many classes are tied there.

    Those that use the value for their last m classes add before[k + 1 − m] · Π weights / m!.
    """
    added, product = np.zeros(len(weights)), np.ones(len(weights))
    for m in range(1, k + 2):
        product = product * weights[:, k + 1 - m]
        if not product.any():
            break
        added += before[k + 1 - m] * product / math.factorial(m)
    return added


def _through(weights: Float64Array) -> Float64Array:
    """Credit of the chains through a case of unit weight of each class (column) at each value."""
    n_classes = weights.shape[1]
    before = _before(weights)
    after = [each[::-1] for each in _before(weights[::-1, ::-1])]  # at j: the last j classes
    through = np.zeros(weights.shape)
    for j in range(n_classes):
        left = np.ones(len(weights))
        for first in range(j, -1, -1):
            left = left * weights[:, first] if first < j else left
            if not left.any():
                break
            product = left
            for last in range(j, n_classes):
                product = product * weights[:, last] if last > j else product
                if not product.any():
                    break
                credit = product / math.factorial(last - first + 1)
                through[:, j] += before[first] * credit * after[n_classes - 1 - last]
    return through
