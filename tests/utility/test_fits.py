"""Maximum likelihood fits: against published ones, a general optimiser, simulation and limits."""

import math

import numpy as np
import pytest
from scipy.special import ndtri
from twins import utility as twin

from polyroc.errors import InvalidInput, NotDefined
from polyroc.predictions import Predictions
from polyroc.utility import _categories as categories
from polyroc.utility import fit_binormal, fit_proper, to_proper
from polyroc.utility._categories import Categories, RankedCases
from polyroc.utility._families import Conventional, Proper, place
from polyroc.utility._fits import fit_runs, start_of
from polyroc.utility._likelihood import maximise

HANLEY = ([33, 6, 6, 11, 2], [3, 2, 2, 11, 33])
CHAKRABORTY = ([30, 19, 8, 2, 1], [5, 6, 5, 12, 22])


def cases(negative, positive):
    """Labels and ratings of counts."""
    ratings, counts = list(range(len(negative))) * 2, [*negative, *positive]
    return np.repeat([0] * len(negative) + [1] * len(positive), counts), np.repeat(ratings, counts)


def simulated(rng, n, a, b):
    y = np.repeat([0, 1], n)
    return y, np.concatenate([rng.normal(size=n), rng.normal(a / b, 1 / b, n)])


# Against published values


def test_ct_ratings_of_hanley_and_mcneil():
    """Data: Hanley & McNeil 1982, Table I. Fit: rocfit in the Stata manual, [R] rocfit, example 1:
    intercept 1.656782 (.310456), slope .713002 (.215882), area .911331 (.029506),
    d(a) 1.907771 (.259822), log likelihood −123.64855, cuts .169768, .463215, .766860, 1.797938.
    """
    fit = fit_binormal(*cases(*HANLEY))
    assert (fit.a, fit.b) == pytest.approx((1.656782, 0.713002), abs=1e-5)
    assert fit.standard_errors == pytest.approx({"a": 0.310456, "b": 0.215882}, abs=1e-5)
    assert (fit.area, fit.area_standard_error) == pytest.approx((0.911331, 0.029506), abs=1e-5)
    assert fit.log_likelihood == pytest.approx(-123.64855, abs=1e-4)
    assert float(to_proper(fit.a, fit.b)[1]) == pytest.approx(1.907771, abs=1e-5)
    cuts = -ndtri(fit.operating_points[::-1, 0])
    assert cuts == pytest.approx([0.169768, 0.463215, 0.766860, 1.797938], abs=1e-4)
    assert fit.converged and fit.note is None and fit.n_categories == 5
    plain = ("a", "b", "area", "saec", "log_likelihood", "converged", "iterations", "n_categories")
    errors = {f"{name}_standard_error": each for name, each in fit.standard_errors.items()}
    named = {name: getattr(fit, name) for name in (*plain, "note")}
    assert fit.to_dict() == {**named, **errors}


def test_ratings_of_chakraborty():
    """Data and fit: Chakraborty, Observer Performance Methods for Diagnostic Imaging, 2017, as the
    code of the book lists them. ROCFIT in Eng's version: A 1.3204, B .6075, Z .0077, .8963,
    1.5157, 2.3967, log likelihood −141.4354, area .8705 (.0378); the book's own code: 1.320453,
    .607497 with the variances .06522 and .02426, area .8695 (.0376). FitBinormalRoc of the R
    package RJafroc prints a 1.32045261, b .607492932, area .870452157.
    """
    fit = fit_binormal(*cases(*CHAKRABORTY))
    assert (fit.a, fit.b) == pytest.approx((1.320453, 0.607497), abs=1e-4)
    assert (fit.a, fit.b) == pytest.approx((1.32045261, 0.607492932), abs=1e-5)
    assert fit.area == pytest.approx(0.870452157, abs=1e-5)
    assert fit.log_likelihood == pytest.approx(-141.4354, abs=1e-4)
    assert np.diag(fit.covariance) == pytest.approx([0.065222, 0.024259], abs=2e-5)
    assert fit.covariance[0, 1] == pytest.approx(0.025076, abs=2e-5)
    assert (fit.area, fit.area_standard_error) == pytest.approx((0.8705, 0.0378), abs=5e-4)
    cuts = -ndtri(fit.operating_points[::-1, 0])
    assert cuts == pytest.approx([0.0077, 0.8963, 1.5157, 2.3967], abs=1e-3)


