"""Labels and scores in tensors, checked."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyroc._base.checks import shown, whole_number
from polyroc.errors import InvalidInput, InvalidType
from polyroc.predictions._classes import listed, present_classes
from polyroc.scale._device_pairs import Grouped, by_class
from polyroc.scale._extras import Tensor, torch
from polyroc.typing import Absent

MEMORY = 1 << 30
"""Bytes for a batch of columns where a device does not say how much is free."""

PLENTY = 512
"""Bytes for each score with which everything is done at once."""


def read_cases(
    y: Tensor, p: Tensor, labels: Sequence[int] | None, memory: int | None
) -> tuple[Grouped, tuple[int, ...], int]:
    """Checked cases, grouped by class; the classes; and how much memory there is."""
    check_tensor(y, "y")
    check_tensor(p, "p")
    if y.device != p.device:
        raise InvalidInput(f"y is on {y.device} and p on {p.device}. Move both to one device.")
    if p.ndim == 1:
        p = torch.stack([-p, p], dim=1)
    if y.ndim != 1 or p.ndim != 2 or len(y) != len(p) or not len(y):
        raise InvalidInput(
            f"y has the shape {tuple(y.shape)} and p {tuple(p.shape)}. Pass one label and one row "
            "of scores per case."
        )
    if not p.is_floating_point():
        raise InvalidType(f"p has the type {p.dtype}; expected scores. Pass p.double().")
    p = p.detach()
    p = p if p.dtype in (torch.float32, torch.float64) else p.float()
    classes = _classes(labels, p.shape[1])
    codes, has_stray = _codes(y, classes)
    total, (order, counts) = p.sum(), by_class(codes, len(classes))
    allowed = memory_for(memory, p)  # while the device is at work
    _check_finite(p, total)
    if bool(has_stray):
        known = torch.tensor(classes, device=y.device)
        row = int((~torch.isin(y.long(), known)).nonzero()[0])
        raise InvalidInput(
            f"y has the label {y[row].item()} in row {row}, which is not among the classes "
            f"{listed(classes)}. Name the classes of the columns in labels=."
        )
    return Grouped(p, order, counts, counts.tolist()), classes, allowed


def _check_finite(p: Tensor, total: Tensor) -> None:
    """Whether all scores are finite: one pass over memory where they are."""
    if math.isfinite(total.item()):
        return
    finite = torch.isfinite(p)  # large numbers may add up to infinity
    if not bool(finite.all()):
        row, column = (~finite).nonzero()[0].tolist()
        raise InvalidInput(
            f"p contains {p[row, column].item()} in row {row}, column {column}. Scores must be "
            "finite."
        )


def check_tensor(values: Any, name: str) -> None:
    """An error unless it is a dense tensor."""
    if not isinstance(values, torch.Tensor) or values.layout != torch.strided:
        kind = getattr(values, "layout", type(values).__name__)
        raise InvalidType(
            f"{name} must be a dense torch tensor, got {kind}. Use polyroc.evaluate for arrays."
        )


def _classes(labels: Sequence[int] | None, n_columns: int) -> tuple[int, ...]:
    classes = tuple(range(n_columns)) if labels is None else tuple(labels)
    whole = all(isinstance(label, (int, np.integer)) for label in classes)
    if not whole or len(set(classes)) != n_columns or n_columns < 2:
        raise InvalidInput(
            f"p has {n_columns} columns and the classes are {listed(classes)}. Pass at least two "
            "columns, and in labels= a different whole number for each."
        )
    return tuple(int(label) for label in classes)


def _codes(y: Tensor, classes: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    """Positions of the labels among the classes, and whether any label is not among them."""
    if y.is_floating_point() or y.is_complex():
        raise InvalidType(f"y has the type {y.dtype}; expected whole numbers. Pass y.long().")
    y = y.long()
    if classes == tuple(range(len(classes))):
        low, high = torch.aminmax(y)
        return y, (low < 0) | (high >= len(classes))
    known, places = torch.tensor(classes, device=y.device).sort()
    found = torch.searchsorted(known, y).clamp_(max=len(classes) - 1)
    return places[found], (known[found] != y).any()


def present_positions(cases: Grouped, classes: tuple[int, ...], absent: Absent) -> Any:
    """Positions of the classes with cases."""
    if absent not in ("raise", "skip"):
        raise InvalidInput(f'absent must be "raise" or "skip", got {shown(absent)}.')
    one_each = np.repeat(np.arange(len(classes)), np.minimum(cases.sizes, 1))
    return present_classes(one_each, classes, absent)


def memory_for(memory: int | None, values: Tensor) -> int:
    """Bytes for a batch of columns: those given, or half of what is free on the device."""
    if memory is not None:
        return whole_number(memory, "memory", least=1)
    if values.device.type != "cuda":
        return MEMORY
    free: int = torch.cuda.mem_get_info(values.device)[0]
    if free // 2 >= PLENTY * values.numel():
        return free // 2
    cached = torch.cuda.memory_reserved(values.device) - torch.cuda.memory_allocated(values.device)
    return int((free + cached) // 2)
