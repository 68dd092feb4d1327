"""Surfaces in files: what is written, and each way in which a file can be wrong, in its words."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from surface.few_cases import COSTS, NAMES, WEIGHTS, P, Y, small

from polyroc._storage.npz import read_arrays, write_arrays
from polyroc.datasets import three_class_mixture
from polyroc.errors import InvalidInput, InvalidType
from polyroc.surface import KnnModel, LinearModel, RocSurface, ScoreModel
from polyroc.surface.models.model import LARGEST

SCHEMA = "polyroc surface 1"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "surface.npz"


def of_linear(model: LinearModel) -> RocSurface:
    """Three points of a model with parameters."""
    parameters = np.array([model.draw(np.random.default_rng(seed)) for seed in range(3)])
    rates = np.random.default_rng(1).random((3, 6))
    weights = model.cases.class_weights
    return RocSurface(rates, COSTS / 18, parameters, model.classes, weights, {"a": 1}, model)


def changed(path: Path, header: dict[str, Any], arrays: dict[str, Any]) -> str:
    """What loading says of a file of a small surface with these changes."""
    small(WEIGHTS).save(path)
    head, own = read_arrays(path, SCHEMA, "a surface")
    del head["schema"]
    both = {**head, **header}, {**own, **arrays}
    plain = [{name: each for name, each in part.items() if each is not Ellipsis} for part in both]
    write_arrays(path, SCHEMA, *plain)
    with pytest.raises(InvalidInput) as told:
        RocSurface.load(path)
    start, end = f"{path} is not a ROC surface (", ")."
    assert str(told.value).startswith(start) and str(told.value).endswith(end)
    return str(told.value)[len(start) : -len(end)]


def test_a_file_has_all_of_a_surface(path: Path) -> None:
    surface = replace(small(WEIGHTS), provenance={"seed": 3, "history": [[1, 2, 0.5]]})
    surface.save(path)
    header, arrays = read_arrays(path, SCHEMA, "a surface")
    assert header["classes"] == list(NAMES) and header["provenance"] == surface.provenance
    assert header["model"][0] == "scores" and header["features"] is None
    for name in ("rates", "costs", "parameters", "class_weights"):
        assert (arrays[name] == getattr(surface, name)).all()
    again = RocSurface.load(path)
    assert isinstance(again.model, ScoreModel) and again.provenance == surface.provenance
    assert again.classes == NAMES and (again.costs == surface.costs).all()
    assert again.decide(P, 1).tolist() == surface.decide(P, 1).tolist()
    with pytest.raises(InvalidInput, match="no folder"):
        surface.save(path.parent / "none" / "surface.npz")


def test_models_and_names_of_features_come_back(path: Path) -> None:
    X, y = three_class_mixture((6, 5, 4), rng=0)
    frame = pd.DataFrame(X, columns=["size", "age"])
    surface = of_linear(LinearModel(frame, y))
    surface.save(path)
    again = RocSurface.load(path)
    assert type(again.model) is LinearModel and again.model.features == ("size", "age")
    assert again.decide(X, 2).tolist() == surface.decide(X, 2).tolist()
    with pytest.raises(InvalidInput, match="X has the columns"):
        again.decide(frame[["age", "size"]], 2)
    of_linear(LinearModel(X, y)).save(path)
    assert RocSurface.load(path).model.features is None  # type: ignore[union-attr]
    bare = replace(surface, model=None)
    bare.save(path)
    assert RocSurface.load(path).model is None


def test_a_model_of_your_own_is_not_taken_for_one_of_ours(path: Path) -> None:
    class Mine(LinearModel):
        """With the name of another."""

    X, y = three_class_mixture((6, 5, 4), rng=0)
    surface = of_linear(Mine(X, y))
    surface.save(path)
    header, arrays = read_arrays(path, SCHEMA, "a surface")
    assert header["model"] is None and not [name for name in arrays if name.startswith("model_")]
    assert RocSurface.load(path).model is None
    assert RocSurface.load(path, model=surface.model).model is surface.model


def test_a_model_that_is_given_must_fit(path: Path) -> None:
    X, y = three_class_mixture((6, 5, 4), rng=0)
    surface = of_linear(LinearModel(X, y))
    surface.save(path)
    assert RocSurface.load(path, model=surface.model).model is surface.model
    with pytest.raises(InvalidType, match=r"model must be a polyroc\.surface\.Model, got 'linear'"):
        RocSurface.load(path, model="linear")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"has the classes 'x', .*'z', but the surface 0, .*2"):
        RocSurface.load(path, model=LinearModel(X, np.array(["x", "y", "z"])[y]))
    with pytest.raises(InvalidInput, match=r"The model has 2 parameters, but the surface 9\."):
        RocSurface.load(path, model=KnnModel(X, y))


@pytest.mark.parametrize("name", ["rates", "costs", "parameters", "class_weights"])
def test_arrays_are_finite_numbers_of_their_shape(path: Path, name: str) -> None:
    own = getattr(small(WEIGHTS), name)
    shape = {"rates": (3, 6), "costs": (3, 3, 3), "parameters": (3, 0), "class_weights": (3,)}[name]
    wanted = f"its {name} are not {shape} finite numbers"
    assert changed(path, {}, {name: own.astype(np.float32)}) == wanted
    if own.size:
        for value in (math.nan, math.inf, -math.inf, 2 * LARGEST):
            wrong = own.copy()
            wrong.flat[-1] = value
            assert changed(path, {}, {name: wrong}) == wanted
    if name in ("costs", "class_weights"):
        assert changed(path, {}, {name: own[1:]}) == wanted
        assert changed(path, {}, {name: own[..., None]}) == wanted
    assert changed(path, {}, {name: ...}) == f"it has no '{name}'"


def test_numbers_at_the_end_of_what_is_allowed(path: Path) -> None:
    surface = small(WEIGHTS)
    rates = surface.rates.copy()
    rates[0] = [0, 1, 0, 1, 0, 1]
    costs = surface.costs.copy()
    costs[0, 0, 1] = LARGEST
    weights = np.array([0.0, 0.0, 1 / LARGEST])
    replace(surface, rates=rates, costs=costs, class_weights=weights).save(path)
    again = RocSurface.load(path)
    assert (again.rates == rates).all() and (again.costs == costs).all()
    assert again.class_weights.tolist() == weights.tolist()


def test_two_classes_are_enough(path: Path) -> None:
    y, p = np.repeat(["no", "yes"], [3, 2]), np.array([0.1, 0.6, 0.3, 0.4, 0.9])
    surface = small(costs=[[[0, 1], [1, 0]]], y=y, p=np.column_stack([1 - p, p]))
    surface.save(path)
    again = RocSurface.load(path)
    assert again.classes == ("no", "yes") and again.rates.tolist() == surface.rates.tolist()
    assert again.decide(p, 0).tolist() == surface.decide(p, 0).tolist()


def test_values_that_no_surface_has(path: Path) -> None:
    surface = small(WEIGHTS)
    for value in (-1e-9, 1 + 1e-9):
        rates = surface.rates.copy()
        rates[2, 4] = value
        assert changed(path, {}, {"rates": rates}) == "its rates do not lie from 0 to 1"
    costs = surface.costs.copy()
    costs[1, 2, 0] = -1e-9
    negative = "its costs or weights are negative"
    assert changed(path, {}, {"costs": costs}) == negative
    assert changed(path, {}, {"class_weights": np.array([1.0, -1e-9, 2])}) == negative
    for none in (np.zeros(3), np.array([0.25, 0.25, 0.25]) / LARGEST):
        assert changed(path, {}, {"class_weights": none}) == "its classes have no weight"
    one = {"rates": np.zeros((3, 0)), "costs": np.zeros((3, 1, 1)), "class_weights": np.ones(1)}
    alone = changed(path, {"classes": ["a"], "model": None}, one)
    assert alone == "its rates do not lie from 0 to 1"


@pytest.mark.parametrize(
    ("classes", "says"),
    [
        ("abc", "its classes are not labels"),
        ([0.5, "b", "c"], "its classes are not labels"),
        ([None, "b", "c"], "its classes are not labels"),
        (["a", "b", "a"], "its classes are not distinct labels"),
        ([1, True, "c"], "its classes are not distinct labels"),
        (..., "it has no 'classes'"),
    ],
)
def test_classes_are_labels(path: Path, classes: Any, says: str) -> None:
    assert changed(path, {"classes": classes}, {}) == says


def test_halves_of_signs_are_no_labels(path: Path) -> None:
    assert "surrogates" in changed(path, {"classes": ["a", "b", "\ud800"], "model": None}, {})


def test_headers_that_no_surface_has(path: Path) -> None:
    table = "its provenance is not a table of names and values"
    assert changed(path, {"provenance": [1]}, {}) == table
    assert changed(path, {"provenance": ...}, {}) == "it has no 'provenance'"
    assert changed(path, {"model": ...}, {}) == "it has no 'model'"
    names = "the names of its features are not strings"
    for features in ("ab", [1], ["a", None], {"a": 1}):
        assert changed(path, {"features": features}, {}) == names
    wide = changed(path, {}, {"parameters": np.zeros((3, 2))})
    assert wide == "its parameters are not those of its model"
    assert changed(path, {"model": ["other", {}]}, {}) == "it has no 'other'"


def test_a_file_without_names_of_features_is_of_an_earlier_version(path: Path) -> None:
    small(WEIGHTS).save(path)
    header, arrays = read_arrays(path, SCHEMA, "a surface")
    del header["schema"], header["features"]
    write_arrays(path, SCHEMA, header, arrays)
    again = RocSurface.load(path)
    assert again.model is not None and again.model.features is None
    for labels in ([1, 2, 3], [False, True, "c"]):
        write_arrays(path, SCHEMA, {**header, "classes": labels, "model": None}, arrays)
        assert RocSurface.load(path).classes == tuple(labels)
    write_arrays(path, "polyroc surface 9", header, arrays)
    with pytest.raises(InvalidInput, match="surface"):
        RocSurface.load(path)


def test_saved_points_keep_their_intervals_once_rescored(path: Path) -> None:
    surface = small(WEIGHTS)
    surface.save(path)
    again = RocSurface.load(path).rescore(P, Y, sample_weight=WEIGHTS)
    own = surface.choose(criterion="total_error")
    found = again.choose(criterion="total_error")
    assert found.index == own.index
    assert found.interval() == pytest.approx(own.interval())  # type: ignore[union-attr]
