"""A file from which a stopped run continues, and when it is saved."""

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from polyroc._base.checks import reason_of, shown
from polyroc._storage.atomic import check_place, check_previous, previous_of
from polyroc._storage.npz import Arrays, read_arrays, write_arrays
from polyroc._storage.paths import is_there
from polyroc.errors import InvalidInput, NotSaved

SECONDS_BETWEEN_SAVES = 5.0


@dataclass(frozen=True)
class Checkpoint:
    """Arrays and a header of two tables: what a run is about, and how far it is.

    A file of another run, or of anything else, is an error and stays as it is.
    """

    path: Path
    kind: str
    """What runs, in messages."""
    keep_previous: bool = False
    """Whether the file that is replaced is kept beside it."""

    @property
    def schema(self) -> str:
        """Kind and version of the file."""
        return f"polyroc {self.kind} 2"

    def exists(self) -> bool:
        return is_there(self.path)

    def check_place(self) -> None:
        """Whether the file can be written, before there is something to lose."""
        check_place(self.path, "the checkpoint")
        if self.keep_previous:
            check_previous(self.path)

    def seed(self) -> int:
        """The seed of the run in the file."""
        seed = self._read()[0]["identity"].get("rng")
        if type(seed) is not int or seed < 0:
            raise self._unusable(ValueError(f"its seed is {shown(seed)}"))
        return seed

    def save(
        self,
        identity: Mapping[str, Any],
        progress: Mapping[str, Any],
        arrays: Mapping[str, NDArray[Any]],
    ) -> None:
        """Write the file, which is whole at every moment."""
        header = {"identity": identity, "progress": progress}
        write_arrays(self.path, self.schema, header, arrays, keep_previous=self.keep_previous)

    def load(self, identity: Mapping[str, Any]) -> tuple[dict[str, Any], Arrays]:
        """Progress and arrays; an error if what the run is about differs."""
        header, arrays = self._read()
        found = header["identity"]
        other = [key for key, value in identity.items() if found.get(key) != value]
        if other:
            raise InvalidInput(
                f"{self.path} belongs to a {self.kind} with different {', '.join(other)}; it was "
                "left as it is. Name another file, or repeat the call that began it."
            )
        return header["progress"], arrays

    @contextmanager
    def distrusted(self) -> Iterator[None]:
        """Whatever goes wrong in here is the fault of the file, which may be crafted."""
        try:
            yield
        except Exception as error:
            raise self._unusable(error) from error

    def _read(self) -> tuple[dict[str, Any], Arrays]:
        header, arrays = read_arrays(self.path, self.schema, f"a {self.kind} that can be continued")
        with self.distrusted():
            for name in ("identity", "progress"):
                if not isinstance(header[name], dict):
                    raise ValueError(f"its {name} is not a table")
        return header, arrays

    def _unusable(self, error: Exception) -> InvalidInput:
        reason = f"it has no {error}" if isinstance(error, KeyError) else reason_of(error)
        previous = previous_of(self.path).name
        advice = f"If there is a {previous}, rename it to resume from it, or name"
        return InvalidInput(
            f"{self.path} is not a {self.kind} that can be continued ({reason}); it was left as it "
            f"is. {advice if self.keep_previous else 'Name'} another file."
        )


class Autosave:
    """Saves a run every few seconds; a file that cannot be written any more does not end it."""

    def __init__(self, kind: str, save: Callable[[], object] | None) -> None:
        self._kind, self._save, self._saved = kind, save, time.monotonic()

    def if_due(self) -> None:
        """Save, if that was long ago."""
        if time.monotonic() - self._saved > SECONDS_BETWEEN_SAVES:
            self._try(last=False)
            self._saved = time.monotonic()

    def at_the_end(self) -> None:
        """Save what there is."""
        self._try(last=True)

    def _try(self, last: bool) -> None:
        try:
            if self._save is not None:
                self._save()
        except InvalidInput as error:
            state = "ends" if last else "continues"
            warnings.warn(NotSaved(f"The {self._kind} {state}, but {error}", last), stacklevel=5)
