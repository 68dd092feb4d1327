"""Where one way of counting gives way to another: the last table on one side, the first beyond."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from polyroc import Predictions
from polyroc.statistics import many_columns, margin_blocks, mixture, resampled, tuples
from polyroc.statistics.directed import Directed
from polyroc.statistics.long_tables import is_long
from polyroc.statistics.margins import _in_loops, _threads
from polyroc.statistics.means import case_threads
from polyroc.statistics.mixture import Mixture
from polyroc.statistics.pairs import column_threads
from polyroc.statistics.short_tables import has_few_margins, is_short


@dataclass
class Sized:
    """Stands in for predictions of any size: nothing is in memory but the numbers."""

    n_cases: int
    n_classes: int
    weights: Any = None
    whole: int | None = None
    n_threads: int = 7

    def __len__(self) -> int:
        return self.n_cases

    @property
    def scores(self) -> np.ndarray:
        return np.broadcast_to(np.float64(0), (self.n_cases, self.n_classes))

    @property
    def n_scores_of_whole(self) -> int:
        return self.scores.size if self.whole is None else self.whole


def test_how_many_cases_are_worth_a_thread() -> None:
    """2¹⁵ for a column, 2¹⁸ for a pass over the cases, more than 2²⁰ margins for pairs."""
    assert [column_threads(Sized(n, 3)) for n in (2**15 - 1, 2**15)] == [1, 7]
    assert [case_threads(Sized(n, 3)) for n in (2**18 - 1, 2**18)] == [1, 7]
    assert [_threads(Sized(n, 4)) for n in (2**18, 2**18 + 1)] == [1, 7]
    assert [_threads(Sized(2**17, K)) for K in (8, 9)] == [1, 7]


def test_where_tables_are_long() -> None:
    """Four million scores, half a million for influence values, and 2¹⁵ of a part of them."""
    for carried, many in ((False, 2**22), (True, 2**19)):
        sizes = (many // 4 - 1, many // 4)
        assert [is_long(Sized(n, 4), carried) for n in sizes] == [False, True]
        assert [is_long(Sized(n, 4, whole=many), carried) for n in (2**13 - 1, 2**13)] == [
            False,
            True,
        ]
        assert not is_long(Sized(2**13, 4, whole=many - 1), carried)
        assert not is_long(Sized(many // 4, 4, weights=np.ones(1)), carried)
        assert [is_long(Sized(many, K), carried) for K in (2, 23, 24, 25)] == [
            True,
            True,
            False,
            False,
        ]
    assert not is_long(Sized(2**17, 4))  # by default those of values


def test_where_tables_are_short() -> None:
    """Up to 2¹² cases, and 2¹⁵ scores."""
    assert [is_short(Sized(n, 2)) for n in (2**12, 2**12 + 1)] == [True, False]
    assert [is_short(Sized(2**12, K)) for K in (7, 8, 9)] == [True, True, False]
    assert not is_short(Sized(4, 2, weights=np.ones(4)))


def test_where_the_margins_of_all_pairs_are_sorted_together() -> None:
    """Up to 70 cases for each class but three, and 2¹⁴ margins."""
    for K in (2, 3, 4, 5, 16):
        found = [n for n in range(1, 1000) if has_few_margins(Sized(n, K))]
        assert found == [n for n in range(1, 1000) if n <= 70 * (K - 3)]
    assert [has_few_margins(Sized(n, 32)) for n in (512, 513)] == [True, False]
    assert not has_few_margins(Sized(3, 5, weights=np.ones(3)))


def test_where_margins_are_placed_in_compiled_loops() -> None:
    assert [_in_loops(Sized(10, K)) for K in (23, 24, 25)] == [False, True, True]
    assert [_in_loops(Sized(n, 4)) for n in (2**20 - 1, 2**20)] == [False, True]


@pytest.mark.parametrize(("n", "small"), [(256, True), (257, False)])
def test_where_small_classes_are_compared_each_with_each(n: int, small: bool) -> None:
    """128 cases a class on average, without weights, costs or margins that are squeezed."""
    y, s = np.arange(n) % 2, np.random.default_rng(0).random((n, 2))

    def asked(scores: np.ndarray, partition: Any = None, **given: Any) -> bool:
        cases = Predictions(y, scores, **given)
        directed = Directed.of(cases, partition)
        table = margin_blocks._table(cases, cases, directed)
        return margin_blocks._is_small(cases, directed, table)

    assert asked(s) is small
    assert not asked(s, sample_weight=np.full(n, 2.0))
    assert not asked(s, ((0.0, 1.0), (2.0, 0.0)))
    assert not asked(s * 2.0**1022)


@pytest.mark.parametrize(("shares", "small"), [([0.5, 0.5], True), ([0.25, 0.75], False)])
def test_a_pool_is_compared_each_with_each_where_its_rows_count_the_same(
    shares: list[float], small: bool
) -> None:
    cases = Predictions([0, 1, 0, 1], [[0.3, 0.7], [0.2, 0.8], [0.9, 0.1], [0.4, 0.6]])
    half = np.full(2, 0.5)
    mixed = Mixture(cases, np.array([1, 2]), np.array(shares), half, half)
    directed = Directed.of(cases, None)
    assert (
        margin_blocks._is_small(cases, directed, margin_blocks._table(mixed, cases, directed))
        is small
    )


def test_which_threads_share_blocks_of_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """One up to 2¹⁷ scores; blocks of 16 columns, the last with what is left."""
    seen: list[tuple[list[int], int]] = []

    def recorded(work: Any, items: Any, n_threads: int) -> list[Any]:
        seen.append((list(items), n_threads))
        return []

    monkeypatch.setattr(many_columns, "each_of_threads", recorded)
    monkeypatch.setattr(many_columns, "_table", lambda *_: None)
    for n in (2**12, 2**12 + 1):
        list(many_columns.in_blocks(Sized(n, 32), lambda *_: None))  # type: ignore[arg-type]
    list(many_columns.in_blocks(Sized(5, 33), lambda *_: None))  # type: ignore[arg-type]
    assert seen == [([0, 16], 1), ([0, 16], 7), ([0, 16, 32], 1)]


@pytest.mark.parametrize(("length", "work", "parts"), [
    (10, 0, 1), (10, 1_999_999, 1), (10, 2_000_000, 2), (10, 3_999_999, 3), (10, 9_000_000, 4),
    (3, 9_000_000, 3), (1, 9_000_000, 1),
])  # fmt: skip
def test_parts_of_a_sweep(length: int, work: int, parts: int) -> None:
    """One for every million of pairs, at most four, and none without a case."""
    found = tuples._chunks(length, work)
    assert len(found) == parts
    assert [case for start, end in found for case in range(start, end)] == list(range(length))
    sizes = [end - start for start, end in found]
    assert max(sizes) - min(sizes) <= 1


def test_parts_of_another_size() -> None:
    assert tuples._chunks(7, 70, 10, most=7) == [(i, i + 1) for i in range(7)]
    assert tuples._chunks(7, 70, 10, most=2) == [(0, 3), (3, 7)]
    assert len(tuples._chunks(7, 39, 10, most=7)) == 3
    assert len(tuples._chunks(5000, 5000, 1000, most=5000)) == 5


def test_replicates_that_fit_into_memory() -> None:
    """2²⁸ bytes in blocks of 64 replicates, and one block where even that is more."""
    assert resampled._at_once(1) == 2**28
    assert resampled._at_once(2**20) == 256
    assert resampled._at_once(2**21) == 128
    assert resampled._at_once(2**21 + 1) == 64
    assert resampled._at_once(2**22) == 64
    assert resampled._at_once(2**23) == 64
    assert resampled._at_once(0) == resampled._at_once(1) * 64


@pytest.mark.parametrize(("rows", "fits"), [
    (np.array([[0, 255]]), True), (np.array([[0, 256]]), False), (np.array([[0.0, 255.0]]), True),
    (np.array([[0.0, 1.5]]), False), (np.array([[0.0, 256.0]]), False),
    (np.array([[0, 200]], np.uint8), True), (np.empty((0, 3)), True),
    (np.array([[1.0, 2.0], [1.0, 2.25]], np.float32), False),
])  # fmt: skip
def test_which_weights_fit_into_bytes(rows: np.ndarray, fits: bool) -> None:
    assert resampled._fit_bytes(rows) is fits


def test_weights_pass_in_blocks_of_64_bytes_or_16_floats() -> None:
    cases = Predictions([0, 1, 0], [0.1, 0.4, 0.3])
    resampling = resampled.ResampledPairs(cases)
    ones = np.ones((130, 3), dtype=np.uint8)
    assert [len(b.given) for b in resampling._blocks(ones, 0)] == [64, 64, 2]
    wide = [len(b.given) for b in resampling._blocks(ones / 2, 0)]
    assert wide == [16] * 8 + [2]
    some = ones.astype(np.float64)
    some[70, 1] = 0.5  # the second block of three only
    found = [(b.where.start, b.where.stop, b.given.dtype) for b in resampling._blocks(some, 1000)]
    floats = [(1064 + at, 1080 + at, np.float64) for at in (0, 16, 32, 48)]
    assert found == [(1000, 1064, np.uint8), *floats, (1128, 1130, np.uint8)]


def test_weights_of_cases_are_multiplied_in() -> None:
    weights = np.array([0.5, 2.0, 1.0])
    cases = Predictions([0, 1, 0], [0.1, 0.4, 0.3], sample_weight=weights)
    given = np.array([[1, 2, 3], [0, 1, 1]])
    (block,) = resampled.ResampledPairs(cases)._blocks(given, 4)
    assert block.where == slice(4, 6)
    np.testing.assert_array_equal(block.given, given * weights)
    assert block.laid.shape == (3, 2) and block.laid.dtype == np.float64


def test_few_replicates_are_done_by_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Below ten million cases × columns × replicates; the columns are sorted by all threads."""
    seen: list[int] = []
    plain = resampled.map_threads

    def recorded(work: Any, items: Any, n_threads: int) -> list[Any]:
        seen.append(n_threads)
        return plain(work, items, 1)

    monkeypatch.setattr(resampled, "map_threads", recorded)
    cases = Predictions([0, 1, 0, 1], [0.1, 0.4, 0.3, 0.2], n_threads=7)
    resampling = resampled.ResampledPairs(cases)
    assert seen == [7, 7]
    weights = np.ones((3, 4), dtype=np.uint8)
    resampling.replicates(weights)
    assert seen[2:] == [1, 1]
    for work, expected in ((4 * 3 * 2, 7), (4 * 3 * 2 + 1, 1)):
        monkeypatch.setattr(resampled, "SMALL_WORK", work)
        seen.clear()
        resampling.replicates(weights)
        assert seen == [expected] * 2


def test_ranks_of_a_mixture_are_kept_while_they_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """(n + M) K of them."""
    cases = Predictions([0, 1, 0, 1], [[0.3, 0.7], [0.2, 0.8], [0.9, 0.1], [0.4, 0.6]])
    half = np.full(2, 0.5)
    for most, kept in ((12, True), (11, False)):
        monkeypatch.setattr(mixture, "MOST_KEPT_RANKS", most)
        mixed = Mixture(cases, np.array([1, 2]), half, half, half)
        assert (mixed.column(0) is mixed.column(0)) is kept
        assert mixed.column(1).column.kept is kept
        assert mixed.column(1).column.k == 1


def test_leads_of_the_largest_scores_are_infinite_without_a_warning() -> None:
    cases = Predictions([0, 1, 0, 1], [-1.7e308, 1.7e308, 0.0, 1.0])
    found = resampled.ResampledPairs(cases, means=False).replicates(np.ones((1, 4)))
    assert found.above[0, 1, 0] == 4
    assert found.excess[0, 1, 0] == np.inf
