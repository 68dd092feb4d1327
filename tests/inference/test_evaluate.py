"""What an evaluation says: tables, intervals, reasons and notes."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm, t

from polyroc import (
    Bootstrap,
    Design,
    Predictions,
    compare,
    estimate,
    evaluate,
    hand_till,
    registry,
)
from polyroc.errors import InvalidInput
from polyroc.inference._estimates import estimate_metrics
from polyroc.inference._influence import CaseDesign
from polyroc.metrics.measure import CaseStatistics
from polyroc.results import Estimate, Evaluation

rng = np.random.default_rng(1)
Y = np.repeat(["a", "b", "c"], [20, 15, 12])
P = rng.dirichlet(np.ones(3), len(Y))
P[np.arange(len(Y)), np.searchsorted(["a", "b", "c"], Y)] += 0.4
P /= P.sum(axis=1, keepdims=True)
COLUMNS = ["metric", "value", "standard_error", "low", "high", "method", "note"]
TIES = ("strict", "lenient")
CORNERED = ("simplex_volume", "triangle_area", "total_length")


@pytest.fixture(scope="module")
def everything():
    return evaluate(Y, P, "all")


def codes(found: Estimate) -> set[str]:
    return {note.code for note in found.notes}


def test_frame(everything):
    frame = everything.frame()
    assert list(frame.columns) == COLUMNS
    assert list(frame["metric"]) == list(registry)
    assert list(frame["metric"]) == list(everything)
    for row in frame.itertuples():
        found = everything[row.metric]
        low, high, *_ = found.interval(0.95)
        expected = [found.value, found.standard_error, low, high]
        shown = [row.value, row.standard_error, row.low, row.high]
        np.testing.assert_array_equal(shown, expected)
        assert row.note == found.note


def test_values_are_those_of_the_functions(everything):
    for name, found in everything.items():
        if 3 in registry[name].classes:
            assert found.value == registry[name].function(Y, P)


def test_default_metrics():
    assert "roc_auc" not in evaluate(Y, P)
    assert "vus" in evaluate(Y, P)
    assert "roc_auc" in evaluate(Y[:35], P[:35, :2])


def test_one_metric(everything):
    found = estimate(Y, P, "auc_mu")
    assert (found.value, found.standard_error) == (
        everything["auc_mu"].value,
        everything["auc_mu"].standard_error,
    )
    assert estimate(Y, P).metric == "hand_till"
    assert dict(found.counts) == {"a": 20, "b": 15, "c": 12}


PLAIN = {"sampling": "stratified", "weights": "sampling", "groups": False}
OTHER = {"sampling": "random", "weights": "frequency", "groups": False}


@pytest.mark.parametrize("interval", ["influence", "bootstrap", None])
def test_results_say_how_they_were_made(interval):
    method = Bootstrap(9) if interval == "bootstrap" else interval
    options = {"interval": method, "rng": 4}
    drawn = {"n_replicates": 9, "seed": 4} if interval == "bootstrap" else {}
    design = Design(sampling="random", weights="frequency")
    other = {"groups": design, "sample_weight": np.full(len(Y), 2)}
    groups = np.repeat(np.arange(24), 2)[: len(Y)]
    assert dict(estimate(Y, P, **options).settings) == PLAIN | drawn
    assert dict(estimate(Y, P, **options, **other).settings) == OTHER | drawn
    grouped = estimate(Y, P, **options, groups=groups).settings
    assert dict(grouped) == PLAIN | {"groups": True} | drawn


@pytest.mark.parametrize("interval", ["influence", "bootstrap", None])
def test_results_without_an_error_say_so_too(interval):
    found = estimate(
        Y[:36], P[:36], interval=Bootstrap(9) if interval == "bootstrap" else interval, rng=4
    )
    drawn = {"n_replicates": 9, "seed": 4} if interval == "bootstrap" else {}
    assert math.isnan(found.standard_error)
    assert found.method == (interval or "value only")
    assert found.degrees_of_freedom == math.inf
    assert dict(found.settings) == PLAIN | drawn
    assert codes(found) == {"small-class", *(["one-case"] if interval else [])}


@pytest.mark.parametrize("interval", ["influence", None])
def test_random_tuples_are_told(interval):
    found = evaluate(Y, P, ["hum", "hand_till"], interval=interval, n_tuples=200, rng=4)
    assert dict(found["hum"].settings) == PLAIN | {"n_tuples": 200, "seed": 4}
    assert dict(found["hand_till"].settings) == PLAIN
    assert found["hum"].method == ("influence, random tuples" if interval else "value only")
    assert found["hand_till"].method == (interval or "value only")


def test_the_range_is_that_of_the_metric():
    wider = replace(registry["hand_till"], lowest=-1.0, highest=2.0)
    (found,) = estimate_metrics(CaseStatistics(Predictions(Y, P)), [wider], CaseDesign(), None)
    assert found.range == (-1, 2)
    assert found.interval(1 - 1e-12, scale="plain").high > 1


def test_a_metric_that_was_not_asked_for():
    with pytest.raises(KeyError, match=r"^'vus' was not evaluated\. There are hand_till\.$"):
        evaluate(Y, P, ["hand_till"])["vus"]


def test_json(everything):
    made = json.loads(json.dumps(everything.to_dict(), allow_nan=False))
    assert [each["metric"] for each in made["metrics"]] == list(registry)
    assert made["level"] == 0.95
    missing = next(each for each in made["metrics"] if each["metric"] == "roc_auc")
    assert (missing["value"], missing["standard_error"], missing["low"]) == (None, None, None)
    assert missing["notes"][0]["code"] == "not-defined"
    hand_till = next(each for each in made["metrics"] if each["metric"] == "hand_till")
    assert hand_till["value"] == everything["hand_till"].value
    assert hand_till["counts"] == {"a": 20, "b": 15, "c": 12}


@pytest.mark.parametrize("options", [{"interval": Bootstrap(20, 1)}, {}])
@pytest.mark.parametrize("labels", [[0, 1, 2], [True, False], ["x", "y", "z"]])
def test_json_of_other_labels_and_methods(options, labels):
    y = np.array(labels)[np.arange(len(Y)) % len(labels)]
    made = evaluate(y, P[:, : len(labels)], "all", **options).to_dict(0.8)
    assert json.loads(json.dumps(made, allow_nan=False))["level"] == 0.8


def test_repr(everything):
    found = everything["hand_till"]
    low, high, *_ = found.interval()
    assert repr(found) == (f"hand_till = {found.value:.4f} (95 % interval {low:.4f} to {high:.4f})")
    lines = repr(everything).splitlines()
    assert lines[0].split() == COLUMNS
    assert len(lines) == 1 + len(everything)
    line = next(line for line in lines if line.startswith("roc_auc"))
    assert "–" in line and "nan" not in line


def test_html_escapes_names():
    y = np.where(Y == "c", "<b>c</b>", Y)[:40]
    made = evaluate(y, P[:40], labels=["a", "b", "<b>c</b>"])._repr_html_()
    assert "<b>" not in made
    assert "&lt;b&gt;c&lt;/b&gt; (5)" in made
    assert made.count("<tr>") == 1 + len(evaluate(Y, P))


def test_wrong_number_of_classes(everything):
    for name in ("roc_auc", "probabilistic_auc", "scored_auc"):
        found = everything[name]
        assert math.isnan(found.value) and math.isnan(found.standard_error)
        assert codes(found) == {"not-defined"}
        assert "defined for 2 classes, but there are 3" in found.note
        assert all(math.isnan(limit) for limit in found.interval()[:2])
    two = evaluate(Predictions(Y[:35], P[:35, :2], normalize=True), metrics=["triangle_area"])[
        "triangle_area"
    ]
    assert math.isnan(two.value) and "simplex_volume" in two.note


def test_scores_that_are_no_probabilities():
    found = evaluate(Y, np.log(P), ["hand_till", "total_length"])
    assert math.isfinite(found["hand_till"].standard_error)
    assert math.isnan(found["total_length"].value)
    assert "scipy.special.softmax(scores, axis=1)" in found["total_length"].note


@pytest.mark.parametrize("name", [name for name in registry if 3 in registry[name].classes])
def test_one_case_in_a_class(name):
    found = evaluate(Y[:36], P[:36], [name])[name]
    assert math.isfinite(found.value) and math.isnan(found.standard_error)
    assert "one-case" in codes(found)
    assert "class 'c' has one case" in found.note
    assert all(math.isnan(limit) for limit in found.interval()[:2])


@pytest.mark.parametrize("name", [name for name in registry if 3 in registry[name].classes])
@pytest.mark.parametrize("sizes", [(4, 4, 4), (10, 10, 10), (7, 5, 3)])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_value_of_exactly_one(name, sizes, weighted):
    y = np.repeat([0, 1, 2], sizes)
    w = np.random.default_rng(3).random(len(y)) + 0.1 if weighted else None
    found = evaluate(y, np.eye(3)[y], [name], sample_weight=w)[name]
    assert found.value == pytest.approx(1, abs=1e-12)
    assert math.isnan(found.standard_error)
    assert codes(found) & {"no-variation", "no-derivative"}
    low, high, _, scale = found.interval()
    # G is steep: rates of ¼ leave next to nothing of it. The sign of a determinant of few cases is
    # not known.
    least = 0 if name in ("gini", "simplex_volume", "triangle_area") else 0.1
    assert least <= low < 0.97 and high == 1 and scale == "wilson"
    assert all(math.isnan(limit) for limit in found.interval(scale="logit")[:2])


def test_separated_but_not_certain():
    y = np.repeat([0, 1, 2], 10)
    p = np.clip(np.eye(3)[y], 0.1, 0.8) + np.random.default_rng(0).uniform(0, 1e-3, (30, 3))
    found = evaluate(
        Predictions(y, p, normalize=True), metrics=["hand_till", "vus", "total_length"]
    )
    assert codes(found["hand_till"]) == codes(found["vus"]) == {"no-variation"}
    assert found["total_length"].standard_error > 0


@pytest.mark.parametrize("name", ["simplex_volume", "triangle_area"])
def test_corner_of_the_volume(name):
    found = evaluate([0, 0, 1, 1, 2, 2], np.tile([0.5, 0.25, 0.25], (6, 1)), [name])[name]
    assert found.value == 0
    assert math.isnan(found.standard_error)
    assert "no-derivative" in codes(found) and "lower dimension" in found.note


def test_corner_of_the_total_length():
    p = np.array([[1, 0, 0], [1, 0, 0], [0.2, 0.6, 0.2], [0, 0.8, 0.2], [0.5, 0, 0.5], [0, 0, 1]])
    found = evaluate([0, 0, 1, 1, 2, 2], p, ["total_length"])["total_length"]
    assert math.isnan(found.standard_error)
    assert "no-derivative" in codes(found) and "class 0 is in its corner" in found.note


class TestNotes:
    def test_none(self):
        assert evaluate(Y, P, ["hand_till"])["hand_till"].notes == ()

    def test_tied_scores(self):
        found = evaluate(Y, P.round(1), ["hand_till", "pdi"])
        for each in found.values():
            assert codes(each) == {"tied-scores"}
            assert " % of pairs are tied" in each.note

    def test_share_of_tied_pairs(self):
        """One of the four pairs of each column is tied."""
        found = evaluate([0, 0, 1, 1], [0.2, 0.5, 0.5, 0.7], ["roc_auc"])["roc_auc"]
        assert "25.0 % of pairs are tied" in found.note

    @pytest.mark.parametrize("n_classes", [2, 3, 4])
    def test_share_of_tied_pairs_by_counting(self, n_classes):
        """Ties in one column only, towards the class before: half of the pairs of two classes."""
        y = np.repeat(np.arange(n_classes), 10)
        p = np.random.default_rng(2).random((len(y), n_classes))
        p[y == 0, 1] = p[y == 1, 1] = 0.5
        pairs = n_classes * (n_classes - 1) * 100
        said = f"{1e4 / pairs:.1f} % of pairs are tied"
        assert evaluate(y, p, ["hand_till"])["hand_till"].note == said

    @pytest.mark.parametrize("n_classes", [2, 3, 4])
    def test_share_of_pairs_tied_towards_the_class_after(self, n_classes):
        """Ties in the first column only: no pair is tied in the columns of the classes after."""
        y = np.repeat(np.arange(n_classes), 10)
        p = np.random.default_rng(2).random((len(y), n_classes))
        p[y == 0, 0] = p[y == 1, 0] = 0.5
        pairs = n_classes * (n_classes - 1) * 100
        said = f"{1e4 / pairs:.1f} % of pairs are tied"
        assert evaluate(y, p, ["hand_till"])["hand_till"].note == said

    @pytest.mark.parametrize(("column", "said"), [(0, ""), (1, "100.0 % of pairs are tied")])
    def test_two_classes_compare_the_second_column(self, column, said):
        p = np.random.default_rng(2).random((40, 2))
        p[:, column] = 0.5
        note = evaluate(np.arange(40) % 2, p, ["roc_auc"])["roc_auc"].note
        assert note.startswith(said) and ("tied" in note) == bool(said)

    @pytest.mark.parametrize(
        ("metric", "without"), [("hand_till", "42.9"), ("auc_mu", "42.9"), ("pdi", "100.0")]
    )
    def test_share_of_tied_pairs_in_folds(self, metric, without):
        """In one fold all pairs are tied, in the other, of four times as many pairs, none."""
        y = np.concatenate([np.tile([0, 1, 2], 10), np.tile([0, 1, 2], 20)])
        folds = np.repeat([0, 1], [30, 60])
        p = np.random.default_rng(2).random((90, 3))
        p[folds == 0] = 1 / 3
        assert "20.0 % of pairs are tied" in evaluate(y, p, [metric], folds=folds)[metric].note
        rest = (folds == 0) | (y < 2)  # 3 · 10² of 3 · 10² + 20²; tuples only in the first fold
        few = evaluate(y[rest], p[rest], [metric], folds=folds[rest], absent="skip")[metric]
        assert f"{without} % of pairs are tied" in few.note

    def test_share_of_tied_margins_by_counting(self):
        """A pair of classes has its margins compared once: 100 of three times 100 pairs."""
        y = np.repeat([0, 1, 2], 10)
        p = np.random.default_rng(2).random((30, 3))
        p[y < 2, 1] = p[y < 2, 0] + 0.25
        p[y < 2] = np.round(p[y < 2] * 64) / 64
        assert evaluate(y, p, ["auc_mu"])["auc_mu"].note == "33.3 % of pairs are tied"

    @pytest.mark.parametrize(("size", "told"), [(50, True), (51, False)])
    def test_shares_that_round_to_nothing_are_not_told(self, size, told):
        """One pair in 40 × 50 rounds to 0.1 %, one in 40 × 51 to 0.0 %."""
        scores = np.arange(40.0 + size)
        scores[40] = scores[39]
        found = evaluate(np.repeat([0, 1], [40, size]), scores, ["roc_auc"])["roc_auc"]
        assert ("tied-scores" in codes(found)) == told

    @pytest.mark.parametrize(("size", "told"), [(9, True), (10, False)])
    def test_ten_cases_are_enough(self, size, told):
        found = evaluate(Y[: 35 + size], P[: 35 + size], ["hand_till"])["hand_till"]
        assert ("small-class" in codes(found)) == told

    def test_small_classes(self):
        found = evaluate(Y[:40], P[:40], ["hand_till"])["hand_till"]
        assert codes(found) == {"small-class"}
        assert found.note == "fewer than 10 cases: c (5)"

    def test_ties_matter(self):
        coarse = np.random.default_rng(6).multinomial(4, [1 / 3] * 3, len(Y)) / 4
        for name, each in evaluate(Y, coarse, ["vus", "vus2"]).items():
            assert codes(each) == {"ties-matter"}
            strict, lenient = (
                registry[name].function(Y, coarse, ties=ties) for ties in ("strict", "lenient")
            )
            assert each.note == f"ties: {strict:.4f} if wrong, {lenient:.4f} if right"

    def test_ties_that_change_no_decimal_are_not_told(self):
        """One case is tied with another, and weighs little: in steps that decimals do not show."""
        p = P.copy()
        p[0] = p[20]
        seen = set()
        for weight in np.arange(1, 41) / 512:
            cases = Predictions(Y, p, sample_weight=np.append(weight, np.ones(len(Y) - 1)))
            strict, lenient = (registry["vus"].function(cases, ties=t) for t in TIES)
            wrong, right = f"{strict:.4f}", f"{lenient:.4f}"
            shown, large = wrong != right, lenient - strict >= 5e-5
            found = evaluate(cases, metrics=["vus"])["vus"]
            assert (f"ties: {wrong} if wrong, {right} if right" in found.note) == (shown and large)
            assert ("ties-matter" in codes(found)) == (shown and large)
            seen.add((shown, large))
        assert seen >= {(True, True), (False, True), (False, False)}

    @pytest.mark.parametrize("name", ["au1p", "aunu", "aunp"])
    @pytest.mark.parametrize(
        ("options", "code"),
        [
            ({}, "priors-fixed"),
            ({"groups": Design(sampling="random")}, "priors-sampled"),
            ({"priors": {"a": 0.5, "b": 0.3, "c": 0.2}}, "priors-given"),
        ],
    )
    def test_priors(self, name, options, code):
        assert codes(evaluate(Y, P, [name], **options)[name]) == {code}
        assert codes(evaluate(Y, P, ["hand_till"], **options)["hand_till"]) == set()

    def test_skipped_classes(self):
        wide = np.column_stack([P[:35, :2], P[:35, 2], np.zeros(35)])
        labels = ["a", "b", "none here", "nor here"]
        found = evaluate(Y[:35], wide, ["hand_till"], labels=labels, absent="skip")["hand_till"]
        assert codes(found) == {"skipped-classes"}
        assert "none here, nor here" in found.note
        assert list(found.counts) == ["a", "b"]


class TestIntervals:
    @pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
    def test_formulas(self, everything, level):
        found = everything["hand_till"]
        value, error = found.value, found.standard_error
        quantile = t.ppf((1 + level) / 2, found.degrees_of_freedom)
        plain = found.interval(level, scale="plain")
        assert plain[:2] == pytest.approx((value - quantile * error, value + quantile * error))
        reach = quantile * error / (value * (1 - value))
        limits = expit([logit(value) - reach, logit(value) + reach])
        assert found.interval(level, scale="logit")[:2] == pytest.approx(limits, rel=1e-12)
        normal = found.interval(level, scale="plain", small_sample=False)
        assert normal.high == pytest.approx(value + norm.ppf((1 + level) / 2) * error)

    def test_stay_in_the_range(self, everything):
        for name, found in everything.items():
            if 3 not in registry[name].classes:
                continue
            for level in (0.5, 0.95, 0.999999):
                low, high, said, scale = found.interval(level)
                assert found.range[0] <= low < found.value < high <= found.range[1]
                assert (said, scale) == (level, "wilson")

    def test_wider_with_the_level(self, everything):
        found = everything["vus"]
        widths = [np.ptp(found.interval(level)[:2]) for level in (0.5, 0.8, 0.95, 0.99)]
        assert widths == sorted(widths)

    def test_level_of_the_tables(self):
        found = evaluate(Y, P, ["hand_till"], level=0.8)
        assert found.frame()["low"][0] == found["hand_till"].interval(0.8).low
        assert found.frame(0.99)["low"][0] == found["hand_till"].interval(0.99).low
        assert found.to_dict()["level"] == 0.8
        assert found.to_dict(0.6)["metrics"][0]["low"] == found["hand_till"].interval(0.6).low

    @pytest.mark.parametrize("level", [0, 1, 95, -0.1, math.nan])
    def test_level_out_of_range(self, everything, level):
        with pytest.raises(InvalidInput, match="level must lie between 0 and 1"):
            everything["hand_till"].interval(level)
        with pytest.raises(InvalidInput, match="level must lie between 0 and 1"):
            everything.frame(level)
        with pytest.raises(InvalidInput, match="level must lie between 0 and 1"):
            evaluate(Y, P, ["hand_till"], level=level)

    def test_unknown_scale(self, everything):
        for name in ("hand_till", "roc_auc"):
            with pytest.raises(InvalidInput, match='scale must be "wilson"'):
                everything[name].interval(scale="probit")

    def test_replicates_are_needed(self, everything):
        with pytest.raises(InvalidInput, match='Pass interval="bootstrap"'):
            everything["hand_till"].interval(scale="bca")

    def test_values_only(self):
        found = evaluate(Y, P, ["hand_till"], interval=None)["hand_till"]
        assert found.value == registry["hand_till"].function(Y, P)
        assert math.isnan(found.standard_error)
        assert found.method == "value only"

    def test_methods(self, everything):
        assert everything["hand_till"].method == "influence"
        with pytest.raises(
            InvalidInput, match='"influence", "bootstrap", a Bootstrap or None, got \'exact\''
        ):
            evaluate(Y, P, interval="exact")

    def test_small_class_widens(self):
        """t quantiles: a class of three cases that makes up most of the variance."""
        found = evaluate(Y[:38], P[:38], ["hand_till"])["hand_till"]
        assert found.degrees_of_freedom < 10
        wide, normal = (found.interval(0.95, small_sample=small) for small in (True, False))
        assert wide.low < normal.low and wide.high > normal.high


def test_results_are_frozen(everything):
    with pytest.raises(AttributeError):
        everything["hand_till"].value = 1
    with pytest.raises(AttributeError):
        everything.level = 0.5
    assert isinstance(everything, Evaluation)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": [1, 2]}, "Pass one group per case"),
        ({"groups": np.zeros((47, 2))}, r"one group per case, got an array of shape \(47, 2\)"),
        ({"groups": 3}, r"one group per case, got an array of shape \(\)"),
        ({"groups": [*range(46), None]}, "groups has a missing value in row 46"),
        ({"groups": [*range(46), math.nan]}, "groups has a missing value in row 46"),
        (
            {"groups": Design(np.arange(47), weights="frequency"), "sample_weight": np.ones(47)},
            "exclude each other",
        ),
    ],
)
def test_refusals(options, message):
    with pytest.raises(InvalidInput, match=message):
        evaluate(Y, P, ["hand_till"], **options)


def test_designs_that_do_not_exist():
    with pytest.raises(InvalidInput, match='weights must be "sampling" or "frequency"'):
        Design(weights="copies")
    with pytest.raises(InvalidInput, match='sampling must be "stratified" or "random"'):
        Design(sampling="fixed")


def test_groups_in_predictions():
    """They belong to the cases: dropped with cases of weight 0, and not given twice."""
    groups, weights = np.arange(len(Y)) // 2, np.ones(len(Y))
    weights[::5] = 0
    beside = evaluate(Y, P, ["hand_till"], groups=groups, sample_weight=weights)["hand_till"]
    cases = Predictions(Y, P, sample_weight=weights, groups=groups)
    np.testing.assert_array_equal(cases.groups, groups[weights > 0])
    assert evaluate(cases, metrics=["hand_till"])["hand_till"] == beside
    later = evaluate(Predictions(Y, P, sample_weight=weights), metrics="hand_till", groups=groups)
    assert later["hand_till"] == beside
    with pytest.raises(
        InvalidInput, match="groups cannot be given together with Predictions that have"
    ):
        evaluate(cases, groups=groups)


def test_notes_name_some_of_many_classes():
    """A note says how many classes there are, not all of their names."""
    labels = [f"species {k}" for k in range(300)]
    y = np.array(labels)[np.arange(400) % 250]
    scores = np.random.default_rng(0).random((400, 300))
    found = evaluate(y, scores, ["aunu"], labels=labels, absent="skip")["aunu"]
    skipped, small = (note.text for note in found.notes[:2])
    names = ", ".join(labels[250:260])
    assert skipped == f"without the classes {names} and 40 more, which have no cases"
    one = evaluate([0, 1, 0, 1], np.eye(3)[[0, 1, 0, 1]], ["aunu"], labels=range(3), absent="skip")
    assert one["aunu"].notes[0].text == "without the class 2, which has no cases"
    names = ", ".join(f"{label} (1)" for label in labels[150:158])
    assert small == f"fewer than 10 cases: {names} and 242 more classes"


def test_covariances_of_metrics():
    """Sums over the cases of products of contributions; of a bootstrap, over its replicates."""
    names = ["hand_till", "aunp", "pdi", "roc_auc", "total_length"]
    predictions = Predictions(Y, P)
    found = evaluate(predictions, metrics=names)
    matrix = found.covariance()
    sizes = predictions.class_counts[predictions.codes]
    for a in names:
        for b in names:
            if "roc_auc" in (a, b):
                assert math.isnan(matrix.loc[a, b])
                continue
            phi = [registry[name].influence(predictions).cases for name in (a, b)]
            expected = sum(
                x * y / (n * (n - 1)) for x, y, n in zip(*phi, sizes.tolist(), strict=True)
            )
            assert matrix.loc[a, b] == pytest.approx(expected, rel=1e-10)
    assert matrix.loc["pdi", "pdi"] == pytest.approx(found["pdi"].standard_error ** 2)
    drawn = evaluate(predictions, metrics=names[:3], interval=Bootstrap(300), rng=1)
    rows = [drawn[name].replicates for name in names[:3]]
    np.testing.assert_allclose(drawn.covariance().to_numpy(), np.cov(rows), rtol=1e-10)
    with pytest.raises(InvalidInput, match="no covariances without standard errors"):
        evaluate(predictions, metrics=names, interval=None).covariance()


def test_a_metric_that_does_not_exist_leaves_the_others():
    """Four classes have too many tuples to be enumerated; nothing else depends on them."""
    y = np.arange(600) % 4
    p = np.random.default_rng(0).dirichlet(np.ones(4), 600) * 0.8 + 0.2 * np.eye(4)[y]
    found = evaluate(y, p, ["hand_till", "vus"])
    assert found["hand_till"].value == pytest.approx(hand_till(y, p))
    assert found["hand_till"].standard_error > 0
    assert math.isnan(found["vus"].value) and "n_tuples=" in str(found["vus"].notes)
    rows = compare(y, {"a": p, "b": p[:, [1, 0, 2, 3]]}, ["hand_till", "vus"]).frame()
    assert rows["difference"].notna().tolist() == [True, False]