def test_proper_fit_equals_the_conventional_one_without_a_hook():
    """Metz & Pan 1999: virtually identical where the conventional curve shows no hook."""
    conventional, proper = fit_binormal(*cases(*HANLEY)), fit_proper(*cases(*HANLEY))
    assert proper.log_likelihood == pytest.approx(conventional.log_likelihood, abs=1e-5)
    assert (proper.c, proper.d_a) == pytest.approx(
        [float(each) for each in to_proper(conventional.a, conventional.b)], abs=1e-4
    )
    assert proper.saec == pytest.approx(conventional.saec, abs=1e-5)
    assert proper.standard_errors["d_a"] == pytest.approx(0.259822, abs=1e-4)


# Against a general optimiser


@pytest.mark.parametrize("counts", [HANLEY, CHAKRABORTY, ([9, 5, 3, 2], [4, 6, 2, 9])])
def test_no_other_optimiser_finds_more(counts):
    a, b, value = twin.dorfman_alf(*counts)
    fit = fit_binormal(*cases(*counts))
    assert (fit.a, fit.b) == pytest.approx((a, b), abs=1e-3)
    assert fit.log_likelihood >= value - 1e-9


def test_joining_runs_does_not_change_the_estimate():
    """Every case a category of its own, against the truth-state runs."""
    y, x = simulated(np.random.default_rng(3), 40, 1.0, 0.8)
    order = np.argsort(x)
    negative, positive = 1 - y[order], y[order]
    fit = fit_binormal(y, x)
    assert fit.n_categories < len(y)
    table = np.stack([negative, positive]).astype(float)
    every = maximise(Conventional(), Categories(table, table), np.array([0.5, 0.0]))
    assert (fit.a, fit.b) == pytest.approx(Conventional.pair(every.at.theta), abs=1e-5)


def test_only_the_order_of_the_scores_counts():
    y, x = simulated(np.random.default_rng(4), 80, 1.0, 0.8)
    for fit in (fit_binormal, fit_proper):
        assert repr(fit(y, x)) == repr(fit(y, np.exp(x))) == repr(fit(y, np.argsort(np.argsort(x))))


def test_exchanging_classes_and_signs():
    """(a, b) → (a/b, 1/b), c → −c."""
    y, x = simulated(np.random.default_rng(5), 80, 1.0, 0.7)
    fit, other = fit_binormal(y, x), fit_binormal(1 - y, -x)
    assert (other.a, other.b) == pytest.approx((fit.a / fit.b, 1 / fit.b), abs=1e-5)
    proper, swapped = fit_proper(y, x), fit_proper(1 - y, -x)
    assert (swapped.c, swapped.d_a) == pytest.approx((-proper.c, proper.d_a), abs=1e-5)


# Weights


@pytest.mark.parametrize(
    ("counts", "log_b"),
    [(([40, 1, 40], [0, 20, 0]), 1.5), (([0, 20, 0], [40, 1, 40]), -1.5), (HANLEY, None)],
)
def test_exchanging_classes_and_signs_mirrors_the_start(counts, log_b):
    """So that neither class is favoured where the likelihood has no maximum, or several."""
    y, x = cases(*counts)
    start, mirrored = (
        start_of(fit_runs(RankedCases.of(Predictions(*each)))) for each in ((y, x), (1 - y, -x))
    )
    assert mirrored == pytest.approx(start * [1, -1], abs=1e-12)
    assert start[1] == log_b if log_b else abs(start[1]) < 1


