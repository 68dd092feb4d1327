"""Compiled loops over blocks of columns equal the columns one after the other."""

from __future__ import annotations

import numpy as np
import pytest

from polyroc import Predictions, registry
from polyroc.metrics.measure import CaseStatistics, measure
from polyroc.statistics import many_columns
from polyroc.statistics.mixture import Mixture

METRICS = ("hand_till", "au1p", "aunu", "aunp", "hand_till_scored", "pdi")
OPTIONS = {"aunu": {"ties": "strict"}}


def measured(cases, n_classes):
    asked = [(registry[name], OPTIONS.get(name, {})) for name in METRICS]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(many_columns, "MANY_CLASSES", n_classes)
        plain = measure(CaseStatistics(cases), asked, with_influence=False)
        found = [each for each in measure(CaseStatistics(cases), asked) if each.reason is None]
    values = np.array([each.value for each in plain if each.reason is None])
    assert len(found) >= 5  # metrics of leads need probabilities
    assert [each.value for each in found] == pytest.approx(values, rel=1e-14)
    return values, np.array([each.influence.cases for each in found])


def sets():
    """Cases with and without weights, ties, negative scores, single precision and a pool."""
    for n_classes in (2, 5, 9):
        for levels in (None, 10):
            for weighted in (False, True):
                rng = np.random.default_rng([1, n_classes])
                y, p = np.arange(60) % n_classes, rng.dirichlet(np.ones(n_classes), 60)
                if levels:
                    p = np.round(p * levels) / levels
                    p[:, 0] += 1 - p.sum(axis=1)
                weights = rng.integers(1, 5, 60) / 2 if weighted else None
                yield (predictions := Predictions(y, p, sample_weight=weights))
                kept = predictions.class_counts / (predictions.class_counts + 0.5)
                added = predictions.class_weights * (1 - kept)
                yield Mixture(predictions, np.arange(3, 60, 9), np.full(7, 1 / 7), kept, added)
    rng = np.random.default_rng(1)
    y, s = np.arange(400) % 7, rng.normal(size=(400, 7)) * 10.0 ** rng.integers(-9, 9, (400, 7))
    yield Predictions(y, s)
    yield Predictions(y, np.round(s).astype(np.float32))
    yield Predictions(y, np.where(np.abs(s) < 1, 0.0 * s, 1.0))  # 0, −0 and 1
    yield Predictions(y, np.ones((400, 7)))


def test_compiled_columns_equal_columns_one_by_one(monkeypatch):
    monkeypatch.setattr(many_columns, "WIDTH", 4)
    monkeypatch.setattr(many_columns, "TILE", 16)
    for cases in sets():
        (values, moved), (slow, expected) = measured(cases, 2), measured(cases, 1000)
        np.testing.assert_allclose(values, slow, rtol=1e-13)
        scale = np.abs(expected).max(axis=1, keepdims=True, initial=1e-3)
        np.testing.assert_allclose(moved / scale, expected / scale, rtol=1e-11, atol=1e-13)


def test_threads_change_no_bit(monkeypatch):
    monkeypatch.setattr(many_columns, "FEW_SCORES", 0)
    monkeypatch.setattr(many_columns, "WIDTH", 4)
    rng = np.random.default_rng(2)
    y, p = np.arange(300) % 30, rng.dirichlet(np.ones(30), 300)
    weights = rng.random(300) + 0.5
    one, several = (
        measured(Predictions(y, p, sample_weight=weights, n_threads=n), 24) for n in (1, 4)
    )
    for here, there in zip(one, several, strict=True):
        assert here.tobytes() == there.tobytes()


def test_many_positives_in_one_bucket():
    """Scores that share their leading bits but for one are searched by halves."""
    rng = np.random.default_rng(3)
    y, s = np.arange(2000) % 2, 1 + 1e-9 * rng.random((2000, 2))
    s[0] = 1e9
    (values, moved), (slow, expected) = (measured(Predictions(y, s), n) for n in (2, 1000))
    np.testing.assert_allclose(values, slow, rtol=1e-13)
    scale = np.abs(expected).max(axis=1, keepdims=True, initial=1e-3)
    np.testing.assert_allclose(moved / scale, expected / scale, rtol=0, atol=1e-12)
