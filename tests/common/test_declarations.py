"""What each metric declares of itself, written out, and what follows from it."""

from __future__ import annotations

import inspect
import math
import pickle
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest

import polyroc
from polyroc import Predictions, registry
from polyroc.errors import InvalidInput, InvalidType, NotDefined, UnknownName
from polyroc.metrics.combination import (
    combined,
    second_against_first,
    shares_of_the_rest,
    uniform,
)
from polyroc.metrics.declaration import (
    ON_REQUEST,
    THREE_CLASSES,
    Affordable,
    Classes,
    Metric,
    Occasion,
    Property,
    Repeats,
)
from polyroc.metrics.ordinal import ORDINAL_VUS
from polyroc.metrics.question import Gradient, Influence, NoDerivative, Question
from polyroc.metrics.registry import Registry, meant
from polyroc.statistics.means import Means
from polyroc.statistics.pairs import Pairs
from polyroc.statistics.statistic import Need

# name: statistic, symbol, chance, classes, instead, properties, flags, affordable, repeats
# properties: a best argmax, s skew, m monotone columns, r shifts of rows, c common scale;
# flags: p needs probabilities, w weighted by priors, - lower is better
TABLE = """
au1p|Pairs|AU1P|½|any||mc|w|always|2 hand_till
auc_mu|Margins|AUC_μ|½|any||asrc||always|2* roc_auc
aunp|Pairs|AUNP|½|any||mc|w|always|2* roc_auc
aunu|Pairs|AUNU|½|any||mc|w|always|2 hand_till
gini|Rates|G|0|2–3|hand_till|as|p|on request|
hand_till|Pairs|M|½|any||smc||always|2* roc_auc
hand_till_probabilistic|Means|M_p|½|any||s|p|always|2 probabilistic_auc
hand_till_scored|Pairs|M_s||any||s|p|always|2 scored_auc
hum|Tuples|HUM|1/K!|any||asrc||three|2 auc_mu
length_weighted_vus2|Tuples|VUS₂ℓ||any||s|p|on request|2 roc_auc scored_auc
pdi|Placements|PDI|1/K|any||smc||always|2 hand_till
probabilistic_auc|Means|pAUC|½|2|hand_till_probabilistic|s|p|always|
roc_auc|Pairs|AUC|½|2|hand_till|asmc||always|
saec|Ratings|SAEC|1/√2|2|hand_till|amc|-|on request|
scored_auc|Pairs|sAUC||2|hand_till_scored|s|p|always|
simplex_volume|Means|AOT_K|0|any||s|p|five|2 probabilistic_auc, 3 triangle_area
total_length|Means|TL||any||s|p|always|2 probabilistic_auc
triangle_area|Means|AOT|0|3|simplex_volume|s|p|always|
vus|Tuples|VUS|1/K!|any||as|p|three|2 roc_auc
vus2|Tuples|VUS₂||any||smc||three|2* roc_auc
wvus|Tuples|wVUS||any||s|p|three|2 roc_auc scored_auc
wvus2|Tuples|wVUS₂||any||s|p|three|2 scored_auc
"""
ROWS = [[cell.strip() for cell in line.split("|")] for line in TABLE.strip().splitlines()]
LETTERS = {
    "a": Property.PERFECT_ARGMAX,
    "s": Property.SKEW,
    "m": Property.COLUMN_MONOTONE,
    "r": Property.ROW_SHIFT,
    "c": Property.COMMON_SCALE,
}
AFFORDABLE = {
    "always": None,
    "on request": (0, math.inf, math.inf),
    "three": (3, 3000, 2e8),
    "five": (5, math.inf, math.inf),
}


def repeats_of(text: str) -> tuple[tuple[int, tuple[str, ...], bool], ...]:
    found = []
    for part in filter(None, text.split(", ")):
        number, *others = part.split()
        found.append((int(number.rstrip("*")), tuple(others), number.endswith("*")))
    return tuple(found)


