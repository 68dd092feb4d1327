"""``polyroc study``: learners compared over many splits of a table."""

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from polyroc._base.wording import plural
from polyroc.cli.completion import complete_files
from polyroc.cli.learners import DESCRIPTIONS
from polyroc.cli.options import (
    json_option,
    metric_names,
    metrics_option,
    names,
    seed_option,
    target_option,
)
from polyroc.cli.saving import Saving, check_distinct
from polyroc.cli.wording import costs_among, printable, spoken
from polyroc.errors import InvalidInput, NotDefined, PolyrocError

if TYPE_CHECKING:
    from polyroc.cli.screen import Titled
    from polyroc.inference._study.result import Study
    from polyroc.readers import FileFeatures

_HELP = "Learners: " + "; ".join(f"{name}: {what}" for name, what in DESCRIPTIONS.items()) + "."


@click.command(epilog=_HELP, short_help="Compare learners over splits of a table.")
@click.argument("data", shell_complete=complete_files)
@target_option
@click.option(
    "--drop",
    metavar="NAMES",
    callback=names,
    help="Columns that are not features, such as a case number.",
)
@click.option(
    "--labels",
    metavar="NAMES",
    callback=names,
    help="The classes in order.  [default: sorted]",
)
@click.option(
    "--learners",
    metavar="NAMES",
    callback=names,
    help="Learners to compare, see below.  [default: all]",
)
@click.option(
    "--splits",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Number of random splits.",
)
@click.option(
    "--test-size",
    type=float,
    default=0.4,
    show_default=True,
    help="Share of the cases in each test set.",
)
@metrics_option
@click.option(
    "--jobs",
    type=int,
    default=1,
    show_default=True,
    help="Splits to run in parallel; -1: one per processor.",
)
@click.option("--checkpoint", metavar="PATH", help="File to save to, and to resume from.")
@seed_option
@json_option
def study(
    data: str,
    target: str | None,
    drop: list[str] | None,
    labels: list[str] | None,
    learners: list[str] | None,
    splits: int,
    test_size: float,
    metrics: list[str] | None,
    jobs: int,
    checkpoint: str | None,
    seed: int | None,
    as_json: bool,
) -> None:
    """Train learners on random parts of DATA and compare them on the rest.

    DATA is a table of features: a row per case, a column with its class, all other columns
    numbers. The protocol is that of Van Calster et al. 2008.
    """
    from polyroc.cli.screen import reading
    from polyroc.readers import read_features

    chosen = metric_names(metrics)
    check_distinct({"DATA": data}, {"--checkpoint": checkpoint})
    if jobs == 0:
        raise InvalidInput("--jobs must be 1 or more, or -1 for all processors, got 0.")
    with reading():
        cases = read_features(data, target=target, drop=drop or ())
        order = None if labels is None else _typed(labels, cases)
    options: dict[str, Any] = {
        "n_splits": splits,
        "test_size": test_size,
        "metrics": chosen,
        "n_jobs": jobs,
        "rng": seed,
        "labels": order,
        "checkpoint": checkpoint,
    }
    saving = Saving()
    result = _studied(cases, learners, options, saving)
    (_print_json if as_json else _print)(cases, result)
    saving.check()


def _print_json(cases: "FileFeatures", result: "Study") -> None:
    from polyroc.cli.documents import features_input, print_document

    print_document("study", {"input": features_input(cases), "study": result.to_dict()})


def _typed(labels: list[str], cases: "FileFeatures") -> list[Any]:
    """The classes asked for, as the labels that they spell."""
    from polyroc._base.checks import did_you_mean, shown
    from polyroc.predictions._classes import listed

    known = {str(label): label for label in cases.classes}
    unknown = [name for name in labels if name not in known]
    if unknown:
        raise InvalidInput(
            f"labels= names {shown(unknown[0])}, which is not a class."
            f"{did_you_mean(unknown[0], known)} The classes are {listed(known)}."
        )
    return [known[name] for name in labels]


