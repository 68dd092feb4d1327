"""What a metric object for torchmetrics was made with."""

from dataclasses import dataclass

from polyroc.typing import Absent

MANTISSA_BITS = 8
"""Of a certified metric: bins have a relative width of 2⁻⁸, a quarter of the memory of 2⁻¹⁰."""


@dataclass(frozen=True)
class Settings:
    """Options, checked."""

    name: str
    classes: tuple[int, ...]
    absent: Absent
    logits: bool | None
    uncertainty: bool
    mantissa_bits: int
