"""Files of predictions as models of the same cases, or of independent samples."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from polyroc.cli.joining import Joined, check_order, joined
from polyroc.cli.options import NONE, Asked
from polyroc.cli.slices import slices_of_files
from polyroc.errors import InvalidInput

if TYPE_CHECKING:
    from polyroc.readers import FilePredictions


class Gathered(NamedTuple):
    """Files of the same cases."""

    files: "list[FilePredictions]"
    together: Joined | None
    """How they were joined by case, if they were."""
    cases: "FilePredictions"
    """The first file with the models of all."""


def read_models(paths: Sequence[str], asked: Asked, model: str | None, join: str) -> Gathered:
    """The models of one or several files with the same cases, or one of the models."""
    files = [asked.read(path) for path in paths]
    if model is not None:
        files = having(files, model)
    together = together_by_id(files, asked, join, independent=False)
    files = files if together is None else list(together.files)
    given = gathered(files, independent=False)
    shared = {name: given[name] for name in ("sample_weight", "groups", "folds")}
    shared["slices"] = slices_of_files(files)
    return Gathered(files, together, replace(files[0], models=given["y_scores"], **shared))


def having(files: "Sequence[FilePredictions]", model: str) -> "list[FilePredictions]":
    """The files that have a model, with it alone; an error if none has."""
    found = [only(file, model) for file in files if model in file.models]
    return found or [only(files[0], model)]


def only(cases: "FilePredictions", model: str | None) -> "FilePredictions":
    """A file with one of its models, which need not be named if it is the only one."""
    if model is None and len(cases.models) == 1:
        return cases
    return only_models(cases, [model])


def only_models(cases: "FilePredictions", models: Sequence[str | None]) -> "FilePredictions":
    """A file with some of its models."""
    from polyroc.readers._predictions import chosen

    scores = {str(model): chosen(cases.models, model, cases.path) for model in models}
    columns = dict(cases.roles.scores)
    own = {model: columns.pop(model) for model in scores}
    unused = (*(name for names in columns.values() for name in names), *cases.roles.unused)
    roles = replace(cases.roles, scores=own, unused=unused)
    return replace(cases, models=scores, roles=roles)


def together_by_id(
    files: "Sequence[FilePredictions]", asked: Asked, join: str, independent: bool
) -> Joined | None:
    """Files joined by case, where that is asked for."""
    by_id = asked.case_id not in (None, NONE)
    if independent and by_id:
        raise InvalidInput("--id joins files of the same cases, --independent is for others.")
    if join == "inner" and not by_id:
        raise InvalidInput("--join inner needs --id COLUMN, the column that identifies the cases.")
    if by_id and len(files) > 1:
        return joined(files, str(asked.case_id), join)
    if not independent:
        check_order(files)
    return None


def gathered(files: "Sequence[FilePredictions]", independent: bool) -> dict[str, Any]:
    """Labels and scores of all files as the library compares them."""
    first = files[0]
    models: dict[str, Any] = {}
    homes: dict[str, FilePredictions] = {}
    for file in files:
        for model, scores in _in_order(file, first).items():
            name = _new_name(model, file.path, models)
            models[name], homes[name] = scores, file
    if independent:
        own: dict[str, Any] = {
            "y_true": {name: file.y_true for name, file in homes.items()},
            "sample_weight": _each(homes, "sample_weight"),
            "groups": _each(homes, "groups"),
            "folds": _each(homes, "folds"),
        }
    else:
        for file in files[1:]:
            _check_same_cases(first, file)
        own = {"y_true": first.y_true} | {
            name: next((v for f in files if (v := getattr(f, name)) is not None), None)
            for name in ("sample_weight", "groups", "folds")
        }
    return {"y_scores": models, "labels": list(first.labels), **own}


def _each(homes: "dict[str, FilePredictions]", attribute: str) -> dict[str, Any] | None:
    values = {name: getattr(file, attribute) for name, file in homes.items()}
    known = {name: value for name, value in values.items() if value is not None}
    if known and len(known) < len(values):
        lacking = next(name for name in values if name not in known)
        raise InvalidInput(f"The file of {lacking!r} has no {attribute}, but others have.")
    return known or None


def _new_name(model: str, path: str, taken: dict[str, Any]) -> str:
    """A name that no other model has: the file is added where two are called alike."""
    for name in (model, f"{path}:{model}", *(f"{model} ({n})" for n in range(2, 1000))):
        if name not in taken:
            return name
    raise InvalidInput(f"Too many models are called {model!r}.")


def _in_order(file: "FilePredictions", first: "FilePredictions") -> dict[str, Any]:
    """Scores with their columns in the order of the first file's classes."""
    from polyroc.predictions._classes import listed

    if file.labels == first.labels:
        return file.models
    one_column = any(scores.shape[1] == 1 for scores in file.models.values())
    if set(file.labels) != set(first.labels) or one_column:
        raise InvalidInput(
            f"{file.path} has the classes {listed(file.labels)}, but {first.path} has "
            f"{listed(first.labels)}. Compare models of the same classes, or name the classes with "
            "labels=."
        )
    order = [file.labels.index(label) for label in first.labels]
    return {model: scores[:, order] for model, scores in file.models.items()}


def _check_same_cases(first: "FilePredictions", other: "FilePredictions") -> None:
    """Whether labels, weights and groups of two files agree."""
    import numpy as np

    advice = (
        "Join the files with --id COLUMN, or put the cases in the same order. Different cases: "
        "compare --independent, or evaluate Parquet files as one table with --streaming."
    )
    if len(first) != len(other):
        raise InvalidInput(
            f"{first.path} has {len(first)} cases but {other.path} has {len(other)}. {advice}"
        )
    for what in _WORDS:
        ours, theirs = getattr(first, what), getattr(other, what)
        if ours is None or theirs is None:
            continue
        if what in ("group_names", "folds"):  # one file may have 1 for "1"
            ours, theirs = ours.astype(str), theirs.astype(str)
        apart = np.flatnonzero(ours != theirs)
        if apart.size:
            row = int(apart[0])
            raise InvalidInput(
                f"{first.path} and {other.path} differ in {_WORDS[what]} in row {row}: "
                f"{ours[row]} and {theirs[row]}. {advice}"
            )


_WORDS = {
    "y_true": "the true class",
    "sample_weight": "the weight",
    "group_names": "the group",
    "folds": "the fold",
}
