"""Replicates by hand: every resample written out and measured, its spread, and what is left out."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import t

from polyroc import Bootstrap, Design, Permutation, Predictions, compare, evaluate, registry
from polyroc._base.random import stream
from polyroc.errors import InvalidInput
from polyroc.inference import _bootstrap, _permutation, _resampling
from polyroc.inference._bootstrap import replicate_values
from polyroc.inference._influence import CaseDesign, contributions
from polyroc.inference._permutation import _coins, _exchanged, _ranked, _stacked
from polyroc.inference._resampling import Replicator, Resampler, drawn_weights, redrawn
from polyroc.inference._samples import Samples
from polyroc.metrics.question import Influence
from polyroc.results import Estimate
from polyroc.statistics.statistic import Need
from polyroc.statistics.tuples import Tuples

RNG = np.random.default_rng(9)
SIZES = [9, 6, 5]
Y = RNG.permutation(np.repeat([0, 1, 2], SIZES))
N = len(Y)


@pytest.fixture(autouse=True)
def numbers_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test depends on how many numbers others have drawn."""
    monkeypatch.setitem(globals(), "RNG", np.random.default_rng(9))


def scores(seed: int) -> np.ndarray:
    raw = np.random.default_rng(seed).integers(1, 9, size=(N, 3)) + 2 * np.eye(3)[Y]
    return raw / raw.sum(axis=1, keepdims=True)


P, OTHER, THIRD = scores(1), scores(2), scores(3)
W = 1.0 + np.arange(N) % 3
NAMES = ["hand_till", "aunp", "auc_mu", "pdi", "hum", "hand_till_scored", "total_length"]


def written_out(given: Predictions, weights: np.ndarray, name: str, priors: Any = None) -> float:
    """The metric of the cases drawn, each with its weight times how often it was drawn."""
    kept = weights > 0
    again = Predictions(
        given.codes[kept], given.scores[kept], sample_weight=(weights * given.case_weights)[kept]
    )
    options = {"priors": priors} if priors is not None and registry[name].prior_weighted else {}
    return registry[name].of(again, **options)


