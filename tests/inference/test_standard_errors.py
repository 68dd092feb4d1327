"""Standard errors of every metric against slow U-statistics, to 1e-10."""

from itertools import product

import numpy as np
import pytest
from common.samples import Sample, each_class_number, few_cases, informed, scores_for
from twins import inference as twin

from polyroc import Design, compare, evaluate, registry

TOLERANCE = 1e-10
TUPLES = ("vus", "wvus", "hum")
CASES = [case for case in each_class_number(4) if case[0] != "gini"]
"""G is no U-statistic; its derivatives are tested by differences in tests/common."""
CASES_OR_SLOW = [
    pytest.param(*case, marks=pytest.mark.slow if case in product(TUPLES, [4]) else ())
    for case in CASES
]
"""The twins of tuples of four classes take seconds."""
KINDS = [("coarse", False), ("coarse", True), ("continuous", True), ("fine", False)]
FREE = [(name, K) for name, K in CASES if name not in twin.OF_MEANS]


def listed(sample: Sample) -> tuple:
    return sample.y.tolist(), sample.p.tolist(), sample.weights.tolist()


def assert_agree(found: float, expected: float, reason: str = "") -> None:
    """Equal to 1e-10; there is no standard error where every case agrees."""
    if expected < 1e-14:
        assert np.isnan(found), reason
    else:
        assert found == pytest.approx(expected, rel=TOLERANCE), reason


def influence(name: str, sample: Sample, priors=None) -> list[float]:
    return twin.influence(name, *listed(sample), sample.n_classes, priors)


def sample_of_two(name: str, K: int, seed: int, kind: str, weighted: bool) -> Sample:
    """Classes of different sizes, at least two cases in each, and scores that know something."""
    rng = np.random.default_rng([seed, K, 7])
    n = few_cases(registry[name], K)
    y = rng.permutation(np.concatenate([np.tile(np.arange(K), 2), np.arange(n - 2 * K) % 2]))
    p = informed(scores_for(registry[name], rng, n, K, kind), y)
    return Sample(y, p, rng.integers(1, 30, n) / 8 if weighted else None)


@pytest.mark.parametrize(("name", "K"), CASES_OR_SLOW)
def test_against_u_statistics(name, K):
    for seed, (kind, weighted) in enumerate(KINDS, start=3):
        sample = sample_of_two(name, K, seed, kind, weighted)
        found = evaluate(sample.y, sample.p, [name], sample_weight=sample.w)[name]
        phi = influence(name, sample)
        expected = twin.weighted_standard_error(phi, sample.y.tolist(), sample.weights.tolist())
        assert_agree(found.standard_error, expected, f"{kind}, weighted: {weighted}")
        if not weighted:
            assert expected == pytest.approx(twin.standard_error(phi, sample.y.tolist()), rel=1e-12)


@pytest.mark.parametrize(("name", "K"), [case for case in CASES if case[1] <= 3])
def test_numbers_of_copies(name, K):
    sample = sample_of_two(name, K, 5, "coarse", False)
    copies = np.random.default_rng(1).integers(1, 4, len(sample.y))
    weighted = sample.with_weights(copies.astype(float))
    found = evaluate(
        sample.y, sample.p, [name], sample_weight=copies, groups=Design(weights="frequency")
    )[name]
    phi = influence(name, weighted)
    expected = twin.frequency_standard_error(phi, sample.y.tolist(), copies.tolist())
    assert_agree(found.standard_error, expected)
    repeated = sample.take(np.repeat(np.arange(len(copies)), copies))
    written_out = evaluate(repeated.y, repeated.p, [name])[name]
    assert found.value == pytest.approx(written_out.value, abs=1e-14)
    assert found.standard_error == pytest.approx(written_out.standard_error, rel=1e-12)
    assert found.degrees_of_freedom == pytest.approx(written_out.degrees_of_freedom, rel=1e-9)


