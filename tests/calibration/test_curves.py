"""Reliability curves and the calibration error: by loops, recorded numbers and simulation."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from polyroc._base.random import stream
from polyroc.calibration import calibration_curves, calibration_error
from polyroc.calibration._error import unfolded
from polyroc.datasets import example_predictions
from polyroc.errors import InvalidInput, NotDefined

RECORDED = Path(__file__).parents[1] / "published" / "calibration.json"


def calibrated(n_cases, n_classes, rng, spread=1.0):
    logits = spread * rng.normal(size=(n_cases, n_classes))
    drawn = np.argmax(logits + rng.gumbel(size=logits.shape), axis=1)
    return drawn, np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)


def twin_of_ece(p, true, weights, bins):
    """Σ_b W_b/W |share_b − mean p_b|, bin by bin; bins closed below, the last one at 1, too."""
    total = 0.0
    for b in range(bins):
        low, high = b / bins, (b + 1) / bins
        inside = [i for i, x in enumerate(p) if low <= x < high or (b == bins - 1 and x == 1)]
        weight = sum(weights[i] for i in inside)
        if weight:
            share = sum(weights[i] * true[i] for i in inside) / weight
            mean = sum(weights[i] * p[i] for i in inside) / weight
            total += weight * abs(share - mean)
    return total / sum(weights)


def test_the_error_is_that_of_netcal():
    """Recorded by record_calibration.py; of two classes netcal takes the second alone."""
    y, models, labels = example_predictions()
    recorded = json.loads(RECORDED.read_text())["ece"]
    for name, q in models.items():
        for bins in (5, 10, 15):
            found = calibration_error(y, q, labels=labels, bins=bins, n_resamples=1)
            assert found.value == pytest.approx(recorded[f"{name}, {bins}"], abs=1e-12)
        two = np.column_stack([q[:, 0], 1 - q[:, 0]])
        found = calibration_curves(np.asarray(y) != "common", two, strategy="uniform").classes[True]
        second = np.average(np.abs(found.share - found.probability), weights=found.cases)
        assert second == pytest.approx(recorded[f"{name}, two classes, 10"], abs=1e-12)


def test_values_and_points_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    codes, q = calibrated(150, 3, rng)
    weights = rng.integers(1, 4, 150).astype(float)
    top = q.max(axis=1)
    right = (q.argmax(axis=1) == codes).astype(float)
    found = calibration_error(codes, q, sample_weight=weights, bins=7, n_resamples=1)
    assert found.value == pytest.approx(twin_of_ece(top, right, weights, 7), abs=1e-12)
    each = [twin_of_ece(q[:, k], codes == k, weights, 7) for k in range(3)]
    found = calibration_error(codes, q, "class_wise", sample_weight=weights, bins=7, n_resamples=1)
    assert found.value == pytest.approx(np.mean(each), abs=1e-12)
    curves = calibration_curves(codes, q, sample_weight=weights, bins=7, strategy="uniform")
    curve = curves.classes[1]
    for p, share, low, high in zip(
        curve.probability, curve.share, curve.lower_edge, curve.upper_edge, strict=True
    ):
        inside = (q[:, 1] >= low) & (q[:, 1] < high)
        assert p == pytest.approx(np.average(q[inside, 1], weights=weights[inside]))
        assert share == pytest.approx(np.average(codes[inside] == 1, weights=weights[inside]))
    by_count = calibration_curves(codes, q, bins=5)
    assert by_count.top_label.cases.tolist() == [30] * 5
    assert len(by_count.frame()) == 20


def test_bands_are_wilson_limits_and_contain_the_truth():
    rng, inside, n_bins = np.random.default_rng(1), 0, 0
    for _ in range(40):
        codes, q = calibrated(400, 3, rng)
        found = calibration_curves(codes, q)
        for curve in (found.top_label, *found.classes.values()):
            inside += ((curve.low <= curve.probability) & (curve.probability <= curve.high)).sum()
            n_bins += len(curve.share)
    assert 0.93 < inside / n_bins < 0.97
    z, curve = 1.959963984540054, calibration_curves([0, 1, 1, 1], [0.3, 0.6, 0.7, 0.8], bins=1)
    ends = curve.classes[1].low[0], curve.classes[1].high[0]
    for end in ends:
        assert (0.75 - end) ** 2 == pytest.approx(z**2 * end * (1 - end) / 4)


def twin_of_count(true, weights, groups) -> float:
    """Kish's number of cases over the design effect of a share, by loops."""
    count = sum(weights) ** 2 / sum(w * w for w in weights)
    share = sum(t * w for t, w in zip(true, weights, strict=True)) / sum(weights)
    m, n = len(set(groups)), len(true)
    if m < 2 or share in (0, 1):
        return min(count, m)
    apart = [(w * (t - share), g) for t, w, g in zip(true, weights, groups, strict=True)]
    sums = [sum(a for a, g in apart if g == group) for group in set(groups)]
    together = sum(a * a for a in sums) * m / (m - 1)
    return count / max(1, together / sum(a * a for a, _ in apart) * (n - 1) / n)


