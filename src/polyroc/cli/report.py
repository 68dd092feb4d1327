"""``polyroc report``: one page with everything."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from polyroc.cli.options import level_option, read, role_options
from polyroc.cli.wording import printable
from polyroc.errors import InvalidInput


@click.command(short_help="Write a page about predictions, for a browser.")
@click.argument("file")
@role_options
@click.option("-o", "--output", metavar="PATH", required=True, help="The HTML file to write.")
@click.option("--title", help="Title of the page.")
@level_option
def report(
    file: str,
    target: str | None,
    columns: list[str] | None,
    labels: list[str] | None,
    weights: str | None,
    output: str,
    title: str | None,
    level: float,
) -> None:
    """Write a page about the predictions in FILE that opens in any browser, without a network."""
    from polyroc.cli.screen import console, working
    from polyroc.report import write_report

    with working("reading"):
        cases = read(file, target, columns, labels, weights)
    path = Path(output)
    check_output(path, file)
    with working("writing the report"), whole_file(path) as temporary:
        write_report(
            temporary,
            cases.y_true,
            cases.models,
            labels=list(cases.labels),
            sample_weight=cases.sample_weight,
            title=title,
            level=level,
        )
    screen = console()
    screen.print(printable(f"Read as: {cases.roles.describe()}."))
    if cases.roles.group is not None:
        screen.print(
            f"Note. Intervals of the report take cases as independent; `polyroc evaluate` uses the "
            f"groups in {printable(repr(cases.roles.group))}."
        )
    screen.print(printable(f"Report: {path}"), soft_wrap=True)


def check_output(path: Path, source: str | None = None) -> None:
    """Whether a file can be written, before the work is done."""
    from polyroc.files import check_folder

    check_folder(path, "the output")
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder. Name a file in it.")
    if source is not None and path.exists() and path.samefile(source):
        raise InvalidInput(f"{path} is the file that is read. Name another one for the output.")


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A name beside a file to write to; it takes the file's place once all is written."""
    temporary = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
