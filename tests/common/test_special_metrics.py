"""Metrics with rules of their own: a curve that is fitted, a surface, an ordered marker."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import polyroc
from polyroc import Predictions, registry
from polyroc.errors import InvalidInput, NotConverged
from polyroc.metrics import expected_cost
from polyroc.metrics.ordinal import ORDINAL_VUS, marked_predictions
from polyroc.metrics.question import NoDerivative
from polyroc.statistics.rates import Rates
from polyroc.statistics.ratings import Ratings
from polyroc.statistics.tuples import Rule, Tuples, cases_of

LIMIT = np.repeat([0, 1], 12), np.repeat([1, 2, 3, 3, 4, 5], [2, 4, 6, 4, 5, 3])
"""A best fit does not exist: the likelihood rises as the curve becomes perfect."""

SAID = (
    "The binormal curve has no best fit to these scores: the likelihood rises as the curve becomes "
    'perfect. The SAEC of 1.9e-07 is that limit, not an estimate. Use model="hull", which gives '
    "0.0943, or pass more cases or finer scores."
)


def test_a_fit_that_runs_to_a_limit_warns_once() -> None:
    y, x = LIMIT
    with pytest.warns(NotConverged) as caught:
        found = polyroc.saec(y, x)
    assert [str(each.message) for each in caught] == [SAID]
    assert caught[0].filename == __file__  # where it was called
    assert 0 <= found < 1e-5
    question = registry["saec"].question(Predictions(y, x))
    assert question.fault(Ratings.of(Predictions(y, x))) == SAID
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert polyroc.saec(y, x, model="hull") == pytest.approx(0.0943, abs=5e-5)
    hull = registry["saec"].question(Predictions(y, x), model="hull")
    assert hull.fault(Ratings.of(Predictions(y, x))) is None


def test_every_fold_with_both_classes_may_warn(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fold that lacks a class has no curve."""
    y, x = np.array([0, 1, 0, 1, 0, 0, 0, 1, 1]), np.arange(9.0) % 4
    folds = [0, 0, 0, 0, 1, 1, 2, 2, 2]
    cases = Predictions(y, x, folds=folds, absent="skip")
    parts = expected_cost._parts(cases)
    assert [len(part) for part in parts] == [4, 3]
    assert expected_cost._parts(Predictions(y, x))[0].scores.shape == (9, 2)
    seen = []

    def fault(ratings: Ratings, model: str) -> str | None:
        seen.append((ratings.levels.sum(), model))
        return "too few" if ratings.levels.sum() == 3 else None

    monkeypatch.setattr(expected_cost, "_fault", fault)
    with pytest.warns(NotConverged) as caught:
        polyroc.saec(cases, model="hull")
    assert [str(each.message) for each in caught] == ["too few"]
    assert seen == [(4.0, "hull"), (3.0, "hull")]


def test_a_curve_is_fitted_once_for_value_fault_and_more(monkeypatch: pytest.MonkeyPatch) -> None:
    from polyroc.utility import _data_cost

    calls, plain = [], _data_cost.cost_of_levels

    def counted(*args: Any) -> Any:
        calls.append(args[1])
        return plain(*args)

    monkeypatch.setattr(_data_cost, "cost_of_levels", counted)
    y, x = np.arange(12) % 2, np.arange(12) % 5 + 2.0 * (np.arange(12) % 2)
    cases = Predictions(y, x)
    ratings, question = Ratings.of(cases), registry["saec"].question(cases, model="hull")
    value = question.value(ratings)
    assert question.fault(ratings) is None and question.value(ratings) == value
    assert calls == ["hull"]
    other = registry["saec"].question(cases)
    assert other.value(ratings) != value and calls == ["hull", "binormal"]
    assert registry["saec"].of(cases) == other.value(ratings)


