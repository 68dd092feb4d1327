"""A surface in a file: arrays and a JSON header, nothing that could run."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from polyroc.errors import InvalidInput, InvalidType
from polyroc.files import check_folder, read_arrays, write_arrays
from polyroc.options import shown
from polyroc.surface.models import KnnModel, LinearModel, MlpModel, Model, ScoreModel

if TYPE_CHECKING:
    from polyroc.surface.front import RocSurface

SCHEMA = "polyroc surface 1"
BUILT_IN: dict[str, type[Model]] = {
    kind.name: kind for kind in (KnnModel, LinearModel, MlpModel, ScoreModel)
}

Surface = TypeVar("Surface", bound="RocSurface")


def save(surface: "RocSurface", path: Path) -> None:
    """Write a surface, with what a model of polyroc needs to decide new cases."""
    check_folder(path, "the surface")
    model = surface.model
    built_in = model is not None and type(model) is BUILT_IN.get(model.name)
    header = {
        "classes": list(surface.classes),
        "provenance": dict(surface.provenance),
        "model": [model.name, model.settings()] if model is not None and built_in else None,
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
            model or _restored(header["model"], classes, arrays),
        )
        _check(surface)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidInput(f"{path} is not a ROC surface ({error}).") from error
    if model is not None:
        _check_model(model, classes)
    return surface


def _classes(listed: Any) -> tuple[Any, ...]:
    if not isinstance(listed, list) or len(set(listed)) != len(listed):
        raise ValueError("its classes are not distinct labels")
    return tuple(listed)


def _check_model(model: Any, classes: tuple[Any, ...]) -> None:
    if not isinstance(model, Model):
        raise InvalidType(f"model must be a polyroc.surface.Model, got {shown(model)}.")
    if model.classes != classes:
        raise InvalidInput(
            f"The model has the classes {list(model.classes)}, but the surface {list(classes)}."
        )


def _restored(
    saved: Any, classes: tuple[Any, ...], arrays: dict[str, NDArray[Any]]
) -> Model | None:
    if saved is None:
        return None
    name, settings = saved
    state = {key.removeprefix("model_"): a for key, a in arrays.items() if key[:6] == "model_"}
    return BUILT_IN[name].restored(classes, settings, state)


def _check(surface: "RocSurface") -> None:
    """Whether shapes and values are those of a surface."""
    n_points, n_classes = len(surface.rates), len(surface.classes)
    wanted = {
        "rates": (n_points, n_classes * (n_classes - 1)),
        "costs": (n_points, n_classes, n_classes),
        "parameters": (n_points, *surface.parameters.shape[1:2]),
        "class_weights": (n_classes,),
    }
    for name, shape in wanted.items():
        array = getattr(surface, name)
        if array.shape != shape or array.dtype != np.float64 or not np.isfinite(array).all():
            raise ValueError(f"its {name} are not {shape} finite numbers")
    if not isinstance(surface.provenance, dict):
        raise ValueError("its provenance is not a table of names and values")
    if n_classes < 2 or ((surface.rates < 0) | (surface.rates > 1)).any():
        raise ValueError("its rates do not lie from 0 to 1")
