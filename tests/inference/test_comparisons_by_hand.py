"""Comparisons put together by hand: missing replicates, metrics without derivatives, options."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from polyroc import Bootstrap, Design, Influence, Permutation, Predictions, compare, evaluate
from polyroc.errors import InvalidInput, NotDefined
from polyroc.inference import _bootstrap, _compare, _evaluate
from polyroc.inference._bootstrap import _spread, _with_error, defined_questions
from polyroc.inference._differences import comparison_notes
from polyroc.inference._influence import CaseDesign
from polyroc.inference._resampling import _defined
from polyroc.inference._samples import Samples, samples_of
from polyroc.metrics import registry
from polyroc.metrics.folds import statistics_of
from polyroc.metrics.measure import Measured
from polyroc.metrics.question import Influence as InfluenceValues
from polyroc.results import Effective, Estimate, Note

RNG = np.random.default_rng(21)
SIZES = [8, 5, 6]
Y = RNG.permutation(np.repeat([0, 1, 2], SIZES))
N = len(Y)
MODELS = {
    name: (RNG.integers(1, 9, size=(N, 3)) + 2 * np.eye(3)[Y]).astype(float) for name in "abc"
}
MODELS = {name: p / p.sum(axis=1, keepdims=True) for name, p in MODELS.items()}


@pytest.fixture(autouse=True)
def numbers_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test depends on how many numbers others have drawn."""
    monkeypatch.setitem(globals(), "RNG", np.random.default_rng(21))


def samples(n_models: int = 3, *, paired: bool = True) -> Samples:
    made = tuple(Predictions(Y, p) for p in list(MODELS.values())[:n_models])
    return Samples(tuple("abc"[:n_models]), made, (CaseDesign(),) * n_models, paired)


def influence_of(given: Predictions) -> InfluenceValues:
    return registry["hand_till"].influence(given)


def test_the_spread_of_replicates() -> None:
    """Variances of differences over the replicates; degrees of freedom of influence values."""
    given = samples()
    moved = [influence_of(each) for each in given.predictions]
    drawn = RNG.normal(size=(3, 6))
    found, plain = _spread(given, drawn, moved), given.spread(moved)
    for a in range(3):
        for b in range(3):
            expected = np.var(drawn[a] - drawn[b], ddof=1)
            assert found.differences[a, b] == pytest.approx(expected, rel=1e-12, abs=1e-12)
    np.testing.assert_array_equal(found.freedom, plain.freedom)
    np.testing.assert_array_equal(found.parts, plain.parts)
    two = _spread(given, drawn[:, :2], moved)
    assert two.differences[0, 1] == pytest.approx(np.var(drawn[0, :2] - drawn[1, :2], ddof=1))
    one = _spread(given, drawn[:, :1], moved)
    assert np.isnan(one.differences).all()


def test_without_derivatives_the_smallest_class_says_how_much_is_known() -> None:
    given = samples()
    moved = [influence_of(each) for each in given.predictions]
    moved[1] = InfluenceValues.undefined(given.predictions[1], "a corner")
    drawn = RNG.normal(size=(3, 6))
    found = _spread(given, drawn, moved)
    assert (found.freedom == 4).all() and found.freedom.shape == (3, 3)
    assert found.parts.shape == (1, 3, 3) and found.parts_freedom.tolist() == [4]
    np.testing.assert_array_equal(found.parts[0], found.differences)


def test_replicates_that_a_model_lacks_are_left_out_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = RNG.normal(size=(3, 7, 2))
    drawn[0, 2, 1] = drawn[2, 5, 1] = drawn[0, 5, 1] = math.nan

    def replicates(given: Samples, questions: Any, n_replicates: int, seed: int) -> np.ndarray:
        assert [q.metric.name for q in questions] == ["aunp", "hand_till"]
        assert n_replicates == 7 and seed == 3
        return drawn

    monkeypatch.setattr(_bootstrap, "_replicates_of_models", replicates)
    found = compare(Y, MODELS, ["aunp", "saec", "hand_till"], method=Bootstrap(7, rng=3))
    names = [row.metric for row in found.differences]
    assert names == ["aunp"] * 3 + ["saec"] * 3 + ["hand_till"] * 3
    told = "2 of 7 replicates have no curve that fits and are left out"
    place = {"a": 0, "b": 1, "c": 2}
    for row in found.differences:
        a, b = place[row.model_a], place[row.model_b]
        if row.metric == "saec":
            assert row.replicates is None and math.isnan(row.difference)
            continue
        column = ["aunp", "hand_till"].index(row.metric)
        kept = [0, 1, 3, 4, 6] if column else list(range(7))
        apart = drawn[a, kept, column] - drawn[b, kept, column]
        np.testing.assert_allclose(row.replicates, apart)
        assert row.standard_error == pytest.approx(apart.std(ddof=1))
        assert (row.notes[-1] == told) == (row.metric == "hand_till")
    assert list(found.values) == ["aunp", "hand_till"]


