"""``polyroc calibration``: can the probabilities be trusted?"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import click

from polyroc.cli.completion import complete_files
from polyroc.cli.gathering import Gathered, read_models
from polyroc.cli.joining import join_options, joined_by
from polyroc.cli.options import (
    Asked,
    Gate,
    gate_options,
    groups_option,
    json_option,
    level_option,
    role_options,
    seed_option,
)
from polyroc.cli.wording import printable, spoken
from polyroc.errors import NotDefined

if TYPE_CHECKING:
    from polyroc.calibration import CalibrationError, CostCalibration, Recalibration
    from polyroc.cli.screen import Titled
    from polyroc.predictions import Predictions

KINDS: tuple[Literal["top_label", "class_wise"], ...] = ("top_label", "class_wise")


@click.command(short_help="Whether probabilities can be trusted.")
@click.argument("files", nargs=-1, required=True, metavar="FILE…", shell_complete=complete_files)
@role_options
@groups_option
@click.option("--model", metavar="NAME", help="This model only.  [default: all models]")
@click.option(
    "--reference",
    metavar="CLASS",
    help="Class that the others are compared with.  [default: the last]",
)
@click.option(
    "--bins",
    type=click.IntRange(min=1, max=10_000),
    default=10,
    show_default=True,
    help="Bins of the calibration error.",
)
@click.option("--costs", metavar="FILE", help="JSON file of costs, as for polyroc surface.")
@level_option
@join_options
@gate_options
@seed_option
@json_option
def calibration(
    files: tuple[str, ...],
    asked: Asked,
    model: str | None,
    reference: str | None,
    bins: int,
    costs: str | None,
    level: float,
    join: str,
    gate: Gate,
    seed: int | None,
    as_json: bool,
) -> None:
    """Whether the probabilities in FILE can be trusted, and how far they are off.

    Intercepts and slopes of a multinomial recalibration with tests, the calibration error of bins
    with its interval, and the expected cost by the probabilities compared with the observed cost.
    """
    from polyroc.calibration._error import SEED
    from polyroc.cli.screen import reading

    with reading():
        read = read_models(files, asked, model, join)
    seed = SEED if seed is None else seed
    options = {"reference": reference, "bins": bins, "costs": costs, "seed": seed}
    found = _found(read, gate._asdict(), options)
    if as_json:
        _print_json(read, found, level, seed)
    else:
        _print_tables(read, found, level)


class Judged:
    """What is said about the probabilities of one model."""

    def __init__(self, predictions: "Predictions", options: Mapping[str, Any]) -> None:
        from polyroc.calibration import calibration_error, cost_calibration

        self.fit, self.why = _fit(predictions, options["reference"])
        self.errors: list[CalibrationError] = [
            calibration_error(predictions, kind=kind, bins=options["bins"], rng=options["seed"])
            for kind in KINDS
        ]
        self.costs: CostCalibration = cost_calibration(
            predictions, costs=_costs(options["costs"], predictions.classes)
        )

    def to_dict(self, level: float) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "recalibration": None if self.fit is None else _plain_fit(self.fit, level),
            "why": self.why,
            "errors": [{**each.to_dict(), **_limits(each, level)} for each in self.errors],
            "costs": {**self.costs.to_dict(), **_limits(self.costs, level)},
        }


def _fit(
    predictions: "Predictions", reference: str | None
) -> "tuple[Recalibration | None, str | None]":
    """The recalibration, or why there is none."""
    from polyroc.calibration import recalibration
    from polyroc.cli.surface import label_of

    label = None if reference is None else label_of(reference, predictions.classes)
    try:
        return recalibration(predictions, reference=label), None
    except NotDefined as error:
        return None, str(error)


def _costs(path: str | None, classes: tuple[Any, ...]) -> Any:
    from polyroc.cli.surface import read_costs

    return None if path is None else read_costs(path, classes)


def _plain_fit(fit: "Recalibration", level: float) -> dict[str, Any]:
    left_out = ("classes", "level", "log_likelihoods", "n_cases", "floor")
    return {name: value for name, value in fit.to_dict(level).items() if name not in left_out}


def _limits(each: "CalibrationError | CostCalibration", level: float) -> dict[str, Any]:
    from polyroc._base.tables import without_nan

    low, high, *_ = each.interval(level)
    return without_nan({"low": low, "high": high})


def _found(
    read: Gathered, gate: Mapping[str, Any], options: Mapping[str, Any]
) -> dict[str, Judged]:
    from polyroc.cli.screen import working
    from polyroc.predictions import Predictions

    cases = read.cases
    known = {"labels": list(cases.labels), "sample_weight": cases.sample_weight, **gate}
    found = {}
    for name, scores in cases.models.items():
        with working(f"calibrating {printable(name)}"):
            given = Predictions.borrowed(cases.y_true, scores, groups=cases.groups, **known)
            found[name] = Judged(given, options)
    return found


def _print_json(read: Gathered, found: Mapping[str, Judged], level: float, seed: int) -> None:
    from polyroc.cli.documents import predictions_input, print_document

    content = {"input": predictions_input(read.files), "join": joined_by(read.together)}
    models = [{"model": name, **each.to_dict(level)} for name, each in found.items()]
    print_document("calibration", {**content, "level": level, "seed": seed, "models": models})


def _print_tables(read: Gathered, found: Mapping[str, Judged], level: float) -> None:
    from polyroc.cli.evaluate import print_read
    from polyroc.cli.screen import console, show

    screen = console()
    print_read(screen, read.files, read.together)
    for name, each in found.items():
        of = f" of {name}" if len(found) > 1 else ""
        if each.fit is not None:
            for made in (_parameters(each.fit, of, level), _tests(each.fit, of)):
                show(screen, made)
        show(screen, _errors(each, of, level))
        told = [each.why] if each.why else []
        told += [note.text for note in (each.fit.notes if each.fit else ())]
        told.append(
            each.costs.note().text.replace("the probabilities", f"the probabilities{of}", 1)
        )
        for line in told:
            sentence = f"{line[:1].upper()}{line[1:].removesuffix('.')}."
            screen.print(printable(spoken(f"Note. {sentence}")))
        screen.print()


def _parameters(fit: "Recalibration", of: str, level: float) -> "Titled":
    from polyroc._base.tables import cell
    from polyroc.cli.screen import table

    title = f"What would calibrate the probabilities{of}? Log ratios against {fit.reference}"
    numbers = ["value", f"{100 * level:.6g} % interval", "calibrated"]
    made = table(title, ["parameter", "class", "by"], numbers)
    for row in fit.to_dict(level)["parameters"]:
        if row["parameter"] in ("intercept", "slope"):
            limits = f"{cell(row['low'])} … {cell(row['high'])}"
            named = row["parameter"], row["class"], row["by"]
            made.add(*named, cell(row["value"]), limits, f"{row['calibrated']:g}")
    return made


def _tests(fit: "Recalibration", of: str) -> "Titled":
    from polyroc._base.tables import cell, p_cell
    from polyroc.cli.screen import table

    made = table(
        f"Are the probabilities{of} calibrated?", ["hypothesis", "test"], ["statistic", "df", "p"]
    )
    for each in fit.test().tests:
        p_value = "–" if math.isnan(each.p_value) else p_cell(each.p_value)
        made.add(each.hypothesis, each.method, cell(each.statistic), each.df, p_value)
    return made


def _errors(each: Judged, of: str, level: float) -> "Titled":
    from polyroc._base.tables import cell, p_cell
    from polyroc.calibration._error import p_text
    from polyroc.cli.screen import table

    bins = each.errors[0].bins
    percent = f"{100 * level:.6g} % interval"
    numbers = ["value", "debiased", percent, "if calibrated", "p"]
    title = f"How far are the probabilities{of} off? Calibration error of {bins} bins"
    made = table(title, ["kind"], numbers)
    for error in each.errors:
        low, high, *_ = error.interval(level)
        limits = "–" if math.isnan(low) else f"{cell(low)}–{cell(high)}"
        p_value = p_text(error, p_cell)
        kind, drawn = error.kind.replace("_", "-"), cell(error.under_calibration)
        made.add(kind, cell(error.value), cell(error.debiased), limits, drawn, p_value)
    return made
