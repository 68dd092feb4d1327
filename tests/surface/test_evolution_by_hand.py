"""Generations of a search repeated step by step; snapshots, marks, and files that are no search."""

import copy
import json
import math
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyroc._version import __version__
from polyroc.errors import InvalidInput
from polyroc.surface import KnnModel, LinearModel, ScoreModel, search
from polyroc.surface import _evolution as evolutions
from polyroc.surface._archive import Archive
from polyroc.surface._checkpoint import checkpoint_of, restore, save
from polyroc.surface._cost_space import Bound, bounded_space
from polyroc.surface._evolution import Evolution, Settings, worth_recording
from polyroc.surface._front import surface_of
from polyroc.surface._gini import GiniTracker
from polyroc.surface._objectives import searched
from polyroc.surface._rates import error_rates
from polyroc.surface._strategies import Variation
from polyroc.surface._thresholds import first_thresholds

RNG = np.random.default_rng(5)
Y = np.repeat([0, 1, 2], [5, 7, 9])
X = RNG.normal(size=(21, 2)) + np.eye(3)[Y][:, :2]
P = RNG.dirichlet(np.ones(3), 21) * 0.7 + 0.3 * np.eye(3)[Y]


def settings(**changes: Any) -> Settings:
    known: dict[str, Any] = {"costs_per_generation": 12, "objectives": "pairs",
                             "strategy": "inherit", "alpha": None}  # fmt: skip
    return Settings(**{**known, **changes})


def chosen_by_hand(archive: Archive, children: int, rng: np.random.Generator) -> int:
    """One of twenty bins of an objective's range in turn, a member of it at random."""
    values = archive.objectives[:, rng.integers(archive.objectives.shape[1])]
    first, pick = children * (math.sqrt(5) - 1) / 2 % 1, rng.random()
    span = values.max() - values.min()
    if span <= 0:
        return int(pick * len(values))
    bins = [min(19, int((value - values.min()) / span * 20)) for value in values]
    wanted = int(first * 20)
    while wanted not in bins:
        wanted = (wanted + 1) % 20
    members = [i for i, own in enumerate(bins) if own == wanted]
    return members[int(pick * len(members))]


def by_hand(model: Any, known: Settings, seed: int, generations: int) -> tuple[Archive, int]:
    rng = np.random.default_rng(seed)
    alpha = np.ones(6) if known.alpha is None else np.array(known.alpha)
    space = bounded_space(tuple(alpha.tolist()), known.bounds)
    variation = Variation(known.strategy, alpha, known.alpha is not None, space)
    archive = Archive(3, len(model.noise), searched(known.objectives))
    evaluations = children = 0

    def tried(parameters: np.ndarray, costs: np.ndarray) -> None:
        nonlocal evaluations
        rates = error_rates(model.probabilities(parameters), model.cases, costs)
        archive.insert(rates, costs, parameters)
        evaluations += len(costs)

    costs = variation.fresh(100, rng)
    seeds = model.seeds(rng)
    if not seeds:
        seeds = [model.draw(rng) for _ in range(100)]
    for place, each in enumerate(seeds):
        tried(each, costs[[i for i in range(100) if i % len(seeds) == place]])
    if isinstance(model, ScoreModel) and known.strategy == "inherit" and known.alpha is None:
        for steps in first_thresholds(model.X, model.cases, space):
            tried(np.zeros(0), steps)
    for _ in range(generations):
        for number in variation.costs_per_child(known.costs_per_generation):
            children += 1
            if known.selection == "uniform":
                parent = int(rng.integers(archive.size))
            else:
                parent = chosen_by_hand(archive, children, rng)
            child = variation.parameters(model, archive.parameters[parent], rng)
            p = model.probabilities(child)
            tried(child, variation.costs(archive, parent, p, number, rng))
    return archive, evaluations


CHANGES: list[dict[str, Any]] = [
    {},
    {"strategy": "paper", "costs_per_generation": 7},
    {"selection": "uniform"},
    {"alpha": (2.0, 1.0, 3.0, 1.0, 1.0, 0.5)},
    {"objectives": "errors_of"},
]


