"""Comparisons: differences, tests, adjustment, and what is refused."""

import json
import math
from dataclasses import fields, replace
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chi2, f, norm
from twins.inference import holm as slow_holm
from twins.inference import joint_freedom
from twins.methods import method_of

from polyroc import Bootstrap, Design, Predictions, compare, evaluate, hand_till, registry
from polyroc.errors import InvalidInput, InvalidType
from polyroc.inference._comparison import Difference, Omnibus, holm

rng = np.random.default_rng(2)
Y = np.repeat([0, 1, 2], [24, 16, 12])


def scores(strength: float, y: np.ndarray = Y, rng: np.random.Generator = rng) -> np.ndarray:
    raw = rng.normal(size=(len(y), 3))
    raw[np.arange(len(y)), y] += strength
    p = np.exp(raw)
    return p / p.sum(axis=1, keepdims=True)


MODELS = {"strong": scores(1.5), "weak": scores(0.7), "third": scores(1.2)}
PAIR = {name: MODELS[name] for name in ("strong", "weak")}
NAMES = [name for name in registry if 3 in registry[name].classes]
COLUMNS = (
    "metric model_a model_b difference standard_error low high p_value p_adjusted".split()  # noqa: SIM905
)


@pytest.fixture(scope="module")
def found():
    return compare(Y, MODELS, NAMES)


def test_frame(found):
    frame = found.frame()
    assert list(frame.columns) == COLUMNS
    pairs = list(combinations(MODELS, 2))
    assert list(zip(frame["model_a"], frame["model_b"], strict=True)) == pairs * len(NAMES)
    assert list(frame["metric"]) == [name for name in NAMES for _ in pairs]


def test_differences_are_those_of_the_values(found):
    for row in found.frame().itertuples():
        values = [registry[row.metric].function(Y, MODELS[m]) for m in (row.model_a, row.model_b)]
        assert row.difference == values[0] - values[1]
        assert found.values[row.metric][row.model_a] == values[0]


def test_normal_tests():
    for row in compare(Y, MODELS, NAMES, reference="normal").frame(0.9).itertuples():
        z = row.difference / row.standard_error
        assert row.p_value == pytest.approx(2 * norm.sf(abs(z)), rel=1e-12)
        reach = norm.ppf(0.95) * row.standard_error
        assert (row.low, row.high) == pytest.approx(
            (row.difference - reach, row.difference + reach)
        )


def test_level():
    made = compare(Y, PAIR, ["hand_till"], level=0.5)
    assert made.frame()["low"][0] == made.frame(0.5)["low"][0] > made.frame(0.9)["low"][0]
    assert made.to_dict()["level"] == 0.5


@pytest.mark.parametrize("method", ["influence", "bootstrap", "permutation"])
@pytest.mark.parametrize("level", [0, 1, 95])
def test_level_out_of_range(method, level):
    with pytest.raises(InvalidInput, match="level must lie between 0 and 1"):
        compare(Y, PAIR, ["hand_till"], method=method_of(method, 20), level=level).frame()


@pytest.mark.parametrize("method", ["influence", "bootstrap", "permutation"])
def test_order_of_the_models(method):
    """compare(a, b) is −compare(b, a)."""
    options = {"method": method_of(method, 12, 3)}
    forward = compare(Y, PAIR, NAMES, **options).frame()
    backward = compare(Y, dict(reversed(PAIR.items())), NAMES, **options).frame()
    np.testing.assert_array_equal(forward["difference"], -backward["difference"])
    np.testing.assert_allclose(forward["low"], -backward["high"], rtol=0, atol=1e-15)
    for column in ("standard_error", "p_value", "p_adjusted"):
        np.testing.assert_allclose(forward[column], backward[column], rtol=1e-12)


def test_json(found):
    made = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [list(row)[:9] for row in made["differences"]] == [COLUMNS] * len(NAMES) * 3
    assert made["values"]["hand_till"]["weak"] == found.values["hand_till"]["weak"]
    assert len(made["omnibus"]) == len(NAMES)


