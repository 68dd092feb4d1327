"""Volumes of ROC surfaces: by hand, by sampling, by what must hold for every surface."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import numpy as np
import pytest

from polyroc import roc_auc
from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.surface._gini import (
    GiniTracker,
    delta,
    distance_histogram,
    gini,
    random_region_volume,
    sample_region,
    signed_distance,
)


def front(n_classes, m, seed, best=0.1, worst=0.7):
    """Random rates around a share of the sum that chance has; some points are dominated."""
    rng = np.random.default_rng(seed)
    n_rates = n_classes * (n_classes - 1)
    sums = rng.uniform(best, worst, (m, 1)) * (n_classes - 1)
    return np.minimum(rng.dirichlet(np.ones(n_rates), m) * sums, 1.0)


def staircase(y, score):
    """Rates (misses, false alarms) of every threshold."""
    thresholds = np.concatenate([[-np.inf], np.unique(score)])
    return np.array([[np.mean(score[y == 1] <= t), np.mean(score[y == 0] > t)] for t in thresholds])


def area_by_hand(points):
    """Area of the boxes of two rates below x + y = 1, by thin columns between the points' x."""
    xs = np.unique(np.concatenate([points.ravel(), 1 - points.ravel(), [0.0, 1.0]]))
    area = 0.0
    for left, right in pairwise(xs):
        reached = points[points[:, 0] <= left, 1]
        if len(reached):
            heights = [max(0.0, 1 - x - reached.min()) for x in (left, right)]
            area += (right - left) * sum(heights) / 2
    return area


@pytest.mark.parametrize(
    ("n_classes", "expected"),
    [(2, 1 / 2), (3, 58 / 720), (4, 482355 / math.factorial(12))],
)
def test_volume_of_the_random_region(n_classes, expected):
    assert random_region_volume(n_classes) == expected


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5])
def test_region_is_a_share_of_the_pyramid(n_classes):
    """So many of the samples drawn from the pyramid are kept."""
    n_rates, limit = n_classes * (n_classes - 1), n_classes - 1
    share = random_region_volume(n_classes) * math.factorial(n_rates) / limit**n_rates
    accepted = {2: 1.0, 3: 0.906, 4: 0.908, 5: 0.937}[n_classes]
    assert share == pytest.approx(accepted, abs=5e-4)


def test_region_of_many_classes_is_a_tail_of_the_normal():
    """Σ rates of D uniform rates is nearly normal; the tail is tiny, and never negative."""
    values = [random_region_volume(n_classes) for n_classes in range(2, 19)]
    assert all(after < before / 5 for before, after in pairwise(values))
    assert values[-1] > 0


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_samples_are_even_in_the_region(n_classes):
    samples = sample_region(n_classes, 20_000, np.random.default_rng(1))
    assert samples.shape == (20_000, n_classes * (n_classes - 1))
    assert samples.min() >= 0 and samples.max() <= 1
    assert samples.sum(axis=1).max() <= n_classes - 1 + 1e-12
    corner = np.full(samples.shape[1], 0.3 / n_classes)
    exact = gini(corner[None], n_classes).value
    share = (samples >= corner).all(axis=1).mean()
    assert abs(share - exact) < 4 * math.sqrt(exact * (1 - exact) / 20_000)


@pytest.mark.parametrize("seed", range(20))
def test_monte_carlo_against_exact(seed):
    n_classes, m = ((2, 12), (3, 40), (3, 200), (4, 15))[seed % 4]
    rates = front(n_classes, m, seed)
    exact = gini(rates, n_classes, method="exact")
    drawn = gini(rates, n_classes, method="monte_carlo", n_samples=100_000, rng=seed)
    assert abs(exact.value - drawn.value) < 4 * drawn.standard_error
    assert (exact.method, drawn.method) == ("exact", "monte carlo")


@pytest.mark.parametrize("seed", range(8))
def test_two_classes_by_hand(seed):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 40)
    score = rng.normal(size=80).round(seed % 3) + y * rng.uniform(0, 2)
    points = staircase(y, score)
    value = gini(points, 2, method="exact").value
    assert value == pytest.approx(2 * area_by_hand(points), abs=1e-12)
    lower = 2 * float(np.mean(score[y == 1][:, None] > score[y == 0])) - 1
    assert value >= lower - 1e-12


def test_two_classes_of_any_size_are_exact():
    """A quarter circle around (1, 1), between the tangent staircases of its points."""
    angle = np.linspace(0, np.pi / 2, 100_001)[1:-1]
    rates = np.column_stack([1 - np.cos(angle), 1 - np.sin(angle)])
    estimate = gini(rates, 2)
    assert estimate.method == "exact"
    assert estimate.value == pytest.approx(2 * (np.pi / 4 - 0.5), abs=1e-4)


