"""Neither the number of threads nor the route through the sorting changes an answer."""

from __future__ import annotations

import numpy as np
import pytest
from common.samples import METRICS, class_numbers, options_of, sample_for

from polyroc import registry
from polyroc.predictions import _columns as columns
from polyroc.predictions._columns import Column
from polyroc.statistics import margins, tuples
from polyroc.statistics.margins import Margins
from polyroc.statistics.pairs import Pairs
from polyroc.statistics.placements import Placements
from polyroc.statistics.rates import Rates
from polyroc.statistics.tuples import Tuples

REST = ("fine", "continuous")


def answers(sample, metric, n_threads: int, **options):
    """Value and influence values, without anything remembered."""
    predictions = sample.predictions(n_threads=n_threads)
    influence = metric.influence(sample.predictions(n_threads=n_threads), **options)
    priors = () if influence.priors is None else influence.priors
    return metric.of(predictions, **options), influence.cases, np.array(priors)


def assert_same(one, other) -> None:
    assert one[0] == other[0]
    np.testing.assert_array_equal(one[1], other[1])
    np.testing.assert_array_equal(one[2], other[2])


def assert_close(one, other) -> None:
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-13)


def cases_for(metric, K: int) -> int:
    if metric.statistic is Rates:
        return 120
    return (24 if K > 3 else 90) if metric.statistic is Tuples else 400


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_threads(metric, weighted, monkeypatch):
    monkeypatch.setattr(tuples, "_PAIRS_PER_CHUNK", 50)
    for K in class_numbers(metric, 4):
        sample = sample_for(metric, K, 1, n=cases_for(metric, K), weighted=weighted)
        for options in options_of(metric, K):
            alone = answers(sample, metric, 1, **options)
            for n_threads in (2, 3):
                assert_same(answers(sample, metric, n_threads, **options), alone)


@pytest.mark.parametrize("name", ["hand_till", "aunp", "auc_mu", "pdi", "hand_till_scored"])
def test_threads_on_many_cases(name):
    """Enough positives to leave the look-up, with the numbers that are really used."""
    metric = registry[name]
    for dtype in (np.float32, np.float64):
        sample = sample_for(metric, 3, 1, kind="continuous", n=9000)
        sample = sample.with_scores(sample.p.astype(dtype))
        alone = answers(sample, metric, 1)
        for n_threads in (2, 3):
            assert_same(answers(sample, metric, n_threads), alone)


@pytest.mark.parametrize("K", [5, pytest.param(24, marks=pytest.mark.slow)])
def test_threads_over_many_classes(K, monkeypatch):
    """AUC_mu merges sorted margins, from 24 classes on by a compiled loop."""
    monkeypatch.setattr(margins, "FEW_MARGINS", 0)
    metric = registry["auc_mu"]
    sample = sample_for(metric, K, 1, n=300)
    alone = answers(sample, metric, 1)
    for n_threads in (2, 3):
        assert_same(answers(sample, metric, n_threads), alone)


@pytest.mark.parametrize("kinds", [("coarse",), pytest.param(REST, marks=pytest.mark.slow)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "metric",
    [m for m in METRICS if m.statistic in (Pairs, Margins, Placements)],
    ids=lambda metric: metric.name,
)
def test_routes(metric, weighted, dtype, kinds, monkeypatch):
    """Look-up, sorting and packing in small blocks against look-up in one block.

    Margins of few cases are searched in each other instead, which is the plain route here.
    """
    K = class_numbers(metric)[-1]
    for seed, kind in enumerate(kinds):
        sample = sample_for(metric, K, seed, kind=kind, n=60, weighted=weighted, skewed=True)
        sample = sample.with_scores(sample.p.astype(dtype))
        for options in options_of(metric, K):
            with monkeypatch.context() as patch:
                plain = answers(sample, metric, 1, **options)
                patch.setattr(margins, "FEW_CASES", 0)
                for few, block in [(10**6, 7), (3, 7), (0, 1), (0, 1000)]:
                    patch.setattr(columns, "FEW_POSITIVES", few)
                    patch.setattr(columns, "_BLOCK", block)
                    assert_close(answers(sample, metric, 1, **options), plain)


def test_chunks_of_tuples(monkeypatch):
    for metric in METRICS:
        if metric.statistic is not Tuples:
            continue
        for K in (2, 3, 4):
            sample = sample_for(metric, K, 1, n=cases_for(metric, K), weighted=True)
            whole = answers(sample, metric, 2)
            with monkeypatch.context() as patch:
                patch.setattr(tuples, "_PAIRS_PER_CHUNK", 20)
                assert_close(answers(sample, metric, 2), whole)


def rank_rows(ranks) -> list[tuple[float, ...]]:
    """(score, code, left, right) of every case, in ascending order."""
    rows = []
    for block in ranks:
        parts = (block.scores.tolist(), block.codes.tolist(), block.left, block.right)
        rows += zip(*(map(float, part) for part in parts), strict=True)
    return sorted(rows)


def by_definition(column: Column) -> list[tuple[float, ...]]:
    positives = column.scores[column.codes == column.k]
    return sorted(
        (float(s), float(c), float((positives < s).sum()), float((positives <= s).sum()))
        for s, c in zip(column.scores, column.codes, strict=True)
    )


def column_scores(kind: str, n: int, dtype) -> np.ndarray:
    rng = np.random.default_rng(n)
    drawn = {
        "grid": rng.integers(-3, 4, n) / 4,
        "zeros": rng.choice([-0.0, 0.0, 1.0, -1.0], n),
        "positive": rng.random(n),
        "mixed": rng.normal(size=n),
        "neighbours": np.nextafter(np.full(n, 0.5), rng.choice([-1.0, 1.0], n)),
        "constant": np.full(n, 0.25),
        "tiny": rng.choice([0.0, 5e-324, 1e-310, 1e-45, 1e-38], n),
        "huge": rng.choice([1e38, -1e38, 3e38, 1.0], n),
    }[kind]
    return drawn.astype(dtype)


KINDS = ["grid", "zeros", "positive", "mixed", "neighbours", "constant", "tiny", "huge"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("block", [1, 4, 1000])
def test_ranks_by_every_route(kind, dtype, block, monkeypatch):
    monkeypatch.setattr(columns, "_BLOCK", block)
    for K in (2, 3, 9):
        codes = np.random.default_rng(K).integers(0, K, 60).astype(np.uint8)
        column = Column(column_scores(kind, 60, dtype), codes, K - 1)
        expected = by_definition(column)
        assert rank_rows(column._by_lookup()) == expected
        assert rank_rows(column._by_sorting()) == expected
        packed = columns._pack(column.scores, column.codes)
        if packed is not None:
            assert rank_rows(column._by_packing(packed)) == expected


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_probabilities_are_packed(dtype):
    """The route that the numbers of everyday take: else the test above would say nothing."""
    scores = np.random.default_rng(1).dirichlet(np.ones(4), 5000)[:, 0].astype(dtype)
    codes = np.random.default_rng(2).integers(0, 4, 5000).astype(np.uint8)
    assert columns._pack(scores, codes) is not None