@pytest.mark.parametrize("method", ["influence", "bootstrap", "permutation"])
@pytest.mark.parametrize("second", ["strong", "weak"])
def test_json_of_what_does_not_exist(method, second):
    """Identical models and metrics of two classes: None, never NaN."""
    models = {"one": MODELS["strong"], "two": MODELS[second]}
    made = compare(Y, models, ["hand_till", "roc_auc"], method=method_of(method, 20, 1))
    json.dumps(made.to_dict(), allow_nan=False)


def test_repr(found):
    lines = repr(found).splitlines()
    assert lines[0].split()[:9] == COLUMNS
    assert len(lines) == 1 + 3 * len(NAMES)


def test_html_escapes_names():
    made = compare(Y, {"<i>one</i>": PAIR["weak"], "a & b": PAIR["strong"]}, ["hand_till"])
    html = made._repr_html_()
    assert "<i>" not in html
    assert "&lt;i&gt;one&lt;/i&gt;" in html and "a &amp; b" in html


class TestHolm:
    def test_by_hand(self):
        """3 · .01 = .03; 2 · .03 = .06; 1 · .04 is less than .06, so .06."""
        rows = [Difference("m", "a", "b", 0.1, 0.1, p) for p in (0.01, 0.04, 0.03)]
        assert [row.p_adjusted for row in holm(rows)] == pytest.approx([0.03, 0.06, 0.06])

    def test_at_most_one(self):
        rows = [Difference("m", "a", "b", 0.1, 0.1, p) for p in (0.6, 0.9)]
        assert [row.p_adjusted for row in holm(rows)] == [1, 1]

    def test_missing_tests_do_not_count(self):
        rows = [Difference("m", "a", "b", 0.1, 0.1, p) for p in (0.02, math.nan, 0.03)]
        adjusted = [row.p_adjusted for row in holm(rows)]
        assert adjusted[0::2] == pytest.approx([0.04, 0.04]) and math.isnan(adjusted[1])

    @pytest.mark.parametrize("seed", range(20))
    def test_against_a_slow_twin(self, seed):
        generator = np.random.default_rng(seed)
        p = generator.choice([0.001, 0.01, 0.02, 0.2, 0.5, 1], generator.integers(1, 11)).tolist()
        rows = [Difference("m", "a", "b", 0.1, 0.1, value) for value in p]
        assert [row.p_adjusted for row in holm(rows)] == pytest.approx(slow_holm(p), rel=1e-14)

    def test_within_each_metric(self, found):
        for _, part in found.frame().groupby("metric"):
            expected = slow_holm(part["p_value"].tolist())
            assert part["p_adjusted"].tolist() == pytest.approx(expected, rel=1e-12)


class TestOmnibus:
    def test_two_models(self):
        """F is t², and χ² is Z², with the same p-values."""
        for reference in ("t", "normal"):
            made = compare(Y, PAIR, NAMES, reference=reference)
            for row, test in zip(made.differences, made.omnibus_tests, strict=True):
                z = row.difference / row.standard_error
                assert test.statistic == pytest.approx(z**2, rel=1e-9)
                assert test.degrees_of_freedom == 1
                freedom = row.degrees_of_freedom
                assert test.denominator_degrees_of_freedom == pytest.approx(freedom, rel=1e-9)
                assert test.p_value == pytest.approx(row.p_value, rel=1e-9)

    def test_by_definition(self, found):
        """dᵀ S⁻¹ d for the differences from the first model, S from influence values."""
        predictions = [Predictions(Y, each) for each in MODELS.values()]
        normal = compare(Y, MODELS, NAMES, reference="normal").omnibus_tests
        for test, by_f in zip(normal, found.omnibus_tests, strict=True):
            metric = registry[test.metric]
            phi = [metric.influence(each).cases for each in predictions]
            values = [metric.of(each) for each in predictions]
            gaps = np.array([phi[0] - phi[1], phi[0] - phi[2]])
            parts = [gaps[:, members] for members in np.arange(3)[:, None] == Y]
            spread = sum(np.cov(part) / part.shape[1] for part in parts)
            d = np.array([values[0] - values[1], values[0] - values[2]])
            statistic = d @ np.linalg.solve(spread, d)
            assert test.statistic == pytest.approx(statistic, rel=1e-8)
            assert test.degrees_of_freedom == 2
            assert test.p_value == pytest.approx(chi2.sf(statistic, 2), rel=1e-8)
            freedom = joint_freedom([np.cov(part) / part.shape[1] for part in parts], [23, 15, 11])
            assert by_f.denominator_degrees_of_freedom == pytest.approx(freedom - 1, rel=1e-8)
            ratio = statistic * (freedom - 1) / freedom / 2
            assert by_f.statistic == pytest.approx(ratio, rel=1e-8)
            assert by_f.p_value == pytest.approx(f.sf(ratio, 2, freedom - 1), rel=1e-8)

    def test_order_does_not_matter(self, found):
        turned = compare(Y, dict(reversed(MODELS.items())), NAMES).omnibus_tests
        for one, other in zip(found.omnibus_tests, turned, strict=True):
            assert one.statistic == pytest.approx(other.statistic, rel=1e-8)

    def test_a_model_twice(self):
        """Two of three models are the same: one degree of freedom is left."""
        made = compare(Y, {**PAIR, "weak again": PAIR["weak"]}, ["pdi"])
        (test,) = made.omnibus_tests
        z = made.differences[0].difference / made.differences[0].standard_error
        assert test.degrees_of_freedom == 1
        assert test.statistic == pytest.approx(z**2, rel=1e-8)

    def test_frame(self, found):
        frame = found.omnibus()
        assert list(frame.columns) == [field.name for field in fields(Omnibus)]
        assert list(frame["metric"]) == NAMES


