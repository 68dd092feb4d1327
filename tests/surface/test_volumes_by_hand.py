"""G and δ recounted plainly: samples, settings, notes, limits of what is taken."""

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from polyroc._base.random import stream
from polyroc.errors import InvalidInput, InvalidType
from polyroc.surface import _gini as volumes
from polyroc.surface._gini import (
    GiniTracker,
    below_plane,
    delta,
    distance_histogram,
    gini,
    inside_region,
    random_region_volume,
    region_share,
    sample_region,
    signed_distance,
)

THREE = np.array(
    [
        [0.1, 0.2, 0.3, 0.05, 0.2, 0.15],
        [0.3, 0.1, 0.05, 0.2, 0.1, 0.35],
        [0.0, 0.4, 0.2, 0.3, 0.05, 0.1],
    ]
)
OTHER = np.array([[0.2, 0.1, 0.25, 0.1, 0.3, 0.05], [0.9, 0.9, 0.9, 0.9, 0.9, 0.9]])


def dominated(points: np.ndarray, sample: np.ndarray) -> bool:
    return any(all(p <= s for p, s in zip(point, sample, strict=True)) for point in points)


def drawn_by_loops(columns: int, limit: int, size: int, generator: np.random.Generator) -> list:
    """Even points below the plane: exponential variables over their sum, those in the cube."""
    kept: list[list[float]] = []
    while len(kept) < size:
        missing = size - len(kept)
        table = generator.standard_exponential((missing + missing // 8 + 8, columns + 1))
        new = []
        for row in table:
            point = [limit * value / row.sum() for value in row[:-1]]
            if max(point) <= 1:
                new.append(point)
        kept += new[:missing]
    return kept


@pytest.mark.parametrize(
    ("columns", "limit", "size"), [(2, 1, 5), (6, 2, 70), (5, 3, 200), (3, 2, 1)]
)
def test_points_below_the_plane(columns: int, limit: int, size: int) -> None:
    found = below_plane(columns, limit, size, np.random.default_rng(3))
    wanted = drawn_by_loops(columns, limit, size, np.random.default_rng(3))
    assert found.shape == (size, columns)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    nothing = below_plane(columns, limit, 0, np.random.default_rng(3))
    assert nothing.shape == (0, columns)


def test_regions_are_sampled_with_a_column_per_error() -> None:
    for n_classes, columns in ((2, 2), (3, 6), (4, 12)):
        found = sample_region(n_classes, 9, np.random.default_rng(1))
        again = below_plane(columns, n_classes - 1, 9, np.random.default_rng(1))
        assert np.array_equal(found, again)


def test_the_share_of_a_pyramid_in_the_cube() -> None:
    """Σx ≤ 2 in three columns: the pyramid 8/6 holds 5/6 of the cube; Σx ≤ 1 lies in it."""
    assert region_share(3, 1) == 1 and region_share(7, 1) == 1
    assert float(region_share(3, 2)) == pytest.approx((5 / 6) / (8 / 6), abs=1e-12)
    assert float(region_share(2, 2)) == 0.5
    for wrong in (1, 0, -3):
        with pytest.raises(InvalidInput, match="n_classes must be at least 2"):
            random_region_volume(wrong)
    with pytest.raises(InvalidInput, match="whole number"):
        random_region_volume(2.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("n", [250, 100, 101, 1])
def test_samples_come_in_blocks_with_a_stream_each(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(volumes, "BLOCK", 100)
    hits = beyond = 0
    for block in range(math.ceil(n / 100)):
        size = min(100, n - 100 * block)
        for sample in sample_region(3, size, stream(7, block)):
            hits += dominated(THREE, sample)
            beyond += dominated(THREE, sample) and not dominated(OTHER, sample)
    for threads in (1, 2):
        options = {"method": "monte_carlo", "n_samples": n, "rng": 7, "n_threads": threads}
        found, more = gini(THREE, 3, **options), delta(THREE, OTHER, 3, **options)
        assert found.value == hits / n and more.value == beyond / n
        for estimate, count in ((found, hits), (more, beyond)):
            if 0 < count < n:
                share = count / n
                wanted = math.sqrt(share * (1 - share) / n)
                assert estimate.standard_error == pytest.approx(wanted, rel=1e-12)
                assert estimate.notes[-1].text == f"standard error of the {n:,} samples alone"
            else:
                assert math.isnan(estimate.standard_error)
            assert estimate.error_of == "samples" and estimate.metric in ("gini", "delta")


def test_a_block_has_65536_samples() -> None:
    """One sample more begins the stream of the next block, so that seeds keep their meaning."""
    n = 65_537
    first, second = sample_region(2, 65_536, stream(3, 0)), sample_region(2, 1, stream(3, 1))
    corner = np.array([[0.3, 0.2]])
    hits = int((np.vstack([first, second]) >= corner).all(axis=1).sum())
    assert gini(corner, 2, method="monte_carlo", n_samples=n, rng=3).value == hits / n


def test_settings_say_what_was_done() -> None:
    rates = np.vstack([THREE, np.full(6, 0.5)])
    exact = gini(rates, 3)
    spent = exact.settings["work_done"]
    assert exact.settings == {
        "n_classes": 3,
        "points_below_chance": 3,
        "work": 200_000_000,
        "work_done": spent,
    }
    assert spent > 0 and exact.method == "exact" and exact.metric == "gini"
    both = delta(rates, OTHER, 3, work=2**63 - 1)
    assert both.settings == {
        "n_classes": 3,
        "points_below_chance": 3,
        "work": 2**62,
        "work_done": both.settings["work_done"],
        "other_points_below_chance": 1,
    }
    drawn = delta(rates, OTHER, 3, method="monte_carlo", n_samples=10, rng=5, work=9)
    assert drawn.settings == {
        "n_classes": 3,
        "points_below_chance": 3,
        "work": 9,
        "other_points_below_chance": 1,
        "n_samples": 10,
        "seed": 5,
    }
    assert [note.text for note in exact.notes] == [
        "no interval: the volume of these points, which are treated as fixed; how much they would "
        "vary from sample to sample is not part of it"
    ]


def test_a_million_samples_unless_said_otherwise() -> None:
    found = gini([[0.2, 0.3]], 2, method="monte_carlo", rng=1)
    assert found.settings["n_samples"] == 1_000_000 and found.settings["work"] == 200_000_000
    assert found.notes[-1].text == "standard error of the 1,000,000 samples alone"
    assert abs(found.value - 0.25) < 4 * found.standard_error


def test_the_work_of_what_is_known_at_once() -> None:
    assert gini([], 3).settings["work_done"] == 0
    assert gini(np.zeros((1, 6)), 3).settings["work_done"] == 0
    two = [[0.1, 0.5], [0.2, 0.2], [0.6, 0.1], [0.9, 0.9]]
    assert gini(two, 2, work=1).settings["work_done"] == 3
    assert gini(two, 2, method="exact").value == pytest.approx(
        0.4**2 + 0.6**2 + 0.3**2 - 0.3**2 - 0.2**2, abs=1e-12
    )
    # A perfect point beside others has all; beyond another surface what that one lacks.
    assert gini([[0.5, 0.25], [0.0, 0.0]], 2).value == 1
    assert delta([[0.0, 0.0]], [[0.5, 0.25]], 2).value == pytest.approx(1 - 0.25**2, abs=1e-12)
    assert delta([[0.5, 0.25]], [[0.0, 0.0]], 2).value == 0
    assert delta([], [[0.5, 0.25]], 2).value == 0
    # A point with no error of one kind is no perfect one.
    assert gini([[0.0, 0.5]], 2).value == pytest.approx(0.25)
    assert gini([[0.0, 0.5, 0.0, 0.0, 0.0, 0.0]], 3).value < 1


def test_points_of_equal_sums_are_taken_in_the_order_given() -> None:
    rates = np.random.default_rng(0).permuted(
        np.tile([0.5, 0.25, 0.125, 0, 0, 0], (200, 1)), axis=1
    )
    rates[::3] /= 2
    expected = sorted(rates.tolist(), key=sum)
    assert volumes._inside(rates, 3).tolist() == expected


def test_the_work_of_a_single_box() -> None:
    """One operation for its pyramid, and one for each set of walls of the cube that is tried."""
    assert gini(np.full((1, 6), 0.25), 3).settings["work_done"] == 1
    cut = [[0.125, 0.0, 0.0, 0.0, 0.0, 0.0]]  # by each wall, and by no two of them together
    assert gini(cut, 3).settings["work_done"] == 1 + 6 + 15


@pytest.mark.parametrize("n_classes", [2, 3])
def test_surfaces_next_to_the_perfect_one_have_no_more_than_all(n_classes: int) -> None:
    """Errors of 10⁻¹⁵ and less, where what is left of 1 is a matter of rounding."""
    rng = np.random.default_rng(0)
    shape = (4, n_classes * (n_classes - 1))
    for _ in range(300):
        points = rng.uniform(0, 1e-15, shape) * (rng.random(shape) < 0.5)
        assert 1 - 1e-12 < gini(points, n_classes, method="exact").value <= 1


def test_a_budget_of_work_is_for_finding_what_is_dominated_too() -> None:
    points = np.vstack([THREE, OTHER[:1]])
    done = gini(points, 3).settings["work_done"]
    for work in range(1, done, max(1, done // 25)):
        found = gini(points, 3, work=work, n_samples=50, rng=0)
        assert found.method == "monte carlo"
        said = "1 operation" if work == 1 else f"{work:,} operations"
        assert (
            found.notes[0].text == f"exact volume takes more than {said}, so estimated from samples"
        )
        with pytest.raises(InvalidInput, match=f"more than work={work:,} operations"):
            gini(points, 3, method="exact", work=work)
    assert gini(points, 3, work=done).method == "exact"
    twice = delta(points, OTHER, 3).settings["work_done"]
    assert delta(points, OTHER, 3, work=twice, method="exact").value > 0
    with pytest.raises(InvalidInput, match="Pass a larger work="):
        delta(points, OTHER, 3, work=twice - 1, method="exact")


@pytest.mark.parametrize(
    ("rate", "n", "words"),
    [
        (0.0, 1000, "1,000 samples agree; with 95 % confidence the share is within 3.0e-03 of 1"),
        (0.0, 2, "2 samples agree; with 95 % confidence the share is within 7.8e-01 of 1"),
        (0.0, 1, "there is one sample; with 95 % confidence the share is within 9.5e-01 of 1"),
        (0.5, 1000, "1,000 samples agree; with 95 % confidence the share is under 3.0e-03"),
        (0.5, 2, "2 samples agree; with 95 % confidence the share is under 7.8e-01"),
        (0.5, 1, "there is one sample; with 95 % confidence the share is under 9.5e-01"),
    ],
)
def test_what_is_said_where_all_samples_agree(rate: float, n: int, words: str) -> None:
    found = gini([[rate, rate]], 2, method="monte_carlo", n_samples=n, rng=0)
    assert found.notes[-1].code == "samples-agree"
    assert found.notes[-1].text == f"no standard error: {words}"
    assert math.isnan(found.standard_error) and found.value == (rate == 0)


def test_points_that_dominate_some_of_the_region() -> None:
    points = np.array(
        [
            [0.2] * 6,
            [1 / 3] * 6,  # as good as chance but for rounding
            [0.5, 0.5, 0.5, 0.25, 0.25, 0.0],  # on the plane
            [0.5, 0.5, 0.5, 0.25, 0.125, 0.0],
            [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],  # a box without thickness
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [0.9, 0.9, 0.9, 0.0, 0.0, 0.0],
        ]
    )
    found = inside_region(points, 3)
    assert found.tolist() == [True, bool(points[1].sum() < 2), False, True, False, True, False]
    assert inside_region(np.empty((0, 6)), 3).shape == (0,)


def test_rates_may_be_outside_by_rounding_alone() -> None:
    clean, rounded = [[0.0, 0.5], [0.5, 0.0]], [[-5e-10, 0.5], [0.5, -9e-10]]
    assert gini(rounded, 2).value == gini(clean, 2).value == 0.5
    assert signed_distance([[1 + 9e-10, 1.0]], 2).tolist() == signed_distance([[1, 1]], 2).tolist()
    for wrong in ([[-1.5e-9, 0.5]], [[0.5, 1 + 1.5e-9]], [[0.5, 1.0], [0.5, 2.0]]):
        table = np.array(wrong)
        with pytest.raises(
            InvalidInput, match=r"rates must lie between 0 and 1, got values"
        ) as error:
            gini(wrong, 2)
        assert f"from {table.min()} to {table.max()}. Divide counts" in str(error.value)
    with pytest.raises(InvalidInput, match="rates_y must lie between"):
        delta(clean, [[3, 0.5]], 2)
    with pytest.raises(InvalidInput, match="rates_x must have a row per point and 2 columns"):
        delta([[0.5]], clean, 2)


def test_tables_of_other_shapes_are_refused() -> None:
    wrong = [np.empty((0, 5)), np.zeros((1, 6, 6)), np.zeros((2, 6, 1)), np.zeros((6, 5)),
             np.zeros(6), np.float64(0.5), np.zeros((1, 0)), np.zeros((6, 2, 6))]  # fmt: skip
    for table in wrong:
        with pytest.raises(InvalidInput, match=r"6 columns, one per error of 3 classes") as error:
            gini(table, 3)
        assert f"got the shape {np.shape(table)}." in str(error.value)
    for nothing in ([], [[]] * 0, np.empty((0, 0)), np.empty((0, 6))):
        assert gini(nothing, 3).value == 0 and len(signed_distance(nothing, 3)) == 0
    for words in ("abc", [["a"] * 6], [[0.1, 0.2], [0.3]], [[None] * 6, "x"]):
        with pytest.raises(InvalidType, match="rates must be a table of numbers, got"):
            gini(words, 3)  # type: ignore[arg-type]


def test_distances_are_in_double_precision_and_recounted() -> None:
    rng = np.random.default_rng(0)
    rates = rng.random((5, 6))
    wanted = [(sum(row) - 2) / math.sqrt(6) for row in rates.tolist()]
    np.testing.assert_allclose(signed_distance(rates, 3), wanted, rtol=0, atol=1e-12)
    assert signed_distance([[0.1, 0.2]], 2)[0] == pytest.approx(-0.7 / math.sqrt(2), abs=1e-12)


def test_histograms_count_points_in_bins() -> None:
    rng = np.random.default_rng(1)
    rates = rng.random((40, 2))
    distances = [(a + b - 1) / math.sqrt(2) for a, b in rates]
    found = distance_histogram(rates, 2, bins=7)
    edges = np.linspace(min(distances), max(distances), 8)
    np.testing.assert_allclose(found.edges, edges, atol=1e-12)
    last = [e + 1e-12 if i == 7 else e for i, e in enumerate(edges)]
    counts = [sum(last[b] <= d < last[b + 1] for d in distances) for b in range(7)]
    assert found.counts.tolist() == counts and found.counts.dtype == np.int64
    assert found.better_than_chance == sum(d < 0 for d in distances) != 20
    frame = found.frame()
    assert frame["from"].tolist() == found.edges[:-1].tolist()
    assert frame["to"].tolist() == found.edges[1:].tolist()
    assert frame["points"].tolist() == counts
    assert len(distance_histogram(rates, 2).counts) == 30
    assert distance_histogram(rates, 2, bins=1).counts.tolist() == [40]
    given = distance_histogram(rates, 2, bins=[-0.5, 0.0, 0.1])
    wanted = [sum(-0.5 <= d < 0 for d in distances), sum(0 <= d <= 0.1 for d in distances)]
    assert given.counts.tolist() == wanted
    for wrong in (0, -2):
        with pytest.raises(InvalidInput, match="bins must be at least 1"):
            distance_histogram(rates, 2, bins=wrong)
    with pytest.raises(FrozenInstanceError):
        found.counts = given.counts  # type: ignore[misc]
    assert found != distance_histogram(rates, 2, bins=7) and found == found


def test_better_than_chance_is_beyond_rounding() -> None:
    half = 0.5 * math.sqrt(2)  # the sum of rates falls by this times the distance
    below = [0.0, 5e-10, 1.5e-9, 1e-3, -1e-3]
    rates = [[0.5 - d * half, 0.5 - d * half] for d in below]
    assert distance_histogram(rates, 2, bins=2).better_than_chance == 2


def test_the_tracker_has_20000_samples_of_seed_0() -> None:
    samples = sample_region(3, 20_000, stream(0, 0))
    left = samples
    tracker = GiniTracker(3)
    assert tracker.share == 0
    for point in THREE:
        tracker.add(point[None])
        left = left[~(left >= point).all(axis=1)]
        assert tracker.share == (20_000 - len(left)) / 20_000
    tracker.add([])
    tracker.add(np.empty((0, 6)))
    assert tracker.share == (20_000 - len(left)) / 20_000
    tracker.add(np.zeros((1, 6)))
    tracker.add(THREE)
    assert tracker.share == 1
    one = GiniTracker(2, n_samples=1, seed=4)
    one.add([[0.0, 0.0]])
    assert one.share == 1
    for options in ({"n_samples": 0}, {"n_classes": 1}):
        with pytest.raises(InvalidInput, match="must be at least"):
            GiniTracker(**{"n_classes": 2, **options})
    with pytest.raises(InvalidInput, match="points must have a row per point and 2 columns"):
        one.add([[0.1, 0.2, 0.3]])
    with pytest.raises(InvalidInput, match="points must lie between"):
        GiniTracker(2).add([[0.1, 2.0]])


def test_smallest_options_are_taken() -> None:
    assert gini(THREE, 3, n_samples=1, method="monte_carlo", rng=0).settings["n_samples"] == 1
    assert gini(THREE, 3, n_samples=1, work=1, rng=0).settings["work"] == 1
    for options in ({"n_samples": 0}, {"work": 0}, {"n_samples": -1}, {"work": -5}):
        with pytest.raises(InvalidInput, match="must be at least 1"):
            delta(THREE, OTHER, 3, **options)
    with pytest.raises(InvalidInput, match="method must be"):
        delta(THREE, OTHER, 3, method="fast")  # type: ignore[arg-type]
    with pytest.raises(InvalidType, match="rng"):
        gini(THREE, 3, rng="x", method="exact")  # type: ignore[arg-type]


def test_exact_volumes_do_not_depend_on_how_points_are_dealt_out() -> None:
    """More points than there are parts, against what each adds to those before it."""
    rng = np.random.default_rng(6)
    points = rng.dirichlet(np.ones(6), 23) * rng.uniform(0.5, 1.2, (23, 1))
    points = np.minimum(points, 1)
    whole = gini(points, 3, method="exact").value
    pieces = [delta(points[i : i + 1], points[:i], 3, method="exact").value for i in range(23)]
    assert math.fsum(pieces) == pytest.approx(whole, abs=1e-13)
    for m in (15, 16, 17, 18):
        found = gini(points[:m], 3, method="exact").value
        assert found == pytest.approx(math.fsum(pieces[:m]), abs=1e-13)
        beyond = delta(points[:m], points[m:], 3, method="exact").value
        assert beyond + gini(points[m:], 3).value == pytest.approx(whole, abs=1e-13)
