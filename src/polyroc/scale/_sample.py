"""A random sample of whole cases, from which standard errors are computed.

The variance of a metric over several columns needs cases with all their scores. A standard error
only needs some of them: with φ the influence values of a sample of each class, Var = Σ_k S²_k(φ) /
n_k, n_k the size of the class in all the data. 4,096 cases of a class give its part of the standard
error within about one per cent.

Each case gets a pseudo-random key from its position and its first score, and the cases with the
lowest keys of each class stay. So samples can be merged, and the sample does not depend on how the
cases were divided into updates, nor on the order of merging.
"""

import numpy as np
from numpy.typing import NDArray

from polyroc.typing import Float64Array, FloatArray, IntArray

CASES_PER_CLASS = 4096
MOST_SCORES = 1 << 22
"""Scores kept in all: 32 MB."""

FEWEST_CASES = 16
"""Below this a sample of a class says too little."""


def cases_per_class(n_classes: int) -> int:
    """Cases to keep of each class; 0 where there are too many classes to keep enough."""
    affordable = min(CASES_PER_CLASS, MOST_SCORES // n_classes**2)
    return affordable if affordable >= FEWEST_CASES else 0


class Sample:
    """The cases of each class with the lowest keys."""

    def __init__(self, n_classes: int, size: int) -> None:
        self.size = size
        self.keys = np.empty(0, dtype=np.uint64)
        self.codes = np.empty(0, dtype=np.int64)
        self.rows = np.empty((0, n_classes))
        self.weights = np.empty(0)
        self._bars = np.full(n_classes, np.iinfo(np.uint64).max, dtype=np.uint64)
        """Keys beyond which a case of each class is not taken any more."""
        self._loose = 0

    def add(
        self,
        first: int | IntArray,
        codes: IntArray,
        columns: list[FloatArray],
        weights: Float64Array | None,
    ) -> None:
        """Add cases, whose positions are given, or follow the first."""
        if not self.size:
            return
        keys = self.keys_of(first, columns)
        taken = np.flatnonzero(keys <= self._bars[codes])
        if not taken.size:
            return
        rows = np.column_stack([column[taken] for column in columns]).astype(np.float64)
        heavy = np.ones(taken.size) if weights is None else weights[taken]
        self._append(keys[taken], codes[taken].astype(np.int64), rows, heavy)

    def keys_of(self, first: int | IntArray, columns: list[FloatArray]) -> NDArray[np.uint64]:
        """Keys of cases, whose positions are given, or follow the first."""
        return pseudo_random_keys(first, columns[0].astype(np.float64))

    def merge(self, other: "Sample") -> None:
        """Add the cases of another sample."""
        self._append(other.keys, other.codes, other.rows, other.weights)

    def tidy(self) -> None:
        """Keep the lowest keys of each class, in one order whatever came first."""
        order = self._order()
        codes = self.codes[order]
        starts = np.searchsorted(codes, np.arange(len(self._bars)))
        order = order[np.arange(len(codes)) - starts[codes] < self.size]
        self.keys, self.codes = self.keys[order], self.codes[order]
        self.rows, self.weights = self.rows[order], self.weights[order]
        counts = np.bincount(self.codes, minlength=len(self._bars))
        full = np.flatnonzero(counts >= self.size) if self.size else counts[:0]
        self._bars[full] = self.keys[np.cumsum(counts)[full] - 1]
        self._loose = 0

    def _append(
        self,
        keys: NDArray[np.uint64],
        codes: NDArray[np.int64],
        rows: Float64Array,
        weights: Float64Array,
    ) -> None:
        self.keys = np.concatenate([self.keys, keys])
        self.codes = np.concatenate([self.codes, codes])
        self.rows = np.concatenate([self.rows, rows])
        self.weights = np.concatenate([self.weights, weights])
        self._loose += len(keys)
        if self._loose > self.size * len(self._bars):
            self.tidy()

    def _order(self) -> NDArray[np.intp]:
        """By class and key, and equal keys by what the cases hold."""
        order = np.lexsort((self.keys, self.codes))
        keys = self.keys[order]
        if (keys[1:] != keys[:-1]).all():
            return order
        scores = tuple(self.rows.T[::-1])
        return np.lexsort((self.weights, *scores, self.keys, self.codes))


def pseudo_random_keys(first: int | IntArray, scores: Float64Array) -> NDArray[np.uint64]:
    """Pseudo-random numbers of positions and scores (the finaliser of SplitMix64).

    Positions are given, or follow the first.
    """
    places = np.arange(first, first + len(scores)) if isinstance(first, int) else first
    keys = places.astype(np.uint64)
    keys *= np.uint64(0x9E3779B97F4A7C15)
    keys ^= (scores + 0.0).view(np.uint64)  # −0 is 0
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        keys ^= keys >> np.uint64(shift)
        keys *= np.uint64(factor)
    keys ^= keys >> np.uint64(31)
    return keys
