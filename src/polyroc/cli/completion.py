"""What a shell offers after the Tab key: files, metrics and columns of the files named so far."""

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def complete_files(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> "list[CompletionItem]":
    """The shell's own completion of files."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def complete_metrics(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> "list[CompletionItem]":
    """Names of metrics, after those that are there already; ``METRIC=`` where a number follows."""
    from click.shell_completion import CompletionItem

    from polyroc.metrics import registry

    start, comma, last = incomplete.rpartition(",")
    end = "=" if "METRIC" in str(parameter.metavar) else ""
    return [
        CompletionItem(f"{start}{comma}{name}{end}", help=metric.title)
        for name, metric in registry.items()
        if name.startswith(last)
    ]


def complete_columns(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> "list[CompletionItem]":
    """Columns of the files on the command line, after those that are there already."""
    from click.shell_completion import CompletionItem

    start, comma, last = incomplete.rpartition(",")
    return [
        CompletionItem(f"{start}{comma}{name}")
        for name in dict.fromkeys(_columns(_files(context)))
        if name.startswith(last)
    ]


def _files(context: click.Context) -> list[str]:
    """The files that the arguments name; an option without its value leaves them unread."""
    given = context.params.get("files") or context.params.get("file") or ()
    read = [given] if isinstance(given, str) else [str(each) for each in given]
    return [*read, *(each for each in context.args if not each.startswith("-"))]


def _columns(paths: Iterable[str]) -> Iterable[str]:
    """The columns of some files; a file that cannot be read has none."""
    from polyroc.errors import PolyrocError
    from polyroc.readers._header import column_names

    for path in paths:
        with suppress(PolyrocError, OSError):
            yield from column_names(path)
