"""The ideal observer of N classes: against two-class closed forms, loops, and itself."""

import math

import numpy as np
import pytest

from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.utility.binormal_cost import area_proper, length_proper, saec_proper, to_proper
from polyroc.utility.mixtures import GaussianMixture
from polyroc.utility.observer import ideal_observer
from polyroc.utility.surface_average import groups_of, pairs_of, patterns_of, tail_notes

TRIANGLE = np.array([[0, 0], [1, 0], [0.5, math.sqrt(3) / 2]])


def gaussians(means, covariances=1.0):
    return ideal_observer([GaussianMixture(mean, covariances) for mean in means])


def within(estimate, expected, errors=4.0):
    return abs(estimate.value - expected) < errors * estimate.standard_error


def facet_by_loops(rows, decisions):
    """Volume and normal of the edges of k observations, by minors."""
    k, n = rows.shape
    kinds = [(t, i) for t in range(n) for i in range(n) if i != t]
    edges = np.array(
        [
            [row[t] * (int(i == first) - int(i == second)) for t, i in kinds]
            for row, (first, second) in zip(rows, decisions, strict=True)
        ]
    )
    minors = [(-1) ** q * np.linalg.det(np.delete(edges, q, axis=1)) for q in range(k + 1)]
    volume = np.linalg.norm(minors)
    normal = np.array(minors) / volume * np.sign(minors[0])
    if not (normal > 0).all():
        return 0.0, None
    costs = np.zeros((n, n))
    for cost, (t, i) in zip(normal, kinds, strict=True):
        costs[t, i] = cost
    for row, (first, second) in zip(rows, decisions, strict=True):
        each = row @ costs
        if min(np.delete(each, [first, second]), default=math.inf) < each[first]:
            return 0.0, None
    return volume, costs


@pytest.mark.parametrize("n_classes", [2, 3])
def test_facets_are_those_of_the_minors(n_classes):
    from polyroc.kernels.facets import facet

    rng, pairs = np.random.default_rng(n_classes), pairs_of(n_classes)
    found = 0
    for _ in range(2000):
        pattern = rng.choice(patterns_of(n_classes))
        labels = np.repeat(np.arange(len(pairs)), pattern)
        rows = rng.dirichlet(np.ones(n_classes), size=len(labels))
        costs = np.zeros((n_classes, n_classes))
        size = facet(rows, labels, pairs, costs)
        expected, table = facet_by_loops(rows, pairs[labels])
        assert size == pytest.approx(expected, rel=1e-6)
        if size:
            found += 1
            np.testing.assert_allclose(costs, table, rtol=1e-6)
            each = rows @ costs
            for row, (i, j) in zip(each, pairs[labels], strict=True):
                assert row[i] == pytest.approx(row[j]) == pytest.approx(row.min())
    assert found > 0


def test_patterns_settle_the_costs():
    """Every pattern gives edges of full rank, every other one a cost of 0."""
    assert [len(patterns_of(n)) for n in (2, 3, 4)] == [1, 3, 312]
    within_, limits = groups_of(3)
    assert within_.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
    assert limits.tolist() == [2, 2, 2, 5]


@pytest.mark.parametrize(("a", "b"), [(1.2, 1.0), (0.5, 1.0), (0.8, 0.5)])
def test_two_classes_by_closed_forms(a, b):
    """f₋ = N(0, 1), f₊ = N(a/b, 1/b²): eq. 17, the length of the curve, and 1 − AUC."""
    observer = ideal_observer([GaussianMixture([0.0]), GaussianMixture([a / b], 1 / b**2)])
    c, d_a = to_proper(a, b)
    assert within(observer.saec(n_steps=1000, rng=1), saec_proper(c, d_a))
    assert within(observer.surface_area(n_draws=1000, rng=2), length_proper(c, d_a))
    volumes = [observer.huh(last=last, n_draws=1000, rng=3) for last in (0, 1)]
    assert all(within(volume, 1 - area_proper(c, d_a)) for volume in volumes)