def test_weights():
    y, x = cases(*HANLEY)
    w = np.random.default_rng(0).integers(0, 4, len(y))
    copies = fit_binormal(np.repeat(y, w), np.repeat(x, w))
    counted = fit_binormal(y, x, sample_weight=w, weights="frequency")
    sampled = fit_binormal(y, x, sample_weight=w)
    assert repr(copies) == repr(counted)
    assert (sampled.a, sampled.b) == pytest.approx((copies.a, copies.b))
    assert sampled.standard_errors["a"] > counted.standard_errors["a"]
    scaled = fit_binormal(y, x, sample_weight=1e-3 * w)
    assert repr(scaled) == repr(sampled)
    assert repr(fit_binormal(y, x, sample_weight=np.full(len(y), 7.0))) == repr(fit_binormal(y, x))
    with pytest.raises(InvalidInput, match="weights must be"):
        fit_binormal(y, x, weights="copies")


@pytest.mark.slow
def test_sandwich_standard_errors_are_those_of_repeated_samples():
    rng, found, claimed = np.random.default_rng(7), [], []
    for _ in range(150):
        y, x = simulated(rng, 120, 1.2, 0.8)
        fit = fit_binormal(y, x, sample_weight=rng.exponential(size=len(y)) + 0.1)
        found.append((fit.a, fit.b))
        claimed.append(list(fit.standard_errors.values()))
    ratio = np.std(found, axis=0) / np.mean(claimed, axis=0)
    assert (abs(ratio - 1) < 0.2).all()


# Recovery


def check_recovery(n_sets, seed):
    rng, within = np.random.default_rng(seed), 0
    for _ in range(n_sets):
        n = int(np.exp(rng.uniform(np.log(50), np.log(501))))
        a, b = rng.uniform(0.2, 2.5), np.exp(rng.uniform(-0.7, 0.7))
        y, x = simulated(rng, n, a, b)
        fit = fit_binormal(y, x)
        assert fit.converged
        errors = fit.standard_errors
        within += abs(fit.a - a) < 3 * errors["a"] and abs(fit.b - b) < 3 * errors["b"]
    assert within >= 0.95 * n_sets


def test_fits_recover_the_parameters():
    check_recovery(40, seed=11)


@pytest.mark.slow
def test_fits_recover_the_parameters_of_500_sets():
    check_recovery(500, seed=12)


def test_proper_fits_recover_the_parameters():
    rng, within = np.random.default_rng(13), 0
    for _ in range(20):
        a, b = rng.uniform(1.0, 2.5), np.exp(rng.uniform(-0.5, 0.5))
        y, x = simulated(rng, 200, a, b)
        ratio = (x * x - (b * x - a) ** 2) / 2  # decisions on the likelihood ratio
        fit = fit_proper(y, ratio)
        c, d_a = (float(each) for each in to_proper(a, b))
        errors = fit.standard_errors
        assert fit.converged
        within += abs(fit.c - c) < 3 * errors["c"] and abs(fit.d_a - d_a) < 3 * errors["d_a"]
    assert within >= 19


def test_many_cases_are_joined_into_a_limited_number_of_categories(monkeypatch):
    """At 100 categories estimates move by 0.11 standard errors, as root mean square, and do not
    drift: joining truth-state runs would lower b by 0.4 standard errors on average."""
    rng, moved = np.random.default_rng(1), []
    for _ in range(12):
        y, x = simulated(rng, 300, 1.0, 0.8)
        monkeypatch.setattr(categories, "MOST_CATEGORIES", 2000)
        whole = fit_binormal(y, x)
        monkeypatch.setattr(categories, "MOST_CATEGORIES", 100)
        joined = fit_binormal(y, x)
        assert joined.n_categories <= 100 < whole.n_categories
        moved.append((joined.b - whole.b) / whole.standard_errors["b"])
    assert abs(np.mean(moved)) < 0.15 and np.abs(moved).max() < 0.5


# Degenerate data


@pytest.mark.parametrize("fit", [fit_binormal, fit_proper])
@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (([5], [7]), "All scores are equal"),
        (([5, 3, 0], [0, 0, 6]), "separates the classes"),
        (([0, 0, 4], [3, 5, 0]), "separates the classes"),
        (([5, 3], [2, 6]), "one operating point"),
        (([5, 3], [0, 6]), "one operating point"),  # one category has one class, the other both
        (([5, 0], [2, 6]), "one operating point"),
    ],
)
def test_data_without_a_fit(fit, counts, words):
    with pytest.raises(NotDefined, match=words):
        fit(*cases(*counts))


