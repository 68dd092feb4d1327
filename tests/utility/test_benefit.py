"""Benefit curves built by hand: differences, ranges, tables and words, recounted."""

import math

import numpy as np
import pytest
from scipy.stats import t as student

from polyroc.errors import InvalidInput, UnknownName
from polyroc.utility import BenefitCurves, BestStrategy
from polyroc.utility._benefit import EQUAL, mean_and_covariance

POSITIONS = np.array([0.1, 0.25, 0.5, 0.75])
NAMES = ("one", "two", "three", "none")
VALUES = np.array(
    [
        [0.30, 0.20, 0.10, -0.2],
        [0.10, 0.25, 0.11, -0.1],
        [0.05, 0.05, 0.02, -0.3],
        [0.0, 0.0, 0.0, 0.0],
    ]
)
RNG = np.random.default_rng(0)
FACTORS = 0.02 * RNG.normal(size=(4, 4, 4)) * np.array([1, 1, 1, 0])[:, None]
COVARIANCES = FACTORS @ FACTORS.transpose(0, 2, 1)


def curves(values=VALUES, covariances=COVARIANCES, freedom=7.0, **changes) -> BenefitCurves:
    known = {
        "position": "cost",
        "positions": POSITIONS,
        "strategies": NAMES,
        "n_models": 3,
        "values": values,
        "covariances": covariances,
        "degrees_of_freedom": freedom,
    }
    return BenefitCurves(**{**known, **changes})


@pytest.mark.parametrize("level", [0.95, 0.8])
def test_differences_by_hand(level) -> None:
    found = curves()
    options = () if level == 0.95 else (level,)
    for a, b in (("one", "two"), ("three", "one"), ("two", "none")):
        i, j = NAMES.index(a), NAMES.index(b)
        got = found.difference(a, b, *options)
        for t in range(4):
            c = COVARIANCES[t]
            apart = VALUES[i, t] - VALUES[j, t]
            error = math.sqrt(c[i, i] + c[j, j] - 2 * c[i, j])
            reach = student.ppf((1 + level) / 2, 7) * error
            assert got.difference[t] == pytest.approx(apart)
            assert got.standard_error[t] == pytest.approx(error)
            assert got.low[t] == pytest.approx(apart - reach)
            assert got.high[t] == pytest.approx(apart + reach)
            assert got.p_value[t] == pytest.approx(2 * student.sf(abs(apart) / error, 7))


def test_standard_errors_and_values_by_name() -> None:
    found = curves()
    for i, name in enumerate(NAMES):
        np.testing.assert_array_equal(found.value(name), VALUES[i])
        expected = [math.sqrt(COVARIANCES[t, i, i]) for t in range(4)]
        np.testing.assert_allclose(found.standard_errors[i], expected)
    with pytest.raises(UnknownName, match=r"'four' is not a strategy. There are one, two, three"):
        found.value("four")
    with pytest.raises(UnknownName, match="'all' is not a strategy"):
        found.difference("one", "all")


def test_differences_that_do_not_vary_have_no_p_value() -> None:
    """A variance that is rounding beside that of the strategies themselves counts as 0."""
    same = np.full((4, 4, 4), 0.04)
    got = curves(covariances=same).difference("one", "two")
    assert not got.standard_error.any() and np.isnan(got.p_value).all()
    np.testing.assert_array_equal(got.low, got.difference)
    np.testing.assert_array_equal(got.high, got.difference)
    for excess, varies in ((0.8e-14, False), (1.5e-14, True)):
        nearly = np.full((4, 4, 4), 1.0)
        nearly[:, 0, 0] = 4.0
        nearly[:, 0, 1] = nearly[:, 1, 0] = 0.0
        nearly[:, 1, 1] = 4.0 * excess - 4.0
        errors = curves(covariances=nearly).difference("one", "two").standard_error
        assert (errors > 0).all() == varies


def best_by_loops(found, level):
    ranges = []
    for t, x in enumerate(found.positions.tolist()):
        values = found.values[:, t]
        best = int(np.argmax(values))
        clear = True
        for j in range(len(values)):
            if j != best:
                c = found.covariances[t]
                error = math.sqrt(max(c[best, best] + c[j, j] - 2 * c[best, j], 0))
                reach = student.ppf((1 + level) / 2, found.degrees_of_freedom) * error
                clear = clear and values[best] - values[j] - reach > 1e-12
        name = found.strategies[best]
        if ranges and (ranges[-1].strategy, ranges[-1].clear) == (name, clear):
            ranges[-1] = ranges[-1]._replace(end=x)
        else:
            ranges.append(BestStrategy(x, x, name, clear))
    return ranges


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.999])
def test_ranges_of_the_best_strategy(level) -> None:
    found = curves()
    assert found.where(level) == best_by_loops(found, level)
    assert found.where() == found.where(0.95)
    tight = curves(covariances=COVARIANCES * 1e-4)
    assert [each.clear for each in tight.where(level)] == [True] * len(tight.where(level))
    assert tight.where(level) == best_by_loops(tight, level)


def test_levels_are_checked() -> None:
    for call in (curves().where, curves().frame, curves().differences):
        with pytest.raises(InvalidInput, match="level"):
            call(1.5)


def test_ranges_in_words() -> None:
    clear = curves(covariances=COVARIANCES * 1e-6)
    assert repr(clear).splitlines() == [
        "cost 0.1: one",
        "cost 0.25 to 0.5: two",
        "cost 0.75: none",
    ]
    vague = curves(covariances=COVARIANCES * 1e4)
    assert repr(vague).splitlines() == [
        "cost 0.1: one (not clearly)",
        "cost 0.25 to 0.5: two (not clearly)",
        "cost 0.75: none (not clearly)",
    ]
    mixed = COVARIANCES.copy()
    mixed[1] *= 1e-6
    mixed[2] *= 1e4
    parts = repr(curves(covariances=mixed, position="threshold")).splitlines()
    assert parts[1:3] == ["threshold 0.25: two", "threshold 0.5: two (not clearly)"]


