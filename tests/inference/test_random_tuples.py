"""Standard errors of means over random tuples: formula, limit of many tuples, simulation."""

from __future__ import annotations

from collections import defaultdict
from math import sqrt

import numpy as np
import pytest

import polyroc
from polyroc import Design, Predictions
from polyroc.inference._drawn import spread_of_value
from polyroc.inference._influence import CaseDesign
from polyroc.metrics import registry


def sample(K, n_class, seed=0, shift=1.5):
    rng = np.random.default_rng([seed, K])
    y = np.arange(K * n_class) % K
    scores = rng.normal(size=(len(y), K))
    scores[np.arange(len(y)), y] += shift
    return y, scores


def by_loops(predictions, drawn, design):
    """Products of the deviations of two different tuples that share a unit, one by one."""
    counts, credit = design.counts(predictions), drawn.credit
    n_tuples = len(credit)
    z = [value - sum(credit) / n_tuples for value in credit]
    units = range(len(predictions)) if design.groups is None else design.groups
    held = []
    for cases in drawn.tuples:
        weights = defaultdict(float)
        for k, case in enumerate(cases):
            factor = sqrt(counts[k] / (counts[k] - 1))
            if design.weights == "frequency":
                factor /= sqrt(predictions.case_weights[case])
            weights[k if design.groups is None else None, units[case]] += factor
        held.append(weights)
    parts = defaultdict(float)
    for s in range(n_tuples):
        for t in range(n_tuples):
            for (k, unit), factor in held[s].items() if s != t else ():
                parts[k] += z[s] * z[t] * factor * held[t].get((k, unit), 0)
    of_cases = sum(max(part, 0) for part in parts.values())
    return (of_cases + sum(value**2 for value in z)) / (n_tuples * (n_tuples - 1))


@pytest.mark.parametrize("weights", ["sampling", "frequency"])
@pytest.mark.parametrize("grouped", [False, True])
def test_formula(weights, grouped):
    if grouped and weights == "frequency":
        return  # the two exclude each other
    y, scores = sample(4, 6)
    w = 1.0 + np.arange(len(y)) % 3
    predictions = Predictions(y, scores, sample_weight=w)
    groups = np.arange(len(y)) // 3 if grouped else None
    design = CaseDesign.of(Design(groups, weights=weights), predictions)
    influence = registry["hum"].influence(predictions, n_tuples=60, rng=1)
    variance, _ = spread_of_value(predictions, influence, design)
    assert variance == pytest.approx(by_loops(predictions, influence.drawn, design), rel=1e-12)
    share = w / np.bincount(y, w)[y]
    for k in range(4):
        assert (share * influence.cases)[y == k].sum() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", ["hum", "vus2"])
def test_many_tuples_reach_the_error_of_all(name):
    y, scores = sample(4, 12)
    w, groups = 1.0 + np.arange(len(y)) % 3, np.arange(len(y)) // 2
    for options in (
        {},
        {"sample_weight": w},
        {"sample_weight": w, "groups": Design(weights="frequency")},
        {"groups": groups},
    ):
        exact = polyroc.evaluate(y, scores, [name], **options)[name]
        drawn = polyroc.evaluate(y, scores, [name], n_tuples=150_000, rng=1, **options)[name]
        assert drawn.standard_error == pytest.approx(exact.standard_error, rel=0.03)
        assert drawn.degrees_of_freedom == pytest.approx(exact.degrees_of_freedom, rel=0.1)


@pytest.mark.parametrize(("K", "n_class", "n_tuples"), [(4, 100, 160), (5, 60, 60), (4, 100, 100)])
def test_errors_are_those_of_repetition(K, n_class, n_tuples):
    """Fewer tuples than cases, where averages over the tuples of a case tell nothing.

    The deviation of 150 values is known to 6 %.
    """
    found = [
        polyroc.evaluate(*sample(K, n_class, seed), ["hum"], n_tuples=n_tuples, rng=seed)["hum"]
        for seed in range(150)
    ]
    errors = np.array([each.standard_error for each in found])
    spread = np.std([each.value for each in found], ddof=1)
    assert np.sqrt(np.mean(errors**2)) == pytest.approx(spread, rel=0.2)


