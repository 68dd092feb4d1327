"""Sums over tuples as the definitions read: every tuple, every permutation, exact fractions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import permutations, product
from math import prod

import numpy as np

Matrix = Sequence[Sequence[Fraction | int | float]]
Credits = list[Fraction]


def exact(rows: Iterable[Iterable[float]]) -> list[list[Fraction]]:
    """Turn a matrix of numbers into fractions without rounding."""
    return [[Fraction(float(value)) for value in row] for row in rows]


def assignment_credit(cost: Matrix) -> Credits:
    """Strict, fair and lenient credit of one tuple, by trying all permutations."""
    K = len(cost)
    sums = [sum(cost[k][q[k]] for k in range(K)) for q in permutations(range(K))]
    best = min(sums)
    if sums[0] != best:  # the identity comes first
        return [Fraction(0)] * 3
    optimal = sums.count(best)
    return [Fraction(optimal == 1), Fraction(1, optimal), Fraction(1)]


def highest_right(rank: Matrix) -> bool:
    """Whether case k has the strictly highest value of column k, for every k."""
    K = len(rank)
    return all(rank[k][k] > rank[r][k] for k in range(K) for r in range(K) if r != k)


def determinant(rows: Matrix) -> Fraction:
    """|det| by expansion over permutations."""
    K = len(rows)
    total = Fraction(0)
    for q in permutations(range(K)):
        inversions = sum(q[i] > q[j] for j in range(K) for i in range(j))
        total += (-1) ** inversions * prod(Fraction(rows[k][q[k]]) for k in range(K))
    return abs(total)


def projections(
    classes: Sequence[Sequence[int]],
    weights: Sequence[float],
    credit: Callable[[tuple[int, ...]], Credits],
    columns: int,
) -> np.ndarray:
    """For each case, the sum over its tuples of credit times the weights of the others."""
    sums = [[Fraction(0)] * columns for _ in weights]
    for cases in product(*classes):
        earned = credit(cases)
        for case in cases:
            others = prod(Fraction(float(weights[i])) for i in cases if i != case)
            for column in range(columns):
                sums[case][column] += others * earned[column]
    return np.array(sums, dtype=float).reshape(len(weights), columns)


def assignment_projections(
    cost: np.ndarray, length: np.ndarray, weights: np.ndarray, classes: Sequence[Sequence[int]]
) -> np.ndarray:
    """Six columns: strict, fair, lenient credit, and the same times the total length."""
    whole = [[int(value) for value in row] for row in cost]

    def credit(cases: tuple[int, ...]) -> Credits:
        plain = assignment_credit([whole[i] for i in cases])
        total = sum(Fraction(float(length[i])) for i in cases)
        return plain + [value * total for value in plain]

    return projections(classes, list(weights), credit, 6)


def highest_projections(
    rank: np.ndarray, score: np.ndarray, weights: np.ndarray, classes: Sequence[Sequence[int]]
) -> np.ndarray:
    """Two columns: the number of right tuples and the sum of their |det|."""
    fractions = exact(score)

    def credit(cases: tuple[int, ...]) -> Credits:
        if not highest_right([rank[i] for i in cases]):
            return [Fraction(0), Fraction(0)]
        return [Fraction(1), determinant([fractions[i] for i in cases])]

    return projections(classes, list(weights), credit, 2)
