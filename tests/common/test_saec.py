"""SAEC as a registered metric: values, derivatives, limits of its fits, and what it declares."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from common.samples import Sample
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

from polyroc import Bootstrap, Predictions, compare, evaluate, registry, saec, scorers
from polyroc.errors import NotConverged
from polyroc.inference import reader_study
from polyroc.inference._reader_study.quantity import quantity_of
from polyroc.metrics.declaration import Property
from polyroc.utility import fit_binormal

SAEC = registry["saec"]
MODELS = ("binormal", "proper", "hull")
AT_LIMIT = np.repeat([0, 1], 12), np.repeat([1, 2, 3, 3, 4, 5], [2, 4, 6, 4, 5, 3])
"""A best fit does not exist: the likelihood rises as the curve becomes perfect."""


def rated(seed: int, n: int = 60, weighted: bool = False, scale: float = 1.4) -> Sample:
    """Two classes rated in eight levels, in two columns."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 % 2
    x = np.clip(np.round(2 * rng.normal(scale * y, 1 + 0.3 * y)), -4, 6)
    return Sample(y, np.column_stack([-x, x]), rng.uniform(0.5, 2, n) if weighted else None)


def test_value_is_that_of_the_twin():
    for seed, weighted in ((1, False), (2, True)):
        sample = rated(seed, weighted=weighted)
        sample = sample.with_scores(np.clip(sample.p, -2, 2))
        assert sample.value(SAEC) == pytest.approx(sample.twin(SAEC), abs=1e-6)


def derivative(sample: Sample, direction: np.ndarray, model: str) -> float:
    def moved(step: float) -> float:
        return sample.with_weights(sample.weights + step * direction).value(SAEC, model=model)

    h = 1e-3 * (sample.weights[direction != 0] / np.abs(direction[direction != 0])).min()
    return (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h)


def test_influence_values_are_derivatives_by_weights():
    """One case alone, and all cases at once: refitted with weights a little different."""
    for seed, model in enumerate(MODELS, start=1):
        sample = rated(seed, weighted=True)
        found = SAEC.influence(sample.predictions(), model=model)
        assert found.reason is None and (found.priors is None) == (model == "hull")
        sizes = np.bincount(sample.y, sample.weights)
        priors = np.zeros(2) if found.priors is None else found.priors
        slopes = (found.cases / sizes[sample.y]) + (
            (priors - sizes / sizes.sum() @ priors)[sample.y] / sizes.sum()
        )
        every = np.random.default_rng(0).normal(size=60)
        for each in (every,) if model == "proper" else (every, np.eye(60)[1]):
            scale = np.abs(slopes).max() * np.abs(each).sum()
            expected = derivative(sample, each, model)
            assert each @ slopes == pytest.approx(expected, rel=0, abs=1e-6 * scale)
        within = np.bincount(sample.y, sample.weights * found.cases)
        np.testing.assert_allclose(within / sizes, 0, atol=1e-12)


def test_continuous_scores_and_more_than_a_fit_takes(monkeypatch):
    """Runs and joined categories carry derivatives to the cases in them."""
    rng = np.random.default_rng(3)
    y = np.arange(80) % 2
    sample = Sample(y, np.column_stack([np.zeros(80), rng.normal(y)]), rng.uniform(1, 2, 80))
    for most in (2000, 15):
        monkeypatch.setattr("polyroc.utility._categories.MOST_CATEGORIES", most)
        found = SAEC.influence(sample.predictions())
        sizes = np.bincount(sample.y, sample.weights)
        priors = (found.priors - sizes / sizes.sum() @ found.priors)[sample.y] / sizes.sum()
        slopes = found.cases / sizes[sample.y] + priors
        for case in (0, 1, 2):
            unit = np.eye(80)[case]
            expected = derivative(sample, unit, "binormal")
            assert slopes[case] == pytest.approx(expected, rel=1e-4, abs=1e-9)


