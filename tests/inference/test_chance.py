"""The test against chance: all permutations of a few cases, groups, and its level."""

from itertools import permutations

import numpy as np
import pytest

from polyroc import chance_test, evaluate, registry
from polyroc.errors import InvalidInput
from polyroc.inference._chance import permuted_codes


@pytest.mark.slow
def test_every_metric_against_all_permutations():
    """Six cases have 90 orders of their labels; 300 random ones come near their share."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], 2)
    p = rng.dirichlet(np.ones(3), 6)
    p[np.arange(6), y] += 0.3
    p /= p.sum(axis=1, keepdims=True)
    orders = sorted(set(permutations(y.tolist())))
    for name, metric in registry.items():
        if 3 not in metric.classes:
            continue
        if metric.direction == "lower" or name in ("saec", "gini"):
            continue
        value = metric.function(y, p)
        all_values = np.array([metric.function(list(order), p) for order in orders])
        exact = np.mean(all_values >= value - 1e-12)
        found = chance_test(y, p, name, n_permutations=300, rng=1)
        assert found.value == value
        assert found.chance == pytest.approx(all_values.mean(), abs=0.04), name
        assert abs(found.p_value - exact) < 4 * np.sqrt(exact * (1 - exact) / 300) + 4e-3, name


def test_groups_exchange_labels_within_or_as_wholes():
    y = np.array([0, 1, 0, 1, 1, 0, 2, 2])
    within = np.array([0, 0, 1, 1, 1, 2, 2, 2])
    rng = np.random.default_rng(1)
    seen = [permuted_codes(y, within, rng) for _ in range(50)]
    for codes in seen:
        for group in range(3):
            assert sorted(codes[within == group]) == sorted(y[within == group])
    assert len({tuple(codes) for codes in seen}) > 5
    pure = np.array([0, 1, 2, 3, 3, 4, 5, 5])
    for _ in range(20):
        codes = permuted_codes(y, pure, rng)
        assert codes[3] == codes[4] and codes[6] == codes[7]


@pytest.mark.slow
def test_level_where_intervals_are_rough():
    """Volumes of a simplex from noise: p-values are uniform, and intervals contain 0."""
    rng, p_values, contained = np.random.default_rng(4), [], []
    y = np.repeat([0, 1, 2], 8)
    for seed in range(200):
        p = rng.dirichlet(np.ones(3), len(y))
        p_values.append(chance_test(y, p, "simplex_volume", n_permutations=39, rng=seed).p_value)
        contained.append(evaluate(y, p, ["simplex_volume"])["simplex_volume"].interval().low == 0)
    assert 0.01 <= np.mean(np.array(p_values) <= 0.05) <= 0.1
    assert np.mean(contained) > 0.9


def test_repeats_and_refusals():
    y, p = np.repeat([0, 1], 5), np.linspace(0, 1, 10)
    found = chance_test(y, p, "roc_auc", n_permutations=199, rng=2)
    assert found == chance_test(y, p, "roc_auc", n_permutations=199, rng=2)
    assert found.value == 1 and found.p_value <= 0.02 and found.to_dict()["seed"] == 2
    assert repr(found).startswith("roc_auc = 1.0000, by chance 0.")
    with pytest.raises(InvalidInput, match="n_permutations"):
        chance_test(y, p, "roc_auc", n_permutations=0)


def test_one_permutation_is_enough_to_be_asked_for():
    y, p = np.arange(12) % 3, np.eye(3)[np.arange(12) % 3]
    found = chance_test(y, p, "hand_till", n_permutations=1, rng=0)
    assert found.p_value in (0.5, 1.0)
    with pytest.raises(InvalidInput, match="n_permutations must be at least 1, got 0"):
        chance_test(y, p, "hand_till", n_permutations=0)