def test_every_metric_has_a_row() -> None:
    assert [row[0] for row in ROWS] == list(registry)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_declaration(row: list[str]) -> None:
    name, statistic, symbol, chance, classes, instead, properties, flags, afford, repeats = row
    metric = registry[name]
    assert metric.statistic.__name__ == statistic and metric.symbol == symbol
    assert ("" if metric.chance is None else metric.chance.formula) == chance
    assert str(metric.classes) == classes and (metric.instead or "") == instead
    assert metric.properties == {LETTERS[letter] for letter in properties}
    assert metric.needs_probabilities == ("p" in flags) and metric.prior_weighted == ("w" in flags)
    lower = "-" in flags
    assert metric.direction == ("lower" if lower else "higher") and metric.sign == 1 - 2 * lower
    assert metric.affordable == AFFORDABLE[afford]
    assert metric.repeats == repeats_of(repeats)
    assert metric.lowest == 0 and metric.highest == (4 / (2 + math.sqrt(math.pi)) if lower else 1)
    sizes = "p" in flags and not {"a", "c"} & set(properties)
    assert metric.of_sizes == sizes


def test_values_of_guessing() -> None:
    known = {
        "½": [0.5, 0.5, 0.5],
        "0": [0, 0, 0],
        "1/K": [1 / 2, 1 / 3, 1 / 4],
        "1/K!": [1 / 2, 1 / 6, 1 / 24],
        "1/√2": [math.sqrt(0.5)] * 3,
    }
    for metric in (*registry.values(), ORDINAL_VUS):
        if metric.chance is not None:
            assert [metric.chance(K) for K in (2, 3, 4)] == known[metric.chance.formula]
            with pytest.raises(FrozenInstanceError):
                metric.chance.formula = "1"  # type: ignore[misc]
            assert repr(metric.chance) == f"Chance(formula={metric.chance.formula!r})"


def test_a_metric_of_one_marker() -> None:
    metric = ORDINAL_VUS
    assert (metric.name, metric.symbol, metric.statistic.__name__) == (
        "ordinal_vus",
        "VUS",
        "Chains",
    )
    assert metric.title == "Volume under the surface of one ordered marker"
    assert metric.reference == "Nakas & Yiannoutsos 2004"
    assert metric.complexity == "O(n log n + n K)"
    assert metric.properties == {LETTERS[letter] for letter in "smc"}
    assert metric.chance is not None and metric.chance.formula == "1/K!"
    assert "ordinal_vus" not in registry


@pytest.mark.parametrize("metric", registry.values(), ids=lambda metric: metric.name)
def test_a_metric_is_frozen_shows_no_functions_and_is_pickled_by_name(metric: Metric) -> None:
    with pytest.raises(FrozenInstanceError):
        metric.name = "other"  # type: ignore[misc]
    shown = repr(metric)
    assert shown.startswith(f"Metric(name={metric.name!r}, ") and "function" not in shown
    assert pickle.loads(pickle.dumps(metric)) is metric
    first = inspect.getdoc(metric.function)
    assert first is not None and metric.summary == first.splitlines()[0]


def test_defaults_of_a_declaration() -> None:
    metric = Metric(
        "m",
        Means,
        value=lambda means, shift=0.0: means.vectors[0, 0] + shift,
        gradient=lambda means: Gradient(np.zeros_like(means.vectors)),
        title="t",
        symbol="s",
        reference="r",
        complexity="O(1)",
        chance=None,
    )
    assert (metric.direction, metric.lowest, metric.highest) == ("higher", 0.0, 1.0)
    assert metric.properties == frozenset() and metric.classes == (2, None)
    assert metric.instead is None and metric.affordable is None and metric.repeats == ()
    assert not metric.needs_probabilities and not metric.prior_weighted and metric.fault is None
    means = Means(classes=(0, 1), weights=np.ones(2), vectors=np.full((2, 2), 0.5))
    assert [metric.at(means, shift=x) for x in (-0.75, 0.25, 0.75)] == [0.0, 0.75, 1.0]
    cases = Predictions([0, 1], [[0.5, 0.5], [0.25, 0.75]])
    asked = metric.question(cases, shift=0.125)
    assert asked.need == Need(Means) and asked.options == {"shift": 0.125} and asked.priors is None
    assert asked.value(means) == 0.625 and asked.fault(means) is None
    # priors are those of a weighted metric only, else an option of its formula
    with pytest.raises(TypeError):
        metric.question(cases, priors=[0.5, 0.5]).value(means)


