"""The ideal observer: what each option does, ends of ranges, words, and draws by hand."""

import math

import numpy as np
import pytest

from polyroc._base.random import stream
from polyroc.errors import InvalidInput, NotDefined
from polyroc.utility import GaussianMixture, ideal_observer
from polyroc.utility import _observer as module
from polyroc.utility._surface_average import SurfaceIntegrals, SurfaceWalks, mean_error, tail_notes

TWO = ideal_observer([GaussianMixture([0.0]), GaussianMixture([1.5], 2.0)])
THREE = ideal_observer([GaussianMixture(mean) for mean in ([0, 0], [1.5, 0], [0, 2.0])])


def sample(n, n_classes, seed=0):
    return np.random.default_rng(seed).dirichlet(np.arange(1.0, n_classes + 1), n)


@pytest.mark.parametrize("observer", [TWO, ideal_observer(sample(90, 2))])
def test_results_are_means_over_blocks(monkeypatch, observer) -> None:
    monkeypatch.setitem(module.BLOCK, 2, 200)
    options = {"n_blocks": 6, "rng": 4}
    known = observer.integrals(n_draws=60, **options)
    assert known.areas.shape == (6,) and known.parts.shape == (6, 2)
    saec = observer.saec(n_steps=60, **options)
    assert (saec.value, saec.standard_error) == known.cost
    assert saec.settings == {"seed": 4, "n_blocks": 6, "n_facets": known.n_facets}
    assert saec.notes == tail_notes(known.largest_share)
    area = observer.surface_area(n_draws=60, **options)
    assert (area.value, area.standard_error) == mean_error(known.areas)
    assert area.settings == {"seed": 4, "n_blocks": 6, "n_facets": known.n_facets}
    for last in (-2, -1, 0, 1):
        volume = observer.huh(last=last, n_draws=60, **options)
        assert (volume.value, volume.standard_error) == mean_error(known.parts[:, last])
        assert volume.settings == {"seed": 4, "n_blocks": 6, "last": last % 2}
        assert volume.degrees_of_freedom == 5
    assert observer.huh(n_draws=60, **options) == observer.huh(last=1, n_draws=60, **options)
    assert {each.method for each in (saec, area)} == {"ideal observer, tuples"}


def test_the_last_kind_of_error_is_one_of_them() -> None:
    with pytest.raises(InvalidInput) as reason:
        TWO.huh(last=2)
    assert str(reason.value) == "last must be one of 2 kinds of errors, counted from 0, got 2."
    with pytest.raises(InvalidInput, match="last must be at least -2"):
        TWO.huh(last=-3)
    with pytest.raises(InvalidInput, match="last must be one of 6 kinds of errors"):
        THREE.huh(last=6)
    with pytest.raises(InvalidInput, match="last must be at least -6"):
        THREE.huh(last=-7)


def test_draws_and_blocks_by_default(monkeypatch) -> None:
    asked = []

    def recorded(source, n_classes, **options):
        asked.append((n_classes, options["n_blocks"], options["n_draws"], options["seed"]))
        raise NotDefined("enough")

    monkeypatch.setattr(module, "integrate", recorded)
    many = ideal_observer(sample(500, 3))
    for observer in (TWO, THREE, many):
        calls = [observer.surface_area, observer.huh, observer.integrals]
        for call in calls + [observer.saec] * (observer is not THREE):
            with pytest.raises(NotDefined, match="enough"):
                call(rng=3)
            draws = {2: 4_000, 3: 500_000}[observer.n_classes]
            assert asked.pop() == (observer.n_classes, 20, draws, 3)
    for call in (TWO.surface_area, TWO.huh, TWO.integrals):
        for draws in (1, 17):
            with pytest.raises(NotDefined, match="enough"):
                call(n_blocks=2, n_draws=draws, rng=3)
            assert asked.pop() == (2, 2, draws, 3)
        with pytest.raises(InvalidInput, match="n_draws must be at least 1"):
            call(n_draws=0)
        with pytest.raises(InvalidInput, match="n_blocks must be at least 2"):
            call(n_blocks=1)


