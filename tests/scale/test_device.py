"""What is done on a device, step by step, against plain loops."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import polyroc
from polyroc import scale
from polyroc.errors import InvalidInput, InvalidType

pytestmark = pytest.mark.torch

TIES = ("fair", "strict", "lenient")


@pytest.fixture
def torch() -> Any:
    if os.environ.get("POLYROC_REQUIRE_TORCH"):
        return importlib.import_module("torch")  # a missing torch is then a failure
    return pytest.importorskip("torch", reason="PyTorch is not installed")


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few classes take the route of many."""
    from polyroc.scale import _device_pairs as device_pairs

    monkeypatch.setattr(device_pairs, "FEW_CLASSES", 0)


SIZES = (3, 5, 1, 7, 2)


def data(sizes: Any = SIZES, seed: int = 0, digits: int = 1) -> tuple[Any, Any]:
    """Cases of classes of different sizes in no order, with ties."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    p = rng.dirichlet(np.ones(len(sizes)), len(y))
    p[np.arange(len(y)), y] += 0.2
    return y, np.round(p, digits)


def group(torch: Any, y: Any, p: Any) -> Any:
    from polyroc.scale._device_pairs import grouped

    return grouped(torch.tensor(p), torch.tensor(y))


def by_loops(y: Any, p: Any, k: int, ties: str) -> list[int]:
    """Left + right of each case among the positives of column k, class by class, own cases 0."""
    found = []
    for i in np.argsort(y, kind="stable"):
        below = sum(p[a, k] < p[i, k] for a in np.flatnonzero(y == k))
        upto = sum(p[a, k] <= p[i, k] for a in np.flatnonzero(y == k))
        ranks = {"fair": below + upto, "strict": 2 * upto, "lenient": 2 * below}
        found.append(0 if y[i] == k else int(ranks[ties]))
    return found


def credit_by_loops(y: Any, p: Any, ties: str) -> Any:
    worth = {"fair": 1, "strict": 0, "lenient": 2}[ties]
    n_classes = p.shape[1]
    credit = np.zeros((n_classes, n_classes), dtype=np.int64)
    for k in range(n_classes):
        for r in set(range(n_classes)) - {k}:
            for a in p[y == k, k]:
                for b in p[y == r, k]:
                    credit[k, r] += 2 if a > b else worth if a == b else 0
    return credit


# Cases, class by class


@pytest.mark.parametrize("n_classes", [2, 255, 256, 257, 300])
def test_cases_in_the_order_of_their_classes(torch: Any, n_classes: int) -> None:
    from polyroc.scale._device_pairs import by_class

    rng = np.random.default_rng(0)
    codes = np.append(rng.integers(0, n_classes, 400), [n_classes - 1, 0])
    order, counts = by_class(torch.tensor(codes), n_classes)
    assert order.tolist() == np.argsort(codes, kind="stable").tolist()
    assert counts.tolist() == np.bincount(codes, minlength=n_classes).tolist()


def test_where_the_cases_of_a_class_are(torch: Any) -> None:
    y = np.array([2, 0, 2, 3, 0, 2])
    p = np.arange(24.0).reshape(6, 4)
    cases = group(torch, y, p)
    assert cases.sizes == [2, 0, 3, 1] and cases.counts.tolist() == [2, 0, 3, 1]
    assert cases.order.tolist() == [1, 4, 0, 2, 5, 3]
    assert cases.starts.tolist() == [0, 2, 2, 5]
    assert cases.codes.tolist() == [0, 0, 2, 2, 2, 3]
    assert cases.columns([3, 0]).tolist() == p[[1, 4, 0, 2, 5, 3]][:, [3, 0]].T.tolist()
    assert cases.columns([0, 1, 2, 3]).tolist() == p[[1, 4, 0, 2, 5, 3]].T.tolist()
    assert cases.columns([0, 1, 2, 3]).is_contiguous()
    assert cases.picked([0, 1, 2, 3]) == slice(None)
    assert cases.picked([0, 1, 2]).tolist() == [0, 1, 2]
    with pytest.raises(AttributeError):
        cases.sizes = []


def test_parts_of_a_line(torch: Any) -> None:
    from polyroc.scale._device_pairs import members, own_places, parts_of, rows_of

    assert parts_of(torch.tensor([2, 0, 1, 3]), 6).tolist() == [0, 0, 2, 3, 3, 3]
    cases = group(torch, *data())
    begins = np.cumsum([0, *SIZES[:-1]])
    for chosen in ([0, 1, 2, 3, 4], [3, 0], [1], [4, 2, 1]):
        places = [list(range(begins[k], begins[k] + SIZES[k])) for k in chosen]
        flat = [place for each in places for place in each]
        rows = [row for row, each in enumerate(places) for _ in each]
        assert members(cases, chosen).tolist() == flat
        assert rows_of(cases, chosen).tolist() == rows
        expected = [row * sum(SIZES) + place for row, place in zip(rows, flat, strict=True)]
        assert own_places(cases, chosen).tolist() == expected


# Batches of columns


def test_batches_of_columns() -> None:
    from polyroc.scale._device_pairs import batches

    sizes = [5, 9, 2, 7]  # 23 cases
    assert list(batches(sizes, 23 * 4, 10, None)) == [([0, 1, 2, 3], True)]
    assert list(batches(sizes, 23 * 4 - 1, 10, None)) == [([2, 0, 3], True), ([1], True)]
    assert list(batches(sizes, 23 * 2, 10, None)) == [([2, 0], True), ([3, 1], True)]
    assert list(batches(sizes, 0, 10, None)) == [([k], True) for k in (2, 0, 3, 1)]
    assert list(batches(sizes, 10**6, 7, None)) == [([0, 2, 3], True), ([1], False)]
    assert list(batches(sizes, 10**6, 6, None)) == [([0, 2], True), ([1, 3], False)]
    assert list(batches(sizes, 23, 6, None)) == [
        *(([2], True), ([0], True)),
        *(([3], False), ([1], False)),
    ]
    assert list(batches(sizes, 10**6, 6, "search")) == [([0, 1, 2, 3], True)]
    assert list(batches(sizes, 10**6, 6, "sort")) == [([0, 1, 2, 3], False)]
    assert list(batches([0, 0], 1, 6, None)) == [([0], True), ([1], True)]


def test_scores_that_fit_into_memory() -> None:
    """Numbers of a batch fit into 32 bits, however much memory there is."""
    from polyroc.scale._device_pairs import most_scores

    assert 1 << 20 < most_scores(1 << 60) < 1 << 31
    assert 0 < most_scores(1 << 20) <= (1 << 20) // 8
    assert most_scores(3 << 20) == pytest.approx(3 * most_scores(1 << 20), abs=3)
    assert most_scores(1) == 0 and isinstance(most_scores(12345), int)


@pytest.mark.parametrize("ties", TIES)
def test_ranks_by_search_and_by_sorting(torch: Any, ties: Any, monkeypatch: Any) -> None:
    from polyroc.scale import _device_pairs as device_pairs

    y, p = data(digits=1)
    for kind in ("float64", "float32"):
        p = p.astype(kind)
        cases = group(torch, y, p)
        for chosen in ([0, 1, 2, 3, 4], [3, 0], [2], [4, 2, 1]):
            expected = [by_loops(y, p, k, ties) for k in chosen]
            for few in (32, len(chosen), len(chosen) - 1, 0):
                monkeypatch.setattr(device_pairs, "FEW_CLASSES", few)
                ranks, found = device_pairs.ranks_by_search(cases, chosen, ties)
                assert ranks.tolist() == expected
                assert len(found) == (1 if few < len(chosen) else len(chosen))
            along = device_pairs._by_sorting(cases, chosen, ties)
            own = device_pairs.own_places(cases, chosen)
            along.view(-1)[own] = 0
            assert along.tolist() == expected


@pytest.mark.parametrize("ties", TIES)
def test_sums_over_pairs(torch: Any, ties: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from polyroc.scale import _device_pairs as device_pairs

    for sizes in (SIZES, (0, 4, 3, 0), (6, 1)):
        y, p = data(sizes, 1)
        cases = group(torch, y, p)
        expected = credit_by_loops(y, p, ties).tolist()
        for few in (32, 0):
            monkeypatch.setattr(device_pairs, "FEW_CLASSES", few)
            for memory in (1 << 30, 96 * len(y) * 2, 1):
                for route in (None, "search", "sort"):
                    found = device_pairs.credit_sums(cases, ties, memory, route)
                    assert found.dtype == torch.int64 and found.tolist() == expected


def test_few_positives_are_searched_and_many_sorted(
    torch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from polyroc.scale import _device_pairs as device_pairs

    cases = group(torch, *data())
    sorted_columns: list[list[int]] = []
    by_sorting = device_pairs._by_sorting

    def noted(cases: Any, chosen: list[int], ties: Any) -> Any:
        sorted_columns.append(chosen)
        return by_sorting(cases, chosen, ties)

    monkeypatch.setattr(device_pairs, "_by_sorting", noted)
    for few, expected in ((7, []), (6, [[3]]), (2, [[0, 1, 3]])):
        monkeypatch.setattr(device_pairs, "FEW_ELSEWHERE", few)
        sorted_columns.clear()
        device_pairs.credit_sums(cases, "fair", 1 << 30)
        assert sorted_columns == expected


def test_thresholds_of_positives(torch: Any) -> None:
    from polyroc.scale._device_pairs import Thresholds

    positives = torch.tensor([[0.5, 0.25, 0.5], [1.0, torch.inf, -2.0]])
    above = np.nextafter(positives.numpy(), np.float32(np.inf))
    for ties, one, two in (
        ("fair", positives, above),
        ("strict", positives, positives),
        ("lenient", above, above),
    ):
        given = np.concatenate([one, two], axis=1)
        found = Thresholds.of(positives, ties)  # type: ignore[arg-type]
        assert found.values.tolist() == np.sort(given, axis=1).tolist()
        assert np.take_along_axis(given, found.order.numpy(), 1).tolist() == found.values.tolist()


def test_sums_by_class_on_both_sides_of_the_switch(
    torch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from polyroc.scale import _device_pairs as device_pairs

    for sizes in ([3, 1, 4], [0, 3, 0, 5, 0], [8]):
        numbers = np.random.default_rng(0).integers(0, 100, (2, 8))
        stops = np.cumsum(sizes)
        expected = [
            [int(row[stop - size : stop].sum()) for size, stop in zip(sizes, stops, strict=True)]
            for row in numbers
        ]
        for few in (len(sizes), len(sizes) - 1):
            monkeypatch.setattr(device_pairs, "FEW_CLASSES", few)
            given = torch.tensor(numbers, dtype=torch.int32)
            found = device_pairs.sums_by_class(given, sizes, torch.tensor(sizes))
            assert found.dtype == torch.int64 and found.tolist() == expected


def test_all_is_made_on_the_device_of_the_tensors(
    torch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the default device is: here one that holds no numbers."""
    from polyroc.scale import _device_pairs as device_pairs
    from polyroc.scale._device_cases import read_cases
    from polyroc.scale._device_gini import dominated_share
    from polyroc.scale._device_margins import margin_ranks
    from polyroc.scale._device_placements import pair_influences, pair_moments
    from polyroc.scale._device_weights import pair_weights

    y, p = (torch.tensor(each) for each in data((4, 3, 5)))
    cases = device_pairs.grouped(p, y)
    names = ("hand_till", "au1p")

    def results() -> list[Any]:
        weights = [pair_weights(name, cases.counts) for name in names]
        found = [*pair_influences(cases, weights, "fair", 1 << 20), *pair_moments(cases, 1 << 20)]
        found += [device_pairs.credit_sums(cases, "fair", 1 << 20, way) for way in ("sort", None)]
        found += [*margin_ranks(cases, "fair", 1 << 20, weights[0].rows[0])]
        found.append(weights[0].mean(p[:3, :3]))
        other = torch.tensor([7, 5, 9], device="cpu")[y]
        found.append(read_cases(other, p, [7, 5, 9], None)[0].order)
        generator = torch.Generator("cpu").manual_seed(1)
        found.append(dominated_share(p[:, :2], 2, 50, generator, 1 << 20))
        with pytest.raises(InvalidInput, match="label 8 in row 1"):
            read_cases(torch.tensor([7, 8], device="cpu"), p[:2], [7, 5, 9], None)
        return [each if isinstance(each, float) else each.tolist() for each in found]

    for few in (32, 0):
        monkeypatch.setattr(device_pairs, "FEW_CLASSES", few)
        expected = results()
        with torch.device("meta"):
            assert results() == expected