def test_more_than_two_classes():
    with pytest.raises(NotDefined, match="2 classes, got 3"):
        fit_binormal([0, 1, 2], np.eye(3))


def test_empty_categories_do_not_matter():
    fit = fit_binormal(*cases([33, 0, 6, 6, 0, 11, 2], [3, 0, 2, 2, 0, 11, 33]))
    assert repr(fit) == repr(fit_binormal(*cases(*HANLEY)))


@pytest.mark.parametrize(
    ("counts", "limit"),
    [
        (([5, 0, 5], [0, 10, 0]), "b → ∞"),
        (([0, 10, 0], [4, 0, 6]), "b → 0"),
        (([60, 40, 0], [3, 4, 3]), "b → 0"),
        (([1, 1, 0], [0, 1, 1]), "becomes perfect"),
        (([50, 1, 0], [0, 1, 50]), "becomes perfect"),
    ],
)
def test_fits_that_run_to_a_limit_say_so(counts, limit):
    fit = fit_binormal(*cases(*counts))
    assert not fit.converged and limit in fit.note
    assert np.isnan(list(fit.standard_errors.values())).all() and math.isnan(
        fit.saec_standard_error
    )
    assert 0 <= fit.saec <= 0.6
    assert "not converged" in repr(fit) and fit.to_dict()["a_standard_error"] is None


def test_proper_fits_at_their_limits():
    flat = fit_proper(*cases([2, 10, 10, 2], [8, 3, 3, 8]))
    assert flat.converged and flat.d_a < 0.02 and "limit 0" in flat.note
    assert flat.standard_errors["c"] > 0 and math.isnan(flat.standard_errors["d_a"])
    assert flat.saec_standard_error > 0
    reversed_ = fit_proper(*cases([1, 2, 3, 10], [10, 3, 2, 1]))
    assert reversed_.converged and (reversed_.c, reversed_.d_a) == (0, 0)
    assert "diagonal" in reversed_.note and math.isnan(reversed_.saec_standard_error)


def test_delta_method_against_the_bootstrap_of_the_model():
    rng = np.random.default_rng(2)
    y, x = simulated(rng, 150, 1.2, 0.8)
    fit = fit_binormal(y, x)
    again = [fit_binormal(*simulated(rng, 150, fit.a, fit.b)).saec for _ in range(60)]
    assert fit.saec_standard_error == pytest.approx(np.std(again), rel=0.3)


@pytest.mark.parametrize("seed", [28, 101, 113])
def test_the_highest_of_several_maxima_is_found(seed):
    """Small samples whose likelihood has more than one maximum: none of many starts is better."""
    rng = np.random.default_rng(seed)
    spread, shift = [0.5, 1, 2, 3][seed % 4], [0.2, 0.5, 1][seed % 3]
    y = np.repeat([0, 1], 12)
    score = np.round(2 * (rng.normal(size=24) * np.where(y == 1, spread, 1) + shift * y))
    data = fit_runs(RankedCases.of(Predictions(y, score)))
    starts = [np.array([shape, d_a]) for shape in (-0.8, -0.3, 0.3, 0.8) for d_a in (0.05, 0.8)]
    others = [maximise(Proper(), data, start).at.value for start in starts]
    assert max(others) - min(others) > 1e-3
    assert fit_proper(y, score).log_likelihood >= max(others) - 1e-6


def test_boundaries_cut_off_their_shares_wherever_the_curve_leads():
    q = np.concatenate([10.0 ** -np.arange(3, 10), np.linspace(0.005, 0.995, 199)])
    shares = np.array([0.5, 0.5])
    for theta in ((-0.5, 19.0), (-0.23, 12.4), (0.5, 19.0), (-2.0, 3.0), (0.2, 0.1)):
        found = place(Proper(), np.array(theta), q, shares)
        assert shares @ found.below == pytest.approx(q, abs=1e-12), theta