@pytest.mark.parametrize("method", ["influence", "bootstrap"])
def test_identical_models(method):
    made = compare(
        Y, {"one": PAIR["weak"], "two": PAIR["weak"]}, NAMES, method=method_of(method, 20, 1)
    )
    for row in made.differences:
        assert row.difference == 0
        assert math.isnan(row.standard_error) and math.isnan(row.p_value)
        assert "the models agree on every case" in row.note
    assert all(math.isnan(test.p_value) for test in made.omnibus_tests)


@pytest.mark.parametrize("method", ["influence", "bootstrap"])
@pytest.mark.parametrize("large", list(PAIR))
def test_variation_is_seen_against_the_larger_scale(monkeypatch, method, large):
    """Of numbers as large as 10¹² a difference below 1 is rounding, in whichever model they are."""
    plain, first = registry["hand_till"], hand_till(Y, PAIR[large])

    def gradient(pairs):
        scale = 1e12 if plain.at(pairs) == first else 1.0
        return plain.gradient(pairs)._replace(scale=scale)

    options = {"method": method_of(method, 20, 0)}
    assert compare(Y, PAIR, ["hand_till"], **options).differences[0].standard_error > 0
    monkeypatch.setitem(registry._metrics, "hand_till", replace(plain, gradient=gradient))
    (row,) = compare(Y, PAIR, ["hand_till"], **options).differences
    assert math.isnan(row.standard_error) and row.note.startswith("no standard error: no variation")


def test_models_with_the_same_order_of_scores():
    """Rank metrics see no difference between a model and its cubed probabilities."""
    cubed = {"p": PAIR["weak"], "p³": PAIR["weak"] ** 3}
    for row in compare(Y, cubed, ["hand_till", "aunu", "pdi"]).differences:
        assert row.difference == 0 and math.isnan(row.p_value)
        assert "the models agree on every case" in row.note


