"""Sums of probabilities by class, to the last digit and in any order, and whether they are some.

Float additions depend on their order. So each probability is cut at 2⁻³⁵ and rounded at 2⁻⁷⁰: the
pieces of up to 2¹⁷ cases add up without rounding, and the totals are integers with a carry.
"""

from typing import NamedTuple

import numpy as np

from polyroc.predictions._scores import SUM_TOLERANCE
from polyroc.typing import Float64Array, FloatArray, Int64Array, IntArray

MOST_CASES = 1 << 17
"""Cases whose pieces add up without rounding."""

_STEP = 35


class ClassSums:
    """Σ p over the cases of each class (row) for each column, while all rows are probabilities."""

    def __init__(self, n_classes: int) -> None:
        self.digits = np.zeros((3, n_classes, n_classes), dtype=np.int64)
        """Whole, 2⁻³⁵ and 2⁻⁷⁰ parts of sums without weights."""
        self.weighted = np.zeros((n_classes, n_classes))
        """Sums with weights, which are rounded as they are added."""
        self.n_faulty = 0
        """Rows that are no probabilities; with any, the sums are void and stay 0."""

    def add(
        self,
        codes: IntArray,
        columns: list[FloatArray],
        weights: Float64Array | None,
        compiled: bool = False,
    ) -> None:
        """Add cases whose class has the position ``codes``, given by columns."""
        for start in range(0, len(codes), MOST_CASES):
            piece = slice(start, start + MOST_CASES)
            heavy = None if weights is None else weights[piece]
            self._add(codes[piece], [column[piece] for column in columns], heavy, compiled)

    def _add(
        self,
        codes: IntArray,
        columns: list[FloatArray],
        weights: Float64Array | None,
        compiled: bool,
    ) -> None:
        added = (_added_compiled if compiled else _added)(codes, columns, weights)
        self.n_faulty += added.n_faulty
        if self.n_faulty:
            self._void()
        elif weights is not None:
            self.weighted += added.coarse
        else:
            for digit, part in enumerate((added.coarse, added.fine), start=1):
                self.digits[digit] += np.ldexp(part, digit * _STEP).astype(np.int64)
            self._carry()

    def merge(self, other: "ClassSums") -> None:
        """Add the sums of other cases."""
        self.n_faulty += other.n_faulty
        if self.n_faulty:
            self._void()
            return
        self.digits += other.digits
        self.weighted += other.weighted
        self._carry()

    def totals(self) -> Float64Array:
        """The sums as floats."""
        whole, coarse, fine = self.digits.astype(np.float64)
        plain: Float64Array = whole + (np.ldexp(coarse, -_STEP) + np.ldexp(fine, -2 * _STEP))
        plain += self.weighted
        return plain

    def _carry(self) -> None:
        for digit in (2, 1):
            self.digits[digit - 1] += self.digits[digit] >> _STEP
            self.digits[digit] &= (1 << _STEP) - 1

    def _void(self) -> None:
        self.digits[:] = 0
        self.weighted[:] = 0


class _Added(NamedTuple):
    """Sums by class over a few cases, in two parts, and how many rows are no probabilities."""

    coarse: Float64Array
    fine: Float64Array
    n_faulty: int


def _added(codes: IntArray, columns: list[FloatArray], weights: Float64Array | None) -> _Added:
    n_classes = len(columns)
    coarse, fine = np.zeros((2, n_classes, n_classes))
    row_sums = np.zeros(len(codes))
    negative = False
    with np.errstate(over="ignore", invalid="ignore"):  # of scores that are no probabilities
        for k, given in enumerate(columns):
            column = given.astype(np.float64, copy=False)
            row_sums += column
            negative |= bool(column.min(initial=0) < 0)
            if weights is not None:
                coarse[:, k] = np.bincount(codes, column * weights, n_classes)
                continue
            rounded = _rounded(column, -_STEP)
            coarse[:, k] = np.bincount(codes, rounded, n_classes)
            fine[:, k] = np.bincount(codes, _rounded(column - rounded, -2 * _STEP), n_classes)
    return _Added(coarse, fine, _count_faulty(row_sums, columns, negative))


def _added_compiled(
    codes: IntArray, columns: list[FloatArray], weights: Float64Array | None
) -> _Added:
    from polyroc.kernels.histogram import sum_column

    coarse, fine = np.zeros((2, len(columns), len(columns)))
    row_sums = np.zeros(len(codes))
    heavy = np.empty(0) if weights is None else weights
    negative = False
    for column, one, other in zip(columns, coarse, fine, strict=True):
        negative |= bool(sum_column(column, codes, heavy, row_sums, one, other))
    return _Added(coarse.T, fine.T, _count_faulty(row_sums, columns, negative))


def _rounded(values: Float64Array, exponent: int) -> Float64Array:
    """Values rounded to multiples of 2^exponent; adding a large number does the rounding."""
    shift = np.ldexp(1.5, exponent + 52)
    rounded: Float64Array = values + shift
    rounded -= shift
    return rounded


def _count_faulty(row_sums: Float64Array, columns: list[FloatArray], negative: bool) -> int:
    """Rows that do not sum to 1 or hold something negative."""
    row_sums -= 1
    wrong = ~(np.abs(row_sums) <= SUM_TOLERANCE)
    if negative:
        for column in columns:
            wrong |= column < 0
    return int(np.count_nonzero(wrong))


def digits_are_sound(digits: Int64Array) -> bool:
    """Whether a carry would leave them as they are."""
    return bool((digits[0] >= 0).all() and ((digits[1:] >= 0) & (digits[1:] < 1 << _STEP)).all())