@pytest.mark.parametrize(
    ("kind", "changes"),
    [*((kind, each) for kind in ("knn", "scores") for each in CHANGES), ("linear", {})],
)
def test_generations_step_by_step(kind: str, changes: dict[str, Any]) -> None:
    model = {"knn": KnnModel, "linear": LinearModel}.get(kind, ScoreModel)
    made: Any = model(X, Y) if kind != "scores" else ScoreModel(Y, P)
    known = settings(**changes)
    evolution = Evolution(made, known, 3)
    assert (evolution.generation, evolution.children, evolution.evaluations) == (0, 0, 0)
    evolution.begin()
    for _ in range(4):
        evolution.advance()
    archive, evaluations = by_hand(made, known, 3, 4)
    assert evolution.evaluations == evaluations and evolution.generation == 4
    assert evolution.children == (4 if known.strategy == "paper" else 8)
    for name in ("rates", "costs", "parameters", "objectives"):
        assert np.array_equal(getattr(evolution.archive, name), getattr(archive, name))
    wanted = GiniTracker(3)
    wanted.add(archive.rates)
    assert evolution.share() == evolution.share() == wanted.share
    assert evolution.history[-1] == (4, archive.size, wanted.share)
    assert [each[0] for each in evolution.history] == [1, 2, 3, 4]


def test_settings_for_files() -> None:
    plain = {"costs_per_generation": 12, "objectives": "pairs", "strategy": "inherit",
             "alpha": None}  # fmt: skip
    assert settings().to_dict() == plain and settings() == settings()
    assert settings(alpha=(1.0, 2.0)).to_dict() == {**plain, "alpha": [1.0, 2.0]}
    bounds = (Bound(0, None, 0.1, 0.5), Bound(1, 2, 2.0, math.inf))
    listed = [[0, None, 0.1, 0.5], [1, 2, 2.0, math.inf]]
    assert settings(bounds=bounds).to_dict() == {**plain, "cost_bounds": listed}
    uniform = settings(selection="uniform").to_dict()
    assert uniform == {**plain, "selection": "uniform"}
    assert list(settings(objectives=(max, "pairs")).to_dict()["objectives"]) == ["max", "pairs"]
    with pytest.raises(FrozenInstanceError):
        settings().alpha = None  # type: ignore[misc]


@pytest.mark.parametrize(
    ("costs", "marked"),
    [(20, [0, 3, 6]), (25, [0, 2, 4, 6]), (50, [0, 1, 2, 3, 4, 5, 6]), (49, [0, 2, 4, 6])],
)
def test_marks_come_after_as_many_evaluations(
    costs: int, marked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evolutions, "EVALUATIONS_BETWEEN_MARKS", 50)
    evolution = Evolution(ScoreModel(Y, P), settings(costs_per_generation=costs), 0)
    evolution.begin()
    shares = [evolution.share()]
    for _ in range(6):
        evolution.advance()
        shares.append(evolution.share())
    assert evolution.marks == [(each, shares[each]) for each in marked]


def test_ten_thousand_evaluations_make_a_mark() -> None:
    model = ScoreModel(Y[::3], P[::3])
    for costs, marked in ((10_000, [0, 1, 2]), (9_999, [0, 2])):
        evolution = Evolution(model, settings(costs_per_generation=costs, strategy="paper"), 0)
        evolution.begin()
        evolution.advance()
        evolution.advance()
        assert [mark[0] for mark in evolution.marks] == marked


def test_a_search_has_converged_when_the_last_two_marks_agree() -> None:
    evolution = Evolution(ScoreModel(Y, P), settings(), 0)
    said: list[tuple[list[float], float, bool]] = [
        ([], 0.5, False),
        ([0.5], 0.5, False),
        ([0.5, 0.5], 0.1, True),
        ([0.5, 0.5], 0.0, False),
        ([0.25, 0.5], 0.5, False),  # as much as the tolerance is no convergence
        ([0.26, 0.5], 0.5, True),
        ([0.5, 0.25], 0.5, False),
        ([0.35, 0.25], 0.5, True),
        ([0.0, 0.0], 0.5, False),
        ([0.1, 0.5, 0.5], 0.01, True),
        ([0.5, 0.5, 0.9], 0.01, False),
        ([0.5, 0.5, 0.9, 0.9], 0.01, True),
    ]
    for shares, tolerance, wanted in said:
        evolution.marks = list(enumerate(shares))
        assert bool(evolution.converged(tolerance)) is wanted