class TestIndependentSamples:
    def test_variances_add(self):
        other = np.repeat([0, 1, 2], [9, 11, 30])
        models = {"here": PAIR["strong"], "there": scores(0.5, other)}
        made = compare({"here": Y, "there": other}, models, NAMES)
        here, there = evaluate(Y, models["here"], NAMES), evaluate(other, models["there"], NAMES)
        for row in made.differences:
            parts = here[row.metric], there[row.metric]
            assert row.difference == parts[0].value - parts[1].value
            error = math.hypot(*(part.standard_error for part in parts))
            assert row.standard_error == pytest.approx(error, rel=1e-12)

    def test_weights_and_groups_by_model(self):
        truths = {"one": Y, "two": Y[6:46]}
        models = {"one": PAIR["strong"], "two": PAIR["weak"][6:46]}
        weights = {"one": rng.uniform(1, 2, len(Y)), "two": rng.uniform(1, 2, 40)}
        groups = {"one": np.arange(len(Y)) // 2, "two": np.arange(40) // 3}
        (row,) = compare(
            truths, models, ["hand_till"], sample_weight=weights, groups=groups
        ).differences
        errors = [
            evaluate(
                truths[m], models[m], ["hand_till"], sample_weight=weights[m], groups=groups[m]
            )["hand_till"].standard_error
            for m in models
        ]
        assert row.standard_error == pytest.approx(math.hypot(*errors), rel=1e-12)

    def test_the_same_cases_are_not_the_same_sample(self):
        paired = compare(Y, PAIR, ["hand_till"]).differences[0]
        apart = compare(dict.fromkeys(PAIR, Y), PAIR, ["hand_till"]).differences[0]
        assert paired.difference == apart.difference
        assert paired.standard_error != apart.standard_error

    def test_bootstrap(self):
        made = compare(
            dict.fromkeys(PAIR, Y), PAIR, ["hand_till"], method=Bootstrap(rng=1)
        ).differences[0]
        exact = compare(dict.fromkeys(PAIR, Y), PAIR, ["hand_till"]).differences[0]
        assert made.standard_error == pytest.approx(exact.standard_error, rel=0.1)

    def test_replicates_of_the_bootstrap(self):
        """Those of each model alone, with seeds of their own."""
        y, names = dict.fromkeys(PAIR, Y), ["hand_till", "pdi"]
        made = compare(y, PAIR, names, method=Bootstrap(20, 6))
        alone = [
            evaluate(Y, scores, names, interval=Bootstrap(20), rng=7 + m)
            for m, scores in enumerate(PAIR.values())
        ]
        for row in made.differences:
            first, second = (found[row.metric].replicates for found in alone)
            np.testing.assert_array_equal(row.replicates, first - second)

    def test_no_permutation(self):
        with pytest.raises(InvalidInput, match="needs models on the same cases"):
            compare(dict.fromkeys(PAIR, Y), PAIR, ["hand_till"], method="permutation")

    def test_labels_of_each(self):
        with pytest.raises(InvalidInput, match="Independent samples need the labels of each"):
            compare({"strong": Y}, PAIR, ["hand_till"])


def test_different_cases_are_refused():
    with pytest.raises(InvalidInput) as refused:
        compare(Y, {"all": PAIR["strong"], "some": PAIR["weak"][:40]}, ["hand_till"])
    assert str(refused.value) == (
        "Model 'some': y_true has 52 cases but y_score has 40. Pass one label and one row of "
        "scores per case. Models on different cases are independent samples: pass y_true as a "
        "mapping from model to labels."
    )


def test_weights_by_model_are_refused_for_the_same_cases():
    weights = {"strong": np.arange(52) % 3, "weak": (np.arange(52) + 1) % 3}
    with pytest.raises(InvalidInput):
        compare(Y, PAIR, ["hand_till"], sample_weight=weights)


@pytest.mark.parametrize("models", [[PAIR["weak"]] * 2, PAIR["weak"]])
def test_models_without_names(models):
    with pytest.raises(InvalidType, match="must map names of models to their scores, got "):
        compare(Y, models)


def test_a_single_model():
    with pytest.raises(InvalidInput, match=r"^A comparison needs at least two models, got 1\.$"):
        compare(Y, {"one": PAIR["weak"]})


def test_unknown_method():
    with pytest.raises(InvalidInput, match="got 'exact'"):
        compare(Y, PAIR, method="exact")


@pytest.mark.parametrize("method", ["influence", "bootstrap", "permutation"])
def test_metrics_that_do_not_exist(method):
    """Too many classes, or one of the models gives no probabilities: NaN with the reason."""
    models = {"probabilities": PAIR["weak"], "logarithms": np.log(PAIR["strong"])}
    chosen = ["hand_till", "roc_auc", "total_length"]
    for order in (models, dict(reversed(models.items()))):
        made = compare(Y, order, chosen, method=method_of(method, 20, 1))
        exists, two, total = made.differences
        assert math.isfinite(exists.p_value)
        assert math.isnan(two.difference) and "defined for 2 classes" in two.note
        assert math.isnan(total.difference) and "needs probabilities" in total.note


def test_one_case_in_a_class():
    kept = np.r_[0:41]
    for row in compare(Y[kept], {m: s[kept] for m, s in PAIR.items()}, NAMES).differences:
        assert math.isfinite(row.difference)
        assert math.isnan(row.standard_error) and math.isnan(row.p_value)
        assert "no standard error" in row.note


def test_one_case_in_a_class_with_weights():
    """Sums of weights that round do not turn into warnings or p-values."""
    for seed in range(10):
        generator = np.random.default_rng(seed)
        y = np.r_[0, 0, 1, 1, 2, generator.integers(0, 2, 12)]
        models = {name: generator.dirichlet(np.ones(3), len(y)) for name in "ab"}
        w = generator.random(len(y)) + 0.1
        for row in compare(y, models, NAMES, sample_weight=w).differences:
            assert math.isnan(row.standard_error) and math.isnan(row.p_value)


@pytest.mark.parametrize("weighted", [False, True])
def test_models_that_do_not_vary(weighted):
    """Every case of a class has the same scores: a difference, but no standard error of it."""
    y = np.repeat([0, 1, 2], 10)
    w = np.random.default_rng(0).random(30) + 0.1 if weighted else None
    models = {"certain": np.eye(3)[y], "less so": 0.9 * np.eye(3)[y] + 0.1 / 3}
    for row in compare(y, models, NAMES, sample_weight=w).differences:
        assert math.isnan(row.standard_error) and math.isnan(row.p_value), row.metric
        assert "no standard error" in row.note


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "treated as fixed"),
        ({"groups": Design(sampling="random")}, "treated as estimates"),
        ({"priors": [0.2, 0.3, 0.5]}, "for the priors given"),
    ],
)
def test_priors_are_said(options, said):
    made = compare(Y, PAIR, ["au1p", "aunu", "aunp", "hand_till"], **options)
    for row in made.differences:
        assert (said in row.note) == registry[row.metric].prior_weighted