def test_priors_of_a_question() -> None:
    cases = Predictions([0, 1, 1], [[0.5, 0.5], [0.25, 0.75], [0.5, 0.5]])
    asked = registry["aunp"].question(cases, priors=[1, 3], ties="strict")
    assert asked.priors is not None and asked.priors.tolist() == [0.25, 0.75]
    assert asked.options == {"ties": "strict"}
    assert registry["aunp"].question(cases).priors is None
    pairs = Pairs.of(cases)
    assert asked.gradient(pairs).priors is None  # given ones do not move
    assert registry["aunp"].question(cases).gradient(pairs).priors is not None
    assert asked.value(pairs) == registry["aunp"].function(cases, priors=[1, 3], ties="strict")


@pytest.mark.parametrize(
    ("classes", "inside", "text"),
    [
        (Classes(), [2, 3, 4, 99], "any"),
        (Classes(3), [3, 4, 99], "≥ 3"),
        (Classes(2, 2), [2], "2"),
        (Classes(2, 4), [2, 3, 4], "2–4"),
        (Classes(3, 3), [3], "3"),
    ],
)
def test_numbers_of_classes(classes: Classes, inside: list[int], text: str) -> None:
    assert [K for K in (*range(5), 99) if K in classes] == inside
    assert str(classes) == text
    assert "2" not in classes and 2.0 not in classes and None not in classes


def test_occasions_on_which_a_metric_is_affordable() -> None:
    three = THREE_CLASSES
    assert [three.holds(Occasion(K, 10)) for K in (2, 3, 4)] == [True, True, False]
    assert [three.holds(Occasion(3, n)) for n in (3000, 3001)] == [True, False]
    assert [three.holds(Occasion(3, 1000, True, b)) for b in (200, 201)] == [True, False]
    assert [three.holds(Occasion(3, 300, True, b)) for b in (2222, 2223)] == [True, False]
    assert not ON_REQUEST.holds(Occasion(1, 1)) and not ON_REQUEST.holds(Occasion(2, 1))
    assert Affordable(5).holds(Occasion(5, 10**9, True, 10**9))
    assert not Affordable(5).holds(Occasion(6, 1))


def test_occasions_on_which_a_metric_repeats_others() -> None:
    always, summed = Repeats(2, ("a",)), Repeats(2, ("a",), one_sum=True)
    for K, one_sum in ((2, True), (2, False), (3, True), (3, False)):
        occasion = Occasion(K, 10, one_sum)
        assert always.holds(occasion) == (K == 2)
        assert summed.holds(occasion) == (K == 2 and one_sum)
    assert Occasion(2, 10) == (2, 10, True, 1)


@pytest.mark.parametrize(
    ("scores", "one_sum"),
    [
        ([0.25, 0.5, 0.75], True),
        ([[0.5, 0.5], [0.25, 0.75], [1.0, 0.0]], True),
        ([[3.0, 4.0], [5.0, 2.0], [0.0, 7.0]], True),
        ([[3.0, 4.0], [5.0, 2.0], [0.0, 7.5]], False),
        ([[-64.0, 16.0], [-48.0, 0.006], [16.0, -64.0]], True),
        ([[-64.0, 16.0], [-48.0, 0.007], [16.0, -64.0]], False),
        ([[-4.0, 4.0], [0.0, 0.006], [2.0, -2.0]], False),
        ([[0.1, 0.2], [0.3, 0.00009], [0.2, 0.1]], True),
        ([[0.1, 0.2], [0.3, 0.00011], [0.2, 0.1]], False),
    ],
)
def test_whether_all_rows_have_one_sum(scores: Any, one_sum: bool) -> None:
    """Up to a ten-thousandth of the largest score, or of 1."""
    cases = Predictions([0, 1, 0], scores)
    found = Occasion.of(cases)
    assert found == (2, 3, one_sum, 1)
    assert Occasion.of(cases, 50).n_evaluations == 50