def test_standard_errors_agree_with_other_ways_to_them():
    sample = rated(4, n=90)
    found = evaluate(sample.y, sample.p, ["saec"])["saec"]
    assert found.direction == "lower" and found.range == (0, SAEC.highest)
    fit = fit_binormal(sample.y, sample.p[:, 1])
    assert found.value == fit.saec
    assert found.standard_error == pytest.approx(fit.saec_standard_error, rel=0.1)
    predictions = sample.predictions()
    left_out = quantity_of("saec").without_each_case(predictions)
    jackknife = math.fsum(
        (n - 1) / n * ((left_out[sample.y == k] - left_out[sample.y == k].mean()) ** 2).sum()
        for k, n in enumerate(predictions.class_counts)
    )
    assert found.standard_error == pytest.approx(math.sqrt(jackknife), rel=0.1)
    drawn = evaluate(sample.y, sample.p, ["saec"], interval=Bootstrap(100, 1))["saec"]
    assert found.standard_error == pytest.approx(drawn.standard_error, rel=0.25)


def test_a_reader_study_by_influence_values():
    rows = [
        {"case": i, "reader": r, "modality": m, "truth": int(y), "rating": float(x)}
        for r in range(2)
        for m in range(2)
        for i, (y, x) in enumerate(zip(*_reading(10 * m + r), strict=True))
    ]
    roles = {name: name for name in ("case", "reader", "modality", "truth", "rating")}
    table = pd.DataFrame(rows)
    found, jackknife = (
        reader_study(table, metric="saec", covariance=how, **roles)
        for how in ("influence", "jackknife")
    )
    np.testing.assert_allclose(found.values, jackknife.values, atol=1e-9)
    errors = [np.sqrt(np.einsum("ijij->ij", each.covariance)) for each in (found, jackknife)]
    np.testing.assert_allclose(*errors, rtol=0.15)
    assert found.to_dict()["direction"] == "lower"


def _reading(seed: int) -> tuple[np.ndarray, np.ndarray]:
    sample = rated(seed)
    return sample.y, sample.p[:, 1]


def test_separate_classes():
    """The value is exact whatever the weights are; what is known of it is as for an AUC of 1."""
    found = evaluate([0] * 12 + [1] * 12, range(24), ["saec", "roc_auc"])
    assert found["saec"].value == 0 and math.isnan(found["saec"].standard_error)
    low, high, *_ = found["saec"].interval()
    assert low == 0 < high < 0.5
    moved = SAEC.influence(Predictions([0, 0, 1, 1], [1, 2, 3, 4]))
    assert moved.reason is None and not moved.cases.any()


@pytest.mark.slow
def test_a_fit_that_runs_to_a_limit():
    y, x = AT_LIMIT
    for method in ("influence", Bootstrap(20, 1)):
        found = evaluate(y, x, ["saec"], interval=method)["saec"]
        codes = {note.code for note in found.notes}
        assert math.isnan(found.standard_error) and math.isnan(found.interval().low)
        assert {"fit-at-limit", "no-derivative"} <= codes
        assert 'Use model="hull", which gives 0.0943' in found.note
    assert "undefined-replicates" in codes
    with pytest.warns(NotConverged, match="is that limit, not an estimate"):
        saec(y, x)
    other = rated(3, n=24).p[:, 1]
    row = compare(y, {"a": x, "b": other}, ["saec"]).differences[0]
    assert math.isnan(row.p_value) and "has no best fit" in row.note
    with pytest.warns(NotConverged):
        saec(Predictions(np.tile(y, 2), np.tile(x, 2), folds=np.repeat([0, 1], 24)))


@pytest.mark.slow
def test_replicates_without_a_fit_are_left_out():
    sample = rated(6, n=24)
    found = evaluate(sample.y, sample.p, ["saec"], interval=Bootstrap(40, 3))["saec"]
    notes = [note.text for note in found.notes if note.code == "undefined-replicates"]
    missing = 40 - len(found.replicates)
    assert missing and notes == [
        f"{missing} of 40 replicates have no curve that fits and are left out"
    ]
    assert not np.isnan(found.replicates).any() and found.standard_error > 0
    models = {"a": sample.p, "b": rated(7, n=24).p}
    row = compare(sample.y, models, ["saec"], method=Bootstrap(40, 3)).differences[0]
    assert row.standard_error > 0 and "of 40 replicates have no curve" in row.note
    assert len(row.replicates) < 40 and not np.isnan(row.replicates).any()


