"""Coverage of 95 % intervals in the cells of ``cells.py``: python proof/coverage.

Every chunk of samples is kept under ``--cache``, so that a run may be stopped and taken up again,
and a table can be written at any time (``--table`` alone). The work has stages: first every cell
gets some samples, then the quick metrics of few classes get all of theirs, then the rest. The
truth is the value on very many cases; an interval that does not exist counts as a miss.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from cells import CELLS, Cell
from samples import GROUPS, limits, metrics_of, most_samples, signal_of, truths, without_notes
from table import path_of, write

ROOT = Path(__file__).parents[2]
CHUNK_SECONDS = 5.0
STAGES = (
    (GROUPS, 20, 30),
    (("quick",), 6, 500),
    (("volumes",), 6, 300),
    (("quick",), 20, 60),
    (("few",), 2, 150),
    (("quick",), 3, 1000),
    (("few",), 3, 60),
    (("quick",), 3, 2000),
    (("few",), 3, 100),
    (("volumes",), 6, 1000),
    (("quick",), 6, 2000),
    (("quick", "few"), 20, 300),
    (("volumes",), 6, 2000),
    (GROUPS, 20, 2000),
)
"""Groups of metrics, most classes, and how many samples each cell is to have after the stage."""


class Samples:
    """What is known of a cell and a group of metrics, kept in a file."""

    def __init__(self, cache: Path, cell: Cell, group: str) -> None:
        self.cell, self.names = cell, metrics_of(cell, group)
        self.path = path_of(cache, cell, group)
        self.most = most_samples(cell, group)
        self.seconds = 0.1
        self.kept: dict[str, np.ndarray] = dict(np.load(self.path)) if self.path.exists() else {}

    def count(self) -> int:
        """Samples so far."""
        return len(self.kept["rows"]) if self.kept else 0

    def missing(self) -> list[str]:
        """Metrics that were not registered when the samples so far were drawn."""
        return [name for name in self.names if name not in self.kept.get("names", ())]

    def lacks(self, wanted: int) -> bool:
        """Whether there is something to advance."""
        return self.count() < min(wanted, self.most) or bool(self.missing())

    def complete(self) -> None:
        """The samples so far of the missing metrics."""
        missing, signal = self.missing(), float(self.kept["signal"])
        new = list(limits(self.cell, signal, missing, range(self.count())))
        columns = np.reshape(new, (self.count(), len(missing), 3))
        self.kept |= {
            "rows": np.concatenate([self.kept["rows"], columns], axis=1),
            "truth": np.append(self.kept["truth"], truths(self.cell, signal, missing)),
            "names": np.append(self.kept["names"], missing),
        }

    def advance(self, wanted: int) -> None:
        """Some more samples, as many as take a few seconds."""
        if not self.kept:
            self.kept = {
                "rows": np.empty((0, 0, 3)),
                "truth": np.empty(0),
                "names": np.empty(0, str),
                "signal": np.array(signal_of(self.cell)),
            }
        if self.missing():
            self.complete()
        done, start = self.count(), time.monotonic()
        until = min(wanted, self.most, done + max(1, int(CHUNK_SECONDS / self.seconds)))
        signal = float(self.kept["signal"])
        names = self.kept["names"].tolist()
        new = list(limits(self.cell, signal, names, range(done, until)))
        if new:
            self.kept["rows"] = np.concatenate([self.kept["rows"], new])
            self.seconds = max((time.monotonic() - start) / len(new), 1e-4)
        partial = self.path.with_suffix(".partial.npz")
        np.savez(partial, **self.kept)
        partial.replace(self.path)  # a table may be written at any time


def pieces(cache: Path) -> Iterator[tuple[Samples, int]]:
    """What to advance, and to how many samples, stage by stage."""
    kept = {(cell, group): Samples(cache, cell, group) for cell in CELLS for group in GROUPS}
    for groups, most_classes, wanted in STAGES:
        for (cell, group), samples in kept.items():
            if group in groups and len(cell.sizes) <= most_classes and samples.names:
                while samples.lacks(wanted):
                    yield samples, wanted


def main() -> None:
    """Samples for so many minutes, then the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=ROOT / ".benchmarks" / "coverage")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--table", action="store_true", help="write the table and stop")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * options.minutes
    if not options.table:
        without_notes()
        for samples, wanted in pieces(options.cache):
            if time.monotonic() > end:
                break
            samples.advance(wanted)
    write(options.cache)


if __name__ == "__main__":
    main()
