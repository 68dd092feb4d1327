"""A search as it runs: options passed on, when it ends, Ctrl-C, checkpoints, islands, its line."""

import signal
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from surface.few_cases import CODES, NAMES, WEIGHTS, P, Y

from polyroc._storage.npz import read_arrays
from polyroc.errors import InvalidInput, InvalidType
from polyroc.surface import (
    RocSurface,
    ScoreModel,
    SearchStrategy,
    _islands,
    _runner,
    _search,
    search,
)
from polyroc.surface._checkpoint import checkpoint_of
from polyroc.surface._evolution import Evolution, Settings
from polyroc.surface._islands import _how_ended, island_seed, merged, search_islands
from polyroc.surface._progress import SearchProgress
from polyroc.surface._runner import (
    End,
    _checked_tolerance,
    _interruption,
    _seed,
    _settings,
    search_once,
)

MODEL = ScoreModel(Y, P, sample_weight=WEIGHTS)
TWO = ScoreModel([0, 1, 0, 1], [0.1, 0.35, 0.4, 0.8])
ALPHA = np.array([[0, 1, 2], [3, 0, 4], [5, 6, 0.0]])
BOUNDS = {("a", "b"): (0.1, 0.6)}


class Caught(Exception):
    """Ends a call that is only to be looked at."""


# Options


def test_search_passes_every_option_on(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[dict[str, Any]] = []

    def once(model: Any, **options: Any) -> str:
        calls.append({"model": model, **options})
        return "alone"

    def many(model: Any, islands: int, client: Any, **options: Any) -> str:
        calls.append({"model": model, "islands": islands, "client": client, **options})
        return "many"

    monkeypatch.setattr(_search, "search_once", once)
    monkeypatch.setattr(_search, "search_islands", many)
    own: dict[str, Any] = {
        "generations": 3, "costs_per_generation": 4, "objectives": "errors_of", "alpha": 2.0,
        "cost_bounds": BOUNDS, "strategy": "paper", "rng": 5, "checkpoint": "file",
        "tolerance": 0.1, "n_threads": 1,
    }  # fmt: skip
    assert search(MODEL, progress=False, **own) == "alone"  # type: ignore[comparison-overlap]
    assert calls.pop() == {"model": MODEL, "progress": False, **own}
    found: Any = search(MODEL, islands=2, client="c", **own)
    assert found == "many"
    assert calls.pop() == {"model": MODEL, "islands": 2, "client": "c", **own}
    search(MODEL)
    assert calls.pop() == {
        "model": MODEL, "generations": 10_000, "costs_per_generation": 100, "objectives": "pairs",
        "alpha": None, "cost_bounds": None, "strategy": "inherit", "rng": None,
        "checkpoint": None, "progress": True, "tolerance": None, "n_threads": None,
    }  # fmt: skip
    with pytest.raises(InvalidInput, match=r"Say how many with islands=\."):
        search(MODEL, client="c")


def test_what_is_no_model() -> None:
    with pytest.raises(InvalidType, match=r"got 3\. Use KnnModel, MlpModel, LinearModel or Scor"):
        search(3)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"no labelled cases\. Give it some with model\.on\(X"):
        search(MODEL.at(P))


def test_settings_of_a_search() -> None:
    plain = _settings(MODEL, 100, "pairs", "inherit", (None, None))
    assert plain == Settings(100, "pairs", "inherit", None, (), "pqrs")
    strategy = SearchStrategy("paper", "uniform")
    found = _settings(MODEL, 1, "errors_into", strategy, (ALPHA, BOUNDS))
    assert (found.costs_per_generation, found.objectives) == (1, "errors_into")
    assert (found.strategy, found.selection) == ("paper", "uniform")
    assert found.alpha == (1, 2, 3, 4, 5, 6)
    (bound,) = found.bounds
    assert (bound.cost, bound.other, bound.low, bound.high) == (0, None, 0.1, 0.6)


def test_one_search_with_its_defaults() -> None:
    found = search_once(MODEL, generations=2, rng=1)
    written = search_once(
        MODEL, generations=2, costs_per_generation=100, objectives="pairs", alpha=None,
        cost_bounds=None, strategy="inherit", rng=1, checkpoint=None, progress=False,
        tolerance=0.005, n_threads=1,
    )  # fmt: skip
    assert found.provenance == written.provenance and (found.rates == written.rates).all()
    assert found.provenance["costs_per_generation"] == 100 and found.provenance["seed"] == 1
    assert (found.classes, found.class_weights.tolist()) == (
        NAMES, [pytest.approx(WEIGHTS[k == CODES].sum()) for k in range(3)],
    )  # fmt: skip
    for options, says in (
        ({"generations": -1}, "generations must be at least 0"),
        ({"generations": 1, "costs_per_generation": 0}, "costs_per_generation must be at least 1"),
        ({"generations": 1, "progress": "yes"}, "progress"),
        ({"generations": 1, "n_threads": 0}, "n_threads"),
    ):
        with pytest.raises((InvalidInput, InvalidType), match=says):
            search_once(MODEL, **options)  # type: ignore[arg-type]
    assert search_once(MODEL, generations=0, rng=0).provenance["generations"] == 0


