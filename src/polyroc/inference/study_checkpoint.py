"""A file of finished splits, from which a stopped study goes on."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from polyroc.errors import InvalidInput
from polyroc.inference.study_splits import Finished
from polyroc.typing import Float64Array, IntArray

SCHEMA = "polyroc study 1"


@dataclass(frozen=True)
class Checkpoint:
    """A file of finished splits: arrays and a JSON text, never pickles, replaced as a whole."""

    path: Path

    def exists(self) -> bool:
        return self.path.exists()

    def settings(self) -> dict[str, Any]:
        """The settings of the study in the file."""
        settings: dict[str, Any] = self._read()[0]["settings"]
        return settings

    def restore(self, finished: Finished) -> None:
        """Take over what the file holds; an error if it belongs to another study."""
        if not self.exists():
            if not self.path.parent.is_dir():
                raise InvalidInput(f"There is no folder {self.path.parent} for the checkpoint.")
            return
        header, splits, values = self._read()
        wanted = finished.settings()
        other = [key for key in wanted if header["settings"].get(key) != wanted[key]]
        if other:
            raise InvalidInput(
                f"{self.path} belongs to a study with different {', '.join(other)}; it was left as "
                "it is. Name another file, or repeat the call that began it."
            )
        finished.values.update(zip(splits.tolist(), values, strict=True))
        finished.reasons.update({(e, m): reason for e, m, reason in header["reasons"]})

    def _read(self) -> tuple[dict[str, Any], IntArray, Float64Array]:
        try:
            with self.path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                header = json.loads(bytes(file["header"]).decode())
                if header["schema"] != SCHEMA:
                    raise ValueError(f"its schema is {header['schema']!r}")
                return header, file["splits"], file["values"]
        except (OSError, EOFError, ValueError, KeyError, TypeError, BadZipFile) as error:
            raise InvalidInput(
                f"{self.path} is not a study that can be continued ({error}); it was left as it "
                "is. Name another file."
            ) from error

    def save(self, finished: Finished) -> None:
        """Write beside the file, then put it in its place: it is whole at every moment."""
        splits = sorted(finished.values)
        if not splits:
            return
        reasons = [[e, m, reason] for (e, m), reason in finished.reasons.items()]
        header = {"schema": SCHEMA, "settings": finished.settings(), "reasons": reasons}
        temporary = self.path.with_name(f"{self.path.name}.{os.getpid()}.part")
        try:
            with temporary.open("wb") as file:
                np.savez(
                    file,
                    header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8),
                    splits=np.array(splits),
                    values=np.array([finished.values[split] for split in splits]),
                )
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self.path)
        finally:
            temporary.unlink(missing_ok=True)
