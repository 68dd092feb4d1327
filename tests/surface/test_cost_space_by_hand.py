"""The space of costs recounted plainly: bounds as rows, chords, draws, and what is refused."""

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from scipy.special import betainc

from polyroc.errors import InvalidInput
from polyroc.surface import _cost_space as spaces
from polyroc.surface._cost_space import (
    Bound,
    CostSpace,
    bounded_space,
    checked_alpha,
    cost_space,
)

CLASSES = ("a", "b", "c")
AB, AC, BA, BC, CA, CB = [(a, b) for a in CLASSES for b in CLASSES if a != b]


def rows_of(bound: Bound, n_costs: int) -> list[tuple[list[float], float]]:
    return [(row.tolist(), limit) for row, limit in bound.rows(n_costs)]


def test_a_bound_is_rows_and_limits() -> None:
    assert rows_of(Bound(1, None, 0.2, 0.6), 3) == [([0, -1, 0], -0.2), ([0, 1, 0], 0.6)]
    assert rows_of(Bound(2, None, 0.0, 0.6), 3) == [([0, 0, 1], 0.6)]
    assert rows_of(Bound(0, None, 0.2, 1.0), 3) == [([-1, 0, 0], -0.2)]
    assert rows_of(Bound(0, None, 0.0, 1.0), 3) == []
    assert rows_of(Bound(0, 2, 0.5, 4.0), 3) == [([-1, 0, 0.5], 0.0), ([1, 0, -4], 0.0)]
    assert rows_of(Bound(0, 2, 0.0, 0.75), 3) == [([1, 0, -0.75], 0.0)]
    assert rows_of(Bound(0, 2, 0.5, math.inf), 3) == [([-1, 0, 0.5], 0.0)]
    assert rows_of(Bound(0, 2, 0.0, math.inf), 3) == []


def test_bounds_are_values_and_spaces_are_themselves() -> None:
    one = Bound(0, None, 0.2, 0.6)
    assert one == Bound(0, None, 0.2, 0.6) and hash(one) == hash(Bound(0, None, 0.2, 0.6))
    with pytest.raises(FrozenInstanceError):
        one.low = 0.5  # type: ignore[misc]
    space = CostSpace(np.ones(6), (one,))
    with pytest.raises(FrozenInstanceError):
        space.alpha = np.ones(2)  # type: ignore[misc]
    assert space == space and space != CostSpace(np.ones(6), (one,))
    assert len({space, CostSpace(np.ones(6), (one,))}) == 2
    assert CostSpace(np.ones(6)).bounds == ()


def test_rows_of_constraints_have_length_one() -> None:
    space = CostSpace(np.ones(3), (Bound(0, 2, 3.0, math.inf), Bound(1, None, 0.25, 0.5)))
    rows, limits = space._constraints
    length = math.sqrt(10)
    wanted = [[-1 / length, 0, 3 / length], [0, -1, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0],
              [0, 0, -1]]  # fmt: skip
    np.testing.assert_allclose(rows, wanted, atol=1e-12)
    np.testing.assert_allclose(limits, [0, -0.25, 0.5, 0, 0, 0], atol=1e-12)
    assert space.bounded
    for nothing in ((), (Bound(0, None, 0.0, 1.0), Bound(0, 1, 0.0, math.inf))):
        assert not CostSpace(np.ones(3), nothing).bounded


def test_a_cost_on_its_bound_is_inside_and_rounding_is_allowed() -> None:
    space = CostSpace(np.ones(3), (Bound(0, None, 0.25, 0.5),))
    firsts = [0.25, 0.5, 0.4, 0.25 - 5e-13, 0.5 + 5e-13, 0.25 - 1.5e-12, 0.5 + 1.5e-12, 0.1, 0.9]
    costs = np.array([[x, (1 - x) / 4, 3 * (1 - x) / 4] for x in firsts])
    wanted = [True] * 5 + [False] * 4
    assert space.contains(costs).tolist() == wanted
    # A ratio is held on rows of length one: λ₀ − 4 λ₁ may exceed 0 by √17 · 10⁻¹².
    ratio = CostSpace(np.ones(3), (Bound(0, 1, 0.0, 4.0),))
    beyond = np.array([0.0, 3.5e-12, 5e-12])
    assert ratio.contains(
        np.column_stack([0.4 + beyond, np.full(3, 0.1), 0.5 - beyond])
    ).tolist() == [True, True, False]
    # What has a negative cost is outside of any bounds.
    assert not ratio.contains(np.array([[0.1, 1.0, -0.1]]))[0]


