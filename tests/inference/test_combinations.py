"""Features together: slices with groups, folds with a bootstrap, and what each result then says."""

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest

from polyroc import Bootstrap, Permutation, compare, estimate, evaluate, evaluate_pairs
from polyroc._base.adjustment import holm_adjusted
from polyroc.datasets import example_predictions
from polyroc.errors import InvalidInput
from polyroc.inference._reader_study.analysis import RANDOM, Analysis
from polyroc.results import Estimate
from polyroc.utility import compare_costs

y, models, labels = example_predictions()
SITE = np.array(["north", "south", "west"])[np.arange(len(y)) % 3]


def test_slices_of_the_same_patients_with_the_same_scores_do_not_vary() -> None:
    """The variance of their difference is the rounding of two that cancel."""
    rng, n = np.random.default_rng(0), 61
    truth = rng.integers(0, 3, n)
    two = {name: rng.dirichlet(np.ones(3), n) for name in "ab"}
    for weight, n_slices in product((np.ones(n), rng.random(n)), (2, 3, 4)):
        case = np.concatenate([rng.permutation(n) for _ in range(n_slices)])
        given = {"groups": case, "by": {"eye": np.repeat(list("wxyz")[:n_slices], n)}}
        given["sample_weight"] = weight[case]
        metrics = ["hand_till", "pdi", "auc_mu"]
        one = evaluate(truth[case], two["a"][case], metrics, **given)
        apart = one.against_rest()
        assert apart["difference"].abs().max() < 1e-12
        assert apart["standard_error"].isna().all() and apart["p_value"].isna().all()
        assert (apart["note"] == "no standard error: the slices do not vary").all()
        assert (one.tests()["note"] == "no test: slices do not vary").all()
        both = compare(truth[case], {k: s[case] for k, s in two.items()}, metrics, **given)
        assert (both.interactions()["note"] == "no test: slices do not vary").all()


def test_a_slice_where_all_cases_agree_has_the_variance_of_its_effective_size() -> None:
    """Also where rounding makes the contributions of its cases other than 0."""
    rng, n = np.random.default_rng(0), 61
    truth, half = rng.integers(0, 3, n), rng.choice(["p", "q"], n)
    perfect = np.eye(3)[truth] * 0.5 + 0.1 * rng.random((n, 3))
    scores = np.where((half == "p")[:, None], perfect, rng.dirichlet(np.ones(3), n))
    groups = rng.integers(0, 20, n)
    for weight in (None, rng.random(n)):
        found = evaluate(
            truth,
            scores,
            ["hand_till", "pdi", "aunp", "au1p", "auc_mu"],
            by={"half": half},
            groups=groups,
            sample_weight=weight,
        )
        for row in found.against_rest().itertuples():
            edge, other = (found.slices["half"][name][row.metric] for name in "pq")
            assert math.isnan(edge.standard_error) and edge.effective is not None
            mean = (edge.value + other.value) / 2
            variance = mean * (1 - mean) / edge.effective.size + other.standard_error**2
            assert row.standard_error == pytest.approx(math.sqrt(variance), rel=1e-9), row.metric


