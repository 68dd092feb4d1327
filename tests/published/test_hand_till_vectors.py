"""Numbers of HandTill2001, yardstick, scikit-learn and the reference AUC_mu (vectors' notes)."""

import numpy as np
import pytest

from polyroc import (
    au1p,
    auc_mu,
    aunp,
    aunu,
    hand_till,
    hand_till_probabilistic,
    hand_till_scored,
    roc_auc,
)

HPC = ["VF", "F", "M", "L"]


@pytest.fixture
def glass(vector):
    table = vector("ht01_multipleclass")
    return table["observed"], table.drop(columns="observed")


@pytest.fixture
def hpc(vector):
    return vector("yardstick_hpc_cv")


@pytest.mark.parametrize(
    ("function", "published"),
    [
        (hand_till, 0.947211779448622),
        (au1p, 0.9330672497235641),
        (aunu, 0.9405392666082052),
        (aunp, 0.9192317104902167),
        (auc_mu, 0.960358466575238),
        (hand_till_probabilistic, 0.792791096368146),
        (hand_till_scored, 0.5920719842304119),
    ],
)
def test_ht01_multipleclass(glass, function, published):
    assert function(*glass) == pytest.approx(published, abs=1e-14)


def test_ht01_multipleclass_one_vs_rest_micro(glass):
    y, p = glass
    indicator = (y.to_numpy()[:, None] == p.columns.to_numpy()).ravel()
    assert roc_auc(indicator, p.to_numpy().ravel()) == pytest.approx(0.9606690540658572, abs=1e-14)


def test_ht01_multipleclass_with_a_partition_matrix(glass, vector):
    costs = vector("ht01_multipleclass.partition_matrix", header=None).to_numpy()
    assert auc_mu(*glass, partition=costs) == pytest.approx(0.9480779173319472, abs=1e-13)


def test_ht01_multipleclass_with_pairs_weighted_by_their_cases(glass):
    y, p = glass
    counts = y.value_counts()[list(p.columns)].to_numpy()
    lower = np.tril(np.outer(counts, counts), -1)
    for weights in (lower, lower.T, np.outer(counts, counts), lower / lower.sum()):
        assert auc_mu(y, p, pair_weights=weights) == pytest.approx(0.9295791345583876, abs=1e-14)


def test_ht01_twoclass(vector):
    table = vector("ht01_twoclass")
    auc = roc_auc(table["observed"], table["predicted"])
    assert auc == pytest.approx(0.802607561929596, abs=1e-14)
    assert hand_till(table["observed"], table["predicted"]) == pytest.approx(auc, abs=1e-15)


@pytest.mark.parametrize(
    ("function", "published"),
    [
        (hand_till, 0.8288674724037483),
        (aunu, 0.8692636277122696),
        (aunp, 0.8683178673528015),
        (auc_mu, 0.8275692284364611),
        (au1p, 0.8606910909362718),
    ],
)
def test_hpc_cv(hpc, function, published):
    assert function(hpc["obs"], hpc[HPC]) == pytest.approx(published, abs=1e-14)


@pytest.mark.parametrize(
    ("function", "published"),
    [
        (aunu, 0.8681372604961263),
        (aunp, 0.8643468830399875),
        (hand_till, 0.8329885024059763),
    ],
)
def test_hpc_cv_case_weighted(hpc, function, published):
    value = function(hpc["obs"], hpc[HPC], sample_weight=hpc["weight"])
    assert value == pytest.approx(published, abs=1e-13)


def test_hpc_cv_folds_06_to_10(hpc):
    half = hpc[hpc["Resample"] >= "Fold06"]
    assert hand_till(half["obs"], half[HPC]) == pytest.approx(0.827387699597311, abs=1e-14)
    rest = half.iloc[10:]  # yardstick sets the first 10 values of VF to NA and drops those cases
    assert hand_till(rest["obs"], rest[HPC]) == pytest.approx(0.82746116, abs=5e-9)


def test_hpc_cv_columns_in_another_order(hpc):
    shuffled = hpc[["L", "F", "VF", "M"]]
    assert hand_till(hpc["obs"], shuffled) == pytest.approx(0.8288674724037483, abs=1e-14)
    array = hpc[HPC].to_numpy()
    assert hand_till(hpc["obs"], array, labels=HPC) == hand_till(hpc["obs"], hpc[HPC])
