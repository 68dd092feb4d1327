"""Averages over facets: tables by loops, blocks by hand, and the notes of heavy tails."""

import math
from itertools import combinations, product

import numpy as np
import pytest

from polyroc._base.random import stream
from polyroc.errors import NotDefined
from polyroc.kernels.facets import draw_facets, walk_facets
from polyroc.utility._surface_average import (
    SurfaceIntegrals,
    SurfaceWalks,
    groups_of,
    integrate,
    mean_error,
    no_facets,
    pairs_of,
    patterns_of,
    share_of_dearest,
    tail_notes,
    tail_share_notes,
    walk,
)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_pairs_groups_and_patterns_by_loops(n_classes) -> None:
    pairs = list(combinations(range(n_classes), 2))
    assert [tuple(each) for each in pairs_of(n_classes).tolist()] == pairs
    assert pairs_of(n_classes).dtype == np.int64
    groups = [g for s in range(2, n_classes + 1) for g in combinations(range(n_classes), s)]
    within, limits = groups_of(n_classes)
    assert within.tolist() == [[int(set(pair) <= set(g)) for pair in pairs] for g in groups]
    assert limits.tolist() == [n_classes * (len(g) - 1) - 1 for g in groups]
    if n_classes > 3:
        return
    total, expected = n_classes * n_classes - n_classes - 1, []
    for counts in product(range(total + 1), repeat=len(pairs)):
        held = [
            sum(c for c, pair in zip(counts, pairs, strict=True) if set(pair) <= set(g))
            for g in groups
        ]
        if sum(counts) == total and all(h <= m for h, m in zip(held, limits, strict=True)):
            expected.append(list(counts))
    assert patterns_of(n_classes).tolist() == expected


def test_the_cost_of_blocks_is_a_ratio_of_means() -> None:
    areas = np.array([1.0, 2.0, 1.5])
    parts = np.array([[0.1, 0.2], [0.5, 0.4], [0.3, 0.1]])
    value, error = SurfaceIntegrals(areas, parts, 0.0, 9).cost
    ratio = (0.3 + 0.9 + 0.4) / 4.5
    assert value == pytest.approx(ratio)
    rest = [(0.3 - ratio) / 1.5, (0.9 - 2 * ratio) / 1.5, (0.4 - 1.5 * ratio) / 1.5]
    spread = sum((r - sum(rest) / 3) ** 2 for r in rest) / 2
    assert error == pytest.approx(math.sqrt(spread / 3))


def test_walks_by_hand() -> None:
    costs = np.array([[0.1, 0.3, 0.2, 0.2], [0.4, 0.4, 0.1, 0.3], [0.2, 0.1, 0.1, 0.2]])
    walks = SurfaceWalks(costs)
    means = [sum(row) / 4 for row in costs.tolist()]
    centre = sum(means) / 3
    error = math.sqrt(sum((m - centre) ** 2 for m in means) / 2 / 3)
    assert walks.cost == (pytest.approx(centre), pytest.approx(error))
    variance = sum((x - centre) ** 2 for x in costs.ravel().tolist()) / 12
    assert walks.effective_size == pytest.approx(variance / error**2)
    assert walks.largest_share == pytest.approx(share_of_dearest(costs.ravel(), np.ones(12)))
    assert SurfaceWalks(np.full((2, 3), 0.5)).effective_size == 0
    apart = SurfaceWalks(np.array([[0.0, 1.0], [1.0, 0.0]]))  # walks that agree by chance
    assert apart.effective_size > 1e300


def test_a_mean_with_its_error() -> None:
    values = [0.3, 0.8, 0.1, 0.6]
    mean = sum(values) / 4
    error = math.sqrt(sum((x - mean) ** 2 for x in values) / 3 / 4)
    assert mean_error(np.array(values)) == (pytest.approx(mean), pytest.approx(error))


def source(n, n_classes):
    """Likelihoods that depend on the block and on its generator."""

    def drawn(index, rng):
        rows = rng.dirichlet(np.arange(1, n_classes + 1) + index, n)
        return np.ascontiguousarray(rows / rows.mean(axis=0))

    return drawn