def test_a_point_on_an_edge_of_the_hull_is_a_corner():
    y, x = np.repeat([0, 0, 0, 1, 1, 1], [9, 6, 2, 1, 2, 8]), None
    x = np.repeat([1, 2, 3, 1, 2, 3], [9, 6, 2, 1, 2, 8])
    assert SAEC.influence(Predictions(y, x), model="hull").reason is None
    collinear = Predictions(np.repeat([0, 1], 9), np.repeat([1, 2, 3, 1, 2, 3], [4, 4, 1, 1, 1, 7]))
    found = SAEC.influence(collinear, model="hull")
    assert found.reason == "a point of the ROC curve lies on an edge of its hull"


def test_what_it_declares():
    sample = rated(8)
    value = sample.value(SAEC)
    changed = {
        Property.SKEW: sample.take(np.repeat(np.arange(60), np.where(sample.y, 4, 1))),
        Property.COLUMN_MONOTONE: sample.with_scores(sample.p**3 + [1, 7]),
        Property.ROW_SHIFT: sample.with_scores(sample.p + np.arange(60)[:, None] % 7),
        Property.COMMON_SCALE: sample.with_scores(sample.p * 1024),
    }
    for prop, other in changed.items():
        same = abs(other.value(SAEC) - value) < 1e-9
        assert same == (prop in SAEC.properties), prop
    perfect = np.array([[0.8, 0.2], [0.6, 0.4], [0.3, 0.7], [0.1, 0.9]])
    assert Property.PERFECT_ARGMAX in SAEC.properties
    assert saec([0, 0, 1, 1], perfect) == SAEC.best((SAEC.lowest, SAEC.highest)) == 0
    rng = np.random.default_rng(0)
    guessed = saec(rng.integers(0, 2, 20_000), rng.integers(0, 9, 20_000))
    assert guessed == pytest.approx(SAEC.chance(2), abs=0.01)


def test_lower_is_better():
    sample, poor = rated(9, n=120), rated(9, n=120, scale=0.3)
    models = {"good": sample.p, "poor": poor.p}
    row = compare(sample.y, models, ["saec"], alternative="greater").differences[0]
    assert row.difference < 0 and row.p_value < 0.05 and row.lower_is_better
    assert row.conclusion().startswith("saec: good is better than poor")
    rng = np.random.default_rng(2)
    X = np.column_stack([sample.p[:, 1], rng.normal(size=(120, 5))])
    grid = {"n_neighbors": [1, 25]}
    scorer = scorers["saec"].with_options(model="hull")
    assert repr(scorer) == "scorers[\"saec\"].with_options(model='hull')  # neg_saec"
    search = GridSearchCV(KNeighborsClassifier(), grid, scoring=scorer, cv=3).fit(X, sample.y)
    assert search.best_params_ == {"n_neighbors": 25} and -0.5 < search.best_score_ < 0
    assert scorer(search, X, sample.y) == -saec(sample.y, search.predict_proba(X), model="hull")


def test_on_request_only_and_for_two_classes():
    sample = rated(8)
    assert "saec" not in evaluate(sample.y, sample.p)
    three = evaluate([0, 1, 2, 0, 1, 2], np.eye(3)[[0, 1, 2, 1, 2, 0]], ["saec"])["saec"]
    assert math.isnan(three.value) and "saec is defined for 2 classes" in three.note
    folds = np.arange(60) // 30
    by_fold = [saec(sample.y[folds == v], sample.p[folds == v]) for v in (0, 1)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = evaluate(sample.y, sample.p, ["saec"], folds=folds)["saec"]
        assert saec(Predictions(sample.y, sample.p, folds=folds)) == found.value
    assert found.value == pytest.approx(np.mean(by_fold)) and found.standard_error > 0
