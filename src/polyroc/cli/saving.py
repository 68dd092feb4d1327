"""Files that could not be written: results are shown all the same, then the exit code is 2."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from polyroc.cli.wording import one_line
from polyroc.errors import InvalidInput, NotSaved


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
        """Tell at once of a checkpoint that fails while there is time to mend it."""
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