@pytest.mark.parametrize(("name", "K"), [case for case in CASES if case[1] <= 3])
def test_groups_that_span_classes(name, K):
    for seed, weighted in enumerate((False, True), start=8):
        sample = sample_of_two(name, K, seed, "coarse", weighted)
        groups = np.random.default_rng(seed).integers(0, 6, len(sample.y))
        groups[[np.flatnonzero(sample.y == k)[0] for k in range(K)]] = 6  # spans all
        found = evaluate(sample.y, sample.p, [name], sample_weight=sample.w, groups=groups)[name]
        phi = influence(name, sample)
        expected = twin.grouped_standard_error(
            phi, sample.y.tolist(), sample.weights.tolist(), groups.tolist()
        )
        assert_agree(found.standard_error, expected)


@pytest.mark.parametrize(("name", "K"), [case for case in CASES if case[1] <= 3])
def test_differences_of_paired_models(name, K):
    first = sample_of_two(name, K, 11, "coarse", True)
    rng = np.random.default_rng(4)
    second = first.with_scores(scores_for(registry[name], rng, len(first.y), K, "fine"))
    phi = np.subtract(influence(name, first), influence(name, second)).tolist()
    expected = twin.weighted_standard_error(phi, first.y.tolist(), first.weights.tolist())
    models = {"first": first.p, "second": second.p}
    (found,) = compare(
        first.y, models, [name], sample_weight=first.w, reference="normal"
    ).differences
    assert_agree(found.standard_error, expected)
    difference = first.twin(registry[name]) - second.twin(registry[name])
    assert found.difference == pytest.approx(difference, abs=1e-12)


@pytest.mark.parametrize("name", twin.PRIOR_WEIGHTED)
@pytest.mark.parametrize("K", [2, 3, 4])
def test_sampled_priors_add_their_term(name, K):
    """Priors sampled too: Var + (1/n) [Σ π D² − (Σ π D)²]."""
    sample = sample_of_two(name, K, 6, "coarse", False)
    y, p, w = listed(sample)
    fixed = evaluate(y, p, [name])[name].standard_error
    sampled = evaluate(y, p, [name], groups=Design(sampling="random"))[name].standard_error
    term = twin.prior_variance(twin.prior_slopes(name, y, p, w, K), y)
    assert term > 0 or K == 2
    assert sampled**2 == pytest.approx(fixed**2 + term, rel=TOLERANCE)


@pytest.mark.parametrize("name", twin.PRIOR_WEIGHTED)
def test_given_priors_have_no_term(name):
    sample = sample_of_two(name, 3, 6, "coarse", False)
    priors = [0.5, 0.25, 0.25]
    errors = [
        evaluate(sample.y, sample.p, [name], priors=priors, groups=Design(sampling=sampling))[
            name
        ].standard_error
        for sampling in ("stratified", "random")
    ]
    expected = twin.standard_error(influence(name, sample, priors), sample.y.tolist())
    assert errors == pytest.approx([expected, expected], rel=TOLERANCE)


@pytest.mark.parametrize("name", [n for n, K in FREE if K == 3 and n not in twin.PRIOR_WEIGHTED])
def test_is_the_jackknife_within_classes(name):
    """Leaving out one case at a time gives the same number for U-statistics."""
    sample = sample_of_two(name, 3, 12, "fine", False)
    n, metric = len(sample.y), registry[name]
    left_out = np.array([sample.take(np.arange(n) != i).value(metric) for i in range(n)])
    total = 0.0
    for k in range(3):
        values = left_out[sample.y == k]
        total += (len(values) - 1) ** 2 / len(values) * values.var(ddof=1)
    found = evaluate(sample.y, sample.p, [name])[name].standard_error
    assert found == pytest.approx(np.sqrt(total), rel=1e-10)


def test_degrees_of_freedom_are_satterthwaites():
    sample = sample_of_two("hand_till", 3, 2, "fine", False)
    phi = np.array(influence("hand_till", sample))
    parts = [phi[sample.y == k].var(ddof=1) / (sample.y == k).sum() for k in range(3)]
    freedom = sum(parts) ** 2 / sum(
        part**2 / ((sample.y == k).sum() - 1) for k, part in enumerate(parts)
    )
    found = evaluate(sample.y, sample.p, ["hand_till"])["hand_till"]
    assert found.degrees_of_freedom == pytest.approx(freedom, rel=1e-10)
