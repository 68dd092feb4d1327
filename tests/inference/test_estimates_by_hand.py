"""Single estimates: why they have no error, their bias, tests against chance, and their options."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError, replace
from pickle import PicklingError
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from polyroc import (
    Bootstrap,
    Design,
    Influence,
    Permutation,
    Predictions,
    chance_test,
    estimate,
    estimate_ordinal_vus,
    evaluate,
    inference,
    ordinal_vus,
    registry,
)
from polyroc._base.random import stream
from polyroc.errors import InvalidInput, NotDefined, RowsByPosition
from polyroc.inference import _bias, _chance, _learners, _orphans
from polyroc.inference._bias import bias_of
from polyroc.inference._estimates import (
    Draw,
    _Found,
    joint_covariance,
    options_of,
    undefined,
    why_no_error,
)
from polyroc.inference._influence import CaseDesign, covariance
from polyroc.inference._options import compare_method, interval_method
from polyroc.metrics.folds import statistics_of
from polyroc.metrics.measure import Measured
from polyroc.metrics.question import Influence as InfluenceValues
from polyroc.results import Estimate
from polyroc.statistics import means
from polyroc.statistics.statistic import Drawn

RNG = np.random.default_rng(14)
SIZES = [7, 5, 6]
Y = RNG.permutation(np.repeat([0, 1, 2], SIZES))
N = len(Y)
P = RNG.dirichlet(np.ones(3), N) + 0.3 * np.eye(3)[Y]
P /= P.sum(axis=1, keepdims=True)
W = 1.0 + np.arange(N) % 4


@pytest.fixture(autouse=True)
def numbers_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test depends on how many numbers others have drawn."""
    monkeypatch.setitem(globals(), "RNG", np.random.default_rng(14))


def bias_by_loops(p: np.ndarray, w: np.ndarray, units: np.ndarray, copies: np.ndarray) -> float:
    """−Σ [tr C − uᵀ C u]/(2 L) over the classes, over K √2."""
    total = 0.0
    for k in range(3):
        rows = [i for i in range(N) if Y[i] == k]
        weight = sum(w[i] for i in rows)
        mean = sum(w[i] * p[i] for i in rows) / weight
        gap = np.eye(3)[k] - mean
        length = math.sqrt(sum(g * g for g in gap))
        if length == 0:
            continue
        names = sorted({units[i] for i in rows})
        m = sum(copies[i] for i in rows) if len(names) == len(rows) else len(names)
        across = 0.0
        for name in names:
            inside = [i for i in rows if units[i] == name]
            moved = sum(w[i] / weight * (p[i] - mean) / math.sqrt(copies[i]) for i in inside)
            along = float(np.dot(moved, gap)) / length
            across += (float(np.dot(moved, moved)) - along**2) * m / (m - 1)
        total += across / (2 * length)
    return -total / (3 * math.sqrt(2))


ONES = np.ones(N)
WITHIN = Y * 10 + np.arange(N) % 3