def _studied(
    cases: "FileFeatures", names: list[str] | None, options: dict[str, Any], saving: Saving
) -> "Study":
    """The study; what a learner refuses becomes one line."""
    from polyroc.cli.learners import learners
    from polyroc.inference import study as study_learners

    chosen = learners(names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of learners that did not converge: their values tell
        try:
            with saving.checkpoints():
                return study_learners(chosen, cases.X, cases.y, **options)
        except PolyrocError:
            raise
        except (ValueError, TypeError, ArithmeticError) as error:
            where = " ".join(getattr(error, "__notes__", ()))
            raise NotDefined(f"A learner failed: {error} {where} Leave it out.") from error


def _print(cases: "FileFeatures", result: "Study") -> None:
    from polyroc.cli.columns import features_read
    from polyroc.cli.screen import console, show
    from polyroc.predictions._classes import listed

    screen = console()
    counts = f"{plural(len(cases.y), 'case')}, {plural(len(cases.features), 'feature')}"
    screen.print(printable(f"{cases.path}: {counts}, classes {listed(cases.classes)}."))
    for line in features_read(cases):
        screen.print(printable(line))
    share = f"{100 * result.test_size:.3g} %"
    splits = plural(len(result.splits), "split")
    screen.print(f"{splits}, {share} of the cases for testing, seed {result.seed}.\n")
    for made in study_tables(result, screen.width):
        show(screen, made)
    tests = learner_tests(result, screen.width)
    for made in tests:
        show(screen, made)
    if tests:
        screen.print(how_tested(result.metrics))
    for line in costs_among(result.metrics):
        screen.print(f"Note. {line}")
    for (learner, metric), note in result.notes.items():
        screen.print(printable(spoken(f"Note. {metric} of {learner}: {note}")))


MOST_TESTS = 20
"""Rows of tests that are printed; beyond, those of the first metric only, and JSON has all."""

TESTED = (
    "Tests: corrected resampled t, a rule of thumb for new training sets; p adjusted by Holm's "
    "method within a metric."
)


def how_tested(metrics: Iterable[str]) -> str:
    """How learners are tested, and the metrics that have no test."""
    from polyroc.inference._resampled_t import withheld

    without = [metric for metric in metrics if withheld(metric)]
    if not without:
        return TESTED
    return (
        f"{TESTED} Metrics that depend on the size of the probabilities ({', '.join(without)}) "
        "have no test: it would reject too often."
    )


def learner_tests(result: "Study", width: int) -> "list[Titled]":
    """Differences between learners with their tests."""
    from polyroc._base.tables import cell, table_rows
    from polyroc.cli.screen import table

    tests = result.tests()
    if tests.empty or len(result.splits) < 2:
        return []
    main = next((m for m in ("hand_till", "roc_auc") if m in result.metrics), result.metrics[0])
    every = len(tests) <= MOST_TESTS
    shown = tests if every else tests[tests["metric"] == main]
    title = "Which learner is better?" + ("" if every else f" Differences in {main}")
    wide = width >= 70
    made = table(title, ["metric", "learners"] if every else ["learners"], ["diff.", "p", "Holm"])
    for row in table_rows(shown):
        pair = [f"{row.model_a} − {row.model_b}"]
        difference = "–" if row.difference != row.difference else f"{row.difference:+.3f}"
        limits = f" ({row.low:+.3f} … {row.high:+.3f})" if wide and row.low == row.low else ""
        cells = [difference + limits, cell(row.p_value), cell(row.p_adjusted)]
        made.add(*([row.metric] if every else []), *pair, *cells)
    return [made]


def study_tables(result: "Study", width: int) -> "list[Titled]":
    """Means and average ranks with a column per learner if that fits, else a table per learner."""
    means, ranks, first = result.means(), result.average_ranks(), result.first_ranks()
    columns = sum(max(6, len(name)) + 1 for name in result.estimators)
    if 25 + columns <= width:
        return [
            _by_metric(result, "Mean over the splits", means, 3),
            _by_metric(result, "Average rank (1 is best)", ranks, 2),
        ]
    from polyroc.cli.screen import table

    tables = []
    for row, name in enumerate(result.estimators):
        made = table(name, ["metric"], ["mean", "rank", "first"])
        for metric in result.metrics:
            cells = [float(values[metric].iloc[row]) for values in (means, ranks, first)]
            made.add(metric, _cell(cells[0], 3), *(_cell(value, 2) for value in cells[1:]))
        tables.append(made)
    return tables


def _by_metric(result: "Study", title: str, values: Any, digits: int) -> "Titled":
    from polyroc.cli.screen import table

    made = table(title, ["metric"], result.estimators)
    for metric in result.metrics:
        made.add(metric, *(_cell(value, digits) for value in values[metric]))
    return made


def _cell(value: float, digits: int) -> str:
    return "–" if value != value else f"{value:.{digits}f}"
