"""All columns of a short table, each in ascending order of its scores, side by side.

Of a thousand cases the calls of NumPy cost more than their sorting: here all columns share them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc._base.lazy import lazy_property
from polyroc._base.sums import running_sums
from polyroc.typing import Float64Array, FloatArray, IntArray

Integers = NDArray[np.intp]


class Runs(NamedTuple):
    """Runs of equal scores, of all columns one after the other."""

    first: Integers
    """Where each begins."""
    lengths: Integers

    @property
    def last(self) -> Integers:
        """Where each ends."""
        return self.first + self.lengths - 1


class Masses(NamedTuple):
    """Of the values of the cases of a column, for each case in it."""

    below: Float64Array
    """Sum over those with a lower score."""
    level: Float64Array
    """Sum over those with the same score, itself among them."""

    def up_to(self, credit: float) -> Float64Array:
        """Those with a lower score, and of those with the same score a share."""
        return np.asarray(self.below + credit * self.level)


class SideBySide:
    """The columns of a table: row k holds the cases in the order of column k."""

    def __init__(self, scores: FloatArray, codes: IntArray) -> None:
        columns = np.ascontiguousarray(scores.T)
        self.n_classes, self.n_cases = columns.shape
        self.rows = np.arange(self.n_classes)[:, None]
        self._given = codes
        order = columns.argsort(axis=1)
        self.codes: Integers = codes[order].astype(np.intp)
        """(K, n) classes."""
        self.own = self.codes == self.rows
        """(K, n) which cases are positive: of class k."""
        self._places = order + self.rows * self.n_cases
        self._scores = columns.take(self._places)

    @lazy_property
    def cells(self) -> Integers:
        """(K, n) places in a matrix of K × K: the column, and the class of each case."""
        cells: Integers = self.codes + self.rows * self.n_classes
        return cells

    @lazy_property
    def runs(self) -> Runs | None:
        """Runs of equal scores; None where no two scores of a column are equal."""
        new = self._scores[:, 1:] != self._scores[:, :-1]
        if new.all():
            return None
        starts = np.ones(self.codes.shape, dtype=bool)
        starts[:, 1:] = new
        first = np.flatnonzero(starts)
        return Runs(first, np.diff(first, append=starts.size))

    @lazy_property
    def positives(self) -> tuple[Integers, Integers | None]:
        """Positives not above each case, and those tied with it, by whole numbers.

        The latter is None where no two scores are equal: a positive is tied with itself alone.
        """
        right = self.own.cumsum(axis=1)
        if self.runs is None:
            return right, None
        first, lengths = self.runs
        left = (right - self.own).ravel()[first]
        right = right.ravel()[self.runs.last]
        shape = self.own.shape
        level = np.repeat(right - left, lengths).reshape(shape)
        return np.repeat(right, lengths).reshape(shape), level

    @lazy_property
    def summed_positives(self) -> tuple[Float64Array, Float64Array | None]:
        """(K, K) sums of both over the cases of each class."""
        right, level = self.positives
        return self.summed(right), None if level is None else self.summed(level)

    def masses(self, values: Float64Array) -> Masses:
        """Of values (…, K, n) in the order of the columns."""
        sums = running_sums(values)
        below, upto = sums[..., :-1], sums[..., 1:]
        if self.runs is None:
            return Masses(below, values)
        first, lengths = self.runs
        flat = *values.shape[:-2], self.own.size
        below, upto = below.reshape(flat)[..., first], upto.reshape(flat)[..., self.runs.last]
        found = (below.repeat(lengths, axis=-1), (upto - below).repeat(lengths, axis=-1))
        return Masses(*(each.reshape(values.shape) for each in found))

    def summed(self, values: NDArray[np.generic]) -> Float64Array:
        """(K, K) sums of values (K, n) over the cases of each class in each column."""
        size = self.n_classes, self.n_classes
        sums = np.bincount(self.cells.ravel(), values.ravel(), self.n_classes**2)
        return sums.reshape(size).astype(np.float64, copy=False)

    def in_order(self, values: Float64Array) -> Float64Array:
        """(K, n) values of the cases (n,), in the order of every column."""
        ordered: Float64Array = values.take(self._places - self.rows * self.n_cases)
        return ordered

    @lazy_property
    def places(self) -> Integers:
        """(K, n) where each case, as they were given, stands among all of all columns in order."""
        places = np.empty(self.own.size, np.intp)
        places[self._places.ravel()] = np.arange(self.own.size)
        return places.reshape(self.own.shape)

    @lazy_property
    def places_of_own(self) -> Integers:
        """(n,) the same of each case in the column of its class."""
        own: Integers = self.places[self._given, np.arange(self.n_cases)]
        return own
