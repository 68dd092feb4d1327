"""Objectives that are functions of the rates: chosen and searched for, against all there is."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from polyroc._storage.fingerprint import fingerprint
from polyroc.datasets import three_class_mixture
from polyroc.errors import InvalidInput, InvalidType
from polyroc.surface import KnnModel, RocSurface, ScoreModel, SearchStrategy, search
from polyroc.surface._checkpoint import _identity
from polyroc.surface._costs import errors
from polyroc.surface._evolution import Evolution, Settings
from polyroc.surface._objectives import objective_values, on_front


def worst_class(rates: np.ndarray) -> float:
    """The greatest share of a class that is decided wrongly."""
    n_classes = 2 if len(rates) == 2 else 3
    return float(rates.reshape(n_classes, -1).sum(axis=1).max())


def steep(rates: np.ndarray) -> float:
    """The first error is free up to a quarter, then expensive; others count squared."""
    return float(100 * max(0.0, rates[0] - 0.25) + (rates[1:] ** 2).sum())


def product(rates: np.ndarray) -> float:
    """One minus the geometric mean of what is decided correctly, of two or three classes."""
    n_classes = 2 if len(rates) == 2 else 3
    return 1 - float(np.prod(1 - rates.reshape(n_classes, -1).sum(axis=1)) ** (1 / n_classes))


def twelve(n_classes: int, seed: int, n_rows: int = 5) -> ScoreModel:
    """Twelve cases that have so many different rows of scores between them."""
    rng = np.random.default_rng(seed)
    y = np.arange(12) % n_classes
    rows = rng.dirichlet(np.ones(n_classes), n_rows)
    likely = np.array([rng.choice(n_rows, p=rows[:, k] / rows[:, k].sum()) for k in y])
    likely[:n_rows] = np.arange(n_rows)
    return ScoreModel(y, rows[likely])


def some_costs_decide(rows: np.ndarray, decisions: tuple[int, ...]) -> bool:
    """Whether a linear program finds costs by which each row of scores has its decision."""
    K = rows.shape[1]
    costs = np.zeros((K, K, K * (K - 1)))  # λ_kj as a function of its off-diagonal entries
    costs[~np.eye(K, dtype=bool)] = np.eye(K * (K - 1))
    expected = np.einsum("rk,kjd->rjd", rows, costs)
    worse = [expected[r, j] - expected[r, other]
             for r, j in enumerate(decisions) for other in range(K) if other != j]  # fmt: skip
    table = np.column_stack([np.array(worse), np.ones(len(worse))])
    goal = np.append(np.zeros(K * (K - 1)), -1.0)
    sums = np.append(np.ones(K * (K - 1)), 0.0)[None]
    bounds = [(0, 1)] * (K * (K - 1)) + [(None, 1)]
    found = linprog(goal, table, np.zeros(len(table)), sums, [1.0], bounds)
    return bool(found.x is not None and found.x[-1] > 1e-9)


def all_rates(model: ScoreModel) -> np.ndarray:
    """Rates of every set of decisions that some costs bring about: brute force."""
    rows, which = np.unique(model.X, axis=0, return_inverse=True)
    K, found = len(model.classes), []
    for decisions in itertools.product(range(K), repeat=len(rows)):
        if some_costs_decide(rows, decisions):
            table = np.zeros((K, K))
            np.add.at(table, (model.cases.codes, np.array(decisions)[which.ravel()]), 1.0)
            found.append(errors(table / table.sum(axis=1, keepdims=True)))
    return np.unique(found, axis=0)


def test_search_and_choice_by_a_function_equal_brute_force_on_twelve_cases() -> None:
    for n_classes in (2, 3):
        for seed in range(2):
            model = twelve(n_classes, seed, n_rows=7 if n_classes == 2 else 5)
            possible = all_rates(model)
            wide = search(model, generations=100, rng=seed, tolerance=0)
            for objective in (worst_class, steep, product):
                values = np.array([objective(row) for row in possible])
                found = search(model, objectives=objective, generations=100, rng=seed)
                assert len(found) == 1
                assert objective(found.rates[0]) == pytest.approx(values.min(), abs=1e-12)
                chosen = wide.choose(objective=objective)
                assert chosen.value == pytest.approx(values.min(), abs=1e-12)
                assert chosen.value == min(objective(row) for row in wide.rates)
            together = search(model, objectives=[worst_class, steep], generations=100, rng=seed)
            pairs = np.array([[worst_class(row), steep(row)] for row in possible])
            front = {tuple(row) for row in pairs[on_front(pairs)].round(10).tolist()}
            ours = [[worst_class(row), steep(row)] for row in together.rates]
            assert {tuple(row) for row in np.round(ours, 10).tolist()} == front


def test_a_function_is_one_more_objective(tmp_path: object) -> None:
    X, y = three_class_mixture((20, 20, 20), rng=1)
    options = {"objectives": ["pairs", worst_class], "rng": 2, "costs_per_generation": 30}
    found = search(KnnModel(X, y), generations=40, **options)
    values = objective_values(found.rates, 3, ("pairs", worst_class))
    assert values.shape == (len(found), 7) and on_front(values).all()
    assert np.array_equal(values[:, 6], [worst_class(row) for row in found.rates])
    assert found.provenance["objectives"] == ["pairs", "worst_class"]
    # Goes on from a file bit for bit, and knows another function from this one.
    path = tmp_path / "search.npz"  # type: ignore[operator]
    search(KnnModel(X, y), generations=20, checkpoint=path, **options)
    resumed = search(KnnModel(X, y), generations=40, checkpoint=path, **options)
    assert np.array_equal(resumed.rates, found.rates)
    with pytest.raises(InvalidInput, match="different objectives"):
        search(KnnModel(X, y), checkpoint=path, **{**options, "objectives": ["pairs", steep]})
    merged = search(KnnModel(X, y), generations=5, islands=2, **options)
    assert merged.provenance["objectives"] == ["pairs", "worst_class"]
    front = merged.front(lambda rates: rates.max())
    assert len(front) == 1 and front.rates.max() == merged.rates.max(axis=1).min()


def test_selection_may_be_uniform() -> None:
    """Both selections find fronts of about the same G; the members do not dominate each other."""
    X, y = three_class_mixture((30, 30, 30), rng=0)
    found = {
        selection: search(
            KnnModel(X, y), generations=80, rng=3,
            strategy=SearchStrategy("paper", selection),
        )
        for selection in ("pqrs", "uniform")
    }  # fmt: skip
    named = search(KnnModel(X, y), generations=80, rng=3, strategy="paper")
    assert np.array_equal(found["pqrs"].rates, named.rates)
    assert not np.array_equal(found["uniform"].rates, named.rates)
    assert found["uniform"].provenance["selection"] == "uniform"
    assert on_front(found["uniform"].rates).all()
    assert found["uniform"].gini().value == pytest.approx(named.gini().value, abs=0.05)
    with pytest.raises(InvalidInput, match="selection"):
        SearchStrategy(selection="best")  # type: ignore[arg-type]


def test_what_is_no_objective_is_named() -> None:
    model = twelve(3, 0)
    surface = search(model, generations=5, rng=0)
    for wrong in (lambda rates: rates, lambda rates: None, lambda rates: float("nan")):
        with pytest.raises(InvalidInput, match="finite number"):
            surface.choose(objective=wrong)
    with pytest.raises(InvalidInput, match="failed for the 6 rates"):
        surface.choose(objective=lambda rates: rates[:, :, 3].sum())
    with pytest.raises(InvalidInput, match="as many finite numbers"):
        surface.choose(objective=lambda rates: rates[:, 0:2])
    with pytest.raises(InvalidType, match="function of rates"):
        surface.choose(objective=3)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="empty"):
        search(model, objectives=[])
    with pytest.raises(InvalidInput, match="objectives must be"):
        search(model, objectives=["pairs", "best"])  # type: ignore[list-item]
    assert isinstance(surface.front(max), RocSurface)
    point = surface.choose(objective=worst_class)
    rows = {row["quantity"]: row for row in point.rows()}
    assert rows["objective"]["value"] == point.value and np.isnan(rows["objective"]["low"])
    assert len(surface.choose(objective=worst_class, limits={(0, 1): 0.5}).frame()) == 11


def test_a_checkpoint_knows_objectives_by_name_and_functions_by_their_code() -> None:
    X, y = three_class_mixture((8, 8, 8), rng=1)
    settings = Settings(20, ("pairs", worst_class), "inherit", None)
    known = _identity(Evolution(KnnModel(X, y), settings, seed=1))["objectives"]
    assert known == ["pairs", fingerprint(worst_class)]
