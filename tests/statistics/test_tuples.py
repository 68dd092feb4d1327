"""Tuples of one case per class: what a rule needs of each case, and credits by plain loops."""

from __future__ import annotations

import math
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from polyroc import Predictions
from polyroc.errors import InvalidInput, NotDefined
from polyroc.statistics import tuples
from polyroc.statistics.statistic import Drawn
from polyroc.statistics.tuples import DrawnTuples, Rule, Tuples, cases_of, corner_lengths, credited

ASSIGNMENT = Rule.LENGTHS, Rule.SCORES, Rule.LOGARITHMS
LENIENT = Rule.HIGHEST_LENIENT, Rule.NEAR_HIGHEST_LENIENT
NEAR = Rule.NEAR_HIGHEST, Rule.NEAR_HIGHEST_LENIENT


def table(n_classes: int, sizes: list[int], weighted: bool, seed: int = 0) -> Predictions:
    """Classes of unequal sizes in mixed order, scores in sixteenths, some of them 0 or tied."""
    rng = np.random.default_rng([seed, n_classes])
    y = rng.permutation(np.repeat(np.arange(n_classes), sizes))
    p = rng.multinomial(16, np.ones(n_classes) / n_classes, len(y)) / 16
    p[::3] = (p[::3] + np.eye(n_classes)[y[::3]]) / 2
    weights = rng.integers(1, 9, len(y)) / 7 if weighted else None
    return Predictions(y, p, sample_weight=weights)


def own_length(row: np.ndarray, k: int) -> float:
    return math.dist(row, np.eye(len(row))[k])


def plain_credits(rows: np.ndarray, rule: Rule) -> list[float]:
    """Of one tuple, the case of class k in row k."""
    K = len(rows)
    if rule.highest:
        lenient = rule in LENIENT
        right = all(
            rows[k, k] > rows[r, k] or (lenient and rows[k, k] == rows[r, k])
            for k in range(K)
            for r in range(K)
            if r != k
        )
        near = sum(1 - own_length(rows[k], k) / math.sqrt(2) for k in range(K))
        return [float(right), right * (near if rule in NEAR else float(np.linalg.det(rows)))]
    gains = {}
    for order in permutations(range(K)):
        if rule is Rule.LENGTHS:
            gains[order] = -sum(own_length(rows[k], order[k]) for k in range(K))
        elif rule is Rule.SCORES:
            gains[order] = sum(rows[k, order[k]] for k in range(K))
        else:
            gains[order] = math.prod(rows[k, order[k]] for k in range(K))
    own, best = gains[tuple(range(K))], max(gains.values())
    if own < best - 1e-13 or (rule is Rule.LOGARITHMS and own == 0):
        plain = [0.0, 0.0, 0.0]
    else:
        m = sum(gain >= best - 1e-13 for gain in gains.values())
        plain = [float(m == 1), 1 / m, 1.0]
    length = sum(own_length(rows[k], k) for k in range(K)) if rule is Rule.LENGTHS else 0.0
    return [*plain, *(each * length for each in plain)]


def plain_projections(cases: Predictions, rule: Rule) -> np.ndarray:
    """For each case the weighted mean credit of the tuples that hold it."""
    weights, K = cases.case_weights, cases.n_classes
    sums = np.zeros((len(cases), 2 if rule.highest else 6))
    for members in product(*cases.members):
        found = np.array(plain_credits(cases.scores[list(members)], rule))
        whole = math.prod(weights[i] for i in members)
        for i in members:
            sums[i] += found * whole / weights[i]
    others = [math.prod(cases.class_weights[r] for r in range(K) if r != k) for k in range(K)]
    return sums / np.array(others)[cases.codes][:, None]


