"""The program: its commands, and what becomes of errors.

Exit codes: 0 all is well, 1 a result that does not exist for these data or a check that fails, 2
bad input, 3 a check with too few cases to tell, 130 Ctrl-C, 143 SIGTERM.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click

from polyroc._version import __version__
from polyroc.cli.calibration import calibration
from polyroc.cli.check import check
from polyroc.cli.compare import compare
from polyroc.cli.demo import demo
from polyroc.cli.evaluate import evaluate
from polyroc.cli.interrupts import Terminated, heeded_interrupts
from polyroc.cli.metrics import metrics
from polyroc.cli.plan import plan
from polyroc.cli.reader_study import reader_study
from polyroc.cli.report import report
from polyroc.cli.schema import schema
from polyroc.cli.study import study
from polyroc.cli.surface import surface
from polyroc.cli.wording import one_line, spoken
from polyroc.errors import NotDefined, PolyrocError

_NO_ARGUMENTS: tuple[type[Exception], ...] = tuple(
    filter(None, [getattr(click.exceptions, "NoArgsIsHelpError", None)])
)
"""Raised instead of printing the help, from click 8.2 on."""


class BadInput(click.ClickException):
    """One line on standard error."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))

    def show(self, file: Any = None) -> None:
        try:
            click.echo(f"polyroc: {self.message}", file=file, err=file is None)
        except OSError:  # the exit code tells what does not fit on a full disk
            _print_no_more(sys.stderr)


class NoResult(BadInput):
    """What was asked for does not exist for these data."""

    exit_code = 1


class Stopped(BadInput):
    """Ctrl-C."""

    exit_code = 130

    @classmethod
    def by(cls, cause: KeyboardInterrupt) -> "Stopped":
        """What an interrupt came of: Ctrl-C or SIGTERM."""
        kind = StoppedBySystem if _was_terminated(cause) else cls
        return kind(str(cause) or "Stopped.")


class StoppedBySystem(Stopped):
    """SIGTERM."""

    exit_code = 143


def _was_terminated(error: BaseException | None) -> bool:
    """Whether an exception is SIGTERM, or came of it."""
    while error is not None and not isinstance(error, Terminated):
        error = error.__context__
    return error is not None


class Program(click.Group):
    """Commands whose errors are one line, never a traceback."""

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Run; help and version, which are printed before a command is chosen, can fail, too."""
        _replace_closed_streams()
        _never_fail_to_print()
        try:
            with heeded_interrupts(), _all_printed():
                return super().main(*arguments, **options)
        except BrokenPipeError:  # nobody reads on, and nobody needs to be told
            _print_no_more(sys.stdout)
            sys.exit(1)
        except OSError as error:
            _print_no_more(sys.stdout)
            failure = BadInput(f"{error.strerror or error}.")
            failure.show()
            sys.exit(failure.exit_code)

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Read the arguments before the command; those after it are read by ``invoke``."""
        try:
            with _usage_in_one_line():
                return super().make_context(*arguments, **options)
        except KeyboardInterrupt as error:
            raise Stopped.by(error) from error

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with _usage_in_one_line():
                return super().invoke(ctx)
        except NotDefined as error:
            raise NoResult(spoken(str(error))) from error
        except PolyrocError as error:
            raise BadInput(spoken(str(error))) from error
        except KeyboardInterrupt as error:
            raise Stopped.by(error) from error
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


@contextmanager
def _all_printed() -> Iterator[None]:
    """Empty the buffer of standard output while its failure can still be told, and only once."""
    try:
        yield
        sys.stdout.flush()
    except SystemExit as end:
        try:
            sys.stdout.flush()
        except OSError:
            if not end.code:
                raise
            _print_no_more(sys.stdout)
        raise


def _print_no_more(stream: Any) -> None:
    """Let what is left in a buffer go nowhere.

    Otherwise Python tries to write it once more while it shuts down, and makes the exit code 120.
    """
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


@contextmanager
def _usage_in_one_line() -> Iterator[None]:
    """Wrong arguments are bad input like any other, and may contain any characters."""
    try:
        yield
    except click.UsageError as error:
        if isinstance(error, _NO_ARGUMENTS):
            raise
        path = "polyroc" if error.ctx is None else error.ctx.command_path
        message = error.format_message()
        end = "" if message.endswith((".", "?")) else "."
        raise BadInput(f"{message}{end} See {path} --help.") from error


def _replace_closed_streams() -> None:
    """Where the caller has closed a stream, read and write nothing.

    Otherwise the next file to be opened gets its number, and with it whatever a library prints.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = Path(os.devnull).open(mode)  # noqa: SIM115
            os.set_inheritable(stream.fileno(), True)  # workers want one, too
            setattr(sys, name, stream)


def _never_fail_to_print() -> None:
    """In a locale that lacks a character, print a question mark for it."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None and (stream.encoding or "").lower() != "utf-8":
            reconfigure(errors="replace")


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="polyroc")
def main() -> None:
    """Multi-class ROC analysis: how good, how certain, which is better, where to operate."""


for command in (
    demo,
    evaluate,
    compare,
    calibration,
    check,
    plan,
    reader_study,
    study,
    surface,
    report,
    metrics,
    schema,
):
    main.add_command(command)
