"""A file of finished splits, from which a stopped study goes on."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from polyroc.errors import InvalidInput
from polyroc.files import check_folder, read_arrays, write_arrays
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
            check_folder(self.path, "the checkpoint")
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
        header, arrays = read_arrays(self.path, SCHEMA, "a study that can be continued")
        try:
            header["settings"], header["reasons"]
            return header, arrays["splits"], arrays["values"]
        except KeyError as error:
            raise InvalidInput(
                f"{self.path} is not a study that can be continued (it has no {error}); it was "
                "left as it is. Name another file."
            ) from error

    def save(self, finished: Finished) -> None:
        """Write beside the file, then put it in its place: it is whole at every moment."""
        splits = sorted(finished.values)
        if not splits:
            return
        reasons = [[e, m, reason] for (e, m), reason in finished.reasons.items()]
        header = {"settings": finished.settings(), "reasons": reasons}
        values = np.array([finished.values[split] for split in splits])
        write_arrays(self.path, SCHEMA, header, {"splits": np.array(splits), "values": values})
