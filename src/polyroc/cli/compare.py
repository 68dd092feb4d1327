"""``polyroc compare``: which is better?"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from polyroc.cli.joining import Joined, check_order, join_options, joined
from polyroc.cli.options import (
    NONE,
    Asked,
    Command,
    absent_option,
    bundled,
    folds_option,
    groups_option,
    json_option,
    level_option,
    metric_names,
    metrics_option,
    normalize_option,
    role_options,
    seed_option,
    with_options,
)
from polyroc.cli.wording import costs_among, printable, short, spoken
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
        help="What the tests are to show of the first model of a pair against the second.",
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
@click.argument("files", nargs=-1, required=True)
@role_options
@groups_option
@folds_option
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
@test_options
@click.option("--independent", is_flag=True, help="The files contain different cases.")
@join_options
@absent_option
@normalize_option
@seed_option
@json_option
def compare(
    files: tuple[str, ...],
    asked: Asked,
    metrics: list[str] | None,
    level: float,
    method: str,
    replicates: int,
    tested: Tested,
    independent: bool,
    case_id: str | None,
    join: str,
    absent: str,
    normalize: bool,
    seed: int | None,
    as_json: bool,
) -> None:
    """Differences between the models in FILES, with intervals and p-values.

    Either one file with columns such as forest:cat, forest:dog, logistic:cat, logistic:dog, or a
    file per model with the same cases: in the same order, or in any order with --id.
    """
    from polyroc.cli.screen import reading, working
    from polyroc.inference._compare import compare_samples
    from polyroc.inference._margins import Hypothesis
    from polyroc.inference._samples import samples_of

    hypothesis = Hypothesis.of(tested.alternative, tested.margin, tested.reference)
    with reading():
        names, read_files = metric_names(metrics), [asked.read(f, case_id=case_id) for f in files]
    together = _together_by_id(read_files, case_id, join, independent)
    if together is not None:
        read_files = list(together.files)
    samples = gathered(read_files, independent)
    how = _method(method, replicates, seed)
    with working("comparing"):
        given = samples_of(**samples, absent=absent, normalize=normalize)
        result = compare_samples(given, names, None, how, level, hypothesis)
    result = result.adjusted(tested.adjust)
    if as_json:
        _print_json(read_files, result, together)
    else:
        _print(read_files, result, together)
    if all(math.isnan(each.difference) for each in result.differences):
        click.echo("polyroc: None of these metrics exists for these data.", err=True)
        click.get_current_context().exit(1)


def _print_json(
    files: "Sequence[FilePredictions]", result: "Comparison", together: Joined | None
) -> None:
    from polyroc.cli.documents import predictions_input, print_document

    content = {
        "input": predictions_input(files),
        "join": None if together is None else together.to_dict(),
        "comparison": result.to_dict(),
    }
    print_document("compare", content)


def _method(name: str, replicates: int, seed: int | None) -> "Method":
    """How models are compared, as the library takes it."""
    from polyroc.inference import Bootstrap, Influence, Permutation

    if name == "influence":
        return Influence()
    return (Bootstrap if name == "bootstrap" else Permutation)(replicates, seed)


def _together_by_id(
    files: "Sequence[FilePredictions]", case_id: str | None, join: str, independent: bool
) -> Joined | None:
    """Files joined by case, where that is asked for."""
    asked = case_id not in (None, NONE)
    if independent and asked:
        raise InvalidInput("--id joins files of the same cases, --independent is for others.")
    if join == "inner" and not asked:
        raise InvalidInput("--join inner needs --id COLUMN, the column that tells the cases apart.")
    if asked and len(files) > 1:
        return joined(files, str(case_id), join)
    if not independent:
        check_order(files)
    return None


def gathered(files: "Sequence[FilePredictions]", independent: bool) -> dict[str, Any]:
    """Labels and scores of all files as the library compares them."""
    first = files[0]
    models: dict[str, Any] = {}
    homes: dict[str, FilePredictions] = {}
    for file in files:
        for model, scores in _in_order(file, first).items():
            name = _new_name(model, file.path, models)
            models[name], homes[name] = scores, file
    if len(models) < 2:
        raise InvalidInput(
            f"{first.path} has one model, and a comparison needs two. Pass another file, or one "
            "with columns such as forest:cat and logistic:cat."
        )
    if independent:
        own: dict[str, Any] = {
            "y_true": {name: file.y_true for name, file in homes.items()},
            "sample_weight": _each(homes, "sample_weight"),
            "groups": _each(homes, "groups"),
            "folds": _each(homes, "folds"),
        }
    else:
        for file in files[1:]:
            _check_same_cases(first, file)
        own = {"y_true": first.y_true} | {
            name: next((v for f in files if (v := getattr(f, name)) is not None), None)
            for name in ("sample_weight", "groups", "folds")
        }
    return {"y_scores": models, "labels": list(first.labels), **own}


def _each(homes: "dict[str, FilePredictions]", attribute: str) -> dict[str, Any] | None:
    values = {name: getattr(file, attribute) for name, file in homes.items()}
    known = {name: value for name, value in values.items() if value is not None}
    if known and len(known) < len(values):
        lacking = next(name for name in values if name not in known)
        raise InvalidInput(f"The file of {lacking!r} has no {attribute}, but others have.")
    return known or None


def _new_name(model: str, path: str, taken: dict[str, Any]) -> str:
    """A name that no other model has: the file is added where two are called alike."""
    for name in (model, f"{path}:{model}", *(f"{model} ({n})" for n in range(2, 1000))):
        if name not in taken:
            return name
    raise InvalidInput(f"Too many models are called {model!r}.")


def _in_order(file: "FilePredictions", first: "FilePredictions") -> dict[str, Any]:
    """Scores with their columns in the order of the first file's classes."""
    from polyroc.predictions._classes import listed

    if file.labels == first.labels:
        return file.models
    one_column = any(scores.shape[1] == 1 for scores in file.models.values())
    if set(file.labels) != set(first.labels) or one_column:
        raise InvalidInput(
            f"{file.path} has the classes {listed(file.labels)}, but {first.path} has "
            f"{listed(first.labels)}. Compare models of the same classes, or name the classes with "
            "labels=."
        )
    order = [file.labels.index(label) for label in first.labels]
    return {model: scores[:, order] for model, scores in file.models.items()}


