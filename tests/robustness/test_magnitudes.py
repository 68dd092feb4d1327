"""Scores of every size: 1e-300 apart, one float apart, near the largest float, signed zeros.

Metrics of ranks compare the numbers themselves, so no size and no distance makes them wrong.
:mod:`published.test_near_ties` holds the cases of pROC; here are those of all metrics, of
intervals, comparisons, curves and summaries.
"""

from __future__ import annotations

import numpy as np
import pytest
from common.samples import METRICS, Sample, class_numbers
from robustness import exact

import polyroc
from polyroc import Bootstrap, registry
from polyroc.curves import one_vs_one_roc, roc_curve
from polyroc.metrics.declaration import Property
from polyroc.scale import PairSummary
from polyroc.statistics.directed import LARGE_MARGIN, margins_of
from polyroc.utility import roc_hull

TINY = 5e-324
LARGEST = float(np.finfo(np.float64).max)


def beside(x: float, dtype: type = np.float64) -> list[float]:
    """A number between its two neighbours."""
    x = dtype(x)
    return [np.nextafter(x, dtype(-np.inf)), x, np.nextafter(x, dtype(np.inf))]


VALUES = {
    "1e-300 apart": [k * 1e-300 for k in range(5)],
    "subnormal": [0.0, TINY, 2 * TINY, 3 * TINY, 1e-310],
    "signed zeros": [-0.0, 0.0, TINY, -TINY],
    "around ½": beside(0.5),
    "around 1": beside(1.0),
    "around 1e300": beside(1e300),
    "0 and 1": [0.0, 1.0],
    "the largest": [-LARGEST, np.nextafter(-LARGEST, 0), np.nextafter(LARGEST, 0), LARGEST],
    "all sizes": [-LARGEST, -1.0, -1e-300, -TINY, 0.0, TINY, 1e-300, 0.1, 1.0, LARGEST],
    "float32 around ½": beside(0.5, np.float32),
    "largest of float32": np.float32([-3.4028235e38, -1, 1e-45, 1, 3.4028235e38]),
    "float16": np.float16([-65504, -6e-8, 0, 6e-8, 0.1, 65504]),
}
RANKED = [m for m in METRICS if Property.COLUMN_MONOTONE in m.properties]
"""Metrics that compare scores within a column and do nothing else with them."""


def drawn(name: str, K: int, seed: int = 0, copies: int = 4) -> Sample:
    rng = np.random.default_rng([seed, K])
    values = np.array(VALUES[name])
    y = rng.permutation(np.repeat(np.arange(K), copies))
    return Sample(y, rng.choice(values, (len(y), K)))


@pytest.mark.parametrize("name", VALUES)
def test_metrics_of_ranks(name):
    for metric in RANKED:
        for K in class_numbers(metric, 4):
            sample = drawn(name, K, copies=3)
            off = abs(sample.value(metric) - sample.twin(metric)) / exact.UNIT
            assert off <= exact.BOUND[metric.name], (metric.name, K)


@pytest.mark.parametrize("n", [20, 6000])
@pytest.mark.parametrize("name", VALUES)
def test_pairwise_auc_and_curves(name, n):
    """Looked up among few positives, and sorted or packed among many."""
    sample = drawn(name, 2, copies=n)
    found = polyroc.pairwise_auc(sample.y, sample.p)
    areas = {pair: float(area) for pair, area in exact.pairwise(sample.y, sample.p).items()}
    assert {pair: found[pair] for pair in areas} == areas
    assert one_vs_one_roc(sample.y, sample.p).areas() == areas
    assert roc_curve(sample.y, sample.p[:, 1]).area == areas[1, 0]


@pytest.mark.parametrize("name", VALUES)
def test_intervals_comparisons_summaries_and_fits(name):
    """No warning, and the same numbers as for the ranks of the scores."""
    sample = drawn(name, 3, copies=12)
    ranks = sample.with_scores(
        np.column_stack([np.unique(c, return_inverse=True)[1] for c in sample.p.T])
    )
    names = [metric.name for metric in RANKED if 3 in metric.classes and metric.name != "vus2"]
    for interval in ("influence", "bootstrap"):
        tables = [
            polyroc.evaluate(
                each.y,
                each.p,
                names,
                interval=Bootstrap(20) if interval == "bootstrap" else interval,
                rng=1,
            ).to_dict()
            for each in (sample, ranks)
        ]
        assert tables[0] == tables[1]
    models = [{"a": each.p, "b": each.p[:, [1, 2, 0]]} for each in (sample, ranks)]
    one, other = (polyroc.compare(sample.y, scores, names).frame() for scores in models)
    assert one.equals(other)


