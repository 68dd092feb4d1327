"""The search: invariants, exact small cases, stopping and going on."""

import itertools
import json
import signal
import threading
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

from polyroc.curves import roc_curve
from polyroc.datasets import three_class_mixture
from polyroc.errors import InvalidInput, InvalidType
from polyroc.surface import KnnModel, LinearModel, MlpModel, RocSurface, ScoreModel, search
from polyroc.surface import _rates as rates
from polyroc.surface._cost_space import CostSpace
from polyroc.surface._evolution import Evolution, Settings, worth_recording
from polyroc.surface._gini import GiniTracker
from polyroc.surface._objectives import objective_values, on_front
from polyroc.surface._strategies import Variation

X, Y = three_class_mixture((30, 30, 30), rng=0)


def same(one: RocSurface, other: RocSurface) -> bool:
    """Bit for bit, history included."""
    arrays = ("rates", "costs", "parameters", "class_weights")
    equal = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)
    return equal and json.dumps(one.provenance) == json.dumps(other.provenance)


def some_scores(n: int, n_classes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=n - n_classes)])
    return y, rng.dirichlet(np.ones(n_classes), n) * 0.7 + 0.3 * np.eye(n_classes)[y]


@pytest.mark.parametrize("objectives", ["pairs", "errors_of", "errors_into"])
@pytest.mark.parametrize("strategy", ["inherit", "paper"])
def test_members_do_not_dominate_each_other(strategy: str, objectives: str) -> None:
    surface = search(
        KnnModel(X, Y), generations=60, strategy=strategy, objectives=objectives, rng=0
    )
    assert on_front(objective_values(surface.rates, 3, objectives)).all()
    assert surface.rates.tolist() == sorted(surface.rates.tolist())
    assert np.allclose(surface.costs.sum(axis=(1, 2)), 1)
    assert not surface.costs[:, range(3), range(3)].any()


@pytest.mark.parametrize("model", [KnnModel(X, Y), MlpModel(X, Y), LinearModel(X, Y)])
def test_rates_belong_to_the_costs_and_parameters_beside_them(model: KnnModel) -> None:
    surface = search(model, generations=40, rng=1)
    for member in range(0, len(surface), 7):
        p = model.probabilities(surface.parameters[member])
        decided = [int(np.argmin(row @ surface.costs[member])) for row in p]
        table = np.zeros((3, 3))
        np.add.at(table, (Y, decided), 1 / 30)
        assert np.allclose(surface.confusion[member], table)


@pytest.mark.parametrize("strategy", ["inherit", "paper"])
def test_the_dominated_share_never_falls(strategy: str) -> None:
    history = np.array(search(KnnModel(X, Y), generations=80, rng=2).provenance["history"])
    assert (np.diff(history[:, 2]) >= 0).all()
    assert history[-1, 2] > history[0, 2]
    evolution = Evolution(KnnModel(X, Y), Settings(20, "pairs", strategy, None), seed=3)
    evolution.begin()
    values = []
    for _ in range(10):
        evolution.advance()
        from polyroc.surface._gini import gini

        values.append(gini(evolution.archive.rates, 3).value)
    assert all(b >= a - 1e-12 for a, b in itertools.pairwise(values))


def test_history_has_90_entries_per_power_of_ten() -> None:
    recorded = [t for t in range(1, 1001) if worth_recording(t)]
    assert recorded[:12] == [*range(1, 13)]
    assert [t for t in recorded if 100 < t <= 130] == [110, 120, 130]
    assert len([t for t in recorded if 100 < t <= 1000]) == 90


# The same seed


@pytest.mark.parametrize("half", [12, pytest.param(50, marks=pytest.mark.slow)])
@pytest.mark.parametrize("objectives", ["pairs", "errors_of"])
@pytest.mark.parametrize("strategy", ["inherit", "paper"])
def test_two_halves_of_the_generations_are_the_whole(
    tmp_path: Path, strategy: str, objectives: str, half: int
) -> None:
    path = tmp_path / "search.npz"
    options = {"strategy": strategy, "objectives": objectives, "rng": 5}
    model = MlpModel(X, Y, hidden=2)
    search(model, generations=half, checkpoint=path, **options)
    resumed = search(model, generations=2 * half, checkpoint=path, **options)
    assert same(resumed, search(model, generations=2 * half, **options))