def test_slices_whose_errors_differ_by_far_are_tested() -> None:
    """Two have errors of 1e-9, one has 0.1, whichever comes last."""
    rng, n = np.random.default_rng(1), 40
    truth = np.tile([0, 1], 3 * n // 2)
    place = np.repeat(np.arange(3), n)
    for last in range(3):
        spread = np.where(place == last, 0.3, 1e-9)
        score = np.clip(0.1 + 0.8 * truth + spread * rng.normal(size=3 * n), 0, 1)
        found = evaluate(truth, score, ["probabilistic_auc"], by={"place": place})
        test = found.alike[0]
        errors = [each["probabilistic_auc"] for each in found.slices["place"].values()]
        values = np.array([each.value for each in errors])
        weights = 1 / np.array([each.standard_error for each in errors]) ** 2
        mean = weights @ values / weights.sum()
        squared = weights @ (values - mean) ** 2
        freedom = np.array([each.degrees_of_freedom for each in errors])
        doubt = np.sum((1 - weights / weights.sum()) ** 2 / freedom)
        welch = squared / (2 + 2 * doubt - 6 * doubt / 4)
        assert test.note == "" and test.statistic == pytest.approx(welch, rel=1e-4)


def test_adjusting_over_all_rows_reaches_the_slices() -> None:
    found = compare(y, models, ["hand_till", "pdi"], labels=labels, by={"site": SITE, "one": SITE})
    every, again = found.adjusted("all"), found.adjusted("all").adjusted("pairs")
    assert again.frame().equals(found.frame()) and again.differences == found.differences
    rows = every.frame()
    assert rows["p_adjusted"].tolist() == holm_adjusted(rows["p_value"].tolist())
    assert (rows["p_adjusted"] > found.frame()["p_adjusted"]).any()
    assert rows.drop(columns="p_adjusted").equals(found.frame().drop(columns="p_adjusted"))
    told = [row for each in every.to_dict()["by"] for row in each["differences"]]
    assert [row["p_adjusted"] for row in told] == rows["p_adjusted"].tolist()


def test_a_bootstrap_of_folds_needs_two_cases_of_each_class_in_every_fold() -> None:
    """One case is drawn every time, and its class would add nothing to the standard error."""
    few = np.r_[tuple(np.flatnonzero(y == label)[:6] for label in labels)]
    few = few[np.r_[:2, 6 : len(few)]]
    folds = np.arange(len(few)) % 2
    given = {"metrics": ["hand_till"], "labels": labels, "folds": folds}
    for method in (Bootstrap(20, rng=1), "influence"):
        with pytest.raises(InvalidInput, match="Fold 0 has one case of the class"):
            evaluate(y[few], models["bayes"][few], interval=method, **given)
        two = {name: models[name][few] for name in ("bayes", "forest")}
        with pytest.raises(InvalidInput, match="Fold 0 has one case of the class"):
            compare(y[few], two, method=method, **given)


def test_folds_of_independent_samples_are_drawn_independently() -> None:
    """The variance of a difference is the sum of both, also where rows are sorted by score."""
    rng = np.random.default_rng(0)
    truth = np.tile(np.repeat([0, 1], 20), 2)
    score = np.tile(np.sort(rng.normal([[0], [1]], size=(2, 20)), axis=1).ravel(), 2)
    folds, method = np.repeat([0, 1], 40), Bootstrap(400, rng=1)
    samples = {"y_true": dict.fromkeys("ab", truth), "y_scores": dict.fromkeys("ab", score)}
    found = compare(**samples, metrics=["roc_auc"], folds=dict.fromkeys("ab", folds), method=method)
    alone = estimate(truth, score, "roc_auc", folds=folds, interval=method).standard_error
    assert found.differences[0].standard_error == pytest.approx(alone * math.sqrt(2), rel=0.1)


def test_modalities_that_are_read_alike_leave_no_variance() -> None:
    """Averages of the same covariances in another order differ by rounding."""
    rng = np.random.default_rng(0)
    for n_modalities, n_readers in product(range(2, 6), range(2, 7)):
        parts = rng.normal(size=(n_readers, n_readers)) / 10
        alike = np.broadcast_to((parts @ parts.T)[None, :, None], (n_modalities, n_readers) * 2)
        study = Analysis(np.tile(rng.random(n_readers), (n_modalities, 1)), alike)
        for random in RANDOM:
            assert math.isnan(study.test(random).p_value)
            assert math.isnan(study.difference_spread(random).standard_error)
        assert study.components["var_tr"] == study.excess == 0
        assert math.isnan(study.reader_spread(0, 0, 1))


def test_pairs_of_large_classes_where_all_weighted_cases_agree_are_not_certain() -> None:
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], [501, 520])
    score = truth * 0.5 + 0.3 * rng.random(len(truth))
    both = np.column_stack([1 - score, score])
    plain = evaluate_pairs(truth, both)["low"]
    for weight in (np.full(len(truth), 0.1), 0.5 + rng.random(len(truth))):
        found = evaluate_pairs(truth, both, sample_weight=weight)
        assert found["standard_error"].isna().all()
        assert found["low"].to_numpy() == pytest.approx(plain.to_numpy(), abs=2e-4)
        assert (found["low"] < 0.996).all()