# Placements


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("ties", TIES)
def test_influence_values_are_those_in_memory(
    torch: Any, ties: Any, many: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from polyroc.scale import _device_pairs as device_pairs
    from polyroc.scale._device_placements import pair_influences
    from polyroc.scale._device_weights import pair_weights

    monkeypatch.setattr(device_pairs, "FEW_CLASSES", 0 if many else 32)
    names = ["hand_till", "au1p", "aunu", "aunp"]
    y, p = data((4, 2, 7, 3), 2)
    cases, predictions = group(torch, y, p), polyroc.Predictions(y, p)
    order = np.argsort(y, kind="stable")
    expected = [
        polyroc.registry[name].influence(predictions, ties=ties).cases[order] for name in names
    ]
    weights = [pair_weights(name, cases.counts) for name in names]
    for memory in (1 << 30, 96 * len(y) * 2, 96 * 30, 1):
        found = pair_influences(cases, weights, ties, memory)
        assert found.credit.tolist() == credit_by_loops(y, p, ties).tolist()
        assert found.cases.numpy() == pytest.approx(np.array(expected), abs=1e-12)


@pytest.mark.parametrize("many", [False, True])
def test_spread_of_placements(torch: Any, many: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice the cases below, a tie counting one half, and their squared deviations, in loops."""
    from polyroc.scale import _device_pairs as device_pairs
    from polyroc.scale._device_placements import pair_moments

    monkeypatch.setattr(device_pairs, "FEW_CLASSES", 0 if many else 32)
    y, p = data((4, 2, 7, 1), 3)
    cases = group(torch, y, p)

    def twice_below(a: float, others: Any) -> int:
        return int(2 * (others < a).sum() + (others == a).sum())

    positives, others = np.zeros((2, 4, 4))
    for k in range(4):
        for r in set(range(4)) - {k}:
            own, rest = p[y == k, k], p[y == r, k]
            below = np.array([twice_below(a, rest) for a in own])
            positives[k, r] = ((below - below.mean()) ** 2).sum()
            below = np.array([twice_below(b, own) for b in rest])
            others[k, r] = ((below - below.mean()) ** 2).sum()
    apart = ~np.eye(4, dtype=bool)
    for memory in (1 << 30, 96 * len(y) * 2, 1):
        found = pair_moments(cases, memory)
        assert found.credit.tolist() == credit_by_loops(y, p, "fair").tolist()
        assert found.positives.numpy()[apart] == pytest.approx(positives[apart], abs=1e-9)
        assert found.others.numpy()[apart] == pytest.approx(others[apart], abs=1e-9)


def test_squared_deviations_of_whole_numbers(torch: Any) -> None:
    from polyroc.scale._device_placements import _squares

    numbers = np.random.default_rng(0).integers(0, 50, (2, 9))
    sizes = [4, 0, 5]
    parts = [numbers[:, :4], numbers[:, 4:4], numbers[:, 4:]]
    sums = np.column_stack([part.sum(axis=1) for part in parts])
    tensors = [torch.tensor(each) for each in (numbers, sums)]
    found = _squares(*tensors, sizes, torch.tensor(sizes)).numpy()
    for row in range(2):
        for k in (0, 2):
            own = parts[k][row]
            assert found[row, k] == pytest.approx(((own - own.mean()) ** 2).sum(), rel=1e-12)
        assert found[row, 1] == 0
    assert tensors[0].tolist() == numbers.tolist()


def test_the_largest_number_sets_a_threshold_at_infinity(torch: Any, one_by_one: None) -> None:
    """Rows of fewer positives are filled up with +∞, which is also above the largest float."""
    largest = float(np.finfo(np.float32).max)
    y = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2])
    values = np.array([largest, -largest, 0.5, largest], dtype=np.float32)
    p = values[np.random.default_rng(1).integers(0, 4, (9, 3))]
    p[3, 1] = p[0, 1] = largest
    found = scale.torch.evaluate_pairs(torch.tensor(y), torch.tensor(p))
    with np.errstate(over="ignore"):
        expected = polyroc.evaluate_pairs(y, p)
    apart = ~np.eye(3, dtype=bool)
    assert found.value.numpy()[apart] == pytest.approx(expected["value"], abs=1e-12)
    near = pytest.approx(expected["standard_error"].to_numpy(), rel=1e-11, nan_ok=True)
    assert found.standard_error.numpy()[apart] == near


# Margins


def margins_by_loops(y: Any, p: Any, ties: str, weights: Any) -> tuple[Any, Any]:
    """Credit of all pairs along margins, and what pulls each case, class by class."""
    from polyroc._base.ties import as_written, merged, slack_between
    from polyroc.statistics.directed import margins_of

    n_classes, order = p.shape[1], np.argsort(y, kind="stable")
    credit, pulled = np.zeros((n_classes, n_classes), dtype=np.int64), np.zeros(len(y))
    written = as_written(p)
    for i in range(n_classes):
        for j in set(range(n_classes)) - {i}:
            ahead, behind = np.flatnonzero(y == i), np.flatnonzero(y == j)
            both = np.concatenate([ahead, behind])
            one, two = written[both, i], written[both, j]
            made = merged(margins_of(one, two), slack_between(one, two))
            for place, b in enumerate(behind):
                query = made[len(ahead) + place]
                below = int((made[: len(ahead)] < query).sum())
                upto = int((made[: len(ahead)] <= query).sum())
                rank = {"fair": below + upto, "strict": 2 * upto, "lenient": 2 * below}[ties]
                credit[i, j] += 2 * len(ahead) - rank
                pulled[np.flatnonzero(order == b)[0]] += weights[i] * rank
    return credit, pulled


def close_margins(kind: str) -> tuple[Any, Any]:
    rng = np.random.default_rng(4)
    y = rng.permutation(np.repeat(np.arange(5), (4, 9, 3, 6, 2)))
    decimals = np.round(rng.dirichlet(np.ones(5), len(y)), 1)
    if kind == "near":
        p = rng.choice([1, 1 - 2.0**-41, 1 - 2.0**-40, 1 - 2.0**-39, 0.5, 0, 1e-13], decimals.shape)
        return y, p
    if kind == "large":
        p = rng.choice([-1.7e308, -9e307, 0.0, 1.0, 4e307, 1.1e308, 1.7e308], decimals.shape)
        return y, p
    if kind == "hundreds":  # rounding is larger there, and so are slacks
        return y, rng.choice([100.3, 200.7, 301.1, 401.5, 0.1], decimals.shape)
    if kind == "dense":
        p = np.zeros(decimals.shape)
        p[:, 0] = 1 - rng.integers(0, 4000, len(y)) * 2.0**-41
        return y, p
    return y, decimals.astype(kind)


@pytest.mark.parametrize("kind", ["float32", "float64", "near", "large", "hundreds", "dense"])
def test_ranks_along_margins(torch: Any, kind: str) -> None:
    from polyroc.scale._device_margins import margin_ranks

    y, p = close_margins(kind)
    cases, weights = group(torch, y, p), np.array([0.5, 0.25, 1.0, 2.0, 3.0])
    for ties in TIES:
        credit, pulled = margins_by_loops(y, p, ties, weights)
        assert (credit == credit.T).all()
        for memory in (1 << 30, 120 * 40, 1):
            found = margin_ranks(cases, ties, memory)  # type: ignore[arg-type]
            assert found.credit.tolist() == credit.tolist()
            assert not found.pulled.any()
            found = margin_ranks(cases, ties, memory, torch.tensor(weights))  # type: ignore[arg-type]
            assert found.credit.tolist() == credit.tolist()
            assert found.pulled.dtype == torch.float64
            assert found.pulled.tolist() == pytest.approx(pulled.tolist(), abs=1e-9)


def test_blocks_hold_classes_of_similar_size(torch: Any) -> None:
    from polyroc.scale._device_margins import _blocks

    sizes = (9, 2, 0, 5, 1, 3, 4, 8, 2, 17)
    cases = group(torch, *data(sizes))
    blocks = list(_blocks(cases))
    assert [block.classes.tolist() for block in blocks] == [[4, 1, 8], [5, 6, 3], [7, 0], [9]]
    begins = np.cumsum([0, *sizes[:-1]])
    for block in blocks:
        longest = max(sizes[k] for k in block.classes)
        assert block.members.shape == block.places.shape == (len(block.classes), longest)
        assert block.counts.tolist() == [sizes[k] for k in block.classes]
        for k, members, places, valid in zip(
            block.classes.tolist(), block.members, block.places, block.valid, strict=True
        ):
            assert valid.tolist() == [step < sizes[k] for step in range(longest)]
            own = list(range(begins[k], begins[k] + sizes[k]))
            assert places[: sizes[k]].tolist() == own
            assert members[: sizes[k]].tolist() == cases.order[own].tolist()
    middle = blocks[1].part(1, 2)
    assert middle.classes.tolist() == [6] and middle.members.shape == (1, 5)
    assert blocks[1].part(1).classes.tolist() == [6, 3]


def rectangles(torch: Any, sizes: Any, most: int, half: bool) -> Iterator[tuple[Any, Any]]:
    from polyroc.scale._device_margins import _blocks, _rectangles

    return _rectangles(list(_blocks(group(torch, *data(sizes)))), most, half)


@pytest.mark.parametrize("most", [1, 12, 30, 70, 10**6])
def test_every_pair_of_classes_is_met(torch: Any, most: int) -> None:
    sizes = (3, 4, 5, 3, 4, 12, 15, 12, 13, 14, 3, 6)
    every = {(i, j) for i in range(12) for j in range(12)}
    for half in (False, True):
        met: list[tuple[int, int]] = []
        for first, second in rectangles(torch, sizes, most, half):
            pairs = len(first.classes) * len(second.classes)
            each = first.members.shape[1] + second.members.shape[1]
            assert pairs == 1 or pairs * each <= most
            met += [(i, j) for i in first.classes.tolist() for j in second.classes.tolist()]
        if not half:
            assert sorted(met) == sorted(every)  # each once
            continue
        assert {(min(pair), max(pair)) for pair in met} == {
            pair for pair in every if pair[0] <= pair[1]
        }
        assert len(met) <= 0.8 * len(every)


def test_memory_is_used_where_there_is_some(torch: Any) -> None:
    sizes = (4,) * 8
    assert len(list(rectangles(torch, sizes, 10**6, False))) == 1
    wide = [(len(a.classes), len(b.classes)) for a, b in rectangles(torch, sizes, 8 * 8 * 2, False)]
    assert wide == [(2, 8)] * 4
    flat = [(len(a.classes), len(b.classes)) for a, b in rectangles(torch, sizes, 8 * 5, False)]
    assert flat == [(1, 5), (1, 3)] * 8
    quarters = [(len(a.classes), len(b.classes)) for a, b in rectangles(torch, sizes, 10**6, True)]
    assert quarters == [(2, 8), (2, 6), (2, 4), (2, 2)]


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_scores_as_they_are_written(torch: Any, kind: str) -> None:
    """As in memory, whatever the largest score is; limits are 8 and 512."""
    from polyroc._base.ties import as_written as in_memory
    from polyroc.scale._device_margins import as_written

    rng = np.random.default_rng(0)
    base = np.concatenate([np.round(rng.random(20), 3), np.round(rng.random(5), 7), [1 / 3, 0.3]])
    for largest in (0.9, 7.3, 8.0, 8.3, 300.7, 511.3, 512.0, 512.3, 1e9):
        scores = np.append(base, [largest, -largest, 7.123456, -7.9999]).clip(-largest, largest)
        for given in (scores.astype(kind), scores.astype(np.float32).astype(kind)):
            size = float(np.abs(given).max())
            found = as_written(torch.tensor(given), size)
            assert found.dtype == torch.float64
            assert found.tolist() == in_memory(given).astype(np.float64).tolist(), largest


def test_what_scores_are_divided_by_is_on_their_device(torch: Any) -> None:
    """A device multiplies by the rounded inverse of a number that is elsewhere."""
    from polyroc.scale._device_margins import as_written

    class OneDevice(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(
            self, function: Any, types: Any, args: Any, kwargs: Any = None
        ) -> Any:
            found = function(*args, **(kwargs or {}))
            tensors = [each for each in (*args, found) if isinstance(each, torch.Tensor)]
            assert {each.device.type for each in tensors} <= {"meta"}, function
            return found

    scores = torch.ones(3, device="meta")
    with OneDevice():
        for size in (1.0, 300.0):
            assert as_written(scores, size).shape == (3,)


def test_tied_margins_are_made_equal_row_by_row(torch: Any) -> None:
    from polyroc._base.ties import SLACK, merged
    from polyroc.scale._device_margins import _Margins, _merged

    rng = np.random.default_rng(1)
    ahead = rng.choice([0.2, 0.2 + 0.4 * SLACK, 0.2 + SLACK, 0.2 - SLACK, 0.5, 0.0, np.inf], (6, 5))
    queries = rng.choice([0.2, 0.2 - 0.4 * SLACK, 0.2 + 2 * SLACK, 0.5, -0.3], (6, 4))
    dense = 1 - np.arange(9) * 2.0**-41
    for rows in ((ahead, queries), (np.tile(dense[:5], (2, 1)), np.tile(dense[5:], (2, 1)))):
        slacks = [rng.choice([0.5, 1.0, 0.0], each.shape) * SLACK for each in rows]
        margins = _Margins(*(torch.tensor(each) for each in rows))
        found = _merged(margins, _Margins(*(torch.tensor(each) for each in slacks)))
        assert found.ahead.is_contiguous() and found.queries.is_contiguous()
        joined, slack = np.concatenate(rows, axis=1), np.concatenate(slacks, axis=1)
        for row in range(len(joined)):
            with np.errstate(invalid="ignore"):
                expected = merged(joined[row], slack[row])
            made = [*found.ahead[row].tolist(), *found.queries[row].tolist()]
            assert made == expected.tolist()


def test_a_run_that_is_too_wide_is_not_one_number(torch: Any) -> None:
    from polyroc._base.ties import SLACK, WIDEST_RUN
    from polyroc.scale._device_margins import _Margins, _merged

    for n_steps, one in ((WIDEST_RUN, True), (WIDEST_RUN + 1, False)):
        line = torch.arange(n_steps + 1, dtype=torch.float64)[None] * SLACK
        slack = torch.full_like(line, SLACK)
        parts = _Margins(line[:, :4], line[:, 4:]), _Margins(slack[:, :4], slack[:, 4:])
        found = _merged(*parts)
        made = torch.cat(found, dim=1)
        assert torch.equal(made, torch.zeros_like(line) if one else line)


def test_margins_of_large_scores_are_squeezed(torch: Any) -> None:
    from polyroc.scale._device_margins import _Ranked
    from polyroc.statistics.directed import LARGE_MARGIN, margins_of

    largest = float(np.finfo(np.float64).max)
    for top in (LARGE_MARGIN / 4, LARGE_MARGIN / 2, LARGE_MARGIN, largest):
        values = np.array([-top, -top / 2, -1.0, 0.0, 0.5, top / 2, top])
        one, two = (each.ravel() for each in np.meshgrid(values, values))
        table = torch.tensor(np.column_stack([one, two]))
        ranked = _Ranked(group(torch, np.arange(len(one)) % 2, table.numpy()), "fair", None)
        assert ranked.size == top
        found = ranked._between(table[:, 0], table[:, 1])
        assert found.tolist() == margins_of(one, two).tolist()


# Weights of pairs


def weights_by_loops(name: str, counts: list[int]) -> Any:
    n, there = sum(counts), [k for k, count in enumerate(counts) if count]
    n_classes, weights = len(there), np.zeros((len(counts),) * 2)
    for k in there:
        for r in set(there) - {k}:
            own, other = counts[k] / n, counts[r] / n
            weights[k, r] = {
                "hand_till": 1 / (n_classes * (n_classes - 1)),
                "auc_mu": 1 / (n_classes * (n_classes - 1)),
                "au1p": (own + other) / 2 / (n_classes - 1),
                "aunu": other / (1 - own) / n_classes,
                "aunp": own * other / (1 - own),
                "roc_auc": float(k > r),
            }[name]
    return weights


@pytest.mark.parametrize("counts", [[3, 1, 6], [0, 4, 2, 0, 9, 1], [5, 0, 2]])
def test_weights_of_pairs(torch: Any, counts: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    from polyroc.scale import _device_weights as device_weights

    theta = np.random.default_rng(0).random((len(counts),) * 2)
    theta[1, :] = np.where(np.arange(len(counts)) == 2, np.nan, theta[1, :])
    for name in scale.torch.OFFERED:
        if name == "roc_auc" and sum(count > 0 for count in counts) > 2:
            continue
        made = device_weights.pair_weights(name, torch.tensor(counts))
        expected = weights_by_loops(name, counts)
        assert made.matrix().numpy() == pytest.approx(expected, rel=1e-12, abs=1e-300)
        known = ~np.isnan(theta)
        mean = (expected * theta)[known].sum() / expected[known].sum()
        for few in (len(counts), len(counts) - 1, 0):
            monkeypatch.setattr(device_weights, "FEW_CLASSES", few)
            given = torch.tensor(theta)
            assert made.mean(given).item() == pytest.approx(mean, rel=1e-12)
            assert np.array_equal(given.numpy(), theta, equal_nan=True)
        with pytest.raises(AttributeError):
            made.rows = None


# Reading tensors


def test_cases_as_they_are_read(torch: Any) -> None:
    from polyroc.scale._device_cases import read_cases

    y, p = torch.tensor([1, 0, 1]), torch.tensor([0.25, 0.5, 1.0])
    cases, classes, memory = read_cases(y, p, None, 777)
    assert cases.scores.tolist() == [[-0.25, 0.25], [-0.5, 0.5], [-1.0, 1.0]]
    assert classes == (0, 1) and memory == 777 and cases.sizes == [1, 2]
    named, classes, _ = read_cases(y + 4, p, np.array([5, 4]), 1)  # type: ignore[arg-type]
    assert classes == (5, 4) and type(classes[0]) is int and named.sizes == [2, 1]
    assert named.order.tolist() == [0, 2, 1]
    for kind, kept in (("float64", "float64"), ("float32", "float32"), ("bfloat16", "float32")):
        table = torch.tensor([[0.5, 0.5], [0.25, 0.75]], dtype=getattr(torch, kind))
        scores = read_cases(y[:2], table, None, 1)[0].scores
        assert scores.dtype == getattr(torch, kept)
    assert read_cases(y, p, None, None)[2] >= 1 << 20


def test_large_scores_may_add_up_to_infinity(torch: Any) -> None:
    largest = torch.finfo(torch.float32).max
    p = torch.tensor([[largest, 0.0], [largest, 1.0], [0.0, largest]])
    found = scale.torch.pairwise_auc(torch.tensor([0, 1, 1]), p)
    assert found.tolist()[0][1] == 0.75 and found.tolist()[1][0] == 1


def refusals(torch: Any) -> list[tuple[Any, Any, Any, Any, str]]:
    y, p = torch.tensor([0, 1, 2, 1]), torch.eye(3)[[0, 1, 2, 0]]
    holed = p.clone()
    holed[1, 2], holed[3, 0] = torch.inf, torch.nan
    dense = "must be a dense torch tensor, got"
    arrays = "Use polyroc.evaluate for arrays."
    shapes = "Pass one label and one row of scores per case."
    columns = "Pass at least two columns, and in labels= a different whole number for each."
    whole = "expected whole numbers. Pass y.long()."
    named = "Name the classes of the columns in labels=."
    three, known = "p has 3 columns and the classes are", "which is not among the classes"
    types = [
        (y.numpy(), p, f"y {dense} ndarray. {arrays}"),
        (y, [0.5], f"p {dense} list. {arrays}"),
        (y.to_sparse(), p, f"y {dense} torch.sparse_coo. {arrays}"),
        (y, p.long(), "p has the type torch.int64; expected scores. Pass p.double()."),
        (y.float(), p, f"y has the type torch.float32; {whole}"),
        (y.to(torch.complex64), p, f"y has the type torch.complex64; {whole}"),
    ]
    contents = [
        (y.to("meta"), p, None, "y is on meta and p on cpu. Move both to one device."),
        (y[:, None], p, None, f"y has the shape (4, 1) and p (4, 3). {shapes}"),
        (y, p[:, :, None], None, f"y has the shape (4,) and p (4, 3, 1). {shapes}"),
        (y[:3], p, None, f"y has the shape (3,) and p (4, 3). {shapes}"),
        (y[:0], p[:0], None, f"y has the shape (0,) and p (0, 3). {shapes}"),
        (y[:3], p[:, 0], None, f"y has the shape (3,) and p (4, 2). {shapes}"),
        (y, holed, None, "p contains inf in row 1, column 2. Scores must be finite."),
        (y, p[:, :1], None, f"p has 1 columns and the classes are 0. {columns}"),
        (y, p, [0, 1], f"{three} 0, 1. {columns}"),
        (y, p, [0, 1, 1], f"{three} 0, 1, 1. {columns}"),
        (y, p, [0, 1, 2.0], f"{three} 0, 1, 2.0. {columns}"),
        (y + 1, p, None, f"y has the label 3 in row 2, {known} 0, 1, 2. {named}"),
        (y - 1, p, None, f"y has the label -1 in row 0, {known} 0, 1, 2. {named}"),
        (y, p, [0, 2, 5], f"y has the label 1 in row 1, {known} 0, 2, 5. {named}"),
        (y + 5, p, [5, 6, 4], f"y has the label 7 in row 2, {known} 5, 6, 4. {named}"),
    ]
    refused = [(*each[:2], None, InvalidType, each[2]) for each in types]
    return refused + [(*each[:3], InvalidInput, each[3]) for each in contents]


def test_what_is_said_of_tensors_that_cannot_be_read(torch: Any) -> None:
    from polyroc.scale._device_cases import read_cases

    for y, p, labels, error, message in refusals(torch):
        with pytest.raises(error) as caught:
            read_cases(y, p, labels, 1)
        assert str(caught.value) == message


def test_classes_with_cases(torch: Any) -> None:
    from polyroc.scale._device_cases import present_positions

    y, p = data((4, 0, 2))
    cases = group(torch, y, p)
    assert present_positions(cases, (5, 7, 9), "skip").tolist() == [0, 2]
    with pytest.raises(InvalidInput, match="class 7 has no cases"):
        present_positions(cases, (5, 7, 9), "raise")
    with pytest.raises(InvalidInput, match='absent must be "raise" or "skip", got \'drop\''):
        present_positions(cases, (5, 7, 9), "drop")  # type: ignore[arg-type]


def test_memory_of_a_device(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of what is free, and of what is cached where that would not be plenty."""
    from polyroc.scale import _device_cases as device_cases

    free, reserved, allocated = 2048 * 100 + 1, 5000, 2001
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (free, 10**12))
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda device: reserved)
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda device: allocated)

    def scores(n: int, kind: str = "cuda") -> Any:
        return SimpleNamespace(device=SimpleNamespace(type=kind), numel=lambda: n)

    with_cached = (free + reserved - allocated) // 2
    assert device_cases.memory_for(None, scores(200)) == free // 2
    assert device_cases.memory_for(None, scores(201)) == with_cached
    assert device_cases.memory_for(None, scores(10**9)) == with_cached
    assert type(device_cases.memory_for(None, scores(1))) is int
    assert device_cases.memory_for(None, scores(1, "cpu")) == device_cases.MEMORY
    assert device_cases.memory_for(1, scores(1)) == 1
    with pytest.raises(InvalidInput, match="memory"):
        device_cases.memory_for(0, scores(1))


