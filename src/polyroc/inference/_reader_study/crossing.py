"""Whether every reader has read every case under every modality, once; if not, in words why."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput
from polyroc.predictions._classes import listed

_ADD_IT = "Add it, or leave this case or reader"
_NAMED = 5
"""Missing readings that a message names."""

_REFUSED = (
    "reader_study analyses fully crossed studies only: every reader reads every case under every "
    "modality."
)


def reading(reader: Any, modality: Any) -> str:
    """Whose reading it is."""
    return f"reader {shown(reader)} under modality {shown(modality)}"


def check_crossed(
    counts: NDArray[np.int64],
    cases: tuple[Any, ...],
    readers: tuple[Any, ...],
    modalities: tuple[Any, ...],
) -> None:
    """Refuse repeated readings, split-plot designs and missing readings.

    ``counts`` holds the number of readings of (modality, reader, case).
    """
    _check_repeated(counts, cases, readers, modalities)
    present = counts > 0
    if present.all():
        return
    _check_split_plot(present, readers, modalities)
    missing = [
        f"case {shown(cases[k])} by {reading(readers[j], modalities[i])}"
        for i, j, k in np.argwhere(~present)[:_NAMED].tolist()
    ]
    total = int((~present).sum())
    more = f" and {total - _NAMED} more" if total > _NAMED else ""
    raise InvalidInput(
        f"{total} reading{'s are' if total > 1 else ' is'} missing: {'; '.join(missing)}{more}. "
        f"{'Add them, or leave these cases or readers' if total > 1 else _ADD_IT} out."
    )


def _check_repeated(
    counts: NDArray[np.int64],
    cases: tuple[Any, ...],
    readers: tuple[Any, ...],
    modalities: tuple[Any, ...],
) -> None:
    repeated = np.argwhere(counts > 1)
    if len(repeated):
        i, j, k = repeated[0].tolist()
        others = f", and {len(repeated) - 1} other readings are repeated" * (len(repeated) > 1)
        raise InvalidInput(
            f"There are {counts[i, j, k]} readings of case {shown(cases[k])} by "
            f"{reading(readers[j], modalities[i])}{others}. Leave one row for each reading."
        )


def _check_split_plot(
    present: NDArray[np.bool_],
    readers: tuple[Any, ...],
    modalities: tuple[Any, ...],
) -> None:
    """Refuse designs in which readers or cases are nested, each in its own words."""
    empty = np.argwhere(~present.any(axis=2))
    if len(empty):
        i, j = empty[0].tolist()
        raise InvalidInput(
            f"Reader {shown(readers[j])} has no readings under modality {shown(modalities[i])}: "
            f"readers nested within modalities are a split-plot design. {_REFUSED}"
        )
    by_modality: NDArray[np.bool_] = np.asarray(present.any(axis=1))
    by_reader: NDArray[np.bool_] = np.asarray(present.any(axis=0))
    if _is_partition(by_modality):
        raise _nested(by_modality, modalities, "modality", "modalities")
    if (present == by_reader).all() and _is_partition(by_reader):
        raise _nested(by_reader, readers, "reader", "readers")


def _nested(
    rows: NDArray[np.bool_], names: tuple[Any, ...], one: str, several: str
) -> InvalidInput:
    """The error about cases that only some readers, or some modalities, have."""
    own = [name for name, row in zip(names, rows, strict=True) if (row == rows[0]).all()]
    return InvalidInput(
        f"The cases of {one if len(own) == 1 else several} {listed(own)} occur with no other "
        f"{one}: cases nested within {several} are a split-plot design. {_REFUSED}"
    )


def _is_partition(rows: NDArray[np.bool_]) -> bool:
    """Whether different rows have no case in common, and there are several."""
    blocks = np.unique(rows, axis=0)
    return len(blocks) > 1 and bool((blocks.sum(axis=0) <= 1).all())