@pytest.mark.parametrize("name", VALUES)
def test_summary_encloses_the_exact_values(name):
    sample = drawn(name, 3, copies=12)
    summary = PairSummary([0, 1, 2], auc_mu=True)
    for part in np.array_split(np.arange(len(sample.y)), 5):
        summary.merge(PairSummary([0, 1, 2], auc_mu=True).update(sample.y[part], sample.p[part]))
    for metric, bounds in summary.compute(["hand_till", "aunu", "auc_mu"]).items():
        assert bounds.low <= sample.value(registry[metric]) <= bounds.high
    low, high = summary.pairwise_auc()
    for pair, area in exact.pairwise(sample.y, sample.p).items():
        assert low[pair] <= float(area) <= high[pair]


@pytest.mark.parametrize("name", VALUES)
def test_cost_of_two_classes(name):
    """The hull of the curve, and SAEC of it, depend on the ranks alone."""
    sample = drawn(name, 2, copies=12)
    scores = sample.p[:, 1]
    ranks = np.unique(scores, return_inverse=True)[1]
    assert polyroc.saec(sample.y, scores, model="hull") == polyroc.saec(
        sample.y, ranks, model="hull"
    )
    assert roc_hull(sample.y, scores).frame().equals(roc_hull(sample.y, ranks).frame())


