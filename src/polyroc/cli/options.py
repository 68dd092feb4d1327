"""Options that several commands share."""

import csv
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from polyroc.cli.completion import complete_columns, complete_metrics
from polyroc.errors import InvalidInput

if TYPE_CHECKING:
    from polyroc.readers import FilePredictions

Command = TypeVar("Command", bound=Callable[..., Any])

NONE = "none"
"""For --weights and --groups: do not guess."""


def names(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> list[str] | None:
    """Names separated by commas; a name with a comma goes in quotes."""
    if value is None:
        return None
    try:
        found = [name.strip() for name in next(csv.reader([value], skipinitialspace=True), [])]
    except csv.Error as error:  # a line end, or a name of more than a hundred thousand characters
        message = f"{value[:80]!r} is not a list of names ({error})."
        raise click.BadParameter(message, context, parameter) from None
    if not found or "" in found:
        raise click.BadParameter(f"{value[:80]!r} has an empty name.", context, parameter)
    return found


def level(context: click.Context, parameter: click.Parameter, value: float) -> float:
    """A confidence level."""
    if not 0 < value < 1:
        message = f"{value} does not lie between 0 and 1, such as 0.95."
        raise click.BadParameter(message, context, parameter)
    return value


target_option = click.option(
    "-t",
    "--target",
    metavar="COLUMN",
    shell_complete=complete_columns,
    help="Column of true classes.  [default: found by its name]",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON (docs/json.md).")
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), help="Seed of the random number generator."
)
level_option = click.option(
    "--level", type=float, callback=level, default=0.95, show_default=True, help="Confidence level."
)
metrics_option = click.option(
    "-m",
    "--metrics",
    metavar="NAMES",
    callback=names,
    shell_complete=complete_metrics,
    help="Names separated by commas, or all.  [default: those that differ for this number of "
    "classes and are affordable for these cases]",
)
_LABELS = click.option(
    "--labels",
    metavar="NAMES",
    callback=names,
    help="The classes in order.  [default: the order of the columns]",
)
tuples_option = click.option(
    "--tuples",
    metavar="NUMBER",
    type=click.IntRange(min=1),
    help="Estimate the volumes (vus, hum, …) from this many random tuples of cases; for four or "
    "more classes.  [default: all tuples]",
)
normalize_option = click.option(
    "--normalize", is_flag=True, help="Divide the scores of each case by their sum."
)
_GATE = (
    click.option(
        "--absent",
        type=click.Choice(["raise", "skip"]),
        default="raise",
        show_default=True,
        help="A class without cases: raise an error, or skip the class.",
    ),
    normalize_option,
)
decimal_option = click.option(
    "--decimal",
    type=click.Choice([".", ","]),
    default=".",
    show_default=True,
    help="Decimal separator of numbers in text files.",
)
_ROLES = (
    target_option,
    click.option(
        "--columns",
        metavar="NAMES",
        callback=names,
        shell_complete=complete_columns,
        help="Columns of scores, in the order of the classes or as CLASS=COLUMN.  "
        "[default: those named after the classes]",
    ),
    _LABELS,
    click.option(
        "--weights",
        metavar="COLUMN",
        shell_complete=complete_columns,
        help="Column of case weights, or none.  [default: found by its name]",
    ),
    decimal_option,
)
groups_option = click.option(
    "--groups",
    metavar="COLUMN",
    shell_complete=complete_columns,
    help="Column of groups of cases that are not independent, such as patients, or none.  "
    "[default: found by its name]",
)


folds_option = click.option(
    "--folds",
    metavar="COLUMN",
    shell_complete=complete_columns,
    help="Column of the fold of a cross-validation in which a case was held out: values are means "
    "over folds.",
)


by_option = click.option(
    "--by",
    metavar="COLUMN",
    shell_complete=complete_columns,
    multiple=True,
    help="Also by the slices of this column, such as sex or site; may be repeated.",
)


class Asked(NamedTuple):
    """Which column of a file of predictions is what, as far as options say."""

    target: str | None
    columns: list[str] | None
    labels: list[str] | None
    weights: str | None
    groups: str | None
    folds: str | None
    decimal: str
    by: tuple[str, ...] | None = None
    case_id: str | None = None

    def read(self, path: str, model: str | None = None) -> "FilePredictions":
        """The predictions in a file."""
        from polyroc.readers import read_predictions

        return read_predictions(
            path,
            target=self.target,
            columns=by_class(self.columns),
            labels=self.labels,
            weight=False if self.weights == NONE else self.weights,
            group=False if self.groups == NONE else self.groups,
            model=model,
            case_id=False if self.case_id == NONE else self.case_id,
            fold=self.folds,
            decimal=self.decimal,
            slices=self.by or (),
        )


def role_options(command: Command) -> Command:
    """The options that say which column of a file is what; a command gets them as ``asked``."""
    return with_options(bundled(command, "asked", Asked), _ROLES)


class Gate(NamedTuple):
    """What is done about classes without cases, and about scores that do not sum to 1."""

    absent: str
    normalize: bool


def gate_options(command: Command) -> Command:
    """The options of a gate; a command gets them as ``gate``."""
    return with_options(bundled(command, "gate", Gate), _GATE)


class Drawn(NamedTuple):
    """How much is drawn at random, and from which seed."""

    replicates: int
    tuples: int | None
    seed: int | None


def with_options(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    """A command with options, which its help shows in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def bundled(command: Command, name: str, kind: type[Any]) -> Command:
    """A command whose options of some names arrive as one named tuple."""

    @wraps(command)
    def called(**given: Any) -> Any:
        packed = kind(**{field: given.pop(field, None) for field in kind._fields})
        return command(**{name: packed}, **given)

    return called  # type: ignore[return-value]


def metric_names(metrics: list[str] | None) -> list[str] | str | None:
    """Metrics as the library takes them, checked before a long file is read."""
    from polyroc.metrics import registry

    if metrics is None:
        return None
    names: list[str] | str = "all" if metrics == ["all"] else metrics
    registry.named(names)
    return names


def by_class(columns: list[str] | None) -> list[str] | dict[str, str] | None:
    """``a=x,b=y`` as a mapping; names without an equals sign as they are."""
    if columns is None or not any("=" in each for each in columns):
        return columns
    if not all("=" in each for each in columns):
        raise InvalidInput("columns= mixes COLUMN and CLASS=COLUMN. Write all of them alike.")
    return dict(each.split("=", 1) for each in columns)