def chord_by_loops(
    space: CostSpace, point: np.ndarray, direction: np.ndarray, margin: float
) -> tuple[float, float]:
    """How far back and forth until the first constraint is met."""
    rows, limits = space._constraints
    back, forth = -math.inf, math.inf
    for number, (row, limit) in enumerate(zip(rows, limits, strict=True)):
        room = limit - sum(a * b for a, b in zip(row, point, strict=True))
        if number < len(rows) - len(point):
            room -= margin
        speed = sum(a * b for a, b in zip(row, direction, strict=True))
        if speed > 0:
            forth = min(forth, max(room, 0.0) / speed)
        if speed < 0:
            back = max(back, max(room, 0.0) / speed)
    return (back, forth) if math.isfinite(back) and math.isfinite(forth) else (0.0, 0.0)


BOUNDS = {AB: (0.2, 0.45), (BA, AC): (0.5, 4), CB: (0, 0.3)}


@pytest.mark.parametrize("margin", [0.0, 0.01, -0.05, 0.5])
def test_chords_end_at_the_first_bound_in_their_way(margin: float) -> None:
    space = cost_space(BOUNDS, None, CLASSES)
    rng = np.random.default_rng(4)
    points = space.draw(7, rng)
    direction = rng.normal(size=(7, 6))
    direction -= direction.mean(axis=1, keepdims=True)
    direction[3] = 0.0  # no direction
    back, forth = space._chord(points, direction, margin)
    wanted = [chord_by_loops(space, p, d, margin) for p, d in zip(points, direction, strict=True)]
    np.testing.assert_allclose(np.column_stack([back, forth]), wanted, rtol=1e-12, atol=1e-12)
    assert (back[3], forth[3]) == (0.0, 0.0)


def test_a_chord_along_a_bound_does_not_end_there() -> None:
    """Moves that keep the bounded cost are limited by the others alone; no warning is given."""
    space = CostSpace(np.ones(3), (Bound(0, None, 0.25, 0.5),))
    point, way = np.array([[0.25, 0.5, 0.25]]), np.array([[0.0, 1.0, -1.0]])
    with np.errstate(all="raise"):
        back, forth = space._chord(point, way, 0.0)
    assert (back[0], forth[0]) == (-0.5, 0.25)


def test_directions_have_length_one_and_sum_nothing() -> None:
    given = np.array([[3.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.0, 5e-13, -5e-13], [1.0, -1.0, 3e-12]])
    found = spaces._unit(given)
    np.testing.assert_allclose(found[0], np.array([2, -1, -1]) / math.sqrt(6), atol=1e-12)
    assert not found[1:3].any()
    np.testing.assert_allclose(found[3], np.array([1, -1, 0]) / math.sqrt(2), atol=1e-11)
    # Just above what counts as no direction at all.
    tiny = spaces._unit(np.array([[0.0, 1.05e-12, -1.05e-12]]))
    np.testing.assert_allclose(tiny, [[0, math.sqrt(0.5), -math.sqrt(0.5)]], atol=1e-12)


def moved_by_loops(
    space: CostSpace,
    points: np.ndarray,
    others: np.ndarray,
    margin: float,
    rng: np.random.Generator,
) -> np.ndarray:
    """A step of each point: somewhere on its chord, taken with the ratio of the densities."""
    pair = rng.integers(len(others), size=(2, len(points)))
    where = rng.random(len(points))
    after = np.empty_like(points)
    for i, point in enumerate(points):
        way = others[pair[0, i]] - others[pair[1, i]]
        way = way - way.mean()
        length = math.sqrt((way**2).sum())
        way = way / length if length > 1e-12 else np.zeros_like(way)
        back, forth = chord_by_loops(space, point, way, margin)
        new = np.maximum(point + (back + (forth - back) * where[i]) * way, 0)
        after[i] = new / new.sum()
    if (space.alpha == 1).all():
        return after
    coins = rng.random(len(points))
    for i, point in enumerate(points):
        density = math.prod((after[i] / point) ** (space.alpha - 1))
        if not coins[i] < density:
            after[i] = point
    return after


