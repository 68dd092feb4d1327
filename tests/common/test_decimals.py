"""Scores written with decimals or as counts are the same scores, by every route to AUC_mu."""

from __future__ import annotations

import numpy as np
import pytest

import polyroc
from polyroc import Predictions, auc_mu
from polyroc.scale import PairSummary, evaluate_parquet
from polyroc.statistics.margins import Margins
from polyroc.statistics.resampled import ResampledPairs

THREE = [[0.3, 0.1, 0.6], [0.5, 0.3, 0.2], [0.05, 0.05, 0.9]]


def counts(n, K, parts, seed=0):
    """Classes and rows of whole numbers that sum to ``parts``, the true class somewhat ahead."""
    rng = np.random.default_rng([seed, K, parts])
    y = np.arange(n) % K
    weights = rng.dirichlet(np.full(K, 0.6), n)
    weights[np.arange(n), y] += 0.3
    weights /= weights.sum(axis=1, keepdims=True)
    return y, np.stack([rng.multinomial(parts, row) for row in weights])


def test_three_cases_by_hand():
    """.3 − .1 equals .5 − .3: of three pairs of classes one is tied, two are in order."""
    assert auc_mu([0, 1, 2], THREE) == pytest.approx(5 / 6, abs=1e-15)
    assert auc_mu([0, 1, 2], THREE, partition=1 - np.eye(3)) == pytest.approx(5 / 6, abs=1e-15)


def test_votes_of_ten_neighbours():
    from sklearn.datasets import load_wine
    from sklearn.model_selection import cross_val_predict
    from sklearn.neighbors import KNeighborsClassifier

    X, y = load_wine(return_X_y=True)
    p = cross_val_predict(KNeighborsClassifier(10), X, y, method="predict_proba")
    assert auc_mu(y, p) == auc_mu(y, np.rint(10 * p)) == pytest.approx(0.8813061987745683)


PARTITION = [[0, 0.3, 0.1], [0.7, 0, 0.2], [0.4, 0.6, 0]]


@pytest.mark.parametrize("parts", [7, 10, 100, 1000])
def test_every_route_to_auc_mu(parts, tmp_path):
    """In memory by look-up, sorting and merging, with weights, influence, bootstrap, summaries."""
    for n, K in ((60, 2), (300, 3), (40_000, 3), (500, 25)):
        y, whole = counts(n, K, parts)
        p, w = whole / parts, 1.0 + np.arange(n) % 3
        assert auc_mu(y, p) == auc_mu(y, whole)
        if n < 1000:
            assert auc_mu(y, p, sample_weight=w) == auc_mu(y, whole, sample_weight=w)
    y, whole = counts(300, 3, parts)
    p = whole / parts
    costs = (100 * np.array(PARTITION)).round()
    assert auc_mu(y, p, partition=PARTITION) == auc_mu(y, whole, partition=costs)
    decimal, exact = (polyroc.evaluate(y, each, ["auc_mu"])["auc_mu"] for each in (p, whole))
    assert decimal.standard_error == exact.standard_error
    weights = np.random.default_rng(1).integers(0, 4, (3, 300))
    both = [
        ResampledPairs(Predictions(y, each), means=False).replicates(weights) for each in (p, whole)
    ]
    np.testing.assert_array_equal(both[0].margin_tied, both[1].margin_tied)
    np.testing.assert_array_equal(both[0].margin_above, both[1].margin_above)
    check_summaries(y, p, auc_mu(y, whole), tmp_path)


def check_summaries(y, p, value, folder):
    import pandas as pd

    summary = PairSummary([0, 1, 2], auc_mu=True)
    for rows in np.array_split(np.arange(len(y)), 4):
        summary.merge(PairSummary([0, 1, 2], auc_mu=True).update(y[rows], p[rows]))
    again = PairSummary.from_bytes(summary.to_bytes())
    for each in (summary, again):
        bounds = each.compute(["auc_mu"])["auc_mu"]
        assert bounds.low <= value <= bounds.high
        assert bounds.width < 1e-12
    pd.DataFrame({"y": y, "0": p[:, 0], "1": p[:, 1], "2": p[:, 2]}).to_parquet(
        folder / "p.parquet"
    )
    found = evaluate_parquet(folder / "p.parquet", target="y", metrics=["auc_mu"], exact=True)[
        "auc_mu"
    ]
    assert found.low == found.high == pytest.approx(value, abs=1e-15)


def test_close_margins_in_summaries(tmp_path):
    """Margins about one slack apart, also across bins: bounds contain the value, exact is it."""
    rng = np.random.default_rng(5)
    near = [1, 1 - 2.0**-41, 1 - 2.0**-40, 1 - 2.0**-39, 0.5, 0.5 + 2.0**-41, 0, 1e-13, 2e-13, -1e9]
    for compiled in (False, True):
        y, p = np.arange(240) % 3, rng.choice(near, (240, 3))
        summary = PairSummary([0, 1, 2], auc_mu=True)
        summary._compiled = compiled
        for ties in ("fair", "strict", "lenient"):
            value = auc_mu(y, p, ties=ties)
            bounds = summary.reset().update(y, p).compute(["auc_mu"], ties=ties)["auc_mu"]
            assert bounds.low <= value <= bounds.high


@pytest.mark.parametrize("K", [3, 25])
def test_masked_scores_tie_nothing_else(K):
    """A score of −1e30, or two in one row, leaves every comparison of other cases as it is."""

    def sums(y, p):
        margins = Margins.of(Predictions(y, p))
        return margins.above, margins.tied

    y, whole = counts(20 * K, K, 10)
    p = whole / 10
    above, tied = sums(y, p)
    masked = p.copy()
    masked[K, 1], masked[2 * K, 1:3] = -1e30, -1e30  # two cases of class 0
    kept = np.ones(len(y), dtype=bool)
    kept[[K, 2 * K]] = False
    without = sums(y[kept], p[kept])
    found = sums(y, masked)
    others = np.ix_(range(1, K), range(1, K))
    np.testing.assert_array_equal(found[0][others], above[others])
    np.testing.assert_array_equal(found[1][others], tied[others])
    n = (y == 1).sum()
    for total, fewer in zip(found, without, strict=True):
        assert (total[0, 1:] - fewer[0, 1:] >= 0).all()
        assert (total[0, 1:] - fewer[0, 1:] <= 2 * n).all()
