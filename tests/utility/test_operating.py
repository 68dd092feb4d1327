"""Utilities and priors: against sums over truth and decision, and against every other point."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import utility as twin

from polyroc.curves import roc_curve
from polyroc.curves._binormal import BinormalCurve
from polyroc.curves._proper_binormal import ProperBinormalCurve
from polyroc.errors import InvalidInput
from polyroc.utility import (
    best_operating_point,
    cheapest,
    expected_cost,
    expected_utility,
    unit_costs,
)

U3 = np.array([[5, 1, 0], [-2, 4, 1], [-9, -1, 3]])
PRIORS3 = [0.5, 0.3, 0.2]
counts = st.lists(
    st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any), min_size=3, max_size=3
)


@given(counts)
def test_utility_and_cost_are_two_sides(confusion):
    """E{U} = scale (γ₀ − γ̂·P): eq. 3–5."""
    costs = unit_costs(U3, PRIORS3)
    value = expected_utility(confusion, U3, priors=PRIORS3)
    assert value == pytest.approx(twin.utility(confusion, U3, PRIORS3))
    cost = expected_cost(confusion, U3, priors=PRIORS3)
    assert value == pytest.approx(costs.scale * (costs.gain - cost))
    assert np.linalg.norm(costs.direction) == pytest.approx(1)


def test_order_of_the_errors():
    """Row-major over truth and decision: γ_td ∝ (U_tt − U_td) π_t."""
    direction = unit_costs(U3, PRIORS3).direction
    expected = np.array([4 * 0.5, 5 * 0.5, 6 * 0.3, 3 * 0.3, 12 * 0.2, 4 * 0.2])
    np.testing.assert_allclose(direction, expected / np.linalg.norm(expected))


def test_priors_of_the_counts():
    confusion = [[8, 2], [1, 4]]
    given_ = expected_utility(confusion, [[0, -1], [-4, 0]], priors=[10, 5])
    assert expected_utility(confusion, [[0, -1], [-4, 0]]) == pytest.approx(given_)
    assert expected_cost(confusion, [[0, -1], [-4, 0]]) == pytest.approx(
        expected_cost(confusion, [[0, -1], [-4, 0]], priors={0: 10, 1: 5})
    )


@pytest.mark.parametrize("curve", [BinormalCurve(1.2, 0.6), ProperBinormalCurve(-0.3, 1.0)])
@pytest.mark.parametrize("priors", [(0.5, 0.5), (0.95, 0.05), (0.2, 0.8)])
def test_slope_rule_beats_a_search(curve, priors):
    utilities = [[0, -1], [-3, 1]]
    point = best_operating_point(curve, utilities, priors)
    assert point.slope == pytest.approx(1 * priors[0] / (4 * priors[1]))
    false, true = curve.points(2001)
    costs = unit_costs(utilities, priors).direction
    assert point.expected_cost <= (false * costs[0] + (1 - true) * costs[1]).min() + 1e-9
    x, y = point.false_positive_rate, point.true_positive_rate
    confusion = [[1 - x, x], [1 - y, y]]
    assert point.expected_utility == pytest.approx(
        expected_utility(confusion, utilities, priors=priors)
    )
    assert point.threshold is None


def test_empirical_curve():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    curve = roc_curve(y, y + rng.normal(size=200))
    point = best_operating_point(curve, [[0, -1], [-2, 0]], [0.6, 0.4])
    rates = np.column_stack([curve.false_positive_rate, 1 - curve.true_positive_rate])
    index = cheapest(rates, [[0, -1], [-2, 0]], [0.6, 0.4])
    assert point.threshold == curve.thresholds[index]
    assert point.expected_cost == pytest.approx(
        min(rates @ unit_costs([[0, -1], [-2, 0]], [0.6, 0.4]).direction)
    )


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: unit_costs([[0, 1], [-1, 0]], [0.5, 0.5]), "diagonal must be the highest"),
        (lambda: unit_costs([[0, -1]], [1]), "K × K"),
        (lambda: unit_costs([[0, np.nan], [-1, 0]], [0.5, 0.5]), "must be finite"),
        (lambda: unit_costs([[0, -1], [-1, 0]], [0.5, 0]), "priors must be positive"),
        (lambda: unit_costs(U3, PRIORS3).slope, "belongs to two classes"),
        (lambda: expected_utility(np.eye(2), U3), "3 classes"),
        (lambda: expected_cost([[1, 0], [0, 0]], [[0, -1], [-1, 0]]), "a case in every row"),
        (lambda: cheapest([[0.1]], [[0, -1], [-1, 0]], [0.5, 0.5]), "2 kinds of errors"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(InvalidInput, match=words):
        call()


def test_tables_with_names_are_matched_by_them():
    """Columns in another order than rows, and a confusion matrix in a third one."""
    import pandas as pd
    import polars as pl

    names = ["a", "b", "c"]
    utilities = pd.DataFrame([[0, -1, -2], [-3, 0, -4], [-5, -6, 0]], index=names, columns=names)
    counts = pd.DataFrame([[8, 1, 1], [2, 6, 2], [1, 3, 16]], index=names, columns=names)
    priors = {"c": 0.5, "a": 0.2, "b": 0.3}
    plain = (counts.to_numpy(), utilities.to_numpy())
    mixed = utilities.loc[["c", "a", "b"], ["b", "c", "a"]]
    others = counts.loc[["b", "c", "a"], ["a", "c", "b"]]
    as_polars = pl.DataFrame(others.rename_axis("truth").reset_index().to_dict("list"))
    for confusion in (others, as_polars):
        for value in (expected_utility, expected_cost):
            assert value(confusion, mixed) == pytest.approx(value(*plain))
            assert value(confusion, mixed, priors=priors) == pytest.approx(
                value(*plain, priors=[0.2, 0.3, 0.5])
            )
    direction = unit_costs(mixed, priors).direction
    wanted = unit_costs(utilities.loc[["c", "a", "b"], ["c", "a", "b"]].to_numpy(), [0.5, 0.2, 0.3])
    assert direction.tolist() == wanted.direction.tolist()
    with pytest.raises(InvalidInput, match="columns of utilities are named"):
        unit_costs(utilities.rename(columns={"a": "x"}), priors)
    with pytest.raises(InvalidInput, match="rows of confusion are named"):
        expected_utility(counts.rename(index={"a": "x"}), utilities)