def test_groups():
    """Every case its own group, in any order: nothing changes; twice in a group: nothing either."""
    plain = compare(Y, MODELS, NAMES).frame()
    alone = compare(Y, MODELS, NAMES, groups=rng.permutation(len(Y))).frame()
    twice = np.tile(np.arange(len(Y)), 2)
    doubled = {name: each[twice] for name, each in MODELS.items()}
    copied = compare(Y[twice], doubled, NAMES, groups=twice).frame()
    for column in ("standard_error", "p_value", "p_adjusted"):
        np.testing.assert_allclose(alone[column], plain[column], rtol=1e-9)
        np.testing.assert_allclose(copied[column], plain[column], rtol=1e-9)


def test_t_is_the_reference_unless_normal_is_asked_for():
    """The degrees of freedom are those of the variance by class, of at most G − 1 groups."""
    (normal,) = compare(Y, PAIR, ["pdi"], reference="normal").differences
    (small,) = compare(Y, PAIR, ["pdi"]).differences
    phi = [registry["pdi"].influence(Predictions(Y, p)).cases for p in PAIR.values()]
    by_class = [np.var((phi[0] - phi[1])[k == Y], ddof=1) / (k == Y).sum() for k in range(3)]
    expected = sum(by_class) ** 2 / sum(
        v**2 / (n - 1) for v, n in zip(by_class, [24, 16, 12], strict=True)
    )
    assert normal.degrees_of_freedom == np.inf
    assert small.degrees_of_freedom == pytest.approx(expected, rel=1e-12)
    assert small.standard_error == normal.standard_error
    assert small.p_value > normal.p_value
    assert small.interval().low < normal.interval().low
    spanning, nested = np.arange(len(Y)) % 5, np.arange(len(Y)) // 4
    (few,) = compare(Y, PAIR, ["pdi"], groups=spanning).differences
    assert few.degrees_of_freedom <= 4
    (other,) = compare(Y, PAIR, ["pdi"], groups=nested).differences
    assert 4 < other.degrees_of_freedom < 11  # 6 + 4 + 3 groups, each in one class
    assert evaluate(Y, PAIR["weak"], groups=spanning)["pdi"].degrees_of_freedom <= 4