def test_two_classes_equal_auc_where_the_staircase_stays_below_chance():
    y, score = np.repeat([0, 1], 20), np.arange(40.0)
    score[[15, 25]] = score[[25, 15]]
    points = staircase(y, score)
    corners = np.maximum(points[1:], points[:-1])
    assert (corners.sum(axis=1) <= 1).all()
    assert gini(points, 2).value == pytest.approx(2 * roc_auc(y, score) - 1, abs=1e-14)


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 7])
def test_a_perfect_point_has_all(n_classes):
    n_rates = n_classes * (n_classes - 1)
    rates = np.vstack([front(n_classes, 5, 0), np.zeros(n_rates)])
    assert gini(rates, n_classes, method="exact").value == 1.0


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_points_that_dominate_nothing(n_classes):
    n_rates = n_classes * (n_classes - 1)
    rates = np.zeros((3, n_rates))
    rates[0, : 2 * (n_classes - 1)] = 0.5  # as good as chance
    rates[1] = 1.0
    rates[2, 0] = 1.0  # a box without thickness
    for given in ([], np.empty((0, n_rates)), rates):
        estimate = gini(given, n_classes)
        assert estimate.value == 0 and math.isnan(estimate.standard_error)
    more = front(n_classes, 8, 1)
    assert gini(np.vstack([rates, more]), n_classes).value == gini(more, n_classes).value


def test_more_points_never_have_less():
    rates = front(3, 60, 5)
    values = [gini(rates[:m], 3, method="exact").value for m in range(0, 60, 3)]
    assert all(after >= before - 1e-14 for before, after in pairwise(values))


@pytest.mark.parametrize(("n_classes", "m"), [(2, 40), (3, 300), (4, 20)])
def test_order_of_points_and_of_rates_and_copies_do_not_matter(n_classes, m):
    rates = front(n_classes, m, 2)
    rng = np.random.default_rng(0)
    value = gini(rates, n_classes, method="exact").value
    copies = np.vstack([rates, rates[::2]])
    assert gini(copies[rng.permutation(len(copies))], n_classes).value == value
    turned = rates[:, rng.permutation(rates.shape[1])]
    assert gini(turned, n_classes, method="exact").value == pytest.approx(value, abs=1e-13)


@pytest.mark.parametrize("method", ["exact", "monte_carlo"])
def test_threads_do_not_change_a_bit(method):
    rates, other = front(3, 200, 3), front(3, 150, 4)
    options = {"method": method, "rng": 5, "n_samples": 150_000}
    one, two = (gini(rates, 3, n_threads=n, **options).value for n in (1, 2))
    assert one == two
    one, two = (delta(rates, other, 3, n_threads=n, **options).value for n in (1, 2))
    assert one == two


@pytest.mark.parametrize(("n_classes", "m"), [(2, 20), (3, 80), (4, 10)])
def test_delta_is_a_difference_of_volumes(n_classes, m):
    x, y = front(n_classes, m, 7), front(n_classes, m, 8)
    both = gini(np.vstack([x, y]), n_classes, method="exact").value
    for first, second in ((x, y), (y, x)):
        found = delta(first, second, n_classes, method="exact")
        alone = gini(second, n_classes, method="exact").value
        assert found.value == pytest.approx(both - alone, abs=1e-13)
        drawn = delta(first, second, n_classes, method="monte_carlo", n_samples=100_000, rng=1)
        assert abs(drawn.value - found.value) < 4 * drawn.standard_error
    assert delta(x, np.vstack([y, x]), n_classes, method="exact").value == 0.0
    assert delta(x, [], n_classes).value == pytest.approx(gini(x, n_classes).value, abs=1e-13)


def test_a_tiny_delta_is_not_lost():
    """A triangle of side 0.5 grows to side 0.5 + ε, a sliver of ε + ε² of P."""
    epsilon = 2.0**-40
    value = delta([[0.25 - epsilon, 0.25]], [[0.25, 0.25]], 2, method="exact").value
    assert value == pytest.approx(epsilon + epsilon**2, rel=1e-3)


def test_work_beyond_the_budget():
    rates = front(4, 60, 0)
    with pytest.raises(InvalidInput, match=r"work=1,000 operations.*monte_carlo"):
        gini(rates, 4, method="exact", work=1000)
    estimate = gini(rates, 4, work=1000, n_samples=50_000, rng=3)
    assert estimate.method == "monte carlo"
    assert [note.code for note in estimate.notes] == [
        "work-exceeded",
        "points-as-given",
        "monte-carlo-error",
    ]
    assert estimate.settings["seed"] == 3 and estimate.settings["n_samples"] == 50_000
    again = gini(rates, 4, method="monte_carlo", n_samples=50_000, rng=3)
    assert again.value == estimate.value
    json.dumps(estimate.to_dict())