def test_threads_do_not_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "_WORTH_A_THREAD", 0)
    one, two = (search(KnnModel(X, Y), generations=40, rng=6, n_threads=n) for n in (1, 2))
    assert same(one, two)


def test_seeds_differ_and_generators_are_taken() -> None:
    model = KnnModel(X, Y)
    assert not same(search(model, generations=5, rng=1), search(model, generations=5, rng=2))
    one, two = (search(model, generations=5, rng=np.random.default_rng(3)) for _ in range(2))
    assert same(one, two)


# Exact small cases


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("ties", [False, True])
def test_two_classes_give_the_roc_curve(seed: int, ties: bool) -> None:
    """The surface of fixed scores is the curve's non-dominated points, from the start."""
    y, p = some_scores(150, 2, seed)
    p = np.round(p, 1) if ties else p
    p[:, 0] = 1 - p[:, 1]
    curve = roc_curve(y, p[:, 1])
    points = np.column_stack([curve.false_positive_rate, 1 - curve.true_positive_rate])
    points = np.unique(points[on_front(points)], axis=0)
    for generations in (0, 30):
        surface = search(ScoreModel(y, p), generations=generations, rng=0)
        assert np.allclose(surface.rates, points, atol=1e-15)


def all_partitions(p: np.ndarray) -> list[tuple[int, ...]]:
    """Decisions of the cases under all costs, by linear programs, one case after the other.

    A set of decisions is kept if some costs prefer each of them by a margin.
    """

    def prefers(case: np.ndarray, decided: int, other: int) -> list[float]:
        table = np.zeros((3, 3))
        table[:, decided] += case
        table[:, other] -= case
        return [*table[~np.eye(3, dtype=bool)], 1.0]  # ≤ 0 with the margin as last variable

    found: list[tuple[int, ...]] = [()]
    for _ in p:
        longer = []
        for prefix in found:
            for decided in range(3):
                decisions = (*prefix, decided)
                rows = [
                    prefers(p[i], j, other)
                    for i, j in enumerate(decisions)
                    for other in range(3)
                    if other != j
                ]
                best = linprog(
                    [0] * 6 + [-1],
                    rows,
                    np.zeros(len(rows)),
                    [[1] * 6 + [0]],
                    [1],
                    bounds=[(0, 1)] * 6 + [(None, None)],
                )
                if -best.fun > 1e-9:
                    longer.append(decisions)
        found = longer
    return found


def slow_surface(y: np.ndarray, p: np.ndarray) -> np.ndarray:
    tables = []
    for decisions in all_partitions(p):
        table = np.zeros((3, 3))
        np.add.at(table, (y, list(decisions)), 1)
        tables.append((table / table.sum(axis=1, keepdims=True))[~np.eye(3, dtype=bool)])
    points = np.array(tables)
    return np.unique(points[on_front(points)], axis=0)


@pytest.mark.parametrize(
    ("n", "seed"),
    [(5, 0), (6, 1), *(pytest.param(n, n, marks=pytest.mark.slow) for n in (8, 9, 10))],
)
def test_three_classes_give_all_partitions_that_costs_induce(n: int, seed: int) -> None:
    y, p = some_scores(n, 3, seed)
    surface = search(ScoreModel(y, p), generations=1000, rng=0)
    assert np.allclose(surface.rates, slow_surface(y, p), atol=1e-15)


def test_many_cases_of_two_classes_are_exact_too() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=12_000)
    p = 1 / (1 + np.exp(-rng.normal(y)))
    curve = roc_curve(y, p)
    points = np.column_stack([curve.false_positive_rate, 1 - curve.true_positive_rate])
    surface = search(ScoreModel(y, p), generations=0, rng=0)
    assert len(surface) == len(np.unique(points[on_front(points)], axis=0))


def test_the_scale_of_weights_does_not_matter() -> None:
    y, p = some_scores(60, 3, 0)
    weights = np.random.default_rng(1).integers(1, 6, 60)
    whole = search(ScoreModel(y, p, sample_weight=weights), generations=40, rng=0)
    tenths = search(ScoreModel(y, p, sample_weight=weights * 0.1), generations=40, rng=0)
    assert np.allclose(whole.rates, tenths.rates, atol=1e-11)
    repeated = ScoreModel(np.repeat(y, weights), np.repeat(p, weights, axis=0))
    assert np.allclose(whole.rates, search(repeated, generations=40, rng=0).rates, atol=1e-11)


