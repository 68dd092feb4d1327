"""SAEC of labelled cases, part by part: recalibration, walks, contributions and spread."""

import math

import numpy as np
import pytest

from polyroc import Predictions
from polyroc._base.random import stream
from polyroc.calibration._likelihood import Cases, fit
from polyroc.errors import InvalidInput, NotDefined
from polyroc.kernels.facets import even_costs
from polyroc.kernels.visits import costs_of_visits
from polyroc.utility import _scored_cost, _visits, saec_of_scores
from polyroc.utility._latent import balanced_costs
from polyroc.utility._recalibrated import _folds, _form, recalibrated
from polyroc.utility._scored_cost import _check_cases, _estimate, _spread
from polyroc.utility._surface_average import groups_of, pairs_of
from polyroc.utility._visits import Walked, _contributions, _Facets, _facets, visits_of, walked

SIZES = (25, 18, 14)
N = sum(SIZES)


def drawn(seed=0, sizes=SIZES):
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    raised = np.exp(1.3 * np.eye(len(sizes))[codes] + rng.normal(size=(len(codes), len(sizes))))
    return codes, raised / raised.sum(axis=1, keepdims=True)


Y, P = drawn()
WEIGHTS = np.random.default_rng(7).uniform(0.5, 2.5, N)
GROUPS = np.random.default_rng(8).integers(0, 12, N)
CASES = Predictions(Y, P, sample_weight=WEIGHTS)
KNOWN = recalibrated(CASES, np.log(P), 4, 3)


# Recalibration


def test_features_are_log_ratios_to_the_last_class() -> None:
    for row, (a, b, c) in zip(KNOWN.cases.features, P, strict=True):
        np.testing.assert_allclose(row, [1, math.log(a / c), math.log(b / c)])
    np.testing.assert_allclose(KNOWN.cases.weights, WEIGHTS / WEIGHTS.mean())
    sums = [WEIGHTS[k == Y].sum() / WEIGHTS.sum() for k in range(3)]
    np.testing.assert_allclose(KNOWN.priors, sums)
    np.testing.assert_array_equal(KNOWN.cases.codes, Y)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_the_start_leaves_probabilities_as_they_are(n_classes) -> None:
    form = _form(n_classes)
    table = form.coefficients(form.start)
    p = np.random.default_rng(0).dirichlet(np.ones(n_classes), 6)
    features = np.column_stack([np.ones(6), np.log(p[:, :-1] / p[:, -1:])])
    raised = np.exp(features @ table.T)
    np.testing.assert_allclose(raised / raised.sum(axis=1, keepdims=True), p)
    assert not form.held.any() and form.held.shape == (n_classes, n_classes)
    free = list(zip(form.rows.tolist(), form.columns.tolist(), strict=True))
    assert free == [(j, f) for j in range(n_classes - 1) for f in range(n_classes)]


def test_each_case_is_served_by_a_fit_without_its_fold() -> None:
    form, cases = _form(3), KNOWN.cases
    assert KNOWN.tables.shape == (4, 3, 3)
    for fold in range(4):
        kept = KNOWN.folds != fold
        others = Cases(cases.features[kept], cases.codes[kept], cases.weights[kept])
        np.testing.assert_allclose(KNOWN.tables[fold], fit(others, form, 0.1).coefficients)
    np.testing.assert_allclose(KNOWN.whole.coefficients, fit(cases, form, 0.1).coefficients)


def posteriors(features, table):
    found = []
    for row in features:
        raised = [math.exp(sum(x * b for x, b in zip(row, line, strict=True))) for line in table]
        found.append([each / sum(raised) for each in raised])
    return np.array(found)


@pytest.mark.parametrize("shift", [None, np.array([[0.2, -0.1, 0], [0, 0.3, 0.1], [0, 0, 0.0]])])
def test_likelihoods_by_loops(shift) -> None:
    moved = 0 if shift is None else shift
    found = KNOWN.likelihoods(shift)
    for i in range(N):
        table = KNOWN.tables[KNOWN.folds[i]] + moved
        expected = posteriors(KNOWN.cases.features[i : i + 1], table)[0] / KNOWN.priors
        np.testing.assert_allclose(found[i], expected)
    assert found.flags.c_contiguous
    whole = posteriors(KNOWN.cases.features, KNOWN.whole.coefficients)
    np.testing.assert_allclose(KNOWN.in_sample(), whole)