@pytest.mark.parametrize("name", [name for name in VALUES if "larg" not in name])
@pytest.mark.parametrize("K", [2, 3, 25])
def test_auc_mu_of_scores_of_every_size(name, K):
    """By look-up, and from 24 classes on by merging."""
    sample = drawn(name, K, copies=12 // K + 1)
    if "all sizes" in name:
        sample = sample.with_scores(np.clip(sample.p, -1e307, 1e307))
    off = abs(sample.value(registry["auc_mu"]) - exact.auc_mu(sample.y, sample.p)) / exact.UNIT
    assert off <= 4


HUGE = np.arange(-15, 16) * 2.0**1020  # their differences reach 1.9 times the largest float


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("K", [2, 3, 25])
def test_auc_mu_of_margins_beyond_the_largest_float(K, weighted):
    """They were infinite, with a warning, and tied."""
    rng = np.random.default_rng(K)
    y = np.arange(60) % K
    sample = Sample(y, rng.choice(HUGE, (len(y), K)))
    expected = exact.auc_mu(y, sample.p)
    if weighted:
        sample = sample.with_weights(np.full(len(y), 2.0))
    assert abs(sample.value(registry["auc_mu"]) - expected) <= 4 * exact.UNIT
    moderate = sample.with_scores(np.ldexp(sample.p, -900))
    assert sample.value(registry["auc_mu"]) == moderate.value(registry["auc_mu"])


def test_whatever_else_takes_margins_takes_huge_ones():
    rng = np.random.default_rng(5)
    y, p = np.arange(60) % 3, rng.choice(HUGE, (60, 3))
    small = np.ldexp(p, -900)
    options = {"interval": polyroc.Bootstrap(20, 1)}
    for kind in ({}, options):
        one, other = (
            polyroc.evaluate(y, each, ["auc_mu"], **kind).to_dict() for each in (p, small)
        )
        assert one == other
    summaries = [PairSummary([0, 1, 2], auc_mu=True).update(y, each) for each in (p, small)]
    exactly = polyroc.auc_mu(y, p)
    for bounds in (each.compute(["auc_mu"])["auc_mu"] for each in summaries):
        assert bounds.low <= exactly <= bounds.high


@pytest.mark.torch
def test_margins_on_a_device():
    import torch

    from polyroc.scale.torch import evaluate

    rng = np.random.default_rng(5)
    y, p = np.arange(60) % 3, rng.choice(HUGE, (60, 3))
    found = evaluate(torch.from_numpy(y), torch.from_numpy(p), ["auc_mu"])["auc_mu"]
    assert (found.low, found.high) == (polyroc.auc_mu(y, p),) * 2


def test_order_of_margins_is_kept():
    """Squeezed from 2¹⁰²² on: never reversed, and apart if they differ by 2⁻⁵⁰."""
    scores = np.concatenate(
        [HUGE, [LARGE_MARGIN, -LARGE_MARGIN, *beside(LARGE_MARGIN), LARGEST, -LARGEST, 0, TINY, 1]]
    )
    first, second = (grid.ravel() for grid in np.meshgrid(scores, scores))
    margins = margins_of(first, second)
    assert np.isfinite(margins).all()
    np.testing.assert_array_equal(margins_of(second, first), -margins)
    half = first / 2 - second / 2  # in the right order where it is not tiny
    order = np.argsort(half)
    steps, gaps = np.diff(margins[order]), np.diff(half[order])
    assert (steps >= 0)[np.abs(half[order][1:]) > 1].all()
    assert (steps > 0)[gaps > 2.0**-49 * np.abs(half[order][1:])].all()


@pytest.mark.parametrize("exponent", [-1070, -600, 600, 1020])
def test_auc_mu_by_a_partition_at_any_scale(exponent):
    """Costs times scores neither vanish nor overflow."""
    rng = np.random.default_rng(2)
    y, p = np.arange(30) % 3, rng.integers(0, 8, (30, 3)).astype(float)
    partition = [[0, 2, 1], [1, 0, 3], [0.5, 1, 0]]
    expected = polyroc.auc_mu(y, p, partition=partition)
    assert polyroc.auc_mu(y, np.ldexp(p, exponent), partition=partition) == expected


@pytest.mark.parametrize("name", [name for name in VALUES if name not in ("float16", "all sizes")])
def test_hum_ties_sums_that_differ_by_less_than_a_trillionth_of_the_scores(name):
    """Decimal scores tie as they are meant to; the price is that 1 and the next float tie, too."""
    sample = drawn(name, 3, copies=4)
    assert sample.value(registry["hum"]) == pytest.approx(
        sample.twin(registry["hum"]), rel=0, abs=2 * exact.UNIT
    )


@pytest.mark.parametrize("K", [2, 3, 4])
@pytest.mark.parametrize("huge", [-1e30, 1e30, -1e300])
def test_hum_with_masked_scores(K, huge):
    """Scores of −1e30 tie nothing: any other size that is as hopeless gives the same value."""
    rng = np.random.default_rng(K)
    y, p = np.arange(5 * K) % K, rng.integers(0, 11, (5 * K, K)) / 10
    own = np.eye(K, dtype=bool)[y]
    whole = np.rint(10 * p)
    for share in (0, 0.3):  # one, or many: of other classes if hopeless, else of the own
        masked = (rng.random(p.shape) < share) & (own if huge > 0 else ~own)
        masked[K, 0 if huge > 0 else 1] = True
        p[masked], whole[masked] = huge, np.sign(huge) * 1000
        expected = Sample(y, whole).twin(registry["hum"])
        assert polyroc.hum(y, p) == pytest.approx(expected, rel=0, abs=1e-12)
        assert polyroc.hum(y, p[:, ::-1], labels=list(range(K))[::-1]) == pytest.approx(expected)


def test_hum_of_scores_1e_300_apart():
    """The scale is that of the scores: nothing ties that small."""
    p = np.eye(3) * 1e-300
    assert polyroc.hum([0, 1, 2], p) == 1
    assert polyroc.hum([0, 1, 2], 1 + p) == pytest.approx(1 / 6)


def test_scores_that_tie_once_they_are_rounded_to_float32():
    """1/2 and the next float64 are one float32: the scores that were passed are those compared."""
    y, scores = [0, 1], np.array([0.5, np.nextafter(0.5, 1)])
    assert polyroc.roc_auc(y, scores) == 1
    assert polyroc.roc_auc(y, scores.astype(np.float32)) == 0.5


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_zeros_of_both_signs_are_equal(zero):
    y = np.tile([0, 1], 2500)  # looked up, packed, sorted
    scores = np.where(y == 1, zero, -zero)
    for cases in (slice(0, 4), slice(None)):
        assert polyroc.roc_auc(y[cases], scores[cases]) == 0.5
        assert polyroc.roc_auc(y[cases], scores[cases], ties="strict") == 0
        assert polyroc.auc_mu(y[cases], np.column_stack([-scores, scores])[cases]) == 0.5


def test_two_columns_whose_sum_is_beyond_the_largest_float() -> None:
    """The default metrics of two classes depend on whether rows have one sum: these do not."""
    y = np.array([0, 1] * 10)
    found = polyroc.evaluate(y, np.full((20, 2), 1.5e308))
    assert found["hand_till"].value == 0.5
    assert list(found) == list(polyroc.evaluate(y, np.c_[y, 2 * y] / 1.0))