def _check_same_cases(first: "FilePredictions", other: "FilePredictions") -> None:
    """Whether labels, weights and groups of two files agree."""
    import numpy as np

    advice = (
        "Join the files with --id COLUMN, put the cases in the same order, or pass --independent "
        "if they are different cases."
    )
    if len(first) != len(other):
        raise InvalidInput(
            f"{first.path} has {len(first)} cases but {other.path} has {len(other)}. {advice}"
        )
    for what in _WORDS:
        ours, theirs = getattr(first, what), getattr(other, what)
        if ours is None or theirs is None:
            continue
        if what in ("group_names", "folds"):  # one file may have 1 for "1"
            ours, theirs = ours.astype(str), theirs.astype(str)
        apart = np.flatnonzero(ours != theirs)
        if apart.size:
            row = int(apart[0])
            raise InvalidInput(
                f"{first.path} and {other.path} differ in {_WORDS[what]} in row {row}: "
                f"{ours[row]} and {theirs[row]}. {advice}"
            )


_WORDS = {
    "y_true": "the true class",
    "sample_weight": "the weight",
    "group_names": "the group",
    "folds": "the fold",
}


def _print(
    files: "Sequence[FilePredictions]", result: "Comparison", together: Joined | None
) -> None:
    from polyroc.cli.evaluate import summary
    from polyroc.cli.screen import console, show

    screen = console()
    for file in files:
        screen.print(printable(summary(file)))
        screen.print(printable(f"Read as: {file.roles.describe()}."))
    if together is not None:
        screen.print(printable(f"{together.describe()}."))
    screen.print()
    for made in comparison_tables(result, screen.width):
        show(screen, made)
    for line in conclusions(result):
        screen.print(printable(line))
    costs = costs_among(dict.fromkeys(row.metric for row in result.differences))
    for line in [*costs, *notes(result)]:
        screen.print(printable(spoken(f"Note. {line}")))


def conclusions(result: "Comparison") -> list[str]:
    """What the tests with a margin or a direction show, and what p-values are adjusted for."""
    if result.settings.get("alternative", "two-sided") == "two-sided":
        return []
    lines = [text for row in result.differences if (text := row.conclusion(result.level))]
    adjusted = result.settings["adjusted_for"]
    return [*lines, f"p-values are adjusted by Holm's method over {adjusted}."]


def notes(result: "Comparison") -> list[str]:
    """Notes on differences, each once, with the metrics and models it is about."""
    about: dict[str, dict[str, list[str]]] = {}
    for row in result.differences:
        for text in filter(None, row.note.split("; ")):
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
    """One table, or where that does not fit one per pair of models with shorter numbers."""
    percent = f"{100 * result.level:.6g} %"
    title = f"Which is better? Differences with {percent} intervals"
    metric = max(len(row.metric) for row in result.differences)
    models = max(len(_pair(row)) for row in result.differences)
    if metric + models + 50 <= width:
        return [_together(result, title)]
    pairs = dict.fromkeys(_pair(row) for row in result.differences)
    return [_by_pair(result, f"{title}: {pair}", pair) for pair in pairs]


def _pair(row: "Difference") -> str:
    return f"{row.model_a} − {row.model_b}"


def _together(result: "Comparison", title: str) -> "Titled":
    from polyroc._base.tables import p_cell
    from polyroc.cli.screen import table

    made = table(title, ["metric", "models"], ["difference", "interval", "p", "p (Holm)"])
    for row in result.differences:
        low, high, *_ = row.interval(result.level)
        limits = "–" if math.isnan(low) else f"{_limit(low, '+.4f')} … {_limit(high, '+.4f')}"
        difference = "–" if math.isnan(row.difference) else f"{row.difference:+.4f}"
        p_values = p_cell(row.p_value), p_cell(row.p_adjusted)
        made.add(row.metric, _pair(row), difference, limits, *p_values)
    return made


def _by_pair(result: "Comparison", title: str, pair: str) -> "Titled":
    from polyroc.cli.screen import table

    made = table(title, ["metric"], ["diff.", "interval", "Holm"])
    for row in result.differences:
        if _pair(row) == pair:
            low, high, *_ = row.interval(result.level)
            limits = "–" if math.isnan(low) else f"{_short(low)}…{_short(high)}"
            made.add(row.metric, _short(row.difference), limits, _short_p(row.p_adjusted))
    return made


def _limit(value: float, form: str) -> str:
    """A limit of an interval, or that there is none on this side."""
    return f"{value:{form}}" if math.isfinite(value) else f"{'+' if value > 0 else '−'}∞"


def _short(value: float) -> str:
    return "–" if math.isnan(value) else short(_limit(value, "+.3f"))


def _short_p(value: float) -> str:
    return "<.001" if value < 0.001 else "–" if math.isnan(value) else short(f"{value:.3f}")
