"""Slices: each as evaluated alone, differences and covariances by plain loops, what is refused."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from polyroc import Bootstrap, Design, Predictions, evaluate, registry
from polyroc.errors import InvalidInput, InvalidType, NotAligned, RowsByPosition
from polyroc.inference import SlicedEvaluation
from polyroc.inference._slices.spread import SliceSpread

METRICS = ["hand_till", "aunp", "auc_mu", "pdi", "total_length"]


def drawn(seed, n=240, n_classes=3, shift=1.2):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    logits = rng.normal(size=(n, n_classes)) + shift * np.eye(n_classes)[y]
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return y, p, rng


def loop_difference(y, p, site, groups, weights, metric):
    """Differences from the rest and their variances, every sum by itself."""
    names, values, parts = sorted(set(site)), {}, {}
    for name in names:
        own = [i for i in range(len(y)) if site[i] == name]
        case = Predictions(y[own], p[own], sample_weight=weights[own])
        values[name] = registry[metric].of(case)
        influence = registry[metric].influence(case).cases
        sums = {}
        for k in sorted(set(y[own])):
            members = [place for place, i in enumerate(own) if y[i] == k]
            total = sum(weights[own[place]] for place in members)
            m = len({groups[own[place]] for place in members})
            for place in members:
                u = math.sqrt(m / (m - 1)) * weights[own[place]] * influence[place] / total
                sums[groups[own[place]]] = sums.get(groups[own[place]], 0.0) + u
        parts[name] = sums
    size = {name: sum(weights[i] for i in range(len(y)) if site[i] == name) for name in names}
    found = {}
    for name in names:
        rest = sum(size[other] for other in names if other != name)
        contrast = {other: -size[other] / rest for other in names} | {name: 1.0}
        difference = sum(contrast[other] * values[other] for other in names)
        variance = 0.0
        for group in set(groups):
            moved = sum(contrast[other] * parts[other].get(group, 0.0) for other in names)
            variance += moved**2
        found[name] = difference, math.sqrt(variance)
    return found


def test_slices_are_evaluated_as_alone_and_compared_as_by_loops():
    y, p, rng = drawn(0)
    site = rng.choice(["a", "b", "c"], len(y), p=[0.5, 0.3, 0.2])
    weights = rng.choice([0.5, 1.0, 2.0], len(y))
    patients = rng.integers(0, 90, len(y))  # most have cases in several slices
    ones = np.ones(len(y))
    for given_weights, groups in (
        (None, None),
        (weights, None),
        (None, patients),
        (weights, patients),
    ):
        found = evaluate(y, p, METRICS, sample_weight=given_weights, groups=groups, by=site)
        assert isinstance(found, SlicedEvaluation)
        all_cases = evaluate(y, p, METRICS, sample_weight=given_weights, groups=groups)
        pd.testing.assert_frame_equal(found.overall.frame(), all_cases.frame())
        for name in "abc":
            own = site == name
            options = {
                "sample_weight": None if given_weights is None else weights[own],
                "groups": None if groups is None else patients[own],
            }
            alone = evaluate(y[own], p[own], METRICS, **options)
            pd.testing.assert_frame_equal(found.slices["slice"][name].frame(), alone.frame())
        rows = found.against_rest().set_index(["metric", "slice"])
        units = np.arange(len(y)) if groups is None else patients
        for metric in ("hand_till", "aunp", "total_length"):
            twin = loop_difference(
                y, p, site, units, ones if given_weights is None else weights, metric
            )
            for name, (difference, error) in twin.items():
                row = rows.loc[(metric, name)]
                assert row["difference"] == pytest.approx(difference, abs=1e-13)
                assert row["standard_error"] == pytest.approx(error, rel=1e-10)


def test_table_worst_first_with_holm_within_attribute_and_over_attributes():
    y, p, rng = drawn(1, n=300)
    by = pd.DataFrame({"site": rng.choice(list("abcd"), 300), "sex": rng.choice(["f", "m"], 300)})
    found = evaluate(y, p, ["hand_till", "total_length"], by=by)
    table = found.frame()
    expected = "attribute slice cases metric value low high difference p_value p_adjusted"
    assert list(table.columns) == expected.split()
    assert len(table) == 2 * (4 + 2)
    for (attribute, metric), rows in table.groupby(["attribute", "metric"], sort=False):
        assert rows["value"].is_monotonic_increasing, (attribute, metric)
        assert rows["cases"].sum() == 300
        p_values = np.sort(rows["p_value"].to_numpy())
        if attribute == "site":
            holm = np.minimum(np.maximum.accumulate(p_values * [4, 3, 2, 1]), 1)
            np.testing.assert_allclose(np.sort(rows["p_adjusted"]), holm, rtol=1e-12)
        else:  # one test, told twice
            assert rows["p_adjusted"].tolist() == rows["p_value"].tolist()
            assert rows["p_value"].iloc[0] == pytest.approx(rows["p_value"].iloc[1])
    tests = found.tests()
    assert tests["degrees_of_freedom"].tolist() == [3, 3, 1, 1]
    for _, rows in tests.groupby("metric"):
        least, most = np.sort(rows["p_value"])
        adjusted = [min(1, 2 * least), min(1, max(2 * least, most))]
        np.testing.assert_allclose(np.sort(rows["p_adjusted"]), adjusted, rtol=1e-12)
    two = table[(table["attribute"] == "sex") & (table["metric"] == "hand_till")]
    assert tests["p_value"].iloc[2] == pytest.approx(two["p_value"].iloc[0], rel=1e-9)
    # A metric where lower is better has its highest slice first.
    y2, p2, rng = drawn(2, n=400, n_classes=2)
    costs = evaluate(y2, p2[:, 1], ["saec"], by=rng.choice(["u", "v", "w"], 400)).frame()
    assert costs["value"].is_monotonic_decreasing


def test_all_slices_at_once_is_welchs_analysis_of_variance():
    y, p, rng = drawn(3)
    site = rng.choice(["a", "b", "c", "d"], len(y))
    found = evaluate(y, p, ["hand_till"], by={"site": site})
    each = [found.slices["site"][name]["hand_till"] for name in "abcd"]
    values = np.array([one.value for one in each])
    precision = 1 / np.array([one.standard_error**2 for one in each])
    freedom = np.array([one.degrees_of_freedom for one in each])
    share = precision / precision.sum()
    between = np.sum(precision * (values - share @ values) ** 2) / 3
    lost = np.sum((1 - share) ** 2 / freedom)
    statistic, known = between / (1 + 2 * 2 / 15 * lost), 15 / (3 * lost)
    (test,) = found.alike
    assert test.statistic == pytest.approx(statistic, rel=1e-10)
    assert test.denominator_degrees_of_freedom == pytest.approx(known, rel=1e-10)
    assert test.p_value == pytest.approx(stats.f.sf(statistic, 3, known), rel=1e-9)


def test_tables_at_another_level_are_those_of_an_evaluation_at_that_level():
    y, p, rng = drawn(5, n=90)
    site = rng.choice(["a", "b"], len(y))
    found = evaluate(y, p, ["hand_till"], by=site)
    other = evaluate(y, p, ["hand_till"], by=site, level=0.5)
    pd.testing.assert_frame_equal(found.frame(0.5), other.frame())
    pd.testing.assert_frame_equal(found.against_rest(0.5), other.against_rest())
    assert found.to_dict(0.5)["by"] == other.to_dict()["by"]
    for name in ("low", "high"):
        assert (found.frame()[name] != other.frame()[name]).all()


def test_thin_slices_are_withheld_with_their_counts():
    y, p, _ = drawn(4, n=90)
    site = np.where(np.arange(90) < 40, "a", "b").astype(object)
    site[np.flatnonzero(y == 0)[:3]] = "only zeros"
    site[[np.flatnonzero(y == k)[-1] for k in range(3)]] = "one of each"
    site[np.r_[np.flatnonzero(y == 1)[5:9], np.flatnonzero(y == 0)[5:9]]] = None
    found = evaluate(y, p, ["hand_till"], by={"site": site})
    assert set(found.slices["site"]) == {"a", "b"}
    table = found.withheld().set_index("slice")
    assert table.loc["only zeros", "reason"] == "no cases of class 1"
    assert table.loc["one of each", "reason"].startswith("one case of class")
    assert table.loc["(missing)", ["cases of 0", "cases of 1", "cases of 2"]].tolist() == [4, 4, 0]
    assert table["cases"].sum() + found.frame()["cases"].sum() == 90
    assert len(found.notes) == 3 and "only zeros" in repr(found)
    assert "cases per class: 0 3, 1 0, 2 0" in found.notes[1].text
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    (attribute,) = document["by"]
    assert [each["slice"] for each in attribute["withheld"]] == list(table.index)
    # Groups count in place of cases, and so do folds.
    grouped = evaluate(y, p, ["hand_till"], by=np.arange(90) % 2, groups=y)
    assert len(grouped.slices["slice"]) == 0
    assert grouped.withheld()["reason"].tolist() == ["one group of class 0"] * 2
    folds = np.repeat([0, 1, 2], 30)
    halves = np.arange(90) < 31
    within = evaluate(y, p, ["hand_till"], by=halves, folds=folds)
    assert within.withheld()["reason"].str.contains("in fold 1").tolist() == [True]


def test_one_slice_and_a_slice_without_errors_have_no_test():
    y, p, _ = drawn(5, n=60)
    alone = evaluate(y, p, ["hand_till"], by=["same"] * 60)
    assert alone.frame()["difference"].isna().all()
    assert "fewer than two slices" in alone.tests()["note"].iloc[0]
    halves = np.arange(60) % 2
    plain = evaluate(y, p, ["hand_till"], by=halves, interval=None)
    assert plain.frame()["difference"].notna().all() and plain.frame()["p_value"].isna().all()
    # Where a slice is perfect its variance is not 0: the test must not take it for certain.
    sure = p.copy()
    sure[halves == 0] = np.eye(3)[y[halves == 0]] * 0.9 + 0.1 / 3
    perfect = evaluate(y, sure, ["hand_till"], by=halves)
    assert perfect.slices["slice"][0]["hand_till"].value == 1
    error = perfect.slices["slice"][1]["hand_till"].standard_error
    assert (perfect.against_rest()["standard_error"] > 1.01 * error).all()


def test_slices_that_are_all_perfect_are_not_compared():
    y, _, _ = drawn(5, n=60)
    found = evaluate(y, np.eye(3)[y] * 0.9 + 0.1 / 3, ["hand_till"], by=np.arange(60) % 2)
    assert (found.frame()["value"] == 1).all()
    rest, whole = found.against_rest(), found.tests()
    assert rest["note"].tolist() == ["no standard error: a slice has none"] * 2
    assert whole["note"].tolist() == ["no test: fewer than two slices have a standard error"]
    assert rest["p_value"].isna().all() and whole["p_value"].isna().all()


@pytest.mark.parametrize(("known", "most"), [(4.0, 2), (2.0, 8)])
def test_two_denominator_degrees_of_freedom_are_enough_for_a_test(known, most):
    """For q = 2 and D = 3 (2/3)²/ν, what the slices leave is 8/(3D) = 2ν, and groups less 1."""
    values = np.array([0.0, 1.0, 2.0])
    found = SliceSpread(np.eye(3), np.full(3, known), most).alike(values)
    assert found.denominator_degrees_of_freedom == pytest.approx(min(2 * known, most))
    doubt = 4 / 3 / known
    statistic = np.sum((values - 1) ** 2) / (2 + 2 * doubt - 6 * doubt / 4)
    assert found.statistic == pytest.approx(statistic)
    assert found.p_value == pytest.approx(stats.f.sf(statistic, 2, min(2 * known, most)))
    assert math.isnan(SliceSpread(np.eye(3), np.full(3, known), 1).alike(values).p_value)


def test_folds_priors_and_designs_hold_within_slices():
    y, p, rng = drawn(6, n=360)
    site, folds = rng.choice(["a", "b"], 360), np.arange(360) % 3
    found = evaluate(y, p, ["hand_till", "pdi"], by=site, folds=folds)
    for name in "ab":
        own = site == name
        alone = evaluate(y[own], p[own], ["hand_till", "pdi"], folds=folds[own])
        pd.testing.assert_frame_equal(found.slices["slice"][name].frame(), alone.frame())
    priors = {0: 0.7, 1: 0.2, 2: 0.1}
    for design in (Design(sampling="random"), Design(rng.integers(0, 80, 360), sampling="random")):
        given = evaluate(y, p, ["aunp"], by=site, priors=priors, groups=design)
        fixed = evaluate(y[site == "a"], p[site == "a"], ["aunp"], priors=priors)
        assert given.slices["slice"]["a"]["aunp"].value == fixed["aunp"].value


def test_attributes_are_read_as_groups_are():
    y, p, rng = drawn(7, n=120)
    site = pd.Series(rng.choice(["x", "y"], 120), name="site", index=np.arange(120) + 7)
    labels = pd.Series(y, index=site.index)
    expected = evaluate(y, p, ["hand_till"], by=site.to_numpy()).frame().drop(columns="attribute")
    age = pd.Series(rng.normal(50, 10, 120), index=site.index, name="age")
    given = {
        "series": site,
        "mapping": {"site": site.tolist()},
        "frame": pd.DataFrame({"site": site}),
        "categorical": site.astype("category"),
        "missing words": site.replace({"x": "NA"}),
    }
    for what, by in given.items():
        found = evaluate(labels, p, ["hand_till"], by=by).frame()
        assert set(found["attribute"]) == {"site"}
        if what == "missing words":
            assert set(found["slice"]) == {"(missing)", "y"}
            found = found.replace({"(missing)": "x"})
        pd.testing.assert_frame_equal(found.drop(columns="attribute"), expected, check_dtype=False)
    held = Predictions(labels, p, slices=site)
    again = evaluate(held, metrics=["hand_till"])
    assert isinstance(again, SlicedEvaluation) and again.slices.keys() == {"site"}
    bins = evaluate(labels, p, ["hand_till"], by=pd.cut(age, [0, 45, 55, 100]))
    assert [str(s) for s in bins.slices["age"]] == ["(0, 45]", "(45, 55]", "(55, 100]"]
    weights = np.r_[0.0, np.ones(119)]
    without = evaluate(y, p, ["hand_till"], by=["?", *site.tolist()[1:]], sample_weight=weights)
    assert set(without.slices["slice"]) == {"x", "y"}
    with pytest.raises(NotAligned, match="by and y_true"):
        evaluate(labels, p, ["hand_till"], by=site.iloc[::-1])
    with pytest.warns(RowsByPosition, match="by"):
        moved = evaluate(labels, p, ["hand_till"], by=site.reset_index(drop=True))
    assert "taken by position" in moved["hand_till"].note
    for by, said in (
        (age, "pandas.cut"),
        (site.iloc[:5].to_numpy(), "5 values of 'slice' but there are 120"),
        (np.ones((120, 2)), "one value per case"),
        ({}, "no columns"),
        (pd.DataFrame({"a": site, "b": site}).set_axis(["a", "a"], axis=1), "two columns"),
        (["(missing)"] * 120, "name of the slice"),
    ):
        with pytest.raises(InvalidInput, match=said):
            evaluate(y, p, ["hand_till"], by=by)
    with pytest.raises(InvalidInput, match="more than the 200"):
        evaluate(np.tile(y, 2), np.tile(p, (2, 1)), by=[f"s{i}" for i in range(240)])
    for wrong in ([1, "1"] * 60, [[1]] * 119 + [[2, 3]]):
        with pytest.raises((InvalidType, InvalidInput)):
            evaluate(y, p, ["hand_till"], by=wrong)
    with pytest.raises(InvalidInput, match="Pass them once"):
        evaluate(held, metrics=["hand_till"], by=site)
    for interval in ("bootstrap", Bootstrap(20)):
        with pytest.raises(InvalidInput, match="A bootstrap has no slices"):
            evaluate(y, p, ["hand_till"], by=site.to_numpy(), interval=interval)


def test_names_that_fail_when_they_are_hashed_or_compared_are_an_error_of_polyroc():
    """Of slices and of groups; whatever the objects of the caller raise."""

    class Odd:
        def __init__(self, hashed):
            self.hashed = hashed

        def __hash__(self):
            if not self.hashed:
                raise RuntimeError("no hash")
            return id(self)

        def __eq__(self, other):
            if isinstance(other, str):
                raise RuntimeError("no equality")
            return self is other

        def __lt__(self, other):
            raise RuntimeError("no order")

    y, p = [0, 1] * 10, np.linspace(0, 1, 20)
    for hashed in (True, False):
        odd = np.array([Odd(hashed), Odd(hashed)] * 10, dtype=object)
        for given in ({"by": odd}, {"groups": odd}, {"folds": odd}):
            with pytest.raises(InvalidType, match=r"strings or numbers|no order"):
                evaluate(y, p, ["roc_auc"], **given)


def test_random_tuples_in_slices():
    y, p, rng = drawn(8, n=160, n_classes=4)
    site = rng.choice(["a", "b"], 160)
    found = evaluate(y, p, ["vus"], by=site, n_tuples=2000, rng=0)
    errors = [found.slices["slice"][name]["vus"].standard_error for name in "ab"]
    assert found.differences[0].standard_error == pytest.approx(math.hypot(*errors), rel=1e-12)
    grouped = evaluate(y, p, ["vus"], by=site, groups=np.arange(160) // 2, n_tuples=500, rng=0)
    assert "random tuples" in grouped.differences[0].note and math.isnan(grouped.alike[0].p_value)
