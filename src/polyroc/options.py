"""Options of functions, checked: whole numbers, seeds, words out of a few."""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyroc.errors import InvalidInput, InvalidType
from polyroc.typing import RandomState


def shown(value: object, most: int = 80) -> str:
    """A value in one line of a message: its repr, cut where that is long."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # an integer of more digits than Python prints
        return f"a long {type(value).__name__}"
    return text if len(text) <= most else f"{text[: most - 1]}…"


def whole_number(value: Any, name: str, least: int) -> int:
    """A count that an option asks for; 100.0 is one, 100.5 and "100" are not."""
    try:
        number = operator.index(value)
    except TypeError:
        number = _whole_float(value, name)
    if number < least:
        raise InvalidInput(f"{name} must be at least {least}, got {value}.")
    return number


def _whole_float(value: Any, name: str) -> int:
    if not isinstance(value, (float, np.floating)):
        raise InvalidType(f"{name} must be a whole number, got {shown(value)}.")
    if not float(value).is_integer():
        raise InvalidInput(f"{name} must be a whole number, got {value}.")
    return int(value)


def generator_of(rng: RandomState) -> np.random.Generator:
    """The generator given, or a new one from a seed."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise InvalidType(
            f"rng must be a whole number from 0 on, a numpy Generator or None, got {shown(rng)}."
        ) from None


def check_choice(value: object, name: str, choices: Sequence[str]) -> None:
    """Whether an option is one of a few words."""
    if isinstance(value, str) and value in choices:
        return
    *others, last = (f'"{choice}"' for choice in choices)
    raise InvalidInput(f"{name} must be {', '.join(others)} or {last}, got {shown(value)}.")