def test_which_questions_have_answers_for_all_models() -> None:
    models = [statistics_of(each) for each in samples().predictions]
    metrics = [registry[name] for name in ("saec", "aunp", "hum")]
    questions, found, reasons = defined_questions(models, metrics, [0.2, 0.3, 0.5])
    assert [q.metric.name for q in questions] == ["aunp", "hum"]
    assert questions[0].priors is not None
    assert questions[0].priors.tolist() == pytest.approx([0.2, 0.3, 0.5])
    assert list(reasons) == ["saec"] and "2 classes" in reasons["saec"]
    assert [len(row) for row in found] == [3, 3, 3]
    for m, name in enumerate("abc"):
        assert found[2][m].value == pytest.approx(
            evaluate(Y, MODELS[name], ["hum"], interval=None)["hum"].value
        )


def with_error(metric: Any, influence: InfluenceValues, replicates: list[float]) -> Estimate:
    given = Predictions(Y, MODELS["a"])
    plain = Estimate(
        "m",
        0.7,
        math.nan,
        "value only",
        notes=(Note("one", "first"),),
        settings={"sampling": "stratified", "n_tuples": 5},
        effective=Effective(9.0, 8.0),
    )
    found = Measured(metric, 0.7, influence)
    settings = {"n_replicates": 4, "seed": 2}
    return _with_error(plain, found, np.array(replicates), given, CaseDesign(), settings)


def test_estimates_with_replicates() -> None:
    """A corner has no derivative, but a bootstrap has an error there; a fit at a limit has none."""
    metric = registry["hand_till"]
    moved = influence_of(Predictions(Y, MODELS["a"]))
    values = [0.6, 0.7, 0.9, 0.8]
    found = with_error(metric, moved, values)
    assert found.standard_error == pytest.approx(np.std(values, ddof=1))
    assert found.settings == {
        "sampling": "stratified",
        "n_tuples": 5,
        "n_replicates": 4,
        "seed": 2,
    }
    assert found.notes == (("one", "first"),) and found.method == "bootstrap"
    assert found.replicates is not None and found.replicates.tolist() == values
    corner = with_error(metric, InfluenceValues(np.full(N, math.nan), reason="a corner"), values)
    assert corner.standard_error == found.standard_error and corner.acceleration == 0
    fitted = replace(metric, fault=lambda statistic, **options: None)
    limit = with_error(fitted, replace(moved, reason="at a limit"), values)
    assert math.isnan(limit.standard_error) and limit.replicates is None
    assert [note.code for note in limit.notes] == ["one", "no-derivative"]
    assert limit.settings == {"n_replicates": 4, "seed": 2} and limit.method == "bootstrap"
    assert with_error(fitted, moved, values).standard_error == found.standard_error
    some = with_error(metric, moved, [0.6, math.nan, 0.9, math.nan])
    assert some.standard_error == pytest.approx(np.std([0.6, 0.9], ddof=1))
    assert some.notes[-1].text.startswith("2 of 4 replicates have no curve")
    agree = with_error(metric, moved, [0.7, 0.7, 0.7, 0.7])
    assert math.isnan(agree.standard_error) and agree.notes[-1].code == "no-variation"


def test_replicates_whose_curve_cannot_be_fitted() -> None:
    """NaN where the fit has a fault or none exists; metrics that are not fitted are asked."""

    def question(fault: Any, told: str | None = None) -> Any:
        return SimpleNamespace(
            metric=SimpleNamespace(fault=fault),
            need="need",
            fault=lambda statistic: told,
            value=lambda statistic: 2 * statistic,
        )

    class Statistics(dict[str, float]):
        def value(self, asked: Any) -> float:
            return 0.25

        def __missing__(self, key: str) -> float:
            raise NotDefined("no curve")

    known = Statistics(need=0.3)
    assert _defined(known, question(None)) == 0.25  # type: ignore[arg-type]
    assert _defined(known, question(len)) == 0.6  # type: ignore[arg-type]
    assert math.isnan(_defined(known, question(len, "at a limit")))  # type: ignore[arg-type]
    assert math.isnan(_defined(Statistics(), question(len)))  # type: ignore[arg-type]


class Occasions:
    """Keeps what metrics are chosen for."""

    def __init__(self, plain: Any) -> None:
        self.plain, self.seen = plain, list[tuple[Predictions, int]]()

    def of(self, predictions: Predictions, n_evaluations: int) -> Any:
        self.seen.append((predictions, n_evaluations))
        return self.plain.of(predictions, n_evaluations)


