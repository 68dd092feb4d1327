"""Cases of each class: their shares, and the fewest that reach what is wanted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyroc._base.checks import check_choice, shown, whole_number
from polyroc.errors import InvalidInput, NotDefined
from polyroc.inference._planning.variation import Variation
from polyroc.predictions._classes import listed
from polyroc.predictions._names import as_label
from polyroc.typing import Float64Array, Label

MOST_CASES = 10**9
FEWEST = 2
"""Cases of a class, without which it has no variance."""

_WORDS = {
    "best": "cases of each class in the shares that need the fewest",
    "cheapest": "cases of each class in the shares that cost the least",
    "pilot": "classes in the shares of the pilot",
    "equal": "the same number of cases of each class",
}


def by_class(given: Any, name: str, classes: tuple[Label, ...]) -> Float64Array:
    """Positive numbers in the order of the classes; by class where they have keys."""
    if isinstance(given, Mapping):
        named = {as_label(key): value for key, value in given.items()}
        if set(named) != set(classes):
            raise InvalidInput(
                f"{name} names {listed(named)} but the classes are {listed(classes)}. Give one "
                "number per class."
            )
        given = [named[label] for label in classes]
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be numbers, got {shown(given)}.") from None
    if values.shape != (len(classes),):
        raise InvalidInput(
            f"{name} has the shape {values.shape} but there are {len(classes)} classes. Give one "
            "number per class."
        )
    if not (np.isfinite(values).all() and (values > 0).all()):
        raise InvalidInput(f"{name} must be positive, got {shown(values.tolist())}.")
    return values


@dataclass(frozen=True)
class Prices:
    """What a case of each class costs, passed as ``allocation=``.

    Parameters
    ----------
    by_class : a price for each class, in their order or by name.
    allocation : ``"best"``, the cheapest cases, or another way to divide them, of which the prices
        are then told.

    Examples
    --------
    >>> from polyroc import plan
    >>> from polyroc.inference import Prices
    >>> plan(pair_auc=0.75, half_width=0.05, allocation=Prices([1, 9])).cases
    {'negative': 358, 'positive': 120}
    """

    by_class: Any
    allocation: Any = "best"


def shares_of(
    allocation: Any, variation: Variation, prices: Float64Array | None
) -> tuple[Float64Array, str]:
    """Share of each class, and how it was chosen."""
    if not isinstance(allocation, str):
        given = by_class(allocation, "allocation", variation.classes)
        return given / given.sum(), "classes in the shares given"
    check_choice(allocation, "allocation", ("best", "pilot", "equal"))
    if allocation == "equal":
        return np.full(len(variation.classes), 1 / len(variation.classes)), _WORDS["equal"]
    if allocation == "pilot":
        if variation.shares is None:
            raise InvalidInput('allocation="pilot" needs a pilot. Use "best", "equal" or shares.')
        return variation.shares, _WORDS["pilot"]
    best = np.sqrt(np.maximum(variation.variances, 0) / (1.0 if prices is None else prices))
    return best / best.sum(), _WORDS["best" if prices is None else "cheapest"]


def given_cases(cases: Any, classes: tuple[Label, ...], shares: Float64Array) -> Float64Array:
    """Cases of each class: those given, or a total divided by shares."""
    if not is_total(cases):
        counts = by_class(cases, "cases", classes)
        return np.array([whole_number(each, "cases", FEWEST, MOST_CASES) for each in counts], float)
    total = whole_number(cases, "cases", FEWEST * len(classes), MOST_CASES)
    return divided(total, shares)


def is_total(cases: Any) -> bool:
    """Whether cases are one number, not one per class."""
    return not (hasattr(cases, "keys") or np.ndim(cases))


def divided(total: int, shares: Float64Array) -> Float64Array:
    """A total divided by shares, at least two cases each: largest remainders first."""
    spare = total - FEWEST * len(shares)
    wanted = np.maximum(total * shares - FEWEST, 0)
    wanted *= spare / wanted.sum() if wanted.sum() else 0
    counts = np.floor(wanted + 1e-9)
    left = spare - int(counts.sum())
    counts[np.argsort(counts - wanted, kind="stable")[:left]] += 1
    return counts + FEWEST


def fewest(reached: Callable[[Float64Array], bool], shares: Float64Array) -> Float64Array:
    """The fewest cases in these shares, rounded up in each class, that reach what is wanted."""

    def counts(total: int) -> Float64Array:
        return np.maximum(np.ceil(total * shares - 1e-9), FEWEST)

    low, high = 0, 1
    while not reached(counts(high)):
        if high > MOST_CASES:
            raise NotDefined(
                "A billion cases do not reach this. Ask for less, or plan for a larger difference."
            )
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(counts(middle)) else (middle, high)
    return counts(high)