def test_any_three_classes_have_one_sum() -> None:
    cases = Predictions([0, 1, 2], [[1.0, 2.0, 3.0], [5.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    assert Occasion.of(cases).one_sum is True


def test_the_best_of_some_values() -> None:
    higher, lower = registry["hand_till"], registry["saec"]
    values = [[0.25, np.nan], [0.75, 0.5]]
    assert higher.best(values) == 0.75 and lower.best(values) == 0.25
    for metric in (higher, lower):
        assert np.isnan(metric.best([np.nan])) and np.isnan(metric.best([]))
        assert metric.best(["0.5"]) == 0.5
    assert higher.best([-3, -2]) == -2 and lower.best([-3, -2]) == -3


def test_worse_than_guessing() -> None:
    """The whole interval, and not only a part of it."""
    higher, lower = registry["hand_till"], registry["saec"]
    chance = math.sqrt(0.5)
    assert higher.worse_than_guessing(0.1, 0.49, 3) and not higher.worse_than_guessing(0.1, 0.5, 3)
    assert not higher.worse_than_guessing(0.6, 0.7, 3)
    assert lower.worse_than_guessing(0.71, 0.9, 2)
    assert not lower.worse_than_guessing(chance, 0.9, 2)
    assert not lower.worse_than_guessing(0.1, 0.2, 2)
    assert registry["pdi"].worse_than_guessing(0.1, 0.3, 3)
    assert not registry["pdi"].worse_than_guessing(0.1, 0.3, 4)
    assert not registry["total_length"].worse_than_guessing(0.0, 0.01, 3)


def test_a_statistic_of_other_classes_is_refused() -> None:
    three = Pairs.of(Predictions([0, 1, 2], np.eye(3)))
    with pytest.raises(NotDefined, match=r"^roc_auc is defined for 2 classes, but there are 3\."):
        registry["roc_auc"].at(three)


THREADED = [*registry, "pairwise_auc"]


@pytest.mark.parametrize("name", THREADED)
def test_numbers_of_threads_reach_the_gate(name: str) -> None:
    K = 3 if name == "triangle_area" else 2
    y = np.arange(6 * K) % K
    p = np.random.default_rng(0).dirichlet(np.ones(K), len(y))
    with pytest.raises(InvalidInput, match=r"^n_threads must be at least 1, got 0\.$"):
        getattr(polyroc, name)(y, p, n_threads=0)


@pytest.mark.parametrize("name", sorted(registry))
def test_defaults_of_the_function_are_those_of_the_metric(name: str) -> None:
    """With ties, of which each credit gives another number."""
    metric = registry[name]
    K = 3 if 3 in metric.classes else 2
    rng = np.random.default_rng(1)
    y, p = np.arange(24) % K, rng.multinomial(4, np.ones(K) / K, 24) / 4
    parameters = inspect.signature(metric.function).parameters
    cases = Predictions(y, p)
    if metric.fault is not None:
        assert metric.of(cases, model="binormal") == metric.of(cases)
        return
    plain = metric.function(y, p)
    assert metric.of(cases) == plain
    if "ties" in parameters:
        default = "strict" if name.endswith("vus2") or name == "vus2" else "fair"
        found = {ties: metric.of(cases, ties=ties) for ties in ("strict", "lenient")}
        assert found["strict"] < found["lenient"]
        assert metric.of(cases, ties=default) == plain
        assert default == "strict" or found["strict"] < plain < found["lenient"]
        assert metric.function(y, p, ties="lenient") == found["lenient"]
        moved = [metric.influence(cases, **options).cases for options in ({}, {"ties": default})]
        np.testing.assert_array_equal(*moved)
    if metric.needs_probabilities:
        with pytest.raises(NotDefined, match="needs probabilities"):
            metric.function(y, 2 * p)
        assert metric.function(y, 2 * p, normalize=True) == plain


def test_pairs_of_skipped_classes_are_not_numbers() -> None:
    y, p = [0, 2, 0, 2], [[0.5, 0.1, 0.4], [0.2, 0.2, 0.6], [0.3, 0.3, 0.4], [0.4, 0.2, 0.4]]
    found = polyroc.pairwise_auc(y, p, labels=[0, 1, 2], absent="skip")
    expected = polyroc.pairwise_auc(y, np.array(p)[:, [0, 2]])
    np.testing.assert_array_equal(found[np.ix_([0, 2], [0, 2])], expected)
    assert np.isnan(found[1]).all() and np.isnan(found[:, 1]).all() and found.shape == (3, 3)
    strict = polyroc.pairwise_auc(y, p, labels=[0, 1, 2], absent="skip", ties="strict")
    assert strict[2, 0] == 0.5 and found[2, 0] == 0.75


def test_weights_of_pairs_of_classes() -> None:
    np.testing.assert_allclose(uniform(np.ones(4) / 4), np.full((4, 4), 1 / 12))
    assert second_against_first(np.array([0.5, 0.5])).tolist() == [[0.0, 0.0], [1.0, 0.0]]
    priors = np.array([0.5, 0.25, 0.125, 0.125])
    assert shares_of_the_rest(priors).tolist() == [0.5, 0.75, 0.875, 0.875]
    rest = shares_of_the_rest(np.array([1.0, 1e-20, 2e-20]))  # 1 − π would be 0
    assert rest[0] == pytest.approx(3e-20) and rest[1:].tolist() == [1.0, 1.0]


def test_a_sum_over_pairs_is_exact_where_all_are_equal() -> None:
    """Weights are divided out, whatever their sum; the diagonal does not count."""
    theta = np.full((3, 3), 0.5)
    np.fill_diagonal(theta, np.nan)
    for weights in (np.full((3, 3), 1 / 6), np.arange(9.0).reshape(3, 3) / 7, uniform(np.ones(3))):
        kept = weights.copy()
        assert combined(weights, theta) == 0.5
        np.testing.assert_array_equal(weights, kept)
    theta = np.array([[np.nan, 0.5, 0.25], [1.0, np.nan, 0.0], [0.75, 0.125, np.nan]])
    weights = np.array([[9.0, 1.0, 2.0], [3.0, 9.0, 4.0], [5.0, 6.0, 9.0]])
    expected = (0.5 + 0.5 + 3.0 + 0.0 + 3.75 + 0.75) / 21
    assert combined(weights, theta) == pytest.approx(expected, rel=1e-12)


def test_names_that_are_meant() -> None:
    """The symbol of a metric, or a name spelled alike."""
    metrics = list(registry.values())
    assert meant("M_S", metrics) == meant("ms", metrics) == " Did you mean 'hand_till_scored'?"
    assert meant("AUC", metrics) == " Did you mean 'roc_auc'?"
    assert meant("hand_til", metrics) == " Did you mean 'hand_till'?"
    assert meant("zzzzzz", metrics) == "" and meant(3, metrics) == ""


def test_a_registry_of_its_own() -> None:
    own = Registry()
    for name in ("pdi", "auc_mu", "saec"):
        assert own.add(registry[name]) is registry[name]
    assert list(own) == ["auc_mu", "pdi", "saec"] and len(own) == 3
    assert "pdi" in own and "vus" not in own and 3 not in own and None not in own
    with pytest.raises(InvalidInput, match=r"^There are two metrics 'pdi'\. Give one another"):
        own.add(registry["pdi"])
    with pytest.raises(UnknownName) as error:
        own["vus"]
    assert str(error.value).endswith("The metrics are auc_mu, pdi, saec.")
    assert [own.sign_of(name) for name in ("saec", "pdi", "vus")] == [-1, 1, 1]
    assert own.named("all") == [registry[name] for name in ("auc_mu", "pdi", "saec")]
    assert own.named("pdi") == [registry["pdi"]]
    assert own.named(["saec", "pdi", "saec"]) == [registry["saec"], registry["pdi"]]
    occasion = Occasion(3, 10)
    assert own.select(None, occasion) == [registry["auc_mu"], registry["pdi"]]
    assert own.select(["saec"], occasion) == [registry["saec"]]
    assert own.select("all", occasion) == own.named("all")
    with pytest.raises(InvalidType, match=r'^metrics must be names, "all" or None, got 3\.$'):
        own.named(3)  # type: ignore[arg-type]
    assert pickle.loads(pickle.dumps(registry)) is registry
    assert pickle.loads(pickle.dumps(own)) is not registry


def test_influence_values_that_do_not_exist() -> None:
    cases = Predictions([0, 1, 0], [0.25, 0.5, 0.75])
    found = Influence.undefined(cases, "why")
    assert np.isnan(found.cases).all() and len(found.cases) == 3 and found.reason == "why"
    plain = Influence(np.zeros(3))
    assert plain.scale == 1.0 == Gradient(None).scale
    assert plain.priors is plain.reason is plain.through_priors is plain.drawn is None
    assert Question(registry["pdi"], Need(Pairs)).options == {}
    for record in (plain, Question(registry["pdi"], Need(Pairs))):
        with pytest.raises(FrozenInstanceError):
            record.priors = np.ones(2)  # type: ignore[misc]
    with pytest.raises(TypeError):
        Influence(np.zeros(3), None, None, np.zeros(3), None, 1.0, None, None)  # type: ignore[call-arg, arg-type]


def test_metrics_of_one_pass_of_which_one_has_no_derivative() -> None:
    """Class 0 sits in its corner: TL has a corner there, the others have derivatives."""
    y = [0, 0, 1, 1]
    p = [[1.0, 0.0], [1.0, 0.0], [0.25, 0.75], [0.5, 0.5]]
    cases = Predictions(y, p)
    from polyroc.metrics.question import influences

    names = ["hand_till_probabilistic", "total_length", "simplex_volume"]
    asked = [registry[name].question(cases) for name in names]
    found = influences(asked, Means.of(cases), cases)
    reason = "the mean of class 0 is in its corner, where TL has no derivative"
    assert [each.reason for each in found] == [None, reason, None]
    assert np.isnan(found[1].cases).all() and found[1].slope is None
    for name, each in ((names[0], found[0]), (names[2], found[2])):
        alone = registry[name].influence(cases)
        np.testing.assert_array_equal(each.cases, alone.cases)
        assert each.slope is not None and each.drawn is None
    assert found[2].scale == pytest.approx(np.abs(found[2].slope).max())


def test_a_volume_without_a_derivative() -> None:
    """Where the means lie in a lower dimension, to 10⁻¹² of the largest singular value."""
    flat = Means(classes=(0, 1, 2), weights=np.ones(3), vectors=np.full((3, 3), 1 / 3))
    metric = registry["triangle_area"]
    with pytest.raises(NoDerivative, match=r"^the class means lie in a lower dimension, where"):
        metric.gradient(flat)
    for least, defined in ((2e-12, True), (0.5e-12, False)):
        near = replace(flat, vectors=np.diag([1.0, 0.5, least]))
        if defined:
            slopes = metric.gradient(near).of_statistic
            np.testing.assert_allclose(np.diag(slopes), [0.5 * least, least, 0.5], atol=1e-12)
        else:
            with pytest.raises(NoDerivative):
                metric.gradient(near)
    turned = replace(flat, vectors=np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    np.testing.assert_allclose(metric.gradient(turned).of_statistic, turned.vectors, atol=1e-12)
    assert metric.at(turned) == pytest.approx(1.0)


def test_a_mean_in_its_corner_has_no_derivative() -> None:
    """Within 10⁻¹²; the class is named."""
    metric = registry["total_length"]
    for gap, defined in ((2e-12, True), (0.5e-12, False)):
        vectors = np.array([[0.5, 0.5], [gap / math.sqrt(2), 1 - gap / math.sqrt(2)]])
        means = Means(classes=("a", "b"), weights=np.ones(2), vectors=vectors)
        if defined:
            assert np.isfinite(metric.gradient(means).of_statistic).all()
            continue
        with pytest.raises(NoDerivative) as error:
            metric.gradient(means)
        said = "the mean of class 'b' is in its corner, where TL has no derivative"
        assert str(error.value) == said


PARTITION = (
    "partition must have a zero diagonal, no negative costs and a positive cost for at least one "
    "direction of each pair, got "
)
PAIR_WEIGHTS = "pair_weights must not be negative and at least one pair must count, got "


@pytest.mark.parametrize(
    ("option", "given", "said"),
    [
        ("partition", [[0.5, 1.0], [1.0, 0.0]], PARTITION),
        ("partition", [[0.0, -1.0], [1.0, 0.0]], PARTITION),
        ("partition", [[0.0, 0.0], [0.0, 0.0]], PARTITION),
        ("partition", [[0.0, 1.0]], "partition must be a 2 × 2 matrix of finite numbers, got "),
        ("pair_weights", [[0.0, -1.0], [3.0, 0.0]], PAIR_WEIGHTS),
        ("pair_weights", [[1.0, 0.0], [0.0, 1.0]], PAIR_WEIGHTS),
        ("pair_weights", [[0.0, np.nan], [3.0, 0.0]], "pair_weights"),
    ],
)
def test_matrices_of_auc_mu_that_are_refused(option: str, given: Any, said: str) -> None:
    with pytest.raises(InvalidInput) as error:
        polyroc.auc_mu([0, 1, 0], [0.25, 0.5, 0.75], **{option: given})
    assert str(error.value).startswith(said)


def test_matrices_of_auc_mu_for_all_declared_classes() -> None:
    """Cut to the classes that have cases; those of one direction are enough."""
    y, labels = [0, 2, 0, 2, 3, 3], [0, 1, 2, 3]
    p = np.random.default_rng(4).dirichlet(np.ones(4), 6)
    costs = np.array([[0.0, 9, 1, 2], [9, 0, 9, 9], [3, 9, 0, 0], [1, 9, 4, 0]])
    weights = np.array([[0.0, 7, 1, 0], [7, 0, 7, 7], [2, 7, 0, 5], [0, 7, 0, 0]])
    there = np.ix_([0, 2, 3], [0, 2, 3])
    options = {"partition": costs, "pair_weights": weights}
    cut = {name: matrix[there] for name, matrix in options.items()}
    found = polyroc.auc_mu(y, p, labels=labels, absent="skip", **options)
    assert found == polyroc.auc_mu(y, p, labels=labels, absent="skip", **cut)
    codes = np.searchsorted([0, 2, 3], y)
    assert found == polyroc.auc_mu(codes, p[:, [0, 2, 3]], **cut)
    both = weights[there] + weights[there].T
    asked = registry["auc_mu"].question(Predictions(codes, p[:, [0, 2, 3]]), **cut)
    np.testing.assert_allclose(
        asked.options["pair_weights"], np.triu(both, 1) / np.triu(both, 1).sum()
    )


@pytest.mark.parametrize("name", ["au1p", "auc_mu", "aunp", "aunu", "hand_till", "roc_auc"])
def test_formulas_count_ties_half_unless_told(name: str) -> None:
    metric = registry[name]
    K = 2 if name == "roc_auc" else 3
    y, p = np.arange(18) % K, np.random.default_rng(2).integers(0, 3, (18, K)) / 2
    statistic = metric.statistic.of(Predictions(y, p))
    assert metric.at(statistic) == metric.at(statistic, ties="fair")
    assert metric.at(statistic, ties="strict") < metric.at(statistic)
    assert metric.gradient(statistic).of_statistic.credit == 0.5
    assert metric.gradient(statistic, ties="lenient").of_statistic.credit == 1.0
    priors = metric.gradient(statistic).priors
    assert (priors is not None) == metric.prior_weighted
    if priors is not None:
        np.testing.assert_array_equal(priors, metric.gradient(statistic, ties="fair").priors)
        assert (priors != metric.gradient(statistic, ties="strict").priors).any()
