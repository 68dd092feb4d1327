"""polyroc and rivals at growing sizes: numbers are compared first, then all are timed in turn.

A size that a rival would take too long for, extrapolated from its times so far, is not run, and
the row says so. How long it would take is said up to one decade beyond the last size measured, and
only where the exponent of its growth is known with a standard error of at most 0.3. Calls too short
for the clock are repeated within a measurement.
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from timing import seconds_in_turn

from peers.growth import prediction
from peers.rows import Absence, Agreement, Disagreement, Row, Spread
from peers.settings import Settings

SHORTEST = 0.004
"""Seconds that a measurement lasts at least."""

APART = 3
"""Factor between two sizes that a prediction is made from."""

LONG = 5.0
"""A call of a rival that took longer is not repeated, but to warm it up at its first size."""

WARM = 1.0
"""Calls shorter than this are called once before they are timed."""


UNKNOWN = "over the limit of {limit:g} s by its growth so far, which is too short to predict by"


def largest_difference(ours: Any, theirs: Any) -> float:
    """Largest absolute difference of two numbers or arrays.

    >>> largest_difference([0.5, 0.75], [0.5, 0.5])
    0.25
    """
    return float(np.max(np.abs(np.asarray(ours, dtype=float) - np.asarray(theirs, dtype=float))))


@dataclass(frozen=True)
class Rival:
    """A peer's way to the quantity.

    ``prepare`` turns the data into a call, outside the clock. ``compare`` gives the difference of
    the two results, or None where a definition differs so that there is none. A call does
    ``pieces`` of the work.
    """

    peer: str
    call: str
    prepare: Callable[[Any], Callable[[], Any]]
    tolerance: float | None
    definition: str = ""
    compare: Callable[[Any, Any], float | None] = largest_difference
    outcome: Callable[[Any, Any], dict[str, float]] = lambda ours, theirs: {}
    pieces: int = 1

    @property
    def name(self) -> str:
        return f"{self.peer} {self.call}".strip()

    def agreement(self, what: str, ours: Any, theirs: Any) -> Agreement:
        """How well two results agree; an error if they do not."""
        difference = self.compare(ours, theirs)
        agreement = Agreement(difference, self.tolerance, self.definition)
        if difference is None or self.tolerance is None:
            return agreement
        if difference <= self.tolerance:  # not so where it is NaN
            return agreement
        raise Disagreement(
            f"{what}: polyroc and {self.name} differ by {difference:.3g}, more than "
            f"{self.tolerance:g}. The run stops, because times of different numbers must not be "
            "compared. Find out which is right, or which definition differs."
        )

    def left_out(self, settings: Settings) -> Absence | None:
        """That the rival was asked to be left out, if it was."""
        if self.peer not in settings.without:
            return None
        return Absence(f"left out with --without {self.peer}")


@dataclass(frozen=True)
class First:
    """The first call: its result, and how long a further one takes."""

    value: Any
    seconds: float

    @classmethod
    def of(cls, call: Callable[[], Any], cold: bool = False) -> "First":
        """Call once, and once more where compiling or loading may have counted.

        They may in a short call, and in any that is the first of its kind (``cold``).
        """
        start = time.perf_counter()
        value = call()
        seconds = time.perf_counter() - start
        if cold or seconds < WARM:
            start = time.perf_counter()
            call()
            seconds = time.perf_counter() - start
        return cls(value, seconds)


class Contest:
    """A quantity by polyroc and by its rivals, one size after the other."""

    def __init__(
        self,
        work: str,
        quantity: str,
        prepare: Callable[[Any], Callable[[], Any]],
        rivals: list[Rival],
        settings: Settings,
        pieces: int = 1,
    ) -> None:
        self.work, self.quantity, self.prepare = work, quantity, prepare
        self.rivals, self.settings, self.pieces = rivals, settings, pieces
        self.seen: dict[str, list[tuple[int, float]]] = {rival.name: [] for rival in rivals}

    def at(self, size: int, sizes: dict[str, int], data: Any) -> Iterator[Row]:
        """Rows of all rivals at a size: ``size`` is the one that grows."""
        calls, ours = {"": self.prepare(data)}, First.of(self.prepare(data))
        firsts, facts = {"": ours}, {}
        for rival in self.rivals:
            absence = self.absence(rival, size)
            if absence is not None:
                facts[rival.name] = {"absence": absence}
                continue
            call = calls[rival.name] = rival.prepare(data)
            theirs = firsts[rival.name] = First.of(call, cold=not self.seen[rival.name])
            self.seen[rival.name].append((size, theirs.seconds))
            agreement = rival.agreement(place(self.quantity, sizes), ours.value, theirs.value)
            outcome = rival.outcome(ours.value, theirs.value)
            facts[rival.name] = {"agreement": agreement, "outcome": outcome}
        seconds = self.timed(calls, firsts)
        for rival in self.rivals:
            yield Row(**self.amounts(sizes, rival, seconds), **facts[rival.name])

    def absence(self, rival: Rival, size: int) -> Absence | None:
        """Why a rival is not run at a size, if it is not."""
        left_out = rival.left_out(self.settings)
        if left_out is not None:
            return left_out
        seen, limit = self.seen[rival.name], self.settings.limit
        told = prediction(*zip(*seen, strict=True), size) if seen else None
        seconds = predicted_seconds(seen, size) if told is None else told
        if seconds is None or seconds <= limit:
            return None
        if told is None:
            return Absence(UNKNOWN.format(limit=limit))
        return Absence(f"{told:,.0f} s predicted, limit {limit:g} s", told / rival.pieces)

    def timed(
        self, calls: dict[str, Callable[[], Any]], firsts: dict[str, First]
    ) -> dict[str, list[float]]:
        """Seconds of all calls, in turn; a first call beyond the budget counts as well."""
        rounds = {name: self.rounds(first.seconds) for name, first in firsts.items()}
        often = {name: math.ceil(SHORTEST / firsts[name].seconds) for name in firsts}
        rounds[""] = max(rounds[""], 2)  # there is a round for each time of a rival
        seconds = seconds_in_turn(calls, rounds, often)
        for name, first in firsts.items():
            if name and first.seconds > self.settings.budget:
                seconds[name].insert(0, first.seconds)
        return seconds

    def rounds(self, seconds: float) -> int:
        """How often to time a call: at least three times where the budget allows one."""
        if seconds > self.settings.budget:
            return int(seconds <= LONG)
        return min(max(3, int(self.settings.budget / seconds)), self.settings.most_rounds)

    def amounts(
        self, sizes: dict[str, int], rival: Rival, seconds: dict[str, list[float]]
    ) -> dict[str, Any]:
        """What a row says of a rival, and the times where it was run."""
        ours = [each / self.pieces for each in seconds[""]]
        row: dict[str, Any] = {
            "work": self.work,
            "quantity": self.quantity,
            "sizes": sizes,
            "peer": rival.peer,
            "call": rival.call,
            "unit": "s",
            "ours": Spread.of(ours),
        }
        if rival.name in seconds:
            theirs = [each / rival.pieces for each in seconds[rival.name]]
            ratios = [a / b for a, b in zip(theirs, ours, strict=False)]
            row |= {"theirs": Spread.of(theirs), "ratio": Spread.of(ratios)}
        return row


def place(quantity: str, sizes: dict[str, int]) -> str:
    """A quantity and its sizes in words.

    >>> place("aunu", {"n": 1000, "K": 10})
    'aunu (n = 1,000, K = 10)'
    """
    return f"{quantity} ({', '.join(f'{name} = {size:,}' for name, size in sizes.items())})"


def predicted_seconds(seen: list[tuple[int, float]], size: int) -> float | None:
    """Seconds at a size from those at smaller ones, roughly: whether it is worth a try.

    Growth goes on as between the last size and one at most a third of it, where noise does not
    pass for growth, and is taken to be at least linear, because fixed costs hide it at small
    sizes. Without two such sizes it is taken to be none; without any there is no prediction.

    >>> predicted_seconds([(10, 1.0), (40, 16.0)], 80)
    64.0
    >>> predicted_seconds([(30, 1.0), (40, 16.0)], 80)
    16.0
    """
    if not seen:
        return None
    last, seconds = seen[-1]
    smaller = [pair for pair in seen if APART * pair[0] <= last]
    if not smaller:
        return seconds
    before, less = smaller[-1]
    exponent = math.log(seconds / less) / math.log(last / before)
    return seconds * (size / last) ** max(1.0, exponent)
