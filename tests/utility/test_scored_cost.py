"""SAEC of labelled cases: against densities, closed forms, the jackknife, and in words."""

import math

import numpy as np
import pytest

from polyroc import Predictions
from polyroc.errors import InvalidInput, NotDefined
from polyroc.utility import _scored_cost, saec_of_scores, saec_proper
from polyroc.utility._latent import decision_rank, on_a_curve
from polyroc.utility._recalibrated import recalibrated
from polyroc.utility._visits import Walked, _Facets, _slope, walked

TRIANGLE = np.array([[0, 0], [1, 0], [0.5, math.sqrt(3) / 2]])


def labelled(means, n, seed, temperature=1.0):
    """Cases of unit Gaussians, with their posteriors or with too extreme ones."""
    rng, means = np.random.default_rng(seed), np.asarray(means, dtype=float)
    codes = np.repeat(np.arange(len(means)), n)
    x = means[codes] + rng.standard_normal((len(codes), means.shape[1]))
    logs = -((x[:, None] - means) ** 2).sum(axis=2) / 2
    raised = np.exp((logs - logs.max(axis=1, keepdims=True)) / temperature)
    return codes, raised / raised.sum(axis=1, keepdims=True)


def test_three_gaussians_and_scores_that_are_not_calibrated():
    """Recalibration takes away what an affine change of log ratios did to the scores."""
    for distance, true in ((1.0, 0.3757), (2.0, 0.1156)):
        y, p = labelled(distance * TRIANGLE, 400, 4)
        found = saec_of_scores(y, p, n_looks=1000, rng=1)
        assert abs(found.value - true) < 3 * found.standard_error < 0.2 * true + 0.02
        assert abs(found.settings["by_posteriors"] - found.value) < found.standard_error
        assert found.direction == "lower" and found.counts == {0: 400, 1: 400, 2: 400}
        low, high, *_ = found.interval()
        assert low < true < high
    extreme = labelled(distance * TRIANGLE, 400, 4, temperature=0.5)[1]
    again = saec_of_scores(y, extreme, n_looks=1000, rng=1)
    assert again.value == pytest.approx(found.value, abs=0.004)
    assert saec_of_scores(y, extreme, n_looks=1000, rng=1) == again


@pytest.mark.slow
def test_two_classes_by_the_closed_form_and_the_jackknife():
    y, p = labelled([[0.0], [1.2]], 300, 2)
    found = saec_of_scores(y, p, rng=1)
    assert abs(found.value - saec_proper(0, 1.2)) < 3 * found.standard_error
    groups = np.random.default_rng(0).permutation(np.tile(np.arange(10), 60))
    left = [
        saec_of_scores(y[groups != g], p[groups != g], n_walks=4, n_looks=1500, rng=1).value
        for g in range(10)
    ]
    jackknife = math.sqrt(9 * np.var(left))
    assert found.standard_error == pytest.approx(jackknife, rel=0.4)


@pytest.mark.slow
def test_contributions_are_derivatives_by_the_weights():
    """Doubling the weight of a tenth of the cases, with the recalibration fitted anew."""
    y, p = labelled([[0.0], [1.0]], 200, 3)
    chosen = p[:, 1] > np.quantile(p[:, 1], 0.8)
    step = 0.2

    def value(sign):
        weights = np.where(chosen, 1 + sign * step, 1.0)
        cases = Predictions(y, p, sample_weight=weights)
        known = recalibrated(cases, np.log(p), 5, 1)
        return walked(known, seed=1, n_walks=8, n_looks=8000)

    difference = (value(1).costs[..., 0].mean() - value(-1).costs[..., 0].mean()) / (2 * step)
    parts = value(0).contributions.mean(axis=0)
    assert parts[chosen].sum() == pytest.approx(difference, abs=0.15 * abs(difference))