@pytest.mark.parametrize(
    ("kind", "w", "units", "copies"),
    [
        ("plain", ONES, np.arange(N), ONES),
        ("weights", W, np.arange(N), ONES),
        ("copies", W, np.arange(N), W),
        ("groups", W, WITHIN, ONES),
    ],
)
def test_the_bias_of_total_length(
    kind: str, w: np.ndarray, units: np.ndarray, copies: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By loops, and the same whatever the number of cases at a time."""
    given = Predictions(Y, P, sample_weight=None if kind == "plain" else w)
    design = CaseDesign.of(
        {"copies": Design(weights="frequency"), "groups": WITHIN}.get(kind), given
    )
    expected = bias_by_loops(P, w, units, copies)
    assert expected < 0
    for many, block in ((N + 1, N), (N + 1, 4), (1, N), (1, 4), (1, 1)):
        monkeypatch.setattr(_bias, "MANY_CASES", many)
        monkeypatch.setattr(means, "CASES_AT_ONCE", block)
        monkeypatch.setattr(_bias, "BLOCK", block)
        found = bias_of(registry["total_length"], statistics_of(given), design)
        assert found == pytest.approx(expected, rel=1e-10)
    options = {"sample_weight": None if kind == "plain" else w}
    groups = {"copies": Design(weights="frequency"), "groups": WITHIN}.get(kind)
    whole = evaluate(Y, P, ["total_length"], groups=groups, **options)["total_length"]
    assert whole.bias == pytest.approx(expected, rel=1e-10)


def test_where_there_is_no_bias() -> None:
    """Other metrics, folds, a class of one unit; a class at its corner adds none."""
    given, metric = Predictions(Y, P), registry["total_length"]
    assert bias_of(registry["hand_till_probabilistic"], statistics_of(given), CaseDesign()) == 0
    folds = np.empty(N, dtype=int)
    for k in range(3):
        folds[k == Y] = np.arange(SIZES[k]) % 2
    assert bias_of(metric, statistics_of(Predictions(Y, P, folds=folds)), CaseDesign()) == 0
    one = CaseDesign.of(np.where(Y == 1, 99, np.arange(N)), given)
    assert bias_of(metric, statistics_of(given), one) == 0
    corner = np.where((Y == 2)[:, None], np.eye(3)[Y], P)
    expected = bias_by_loops(corner, ONES, np.arange(N), ONES)
    found = bias_of(metric, statistics_of(Predictions(Y, corner)), CaseDesign())
    assert found == pytest.approx(expected, rel=1e-10) and expected < 0


def drawn_influence(credit: np.ndarray) -> InfluenceValues:
    tuples = np.tile([0, 1, 2], (len(credit), 1))
    return InfluenceValues(np.zeros(N), drawn=Drawn(tuples, credit))


def test_why_there_is_no_standard_error() -> None:
    """In this order: no derivative, one case of a class, tuples that agree, cases that agree."""
    given, moved = Predictions(Y, P), InfluenceValues(np.ones(N))

    def told(error: float, influence: InfluenceValues, groups: Any = None) -> Any:
        return why_no_error(given, CaseDesign.of(groups, given), 0.87654321, error, influence)

    assert told(0.1, moved) is None
    corner = replace(moved, reason="a corner")
    assert told(0.1, corner, np.zeros(N)) == ("no-derivative", "no standard error: a corner")
    one = np.where(Y == 1, 99, np.arange(N))
    assert told(0.0, moved, one) == ("one-case", "no standard error: class 1 has one group")
    lone = Predictions(["a", "a", "b"], [0.1, 0.3, 0.2])
    note = why_no_error(lone, CaseDesign(), 0.5, 0.1, InfluenceValues(np.ones(3)))
    assert note == ("one-case", "no standard error: class 'b' has one case")
    agree = drawn_influence(np.ones(1234))
    assert told(0.0, agree) == (
        "no-variation",
        "no standard error: all 1,234 random tuples agree on 0.8765",
    )
    assert told(1e-9, agree) is None
    every = ("no-variation", "no standard error: every case agrees on 0.8765")
    assert told(1e-12, moved) == every and told(1.1e-12, moved) is None
    assert told(9e-12, replace(moved, scale=10.0)) == every
    assert told(0.0, moved) == every


def test_options_of_metrics() -> None:
    """Priors where they are used, random tuples for volumes."""
    draw = Draw(50, 3)
    assert options_of(registry["aunp"], [0.2, 0.8], draw) == {"priors": [0.2, 0.8]}
    assert options_of(registry["aunp"], None, draw) == {}
    assert options_of(registry["hand_till"], [0.2, 0.8], draw) == {}
    assert options_of(registry["hum"], [0.2, 0.8], draw) == {"n_tuples": 50, "rng": 3}
    assert options_of(registry["hum"], None) == {}


def test_what_estimates_say_of_themselves() -> None:
    found = evaluate(Y, P, ["hand_till", "hum"], n_tuples=80, rng=5)
    assert found["hand_till"].method == "influence"
    assert found["hum"].method == "influence, random tuples"
    plain = {"sampling": "stratified", "weights": "sampling", "groups": False}
    assert found["hand_till"].settings == plain
    assert found["hum"].settings == {**plain, "n_tuples": 80, "seed": 5}
    only = evaluate(Y, P, ["hum"], n_tuples=80, rng=5, interval=None)["hum"]
    assert only.method == "value only" and only.settings == found["hum"].settings
    assert only.effective is None and math.isnan(only.standard_error)
    assert only.value == found["hum"].value
    none = undefined(Predictions(Y, P), registry["saec"], "two classes only")
    assert math.isnan(none.value) and math.isnan(none.standard_error) and none.settings == {}
    assert none.method == "none" and none.notes == (("not-defined", "two classes only"),)
    assert none.direction == "lower" and none.range == (0.0, registry["saec"].highest)
    assert none.counts == {0: 7, 1: 5, 2: 6} and none.degrees_of_freedom == math.inf
    lone = evaluate([0, 0, 1, 2, 2], P[:5], ["hand_till"])["hand_till"]
    assert lone.method == "influence" and lone.degrees_of_freedom == math.inf
    assert lone.settings == plain


def test_covariances_of_what_has_an_error() -> None:
    """Of random tuples only the variance; of a metric without an error nothing."""
    given, design = Predictions(Y, P), CaseDesign()
    metrics = [registry[name] for name in ("hand_till", "hum", "aunu", "pdi")]
    moved = [InfluenceValues(RNG.normal(size=N)) for _ in metrics]
    moved[1] = replace(moved[1], drawn=Drawn(np.zeros((2, 3), dtype=np.intp), np.ones(2)))
    found = [Measured(m, 0.5, each) for m, each in zip(metrics, moved, strict=True)]
    errors = [0.1, 0.2, math.nan, 0.4]
    estimates = [Estimate("m", 0.5, error, "x") for error in errors]
    matrix = joint_covariance(given, _Found([], found, None), estimates, design)
    assert matrix[[0, 1, 3], [0, 1, 3]].tolist() == pytest.approx([0.01, 0.04, 0.16])
    expected = covariance(given, [moved[0], moved[3]], design)[0, 1]
    assert matrix[0, 3] == matrix[3, 0] == pytest.approx(expected)
    for a, b in ((0, 1), (1, 3), (2, 2), (0, 2), (2, 1)):
        assert math.isnan(matrix[a, b]) and math.isnan(matrix[b, a])
    without = [Measured(metrics[0], 0.5)]
    alone = joint_covariance(
        given, _Found([], without, None), [Estimate("m", 0.5, 0.1, "x")], design
    )
    assert alone.tolist() == [[pytest.approx(0.01)]]


def test_seeds_and_tuples_of_a_bootstrap() -> None:
    """Those of the Bootstrap come first, those of the call where it has none."""
    own = evaluate(Y, P, ["hand_till"], interval=Bootstrap(3, rng=7), rng=8)["hand_till"]
    of_call = evaluate(Y, P, ["hand_till"], interval=Bootstrap(3), rng=8)["hand_till"]
    assert own.settings["seed"] == 7 and of_call.settings["seed"] == 8
    with pytest.raises(InvalidInput, match="n_tuples is given twice"):
        evaluate(Y, P, ["hum"], interval=Bootstrap(3, n_tuples=9), n_tuples=9)
    first = evaluate(Y, P, ["hum"], interval=Bootstrap(3, rng=7, n_tuples=30))["hum"]
    second = evaluate(Y, P, ["hum"], interval=Bootstrap(3, rng=7), n_tuples=30)["hum"]
    np.testing.assert_array_equal(first.replicates, second.replicates)
    levels = evaluate(Y, P, ["hand_till"], interval=Bootstrap(3, rng=7), level=0.7)
    assert levels.level == 0.7
    assert evaluate(Y, P, ["hand_till"], level=0.7).level == 0.7
    assert evaluate(Y, P, ["hand_till"], level=0.7, interval=None).level == 0.7
    with pytest.raises(InvalidInput, match="level"):
        evaluate(Y, P, ["hand_till"], level=0.0)


def test_attributes_of_another_index_are_told_in_the_notes() -> None:
    y = pd.Series(Y, index=np.arange(N) + 50)
    sex = pd.Series(np.where(np.arange(N) % 2, "f", "m"), index=np.arange(N), name="sex")
    with pytest.warns(RowsByPosition):
        found = evaluate(y, P, ["hand_till"], by=sex)
    told = {note.code: note.text for note in found["hand_till"].notes}
    assert "taken by position: indexes differ" in told["rows-by-position"]
    same = evaluate(y, P, ["hand_till"], by=sex.set_axis(y.index))
    assert "rows-by-position" not in {note.code for note in same["hand_till"].notes}
    with pytest.raises(InvalidInput):
        evaluate(Y, P, ["hand_till"], by=sex.to_numpy(), interval="bootstrap")


def test_one_metric_with_its_options() -> None:
    assert estimate(Y, P).metric == "hand_till"
    found = estimate(Y, P, "aunp", sample_weight=W, priors=[0.2, 0.3, 0.5])
    same = evaluate(Y, P, ["aunp"], sample_weight=W, priors=[0.2, 0.3, 0.5])["aunp"]
    assert found == same


def test_permutations_of_labels_by_hand() -> None:
    """The mean over them, and the share that is at least as good, with the labels themselves."""
    y, p, w = Y[:11], P[:11], W[:11]
    metric = registry["hand_till"]
    for groups in (None, np.arange(11) // 3):
        found = chance_test(
            y, p, sample_weight=w, groups=groups, n_permutations=9, rng=6, labels=[0, 1, 2]
        )
        values = []
        for b in range(9):
            codes = _chance.permuted_codes(y, groups, stream(6, b))
            values.append(metric.of(Predictions(codes, p, sample_weight=w)))
        value = metric.of(Predictions(y, p, sample_weight=w))
        at_least = sum(each >= value - 1e-12 for each in values)
        assert found.metric == "hand_till" and found.value == pytest.approx(value)
        assert found.chance == pytest.approx(np.mean(values))
        assert found.p_value == pytest.approx((1 + at_least) / 10)
        assert found.n_permutations == 9 and found.seed == 6


def test_as_good_up_to_rounding() -> None:
    found = np.array([0.5, 0.5 - 0.9e-12, 0.5 - 1.1e-12, 0.5 + 0.9e-12, 0.5 + 1.1e-12])
    higher = _chance._as_good(found, 0.5, registry["hand_till"])
    assert higher.tolist() == [True, True, False, True, True]
    lower = _chance._as_good(found, 0.5, registry["saec"])
    assert lower.tolist() == [True, True, True, True, False]


def test_labels_exchanged_within_groups_and_among_them() -> None:
    codes = np.array([0, 1, 2, 0, 1, 2, 2])
    plain = _chance.permuted_codes(codes, None, stream(1, 2))
    assert plain.tolist() == stream(1, 2).permutation(codes).tolist()
    groups = np.array([5, 3, 5, 3, 5, 3, 8])
    within = _chance.permuted_codes(codes, groups, stream(1, 2))
    draws = stream(1, 2).random(7)
    for g in (3, 5, 8):
        inside = np.flatnonzero(groups == g)
        order = sorted(inside, key=lambda i: draws[i])
        assert within[inside].tolist() == codes[order].tolist()
    whole = np.array([4, 1, 7, 4, 1, 7, 9])
    among = _chance.permuted_codes(codes, whole, stream(1, 2))
    firsts = stream(1, 2).permutation([1, 0, 2, 2])
    assert among.tolist() == [firsts[{1: 0, 4: 1, 7: 2, 9: 3}[g]] for g in whole.tolist()]


def test_what_chance_tests_refuse_and_show() -> None:
    folds = np.arange(N) % 2
    with pytest.raises(InvalidInput, match="does not support folds"):
        chance_test(Predictions(Y, P, folds=folds, absent="skip"), n_permutations=2)
    made = _chance.ChanceTest("m", 0.81234, 0.5, 0.01, 99, 3)
    assert repr(made) == "m = 0.8123, by chance 0.5000, p = 0.0100"
    assert made.to_dict() == {
        "metric": "m",
        "value": 0.81234,
        "chance": 0.5,
        "p_value": 0.01,
        "n_permutations": 99,
        "seed": 3,
    }
    usual = chance_test([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4], "roc_auc", rng=1)
    assert usual.n_permutations == 999 and usual.p_value == pytest.approx(1 / 6, abs=0.05)


def test_a_permutation_that_has_no_value_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    values = iter([0.5, 0.4])

    def value(statistic: Any) -> float:
        found = next(values, None)
        if found is None:
            raise NotDefined("no curve fits")
        return found

    metric = replace(registry["hand_till"], value=value)
    monkeypatch.setitem(registry._metrics, "hand_till", metric)
    with pytest.raises(InvalidInput, match=r"^A permutation has no value: no curve fits$"):
        chance_test(Predictions(Y, P, n_threads=1), n_permutations=3, rng=1)


def test_options_are_checked_and_frozen() -> None:
    assert (Bootstrap().replicates, Bootstrap().rng, Bootstrap().n_tuples) == (2000, None, None)
    assert (Permutation().replicates, Permutation().rng) == (2000, None)
    assert (Influence().n_tuples, Influence().rng) == (None, None)
    assert Design() == Design(None, "stratified", "sampling")
    for wrong in (
        lambda: Bootstrap(1),
        lambda: Bootstrap(n_tuples=1),
        lambda: Permutation(0),
        lambda: Influence(n_tuples=0),
    ):
        with pytest.raises(InvalidInput, match="must be at least"):
            wrong()
    assert Bootstrap(2, n_tuples=2).n_tuples == 2
    assert Permutation(1).replicates == Influence(n_tuples=1).n_tuples == 1
    for each in (Bootstrap(), Permutation(), Influence(), Design()):
        with pytest.raises(FrozenInstanceError):
            each.rng = 3  # type: ignore[misc, union-attr]
    design = Design([1, 2], "random", "frequency")
    assert Design.of(design) is design and Design.of([1, 2]) == Design([1, 2])


def test_methods_by_name() -> None:
    assert interval_method(None) is None
    assert interval_method("influence") == Influence()
    assert interval_method("bootstrap") == Bootstrap()
    own = Bootstrap(7)
    assert interval_method(own) is own and compare_method(own) is own
    for wrong in ("permutation", Influence(), Permutation(), 3, ["bootstrap"]):
        with pytest.raises(InvalidInput, match="interval must be"):
            interval_method(wrong)
    for name, kind in (("influence", Influence), ("bootstrap", Bootstrap)):
        assert compare_method(name) == kind()
    assert compare_method("permutation") == Permutation()
    with pytest.raises(InvalidInput, match="method must be"):
        compare_method("jackknife")


def test_names_are_loaded_when_they_are_used() -> None:
    assert dir(inference) == sorted(inference.__all__)
    for name in inference.__all__:
        first = getattr(inference, name)
        assert vars(inference)[name] is first
    with pytest.raises(AttributeError, match=r"^module 'polyroc\.inference' has no attribute 'x'$"):
        inference.__getattr__("x")


class Learner:
    """A fitted classifier that answers with what it was given."""

    def __init__(self, classes: list[Any], scores: Any, name: str) -> None:
        self.classes_ = np.array(classes)
        setattr(self, name, lambda X: scores)


def test_columns_of_learners_in_the_order_of_the_classes() -> None:
    """Of one decision per case, two columns of which the second is for the second class."""
    p = np.arange(6.0).reshape(2, 3)
    scores, are = _learners.class_scores(
        Learner(["c", "a", "b"], p, "predict_proba"), None, ("a", "b", "c")
    )
    assert scores.tolist() == p[:, [1, 2, 0]].tolist() and are
    decided = Learner(["b", "a"], np.array([0.5, -2.0]), "decision_function")
    scores, are = _learners.class_scores(decided, None, ("a", "b"))
    assert scores.tolist() == [[0.5, -0.5], [-2.0, 2.0]] and not are
    frame = pd.DataFrame(p, columns=["c", "a", "b"])
    scores, _ = _learners.class_scores(
        Learner(["c", "a", "b"], frame, "predict_proba"), None, ("a", "b", "c")
    )
    assert scores is frame


def test_seeds_of_learners() -> None:
    """Every random_state that was None, in the order of their names; streams differ."""
    from sklearn.ensemble import BaggingClassifier
    from sklearn.tree import DecisionTreeClassifier

    sequence = np.random.SeedSequence(5, spawn_key=(1, 2))
    assert _learners.state_of(5, 1, 2) == int(sequence.generate_state(1)[0])
    assert len({_learners.state_of(5), _learners.state_of(5, 1), _learners.state_of(5, 1, 2)}) == 3
    both = _learners.seeded(BaggingClassifier(DecisionTreeClassifier()), 9)
    draws = np.random.SeedSequence(9).generate_state(2).tolist()
    found = both.get_params()
    assert [found["estimator__random_state"], found["random_state"]] == draws
    kept = _learners.seeded(BaggingClassifier(DecisionTreeClassifier(random_state=3)), 9)
    assert kept.get_params()["estimator__random_state"] == 3
    assert kept.random_state == np.random.SeedSequence(9).generate_state(1)[0]


def test_reasons_of_workers_are_their_last_line() -> None:
    error = PicklingError("outer")
    assert _learners.reason_in_worker(error) == "outer"
    error.__cause__ = ValueError('"""\nTraceback\n  "cannot pickle it" \n\n"""')
    assert _learners.reason_in_worker(error) == "cannot pickle it"
    empty = PicklingError("")
    assert _learners.reason_in_worker(empty) == "PicklingError"


def test_workers_watch_their_own_parent_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a process that is not their parent, and with one thread, which ends with them."""
    started = []

    class Thread:
        def __init__(self, **options: Any) -> None:
            self.options = options

        def start(self) -> None:
            started.append(self.options)

    monkeypatch.setattr(_orphans, "_watching", set())
    monkeypatch.setattr(_orphans, "threading", SimpleNamespace(Thread=Thread))
    process = SimpleNamespace(getppid=lambda: 41, getpid=lambda: 42)
    monkeypatch.setattr(_orphans, "os", process)
    _orphans.end_with(40)
    assert started == []
    _orphans.end_with(41)
    _orphans.end_with(41)
    assert len(started) == 1
    assert started[0]["daemon"] is True and started[0]["args"] == (41,)
    assert started[0]["target"] is _orphans._watch
    process.getpid = lambda: 43  # a fork inherits the set alone
    _orphans.end_with(41)
    assert len(started) == 2


def test_a_worker_looks_until_its_parent_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    parents, ends, waits = [7, 7, 1], [], []
    process = SimpleNamespace(getppid=lambda: parents.pop(0), _exit=ends.append)
    monkeypatch.setattr(_orphans, "os", process)
    monkeypatch.setattr(_orphans, "time", SimpleNamespace(sleep=waits.append))
    _orphans._watch(7)
    assert ends == [1] and len(waits) == 2 and parents == []
    assert all(0 < each < 1 for each in waits)  # it ends within a second


def test_options_reach_the_ordinal_volume() -> None:
    """Weights, groups, folds, and the seed of the bootstrap unless it has its own."""
    marker = P[:, 2] - P[:, 0]
    found = estimate_ordinal_vus(Y, marker, sample_weight=W)
    assert found.value == pytest.approx(ordinal_vus(Y, marker, sample_weight=W))
    assert found.value != pytest.approx(ordinal_vus(Y, marker))
    grouped = estimate_ordinal_vus(Y, marker, sample_weight=W, groups=np.arange(N) // 2)
    assert grouped.value == found.value
    assert grouped.standard_error != pytest.approx(found.standard_error)
    assert grouped.settings["groups"] is True
    none = estimate_ordinal_vus(Y, marker, interval=None)
    assert none.method == "value only"
    drawn = estimate_ordinal_vus(Y, marker, interval=Bootstrap(3), rng=4)
    own = estimate_ordinal_vus(Y, marker, interval=Bootstrap(3, rng=5), rng=4)
    assert drawn.settings["seed"] == 4 and own.settings["seed"] == 5
    assert len(drawn.replicates) == 3
