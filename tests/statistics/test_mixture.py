"""Classes shrunken towards a pool equal the same cases written out, the pool once per class."""

from __future__ import annotations

import math

import numpy as np
import pytest

from polyroc import Predictions, registry
from polyroc.metrics.measure import CaseStatistics, measure
from polyroc.statistics import many_columns, margin_blocks, margins, mixture, pairs, placements
from polyroc.statistics.mixture import Mixture

METRICS = ("hand_till", "aunp", "hand_till_scored", "auc_mu", "pdi", "hand_till_probabilistic")


def shrunken(n_classes, levels, weighted, seed=0, mass=0.5):
    rng = np.random.default_rng([seed, n_classes])
    y = np.concatenate([np.arange(n_classes)] * 2 + [rng.integers(0, n_classes, 5 * n_classes)])
    p = rng.dirichlet(np.ones(n_classes), len(y))
    if levels:
        p = np.round(p * levels) / levels
        p[:, 0] += 1 - p.sum(axis=1)
    weights = rng.integers(1, 5, len(y)) / 2 if weighted else None
    predictions = Predictions(y, p, sample_weight=weights)
    pool = rng.choice(len(y), 7, replace=False)
    shares = rng.dirichlet(np.ones(7))
    counts, totals = predictions.class_counts, predictions.class_weights
    added = totals * mass / (counts + mass)
    return Mixture(predictions, pool, shares, counts / (counts + mass), added)


def check(mixed, options):
    asked = [(registry[name], options.get(name, {})) for name in METRICS]
    found = measure(CaseStatistics(mixed), asked)
    for one, other in zip(found, measure(CaseStatistics(mixed.written_out()), asked), strict=True):
        assert other.reason == one.reason
        if one.reason is None:
            assert one.value == pytest.approx(other.value, rel=1e-12), one.metric.name
            assert len(one.influence.cases) == len(mixed)
            np.testing.assert_allclose(
                one.influence.cases, other.influence.cases, rtol=1e-9, atol=1e-12
            )


def test_a_pool_that_is_ranked_once(monkeypatch):
    rng = np.random.default_rng(5)
    for n_classes in (2, 3, 5):
        costs = rng.integers(1, 9, (n_classes,) * 2) / 10 * (1 - np.eye(n_classes))
        for levels in (None, 10):
            for weighted in (False, True):
                mixed = shrunken(n_classes, levels, weighted)
                options = {"auc_mu": {"partition": costs} if weighted else {"ties": "strict"}}
                check(mixed, options)
                for module in (margins, many_columns):
                    monkeypatch.setattr(module, "MANY_CLASSES", 2)
                check(mixed, options)
                check(mixed, {})
                monkeypatch.setattr("polyroc.predictions._columns.FEW_POSITIVES", 1)
                monkeypatch.setattr(mixture, "MOST_KEPT_RANKS", 1)
                monkeypatch.setattr(pairs, "SHORT_COLUMN", 1)
                check(mixed, options)
                monkeypatch.undo()


def test_blocks_of_classes_change_nothing_but_rounding(monkeypatch):
    mixed = shrunken(11, None, weighted=True)
    monkeypatch.setattr(margins, "MANY_CLASSES", 2)
    expected = registry["auc_mu"].influence(mixed.predictions).cases
    monkeypatch.setattr("polyroc.statistics.margin_blocks.WIDTH", 3)
    found = registry["auc_mu"].influence(mixed.predictions).cases
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-13)
    check(mixed, {})


def test_small_classes_are_compared_each_with_each(monkeypatch):
    """Sorted and merged it is the same, with ties, close margins and cases that are in the pool."""
    monkeypatch.setattr(margins, "MANY_CLASSES", 2)
    monkeypatch.setattr(margin_blocks, "WIDTH", 3)
    rng, asked = np.random.default_rng(4), [(registry["auc_mu"], {"ties": "strict"})]
    asked.append((registry["auc_mu"], {}))
    for levels in (None, 16, 10, 1):
        y, p = np.arange(90) % 8, rng.dirichlet(np.ones(8), 90)
        p = p if levels is None else np.round(p * levels) / levels
        p[5] = p[13] + (0 if levels else 2.0**-46)  # of one class, and close
        p[16] = p[21] + (0 if levels else 2.0**-46 * np.eye(8)[0])  # of the first class and another
        p[7], p[30, :2] = p[14], p[24, :2]
        cases = Predictions(y, p)
        counts = cases.class_counts
        pool, kept = np.r_[np.arange(2, 90, 11), 13, 14], counts / (counts + 0.5)
        mixed = Mixture(cases, pool, np.full(len(pool), 1 / len(pool)), kept, 0.5 * kept)
        for several in (cases, mixed):
            found = {}
            for few, many in ((1000, 1), (1000, 1000), (0, 1)):
                monkeypatch.setattr(margin_blocks, "SMALL_CLASS", few)
                monkeypatch.setattr(margin_blocks, "MANY_CLOSE", many)
                made = measure(CaseStatistics(several), asked)
                found[few, many] = np.array([[m.value, *m.influence.cases] for m in made])
            *compared, merged = found.values()
            for each in compared:
                np.testing.assert_allclose(each, merged, rtol=1e-12, atol=1e-14)


def test_few_nodes_do_where_many_classes_are_tied_in_small_shares():
    """12 classes of 60 cases, two of each level: all are tied, in shares of 1/30."""
    y = np.repeat(np.arange(12), 60)
    p = np.random.default_rng(2).permutation(np.repeat(np.arange(30.0), 24))
    predictions = Predictions(y, np.column_stack([np.roll(p, 7 * k) for k in range(12)]))
    places = placements._Places.of(predictions, 0)
    n_tied = int((places.tied[:, 1:] > 0).sum(axis=1).max())
    nodes = placements._nodes(places)
    assert n_tied == 11 and len(nodes) == 6  # of shares that are not small, all of them
    exact = placements._chance_to_win(places)
    small = places._replace(tied=places.tied / 1000)
    assert len(placements._nodes(small)) == placements.FEW_NODES
    whole = placements._gauss_legendre(math.ceil(12 / 2))
    chances = sum(n.weight * placements._beaten(small, n).prod(axis=1) for n in whole)
    np.testing.assert_allclose(placements._chance_to_win(small), chances, rtol=0, atol=1e-15)
    assert (exact > chances).any()