SIZES = {2: [5, 7], 3: [4, 6, 3], 4: [3, 2, 4, 2]}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("K", [2, 3, 4])
@pytest.mark.parametrize("rule", list(Rule), ids=lambda rule: rule.name)
def test_projections_by_plain_loops(rule: Rule, K: int, weighted: bool) -> None:
    """Of every class that was computed along, and influence values of all of them."""
    cases = table(K, SIZES[K], weighted)
    expected = plain_projections(cases, rule)
    coefficients = np.random.default_rng(1).normal(size=(2, expected.shape[1]))
    mean = expected[cases.members[0]].T @ (
        cases.case_weights[cases.members[0]] / cases.class_weights[0]
    )
    centres = [
        expected[m].T @ cases.case_weights[m] / cases.case_weights[m].sum() for m in cases.members
    ]
    moved = expected - np.array(centres)[cases.codes]
    for made in (Tuples.of(cases, rule), Tuples.of_carried(cases, rule=rule)):
        assert made.rule is rule and made.classes == cases.classes
        np.testing.assert_array_equal(made.weights, cases.class_weights)
        np.testing.assert_array_equal(made.shares, cases.case_weights[cases.members[0]])
        for members, values in made.projected:
            np.testing.assert_allclose(values, expected[members], atol=1e-12)
        np.testing.assert_allclose(made.credits, expected[cases.members[0]], atol=1e-12)
        for found, each in zip(made.carry(cases, list(coefficients)), coefficients, strict=True):
            np.testing.assert_allclose(found, moved @ each, atol=1e-12)
            assert made.mean(each) == pytest.approx(mean @ each, abs=1e-12)
    along = Tuples.of_carried(cases, rule=rule).projected
    assert len(along) == K
    assert len(Tuples.of(cases, rule).projected) == {2: 2, 3: 2, 4: 4}[K]


def test_what_a_rule_needs_of_each_case() -> None:
    cases = table(3, [4, 6, 3], weighted=True)
    own = np.array([own_length(row, k) for row, k in zip(cases.scores, cases.codes, strict=True)])
    lengths = cases_of(cases, Rule.LENGTHS)
    for i, row in enumerate(cases.scores):
        for k in range(3):
            assert lengths.costs[i, k] == pytest.approx(own_length(row, k), abs=1e-12)
    np.testing.assert_allclose(lengths.detail, own, atol=1e-12)
    assert lengths.slacks is not None
    larger = np.maximum(lengths.costs, own[:, None])
    expected = np.where(lengths.costs == lengths.detail[:, None], 0, 2.0**-40 * larger)
    np.testing.assert_allclose(lengths.slacks, expected, rtol=1e-12)
    scores = cases_of(cases, Rule.SCORES)
    np.testing.assert_array_equal(scores.costs, -cases.scores)
    assert scores.slacks is not None and not scores.detail.any()
    assert len(scores.judged) == 2 and scores.judged[1] is scores.slacks
    logs = cases_of(cases, Rule.LOGARITHMS)
    assert logs.slacks is not None and not logs.slacks.any() and not logs.detail.any()
    for rule in Rule:
        made = cases_of(cases, rule)
        assert made.highest == (rule not in ASSIGNMENT) and rule.near == (rule in NEAR)
        assert (made.slacks is None) == made.highest and len(made.judged) == 2 - made.highest
        assert made.rule is rule and made.members is cases.members


def test_weights_are_scaled_by_powers_of_two() -> None:
    """The sum of each class lies between ½ and 1, and no digit changes."""
    weights = np.array([3e40, 5e40, 0.75, 0.25, 1e-40, 3e-40])
    cases = Predictions([0, 0, 1, 1, 2, 2], np.eye(3)[[0, 0, 1, 1, 2, 2]], sample_weight=weights)
    found = cases_of(cases, Rule.SCORES).weights
    for members in cases.members:
        assert 0.5 <= found[members].sum() <= 1
        factor = found[members] / cases.case_weights[members]
        assert factor[0] == factor[1] == 2.0 ** round(math.log2(factor[0]))
    assert Tuples.of(cases, Rule.SCORES).mean(np.eye(6)[1]) == 1.0


