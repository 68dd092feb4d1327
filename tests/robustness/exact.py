"""Rational answers and how near every metric comes to them.

Counts of pairs are whole numbers, so AUCs are fractions that Python knows without rounding. The
slow twins of :mod:`twins.metrics` are fractions, too, rounded once at the end, but for the square
roots of ``total_length``, ``triangle_area``, ``vus`` and ``wvus``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import accumulate, combinations, permutations

import numpy as np
from twins.ties import run_numbers, slack_of

UNIT = 2.0**-53
"""The distance of two floats between ½ and 1: half of one is what rounding costs at least."""

BOUND = {
    # One division of whole numbers: the float nearest to the fraction.
    "roc_auc": 0.5,
    # Means of such AUCs, all equally important.
    "hand_till": 2,
    "auc_mu": 3,
    # The same with shares of classes, which are rounded themselves.
    "au1p": 4,
    "aunp": 4,
    "aunu": 4,
    # Class means and what is made of them.
    "probabilistic_auc": 2,
    "hand_till_probabilistic": 3,
    "simplex_volume": 3,
    "triangle_area": 3,
    "total_length": 4,
    # Sums of scores above less those below.
    "scored_auc": 3,
    "hand_till_scored": 3,
    # Products of shares, a Gauss–Legendre sum where there are ties.
    "pdi": 3,
    # Volumes of boxes, added and subtracted.
    "gini": 32,
    # Sums of the credits ½, ⅓, … of tuples.
    "hum": 2,
    "vus": 3,
    "wvus": 3,
    "vus2": 2,
    "wvus2": 2,
    "length_weighted_vus2": 3,
}
"""How far a value may be from the exact one, in units of 2⁻⁵³.

Holds for up to some hundred cases with or without weights, and without weights for up to 3·10⁶
cases a class: see ``test_many_cases``.
"""


def pairs(positives: Iterable[float], negatives: Iterable[float]) -> tuple[int, int, int]:
    """(pairs ranked right, tied pairs, all pairs), counted by distinct value: O(m log m)."""
    one, other = Counter(positives), Counter(negatives)
    values = sorted({*one, *other})
    below = [0, *accumulate(other[value] for value in values)]
    right = sum(one[value] * below[i] for i, value in enumerate(values))
    tied = sum(one[value] * other[value] for value in one)
    return right, tied, one.total() * other.total()


def auc(positives: Iterable[float], negatives: Iterable[float]) -> Fraction:
    """Share of pairs ranked right, ties counting ½."""
    right, tied, count = pairs(positives, negatives)
    return Fraction(2 * right + tied, 2 * count)


def pairwise(y: np.ndarray, p: np.ndarray) -> dict[tuple[int, int], Fraction]:
    """AUC(k|r) by ordered pair of classes."""
    columns = {(k, r): p[y == r, k].tolist() for k in range(p.shape[1]) for r in range(p.shape[1])}
    return {
        (k, r): auc(columns[k, k], columns[k, r]) for k, r in permutations(range(p.shape[1]), 2)
    }


def hand_till(y: np.ndarray, p: np.ndarray) -> Fraction:
    """The mean over ordered pairs."""
    areas = pairwise(y, p)
    return sum(areas.values(), Fraction(0)) / len(areas)


def one_vs_rest(y: np.ndarray, p: np.ndarray) -> list[Fraction]:
    """AUC(k|rest)."""
    return [auc(p[y == k, k].tolist(), p[y != k, k].tolist()) for k in range(p.shape[1])]


def auc_mu(y: np.ndarray, p: np.ndarray) -> Fraction:
    """The mean over pairs i < j of the AUC of the margins p_i − p_j, runs of tied ones equal."""
    areas = []
    for pair in combinations(range(p.shape[1]), 2):
        cases = np.flatnonzero(np.isin(y, pair))
        rows = [[Fraction(x) for x in row] for row in p[np.ix_(cases, pair)].tolist()]
        margins = [a - b for a, b in rows]
        runs = np.array(run_numbers(margins, list(map(slack_of, margins, rows))))
        areas.append(auc(*(runs[y[cases] == k].tolist() for k in pair)))
    return sum(areas, Fraction(0)) / len(areas)
