"""The ideal observer of N classes: against two-class closed forms, loops, and itself."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.utility._binormal_cost import area_proper, length_proper, saec_proper, to_proper
from polyroc.utility._facet_average import hull_facets
from polyroc.utility._mixtures import GaussianMixture
from polyroc.utility._observer import ideal_observer
from polyroc.utility._surface_average import groups_of, pairs_of, patterns_of, tail_notes, walk

TRIANGLE = np.array([[0, 0], [1, 0], [0.5, math.sqrt(3) / 2]])


PERFECT = ideal_observer(np.tile(np.eye(3), (99, 1)))
TWO_KINDS = ideal_observer(np.tile([[0.7, 0.1, 0.2], [0.1, 0.6, 0.3]], (99, 1)))
"""Two kinds of observations span four of the five dimensions of a facet."""


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
        costs, slopes = np.zeros((2, n_classes, n_classes))
        size = facet(rows, np.zeros(rows.shape), labels, pairs, costs, slopes)
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


@pytest.mark.parametrize(
    ("a", "b"),
    [(0.8, 0.5), *(pytest.param(a, 1.0, marks=pytest.mark.slow) for a in (1.2, 0.5))],
)
def test_two_classes_by_closed_forms(a, b):
    """f₋ = N(0, 1), f₊ = N(a/b, 1/b²): eq. 17, the length of the curve, and 1 − AUC."""
    observer = ideal_observer([GaussianMixture([0.0]), GaussianMixture([a / b], 1 / b**2)])
    c, d_a = to_proper(a, b)
    assert within(observer.saec(n_steps=1000, rng=1), saec_proper(c, d_a))
    assert within(observer.surface_area(n_draws=1000, rng=2), length_proper(c, d_a))
    volumes = [observer.huh(last=last, n_draws=1000, rng=3) for last in (0, 1)]
    assert all(within(volume, 1 - area_proper(c, d_a)) for volume in volumes)


def test_two_classes_alike_have_the_diagonal():
    area = gaussians([[0.0], [1e-7]]).surface_area(n_draws=1000, rng=0)
    assert area.value == pytest.approx(math.sqrt(2), abs=1e-6)
    saec = gaussians([[0.0], [1e-7]]).saec(n_steps=1000, rng=0)
    assert saec.value == pytest.approx(math.sqrt(0.5), abs=1e-6)


@pytest.mark.parametrize(
    ("distance", "expected"),
    [
        (1.0, 0.3766),
        pytest.param(0.5, 0.5552, marks=pytest.mark.slow),
        pytest.param(2.0, 0.1160, marks=pytest.mark.slow),
    ],
)
def test_three_gaussians(distance, expected):
    """Values of other seeds with at least 25 times as many steps, good to .0005."""
    found = gaussians(distance * TRIANGLE).saec(n_blocks=8, n_steps=60_000, rng=3)
    assert abs(found.value - expected) < 4 * math.hypot(found.standard_error, 0.0005)
    assert found.standard_error < 0.05 * expected
    assert found.method == "ideal observer, walk"
    assert not found.notes


@pytest.mark.slow
def test_walk_and_tuples_agree():
    observer = gaussians([[0, 0], [1.5, 0], [0.3, 0.8]], [[1.0, 0.3], [0.3, 0.5]])
    walked = observer.saec(n_blocks=8, n_steps=60_000, rng=1)
    value, error = observer.integrals(n_blocks=10, n_draws=40_000, rng=2).cost
    assert abs(walked.value - value) < 4 * math.hypot(walked.standard_error, error)


def corners_of(posteriors):
    """(kinds, decisions, D): what each kind of observation adds to the error rates."""
    n = posteriors.shape[1]
    shares = posteriors / posteriors.sum(axis=0)
    return np.array(
        [[np.outer(row, d)[~np.eye(n, dtype=bool)] for d in np.eye(n)] for row in shares]
    )


def normals_of(corners):
    """Unit costs ≥ 0 that leave D − 1 edges undecided and treat no two decisions alike."""
    kinds, n, d = corners.shape
    edges = np.array([corners[a, i] - corners[a, j] for a in range(kinds) for i, j in pairs_of(n)])
    chosen = edges[np.array(list(combinations(range(len(edges)), d - 1)))]
    _, sizes, vectors = np.linalg.svd(chosen)
    normals = vectors[sizes[:, -1] > 1e-9, -1]
    normals *= np.sign(normals.sum(axis=1, keepdims=True))
    normals = np.unique(normals[(normals > -1e-9).all(axis=1)].round(9), axis=0).clip(0)
    tables = np.zeros((len(normals), n, n))
    tables[:, ~np.eye(n, dtype=bool)] = normals
    alike = [np.abs(tables[:, :, i] - tables[:, :, j]).max(axis=1) < 1e-7 for i, j in pairs_of(n)]
    return normals[~np.any(alike, axis=0)]


def face_integral(corners, normal):
    """Size of the cheapest face and the integral of the rates over it, from simplices."""
    cheapest, start, edges = [], 0, []
    for each in corners:
        tied = each[each @ normal < (each @ normal).min() + 1e-7]
        cheapest.append(tied - tied[0])
        start, edges = start + tied[0], [*edges, *(tied[1:] - tied[0])]
    d = len(normal)
    if np.linalg.matrix_rank(np.reshape(edges, (-1, d)), tol=1e-7) < d - 1:
        return 0.0, np.zeros(d)
    points = np.array([sum(choice) for choice in product(*cheapest)])
    basis = np.linalg.svd(normal[None])[2][1:]
    flat = points @ basis.T
    if d == 2:
        return np.ptp(flat), np.ptp(flat) * (
            start + (points[flat.argmin()] + points[flat.argmax()]) / 2
        )
    simplices = ConvexHull(flat).simplices
    volumes = np.abs(np.linalg.det(flat[simplices] - flat.mean(axis=0))) / math.factorial(d - 1)
    centres = (points[simplices].sum(axis=1) + points.mean(axis=0)) / d
    return volumes.sum(), volumes @ (start + centres)


def exact_integrals(posteriors):
    """Area and γ̂_q P_q over the surface of a few kinds of observations, face by face."""
    corners = corners_of(posteriors)
    area, parts = 0.0, 0.0
    for normal in normals_of(corners):
        size, rates = face_integral(corners, normal)
        area, parts = area + size, parts + normal * rates
    return area, parts


TWO = {
    "upright ends": [[1, 0], [1, 1], [0, 1]],
    "one zero": [[3, 1], [1, 1], [0, 1]],
    "atoms": [[4, 1], [1, 1], [1, 4]],
    "perfect": [[1, 0], [0, 1]],
}


@pytest.mark.slow
@pytest.mark.parametrize("rows", TWO.values(), ids=TWO.keys())
def test_two_classes_with_zeros_and_ties_as_the_hull(rows):
    posteriors = np.array(rows) / np.sum(rows, axis=1, keepdims=True)
    area, parts = exact_integrals(posteriors)
    hull = hull_facets([sum(choice) for choice in product(*corners_of(posteriors))])
    observer = ideal_observer(np.repeat(posteriors, 2000, axis=0))
    found = observer.integrals(rng=1)
    assert area == pytest.approx(hull.area)
    np.testing.assert_allclose(parts, [hull.huh(0), hull.huh(1)], atol=1e-8)
    assert found.areas.mean() == pytest.approx(area, rel=0.005)
    np.testing.assert_allclose(found.parts.mean(axis=0), parts, atol=0.005)
    saec = observer.saec(rng=1)
    error = np.nan_to_num(saec.standard_error)  # none where every case is certain
    assert abs(saec.value - hull.saec) <= 4 * error


class Uniform:
    """Density 1 on [start, start + 1)."""

    def __init__(self, start):
        self.start = start

    def sample(self, n, rng):
        return rng.uniform(self.start, self.start + 1, (n, 1))

    def log_density(self, x):
        inside = (x[:, 0] >= self.start) & (x[:, 0] < self.start + 1)
        return np.where(inside, 0, -np.inf)


@pytest.mark.slow
def test_uniform_densities_that_overlap_by_half():
    """From (0, 1) down to (0, 1/2), across to (1/2, 0), along to (1, 0)."""
    observer = ideal_observer([Uniform(0), Uniform(0.5)])
    assert within(observer.surface_area(n_draws=1000, rng=1), 1 + math.sqrt(0.5))
    assert within(observer.saec(n_steps=1000, rng=1), 0.25 / (1 + math.sqrt(0.5)))
    assert all(within(observer.huh(last=last, n_draws=1000, rng=1), 0.125) for last in (0, 1))


THREE = {
    "zeros": [[0, 0, 3], [1, 1, 3], [0, 2, 1], [1, 3, 0], [3, 0, 0], [1, 2, 2], [1, 0, 3]],
    "only zero costs": [
        [1, 1, 3], [0, 2, 1], [3, 0, 1], [0, 1, 2], [3, 1, 0], [0, 1, 0], [3, 3, 1]
    ],
    "ties": [[3, 3, 0], [1, 3, 2], [3, 2, 1], [3, 3, 0], [3, 0, 1], [0, 3, 2], [1, 3, 1]],
}  # fmt: skip


@pytest.mark.parametrize("rows", THREE.values(), ids=THREE.keys())
def test_three_classes_with_zeros_and_ties_as_the_hull(rows):
    posteriors = np.array(rows) / np.sum(rows, axis=1, keepdims=True)
    area, parts = exact_integrals(posteriors)
    observer = ideal_observer(np.repeat(posteriors, 600, axis=0))
    found = observer.integrals(n_blocks=8, n_draws=80_000, rng=1)
    value, error = found.cost
    assert abs(value - parts.sum() / area) < 4 * error
    assert abs(found.areas.mean() - area) < 4 * found.areas.std() / math.sqrt(7)
    errors = found.parts.std(axis=0) / math.sqrt(7)
    assert (np.abs(found.parts.mean(axis=0) - parts) <= 4 * errors + 1e-12).all()


def test_walk_with_zeros_and_ties():
    posteriors = np.array(THREE["zeros"]) / np.sum(THREE["zeros"], axis=1, keepdims=True)
    area, parts = exact_integrals(posteriors)
    likelihoods = np.repeat(posteriors / posteriors.mean(axis=0), 600, axis=0)
    value, error = walk(lambda *_: likelihoods, 3, seed=1, n_blocks=8, n_steps=60_000).cost
    assert abs(value - parts.sum() / area) < 4 * error


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_perfect_observers_cost_nothing(n_classes):
    sample = ideal_observer(np.tile(np.eye(n_classes), (99, 1))).saec(rng=1)
    drawn = ideal_observer([Uniform(2 * c) for c in range(n_classes)]).saec(rng=1)
    assert sample.value == drawn.value == drawn.standard_error == 0
    assert math.isnan(sample.standard_error) and math.isnan(sample.interval().high)


def test_rates_of_tables_and_ties():
    observer = ideal_observer([[0.8, 0.2], [0.5, 0.5], [0.2, 0.8]])
    np.testing.assert_allclose(observer.rates([1, 1]), [0.2 / 1.5 + 0.25 / 1.5] * 2)
    np.testing.assert_array_equal(observer.rates([[[0, 1], [1, 0]]]), [observer.rates([1, 1])])
    np.testing.assert_array_equal(observer.rates([[1, 1], [1, 1]])[0], observer.rates([1, 1]))
    table = np.array([[0, 1, 2], [3, 0, 4], [5, 6, 0.0]])
    three = gaussians(TRIANGLE)
    flat = three.rates([1, 2, 3, 4, 5, 6], n_points=500, rng=0)
    np.testing.assert_array_equal(three.rates(table, n_points=500, rng=0), flat)
    assert three.rates([table, table], n_points=500, rng=0).shape == (2, 6)


def test_last_axis_may_be_a_whole_float():
    observer = gaussians([[0.0], [1.0]])
    assert observer.huh(last=1.0, n_draws=50, rng=0) == observer.huh(last=-1, n_draws=50, rng=0)


@pytest.mark.slow
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


@pytest.mark.slow
def test_equation_14_needs_two_classes():
    """Only the sum of the volumes over the choice of the last axis is ∫ γ̂·P dσ."""
    found = gaussians([[0, 0], [1, 0], [0, 3]]).integrals(n_blocks=10, n_draws=40_000, rng=1)
    volumes = found.parts.mean(axis=0)
    ratios = 6 * volumes / volumes.sum()
    assert ratios.min() < 0.6 and ratios.max() > 1.5


@pytest.mark.slow
def test_near_guessing_is_positive_and_volume_vanishes():
    values = [gaussians(s * TRIANGLE).saec(n_blocks=4, n_steps=30_000, rng=1) for s in (0.1, 0.01)]
    assert all(0.65 < found.value < 0.75 for found in values)
    volumes = [
        gaussians(s * TRIANGLE).huh(n_blocks=4, n_draws=40_000, rng=1).value for s in (0.1, 1, 4)
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


def test_an_observer_equals_only_itself():
    """Its likelihoods are arrays, which have no single answer."""
    posteriors = [[0.7, 0.3], [0.2, 0.8]]
    first, second = ideal_observer(posteriors), ideal_observer(posteriors)
    assert first == first and first != second
    assert len({first, second}) == 2


def test_seed_repeats_and_is_kept():
    first, second = (gaussians(TRIANGLE).saec(n_blocks=2, n_steps=2000, rng=7) for _ in range(2))
    assert first == second
    assert first.settings["seed"] == 7 and first.degrees_of_freedom == 1
    assert {"slow-walk"} <= {note.code for note in first.notes}


def test_ranges_are_those_of_the_metrics():
    """A length of a curve may exceed 1, a cost and a volume may not."""
    two = ideal_observer([GaussianMixture([0]), GaussianMixture([1.2])])
    found = [two.saec(n_blocks=2, n_steps=50, rng=1), two.surface_area(n_blocks=2, rng=1)]
    found.append(two.huh(n_blocks=2, rng=1))
    assert [(each.metric, each.range) for each in found] == [
        ("saec", (0.0, 1.0)),
        ("surface_area", (0.0, 2.0)),
        ("huh", (0.0, 1.0)),
    ]
    assert [each.direction for each in found] == ["lower", "higher", "higher"]
    assert all(each.interval().high <= each.range[1] for each in found)


def test_a_walk_has_300_000_steps_unless_told_otherwise(monkeypatch):
    asked = []

    def walked(*_, **options):
        asked.append(options["n_steps"])
        return walk(*_, **{**options, "n_steps": 1000})

    monkeypatch.setattr("polyroc.utility._observer.walk", walked)
    for given, steps in ((None, 300_000), (1500, 1500)):
        found = gaussians(TRIANGLE).saec(n_blocks=2, n_steps=given, rng=7)
        assert asked.pop() == found.settings["n_steps"] == steps


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
        (lambda: PERFECT.huh(n_blocks=4, n_draws=9999), NotDefined, "perfect"),
        (lambda: TWO_KINDS.huh(n_blocks=4, n_draws=9999), NotDefined, "guesses"),
        (lambda: GaussianMixture("a"), InvalidType, "means must be an array of numbers"),
        (lambda: GaussianMixture([[0], [0, 1]]), InvalidType, "equal length"),
        (lambda: GaussianMixture([0], "a"), InvalidType, "covariances"),
        (lambda: GaussianMixture([0], [[np.nan]]), InvalidInput, "covariances must be finite"),
        (lambda: GaussianMixture([0], weights=["a"]), InvalidType, "weights"),
        (lambda: GaussianMixture([0]).log_density("a"), InvalidType, "x must be"),
        (lambda: ideal_observer([[0.5, 0.5], [0.5, np.nan]]), InvalidInput, r"nan\] in row 1"),
        (lambda: ideal_observer([[0.5, 0.5], [np.inf, -np.inf]]), InvalidInput, "in row 1"),
        (lambda: gaussians([[0], [1]]).rates(["a", "b"]), InvalidType, "costs must be numbers"),
        (lambda: gaussians([[0], [1]]).rates([[0, 1], [4, 0]]), InvalidInput, "may be a table"),
        (lambda: gaussians(TRIANGLE).rates(np.ones((3, 3))), InvalidInput, "must cost 0"),
        (lambda: gaussians(TRIANGLE).rates(1.0), InvalidInput, "shape"),
        (lambda: gaussians([[0], [1]]).huh(last=0.5), InvalidInput, "last must be a whole"),
        (lambda: gaussians([[0], [1]]).huh(last=-3), InvalidInput, "last must be at least"),
        (lambda: gaussians([[0], [1]]).saec(n_steps=0.5), InvalidInput, "n_steps must be"),
        (lambda: gaussians(TRIANGLE).rates([1, 1]), InvalidInput, "kind of error"),
        (lambda: gaussians(TRIANGLE).rates([-1] * 6), InvalidInput, "finite non-negative"),
        (lambda: gaussians([[0], [1]]).huh(last=2), InvalidInput, "kinds of errors"),
        (lambda: gaussians([[0], [1]]).saec(n_blocks=1), InvalidInput, "n_blocks"),
    ],
)
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("kind", ["densities", "sample"])
def test_classes_on_one_variable_are_told_the_reason(kind):
    """At most two observations are undecided at once, where a facet needs five."""
    line = [GaussianMixture([mean]) for mean in (0.0, 1.0, 2.0)]
    if kind == "densities":
        observer = ideal_observer(line)
    else:
        x = np.concatenate([each.sample(200, np.random.default_rng(1)) for each in line])
        odds = np.exp(np.stack([each.log_density(x) for each in line], axis=1))
        observer = ideal_observer(odds / odds.sum(axis=1, keepdims=True))
    with pytest.raises(NotDefined, match="depend on one variable, so fewer than 5 observations"):
        observer.saec(n_blocks=4, n_steps=2000, rng=0)
    guess = ideal_observer(np.random.default_rng(0).permutation(np.full((300, 3), 1 / 3)))
    with pytest.raises(NotDefined, match="The observer guesses"):
        guess.saec(n_blocks=4, n_steps=2000, rng=0)
