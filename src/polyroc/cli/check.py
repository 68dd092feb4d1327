"""``polyroc check``: a gate for CI. Pass, fail, or too few cases to tell."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from polyroc.cli.completion import complete_files
from polyroc.cli.gathering import gathered, only, together_by_id
from polyroc.cli.joining import Joined, join_options, joined_by
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
from polyroc.cli.requirements import (
    Required,
    Told,
    requirement_options,
    telling_options,
)
from polyroc.cli.saving import check_distinct
from polyroc.cli.slices import slices_of_files
from polyroc.cli.verdicts import WORDS, junit, markdown, verdict
from polyroc.cli.wording import printable, spoken
from polyroc.errors import InvalidInput, NotDefined

if TYPE_CHECKING:
    from polyroc.inference import Check
    from polyroc.readers import FilePredictions

EXIT_CODES = {"pass": 0, "fail": 1, "undecided": 3}


@click.command(short_help="Requirements for CI: pass, fail, or too few cases to tell.")
@click.argument("file", shell_complete=complete_files)
@role_options
@groups_option
@folds_option
@by_option
@click.option("--model", metavar="NAME", help="The model to check, if the files have several.")
@requirement_options
@join_options
@level_option
@gate_options
@telling_options
def check(
    file: str,
    asked: Asked,
    model: str | None,
    required: Required,
    join: str,
    level: float,
    gate: Gate,
    told: Told,
) -> None:
    """Test the predictions in FILE against requirements, by intervals and paired differences.

    A requirement passes if a one-sided test shows that it is met, fails if one shows that it is
    violated, and is undecided otherwise. The exit code is 0 if all pass, 1 if one fails, and 3 if
    there are too few cases to tell (1 with --strict); 2 is bad input.
    """
    from polyroc.cli.screen import reading, working

    told.check()
    asked_for = required.bounds()
    check_distinct({"FILE": file, "--baseline": required.baseline}, {"--junit": told.junit})
    paths = [file] if required.baseline is None else [file, required.baseline]
    with reading():
        files = [only(asked.read(path), model) for path in paths]
    together = together_by_id(files, asked, join, independent=False)
    files = files if together is None else list(together.files)
    with working("checking"):
        result = _checked(files, asked_for, level, gate._asdict())
    _tell(files, result, together, told)
    if result.outcome != "pass":
        click.echo(f"polyroc: {printable(verdict(result, told.strict))}", err=True)
    code = EXIT_CODES[result.outcome]
    click.get_current_context().exit(1 if code and told.strict else code)


def _checked(
    files: "Sequence[FilePredictions]",
    asked: dict[str, Any],
    level: float,
    gate: dict[str, Any],
) -> "Check":
    from polyroc.inference import check as check_scores
    from polyroc.predictions import Predictions

    given = gathered(files, independent=False)
    groups, scores = given.pop("groups"), given.pop("y_scores").values()
    candidate, *others = (Predictions.borrowed(y_score=each, **given, **gate) for each in scores)
    options = {"groups": groups, "by": slices_of_files(files), "level": level}
    try:
        return check_scores(candidate, baseline=next(iter(others), None), **options, **asked)
    except NotDefined as error:  # whose exit code would be that of a failure
        raise InvalidInput(str(error)) from None


def _tell(
    files: "Sequence[FilePredictions]", result: "Check", together: Joined | None, told: Told
) -> None:
    """Print what was found, and write it to a file if that is asked for."""
    if told.junit is not None:
        junit(told.junit, files[0].path, result, told.strict)
    if told.as_json:
        _print_json(files, result, together, told.strict)
    elif told.markdown:
        click.echo(markdown(files, result, told.strict))
    else:
        _print(files, result, together)


def _print_json(
    files: "Sequence[FilePredictions]", result: "Check", together: Joined | None, strict: bool
) -> None:
    from polyroc.cli.documents import predictions_input, print_document

    content = {
        "input": predictions_input(files),
        "join": joined_by(together),
        "check": {**result.to_dict(), "strict": strict, "explanation": result.explain()},
    }
    print_document("check", content)


def _print(files: "Sequence[FilePredictions]", result: "Check", together: Joined | None) -> None:
    from polyroc.cli.evaluate import print_read
    from polyroc.cli.screen import console

    screen = console()
    print_read(screen, files, together)
    for row in result.rows:
        line = f"{WORDS[row.outcome].upper()}  {row.sentence(result.level)}"
        screen.print(printable(line), soft_wrap=True)
    screen.print()
    if result.outcome == "pass":
        screen.print(verdict(result))
    screen.print(result.explain())
    about: dict[str, dict[str, None]] = {}
    for row in result.rows:
        place = f" ({row.attribute} {row.slice})" if row.attribute else ""
        for text in row.notes:
            about.setdefault(text, {})[f"{row.metric}{place}"] = None
    for text, metrics in about.items():
        screen.print(printable(spoken(f"Note. {', '.join(metrics)}: {text}")))
