"""Islands: independent searches, merged into one front, the same wherever they ran."""

import json
import pickle
from typing import Any

import numpy as np
import pytest

from polyroc.datasets import three_class_mixture
from polyroc.errors import InvalidInput, InvalidType
from polyroc.surface import KnnModel, LinearModel, MlpModel, Model, RocSurface, ScoreModel, search
from polyroc.surface._islands import island_seed, search_islands
from polyroc.surface._objectives import objective_values, on_front

X, Y = three_class_mixture((20, 20, 20), rng=0)


def same(one: RocSurface, other: RocSurface) -> bool:
    """Bit for bit, provenance included."""
    arrays = ("rates", "costs", "parameters", "class_weights")
    equal = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)
    return equal and json.dumps(one.provenance) == json.dumps(other.provenance)


@pytest.mark.parametrize("objectives", ["pairs", "errors_of"])
def test_the_front_of_all_islands(objectives: Any) -> None:
    options: dict[str, Any] = {"generations": 15, "objectives": objectives}
    merged = search_islands(KnnModel(X, Y), 3, rng=4, **options)
    alone = [
        search(KnnModel(X, Y), rng=island_seed(4, island), progress=False, **options)
        for island in range(3)
    ]
    assert len({surface.provenance["seed"] for surface in alone}) == 3
    rates = np.concatenate([surface.rates for surface in alone])
    front = rates[on_front(objective_values(rates, 3, objectives))]
    assert np.array_equal(merged.rates, front[np.lexsort(front.T[::-1])])
    sources = [surface.provenance for surface in alone]
    assert merged.provenance["island_seeds"] == [source["seed"] for source in sources]
    assert merged.provenance["evaluations"] == sum(source["evaluations"] for source in sources)
    assert merged.provenance["islands"] == 3 and merged.provenance["seed"] == 4
    assert same(merged, search_islands(KnnModel(X, Y), 3, rng=4, **options))


def test_rates_belong_to_the_costs_beside_them_and_files_hold_it(tmp_path: Any) -> None:
    surface = search_islands(LinearModel(X, Y), 2, rng=1, generations=10)
    again = surface.rescore(X, Y)
    assert np.allclose(surface.rates, again.rates)
    surface.save(tmp_path / "surface.npz")
    assert same(RocSurface.load(tmp_path / "surface.npz"), surface)


def test_more_islands_never_dominate_less() -> None:
    model = KnnModel(X, Y)
    shares = [search_islands(model, n, rng=2, generations=5).gini().value for n in (1, 2, 4)]
    assert shares[0] <= shares[1] <= shares[2] and shares[0] < shares[2]


@pytest.mark.parametrize(
    "model",
    [
        KnnModel(X, Y),
        MlpModel(X, Y),
        LinearModel(X, Y),
        ScoreModel(Y, np.eye(3)[Y] * 0.5 + 1 / 6),
    ],
    ids=lambda model: model.name,
)
def test_models_can_travel(model: Model) -> None:
    copy = pickle.loads(pickle.dumps(model))
    assert copy.fingerprint() == model.fingerprint()
    assert same(
        search_islands(copy, 1, rng=0, generations=3),
        search_islands(model, 1, rng=0, generations=3),
    )


def test_workers_find_what_one_process_finds() -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    model = KnnModel(X, Y)
    with distributed.Client(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as client:
        found = search_islands(model, 3, client, rng=5, generations=8)
    assert same(found, search_islands(model, 3, rng=5, generations=8))
    assert found.model is model


def test_what_is_refused() -> None:
    model = ScoreModel([0, 1, 0, 1], [0.1, 0.35, 0.4, 0.8])
    with pytest.raises(InvalidInput, match="islands must be at least 1"):
        search_islands(model, 0)
    with pytest.raises(InvalidInput, match="Leave checkpoint= out"):
        search_islands(model, 2, checkpoint="a.npz")
    with pytest.raises(InvalidType, match="client must be"):
        search_islands(model, 2, "local")


def test_search_runs_islands_too() -> None:
    X, y = three_class_mixture((15, 15, 15), rng=0)
    one = search(KnnModel(X, y), generations=10, rng=3, islands=2)
    other = search_islands(KnnModel(X, y), 2, generations=10, rng=3)
    assert np.array_equal(one.rates, other.rates) and one.provenance == other.provenance
    with pytest.raises(InvalidInput, match="islands="):
        search(KnnModel(X, y), client=object())
