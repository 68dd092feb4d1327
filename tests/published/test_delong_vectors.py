"""AUC, DeLong variances and covariances, and the multi-class AUC of one marker by pROC on aSAH."""

import itertools

import numpy as np
import pytest

from polyroc import Predictions, registry, roc_auc

MARKERS = ("wfns", "ndka", "s100b")


@pytest.fixture
def bleeding(vector):
    return vector("proc_aSAH")


@pytest.fixture
def influences(bleeding):
    """Influence values of each marker's AUC, and the codes of the outcome."""
    made = {m: Predictions(bleeding["outcome"], bleeding[m]) for m in MARKERS}
    values = {m: registry["roc_auc"].influence(made[m]).cases for m in MARKERS}
    return values, made["wfns"].codes


def covariance(influences, first, second):
    values, codes = influences
    parts = [(values[first][codes == k], values[second][codes == k]) for k in (0, 1)]
    return sum(a @ b / (len(a) - 1) / len(a) for a, b in parts)


@pytest.mark.parametrize(
    ("marker", "published"),
    [
        ("wfns", 0.823678861788618),
        ("ndka", 0.611957994579946),
        ("s100b", 0.731368563685637),
    ],
)
def test_auc(bleeding, marker, published):
    assert roc_auc(bleeding["outcome"], bleeding[marker]) == pytest.approx(published, abs=1e-14)


@pytest.mark.parametrize(
    ("marker", "published"),
    [
        ("wfns", 0.00146991470882363),
        ("ndka", 0.0031908105493913),
        ("s100b", 0.00266868245717244),
    ],
)
def test_delong_variance(influences, marker, published):
    assert covariance(influences, marker, marker) == pytest.approx(published, rel=1e-12)


@pytest.mark.parametrize(
    ("first", "second", "published"),
    [
        ("wfns", "ndka", -0.000532967856762438),
        ("ndka", "s100b", -0.000756164938056579),
        ("s100b", "wfns", 0.00119615567376754),
    ],
)
def test_delong_covariance(influences, first, second, published):
    assert covariance(influences, first, second) == pytest.approx(published, rel=1e-12)


@pytest.mark.parametrize(
    ("first", "second", "published"),
    [
        ("wfns", "s100b", 2.20898359144091),
        ("wfns", "ndka", 2.79777591868904),
        ("ndka", "s100b", -1.39077002573558),
    ],
)
def test_paired_delong_statistic(bleeding, influences, first, second, published):
    difference = np.subtract(*(roc_auc(bleeding["outcome"], bleeding[m]) for m in (first, second)))
    variance = (
        covariance(influences, first, first)
        + covariance(influences, second, second)
        - 2 * covariance(influences, first, second)
    )
    assert difference / np.sqrt(variance) == pytest.approx(published, rel=1e-12)


def test_unpaired_delong_statistic(bleeding, influences):
    """pROC's unpaired test of the same two curves: the statistic D, without the covariance."""
    difference = np.subtract(
        *(roc_auc(bleeding["outcome"], bleeding[m]) for m in ("wfns", "s100b"))
    )
    variance = sum(covariance(influences, m, m) for m in ("wfns", "s100b"))
    assert difference / np.sqrt(variance) == pytest.approx(1.43490640926908, rel=1e-12)


def pairwise(table):
    """AUC of s100b for each pair of levels of gos6 that occur, the higher level positive."""
    for low, high in itertools.combinations(sorted(table["gos6"].unique()), 2):
        part = table[table["gos6"].isin([low, high])]
        yield low, high, roc_auc(part["gos6"], part["s100b"])


def test_multi_class_auc_of_one_marker(bleeding):
    assert sorted(bleeding["gos6"].unique()) == [1, 3, 4, 5]  # level 2 is empty
    upward = [auc for _, _, auc in pairwise(bleeding)]
    assert np.mean(upward) == pytest.approx(0.3487473175, abs=5e-11)
    assert 1 - np.mean(upward) == pytest.approx(0.6512526825, abs=5e-11)


def test_multi_class_auc_of_one_marker_with_directions_by_medians(bleeding):
    medians = bleeding.groupby("gos6")["s100b"].median()
    directed = [
        auc if medians[low] <= medians[high] else 1 - auc for low, high, auc in pairwise(bleeding)
    ]
    assert np.mean(directed) == pytest.approx(0.6539999352, abs=5e-11)
