"""How much to measure."""

from dataclasses import dataclass
from typing import Literal, TypeVar

Effort = Literal["tiny", "quick", "full"]
"""``tiny`` is for tests of the runner: its times say nothing."""

Choice = TypeVar("Choice")


@dataclass(frozen=True)
class Settings:
    """Sizes to measure, and how long.

    ``limit`` is the longest that a call of a peer may be predicted to take, ``budget`` what the
    repeats of a call may take together, both in seconds.
    """

    effort: Effort
    limit: float
    budget: float
    most_rounds: int
    without: frozenset[str] = frozenset()

    @classmethod
    def of(cls, effort: Effort, without: frozenset[str] = frozenset()) -> "Settings":
        """The usual limit and budget of an effort."""
        limit, budget, most_rounds = {
            "tiny": (2.0, 0.02, 3),
            "quick": (3.0, 0.25, 7),
            "full": (12.0, 1.0, 9),
        }[effort]
        return cls(effort, limit, budget, most_rounds, without)

    def choose(self, *, tiny: Choice, quick: Choice, full: Choice) -> Choice:
        """The one of three that belongs to the effort."""
        return {"tiny": tiny, "quick": quick, "full": full}[self.effort]
