"""Which column is what, by its name: words for targets, weights and groups."""

from collections.abc import Sequence
from typing import Any

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput, InvalidType
from polyroc.predictions._classes import listed
from polyroc.predictions._score_columns import is_named

TARGETS = (
    "y",
    "y_true",
    "true_y",
    "label",
    "labels",
    "target",
    "class",
    "truth",
    "true_class",
    "true_label",
    "ground_truth",
    "actual",
    "outcome",
    "diagnosis",
)
WEIGHTS = ("weight", "weights", "sample_weight", "sample_weights", "case_weight")
GROUPS = ("patient", "patient_id", "group", "groups", "group_id", "subject", "subject_id")
CASES = (
    *("", "id", "ids", "case", "case_id", "row_id", "sample_id", "record_id", "uid", "uuid"),
    *("image", "image_id", "file", "filename", "file_name", "index", "unnamed:_0"),
)
"""Columns that may tell cases apart; pandas writes its index without a name, or as one of these."""
LABEL_ARRAYS = ("labels", "classes", "class_names")
"""Arrays of an NPZ file that name the columns of the tables of scores."""


def check_name(name: Any, option: str) -> None:
    """Whether an option names a column, or nothing."""
    if not (name is None or isinstance(name, str)):
        raise InvalidType(f"{option} must be the name of a column, got {shown(name)}.")


def target_among(names: Sequence[str], target: str | None, path: str) -> str:
    """The column of labels: the one given, or the only one that is named like one."""
    if target is not None:
        return target
    found = [name for name in names if is_named(name, TARGETS)]
    if len(found) == 1:
        return found[0]
    if found:
        raise InvalidInput(
            f"{path}: several columns could contain the true classes: {listed(found)}. "
            "Choose one with target=."
        )
    raise InvalidInput(
        f"{path}: no column is named like the true classes (y, label, truth, …). The columns are "
        f"{listed(names)}. {_one_hot_advice(names) or 'Name the one with target=.'}"
    )


def _one_hot_advice(names: Sequence[str]) -> str:
    """What to do about true classes in a column per class, such as y_cat, y_dog and y_bird."""
    parts = [name for name in names if is_named(name.rpartition("_")[0], TARGETS)]
    if len(parts) < 2:
        return ""
    return (
        f"If {listed(parts)} say which class is true, write one column with the class of each "
        "row, in pandas idxmax(axis=1) over these; otherwise name the column with target=."
    )


def role_among(
    names: Sequence[str], given: str | bool | None, words: Sequence[str], option: str, path: str
) -> str | None:
    """A column of weights or groups: as given, guessed (None), or none (False)."""
    if given is False:
        return None
    if isinstance(given, str):
        return given
    if given is not None:
        raise InvalidType(
            f"{option} must be the name of a column, None or False, got {shown(given)}."
        )
    found = [name for name in names if is_named(name, words)]
    if len(found) > 1:
        raise InvalidInput(
            f"{path}: several columns could be the {option}: {listed(found)}. Choose one with "
            f"{option}=, for instance {option}={shown(found[0])}."
        )
    return found[0] if found else None