def test_what_is_said_where_there_is_no_error():
    """Only what was seen: the tuples that were drawn agree, or a class has one case."""
    y = np.arange(20) % 4
    perfect = polyroc.evaluate(y, np.eye(4)[y], ["hum"], n_tuples=1500, rng=0)["hum"]
    assert perfect.value == 1 and np.isnan(perfect.standard_error)
    assert perfect.notes[-1].text == "no standard error: all 1,500 random tuples agree on 1"
    y, scores = sample(4, 500)
    for n_tuples in (100, 500):
        some = polyroc.evaluate(y, scores, ["hum"], n_tuples=n_tuples, rng=0)["hum"]
        least = sqrt(some.value * (1 - some.value) / n_tuples)
        assert some.standard_error >= 0.99 * least
        assert not any("agree" in note.text for note in some.notes)
    alone = np.append(np.arange(12) % 3, 3)
    one = polyroc.evaluate(alone, np.eye(4)[alone] + 0.1, ["hum"], n_tuples=50, rng=0)["hum"]
    assert one.notes[-1].text == "no standard error: class 3 has one case"


def test_comparisons_have_the_variance_of_the_difference_of_credits():
    """Near that of all tuples where many are drawn, for paired and for independent models."""
    y, first = sample(4, 12)
    second = np.clip(first + np.random.default_rng(8).normal(0, 0.1, first.shape), 1e-3, None)
    models = {"a": first, "b": second / second.sum(axis=1, keepdims=True)}
    drawn = polyroc.Influence(n_tuples=150_000, rng=1)
    for truth in (y, dict.fromkeys(models, y)):
        (exact,) = polyroc.compare(truth, models, ["hum"]).differences
        (found,) = polyroc.compare(truth, models, ["hum"], method=drawn).differences
        assert found.difference == pytest.approx(exact.difference, abs=0.01)
        assert found.standard_error == pytest.approx(exact.standard_error, rel=0.05)
        assert found.degrees_of_freedom == pytest.approx(exact.degrees_of_freedom, rel=0.15)


def test_errors_of_comparisons_are_those_of_repetition():
    """Few tuples: the standard error contains the draw, over fresh cases and fresh tuples."""
    rng, differences, errors = np.random.default_rng(6), [], []
    for seed in range(300):
        y = np.repeat(range(4), 30)
        base = rng.normal(size=(len(y), 4)) + 1.5 * np.eye(4)[y]
        models = {name: base + rng.normal(size=base.shape) for name in "ab"}
        method = polyroc.Influence(n_tuples=60, rng=seed)
        (row,) = polyroc.compare(y, models, ["hum"], method=method).differences
        differences.append(row.difference)
        errors.append(row.standard_error)
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(np.std(differences), rel=0.15)


@pytest.mark.slow
def test_the_bootstrap_draws_tuples_in_every_resample():
    """Errors near those of all tuples; models of the same order have the same tuples."""
    y, scores = sample(4, 12, 5)
    every = polyroc.evaluate(y, scores, ["hum"])["hum"]
    drawn = polyroc.Bootstrap(200, rng=1, n_tuples=2000)
    found = polyroc.evaluate(y, scores, ["hum"], interval=drawn)["hum"]
    assert found.standard_error == pytest.approx(every.standard_error, rel=0.25)
    assert found.settings["n_tuples"] == 2000 and len(set(found.replicates.tolist())) > 50
    plain = polyroc.Bootstrap(200, rng=1)
    again = polyroc.evaluate(y, scores, ["hum"], interval=plain, n_tuples=2000)["hum"]
    assert np.array_equal(found.replicates, again.replicates)
    models = {"a": scores, "b": 2 * scores, "c": scores[:, ::-1]}
    rows = polyroc.compare(y, models, ["hum"], method=drawn).differences
    assert rows[0].difference == 0 and np.isnan(rows[0].standard_error)
    assert rows[1].standard_error > 0
    with pytest.raises(polyroc.errors.InvalidInput, match="n_tuples is given twice"):
        polyroc.evaluate(y, scores, ["hum"], interval=drawn, n_tuples=5)
