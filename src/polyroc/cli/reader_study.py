"""``polyroc reader-study``: several readers, the same cases, two or more modalities."""

import math
from typing import TYPE_CHECKING, Any

import click

from polyroc._base.wording import plural
from polyroc.cli.completion import complete_files
from polyroc.cli.options import (
    Command,
    by_class,
    json_option,
    level_option,
    names,
    seed_option,
    with_options,
)
from polyroc.cli.wording import printable, spoken

if TYPE_CHECKING:
    from polyroc.cli.screen import Titled
    from polyroc.inference import ReaderStudy
    from polyroc.readers import FileReadings

_IDS = {
    "case": "Column that names the case.",
    "reader": "Column that names the reader.",
    "modality": "Column that names the modality.",
    "truth": "Column of the true class of the case.",
}


def id_options(command: Command) -> Command:
    """The columns that say which reading a row is."""
    options = [
        click.option(f"--{name}", metavar="COLUMN", default=name, show_default=True, help=text)
        for name, text in _IDS.items()
    ]
    return with_options(command, options)


@click.command("reader-study", short_help="Modalities compared by several readers.")
@click.argument("file", shell_complete=complete_files)
@id_options
@click.option(
    "--rating",
    metavar="COLUMN",
    help="Column of ratings of two classes; higher ratings indicate the second.",
)
@click.option(
    "--scores",
    metavar="NAMES",
    callback=names,
    help="Columns of scores named after the classes, or as CLASS=COLUMN.",
)
@click.option(
    "--labels",
    metavar="NAMES",
    callback=names,
    help="The classes in order, the positive one second of two.  [default: sorted]",
)
@click.option("-m", "--metric", default="roc_auc", show_default=True, help="Name of the metric.")
@click.option(
    "--covariance",
    type=click.Choice(["jackknife", "influence", "bootstrap"]),
    default="jackknife",
    show_default=True,
    help="How covariances over cases are estimated.",
)
@click.option(
    "--replicates",
    type=click.IntRange(min=2),
    default=2000,
    show_default=True,
    help="Replicates of the bootstrap.",
)
@level_option
@seed_option
@json_option
def reader_study(
    file: str,
    case: str,
    reader: str,
    modality: str,
    truth: str,
    rating: str | None,
    scores: list[str] | None,
    labels: list[str] | None,
    metric: str,
    covariance: str,
    replicates: int,
    level: float,
    seed: int | None,
    as_json: bool,
) -> None:
    """Compare modalities that several readers used on the same cases.

    FILE has a row per case, reader and modality, with the true class of the case and either one
    column of ratings (two classes) or a column of scores per class.
    """
    from polyroc.cli.screen import working
    from polyroc.inference import reader_study as analyse
    from polyroc.readers import read_readings

    ids = {"case": case, "reader": reader, "modality": modality, "truth": truth}
    with working("reading"):
        read = read_readings(file, **ids, rating=rating, scores=by_class(scores), labels=labels)
    options: dict[str, Any] = {"level": level, "n_replicates": replicates, "rng": seed}
    with working("analysing"):
        study = analyse(
            read.columns,
            metric=metric,
            covariance=covariance,  # type: ignore[arg-type]
            **read.options,
            **options,
        )
    if as_json:
        from polyroc.cli.documents import print_document

        content = {"input": _input(read, study), "reader_study": study.to_dict()}
        print_document("reader-study", content)
    else:
        _print(read, study)


def _input(read: "FileReadings", study: "ReaderStudy") -> dict[str, Any]:
    """What was read."""
    columns = {name: read.options[name] for name in ("case", "reader", "modality", "rating")}
    file = {
        "path": read.path,
        "cases": len(read),
        "target": read.options["truth"],
        "columns": {**columns, "scores": read.options["scores"]},
    }
    return {"cases": study.n_cases, "classes": list(study.classes), "files": [file]}


def _print(read: "FileReadings", study: "ReaderStudy") -> None:
    from polyroc.cli.screen import console, show
    from polyroc.inference._reader_study.analysis import RANDOM
    from polyroc.inference._reader_study.result import described

    screen = console()
    screen.print(printable(f"{read.path}: {summary(study)}"))
    screen.print()
    for made in study_tables(study):
        show(screen, made)
    screen.print("Are all modalities equal?", style="bold")
    for random in RANDOM:
        screen.print(printable(described(study.test(random))))  # type: ignore[arg-type]
    if study.direction == "lower":
        screen.print(f"Note. {study.metric}: lower is better.")
    for note in study.notes:
        screen.print(printable(spoken(f"Note. {note.text}.")))


def summary(study: "ReaderStudy") -> str:
    """What the study consists of, in words."""
    counts = ", ".join(f"{count:,} {label}" for label, count in study.counts.items())
    positive = "" if study.positive is None else f"; {study.positive!r} is the positive class"
    return (
        f"{plural(study.n_cases, 'case')} ({counts}), {plural(len(study.readers), 'reader')}, "
        f"{len(study.modalities)} modalities{positive}"
    )


def study_tables(study: "ReaderStudy") -> "list[Titled]":
    """Values, means, differences and variance components."""
    from polyroc.cli.screen import table

    percent = f"{100 * study.level:.6g} % interval"
    values = table(f"{study.metric} of each reader", ["modality", "reader"], ["value", percent])
    for row in study.rows("values"):
        values.add(row["modality"], row["reader"], f"{row['value']:.4f}", _limits(row))
    means = table("Means, readers and cases random", ["modality"], ["mean", percent])
    for row in study.rows("means"):
        means.add(row["modality"], f"{row['value']:.4f}", _limits(row))
    components = table("Variance components", study.components.keys(), ())
    components.add(*(f"{value:.8f}" for value in study.components.values()))
    return [values, means, _differences(study, percent), components]


def _differences(study: "ReaderStudy", percent: str) -> "Titled":
    from polyroc._base.tables import p_cell
    from polyroc.cli.screen import table
    from polyroc.inference._reader_study.analysis import RANDOM

    several = len(study.modalities) > 2
    columns = ["difference", percent, "p", *(["p (Holm)"] if several else [])]
    made = table("Differences between means", ["modalities", "random"], columns)
    for random in RANDOM:
        for row in study.rows("differences", random=random):  # type: ignore[arg-type]
            pair = f"{row['modality_a']} − {row['modality_b']}"
            p_values = [p_cell(row["p_value"]), *([p_cell(row["p_adjusted"])] if several else [])]
            made.add(pair, random, f"{row['difference']:+.4f}", _limits(row, "+"), *p_values)
    return made


def _limits(row: dict[str, Any], sign: str = "") -> str:
    if math.isnan(row["low"]):
        return "–"
    return f"{row['low']:{sign}.4f} … {row['high']:{sign}.4f}"
