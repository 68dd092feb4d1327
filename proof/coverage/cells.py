"""The cells of the table of coverage: named before the first run, none left out after it.

Scores of a case of class k are Gaussian around signal · e_k; the signal is tuned so that Hand &
Till's M (the AUC for two classes) has its target. Probabilities are softmax(signal · scores).
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """Class sizes, the true value of M, and how the cases come about."""

    sizes: tuple[int, ...]
    target: float
    levels: int | None = None
    """Probabilities are rounded to so many levels, as ratings are."""
    patients: int | None = None
    """Groups that the cases of every class are shared out among."""

    @property
    def name(self) -> str:
        parts = [f"K={len(self.sizes)}", _sizes(self.sizes), f"M={self.target:g}"]
        if self.levels:
            parts.append(f"{self.levels} levels")
        if self.patients:
            parts.append(f"{self.patients} patients")
        return " ".join(parts)


def _sizes(sizes: tuple[int, ...]) -> str:
    """Runs of equal sizes as n×m."""
    runs: list[list[int]] = []
    for size in sizes:
        if runs and runs[-1][0] == size:
            runs[-1][1] += 1
        else:
            runs.append([size, 1])
    return "/".join(f"{n}×{m}" if m > 1 else str(n) for n, m in runs)


CELLS = (
    *(Cell((50, 50), target) for target in (0.6, 0.8, 0.95, 0.99, 1)),
    *(Cell((15, 15), target) for target in (0.8, 0.95, 0.99)),
    Cell((5, 5), 0.8),
    Cell((200, 15), 0.8),
    Cell((200, 15), 0.95),
    Cell((100, 5), 0.95),
    *(Cell((50,) * 3, target) for target in (0.6, 0.8, 0.95, 0.99)),
    *(Cell((15,) * 3, target) for target in (0.8, 0.95, 0.99, 1)),
    Cell((5,) * 3, 0.8),
    Cell((5,) * 3, 0.95),
    *(Cell((240, 45, 15), target) for target in (0.6, 0.8, 0.95, 0.99)),
    Cell((60, 40, 5), 0.8),
    Cell((60, 40, 5), 0.95),
    Cell((15,) * 6, 0.8),
    Cell((15,) * 6, 0.95),
    Cell((5,) * 6, 0.95),
    Cell((100, 50, 50, 15, 15, 15), 0.8),
    Cell((100, 50, 50, 15, 15, 15), 0.99),
    Cell((15,) * 20, 0.8),
    Cell((15,) * 20, 0.95),
    Cell((5,) * 20, 0.95),
    Cell((50,) * 5 + (15,) * 10 + (5,) * 5, 0.8),
    Cell((50, 50), 0.8, levels=5),
    Cell((15, 15), 0.95, levels=5),
    Cell((50,) * 3, 0.8, levels=5),
    Cell((50, 50), 0.8, patients=5),
    Cell((60, 60), 0.8, patients=20),
    Cell((60,) * 3, 0.8, patients=20),
)