def test_the_work_done_is_the_work_needed():
    rates = front(3, 100, 1)
    done = gini(rates, 3, method="exact").settings["work_done"]
    assert gini(rates, 3, method="exact", work=done, n_threads=2).settings["work_done"] == done
    with pytest.raises(InvalidInput, match="work="):
        gini(rates, 3, method="exact", work=done - 1)


def test_many_classes_end_within_the_work():
    """For ten classes a single box has more corners than could ever be counted."""
    estimate = gini(front(10, 3, 0, worst=0.2), 10, work=100_000, n_samples=2_000, rng=0)
    assert estimate.method == "monte carlo"
    assert 0 <= estimate.value <= 1


@pytest.mark.parametrize(("rate", "value"), [(0.0, 1.0), (0.499999, 0.0)])
def test_samples_that_all_agree_have_no_standard_error(rate, value):
    estimate = gini(np.full((1, 2), rate), 2, method="monte_carlo", n_samples=1_000, rng=0)
    assert estimate.value == value
    assert math.isnan(estimate.standard_error)
    assert [note.code for note in estimate.notes] == ["points-as-given", "samples-agree"]
    assert "3.0e-03" in estimate.note


def test_inputs_are_not_modified():
    rates = front(3, 30, 0)
    rates.flags.writeable = False
    before = rates.copy()
    gini(rates, 3), gini(rates, 3, method="monte_carlo", n_samples=100), delta(rates, rates, 3)
    assert (rates == before).all()


def test_tracker_follows_the_surface():
    rates = front(3, 300, 9)
    tracker = GiniTracker(3, n_samples=20_000, seed=4)
    shares = [tracker.share]
    for part in np.array_split(rates, 10):
        tracker.add(part)
        shares.append(tracker.share)
    assert shares[0] == 0 and all(after >= before for before, after in pairwise(shares))
    exact = gini(rates, 3).value
    assert abs(shares[-1] - exact) < 4 * math.sqrt(exact * (1 - exact) / 20_000)
    at_once = GiniTracker(3, n_samples=20_000, seed=4)
    at_once.add(rates[::-1])
    assert at_once.share == shares[-1]


def test_distances_from_chance():
    rates = np.array([[0.0] * 6, [1 / 3] * 6, [0.5] * 6])
    expected = [-2 / math.sqrt(6), 0.0, 1 / math.sqrt(6)]
    np.testing.assert_allclose(signed_distance(rates, 3), expected, atol=1e-15)
    histogram = distance_histogram(front(3, 500, 0, worst=1.2), 3, bins=12)
    assert histogram.counts.sum() == 500 and len(histogram.edges) == 13
    assert 0 < histogram.better_than_chance < 500
    assert list(histogram.frame()) == ["from", "to", "points"]
    with pytest.raises(NotDefined, match="needs points"):
        distance_histogram([], 3)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        (([[0.1, 0.2]], 3), {}, InvalidInput, r"6 columns.*\(1, 2\)"),
        (([0.1, 0.2], 2), {}, InvalidInput, r"row per point.*\(2,\)"),
        (([[0.1, 1.2]], 2), {}, InvalidInput, "between 0 and 1.*1.2"),
        (([[0.1, math.nan]], 2), {}, InvalidInput, "between 0 and 1.*nan"),
        (([["a", "b"]], 2), {}, InvalidType, "table of numbers"),
        (([[0.1, 0.2]], 1), {}, InvalidInput, "n_classes must be at least 2"),
        (([[0.1, 0.2]], 2), {"method": "best"}, InvalidInput, "method"),
        (([[0.1, 0.2]], 2), {"n_samples": 0}, InvalidInput, "n_samples"),
        (([[0.1, 0.2]], 2), {"work": 0}, InvalidInput, "work"),
        (([[0.1, 0.2]], 2), {"rng": "x"}, InvalidType, "rng"),
        (([[0.1, 0.2]], 2), {"n_threads": 0}, InvalidInput, "n_threads"),
    ],
)
def test_refusals(arguments, options, error, words):
    with pytest.raises(error, match=words):
        gini(*arguments, **options)


def test_no_interval_pretends_to_know_the_cases():
    """Exact or not, the volume of given points says nothing about other cases."""
    exact, drawn = (
        gini(front(3, 30, 2), 3, method=each, rng=1) for each in ("exact", "monte_carlo")
    )
    for estimate in (exact, drawn):
        assert np.isnan([estimate.interval().low, estimate.interval(0.5).high]).all()
        assert "no interval" in repr(estimate) and "no interval" in estimate.note
        assert estimate.to_dict()["low"] is None
    assert math.isnan(exact.standard_error) and exact.to_dict()["standard_error"] is None
    assert drawn.standard_error > 0 and drawn.error_of == "samples"
    assert "Monte Carlo error" in repr(drawn) and "samples alone" in drawn.note