def test_the_expected_cost_of_a_hull_by_hand() -> None:
    """2(1 − A)/S of the points (0, 0), (0, ½), (½, 1), (1, 1); the priors do not matter."""
    y, x = [0, 1, 0, 1], [0.1, 0.35, 0.4, 0.8]
    length = 0.5 + math.sqrt(0.5) + 0.5
    for weights in (None, [3.0, 1.0, 3.0, 1.0]):
        found = polyroc.saec(y, x, model="hull", sample_weight=weights)
        assert found == pytest.approx(2 * (1 - 7 / 8) / length, rel=1e-12)
    gradient = registry["saec"].question(Predictions(y, x), model="hull").gradient
    assert gradient(Ratings.of(Predictions(y, x))).priors is None
    with pytest.raises(InvalidInput) as error:
        polyroc.saec(y, x, model="x")  # type: ignore[arg-type]
    assert str(error.value) == 'model must be "binormal", "proper" or "hull", got \'x\'.'
    corner = Predictions(np.repeat([0, 1], 9), np.repeat([1, 2, 3, 1, 2, 3], [4, 4, 1, 1, 1, 7]))
    with pytest.raises(
        NoDerivative, match=r"^a point of the ROC curve lies on an edge of its hull"
    ):
        registry["saec"].question(corner, model="hull").gradient(Ratings.of(corner))


def test_the_gini_coefficient_of_steps() -> None:
    """Two classes: twice the area under the steps of the errors, less that of chance."""
    rng = np.random.default_rng(0)
    y, x = np.arange(30) % 2, rng.random(30) + 0.6 * (np.arange(30) % 2)
    x = np.round(x / 1.6, 2)
    rates = np.array(sorted(Rates.of(Predictions(y, x)).rates.tolist()))
    found = polyroc.gini(y, x)
    grid = (np.arange(4000) + 0.5) / 4000
    best = np.array([rates[rates[:, 0] <= g, 1].min() for g in grid])
    chance = 1 - grid
    assert found == pytest.approx(2 * np.maximum(chance - best, 0).mean(), abs=1e-3)
    assert found >= 2 * polyroc.roc_auc(y, x, ties="strict") - 1 - 1e-12


def test_the_gini_coefficient_of_three_classes_does_not_count_points_twice() -> None:
    from polyroc.surface._gini import gini as volume

    rng = np.random.default_rng(2)
    y, p = np.arange(6) % 3, rng.dirichlet(np.ones(3), 6)
    rates = np.unique(Rates.of(Predictions(y, p)).rates, axis=0)
    assert len(rates) < 996
    expected = volume(rates, 3, method="exact", work=2**62, n_threads=1).value
    assert polyroc.gini(y, p) == expected


def test_a_marker_and_the_order_of_classes() -> None:
    y, marker = ["lo", "mid", "hi"], [1, 2, 3]
    order = ["lo", "mid", "hi"]
    assert polyroc.ordinal_vus(y, marker, labels=order) == 1.0
    assert polyroc.ordinal_vus(y, marker) == 0.0  # sorted: hi, lo, mid
    known = pd.Categorical(y, categories=order, ordered=True)
    assert polyroc.ordinal_vus(known, marker) == 1.0
    assert polyroc.ordinal_vus(known, marker, labels=order[::-1]) == 0.0
    weights = [1.0, 2.0, 3.0, 1.0]
    found = polyroc.ordinal_vus([*y, "hi"], [1, 2, 3, 0], labels=order, sample_weight=weights)
    assert found == pytest.approx(3 / 4)
    cases = marked_predictions(y, marker, order)
    assert cases.classes == tuple(order)
    np.testing.assert_array_equal(cases.scores, np.repeat([[1.0], [2.0], [3.0]], 3, axis=1))
    assert ORDINAL_VUS.gradient(None) == (1.0, None, 1.0)


@pytest.mark.parametrize(
    ("marker", "said"),
    [
        (
            [[1, 2], [3, 4], [5, 6]],
            "marker must have one value per case, got an array of shape (3, 2).",
        ),
        (
            [1.0, 2.0],
            "y_true has 3 cases but marker has 2. Pass one label and one value per case.",
        ),
        (
            [1.0, np.nan, 2.0],
            "marker contains nan in row 1. Scores must be finite numbers: remove the case or "
            "correct its scores.",
        ),
    ],
)
def test_markers_that_are_refused(marker: Any, said: str) -> None:
    with pytest.raises(InvalidInput) as error:
        polyroc.ordinal_vus([0, 1, 2], marker)
    assert str(error.value) == said


