"""Scores one ulp apart, denormals, signed zeros and huge numbers: scores compare exactly.

After pROC's numeric-accuracy tests. The expected values come from counting in whole numbers.
"""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from twins.metrics import auc_mu as exact_auc_mu

from polyroc import auc_mu, aunu, hand_till, pairwise_auc, pdi, roc_auc, vus2

UP, DOWN = np.inf, -np.inf
TINY = 5e-324


def neighbours(x, dtype):
    x = dtype(x)
    return [np.nextafter(x, dtype(DOWN)), x, np.nextafter(x, dtype(UP))]


VALUES = {
    "around ½": neighbours(0.5, np.float64),
    "around 1": neighbours(1, np.float64),
    "around 0": neighbours(0, np.float64),
    "signed zeros": [-0.0, 0.0, TINY],
    "denormals": [TINY, 2 * TINY, 3 * TINY, 1e-310],
    "0 and 1": [0.0, 1.0],
    "around 1e300": neighbours(1e300, np.float64),
    "all magnitudes": [-1e300, -1.0, -TINY, -0.0, 0.0, TINY, 1e-300, 0.1, 1.0, 1e300],
    "a third, twice": [1 / 3, 0.1 + 0.2 - 0.3 + 1 / 3, 0.3, 0.1 + 0.2],
}
VALUES32 = {
    "around ½": neighbours(0.5, np.float32),
    "around 0": neighbours(0, np.float32),
    "denormals": [np.float32(1e-45), np.float32(3e-45), np.float32(1e-40)],
    "all magnitudes": np.float32([-1e38, -1e-45, -0.0, 0.0, 1e-45, 1.0, 1e38]),
}
EVERY = [
    pytest.param(np.array(values, dtype=dtype), id=f"{name}, {np.dtype(dtype)}")
    for dtype, table in ((np.float64, VALUES), (np.float32, VALUES32))
    for name, values in table.items()
]
MODERATE = [case for case in EVERY if float(np.abs(case.values[0]).max()) < 1e100]
SIZES = [4, 5000]  # looked up among few positives; sorted or packed


def counted(positives, negatives):
    """(pairs ranked right, tied pairs, all pairs), counted by distinct value in whole numbers."""
    one, other = Counter(positives.tolist()), Counter(negatives.tolist())
    product = itertools.product(one.items(), other.items())
    right = tied = 0
    for (a, n), (b, m) in product:
        right += n * m * (a > b)
        tied += n * m * (a == b)
    return right, tied, len(positives) * len(negatives)


def drawn(values, n, n_columns, seed=0):
    rng = np.random.default_rng(seed)
    return rng.choice(values, (n, n_columns))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("values", EVERY)
def test_two_classes(values, n):
    s = drawn(values, 2 * n, 1)[:, 0]
    y = np.tile([0, 1], n)
    right, tied, pairs = counted(s[y == 1], s[y == 0])
    assert roc_auc(y, s) == float(Fraction(2 * right + tied, 2 * pairs))
    assert roc_auc(y, s, ties="strict") == float(Fraction(right, pairs))
    assert roc_auc(y, s, ties="lenient") == float(Fraction(right + tied, pairs))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("values", EVERY)
def test_two_classes_with_weights(values, n):
    s = drawn(values, 2 * n, 1)[:, 0]
    y = np.tile([0, 1], n)
    w = np.random.default_rng(1).integers(1, 4, 2 * n)
    right, tied, pairs = counted(*(np.repeat(s[y == k], w[y == k]) for k in (1, 0)))
    assert roc_auc(y, s, sample_weight=w) == float(Fraction(2 * right + tied, 2 * pairs))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("values", EVERY)
def test_every_pair_of_three_classes(values, n):
    s, y = drawn(values, 3 * n, 3), np.tile([0, 1, 2], n)
    matrix = pairwise_auc(y, s)
    for k, r in itertools.permutations(range(3), 2):
        right, tied, pairs = counted(s[y == k, k], s[y == r, k])
        assert matrix[k, r] == float(Fraction(2 * right + tied, 2 * pairs))
    assert hand_till(y, s) == pytest.approx(np.nanmean(matrix), abs=1e-15)


@pytest.mark.parametrize("values", EVERY)
def test_one_against_the_rest(values):
    s, y = drawn(values, 12, 3), np.tile([0, 1, 2], 4)
    totals = [counted(s[y == k, k], s[y != k, k]) for k in range(3)]
    exact = sum(Fraction(2 * right + tied, 2 * pairs) for right, tied, pairs in totals) / 3
    assert aunu(y, s) == pytest.approx(float(exact), abs=1e-15)


