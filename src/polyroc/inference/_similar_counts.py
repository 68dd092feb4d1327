"""What neither case of a pair explains alone, by counting, where all cases weigh the same.

With F_ij and B_ij the differences of two models in the credit of cases i of class k and j of class
r, in the column of k and in that of r, a metric with the weights W has d = W_kr F + W_rk B, and

    Σ_ij (d_ij − d_i· − d_·j + d_··)² = W_kr² Q(F, F) + 2 W_kr W_rk Q(F, B) + W_rk² Q(B, B),
    Q(X, Y) = ΣXY − Σ_i X_i+ Y_i+/n − Σ_j X_+j Y_+j/m + X_++ Y_++/(mn).

Credits are 0, ½ or 1, so that all sums are whole numbers of quarters, and exact; one Q serves all
metrics of the same columns.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.predictions import Predictions
from polyroc.statistics.directed import Directed
from polyroc.typing import Float64Array

Credits = NDArray[np.float32]

MOST_EXACT = 1 << 22
"""Pairs of cases up to which sums of squares of credits are exact in float32."""


class Unexplained(NamedTuple):
    """Q(F, F), Q(F, B) and Q(B, B), divided by (mn)² (1 − 1/m)(1 − 1/n)."""

    forward: float
    both: float
    backward: float

    def of(self, matrix: Float64Array, k: int, r: int) -> float:
        """γ̂/(mn) of a metric with these weights of pairs of classes; NaN counts as 0."""
        one, other = np.nan_to_num(matrix[k, r]), np.nan_to_num(matrix[r, k])
        return float(
            one * one * self.forward + 2 * one * other * self.both + other * other * self.backward
        )


ByPairs = dict[tuple[int, int], dict[tuple[int, int], Unexplained]]
"""For each pair of models, for each pair of classes."""


def unexplained(models: Sequence[Predictions], directed: Sequence[Directed | None]) -> ByPairs:
    """Of all pairs of models and of classes."""
    found: ByPairs = {pair: {} for pair in combinations(range(len(models)), 2)}
    for k, r in combinations(range(models[0].n_classes), 2):
        credits = [_credits(*each, k, r) for each in zip(models, directed, strict=True)]
        for a, b in found:
            pairs = zip(credits[a], credits[b], strict=True)
            found[a, b][k, r] = _of_pair([one - other for one, other in pairs])
    return found


def _credits(predictions: Predictions, directed: Directed | None, k: int, r: int) -> list[Credits]:
    """Credit of each pair in the column of k, and in that of r; or along one direction."""
    first, second = predictions.members[k], predictions.members[r]
    if directed is not None:
        margins = directed.merged(np.concatenate([first, second]), k, r)
        return [_credit(margins[: len(first)], margins[len(first) :])]
    ahead, behind = (predictions.scores[own, k] for own in (first, second))
    back, before = (predictions.scores[own, r] for own in (first, second))
    return [_credit(ahead, behind), 1 - _credit(back, before)]


def _credit(ahead: NDArray[np.floating], behind: NDArray[np.floating]) -> Credits:
    """1 in order, ½ for a tie."""
    above, upto = ahead[:, None] > behind, ahead[:, None] >= behind
    credit = np.add(above, upto, dtype=np.float32)
    credit *= np.float32(0.5)
    return credit


def _of_pair(differences: Sequence[Credits]) -> Unexplained:
    m, n = differences[0].shape
    if m <= 1 or n <= 1:
        return Unexplained(np.nan, np.nan, np.nan)
    rows, columns = zip(*(_margins(each) for each in differences), strict=True)

    def of(a: int, b: int) -> float:
        products = float(differences[a].ravel() @ differences[b].ravel())
        explained = float(rows[a] @ rows[b]) / n + float(columns[a] @ columns[b]) / m
        mean = float(rows[a].sum()) * float(rows[b].sum()) / (m * n)
        return float((products - explained + mean) / (m * n * (m - 1) * (n - 1)))

    if len(differences) == 1:
        return Unexplained(of(0, 0), 0.0, 0.0)
    return Unexplained(of(0, 0), of(0, 1), of(1, 1))


def _margins(difference: Credits) -> tuple[Float64Array, Float64Array]:
    """Sums of rows and of columns."""
    rows, columns = (np.ones(size, np.float32) for size in difference.shape)
    return (difference @ columns).astype(np.float64), (rows @ difference).astype(np.float64)
