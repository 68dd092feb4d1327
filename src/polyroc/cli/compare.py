"""``polyroc compare``: which is better?"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from polyroc.cli.completion import complete_files
from polyroc.cli.gathering import gathered, together_by_id
from polyroc.cli.joining import Joined, join_options, joined_by
from polyroc.cli.options import (
    Asked,
    Command,
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
    with_options,
)
from polyroc.cli.ranking import is_ranked, ranking_tables, verdicts
from polyroc.cli.slices import sliced_comparison_tables, slices_of_files, withheld_notes
from polyroc.cli.wording import costs_among, limit, printable, short, spoken
from polyroc.errors import InvalidInput

if TYPE_CHECKING:
    from polyroc.cli.screen import Titled
    from polyroc.inference import Comparison
    from polyroc.inference._comparison import Difference
    from polyroc.inference._options import Method
    from polyroc.readers import FilePredictions


class Tested(NamedTuple):
    """What the tests are to show, as options say."""

    alternative: str
    margin: float | None
    reference: str
    adjust: Literal["pairs", "all"]


_TESTS = (
    click.option(
        "--alternative",
        type=click.Choice(["two-sided", "greater", "less", "noninferior", "equivalent"]),
        default="two-sided",
        show_default=True,
        help="What the tests should show of the first model of a pair against the second.",
    ),
    click.option(
        "--margin",
        metavar="NUMBER",
        type=float,
        help="The largest difference that does not matter, for tests of non-inferiority and "
        "equivalence; or by how much a model must be better.",
    ),
    click.option(
        "--reference",
        type=click.Choice(["t", "normal"]),
        default="t",
        show_default=True,
        help="Distribution of the test statistic; normal is DeLong's test.",
    ),
    click.option(
        "--adjust",
        type=click.Choice(["pairs", "all"]),
        default="pairs",
        show_default=True,
        help="Adjust p-values over the pairs of models within each metric, or over all rows.",
    ),
)


def test_options(command: Command) -> Command:
    """The options of the tests; a command gets them as ``tested``."""
    return with_options(bundled(command, "tested", Tested), _TESTS)


@click.command(short_help="Differences between models, with intervals and tests.")
@click.argument("files", nargs=-1, required=True, shell_complete=complete_files)
@role_options
@groups_option
@folds_option
@by_option
@metrics_option
@level_option
@click.option(
    "--method",
    type=click.Choice(["influence", "bootstrap", "permutation"]),
    default="influence",
    show_default=True,
    help="How differences are tested.",
)
@click.option(
    "--replicates",
    type=click.IntRange(min=2),
    default=2000,
    show_default=True,
    help="Replicates of the bootstrap, or permutations.",
)
@tuples_option
@test_options
@click.option("--independent", is_flag=True, help="The files contain different cases.")
@click.option(
    "--all-pairs",
    is_flag=True,
    help="Also the differences of all pairs of models, not only from the best one.",
)
@join_options
@gate_options
@seed_option
@json_option
@partial(bundled, name="drawn", kind=Drawn)
def compare(
    files: tuple[str, ...],
    asked: Asked,
    metrics: list[str] | None,
    level: float,
    method: str,
    drawn: Drawn,
    tested: Tested,
    independent: bool,
    all_pairs: bool,
    join: str,
    gate: Gate,
    as_json: bool,
) -> None:
    """Which of the models in FILES is best, with intervals and p-values of their differences.

    Either one file with columns such as forest:cat, forest:dog, logistic:cat, logistic:dog, or a
    file per model with the same cases: in the same order, or in any order with --id.
    """
    from polyroc.cli.screen import reading, working
    from polyroc.inference._compare import compare_by_slices
    from polyroc.inference._margins import Hypothesis
    from polyroc.inference._samples import samples_of

    hypothesis = Hypothesis.of(tested.alternative, tested.margin, tested.reference)
    with reading():
        names, read_files = metric_names(metrics), [asked.read(f) for f in files]
    together = together_by_id(read_files, asked, join, independent)
    if together is not None:
        read_files = list(together.files)
    samples = gathered(read_files, independent)
    check_two(samples["y_scores"], files[0])
    slices = slices_of_files(read_files)
    how = _method(method, *drawn)
    with working("comparing"):
        given = samples_of(**samples, **gate._asdict())
        result = compare_by_slices(given, slices, names, None, how, level, hypothesis)
    result = result.adjusted(tested.adjust)
    if as_json:
        _print_json(read_files, result, together)
    else:
        _print(read_files, result, together, all_pairs)
    if all(math.isnan(each.difference) for each in result.differences):
        click.echo("polyroc: None of these metrics exists for these data.", err=True)
        click.get_current_context().exit(1)


def check_two(models: Mapping[str, Any], path: str) -> None:
    """A comparison needs two models."""
    if len(models) < 2:
        raise InvalidInput(
            f"{path} has one model, and a comparison needs two. Pass another file, or one with "
            "columns such as forest:cat and logistic:cat."
        )


def _print_json(
    files: "Sequence[FilePredictions]", result: "Comparison", together: Joined | None
) -> None:
    from polyroc.cli.documents import predictions_input, print_document

    content = {
        "input": predictions_input(files),
        "join": joined_by(together),
        "comparison": result.to_dict(),
    }
    print_document("compare", content)


def _method(name: str, replicates: int, tuples: int | None, seed: int | None) -> "Method":
    """How models are compared, as the library takes it."""
    from polyroc.inference import Bootstrap, Influence, Permutation

    if name == "influence":
        return Influence(tuples, seed)
    if name == "bootstrap":
        return Bootstrap(replicates, seed, tuples)
    if tuples is not None:
        raise InvalidInput(
            "--tuples cannot be combined with --method permutation, which takes all tuples."
        )
    return Permutation(replicates, seed)


def _print(
    files: "Sequence[FilePredictions]",
    result: "Comparison",
    together: Joined | None,
    all_pairs: bool,
) -> None:
    from polyroc.cli.evaluate import print_read
    from polyroc.cli.screen import console, show

    screen = console()
    print_read(screen, files, together)
    ranked = is_ranked(result) and bool(result.values)
    for line in verdicts(result) if ranked else conclusions(result):
        screen.print(printable(line))
    screen.print()
    tables = ranking_tables(result, screen.width) if ranked else []
    if all_pairs or not ranked:
        tables += comparison_tables(result, screen.width)
    for made in [*tables, *sliced_comparison_tables(result)]:
        show(screen, made)
    costs = costs_among(dict.fromkeys(row.metric for row in result.differences))
    for line in [*costs, *notes(result), *withheld_notes(result)]:
        screen.print(printable(spoken(f"Note. {line}")))


def conclusions(result: "Comparison") -> list[str]:
    """What the tests with a margin or a direction show, and what p-values are adjusted for."""
    if is_ranked(result):
        return []
    lines = [text for row in result.differences if (text := row.conclusion(result.level))]
    adjusted = result.settings["adjusted_for"]
    return [*lines, f"p-values are adjusted by Holm's method over {adjusted}."]


def notes(result: "Comparison") -> list[str]:
    """Notes on differences, each once, with the metrics and models it is about."""
    about: dict[str, dict[str, list[str]]] = {}
    for row in result.differences:
        for text in row.notes:
            about.setdefault(text, {}).setdefault(row.metric, []).append(_pair(row))
    every = Counter(row.metric for row in result.differences)
    lines = []
    for text, metrics in about.items():
        by_pairs: dict[tuple[str, ...], list[str]] = {}
        for metric, pairs in metrics.items():
            whole = len(pairs) == every[metric]
            by_pairs.setdefault(() if whole else tuple(pairs), []).append(metric)
        for told, named in by_pairs.items():
            of = f" of {', '.join(told)}" if told else ""
            lines.append(f"{', '.join(named)}{of}: {text}")
    return lines


def comparison_tables(result: "Comparison", width: int) -> "list[Titled]":
    """One table, or where that does not fit one per pair of models, if need be shortened."""
    from polyroc._base.hypotheses import limits_in_words

    alternative = result.settings.get("alternative", "two-sided")
    title = f"Which is better? Differences with {limits_in_words(alternative, result.level)}s"
    metric = max(len(row.metric) for row in result.differences)
    models = max(len(_pair(row)) for row in result.differences)
    if metric + models + 50 <= width:
        return [_together(result, title)]
    pairs = dict.fromkeys(_pair(row) for row in result.differences)
    one = _of_pair if metric + 48 <= width else _of_pair_shortened
    return [one(result, f"{title}: {pair}", pair) for pair in pairs]


def _pair(row: "Difference") -> str:
    return f"{row.model_a} − {row.model_b}"


def _together(result: "Comparison", title: str) -> "Titled":
    from polyroc.cli.screen import table

    made = table(title, ["metric", "models"], _NUMBERS)
    for row in result.differences:
        made.add(row.metric, _pair(row), *_numbers(row, result.level))
    return made


def _of_pair(result: "Comparison", title: str, pair: str) -> "Titled":
    from polyroc.cli.screen import table

    made = table(title, ["metric"], _NUMBERS)
    for row in result.differences:
        if _pair(row) == pair:
            made.add(row.metric, *_numbers(row, result.level))
    return made


_NUMBERS = ["difference", "interval", "p", "p (Holm)"]


def _numbers(row: "Difference", level: float) -> tuple[str, str, str, str]:
    """A difference, its limits and its p-values as cells."""
    from polyroc._base.tables import p_cell

    low, high, *_ = row.interval(level)
    limits = "–" if math.isnan(low) else f"{limit(low, '+.4f')} … {limit(high, '+.4f')}"
    difference = "–" if math.isnan(row.difference) else f"{row.difference:+.4f}"
    return difference, limits, p_cell(row.p_value), p_cell(row.p_adjusted)


def _of_pair_shortened(result: "Comparison", title: str, pair: str) -> "Titled":
    from polyroc.cli.screen import table

    made = table(title, ["metric"], ["diff.", "interval", "Holm"])
    for row in result.differences:
        if _pair(row) == pair:
            low, high, *_ = row.interval(result.level)
            limits = "–" if math.isnan(low) else f"{_short(low)}…{_short(high)}"
            made.add(row.metric, _short(row.difference), limits, _short_p(row.p_adjusted))
    return made


def _short(value: float) -> str:
    return "–" if math.isnan(value) else short(limit(value, "+.3f"))


def _short_p(value: float) -> str:
    return "<.001" if value < 0.001 else "–" if math.isnan(value) else short(f"{value:.3f}")