# Values and errors


def test_metrics_that_are_not_defined_say_why(torch: Any) -> None:
    y, p = data((4, 5, 6), 5)
    given = torch.tensor(y), torch.tensor(p)
    reason = (
        f"roc_auc is defined for {polyroc.registry['roc_auc'].classes} classes, but there are 3. "
        f"Use {polyroc.registry['roc_auc'].instead}, which is defined for any number."
    )
    for interval in ("influence", None):
        found = scale.torch.evaluate(*given, ["roc_auc", "auc_mu"], interval=interval)  # type: ignore[arg-type]
        off = found["roc_auc"]
        assert np.isnan(off.low) and np.isnan(off.high) and np.isnan(off.standard_error)
        assert off.note == reason and off.range == (0.0, 1.0)
        assert found["auc_mu"].low == pytest.approx(polyroc.auc_mu(y, p), abs=1e-12)
        alone = scale.torch.evaluate(*given, ["roc_auc"], interval=interval)  # type: ignore[arg-type]
        assert list(alone) == ["roc_auc"] and np.isnan(alone["roc_auc"].low)
    models = {"a": given[1], "b": given[1].flip(0)}
    rows = scale.torch.compare(given[0], models, ["hand_till", "roc_auc"]).differences
    assert [each.metric for each in rows] == ["hand_till", "roc_auc"]
    assert np.isnan([rows[1].low, rows[1].high, rows[1].standard_error]).all()
    assert rows[1].note == reason and rows[0].note == ""