@pytest.mark.parametrize("alpha", [np.ones(6), np.array([5, 1, 1, 2, 1, 0.5]), np.full(6, 2.0)])
def test_draws_within_bounds_are_members_moved_four_times(alpha: np.ndarray) -> None:
    space = cost_space(BOUNDS, alpha, CLASSES)
    members = space._population[0]
    found = space.draw(30, np.random.default_rng(8))
    rng = np.random.default_rng(8)
    wanted = members[rng.integers(len(members), size=30)]
    for _ in range(4):
        wanted = moved_by_loops(space, wanted, members, 1e-12, rng)
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)
    assert found.shape == (30, 6)
    free = CostSpace(alpha).draw(5, np.random.default_rng(1))
    assert np.array_equal(free, np.random.default_rng(1).dirichlet(alpha, 5))


def test_one_move_follows_the_definition_also_near_the_edges() -> None:
    """From costs on bounds, and from relaxed bounds, as when a population is led inside."""
    space = CostSpace(np.array([2.0, 1.0, 3.0]), (Bound(0, None, 0.25, 0.5), Bound(1, 2, 0.5, 9.0)))
    points = np.array([[0.25, 0.5, 0.25], [0.5, 0.3, 0.2], [0.3, 0.63, 0.07], [0.4, 0.3, 0.3]])
    for margin in (1e-12, -0.05, 0.02):
        found = space._moved(points, points, margin, np.random.default_rng(3))
        wanted = moved_by_loops(space, points, points, margin, np.random.default_rng(3))
        np.testing.assert_allclose(found, wanted, atol=1e-13)
        assert not np.array_equal(found, points)


def test_the_share_is_counted_from_the_same_draws_every_time() -> None:
    """Where enough of 131,072 plain draws are inside, their share, and 4,096 of them."""
    bounds = {AB: (0.3, 0.5), (BA, AC): (0.5, 4)}
    space = cost_space(bounds, None, CLASSES)
    rng = np.random.default_rng(20060)
    plain = rng.dirichlet(np.ones(6), 131_072)
    first, second, third = plain.T[:3]
    inside = plain[
        (first >= 0.3) & (first <= 0.5) & (third >= 0.5 * second) & (third <= 4 * second)
    ]
    share = len(inside) / 131_072
    assert space.share == share
    assert space.share_error == pytest.approx(math.sqrt(share * (1 - share) / 131_072), rel=1e-12)
    members = inside[rng.integers(len(inside), size=4096)]
    assert np.array_equal(space._population[0], members)
    np.testing.assert_allclose(space.centre, members.mean(axis=0), rtol=1e-12)


def led_by_loops(
    space: CostSpace, plain: np.ndarray, rng: np.random.Generator, moves: int
) -> tuple[np.ndarray, float, float]:
    """Subset simulation: bounds relaxed until they keep a fifth, tightened step by step."""
    points, share, squares = plain, 1.0, 0.0
    rows, limits = space._constraints
    given = len(rows) - len(space.alpha)
    while True:
        excess = np.array([max(rows[r] @ p - limits[r] for r in range(given)) for p in points])
        level = max(float(np.quantile(excess, 0.2)), -1e-12)
        kept = points[excess <= level]
        part = len(kept) / len(points)
        share *= part
        squares += (1 - part) / part / len(points)
        points = kept[rng.integers(len(kept), size=len(points))]
        for _ in range(moves):
            points = moved_by_loops(space, points, points, -level, rng)
        if level <= -1e-12:
            return points, share, share * math.sqrt(squares)


def test_a_population_is_led_into_a_small_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """The steps written out as loops, with fewer draws and moves than there are."""
    monkeypatch.setattr(spaces, "POPULATION", 25)
    monkeypatch.setattr(spaces, "_DRAWS", 200)
    monkeypatch.setattr(spaces, "_MOVES", 3)
    for alpha in (np.ones(3), np.array([2.0, 1.0, 1.5])):
        space = CostSpace(alpha, (Bound(0, None, 0.9, 1.0), Bound(1, 2, 2.0, 3.0)))
        rng = np.random.default_rng(20060)
        plain = rng.dirichlet(alpha, 200)[:25]
        members, share, error = led_by_loops(space, plain, rng, 3)
        found = space._population
        np.testing.assert_allclose(found[0], members, atol=1e-9)
        assert found[1] == pytest.approx(share, rel=1e-12) and share < 0.1
        assert found[2] == pytest.approx(error, rel=1e-12)
        assert (space.share, space.share_error) == found[1:]
        assert space.contains(found[0]).all()