def test_ranks_count_by_two_and_leniently_one_more_for_the_own_class() -> None:
    scores = np.array([[0.1, 0.9], [0.5, 0.9], [0.5, 0.2], [0.7, 0.3]])
    cases = Predictions([0, 1, 1, 0], scores)
    strict = np.array([[0, 4], [2, 4], [2, 0], [4, 2]])
    np.testing.assert_array_equal(cases_of(cases, Rule.HIGHEST).costs, strict)
    own = np.array([[1, 0], [0, 1], [0, 1], [1, 0]])
    for rule in LENIENT:
        if rule not in NEAR:
            np.testing.assert_array_equal(cases_of(cases, rule).costs, strict + own)


def test_distances_do_not_depend_on_the_order_of_columns_in_the_last_bit() -> None:
    rng = np.random.default_rng(3)
    rows = rng.dirichlet(np.ones(7), 300)
    plain = corner_lengths(rows)
    for _ in range(3):
        order = rng.permutation(7)
        np.testing.assert_array_equal(corner_lengths(rows[:, order]), plain[:, order])


@pytest.mark.parametrize(
    ("column", "turned"),
    [
        ([0.0, 1.0, 0.25, 0.5], True),
        ([-0.25, 1.0, 0.25, 0.5], False),
        ([0.0, 1.25, 0.25, 0.5], False),
        ([0.25, 0.5, 0.5, 1.5], False),
        ([0.25, 0.5, 0.5, -1.5], False),
    ],
)
def test_a_single_column_is_a_probability_where_all_of_it_can_be(
    column: list[float], turned: bool
) -> None:
    """Then the first class has the rest; other scores stay as they are."""
    cases = Predictions([0, 1, 0, 1], column)
    given = np.array(column)
    expected = np.column_stack([1 - given, given]) if turned else cases.scores
    np.testing.assert_array_equal(tuples._rows(cases), expected)
    volumes = cases_of(cases, Rule.HIGHEST).detail
    np.testing.assert_array_equal(volumes, expected if turned else np.zeros((4, 2)))


def test_two_columns_that_are_no_probabilities_have_no_volumes() -> None:
    rows = np.array([[0.5, 2.0], [3.0, 1.0], [0.0, 7.0]])
    made = cases_of(Predictions([0, 1, 0], rows), Rule.HIGHEST)
    np.testing.assert_array_equal(made.detail, np.zeros((3, 2)))
    fine = Predictions([0, 1, 0], [[0.5, 0.5], [0.25, 0.75], [1.0, 0.0]])
    detail = cases_of(fine, Rule.HIGHEST).detail
    np.testing.assert_array_equal(detail, fine.scores)
    assert detail.flags.c_contiguous and not np.shares_memory(detail, fine.scores)


def test_rows_have_a_determinant_that_is_a_sum_over_classes() -> None:
    """Σ_k 1 − ℓ_k(x_k)/√2 of one case of each class."""
    for K in (2, 3, 5):
        cases = table(K, [2] * K, weighted=False)
        detail = cases_of(cases, Rule.NEAR_HIGHEST).detail
        for members in list(product(*cases.members))[:9]:
            near = sum(
                1 - own_length(cases.scores[i], k) / math.sqrt(2) for k, i in enumerate(members)
            )
            assert np.linalg.det(detail[list(members)]) == pytest.approx(near, abs=1e-12)


def test_huge_scores_are_divided_by_a_power_of_two() -> None:
    """Only from 2¹⁰⁰⁰ on, where sums of them might be infinite."""
    scores = np.array([[1.0, -3.0], [0.5, 2.0]])
    np.testing.assert_array_equal(tuples._score_costs(scores), -scores)
    below = scores * 2.0**998  # the largest is below 2¹⁰⁰⁰
    np.testing.assert_array_equal(tuples._score_costs(below), -below)
    above = scores * 2.0**1000
    np.testing.assert_array_equal(tuples._score_costs(above), -above * 2.0**-1002)
    least = np.array([[2.0**1000, 1.0]])
    assert tuples._score_costs(least).tolist() == [[-0.5, -(2.0**-1001)]]
    most = np.where(np.eye(3, dtype=bool), 1.5e308, -1.5e308)
    assert Tuples.of(Predictions([0, 1, 2], most), Rule.SCORES).mean(np.eye(6)[0]) == 1.0