def test_values_alone_and_with_errors_are_the_same(torch: Any) -> None:
    y, p = data((4, 5, 6, 2), 6)
    given = torch.tensor(y), torch.tensor(p)
    for names in (["auc_mu"], ["aunp"], ["auc_mu", "hand_till", "au1p"]):
        with_errors = scale.torch.evaluate(*given, names)
        alone = scale.torch.evaluate(*given, names, interval=None)
        assert list(alone) == list(with_errors) == names
        for name in names:
            value = polyroc.registry[name].function(y, p)
            assert alone[name].low == alone[name].high == with_errors[name].low
            assert alone[name].low == pytest.approx(value, abs=1e-12)
            assert np.isnan(alone[name].standard_error)
            assert alone[name].note == "no standard error: not requested"
            error = polyroc.evaluate(y, p, [name])[name].standard_error
            assert with_errors[name].standard_error == pytest.approx(error, rel=1e-12)
            assert with_errors[name].note == "" and with_errors[name].range == (0.0, 1.0)
        assert alone.counts == {0: 4, 1: 5, 2: 6, 3: 2}
        assert alone.pairwise_low is alone.pairwise_high
        assert np.array_equal(alone.pairwise_low, polyroc.pairwise_auc(y, p), equal_nan=True)


def test_labels_in_any_order_name_the_counts(torch: Any) -> None:
    y, p = data((4, 5, 2), 7)
    named = np.array([30, 10, 20])
    found = scale.torch.evaluate(
        torch.tensor(named[y]), torch.tensor(p), ["aunu"], labels=named.tolist()
    )
    assert found.counts == {30: 4, 10: 5, 20: 2}
    assert found["aunu"].low == pytest.approx(polyroc.aunu(y, p), abs=1e-12)