def test_two_classes_alike_have_the_diagonal():
    area = gaussians([[0.0], [1e-7]]).surface_area(rng=0)
    assert area.value == pytest.approx(math.sqrt(2), abs=1e-6)
    saec = gaussians([[0.0], [1e-7]]).saec(rng=0)
    assert saec.value == pytest.approx(math.sqrt(0.5), abs=1e-6)


@pytest.mark.parametrize(("distance", "expected"), [(0.5, 0.5552), (1.0, 0.3766), (2.0, 0.1160)])
def test_three_gaussians(distance, expected):
    """Values of other seeds with at least 25 times as many steps, good to .0005."""
    found = gaussians(distance * TRIANGLE).saec(n_blocks=8, n_steps=60_000, rng=3)
    assert abs(found.value - expected) < 4 * math.hypot(found.standard_error, 0.0005)
    assert found.standard_error < 0.05 * expected
    assert found.method == "ideal observer, walk"
    assert not found.notes


def test_walk_and_tuples_agree():
    observer = gaussians([[0, 0], [1.5, 0], [0.3, 0.8]], [[1.0, 0.3], [0.3, 0.5]])
    walked = observer.saec(n_blocks=8, n_steps=60_000, rng=1)
    value, error = observer.integrals(n_blocks=10, n_draws=150_000, rng=2).cost
    assert abs(walked.value - value) < 4 * math.hypot(walked.standard_error, error)


def test_superfluous_dimensions_change_nothing():
    flat = gaussians(2 * TRIANGLE).saec(n_blocks=8, n_steps=50_000, rng=1)
    deep = gaussians(np.pad(2 * TRIANGLE, ((0, 0), (0, 3)))).saec(n_blocks=8, n_steps=50_000, rng=2)
    error = math.hypot(flat.standard_error, deep.standard_error)
    assert abs(flat.value - deep.value) < 4 * error


def test_four_classes():
    corners = math.sqrt(2) * np.eye(4)
    found = gaussians(corners).saec(n_blocks=6, n_steps=60_000, rng=1)
    assert 0.11 < found.value < 0.16
    with pytest.raises(NotDefined, match="walks on the surface"):
        gaussians(corners).huh()


def test_equation_14_needs_two_classes():
    """Only the sum of the volumes over the choice of the last axis is ∫ γ̂·P dσ."""
    found = gaussians([[0, 0], [1, 0], [0, 3]]).integrals(n_blocks=10, n_draws=150_000, rng=1)
    volumes = found.parts.mean(axis=0)
    ratios = 6 * volumes / volumes.sum()
    assert ratios.min() < 0.6 and ratios.max() > 1.5


def test_near_guessing_is_positive_and_volume_vanishes():
    values = [gaussians(s * TRIANGLE).saec(n_blocks=4, n_steps=30_000, rng=1) for s in (0.1, 0.01)]
    assert all(0.65 < found.value < 0.75 for found in values)
    volumes = [
        gaussians(s * TRIANGLE).huh(n_blocks=4, n_draws=150_000, rng=1).value for s in (0.1, 1, 4)
    ]
    assert volumes[0] < 0.01 * volumes[1] and volumes[2] < 0.05 * volumes[1]


def test_rates_are_the_slopes_of_the_expected_cost():
    """∇h = P, by differences over the same observations."""
    observer = gaussians(1.5 * TRIANGLE)
    costs = np.array([0.5, 0.2, 0.4, 0.3, 0.6, 0.3])

    def cheapest(direction):
        return direction @ observer.rates(direction, n_points=20_000, rng=5)

    rates = observer.rates(costs, n_points=20_000, rng=5)
    steps = 1e-3 * np.eye(6)
    slopes = [(cheapest(costs + step) - cheapest(costs - step)) / 2e-3 for step in steps]
    np.testing.assert_allclose(slopes, rates, atol=2e-3)
    assert observer.rates([costs, costs], n_points=50, rng=5).shape == (2, 6)