def tuples(y, s):
    return itertools.product(*(s[y == k].tolist() for k in range(s.shape[1])))


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("values", EVERY)
def test_pdi(values, n_classes):
    s, y = drawn(values, 4 * n_classes, n_classes), np.tile(range(n_classes), 4)
    wins, count = Fraction(0), 0
    for rows in tuples(y, s):
        count += 1
        for k in range(n_classes):
            column = [row[k] for row in rows]
            if column[k] == max(column):
                wins += Fraction(1, column.count(max(column)))
    assert pdi(y, s) == pytest.approx(float(wins / count / n_classes), abs=1e-15)


@pytest.mark.parametrize("ties", ["strict", "lenient"])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("values", MODERATE)
def test_vus2(values, n_classes, ties):
    s, y = drawn(values, 4 * n_classes, n_classes), np.tile(range(n_classes), 4)
    right = count = 0
    for rows in tuples(y, s):
        count += 1
        leads = [
            rows[k][k] > rows[r][k] or (ties == "lenient" and rows[k][k] == rows[r][k])
            for k, r in itertools.permutations(range(n_classes), 2)
        ]
        right += all(leads)
    assert vus2(y, s, ties=ties) == pytest.approx(right / count, abs=1e-15)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_vus2_of_huge_scores(n_classes):
    """The volumes of wVUS2 overflow, but VUS2 does not use them."""
    assert vus2(range(n_classes), 1e300 * np.eye(n_classes)) == 1


MARGINS_ARE_EXACT = {
    "around ½": neighbours(0.5, np.float64),
    "around 1": neighbours(1, np.float64),
    "denormals": [-0.0, 0.0, TINY, 2 * TINY, 1e-310],
    "0 and 1": [0.0, 1.0],
    "around 1e300": neighbours(1e300, np.float64),
    "64ths": np.arange(65) / 64,
    "one slack apart": [1.0, 1 - 2.0**-41, 1 - 2.0**-40, 1 - 2.0**-39, 0.5, 0.0],
}


@pytest.mark.parametrize("name", MARGINS_ARE_EXACT)
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_auc_mu_where_margins_are_exact(name, n_classes):
    """Margins that differ by 2⁻⁴⁰ of the scores are tied, others are told apart."""
    values = np.array(MARGINS_ARE_EXACT[name])
    s, y = drawn(values, 6 * n_classes, n_classes), np.tile(range(n_classes), 6)
    expected = exact_auc_mu(y.tolist(), s.tolist(), [1.0] * len(y), n_classes)
    assert auc_mu(y, s) == pytest.approx(expected, abs=1e-15)


FLOAT32 = np.array([0, 1e-9, 3e-8, 0.25, 0.5, 1], dtype=np.float32)


@pytest.mark.parametrize("n_classes", [3, 23, 24])
def test_auc_mu_takes_float32_margins_in_float64(n_classes):
    """1 − 1e-9 is 1 in float32, but not in float64, where the margins are taken."""
    s, y = drawn(FLOAT32, 4 * n_classes, n_classes), np.tile(range(n_classes), 4)
    assert auc_mu(y, s) == auc_mu(y, s.astype(np.float64))


@pytest.mark.parametrize("function", [roc_auc, hand_till, pdi, vus2, auc_mu])
@pytest.mark.parametrize("name", VALUES32)
def test_float32_scores_are_the_same_numbers_in_float64(function, name):
    n_classes = 2 if function is roc_auc else 3
    values = np.array(VALUES32[name], dtype=np.float32)
    s, y = drawn(values, 8 * n_classes, n_classes), np.tile(range(n_classes), 8)
    assert function(y, s) == function(y, s.astype(np.float64))


@pytest.mark.parametrize("n_values", [2, 5, 1000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
def test_runs_of_ties_longer_than_a_block(n_values, dtype, weighted):
    """The cases are taken 65,536 at a time; a run of equal scores must not be cut there."""
    rng = np.random.default_rng(2)
    s = rng.integers(-n_values // 2, n_values // 2, 200_000).astype(dtype)
    y = rng.integers(0, 2, len(s))
    right, tied, pairs = by_histogram(y, s)
    weight = np.ones(len(s)) if weighted else None
    expected = float(Fraction(2 * right + tied, 2 * pairs))
    assert roc_auc(y, s, sample_weight=weight) == expected


def by_histogram(y, s):
    """Pairs right, tied and in all of scores that are small whole numbers."""
    low = int(s.min())
    one, other = (np.bincount((s[y == k] - low).astype(int), minlength=2) for k in (1, 0))
    size = max(len(one), len(other))
    one, other = (np.pad(h, (0, size - len(h))).tolist() for h in (one, other))
    below = [0, *itertools.accumulate(other)]
    right = sum(n * b for n, b in zip(one, below, strict=False))
    tied = sum(n * m for n, m in zip(one, other, strict=True))
    return right, tied, sum(one) * sum(other)
