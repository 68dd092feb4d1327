"""A file of finished splits, from which a stopped study goes on."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc.errors import InvalidInput
from polyroc.files import check_place, is_there, read_arrays, write_arrays
from polyroc.inference.study_splits import Finished
from polyroc.options import shown
from polyroc.typing import Float64Array, IntArray

SCHEMA = "polyroc study 1"

LARGEST = 1e100
"""No metric has larger values; means and squares of these exist."""


@dataclass(frozen=True)
class Checkpoint:
    """A file of finished splits: arrays and a JSON text, never pickles, replaced as a whole."""

    path: Path

    def exists(self) -> bool:
        return is_there(self.path)

    def seed(self) -> int:
        """The seed of the study in the file."""
        seed = self._read()[0]["settings"].get("seed")
        if type(seed) is not int or seed < 0:
            raise self._unusable(f"its seed is {shown(seed)}")
        return seed

    def restore(self, finished: Finished) -> None:
        """Take over what the file holds; an error if it belongs to another study."""
        if not self.exists():
            return
        header, splits, values = self._read()
        wanted = finished.settings()
        other = [key for key in wanted if header["settings"].get(key) != wanted[key]]
        if other:
            raise InvalidInput(
                f"{self.path} belongs to a study with different {', '.join(other)}; it was left as "
                "it is. Name another file, or repeat the call that began it."
            )
        shape = (len(splits), len(finished.plan.estimators), len(finished.plan.metrics))
        if values.shape != shape or (np.abs(values) > LARGEST).any():
            raise self._unusable("its values are not those of its splits")
        finished.values.update(zip(splits.tolist(), values, strict=True))
        finished.reasons.update({(e, m): reason for e, m, reason in header["reasons"]})

    def _read(self) -> tuple[dict[str, Any], IntArray, Float64Array]:
        header, arrays = read_arrays(self.path, SCHEMA, "a study that can be continued")
        lacking = [name for name in ("settings", "reasons") if name not in header]
        lacking += [name for name in ("splits", "values") if name not in arrays]
        if lacking:
            raise self._unusable(f"it has no {lacking[0]!r}")
        if not (isinstance(header["settings"], dict) and _are_reasons(header["reasons"])):
            raise self._unusable("its settings or reasons are not those of a study")
        splits, values = arrays["splits"], arrays["values"]
        if not (_are_splits(splits) and values.dtype == np.float64):
            raise self._unusable("its splits are not numbers that rise from 0 on")
        return header, splits, values

    def _unusable(self, reason: str) -> InvalidInput:
        return InvalidInput(
            f"{self.path} is not a study that can be continued ({reason}); it was left as it is. "
            "Name another file."
        )

    def check_place(self) -> None:
        """Whether the file can be written, before there is something to lose."""
        check_place(self.path, "the checkpoint")

    def save(self, finished: Finished) -> None:
        """Write what is finished; the file is whole at every moment."""
        splits = sorted(finished.values)
        if not splits:
            return
        reasons = [[e, m, reason] for (e, m), reason in finished.reasons.items()]
        header = {"settings": finished.settings(), "reasons": reasons}
        values = np.array([finished.values[split] for split in splits])
        write_arrays(self.path, SCHEMA, header, {"splits": np.array(splits), "values": values})


def _are_splits(splits: NDArray[Any]) -> bool:
    whole = splits.ndim == 1 and splits.dtype == np.int64
    return bool(whole and (splits >= 0).all() and (np.diff(splits) > 0).all())


def _are_reasons(reasons: Any) -> bool:
    """Whether they are learners, metrics and why they have no value, in words."""
    return isinstance(reasons, list) and all(
        isinstance(each, list) and len(each) == 3 and all(isinstance(word, str) for word in each)
        for each in reasons
    )