def test_costs_that_differ_by_the_same_in_every_case_have_no_error() -> None:
    """The mean of 0.1 over seven cases is not 0.1, and what is left is no variance."""
    truth = np.repeat([0, 1, 2], [7, 9, 11])
    right, wrong = (np.eye(3)[(truth + shift) % 3] * 0.8 + 0.2 / 3 for shift in (0, 1))
    costs = np.array([[0, 0.1, 0.3], [0.7, 0, 0.2], [0.3, 0.9, 0]])
    found = compare_costs(truth, {"a": right, "b": wrong}, costs=costs).frame()
    assert found["difference"].tolist() == pytest.approx([-(0.7 + 1.8 + 3.3) / 27])
    assert found[["standard_error", "low", "high", "p_value"]].isna().all(axis=None)


def test_models_on_other_cases_are_spoken_of_only_where_their_number_differs() -> None:
    folds = np.where(y == labels[0], 0, np.arange(len(y)) % 2)
    with pytest.raises(InvalidInput, match="Fold 1 has no cases") as refused:
        compare(y, models, ["hand_till"], labels=labels, folds=folds)
    assert "independent samples" not in str(refused.value)


def test_one_fold_divides_nothing() -> None:
    """Nor does a slice in one fold differ from its cases alone: one site was left out at a time."""
    few = np.arange(0, len(y), 6)
    truth, two = y[few], {name: models[name][few] for name in ("bayes", "forest")}
    one, replicates = np.zeros(len(few), dtype=int), Bootstrap(30, rng=1)
    given = {"metrics": ["hand_till", "pdi", "total_length", "wvus"], "labels": labels}
    for interval in ("influence", replicates):
        plain = evaluate(truth, two["bayes"], interval=interval, **given)
        divided = evaluate(truth, two["bayes"], interval=interval, folds=one, **given)
        _same(plain.frame(), divided.frame(), "value standard_error low high")
    assert divided["pdi"].settings["by_fold"] == {"0": divided["pdi"].value}
    for method in ("influence", replicates, Permutation(30, rng=1)):
        rows = [compare(truth, two, method=method, folds=f, **given) for f in (None, one)]
        _same(*(each.frame() for each in rows), "difference standard_error low high p_value")
    pairs = [evaluate_pairs(truth, two["bayes"], labels=labels, folds=f) for f in (None, one)]
    _same(*pairs, "value standard_error low high")
    site = SITE[few]
    found = evaluate(truth, two["bayes"], folds=site, by={"site": site}, **given)
    for name, each in found.slices["site"].items():
        alone = evaluate(truth[site == name], two["bayes"][site == name], **given)
        _same(alone.frame(), each.frame(), "value standard_error low high")


def _same(first: pd.DataFrame, second: pd.DataFrame, columns: str) -> None:
    for name in columns.split():
        np.testing.assert_allclose(first[name], second[name], rtol=1e-9, err_msg=name)


def test_replicates_that_differ_from_the_value_by_rounding_are_equal_to_it() -> None:
    replicates = np.repeat([0.5, 0.75, 0.9], [12, 20, 8])
    limits = [
        Estimate("pdi", 0.75, 0.1, "bootstrap", replicates=replicates + by, acceleration=0.0)
        for by in (0.0, 1e-15, -1e-15)
    ]
    for level in (0.5, 0.8, 0.95):
        first, *others = (each.interval(level)[:2] for each in limits)
        assert all(other == pytest.approx(first, abs=1e-12) for other in others)
