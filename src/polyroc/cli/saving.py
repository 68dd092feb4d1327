"""Files that could not be written: results are shown all the same, then the exit code is 2."""

import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from polyroc.cli.wording import one_line
from polyroc.errors import InvalidInput, NotSaved


def check_distinct(reads: Mapping[str, str | None], writes: Mapping[str, str | None]) -> None:
    """An error where a file that is written is also read, or written twice.

    Both map what the user calls a file ("FILE", "--output") to its path; None is left out. Links
    are followed, and files need not be there yet.
    """
    known: dict[str, str] = {}
    for names, written in ((reads, False), (writes, True)):
        for name, path in names.items():
            if path is None:
                continue
            try:
                place = os.path.realpath(path)
            except (OSError, ValueError):  # no path at all, which is told where it is used
                continue
            other = next((each for each in known if _same(each, place)), None)
            if written and other is not None:
                raise InvalidInput(
                    f"{known[other]} and {name} are the same file, {path}, and one would overwrite "
                    "the other. Name another one."
                )
            known.setdefault(place, name)


def _same(one: str, other: str) -> bool:
    """Whether two paths are one file, hard links included."""
    try:
        return one == other or Path(one).samefile(other)
    except OSError:
        return False


class Saving:
    """What a command tried to save; a failure is told last, when nothing more can be lost."""

    def __init__(self) -> None:
        self.failures: list[str] = []

    def save(self, write: Callable[[], object]) -> bool:
        """Whether something could be written."""
        try:
            write()
        except InvalidInput as error:
            self.failures.append(str(error))
            return False
        return True

    @contextmanager
    def checkpoints(self) -> Iterator[None]:
        """Tell at once of a checkpoint that fails while there is time to do something about it."""
        with warnings.catch_warnings():
            warnings.simplefilter("always", NotSaved)
            others, warnings.showwarning = warnings.showwarning, self._show
            self._others = others
            try:
                yield
            except BaseException:
                for failure in self.failures:
                    _tell(failure)
                raise

    def _show(self, message: Any, *where: Any, **more: Any) -> None:
        if not isinstance(message, NotSaved):
            self._others(message, *where, **more)
        elif message.last:
            self.failures.append(str(message))
        else:
            _tell(str(message))

    def check(self) -> None:
        """An error about all that was not saved."""
        if self.failures:
            raise InvalidInput(" ".join(self.failures))


def _tell(message: str) -> None:
    click.echo(f"polyroc: {one_line(message)}", err=True)
