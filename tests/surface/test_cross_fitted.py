"""G corrected by resampling, and cross-fitted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from surface.test_certainty import cases, found

from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.results import Estimate
from polyroc.surface import KnnModel, RocSurface, ScoreModel, cross_fitted_gini
from polyroc.surface._cross_fitted import _mean as mean_of_folds
from polyroc.surface._gini import gini
from polyroc.surface._resampled import resample_weights, resampled_rates, shares_dominated


def test_rates_of_resamples_are_those_of_weighted_cases():
    y, p = cases(15, 1)
    surface = found(y, p)
    weights = resample_weights(surface.model.cases, 3, 5)
    assert (weights[0] == 1).all()
    rates = np.concatenate(list(resampled_rates(surface, weights)), axis=1)
    shares = shares_dominated(surface, weights, 5, 1)
    for b, row in enumerate(weights):
        assert [row[y == k].sum() for k in range(3)] == [15, 15, 15]
        again = surface.rescore(p, y, sample_weight=row)
        np.testing.assert_allclose(rates[b], again.rates, rtol=0, atol=1e-12)
        assert shares[b] == pytest.approx(gini(again.rates, 3).value, abs=0.015)


def test_models_with_parameters_have_the_same_rates():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 12)
    model = KnnModel(rng.normal(size=(36, 2)) + y[:, None], y)
    from polyroc.surface import search

    surface = search(model, generations=3, costs_per_generation=10, rng=1, progress=False)
    weights = resample_weights(model.cases, 1, 5)
    rates = np.concatenate(list(resampled_rates(surface, weights)), axis=1)
    order = np.lexsort(rates[0].T)
    np.testing.assert_allclose(rates[0][order], surface.rates[np.lexsort(surface.rates.T)])
    assert surface.gini().standard_error > 0


def test_correction_by_resampling(tmp_path):
    y, p = cases(30, 2)
    surface = found(y, p)
    plain, corrected = surface.gini(), surface.resampled_gini(n_resamples=50, rng=1)
    assert corrected.settings["plain"] == plain.value
    assert corrected.value < plain.value
    assert corrected.standard_error == pytest.approx(plain.standard_error, rel=0.5)
    assert corrected.interval().low < corrected.value < corrected.interval().high
    kept = np.flatnonzero((y != 0) | (np.cumsum(y == 0) > 5))
    fewer = found(y[kept], p[kept]).resampled_gini(n_resamples=5, rng=1)
    assert list(fewer.counts.values()) == np.bincount(y[kept]).tolist()
    assert fewer.degrees_of_freedom == (y[kept] == 0).sum() - 1 < (y == 1).sum() - 1
    again = surface.resampled_gini(n_resamples=50, rng=1, n_threads=2)
    assert (again.value, again.standard_error) == (corrected.value, corrected.standard_error)
    surface.save(tmp_path / "surface.npz")
    with pytest.raises(NotDefined, match="G cannot be corrected: no interval: the surface does"):
        RocSurface.load(tmp_path / "surface.npz").resampled_gini()
    perfect = found(np.repeat([0, 1], 3), np.repeat([0.1, 0.9], 3)).resampled_gini(n_resamples=5)
    assert perfect.value == 1 and math.isnan(perfect.standard_error)


def test_cross_fitted():
    y, p = cases(40, 3)
    model = ScoreModel(y, p, sample_weight=np.linspace(0.5, 2, len(y)))
    options = {"generations": 2, "costs_per_generation": 30, "n_resamples": 20}
    result = cross_fitted_gini(model, **options, rng=1)
    again = cross_fitted_gini(model, **options, rng=1, n_threads=1)
    assert result.honest == again.honest and len(result.folds) == 2
    errors = [each.standard_error for each in result.folds]
    assert result.honest.standard_error == pytest.approx(math.hypot(*errors) / 2)
    assert result.honest.value == pytest.approx(np.mean([each.value for each in result.folds]))
    assert result.optimism == result.optimistic.value - result.honest.value
    assert result.honest.counts == {0: 40, 1: 40, 2: 40}
    assert list(result.frame()["gini"]) == ["honest", "optimistic", "fold 1", "fold 2"]
    assert "optimism" in repr(result)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(len(y), 2)) + 2 * np.eye(3)[y][:, :2]
    fitted = cross_fitted_gini(KnnModel, X, y, **options, folds=3, rng=1)
    assert len(fitted.folds) == 3 and fitted.honest.value > 0.2
    assert "points-as-given" in {note.code for note in fitted.folds[0].notes}


def test_refusals():
    y, p = cases(10, 3)
    model = ScoreModel(y, p)
    with pytest.raises(InvalidInput, match="leave X and y out"):
        cross_fitted_gini(model, p, y)
    with pytest.raises(InvalidType, match="must be a ScoreModel or a function"):
        cross_fitted_gini(KnnModel(p, y))
    with pytest.raises(InvalidInput, match="Give X and y"):
        cross_fitted_gini(KnnModel)
    with pytest.raises(InvalidType, match=r"model\(X, y\) must make"):
        cross_fitted_gini(lambda X, y: 3, p, y)
    with pytest.raises(InvalidInput, match="a class has 10 cases for 6 folds"):
        cross_fitted_gini(model, folds=6)


def test_the_mean_of_folds_has_satterthwaites_degrees_of_freedom():
    errors, freedom = (0.1, 0.2, 0.3), (5.0, 10.0, 20.0)
    parts = [
        Estimate(
            "gini",
            value,
            error,
            "x",
            degrees_of_freedom=known,
            counts={"a": 3, "b": 4},
            settings={"n_resamples": 7},
        )
        for value, error, known in zip((0.3, 0.4, 0.8), errors, freedom, strict=True)
    ]
    found = mean_of_folds(parts)
    assert found.value == pytest.approx(0.5) and found.counts == {"a": 9, "b": 12}
    squares = [error**2 / 9 for error in errors]
    assert found.standard_error == pytest.approx(math.sqrt(sum(squares)))
    among = sum(square**2 / known for square, known in zip(squares, freedom, strict=True))
    assert found.degrees_of_freedom == pytest.approx(sum(squares) ** 2 / among)
