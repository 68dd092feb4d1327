"""Open bins in parts and passes, recounted by loops; jobs that take memory into account."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import polyroc
from polyroc.errors import InvalidInput
from polyroc.scale import PairSummary
from polyroc.scale._batch import Batch, Chunk, ColumnTrack, MarginTrack, Track
from polyroc.scale._codes import ordered_codes
from polyroc.scale._exact import (
    BYTES_TO_HOLD,
    BYTES_TO_SORT,
    Cases,
    Part,
    PartCollector,
    Resolved,
    _Marks,
    _marks,
    open_parts,
    passes,
    whole,
)
from polyroc.scale._histogram import Histogram, PairBounds
from polyroc.scale._job import Job, _check_same_cases, empty_summary
from polyroc.scale._passes import Placed, run_pass
from polyroc.scale._source import Layout


def cases(n: int = 400, n_classes: int = 3, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.r_[np.arange(n_classes), rng.choice(n_classes, n - n_classes, p=shares(n_classes))]
    p = rng.dirichlet(np.ones(n_classes), n) + 0.2 * np.eye(n_classes)[y]
    p /= p.sum(axis=1, keepdims=True)
    p[::4] = np.round(p[::4], 1)
    return y.astype(np.uint8), p


def shares(n_classes: int) -> np.ndarray:
    sizes = np.arange(1.0, n_classes + 1)
    return sizes / sizes.sum()


def histogram_of(
    track: Track, y: np.ndarray, p: np.ndarray, w: np.ndarray | None = None, bits: int = 3
) -> Histogram:
    made = Histogram(track.n_rows, bits, track.computed)
    values, rows, weights, slacks = track.of(Chunk(y, list(p.T), w))
    made.add(values, rows, weights, False, slacks)
    return made


def counted(
    values: np.ndarray, rows: np.ndarray, weights: np.ndarray, positive: int, n_rows: int
) -> tuple[list[float], list[float]]:
    """Weights of pairs in order, and tied, by loops."""
    above, tied = [0.0] * n_rows, [0.0] * n_rows
    for i in np.flatnonzero(rows == positive):
        for j in range(len(rows)):
            pair = weights[i] * weights[j]
            above[rows[j]] += pair * (values[i] > values[j])
            tied[rows[j]] += pair * (values[i] == values[j])
    return above, tied


# Parts


@pytest.mark.parametrize("weighted", [False, True])
def test_parts_hold_the_open_bins_and_no_others(weighted: bool) -> None:
    y, p = cases()
    w = 1.0 + np.arange(len(y)) % 3 if weighted else np.ones(len(y))
    track = ColumnTrack(1, 3)
    made = histogram_of(track, y, p, w)
    scale = len(y) / w.sum()
    codes = ordered_codes(p[:, 1].copy(), 3)
    open_codes = []
    for code in np.unique(codes):
        held = codes == code
        several = len(np.unique(p[held, 1])) > 1
        if several and (y[held] == 1).any() and (y[held] != 1).any():
            open_codes.append(int(code))
    for most in (1, 40, 150, 10**6):
        parts = open_parts(track, made, scale, most)
        found = [part.codes.tolist() for part in parts if part.codes is not None]
        assert [code for each in found for code in each] == open_codes
        for part in parts:
            held = np.isin(codes, part.codes)
            assert part.track == track and part.mantissa_bits == 3
            assert part.weights.tolist() == np.bincount(y[held], w[held], 3).tolist()
            assert part.n_cases == int(np.ceil(w[held].sum() * scale))
            known = [np.zeros(3), np.zeros(3), np.zeros(3)]
            for i in np.flatnonzero(held & (y == 1)):
                for j in np.flatnonzero(held):
                    kind = 0 if codes[i] > codes[j] else 2
                    known[kind][y[j]] += w[i] * w[j] * (codes[i] >= codes[j])
            for mine, theirs in zip(part.known, known, strict=True):
                assert mine.tolist() == theirs.tolist()
    assert len(open_parts(track, made, scale, 10**6)) == 1
    assert len(open_parts(track, made, scale, 1)) == len(open_codes)


def test_parts_begin_anew_at_every_multiple_of_their_size() -> None:
    """Bins of 4, 2, 2 and 4 cases, counted up: 4, 6, 8 and 12."""
    values, rows = [], []
    for start, n in ((0.1, 4), (0.2, 2), (0.4, 2), (0.8, 4)):
        values += [start + k * 1e-9 for k in range(n)]
        rows += [k % 2 for k in range(n)]
    made = Histogram(2, 3)
    made.add(np.array(values), np.array(rows))
    track = ColumnTrack(0, 2)

    def sizes(most: int, scale: float = 1.0) -> list[int]:
        return [part.n_cases for part in open_parts(track, made, scale, most)]

    assert sizes(8) == [6, 6] and sizes(9) == [8, 4] and sizes(13) == [12]
    assert sizes(12) == [8, 4]
    assert sum(sizes(4)) == 12 and max(sizes(4)) <= 2 * 4
    assert sizes(4, 0.5) == [3, 3], "half a case for each weight"
    assert sizes(100, 1.1) == [14], "rounded up"


def test_nothing_is_open_without_pairs() -> None:
    track = ColumnTrack(0, 2)
    for values, rows in (
        ([0.3, 0.3, 0.7], [0, 1, 1]),
        ([0.3, 0.3 + 1e-12], [0, 0]),
        ([0.3, 0.3 + 1e-12], [1, 1]),
        ([], []),
    ):
        made = Histogram(2, 3)
        made.add(np.array(values, dtype=float), np.array(rows, dtype=int))
        assert open_parts(track, made, 1.0, 10) == []


def test_linked_bins_of_margins_stay_in_one_part() -> None:
    y, p = cases(200)
    p = np.round(p, 1)
    track = MarginTrack(0, 2)
    made = histogram_of(track, y, p, bits=9)
    bins = made.bins()
    groups = bins.linked().codes
    parts = open_parts(track, made, 1.0, 5)
    for part in parts:
        assert part.codes is not None and np.isin(part.codes, bins.codes).all()
        firsts = np.searchsorted(groups, part.codes, side="right") - 1
        for first in np.unique(firsts):
            whole_group = bins.codes[np.searchsorted(groups, bins.codes, side="right") - 1 == first]
            assert np.isin(whole_group, part.codes).all()


def part_of(n_cases: int) -> Part:
    return Part(ColumnTrack(0, 2), n_cases, PairBounds(*np.zeros((3, 2))), np.zeros(2))


def test_passes_hold_as_many_cases_as_half_of_the_memory() -> None:
    parts = [part_of(n) for n in (10, 20, 30, 100, 1, 1)]

    def sizes(memory: int) -> list[list[int]]:
        return [[part.n_cases for part in each] for each in passes(parts, memory)]

    room = 2 * BYTES_TO_HOLD
    assert sizes(60 * room) == [[10, 20, 30], [100], [1, 1]]
    assert sizes(60 * room - 2) == [[10, 20], [30], [100], [1, 1]]
    assert sizes(162 * room) == [[10, 20, 30, 100, 1, 1]]
    assert sizes(161 * room) == [[10, 20, 30, 100, 1], [1]]
    assert sizes(1) == [[10], [20], [30], [100], [1], [1]]
    assert list(passes([], 100)) == []


def test_all_cases_of_a_track_are_one_part() -> None:
    part = whole(MarginTrack(2, 0), 17, np.array([5.0, 6.0, 7.0]))
    assert part.weights.tolist() == [7.0, 5.0] and part.n_cases == 17 and part.codes is None
    assert [each.tolist() for each in part.known] == [[0.0, 0.0]] * 3


# Cases that are brought together


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("positive", [0, 1, 2])
def test_pairs_of_gathered_cases_by_loops(positive: int, weighted: bool) -> None:
    y, p = cases(60)
    w = 1.0 + np.arange(len(y)) % 3 if weighted else None
    track, gathered = ColumnTrack(positive, 3), Cases()
    for some in (slice(0, 25), slice(25, 60)):
        gathered.add(track.of(Chunk(y[some], list(p[some].T), None if w is None else w[some])))
    found = gathered.resolved(positive, 3)
    heavy = np.ones(len(y)) if w is None else w
    above, tied = counted(p[:, positive], y, heavy, positive, 3)
    others = [k for k in range(3) if k != positive]
    assert found.pairs.above[others].tolist() == [above[k] for k in others]
    assert found.pairs.tied[others].tolist() == [tied[k] for k in others]
    assert not found.pairs.undecided.any()
    assert found.weights.tolist() == np.bincount(y, heavy, 3).tolist()
    assert found.weights.dtype == np.float64


def test_chosen_and_joined_cases() -> None:
    y, p = cases(30)
    track, chunk = ColumnTrack(0, 3), Chunk(y, list(p.T), 1.0 + np.arange(30))
    one, other = Cases(), Cases()
    one.add(track.of(chunk), np.arange(10))
    other.add(track.of(chunk), slice(10, 30))
    everything = Cases()
    everything.add(track.of(chunk))
    expected = everything.resolved(0, 3)
    for _ in range(2):  # those given are left as they are
        joined = Cases.joined([one, other]).resolved(0, 3)
        for mine, theirs in zip((*joined.pairs, joined.weights),
                                (*expected.pairs, expected.weights), strict=True):  # fmt: skip
            assert mine.tolist() == theirs.tolist()


def test_computed_numbers_are_tied_within_their_slack() -> None:
    y = np.array([0, 1, 1, 0], dtype=np.uint8)
    p = np.array([[0.7, 0.1], [0.9, 0.3], [0.2, 0.1], [0.4, 0.1]])  # 0.7 − 0.1 and 0.9 − 0.3
    track, gathered = MarginTrack(0, 1), Cases()
    gathered.add(track.of(Chunk(y, list(p.T), None)))
    found = gathered.resolved(0, 2)
    assert found.pairs.above.tolist()[1] == 2.0 and found.pairs.tied.tolist()[1] == 1.0
    halves = [Cases(), Cases()]
    for half, some in zip(halves, (slice(0, 2), slice(2, 4)), strict=True):
        half.add(track.of(Chunk(y[some], list(p[some].T), None)))
    joined = Cases.joined(halves).resolved(0, 2)
    assert joined.pairs.tied.tolist()[1] == 1.0


def test_no_positives_have_no_pairs() -> None:
    gathered = Cases()
    gathered.add(ColumnTrack(0, 2).of(Chunk(np.array([1, 1]), [np.ones(2), np.ones(2)], None)))
    found = gathered.resolved(0, 2)
    assert not found.pairs.above.any() and found.weights.tolist() == [0.0, 2.0]


def test_each_case_goes_to_the_part_of_its_bin() -> None:
    y, p = cases()
    tracks: list[Track] = [ColumnTrack(0, 3), MarginTrack(1, 2), ColumnTrack(2, 3)]
    parts = []
    for track in tracks[:2]:
        parts += open_parts(track, histogram_of(track, y, p), 1.0, 60)
    parts.append(whole(tracks[2], len(y), np.bincount(y).astype(float)))
    collector = PartCollector(parts)
    for start in range(0, len(y), 130):
        some = slice(start, start + 130)
        tasks = collector.tasks(Chunk(y[some], list(p[some].T), None), start)
        assert len(tasks) == 3
        for task in tasks:
            task()
    for part, gathered in zip(parts, collector.cases, strict=True):
        values, rows, _, _ = part.track.of(Chunk(y, list(p.T), None))
        held = np.ones(len(values), dtype=bool)
        if part.codes is not None:
            held = np.isin(ordered_codes(values.astype(float), part.mantissa_bits), part.codes)
        found = gathered.resolved(part.track.positive, part.track.n_rows)
        assert (
            found.weights.tolist() == np.bincount(rows[held], minlength=len(found.weights)).tolist()
        )
        assert found.weights.tolist() == part.weights.tolist()


def test_bins_at_the_beginning_of_a_page_belong_to_their_part() -> None:
    """With nine bits a page is a power of two, and ¼ its first bin."""
    first, second, other = (ordered_codes(np.array([x]), 9) for x in (0.25, 0.3, 1e-4))
    assert first[0] % 512 == 0
    marks = _Marks(9, {4: first, 0: second, 2: other})
    found = marks.of(np.array([0.25, 0.3, 0.26, 1e-4, 1e-9, 0.25, -0.25]))
    assert found.tolist() == [4, 0, -1, 2, -1, 4, -1]
    part = whole(ColumnTrack(0, 2), 3, np.ones(2))
    assert _marks([0], [part]) is None


# Jobs


class Recorded:
    """A table in memory that notes what is asked of it."""

    def __init__(self, y: np.ndarray, p: np.ndarray, w: Any = None, **numbers: int) -> None:
        self.batch = Batch(y, list(p.T), w)
        self.n_rows = len(y)
        self.n_sorters = numbers.get("n_sorters", 1)
        self.n_machines = numbers.get("n_machines", 1)
        self.asked: list[tuple[str, Any, int]] = []
        self.sorted: list[tuple[list[int], Any]] = []

    def collect(self, make: Callable[[], Any], needed: Any, n_cells: int, doing: str) -> Any:
        self.asked.append((doing, needed, n_cells))
        stream = (Placed(chunk, 0) for chunk in self.batch.chunks())
        return run_pass(stream, make(), 1, lambda n: None)

    def sort(self, parts: list[Part], needed: Any) -> list[Resolved]:
        self.sorted.append(([part.n_cases for part in parts], needed))
        collector = run_pass(
            (Placed(chunk, 0) for chunk in self.batch.chunks()),
            PartCollector(parts),
            1,
            lambda n: None,
        )
        return [
            each.resolved(part.track.positive, part.track.n_rows)
            for part, each in zip(parts, collector.cases, strict=True)
        ]


def job_of(reader: Recorded, memory: int, **options: Any) -> Job:
    names = tuple("abcdefgh"[: len(reader.batch.columns)])
    layout = Layout("y", tuple(range(len(names))), names)
    given = {"mantissa_bits": 4, "auc_mu": False, **options}
    return Job(reader, layout, given, memory)


COLUMN = 64 * 512 * 8
"""Bytes that are planned for a row of a histogram: 64 pages of 512 bins."""


def test_histograms_of_all_columns_where_they_fit() -> None:
    """Three columns with a row per class, and the values: half of the memory, and one byte less."""
    y, p = cases()
    plan = 3 * (3 + 1) * COLUMN
    fits, small = Recorded(y, p), Recorded(y, p)
    known = job_of(fits, 2 * plan).known(False)
    assert [(doing, needed) for doing, needed, _ in fits.asked] == [("Reading", None)]
    assert fits.asked[0][2] == plan // 8 and not fits.sorted
    low, high = PairSummary(range(3), mantissa_bits=4).update(y, p).pairwise_auc()
    assert known.pairwise_auc("fair")[0].tobytes() == low.tobytes()
    assert known.pairwise_auc("fair")[1].tobytes() == high.tobytes()
    job_of(small, 2 * plan - 2).known(False)
    assert small.asked == [("Reading", None, 0)]
    assert [sizes for sizes, _ in small.sorted] == [[len(y)] * 3], "whole columns are sorted"


def test_margins_take_a_row_for_each_class_and_four_more() -> None:
    y, p = cases()
    plan = 3 * (3 + 1) * COLUMN + 3 * (2 + 4) * COLUMN
    for memory, sorted_whole in ((2 * plan, False), (2 * plan - 2, True)):
        reader = Recorded(y, p)
        known = job_of(reader, memory, auc_mu=True).known(False)
        assert bool(reader.sorted) is sorted_whole
        assert known.margins is not None
        found = known.evaluate(["auc_mu"], "fair", "raise")["auc_mu"]
        value = polyroc.auc_mu(y, p)
        assert found.low <= value + 1e-12 and value <= found.high + 1e-12
        assert (found.width < 1e-12) is sorted_whole


def test_columns_are_sorted_whole_where_their_cases_fit() -> None:
    y, p = cases()
    exact = polyroc.pairwise_auc(y, p)
    memory = 2 * len(y) * BYTES_TO_SORT
    reader = Recorded(y, p)
    known = job_of(reader, memory).known(False)
    assert [doing for doing, _, _ in reader.asked] == ["Reading"]
    assert known.pairwise_auc("fair")[0].tobytes() == exact.tobytes()
    room = memory // 2 // BYTES_TO_HOLD // len(y)
    assert [len(sizes) for sizes, _ in reader.sorted] == [room] * (3 // room) + [1] * (3 % room)
    assert reader.sorted[0][1] == list(range(room))
    many = Recorded(y, p, n_machines=100)
    job_of(many, memory).known(False)
    assert [len(sizes) for sizes, _ in many.sorted] == [3], "machines hold more together"


def test_blocks_of_columns_where_nothing_fits() -> None:
    y, p = cases()
    memory = 2 * len(y) * BYTES_TO_SORT - 2
    reader = Recorded(y, p)
    known = job_of(reader, memory).known(False)
    counting = [("Counting", [k], 4 * COLUMN // 8) for k in range(3)]
    assert reader.asked == [("Reading", None, 0), *counting]
    low, high = PairSummary(range(3), mantissa_bits=4).update(y, p).pairwise_auc()
    for mine, theirs in zip(known.pairwise_auc("fair"), (low, high), strict=True):
        assert mine.tobytes() == theirs.tobytes()
    assert not reader.sorted
    resolved = Recorded(y, p)
    exact = job_of(resolved, memory).known(True).pairwise_auc("fair")
    expected = polyroc.pairwise_auc(y, p)
    assert exact[0].tobytes() == exact[1].tobytes() == expected.tobytes()
    assert {tuple(needed) for _, needed in resolved.sorted} == {(0,), (1,), (2,)}


def test_blocks_are_as_large_as_half_of_the_memory() -> None:
    reader = Recorded(*cases(20, 3))
    tracks = PairSummary(range(3), auc_mu=True).tracks()
    for memory, sizes in (
        (2 * 8 * COLUMN, [2, 1, 1, 1, 1]),
        (2 * 8 * COLUMN - 2, [1, 1, 1, 1, 1, 1]),
        (2 * 12 * COLUMN, [3, 2, 1]),
        (2, [1] * 6),
    ):
        blocks = list(job_of(reader, memory)._blocks(tracks))
        assert [len(block) for block in blocks] == sizes
        assert [track for block in blocks for track in block] == tracks


def test_parts_are_as_large_as_those_who_sort_can_hold() -> None:
    y, p = cases()
    memory = 2 * 3 * 4 * COLUMN
    for n_sorters in (1, 3):
        job = job_of(Recorded(y, p, n_sorters=n_sorters), memory)
        assert job._most_cases == memory // (2 * n_sorters * BYTES_TO_SORT)
    assert job_of(Recorded(y, p), 1)._most_cases == 1


@pytest.mark.parametrize("weighted", [False, True])
def test_exact_values_with_histograms_of_all_columns(weighted: bool) -> None:
    y, p = cases()
    w = 1.0 + np.arange(len(y)) % 3 if weighted else None
    reader = Recorded(y, p, w)
    known = job_of(reader, 2 * 12 * COLUMN).known(True)
    assert [doing for doing, _, _ in reader.asked] == ["Reading"] and len(reader.sorted) == 1
    assert reader.sorted[0][1] == [0, 1, 2]
    scale = 1.0 if w is None else len(y) / w.sum()
    sizes = []
    for track in (ColumnTrack(k, 3) for k in range(3)):
        made = histogram_of(track, y, p, w, bits=4)
        sizes += [part.n_cases for part in open_parts(track, made, scale, 10**6)]
    assert reader.sorted[0][0] == sizes
    expected = polyroc.pairwise_auc(y, p, sample_weight=w)
    for each in known.pairwise_auc("fair"):
        assert each.tobytes() == expected.tobytes()


@pytest.mark.parametrize("memory", [2 * 12 * COLUMN, 2 * 400 * BYTES_TO_SORT, 1000])
def test_a_table_that_changes_between_passes_is_refused(memory: int) -> None:
    y, p = cases()
    reader = Recorded(y, p)
    first = reader.collect

    def collect(*arguments: Any) -> Any:
        found = first(*arguments)
        moved = np.where(np.arange(len(y)) == len(y) - 1, (y[-1] + 1) % 3, y).astype(np.uint8)
        reader.batch = Batch(moved, list((p + 1e-12 * (1 - p)).T))
        return found

    reader.collect = collect  # type: ignore[method-assign]
    with pytest.raises(InvalidInput) as told:
        job_of(reader, memory).known(True)
    assert str(told.value) == (
        "The table has changed while it was evaluated: a later pass over it finds other cases than "
        "the first. Evaluate a table that stays the same, such as a copy or ddf.persist()."
    )


def test_weights_of_later_passes_may_be_rounded() -> None:
    """By a millionth of them; a class without cases stays without."""
    expected = np.array([2.0, 1e-30, 0.0])
    _check_same_cases(expected * (1 + 0.9e-6), expected)
    moved = np.array([[0, 0, 1e-12], [0, 1e-33, 0], [1e-5, 0, 0]])
    for wrong in (expected * (1 + 1.1e-6), expected * (1 - 3e-6), *(expected + moved)):
        with pytest.raises(InvalidInput, match="has changed while it was evaluated"):
            _check_same_cases(wrong, expected)


def test_loops_of_later_passes_are_chosen_by_the_number_of_scores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    y, p = cases()
    made: list[Any] = []
    for most, compiled in ((3 * len(y), True), (3 * len(y) + 1, False)):
        monkeypatch.setattr("polyroc.scale._summary.MANY_SCORES", most)
        monkeypatch.setattr("polyroc.scale._job.MANY_SCORES", most)
        reader = Recorded(y, p)
        first = reader.collect

        def collect(make: Any, *arguments: Any, first: Any = first) -> Any:
            collector = make()
            made.append(getattr(collector, "compiled", getattr(collector, "_compiled", None)))
            return first(make, *arguments)

        reader.collect = collect  # type: ignore[method-assign]
        job_of(reader, 1000).known(False)
        assert made == [compiled] * 4
        made.clear()


def test_summaries_to_be_filled() -> None:
    options = {"mantissa_bits": 6, "auc_mu": True}
    with_histograms = empty_summary((0, 1), options, 5, True)
    without = empty_summary((0, 1), options, 1 << 40, False)
    assert len(with_histograms.histograms) == 3 and without.histograms == {}
    for each in (with_histograms, without):
        assert (each.mantissa_bits, each.auc_mu, each.classes) == (6, True, (0, 1))
    assert (with_histograms._compiled, without._compiled) == (False, True)


def test_passes_tell_how_far_they_are() -> None:
    y, p = cases(10)
    chunks = [Chunk(y[some], list(p[some].T), None) for some in (slice(0, 7), slice(7, 10))]
    seen: list[Any] = []

    class Collector:
        def tasks(self, chunk: Chunk, position: int) -> list[Any]:
            return [lambda: seen.append((len(chunk.codes), position))]

    placed = (Placed(chunk, at) for chunk, at in zip(chunks, (0, 7), strict=True))
    collector, told = Collector(), list[int]()
    assert run_pass(placed, collector, 1, told.append) is collector
    assert seen == [(7, 0), (3, 7)] and told == [7, 3]
    assert run_pass(iter(()), collector, 1, told.append) is collector and told == [7, 3]


def test_parts_jobs_and_layouts_cannot_be_changed() -> None:
    y, p = cases(20)
    known = PairSummary(range(3)).update(y, p).known()
    job = job_of(Recorded(y, p), 100)
    part = part_of(3)
    for each, name in (
        (known, "sums"),
        (known.ranked, "above"),
        (job, "memory"),
        (job.layout, "target"),
        (part, "n_cases"),
    ):
        with pytest.raises(AttributeError):
            setattr(each, name, None)
    assert "weights" not in repr(part) and "codes" not in repr(part) and "n_cases=3" in repr(part)
