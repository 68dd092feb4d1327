"""Rates: the fixed costs, and G of scores in results."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from common.samples import sample_for

from polyroc import compare, evaluate, registry, roc_auc, scorers
from polyroc.statistics import rates
from polyroc.statistics.rates import Rates, fixed_costs
from polyroc.surface import ScoreModel
from polyroc.surface._costs import errors
from polyroc.surface._rates import error_rates


def test_fixed_costs_have_every_order_of_the_classes():
    costs = fixed_costs(3)
    assert costs.shape == (996, 3, 3)
    np.testing.assert_allclose(costs.sum(axis=(1, 2)), 1)
    assert not costs[:, range(3), range(3)].any() and (errors(costs) > 0).all()
    known = {each.round(14).tobytes() for each in costs}
    for order in map(list, permutations(range(3))):
        assert {each[order][:, order].round(14).tobytes() for each in costs} == known
    means = errors(costs).mean(axis=0)
    np.testing.assert_allclose(means, 1 / 6, rtol=1e-12)  # as evenly as the orders make it


def test_rates_are_those_of_a_surface_with_these_costs():
    sample = sample_for(registry["gini"], 3, 1, n=30)
    predictions = sample.predictions()
    model = ScoreModel(sample.y, sample.p)
    expected = error_rates(model.X, model.cases, errors(fixed_costs(3)))
    np.testing.assert_allclose(Rates.of(predictions).rates, expected, rtol=0, atol=1e-15)


def test_decisions_are_those_of_the_least_expected_cost_however_many_are_made_at_once(monkeypatch):
    rng = np.random.default_rng(3)
    p, costs = rng.dirichlet(np.ones(3), 7), fixed_costs(3)[:10]
    wanted = [[int(np.argmin(row @ table)) for row in p] for table in costs]
    for at_once, sizes in ((1 << 22, [10]), (63, [3, 3, 3, 1]), (41, [1] * 10), (20, [1] * 10)):
        monkeypatch.setattr(rates, "DECISIONS_AT_ONCE", at_once)
        found = list(rates.decisions(p, costs))
        assert [len(part) for part in found] == sizes
        assert np.array_equal(np.concatenate(found), np.eye(3)[wanted])


def codes(result):
    return {note.code for note in result.notes}


def test_two_classes_and_what_results_say():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    p = 1 / (1 + np.exp(-(2 * y - 1 + rng.normal(size=120))))
    found = evaluate(y, p, ["gini", "roc_auc"])
    g, auc = found["gini"], found["roc_auc"]
    assert g.value == pytest.approx(2 * roc_auc(y, p, ties="strict") - 1, abs=1e-3)
    assert g.standard_error == pytest.approx(2 * auc.standard_error, rel=0.02)
    assert "gini" not in evaluate(y, p) and "union-of-points" not in codes(g)
    three = sample_for(registry["gini"], 3, 1, n=40)
    told = evaluate(three.y, three.p, ["gini"])["gini"]
    assert "union-of-points" in codes(told) and told.direction == "higher"
    other = three.p[:, [1, 2, 0]]
    rows = compare(three.y, {"a": three.p, "b": other}, ["gini"]).frame()
    assert rows["difference"][0] == pytest.approx(
        told.value - evaluate(three.y, other, ["gini"])["gini"].value
    )
    assert scorers["gini"].metric == "gini"