def test_thirty_moves_of_4096_members_lead_inside() -> None:
    """With the numbers as they are, the population begins with the first of the plain draws."""
    space = CostSpace(np.ones(2), (Bound(0, None, 0.999, 1.0),))
    rng = np.random.default_rng(20060)
    points = rng.dirichlet(np.ones(2), 131_072)[:4096]
    assert len(rng.dirichlet(np.ones(2), 0)) == 0
    share, least, level = 1.0, 0.999, math.inf
    while level > -1e-12:
        excess = least - points[:, 0]
        level = max(float(np.quantile(excess, 0.2)), -1e-12)
        kept = points[excess <= level]
        share *= len(kept) / 4096
        points = kept[rng.integers(len(kept), size=4096)]
        for _ in range(30):
            points = space._moved(points, points, -level, rng)
    np.testing.assert_allclose(space._population[0], points, atol=1e-12)
    assert space._population[1] == pytest.approx(share, rel=1e-12)


def test_as_many_draws_inside_as_are_enough_need_no_leading(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spaces, "_DRAWS", 500)
    monkeypatch.setattr(spaces, "POPULATION", 50)
    monkeypatch.setattr(spaces, "_MOVES", 2)
    bounds = (Bound(0, None, 0.4, 1.0),)
    drawn = np.random.default_rng(20060).dirichlet(np.ones(3), 500)
    inside = int((drawn[:, 0] >= 0.4).sum())
    monkeypatch.setattr(spaces, "_ENOUGH", inside)
    enough = CostSpace(np.ones(3), bounds)
    assert enough.share == inside / 500
    assert (enough._population[0][:, None] == drawn[None]).all(axis=2).any(axis=1).all()
    monkeypatch.setattr(spaces, "_ENOUGH", inside + 1)
    led = CostSpace(np.ones(3), bounds)
    assert not (led._population[0][:, None] == drawn[None]).all(axis=2).any()
    assert led.share_error > enough.share_error


def test_costs_outside_come_back_along_the_way_they_went() -> None:
    space = CostSpace(np.ones(3), (Bound(0, None, 0.25, 0.5),))
    inside = np.array([0.4, 0.3, 0.3])
    outside = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.3, 0.2, 0.5], [0.45, 0.1, 0.45]])
    edge = [[0.5, 0.25, 0.25], [0.25, 0.55, 0.2]]
    found = space.pulled(inside, outside)
    np.testing.assert_allclose(found[:2], edge, atol=1e-11)
    assert np.array_equal(found[2:], outside[2:]) and space.contains(found).all()
    half = space.pulled(inside, outside, 0.5)
    np.testing.assert_allclose(half[:2], (inside + np.array(edge)) / 2, atol=1e-11)
    assert np.array_equal(half[2:3], outside[2:3])
    each = space.pulled(np.tile(inside, (4, 1)), outside, np.array([0.25, 1.0, 0.5, 0.5]))
    np.testing.assert_allclose(each[0], inside + 0.25 * (np.array(edge[0]) - inside), atol=1e-11)
    np.testing.assert_allclose(each[1], edge[1], atol=1e-11)
    assert np.array_equal(each[2], outside[2])
    none = np.zeros((0, 3))
    assert space.pulled(inside, none) is none
    assert CostSpace(np.ones(3)).pulled(inside, outside) is outside


