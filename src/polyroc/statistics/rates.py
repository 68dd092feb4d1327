"""Error rates of operating points: means over the cases of a class of what each point decides.

Two classes have an operating point for each threshold between different margins p₂ − p₁, so that
the rates are the steps of the ROC curve. Three classes have one for each of a fixed set of costs
(:func:`fixed_costs`), by which a case is decided for the class of lowest expected cost.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import Self

import numpy as np

from polyroc._base.sums import running_sum, sum_by_class
from polyroc._base.ties import SLACK, merged, slack_between
from polyroc.predictions import Predictions
from polyroc.statistics.means import centre_by_class
from polyroc.statistics.statistic import Statistic
from polyroc.typing import Float64Array, Int64Array

N_COSTS = 1_000
"""Costs of a fixed set, about: all orders of the classes are in it."""

_NEARLY_EQUAL = 1e-9
"""Costs this close to equal decide by the highest probability, and equal ones in every order."""

DECISIONS_AT_ONCE = 1 << 22


@dataclass(frozen=True, kw_only=True, eq=False)
class Rates(Statistic):
    """(m, D) rates C_kj of m operating points, in row-major order of the off-diagonal."""

    rates: Float64Array

    @classmethod
    def of(cls, predictions: Predictions) -> Self:
        """Two classes O(n log n), three O(n) for each of the fixed costs."""
        if predictions.n_classes == 2:
            rates = _threshold_rates(predictions)
        else:
            rates = _cost_rates(predictions, fixed_costs(predictions.n_classes))
        return cls(classes=predictions.classes, weights=predictions.class_weights, rates=rates)

    def carry(
        self, predictions: Predictions, gradients: Sequence[Float64Array]
    ) -> list[Float64Array]:
        """φ_i = Σ_points Σ_j (1[i decided j] − C_kj) gradient_kj for case i of class k."""
        pull = _threshold_sums if predictions.n_classes == 2 else _cost_sums
        return [centre_by_class(predictions, pull(predictions, each)) for each in gradients]


# Two classes: thresholds


def _steps(predictions: Predictions) -> Int64Array:
    """Rank of each case's margin p₂ − p₁ among the different ones, from 0 on."""
    columns = predictions.probabilities("error rates").T.astype(np.float64)
    margins = merged(columns[1] - columns[0], slack_between(columns[1], columns[0]))
    return np.unique(margins, return_inverse=True)[1].astype(np.int64)


def _threshold_rates(predictions: Predictions) -> Float64Array:
    """Threshold t decides for the second class from rank t on: (misclassified of 1, of 2)."""
    steps = _steps(predictions)
    n_steps = int(steps.max()) + 1
    found = []
    for k in (0, 1):
        own = predictions.codes == k
        weights = predictions.case_weights[own]
        at = np.bincount(steps[own], weights, n_steps).astype(np.float64)
        wrong = running_sum(at) if k else running_sum(at[::-1])[::-1]
        found.append(np.minimum(wrong / predictions.class_weights[k], 1.0))
    return np.column_stack(found)


def _threshold_sums(predictions: Predictions, gradient: Float64Array) -> Float64Array:
    """Σ over thresholds of the gradient of the error that each makes with a case."""
    steps = _steps(predictions)
    above, below = running_sum(gradient[:, 0]), running_sum(gradient[:, 1])
    return np.where(predictions.codes == 0, above[steps + 1], below[-1] - below[steps + 1])


# Three classes: costs


@lru_cache(maxsize=8)
def fixed_costs(n_classes: int) -> Float64Array:
    """(m, K, K) costs, about 1,000, spread evenly over all costs of sum 1, and in every order.

    The fractional parts of multiples of powers of one number fill a cube evenly; their negative
    logarithms over their sum fill the simplex of costs. Each is there for all orders of the
    classes, so that no order is preferred. The first costs are equal, nearly: cases whose highest
    probability is shared are decided in every order, too.
    """
    n_rates, orders = n_classes * (n_classes - 1), list(permutations(range(n_classes)))
    number = 2.0
    for _ in range(64):  # the positive root of x^(D + 1) = x + 1
        number = (1 + number) ** (1 / (n_rates + 1))
    places = 0.5 + np.arange(1, 1 + N_COSTS // len(orders))[:, None]
    parts = -np.log1p(-((places * number ** -np.arange(1.0, n_rates + 1)) % 1))
    parts[0] = 1 + _NEARLY_EQUAL * parts[0]
    tables = np.zeros((len(parts), n_classes, n_classes))
    tables[:, ~np.eye(n_classes, dtype=bool)] = parts / parts.sum(axis=1, keepdims=True)
    costs = np.concatenate([tables[:, order][:, :, order] for order in map(list, orders)])
    costs.flags.writeable = False
    return costs


def decisions(probabilities: Float64Array, costs: Float64Array) -> Iterator[Float64Array]:
    """(points, n, K) tables of some costs at a time, 1 where a case is decided as a class.

    Each case is a class of its own for the kernel that counts, so its table is the decision.
    """
    from polyroc.kernels.confusion import confusion_tables

    n_cases, n_classes = probabilities.shape
    each, ones = np.arange(n_cases), np.ones(n_cases)
    step = max(1, DECISIONS_AT_ONCE // (n_cases * n_classes))
    for start in range(0, len(costs), step):
        part = costs[start : start + step]
        decided = np.zeros((len(part), n_cases, n_classes))
        confusion_tables(probabilities, each, ones, part, decided, SLACK)
        yield decided


def decided_sums(
    probabilities: Float64Array, codes: Int64Array, costs: Float64Array, values: Float64Array
) -> Float64Array:
    """(n,) sums over m costs of ``values[m, k, j]``, k the class of the case and j its decision."""
    sums, start = np.zeros(len(probabilities)), 0
    for decided in decisions(probabilities, costs):
        part = values[start : start + len(decided)]
        sums += np.einsum("mij,mij->i", decided, part[:, codes])
        start += len(decided)
    return sums


def _cost_rates(predictions: Predictions, costs: Float64Array) -> Float64Array:
    from polyroc.kernels.confusion import confusion_tables

    tables = np.zeros(costs.shape)
    weights = np.array(predictions.case_weights, dtype=np.float64)
    codes = predictions.codes.astype(np.int64)
    confusion_tables(_probabilities(predictions), codes, weights, costs, tables, SLACK)
    totals = sum_by_class(codes, weights, predictions.n_classes)
    rates = np.minimum(tables / totals[:, None], 1.0)
    return np.asarray(rates[:, ~np.eye(predictions.n_classes, dtype=bool)])


def _cost_sums(predictions: Predictions, gradient: Float64Array) -> Float64Array:
    costs, n_classes = fixed_costs(predictions.n_classes), predictions.n_classes
    used = np.flatnonzero(gradient.any(axis=1))
    values = np.zeros((len(used), n_classes, n_classes))
    values[:, ~np.eye(n_classes, dtype=bool)] = gradient[used]
    codes = predictions.codes.astype(np.int64)
    return decided_sums(_probabilities(predictions), codes, costs[used], values)


def _probabilities(predictions: Predictions) -> Float64Array:
    return np.ascontiguousarray(predictions.probabilities("error rates"), dtype=np.float64)
