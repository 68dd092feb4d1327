"""Models compared by slices: each slice as compared alone, and interactions by plain loops."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from polyroc import Influence, Predictions, compare, registry
from polyroc.errors import InvalidInput
from polyroc.inference import SlicedComparison

METRICS = ["hand_till", "pdi"]


def drawn(seed, n=240, n_classes=3):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    shared = rng.normal(size=(n, n_classes)) + 1.2 * np.eye(n_classes)[y]
    models = {}
    for name in "abc":
        logits = shared + rng.normal(size=shared.shape)
        models[name] = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return y, models, rng


def rows_of(frame):
    return frame.sort_values(["metric", "model_a", "model_b"]).reset_index(drop=True)


def test_slices_are_compared_as_alone():
    y, models, rng = drawn(0)
    site, weights = rng.choice(["u", "v"], len(y)), rng.choice([1.0, 2.0], len(y))
    for options in (
        {},
        {"alternative": "noninferior", "margin": 0.02},
        {"reference": "normal", "sample_weight": weights},
        {"groups": np.arange(len(y)) // 3},
        {"folds": np.arange(len(y)) % 2},
    ):
        found = compare(y, models, METRICS, by={"site": site}, **options)
        assert isinstance(found, SlicedComparison)
        whole = compare(y, models, METRICS, **options)
        pd.testing.assert_frame_equal(found.overall.frame(), whole.frame())
        for name in "uv":
            own = site == name
            given = {k: v[own] if isinstance(v, np.ndarray) else v for k, v in options.items()}
            alone = compare(y[own], {m: s[own] for m, s in models.items()}, METRICS, **given)
            pd.testing.assert_frame_equal(found.slices["site"][name].frame(), alone.frame())
            rows = found.frame()
            rows = rows[rows["slice"] == name].drop(columns=["attribute", "slice", "cases"])
            pd.testing.assert_frame_equal(
                rows_of(rows.drop(columns="p_adjusted")),
                rows_of(alone.frame().drop(columns="p_adjusted")),
            )
        for _, family in found.frame().groupby("metric"):
            p_values = np.sort(family["p_value"])
            holm = np.minimum(np.maximum.accumulate(p_values * np.arange(6, 0, -1)), 1)
            np.testing.assert_allclose(np.sort(family["p_adjusted"]), holm, rtol=1e-12)
            for _, pair in family.groupby(["model_a", "model_b"]):
                assert pair["difference"].is_monotonic_increasing
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert len(document["by"][0]["differences"]) == len(found.frame())


def test_tables_at_another_level_are_those_of_a_comparison_at_that_level():
    y, models, rng = drawn(5, n=90)
    site = rng.choice(["u", "v"], len(y))
    found = compare(y, models, ["hand_till"], by={"site": site})
    other = compare(y, models, ["hand_till"], by={"site": site}, level=0.5)
    pd.testing.assert_frame_equal(found.frame(0.5), other.frame())
    assert found.to_dict(0.5)["by"] == other.to_dict()["by"]
    assert (found.frame()["low"] < other.frame()["low"]).all()


def test_interaction_of_independent_slices_and_of_shared_patients():
    y, models, rng = drawn(1)
    two = {name: models[name] for name in "ab"}
    site = rng.choice(["u", "v"], len(y))
    found = compare(y, two, ["hand_till"], by=site)
    first, second = (found.slices["slice"][name].differences[0] for name in "uv")
    apart = first.difference - second.difference
    variances = np.array([first.standard_error**2, second.standard_error**2])
    known = np.array([first.degrees_of_freedom, second.degrees_of_freedom])
    freedom = variances.sum() ** 2 / np.sum(variances**2 / known)
    (test,) = found.same
    assert test.p_value == pytest.approx(
        2 * stats.t.sf(abs(apart) / math.sqrt(variances.sum()), freedom), rel=1e-9
    )
    normal = compare(y, two, ["hand_till"], by=site, reference="normal").same[0]
    assert math.isinf(normal.denominator_degrees_of_freedom)
    # Patients in both slices: what a patient contributes to both is added up.
    patients = np.arange(len(y)) % 70
    shared = compare(y, two, ["hand_till"], by=site, groups=patients).same[0]
    sums = dict.fromkeys(range(70), 0.0)
    for name, sign in (("u", 1), ("v", -1)):
        own = np.flatnonzero(site == name)
        moved = [
            registry["hand_till"].influence(Predictions(y[own], two[m][own])).cases for m in "ab"
        ]
        for k in range(3):
            members = [j for j, i in enumerate(own) if y[i] == k]
            m = len({patients[own[j]] for j in members})
            for j in members:
                u = math.sqrt(m / (m - 1)) * (moved[0][j] - moved[1][j]) / len(members)
                sums[patients[own[j]]] += sign * u
    variance = sum(total**2 for total in sums.values())
    assert shared.statistic == pytest.approx(apart**2 / variance, rel=1e-9)
    assert shared.denominator_degrees_of_freedom <= 69


def test_interactions_are_adjusted_for_each_metric():
    y, models, rng = drawn(6)
    by = {"site": rng.choice(["u", "v"], len(y)), "age": rng.choice(["young", "old"], len(y))}
    for name, own in (("a", "u"), ("b", "v")):  # either is worse than the other at its own site
        models[name] = np.where((by["site"] == own)[:, None], 1 / 3, models[name])
    table = compare(y, models, METRICS, by=by).interactions()
    for metric in METRICS:
        own = table[table["metric"] == metric].sort_values("p_value")
        assert len(own) == 6  # three pairs of models by two attributes
        highest = 0.0
        for place, (p, adjusted) in enumerate(zip(own["p_value"], own["p_adjusted"], strict=True)):
            highest = max(highest, min(1, (6 - place) * p))
            assert adjusted == pytest.approx(highest, rel=1e-9, abs=0)


def test_what_has_no_slices_is_refused():
    y, models, rng = drawn(2, n=120)
    site = rng.choice(["u", "v"], 120).astype(object)
    held = {name: Predictions(y, p, slices=site) for name, p in models.items()}
    assert isinstance(compare(held, metrics=["hand_till"]), SlicedComparison)
    for method in ("bootstrap", "permutation"):
        with pytest.raises(InvalidInput, match="influence values"):
            compare(y, models, ["hand_till"], by=site, method=method)
    with pytest.raises(InvalidInput, match="independent samples"):
        compare(dict.fromkeys(models, y), models, ["hand_till"], by=site)
    other = {**held, "b": Predictions(y, models["b"], slices=site[::-1])}
    with pytest.raises(InvalidInput, match="other slices"):
        compare(other, metrics=["hand_till"])
    site[:5] = "thin"
    found = compare(y, models, ["hand_till"], by=site)
    assert found.withheld()["slice"].tolist() == ["thin"] and len(found.notes) == 1
    y4, models4, rng = drawn(3, n=120, n_classes=4)
    drawn_tuples = compare(
        y4, models4, ["vus"], by=np.arange(120) % 2, groups=np.arange(120) // 4,
        method=Influence(n_tuples=300, rng=0),
    )  # fmt: skip
    assert "random tuples" in drawn_tuples.same[0].note
