"""SAEC of data: hull against exact fractions, limits, weights, and the bootstrap interval."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import curves as roc_twin
from twins import utility as twin

import polyroc
from polyroc.errors import InvalidInput, InvalidType, NotConverged, NotDefined
from polyroc.metrics.expected_cost import saec
from polyroc.utility import fit_binormal, fit_proper, roc_hull, saec_interval
from polyroc.utility._data_cost import HIGHEST

COUNTS = [33, 6, 6, 11, 2, 3, 2, 2, 11, 33]
Y, RATINGS = np.repeat([0] * 5 + [1] * 5, COUNTS), np.repeat([1, 2, 3, 4, 5] * 2, COUNTS)

weighted = st.lists(st.tuples(st.integers(0, 8), st.integers(1, 3)), min_size=1, max_size=8)


@settings(deadline=None)
@given(weighted, weighted)
def test_hull_equals_the_exact_one(positives, negatives):
    y = [1] * len(positives) + [0] * len(negatives)
    scores, weights = zip(*positives, *negatives, strict=True)
    found = roc_hull(y, np.array(scores, dtype=float), sample_weight=weights)
    above, below = ([(s, Fraction(w)) for s, w in side] for side in (positives, negatives))
    exact = twin.hull([(x, t) for _, x, t in roc_twin.roc_points(above, below)])
    area = sum((q[0] - p[0]) * (p[1] + q[1]) / 2 for p, q in itertools.pairwise(exact))
    length = sum(math.dist(p, q) for p, q in itertools.pairwise(exact))
    assert found.area == pytest.approx(float(area), abs=1e-14)
    assert found.length == pytest.approx(length, abs=1e-14)
    assert found.saec == pytest.approx(2 * (1 - float(area)) / length, abs=1e-14)


def test_hull_of_many_cases_converges_to_the_model():
    """Slowly and from below: the hull is optimistic."""
    rng = np.random.default_rng(0)
    truth, found = 0.24936815, []
    for n in (100, 10_000, 200_000):
        x = rng.normal(np.repeat([0, 1.2], n))
        found.append(saec(np.repeat([0, 1], n), x, model="hull"))
    errors = np.abs(np.array(found) - truth)
    assert errors[-1] < 0.003 and errors[-1] < errors[0]


def test_metric_is_the_cost_of_the_fit():
    assert saec(Y, RATINGS) == pytest.approx(fit_binormal(Y, RATINGS).saec, abs=1e-14)
    assert saec(Y, RATINGS, model="proper") == pytest.approx(fit_proper(Y, RATINGS).saec, abs=1e-14)
    assert saec(Y, RATINGS, model="hull") == roc_hull(Y, RATINGS).saec
    two_columns = np.column_stack([-RATINGS, RATINGS])
    named = np.where(Y == 1, "ill", "well")
    assert saec(Y, two_columns) == saec(named, RATINGS, labels=["well", "ill"]) == saec(Y, RATINGS)


@pytest.mark.parametrize("model", ["binormal", "proper", "hull"])
def test_weights_are_repetitions(model):
    w = np.random.default_rng(1).integers(0, 3, len(Y))
    repeated = saec(np.repeat(Y, w), np.repeat(RATINGS, w), model=model)
    assert saec(Y, RATINGS, sample_weight=w, model=model) == pytest.approx(repeated, abs=1e-9)


@pytest.mark.parametrize("model", ["binormal", "proper", "hull"])
def test_perfect_scores_cost_nothing(model):
    assert saec([0, 0, 1, 1], [1, 2, 3, 4], model=model) == 0


def test_reversed_and_useless_scores():
    reversed_ = [4, 3, 2, 1]
    assert saec([0, 0, 1, 1], reversed_) == 1
    assert saec([0, 0, 1, 1], reversed_, model="proper") == math.sqrt(0.5)
    assert saec([0, 0, 1, 1], reversed_, model="hull") == pytest.approx(math.sqrt(0.5))
    assert saec([0, 0, 1, 1], [1, 1, 1, 1], model="hull") == pytest.approx(math.sqrt(0.5))
    with pytest.raises(NotDefined, match="All scores are equal"):
        saec([0, 0, 1, 1], [1, 1, 1, 1])
    below = saec(
        [0] * 16 + [1] * 16, np.repeat([0, 1, 2, 3, 0, 1, 2, 3], [1, 2, 3, 10, 10, 3, 2, 1])
    )
    assert 1 < below < HIGHEST < 1.0604


def test_a_threshold_that_separates_some_cases_is_no_limit():
    """Two categories, one of them of one class: neither 0 nor the cost of reversed scores."""
    for scores in ([0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1], [1, 1, 0, 0, 0, 0]):
        for model in ("binormal", "proper"):
            with pytest.raises(NotDefined, match="one operating point"):
                saec([0, 0, 0, 1, 1, 1], scores, model=model)
        assert 0 < saec([0, 0, 0, 1, 1, 1], scores, model="hull") <= math.sqrt(0.5) + 1e-12


def test_refusals():
    with pytest.raises(InvalidInput, match='"binormal", "proper" or "hull"'):
        saec(Y, RATINGS, model="logistic")
    with pytest.raises(NotDefined, match="2 classes, got 3"):
        saec([0, 1, 2], np.eye(3))
    with pytest.raises(InvalidType, match="rng must be"):
        saec_interval(Y, RATINGS, rng="seed")
    with pytest.raises(InvalidInput, match="n_replicates must be at least 2"):
        saec_interval(Y, RATINGS, n_replicates=1)


@pytest.mark.parametrize("model", ["binormal", "proper", "hull"])
def test_interval(model):
    found = saec_interval(Y, RATINGS, model=model, n_replicates=20, rng=3)
    assert found.value == saec(Y, RATINGS, model=model)
    assert found.interval(0.9).low < found.value < found.interval(0.9).high
    assert found.settings == {"model": model, "n_replicates": 20, "seed": 3}
    again = saec_interval(Y, RATINGS, model=model, n_replicates=20, rng=3)
    np.testing.assert_array_equal(again.replicates, found.replicates)
    fewer = saec_interval(Y, RATINGS, model=model, n_replicates=5, rng=3)
    np.testing.assert_array_equal(fewer.replicates, found.replicates[:5])
    assert found.counts == {0: 58, 1: 51}


@pytest.mark.slow
def test_interval_agrees_with_the_delta_method():
    found = saec_interval(Y, RATINGS, n_replicates=200, rng=4)
    assert found.standard_error == pytest.approx(
        fit_binormal(Y, RATINGS).saec_standard_error, rel=0.25
    )


def test_a_drawn_seed_reproduces():
    found = saec_interval(Y, RATINGS, n_replicates=5, rng=np.random.default_rng(0))
    again = saec_interval(Y, RATINGS, n_replicates=5, rng=found.settings["seed"])
    np.testing.assert_array_equal(again.replicates, found.replicates)
    assert saec_interval(Y, RATINGS, n_replicates=5).settings["seed"] >= 0


def test_replicates_without_a_curve_or_a_fit_are_counted():
    """Each kind is counted by fitting every replicate again, one by one."""
    y = np.repeat([0, 1], 8)
    x = np.array([1, 1, 1, 2, 2, 2, 3, 4, 1, 2, 3, 3, 4, 4, 5, 5])
    found = saec_interval(y, x, n_replicates=40, rng=0)
    kinds = {"fine": [], "no curve": 0, "at a limit": 0}
    for index in range(40):
        generator = np.random.Generator(np.random.PCG64(np.random.SeedSequence((0, index))))
        order = np.argsort(x, kind="stable")
        drawn = [np.flatnonzero(y[order] == k)[generator.integers(0, 8, 8)] for k in (0, 1)]
        rows = order[np.concatenate(drawn)]
        try:
            fit = fit_binormal(y[rows], x[rows])
        except NotDefined as problem:
            if "separates" in str(problem):
                kinds["fine"].append(0.0)
            else:
                kinds["no curve"] += 1
        else:
            if fit.converged:
                kinds["fine"].append(fit.saec)
            else:
                kinds["at a limit"] += 1
    assert kinds["at a limit"] > 0
    np.testing.assert_allclose(found.replicates, kinds["fine"], atol=1e-9)
    counted = f"the fits of {kinds['at a limit']} of 40 replicates ran to a limit of the model"
    assert counted in found.note
    assert ("have no curve" in found.note) == (kinds["no curve"] > 0)


def test_limits_corrected_for_bias_only_are_called_so():
    found = saec_interval(Y, RATINGS, n_replicates=60, rng=3)
    assert found.interval().scale == "bc"
    assert found.interval(scale="bc") == found.interval()
    with pytest.raises(InvalidInput, match="acceleration of BCa limits was not estimated"):
        found.interval(scale="bca")


FEW = [2, 4, 6, 0, 0, 0, 0, 4, 5, 3]  # AUC .917
FEW_Y, FEW_RATINGS = np.repeat([0] * 5 + [1] * 5, FEW), np.repeat([1, 2, 3, 4, 5] * 2, FEW)


@pytest.mark.parametrize("model", ["binormal", "proper"])
def test_a_fit_that_runs_to_a_limit_is_not_used_without_a_word(model):
    assert polyroc.roc_auc(FEW_Y, FEW_RATINGS) == pytest.approx(0.917, abs=1e-3)
    hull = saec(FEW_Y, FEW_RATINGS, model="hull")
    with pytest.warns(NotConverged, match="likelihood rises as the curve becomes perfect") as told:
        assert saec(FEW_Y, FEW_RATINGS, model=model) < 1e-6
    assert f'model="hull", which gives {hull:.4f}' in str(told[0].message)
    assert told[0].filename == __file__
    found = saec_interval(FEW_Y, FEW_RATINGS, model=model, n_replicates=20, rng=0)
    assert "fit-at-limit" in [note.code for note in found.notes]
    assert np.isnan([found.standard_error, *found.interval()[:2]]).all()


@pytest.mark.parametrize(
    ("seed", "n", "shift"),
    [
        (0, 24, 0.5),
        pytest.param(0, 850, 1, marks=pytest.mark.slow),
        pytest.param(3, 24, 1, marks=pytest.mark.slow),
    ],
)
def test_densities_that_round_to_zero_are_no_error(seed, n, shift):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    score = rng.normal(size=n) + shift * y

    def values():
        costs = [saec(y, score, model=model) for model in ("binormal", "proper", "hull")]
        return [*costs, fit_binormal(y, score).a, fit_proper(y, score).d_a]

    with np.errstate(all="raise"):
        strict = values()
    assert strict == values()


def test_three_classes_are_shown_the_way():
    with pytest.raises(NotDefined, match=r"ideal_observer\(probabilities\)\.saec\(\)"):
        saec([0, 1, 2], np.eye(3))