@pytest.mark.parametrize(("share", "codes"), [(0.01, []), (0.2, ["heavy-tail"])])
def test_volumes_of_three_classes_over_each_kind_of_error(monkeypatch, share, codes) -> None:
    parts = np.random.default_rng(0).random((4, 6))
    asked: list = []

    def known(source, n_classes, **options):
        asked.append(options)
        return SurfaceIntegrals(np.array([1.0, 2, 3, 4]), parts, share, 77)

    monkeypatch.setattr(module, "integrate", known)
    for last in (-6, -5, -1, 0, 3, 5):
        found = THREE.huh(last=last, n_blocks=4, n_draws=9, rng=2)
        assert (found.value, found.standard_error) == mean_error(parts[:, last])
        assert found.settings == {"seed": 2, "n_blocks": 4, "last": last % 6}
        assert [note.code for note in found.notes] == codes
        assert asked.pop() == {"seed": 2, "n_blocks": 4, "n_draws": 9}
    assert THREE.huh(rng=2).settings["last"] == 5
    assert [note.code for note in TWO.saec(rng=2).notes] == codes
    area = THREE.surface_area(n_blocks=4, rng=2)
    assert area.value == 2.5 and area.settings["n_facets"] == 77 and area.notes == ()


@pytest.mark.parametrize(
    ("observer", "least"),
    [
        (TWO, 1),
        (ideal_observer(sample(40, 2)), 1),
        (ideal_observer(sample(40, 3)), 1),
        (THREE, 1000),
        (ideal_observer(sample(40, 4)), 1000),
    ],
)
def test_fewest_steps(monkeypatch, observer, least) -> None:
    class Reached(Exception):
        pass

    def stop(*_, **__):
        raise Reached

    monkeypatch.setattr(module, "walk", stop)
    monkeypatch.setattr(module, "integrate", stop)
    with pytest.raises(InvalidInput, match=f"n_steps must be at least {least}"):
        observer.saec(n_blocks=2, n_steps=least - 1, rng=0)
    with pytest.raises(Reached):
        observer.saec(n_blocks=2, n_steps=least, rng=0)


WALKS = {
    "settled": np.array([[0.2, 0.4], [0.31, 0.29], [0.25, 0.351]]),
    "slow": np.array([[0.2, 0.21], [0.5, 0.51], [0.3, 0.32]]),
}


@pytest.mark.parametrize("kind", WALKS)
@pytest.mark.parametrize("observer", [THREE, ideal_observer(sample(40, 4))])
def test_what_is_said_about_walks(monkeypatch, kind, observer) -> None:
    monkeypatch.setattr(module, "MOST_BLOCK", 100)
    walks = SurfaceWalks(WALKS[kind])
    looks = walks.effective_size
    monkeypatch.setattr(module, "walk", lambda *_, **__: walks)
    sampled = observer is not THREE
    extra = ["simulation-error-only"] * sampled
    for fewest, slow in ((looks * 1.001, True), (looks, False), (looks * 0.999, False)):
        monkeypatch.setattr(module, "FEWEST_EFFECTIVE", fewest)
        found = observer.saec(n_blocks=3, n_steps=4321, rng=8)
        codes = [note.code for note in found.notes if note.code != "heavy-tail"]
        assert codes == ["slow-walk"] * slow + extra
        words = [note.text for note in found.notes]
        told = f"the walks amount to {looks:.0f} independent looks: give n_steps"
        assert (told in words) == slow
        error = "the standard error is that of the walks, without that of the sample"
        assert (error in words) == sampled
        assert (found.value, found.standard_error) == walks.cost
        assert found.settings == {
            "seed": 8,
            "n_blocks": 3,
            "n_steps": 4321,
            "effective_size": round(looks),
        }
        assert found.method == "ideal observer, walk" and found.degrees_of_freedom == 2
        assert found.direction == "lower" and found.range == (0.0, 1.0)


