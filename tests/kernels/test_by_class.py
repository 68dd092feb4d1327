"""Sums over the cases of each class: plain loops over Python's own numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from polyroc.kernels.by_class import (
    AT_ONCE,
    less_of_classes,
    products_of_classes,
    squares_across,
    sums_of_classes,
)

SIZES = [(1, 1), (7, 3), (AT_ONCE, 2), (AT_ONCE + 1, 4), (3 * AT_ONCE - 5, 3)]
"""Cases and classes."""


def cases(n: int, n_classes: int) -> tuple[np.ndarray, np.random.Generator]:
    """Codes of cases, the last class being empty where there are several."""
    rng = np.random.default_rng([n, n_classes])
    return rng.integers(0, max(1, n_classes - 1), n).astype(np.int32), rng


@pytest.mark.parametrize(("n", "n_classes"), SIZES)
def test_sums_and_what_is_left_without_them(n: int, n_classes: int) -> None:
    codes, rng = cases(n, n_classes)
    values, means, found = rng.normal(size=n), rng.normal(size=n_classes), np.empty(n)
    sums = [math.fsum(values[codes == k].tolist()) for k in range(n_classes)]
    assert sums_of_classes(codes, values, n_classes) == pytest.approx(sums, abs=1e-12)
    less_of_classes(codes, values, means, found)
    assert found.tolist() == [value - means[k] for value, k in zip(values, codes, strict=True)]


@pytest.mark.parametrize(("n", "n_classes"), SIZES)
def test_squares_across_a_line(n: int, n_classes: int) -> None:
    """The distance from a line is that from the nearest of its points, for each case."""
    codes, rng = cases(n, n_classes)
    rows, means, towards = (rng.normal(size=(m, 3)) for m in (n, n_classes, n_classes))
    towards /= np.linalg.norm(towards, axis=1, keepdims=True)
    found = squares_across(codes, rows, means, towards)
    for row, k, square in zip(rows, codes, found, strict=True):
        nearest = means[k] + (row - means[k]) @ towards[k] * towards[k]
        assert square == pytest.approx(math.dist(row, nearest) ** 2, abs=1e-12)


@pytest.mark.parametrize(("n", "n_classes"), SIZES)
@pytest.mark.parametrize("n_numbers", [1, 3])
def test_products_of_the_numbers_of_a_case(n: int, n_classes: int, n_numbers: int) -> None:
    """The lower triangle is filled, the rest is 0."""
    codes, rng = cases(n, n_classes)
    scaled = rng.normal(size=(n_numbers, n))
    found = products_of_classes(codes, scaled, n_classes)
    assert found.shape == (n_classes, n_numbers, n_numbers)
    for k in range(n_classes):
        own = scaled[:, codes == k].tolist()
        for g in range(n_numbers):
            for h in range(n_numbers):
                expected = math.fsum(a * b for a, b in zip(own[g], own[h], strict=True))
                assert found[k, g, h] == pytest.approx(expected if h <= g else 0, abs=1e-11)