def test_a_class_of_one_case_is_named(torch: Any) -> None:
    y, p = data((4, 1, 2), 8)
    given = torch.tensor(np.array([30, 10, 20])[y]), torch.tensor(p)
    found = scale.torch.evaluate(*given, "all", labels=[30, 10, 20])
    assert {each.note for each in found.values()} == {"no standard error: class 10 has one case"}
    assert all(np.isnan(each.standard_error) for each in found.values())
    two = scale.torch.evaluate(
        *(each[given[0] != 10] for each in given),
        labels=[30, 10, 20],
        metrics="hand_till",
        absent="skip",
    )
    assert two["hand_till"].note == "" and two["hand_till"].standard_error > 0


def test_errors_that_are_rounding_are_none() -> None:
    from polyroc.metrics.question import NO_VARIATION
    from polyroc.scale._device_evaluation import _known

    for error in (0.0, NO_VARIATION):
        missing, note = _known(error)
        assert np.isnan(missing) and note == "no standard error: every case agrees on the value"
    above = float(np.nextafter(NO_VARIATION, 1))
    assert _known(above) == (above, "")


def test_differences_of_three_models(torch: Any) -> None:
    y, p = data((6, 5, 4), 9, digits=2)
    rng = np.random.default_rng(0)
    models = {"a": p, "b": rng.random(p.shape), "c": np.roll(p, 2, axis=0)}
    tensors = {name: torch.tensor(each) for name, each in models.items()}
    for ties in TIES:
        names = ["auc_mu", "au1p"]
        found = scale.torch.compare(torch.tensor(y), tensors, names, ties=ties)  # type: ignore[arg-type]
        pairs = [("a", "b"), ("a", "c"), ("b", "c")]
        expected = [(name, *pair) for name in names for pair in pairs]
        rows = found.differences
        assert [(row.metric, row.model_a, row.model_b) for row in rows] == expected
        for row in rows:
            metric = polyroc.registry[row.metric]
            made = [polyroc.Predictions(y, models[name]) for name in (row.model_a, row.model_b)]
            values = [metric.of(each, ties=ties) for each in made]
            assert row.low == row.high == pytest.approx(values[0] - values[1], abs=1e-13)
            moved = np.subtract(*(metric.influence(each, ties=ties).cases for each in made))
            variance = sum(moved[y == k].var(ddof=1) / (y == k).sum() for k in range(3))
            assert row.standard_error == pytest.approx(variance**0.5, rel=1e-11)
            assert row.note == ""
    same = scale.torch.compare(torch.tensor(y), {"a": tensors["a"], "z": tensors["a"]}, "aunp")
    assert same.differences[0].note == "no standard error: every case agrees on the value"