def test_generations_worth_recording() -> None:
    for first, last, step in ((1, 99, 1), (100, 999, 10), (1000, 9999, 100), (10000, 12000, 1000)):
        found = [each for each in range(first, last + 1) if worth_recording(each)]
        assert found == [each for each in range(first, last + 1) if each % step == 0]


def test_threads_are_those_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    real = evolutions.error_rates

    def told(probabilities: Any, cases: Any, costs: Any, n_threads: Any = "none") -> Any:
        seen.append(n_threads)
        return real(probabilities, cases, costs, 1)

    monkeypatch.setattr(evolutions, "error_rates", told)
    for threads in (2, None):
        seen.clear()
        evolution = Evolution(ScoreModel(Y, P), settings(), 0, threads)
        evolution.begin()
        assert set(seen) == {threads}
    assert Evolution(ScoreModel(Y, P), settings(), 7).n_threads is None


# Stopping and resuming


def begun(generations: int = 2, **changes: Any) -> Evolution:
    evolution = Evolution(KnnModel(X, Y), settings(**changes), 3)
    evolution.begin()
    for _ in range(generations):
        evolution.advance()
    return evolution


def test_a_snapshot_has_all_that_resuming_needs() -> None:
    first = begun(3)
    progress, arrays = copy.deepcopy(first.snapshot())
    assert {name: progress[name] for name in ("seed", "generation", "children", "evaluations")} == {
        "seed": 3, "generation": 3, "children": 6, "evaluations": 136}  # fmt: skip
    assert progress["history"] == first.history and progress["marks"] == first.marks
    second = Evolution(KnnModel(X, Y), settings(), 3)
    second.resume(json.loads(json.dumps(progress)), arrays)
    assert second.history == first.history and second.marks == first.marks
    assert second.share() == first.share()
    for each in (first, second):
        each.advance()
    for name in ("rates", "costs", "parameters"):
        one, two = (getattr(each.archive, name) for each in (first, second))
        assert np.array_equal(one[np.lexsort(one.T)], two[np.lexsort(two.T)])
    assert second.evaluations == first.evaluations == 148
    assert second.history == first.history and second.children == 8
    old = {name: value for name, value in progress.items() if name != "marks"}
    third = Evolution(KnnModel(X, Y), settings(), 3)
    third.resume(old, arrays)  # a file of an earlier version
    assert third.marks == []


def changed(name: str, place: tuple[int, int], value: float) -> Any:
    def change(progress: dict[str, Any], arrays: dict[str, Any]) -> None:
        arrays[name] = arrays[name].copy()
        arrays[name][place] = value

    return change


def counted(name: str, value: Any) -> Any:
    def change(progress: dict[str, Any], arrays: dict[str, Any]) -> None:
        progress[name] = value

    return change


def arrayed(name: str, make: Any) -> Any:
    def change(progress: dict[str, Any], arrays: dict[str, Any]) -> None:
        arrays[name] = make(arrays[name])

    return change


NO_ROWS = "its archive does not contain rows of finite numbers"
NO_RATES = "its archive does not contain rates and costs"


def emptied(progress: dict[str, Any], arrays: dict[str, Any]) -> None:
    arrays.update({name: array[:0] for name, array in arrays.items()})


def without_costs(progress: dict[str, Any], arrays: dict[str, Any]) -> None:
    arrays["costs"] = arrays["costs"].copy()
    arrays["costs"][1] = 0