# Focus


def test_alpha_focuses_the_costs() -> None:
    alpha = 1 + 200 * np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    model = KnnModel(X, Y)
    for strategy in ("inherit", "paper"):
        surface = search(model, generations=30, alpha=alpha, strategy=strategy, rng=0)
        wide = search(model, generations=30, strategy=strategy, rng=0)
        assert np.median(surface.costs[:, 0, 1]) > 0.9 > np.median(wide.costs[:, 0, 1])
    assert len(search(model, generations=3, alpha=0.5, rng=0)) > 0


def test_steps_of_costs_are_taken_with_the_ratio_of_their_densities() -> None:
    alpha = np.array([4.0, 1.0, 1.0])
    variation = Variation("inherit", alpha, True, CostSpace(alpha))
    near, far = (np.tile(costs, (20_000, 1)) for costs in ([0.5, 0.25, 0.25], [0.4, 0.3, 0.3]))
    for before, after, expected in ((near, far, (0.4 / 0.5) ** 3), (far, near, 1)):
        found = variation._kept_in_focus(before, after.copy(), np.random.default_rng(0))
        assert abs((found == after).all(axis=1).mean() - expected) < 0.015


# Stopping


def test_a_file_of_another_search_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "search.npz"
    model = KnnModel(X, Y)
    search(model, generations=3, rng=1, checkpoint=path)
    before = path.read_bytes()
    calls = {
        "rng": lambda: search(model, generations=5, rng=2, checkpoint=path),
        "data": lambda: search(KnnModel(X + 1, Y), generations=5, rng=1, checkpoint=path),
        "model": lambda: search(LinearModel(X, Y), generations=5, rng=1, checkpoint=path),
        "alpha": lambda: search(model, generations=5, rng=1, alpha=2, checkpoint=path),
        "strategy": lambda: search(model, generations=5, rng=1, strategy="paper", checkpoint=path),
    }
    for what, call in calls.items():
        with pytest.raises(InvalidInput, match=f"different .*{what}"):
            call()
    for content in (b"", b"not an archive", before[:500], before[: len(before) // 2]):
        other = tmp_path / "other.npz"
        other.write_bytes(content)
        with pytest.raises(InvalidInput, match="not a search that can be continued"):
            search(model, generations=5, rng=1, checkpoint=other)
        assert other.read_bytes() == content
    assert path.read_bytes() == before


def test_without_a_seed_the_file_gives_it(tmp_path: Path) -> None:
    path = tmp_path / "search.npz"
    first = search(KnnModel(X, Y), generations=4, checkpoint=path)
    again = search(KnnModel(X, Y), generations=4, checkpoint=path)
    assert same(first, again)
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "search.npz",
        "search.npz.polyroc-previous",
    ]


def test_a_file_that_cannot_be_written_is_told_before_the_search(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"not a search|cannot be written"):
        search(KnnModel(X, Y), generations=10**9, checkpoint=tmp_path)


def test_a_missing_folder_is_told_before_the_search(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no folder"):
        search(KnnModel(X, Y), generations=10**9, checkpoint=tmp_path / "no" / "search.npz")


def test_interrupting_returns_the_surface_so_far(tmp_path: Path) -> None:
    path = tmp_path / "search.npz"
    model = KnnModel(X, Y)
    search(model, generations=1, rng=0)  # compiled before the clock starts
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    surface = search(model, generations=10**7, tolerance=0, rng=0, checkpoint=path)
    done = surface.provenance["generations"]
    assert 0 < done < 10**7
    more = search(model, generations=done + 5, tolerance=0, rng=0, checkpoint=path)
    assert same(more, search(model, generations=done + 5, tolerance=0, rng=0))


# Options


@pytest.mark.parametrize("number", [1, 2, 3])
def test_few_costs_per_generation_are_enough(number: int) -> None:
    surface = search(KnnModel(X, Y), generations=30, costs_per_generation=number, rng=0)
    assert surface.provenance["evaluations"] == 100 + 30 * number


def test_bad_options_are_named() -> None:
    model = KnnModel(X, Y)
    for options, says in [
        ({"generations": -1}, "generations"),
        ({"costs_per_generation": 0}, "costs_per_generation"),
        ({"objectives": "all"}, "objectives"),
        ({"strategy": "greedy"}, "strategy"),
        ({"alpha": -1}, "alpha"),
        ({"alpha": np.ones((2, 2))}, "alpha"),
        ({"alpha": "wide"}, "alpha"),
        ({"n_threads": 0}, "n_threads"),
    ]:
        with pytest.raises(InvalidInput, match=says):
            search(model, **options)
    with pytest.raises(InvalidType, match=r"polyroc\.surface\.Model"):
        search("knn")  # type: ignore[arg-type]


def test_progress_is_silent_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    search(KnnModel(X, Y), generations=20, rng=0, progress=True)
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


# When a search ends


def hard_scores(n: int = 60) -> ScoreModel:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, n)
    p = np.exp(rng.normal(size=(n, 3)) + np.eye(3)[y])
    return ScoreModel(y, p / p.sum(axis=1, keepdims=True))


def test_a_search_ends_when_g_has_converged_and_says_so(tmp_path: Path) -> None:
    """G at every 10,000 evaluations, recounted, ends the search; so does the limit."""
    model, path = hard_scores(), tmp_path / "search.npz"
    found = search(model, costs_per_generation=500, rng=0)
    done = found.provenance["generations"]
    assert found.provenance["stopped"] == "converged" and 40 <= done < 1000 and done % 20 == 0
    evolution, shares = Evolution(model, Settings(500, "pairs", "inherit", None), 0), []
    evolution.begin()
    for generation in range(1, done + 1):
        evolution.advance()
        if generation % 20 == 0:
            tracker = GiniTracker(3)
            tracker.add(evolution.archive.rates)
            shares.append(tracker.share)
    gains = np.diff(shares) / shares[1:]
    assert (gains[:-1] >= 0.005).all() and gains[-1] < 0.005
    options = {"costs_per_generation": 500, "rng": 0, "checkpoint": path}
    part = search(model, generations=done - 7, **options)  # type: ignore[arg-type]
    assert part.provenance["stopped"] == "generations"
    for generations in (done, 10_000):
        resumed = search(model, generations=generations, **options)  # type: ignore[arg-type]
        assert same(resumed, found)


def test_the_search_of_the_paper_runs_all_generations() -> None:
    y, p = [0, 1, 0, 1], [0.1, 0.35, 0.4, 0.8]  # G is exact from the start
    found = search(ScoreModel(y, p), generations=250, strategy="paper", rng=0)
    assert (found.provenance["generations"], found.provenance["stopped"]) == (250, "generations")
    found = search(ScoreModel(y, p), rng=0)
    assert (found.provenance["generations"], found.provenance["stopped"]) == (100, "converged")
    found = search(ScoreModel(y, p), generations=250, tolerance=0, rng=0)
    assert (found.provenance["generations"], found.provenance["stopped"]) == (250, "generations")
    for wrong in (-0.1, 1, np.nan, "fast", True):
        with pytest.raises(InvalidInput, match="tolerance must be a share"):
            search(ScoreModel(y, p), tolerance=wrong)  # type: ignore[arg-type]


def test_a_front_of_many_points_is_searched_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyroc.surface._runner.MOST_POINTS", 200)
    found = search(hard_scores(), rng=0)
    assert found.provenance["stopped"] == "points" and 200 <= len(found) < 300
    assert len(search(hard_scores(), generations=20, tolerance=0, rng=0)) > 300


def test_a_host_keeps_a_signal_handler_that_python_cannot_put_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where a program that embeds Python has a handler of its own, Python knows it as None."""
    installed: list[object] = []

    def install(number: int, handler: object) -> None:
        if handler is None:
            raise TypeError("signal handler must be signal.SIG_IGN, signal.SIG_DFL, or a callable")
        installed.append(handler)

    monkeypatch.setattr(signal, "getsignal", lambda number: None)
    monkeypatch.setattr(signal, "signal", install)
    model = ScoreModel([0, 1, 0, 1], [0.1, 0.35, 0.4, 0.8])
    assert len(search(model, generations=5, rng=0)) == 2
    assert not installed
