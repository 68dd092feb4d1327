"""Counts, weights and the sample of cases beside the histograms, recounted by plain loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from polyroc.errors import InvalidInput
from polyroc.metrics import registry
from polyroc.scale import PairSummary
from polyroc.scale._batch import Batch, Chunk
from polyroc.scale._paired import Pairing, check_paired, paired_errors
from polyroc.scale._sample import Sample, cases_per_class, pseudo_random_keys
from polyroc.scale._totals import Totals

MASK = (1 << 64) - 1


def totals_of(codes: list[int], weights: list[float] | None, n_classes: int = 3) -> Totals:
    totals = Totals(n_classes)
    totals.add(np.array(codes, dtype=np.int64), None if weights is None else np.array(weights))
    return totals


def key_of(position: int, score: float) -> int:
    """SplitMix64 in whole numbers."""
    key = (position * 0x9E3779B97F4A7C15) & MASK
    key ^= int(np.float64(score + 0.0).view(np.uint64))
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        key ^= key >> shift
        key = (key * factor) & MASK
    return key ^ (key >> 31)


# Totals


def test_cases_and_weights_are_added_by_class() -> None:
    totals = totals_of([0, 2, 2, 0, 2], None)
    assert totals.counts.tolist() == [2, 0, 3] and totals.weights.tolist() == [2.0, 0.0, 3.0]
    assert (totals.unit, totals.weighted, totals.n_cases) == (0, False, 5)
    totals.add(np.array([1, 0]), np.array([0.75, 5.0]))
    assert totals.counts.tolist() == [3, 1, 3] and totals.weights.tolist() == [7.0, 0.75, 3.0]
    assert (totals.unit, totals.weighted, totals.n_cases) == (-2, True, 7)
    totals.add(np.array([1]), np.array([8.0]))
    assert totals.unit == -2, "the unit never grows"
    totals.add(np.empty(0, dtype=int), np.empty(0))
    assert totals.counts.tolist() == [3, 2, 3]


def test_no_cases_with_weights_leave_no_mark() -> None:
    totals = totals_of([], [])
    assert totals.weighted is False and totals.n_cases == 0 and totals.slack == 0.0
    totals.merge(totals_of([0], None))
    assert totals.weighted is False and totals.unit == 0


@pytest.mark.parametrize(
    ("weights", "unit"),
    [
        ([1.0], 0),
        ([12.0, 20.0], 2),
        ([12.0, 0.375], -3),
        ([2.0**-200], -200),
        ([3 * 2.0**190, 2.0**200], 190),
        ([1.0 + 2.0**-52], -52),
        ([0.1], -55),
    ],
)
def test_the_unit_is_the_power_of_two_in_every_weight(weights: list[float], unit: int) -> None:
    found = totals_of([0] * len(weights), weights).unit
    assert found == unit
    assert all((w / 2.0**unit).is_integer() for w in weights)
    assert not all((w / 2.0 ** (unit + 1)).is_integer() for w in weights)


def test_merged_totals_are_those_of_all_cases() -> None:
    one, other = totals_of([0, 1], [0.5, 3.0]), totals_of([1, 2], None)
    one.merge(other)
    assert one.counts.tolist() == [1, 2, 1] and one.weights.tolist() == [0.5, 4.0, 1.0]
    assert (one.unit, one.weighted) == (-1, True)
    other.merge(totals_of([0], [0.25]))
    assert (other.unit, other.weighted) == (-2, True)
    plain = totals_of([0], None)
    plain.merge(totals_of([1], None))
    assert plain.weighted is False


def test_sums_are_free_of_rounding_up_to_52_bits() -> None:
    """The product of the two heaviest classes, in units, is 2^52 at most."""
    half = 2.0**25
    exact = totals_of([0, 0, 1, 1, 2], [2 * half - 1, 1, 2 * half - 1, 1, 5])
    assert exact.slack == 0.0
    beyond = totals_of([0, 0, 1, 1, 2], [2 * half - 1, 2, 2 * half - 1, 1, 5])
    assert beyond.slack == 16 * 5 * 2.0**-53
    in_units = totals_of([0, 0, 1, 1, 2], [16 * (2 * half - 1), 32, 16 * (2 * half - 1), 16, 80])
    assert in_units.slack == beyond.slack, "the unit of weights does not matter"
    for unit in (-3, 5):
        scaled = np.array([2 * half - 1, 1, 2 * half - 1, 1, 5]) * 2.0**unit
        assert totals_of([0, 0, 1, 1, 2], scaled.tolist()).slack == 0.0
    alone = totals_of([0, 0], [2.0**53 - 1, 1.0])
    assert alone.slack == 16 * 2 * 2.0**-53, "a class without cases weighs a unit"
    assert totals_of([0, 0], [2.0**52 - 1, 1.0]).slack == 0.0


# The sample of cases


def test_how_many_cases_of_a_class_are_kept() -> None:
    """4,096, fewer where tables of 4,194,304 scores would grow, none below 16."""
    assert [cases_per_class(k) for k in (2, 32, 33, 512, 513)] == [4096, 4096, 3851, 16, 0]


def test_keys_are_those_of_splitmix() -> None:
    scores = np.array([0.25, -0.0, 0.0, -3.5, 1e300])
    found = pseudo_random_keys(7, scores)
    assert found.tolist() == [key_of(7 + i, x) for i, x in enumerate(scores.tolist())]
    places = np.array([3, 9, 1, 4, 4])
    found = pseudo_random_keys(places, scores)
    assert found.tolist() == [
        key_of(i, x) for i, x in zip(places.tolist(), scores.tolist(), strict=True)
    ]
    assert pseudo_random_keys(5, np.array([-0.0])) == pseudo_random_keys(5, np.array([0.0]))


@pytest.mark.parametrize("step", [1, 7, 50, 400])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_lowest_keys_of_each_class_stay(step: int, weighted: bool) -> None:
    rng = np.random.default_rng(3)
    n, size = 160, 6
    codes = rng.choice(3, n, p=[0.7, 0.28, 0.02]).astype(np.uint8)
    columns = [np.round(rng.random(n), 3) for _ in range(3)]
    weights = rng.uniform(0.5, 2, n) if weighted else None
    sample = Sample(3, size)
    for start in range(0, n, step):
        some = slice(start, start + step)
        part = None if weights is None else weights[some]
        sample.add(start, codes[some], [column[some] for column in columns], part)
        assert len(sample.keys) <= 2 * size * 3 or step > 1, "it does not grow with the cases"
    sample.tidy()
    expected = []
    for k in range(3):
        keyed = sorted((key_of(i, columns[0][i]), i) for i in range(n) if codes[i] == k)
        expected += [(key, k, i) for key, i in keyed[:size]]
    assert sample.keys.tolist() == [key for key, _, _ in expected]
    assert sample.codes.tolist() == [k for _, k, _ in expected]
    assert sample.codes.dtype == np.int64
    rows = [[column[i] for column in columns] for _, _, i in expected]
    assert sample.rows.tolist() == rows
    heavy = [1.0 if weights is None else weights[i] for _, _, i in expected]
    assert sample.weights.tolist() == heavy


def test_cases_of_equal_keys_are_ordered_by_what_they_hold() -> None:
    """First by the scores from the first column on, then by weight, whichever came first."""
    cases = [(0.5, 0.1, 0.9, 2.0), (0.5, 0.2, 0.3, 1.0), (0.5, 0.2, 0.3, 4.0), (0.5, 0.2, 0.8, 0.5)]
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
        for size in (1, 3, 4):
            sample = Sample(3, size)
            for i in order:
                a, b, c, w = (np.array([x]) for x in cases[i])
                sample.add(11, np.array([1]), [a, b, c], w)
                sample.tidy()
            found = np.column_stack([sample.rows, sample.weights]).tolist()
            assert found == [list(case) for case in cases[:size]]


def test_a_case_with_the_key_of_the_last_one_kept_is_still_taken() -> None:
    sample = Sample(2, 1)
    sample.add(3, np.array([0]), [np.array([0.5]), np.array([0.9])], None)
    sample.tidy()
    sample.add(3, np.array([0]), [np.array([0.5]), np.array([0.1])], None)
    sample.tidy()
    assert sample.rows.tolist() == [[0.5, 0.1]]


def test_cases_beyond_the_last_one_kept_are_not_taken_any_more() -> None:
    """Of a class that has enough cases; another class may still take them."""
    keys = {i: key_of(i, 0.5) for i in range(12)}
    order = sorted(keys, key=lambda i: keys[i])
    sample, columns = Sample(3, 2), [np.array([0.5])] * 3
    for i in (order[3], order[5]):
        sample.add(i, np.array([0]), columns, None)
    sample.tidy()
    sample.add(order[8], np.array([0]), columns, None)
    assert len(sample.keys) == 2
    sample.add(order[8], np.array([1]), columns, None)
    sample.add(order[4], np.array([0]), columns, None)
    assert len(sample.keys) == 4
    sample.tidy()
    assert sample.keys.tolist() == [keys[order[3]], keys[order[4]], keys[order[8]]]
    sample.add(order[11], np.array([1]), columns, None)
    assert len(sample.keys) == 4, "the second class has one case so far"


def test_merged_samples_are_the_sample_of_all() -> None:
    rng = np.random.default_rng(4)
    codes, columns = rng.integers(0, 2, 60), [rng.random(60), rng.random(60)]
    whole, parts = Sample(2, 9), [Sample(2, 9), Sample(2, 9)]
    whole.add(0, codes, columns, None)
    for part, some in zip(parts, (slice(0, 23), slice(23, 60)), strict=True):
        part.add(some.start, codes[some], [column[some] for column in columns], None)
        part.tidy()
    parts[1].merge(parts[0])
    for each in (whole, parts[1]):
        each.tidy()
    for name in ("keys", "codes", "rows", "weights"):
        assert getattr(whole, name).tobytes() == getattr(parts[1], name).tobytes(), name


def test_too_many_classes_keep_no_sample() -> None:
    sample = Sample(2, 0)
    sample.add(0, np.array([0, 1]), [np.ones(2), np.zeros(2)], None)
    sample.tidy()
    assert not sample.keys.size and not sample.rows.size


def test_positions_of_cases_decide_the_sample() -> None:
    """The first case has position 0, and batches count on."""
    y, p = np.array([0, 1] * 6), np.linspace(0.05, 0.95, 12)
    summary = PairSummary([0, 1]).update(y[:5], p[:5]).update(y[5:], p[5:])
    keys = {int(key) for key in summary.sample.keys}
    assert keys == {key_of(i, -x) for i, x in enumerate(p.tolist())}
    batch = Batch(y[5:], [p[5:]])
    moved = PairSummary([0, 1]).update_batch(batch, 100)
    assert {int(key) for key in moved.sample.keys} == {
        key_of(100 + i, -x) for i, x in enumerate(p[5:].tolist())
    }
    placed = PairSummary([0, 1]).update(y[:5], p[:5]).update_batch(batch, 0)
    assert {int(key) for key in placed.sample.keys} == {
        *(key_of(i, -x) for i, x in enumerate(p[:5].tolist())),
        *(key_of(i, -x) for i, x in enumerate(p[5:].tolist())),
    }


# Two tables of the same cases


def pairing_of(
    codes: list[int], weights: list[float] | None = None, cuts: tuple[int, ...] = ()
) -> Pairing:
    """Rows of two classes in pieces."""
    pairing, column = Pairing(2), np.linspace(0, 1, len(codes))
    for start, end in zip((0, *cuts), (*cuts, len(codes)), strict=True):
        piece = slice(start, end)
        given = None if weights is None else np.array(weights[piece])
        chunk = Chunk(np.array(codes[piece]), [column[piece], 1 - column[piece]], given)
        for task in pairing.tasks(chunk, start):
            task()
    return pairing


def test_rows_correspond_however_they_are_divided() -> None:
    codes, weights = [0, 1, 1, 0, 1, 0, 0], [1.0, 2.0, 0.5, 1.0, 3.0, 1.0, 2.0]
    whole, cut = pairing_of(codes, weights), pairing_of(codes, weights, (2, 3))
    assert whole.rows_sum == cut.rows_sum and cut.n_cases == 7
    check_paired({"a": whole, "b": cut, "c": cut})
    expected = sum(
        key_of(i, k) ^ key_of(i + 1, w) for i, (k, w) in enumerate(zip(codes, weights, strict=True))
    )
    assert whole.rows_sum == expected & MASK
    plain = pairing_of(codes)
    assert plain.rows_sum == sum(key_of(i, k) for i, k in enumerate(codes)) & MASK


def test_merged_pairings_are_those_of_all_rows() -> None:
    codes = [0, 1, 1, 0, 1, 0, 0]
    first, second = pairing_of(codes), Pairing(2)
    for task in second.tasks(Chunk(np.array([1, 1]), [np.ones(2), np.zeros(2)], None), 7):
        task()
    assert first.merge(second) is first
    whole = Pairing(2)
    column = np.r_[np.linspace(0, 1, 7), 1, 1]
    for task in whole.tasks(Chunk(np.array([*codes, 1, 1]), [column, 1 - column], None), 0):
        task()
    check_paired({"a": first, "b": whole})
    assert first.n_cases == 9 and 0 <= first.rows_sum <= MASK
    for each in (first, whole):
        each.sample.tidy()
    assert first.sample.rows.tobytes() == whole.sample.rows.tobytes()


def test_rows_that_were_left_out_keep_their_positions() -> None:
    codes = np.array([0, 1, 1])
    gaps = Chunk(codes, [np.ones(3), np.zeros(3)], np.ones(3), np.array([4, 6, 9]))
    pairing = Pairing(2)
    for task in pairing.tasks(gaps, 20):
        task()
    places = [20, 22, 25]
    expected = sum(
        key_of(i, k) ^ key_of(i + 1, 1.0) for i, k in zip(places, codes.tolist(), strict=True)
    )
    assert pairing.rows_sum == expected & MASK
    assert sorted(pairing.sample.keys.tolist()) == sorted(key_of(i, 0.0) for i in places)


@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 2.0, 1.0]])
def test_rows_that_do_not_correspond_are_told(weights: list[float] | None) -> None:
    own = pairing_of([0, 1, 1, 0], weights)
    same = pairing_of([0, 1, 1, 0], weights)
    swapped = pairing_of([1, 0, 1, 0], weights)
    with pytest.raises(InvalidInput) as told:
        check_paired({"x": own, "y": same, "z": swapped})
    assert str(told.value) == (
        "The models are paired row by row, but the classes or weights in the rows of 'x' and 'z' "
        "differ. Sort both tables by the name of the case."
    )
    with pytest.raises(InvalidInput, match="'x' has 4 cases and 'z' has 3"):
        check_paired({"x": own, "z": pairing_of([0, 1, 1], weights and weights[:3])})
    if weights is not None:
        with pytest.raises(InvalidInput, match="classes or weights in the rows of 'x' and 'z'"):
            check_paired({"x": own, "z": pairing_of([0, 1, 1, 0], [2.0, 1.0, 2.0, 1.0])})


def known_and_pairing(y: np.ndarray, p: np.ndarray, w: Any = None) -> tuple[Any, Pairing]:
    summary = PairSummary(range(p.shape[1])).update(y, p, w)
    pairing = Pairing(p.shape[1])
    for task in pairing.tasks(Chunk(y, list(p.T), w), 0):
        task()
    return summary._known(summary.histograms), pairing


def test_errors_of_differences_by_loops() -> None:
    """The variance of Σ w φ / W over each class, φ the difference of placements."""
    rng = np.random.default_rng(5)
    y, p, q = np.repeat([0, 1], [9, 14]), rng.random((23, 2)), rng.random((23, 2))
    metric = registry["roc_auc"]
    one, other = known_and_pairing(y, p), known_and_pairing(y, q)
    found = paired_errors(one, other, [metric], np.arange(2), "fair")["roc_auc"]
    moved = []
    for scores in (p[:, 1], q[:, 1]):
        own, rest = scores[y == 1], scores[y == 0]
        moved.append(([np.mean(x > rest) for x in own], [np.mean(own > x) for x in rest]))
    variance = sum(np.var(np.subtract(a, b), ddof=1) / len(a) for a, b in zip(*moved, strict=True))
    assert found.value == pytest.approx(np.sqrt(variance)) and found.note == ""
    copies = paired_errors(one, known_and_pairing(y, p), [metric], np.arange(2), "fair")["roc_auc"]
    assert np.isnan(copies.value) and copies.note.endswith("of the sample agrees on the value")


def test_differences_without_errors_say_why() -> None:
    rng = np.random.default_rng(6)
    y, p, q = np.array([0, 0, 1]), rng.random((3, 2)), rng.random((3, 2))
    asked = [registry["roc_auc"], registry["hand_till"]]
    one, other = known_and_pairing(y, p), known_and_pairing(y, q)
    found = paired_errors(one, other, asked, np.arange(2), "fair")
    assert list(found) == ["roc_auc", "hand_till"]
    assert found["roc_auc"].note == "no standard error: class 1 has one case"
    one[1].sample.size = 0
    for each in paired_errors(one, other, asked, np.arange(2), "fair").values():
        assert np.isnan(each.value)
        assert each.note == "no standard error: there are too many classes for a sample of cases"