@pytest.mark.parametrize(("n_classes", "n", "n_draws"), [(2, 40, 30), (2, 700, 30), (3, 60, 4000)])
def test_integrals_block_by_block(n_classes, n, n_draws) -> None:
    found = integrate(source(n, n_classes), n_classes, seed=3, n_blocks=4, n_draws=n_draws)
    areas, parts, all_costs, all_sizes = [], [], [], []
    for index in range(4):
        rng = stream(3, index)
        likelihoods = source(n, n_classes)(index, rng)
        heights = rng.spawn(1)[0].random((n, n_classes))
        tables = patterns_of(n_classes), pairs_of(n_classes)
        sizes, each = draw_facets(likelihoods, heights, *tables, rng, n_draws, min(512, n))
        sizes = sizes * len(patterns_of(n_classes)) / n_draws
        areas.append(sum(sizes))
        parts.append([sum(s * p for s, p in zip(sizes, each[:, q], strict=True))
                      for q in range(each.shape[1])])  # fmt: skip
        all_costs += each.sum(axis=1).tolist()
        all_sizes += sizes.tolist()
    assert sum(areas) > 0
    np.testing.assert_allclose(found.areas, areas)
    np.testing.assert_allclose(found.parts, parts, atol=1e-12)
    assert found.n_facets == len(all_sizes)
    share = share_of_dearest(np.array(all_costs), np.array(all_sizes))
    assert found.largest_share == pytest.approx(share)


@pytest.mark.parametrize(("n_classes", "n"), [(2, 30), (2, 600), (3, 80)])
def test_walks_block_by_block(n_classes, n) -> None:
    found = walk(source(n, n_classes), n_classes, seed=5, n_blocks=3, n_steps=1050)
    assert found.costs.shape == (3, 21)
    for index in range(3):
        rng = stream(5, index)
        likelihoods = source(n, n_classes)(index, rng)
        heights = rng.spawn(1)[0].random((n, n_classes))
        tables = pairs_of(n_classes), *groups_of(n_classes)
        burn = 105 + 2000 * (n_classes * n_classes - n_classes - 1)
        sizes = burn, 1050, 50, min(512, n)
        parts = walk_facets(likelihoods, heights, *tables, rng, *sizes)
        np.testing.assert_array_equal(found.costs[index], parts.sum(axis=1))


def test_without_facets_the_draws_are_counted() -> None:
    with pytest.raises(NotDefined) as reason:
        integrate(lambda *_: np.ones((40, 3)), 3, seed=0, n_blocks=3, n_draws=7)
    assert str(reason.value) == (
        "None of 21 draws is a facet of the ROC surface. The observer guesses, is perfect, or has "
        "too few cases: pass other densities, more cases or more draws."
    )
    with pytest.raises(NotDefined) as reason:
        walk(lambda *_: np.ones((40, 3)), 3, seed=0, n_blocks=2, n_steps=1000)
    assert str(reason.value).startswith(
        "A walk over the ROC surface did not find its facets. The observer guesses, is perfect"
    )


def test_one_lost_walk_of_several_is_enough() -> None:
    def sometimes(index, rng):
        return np.ones((40, 3)) if index == 1 else source(40, 3)(index, rng)

    with pytest.raises(NotDefined, match="A walk over the ROC surface did not find its facets"):
        walk(sometimes, 3, seed=0, n_blocks=3, n_steps=1000)


def test_the_reason_is_looked_for() -> None:
    x = np.linspace(-2, 4, 200)[:, None]
    line = np.exp(x * np.arange(3) - np.arange(3) ** 2 / 2)
    assert str(no_facets("Nothing", line)).startswith("Nothing: the surface is degenerate.")
    assert str(no_facets("Nothing", np.ones((30, 3)))).startswith("Nothing. The observer guesses")


@pytest.mark.parametrize(("share", "told"), [(0.0499, False), (0.05, True), (0.128, True)])
def test_a_tail_is_heavy_from_five_hundredths_on(share, told) -> None:
    notes = tail_notes(share)
    assert [note.code for note in notes] == ["heavy-tail"] * told
    if told:
        assert notes[0].text == (
            f"the most expensive hundredth of the surface pays {100 * share:.0f} % of the cost: "
            "the tail is heavy and the standard error uncertain"
        )


def test_costs_of_visited_facets_count_alike() -> None:
    costs = np.full(200, 0.1)
    assert tail_share_notes(costs) == ()
    costs[[3, 150]] = 1.0  # a hundredth of the facets pays 2 of 21.8
    assert "pays 9 % of the cost" in tail_share_notes(costs)[0].text
    assert share_of_dearest(costs, np.ones(200)) == pytest.approx(2 / 21.8)


def test_the_dearest_hundredth_is_cut_out_of_a_large_facet() -> None:
    costs, sizes = np.array([1.0, 3.0, 2.0]), np.array([2.0, 0.01, 1.0])
    area, total = 3.01, 2 + 0.03 + 2
    paid = 0.03 + (area / 100 - 0.01) * 2
    assert share_of_dearest(costs, sizes) == pytest.approx(paid / total)
    assert share_of_dearest(np.zeros(4), np.ones(4)) == 0.0