@pytest.mark.parametrize("threads", [None, 1, 3])
def test_threads_are_passed_on(monkeypatch: pytest.MonkeyPatch, threads: int | None) -> None:
    def evolution(model: Any, settings: Settings, seed: int, n_threads: int | None) -> None:
        raise Caught(model, seed, n_threads)

    monkeypatch.setattr(_runner, "Evolution", evolution)
    with pytest.raises(Caught) as caught:
        search_once(MODEL, generations=1, rng=7, n_threads=threads)
    assert caught.value.args == (MODEL, 7, threads)


def test_the_line_of_a_search_is_shown_where_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[int, bool]] = []

    def line(generations: int, **options: bool) -> SearchProgress:
        shown.append((generations, options["shown"]))
        return SearchProgress(generations, shown=False)

    monkeypatch.setattr(_runner, "SearchProgress", line)
    search(TWO, generations=3, rng=0)
    search(TWO, generations=4, rng=0, progress=False)
    search_once(TWO, generations=5, rng=0)
    search_islands(TWO, 1, generations=6, rng=0)
    assert shown == [(3, True), (4, False), (5, False), (6, False)]


# When a search ends


class Ran:
    """What is known of a search when it is asked whether to end."""

    def __init__(self, generation: int, size: int, change: float) -> None:
        self.generation, self.change = generation, change
        self.archive = type("Archive", (), {"size": size})

    def converged(self, tolerance: float) -> bool:
        return self.change < tolerance


@pytest.mark.parametrize(
    ("tolerance", "ran", "why"),
    [
        (0.01, (10, 99, 0.001), "converged"),
        (0.01, (3, 50_000, 0.001), "converged"),
        (0.01, (3, 50_000, 0.5), "points"),
        (0.01, (10, 50_000, 0.5), "points"),
        (0.01, (10, 49_999, 0.5), "generations"),
        (0.0, (10, 50_000, 0.5), "generations"),
        (0.0, (11, 50_000, 0.5), "generations"),
        (0.01, (9, 49_999, 0.5), "interrupted"),
        (0.0, (9, 50_000, 0.0), "interrupted"),
    ],
)
def test_why_a_search_ends(tolerance: float, ran: Any, why: str) -> None:
    end, evolution = End(10, tolerance), Ran(*ran)
    assert end.reason(evolution) == why  # type: ignore[arg-type]
    assert end.reached(evolution) == (why != "interrupted")  # type: ignore[arg-type]


def test_tolerances() -> None:
    inherit, paper = (Settings(100, "pairs", name, None) for name in ("inherit", "paper"))  # type: ignore
    assert _checked_tolerance(None, inherit) == 0.005
    assert _checked_tolerance(None, paper) == 0
    for settings in (inherit, paper):
        for given in (0, 0.25, np.float64(0.999)):
            found = _checked_tolerance(given, settings)
            assert found == given and type(found) is float
        for wrong in (-1e-9, 1, 1.5, np.nan, "1", True):
            with pytest.raises(InvalidInput, match="share from 0 to below 1, got"):
                _checked_tolerance(wrong, settings)  # type: ignore[arg-type]


# Ctrl-C