def test_a_walk_below_two_hundred_looks_is_slow(monkeypatch) -> None:
    monkeypatch.setattr(module, "MOST_BLOCK", 100)
    for looks, slow in ((199.9, True), (200.1, False)):
        means = np.array([0.1, 0.3])
        spread = math.sqrt(looks * 0.01 - 0.01)  # (variance of looks) / (variance of the mean)
        costs = means[:, None] + spread * np.array([1, -1])
        walks = SurfaceWalks(costs)
        assert walks.effective_size == pytest.approx(looks)
        monkeypatch.setattr(module, "walk", lambda *_, walks=walks, **__: walks)
        found = THREE.saec(n_blocks=2, n_steps=1000, rng=0)
        assert ("slow-walk" in [note.code for note in found.notes]) == slow


def test_perfect_observers_in_words() -> None:
    certain = ideal_observer(np.eye(3)[[0, 1, 2, 2]]).saec(n_blocks=5, rng=6)
    assert [(note.code, note.text) for note in certain.notes] == [
        ("certain-cases", "no interval: every case is certain of its class, so that nothing varies")
    ]
    assert certain.method == "ideal observer, perfect" and certain.degrees_of_freedom == 4
    assert certain.settings == {"seed": 6, "n_blocks": 5} and certain.value == 0
    nearly = np.eye(2)[[0, 1, 1, 0] * 20]
    nearly[3] = [0.5, 0.5]
    assert ideal_observer(nearly).saec(n_blocks=2, n_steps=400, rng=1).method.endswith("tuples")


# Draws


def test_observations_are_drawn_in_equal_shares_by_hand() -> None:
    found = THREE._drawn(0, np.random.default_rng(5), 50)
    rng = np.random.default_rng(5)
    counts = np.bincount(rng.integers(3, size=50), minlength=3)
    x = [each.sample(int(n), rng) for each, n in zip(THREE.densities, counts, strict=True)]
    x = rng.permutation(np.concatenate(x))
    for row, point in zip(found, x, strict=True):
        likelihoods = [math.exp(each.log_density(point[None])[0]) for each in THREE.densities]
        np.testing.assert_allclose(row, np.array(likelihoods) / (sum(likelihoods) / 3))
    assert found.flags.c_contiguous


def test_likelihoods_far_from_all_classes_do_not_vanish() -> None:
    far = ideal_observer([GaussianMixture([0.0]), GaussianMixture([300.0])])
    drawn = far._drawn(0, np.random.default_rng(0), 40)
    np.testing.assert_allclose(drawn.sum(axis=1), 2)


@pytest.mark.parametrize(("observer", "size"), [(TWO, 4096), (THREE, 32768)])
def test_observations_of_a_block(observer, size) -> None:
    assert observer._drawn(0, np.random.default_rng(0)).shape == (size, observer.n_classes)
    assert observer._drawn(0, np.random.default_rng(0), 7).shape == (7, observer.n_classes)


def test_a_sample_is_dealt_to_blocks() -> None:
    observer = ideal_observer(sample(17, 2))
    source = observer._dealt(4, 9)
    order = stream(9, 4).permutation(17)
    seen = []
    for index in range(4):
        rows = source(index, None)
        expected = [observer.likelihoods[order[i]] for i in range(17) if i % 4 == index]
        np.testing.assert_array_equal(rows, expected)
        assert rows.flags.c_contiguous
        seen.append(len(rows))
    assert seen == [5, 4, 4, 4]


@pytest.mark.parametrize(("n_classes", "each"), [(2, 3), (3, 7)])
def test_blocks_need_so_many_cases(n_classes, each) -> None:
    least = 4 * each
    ideal_observer(sample(least, n_classes))._dealt(4, 0)
    with pytest.raises(NotDefined) as reason:
        ideal_observer(sample(least - 1, n_classes))._dealt(4, 0)
    assert str(reason.value) == (
        f"4 blocks need {least} cases, got {least - 1}. Pass more cases, or a smaller n_blocks."
    )


def test_more_than_three_classes_have_no_integrals() -> None:
    with pytest.raises(NotDefined) as reason:
        ideal_observer(sample(200, 4)).surface_area(rng=0)
    assert str(reason.value).startswith("Integrals over the surface of 4 classes are out of reach")


# Rates