def test_a_free_space_has_the_mean_of_its_distribution_and_all_of_the_share() -> None:
    space = CostSpace(np.array([1.0, 2.0, 5.0]))
    assert space.centre.tolist() == [0.125, 0.25, 0.625]
    assert (space.share, space.share_error) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("bounds", "ends"),
    [
        ((Bound(0, None, 0.2, 0.6),), (0.2, 0.6)),
        ((Bound(1, None, 0.2, 0.7),), (0.3, 0.8)),
        ((Bound(0, 1, 3.0, 4.0),), (0.75, 0.8)),
        ((Bound(1, 0, 3.0, math.inf),), (0.0, 0.25)),
        ((Bound(0, 1, 3.0, 1e200),), (0.75, 1.0)),
        ((Bound(0, None, 0.1, 0.9), Bound(0, 1, 0.25, 1.0)), (0.2, 0.5)),
        ((Bound(0, None, 0.3, 1.0), Bound(1, None, 0.4, 0.9)), (0.3, 0.6)),
    ],
)
def test_two_costs_have_an_interval_and_an_exact_share(
    bounds: tuple[Bound, ...], ends: tuple[float, float]
) -> None:
    for alpha in (np.ones(2), np.array([0.7, 3.0])):
        space = CostSpace(alpha, bounds)
        assert space.interval == pytest.approx(ends, abs=1e-12)
        low, high = (float(betainc(*alpha, end)) for end in ends)
        assert space.share == pytest.approx(high - low, abs=1e-12) and space.share_error == 0
        assert space.distribution(np.array(ends)) == pytest.approx([low, high])
    assert CostSpace(np.ones(2)).interval == (0.0, 1.0)


def test_bounds_without_room_between_them_are_refused() -> None:
    assert cost_space({(AB, AC): (3, 1e300)}, None, CLASSES).bounded
    for width in (0.1, 1e-5):
        assert cost_space({AB: (0.3, 0.3 + width)}, None, CLASSES).bounded
    for bounds in (
        {AB: (0.5, 1), AC: (0.5, 1)},
        {AB: (0.6, 1), AC: (0.6, 1)},
        {(AB, AC): (2, 3), (AC, BA): (2, 3), (BA, AB): (1, 2)},
    ):
        with pytest.raises(InvalidInput, match="leave no costs: they contradict each other"):
            cost_space(bounds, None, CLASSES)
    with pytest.raises(InvalidInput, match="leave no costs"):
        _ = CostSpace(np.ones(3), (Bound(0, None, 0.5, 1.0), Bound(1, None, 0.5, 1.0))).centre
    # Costs of two classes that leave a single ratio.
    with pytest.raises(InvalidInput, match=r"Costs have sum 1\. Widen the bounds"):
        cost_space({AB: (0.5, 1), BA: (0.5, 1)}, None, ("a", "b"))


def test_the_same_bounds_are_the_same_space() -> None:
    bounds = {AB: (0.2, 0.5), (AC, BA): [2, np.inf]}
    one = cost_space(bounds, None, CLASSES)
    assert cost_space(dict(bounds), np.ones(6, dtype=int), CLASSES) is one
    assert cost_space(bounds, np.full(6, 2.0), CLASSES) is not one
    assert one.bounds == (Bound(0, None, 0.2, 0.5), Bound(1, 2, 2.0, math.inf))
    assert bounded_space((1.0,) * 6, one.bounds) is one
    free = cost_space(None, None, CLASSES)
    assert free.alpha.tolist() == [1.0] * 6 and not free.bounds
    third = cost_space(None, np.array([1, 2]) / 3, ("a", "b"))
    assert third.alpha.tolist() == [1 / 3, 2 / 3]
    nothing = cost_space({AB: (0, 1)}, None, CLASSES)
    assert not nothing.bounded and nothing.share == 1


def test_bounds_belong_to_errors_in_the_order_of_the_rates() -> None:
    names = ("w", "x", "y", "z")
    pairs = [(a, b) for a in names for b in names if a != b]
    for place, pair in enumerate(pairs):
        assert cost_space({pair: (0.1, 0.5)}, None, names).bounds == (Bound(place, None, 0.1, 0.5),)
        rival = pairs[(place + 5) % 12]
        found = cost_space({(pair, rival): (0.1, 5)}, None, names).bounds[0]
        assert found == Bound(place, (place + 5) % 12, 0.1, 5.0)
    assert len(cost_space(None, None, names).alpha) == 12


def test_ends_may_come_as_list_or_array_and_touch_zero_and_one() -> None:
    for both in ((0.25, 1), [0.25, 1.0], np.array([0.25, 1.0])):
        assert cost_space({AB: both}, None, CLASSES).bounds[0] == Bound(0, None, 0.25, 1.0)
    assert cost_space({AB: (0, 0.5)}, None, CLASSES).bounds[0] == Bound(0, None, 0.0, 0.5)
    assert cost_space({(AB, AC): (0, 0.5)}, None, CLASSES).bounds[0].high == 0.5