def test_the_first_interrupt_is_noted_and_the_second_is_one() -> None:
    before = signal.getsignal(signal.SIGINT)
    with _interruption() as stopped:
        assert not stopped.is_set() and signal.getsignal(signal.SIGINT) is not before
        signal.raise_signal(signal.SIGINT)
        assert stopped.is_set()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(Caught), _interruption():
        raise Caught
    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_leave_the_handler_alone() -> None:
    before = signal.getsignal(signal.SIGINT)
    seen: list[Any] = []

    def elsewhere() -> None:
        with _interruption() as stopped:
            seen.extend([stopped.is_set(), signal.getsignal(signal.SIGINT)])

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == [False, before]


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the third generation of any search."""
    advance = Evolution.advance

    def once(self: Evolution) -> None:
        advance(self)
        if self.generation == 3:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Evolution, "advance", once)


def test_an_interrupted_search_is_saved_and_goes_on(
    tmp_path: Path, interrupted: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "search.npz"
    found = search(MODEL, generations=6, rng=2, progress=False, checkpoint=path)
    assert found.provenance["stopped"] == "interrupted" and found.provenance["generations"] == 3
    whole = search(MODEL, generations=6, rng=2, progress=False, checkpoint=path)
    monkeypatch.undo()
    alone = search(MODEL, generations=6, rng=2, progress=False)
    assert whole.provenance == alone.provenance and (whole.rates == alone.rates).all()
    assert whole.provenance["stopped"] == "generations"


def test_islands_after_an_interrupted_one_are_not_searched(interrupted: None) -> None:
    found = search_islands(MODEL, 4, generations=6, rng=2)
    assert found.provenance["islands"] == 1 and found.provenance["stopped"] == "interrupted"
    assert found.provenance["generations"] == 3


# Checkpoints


def test_the_seed_of_a_search(tmp_path: Path) -> None:
    path = tmp_path / "search.npz"
    assert _seed(5, None) == 5 and _seed(np.int64(6), checkpoint_of(path)) == 6
    drawn = _seed(np.random.default_rng(1), checkpoint_of(path))
    assert drawn == int(np.random.default_rng(1).integers(2**63))
    search(TWO, generations=1, rng=8, progress=False, checkpoint=path)
    for rng in (None, np.random.default_rng(1)):
        assert _seed(rng, checkpoint_of(path)) == 8
    assert _seed(np.int64(9), checkpoint_of(path)) == _seed(9, checkpoint_of(path)) == 9
    assert _seed(np.random.default_rng(1), None) == drawn


def test_a_finished_search_is_not_written_again(tmp_path: Path) -> None:
    path = tmp_path / "search.npz"
    options: dict[str, Any] = {"rng": 8, "progress": False, "checkpoint": path}
    first = search(TWO, generations=3, **options)
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    for generations in (3, 2):
        again = search(TWO, generations=generations, **options)
        assert (again.rates == first.rates).all() and again.provenance["generations"] == 3
        assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    more = search(TWO, generations=5, **options)
    assert more.provenance["generations"] == 5
    header, _ = read_arrays(path, "polyroc search 2", "a search")
    assert header["progress"]["generation"] == 5 and header["identity"]["rng"] == 8


def test_a_search_is_saved_as_it_begins_while_it_runs_and_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polyroc._storage.checkpoint.SECONDS_BETWEEN_SAVES", -1.0)
    saved: list[int] = []
    save = _runner.save

    def noted(file: Any, evolution: Evolution) -> None:
        saved.append(evolution.generation)
        save(file, evolution)

    monkeypatch.setattr(_runner, "save", noted)
    search(TWO, generations=2, rng=0, progress=False, checkpoint=tmp_path / "search.npz")
    assert saved == [0, 1, 2, 2]
    search(TWO, generations=3, rng=0, progress=False, checkpoint=tmp_path / "search.npz")
    assert saved[4:] == [2, 3, 3]
    search(TWO, generations=3, rng=0, progress=False)
    assert len(saved) == 7


def test_one_search_at_a_time_saves_itself_to_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[Path] = []
    sole_run = _runner.sole_run

    def noted(path: Path) -> Any:
        held.append(path)
        return sole_run(path)

    monkeypatch.setattr(_runner, "sole_run", noted)
    path = tmp_path / "search.npz"
    search(TWO, generations=1, rng=0, progress=False)
    assert held == []
    search(TWO, generations=1, rng=0, progress=False, checkpoint=str(path))
    assert held == [path]
    with sole_run(path), pytest.raises(InvalidInput, match="two runs cannot share a checkpoint"):
        search(TWO, generations=1, rng=0, progress=False, checkpoint=path)


# Islands


def test_seeds_of_islands() -> None:
    for seed, island in ((0, 0), (0, 1), (7, 2)):
        drawn = np.random.default_rng(np.random.SeedSequence((seed, island))).integers(2**63)
        assert island_seed(seed, island) == drawn


class Workers:
    """A client that runs what it is given, when it is gathered."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, bool]] = []

    def submit(self, function: Any, *given: Any, pure: bool = True) -> Any:
        self.sent.append((function.__name__, pure))
        return lambda: function(*(each() if callable(each) else each for each in given))

    def gather(self, futures: list[Any]) -> list[Any]:
        return [future() for future in futures]


def test_workers_search_what_is_searched_here() -> None:
    client = Workers()
    options: dict[str, Any] = {"generations": 2, "rng": 3, "objectives": "errors_of"}
    there = search_islands(MODEL, 2, client, costs_per_generation=20, **options)
    here = search_islands(MODEL, 2, costs_per_generation=20, **options)
    assert client.sent == [("_itself", False), ("_island", False), ("_island", False)]
    assert there.provenance == here.provenance and (there.costs == here.costs).all()
    assert there.model is MODEL is here.model
    for half in (type("A", (), {"submit": 1})(), type("B", (), {"gather": 1})(), 5):
        with pytest.raises(InvalidType, match=r"client must be a distributed\.Client, got"):
            search_islands(MODEL, 2, half)