def rates_by_loops(likelihoods, table):
    n_classes = likelihoods.shape[1]
    shares = np.zeros((n_classes, n_classes))
    for row in likelihoods:
        spent = [sum(row[t] * table[t][d] for t in range(n_classes)) for d in range(n_classes)]
        best = [d for d in range(n_classes) if spent[d] <= min(spent) * (1 + 1e-12)]
        for t in range(n_classes):
            for d in best:
                shares[t, d] += row[t] / len(best)
    shares /= shares.sum(axis=1, keepdims=True)
    return [shares[t, d] for t in range(n_classes) for d in range(n_classes) if t != d]


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_rates_of_a_sample_by_loops(n_classes) -> None:
    observer, rng = ideal_observer(sample(60, n_classes)), np.random.default_rng(1)
    tables = rng.uniform(0.2, 3, (3, n_classes, n_classes))
    tables[:, range(n_classes), range(n_classes)] = 0
    vectors = tables[:, ~np.eye(n_classes, dtype=bool)]
    expected = [rates_by_loops(observer.likelihoods, table) for table in tables]
    np.testing.assert_allclose(observer.rates(tables), expected)
    np.testing.assert_allclose(observer.rates(vectors), expected)
    np.testing.assert_allclose(observer.rates(vectors[0]), expected[0])
    assert observer.rates(vectors[:1]).shape == (1, n_classes * (n_classes - 1))
    if n_classes > 2:
        np.testing.assert_allclose(observer.rates(tables[1]), expected[1])


def test_rates_of_densities_use_so_many_observations() -> None:
    costs = [1.0, 2, 3, 1, 1, 2]
    table = [[0, 1, 2], [3, 0, 1], [1, 2, 0]]
    for n in (1, 300):
        points = THREE._drawn(0, np.random.default_rng(3), n)
        found = THREE.rates(costs, n_points=n, rng=3)
        np.testing.assert_allclose(found, rates_by_loops(points, table))
    with pytest.raises(InvalidInput, match="n_points must be at least 1"):
        THREE.rates(costs, n_points=0)
    assert TWO.rates([1, 1], rng=2).tolist() == TWO.rates([1, 1], n_points=100_000, rng=2).tolist()


def test_shapes_of_costs() -> None:
    for costs in (np.ones(5), np.ones((2, 5)), np.ones((2, 2, 3)), np.ones((1, 1, 3, 3)), 2.0):
        with pytest.raises(InvalidInput) as reason:
            THREE.rates(costs)
        assert str(reason.value) == (
            f"costs have the shape {np.shape(costs)}; expected (6,) or (m, 6), a column for each "
            "kind of error, or tables (3, 3) or (m, 3, 3)."
        )
    for costs in ([1, -1e-9, 1, 1, 1, 1], [1, math.inf, 1, 1, 1, 1], [1, math.nan, 1, 1, 1, 1]):
        with pytest.raises(InvalidInput, match="costs must be finite non-negative numbers, got"):
            THREE.rates(costs)
    free = THREE.rates([0, 1, 1, 1, 1, 1], n_points=20, rng=0)  # a cost of 0 is allowed
    assert free.shape == (6,)
    with pytest.raises(InvalidInput, match="The correct decision must cost 0"):
        THREE.rates([[0, 1, 1], [1, 0, 1], [1, 1, 0.5]])
    with pytest.raises(InvalidInput, match="The correct decision must cost 0"):
        TWO.rates([[[0, 1], [1, 0]], [[0, 1], [1, 2]]])


def test_two_vectors_of_two_classes_are_no_table_unless_their_diagonal_is_0() -> None:
    observer = ideal_observer(sample(30, 2))
    for costs in ([[1, 0], [0, 1]], [[0, 1], [2, 1]], [[1, 2], [3, 0]]):
        both = observer.rates(costs)
        for row, vector in zip(both, costs, strict=True):
            np.testing.assert_array_equal(row, observer.rates(vector))
    with pytest.raises(InvalidInput) as reason:
        observer.rates([[0, 2], [3, 0]])
    assert str(reason.value).startswith(
        "costs [[0.0, 2.0], [3.0, 0.0]] may be a table of two classes or two cost vectors. Give a"
    )


