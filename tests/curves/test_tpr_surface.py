"""ROC surface of three classes: against all rules, against triplets, and its own multipliers."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import curves as twin

from polyroc.curves import tpr_surface
from polyroc.errors import NotDefined


def integer_logs(p):
    """Logarithms as whole numbers, of equal products the same sum, −inf for zeros."""
    return [[integer_log(value) for value in row] for row in p.tolist()]


def integer_log(value):
    if value == 0:
        return -math.inf
    share = Fraction(value).limit_denominator(1000)
    if abs(float(share) - value) > 1e-15:
        return round(math.log(value) * 2**40)
    return log_of_primes(share.numerator) - log_of_primes(share.denominator)


def log_of_primes(number):
    total, factor = 0, 2
    while number > 1:
        while number % factor == 0:
            total, number = total + round(math.log(factor) * 2**40), number // factor
        factor += 1
    return total


@st.composite
def predictions(draw, most=3, least=0):
    """Scores on a coarse grid, with ties and zeros, and whole weights."""
    sizes = [draw(st.integers(1, most)) for _ in range(3)]
    y = np.repeat([0, 1, 2], sizes)
    row = st.tuples(*[st.integers(least, 4)] * 3).filter(any)
    rows = np.array(draw(st.lists(row, min_size=y.size, max_size=y.size)), dtype=float)
    weights = np.array(draw(st.lists(st.integers(1, 3), min_size=y.size, max_size=y.size)))
    return y, rows / rows.sum(axis=1, keepdims=True), weights


@settings(max_examples=60, deadline=None)
@given(predictions())
def test_corners_are_the_maxima_over_all_rules(data):
    y, p, weights = data
    surface = tpr_surface(y, p, sample_weight=weights)
    rules = twin.surface_rates(integer_logs(p), y.tolist(), weights.tolist())
    totals = np.bincount(y, weights=weights)
    found = {tuple(round(float(c)) for c in row) for row in surface.rates * totals}
    assert len(found) == len(surface.rates)
    assert found == twin.maxima(rules)
    assert surface.volume == pytest.approx(twin.union_volume(found) / totals.prod(), abs=1e-14)


@settings(deadline=None)
@given(predictions(most=5))
def test_volume_is_the_share_of_triplets_right_by_log_p(data):
    y, p, weights = data
    expected = twin.triplet_share(integer_logs(p), y.tolist(), weights.tolist())
    assert tpr_surface(y, p, sample_weight=weights).volume == pytest.approx(expected, abs=1e-14)


def continuous(n, signal, seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 3)
    p = rng.dirichlet([1, 1, 1], n) + signal * np.eye(3)[y]
    return y, p / p.sum(axis=1, keepdims=True), rng.random(n)


@pytest.mark.parametrize("signal", [0.0, 0.3, 1.0])
def test_volume_is_the_share_of_triplets_on_continuous_data(signal):
    y, p, weights = continuous(150, signal, seed=1)
    z, w = [np.log(p[y == k]) for k in range(3)], [weights[y == k] for k in range(3)]

    def total(q):
        a, b, c = (z[i][:, q[i]] for i in range(3))
        return a[:, None, None] + b[None, :, None] + c[None, None, :]

    own, *others = (total(q) for q in itertools.permutations(range(3)))
    right = np.all([own > other for other in others], axis=0)
    expected = np.einsum("abc,a,b,c", right, *w) / np.prod([side.sum() for side in w])
    assert tpr_surface(y, p, sample_weight=weights).volume == pytest.approx(expected, abs=1e-12)


def test_multipliers_give_the_rates():
    y, p, weights = continuous(120, 0.3, seed=2)
    surface = tpr_surface(y, p, sample_weight=weights)
    decided = (surface.multipliers[:, None, :] * p).argmax(axis=2)
    for k in range(3):
        rates = ((decided == k) & (y == k)) @ weights / weights[y == k].sum()
        np.testing.assert_allclose(rates, surface.rates[:, k], atol=1e-13)


def test_weights_do_not_change_the_rules():
    y, p, weights = continuous(90, 0.2, seed=3)
    plain, weighted = tpr_surface(y, p), tpr_surface(y, p, sample_weight=weights)
    assert len(plain.rates) == len(weighted.rates)


def test_order_of_classes_does_not_matter():
    y, p, _ = continuous(60, 0.3, seed=4)
    y, p = y[y != 1][:30].tolist() + [1] * 9, np.vstack([p[y != 1][:30], p[y == 1][:9]])
    surface, turned = tpr_surface(y, p), tpr_surface(y, p[:, [1, 2, 0]], labels=[1, 2, 0])
    assert surface.volume == pytest.approx(turned.volume, abs=1e-15)
    assert {*map(tuple, surface.rates)} == {*map(tuple, turned.rates[:, [2, 0, 1]])}


def test_zeros():
    assert tpr_surface([0, 1, 2], np.eye(3)).volume == 1
    never_right = tpr_surface([0, 0, 1, 2], [[1, 0, 0], [0, 0.5, 0.5], [0, 1, 0], [0, 0, 1]])
    np.testing.assert_array_equal(never_right.rates, [[0.5, 1, 1]])


def test_frame_and_errors():
    frame = tpr_surface(["a", "b", "c"], np.eye(3)).frame()
    assert list(frame)[::3] == ["rate_a", "multiplier_a"]
    with pytest.raises(NotDefined, match="3 classes, got 2"):
        tpr_surface([0, 1], [0.2, 0.8])
    with pytest.raises(NotDefined, match="needs probabilities"):
        tpr_surface([0, 1, 2], 3 * np.eye(3))
