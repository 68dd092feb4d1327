"""``polyroc plan``: how many cases?"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from polyroc.cli.completion import complete_files
from polyroc.cli.gathering import only, only_models
from polyroc.cli.options import (
    Asked,
    Gate,
    gate_options,
    groups_option,
    json_option,
    level_option,
    names,
    role_options,
)
from polyroc.cli.wording import printable
from polyroc.errors import InvalidInput

if TYPE_CHECKING:
    from polyroc.inference import Plan
    from polyroc.readers import FilePredictions
    from polyroc.typing import Label

_SHARES = ("best", "pilot", "equal")


@click.command(short_help="How many cases a study needs, or what they achieve.")
@click.argument("file", required=False, shell_complete=complete_files)
@role_options
@groups_option
@click.option("--model", metavar="NAME", help="The model to plan for, if there are several.")
@click.option("--models", metavar="A,B", callback=names, help="Two models to compare.")
@click.option("-m", "--metric", default="hand_till", show_default=True, help="Name of the metric.")
@click.option("--half-width", type=float, help="Desired half-width of the confidence interval.")
@click.option("--power", type=float, help="Desired power of the test.")
@click.option(
    "--cases", metavar="NUMBERS", callback=names, help="Number of cases: a total, or CLASS=NUMBER."
)
@click.option(
    "--difference",
    type=float,
    help="Difference to be detected.  [default: that in FILE, itself uncertain]",
)
@click.option(
    "--against", type=float, help="Value tested against.  [default: chance; 0 for two models]"
)
@click.option(
    "--pair-auc",
    metavar="NUMBERS",
    callback=names,
    help="Assumed instead of FILE: one AUC for all pairs of --labels, or A>B=NUMBER for each pair "
    "of classes.",
)
@click.option(
    "--allocation",
    metavar="SHARES",
    callback=names,
    help="best, pilot, equal, or CLASS=NUMBER.  [default: best]",
)
@click.option("--prices", metavar="NUMBERS", callback=names, help="Price of a case: CLASS=NUMBER.")
@click.option(
    "--priors", metavar="NUMBERS", callback=names, help="Class shares, held fixed: CLASS=NUMBER."
)
@level_option
@click.option(
    "--alternative",
    type=click.Choice(["two-sided", "greater", "less"]),
    default="two-sided",
    show_default=True,
)
@click.option(
    "--method",
    type=click.Choice(["influence", "normal", "delong", "obuchowski"]),
    default="influence",
    show_default=True,
    help="How intervals and tests are computed.",
)
@gate_options
@json_option
def plan(
    file: str | None,
    asked: Asked,
    model: str | None,
    models: list[str] | None,
    cases: list[str] | None,
    pair_auc: list[str] | None,
    allocation: list[str] | None,
    prices: list[str] | None,
    priors: list[str] | None,
    gate: Gate,
    as_json: bool,
    **options: Any,
) -> None:
    """How many cases of each class a study needs, or what given numbers of cases achieve.

    FILE has the predictions of a pilot, as for polyroc evaluate; --models A,B plans a paired
    comparison. Without FILE, --pair-auc says what is assumed.
    """
    from polyroc.cli.screen import reading
    from polyroc.inference import plan as plan_cases
    from polyroc.metrics import registry

    registry.named(options["metric"])
    read_file, pilot = None, None
    if file is not None:
        with reading():
            read_file = asked.read(file)
        pilot = _pilot(read_file, model, models, gate._asdict())
        read_file = only_models(read_file, models) if models else only(read_file, model)
    assumed = None if pair_auc is None else assumed_pairs(pair_auc, asked.labels)
    classes = _classes(pilot, assumed)
    given = {
        "cases": numbers(cases, "--cases", classes),
        "allocation": _allocation(allocation, numbers(prices, "--prices", classes), classes),
        "priors": numbers(priors, "--priors", classes),
    }
    made = plan_cases(pilot, pair_auc=assumed, **given, **options)
    if as_json:
        _print_json(read_file, made)
    else:
        _print(read_file, made)


def _pilot(
    file: "FilePredictions", model: str | None, models: list[str] | None, gate: dict[str, Any]
) -> Any:
    """Predictions of one model, or of two by name."""
    if file.groups is not None:
        raise InvalidInput(
            f"{file.path} groups its cases by {file.roles.group!r}, and a plan treats cases as "
            "independent. Pass --groups none if they are."
        )
    if models is None:
        return file.predictions(model, **gate)
    if model is not None:
        raise InvalidInput("--model and --models exclude each other.")
    if len(set(models)) != 2 or len(models) != 2:
        raise InvalidInput(f"--models takes two models, got {', '.join(models)}.")
    return {name: file.predictions(name, **gate) for name in models}


def assumed_pairs(pair_auc: Sequence[str], labels: Sequence[str] | None) -> Any:
    """Pair AUCs as the library takes them: one number, or one by pair of classes."""
    if len(pair_auc) == 1 and ">" not in pair_auc[0]:
        same = _number(pair_auc[0], "--pair-auc", pair_auc[0])
        if labels is None:
            return same
        if len(labels) == 2:  # the second is the positive class
            return {(labels[1], labels[0]): same}
        return {(a, b): same for i, a in enumerate(labels) for b in labels[i + 1 :]}
    if labels is not None:
        raise InvalidInput("--pair-auc A>B=NUMBER names the classes. Leave --labels out.")
    found = {}
    for each in pair_auc:
        pair, equals, value = each.rpartition("=")
        positive, above, negative = pair.partition(">")
        if not (equals and above and positive and negative):
            raise InvalidInput(
                f"--pair-auc {each!r} is not A>B=NUMBER, such as 'ill>well=0.8', nor one number."
            )
        found[positive, negative] = _number(value, "--pair-auc", each)
    return found


def _classes(pilot: Any, assumed: Any) -> "tuple[Label, ...]":
    from polyroc.inference._planning.gaussian import read_pair_auc

    if pilot is None:
        return () if assumed is None else read_pair_auc(assumed)[0]
    first = next(iter(pilot.values())) if isinstance(pilot, dict) else pilot
    classes: tuple[Label, ...] = first.classes
    return classes


def numbers(given: Sequence[str] | None, option: str, classes: "tuple[Label, ...]") -> Any:
    """One number, or numbers by class."""
    from polyroc.predictions._names import Naming

    if given is None:
        return None
    if len(given) == 1 and "=" not in given[0]:
        return _number(given[0], option, given[0])
    naming, found = Naming(classes), {}
    for each in given:
        name, equals, value = each.rpartition("=")
        if not equals:
            raise InvalidInput(f"{option} {each!r} is not CLASS=NUMBER, such as 'ill=100'.")
        label = naming.label_of(name)
        found[name if label is None else label] = _number(value, option, each)
    return found


def _allocation(given: list[str] | None, prices: Any, classes: "tuple[Label, ...]") -> Any:
    """Shares of the classes as the library takes them, with prices if there are any."""
    from polyroc.inference import Prices

    shares = _shares(given, classes)
    return shares if prices is None else Prices(prices, "best" if shares is None else shares)


def _shares(given: list[str] | None, classes: "tuple[Label, ...]") -> Any:
    if given is not None and len(given) == 1 and "=" not in given[0]:
        if given[0] not in _SHARES:
            raise InvalidInput(
                f"--allocation {given[0]!r} is neither best, pilot, equal nor CLASS=NUMBER."
            )
        return given[0]
    return numbers(given, "--allocation", classes)


def _number(text: str, option: str, whole: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidInput(f"{option} {whole!r} has no number where one belongs.") from None


def _print_json(file: "FilePredictions | None", made: "Plan") -> None:
    from polyroc.cli.documents import predictions_input, print_document

    nothing: dict[str, Any] = {"cases": 0, "classes": list(made.cases), "files": []}
    content = {
        "input": nothing if file is None else predictions_input([file]),
        "plan": made.to_dict(),
    }
    print_document("plan", content)


def _print(file: "FilePredictions | None", made: "Plan") -> None:
    from polyroc.cli.evaluate import summary
    from polyroc.cli.screen import console, show, table

    screen = console()
    if file is not None:
        screen.print(printable(summary(file)))
        screen.print(printable(f"Read as: {file.roles.describe()}."))
        screen.print()
    columns = ["cases", "share", "of variance", *(["price"] if made.prices else [])]
    shown = table(f"{made.total:,} cases", ["class"], columns)
    for row in made.rows():
        shares = f"{row['share']:.4f}", f"{row['part_of_variance']:.4f}"
        price = [f"{row['price']:,.6g}"] if made.prices else []
        shown.add(row["class"], f"{row['cases']:,}", *shares, *price)
    show(screen, shown)
    for line in made.sentences():
        screen.print(printable(line))
    screen.print(printable(f"Assumed: {'; '.join(made.assumptions)}."))
