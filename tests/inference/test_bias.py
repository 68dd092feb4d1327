"""The bias of TL, by plain loops and by simulation."""

import math
import tracemalloc

import numpy as np
import pytest

from polyroc import Design, Predictions, evaluate


def test_against_plain_loops():
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1, 2], [4, 6, 3])
    p = rng.dirichlet(np.ones(3), len(y))
    found = evaluate(y, p, ["total_length", "hand_till_probabilistic"])
    total = 0.0
    for k in range(3):
        rows = p[y == k]
        n = len(rows)
        mean = [sum(row[c] for row in rows) / n for c in range(3)]
        gap = [(c == k) - mean[c] for c in range(3)]
        length = math.sqrt(sum(g * g for g in gap))
        across = 0.0
        for row in rows:
            apart = [row[c] - mean[c] for c in range(3)]
            along = sum(a * g for a, g in zip(apart, gap, strict=True)) / length
            across += sum(a * a for a in apart) - along**2
        total += across / (n - 1) / (2 * n * length)
    estimate = found["total_length"]
    assert estimate.bias == pytest.approx(-total / (3 * math.sqrt(2)), rel=1e-10)
    assert found["hand_till_probabilistic"].bias == 0
    low, high, *_ = estimate.interval(scale="plain")
    assert (low + high) / 2 == pytest.approx(estimate.value - estimate.bias)
    times = 1 + np.arange(len(y)) % 2
    copies = np.repeat(np.arange(len(y)), times)
    design = Design(weights="frequency")
    counted = evaluate(y, p, ["total_length"], sample_weight=times, groups=design)["total_length"]
    written = evaluate(y[copies], p[copies], ["total_length"])["total_length"]
    assert counted.bias == pytest.approx(written.bias, rel=1e-9)


def test_many_classes_take_memory_for_a_block_of_cases_at_a_time():
    rng = np.random.default_rng(0)
    y, p = np.arange(20_000) % 200, rng.random((20_000, 200))
    given = Predictions(y, p / p.sum(axis=1, keepdims=True))
    evaluate(given, metrics=["total_length"])  # and what is loaded the first time
    tracemalloc.start()
    evaluate(given, metrics=["total_length"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < given.scores.nbytes


@pytest.mark.slow
def test_coverage_of_many_small_classes():
    """Twenty classes of fifteen cases: the interval around the value covers less than 93 %."""
    rng = np.random.default_rng(1)
    n_classes, n = 20, 15

    def draw(n: int) -> tuple[np.ndarray, np.ndarray]:
        y = np.repeat(np.arange(n_classes), n)
        raw = 1.5 * (rng.normal(size=(len(y), n_classes)) + 1.5 * np.eye(n_classes)[y])
        p = np.exp(raw)
        return y, p / p.sum(axis=1, keepdims=True)

    truth = evaluate(*draw(20_000), ["total_length"], interval=None)["total_length"].value
    found = [evaluate(*draw(n), ["total_length"])["total_length"] for _ in range(300)]
    covered = np.mean([each.interval().low <= truth <= each.interval().high for each in found])
    assert 0.92 <= covered <= 0.98
    apart = np.array([each.value for each in found]) - truth
    noise = apart.std() / math.sqrt(len(apart))
    assert np.mean([each.bias for each in found]) == pytest.approx(apart.mean(), abs=4 * noise)
