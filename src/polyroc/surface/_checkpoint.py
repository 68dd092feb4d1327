"""Archive, generator and settings of a search in a checkpoint, to resume from bit for bit."""

import json
from typing import Any

from polyroc._storage.checkpoint import Checkpoint
from polyroc._storage.fingerprint import fingerprint
from polyroc._storage.paths import path_of
from polyroc.surface._evolution import Evolution


def checkpoint_of(path: Any) -> Checkpoint:
    """The file of a search."""
    return Checkpoint(path_of(path, "checkpoint"), "search", keep_previous=True)


def save(file: Checkpoint, evolution: Evolution) -> None:
    file.save(_identity(evolution), *evolution.snapshot())


def restore(file: Checkpoint, evolution: Evolution) -> bool:
    """Take over what the file holds, if it is there; an error if it is of another search."""
    if not file.exists():
        file.check_place()
        return False
    progress, arrays = file.load(_identity(evolution))
    with file.distrusted():
        evolution.resume(progress, arrays)
    return True


def _identity(evolution: Evolution) -> dict[str, Any]:
    """What must be the same for a search to resume, by the names that messages use."""
    model = evolution.model
    identity = {
        "model": [model.name, model.settings(), fingerprint(type(model))],
        "data": model.fingerprint(),
        **evolution.settings.to_dict(),
        "rng": evolution.seed,
    }
    if not isinstance(evolution.settings.objectives, str):
        identity["objectives"] = [
            each if isinstance(each, str) else fingerprint(each)
            for each in evolution.settings.objectives
        ]
    plain: dict[str, Any] = json.loads(json.dumps(identity))
    return plain
