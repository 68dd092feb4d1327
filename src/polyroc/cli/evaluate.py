"""``polyroc evaluate``: how good, and how certain is that?"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from polyroc._base.wording import plural
from polyroc.cli.against import Constant, Tested, against_options
from polyroc.cli.columns import swapped_columns
from polyroc.cli.completion import complete_files
from polyroc.cli.gathering import Gathered, read_models
from polyroc.cli.joining import Joined, join_options, joined_by
from polyroc.cli.notes import notes
from polyroc.cli.options import (
    Asked,
    Drawn,
    Gate,
    bundled,
    by_option,
    folds_option,
    gate_options,
    groups_option,
    json_option,
    level_option,
    metric_names,
    metrics_option,
    role_options,
    seed_option,
    tuples_option,
)
from polyroc.cli.pairs import pair_rows, pair_tables, worst_first
from polyroc.cli.slices import slice_notes, slice_tables
from polyroc.cli.wording import costs_among, printable, short, spoken
from polyroc.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from polyroc.cli.screen import Titled
    from polyroc.readers import FilePredictions
    from polyroc.results import Estimate, Evaluation, Interval


@click.command(short_help="Metrics of predictions with confidence intervals.")
@click.argument("files", nargs=-1, required=True, metavar="FILE…", shell_complete=complete_files)
@role_options
@groups_option
@folds_option
@by_option
@click.option("--model", metavar="NAME", help="Evaluate this model only.  [default: all models]")
@click.option(
    "--streaming",
    is_flag=True,
    help="Read Parquet files of any size in pieces: bounds between which each value lies.",
)
@click.option(
    "--exact",
    is_flag=True,
    help="With --streaming: exact values, by further passes over the files.",
)
@metrics_option
@level_option
@click.option(
    "--interval",
    type=click.Choice(["influence", "bootstrap", "none"]),
    default="influence",
    show_default=True,
    help="How intervals are computed.",
)
@click.option(
    "--replicates",
    type=click.IntRange(min=2),
    default=2000,
    show_default=True,
    help="Replicates of the bootstrap.",
)
@tuples_option
@click.option(
    "--pairs",
    is_flag=True,
    help="Also the AUC of every pair of classes, with intervals, the worst first.",
)
@against_options
@join_options
@gate_options
@seed_option
@json_option
@partial(bundled, name="drawn", kind=Drawn)
def evaluate(
    files: tuple[str, ...],
    asked: Asked,
    model: str | None,
    streaming: bool,
    exact: bool,
    metrics: list[str] | None,
    level: float,
    interval: str,
    drawn: Drawn,
    pairs: bool,
    tested: Tested,
    join: str,
    gate: Gate,
    as_json: bool,
) -> None:
    """Metrics of the predictions in FILE, with confidence intervals.

    FILE is CSV, Parquet, Arrow or NPZ, or - for the standard input: a row per case, with its true
    class and a column of scores per class. Columns are found by their names (y; p_cat, p_dog or
    forest:cat, forest:dog, …) or given by options, and the first lines of the output say which were
    used. Several files are models of the same cases: in the same order, or in any order with
    --id. With --streaming there may be many Parquet files, folders or patterns, read as one table.
    """
    from polyroc.cli.screen import reading

    names = metric_names(metrics)
    if streaming:
        from polyroc.cli.streaming import stream

        stream(files, asked, as_json, metrics=names, exact=exact, absent=gate.absent)
        return
    if exact:
        raise InvalidInput("--exact belongs to --streaming; without it all values are exact.")
    constant = Constant.of(*tested)
    with reading():
        read = read_models(files, asked, model, join)
    given = {"interval": _interval(interval, drawn.replicates), "level": level}
    given |= {"n_tuples": drawn.tuples, "rng": drawn.seed}
    results, of_pairs, questions = _evaluated(read.cases, names, gate, given, pairs)
    if as_json:
        _print_json(read, results, of_pairs, constant)
    else:
        _print_tables(read, results, level, of_pairs, constant, questions)
    if all(math.isnan(each.value) for result in results.values() for each in result.values()):
        click.echo("polyroc: None of these metrics exists for these data.", err=True)
        click.get_current_context().exit(1)


def _interval(method: str, replicates: int) -> Any:
    """How intervals are computed, as the library takes it."""
    from polyroc.inference import Bootstrap

    return {"none": None, "bootstrap": Bootstrap(replicates)}.get(method, method)


def _evaluated(
    cases: "FilePredictions",
    metrics: list[str] | str | None,
    gate: Gate,
    options: Mapping[str, Any],
    with_pairs: bool,
) -> "tuple[dict[str, Evaluation], dict[str, pd.DataFrame], list[str]]":
    """Of each model the metrics and, if asked for, its pairs; and whether columns look swapped."""
    from polyroc.cli.screen import working
    from polyroc.inference import evaluate as evaluate_scores
    from polyroc.predictions import Predictions

    known = {"labels": list(cases.labels), "sample_weight": cases.sample_weight, **gate._asdict()}
    known |= {"groups": cases.groups, "folds": cases.folds, "slices": cases.slices}
    results, pairs, questions = {}, {}, []
    for name, scores in cases.models.items():
        with working(f"evaluating {printable(name)}"):
            predictions = Predictions.borrowed(cases.y_true, scores, **known)
            results[name] = evaluate_scores(predictions, metrics=metrics, **options)
            if with_pairs:
                pairs[name] = worst_first(predictions, options["level"])
            if question := swapped_columns(predictions, options["level"]):
                questions.append(question if len(cases.models) == 1 else f"{name}: {question}")
    return results, pairs, questions


def _print_json(
    read: Gathered,
    results: "Mapping[str, Evaluation]",
    pairs: "Mapping[str, pd.DataFrame]",
    constant: Constant | None,
) -> None:
    from polyroc.cli.documents import predictions_input, print_document

    models = []
    for name, result in results.items():
        models.append({"model": name, **result.to_dict()})
        if constant is not None:
            models[-1]["tests"] = constant.tests(result, result.level)
        if name in pairs:
            models[-1]["pairs"] = pair_rows(pairs[name])
    content = {"input": predictions_input(read.files), "join": joined_by(read.together)}
    print_document("evaluate", {**content, "models": models})


def _print_tables(
    read: Gathered,
    results: "Mapping[str, Evaluation]",
    level: float,
    pairs: "Mapping[str, pd.DataFrame]",
    constant: Constant | None,
    questions: list[str],
) -> None:
    from polyroc.cli.screen import console, show

    # Before anything is printed: a constant that no metric can have is an error.
    tested = constant.sentences(results, level) if constant is not None else []
    screen = console()
    print_read(screen, read.files, read.together)
    tables = [*evaluation_tables(results, level, screen.width), *slice_tables(results, level)]
    for shown in [*tables, *pair_tables(pairs, level)]:
        show(screen, shown)
    for line in tested:
        screen.print(printable(line))
    costs = costs_among(dict.fromkeys(metric for result in results.values() for metric in result))
    told = [*worse_than_guessing(results, level), *questions]
    told += [*random_tuples(results), *notes(results)]
    told += slice_notes(results)
    for line in [*costs, *told]:
        screen.print(printable(spoken(f"Note. {line}")))


def print_read(
    screen: "Console", files: "Sequence[FilePredictions]", together: Joined | None
) -> None:
    """What was read of each file, and how the files were joined."""
    for file in files:
        screen.print(printable(summary(file)))
        screen.print(printable(f"Read as: {file.roles.describe()}."))
    if together is not None:
        screen.print(printable(f"{together.describe()}."))
    screen.print()


def summary(cases: "FilePredictions") -> str:
    """How many cases there are of which class."""
    counts = {label: int((cases.y_true == label).sum()) for label in cases.labels}
    most = 8
    word = "" if all(isinstance(label, str) for label in counts) else "of class "
    each = ", ".join(f"{count:,} {word}{label}" for label, count in list(counts.items())[:most])
    more = f" and {len(counts) - most} more classes" if len(counts) > most else ""
    start = f"{cases.path}: {plural(len(cases), 'case')} of {plural(len(counts), 'class')}"
    return f"{start}: {each}{more}.{_without_weight(cases)}"


def _without_weight(cases: "FilePredictions") -> str:
    """How many cases do not count, if any."""
    weights = cases.sample_weight
    count = 0 if weights is None else int((weights == 0).sum())
    return f" {plural(count, 'case')} of weight 0 left out." if count else ""


def evaluation_tables(
    results: "Mapping[str, Evaluation]", level: float, width: int
) -> "Iterable[Titled]":
    """One table with a column per model if that fits, else a table per model."""
    percent = f"{100 * level:.6g} %"
    title = f"How good, and how certain? Values with {percent} intervals"
    widest = max(16, *(len(name) for name in results))
    if len(results) > 1 and 25 + (widest + 1) * len(results) <= width:
        return [_beside(results, title, level)]
    return [
        _alone(result, f"{title}: {name}" if len(results) > 1 else title, percent, level, width)
        for name, result in results.items()
    ]


def _beside(results: "Mapping[str, Evaluation]", title: str, level: float) -> "Titled":
    from polyroc.cli.screen import table

    made = table(title, ["metric", *results])
    for metric in next(iter(results.values())):
        cells = []
        for result in results.values():
            value, interval = result[metric].value, result[metric].interval(level)
            limits = f" ({_short(interval.low)}–{_short(interval.high)})"
            cells.append(_short(value) + ("" if math.isnan(interval.low) else limits))
        made.add(metric, *cells)
    return made


def _alone(result: "Evaluation", title: str, percent: str, level: float, width: int) -> "Titled":
    from polyroc._base.tables import cell
    from polyroc.cli.screen import table

    numbers = ["value", f"{percent} interval", "std. error"]
    wide = width >= 60
    made = table(title, ["metric"], numbers if wide else numbers[:2])
    for metric, estimate in result.items():
        cells = [cell(estimate.value), _limits(estimate.interval(level))]
        made.add(metric, *cells, *([cell(estimate.standard_error)] if wide else []))
    return made


def _limits(interval: "Interval") -> str:
    from polyroc._base.tables import cell

    return "–" if math.isnan(interval.low) else f"{cell(interval.low)}–{cell(interval.high)}"


def _short(value: float) -> str:
    return "–" if math.isnan(value) else short(f"{value:.3f}")


def random_tuples(results: "Mapping[str, Evaluation]") -> list[str]:
    """Metrics that were estimated from tuples drawn at random, with the seed to draw them again."""
    drawn: dict[tuple[int, int], dict[str, None]] = {}
    for result in results.values():
        for metric, estimate in result.items():
            if "n_tuples" in estimate.settings:
                how = estimate.settings["n_tuples"], estimate.settings["seed"]
                drawn.setdefault(how, {})[metric] = None
    return [
        f"{', '.join(named)}: estimated from {plural(number, 'random tuple')} of cases, seed {seed}"
        for (number, seed), named in drawn.items()
    ]


def worse_than_guessing(results: "Mapping[str, Evaluation]", level: float) -> list[str]:
    """Metrics whose interval is worse than the value of guessing: columns may be in a wrong order.

    That is below it, or above it for a metric of costs.
    """
    lines = []
    for name, result in results.items():
        worse = [metric for metric, estimate in result.items() if _worse(estimate, level)]
        if worse:
            of = "" if len(results) == 1 else f" of {name}"
            lines.append(
                f"{', '.join(worse)}{of}: worse than guessing. Check in the line Read as that "
                "every column of scores belongs to its class, and that higher scores indicate it."
            )
    return lines


def _worse(estimate: "Estimate", level: float) -> bool:
    """Whether the whole interval is worse than the value of guessing."""
    from polyroc.metrics import registry

    low, high, *_ = estimate.interval(level)
    return registry[estimate.metric].worse_than_guessing(low, high, len(estimate.counts))