@pytest.mark.parametrize("name", ["vus", "wvus", "hum", "vus2", "wvus2", "length_weighted_vus2"])
def test_questions_about_tuples(name: str) -> None:
    """All of them; random ones where a number is asked for, or a seed for more than three."""
    metric = registry[name]
    rules = {
        "vus": Rule.LENGTHS,
        "wvus": Rule.LENGTHS,
        "hum": Rule.SCORES,
        "vus2": Rule.HIGHEST,
        "wvus2": Rule.HIGHEST,
        "length_weighted_vus2": Rule.NEAR_HIGHEST,
    }
    three, four = (
        Predictions(np.arange(2 * K) % K, np.eye(K)[np.arange(2 * K) % K]) for K in (3, 4)
    )
    for cases, given, drawn in (
        (three, {}, False),
        (three, {"rng": 1}, False),
        (three, {"n_tuples": 5}, True),
        (four, {}, False),
        (four, {"rng": 1}, True),
        (four, {"n_tuples": 5, "rng": 1}, True),
    ):
        question = metric.question(cases, **given)
        options = dict(question.need.options)
        assert question.need.statistic is Tuples and options["rule"] is rules[name]
        assert options.get("drawn", False) is drawn
        if drawn:
            assert options["n_tuples"] == given.get("n_tuples")
            assert options["rng"] == given.get("rng")
        assert (
            question.gradient(Tuples.of(three, rules[name])).of_statistic
            is (question.options["coefficients"])
        )
    with pytest.raises(polyroc.errors.PolyrocError):
        metric.question(three, rng="seed")


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("vus", {}, [0, 1, 0, 0, 0, 0]),
        ("vus", {"ties": "strict"}, [1, 0, 0, 0, 0, 0]),
        ("hum", {"ties": "lenient"}, [0, 0, 1, 0, 0, 0]),
        ("wvus", {}, [0, 1, 0, 0, -1 / (3 * math.sqrt(2)), 0]),
        ("wvus", {"ties": "strict"}, [1, 0, 0, -1 / (3 * math.sqrt(2)), 0, 0]),
        ("wvus", {"ties": "lenient"}, [0, 0, 1, 0, 0, -1 / (3 * math.sqrt(2))]),
        ("vus2", {}, [1, 0]),
        ("wvus2", {"ties": "lenient"}, [0, 1]),
        ("length_weighted_vus2", {}, [0, 1 / 3]),
    ],
)
def test_what_a_right_tuple_counts(name: str, options: Any, expected: list[float]) -> None:
    cases = Predictions([0, 1, 2], np.eye(3))
    question = registry[name].question(cases, **options)
    np.testing.assert_allclose(question.options["coefficients"], expected, rtol=1e-12)
    lenient = options.get("ties") == "lenient"
    rule = dict(question.need.options)["rule"]
    assert (rule in (Rule.HIGHEST_LENIENT, Rule.NEAR_HIGHEST_LENIENT)) == (lenient and rule.highest)


def test_ties_within_a_column_have_no_fair_share() -> None:
    cases = Predictions([0, 1, 2], np.eye(3))
    for ties in ("fair", None, 3):
        with pytest.raises(InvalidInput) as error:
            registry["vus2"].question(cases, ties=ties)
        shown = "'fair'" if ties == "fair" else str(ties)
        assert str(error.value) == (
            f'ties must be "strict" or "lenient" for this rule, got {shown}: a tie within a '
            "column has no fair share. Report both, they enclose every other choice."
        )


def test_distances_do_not_depend_on_the_order_in_memory() -> None:
    p = np.random.default_rng(5).dirichlet(np.ones(20), 60)
    y = np.arange(60) % 20
    for rule in (Rule.LENGTHS, Rule.NEAR_HIGHEST):
        one, other = (cases_of(Predictions(y, table), rule) for table in (p, np.asfortranarray(p)))
        assert one.costs.tobytes() == other.costs.tobytes()
        assert one.detail.tobytes() == other.detail.tobytes()