# Volumes by samples


def test_samples_lie_evenly_under_the_plane(torch: Any) -> None:
    """Means against points of the cube that NumPy draws and a plane cuts off."""
    from polyroc.scale._device_gini import sample_region

    for n_classes in (2, 3):
        n_rates = n_classes * (n_classes - 1)
        found = sample_region(n_classes, 3000, torch.Generator().manual_seed(1))
        assert found.shape == (3000, n_rates) and found.dtype == torch.float64
        assert found.min() >= 0 and 0.9 < found.max() <= 1
        sums = found.sum(dim=1)
        assert 0.97 * (n_classes - 1) < sums.max() < n_classes - 1
        drawn = np.random.default_rng(0).random((60_000, n_rates))
        drawn = drawn[drawn.sum(axis=1) < n_classes - 1]
        assert found.mean(dim=0).numpy() == pytest.approx(drawn.mean(axis=0), abs=0.025)
        assert sums.mean().item() == pytest.approx(drawn.sum(axis=1).mean(), abs=0.03)
        spread = sums.std().item()
        assert spread == pytest.approx(drawn.sum(axis=1).std(), abs=0.03)


def test_samples_come_from_the_generator_alone(torch: Any) -> None:
    from polyroc.scale._device_gini import sample_region

    for size in (1, 2, 9):
        before = torch.random.get_rng_state()
        one, two, other = (
            sample_region(3, size, torch.Generator().manual_seed(seed)) for seed in (5, 5, 6)
        )
        assert one.shape == (size, 6) and torch.equal(one, two) and not torch.equal(one, other)
        assert torch.equal(before, torch.random.get_rng_state())


