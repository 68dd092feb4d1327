"""A finding: one fact about the data that a reader of the report should know."""

from dataclasses import dataclass
from typing import Literal

Severity = Literal["warning", "notice", "fact"]
SEVERITIES: tuple[Severity, ...] = ("warning", "notice", "fact")
FEW_CASES = 30
"""A class of fewer cases says little."""


@dataclass(frozen=True)
class Finding:
    """One fact: a code that names its explanation, how much it matters, a headline and a text."""

    code: str
    severity: Severity
    title: str
    text: str