@pytest.mark.parametrize(
    "both",
    [
        (0.1,),
        (0.1, 0.2, 0.3),
        (),
        "ab",
        {0.1, 0.2},
        np.array([[0.1, 0.2]]),
        np.array([[0.1, 0.2], [0.3, 0.4]]),
        np.array([0.1, 0.2, 0.3]),
        np.array(0.2),
        ("a", 0.2),
        (0.1, "b"),
        (math.nan, 0.2),
        (0.1, math.nan),
        (math.inf, math.inf),
        (0.1, -math.inf),
        (0.2, 0.2),
        (-0.1, 0.2),
        (0.3, 0.2),
        None,
    ],
)
def test_ends_that_are_none_are_refused(both: object) -> None:
    for key in (AB, (AB, AC)):
        with pytest.raises(InvalidInput, match=r"must be \(low, high\) with 0 ≤ low < high, got"):
            cost_space({key: both}, None, CLASSES)  # type: ignore[dict-item]


def test_a_cost_above_one_is_a_ratio_that_was_meant() -> None:
    for both in ((0.5, 1.5), (0.0, math.inf), (2, 3)):
        with pytest.raises(InvalidInput, match=r"must lie from 0 to 1.*Bound ratios of costs by"):
            cost_space({AB: both}, None, CLASSES)
        assert cost_space({(AB, AC): both}, None, CLASSES).bounds[0].other == 1
    with pytest.raises(InvalidInput, match=r"ratio of \('a', 'c'\) to itself"):
        cost_space({(AC, AC): (1, 2)}, None, CLASSES)
    for key in ((AB, AC, BA), (AB, "c"), ("a", AB), (AB,)):
        with pytest.raises((InvalidInput, LookupError)):
            cost_space({key: (0.1, 0.5)}, None, CLASSES)


def test_alpha_is_a_number_or_a_table_off_its_diagonal() -> None:
    assert checked_alpha(2, 3) == (2.0,) * 6
    assert checked_alpha(np.float64(0.5), 2) == (0.5, 0.5)
    table = [[-7, 1, 2], [3, 0, 4], [5, 6, 1e9]]
    assert checked_alpha(table, 3) == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    assert checked_alpha([1, 2, 3, 4, 5, 6], 3) == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    assert all(type(each) is float for each in checked_alpha(3, 3))
    words = "alpha must be a positive number or a 3 × 3 table of positive numbers off its diagonal"
    wrong = [0, -1, math.nan, math.inf, "x", [1, 2], [1], np.ones((3, 2)), np.ones((2, 2)),
             [[0, 1, 1], [1, 0, 1], [1, 0, 0]], [[0, 1, 1], [1, 0, 1], [1, -1, 0]], [],
             np.ones(5), np.ones(7), np.ones((1, 3, 3))]  # fmt: skip
    for alpha in wrong:
        with pytest.raises(InvalidInput, match=words):
            checked_alpha(alpha, 3)


def test_alpha_is_moderate() -> None:
    """Draws exist for parameters between a number that models have as their largest and 1 over."""
    from polyroc.surface.models.model import LARGEST

    for alpha in (LARGEST, 1 / LARGEST):
        assert checked_alpha(alpha, 2) == (alpha, alpha)
    for alpha in (1.5 * LARGEST, 0.9 / LARGEST, [[0, 1], [2 * LARGEST, 0]]):
        with pytest.raises(InvalidInput, match="alpha must be"):
            checked_alpha(alpha, 2)


@pytest.mark.parametrize("high", [np.ones(3), [np.inf], "inf", None, -np.inf, np.nan])
def test_an_upper_bound_that_is_no_number(high: object) -> None:
    with pytest.raises(InvalidInput, match=r"must be \(low, high\) with 0 ≤ low < high, got"):
        cost_space({(AB, AC): [0.5, high]}, None, CLASSES)  # type: ignore[dict-item]


def test_no_upper_bound_of_a_ratio() -> None:
    found = [
        cost_space({(AB, AC): (0.5, high)}, None, CLASSES).bounds
        for high in (np.inf, np.float32(np.inf))
    ]
    assert found == [(Bound(0, 1, 0.5, np.inf),)] * 2