def test_influence_is_the_derivative_by_the_weight() -> None:
    found = KNOWN.influence()
    assert found.shape == (N, 6)
    for i in (0, 20, 30, 50):
        ends = []
        for sign in (1, -1):
            weights = KNOWN.cases.weights.copy()
            weights[i] += sign * 1e-3
            ends.append(fit(Cases(KNOWN.cases.features, Y, weights), _form(3), 0.1).theta)
        slope = (ends[0] - ends[1]) / 2e-3
        np.testing.assert_allclose(found[i], KNOWN.cases.weights[i] * slope, rtol=1e-4, atol=1e-7)


def test_shifts_of_ratios_that_hardly_vary_have_a_bound() -> None:
    flat = 1 / 3 + 0.004 * (P - 1 / 3)
    known = recalibrated(Predictions(Y, flat), np.log(flat), 2, 0)
    sizes = {tuple(np.argwhere(shift)[0].tolist()): size for shift, size in known.shifts()}
    assert sizes == {
        **dict.fromkeys([(0, 0), (1, 0)], pytest.approx(0.05)),
        **dict.fromkeys([(0, 1), (0, 2), (1, 1), (1, 2)], pytest.approx(1.0)),
    }


def test_folds_have_equal_shares_of_each_class() -> None:
    for n_folds in (2, 5):
        folds = _folds(CASES, n_folds, 3)
        assert folds.dtype == np.int64
        rng = stream(3, 2**32)
        for k, size in enumerate(SIZES):
            own = folds[k == Y]
            np.testing.assert_array_equal(own, rng.permutation(size) % n_folds)
            counts = np.bincount(own, minlength=n_folds)
            assert counts.max() - counts.min() <= 1 and len(counts) == n_folds
    assert not np.array_equal(_folds(CASES, 5, 3), _folds(CASES, 5, 4))


def test_a_group_shares_a_fold() -> None:
    grouped = Predictions(Y, P, groups=GROUPS)
    folds = _folds(grouped, 3, 5)
    assert folds.dtype == np.int64
    order = stream(5, 2**32).permutation(len(set(GROUPS.tolist())))
    names = sorted(set(GROUPS.tolist()))
    assert folds.tolist() == [order[names.index(g)] % 3 for g in GROUPS.tolist()]


# Walks


def test_where_a_walk_begins_and_how_long_it_is(monkeypatch) -> None:
    likelihoods, heights = KNOWN.likelihoods(), np.random.default_rng(0).random((N, 3))
    asked: list = []
    empty = np.empty((0, 5), dtype=np.int64), np.empty((0, 5), dtype=np.int64)
    full = np.zeros((4, 5), dtype=np.int64), np.ones((4, 5), dtype=np.int64)

    def recorded(*arguments):
        asked.append(arguments)
        return answers[len(asked) - 1]

    monkeypatch.setattr("polyroc.kernels.visits.visited_facets", recorded)
    answers = [full]
    assert visits_of(likelihoods, heights, WEIGHTS, np.random.default_rng(1), 44) is full
    (given,) = asked
    np.testing.assert_array_equal(given[2], pairs_of(3))
    for got, table in zip(given[3:5], groups_of(3), strict=True):
        np.testing.assert_array_equal(got, table)
    np.testing.assert_allclose(given[6], [sum(WEIGHTS[: i + 1]) for i in range(N)])
    np.testing.assert_array_equal(given[7], even_costs(3))
    assert given[8:] == (10_000, 44, 20)
    asked.clear()
    answers = [empty, full]
    assert visits_of(likelihoods, heights, WEIGHTS, np.random.default_rng(1), 44, 7) is full
    assert [each[8:] for each in asked] == [(10_000, 44, 7), (50_000, 44, 7)]
    expected = balanced_costs(likelihoods, np.random.default_rng(1))
    np.testing.assert_array_equal(asked[1][7], expected)
    asked.clear()
    answers = [empty, empty]
    assert visits_of(likelihoods, heights, WEIGHTS, np.random.default_rng(1), 44) is None
    assert len(asked) == 2


def test_walks_by_hand() -> None:
    found = walked(KNOWN, seed=6, n_walks=3, n_looks=12)
    assert found.costs.shape == (3, 12, 2) and found.contributions.shape == (3, N)
    likelihoods = KNOWN.likelihoods()
    heights = stream(6, 3).random((N, 3))
    weights = KNOWN.cases.weights
    for index in range(3):
        visits = visits_of(likelihoods, heights, weights, stream(6, index), 12)
        paid = np.zeros(N)
        tables = pairs_of(3), *visits
        truth = Y.astype(np.int64)
        rates, costs = costs_of_visits(likelihoods, heights, *tables, truth, weights, paid)
        np.testing.assert_array_equal(found.costs[index], costs)
        known = _Facets(*visits, rates, costs, paid)
        slopes = []
        for shift, size in KNOWN.shifts():
            moved = KNOWN.likelihoods(-shift), likelihoods, KNOWN.likelihoods(shift), size
            slopes.append(_visits._slope(known, heights, *moved))
        by_case = KNOWN.influence() @ slopes
        expected = _contributions(KNOWN, known, by_case)
        np.testing.assert_allclose(found.contributions[index], expected)


