"""A surface in a file: arrays and a JSON header, nothing that could run."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import reason_of, shown
from polyroc._storage.atomic import check_place
from polyroc._storage.npz import read_arrays, write_arrays
from polyroc.errors import InvalidInput, InvalidType
from polyroc.predictions._classes import listed
from polyroc.surface.models import (
    AveragedKnnModel,
    KnnModel,
    LinearModel,
    MlpModel,
    Model,
    ScoreModel,
)
from polyroc.surface.models.model import LARGEST

if TYPE_CHECKING:
    from polyroc.surface._front import RocSurface

SCHEMA = "polyroc surface 1"
BUILT_IN: dict[str, type[Model]] = {
    kind.name: kind for kind in (AveragedKnnModel, KnnModel, LinearModel, MlpModel, ScoreModel)
}

Surface = TypeVar("Surface", bound="RocSurface")


def save(surface: "RocSurface", path: Path) -> None:
    """Write a surface, with what a model of polyroc needs to decide new cases."""
    check_place(path, "the surface")
    model = surface.model
    built_in = model is not None and type(model) is BUILT_IN.get(model.name)
    header = {
        "classes": list(surface.classes),
        "provenance": dict(surface.provenance),
        "model": [model.name, model.settings()] if model is not None and built_in else None,
        "features": None if model is None or model.features is None else list(model.features),
    }
    state = model.state() if model is not None and built_in else {}
    arrays: dict[str, NDArray[Any]] = {
        "rates": surface.rates,
        "costs": surface.costs,
        "parameters": surface.parameters,
        "class_weights": surface.class_weights,
        **{f"model_{name}": array for name, array in state.items()},
    }
    write_arrays(path, SCHEMA, header, arrays)


def load(kind: type[Surface], path: Path, model: Model | None) -> Surface:
    """Read a surface; anything that is not one is an error in one line."""
    header, arrays = read_arrays(path, SCHEMA, "a ROC surface")
    try:
        classes = _classes(header["classes"])
        surface = kind(
            arrays["rates"],
            arrays["costs"],
            arrays["parameters"],
            classes,
            arrays["class_weights"],
            header["provenance"],
            model or _restored(header["model"], classes, arrays, header.get("features")),
        )
        _check(surface)
    except Exception as error:  # what a crafted file holds may be wrong in any way
        raise InvalidInput(f"{path} is not a ROC surface ({_lacking(error)}).") from error
    if model is not None:
        _check_model(model, surface)
    return surface


def _lacking(error: Exception) -> str:
    return f"it has no {error}" if isinstance(error, KeyError) else reason_of(error)


def _classes(given: Any) -> tuple[Any, ...]:
    """Labels as a surface has them: strings, integers or booleans, each once."""
    if not isinstance(given, list) or not all(isinstance(each, (str, int)) for each in given):
        raise ValueError("its classes are not labels")
    if len(set(given)) != len(given):
        raise ValueError("its classes are not distinct labels")
    for label in given:
        str(label).encode()  # JSON may hold halves of signs, which no table can show
    return tuple(given)


def _check_model(model: Any, surface: "RocSurface") -> None:
    if not isinstance(model, Model):
        raise InvalidType(f"model must be a polyroc.surface.Model, got {shown(model)}.")
    if model.classes != surface.classes:
        raise InvalidInput(
            f"The model has the classes {listed(model.classes)}, but the surface "
            f"{listed(surface.classes)}."
        )
    if model.n_parameters != surface.parameters.shape[1]:
        raise InvalidInput(
            f"The model has {model.n_parameters} parameters, but the surface "
            f"{surface.parameters.shape[1]}."
        )


def _restored(
    saved: Any, classes: tuple[Any, ...], arrays: dict[str, NDArray[Any]], features: Any
) -> Model | None:
    if saved is None:
        return None
    name, settings = saved
    state = {key.removeprefix("model_"): a for key, a in arrays.items() if key[:6] == "model_"}
    model = BUILT_IN[name].restored(classes, settings, state)
    if model.n_parameters != arrays["parameters"].shape[-1]:
        raise ValueError("its parameters are not those of its model")
    if features is not None:
        if not isinstance(features, list) or not all(isinstance(each, str) for each in features):
            raise ValueError("the names of its features are not strings")
        model.features = tuple(features)
    return model


def _check(surface: "RocSurface") -> None:
    """Whether shapes and values are those of a surface."""
    n_points, n_classes = len(surface.rates), len(surface.classes)
    wanted = {
        "rates": (n_points, n_classes * (n_classes - 1)),
        "costs": (n_points, n_classes, n_classes),
        "parameters": (n_points, *surface.parameters.shape[-1:]),
        "class_weights": (n_classes,),
    }
    for name, shape in wanted.items():
        array = getattr(surface, name)
        if (
            array.shape != shape
            or array.dtype != np.float64
            or not (np.abs(array) <= LARGEST).all()
        ):
            raise ValueError(f"its {name} are not {shape} finite numbers")
    if not isinstance(surface.provenance, dict):
        raise ValueError("its provenance is not a table of names and values")
    if n_classes < 2 or ((surface.rates < 0) | (surface.rates > 1)).any():
        raise ValueError("its rates do not lie from 0 to 1")
    if (surface.costs < 0).any() or (surface.class_weights < 0).any():
        raise ValueError("its costs or weights are negative")
    if surface.class_weights.sum() < 1 / LARGEST:
        raise ValueError("its classes have no weight")
