"""Files of predictions joined by case: the same cases in the same order, whatever their rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from polyroc.cli.completion import complete_columns
from polyroc.cli.options import NONE, Command, with_options
from polyroc.errors import InvalidInput

if TYPE_CHECKING:
    from polyroc.readers import FilePredictions

_OPTIONS = (
    click.option(
        "--id",
        "case_id",
        metavar="COLUMN",
        shell_complete=complete_columns,
        help="Column that identifies the cases: files are joined by it, in any order; none to "
        "pair rows by position.",
    ),
    click.option(
        "--join",
        type=click.Choice(["all", "inner"]),
        default="all",
        show_default=True,
        help="With --id: all cases must be in all files, or inner: keep the cases that are.",
    ),
)


def join_options(command: Command) -> Command:
    """The options that say how rows of several files belong together."""
    return with_options(command, _OPTIONS)


@dataclass(frozen=True)
class Joined:
    """Files with the same cases in the same order, and how that came about."""

    files: "tuple[FilePredictions, ...]"
    column: str
    only: tuple[int, ...]
    """Cases of each file that were left out because another file lacks them."""

    def describe(self) -> str:
        """In words, for people to check."""
        n_cases = len(self.files[0])
        left = [
            f"{number:,} of {file.path} left out"
            for file, number in zip(self.files, self.only, strict=True)
            if number
        ]
        return "; ".join([f"Joined by {self.column!r}: {n_cases:,} cases in all files", *left])

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"column": self.column, "matched": len(self.files[0]), "left_out": list(self.only)}


def joined_by(together: Joined | None) -> dict[str, Any] | None:
    """For JSON: how files were joined, if they were."""
    return None if together is None else together.to_dict()


def joined(files: "Sequence[FilePredictions]", column: str, how: str) -> Joined:
    """The cases that all files have, in the order of the first file."""
    from polyroc.readers._identity import place_of_each

    first = files[0].case_ids[column]
    rows = [place_of_each(first, file.case_ids[column]) for file in files]
    everywhere = [number for number in range(len(first)) if all(each[number] >= 0 for each in rows)]
    only = tuple(len(file) - len(everywhere) for file in files)
    if (any(only) and how != "inner") or not everywhere:
        raise _missing(files, column, rows, bool(everywhere))
    taken = tuple(file.rows(each[everywhere]) for file, each in zip(files, rows, strict=True))
    return Joined(taken, column, only)


def _missing(
    files: "Sequence[FilePredictions]", column: str, rows: Sequence[Any], some: bool
) -> InvalidInput:
    """Which cases are in one file alone."""
    from polyroc._base.checks import shown

    first = files[0].case_ids[column]
    for file, each in zip(files[1:], rows[1:], strict=True):
        ids = file.case_ids[column]
        advice = (
            "Pass --join inner to take the cases that all files have."
            if some
            else f"Is {column!r} the column that identifies the cases?"
        )
        lacking = first[each < 0].tolist()
        if lacking:
            home, other, example = files[0], file, lacking
        else:
            known = set(first.tolist())
            home, other, example = file, files[0], [i for i in ids.tolist() if i not in known]
        if example:
            return InvalidInput(
                f"{other.path} lacks {len(example):,} of the {len(home):,} cases of {home.path}, "
                f"such as {shown(example[0])} (its own are such as "
                f"{shown(other.case_ids[column][0])}). {advice}"
            )
    return InvalidInput("No case is in all files. Compare files of the same cases.")


def check_order(files: "Sequence[FilePredictions]") -> None:
    """An error where columns that name cases say that rows of two files are different cases."""
    import numpy as np

    from polyroc._base.checks import shown

    first = files[0]
    for other in files[1:]:
        for column in first.case_ids.keys() & other.case_ids.keys():
            ours, theirs = first.case_ids[column], other.case_ids[column]
            if len(ours) != len(theirs):
                continue  # which is told by itself
            apart = np.flatnonzero(ours != theirs)
            if apart.size:
                row = int(apart[0])
                raise InvalidInput(
                    f"{first.path} and {other.path} have different cases in row {row}: "
                    f"{shown(ours[row])} and {shown(theirs[row])} in the column {column!r}. Join "
                    f"them with --id {shown(column)}, or compare with --independent if they are "
                    f"different cases, or pass --id {NONE} if the column does not name cases."
                )