def test_contributions_by_loops() -> None:
    rng = np.random.default_rng(2)
    seen, costs = rng.integers(0, N, (4, 5)), rng.random((4, 2))
    seen[1, 1] = seen[1, 0]  # a corner that counts twice
    paid, by_recalibration = rng.normal(size=N), rng.normal(size=N)
    facets = _Facets(seen, np.zeros((4, 5), dtype=np.int64), np.zeros((4, 3, 3)), costs, paid)
    found = _contributions(KNOWN, facets, by_recalibration)
    weights = KNOWN.cases.weights
    mean = sum(costs[:, 0]) / 4
    for i in range(N):
        corner = sum(costs[m, 0] - mean for m in range(4) for j in seen[m] if j == i)
        decided = paid[i] * weights[i] / weights[Y[i] == Y].sum()
        assert found[i] == pytest.approx((corner + decided) / 4 + by_recalibration[i])


def test_one_walk_without_facets_is_enough(monkeypatch) -> None:
    heights = np.random.default_rng(0).random((N, 3))
    calls: list = []

    def sometimes(known, likelihoods, heights, rng, n_looks):
        calls.append(1)
        return None if len(calls) == 2 else _facets(known, likelihoods, heights, rng, n_looks)

    monkeypatch.setattr(_visits, "_facets", sometimes)
    assert walked(KNOWN, seed=6, n_walks=3, n_looks=10) is None
    monkeypatch.setattr(_visits, "visits_of", lambda *_: None)
    assert _facets(KNOWN, KNOWN.likelihoods(), heights, np.random.default_rng(0), 10) is None
    monkeypatch.setattr(_scored_cost, "walked", lambda *_, **__: None)
    with pytest.raises(NotDefined) as reason:
        saec_of_scores(Y, P, rng=0)
    assert str(reason.value) == (
        "A walk over the ROC surface did not find its facets. The scores guess, or separate the "
        "classes completely, or there are too few cases: pass more cases."
    )


# The result


PARTS = np.random.default_rng(4).normal(0, 0.01, N) + np.random.default_rng(5).normal(
    0, 0.001, (4, N)
)


def spread_by_loops(parts, weights, groups=None):
    """Products of different walks, within classes; groups are one class of their own."""
    n_walks = len(parts)
    centred = np.empty_like(parts)
    for w in range(n_walks):
        for k in range(3):
            inside = k == Y
            mean = parts[w, inside].sum() / weights[inside].sum()
            centred[w, inside] = parts[w, inside] - mean * weights[inside]
    units = [[i for i in range(N) if Y[i] == k] for k in range(3)]
    values = centred
    if groups is not None:
        names = sorted(set(groups.tolist()))
        values = np.array([[row[groups == g].sum() for g in names] for row in centred])
        units = [list(range(len(names)))]
    each = []
    for members in units:
        n, total = len(members), 0.0
        for i in members:
            pairs = [(a, b) for a in range(n_walks) for b in range(n_walks) if a != b]
            total += sum(values[a, i] * values[b, i] for a, b in pairs) / len(pairs)
        each.append((n / (n - 1) * total, n - 1))
    variance = sum(value for value, _ in each)
    return variance, variance**2 / sum(value**2 / free for value, free in each)


@pytest.mark.parametrize("groups", [None, GROUPS])
def test_spread_by_loops(groups) -> None:
    cases = Predictions(Y, P, sample_weight=WEIGHTS, groups=groups)
    assert _spread(cases, PARTS) == pytest.approx(spread_by_loops(PARTS, WEIGHTS, groups))


def test_walks_that_are_too_short_to_tell() -> None:
    noise = np.random.default_rng(1).normal(size=(2, N))
    noise[1] = -noise[0]
    with pytest.raises(NotDefined) as reason:
        _spread(CASES, noise)
    assert str(reason.value) == (
        "The walks are too short to tell the contributions of cases from their own error. Pass a "
        "larger n_looks."
    )
    with pytest.raises(NotDefined):
        _spread(CASES, np.zeros((2, N)))