def test_what_all_islands_did() -> None:
    found = search_islands(MODEL, 3, generations=2, rng=3, costs_per_generation=20)
    alone = [
        search_once(MODEL, generations=2, rng=island_seed(3, i), costs_per_generation=20)
        for i in range(3)
    ]
    own = [each.provenance for each in alone]
    for name in ("generations", "evaluations"):
        assert found.provenance[name] == sum(each[name] for each in own)
    assert found.provenance["history"] == []
    assert found.provenance["island_histories"] == [each["history"] for each in own]
    assert found.provenance["island_seeds"] == [island_seed(3, i) for i in range(3)]
    assert (found.provenance["islands"], found.provenance["seed"]) == (3, 3)
    assert found.provenance["stopped"] == "generations"
    assert found.provenance["costs_per_generation"] == 20
    assert (found.classes, found.class_weights.tolist()) == (
        NAMES, alone[0].class_weights.tolist()
    )  # fmt: skip
    assert found.rates.tolist() == sorted(found.rates.tolist())


def test_defaults_of_islands(monkeypatch: pytest.MonkeyPatch) -> None:
    def once(model: Any, **options: Any) -> None:
        raise Caught(options)

    monkeypatch.setattr(_islands, "search_once", once)
    with pytest.raises(Caught) as caught:
        search_islands(MODEL, 1, rng=4)
    assert caught.value.args[0] == {
        "rng": island_seed(4, 0), "generations": 10_000, "progress": False,
    }  # fmt: skip
    with pytest.raises(Caught) as caught:
        search_islands(MODEL, 1, rng=4, generations=3, progress=True, tolerance=0.5)
    assert caught.value.args[0] == {
        "rng": island_seed(4, 0), "generations": 3, "progress": False, "tolerance": 0.5,
    }  # fmt: skip


def test_of_equal_points_those_of_the_first_island_stay() -> None:
    def island(rates: Any, cost: float, stopped: str) -> RocSurface:
        table = np.array(rates, dtype=float)
        costs = np.tile([[0, cost], [1 - cost, 0]], (len(table), 1, 1))
        source = {"seed": 1, "generations": 2, "evaluations": 3, "stopped": stopped, "history": []}
        none = np.full((len(table), 1), cost)
        return RocSurface(table, costs, none, (0, 1), np.array([2.0, 2.0]), source)

    one = island([[0.5, 0.25], [0.0, 1.0]], 0.25, "converged")
    two = island([[0.5, 0.25], [0.75, 0.0], [0.6, 0.3]], 0.75, "points")
    found = merged([one, two], TWO, 5, "pairs")
    assert found.rates.tolist() == [[0, 1], [0.5, 0.25], [0.75, 0]]
    assert found.costs[:, 0, 1].tolist() == [0.25, 0.25, 0.75]
    assert found.costs[:, 1, 0].tolist() == [0.75, 0.75, 0.25]
    assert found.parameters.tolist() == [[0.25], [0.25], [0.75]]
    assert found.provenance["stopped"] == "points" and found.model is TWO
    both = merged([two, one], TWO, 5, "pairs")
    assert both.costs[:, 0, 1].tolist() == [0.25, 0.75, 0.75]


@pytest.mark.parametrize(
    ("ways", "wanted"),
    [
        (["converged", "converged"], "converged"),
        (["converged", "points"], "points"),
        (["generations", "points"], "generations"),
        (["points", "generations", "interrupted"], "interrupted"),
        (["converged", "generations"], "generations"),
    ],
)
def test_how_all_islands_ended(ways: list[str], wanted: str) -> None:
    assert _how_ended(ways) == wanted


# The line


def test_the_line_is_brought_up_to_date_every_tenth_generation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[tuple[int, str]] = []
    line = SearchProgress(40, shown=False)
    monkeypatch.setattr(line, "to", lambda done, text: told.append((done, text)))
    evolution = Evolution(MODEL, Settings(4, "pairs", "inherit", None), 0)
    evolution.begin()
    line.of(evolution)
    assert told == []  # it is not shown
    monkeypatch.setattr(type(line), "active", True, raising=False)
    for generation in range(1, 22):
        evolution.generation = generation
        line.of(evolution)
    size, share = evolution.archive.size, evolution.share()
    text = f"{size:,} on the front, G = {share:.4f}"
    assert told == [(1, text), (10, text), (20, text)]
    resumed = SearchProgress(40, shown=False)
    monkeypatch.setattr(resumed, "to", lambda done, text: told.append((done, text)))
    evolution.generation = 15
    resumed.of(evolution)
    resumed.of(evolution)
    assert told[3:] == [(15, text)]


def test_the_line_hears_of_every_generation(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[int] = []
    monkeypatch.setattr(SearchProgress, "of", lambda _, run: heard.append(run.generation))
    search(TWO, generations=4, rng=0)
    assert heard == [1, 2, 3, 4]
