"""Which class a name stands for: the one rule for columns of frames and of files.

A name stands for the label that it equals, or else for the only one that is spelled like it:
"2", "2.0" and 2 are spelled alike, and so are "true" and True. Where two labels are spelled alike,
only equality counts.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from polyroc._base.checks import MOST_BITS
from polyroc.errors import InvalidInput
from polyroc.typing import Label

_WHOLE = re.compile(r"([+-]?)0*([0-9]{1,40})(?:\.0*)?")
_MOST = 10**40
"""Larger integers are not looked for among spellings; the largest cannot be spelled at all."""


BEYOND_INT64 = np.float64(2.0**63)


def as_label(value: Any) -> Any:
    """A label as the Python object that it equals: numpy scalars unwrapped, 2.0 as 2."""
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return value  # .item() of nanoseconds is an integer
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < BEYOND_INT64 else value
    if isinstance(value, str):
        return value if type(value) is str else str.__str__(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    if value.bit_length() > MOST_BITS:
        raise InvalidInput(
            f"A class is named by a number of {value.bit_length()} bits, which Python does not "
            "write. Name classes by text."
        )
    return int(value)


class Naming:
    """The labels that names may stand for."""

    def __init__(self, labels: Iterable[Label]) -> None:
        labels = list(labels)
        counts = Counter(map(spelling, labels))
        self._equal = {label: label for label in labels}
        self._spelled = {spelling(label): label for label in labels if counts[spelling(label)] == 1}

    def label_of(self, name: Any) -> Label | None:
        """The label that a name stands for; None for a name of something else."""
        if name in self._equal:
            return self._equal[name]
        return self._spelled.get(spelling(name))

    def labels_of(self, names: Iterable[Any]) -> list[Label | None]:
        """The same for all names of a table: a label that one equals is not for those like it."""
        names = list(names)
        taken = {self._equal[name] for name in names if name in self._equal}
        found = ((name in self._equal, self.label_of(name)) for name in names)
        return [label if equal or label not in taken else None for equal, label in found]


def spelling(value: Any) -> Any:
    """How a label or a name is spelled, whatever its type."""
    if isinstance(value, bool):
        return str(value).casefold()
    if isinstance(value, int) and abs(value) >= _MOST:
        return value
    text = str(value)
    whole = _WHOLE.fullmatch(text)
    if whole:
        return f"{whole[1].strip('+')}{whole[2]}"
    return text.casefold() if text.casefold() in ("true", "false") else text


def of_the_kind(name: Any, occurring: Iterable[Label]) -> Any:
    """The name of a class without cases as a label like those that occur."""
    if all(isinstance(label, str) for label in occurring):
        return str(name) if isinstance(name, int) and abs(name) < _MOST else name
    whole = isinstance(name, str) and _WHOLE.fullmatch(name)
    return int(spelling(name)) if whole else name
