"""Scores that are all equal or only 0 and 1, and classifiers that are always right or wrong.

Values at the ends of their range are reached exactly, and where there is nothing to estimate a
spread from there is no standard error and a note that says why.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from common.samples import METRICS, Sample, class_numbers, sample_for
from robustness import exact
from twins.methods import method_of

import polyroc
from polyroc import Bootstrap, registry
from polyroc.curves import one_vs_rest_roc, probabilistic_roc, roc_curve, scored_roc
from polyroc.errors import NotDefined
from polyroc.scale import PairSummary
from polyroc.statistics.tuples import Tuples
from polyroc.surface import ScoreModel, search
from polyroc.utility import fit_binormal, roc_hull

WEIGHTS = {
    "none": lambda n: None,
    "whole": lambda n: np.arange(n) % 5 + 1.0,
    "any": lambda n: np.random.default_rng(n).random(n) + 0.01,
}


def numbers_of_classes(metric) -> list[int]:
    most = 5 if metric.statistic is Tuples else 12
    return [K for K in range(2, most + 1) if K in metric.classes]


def labels_of(metric, K: int) -> np.ndarray:
    copies = 2 if metric.statistic is Tuples else 5
    return np.random.default_rng(K).permutation(np.arange(copies * K) % K)


@pytest.mark.parametrize("weighting", WEIGHTS)
@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_a_perfect_classifier_is_best(metric, weighting):
    """One-hot rows: exactly 1; with weights that are no whole numbers within four units."""
    for K in numbers_of_classes(metric):
        y = labels_of(metric, K)
        sample = Sample(y, np.eye(K)[y], WEIGHTS[weighting](len(y)))
        off = (metric.highest - sample.value(metric)) / exact.UNIT
        assert 0 <= off <= (4 if weighting == "any" else 0), K


WORST = {
    **dict.fromkeys(("roc_auc", "hand_till", "au1p", "aunu", "aunp", "auc_mu"), 0.0),
    **dict.fromkeys(("probabilistic_auc", "scored_auc", "pdi", "hum", "vus", "vus2"), 0.0),
    **dict.fromkeys(("wvus", "wvus2", "hand_till_scored", "hand_till_probabilistic"), 0.0),
    "total_length": 0.0,
    "length_weighted_vus2": 0.0,
    "gini": 0.0,
}
"""Two classes that are exchanged throughout; a volume has no sign, so it is 1 then."""


@pytest.mark.parametrize("weighting", WEIGHTS)
@pytest.mark.parametrize(
    "metric", [m for m in METRICS if 2 in m.classes], ids=lambda metric: metric.name
)
def test_two_classes_exchanged_are_worst(metric, weighting):
    y = np.arange(12) % 2
    sample = Sample(y, np.eye(2)[1 - y], WEIGHTS[weighting](12))
    expected = WORST.get(metric.name, 1.0)
    assert sample.value(metric) == pytest.approx(
        expected, rel=0, abs=4 * exact.UNIT if weighting == "any" else 0
    )


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_scores_0_and_1_only(metric):
    """One-hot decisions, right or not, are the coarsest probabilities there are."""
    for K in class_numbers(metric, 4):
        for seed in range(4):
            rng = np.random.default_rng([K, seed])
            sample = sample_for(metric, K, seed)
            sample = sample.with_scores(np.eye(K)[rng.integers(0, K, len(sample.y))])
            off = abs(sample.value(metric) - sample.twin(metric)) / exact.UNIT
            assert off <= exact.BOUND[metric.name], (K, seed)


@pytest.mark.parametrize("kind", ["equal", "perfect"])
@pytest.mark.parametrize("interval", ["influence", "bootstrap"])
def test_no_standard_error_where_every_case_agrees(interval, kind):
    y = np.arange(30) % 3
    p = np.full((30, 3), 1 / 3) if kind == "equal" else np.eye(3)[y]
    names = "all" if interval == "influence" else ["hand_till", "auc_mu", "pdi", "simplex_volume"]
    result = polyroc.evaluate(
        y, p, names, interval=Bootstrap(20) if interval == "bootstrap" else interval, rng=1
    )
    for estimate in result.values():
        metric = registry[estimate.metric]
        if 3 not in metric.classes:
            assert math.isnan(estimate.value)
            continue
        value = metric.highest if kind == "perfect" else metric.chance and metric.chance(3)
        assert value is None or estimate.value == pytest.approx(value, rel=0, abs=4 * exact.UNIT)
        assert math.isnan(estimate.standard_error)
        low, high, *_ = estimate.interval()
        if kind == "perfect":
            assert 0 < low < high == 1
        else:
            assert math.isnan(low) and math.isnan(high)
        assert "no standard error: " in estimate.note
        codes = {note.code for note in estimate.notes}
        assert codes & {"no-variation", "no-derivative"}


def test_words_of_a_result_without_spread():
    result = polyroc.estimate([0, 1] * 10, [0.5] * 20, "roc_auc")
    assert result.note == "100.0 % of pairs are tied; no standard error: every case agrees on 0.5"
    assert repr(result) == "roc_auc = 0.5000 (no interval)"


def test_models_that_agree_or_never_vary():
    y = np.arange(30) % 3
    equal, perfect = np.full((30, 3), 1 / 3), np.eye(3)[y]
    for interval in ("influence", "bootstrap"):
        found = polyroc.compare(
            y,
            {"a": equal, "b": equal, "c": perfect},
            ["hand_till"],
            method=method_of(interval, 20, 1),
        )
        notes = {(row.model_a, row.model_b): row.note for row in found.differences}
        assert notes["a", "b"] == "no standard error: the models agree on every case"
        assert notes["a", "c"] == "no standard error: no variation"
        assert all(math.isnan(row.p_value) for row in found.differences)
        assert found.differences[1].difference == -0.5


def test_small_volumes_of_many_classes_have_standard_errors():
    """Their size is that of a power of K: it was taken for rounding, or for means in a plane."""
    K = 16
    rng = np.random.default_rng(0)
    y = np.arange(60 * K) % K
    p = 0.9 * rng.dirichlet(np.full(K, 3.0), len(y)) + 0.1 * np.eye(K)[y]
    plain = polyroc.estimate(y, p, "simplex_volume")
    assert 0 < plain.value < 1e-13
    resampled = polyroc.estimate(y, p, "simplex_volume", interval=Bootstrap(200), rng=1)
    assert plain.standard_error == pytest.approx(resampled.standard_error, rel=0.3)
    models = {"a": p, "b": p[:, np.roll(np.arange(K), 1)] * 0.2 + p * 0.8}
    for method in ("influence", "bootstrap"):
        found = polyroc.compare(y, models, ["simplex_volume"], method=method_of(method, 50, 1))
        assert found.differences[0].standard_error > 0
    summary = PairSummary(list(range(K))).update(y, p).compute(["simplex_volume"])
    assert summary["simplex_volume"].standard_error == pytest.approx(plain.standard_error, rel=0.1)


def test_means_in_a_plane_have_no_derivative():
    y = np.arange(30) % 3
    p = np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5], [0.35, 0.3, 0.35]])[y]
    assert "lower dimension" in polyroc.estimate(y, p, "simplex_volume").note


@pytest.mark.parametrize("score", [0.0, 0.5, 1.0, 1e-300, 1e300, -3.0])
def test_curves_of_equal_scores(score):
    y, scores = np.arange(20) % 2, np.full(20, score)
    curve = roc_curve(y, scores)
    assert curve.area == 0.5
    assert curve.frame()[["false_positive_rate", "true_positive_rate"]].to_numpy().tolist() == [
        [0, 0],
        [1, 1],
    ]
    hull = roc_hull(y, scores)
    assert hull.area == 0.5
    assert polyroc.saec(y, scores, model="hull") == pytest.approx(math.sqrt(0.5), rel=1e-15)
    assert one_vs_rest_roc(y, np.column_stack([scores, scores])).areas() == {0: 0.5, 1: 0.5}
    with pytest.raises(NotDefined, match="All scores are equal"):
        fit_binormal(y, scores)
    if 0 <= score <= 1:
        assert probabilistic_roc(y, scores).area == pytest.approx(0.5, abs=1e-15)
        assert scored_roc(y, scores).area == 0


def test_a_summary_of_equal_scores_is_exact():
    y, p = np.arange(30) % 3, np.full((30, 3), 1 / 3)
    for bounds in PairSummary([0, 1, 2], auc_mu=True).update(y, p).compute().values():
        assert bounds.width == 0
        assert math.isnan(bounds.standard_error)
        assert "no standard error" in bounds.note


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("kind", ["equal", "0 and 1", "1e-300 apart"])
def test_a_surface_of_given_scores(kind, K):
    """Rates of what can be decided: all for one class where scores say nothing."""
    y = np.arange(10 * K) % K
    p = {
        "equal": np.full((len(y), K), 1 / K),
        "0 and 1": np.eye(K)[y],
        "1e-300 apart": np.where(np.eye(K)[y] > 0, 1 - (K - 1) * 1e-300, 1e-300),
    }[kind]
    rates = search(ScoreModel(y, p), generations=10, rng=1, progress=False).rates
    assert ((rates >= 0) & (rates <= 1)).all()
    best = rates.sum(axis=1).min()
    assert best == (K - 1 if kind == "equal" else 0)
