"""The program: its commands, and what becomes of errors.

Exit codes: 0 all is well, 1 a result that does not exist for these data, 2 bad input, 130 Ctrl-C.
"""

import sys
from typing import Any

import click

from polyroc._version import __version__
from polyroc.cli.compare import compare
from polyroc.cli.demo import demo
from polyroc.cli.evaluate import evaluate
from polyroc.cli.metrics import metrics
from polyroc.cli.report import report
from polyroc.cli.study import study
from polyroc.cli.surface import surface
from polyroc.cli.wording import one_line, spoken
from polyroc.errors import NotDefined, PolyrocError


class BadInput(click.ClickException):
    """One line on standard error."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))

    def show(self, file: Any = None) -> None:
        click.echo(f"polyroc: {self.message}", file=file, err=file is None)


class NoResult(BadInput):
    """What was asked for does not exist for these data."""

    exit_code = 1


class Stopped(BadInput):
    """Ctrl-C."""

    exit_code = 130


class Program(click.Group):
    """Commands whose errors are one line, never a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        _never_fail_to_print()
        try:
            return super().invoke(ctx)
        except NotDefined as error:
            raise NoResult(spoken(str(error))) from error
        except PolyrocError as error:
            raise BadInput(spoken(str(error))) from error
        except KeyboardInterrupt as error:
            raise Stopped(str(error) or "Stopped.") from error
        except MemoryError as error:
            raise BadInput("There is not enough memory for this.") from error
        except BrokenPipeError:
            raise
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            raise BadInput(f"{where}{error.strerror or error}.") from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which a newcomer meets them."""
        return list(self.commands)


def _never_fail_to_print() -> None:
    """In a locale without a sign, print a question mark for it."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None and (stream.encoding or "").lower() != "utf-8":
            reconfigure(errors="replace")


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="polyroc")
def main() -> None:
    """Multi-class ROC analysis: how good, how sure, which is better, where to operate."""


for command in (demo, evaluate, compare, study, surface, report, metrics):
    main.add_command(command)
