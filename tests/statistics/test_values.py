"""Statistics are values: frozen, summed where sums have a meaning, the same from every producer."""

import sys
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import polyroc
from polyroc import Predictions, registry
from polyroc.metrics.measure import CaseStatistics, measure
from polyroc.statistics.margins import Margins
from polyroc.statistics.means import Means
from polyroc.statistics.pairs import Pairs
from polyroc.statistics.placements import Placements
from polyroc.statistics.resampled import ResampledPairs
from polyroc.statistics.tuples import Rule, Tuples

rng = np.random.default_rng(3)
Y = np.arange(60) % 3
P = rng.multinomial(10, [0.3, 0.3, 0.4], 60) / 10
FOLD = rng.integers(0, 4, 60)


def made(predictions):
    kinds = (Pairs, Margins, Means, Placements)
    return [*(kind.of(predictions) for kind in kinds), Tuples.of(predictions, Rule.LENGTHS)]


def test_nothing_in_a_statistic_can_be_changed():
    for statistic in made(Predictions(Y, P)):
        with pytest.raises(FrozenInstanceError):
            statistic.weights = np.ones(3)
        arrays = [each for each in vars(statistic).values() if isinstance(each, np.ndarray)]
        assert arrays and not any(array.flags.writeable for array in arrays)


def test_pairs_add_up_to_the_pairs_within_folds():
    """Every pair of cases of the same fold, by loops."""
    parts = [Pairs.of(Predictions(Y[v == FOLD], P[v == FOLD])) for v in range(4)]
    total = parts[0] + parts[1] + parts[2] + parts[3]
    found = total.auc()
    for k, r in [(0, 1), (1, 0), (2, 1), (0, 2)]:
        credits = [
            (P[a, k] > P[b, k]) + 0.5 * (P[a, k] == P[b, k])
            for a in np.flatnonzero(k == Y)
            for b in np.flatnonzero(r == Y)
            if FOLD[a] == FOLD[b]
        ]
        assert found[k, r] == pytest.approx(np.mean(credits), abs=1e-14)
        assert total.n_pairs[k, r] == len(credits)
    assert total.weights.tolist() == [20, 20, 20]


def test_means_add_up_to_the_means_of_all():
    first, second = (Means.of(Predictions(Y[half], P[half])) for half in (FOLD < 2, FOLD >= 2))
    np.testing.assert_allclose((first + second).vectors, Means.of(Predictions(Y, P)).vectors)
    assert (first + second).weights.tolist() == [20, 20, 20]


def test_priors_of_a_statistic():
    pairs = Pairs.of(Predictions(Y, P, sample_weight=1 + Y))
    assert pairs.priors == pytest.approx([1 / 6, 1 / 3, 1 / 2])
    given = pairs.with_priors(np.array([0.5, 0.25, 0.25]))
    assert given.priors.tolist() == [0.5, 0.25, 0.25]
    assert pairs.with_priors(None) is pairs


@pytest.mark.parametrize("name", ["hand_till", "aunp", "auc_mu", "total_length", "scored_auc"])
def test_a_formula_does_not_know_who_made_its_statistic(name):
    """Cases in memory, and a replicate of the bootstrap with the weights of the cases."""
    metric, weights = registry[name], rng.integers(1, 4, 60)
    y = Y % 2 if 3 not in metric.classes else Y
    p = P[:, :2] / P[:, :2].sum(axis=1, keepdims=True) if 3 not in metric.classes else P
    usable = np.isfinite(p).all(axis=1)
    y, p, weights = y[usable], p[usable], weights[usable]
    replicate = ResampledPairs(Predictions(y, p)).replicates(weights[None])
    found = metric.at(replicate.statistic(metric.statistic, 0))
    assert found == pytest.approx(metric.function(y, p, sample_weight=weights), abs=1e-12)


def test_many_metrics_at_once_are_each_alone():
    predictions = Predictions(Y, P)
    asked = [(metric, {}) for metric in registry.values() if 3 in metric.classes]
    for found in measure(CaseStatistics(predictions), asked):
        assert found.value == found.metric.of(predictions)
        alone = found.metric.influence(predictions)
        assert found.influence.cases.tobytes() == alone.cases.tobytes()


def test_a_public_call_is_near_the_arithmetic():
    """From hand_till to the sort of a column: few frames, in few files."""
    deepest, files, sorts = 0, set(), ("_column_sums", "counted_pairs")

    def look(frame, event, _):
        nonlocal deepest
        chain = []
        while frame is not None:
            chain.append(frame.f_code)
            frame = frame.f_back
        names = [code.co_name for code in chain]
        if event == "call" and names[0] in sorts and "hand_till" in names:
            inside = chain[: names.index("hand_till") + 1]
            deepest = max(deepest, len([c for c in inside if "polyroc" in c.co_filename]))
            files.update(c.co_filename for c in inside if "polyroc" in c.co_filename)

    polyroc.hand_till(Y, P)
    sys.setprofile(look)
    try:
        polyroc.hand_till(Y, P, n_threads=1)
    finally:
        sys.setprofile(None)
    assert 1 < deepest <= 8, deepest
    assert len(files) <= 10, files