def test_logarithms_of_zero_cost_more_than_all_others() -> None:
    """And the own one so much that no tuple with it is right."""
    rows = np.array([[0.0, 0.25, 0.75], [0.5, 0.5, 0.0], [0.25, 0.0, 0.75]])
    cases = Predictions([0, 1, 2], rows)
    costs = tuples._log_costs(cases)
    far = 2.0**51
    assert costs[0, 0] == 4 * far  # the own class
    assert costs[1, 2] == costs[2, 1] == far
    usual = costs[rows > 0]
    assert (usual > 0).all() and (usual < far / 1e3).all()
    assert costs[1, 0] == costs[1, 1] and (usual == np.rint(usual)).all()
    assert costs[0, 1] == costs[2, 0] > costs[1, 0] > costs[0, 2]


def test_credits_that_do_not_count_need_not_be_known() -> None:
    credits = np.array([[1.0, np.nan, 0.5], [0.0, np.nan, 1.0]])
    assert credited(credits, np.array([2.0, 0.0, -1.0])).tolist() == [1.5, -1.0]
    message = (
        "Tuples of so many tied classes have more best assignments than can be counted, so "
        'their fair share of credit is not known. Pass ties="strict" and ties="lenient" to '
        "the metric: the fair value lies between both."
    )
    with pytest.raises(NotDefined) as error:
        credited(credits, np.array([0.0, 1.0, 0.0]))
    assert str(error.value) == message
    one = np.array([[np.nan, 0.0], [1.0, 1.0]])
    with pytest.raises(NotDefined):
        credited(one, np.array([1.0, 1.0]))


