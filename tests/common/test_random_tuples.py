"""Estimates from random tuples: repeatable, near the value of all tuples, weighted alike."""

from __future__ import annotations

import signal
import time

import numpy as np
import pytest
from common.samples import METRICS, options_of, sample_for

import polyroc
from polyroc.errors import InvalidInput
from polyroc.statistics.tuples import Tuples

DRAWS = 20_000
TUPLES = [m for m in METRICS if m.statistic is Tuples]


@pytest.mark.parametrize("K", [2, 3, 4, 5])
@pytest.mark.parametrize("metric", TUPLES, ids=lambda metric: metric.name)
def test_near_the_value_of_all(metric, K):
    """Within 5 standard errors, which are at most ½/√draws for credits between 0 and 1."""
    sample = sample_for(metric, K, 1, kind="coarse", n=4 * K, weighted=True)
    for options in options_of(metric, K):
        exact = sample.value(metric, **options)
        drawn = sample.value(metric, n_tuples=DRAWS, rng=7, **options)
        assert abs(drawn - exact) <= 5 * 0.5 / np.sqrt(DRAWS)


@pytest.mark.parametrize("metric", TUPLES, ids=lambda metric: metric.name)
def test_seed_decides(metric):
    sample = sample_for(metric, 4, 1, n=30)
    again = [sample.value(metric, n_tuples=500, rng=3) for _ in range(2)]
    assert again[0] == again[1]
    assert sample.value(metric, n_tuples=500, rng=np.random.default_rng(3)) == again[0]
    assert len({sample.value(metric, n_tuples=500, rng=seed) for seed in range(6)}) > 1
    assert sample.value(metric, n_tuples=500, rng=3, n_threads=2) == again[0]


@pytest.mark.parametrize("metric", TUPLES, ids=lambda metric: metric.name)
def test_too_few_draws(metric):
    sample = sample_for(metric, 3, 1)
    with pytest.raises(InvalidInput, match=r"^n_tuples must be at least 2, got 1\.$"):
        sample.value(metric, n_tuples=1)


@pytest.mark.parametrize("metric", TUPLES, ids=lambda metric: metric.name)
def test_a_seed_alone_asks_for_tuples_where_all_are_many(metric):
    """From four classes on, and for 100,000; up to three classes all tuples are taken."""
    many, few = sample_for(metric, 4, 1, n=20), sample_for(metric, 3, 1, n=20)
    assert many.value(metric, rng=3) == many.value(metric, n_tuples=100_000, rng=3)
    assert many.value(metric, rng=3) != many.value(metric)
    assert few.value(metric, rng=3) == few.value(metric)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_interrupt_is_heard(n_threads):
    """While tuples are drawn and while they are enumerated, which would take minutes."""

    def interrupt(*_):
        raise KeyboardInterrupt

    rng = np.random.default_rng(0)
    many, few = np.arange(600) % 30, np.arange(440) % 4
    scores = np.round(rng.random((600, 30)), 1)
    polyroc.hum(many[:60], scores[:60], n_tuples=2, rng=0)  # what is compiled first
    former = signal.signal(signal.SIGALRM, interrupt)
    try:
        for work in (
            lambda: polyroc.hum(many, scores, n_tuples=3_000_000, rng=0, n_threads=n_threads),
            lambda: polyroc.hum(few, rng.random((440, 4)) / 99, n_threads=n_threads),
        ):
            signal.setitimer(signal.ITIMER_REAL, 0.4)
            start = time.perf_counter()
            with pytest.raises(KeyboardInterrupt):
                work()
            assert time.perf_counter() - start < 10
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