def test_bands_of_groups():
    rng = np.random.default_rng(8)
    codes, q = calibrated(40, 3, rng)
    codes, q = np.repeat(codes, 3), np.repeat(q, 3, axis=0)
    weights, groups = rng.integers(1, 4, 120) / 2, np.arange(120) // 3
    z = 1.959963984540054
    known = {"sample_weight": weights, "groups": [f"g{each}" for each in groups]}
    for bins in (1, 5, 9):
        curve = calibration_curves(codes, q, bins=bins, **known).classes[1]
        numbers = np.digitize(q[:, 1], curve.upper_edge[:-1])
        for b, (share, low, high) in enumerate(
            zip(curve.share, curve.low, curve.high, strict=True)
        ):
            inside = numbers == b
            parts = (codes[inside] == 1), weights[inside], groups[inside]
            count = twin_of_count(*(part.tolist() for part in parts))
            for end in (low, high):
                apart = z**2 * end * (1 - end) / count
                assert (share - end) ** 2 == pytest.approx(apart, abs=1e-9)
    alone = calibration_curves(codes, q, sample_weight=weights, bins=5).classes[1]
    grouped = calibration_curves(codes, q, bins=5, **known).classes[1]
    assert np.mean(grouped.high - grouped.low) > 1.4 * np.mean(alone.high - alone.low)


def test_calibrated_probabilities_are_not_told_apart_from_calibrated_ones():
    """The value agrees with that under calibration, p-values are uniform, and debiasing lowers."""
    rng, p_values, values, under, debiased = np.random.default_rng(2), [], [], [], []
    above = 0
    for run in range(150):
        codes, q = calibrated(300, 3, rng)
        found = calibration_error(codes, q, labels=[0, 1, 2], n_resamples=60, rng=run)
        p_values.append(found.p_value)
        values.append(found.value)
        under.append(found.under_calibration)
        debiased.append(found.debiased)
        low, *_ = found.interval()
        above += low > 0
        assert low == 0 or found.p_value < 0.05
    assert above <= 15 and np.mean(values) == pytest.approx(np.mean(under), rel=0.06)
    assert 0.01 <= np.mean(np.array(p_values) < 0.05) <= 0.1
    assert np.mean(debiased) < 0.7 * np.mean(values)


def test_intervals_contain_the_error_of_a_miscalibrated_model():
    """Probabilities (1 + x)/2 for x: the error is known, and the value is above it on average."""
    rng, covered, values, debiased = np.random.default_rng(3), 0, [], []
    for run in range(200):
        x = rng.uniform(0.5, 0.9, 400)
        true = rng.random(400) < x - 0.08
        found = calibration_error(true, x, "top_label", n_resamples=1, rng=run)
        low, high, *_ = found.interval()
        covered += low <= 0.08 <= high
        values.append(found.value)
        debiased.append(found.debiased)
    assert 0.91 < covered / 200 < 0.99
    assert abs(np.mean(debiased) - 0.08) < abs(np.mean(values) - 0.08) < 0.02


def test_the_mean_of_a_folded_normal_is_inverted():
    z = np.random.default_rng(0).normal(size=400_000)
    for delta in (0.3, 1.0, 2.5):
        mean = np.abs(delta + z).mean()
        assert unfolded(np.array([mean]))[0] == pytest.approx(delta, abs=0.02)


def test_groups_widen_the_interval_and_seeds_repeat():
    codes, q = calibrated(300, 3, np.random.default_rng(4))
    plain = calibration_error(codes, q, rng=1)
    often = np.repeat(np.arange(300), 4)
    grouped = calibration_error(codes[often], q[often], groups=often, rng=1)
    assert grouped.standard_error == pytest.approx(plain.standard_error, rel=1e-9)
    alone = calibration_error(codes[often], q[often], rng=1)
    for kind in ("under_calibration", "debiased"):
        assert getattr(grouped, kind) == pytest.approx(getattr(plain, kind), rel=0.15)
        assert abs(getattr(alone, kind) / getattr(plain, kind) - 1) > 0.25
    parts = [[0.0] * 10 for _ in range(300)]
    for i, group in enumerate(often):
        top = int(np.argmax(q[often[i]]))
        p = q[often[i], top]
        parts[group][min(int(p * 10), 9)] += float(codes[often[i]] == top) - p
    drawn = []
    for replicate in range(500):
        signs = 2.0 * stream(1, replicate).integers(0, 2, 300) - 1
        drawn.append(sum(abs(sum(signs[g] * parts[g][b] for g in range(300))) for b in range(10)))
    assert grouped.under_calibration == pytest.approx(np.mean(drawn) / 1200, rel=1e-9)
    above = sum(each / 1200 >= grouped.value * (1 - 1e-12) for each in drawn)
    assert grouped.p_value == (1 + above) / 501
    assert calibration_error(codes, q, rng=1) == plain
    assert plain.to_dict()["debiased"] == plain.debiased
    one = calibration_error([0, 1], [[0.9, 0.1], [0.2, 0.8]], groups=["a", "a"], rng=1)
    assert math.isnan(one.standard_error) and one.to_dict()["low"] is None


def test_errors_say_what_is_wrong():
    with pytest.raises(NotDefined, match="The calibration error needs probabilities"):
        calibration_error([0, 1], [[3, 0.1], [0.2, 0.8]])
    with pytest.raises(InvalidInput, match='kind must be "top_label" or "class_wise"'):
        calibration_error([0, 1], [0.2, 0.8], "top")
    with pytest.raises(InvalidInput, match="bins must be at least 1, got 0"):
        calibration_curves([0, 1], [0.2, 0.8], bins=0)
    with pytest.raises(InvalidInput, match='strategy must be "uniform" or "quantile"'):
        calibration_curves([0, 1], [0.2, 0.8], strategy="even")
