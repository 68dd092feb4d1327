"""Options of ``polyroc check``: what is required, and how it is told."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import click

from polyroc.cli.completion import complete_files, complete_metrics
from polyroc.cli.options import Command, bundled, json_option, with_options
from polyroc.errors import InvalidInput


class Required(NamedTuple):
    """What is required, as options say."""

    minimum: dict[str | None, float]
    maximum: dict[str | None, float]
    baseline: str | None
    max_drop: dict[str | None, float]
    max_rise: dict[str | None, float]

    def bounds(self) -> dict[str, Any]:
        """As the library takes them, checked before files are read."""
        from polyroc.inference._checking.requirements import requirements_of

        names = ("minimum", "maximum", "max_drop", "max_rise")
        made = {name: _as_bounds(getattr(self, name)) for name in names}
        changes = any(not each.of_value for each in requirements_of(**made))
        if changes and self.baseline is None:
            raise InvalidInput("--max-drop and --max-rise need --baseline FILE.")
        if self.baseline is not None and not changes:
            raise InvalidInput(
                "--baseline is given, but nothing is required of changes. Pass --max-drop or "
                "--max-rise."
            )
        return made


class Told(NamedTuple):
    """How results are told, as options say."""

    strict: bool
    markdown: bool
    junit: str | None
    as_json: bool

    def check(self) -> None:
        """Options that go together, and a file that can be written."""
        if self.markdown and self.as_json:
            raise InvalidInput("--markdown and --json print different things. Pass one of them.")
        if self.junit is not None:
            from polyroc._storage.atomic import check_place
            from polyroc._storage.paths import path_of

            check_place(path_of(self.junit, "--junit"), "the JUnit file")


def bounds(
    context: click.Context, parameter: click.Parameter, values: Sequence[str]
) -> dict[str | None, float]:
    """``METRIC=NUMBER``, as often as wanted; a number alone where the option allows it."""
    made: dict[str | None, float] = {}
    alone = "[" in str(parameter.metavar)
    for value in values:
        name, equals, number = value.rpartition("=")
        metric = name.strip() if equals else None
        if (not metric and equals) or (metric is None and not alone):
            message = f"{value[:80]!r} is not METRIC=NUMBER, such as hand_till=0.9."
            raise click.BadParameter(message, context, parameter)
        if metric in made:
            message = f"{metric or 'a number alone'} is given twice."
            raise click.BadParameter(message, context, parameter)
        made[metric] = _number(number, context, parameter)
    if None in made and len(made) > 1:
        message = "give one number for all metrics, or METRIC=NUMBER for each, not both."
        raise click.BadParameter(message, context, parameter)
    return made


def _number(text: str, context: click.Context, parameter: click.Parameter) -> float:
    try:
        return float(text)
    except ValueError:
        message = f"{text[:80]!r} is not a number."
        raise click.BadParameter(message, context, parameter) from None


def _as_bounds(given: dict[str | None, float]) -> Any:
    """None, one number for all metrics, or a mapping."""
    return given.get(None, given) if given else None


def _bound_option(name: str, parameter: str, metavar: str, text: str) -> Any:
    return click.option(
        name,
        parameter,
        metavar=metavar,
        multiple=True,
        callback=bounds,
        shell_complete=complete_metrics,
        help=text,
    )


_REQUIRED = (
    _bound_option(
        "--min", "minimum", "METRIC=NUMBER", "Lowest value allowed; may be given several times."
    ),
    _bound_option(
        "--max", "maximum", "METRIC=NUMBER", "Highest value allowed, where lower is better (saec)."
    ),
    click.option(
        "--baseline",
        metavar="FILE",
        shell_complete=complete_files,
        help="Predictions of an earlier model for the same cases.",
    ),
    _bound_option(
        "--max-drop",
        "max_drop",
        "[METRIC=]NUMBER",
        "By how much a metric may be lower than that of the baseline; a number alone is for all "
        "metrics of --min.",
    ),
    _bound_option(
        "--max-rise",
        "max_rise",
        "[METRIC=]NUMBER",
        "By how much a metric may be higher, where lower is better; a number alone is for all "
        "metrics of --max.",
    ),
)
_TOLD = (
    click.option(
        "--strict", is_flag=True, help="Too few cases to tell is a failure (exit code 1)."
    ),
    click.option("--markdown", is_flag=True, help="Print Markdown, for a pull request."),
    click.option("--junit", metavar="PATH", help="Also write a JUnit XML file."),
    json_option,
)


def requirement_options(command: Command) -> Command:
    """The options of requirements; a command gets them as ``required``."""
    return with_options(bundled(command, "required", Required), _REQUIRED)


def telling_options(command: Command) -> Command:
    """How results are told; a command gets it as ``told``."""
    return with_options(bundled(command, "told", Told), _TOLD)