def test_metrics_are_chosen_for_as_many_evaluations_as_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One without resamples, else as many as there are replicates."""
    kept = Occasions(_compare.Occasion)
    monkeypatch.setattr(_compare, "Occasion", kept)
    monkeypatch.setattr(_evaluate, "Occasion", kept)
    given = {name: Predictions(Y, p) for name, p in MODELS.items()}
    for method, expected in (("influence", 1), (Bootstrap(2, rng=1), 2), (Permutation(3, 1), 3)):
        compare(given, metrics=["hand_till"], method=method)
        assert kept.seen[-1][1] == expected
    evaluate(Y, MODELS["a"], ["hand_till"])
    assert kept.seen[-1][1] == 1
    evaluate(Y, MODELS["a"], ["hand_till"], interval=Bootstrap(4, rng=1))
    assert kept.seen[-1][1] == 4
    compare(given, metrics=["hand_till"], by=np.arange(N) % 1)
    assert [n for _, n in kept.seen[-3:]] == [1, 1, 1]


def test_random_tuples_of_a_comparison_are_those_of_an_evaluation() -> None:
    found = compare(Y, MODELS, ["hum", "hand_till"], method=Influence(60, rng=3))
    for name, p in MODELS.items():
        alone = evaluate(Y, p, ["hum", "hand_till"], n_tuples=60, rng=3)
        assert found.values["hum"][name] == alone["hum"].value
        assert found.values["hand_till"][name] == alone["hand_till"].value
    every = compare(Y, MODELS, ["hum"])
    assert every.values["hum"] != found.values["hum"]
    drawn = compare(Y, MODELS, ["hum"], method=Bootstrap(3, rng=3, n_tuples=60))
    assert drawn.values["hum"] == found.values["hum"]


def test_independent_samples_keep_the_published_variance() -> None:
    """Nothing is taken off where models have no case in common."""
    truth = dict.fromkeys("ab", Y)
    scores = {name: MODELS[name] for name in "ab"}
    (by_t,) = compare(truth, scores, ["hand_till"]).differences
    (normal,) = compare(truth, scores, ["hand_till"], reference="normal").differences
    assert by_t.standard_error == normal.standard_error
    parts = [evaluate(Y, scores[name], ["hand_till"])["hand_till"].standard_error for name in "ab"]
    assert by_t.standard_error == pytest.approx(math.hypot(*parts))
    (paired,) = compare(Y, scores, ["hand_till"]).differences
    (published,) = compare(Y, scores, ["hand_till"], reference="normal").differences
    assert paired.standard_error != published.standard_error


def test_notes_of_folds_in_a_comparison() -> None:
    """Repeats are told unless groups say which rows are the same case."""
    folds = [(row // 24, row // 12 % 2) for row in range(48)]
    y = np.tile([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2], 4)
    made = tuple(Predictions(y, RNG.normal(size=(48, 3)), folds=folds) for _ in range(2))
    case = np.tile(np.arange(24), 2)
    for groups, told in ((None, True), (case, False)):
        design = CaseDesign.of(groups, made[0])
        given = Samples(("a", "b"), made, (design, design), paired=True)
        notes = comparison_notes(given, registry["hand_till"], None)
        assert notes[0] == "mean over 4 folds of 2 repeats"
        assert any("pass the case of each row as groups" in note for note in notes) == told
        assert len(set(notes)) == len(notes)


def test_faults_of_every_model_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    given = samples()
    faults = iter(["first", None, "third"])
    metric = replace(registry["hand_till"], fault=lambda statistic, **options: next(faults))
    notes = comparison_notes(given, metric, None)
    assert notes[-2:] == ("first", "third") and None not in notes


def test_samples_from_scores_and_from_predictions() -> None:
    """The same cases for all models, groups and designs for each."""
    made = samples_of(Y, MODELS, Design(np.arange(N) // 2, "random"), labels=None)
    assert made.names == ("a", "b", "c") and made.paired and len(made.designs) == 3
    for design in made.designs:
        assert design.n_groups == 10 and design.sampling == "random"
    held = {name: Predictions(Y, p) for name, p in MODELS.items()}
    again = samples_of(held, None, np.arange(N) // 2)
    assert again.paired and [design.n_groups for design in again.designs] == [10, 10, 10]
    apart = samples_of(
        dict.fromkeys("ab", Y), {"a": MODELS["a"], "b": MODELS["b"]}, None, labels=None
    )
    assert not apart.paired
    own = samples_of(
        dict.fromkeys("ab", Y),
        {"a": MODELS["a"], "b": MODELS["b"]},
        {"a": np.arange(N) // 2, "b": np.arange(N) // 3},
        labels=None,
    )
    assert [design.n_groups for design in own.designs] == [10, 7]


def test_models_of_other_lengths_are_spoken_of_as_independent_samples() -> None:
    advice = "Models on different cases are independent samples"
    with pytest.raises(InvalidInput, match=rf"^Model 'b': .* {advice}"):
        compare(Y, {"a": MODELS["a"], "b": MODELS["b"][:-1]}, ["hand_till"])
    broken = MODELS["b"].copy()
    broken[3, 1] = math.nan
    with pytest.raises(InvalidInput, match=r"^Model 'b': ") as raised:
        compare(Y, {"a": MODELS["a"], "b": broken}, ["hand_till"])
    assert advice not in str(raised.value)
    shorter = {"a": Y, "b": Y}
    with pytest.raises(InvalidInput, match=r"^Model 'b': ") as raised:
        compare(shorter, {"a": MODELS["a"], "b": MODELS["b"][:-1]}, ["hand_till"])
    assert advice not in str(raised.value)
    with pytest.raises(Exception, match="y_scores must map names of models to their scores, got"):
        compare(Y, MODELS["a"], ["hand_till"])