def test_the_first_of_equals_is_best_up_to_rounding() -> None:
    """Less than 1e-12 of what was summed, the spread of cases included, is no difference."""
    values = np.zeros((4, 4))
    spread = np.zeros((4, 4, 4))
    spread[:, 0, 0] = 0.25
    scale = EQUAL * 0.5 * math.sqrt(8)
    values[2] = [0.5 * scale, 2 * scale, -scale, 0]
    found = curves(values=values, covariances=spread)
    assert [each.strategy for each in found.where()] == ["one", "three", "one"]
    assert not any(each.clear for each in found.where())
    heavy = np.zeros((4, 4))
    heavy[1] = -4.0
    heavy[3] = [3.5e-12, 4.5e-12, 0, 0]
    none = curves(values=heavy, covariances=np.zeros((4, 4, 4)))
    assert [each.strategy for each in none.where()] == ["one", "none", "one"]
    unknown = curves(values=heavy, covariances=np.full((4, 4, 4), np.nan), freedom=math.nan)
    with np.errstate(invalid="ignore"):
        assert len(unknown.frame()) == 16


def test_a_lead_must_exceed_rounding_to_be_clear() -> None:
    values = np.zeros((4, 4))
    values[1] = [1.0, 1.0, 1.0, 1.0]
    values[0] = 1.0 + np.array([2e-12, 0.5e-12, 1e-6, -1e-6])
    found = curves(values=values, covariances=np.zeros((4, 4, 4)))
    told = [(each.start, each.strategy, each.clear) for each in found.where()]
    assert told == [
        *((0.1, "one", True), (0.25, "one", False)),
        *((0.5, "one", True), (0.75, "two", True)),
    ]


@pytest.mark.parametrize("level", [0.95, 0.7])
def test_the_table_has_a_row_per_strategy_and_position(level) -> None:
    found = curves()
    frame = found.frame() if level == 0.95 else found.frame(level)
    assert frame.columns.tolist() == [
        *("strategy", "cost", "benefit", "standard_error", "low", "high", "best"),
    ]
    rows = iter(frame.itertuples(index=False))
    quantile = student.ppf((1 + level) / 2, 7)
    for i, name in enumerate(NAMES):
        for t, x in enumerate(POSITIONS):
            row = next(rows)
            error = math.sqrt(COVARIANCES[t, i, i])
            assert (row.strategy, row.cost, row.benefit) == (name, x, VALUES[i, t])
            assert row.standard_error == pytest.approx(error)
            assert row.low == pytest.approx(VALUES[i, t] - quantile * error)
            assert row.high == pytest.approx(VALUES[i, t] + quantile * error)
            assert row.best == (VALUES[i, t] == VALUES[:, t].max())


@pytest.mark.parametrize("level", [0.95, 0.7])
def test_the_table_of_differences_has_pairs_of_models_only(level) -> None:
    found = curves()
    frame = found.differences() if level == 0.95 else found.differences(level)
    pairs = [("one", "two"), ("one", "three"), ("two", "three")]
    rows = iter(frame.itertuples(index=False))
    for a, b in pairs:
        got = found.difference(a, b, level)
        for t, x in enumerate(POSITIONS):
            assert next(rows) == (a, b, x, *(float(part[t]) for part in got))
    assert len(frame) == 12
    alone = curves(n_models=1).differences()
    assert len(alone) == 0
    assert alone.columns.tolist() == [
        *("model_a", "model_b", "cost", "difference", "standard_error", "low", "high", "p_value")
    ]


def test_curves_are_frozen_and_equal_only_themselves() -> None:
    one, other = curves(), curves()
    assert one == one and one != other and one.constants == ()
    with pytest.raises(AttributeError):
        one.position = "threshold"  # type: ignore[misc]


def test_means_and_covariances_by_loops() -> None:
    rng = np.random.default_rng(1)
    benefits, weights = rng.normal(size=(3, 11)), rng.uniform(0.5, 3, 11)
    groups = np.array(list("aabbbcddaee"))
    for units in (None, groups):
        means, spread = mean_and_covariance(benefits, weights, units)
        parts: dict = {}
        for case in range(11):
            key = case if units is None else units[case]
            for s in range(3):
                expected = sum(weights * benefits[s]) / sum(weights)
                assert means[s] == pytest.approx(expected)
                part = weights[case] * (benefits[s, case] - expected) / sum(weights)
                parts.setdefault(key, [0.0, 0.0, 0.0])[s] += part
        n = len(parts)
        assert n == (11 if units is None else 5)
        for i in range(3):
            for j in range(3):
                total = sum(each[i] * each[j] for each in parts.values()) * n / (n - 1)
                assert spread[i, j] == pytest.approx(total)


def test_one_independent_unit_has_no_covariance() -> None:
    means, spread = mean_and_covariance(np.array([[2.0], [3.0]]), np.ones(1), None)
    assert means.tolist() == [2, 3] and np.isnan(spread).all()
    together = mean_and_covariance(np.array([[2.0, 4.0]]), np.ones(2), np.array([5, 5]))
    assert together[0].tolist() == [3] and np.isnan(together[1]).all()
    two = mean_and_covariance(np.array([[2.0, 4.0]]), np.ones(2), np.array([5, 2]))
    assert two[1][0, 0] == pytest.approx(1.0)