def test_weights_and_groups():
    y, p = labelled(1.5 * TRIANGLE, 60, 5)
    plain = saec_of_scores(y, p, n_looks=300, rng=1)
    heavy = saec_of_scores(y, p, sample_weight=np.full(180, 3.0), n_looks=300, rng=1)
    assert heavy.value == pytest.approx(plain.value, abs=1e-9)
    assert heavy.standard_error == pytest.approx(plain.standard_error, rel=1e-6)
    twice = np.repeat(np.arange(180), 2)
    cases = Predictions(y[twice], p[twice], groups=twice)
    grouped = saec_of_scores(cases, n_looks=600, rng=1)
    naive = saec_of_scores(y[twice], p[twice], n_looks=600, rng=1)
    assert grouped.standard_error > 1.2 * naive.standard_error


def test_four_classes():
    y, p = labelled(1.5 * math.sqrt(0.5) * np.eye(4), 100, 6)
    found = saec_of_scores(y, p, n_walks=4, n_looks=400, rng=1)
    assert abs(found.value - 0.2436) < 4 * found.standard_error < 0.3


def test_labels_that_contradict_the_posteriors_are_said(monkeypatch):
    y, p = labelled(TRIANGLE, 30, 1)
    rng = np.random.default_rng(0)
    costs = np.stack([rng.normal(0.4, 0.01, (4, 50)), rng.normal(0.2, 0.01, (4, 50))], axis=2)
    parts = np.tile(rng.normal(0, 0.001, 90), (4, 1))
    monkeypatch.setattr(_scored_cost, "walked", lambda *_, **__: Walked(costs, parts))
    found = saec_of_scores(y, p, rng=1)
    assert {note.code for note in found.notes} == {"posteriors-disagree"}
    assert found.value == costs[..., 0].mean()
    centred = parts[0] - np.repeat([part.mean() for part in parts[0].reshape(3, 30)], 30)
    simulated = costs[..., 0].mean(axis=1).var(ddof=1) / 4
    expected = math.sqrt(30 / 29 * (centred**2).sum() + simulated)
    assert found.standard_error == pytest.approx(expected)


@pytest.mark.parametrize("dear", range(4))
def test_a_heavy_tail_of_any_walk_is_said(monkeypatch, dear):
    y, p = labelled(TRIANGLE, 30, 1)
    costs = np.full((4, 50, 2), 0.1)
    costs[dear, 7] = 20
    parts = np.tile(np.random.default_rng(0).normal(0, 0.001, 90), (4, 1))
    monkeypatch.setattr(_scored_cost, "walked", lambda *_, **__: Walked(costs, parts))
    assert [note.code for note in saec_of_scores(y, p, rng=1).notes] == ["heavy-tail"]


def test_one_variable_gets_the_degenerate_answer_in_words():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], 200)
    x = rng.normal(y)[:, None]
    raised = np.exp(x * [0, 1, 2] - [0, 0.5, 2])
    p = raised / raised.sum(axis=1, keepdims=True)
    rounded = p.round(3) / p.round(3).sum(axis=1, keepdims=True)
    for scores in (p, rounded):
        with pytest.raises(NotDefined, match=r"the surface is degenerate.*depend on one variable"):
            saec_of_scores(y, scores, rng=0)
    assert on_a_curve(p) and decision_rank(p) < 5
    plane = labelled(TRIANGLE, 200, 1)[1]
    assert decision_rank(plane) == decision_rank(1 + 0.01 * (plane - plane.mean(axis=0))) == 5
    assert not on_a_curve(labelled([[0, 0], [1, 0], [2.5, 0.3]], 200, 1)[1])
    assert decision_rank(np.ones((20, 3))) == 0


