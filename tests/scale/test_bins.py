"""Histograms, their extents and the pairs they bound, recounted by loops over the cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from polyroc._base.ties import SLACK
from polyroc.scale._batch import Chunk, ColumnTrack, MarginTrack
from polyroc.scale._codes import ordered_codes
from polyroc.scale._extents import Extents, links
from polyroc.scale._histogram import (
    AHEAD,
    EMPTY,
    ONE_VALUE,
    PAGE,
    SEVERAL,
    Bins,
    Histogram,
    pair_bounds,
    placement_variances,
)
from polyroc.scale._histograms import (
    TrackCounts,
    bounds_of,
    counting,
    empty_histograms,
    merge_histograms,
)

VALUES = np.array(
    [0.3, -2.5, 0.3, 1e-9, np.nextafter(0.3, 1), 7.0, -0.0, 0.0, -2.5, 1e-9, 0.9, 5e8]
)
ROWS = np.array([0, 1, 2, 0, 1, 2, 2, 0, 1, 1, 0, 2])
WEIGHTS = np.array([1, 2, 3, 1, 0.5, 2, 1, 4, 1, 8, 3, 1.0])


def filled(
    values: np.ndarray, rows: np.ndarray, weights: np.ndarray | None = None, **options: Any
) -> Histogram:
    histogram = Histogram(3, 4, options.pop("computed", False))
    histogram.add(values, rows, weights, **options)
    return histogram


def by_loops(values: np.ndarray, rows: np.ndarray, weights: np.ndarray) -> dict[int, Any]:
    """Counts of each row, and the distinct values, of each bin by its code."""
    found: dict[int, Any] = {}
    codes = ordered_codes(np.array(values, dtype=float), 4)
    for value, row, weight, code in zip(values, rows, weights, codes, strict=True):
        counts, held = found.setdefault(int(code), ([0.0] * 3, set()))
        counts[row] += weight
        held.add(float(value) + 0.0)
    return dict(sorted(found.items()))


def check(histogram: Histogram, expected: dict[int, Any]) -> None:
    bins = histogram.bins()
    assert bins.codes.tolist() == list(expected)
    assert bins.counts.T.tolist() == [counts for counts, _ in expected.values()]
    assert bins.one_value.tolist() == [len(held) == 1 for _, held in expected.values()]
    slots = histogram.slots_of_codes(bins.codes)
    kept = histogram.values.reshape(-1)[slots].tolist()
    alone = [next(iter(held)) if len(held) == 1 else 0.0 for _, held in expected.values()]
    assert kept == alone
    states = histogram.state.reshape(-1)[slots].tolist()
    assert states == [ONE_VALUE if len(held) == 1 else SEVERAL for _, held in expected.values()]
    assert (histogram.state == EMPTY).sum() == histogram.state.size - len(expected)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_bins_hold_their_cases(weighted: bool, kind: Any) -> None:
    values = VALUES.astype(kind)
    weights = WEIGHTS if weighted else np.ones(len(VALUES))
    expected = by_loops(values, ROWS, weights)
    check(filled(values, ROWS, WEIGHTS if weighted else None), expected)
    in_turn = Histogram(3, 4)
    for i in range(len(values)):
        some = slice(i, i + 1)
        in_turn.add(values[some], ROWS[some], weights[some])
    check(in_turn, expected)


def test_many_cases_at_once_are_counted_as_few_are() -> None:
    """Beyond a quarter of the cells all of them are added together."""
    n = 3 * PAGE // 4
    few, exact, many = (np.resize([0.3, 0.301, 0.302], size) for size in (n - 1, n, n + 1))
    for values in (few, exact, many):
        rows = np.arange(len(values)) % 3
        made = filled(values, rows)
        assert made.counts.size == 3 * PAGE
        check(made, by_loops(values, rows, np.ones(len(values))))
        weights = 1.0 + np.arange(len(values)) % 4
        check(filled(values, rows, weights), by_loops(values, rows, weights))


def test_bins_never_made_have_no_slot() -> None:
    made = filled(VALUES, ROWS)
    assert (made.slots(VALUES.copy()) >= 0).all()
    elsewhere = made.slots(np.array([1e-100, 0.3, -1e100, 0.9]))
    assert (elsewhere < 0).tolist() == [True, False, True, False]
    assert (Histogram(3, 4).slots(VALUES.copy()) < 0).all()
    mixed = made.slots_of_codes(ordered_codes(np.array([0.3, 1e-100]), 4))
    assert mixed[0] == made.slots(np.array([0.3]))[0] and mixed[1] < 0


def test_the_largest_numbers_have_bins() -> None:
    largest = np.finfo(np.float64).max
    values, rows = np.array([-largest, 0.0, largest, largest]), np.array([2, 1, 0, 1])
    for bits in (1, 4, 10):
        made = Histogram(3, bits)
        made.add(values, rows)
        assert made.bins().counts.tolist() == [[0, 0, 1], [0, 1, 1], [1, 0, 0]]
        found = pair_bounds(made.bins(), 0)
        assert (found.above.tolist(), found.tied.tolist()) == ([0, 1, 1], [1, 1, 0])


def test_pages_of_one_histogram_are_not_those_of_another() -> None:
    one, other = Histogram(2, 4), Histogram(2, 4)
    one.add(np.array([0.3]), np.array([1]))
    assert not other.pages.size and (other.slots(np.array([0.3])) < 0).all()
    before = len(one.pages)
    one.make_pages(one.pages)
    assert len(one.pages) == before
    one.add(np.empty(0), np.empty(0, dtype=int))
    assert one.bins().counts.tolist() == [[0.0], [1.0]]


@pytest.mark.parametrize("cut", [0, 1, 4, 7, 12])
def test_merged_histograms_are_those_of_all_cases(cut: int) -> None:
    expected = by_loops(VALUES, ROWS, WEIGHTS)
    for first, second in ((slice(0, cut), slice(cut, None)), (slice(cut, None), slice(0, cut))):
        one = filled(VALUES[first], ROWS[first], WEIGHTS[first])
        one.merge(filled(VALUES[second], ROWS[second], WEIGHTS[second]))
        check(one, expected)


def test_states_of_merged_bins() -> None:
    """Nothing, one value, another value or several, on either side."""
    low, high = 0.3, float(np.nextafter(0.3, 1))
    kinds: list[list[float]] = [[], [low], [high], [low, high]]
    for mine in kinds:
        for theirs in kinds:
            one, other = (
                filled(np.array(each, dtype=float), np.zeros(len(each), dtype=int))
                for each in (mine, theirs)
            )
            one.merge(other)
            values = np.array([*mine, *theirs], dtype=float)
            rows = np.zeros(len(values), dtype=int)
            check(one, by_loops(values, rows, np.ones(len(values))))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("positive", [0, 1, 2])
def test_pairs_of_bins_by_loops(positive: int, weighted: bool) -> None:
    weights = WEIGHTS if weighted else np.ones(len(VALUES))
    found = pair_bounds(filled(VALUES, ROWS, weights).bins(), positive)
    codes = ordered_codes(VALUES.copy(), 4)
    expected = by_loops(VALUES, ROWS, weights)
    for row in range(3):
        above = tied = undecided = 0.0
        for i in np.flatnonzero(positive == ROWS):
            for j in np.flatnonzero(row == ROWS):
                pair = weights[i] * weights[j]
                above += pair * (codes[i] > codes[j])
                one = len(expected[int(codes[i])][1]) == 1
                tied += pair * (codes[i] == codes[j] and one)
                undecided += pair * (codes[i] == codes[j] and not one)
        assert (found.above[row], found.tied[row], found.undecided[row]) == (above, tied, undecided)


def test_variances_need_two_cases() -> None:
    counts = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [2.0, 0.0, 1.0]])
    bins = Bins(counts, np.ones(3, dtype=bool), np.arange(3))
    own, others = placement_variances(bins, 0, counts.sum(axis=1))
    assert np.isnan(own).all(), "the positive is one case"
    assert np.isnan(others).tolist() == [True, False, False]
    own, others = placement_variances(bins, 1, counts.sum(axis=1))
    assert np.isfinite(own).all() and np.isnan(others[0])
    # positives in bins 1 and 2 among row 2 with two cases below and one in the last bin
    assert own[2] == pytest.approx(np.var([2 / 3, 2.5 / 3], ddof=1))


# Computed numbers


def extents_by_loops(values: np.ndarray, slacks: np.ndarray) -> dict[int, tuple[float, ...]]:
    codes = ordered_codes(values.copy(), 4)
    return {
        int(code): (
            min(values[codes == code]) + 0.0,
            max(values[codes == code]) + 0.0,
            max(slacks[codes == code]),
        )
        for code in np.unique(codes)
    }


@pytest.mark.parametrize("cut", [0, 5, 12])
def test_extents_are_those_of_the_numbers(cut: int) -> None:
    slacks = np.linspace(1e-9, 1e-8, len(VALUES))
    whole = filled(VALUES, ROWS, computed=True, slacks=slacks)
    parts = [
        filled(VALUES[some], ROWS[some], computed=True, slacks=slacks[some])
        for some in (slice(cut, None), slice(0, cut))
    ]
    parts[0].merge(parts[1])
    expected = extents_by_loops(VALUES, slacks)
    for each in (whole, parts[0]):
        bins = each.bins()
        assert bins.extents is not None
        assert np.column_stack(bins.extents).tolist() == [
            list(expected[int(code)]) for code in bins.codes
        ]
    assert filled(VALUES, ROWS).bins().extents is None
    assert not np.signbit(np.asarray(whole.bins().extents)[0][whole.bins().codes == 0]).any()


def test_pages_without_numbers() -> None:
    extents = Extents(4)
    assert [each.shape for each in extents.arrays()] == [(0, 4)] * 3
    extents.grow(2)
    extents.grow(1)
    low, high, slack = extents.arrays()
    assert low.shape == high.shape == slack.shape == (3, 4)
    assert (low == np.inf).all() and (high == -np.inf).all() and (slack == 0).all()
    extents.add(np.array([5, 5, 1]), np.array([0.25, 0.5, -1.0]), np.array([0.1, 0.3, 0.2]))
    assert (extents.low[1, 1], extents.high[1, 1], extents.slack[1, 1]) == (0.25, 0.5, 0.3)
    other = Extents(4)
    other.grow(1)
    other.add(np.array([1, 2]), np.array([0.75, 9.0]), np.array([0.2, 0.0]))
    extents.merge(np.array([1]), other)
    assert (extents.low[1, 1], extents.high[1, 1], extents.slack[1, 1]) == (0.25, 0.75, 0.3)
    assert (extents.low[1, 2], extents.high[1, 2]) == (9.0, 9.0)
    assert (extents.low[0, 1], extents.slack[0, 1]) == (-1.0, 0.2)


def test_bins_are_linked_up_to_the_larger_slack() -> None:
    """A gap as large as the slack links; the slack may be that of either bin."""
    low, high = np.array([0.0, 2.0, 4.5, 8.0]), np.array([1.0, 3.5, 6.0, 9.0])
    for slack, expected in (
        ([1.0, 0.0, 0.0, 0.0], [0, 2, 3]),
        ([0.0, 1.0, 0.0, 0.0], [0, 3]),
        ([0.0, 0.0, 1.0, 0.0], [0, 1, 3]),
        ([0.5, 0.5, 0.5, 2.0], [0, 1, 2]),
        ([2.0, 2.0, 2.0, 1.9], [0]),
        ([0.0, 0.0, 0.0, 0.0], [0, 1, 2, 3]),
        ([0.99, 0.99, 0.99, 1.99], [0, 1, 2, 3]),
    ):
        starts, tied = links(low, high, np.array(slack))
        assert starts.tolist() == expected, slack
        assert not tied.any() and len(tied) == len(starts)


@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_closer_than_half_a_slack_are_tied(sign: int) -> None:
    """Half of 2⁻⁴⁰ of the smaller of the two ends."""
    for size in (1.0, 4.0):
        width = SLACK / 2 * size
        for end, certain in ((size + width, True), (size + 1.001 * width, False)):
            ends = sorted([sign * size, sign * end])
            if sign < 0:  # the smaller end decides
                ends = sorted([-size, -(size + (width if certain else 1.001 * width))])
            starts, tied = links(np.array([ends[0]]), np.array([ends[1]]), np.array([0.0]))
            assert starts.tolist() == [0] and tied.tolist() == [certain]
    largest = np.finfo(np.float64).max
    starts, tied = links(
        np.array([-largest, largest]), np.array([-largest, largest]), np.array([0.0, largest])
    )
    assert starts.tolist() == [0, 1] and tied.tolist() == [True, True], "no warning either"
    _, across = links(np.array([-1e-30]), np.array([1e-30]), np.array([0.0]))
    assert across.tolist() == [False], "the sign may be either"
    _, zero = links(np.array([0.0]), np.array([0.0]), np.array([0.0]))
    assert zero.tolist() == [True]


def test_linked_bins_become_one() -> None:
    counts = np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 3.0, 1.0, 5.0]])
    one = np.array([True, False, False, True])
    codes = np.array([-7, 2, 3, 90])
    extents = (
        np.array([-1.0, 0.5, 0.75, 2.0]),
        np.array([-1.0, 0.6, 0.80, 2.0]),
        np.array([0.1, 0.2, 0.1, 0.1]),
    )
    linked = Bins(counts, one, codes, extents).linked()
    assert linked.counts.tolist() == [[1.0, 2.0, 0.0], [0.0, 4.0, 5.0]]
    assert linked.codes.tolist() == [-7, 2, 90]
    assert linked.one_value.tolist() == [True, False, True]
    plain = Bins(counts, one, codes)
    assert plain.linked() is plain
    none = Bins(counts[:, :0], one[:0], codes[:0], tuple(each[:0] for each in extents))
    assert none.linked() is none


def test_one_value_among_linked_bins_is_not_alone() -> None:
    """Two bins of one value each, close together: the pair may be tied or not."""
    extents = (np.array([0.5, 0.75]), np.array([0.5, 0.75]), np.array([0.25, 0.0]))
    bins = Bins(np.eye(2), np.array([True, True]), np.array([4, 5]), extents).linked()
    assert bins.one_value.tolist() == [False] and bins.counts.tolist() == [[1.0], [1.0]]


# Several tracks


def chunk_of(weights: np.ndarray | None = None) -> Chunk:
    columns = [VALUES, VALUES[::-1].copy(), np.linspace(0, 1, len(VALUES))]
    return Chunk(ROWS, columns, weights)


def test_histograms_of_tracks_are_filled_and_merged_together() -> None:
    tracks = [ColumnTrack(2, 3), MarginTrack(0, 2), ColumnTrack(0, 3)]
    made = empty_histograms(tracks, 5)
    assert list(made) == tracks
    assert [(each.n_rows, each.mantissa_bits) for each in made.values()] == [(3, 5), (2, 5), (3, 5)]
    assert [each.extents is None for each in made.values()] == [True, False, True]
    for task in counting(made, chunk_of(WEIGHTS), False):
        task()
    held = {track: each.counts.sum(axis=(0, 2)).tolist() for track, each in made.items()}
    totals = np.bincount(ROWS, WEIGHTS)
    assert held[tracks[0]] == held[tracks[2]] == totals.tolist()
    assert held[tracks[1]] == totals[[0, 2]].tolist()
    again = empty_histograms(tracks, 5)
    merge_histograms(again, made)
    merge_histograms(again, made)
    for track in tracks:
        assert (again[track].bins().counts == 2 * made[track].bins().counts).all()


def test_pairs_of_every_track() -> None:
    tracks = [ColumnTrack(1, 3), MarginTrack(0, 2), MarginTrack(1, 2)]
    counts = TrackCounts(tracks, 6, False)
    for task in counts.tasks(chunk_of(WEIGHTS), 0):
        task()
    found = dict(bounds_of(counts.histograms))
    assert list(found) == tracks
    for track in tracks:
        bins = counts.histograms[track].bins().linked()
        expected = pair_bounds(bins, track.positive)
        for mine, theirs in zip(found[track], expected, strict=True):
            assert mine.tolist() == theirs.tolist()
    other = TrackCounts(tracks, 6, False)
    for task in other.tasks(chunk_of(), 0):
        task()
    assert counts.merge(other) is counts
    totals = np.bincount(ROWS, WEIGHTS) + np.bincount(ROWS)
    assert counts.histograms[tracks[0]].counts.sum(axis=(0, 2)).tolist() == totals.tolist()


def test_loops_are_chosen_by_the_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[bool] = []
    first = Histogram.add

    def add(
        self: Histogram, values: Any, rows: Any, weights: Any, compiled: Any, slacks: Any
    ) -> None:
        used.append(compiled)
        first(self, values, rows, weights, False, slacks)

    monkeypatch.setattr(Histogram, "add", add)
    for compiled in (True, False):
        counts = TrackCounts([ColumnTrack(0, 3)], 6, compiled)
        for task in counts.tasks(chunk_of(), 0):
            task()
    assert used == [True, False]


def test_compiled_loops_of_one_case() -> None:
    for values in (np.array([0.3]), np.array([0.3, 1e9, 1e-9]), np.empty(0)):
        rows = np.zeros(len(values), dtype=np.uint8)
        plain, fast = (filled(values, rows, compiled=compiled) for compiled in (False, True))
        assert fast.bins().codes.tolist() == plain.bins().codes.tolist()
        assert fast.bins().counts.tolist() == plain.bins().counts.tolist()


def test_compiled_and_plain_loops_agree_on_many_pages() -> None:
    """Also where new pages come late, and far beyond the scores that are looked through."""
    rng = np.random.default_rng(0)
    n = AHEAD + 300
    values = np.concatenate([np.full(n, 0.5), rng.lognormal(0, 30, 400) * rng.choice([-1, 1], 400)])
    rows = rng.integers(0, 3, len(values)).astype(np.uint8)
    weights = rng.integers(1, 4, len(values)).astype(float)
    slacks = np.abs(values) * 1e-12
    for given in (None, weights):
        plain, fast = (
            filled(values, rows, given, computed=True, compiled=compiled, slacks=slacks)
            for compiled in (False, True)
        )
        one, other = plain.bins(), fast.bins()
        for mine, theirs in zip(one[:3], other[:3], strict=True):
            assert np.array_equal(mine, theirs)
        for mine, theirs in zip(one.extents or (), other.extents or (), strict=True):
            assert np.array_equal(mine, theirs)
    assert set(fast.pages.tolist()) == set(plain.pages.tolist())