def dominated(progress: dict[str, Any], arrays: dict[str, Any]) -> None:
    arrays["rates"] = arrays["rates"].copy()
    arrays["rates"][1] = arrays["rates"][0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (emptied, NO_RATES),
        (changed("rates", (1, 2), -1e-9), NO_RATES),
        (changed("rates", (0, 5), 1 + 1e-9), NO_RATES),
        (changed("costs", (1, 0), -1e-9), NO_RATES),
        (changed("rates", (0, 0), math.nan), NO_ROWS),
        (changed("costs", (0, 0), math.inf), NO_ROWS),
        (changed("costs", (0, 0), 2e100), NO_ROWS),
        (changed("parameters", (0, 0), -2e100), NO_ROWS),
        (arrayed("rates", lambda a: a[:, :5]), NO_ROWS),
        (arrayed("rates", lambda a: a[:-1]), NO_ROWS),
        (arrayed("costs", lambda a: a[:, :5]), NO_ROWS),
        (arrayed("costs", lambda a: a[:-1]), NO_ROWS),
        (arrayed("parameters", lambda a: a[:, :1]), NO_ROWS),
        (arrayed("parameters", lambda a: a[:-1]), NO_ROWS),
        (arrayed("rates", lambda a: a.astype(np.float32)), NO_ROWS),
        (arrayed("costs", lambda a: a[..., None]), NO_ROWS),
        (without_costs, "some costs in its archive are all 0"),
        (dominated, "the members of its archive dominate each other"),
        (counted("generation", -1), "it counts -1 of something"),
        (counted("children", 2.0), "it counts 2.0 of something"),
        (counted("evaluations", True), "it counts True of something"),
        (counted("generation", 2**63), f"it counts {2**63} of something"),
        (counted("history", [[1, -2, 0.5]]), "it counts -2 of something"),
        (counted("history", [["x", 2, 0.5]]), "it counts 'x' of something"),
        (counted("marks", [[-3, 0.5]]), "it counts -3 of something"),
    ],
)
def test_what_cannot_be_a_snapshot(change: Any, words: str) -> None:
    progress, arrays = copy.deepcopy(begun().snapshot())
    assert len(arrays["rates"]) > 2
    change(progress, arrays)
    again = Evolution(KnnModel(X, Y), settings(), 3)
    with pytest.raises(ValueError, match=words):
        again.resume(progress, arrays)


def test_what_can_just_be_a_snapshot() -> None:
    """Rates of 0 and 1, costs of 0 beside others, the largest numbers and counts."""
    evolution = Evolution(KnnModel(X, Y), settings(), 3)
    arrays = {
        "rates": np.array([[0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]]),
        "costs": np.array([[1e-100, 0, 0, 0, 0, 0], [0.0, 1e100, 0, 0, 0, 0]]),
        "parameters": np.array([[1e100, -1e100], [0.0, 1.0]]),
    }
    progress = {**begun().snapshot()[0], "generation": 2**63 - 1, "children": 0, "evaluations": 0}
    evolution.resume(progress, arrays)
    assert evolution.archive.size == 2 and evolution.generation == 2**63 - 1
    small = {**arrays, "costs": np.array([[0.9e-100, 0, 0, 0, 0, 0], [0.0, 1.0, 0, 0, 0, 0]])}
    with pytest.raises(ValueError, match="some costs in its archive are all 0"):
        Evolution(KnnModel(X, Y), settings(), 3).resume(progress, small)


# Files


def lowest(rates: Any) -> float:
    return float(max(rates))


def highest(rates: Any) -> float:
    return float(sum(rates))


def test_files_hold_what_a_search_is_about(tmp_path: Path) -> None:
    file = checkpoint_of(tmp_path / "search.npz")
    evolution = begun()
    fresh = Evolution(KnnModel(X, Y), settings(), 3)
    assert restore(file, fresh) is False and fresh.archive.size == 0
    save(file, evolution)
    assert restore(file, fresh) is True
    assert np.array_equal(fresh.archive.rates, evolution.archive.rates)
    save(file, evolution)
    assert (tmp_path / "search.npz.polyroc-previous").exists()
    for what, other in {
        "costs_per_generation": Evolution(KnnModel(X, Y), settings(costs_per_generation=13), 3),
        "selection": Evolution(KnnModel(X, Y), settings(selection="uniform"), 3),
        "objectives": Evolution(KnnModel(X, Y), settings(objectives="errors_of"), 3),
        "rng": Evolution(KnnModel(X, Y), settings(), 4),
        "data": Evolution(KnnModel(X, Y[::-1].copy()), settings(), 3),
        "model": Evolution(LinearModel(X, Y), settings(), 3),
    }.items():
        with pytest.raises(InvalidInput, match=f"with different .*{what}"):
            restore(file, other)
    with pytest.raises(InvalidInput, match="no folder"):
        restore(checkpoint_of(tmp_path / "none" / "x.npz"), fresh)


