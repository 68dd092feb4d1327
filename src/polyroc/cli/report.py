"""``polyroc report``: one page with everything."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from polyroc.cli.completion import complete_files
from polyroc.cli.gathering import read_models
from polyroc.cli.joining import join_options
from polyroc.cli.options import (
    Asked,
    Gate,
    by_option,
    folds_option,
    gate_options,
    groups_option,
    level_option,
    role_options,
)
from polyroc.cli.saving import check_distinct
from polyroc.cli.wording import printable
from polyroc.errors import InvalidInput

if TYPE_CHECKING:
    from polyroc.predictions import Predictions
    from polyroc.readers import FilePredictions
    from polyroc.readers._predictions import Roles
    from polyroc.report import EarlierReport


@click.command(short_help="Write a page about predictions, for a browser.")
@click.argument("files", nargs=-1, required=True, metavar="FILE…", shell_complete=complete_files)
@role_options
@groups_option
@folds_option
@by_option
@click.option("--model", metavar="NAME", help="Report on this model only.  [default: all models]")
@join_options
@click.option("-o", "--output", metavar="PATH", required=True, help="The HTML file to write.")
@click.option("--title", help="Title of the page.")
@click.option(
    "--no-cases",
    is_flag=True,
    help="Leave the cases out, and with them the explorer: for data that are private.",
)
@click.option(
    "--earlier",
    metavar="PATH",
    help="An earlier report, or what evaluate --json printed: how has each metric changed?",
)
@click.option(
    "--other-cases",
    is_flag=True,
    help="With --earlier: none of its cases is in FILE. Differences then have intervals.",
)
@level_option
@gate_options
def report(
    files: tuple[str, ...],
    asked: Asked,
    model: str | None,
    join: str,
    output: str,
    title: str | None,
    no_cases: bool,
    earlier: str | None,
    other_cases: bool,
    level: float,
    gate: Gate,
) -> None:
    """Write a page about the predictions in FILE that opens in any browser and works offline.

    Several files are models of the same cases: in the same order, or in any order with --id.
    """
    from polyroc.cli.screen import console, reading, working
    from polyroc.report import write_report

    compared = _earlier(earlier, other_cases)
    named = {"FILE" if len(files) == 1 else f"FILE {n}": each for n, each in enumerate(files, 1)}
    check_distinct(named, {"--output": output})
    path = check_output(output)
    with reading():
        read = read_models(files, asked, model, join)
    with working("writing the report"):
        models = _predictions(read.cases, gate._asdict())
        column = _names_cases(read.cases)
        ids = None if column is None else read.cases.case_ids[column]
        known: dict[str, Any] = {"groups": read.cases.groups, "ids": ids, "title": title}
        known["earlier"] = compared
        source = ", ".join(dict.fromkeys(Path(file.path).name for file in read.files))
        write_report(path, models, **known, source=source, include_cases=not no_cases, level=level)
    screen = console()
    for file in read.files:
        roles = file.roles if no_cases else _naming(file.roles, column)
        screen.print(printable(f"Read as: {roles.describe()}."))
    if read.together is not None:
        screen.print(printable(f"{read.together.describe()}."))
    screen.print(printable(f"Report: {path}"), soft_wrap=True)


def _earlier(path: str | None, other_cases: bool) -> "EarlierReport | None":
    """What is compared with."""
    from polyroc.report import EarlierReport

    if path is None and other_cases:
        raise InvalidInput("--other-cases needs --earlier, the report to compare with.")
    return None if path is None else EarlierReport(path, other_cases)


def _names_cases(cases: "FilePredictions") -> str | None:
    """The column that names the cases: the one asked for, or the only one that is named so."""
    return next(iter(cases.case_ids)) if len(cases.case_ids) == 1 else None


def _naming(roles: "Roles", column: str | None) -> "Roles":
    """Roles in which a column that was not used names the cases."""
    if column not in roles.unused:
        return roles
    return replace(roles, case=column, unused=tuple(n for n in roles.unused if n != column))


def _predictions(cases: "FilePredictions", gate: Mapping[str, object]) -> "dict[str, Predictions]":
    """The predictions of each model."""
    from polyroc.predictions import Predictions

    known = {"sample_weight": cases.sample_weight, "folds": cases.folds, **gate}
    known["slices"] = cases.slices
    return {
        name: Predictions.borrowed(cases.y_true, scores, labels=list(cases.labels), **known)
        for name, scores in cases.models.items()
    }


def check_output(output: str) -> Path:
    """The path of a file that can be written, before the work is done."""
    from polyroc._storage.atomic import check_place
    from polyroc._storage.paths import path_of

    path = path_of(output, "--output")
    check_place(path, "the output")
    return path