def test_so_many_tuples_are_enumerated(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as two hundred millions; of more, random ones must be asked for."""

    class Begun(Exception):
        """Stands for the enumeration."""

    def begin(*_: Any) -> None:
        raise Begun

    def sized(*counts: int) -> Predictions:
        y = np.repeat(np.arange(4), counts)
        return Predictions(y, np.eye(4)[y])

    monkeypatch.setattr(tuples, "cases_of", begin)
    with pytest.raises(Begun):
        Tuples.of(sized(200, 100, 100, 100), Rule.SCORES)
    with pytest.raises(NotDefined) as error:
        Tuples.of(sized(100, 100, 100, 201), Rule.SCORES)
    assert str(error.value) == (
        "There are 2.01e+08 tuples of one case from each of 4 classes, more than the 2e+08 that "
        "are enumerated. Pass n_tuples= to the metric or to evaluate, to estimate it from so many "
        "random ones."
    )
    monkeypatch.setattr(tuples, "MOST_TUPLES", 24)
    with pytest.raises(Begun):
        Tuples.of(sized(1, 2, 3, 4), Rule.SCORES)
    with pytest.raises(NotDefined):
        Tuples.of(sized(5, 5, 1, 1), Rule.SCORES)
    with pytest.raises(Begun):
        Tuples.of(sized(9, 9, 9, 9).part(np.arange(27)), Rule.SCORES)  # of three classes, any


@pytest.mark.parametrize("rule", [Rule.LENGTHS, Rule.NEAR_HIGHEST_LENIENT])
def test_parts_of_an_enumeration_are_added_up(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = table(4, [6, 3, 4, 5], weighted=True)
    seen = []
    plain = tuples.map_threads

    def recorded(work: Any, items: Any, n_threads: int | None) -> list[Any]:
        seen.append((list(items), n_threads))
        return plain(work, items, 1)

    monkeypatch.setattr(tuples, "map_threads", recorded)
    whole = tuples._enumerated(cases, rule)
    monkeypatch.setattr(tuples, "_TUPLES_PER_CHUNK", 60)  # of 360 tuples
    np.testing.assert_allclose(tuples._enumerated(cases, rule), whole, rtol=1e-12, atol=1e-12)
    assert [items for items, _ in seen] == [[(0, 6)], [(i, i + 1) for i in range(6)]]
    assert {n for _, n in seen} == {cases.n_threads}


def test_a_million_of_tuples_is_a_part_of_its_own() -> None:
    """Up to a thousand parts, so that an interrupt is heard."""
    assert len(tuples._chunks(50, 1_999_999, tuples._TUPLES_PER_CHUNK, most=1000)) == 1
    assert len(tuples._chunks(50, 2_000_000, tuples._TUPLES_PER_CHUNK, most=1000)) == 2
    assert len(tuples._chunks(5000, 2_000, tuples._DRAWS_PER_CHUNK, most=5000)) == 2


@pytest.mark.parametrize(("worth", "threads"), [(61, 1), (60, 5), (59, 5)])
def test_sweeps_of_many_pairs_are_shared_among_threads(
    worth: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pairs of a case of the first class with one of the others, of all turns together."""
    cases = table(3, [3, 4, 2], weighted=True)
    cases = Predictions(cases.codes, cases.scores, n_threads=5)
    # turn 0: 3 (4 + 2) = 18 pairs; turn 2 begins with the last class: 2 (3 + 4) = 14
    turn0, turn2 = (
        tuples._Turn(cases_of(cases, Rule.SCORES), 0),
        tuples._Turn(cases_of(cases, Rule.SCORES), 2),
    )
    assert (turn0.n_pairs, turn2.n_pairs) == (18, 14)
    seen = []
    plain = tuples.map_threads

    def recorded(work: Any, items: Any, n_threads: int | None) -> list[Any]:
        seen.append(n_threads)
        return plain(work, items, 1)

    monkeypatch.setattr(tuples, "map_threads", recorded)
    monkeypatch.setattr(tuples, "_PAIRS_WORTH_THREADS", worth - 28)
    Tuples.of_carried(cases, rule=Rule.SCORES)
    assert seen == [threads]
    monkeypatch.undo()
    seen.clear()
    monkeypatch.setattr(tuples, "map_threads", recorded)
    Tuples.of_carried(cases, rule=Rule.SCORES)
    assert seen == [1]


def test_parts_of_a_sweep_change_only_the_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    for rule in (Rule.LENGTHS, Rule.HIGHEST):
        for K in (2, 3):
            cases = table(K, [9, 5, 7][:K], weighted=True)
            whole = Tuples.of_carried(cases, rule=rule)
            with monkeypatch.context() as patch:
                patch.setattr(tuples._chunks, "__defaults__", (20, 4))
                parts = Tuples.of_carried(cases, rule=rule)
                assert len(tuples._Turn(cases_of(cases, rule), 0).chunks) > 1
            for (a, one), (b, other) in zip(whole.projected, parts.projected, strict=True):
                np.testing.assert_array_equal(a, b)
                np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("rule", [Rule.LENGTHS, Rule.SCORES, Rule.HIGHEST])
def test_random_tuples_are_drawn_by_weight_and_judged_each(rule: Rule) -> None:
    cases = table(4, [3, 2, 4, 2], weighted=True)
    made = Tuples.of(cases, rule, drawn=True, n_tuples=400, rng=5)
    assert isinstance(made, DrawnTuples)
    generator = np.random.default_rng(5)
    expected = np.column_stack(
        [
            generator.choice(m, 400, p=cases.case_weights[m] / cases.case_weights[m].sum())
            for m in cases.members
        ]
    )
    np.testing.assert_array_equal(made.tuples, expected)
    credits = np.array([plain_credits(cases.scores[row], rule) for row in expected])
    np.testing.assert_allclose(made.credits, credits, atol=1e-12)
    assert made.shares.tolist() == [1.0] * 400 and made.rule is rule
    np.testing.assert_array_equal(made.weights, cases.class_weights)
    assert made.classes == cases.classes
    coefficients = np.arange(1.0, credits.shape[1] + 1)
    value = credits @ coefficients
    assert made.mean(coefficients) == pytest.approx(value.mean(), abs=1e-12)
    (moved,) = made.carry(cases, [coefficients])
    for i in range(len(cases)):
        holding = (expected == i).any(axis=1)
        share = cases.case_weights[i] / cases.class_weights[cases.codes[i]]
        pulled = (value - value.mean())[holding].sum() / 400
        assert moved[i] == pytest.approx(pulled / share, abs=1e-12)
    drawn = made.drawn(coefficients)
    assert drawn.value == pytest.approx(value.mean())
    np.testing.assert_allclose(drawn.deviations, value - value.mean(), atol=1e-12)


def test_random_tuples_of_three_classes_and_of_a_number() -> None:
    cases = table(3, [4, 6, 3], weighted=False)
    made = Tuples.of_carried(cases, rule=Rule.SCORES, drawn=True, n_tuples=3, rng=1)
    assert isinstance(made, DrawnTuples) and made.tuples.shape == (3, 3)
    assert len(Tuples.of(cases, Rule.SCORES, drawn=True, n_tuples=2).tuples) == 2
    with pytest.raises(InvalidInput, match=r"^n_tuples must be at least 2, got 1\.$"):
        Tuples.of(cases, Rule.SCORES, drawn=True, n_tuples=1)
    assert Tuples.of(cases, Rule.SCORES).drawn(np.ones(6)) is None


def test_random_tuples_pass_in_parts_of_a_thousand(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    plain = tuples.map_threads

    def recorded(work: Any, items: Any, n_threads: int | None) -> list[Any]:
        seen.append(([end - start for start, end in items], n_threads))
        return plain(work, items, 1)

    monkeypatch.setattr(tuples, "map_threads", recorded)
    cases = table(3, [4, 6, 3], weighted=False)
    cases = Predictions(cases.codes, cases.scores, n_threads=6)
    Tuples.of(cases, Rule.SCORES, drawn=True, n_tuples=7000, rng=0)
    assert seen == [([1000] * 7, 6)]


def test_what_drawn_tuples_pull() -> None:
    """Deviations from the mean credit, added up by case, over the number of tuples."""
    drawn = Drawn(np.array([[0, 2], [1, 2], [0, 3], [0, 2]]), np.array([1.0, 0.0, 0.0, 1.0]))
    assert drawn.value == 0.5
    assert drawn.deviations.tolist() == [0.5, -0.5, -0.5, 0.5]
    assert drawn.pull(6).tolist() == [0.125, -0.125, 0.125, -0.125, 0.0, 0.0]


def test_distances_of_a_single_column_are_those_of_both() -> None:
    """Sums of scores take the columns as they are; float32 stands for the decimals it was."""
    column, y = np.array([0.3, 0.7, 0.1, 0.9]), [0, 1, 1, 0]
    both = np.column_stack([1 - column, column])
    one = Predictions(y, column)
    expected = cases_of(Predictions(y, both), Rule.LENGTHS)
    np.testing.assert_array_equal(cases_of(one, Rule.LENGTHS).costs, expected.costs)
    np.testing.assert_array_equal(cases_of(one, Rule.SCORES).costs, -one.scores)
    single = Predictions(y, np.round(both, 1).astype(np.float32))
    decimals = corner_lengths(np.round(both, 1))
    np.testing.assert_array_equal(cases_of(single, Rule.LENGTHS).costs, decimals)
    np.testing.assert_array_equal(cases_of(single, Rule.SCORES).costs, -np.round(both, 1))
