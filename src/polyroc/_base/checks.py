"""Options of functions, checked: numbers, seeds, words out of a few."""

import math
import numbers
import operator
import reprlib
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from polyroc.errors import InvalidInput, InvalidType
from polyroc.typing import RandomState

_SIZED = (str, bytes, bytearray, list, tuple, dict, set, frozenset)
MOST_BITS = 4096
"""Of a seed or a name: Python does not write numbers of more than 4300 digits."""

_SOURCES = (
    int,
    np.integer,
    np.ndarray,
    np.random.Generator,
    np.random.BitGenerator,
    np.random.SeedSequence,
    np.random.RandomState,
)
"""What numpy makes a generator of."""

MOST_REPEATS = 10**9
"""Replicates, samples and the like: more are a slip of the finger, and would not fit in memory."""

_LONGEST_NAME = 100
"""Characters of a name for which a similar one is looked for."""

_MANY = 1000
"""Elements whose repr would take long though only its beginning is shown."""


def shown(value: object, most: int = 80) -> str:
    """A value in one line of a message: its repr, cut where that is long."""
    large = isinstance(value, _SIZED) and len(value) > _MANY
    if isinstance(value, (str, bytes, bytearray)):
        value, large = value[:_MANY], False
    try:
        text = " ".join((reprlib.repr(value) if large else repr(value)).split())
    except ValueError:  # an integer of more digits than Python prints
        return f"a long {type(value).__name__}"
    except Exception:  # an object of the user that cannot be shown, or one deep in another
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= most else f"{text[: most - 1]}…"


def name_of(value: object, what: str) -> str:
    """A name as text."""
    try:
        return str(value)
    except Exception:  # numbers of thousands of digits, and objects of the user that fail
        raise InvalidType(f"{what} must be named by text, got {shown(value)}.") from None


def reason_of(error: BaseException) -> str:
    """The first line of an error's message, cut where that is long, without its full stop."""
    line = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
    return harmless(line.strip().rstrip("."), 200)


def harmless(text: str, most: int = 80) -> str:
    """Words of others in one line of a message, cut where they are long.

    Examples
    --------
    >>> harmless("a\\tb\\x1b[31m", 6)
    'a\ufffdb\ufffd[…'
    """
    text = text[: most - 1] + "…" if len(text) > most else text
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)


def whole_number(value: Any, name: str, least: int, most: int = (1 << 63) - 1) -> int:
    """A count that an option asks for; 100.0 is one, 100.5 and "100" are not."""
    try:
        number = operator.index(value)
    except TypeError:
        number = _whole_float(value, name)
    if number < least:
        raise InvalidInput(f"{name} must be at least {least}, got {shown(number)}.")
    if number > most:
        raise InvalidInput(f"{name} must be at most {most}, got {shown(number)}.")
    return number


def repeats(value: Any, name: str, least: int) -> int:
    """How often something random is repeated."""
    return whole_number(value, name, least, MOST_REPEATS)


def _whole_float(value: Any, name: str) -> int:
    if not isinstance(value, (float, np.floating)):
        raise InvalidType(f"{name} must be a whole number, got {shown(value)}.")
    if not float(value).is_integer():
        raise InvalidInput(f"{name} must be a whole number, got {value}.")
    return int(value)


def real_number(value: Any, name: str) -> float:
    """A finite number that an option asks for; True is none."""
    if not is_real(value):
        raise InvalidInput(f"{name} must be a number, got {shown(value)}.")
    return float(value)


def share(value: Any, name: str) -> float:
    """A number between 0 and 1."""
    if not is_real(value) or not 0 < value < 1:
        raise InvalidInput(f"{name} must lie between 0 and 1, got {shown(value)}.")
    return float(value)


def is_real(value: Any) -> bool:
    """Whether a value is a finite number of Python or numpy."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number or fraction beyond all floats
        return False


def generator_of(rng: RandomState) -> np.random.Generator:
    """The generator given, or a new one from a seed."""
    try:
        if _is_seed(rng):
            return np.random.default_rng(rng)
    except (TypeError, ValueError):
        pass
    raise InvalidType(
        f"rng must be a non-negative whole number, a numpy Generator or None, got {shown(rng)}."
    )


def _is_seed(rng: Any) -> bool:
    """Whether numpy may be asked: it crashes on lists that contain themselves."""
    if isinstance(rng, (list, tuple)):
        return all(isinstance(number, (int, np.integer)) and _is_seed(number) for number in rng)
    if isinstance(rng, np.ndarray):
        return rng.dtype.kind in "iu"
    if isinstance(rng, int):
        return rng.bit_length() <= MOST_BITS
    return rng is None or isinstance(rng, _SOURCES)


def flag(value: Any, name: str) -> bool:
    """An option that is on or off; 0 and 1 will do."""
    if isinstance(value, (bool, np.bool_)) or (type(value) is int and value in (0, 1)):
        return bool(value)
    raise InvalidType(f"{name} must be True or False, got {shown(value)}.")


def check_choice(value: object, name: str, choices: Sequence[str]) -> None:
    """Whether an option is one of a few words."""
    if isinstance(value, str) and value in choices:
        return
    *others, last = (f'"{choice}"' for choice in choices)
    raise InvalidInput(f"{name} must be {', '.join(others)} or {last}, got {shown(value)}.")


def did_you_mean(given: object, known: Iterable[object]) -> str:
    """A question about the name that is spelled most alike, with a space before it; else nothing.

    Examples
    --------
    >>> did_you_mean("handtill", ["auc_mu", "hand_till"])
    " Did you mean 'hand_till'?"
    >>> did_you_mean("gini", ["auc_mu", "hand_till"])
    ''
    """
    if not isinstance(given, str) or len(given) > _LONGEST_NAME:
        return ""
    plain = {_plain(name): name for name in known if isinstance(name, str)}
    alike = get_close_matches(_plain(given), plain, n=1, cutoff=0.8)
    return f" Did you mean {shown(plain[alike[0]])}?" if alike else ""


def _plain(name: str) -> str:
    """A name without what people leave out, or write otherwise."""
    return "".join(each for each in name[:_LONGEST_NAME].casefold() if each.isalnum())