def test_likelihoods_matter_up_to_a_factor_of_each_observation():
    """And two classes are never degenerate: their surface is a curve."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(300, 1))
    curve = np.exp(x * [0, 1, 2] - [0, 0.5, 2])
    plane = labelled(TRIANGLE, 100, 1)[1]
    for likelihoods, expected in ((curve, True), (plane, False)):
        scaled = likelihoods * np.exp(2 * rng.normal(size=(300, 1)))
        assert on_a_curve(likelihoods) is on_a_curve(scaled) is expected
        assert decision_rank(likelihoods) == decision_rank(scaled)
    assert not on_a_curve(curve[:, :2])


def test_fewest_folds_walks_and_looks():
    y, p = labelled(1.5 * TRIANGLE, 60, 5)
    least = {"n_folds": 2, "n_walks": 2, "n_looks": 10}
    found = saec_of_scores(y, p, **least, rng=1)
    assert {name: found.settings[name] for name in least} == least
    for name, number in least.items():
        with pytest.raises(InvalidInput, match=f"{name} must be at least {number}"):
            saec_of_scores(y, p, **{**least, name: number - 1}, rng=1)


def test_shifts_move_log_ratios_by_a_step_of_the_weighted_cases():
    y, p = labelled(1.5 * TRIANGLE, 40, 5)
    weights = np.where(np.abs(np.log(p[:, 0] / p[:, 2])) > 2, 5.0, 1.0)
    known = recalibrated(Predictions(y, p, sample_weight=weights), np.log(p), 5, 1)
    features = [[1.0, math.log(a / c), math.log(b / c)] for a, b, c in p]
    for shift, size in known.shifts():
        ((row, column),) = np.argwhere(shift)
        squares = [w * each[column] ** 2 for w, each in zip(weights, features, strict=True)]
        spread = math.sqrt(sum(squares) / weights.sum())
        assert row < 2 and shift[row, column] == size == pytest.approx(0.05 / spread)
    assert len(known.shifts()) == 6


def test_facets_that_leave_count_for_those_that_come(monkeypatch):
    """Sizes times costs a step to both sides; a facet with one side only counts twice."""
    moved = {
        "below": ([2.0, 3.0, 0.0, 0.0, 1.0], [0.3, 0.5, 0.0, 0.0, 0.7]),
        "here": ([2.5, 2.0, 1.0, 4.0, 0.5], [0.2, 0.6, 0.4, 0.3, 0.9]),
        "above": ([3.0, 0.0, 2.0, 0.0, 0.8], [0.1, 0.0, 0.2, 0.0, 0.8]),
    }
    tables = {name: np.full((1, 3), place) for place, name in enumerate(moved)}
    found = {place: tuple(map(np.array, moved[name])) for place, name in enumerate(moved)}
    monkeypatch.setattr("polyroc.kernels.visits.moved_facets", lambda table, *_: found[table[0, 0]])
    costs = np.array(moved["here"][1])[:, None]
    facets = _Facets(*[np.zeros((5, 5), dtype=np.int64)] * 2, np.zeros((5, 3, 3)), costs, costs)
    total, mean = 0.0, sum(moved["here"][1]) / 5
    for low, low_cost, size, high, high_cost in zip(
        *moved["below"], moved["here"][0], *moved["above"], strict=True
    ):
        falls, rises = low / size * (low_cost - mean), high / size * (high_cost - mean)
        total += (rises - falls) / (2 if low > 0 and high > 0 else 1)
    assert _slope(facets, np.empty(0), *tables.values(), 0.1) == pytest.approx(total / 5 / 0.1)


def test_refusals():
    y, p = labelled(TRIANGLE, 30, 1)
    cases = [
        (lambda: saec_of_scores(y[20:], p[20:], rng=0), NotDefined, None),
        (lambda: saec_of_scores(y[23:], p[23:], rng=0), NotDefined, "needs 10 cases"),
        (lambda: saec_of_scores(y, p, n_walks=1), InvalidInput, "n_walks"),
        (lambda: saec_of_scores(y, p * 2), NotDefined, "probabilities"),
        (lambda: saec_of_scores(y, np.full((90, 3), 1 / 3), rng=0), NotDefined, "guess"),
    ]
    for call, error, words in cases[1:]:
        with pytest.raises(error, match=words):
            call()
    assert cases[0][0]().value > 0


def test_complete_separation_is_named():
    y = np.arange(90) % 3
    raw = np.random.default_rng(0).normal(size=(90, 3)) + 50 * np.eye(3)[y]
    p = np.exp(raw - raw.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    with pytest.raises(NotDefined, match="separate the classes completely"):
        saec_of_scores(y, p, rng=0)
