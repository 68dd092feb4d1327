"""Figures of Edwards & Metz 2007, and the pairs of curves that its metrics order differently."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyroc.display import (
    SaecCrossingDisplay,
    SaecDiscordanceDisplay,
    SaecIsoplethDisplay,
    SaecPairDisplay,
)
from polyroc.display._cost_grid import MODELS, CostGrid
from polyroc.display._saec_discordance import RELATIVE_ERROR, discordant_partners
from polyroc.display._saec_isopleths import AREA_LEVELS, SAEC_LEVELS


def test_the_pair_of_the_papers_third_figure() -> None:
    display = SaecPairDisplay.of("binormal")
    assert display.areas == pytest.approx((0.6664, 0.5952), abs=5e-5)
    assert display.costs == pytest.approx((0.4313, 0.4088), abs=5e-5)


def test_the_counterexample_to_the_papers_conjecture() -> None:
    """Less area and yet less cost, by far more than the numerical error."""
    display = SaecPairDisplay.of("proper")
    assert display.areas == pytest.approx((0.8019280, 0.8002398), abs=5e-8)
    assert display.costs == pytest.approx((0.2493682, 0.2476362), abs=5e-8)


@pytest.mark.parametrize("model", ["binormal", "proper"])
def test_grids_are_those_of_the_paper(model: str) -> None:
    frame = SaecIsoplethDisplay.over_grid(model).frame()
    assert len(frame) == 62_500
    first, second = MODELS[model].ranges
    assert (frame.iloc[0, 0], frame.iloc[-1, 0]) == first
    assert (frame.iloc[0, 1], frame.iloc[-1, 1]) == second
    row = frame.iloc[12_345]
    curve = MODELS[model].curve(row.iloc[0], row.iloc[1])
    assert (row["area"], row["saec"]) == pytest.approx((curve.area, curve.saec), abs=1e-12)


@pytest.mark.parametrize("model", ["binormal", "proper"])
def test_isopleths_have_the_value_that_they_are_labelled_with(model: str) -> None:
    display = SaecIsoplethDisplay.over_grid(model, n_values=250).plot()
    family = MODELS[model]
    of_area, of_saec = display.ax_.collections[:2]
    for lines, levels, above in ((of_area, AREA_LEVELS, True), (of_saec, SAEC_LEVELS, False)):
        assert tuple(lines.levels) == levels
        for level, path in zip(levels, lines.get_paths(), strict=True):
            x, y = path.vertices[np.isfinite(path.vertices).all(axis=1)].T
            value = 1 - family.area_above(x, y) if above else family.saec(x, y)
            np.testing.assert_allclose(value, level, atol=2e-3)
    labels = [text.get_text() for text in display.ax_.texts]
    assert len(labels) == len(set(labels[: len(AREA_LEVELS)])) + len(SAEC_LEVELS)


def test_both_curves_of_a_pair_are_judged_on_the_crossing_grid() -> None:
    display = SaecCrossingDisplay.of("binormal", ranges=((0.2410, 0.4819), (0.008, 0.506)))
    corner = display.frame().iloc[0]  # the second curve, seen from the first
    assert corner["disagrees"]
    assert corner["area"] < display.pair.areas[0]
    assert corner["saec"] < display.pair.costs[0]


def test_a_pair_of_ones_own_is_in_view() -> None:
    display = SaecCrossingDisplay.of("proper", (0.1, 1.0), (0.4, 1.0), n_values=20).plot()
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert not any("not in view" in text for text in texts)
    assert "not in view" in "".join(
        text.get_text() for text in SaecCrossingDisplay.of("proper").plot().ax_.get_legend().texts
    )


def discordant_by_loops(area: list[float], saec: list[float], tolerance: float) -> list[int]:
    """Pairs ordered differently, one by one, with logarithms that differ by more than rounding."""
    counts = [0] * len(area)
    for i in range(len(area)):
        for j in range(len(area)):
            in_area, in_saec = np.log(area[j] / area[i]), np.log(saec[j] / saec[i])
            if in_area > tolerance and in_saec < -tolerance:
                counts[i] += 1
                counts[j] += 1
    return counts


halves = st.integers(1, 12).map(lambda value: value / 16)


@given(
    st.lists(st.tuples(halves, halves), min_size=1, max_size=40), st.sampled_from([0.0, 1e-9, 0.3])
)
def test_discordant_partners_are_those_of_the_loops(
    points: list[tuple[float, float]], tolerance: float
) -> None:
    area, saec = (list(column) for column in zip(*points, strict=True))
    counts = discordant_partners(np.array(area), np.array(saec), tolerance)
    assert counts.tolist() == discordant_by_loops(area, saec, tolerance)


def test_differences_within_the_error_do_not_count() -> None:
    area = np.array([0.2, 0.2 * (1 + 1e-12), 0.3])
    saec = np.array([0.3, 0.3 * (1 - 1e-12), 0.3 * (1 - 1e-12)])
    assert discordant_partners(area, saec, 0.0).tolist() == [2, 1, 1]
    assert discordant_partners(area, saec, RELATIVE_ERROR).tolist() == [0, 0, 0]


def test_perfect_curves_agree_with_all() -> None:
    counts = discordant_partners(np.array([0.0, 0.0, 0.1]), np.array([0.0, 0.0, 0.2]), 1e-9)
    assert counts.tolist() == [0, 0, 0]


def test_the_share_of_discordant_pairs_on_the_papers_grid() -> None:
    """0.133 % of all pairs of proper curves, however large the tolerance within reason."""
    display = SaecDiscordanceDisplay.over_grid("proper")
    assert display.counts.sum() // 2 == 2_597_628
    assert display.share == pytest.approx(0.001330, abs=5e-7)
    grid = CostGrid.over(MODELS["proper"], 250)
    area, saec = grid.area_above.ravel(), grid.saec.ravel()
    for tolerance in (1e-12, 1e-8):
        counts = discordant_partners(area, saec, tolerance)
        assert counts.sum() == pytest.approx(display.counts.sum(), rel=1e-4)


def test_the_map_is_symmetric_in_the_shape_of_proper_curves() -> None:
    """c and −c swap the classes and change neither metric."""
    counts = SaecDiscordanceDisplay.over_grid("proper", n_values=60).counts
    np.testing.assert_array_equal(counts, counts[:, ::-1])
