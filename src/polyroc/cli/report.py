"""``polyroc report``: one page with everything."""

from pathlib import Path

import click

from polyroc.cli.options import Asked, folds_option, groups_option, level_option, role_options
from polyroc.cli.saving import check_distinct
from polyroc.cli.wording import printable


@click.command(short_help="Write a page about predictions, for a browser.")
@click.argument("file")
@role_options
@groups_option
@folds_option
@click.option("-o", "--output", metavar="PATH", required=True, help="The HTML file to write.")
@click.option("--title", help="Title of the page.")
@level_option
def report(
    file: str,
    asked: Asked,
    output: str,
    title: str | None,
    level: float,
) -> None:
    """Write a page about the predictions in FILE that opens in any browser, without a network."""
    from polyroc.cli.screen import console, reading, working
    from polyroc.report import write_report

    check_distinct({"FILE": file}, {"--output": output})
    path = check_output(output)
    with reading():
        cases = asked.read(file)
    with working("writing the report"):
        write_report(
            path,
            cases.y_true,
            cases.models,
            labels=list(cases.labels),
            sample_weight=cases.sample_weight,
            groups=cases.groups,
            folds=cases.folds,
            title=title,
            level=level,
        )
    screen = console()
    screen.print(printable(f"Read as: {cases.roles.describe()}."))
    screen.print(printable(f"Report: {path}"), soft_wrap=True)


def check_output(output: str) -> Path:
    """The path of a file that can be written, before the work is done."""
    from polyroc._storage.atomic import check_place
    from polyroc._storage.paths import path_of

    path = path_of(output, "--output")
    check_place(path, "the output")
    return path