def test_functions_of_rates_are_told_apart_by_what_they_do(tmp_path: Path) -> None:
    file = checkpoint_of(str(tmp_path / "search.npz"))
    first = begun(objectives=(lowest, "errors_of"))
    save(file, first)
    same = Evolution(KnnModel(X, Y), settings(objectives=(lowest, "errors_of")), 3)
    assert restore(file, same)
    for others in ((highest, "errors_of"), (lowest, "errors_into"), (lowest,)):
        other = Evolution(KnnModel(X, Y), settings(objectives=others), 3)
        with pytest.raises(InvalidInput, match="with different objectives"):
            restore(file, other)


def test_a_crafted_archive_is_the_fault_of_the_file(tmp_path: Path) -> None:
    file = checkpoint_of(tmp_path / "search.npz")
    evolution = begun()
    evolution.archive._payload[0, 0] = 7.0
    save(file, evolution)
    with pytest.raises(
        InvalidInput, match=r"not a search that can be continued \(its archive does"
    ):
        restore(file, Evolution(KnnModel(X, Y), settings(), 3))


# The surface that comes of it


def test_a_surface_has_its_points_in_order_and_says_where_they_come_from() -> None:
    evolution = begun(3)
    surface = surface_of(evolution, "generations")
    rows = evolution.archive.rates.tolist()
    assert surface.rates.tolist() == sorted(rows)
    for m in range(0, len(surface), 5):
        place = rows.index(surface.rates[m].tolist())
        flat = [surface.costs[m, k, j] for k in range(3) for j in range(3) if k != j]
        assert flat == evolution.archive.costs[place].tolist()
        assert surface.parameters[m].tolist() == evolution.archive.parameters[place].tolist()
    model = evolution.model
    assert surface.provenance == {
        "model": "knn",
        "model_settings": model.settings(),
        "data": model.fingerprint(),
        **settings().to_dict(),
        "seed": 3,
        "generations": 3,
        "evaluations": 136,
        "stopped": "generations",
        "history": [list(each) for each in evolution.history],
        "version": __version__,
    }
    assert surface.model is model and surface.class_weights.tolist() == [5, 7, 9]


def test_a_bounded_search_says_what_is_left() -> None:
    bounds = (Bound(0, None, 0.2, 0.5),)
    evolution = begun(1, bounds=bounds)
    surface = surface_of(evolution, "points")
    assert surface.provenance["cost_share"] == bounded_space((1.0,) * 6, bounds).share
    assert surface.provenance["stopped"] == "points"
    assert ((surface.costs[:, 0, 1] >= 0.2) & (surface.costs[:, 0, 1] <= 0.5)).all()


def test_functions_leave_the_points_that_they_do_not_dominate() -> None:
    evolution = begun(3, objectives=(lowest, highest))
    surface = surface_of(evolution, "generations")
    values = [(lowest(row), highest(row)) for row in evolution.archive.rates]
    kept = {
        tuple(row)
        for row, own in zip(evolution.archive.rates.tolist(), values, strict=True)
        if not any(o != own and o[0] <= own[0] and o[1] <= own[1] for o in values)
    }
    found = {tuple(row) for row in surface.rates.tolist()}
    assert found <= kept
    assert {(lowest(r), highest(r)) for r in found} == {(lowest(r), highest(r)) for r in kept}
    assert surface.rates.tolist() == sorted(surface.rates.tolist())
    assert surface.provenance["objectives"] == ["lowest", "highest"]


def test_a_search_is_its_generations() -> None:
    surface = search(KnnModel(X, Y), generations=3, costs_per_generation=12, rng=3, tolerance=0)
    assert np.array_equal(surface.rates, surface_of(begun(3), "generations").rates)
