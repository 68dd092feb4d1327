"""The direction in which each pair of classes is compared, and the margins along it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyroc._base.lazy import lazy_property
from polyroc._base.ties import SLACK, any_close, as_written, merged, slack_between
from polyroc.predictions import Predictions
from polyroc.predictions._weights import moderate
from polyroc.typing import Float64Array, FloatArray

Partition = tuple[tuple[float, ...], ...]

LARGE_MARGIN = 2.0**1022
"""From here on margins are squeezed, since a difference of two scores may reach 2¹⁰²⁵."""


@dataclass(frozen=True)
class Directed:
    """Scores, and the direction in which each pair of classes is compared."""

    scores: FloatArray
    partition: Float64Array | None = None

    @classmethod
    def of(cls, predictions: Predictions, partition: Partition | None) -> "Directed":
        """Scores of a moderate size where costs multiply them."""
        if partition is None:
            return cls(as_written(predictions.scores))
        scores = moderate(as_written(predictions.scores).astype(np.float64, copy=False))
        return cls(scores, np.array(partition))

    @lazy_property
    def size(self) -> float:
        """The size of the largest score."""
        return max(float(self.scores.max()), -float(self.scores.min()))

    @property
    def has_large_margins(self) -> bool:
        """Whether the difference of two scores may be so large that it is squeezed."""
        return self.size >= LARGE_MARGIN / 2

    @lazy_property
    def most_slack(self) -> float:
        """No margin has a larger slack; a little more, for the rounding of sums with it."""
        return 1.01 * SLACK * self.size * (1 if self.partition is None else self.partition.max())

    @property
    def least_slack(self) -> float:
        """The least slack of a margin, relative to its size: it is a sum of so many terms."""
        return SLACK / (2 if self.partition is None else len(self.partition))

    def margins(self, cases: NDArray[np.intp], i: int, j: int) -> Float64Array:
        """Margins of some cases towards class i and away from class j."""
        if self.partition is None:
            return self.between(self.scores[:, i][cases], self.scores[:, j][cases])
        costs = self.partition[j] - self.partition[i]
        differ = np.flatnonzero(costs)
        # Along memory, so that equal rows have equal sums to the last bit.
        terms = np.ascontiguousarray(self.scores[np.ix_(cases, differ)] * costs[differ])
        return np.asarray(terms.sum(axis=1))

    def between(self, first: FloatArray, second: FloatArray) -> Float64Array:
        """first − second in float64, squeezed where it may be too large."""
        if self.has_large_margins:
            return margins_of(first, second)
        return np.subtract(first, second, dtype=np.float64)

    def slacks(self, cases: NDArray[np.intp], i: int, j: int) -> Float64Array:
        """Slack of each of these margins."""
        if self.partition is None:
            return slack_between(self.scores[cases, i], self.scores[cases, j])
        costs = np.maximum(self.partition[i], self.partition[j])
        differ = np.flatnonzero(self.partition[i] != self.partition[j])
        sizes = (np.abs(self.scores[np.ix_(cases, differ)]) * costs[differ]).max(axis=1)
        return np.where(self.margins(cases, i, j) == 0, 0.0, SLACK * sizes)

    def merged(self, cases: NDArray[np.intp], i: int, j: int) -> Float64Array:
        """Margins of some cases, those that are tied made equal."""
        return self.ordered(cases, i, j)[0]

    def ordered(
        self, cases: NDArray[np.intp], i: int, j: int
    ) -> tuple[Float64Array, NDArray[np.intp] | None]:
        """The same, and their order where none are tied that differ: then it was found along."""
        margins = self.margins(cases, i, j)
        order = np.argsort(margins)
        if not any_close(margins[order], self.most_slack):
            return margins, order
        return merged(margins, self.slacks(cases, i, j)), None


def margins_of(first: FloatArray, second: FloatArray) -> Float64Array:
    """first − second in float64, and no margin infinite.

    A margin m from 2¹⁰²² on becomes 2¹⁰²² + (m − 2¹⁰²²)/4, and its opposite the opposite: no order
    is changed, and each margin depends on its own scores alone.
    """
    with np.errstate(over="ignore"):
        margins = np.subtract(first, second, dtype=np.float64)
    large = np.abs(margins) >= LARGE_MARGIN
    if large.any():
        half = first * np.float64(0.5) - second * np.float64(0.5)
        margins[large] = (np.copysign(0.75 * LARGE_MARGIN, half) + half / 2)[large]
    return margins
