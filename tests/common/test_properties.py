"""Every declared property holds on generated data; every other one has a counterexample."""

from __future__ import annotations

from inspect import signature

import numpy as np
import pytest
from common.samples import METRICS, Sample, class_numbers, grid_probabilities, sample_for

from polyroc import registry
from polyroc.errors import NotDefined
from polyroc.metrics.declaration import Metric, Property

SEEDS = range(40)
KINDS = ["fine", "coarse"]
DECLARED = [(m.name, p) for m in METRICS for p in Property if p in m.properties]
DENIED = [(m.name, p) for m in METRICS for p in Property if p not in m.properties]
OF_SCORES = {Property.ROW_SHIFT, Property.COMMON_SCALE}
"""Changes after which rows are no probabilities any more."""


def right_argmax(metric: Metric, K: int, seed: int) -> Sample:
    """Rows of probabilities whose only highest entry is that of the true class."""
    rng = np.random.default_rng([seed, K])
    rows = grid_probabilities(rng, 200, K)
    rows = rows[(rows == rows.max(axis=1, keepdims=True)).sum(axis=1) == 1][: 3 * K]
    y = np.tile(np.arange(K), 3)[: len(rows)]
    best = rows.argmax(axis=1)
    cases = np.arange(len(rows))
    own, top = rows[cases, y], rows[cases, best]
    rows[cases, best], rows[cases, y] = own, top
    return Sample(y, rows)


def replicated(sample: Sample, seed: int) -> Sample:
    """All cases of one class several times."""
    times = np.where(sample.y == seed % sample.n_classes, 4, 1)
    return sample.take(np.repeat(np.arange(len(sample.y)), times))


def column_transformed(sample: Sample, metric: Metric, seed: int) -> Sample:
    """Each column by an increasing function of its own; rows of probabilities stay such.

    Probabilities are moved half-way to one fixed row, which is increasing in every column.
    """
    rng = np.random.default_rng(seed)
    if metric.needs_probabilities:
        fixed = grid_probabilities(rng, 1, sample.n_classes)
        return sample.with_scores((sample.p + fixed) / 2)
    cubed = sample.p**3 + rng.integers(1, 9, sample.n_classes) * sample.p
    return sample.with_scores(cubed + rng.integers(-3, 4, sample.n_classes))


def row_shifted(sample: Sample, seed: int) -> Sample:
    shift = np.random.default_rng(seed).integers(-16, 17, (len(sample.y), 1)) / 4
    return sample.with_scores(sample.p + shift)


def scaled(sample: Sample, seed: int) -> Sample:
    return sample.with_scores(sample.p * (0.5, 3, 1024, 1 / 4096)[seed % 4])


def change(prop: Property, metric: Metric, K: int, seed: int) -> tuple[float, float]:
    """The value that the property promises, and the value found."""
    if prop is Property.PERFECT_ARGMAX:
        return metric.highest, right_argmax(metric, K, seed).value(metric)
    sample = sample_for(metric, K, seed, kind=KINDS[seed % 2], weighted=seed % 3 == 0)
    changed = {
        Property.SKEW: lambda: replicated(sample, seed),
        Property.COLUMN_MONOTONE: lambda: column_transformed(sample, metric, seed),
        Property.ROW_SHIFT: lambda: row_shifted(sample, seed),
        Property.COMMON_SCALE: lambda: scaled(sample, seed),
    }[prop]()
    return sample.value(metric), changed.value(metric)


@pytest.mark.parametrize(("name", "prop"), DECLARED, ids=str)
def test_declared(name, prop):
    metric = registry[name]
    for K in class_numbers(metric, 4):
        for seed in SEEDS[:12]:
            promised, found = change(prop, metric, K, seed)
            assert found == pytest.approx(promised, rel=0, abs=1e-12), (K, seed)


def counterexample(prop: Property, metric: Metric) -> tuple[int, int] | None:
    for K in class_numbers(metric, 4):
        for seed in SEEDS:
            promised, found = change(prop, metric, K, seed)
            if abs(promised - found) > 1e-6:
                return K, seed
    return None


@pytest.mark.parametrize(("name", "prop"), DENIED, ids=str)
def test_denied(name, prop):
    metric = registry[name]
    if metric.needs_probabilities and prop in OF_SCORES:
        with pytest.raises(NotDefined, match=f"^{name} needs probabilities, but row "):
            change(prop, metric, class_numbers(metric)[0], 1)
        return
    assert counterexample(prop, metric) is not None


@pytest.mark.parametrize("ties", ["fair", "strict", "lenient"])
def test_a_right_argmax_leaves_no_ties_to_credit(ties):
    for metric in METRICS:
        if Property.PERFECT_ARGMAX in metric.properties:
            for K in class_numbers(metric, 4):
                options = {"ties": ties} if "ties" in signature(metric.function).parameters else {}
                value = right_argmax(metric, K, 1).value(metric, **options)
                assert value == pytest.approx(metric.highest, rel=0, abs=1e-12)
