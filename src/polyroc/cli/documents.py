"""Results for programs: one JSON document on standard output, described in docs/json.md."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from polyroc._version import __version__

if TYPE_CHECKING:
    from polyroc.readers import FileFeatures, FilePredictions

SCHEMA_VERSION = 1


def print_document(command: str, content: Mapping[str, Any]) -> None:
    """Print a document with its schema."""
    click.echo(document_text(command, content))


def document_text(command: str, content: Mapping[str, Any]) -> str:
    """A document as text; a number that does not exist is null."""
    head = {"schema": f"polyroc {command} {SCHEMA_VERSION}", "polyroc": __version__}
    return json.dumps({**head, **content}, indent=2, allow_nan=False)


def predictions_input(files: "Sequence[FilePredictions]") -> dict[str, Any]:
    """What was read: which files, how many cases, which columns."""
    first = files[0]
    return {
        "cases": len(first),
        "classes": list(first.labels),
        "files": [
            {
                "path": file.path,
                "cases": len(file),
                "target": file.roles.target,
                "scores": {model: list(names) for model, names in file.roles.scores.items()},
                "weight": file.roles.weight,
                "group": file.roles.group,
                "fold": file.roles.fold,
                "by": list(file.roles.slices),
                "unused": list(file.roles.unused),
            }
            for file in files
        ],
    }


def features_input(file: "FileFeatures") -> dict[str, Any]:
    """What was read of a table of features."""
    read = {
        "path": file.path,
        "cases": len(file.y),
        "target": file.target,
        "features": list(file.features),
    }
    return {"cases": len(file.y), "classes": list(file.classes), "files": [read]}