# Reading


def test_posteriors_are_divided_by_their_means() -> None:
    table = [[0.5, 0.25, 0.25], [0.2, 0.2, 0.6], [0.1, 0.8, 0.1], [0.2, 0.75, 0.05]]
    found = ideal_observer(table).likelihoods
    for j in range(3):
        prior = sum(row[j] for row in table) / 4
        np.testing.assert_allclose(found[:, j], [row[j] / prior for row in table])
    single = ideal_observer(np.array(table, dtype=np.float32))
    assert single.likelihoods.dtype == np.float64 and single.n_classes == 3
    upright = ideal_observer(np.asfortranarray(table)).likelihoods
    assert upright.flags.c_contiguous
    assert ideal_observer([[1, 0], [0, 1]]).likelihoods.tolist() == [[2, 0], [0, 2]]


@pytest.mark.parametrize(("excess", "fine"), [(0.9e-4, True), (1.1e-4, False)])
def test_rows_add_up_to_1_within_a_ten_thousandth(excess, fine) -> None:
    for sign in (1, -1):
        rows = [[0.5, 0.5], [0.25, 0.75 + sign * excess], [3.0, 4.0]][: 2 if fine else 3]
        if fine:
            assert ideal_observer(rows).n_classes == 2
            continue
        with pytest.raises(InvalidInput) as reason:
            ideal_observer(rows)
        assert str(reason.value).startswith(
            "Probabilities must be from 0 to 1 and add up to 1 in each row, got [0.25, 0.7"
        )
        assert str(reason.value).endswith(" in row 1.")


def test_tables_that_are_no_posteriors() -> None:
    with pytest.raises(InvalidInput, match=r"got \[-0.5, 1.5\] in row 2"):
        ideal_observer([[0.5, 0.5], [0.0, 1.0], [-0.5, 1.5]])
    for table in (np.ones((3, 1)), np.full(4, 0.25), np.full((2, 2, 2), 0.5), np.empty((0, 2))):
        with pytest.raises(InvalidInput) as reason:
            ideal_observer(table)
        told = f"Probabilities must be (n, N), N ≥ 2, got the shape {table.shape}."
        assert str(reason.value) == told
    with pytest.raises(NotDefined) as nothing:
        ideal_observer([[0.5, 0, 0.5], [0.25, 0, 0.75]])
    assert str(nothing.value) == "Class 1 has probability 0 in every case. Leave it out."


class Plain:
    """A density that does not tell its dimensions."""

    def sample(self, n, rng):
        return rng.normal(size=(n, 2))

    def log_density(self, x):
        return -(x**2).sum(axis=1) / 2 - math.log(2 * math.pi)


def test_densities_are_told_from_tables() -> None:
    mixed = ideal_observer((GaussianMixture([1.0, 0]), Plain()))
    assert repr(mixed) == "IdealObserver(2 classes, densities)"
    assert mixed.likelihoods is None and len(mixed.densities) == 2
    assert mixed.rates([1, 1], n_points=50, rng=0).shape == (2,)
    assert repr(ideal_observer([[0.5, 0.5]])) == "IdealObserver(2 classes, 1 case)"
    assert repr(ideal_observer(np.full((1200, 3), 1 / 3))).startswith("IdealObserver(3 classes, 1")
    with pytest.raises(InvalidInput) as reason:
        ideal_observer([GaussianMixture([0, 0]), GaussianMixture([0]), GaussianMixture([0])])
    assert str(reason.value) == "Densities have [1, 2] dimensions. Give all of them as many."
    with pytest.raises(InvalidInput, match="One density is one class"):
        ideal_observer([Plain()])


def test_an_observer_does_not_change() -> None:
    with pytest.raises(AttributeError):
        TWO.densities = None  # type: ignore[misc]


def test_costs_keep_all_their_digits() -> None:
    costs = [0.1, 1 / 3, 1.0, 1 + 1e-12, 2 / 7, 1e-300]
    table, many = THREE._checked_costs(costs)
    assert table.tolist() == [costs] and not many
