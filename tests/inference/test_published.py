"""Numbers of other packages: DeLong's tests by pROC on aSAH, PDI's standard error by mcca on iris.

pROC 1.19 (GPL ≥ 3), tests/testthat; mcca 0.8.2 (GPL), man/pdi.Rd. The data stay outside the
repository, in a folder beside it.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from polyroc import Predictions, compare, evaluate, registry
from polyroc.inference._influence import CaseDesign, covariance

VECTORS = Path(__file__).parents[2] / ".." / "shared" / "vectors"
EXACT = 1e-9
MARKERS = ("wfns", "ndka", "s100b")


def table(name: str) -> pd.DataFrame:
    path = VECTORS / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"the public test vectors are not at {VECTORS.resolve()}")
    return pd.read_csv(path)


@pytest.fixture(scope="module")
def bleeding():
    return table("proc_aSAH")


@pytest.fixture(scope="module")
def markers(bleeding):
    return {name: bleeding[name].to_numpy(float) for name in MARKERS}


@pytest.mark.parametrize(
    ("marker", "variance"),
    [
        ("wfns", 0.00146991470882363),
        ("ndka", 0.0031908105493913),
        ("s100b", 0.00266868245717244),
    ],
)
@pytest.mark.parametrize("metric", ["roc_auc", "hand_till", "aunu", "auc_mu"])
def test_delong_variance(bleeding, markers, marker, variance, metric):
    """Two classes, no other column: every rank metric is the AUC."""
    found = evaluate(bleeding["outcome"], markers[marker], [metric])[metric]
    assert found.standard_error**2 == pytest.approx(variance, abs=EXACT, rel=EXACT)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("wfns", "ndka", -0.000532967856762438),
        ("ndka", "s100b", -0.000756164938056579),
        ("s100b", "wfns", 0.00119615567376754),
    ],
)
def test_delong_covariance(bleeding, markers, first, second, expected):
    made = [Predictions(bleeding["outcome"], markers[name]) for name in (first, second)]
    influences = [registry["roc_auc"].influence(each) for each in made]
    found = covariance(made[0], influences, CaseDesign())
    assert found[0, 1] == pytest.approx(expected, abs=EXACT, rel=EXACT)
    assert found[0, 1] == found[1, 0]


def test_interval_of_one_marker(bleeding, markers):
    found = evaluate(bleeding["outcome"], markers["ndka"], ["roc_auc"])["roc_auc"]
    low, high, *_ = found.interval(0.95, scale="plain", small_sample=False)
    assert low == pytest.approx(0.501244999271703, abs=EXACT)
    assert high == pytest.approx(0.722670989888189, abs=EXACT)


@pytest.mark.parametrize(
    ("first", "second", "z", "p"),
    [
        ("wfns", "s100b", 2.20898359144091, 0.0271757822291882),
        ("wfns", "ndka", 2.79777591868904, 0.00514557970691098),
        ("ndka", "s100b", -1.39077002573558, 0.164295175223054),
    ],
)
def test_paired_test(bleeding, markers, first, second, z, p):
    pair = {name: markers[name] for name in (first, second)}
    (found,) = compare(bleeding["outcome"], pair, ["roc_auc"], reference="normal").differences
    assert found.difference / found.standard_error == pytest.approx(z, abs=EXACT)
    assert found.p_value == pytest.approx(p, abs=EXACT)


def test_interval_of_a_difference(bleeding, markers):
    pair = {name: markers[name] for name in ("wfns", "s100b")}
    (row,) = (
        compare(bleeding["outcome"], pair, ["roc_auc"], reference="normal").frame().itertuples()
    )
    assert row.low == pytest.approx(0.0104061769564846, abs=EXACT)
    assert row.high == pytest.approx(0.174214419249478, abs=EXACT)


def test_all_three_at_once(bleeding, markers):
    """The pairs do not depend on which other models are compared."""
    together = compare(bleeding["outcome"], markers, ["roc_auc"], reference="normal").differences
    for row in together:
        pair = {name: markers[name] for name in (row.model_a, row.model_b)}
        (alone,) = compare(bleeding["outcome"], pair, ["roc_auc"], reference="normal").differences
        assert row.p_value == pytest.approx(alone.p_value, rel=1e-12)
        assert alone.p_value <= row.p_adjusted <= 1


def test_unpaired_test(bleeding, markers):
    outcome = bleeding["outcome"]
    pair = {name: markers[name] for name in ("wfns", "s100b")}
    (found,) = compare(
        dict.fromkeys(pair, outcome), pair, ["roc_auc"], reference="normal"
    ).differences
    assert found.difference / found.standard_error == pytest.approx(1.43490640926908, abs=EXACT)


def test_unpaired_p_value(bleeding, markers):
    """pROC prints the p-value of a t test with Welch's degrees of freedom; ours is the normal one.

    With its degrees of freedom the same statistic gives its p-value.
    """
    from scipy.stats import t

    outcome = bleeding["outcome"]
    pair = {name: markers[name] for name in ("wfns", "s100b")}
    (found,) = compare(
        dict.fromkeys(pair, outcome), pair, ["roc_auc"], reference="normal"
    ).differences
    variances = [0.00146991470882363, 0.00266868245717244]
    n = len(outcome)
    freedom = sum(variances) ** 2 / sum(v**2 / (n - 1) for v in variances)
    statistic = found.difference / found.standard_error
    assert 2 * t.sf(statistic, freedom) == pytest.approx(0.152825378808796, abs=EXACT)
    assert found.p_value == pytest.approx(0.152825378808796, abs=EXACT)


def test_pdi_of_iris():
    """mcca divides by n; the jackknife, and DeLong, by n − 1."""
    iris = table("mcca_iris_petal_length")
    scores = iris[["setosa", "versicolor", "virginica"]].to_numpy()
    found = evaluate(iris["label"], scores, ["pdi"])["pdi"]
    assert found.value == pytest.approx(0.9881333333, abs=5e-11)
    assert found.standard_error == pytest.approx(0.0065057588, abs=5e-11)
    by_n = found.standard_error * np.sqrt(49 / 50)
    assert by_n == pytest.approx(0.006440373, abs=5e-10)
    assert found.value - 1.959963985 * by_n == pytest.approx(0.9755104, abs=5e-8)
