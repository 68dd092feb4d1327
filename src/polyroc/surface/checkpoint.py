"""A file from which a stopped search goes on, bit for bit."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyroc.errors import InvalidInput
from polyroc.files import check_place, is_there, previous_of, read_arrays, write_arrays
from polyroc.options import reason_of, shown
from polyroc.surface.evolution import Evolution

SCHEMA = "polyroc search 1"


@dataclass(frozen=True)
class Checkpoint:
    """Archive, generator and settings of a search; the generation before is kept beside it."""

    path: Path

    def exists(self) -> bool:
        return is_there(self.path)

    def seed(self) -> int:
        """The seed of the search in the file."""
        seed = self._read()[0]["progress"]["seed"]
        if not isinstance(seed, int) or seed < 0:
            raise self._unusable(ValueError(f"its seed is {shown(seed)}"))
        return seed

    def save(self, evolution: Evolution) -> None:
        progress, arrays = evolution.snapshot()
        header = {"search": _identity(evolution), "progress": progress}
        write_arrays(self.path, SCHEMA, header, arrays, keep_previous=True)

    def restore(self, evolution: Evolution) -> bool:
        """Take over what the file holds, if it is there; an error if it is of another search."""
        if not self.exists():
            check_place(self.path, "the checkpoint")
            return False
        header, arrays = self._read()
        wanted, found = _identity(evolution), header["search"]
        other = [key for key in wanted if found.get(key) != wanted[key]]
        if other:
            raise InvalidInput(
                f"{self.path} belongs to a search with different {', '.join(other)}; it was left "
                "as it is. Name another file, or repeat the call that began it."
            )
        try:
            evolution.resume(header["progress"], arrays)
        except Exception as error:  # what a crafted file holds may be wrong in any way
            raise self._unusable(error) from error
        return True

    def _read(self) -> tuple[dict[str, Any], Any]:
        header, arrays = read_arrays(self.path, SCHEMA, "a search that can be continued")
        try:
            header["search"].get, header["progress"]["seed"]
        except (KeyError, TypeError, AttributeError) as error:
            raise self._unusable(error) from error
        return header, arrays

    def _unusable(self, error: Exception) -> InvalidInput:
        reason = f"it has no {error}" if isinstance(error, KeyError) else reason_of(error)
        return InvalidInput(
            f"{self.path} is not a search that can be continued ({reason}); it was left as it is. "
            f"If there is a {previous_of(self.path).name}, rename it to go on from there."
        )


def _identity(evolution: Evolution) -> dict[str, Any]:
    """What must be the same for a search to go on, by the names that messages use."""
    model = evolution.model
    identity = {
        "model": [model.name, model.settings()],
        "data": model.fingerprint(),
        **evolution.settings.to_dict(),
        "rng": evolution.seed,
    }
    plain: dict[str, Any] = json.loads(json.dumps(identity))
    return plain