@pytest.mark.parametrize("kind", ["plain", "weights", "copies", "random", "groups"])
def test_every_replicate_written_out(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In batches of any size; priors stay those of the sample unless they were sampled."""
    given = Predictions(Y, P, sample_weight=None if kind in ("plain", "random") else W)
    design = CaseDesign.of(
        {
            "copies": Design(weights="frequency"),
            "random": Design(sampling="random"),
            "groups": np.arange(N) // 2,
        }.get(kind),
        given,
    )
    questions = [registry[name].question(given) for name in NAMES]
    monkeypatch.setattr(_bootstrap, "BATCH", 3)
    found = replicate_values(given, questions, design, 7, 5)
    assert found.shape == (7, len(NAMES))
    resampler = Resampler.of(given, design)
    for b in range(7):
        drawn = resampler.draw(stream(5, b))
        priors = None if kind == "random" else given.priors
        for column, name in enumerate(NAMES):
            expected = written_out(given, np.asarray(drawn), name, priors)
            assert found[b, column] == pytest.approx(expected, rel=1e-10), (b, name)


def test_draws_of_strata() -> None:
    """One unit less than there are in each class, at least one; all alike in a class of one."""
    y = np.array([0, 0, 0, 1, 2, 2])
    given = Predictions(y, RNG.dirichlet(np.ones(3), 6))
    drawn = drawn_weights(Resampler.of(given, CaseDesign()), 3, range(4, 9), 1)
    assert drawn.shape == (5, 6) and drawn.dtype == np.uint32
    for row, replicate in zip(drawn, range(4, 9), strict=True):
        assert [row[y == k].sum() for k in range(3)] == [2, 1, 1]
        generator = stream(3, replicate)
        chosen = [generator.integers(0, n, max(n - 1, 1)) for n in (3, 1, 2)]
        expected = [np.bincount(c, minlength=n) for c, n in zip(chosen, (3, 1, 2), strict=True)]
        assert row.tolist() == np.concatenate(expected).tolist()
    copies = Predictions(y, RNG.dirichlet(np.ones(3), 6), sample_weight=[1, 2, 3, 1, 2, 2])
    design = CaseDesign.of(Design(weights="frequency"), copies)
    weights = drawn_weights(Resampler.of(copies, design), 3, range(5), 1)
    assert weights.dtype == np.float64
    for row in weights * [1, 2, 3, 1, 2, 2]:
        assert [row[y == k].sum() for k in range(3)] == pytest.approx([5, 1, 3])


def test_draws_give_up_where_they_lose_a_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many in a row as are allowed, and not one more."""
    monkeypatch.setattr(_resampling, "_MOST_DRAWS", 3)
    given = Predictions(Y, P)
    resampler = Resampler.of(given, CaseDesign.of(Design(sampling="random"), given))
    made = []

    def once(self: Resampler, generator: np.random.Generator) -> np.ndarray:
        made.append(generator)
        return np.where((Y == 2) & (len(made) < 3), 0, 1)

    monkeypatch.setattr(Resampler, "_draw_once", once)
    assert resampler.draw(stream(0, 0)).tolist() == [1] * N and len(made) == 3
    monkeypatch.setattr(Resampler, "_draw_once", lambda self, _: np.where(Y == 2, 0, 1))
    with pytest.raises(InvalidInput, match=r"^3 resamples in a row lost a class"):
        resampler.draw(stream(0, 0))


def test_random_tuples_are_drawn_anew_in_each_replicate() -> None:
    need = Need(Tuples, (("rule", "hum"), ("n_tuples", 50), ("rng", 4)))
    first, again, other = (redrawn(need, b) for b in (3, 3, 4))
    assert first == again != other
    sequence = np.random.SeedSequence((4, 3))
    expected = int(sequence.generate_state(1, np.uint64)[0])
    assert first == Need(Tuples, (("rule", "hum"), ("n_tuples", 50), ("rng", expected)))
    every = Need(Tuples, (("rule", "hum"),))
    assert redrawn(every, 3) is every


def test_replicates_are_numbered_across_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replicate b has the tuples of number b, whatever the batch that it is in."""
    drawn = Bootstrap(6, rng=2, n_tuples=40)
    whole = evaluate(Y, P, ["hum"], interval=drawn)["hum"]
    monkeypatch.setattr(_bootstrap, "BATCH", 4)
    parts = evaluate(Y, P, ["hum"], interval=drawn)["hum"]
    np.testing.assert_array_equal(whole.replicates, parts.replicates)
    assert whole.settings["n_tuples"] == 40 and whole.settings["seed"] == 2
    assert whole.acceleration is None


def test_a_replicator_of_weights() -> None:
    """Values of metrics that a kernel gives and of those that need cases, in their order."""
    given = Predictions(Y, P)
    names = ["pdi", "hand_till", "hum", "auc_mu"]
    replicator = Replicator(given, [registry[name].question(given) for name in names])
    assert replicator.by_kernel == [1, 3] and replicator.by_cases == [0, 2]
    weights = np.stack([1 + np.arange(N) % 2, 1 + np.arange(N) % 3]).astype(np.uint32)
    found = replicator.values(weights)
    for row, own in zip(found, weights, strict=True):
        assert row.tolist() == pytest.approx([written_out(given, own, name) for name in names])


def test_a_replicator_numbers_its_replicates_from_the_first() -> None:
    """Tuples of replicate b are those of its number, 0 for the first unless told otherwise."""
    given = Predictions(Y, P)
    asked = [registry["hum"].question(given, n_tuples=25, rng=6)]
    weights = np.ones((3, N), dtype=np.uint32)
    replicator = Replicator(given, asked)
    usual, later = replicator.values(weights), replicator.values(weights, 1)
    assert usual[1:].tolist() == later[:-1].tolist()
    assert len({*usual[:, 0].tolist(), *later[:, 0].tolist()}) > 1
    for b in range(3):
        need = redrawn(asked[0].need, b)
        expected = asked[0].value(need.of(given))
        assert usual[b, 0] == pytest.approx(expected)


def test_folds_are_resampled_one_by_one() -> None:
    """Seeds of folds are one apart, or as many as there are independent samples."""
    folds = np.empty(N, dtype=int)
    for k in range(3):
        folds[k == Y] = np.arange(SIZES[k]) % 2
    given = Predictions(Y, P, folds=folds)
    questions = [registry[name].question(given) for name in ("hand_till", "aunp")]
    for step in (1, 3):
        found = replicate_values(given, questions, CaseDesign(), 4, 10, step)
        parts = [
            replicate_values(given.part(rows), questions, CaseDesign(), 4, 10 + v * step)
            for v, rows in enumerate(given.fold_rows)
        ]
        np.testing.assert_allclose(found, (parts[0] + parts[1]) / 2, rtol=1e-12)
    default = replicate_values(given, questions, CaseDesign(), 4, 10)
    one = replicate_values(given, questions, CaseDesign(), 4, 10, 1)
    np.testing.assert_array_equal(default, one)


def test_independent_samples_have_seeds_of_their_own() -> None:
    truth, models = {"a": Y, "b": Y, "c": Y}, {"a": P, "b": OTHER, "c": THIRD}
    found = compare(truth, models, ["hand_till"], method=Bootstrap(5, rng=20)).differences
    drawn = {}
    for m, (name, p) in enumerate(models.items()):
        given = Predictions(Y, p)
        questions = [registry["hand_till"].question(given)]
        drawn[name] = replicate_values(given, questions, CaseDesign(), 5, 21 + m)[:, 0]
    for row in found:
        expected = drawn[row.model_a] - drawn[row.model_b]
        np.testing.assert_allclose(row.replicates, expected, rtol=1e-12)


def test_a_bootstrap_estimate_by_hand() -> None:
    """Standard deviation over the replicates, acceleration, and what is kept of the plain one."""
    found = evaluate(Y, P, ["hand_till"], interval=Bootstrap(9, rng=3))["hand_till"]
    plain = evaluate(Y, P, ["hand_till"])["hand_till"]
    values = found.replicates
    assert values is not None and len(values) == 9
    mean = sum(values) / 9
    spread = sum((v - mean) ** 2 for v in values) / 8
    assert found.standard_error == pytest.approx(math.sqrt(spread))
    given = Predictions(Y, P)
    moved = contributions(given, [registry["hand_till"].influence(given)], CaseDesign())[:, 0]
    skew = sum(u**3 for u in moved) / (6 * sum(u**2 for u in moved) ** 1.5)
    assert found.acceleration == pytest.approx(skew)
    assert found.effective == plain.effective and found.value == plain.value
    assert found.method == "bootstrap" and found.notes == plain.notes
    assert found.settings == {**plain.settings, "n_replicates": 9, "seed": 3}


def test_no_acceleration_where_nothing_moves() -> None:
    given = Predictions(Y, P)
    none = _bootstrap._acceleration(given, Influence(np.zeros(N)), CaseDesign())
    assert none == 0
    assert _bootstrap._acceleration(given, Influence(np.full(N, math.nan)), CaseDesign()) == 0


def test_replicates_without_a_value_are_left_out_and_counted() -> None:
    plain = Estimate("m", 0.5, math.nan, "value only")
    kept, values = _bootstrap._without_missing(plain, np.array([0.1, math.nan, 0.3, math.nan]))
    assert values.tolist() == [0.1, 0.3]
    told = "2 of 4 replicates have no curve that fits and are left out"
    assert kept.notes == (("undefined-replicates", told),)
    same, every = _bootstrap._without_missing(plain, np.array([0.1, 0.3]))
    assert same is plain and every.tolist() == [0.1, 0.3]


def test_perfect_models_say_that_every_case_agrees() -> None:
    found = evaluate(Y, np.eye(3)[Y], ["hand_till"], interval=Bootstrap(5, rng=1))["hand_till"]
    assert math.isnan(found.standard_error) and found.replicates is None
    assert found.method == "bootstrap" and found.effective is not None
    assert found.notes[-1].code == "no-variation"
    assert found.settings["n_replicates"] == 5 and found.settings["seed"] == 1
    assert found.settings["sampling"] == "stratified"
    (row,) = compare(
        Y, {"a": np.eye(3)[Y], "b": np.eye(3)[Y]}, ["hand_till"], method=Bootstrap(5, rng=1)
    ).differences
    assert row.replicates is None and math.isnan(row.p_value)


@pytest.mark.parametrize("reference", ["t", "normal"])
def test_differences_of_replicates(reference: str) -> None:
    """Errors from the replicates, degrees of freedom as without them, Holm over the pairs."""
    models = {"a": P, "b": OTHER, "c": THIRD}
    names = ["hand_till", "aunp", "roc_auc"]
    method = Bootstrap(8, rng=6)
    found = compare(Y, models, names, method=method, reference=reference, level=0.8)
    plain = compare(Y, models, names, reference=reference)
    single = {m: evaluate(Y, p, ["hand_till", "aunp"], interval=method) for m, p in models.items()}
    for row, other in zip(found.differences, plain.differences, strict=True):
        assert row.metric == other.metric
        assert (row.model_a, row.model_b) == (other.model_a, other.model_b)
        if row.metric == "roc_auc":
            assert math.isnan(row.difference) and row.notes == other.notes
            continue
        first, second = single[row.model_a][row.metric], single[row.model_b][row.metric]
        apart = first.replicates - second.replicates
        np.testing.assert_allclose(row.replicates, apart, rtol=1e-10)
        assert row.standard_error == pytest.approx(apart.std(ddof=1))
        assert row.degrees_of_freedom == pytest.approx(other.degrees_of_freedom)
        if reference == "t":
            ratio = abs(row.difference) / row.standard_error
            assert row.p_value == pytest.approx(2 * t.sf(ratio, row.degrees_of_freedom))
        assert row.notes == other.notes
    assert found.values == {name: found.values[name] for name in ("hand_till", "aunp")}
    assert found.values["aunp"]["b"] == pytest.approx(plain.values["aunp"]["b"])
    assert [test.metric for test in found.omnibus_tests] == ["hand_till", "aunp"]
    assert found.settings == {**plain.settings, "n_replicates": 8, "seed": 6}
    assert found.method == "bootstrap" and found.level == 0.8


def test_two_groups_less_leave_no_error_of_one_sample() -> None:
    """Of three independent samples one has a class of one case: its differences have no test."""
    lone = np.array([0, 0, 0, 1, 1, 1, 2])
    truth = {"a": Y, "b": lone, "c": Y}
    models = {"a": P, "b": RNG.dirichlet(np.ones(3), 7), "c": OTHER}
    rows = compare(truth, models, ["hand_till"], method=Bootstrap(6, rng=2)).differences
    assert [math.isnan(row.standard_error) for row in rows] == [True, False, True]


def test_exchanges_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """p = (1 + exchanges at least as far apart)/(1 + exchanges), each of them written out."""
    n_replicates, seed = 7, 4
    monkeypatch.setattr(_permutation, "BATCH", 3)
    method = Permutation(n_replicates, seed)
    names = ["hand_till", "hand_till_scored", "pdi"]
    models = {"a": P, "b": OTHER}
    for groups in (None, np.arange(N) // 3):
        found = compare(Y, models, names, method=method, groups=groups, sample_weight=W)
        unit = np.arange(N) if groups is None else groups
        for row in found.differences:
            on_ranks = row.metric in ("hand_till", "pdi")
            pair = [Predictions(Y, p, sample_weight=W) for p in (P, OTHER)]
            first, second = ((_ranked(x) if on_ranks else x).scores for x in pair)
            reached = 0
            for b in range(n_replicates):
                coins = stream(seed, b).integers(0, 2, unit.max() + 1, dtype=np.uint8)[unit]
                swapped = (coins == 1)[:, None]
                one, two = np.where(swapped, second, first), np.where(swapped, first, second)
                values = [
                    registry[row.metric].of(Predictions(Y, p, sample_weight=W)) for p in (one, two)
                ]
                reached += abs(values[0] - values[1]) >= abs(row.difference) - 1e-12
            assert row.p_value == pytest.approx((1 + reached) / (1 + n_replicates)), row.metric
        assert found.settings["n_replicates"] == 7 and found.settings["seed"] == 4
        assert found.omnibus_tests == () and found.method == "permutation"


def test_exchanges_that_are_at_least_as_far_apart() -> None:
    """Up to rounding, on either side; one without a value counts as far apart."""
    given = Samples(("a", "b"), (Predictions(Y, P),) * 2, (CaseDesign(),) * 2, paired=True)

    def p_value(apart: float, observed: float, *more: float) -> float:
        exchanges = [
            SimpleNamespace(values=lambda swapped, x=x: x * swapped[:, :1].astype(float))
            for x in (apart, *more)
        ]
        found = _exchanged(given, 0, exchanges, np.array([observed]), 9, 3)  # type: ignore[arg-type]
        assert found.shape == (1,)
        return float(found[0])

    # The first case is swapped or not: the two values differ by x, or by −x.
    for observed in (0.3, -0.3):
        assert p_value(0.3, observed) == p_value(-0.3, observed) == 1
        assert p_value(0.3 - 1e-13, observed) == 1
        assert p_value(0.3 - 1e-11, observed) == 0.1
        assert p_value(0.4, observed) == 1 and p_value(0.2, observed) == 0.1
        assert p_value(math.nan, observed) == 1
        assert p_value(0.4, observed, 0.21) == 1  # a mean over folds
        assert p_value(0.4, observed, 0.19) == 0.1


def test_coins_are_those_of_the_unit() -> None:
    unit = np.array([0, 2, 2, 1, 0])
    coins = stream(5, 9).integers(0, 2, 3, dtype=np.uint8)
    assert _coins(5, 9, unit).tolist() == coins[unit].tolist()


def test_models_are_stacked_with_their_weights() -> None:
    first, second = (Predictions(Y, p, sample_weight=W) for p in (P, OTHER))
    both = _stacked(first, second)
    assert both.codes.tolist() == [*Y.tolist(), *Y.tolist()]
    assert both.scores.tolist() == [*P.tolist(), *OTHER.tolist()]
    assert both.case_weights.tolist() == [*W.tolist(), *W.tolist()]
    ranks = _ranked(first).scores
    for c in range(3):
        for i in range(N):
            below = sum(P[j, c] < P[i, c] for j in range(N))
            equal = sum(P[j, c] == P[i, c] for j in range(N))
            assert ranks[i, c] == pytest.approx((below + (equal + 1) / 2) / N)


def test_what_a_permutation_test_does_not_answer() -> None:
    models = {"a": P, "b": OTHER}
    method = Permutation(5, 1)
    with pytest.raises(InvalidInput, match='got alternative="greater"'):
        compare(Y, models, ["hand_till"], method=method, alternative="greater")
    with pytest.raises(InvalidInput, match="these are independent samples"):
        compare({"a": Y, "b": Y}, models, ["hand_till"], method=method)
    found = compare(Y, models, ["hand_till", "saec"], method=method)
    with pytest.raises(InvalidInput, match="compares pairs of models only"):
        found.omnibus()
    assert found.differences[0].notes[0] == "a permutation test gives no standard error"
    assert not found.differences[0].lower_is_better and found.differences[1].lower_is_better
    assert list(found.values) == ["hand_till"]
    assert list(found.values["hand_till"]) == ["a", "b"]