@pytest.mark.parametrize(("apart", "told"), [(1.98, False), (2.02, True), (-2.02, True)])
def test_the_estimate_of_walks(apart, told) -> None:
    variance, freedom = spread_by_loops(PARTS, WEIGHTS)
    labels = np.random.default_rng(3).normal(0.3, 0.02, (4, 30))
    means = labels.mean(axis=1)
    simulation = sum((m - means.mean()) ** 2 for m in means) / 3 / 4
    error = math.sqrt(variance + simulation)
    costs = np.stack([labels, labels + apart * error], axis=2)
    found = _estimate(CASES, Walked(costs, PARTS), (), {"seed": 1})
    assert found.value == pytest.approx(labels.mean())
    assert found.standard_error == pytest.approx(error)
    assert found.degrees_of_freedom == pytest.approx(freedom)
    assert found.settings == {
        "seed": 1,
        "by_posteriors": pytest.approx(labels.mean() + apart * error),
        "simulation_error": pytest.approx(math.sqrt(simulation)),
    }
    assert found.counts == {0: 25, 1: 18, 2: 14}
    assert (found.metric, found.method) == ("saec", "recalibrated posteriors, walk")
    assert found.direction == "lower"
    assert [note.code for note in found.notes] == ["posteriors-disagree"] * told
    if told:
        assert found.notes[0].text == (
            f"labels give {labels.mean():.4f} and the recalibrated posteriors "
            f"{labels.mean() + apart * error:.4f}: the recalibration does not make them "
            "calibrated, so that costs and areas are uncertain"
        )


def test_options_are_passed_on(monkeypatch) -> None:
    asked: dict = {}

    def recorded(known, **options):
        asked.update(options, known=known)
        return Walked(np.tile(np.random.default_rng(0).normal(0.3, 0.01, (4, 30, 1)), 2), PARTS)

    monkeypatch.setattr(_scored_cost, "walked", recorded)
    found = saec_of_scores(Y, P, rng=9)
    known = asked.pop("known")
    assert asked == {"seed": 9, "n_walks": 8, "n_looks": 2000}
    assert len(known.tables) == 5 and known.cases.weights.tolist() == [1] * N
    np.testing.assert_array_equal(known.folds, _folds(Predictions(Y, P), 5, 9))
    own = {name: found.settings[name] for name in ("n_folds", "n_walks", "n_looks", "seed")}
    assert own == {"n_folds": 5, "n_walks": 8, "n_looks": 2000, "seed": 9}
    floored = P.copy()
    floored[0] = [0.0, 0.4, 0.6]
    names = np.array(["b", "c", "a"])[Y]
    given = {"labels": ["b", "c", "a"], "sample_weight": WEIGHTS, "floor": 0.03, "rng": 2}
    found = saec_of_scores(names, floored, n_folds=3, n_walks=4, n_looks=10, **given)
    known = asked.pop("known")
    assert asked == {"seed": 2, "n_walks": 4, "n_looks": 10} and len(known.tables) == 3
    np.testing.assert_allclose(known.cases.weights, WEIGHTS / WEIGHTS.mean())
    raised = np.maximum(floored, 0.03)
    np.testing.assert_allclose(known.cases.features[:, 1], np.log(raised[:, 0] / raised[:, 2]))
    assert found.counts == {"b": 25, "c": 18, "a": 14}
    assert "raised-to-floor" in [note.code for note in found.notes]
    pooled = Predictions(Y, P, folds=np.arange(N) % 2)
    notes = saec_of_scores(pooled, rng=1).notes
    assert [(note.code, note.text) for note in notes] == [
        ("folds-pooled", "the cases of all folds are taken together")
    ]
    with pytest.raises(InvalidInput, match="floor must lie between 0 and"):
        saec_of_scores(Y, P, floor=0.2)


def test_enough_cases_for_folds_and_facets() -> None:
    def cases(*sizes):
        return Predictions(*drawn(0, sizes))

    _check_cases(cases(6, 7, 6), 3)
    with pytest.raises(NotDefined) as reason:
        _check_cases(cases(9, 5, 6), 3)
    assert str(reason.value) == (
        "Recalibration in 3 folds needs 6 cases of each class, but class 1 has 5. Pass more cases, "
        "or a smaller n_folds."
    )
    with pytest.raises(NotDefined) as few:
        _check_cases(cases(4, 4, 4, 4, 4), 2)
    assert str(few.value) == "Facets of 5 classes have 19 cases, and there are 20. Pass more."
    _check_cases(cases(4, 4, 4, 4, 5), 2)
