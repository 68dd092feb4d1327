"""Batches of cases, what histograms take from them, and sums of probabilities by class."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from polyroc._base.ties import SLACK
from polyroc.errors import InvalidInput
from polyroc.predictions._scores import SUM_TOLERANCE
from polyroc.scale import PairSummary
from polyroc.scale import _batch as batches
from polyroc.scale import _class_sums as class_sums
from polyroc.scale._batch import (
    Batch,
    Chunk,
    ColumnTrack,
    MarginTrack,
    check_weights,
    column_tracks,
    margin_tracks,
    read_batch,
    weighted_batch,
)
from polyroc.scale._class_sums import ClassSums, digits_are_sound
from polyroc.scale._codes import code_of_one, highest_code, ordered_codes

BASE = 1 << 35


def chunk_of(codes: Any, columns: Any, weights: Any = None) -> Chunk:
    return Chunk(np.array(codes, dtype=np.uint8), [np.array(each) for each in columns], weights)


# Batches


def test_chunks_are_the_cases_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "CHUNK", 3)
    table = np.arange(14.0).reshape(7, 2)
    codes, weights, rows = np.arange(7) % 2, np.arange(1.0, 8.0), np.arange(10, 24, 2)
    for given in (Batch(codes, list(table.T)), Batch(codes, list(table.T), weights, rows)):
        chunks = list(given.chunks())
        assert [len(each.codes) for each in chunks] == [3, 3, 1]
        assert np.concatenate([each.codes for each in chunks]).tolist() == codes.tolist()
        for k in range(2):
            column = np.concatenate([each.given[k] for each in chunks])
            assert column.tolist() == table[:, k].tolist()
        assert all(column.flags.c_contiguous for each in chunks for column in each.given)
    assert np.concatenate([each.weights for each in chunks]).tolist() == weights.tolist()
    assert np.concatenate([each.rows for each in chunks]).tolist() == rows.tolist()
    plain = next(Batch(codes, list(table.T)).chunks())
    assert plain.weights is None and plain.rows is None
    weighted = next(Batch(codes, list(table.T), weights).chunks())
    assert weighted.weights is not None and weighted.rows is None


@pytest.mark.parametrize(("n", "sizes"), [(0, []), (3, [3]), (4, [3, 1]), (6, [3, 3])])
def test_sizes_of_chunks(monkeypatch: pytest.MonkeyPatch, n: int, sizes: list[int]) -> None:
    monkeypatch.setattr(batches, "CHUNK", 3)
    chunks = Batch(np.zeros(n, dtype=np.uint8), [np.zeros(n)] * 2).chunks()
    assert [len(each.codes) for each in chunks] == sizes


def test_few_cases_are_one_chunk() -> None:
    (chunk,) = Batch(np.array([1, 0, 1]), [np.arange(3.0), np.ones(3)]).chunks()
    assert chunk.codes.tolist() == [1, 0, 1] and chunk.given[0].tolist() == [0.0, 1.0, 2.0]


def test_one_column_stands_for_two() -> None:
    one = chunk_of([0, 1, 1], [[0.25, 0.5, 1.0]])
    assert one.one_column
    assert [each.tolist() for each in one.columns] == [[-0.25, -0.5, -1.0], [0.25, 0.5, 1.0]]
    assert [each.tolist() for each in one.probabilities] == [[0.75, 0.5, 0.0], [0.25, 0.5, 1.0]]
    two = chunk_of([0, 1, 1], [[0.5, 0.25, 0.0], [0.25, 0.5, 1.0]])
    assert not two.one_column and two.columns is two.given and two.probabilities is two.given


def test_members_are_the_cases_of_each_class_in_order() -> None:
    codes = np.random.default_rng(0).integers(0, 3, 300)
    found = chunk_of(codes, np.zeros((5, 300))).members
    assert len(found) == 5  # also of classes without cases
    for k, members in enumerate(found):
        assert members.tolist() == [i for i in range(300) if codes[i] == k]


def test_a_track_of_a_column() -> None:
    assert column_tracks(3) == [ColumnTrack(0, 3), ColumnTrack(1, 3), ColumnTrack(2, 3)]
    track, weights = ColumnTrack(1, 3), np.array([1.0, 2.0])
    assert (track.n_rows, track.positive, track.rows, track.needs) == (3, 1, range(3), (1,))
    assert not track.computed
    chunk = chunk_of([2, 0], [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], weights)
    found = track.of(chunk)
    assert found.values.tolist() == [0.3, 0.4] and found.rows.tolist() == [2, 0]
    assert found.weights is weights and found.slacks is None


def test_a_track_of_margins() -> None:
    assert margin_tracks(3) == [MarginTrack(0, 1), MarginTrack(0, 2), MarginTrack(1, 2)]
    track = MarginTrack(2, 0)
    assert (track.n_rows, track.positive, track.rows, track.needs) == (2, 0, (2, 0), (2, 0))
    assert track.computed
    codes = [0, 2, 1, 2, 0, 2]
    columns = [
        [0.5, 0.25, 0.125, 0.5, 1.0, -4.0],
        [9.0, 9.0, 9.0, 9.0, 9.0, 9.0],
        [0.25, 0.75, 0.0, 0.5, -2.0, 1.0],
    ]
    weights = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    found = track.of(chunk_of(codes, columns, weights))
    assert found.values.tolist() == [0.5, 0.0, 5.0, -0.25, -3.0]
    assert found.rows.tolist() == [0, 0, 0, 1, 1] and found.rows.dtype == np.uint8
    assert found.weights is not None and found.weights.tolist() == [2, 4, 6, 1, 5]
    assert found.slacks is not None
    assert (found.slacks / SLACK).tolist() == [0.75, 0.0, 4.0, 0.5, 2.0]
    assert track.of(chunk_of(codes, columns)).weights is None


def test_margins_of_float32_are_those_of_decimals() -> None:
    columns = np.array([[0.3, 0.5], [0.1, 0.3]], dtype=np.float32)
    found = MarginTrack(0, 1).of(Chunk(np.array([0, 0], dtype=np.uint8), list(columns), None))
    assert found.values.tolist() == [0.3 - 0.1, 0.5 - 0.3]


def test_reading_a_batch_of_labels_and_scores() -> None:
    p = np.array([[0.5, 0.25, 0.25], [0.1, 0.2, 0.7], [0.0, 1.0, 0.0]])
    plain = read_batch(["b", "c", "a"], p, None, ("a", "b", "c"))
    assert plain.codes.tolist() == [1, 2, 0] and plain.weights is None and plain.rows is None
    assert np.column_stack(plain.columns).tolist() == p.tolist()
    some = read_batch(["b", "c", "a"], p, [0.5, 0, 2], ("a", "b", "c"))
    assert some.codes.tolist() == [1, 0]
    assert some.weights is not None and some.weights.tolist() == [0.5, 2]
    assert some.rows is not None and some.rows.tolist() == [0, 2]
    assert np.column_stack(some.columns).tolist() == p[[0, 2]].tolist()
    empty = read_batch([], np.empty((0, 3)), None, ("a", "b", "c"))
    assert len(empty.codes) == 0 and len(empty.columns) == 3


def test_columns_that_were_not_read_stay_empty() -> None:
    codes, weights = np.array([0, 1, 0]), np.array([1.0, 0.0, 3.0])
    found = weighted_batch(codes, [np.array([0.1, 0.2, 0.3]), np.empty(0)], weights)
    assert [each.tolist() for each in found.columns] == [[0.1, 0.3], []]
    columns = [np.array([0.1, 0.2, 0.3])]
    whole = weighted_batch(codes, columns, weights + 1)
    assert whole.rows is None and whole.columns is columns and len(whole.codes) == 3
    with pytest.raises(InvalidInput):
        weighted_batch(codes, columns, weights - 1)


def test_which_weights_are_sound() -> None:
    for sound in (0.0, 1.0, 2.0**-200, 2.0**200):
        check_weights(np.array([sound, 1.0]), 2)
    lowest, largest = np.nextafter(2.0**-200, 0), np.nextafter(2.0**200, np.inf)
    for wrong in (-1.0, lowest, largest, -(2.0**-200), np.nan, np.inf):
        with pytest.raises(InvalidInput) as caught:
            check_weights(np.array([1.0, 0.0, wrong, 2.0, wrong]), 5)
        assert str(caught.value) == (
            f"sample_weight contains {wrong} in row 2. Weights of a summary must be 0 or lie "
            "between 2^-200 and 2^200."
        )
    for shape, n_cases in (((3,), 2), ((2,), 3), ((2, 1), 2)):
        with pytest.raises(InvalidInput) as caught:
            check_weights(np.ones(shape), n_cases)
        assert f"the shape {shape} but there are {n_cases} cases" in str(caught.value)


def test_pieces_of_a_batch_do_not_change() -> None:
    chunk = chunk_of([0], [[0.5]])
    pieces = (Batch(chunk.codes, chunk.given), chunk, ColumnTrack(0, 2), MarginTrack(0, 1))
    for each, name in zip(pieces, ("codes", "codes", "k", "i"), strict=True):
        with pytest.raises(FrozenInstanceError):
            setattr(each, name, 1)


# Sums by class


def digits_of(codes: Any, columns: Any, n_classes: int) -> list[list[list[int]]]:
    """Whole numbers, and parts at 2⁻³⁵ and 2⁻⁷⁰, of scores that are each rounded at 2⁻⁷⁰."""
    digits = np.zeros((3, n_classes, n_classes), dtype=object)
    for k in range(n_classes):
        for j in range(n_classes):
            own = [Fraction(float(p)) for p, c in zip(columns[j], codes, strict=True) if c == k]
            total = sum(round(each * BASE**2) for each in own)
            digits[:, k, j] = total // BASE**2, total // BASE % BASE, total % BASE
    return digits.tolist()  # type: ignore[no-any-return]


def probabilities(n: int, n_classes: int, seed: int = 0) -> tuple[Any, list[Any]]:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(n_classes), n)
    codes = rng.choice(n_classes, n, p=np.arange(1, n_classes + 1) / sum(range(n_classes + 1)))
    return codes.astype(np.uint8), [np.ascontiguousarray(column) for column in p.T]


@pytest.mark.parametrize("compiled", [False, True])
def test_sums_are_those_of_whole_numbers(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    codes, columns = probabilities(57, 3)
    expected = digits_of(codes, columns, 3)
    for most in (57, 10):
        monkeypatch.setattr(class_sums, "MOST_CASES", most)
        sums = ClassSums(3)
        sums.add(codes, columns, None, compiled)
        assert sums.digits.dtype == np.int64 and sums.digits.tolist() == expected
        assert sums.n_faulty == 0 and not sums.weighted.any()
        assert digits_are_sound(sums.digits)
    exact = [
        [sum(Fraction(d, BASE**i) for i, d in enumerate(cell)) for cell in row]
        for row in [[[expected[i][k][j] for i in range(3)] for j in range(3)] for k in range(3)]
    ]
    for k in range(3):
        for j in range(3):
            assert sums.totals()[k, j] == pytest.approx(float(exact[k][j]), abs=1e-12, rel=1e-12)


@pytest.mark.parametrize("compiled", [False, True])
def test_tiny_probabilities_are_rounded_at_the_last_digit(compiled: bool) -> None:
    """Multiples of 2⁻⁷⁰ are kept, and of 2⁻⁷² rounded to the nearest, halves to even."""
    for exponent in (-70, -72):
        tiny = np.ldexp(np.arange(1.0, 24.0), exponent)
        tiny[::3] += 2.0**-34
        codes = (np.arange(23) % 2).astype(np.uint8)
        columns = [tiny, 1 - tiny]
        for some in (slice(None), slice(4, 5), slice(5, 6)):
            sums = ClassSums(2)
            part = [np.ascontiguousarray(column[some]) for column in columns]
            sums.add(codes[some], part, None, compiled)
            assert sums.digits.tolist() == digits_of(codes[some], part, 2)


@pytest.mark.parametrize("compiled", [False, True])
def test_weighted_sums_are_those_of_loops(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    codes, columns = probabilities(40, 3, 1)
    weights = np.random.default_rng(2).uniform(0.5, 4, 40)
    for most in (40, 7):
        monkeypatch.setattr(class_sums, "MOST_CASES", most)
        sums = ClassSums(3)
        sums.add(codes, columns, weights, compiled)
        for k in range(3):
            for j in range(3):
                own = sum(weights[i] * columns[j][i] for i in range(40) if codes[i] == k)
                assert sums.weighted[k, j] == pytest.approx(own, rel=1e-13)
        assert not sums.digits.any() and sums.n_faulty == 0
        assert sums.totals().tolist() == sums.weighted.tolist()


def test_sums_of_parts_are_the_sums_of_the_whole() -> None:
    codes, columns = probabilities(60, 2, 3)
    parts = [slice(0, 11), slice(11, 12), slice(12, 60)]
    whole, merged = ClassSums(2), ClassSums(2)
    whole.add(codes, columns, None)
    for part in parts:
        one = ClassSums(2)
        one.add(codes[part], [column[part] for column in columns], None)
        merged.merge(one)
    assert merged.digits.tolist() == whole.digits.tolist()
    weights = np.linspace(0.5, 3, 60)
    heavy = ClassSums(2)
    heavy.add(codes, columns, weights)
    both = ClassSums(2)
    both.merge(heavy)
    both.merge(heavy)
    assert both.weighted.tolist() == (2 * heavy.weighted).tolist()


@pytest.mark.parametrize("compiled", [False, True])
def test_faulty_rows_are_counted_and_leave_no_sums(compiled: bool) -> None:
    codes = np.array([0, 1, 0, 1, 1], dtype=np.uint8)
    sound = [np.array([0.5, 0.0, 1.0, 0.25, 0.75]), np.array([0.5, 1.0, 0.0, 0.75, 0.25])]
    less, more, below = (
        [np.array([0.4, 0.0, 1.0, 0.25, 0.75]), sound[1]],
        [sound[0], np.array([0.5, 1.5, 0.25, 0.75, 0.25])],
        [np.array([-0.5, 1.5, 0.5, 0.5, -0.5]), np.array([1.5, -0.5, 0.5, 0.5, 1.5])],
    )
    for columns, n_faulty in ((sound, 0), (less, 1), (more, 2), (below, 3)):
        for weights in (None, np.ones(5)):
            sums = ClassSums(2)
            sums.add(codes, sound, weights, compiled)
            before = sums.totals()
            sums.add(codes, columns, weights, compiled)
            assert sums.n_faulty == n_faulty
            assert sums.totals().any() == (n_faulty == 0)
            assert not n_faulty or not (sums.digits.any() or sums.weighted.any())
            sums.add(codes, sound, weights, compiled)
            assert sums.totals().tolist() == (3 * before * (n_faulty == 0)).tolist()
            other = ClassSums(2)
            other.add(codes, sound, weights, compiled)
            other.merge(sums)
            assert other.n_faulty == n_faulty and other.totals().any() == (n_faulty == 0)


def test_how_far_a_row_may_be_from_one() -> None:
    codes = np.zeros(1, dtype=np.uint8)
    for away, faulty in ((0.99, 0), (1.01, 1)):
        for sign in (1, -1):
            sums = ClassSums(2)
            first = np.array([0.5 + sign * away * SUM_TOLERANCE])
            sums.add(codes, [first, np.array([0.5])], None)
            assert sums.n_faulty == faulty


def test_scores_that_are_no_probabilities_raise_no_warning() -> None:
    largest = np.full(2, np.finfo(np.float64).max)
    codes = np.array([0, 1], dtype=np.uint8)
    for columns in ([largest, largest], [largest, -largest], [-largest, -largest]):
        for weights in (None, np.full(2, 8.0)):
            sums = ClassSums(2)
            sums.add(codes, columns, weights)
            assert sums.n_faulty == 2


def test_sums_of_float32_and_of_no_cases() -> None:
    codes, columns = probabilities(30, 2, 4)
    narrow = [np.round(column * 64).astype(np.float32) / 64 for column in columns[:1]]
    narrow.append(1 - narrow[0])
    sums = ClassSums(2)
    sums.add(codes, narrow, None)
    assert sums.digits.tolist() == digits_of(codes, narrow, 2)
    third = [np.full(2, 1 / 3, dtype=np.float32), np.full(2, 2 / 3, dtype=np.float32)]
    sums = ClassSums(2)
    sums.add(np.array([0, 1], dtype=np.uint8), third, None)
    assert sums.digits.tolist() == digits_of([0, 1], third, 2)
    empty = ClassSums(2)
    empty.add(codes[:0], [column[:0] for column in columns], None)
    class_sums._added(codes[:0], [column[:0] for column in columns], None)
    assert empty.n_faulty == 0 and not empty.totals().any()


def test_digits_that_a_carry_would_leave() -> None:
    sound = np.zeros((3, 2, 2), dtype=np.int64)
    assert digits_are_sound(sound)
    sound[0], sound[1:] = 1 << 60, BASE - 1
    assert digits_are_sound(sound)
    for digit in range(3):
        for value in (-1, BASE):
            wrong = sound.copy()
            wrong[digit, 1, 0] = value
            assert digits_are_sound(wrong) == (digit == 0 and value > 0)


# Codes


def test_codes_of_some_numbers_are_those_of_leading_bits() -> None:
    """|x| below ½ by the bits of x, up to 2 by those of the distance from 1, rounded up."""

    def bits(x: float, kept: int) -> int:
        raw = int(np.array([x]).view(np.int64)[0])
        return -(-raw // (1 << (52 - kept)))

    for kept in (1, 4, 14):
        one = 2 * bits(0.5, kept) + 1
        assert code_of_one(kept) == one
        for x in (5e-324, 1e-300, 0.1, 0.3, 0.5):
            expected = bits(x, kept)
            values = np.array([x, -x])
            assert ordered_codes(values, kept).tolist() == [expected, -expected]
        for x in (0.51, 0.75, 0.9, 1.0, 1.2, 3.7, 1e300):
            away = bits(abs(x - 1), kept)
            expected = one + (away if x > 1 else -away)
            assert ordered_codes(np.array([x, -x]), kept).tolist() == [expected, -expected]
        largest = float(np.finfo(np.float64).max)
        assert highest_code(kept) == one + bits(largest, kept)


def test_codes_leave_the_values_and_take_any_number_of_them() -> None:
    values = np.array([0.7, -0.2, 1.4])
    ordered_codes(values, 5)
    assert values.tolist() == [0.7, -0.2, 1.4]
    assert ordered_codes(np.empty(0), 5).tolist() == []
    assert ordered_codes(np.array([-0.25]), 9)[0] == -ordered_codes(np.array([0.25]), 9)[0] < 0
    assert ordered_codes(np.array([0.0, -0.0, -0.5, 0.5]), 9)[:2].tolist() == [0, 0]


def test_from_one_to_fourteen_bits() -> None:
    for bits in (1, 14):
        assert PairSummary(range(2), mantissa_bits=bits).mantissa_bits == bits
    for bits in (0, 15):
        with pytest.raises(InvalidInput, match="mantissa_bits"):
            PairSummary(range(2), mantissa_bits=bits)


@pytest.mark.parametrize("compiled", [False, True])
def test_rows_with_a_nought_are_sound_beside_rows_with_something_negative(compiled: bool) -> None:
    scores = np.array([[0.0, 1.0], [1.0, 0.0], [-0.5, 1.5], [0.25, 0.75]])
    sums = ClassSums(2)
    sums.add(np.array([0, 1, 1, 0]), [*scores.T.copy()], None, compiled)
    assert sums.n_faulty == 1