def test_independent_samples_have_the_freedom_of_their_classes():
    truths = dict.fromkeys(PAIR, Y)
    (row,) = compare(truths, PAIR, ["hand_till"]).differences
    alone = [evaluate(Y, p)["hand_till"] for p in PAIR.values()]
    variances = [each.standard_error**2 for each in alone]
    parts = [each.standard_error**4 / each.degrees_of_freedom for each in alone]
    assert row.degrees_of_freedom == pytest.approx(sum(variances) ** 2 / sum(parts), rel=1e-12)
    (drawn,) = compare(truths, PAIR, ["hand_till"], method=Bootstrap(rng=1)).differences
    assert drawn.degrees_of_freedom == pytest.approx(row.degrees_of_freedom, rel=1e-12)


def test_too_few_cases_for_all_models_at_once():
    """Of eight cases, whatever ran before."""
    y, own = np.repeat([0, 1, 2], [3, 3, 2]), np.random.default_rng(5)
    models = {str(m): scores(1.0, y, own) for m in range(5)}
    (test,) = compare(y, models, ["hand_till"]).omnibus_tests
    assert math.isnan(test.p_value) and test.degrees_of_freedom == 4
    assert 'Compare pairs of models by method="permutation".' in test.note
    (by_chi2,) = compare(y, models, ["hand_till"], reference="normal").omnibus_tests
    assert by_chi2.p_value > 0 and by_chi2.note == ""


def test_predictions_take_the_place_of_labels_and_scores():
    weights = 1.0 + np.arange(len(Y)) % 2
    models = {name: Predictions(Y, p, sample_weight=weights) for name, p in PAIR.items()}
    found = compare(models, metrics=["hand_till", "pdi"])
    expected = compare(Y, PAIR, ["hand_till", "pdi"], sample_weight=weights)
    assert found.frame().equals(expected.frame())
    with pytest.raises(
        InvalidInput, match="y_score, labels cannot be given together with Predictions"
    ):
        compare(models, PAIR, labels=[0, 1, 2])
    other = {**models, "weak": Predictions(np.roll(Y, 1), PAIR["weak"], sample_weight=weights)}
    with pytest.raises(InvalidInput, match="has other true classes or weights than"):
        compare(other)
    with pytest.raises(InvalidInput, match="at least two models, got 1"):
        compare({"a": models["weak"]})
    with pytest.raises(InvalidType, match="y_scores must map names of models"):
        compare(Y)


def test_omnibus_of_independent_samples():
    """Of two it is the t test of their difference; of several, Σ (θ − mean)²/v with F."""
    own = np.random.default_rng(5)
    sizes = {"a": [20, 15, 9], "b": [12, 12, 12], "c": [30, 8, 10]}
    y = {name: np.repeat([0, 1, 2], each) for name, each in sizes.items()}
    drawn = {name: own.dirichlet(np.ones(3), len(each)) for name, each in y.items()}
    groups = {name: own.integers(0, 9, len(each)) for name, each in y.items()}
    two = [{name: each[name] for name in "ab"} for each in (y, drawn, groups)]
    alone = {"a": two[2]["a"], "b": np.arange(36)}
    for given in ({}, {"groups": two[2]}, {"groups": alone}, {"reference": "normal"}):
        found = compare(two[0], two[1], ["hand_till", "pdi"], **given)
        for row, test in zip(found.differences, found.omnibus_tests, strict=True):
            ratio = row.difference / row.standard_error
            assert test.statistic == pytest.approx(ratio**2)
            if "reference" not in given:
                assert test.denominator_degrees_of_freedom == pytest.approx(row.degrees_of_freedom)
                assert test.p_value == pytest.approx(row.p_value)
    (test,) = compare(y, drawn, ["hand_till"], reference="normal").omnibus_tests
    single = [evaluate(y[name], drawn[name], ["hand_till"])["hand_till"] for name in sizes]
    weights = np.array([1 / each.standard_error**2 for each in single])
    values = np.array([each.value for each in single])
    mean = weights @ values / weights.sum()
    assert test.degrees_of_freedom == 2
    assert test.statistic == pytest.approx(weights @ (values - mean) ** 2)
    assert test.p_value == pytest.approx(chi2.sf(test.statistic, 2))
