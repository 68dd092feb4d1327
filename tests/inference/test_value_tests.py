"""Tests of a value against a constant reject exactly what the interval leaves out."""

import math

import numpy as np
import pytest
from scipy import stats

from polyroc import estimate
from polyroc.datasets import example_predictions
from polyroc.errors import InvalidInput, InvalidType
from polyroc.results import Effective, Estimate

REPLICATES = np.random.default_rng(0).beta(60, 9, 400).round(3)
ESTIMATES = [
    Estimate("m", 0.87, 0.03, "influence", 8.5, effective=Effective(90.0, 7.5)),
    Estimate("m", 1.0, math.nan, "influence", effective=Effective(25.0, 9.0)),
    Estimate("m", 0.87, 0.03, "influence", 8.5),
    Estimate("m", 0.3, 0.1, "influence", 30.0, range=(-1.0, 1.0), direction="lower"),
    Estimate("m", 0.87, 0.04, "bootstrap", replicates=REPLICATES),
    Estimate("m", 0.88, 0.04, "bootstrap", replicates=REPLICATES, acceleration=-0.06),
    Estimate("m", 0.88, 0.04, "bootstrap", replicates=REPLICATES, acceleration=0.0),
    Estimate("m", 0.5, 0.0, "exact"),
    Estimate("m", 0.3, 0.1, "influence", effective=Effective(40.0, 12.0, signed=True), bias=0.02),
]
SCALES = ["wilson", "logit", "plain", "bca", "bc", "percentile", None]


def scales_of(each):
    for scale in SCALES:
        if scale in ("bc", "percentile") and each.replicates is None:
            continue
        if scale == "bca" and each.acceleration is None:
            continue
        yield scale


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less", "noninferior"])
@pytest.mark.parametrize("place", range(len(ESTIMATES)))
def test_a_test_rejects_what_its_interval_leaves_out(place, alternative):
    each = ESTIMATES[place]
    margin = 0.05 if alternative == "noninferior" else 0.0
    lowest, highest = each.range
    seen = set()
    for scale in scales_of(each):
        for small_sample in (True, False):
            options = {"scale": scale, "small_sample": small_sample}
            for level in (0.4, 0.8, 0.95, 0.99):
                low, high, *_ = each.interval(level, alternative=alternative, **options)
                for against in np.linspace(lowest, highest, 41).tolist():
                    asked = None if alternative == "two-sided" else margin
                    found = each.test(against, alternative, margin=asked, **options)
                    moved = against - margin * (1 if each.direction == "higher" else -1)
                    if math.isnan(low):
                        assert math.isnan(found.p_value) and found.conclusion() == ""
                        continue
                    if abs(found.p_value - (1 - level)) > 1e-9:
                        outside = moved < low or moved > high
                        assert (found.p_value < 1 - level) == outside, (scale, level, against)
                        seen.add(outside)
    assert seen == {True, False}


def test_equivalence_is_an_interval_within_the_margin():
    for each in ESTIMATES[:1] + ESTIMATES[4:6]:
        low, high, *_ = each.interval(0.95, alternative="equivalent")
        assert np.allclose((low, high), each.interval(0.9)[:2])
        for against in np.linspace(0.5, 1, 26).tolist():
            found = each.test(against, "equivalent", margin=0.1)
            within = low > against - 0.1 and high < against + 0.1
            assert (found.p_value < 0.05) == within


def test_one_limit_and_statistics_by_hand():
    each = ESTIMATES[0]
    low, high, level, scale = each.interval(0.95, alternative="greater", scale="plain")
    assert (high, level, scale) == (1.0, 0.95, "plain")
    assert low == pytest.approx(0.87 - stats.t.ppf(0.95, 8.5) * 0.03, rel=1e-12)
    found = each.test(0.8, "greater", scale="plain")
    assert found.statistic == pytest.approx(0.07 / 0.03)
    assert found.p_value == pytest.approx(stats.t.sf(0.07 / 0.03, 8.5), rel=1e-10)
    wilson = each.test(0.8)
    assert wilson.statistic == pytest.approx(0.07 / math.sqrt(0.8 * 0.2 / 90))
    assert wilson.p_value == pytest.approx(2 * stats.t.sf(wilson.statistic, 7.5), rel=1e-10)
    cost = ESTIMATES[3]
    assert cost.interval(alternative="greater").low == -1
    assert cost.test(0.6, "greater").p_value < 0.01 < 0.99 < cost.test(0.6, "less").p_value
    least = ESTIMATES[4].test(0.2, "greater")
    assert least.p_value == 1 / 401 and math.isnan(least.statistic)


def test_sentences_and_mistakes():
    y, models, labels = example_predictions()
    found = estimate(y, models["logistic"], "hand_till", labels=labels)
    assert found.test(0.86, "less").conclusion() == (
        "hand_till: it is not shown that 0.8924 is worse than 0.86, p = 0.993."
    )
    assert found.test(0.9, "noninferior", margin=0.05).conclusion() == (
        "hand_till: 0.8924 is not inferior to 0.9 (margin 0.05), p < .001."
    )
    assert found.test(0.5).conclusion() == "hand_till: 0.8924 differs from 0.5, p < .001."
    assert found.test(0.5).to_dict()["against"] == 0.5
    with pytest.raises(InvalidInput, match="in the range of the metric, 0 to 1, got 80"):
        found.test(80)
    with pytest.raises(InvalidType, match="against must be a number, got 'a'"):
        found.test("a")
    with pytest.raises(InvalidInput, match="margin must be less than 1, the range of hand_till"):
        found.test(0.9, "equivalent", margin=1)
    with pytest.raises(InvalidInput, match='alternative="noninferior" needs a margin'):
        found.test(0.8, "noninferior")
    with pytest.raises(InvalidInput, match="alternative must be"):
        found.interval(alternative="both")
