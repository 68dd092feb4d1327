"""Many cases: products of contributions are added up by class for all metrics at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from polyroc import Design, Predictions, evaluate, registry
from polyroc.inference import _bias, _estimates
from polyroc.results import Evaluation
from polyroc.statistics import means

N, K = 90, 3
RNG = np.random.default_rng(8)
Y = np.arange(N) % K
P = RNG.dirichlet(np.ones(K), N) + 0.4 * np.eye(K)[Y]
P /= P.sum(axis=1, keepdims=True)
WEIGHTS = RNG.integers(1, 5, N).astype(float)
METRICS = ["hand_till", "aunp", "auc_mu", "pdi", "hand_till_scored", "total_length", "vus"]


def evaluated(
    monkeypatch: pytest.MonkeyPatch, many: int, y: Any = Y, p: Any = P, **options: Any
) -> Evaluation:
    """As if so many cases were many; with the number of cases whose products were added at once."""
    monkeypatch.setattr(means, "CASES_AT_ONCE", 32)
    for module in (means, _estimates, _bias):
        monkeypatch.setattr(module, "MANY_CASES", many)
    return evaluate(y, p, METRICS, **options)


DESIGNS = {
    "plain": {},
    "weights": {"sample_weight": WEIGHTS},
    "copies": {"sample_weight": WEIGHTS, "groups": Design(weights="frequency")},
    "shares sampled": {"sample_weight": WEIGHTS, "groups": Design(sampling="random")},
    "groups": {"groups": np.arange(N) // 4},
    "folds": {"folds": np.arange(N) // 3 % 5},
    "priors": {"priors": [0.2, 0.5, 0.3]},
    "random tuples": {"n_tuples": 200, "rng": 3},
}


@pytest.mark.parametrize("design", DESIGNS)
def test_standard_errors_and_covariances_are_those_of_few_cases(
    design: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = evaluated(monkeypatch, N + 1, **DESIGNS[design])
    many = evaluated(monkeypatch, N, **DESIGNS[design])
    for name in METRICS:
        one, other = few[name], many[name]
        assert one.value == other.value
        assert other.bias == pytest.approx(one.bias, rel=1e-11)
        assert other.standard_error == pytest.approx(one.standard_error, rel=1e-12)
        assert other.degrees_of_freedom == pytest.approx(one.degrees_of_freedom, rel=1e-11)
        assert [note.code for note in one.notes] == [note.code for note in other.notes]
        np.testing.assert_allclose(other.interval()[:2], one.interval()[:2], rtol=1e-11)
    np.testing.assert_allclose(many.covariance(), few.covariance(), rtol=1e-10, atol=1e-16)


def test_metrics_without_a_standard_error_take_no_place_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Perfect classes: no case varies what ranks, and every case what is measured in sizes."""
    p = 0.4 * P + 0.6 * np.eye(K)[Y]
    few, many = (evaluated(monkeypatch, many, p=p) for many in (N + 1, N))
    assert np.isnan(few["pdi"].standard_error) and few["total_length"].standard_error > 0
    for name in METRICS:
        np.testing.assert_allclose(many[name].standard_error, few[name].standard_error, rtol=1e-12)
    np.testing.assert_allclose(many.covariance(), few.covariance(), rtol=1e-10, atol=1e-16)


def test_a_class_of_one_case_has_no_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    y = np.where(np.arange(N) == 2, 2, np.arange(N) % 2)
    few, many = (evaluated(monkeypatch, many, y=y) for many in (N + 1, N))
    for name in METRICS:
        assert np.isnan(many[name].standard_error)
        assert many[name].notes == few[name].notes


@pytest.mark.parametrize("at_once", [7, N])
@pytest.mark.parametrize("weighted", [False, True])
def test_influence_values_of_many_cases_are_centred(
    weighted: bool, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The weighted mean of each class is taken off, also where values are a column of several."""
    given = Predictions(Y, P, sample_weight=WEIGHTS if weighted else None)
    columns = RNG.normal(size=(N, 3))
    monkeypatch.setattr(means, "MANY_CASES", 1)
    monkeypatch.setattr(means, "CASES_AT_ONCE", at_once)
    found = means.centre_by_class(given, columns[:, 1])
    weights = WEIGHTS if weighted else np.ones(N)
    for k in range(K):
        own = k == Y
        mean = sum(weights[own] * columns[own, 1]) / sum(weights[own])
        np.testing.assert_allclose(found[own], columns[own, 1] - mean, atol=1e-14)
    for name in METRICS:
        moved = registry[name].influence(given).cases
        for k in range(K):
            assert abs(sum((weights * moved)[k == Y])) < 1e-12