def test_posteriors_of_a_sample():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3000, 2)) + 2 * TRIANGLE[rng.integers(3, size=3000)]
    logs = -((x[:, None] - 2 * TRIANGLE) ** 2).sum(axis=2) / 2
    posteriors = np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True)
    posteriors.setflags(write=False)
    found = ideal_observer(posteriors).saec(n_steps=100_000, rng=1)
    assert within(found, 0.116)
    assert found.method == "ideal observer, tuples"
    two = posteriors[:, :2] / posteriors[:, :2].sum(axis=1, keepdims=True)
    assert 0 < ideal_observer(two).saec(rng=1).value < math.sqrt(0.5)


def test_seed_repeats_and_is_kept():
    first, second = (gaussians(TRIANGLE).saec(n_blocks=2, n_steps=2000, rng=7) for _ in range(2))
    assert first == second
    assert first.settings["seed"] == 7 and first.degrees_of_freedom == 1
    assert {"slow-walk"} <= {note.code for note in first.notes}


def test_heavy_tails_are_said():
    assert not tail_notes(0.02)
    found = gaussians(4 * TRIANGLE).saec(n_blocks=6, n_steps=60_000, rng=1)
    assert "heavy-tail" in {note.code for note in found.notes}


def test_mixture_of_two():
    mixture = GaussianMixture([[0, 0], [3, 0]], [np.eye(2), 2 * np.eye(2)], [1, 3])
    point = np.array([[1.0, 1.0]])
    one = math.exp(-1) / (2 * math.pi)
    other = math.exp(-5 / 4) / (2 * math.pi * 2)
    assert math.exp(mixture.log_density(point)[0]) == pytest.approx((one + 3 * other) / 4)
    drawn = mixture.sample(40_000, np.random.default_rng(0))
    np.testing.assert_allclose(drawn.mean(axis=0), [2.25, 0], atol=0.05)
    np.testing.assert_allclose(np.cov(drawn.T)[0, 0], 0.25 + 1.5 + 9 * 0.1875, atol=0.1)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: GaussianMixture([np.nan]), InvalidInput, "finite"),
        (lambda: GaussianMixture([0, 0], np.zeros((2, 2))), InvalidInput, "positive definite"),
        (lambda: GaussianMixture([0, 0], np.ones(3)), InvalidInput, "shape"),
        (lambda: GaussianMixture([[0], [1]], weights=[0, 0]), InvalidInput, "all be 0"),
        (lambda: GaussianMixture([[0], [1]], weights=[1]), InvalidInput, "2 finite"),
        (lambda: ideal_observer([GaussianMixture([0])]), InvalidInput, "at least two"),
        (lambda: gaussians([[0], [0, 1]]), InvalidInput, "dimensions"),
        (lambda: ideal_observer([GaussianMixture([0]), 3]), InvalidType, "sample"),
        (lambda: ideal_observer("ab"), InvalidType, "density per class"),
        (lambda: ideal_observer([[0.5, 0.6]]), InvalidInput, "add up to 1"),
        (lambda: ideal_observer([[1.0, 0.0]]), NotDefined, "probability 0"),
        (lambda: ideal_observer(np.full((50, 2), 0.5)).saec(n_blocks=50), NotDefined, "cases"),
        (lambda: ideal_observer(np.full((300, 4), 0.25)).saec(n_steps=1000), NotDefined, "guesses"),
        (
            lambda: ideal_observer(np.tile(np.eye(3), (99, 1))).saec(n_steps=99),
            NotDefined,
            "perfect",
        ),
        (lambda: gaussians(TRIANGLE).rates([1, 1]), InvalidInput, "kind of error"),
        (lambda: gaussians(TRIANGLE).rates([-1] * 6), InvalidInput, "from 0 on"),
        (lambda: gaussians([[0], [1]]).huh(last=2), InvalidInput, "kinds of errors"),
        (lambda: gaussians([[0], [1]]).saec(n_blocks=1), InvalidInput, "n_blocks"),
    ],
)
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()