def test_samples_that_points_dominate(torch: Any) -> None:
    from polyroc.scale._device_gini import _count_dominated

    rng = np.random.default_rng(0)
    points, samples = rng.integers(2, 9, (7, 3)) / 8, rng.integers(0, 9, (40, 3)) / 8
    expected = sum(any((s >= q).all() for q in points) for s in samples)
    assert 5 < expected < 35
    for most in (1, 2, 3, 7, 100):
        assert _count_dominated(torch.tensor(points), torch.tensor(samples), most) == expected
    assert _count_dominated(torch.tensor(points[:0]), torch.tensor(samples), 3) == 0


def test_samples_are_drawn_in_blocks(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from polyroc.scale import _device_gini as device_gini

    rates = torch.tensor([[0.5, 0.125], [0.125, 0.5], [0.75, 0.5], [0.0, 1.0]])
    monkeypatch.setattr(device_gini, "BLOCK", 10)
    generator, hits = torch.Generator().manual_seed(3), 0
    for size in (10, 10, 5):
        for sample in device_gini.sample_region(2, size, generator):
            hits += bool((sample >= rates[:2]).all(dim=1).any())
    assert 0 < hits < 25
    for memory in (1, 30, 61, 10**9):
        generator = torch.Generator().manual_seed(3)
        assert device_gini.dominated_share(rates, 2, 25, generator, memory) == hits / 25
    counted: list[tuple[int, int, int]] = []

    def count(points: Any, samples: Any, most_points: int) -> int:
        counted.append((len(points), len(samples), most_points))
        return 0

    monkeypatch.setattr(device_gini, "_count_dominated", count)
    for memory, most in ((0, 1), (59, 1), (60, 2), (89, 2), (90, 3)):
        counted.clear()
        device_gini.dominated_share(rates, 2, 12, generator, memory)
        assert [each[1:] for each in counted] == [(10, most), (2, most)]
        assert type(counted[0][2]) is int and counted[0][0] == 2


def test_samples_are_drawn_by_65536(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other blocks would give other samples for the same seed."""
    from polyroc.scale import _device_gini as device_gini

    drawn: list[int] = []

    def draw(n_classes: int, size: int, generator: Any) -> Any:
        drawn.append(size)
        return torch.full((size, 2), 0.5)

    monkeypatch.setattr(device_gini, "sample_region", draw)
    rates = torch.tensor([[0.25, 0.5]])
    assert device_gini.dominated_share(rates, 2, 131_075, torch.Generator(), 1 << 20) == 1.0
    assert drawn == [65_536, 65_536, 3]


def test_shares_of_known_volumes(torch: Any) -> None:
    """Below the plane of two classes, (½, ¼) dominates a triangle with sides of ¼."""
    found = scale.torch.gini(torch.tensor([[0.5, 0.25]]), 2, n_samples=20_000, rng=1)
    assert found.value == pytest.approx(1 / 16, abs=4 * found.standard_error)
    assert found.standard_error == pytest.approx((found.value * (1 - found.value) / 20_000) ** 0.5)
    assert found.settings["n_samples"] == 20_000 and found.settings["device"] == "cpu"


# Classes without cases


def test_classes_without_cases_are_left_out(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever they are among the columns: all is as if their columns were not there."""
    from polyroc.scale import _device_pairs as device_pairs
    from polyroc.scale import _device_weights as device_weights

    names = ["hand_till", "au1p", "aunu", "aunp", "auc_mu"]
    y, _ = data((0, 5, 0, 3, 4, 0), 10)
    p = np.random.default_rng(3).random((len(y), 6)).round(1)
    present = np.array([1, 3, 4])
    packed = np.searchsorted(present, y), p[:, present]
    expected = polyroc.evaluate(*packed, names)
    pairs = polyroc.evaluate_pairs(*packed)
    apart = ~np.eye(3, dtype=bool)
    for few in (32, 0):
        monkeypatch.setattr(device_pairs, "FEW_CLASSES", few)
        monkeypatch.setattr(device_weights, "FEW_CLASSES", few)
        given = torch.tensor(y), torch.tensor(p)
        for interval in ("influence", None):
            found = scale.torch.evaluate(*given, names, absent="skip", interval=interval)  # type: ignore[arg-type]
            for name in names:
                assert found[name].low == pytest.approx(expected[name].value, abs=1e-12), name
                if interval:
                    error = expected[name].standard_error
                    assert found[name].standard_error == pytest.approx(error, rel=1e-12), name
            assert found.counts == {0: 0, 1: 5, 2: 0, 3: 3, 4: 4, 5: 0}
        every = scale.torch.evaluate_pairs(*given, absent="skip")
        some = np.ix_(present, present)
        assert every.value.numpy()[some][apart] == pytest.approx(pairs["value"], abs=1e-12)
        near = pytest.approx(pairs["standard_error"].to_numpy(), rel=1e-11, nan_ok=True)
        assert every.standard_error.numpy()[some][apart] == near
        rest = np.ones((6, 6), dtype=bool)
        rest[some] = False
        assert np.isnan(every.value.numpy()[rest]).all()
        assert np.isnan(every.standard_error.numpy()[rest]).all()


def test_two_of_three_classes_have_an_auc(torch: Any) -> None:
    for sizes, columns in (((4, 0, 5), [0, 2]), ((0, 3, 4), [1, 2]), ((6, 2, 0), [0, 1])):
        y, _ = data(sizes, 11)
        p = np.random.default_rng(2).random((len(y), 3)).round(1)
        found = scale.torch.evaluate(
            torch.tensor(y), torch.tensor(p), ["roc_auc"], absent="skip", labels=[0, 1, 2]
        )["roc_auc"]
        second, score = y == columns[1], p[:, columns[1]]
        assert found.low == pytest.approx(polyroc.roc_auc(second, score), abs=1e-12)
        error = polyroc.estimate(second, score, "roc_auc").standard_error
        assert found.standard_error == pytest.approx(error, rel=1e-12)


def test_few_classes_are_combined_as_in_memory(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from polyroc.scale import _device_weights as device_weights

    combined, seen = device_weights.combined, []

    def noted(weights: Any, theta: Any) -> Any:
        seen.append(len(theta))
        return combined(weights, theta)

    monkeypatch.setattr(device_weights, "combined", noted)
    monkeypatch.setattr(device_weights, "FEW_CLASSES", 3)
    for n_classes in (2, 3, 4):
        made = device_weights.pair_weights("hand_till", torch.full((n_classes,), 2))
        theta = torch.full((n_classes, n_classes), 0.25, dtype=torch.float64)
        assert made.mean(theta).item() == 0.25
    assert seen == [2, 3]


def test_measures_do_not_change(torch: Any) -> None:
    from polyroc.scale._device_evaluation import DeviceCases

    cases = group(torch, *data((4, 3)))
    of = DeviceCases(cases, (0, 1), 2, "fair", 1 << 20)
    measures = of.measure([polyroc.registry["roc_auc"]], True)
    assert list(measures.values) == list(measures.influence) == ["roc_auc"]
    assert measures.reasons == {"roc_auc": None}
    assert not of.measure([polyroc.registry["roc_auc"]], False).influence
    for each, name in ((of, "ties"), (measures, "values")):
        with pytest.raises(AttributeError):
            setattr(each, name, None)
