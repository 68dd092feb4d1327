"""Paired permutation tests against all 2ⁿ exchanges of a few cases."""

import math
from itertools import product

import numpy as np
import pytest

from polyroc import Permutation, Predictions, compare, registry
from polyroc.metrics.declaration import Property

rng = np.random.default_rng(3)
Y = np.array([0, 0, 1, 1, 2, 2, 2])
A = rng.dirichlet(np.ones(3), len(Y))
A[np.arange(len(Y)), Y] += 0.5
A = np.round(16 * A / A.sum(axis=1, keepdims=True)) / 16
A[:, 0] += 1 - A.sum(axis=1)
B = np.roll(A, 2, axis=0)
MODELS = {"a": A, "b": B}
NAMES = [name for name in registry if 3 in registry[name].classes]
N = 1000


def permuted(names=NAMES, n_replicates=N, models=MODELS, y=Y, seed=9, n_threads=None, **options):
    given = {"sample_weight": options.pop("sample_weight", None), "n_threads": n_threads}
    models = {name: Predictions(y, p, **given) for name, p in models.items()}
    return compare(models, metrics=names, method=Permutation(n_replicates, seed), **options)


def ranks(p: np.ndarray) -> np.ndarray:
    """Of each column, ties sharing theirs: how many are below, and half of those level."""
    return np.array(
        [[sum(p[:, k] < x) + sum(p[:, k] == x) / 2 for k, x in enumerate(row)] for row in p]
    )


def exact_p_value(name: str, units: np.ndarray, w: np.ndarray | None = None) -> float:
    """Share of all exchanges of units that differ at least as much as the models do."""
    metric = registry[name]
    on_ranks = Property.COLUMN_MONOTONE in metric.properties
    a, b = (ranks(A), ranks(B)) if on_ranks else (A, B)

    def difference(swapped: np.ndarray) -> float:
        first, second = np.where(swapped[:, None], b, a), np.where(swapped[:, None], a, b)
        return metric.function(Y, first, sample_weight=w) - metric.function(
            Y, second, sample_weight=w
        )

    observed = abs(difference(np.zeros(len(Y), bool)))
    all_swaps = product([False, True], repeat=int(units.max()) + 1)
    reached = [abs(difference(np.array(s)[units])) >= observed - 1e-12 for s in all_swaps]
    return float(np.mean(reached))


def assert_near(p_value: float, exact: float, n_replicates: int = N) -> None:
    """(1 + r)/(1 + n) within four standard errors of the share of all exchanges."""
    spread = math.sqrt(exact * (1 - exact) / n_replicates)
    assert abs(p_value - exact) <= 4 * spread + 1 / (1 + n_replicates)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("units", "w"),
    [
        (np.arange(len(Y)), None),
        (np.arange(len(Y)), np.array([1, 2, 0.5, 1, 3, 1, 1.5])),
        (np.array([0, 0, 1, 1, 2, 2, 3]), None),
    ],
    ids=["cases", "weights", "groups exchanged together"],
)
def test_all_exchanges(units, w):
    groups = None if len(set(units)) == len(Y) else units
    for row in permuted(n_replicates=400, sample_weight=w, groups=groups).differences:
        assert_near(row.p_value, exact_p_value(row.metric, units, w), 400)


def test_one_group():
    """Both exchanges of everything differ as much as the models do."""
    for row in permuted(n_replicates=50, groups=np.zeros(len(Y), int)).differences:
        assert row.p_value == 1


def test_identical_models():
    for row in permuted(models={"a": A, "b": A}, n_replicates=50).differences:
        assert row.difference == 0
        assert row.p_value == row.p_adjusted == 1


def test_counts_itself():
    """p is (1 + r)/(1 + n), never 0."""
    y = np.repeat([0, 1], 40)
    good = np.where(y == 1, 0.9, 0.1) + np.linspace(0, 0.05, 80)
    bad = np.random.default_rng(0).random(80)
    (row,) = permuted(["roc_auc"], 99, {"good": good, "bad": bad}, y).differences
    assert row.p_value == 1 / 100


def test_no_standard_error():
    for row in permuted(n_replicates=20).differences:
        assert math.isnan(row.standard_error)
        assert "no standard error" in row.note
        assert all(math.isnan(limit) for limit in row.interval()[:2])


def test_seed():
    made = permuted(["hand_till"], 40, seed=None)
    again = permuted(["hand_till"], 40, seed=made.settings["seed"])
    assert made.frame().equals(again.frame())
    assert made.settings["n_replicates"] == 40


def test_batches_and_threads(monkeypatch):
    expected = permuted(n_replicates=20).frame()
    for batch, n_threads in ((1, 1), (7, 2), (1000, 3)):
        monkeypatch.setattr("polyroc.inference._permutation.BATCH", batch)
        assert permuted(n_replicates=20, n_threads=n_threads).frame().equals(expected)


def test_three_models():
    """Each pair as if it were alone, with Holm's adjustment."""
    third = {**MODELS, "c": np.roll(A, 4, axis=0)}
    together = permuted(["hand_till"], 100, third).differences
    for row in together:
        pair = {name: third[name] for name in (row.model_a, row.model_b)}
        (alone,) = permuted(["hand_till"], 100, pair).differences
        assert row.p_value == alone.p_value <= row.p_adjusted


def test_does_not_depend_on_the_metrics_asked_for():
    together = {row.metric: row.p_value for row in permuted(n_replicates=30).differences}
    for name in NAMES:
        (alone,) = permuted([name], 30).differences
        assert alone.p_value == together[name]


@pytest.mark.slow
def test_uniform_under_the_null():
    from scipy.stats import kstest

    generator, p_values = np.random.default_rng(1), []
    y = np.repeat([0, 1, 2], 20)
    for seed in range(400):
        x = generator.normal(size=(60, 3)) + np.eye(3)[y]
        models = {m: x + 0.7 * generator.normal(size=(60, 3)) for m in "ab"}
        made = compare(y, models, ["hand_till"], method=Permutation(199, seed))
        p_values.append(made.differences[0].p_value)
    assert kstest(p_values, "uniform").pvalue > 0.001


def test_calibration_does_not_matter_to_metrics_of_ranks():
    """Cubed scores have the same ranks, so the same p-values; on another scale power was lost."""
    generator = np.random.default_rng(2)
    y = np.repeat([0, 1, 2], 15)
    x = generator.normal(size=(45, 3))
    models = {
        "a": x + 2.5 * np.eye(3)[y],
        "b": x + 0.5 * np.eye(3)[y] + generator.normal(size=x.shape),
    }
    bent = {"a": np.exp(models["a"]), "b": 1e-3 * models["b"]}
    names = ["hand_till", "aunp", "pdi"]
    one, other = (
        compare(y, each, names, method=Permutation(199, 1)).differences for each in (models, bent)
    )
    for first, second in zip(one, other, strict=True):
        assert first.p_value == second.p_value <= 0.05


def test_metrics_that_do_not_exist_have_no_test_and_say_why():
    """Also where none of them exists, or none is asked for."""
    y, rng = np.arange(30) % 3, np.random.default_rng(0)
    models = {"a": rng.uniform(size=(30, 3)), "b": rng.uniform(size=(30, 3))}
    (row,) = compare(y, models, ["roc_auc"], method="permutation").differences
    assert np.isnan(row.p_value)
    assert "2 classes" in row.note
    assert not compare(y, models, [], method="permutation").differences
