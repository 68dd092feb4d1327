"""``polyroc evaluate --against``: every metric tested against a value."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from polyroc.cli.options import Command, bundled, with_options
from polyroc.errors import InvalidInput

if TYPE_CHECKING:
    from polyroc._base.hypotheses import Alternative
    from polyroc.results import Evaluation


class Tested(NamedTuple):
    """What metrics are tested against, as options say."""

    against: float | None
    alternative: "Alternative"
    margin: float | None


_AGAINST = (
    click.option(
        "--against",
        metavar="NUMBER",
        type=float,
        help="Test every metric against this value.",
    ),
    click.option(
        "--alternative",
        type=click.Choice(["two-sided", "greater", "less", "noninferior", "equivalent"]),
        default="two-sided",
        show_default=True,
        help="With --against: what the tests should show.",
    ),
    click.option(
        "--margin",
        metavar="NUMBER",
        type=float,
        help="With --against: the largest difference that does not matter, or by how much a value "
        "must be better.",
    ),
)


def against_options(command: Command) -> Command:
    """The options of tests against a constant; a command gets them as ``tested``."""
    return with_options(bundled(command, "tested", Tested), _AGAINST)


class Constant(NamedTuple):
    """What metrics are tested against, and what the tests are to show."""

    against: float
    alternative: "Alternative"
    margin: float | None

    @classmethod
    def of(
        cls, against: float | None, alternative: "Alternative", margin: float | None
    ) -> "Constant | None":
        """From the options of the command line, if a test is asked for."""
        if against is None:
            if alternative != "two-sided" or margin is not None:
                option = "--margin" if margin is not None else "--alternative"
                raise InvalidInput(f"{option} needs --against, the value to test against.")
            return None
        from polyroc._base.hypotheses import checked_margin  # which imports numpy

        checked_margin(alternative, margin)
        return cls(against, alternative, margin)

    def tests(self, result: "Evaluation", level: float) -> list[dict[str, Any]]:
        """For JSON: the test of each metric, and the limits that belong to it."""
        from polyroc._base.tables import without_nan

        rows = []
        for each in result.values():
            low, high, *_ = each.interval(level, alternative=self.alternative)
            limits = without_nan({"low": low, "high": high})
            made = each.test(self.against, self.alternative, margin=self.margin)
            rows.append({**made.to_dict(), **limits})
        return rows

    def sentences(self, results: "Mapping[str, Evaluation]", level: float) -> list[str]:
        """What the tests show; p-values are those of single tests."""
        lines = []
        for name, result in results.items():
            of = f"{name}, " if len(results) > 1 else ""
            for each in result.values():
                if math.isnan(each.value):
                    continue
                test = each.test(self.against, self.alternative, margin=self.margin)
                told = test.conclusion(level) or f"{each.metric}: no test, there is no interval."
                lines.append(of + told)
        if len(lines) > 1:
            lines.append("p-values are those of single tests, not adjusted for their number.")
        return lines
