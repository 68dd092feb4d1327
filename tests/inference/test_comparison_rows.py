"""Rows of a comparison: limits, sentences, tests by hand, families of tests, and what is said."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t

from polyroc import Design, Predictions, compare, registry
from polyroc.errors import InvalidInput, RowsByPosition
from polyroc.inference._comparison import Comparison, Difference, Omnibus, row_of
from polyroc.inference._differences import differences_of, undefined_differences
from polyroc.inference._influence import CaseDesign
from polyroc.inference._margins import Hypothesis
from polyroc.inference._samples import Samples
from polyroc.inference._spread import Spread

NAMES = ("a", "b", "c")
SAMPLES = Samples(NAMES, (), (), paired=True)
RNG = np.random.default_rng(2)
Y = np.repeat(["x", "y", "z"], [12, 9, 7])
CODES = np.repeat([0, 1, 2], [12, 9, 7])
MODELS = {name: RNG.dirichlet(np.ones(3), 28) + 0.3 * np.eye(3)[CODES] for name in NAMES}


def spread(variances: np.ndarray, freedom: float, scale: float = 1.0) -> Spread:
    known = np.full((3, 3), freedom)
    return Spread(variances, known, variances[None], np.array([freedom]), known, scale=scale)


VARIANCES = np.array([[0, 0.01, 0.04], [0.01, 0, 0.09], [0.04, 0.09, 0]])


@pytest.mark.parametrize("freedom", [5.0, math.inf])
def test_differences_of_all_pairs(freedom: float) -> None:
    values = np.array([0.9, 0.7, 0.75])
    rows = differences_of(
        SAMPLES, registry["hand_till"], values, spread(VARIANCES, freedom), ("said",)
    )
    law = norm if math.isinf(freedom) else t(freedom)
    expected = [("a", "b", 0.2, 0.1), ("a", "c", 0.15, 0.2), ("b", "c", -0.05, 0.3)]
    for row, (a, b, difference, error) in zip(rows, expected, strict=True):
        assert (row.metric, row.model_a, row.model_b) == ("hand_till", a, b)
        assert row.difference == pytest.approx(difference)
        assert row.standard_error == pytest.approx(error)
        assert row.p_value == pytest.approx(2 * law.sf(abs(difference) / error))
        assert row.degrees_of_freedom == freedom and not row.lower_is_better
        assert row.notes == ("said",) and math.isnan(row.p_adjusted)
        low, high, level, scale = row.interval(0.8)
        assert (level, scale) == (0.8, "plain")
        assert low == pytest.approx(difference - law.ppf(0.9) * error)
        assert high == pytest.approx(difference + law.ppf(0.9) * error)
    costs = differences_of(SAMPLES, registry["saec"], values, spread(VARIANCES, freedom), ())
    assert all(row.lower_is_better for row in costs)


def test_why_a_difference_has_no_test() -> None:
    """Unknown variances, models that agree, and variances that are rounding on their scale."""
    metric = registry["hand_till"]
    unknown = differences_of(
        SAMPLES, metric, np.array([0.9, 0.7, 0.8]), spread(VARIANCES * math.nan, 5.0), ("said",)
    )
    for row in unknown:
        reason = "no standard error: a class has one case, or no derivative"
        assert row.notes == (reason, "said")
        assert math.isnan(row.standard_error) and math.isnan(row.p_value)
    for variance, scale, known in (
        (9e-25, 1.0, False),
        (1.0, 1e12, False),
        (1.001, 1e12, True),
        (1.1e-24, 1.0, True),
        (9e-23, 10.0, False),
        (-1e-3, 1.0, False),
        (0.0, 1.0, False),
    ):
        made = spread(np.full((3, 3), variance), 5.0, scale)
        rows = differences_of(SAMPLES, metric, np.array([0.9, 0.9, 0.8]), made, ())
        if known:
            assert [row.notes for row in rows] == [(), (), ()]
            continue
        assert rows[0].notes == ("no standard error: the models agree on every case",)
        assert rows[1].notes == rows[2].notes == ("no standard error: no variation",)
        assert all(math.isnan(row.p_value) and math.isnan(row.standard_error) for row in rows)


def test_rows_of_a_metric_that_does_not_exist() -> None:
    rows = undefined_differences(SAMPLES, registry["saec"], "two classes only")
    assert [(row.model_a, row.model_b) for row in rows] == [("a", "b"), ("a", "c"), ("b", "c")]
    for row in rows:
        assert row.notes == ("two classes only",) and row.lower_is_better
        assert all(map(math.isnan, (row.difference, row.standard_error, row.p_value)))
        assert row.conclusion() == ""
    (other, *_) = undefined_differences(SAMPLES, registry["hand_till"], "none")
    assert not other.lower_is_better


def test_percentiles_of_replicates_are_the_limits() -> None:
    """Also of one-sided tests, whose other limit is infinite."""
    replicates = np.arange(101.0)
    row = Difference("m", "a", "b", 50.0, 1.0, 0.5, replicates=replicates)
    assert row.interval(0.9) == (pytest.approx(5), pytest.approx(95), 0.9, "percentile")
    assert row.interval()[:2] == pytest.approx((2.5, 97.5))
    for alternative, lower, expected in (
        ("greater", False, (10, math.inf)),
        ("less", False, (-math.inf, 90)),
        ("noninferior", False, (10, math.inf)),
        ("greater", True, (-math.inf, 90)),
        ("equivalent", False, (10, 90)),
    ):
        options = {"alternative": alternative, "lower_is_better": lower, "replicates": replicates}
        made = Difference("m", "a", "b", 50.0, 1.0, 0.5, **options)
        assert made.interval(0.9)[:2] == pytest.approx(expected)
    with pytest.raises(InvalidInput, match="level"):
        row.interval(1.0)
    adjusted = Difference("m", "a", "b", 50.0, 1.0, 0.5, p_adjusted=0.5)
    assert replace(row, p_adjusted=0.5) == adjusted, "whatever the replicates"
    assert "replicates" not in repr(row)


def test_sentences_at_the_border_of_the_level() -> None:
    """p = 1 − level rejects, the adjusted p-value counts, and the margin is named."""
    row = Difference("m", "a", "b", 0.125, 0.1, 0.001, 0.05)
    assert row.conclusion() == "m: a and b differ, difference +0.1250, p = 0.050."
    assert row.conclusion(0.99).startswith("m: a and b cannot be told apart, ")
    just = Difference("m", "a", "b", 0.125, 0.1, 0.001, 0.05 + 1e-10)
    assert just.conclusion().startswith("m: a and b cannot be told apart, ")
    rounding = Difference("m", "a", "b", 0.125, 0.1, 0.001, 0.1 + 1e-13)
    assert rounding.conclusion(0.9).startswith("m: a and b differ, ")
    margin = Difference(
        "m", "a", "b", -0.0123456, 0.1, 0.5, 0.0004, alternative="noninferior", margin=0.05
    )
    assert margin.conclusion() == (
        "m: a is not inferior to b (margin 0.05), difference -0.0123, p < .001."
    )
    assert Difference("m", "a", "b", 0.1, 0.1, 0.01).conclusion() == ""


def test_tests_with_a_direction_keep_what_has_no_error() -> None:
    """The p-value of the row stays where there is no standard error."""
    metric = registry["saec"]
    rows = [
        Difference("saec", "a", "b", 0.1, 0.05, 0.2, degrees_of_freedom=7.0),
        Difference("saec", "a", "c", 0.1, math.nan, 0.3),
    ]
    assert Hypothesis().tests(rows, metric) is rows
    greater = Hypothesis.of("greater", None).tests(rows, metric)
    assert greater[0].p_value == pytest.approx(t.sf(-2, 7)) and greater[1].p_value == 0.3
    for row in greater:
        assert row.alternative == "greater" and row.margin == 0 and row.lower_is_better
    same = Hypothesis.of("equivalent", 0.2).tests(rows, metric)[0]
    assert same.p_value == pytest.approx(max(t.sf(2, 7), t.sf(6, 7))) and same.margin == 0.2
    assert Hypothesis().p_value(rows[0], lower_is_better=True) == 0.2
    assert Hypothesis.of("less", 0.1, "normal").settings() == {
        "alternative": "less",
        "margin": 0.1,
        "reference": "normal",
        "adjusted_for": "pairs of models within each metric",
    }
    with pytest.raises(InvalidInput, match="reference"):
        Hypothesis.of("less", 0.1, "gaussian")


def made_comparison() -> Comparison:
    rows = (
        Difference("m", "a", "b", 0.1, 0.02, 0.01, 0.02, notes=("one", "two")),
        Difference("m", "a", "c", 0.2, math.nan, 0.02, 0.02),
        Difference("n", "a", "b", -0.1, 0.05, 0.04, 0.04, lower_is_better=True),
    )
    tests = (Omnibus("m", 3.0, 2, 8.0, 0.03), Omnibus("n", note="none"))
    values = {"m": {"a": 0.5, "b": math.nan}, "n": {"a": 0.1}}
    return Comparison(values, rows, tests, "influence", 0.9, {"seed": 3})


def test_families_of_tests() -> None:
    """Over all rows, and back to those within each metric; in the order of the rows."""
    made = made_comparison()
    every = made.adjusted()
    assert [row.p_adjusted for row in every.differences] == pytest.approx([0.03, 0.04, 0.04])
    assert every.settings == {"seed": 3, "adjusted_for": "pairs of models and metrics together"}
    within = every.adjusted("pairs")
    assert [row.p_adjusted for row in within.differences] == pytest.approx([0.02, 0.02, 0.04])
    assert within.settings["adjusted_for"] == "pairs of models within each metric"
    assert [row.metric for row in within.differences] == ["m", "m", "n"]
    assert within.values is made.values and within.level == 0.9
    with pytest.raises(InvalidInput, match="over"):
        made.adjusted("metrics")  # type: ignore[arg-type]


def test_tables_and_json_by_hand() -> None:
    made = made_comparison()
    frame = made.frame()
    assert list(frame) == [
        *("metric", "model_a", "model_b", "difference", "standard_error"),
        *("low", "high", "p_value", "p_adjusted"),
    ]
    reach = norm.ppf(0.95) * 0.02
    assert frame["low"].iloc[0] == pytest.approx(0.1 - reach)
    wider = made.frame(0.99)
    assert wider["low"].iloc[0] == pytest.approx(0.1 - norm.ppf(0.995) * 0.02)
    assert row_of(made.differences[0], 0.9) == frame.iloc[0].to_dict()
    told = made.to_dict()
    assert told["level"] == 0.9 and made.to_dict(0.99)["level"] == 0.99
    assert made.to_dict(0.99)["differences"][0]["low"] == wider["low"].iloc[0]
    assert [row["direction"] for row in told["differences"]] == ["higher", "higher", "lower"]
    assert [row["note"] for row in told["differences"]] == ["one; two", "", ""]
    assert told["differences"][1]["standard_error"] is None
    assert told["values"] == {"m": {"a": 0.5, "b": None}, "n": {"a": 0.1}}
    assert told["omnibus"][1] == {
        "metric": "n",
        "statistic": None,
        "degrees_of_freedom": 0,
        "denominator_degrees_of_freedom": None,
        "p_value": None,
        "note": "none",
    }
    assert told["settings"] == {"seed": 3} and told["method"] == "influence"
    json.dumps(told, allow_nan=False)
    omnibus = made.omnibus()
    assert list(omnibus) == list(told["omnibus"][0]) and omnibus["p_value"].iloc[0] == 0.03


def test_printed_tables_say_the_level_and_the_test() -> None:
    made = made_comparison()
    lines = made.to_markdown(digits=2).splitlines()
    assert lines[0] == "| metric | models | difference (90 % interval) | p | p, adjusted |"
    assert lines[2] == "| m | a − b | 0.10 (0.07–0.13) | 0.010 | 0.020 |"
    assert lines[3] == "| m | a − c | 0.20 | 0.020 | 0.020 |"
    assert lines[4] == "| n | a − b | −0.10 (−0.18 to −0.02) | 0.040 | 0.040 |"
    wider = made.to_markdown(0.99).splitlines()
    assert "99 % interval" in wider[0] and "0.100 (0.048–0.152)" in wider[2]
    latex = made.to_latex(0.99, digits=1)
    assert r"difference (99 \% interval)" in latex and "0.1 (0.0--0.2)" in latex
    one_sided = compare(Y, MODELS, ["hand_till"], alternative="greater", level=0.9)
    assert "one-sided 90 % limit" in one_sided.to_markdown().splitlines()[0]
    assert repr(made).splitlines()[0].split()[:3] == ["metric", "model_a", "model_b"]
    assert "one; two" in made._repr_html_()


def test_what_is_said_of_the_cases_of_a_comparison() -> None:
    """Once for models on the same cases; of every sample where they are independent."""
    same = compare(Y, MODELS, ["aunp"]).differences[0]
    assert same.notes == (
        "fewer than 10 cases: z (7), y (9)",
        "class shares of the sample, treated as fixed",
    )
    random = compare(Y, MODELS, ["aunp"], groups=Design(sampling="random")).differences[0]
    assert random.notes[1] == "class shares of the sample, treated as estimates"
    given = compare(Y, MODELS, ["aunp"], priors=[0.2, 0.3, 0.5]).differences[0]
    assert given.notes[1] == "for the priors given"
    fewer = {"a": Y, "b": Y[1:-2]}
    scores = {"a": MODELS["a"], "b": MODELS["b"][1:-2]}
    apart = compare(fewer, scores, ["hand_till"]).differences[0]
    assert apart.notes == (
        "fewer than 10 cases: z (7), y (9)",
        "fewer than 10 cases: z (5), y (9)",
    )
    groups = compare(Y, MODELS, ["hand_till"], groups=np.arange(28) % 8).differences[0]
    assert groups.notes[-1] == "8 groups: standard errors from fewer than 10 are rough"


def test_rows_of_a_model_that_are_taken_by_position_are_told() -> None:
    index = pd.Index(np.arange(28))
    y = pd.Series(Y, index=index)
    shifted = pd.DataFrame(MODELS["b"], columns=list("xyz"), index=index + 100)
    first = pd.DataFrame(MODELS["a"], columns=list("xyz"), index=index)
    with pytest.warns(RowsByPosition):
        found = compare(y, {"a": first, "b": shifted}, ["hand_till"]).differences[0]
    assert any("taken by position: indexes differ" in note for note in found.notes)
    plain = compare(y, {"a": first, "b": first}, ["hand_till"]).differences[0]
    assert not any("by position" in note for note in plain.notes)


def test_samples_that_were_matched_by_position_remember_it() -> None:
    design = CaseDesign(by_position=("groups",))
    made = Samples(("a", "b"), (), (design, CaseDesign()), paired=True)
    named = made.matched_by_position(("sex", "site"))
    assert named.designs[0].by_position == ("groups", "sex", "site")
    assert named.designs[1].by_position == ("sex", "site")
    assert made.designs[0].by_position == ("groups",)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sample_weight": np.arange(28) + 1.0}, "Model 'b' has other true classes or weights"),
        ({"groups": np.arange(28) // 2}, "Model 'b' has other groups than 'a'"),
        ({"folds": np.arange(28) % 2}, "fold"),
        ({"slices": {"sex": np.arange(28) % 2}}, "Model 'b' has other slices than 'a'"),
    ],
)
def test_predictions_of_other_cases_are_refused(change: dict, message: str) -> None:
    first = Predictions(Y, MODELS["a"])
    with pytest.raises(InvalidInput, match=message):
        compare({"a": first, "b": Predictions(Y, MODELS["b"], **change)}, metrics=["hand_till"])
    both = {name: Predictions(Y, MODELS[name], **change) for name in "ab"}
    if "folds" not in change:
        assert len(compare(both, metrics=["hand_till"]).differences) == 1


def test_predictions_in_another_order_or_of_other_classes_are_refused() -> None:
    first = Predictions(Y, MODELS["a"])
    turned = Predictions(Y[::-1], MODELS["b"])
    with pytest.raises(InvalidInput, match="Model 'b' has other true classes or weights than 'a'"):
        compare({"a": first, "b": turned}, metrics=["hand_till"])
    fewer = Predictions(Y[:-1], MODELS["b"][:-1])
    with pytest.raises(InvalidInput, match="Model 'b' has other true classes or weights than 'a'"):
        compare({"a": first, "b": fewer}, metrics=["hand_till"])
    other = Predictions(np.char.upper(Y), MODELS["b"])
    with pytest.raises(InvalidInput, match=r"The models have different classes \('a': .*'b': "):
        compare({"a": first, "b": other}, metrics=["hand_till"])
    with pytest.raises(InvalidInput, match="at least two models, got 1"):
        compare({"a": first}, metrics=["hand_till"])
    groups = [Predictions(Y, MODELS[m], groups=np.arange(28) // n) for m, n in (("a", 2), ("b", 3))]
    with pytest.raises(InvalidInput, match="other groups"):
        compare(dict(zip("ab", groups, strict=True)), metrics=["hand_till"])


def test_options_of_independent_samples_are_mappings() -> None:
    """Each sample has weights, groups and folds of its own, or none has."""
    truth, scores = {"a": Y, "b": Y}, {name: MODELS[name] for name in "ab"}
    weights = {"a": np.ones(28), "b": 1.0 + np.arange(28) % 2}
    groups = {"a": np.arange(28) // 2, "b": np.arange(28)}
    found = compare(truth, scores, ["hand_till"], sample_weight=weights, groups=groups)
    for name in "ab":
        own = Predictions(Y, scores[name], sample_weight=weights[name])
        assert found.values["hand_till"][name] == pytest.approx(registry["hand_till"].of(own))
    plain = compare(truth, scores, ["hand_till"], sample_weight=weights)
    assert plain.differences[0].standard_error != found.differences[0].standard_error
    for option in ("sample_weight", "groups", "folds"):
        for wrong in (np.arange(28) + 1, {"a": np.arange(28) + 1}):
            with pytest.raises(InvalidInput, match=f"{option} must be a mapping with the models"):
                compare(truth, scores, ["hand_till"], **{option: wrong})
        with pytest.raises(InvalidInput, match=f"{option} is a mapping, but the models share"):
            compare(Y, scores, ["hand_till"], **{option: {"a": Y, "b": Y}})
    with pytest.raises(InvalidInput, match="Independent samples need the labels of each model"):
        compare({"a": Y}, scores, ["hand_till"])


def test_levels_and_margins_are_those_of_the_test() -> None:
    """Equivalence has the interval of 2 level − 1; a margin is less than the range."""
    with pytest.raises(InvalidInput, match=r"level must be above 0\.5"):
        compare(Y, MODELS, ["hand_till"], alternative="equivalent", margin=0.1, level=0.5)
    found = compare(Y, MODELS, ["hand_till"], alternative="equivalent", margin=0.999, level=0.51)
    assert all(row.p_value < 0.001 for row in found.differences)
    for method in ("influence", "bootstrap"):
        with pytest.raises(InvalidInput, match="margin must be less than 1, the range of"):
            compare(Y, MODELS, ["hand_till"], method=method, alternative="greater", margin=1.0)
