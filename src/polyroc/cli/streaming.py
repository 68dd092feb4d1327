"""``polyroc evaluate --streaming``: Parquet files that do not fit into memory."""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from polyroc._base.wording import plural
from polyroc.cli.options import NONE, Asked, by_class
from polyroc.cli.wording import printable, spoken
from polyroc.errors import InvalidInput

if TYPE_CHECKING:
    from polyroc.scale._certified import CertifiedEvaluation

REFUSED = {
    "model": "Name the columns of one model with --columns.",
    "level": "It gives bounds and standard errors, no intervals.",
    "interval": "It gives bounds and standard errors, no intervals.",
    "replicates": "It does not resample.",
    "tuples": "It has no volumes.",
    "case_id": "It reads files as one table.",
    "join": "It reads files as one table.",
    "pairs": "Leave --streaming out; scale.summarise gives bounds of the pairs.",
    "against": "It gives bounds and standard errors, no tests.",
    "alternative": "It gives bounds and standard errors, no tests.",
    "margin": "It gives bounds and standard errors, no tests.",
    "decimal": "Parquet files contain numbers, not text.",
    "normalize": "Divide the scores by their sums before they are written.",
    "seed": "Nothing in it is random.",
}
"""Options that would have no effect, and what to do."""


class Roles(NamedTuple):
    """Columns that are found by their names or named by options."""

    target: str
    weight: str | None

    def describe(self, columns: tuple[str, ...]) -> str:
        """In words, for people to check."""
        from polyroc.predictions._classes import listed

        weights = "" if self.weight is None else f"; weights in {self.weight!r}"
        return f"true classes in {self.target!r}; scores in {listed(columns, 4)}{weights}"


def check_options(context: click.Context, asked: Asked) -> None:
    """An error about an option that does not go with --streaming."""
    groups, folds = asked.groups, asked.folds
    if asked.by:
        raise InvalidInput(
            "--by cannot be combined with --streaming, which keeps no cases. Leave --streaming out."
        )
    for name, advice in REFUSED.items():
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            flag = {"case_id": "id"}.get(name, name)
            raise InvalidInput(f"--{flag} cannot be combined with --streaming. {advice}")
    if folds is not None:
        raise InvalidInput(
            "--folds cannot be combined with --streaming, which compares cases of all folds. Leave "
            "--streaming out."
        )
    if groups not in (None, NONE):
        raise InvalidInput(
            "--groups cannot be combined with --streaming, whose standard errors treat cases as "
            "independent. Pass --groups none, or leave --streaming out."
        )


def roles_of(
    files: tuple[str, ...], target: str | None, weights: str | None, groups: str | None
) -> Roles:
    """The columns of labels and weights, found as in a file that is read into memory."""
    from polyroc.readers._names import GROUPS, WEIGHTS, role_among, target_among
    from polyroc.scale._discovery import find_files

    names, path = find_files(list(files)).schema.names, ", ".join(files[:3])
    target = target_among(names, target, path)
    others = [name for name in names if name != target]
    weight = role_among(others, False if weights == NONE else weights, WEIGHTS, "weight", path)
    if groups is None:
        found = role_among(others, None, GROUPS, "group", path)
        if found is not None and found != weight:
            raise InvalidInput(
                f"{path}: the column {found!r} says which cases belong together, but --streaming "
                "treats cases as independent. Pass --groups none if they are, or leave --streaming "
                "out."
            )
    return Roles(target, weight)


def stream(files: tuple[str, ...], asked: Asked, as_json: bool, **options: Any) -> None:
    """Evaluate files of any size, and print what is found."""
    from polyroc.cli.screen import reading

    check_options(click.get_current_context(), asked)
    with reading():
        roles = roles_of(files, asked.target, asked.weights, asked.groups)
    columns: dict[str, Any] = {"columns": by_class(asked.columns), "classes": asked.labels}
    evaluate_streaming(files, roles, as_json, **columns, **options)


def evaluate_streaming(
    files: tuple[str, ...],
    roles: Roles,
    as_json: bool,
    metrics: list[str] | str | None,
    **options: Any,
) -> None:
    """Print certified bounds of the metrics of all rows of some Parquet files."""
    from polyroc.scale import evaluate_parquet

    found = evaluate_parquet(
        list(files),
        target=roles.target,
        sample_weight=roles.weight,
        metrics=metrics,
        progress=not as_json,
        **options,
    )
    if as_json:
        _print_json(files, roles, found)
    else:
        _print_table(files, roles, found)


def _print_json(files: tuple[str, ...], roles: Roles, found: "CertifiedEvaluation") -> None:
    from polyroc.cli.documents import print_document

    read = {"cases": found.n_cases, "classes": list(found.counts), **roles._asdict()}
    print_document("streaming", {"input": {**read, "paths": list(files)}, **found.to_dict()})


def _print_table(files: tuple[str, ...], roles: Roles, found: "CertifiedEvaluation") -> None:
    from polyroc._base.tables import cell
    from polyroc.cli.screen import console, show, table
    from polyroc.scale._certified import outward

    screen = console()
    names = ", ".join(files) if len(files) < 4 else plural(len(files), "file")
    counted = f"{plural(found.n_cases, 'case')} of {plural(len(found.counts), 'class')}"
    screen.print(printable(f"{names}: {counted}."))
    screen.print(printable(f"Read as: {roles.describe(found.columns)}.") + "\n")
    made = table("Each value lies between these bounds", ["metric"], ["low", "high", "std. error"])
    for metric, bounds in found.items():
        ends = outward(bounds.low, bounds.high, 6)
        low, high = ("–" if math.isnan(end) else f"{end:.6f}" for end in ends)
        made.add(metric, low, high, cell(bounds.standard_error))
    show(screen, made)
    for metric, bounds in found.items():
        if bounds.note:
            screen.print(printable(spoken(f"Note. {metric}: {bounds.note}")))
