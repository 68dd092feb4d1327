"""Where 95 % intervals are known to miss their level: a note with what simulations found.

``proof/coverage`` counts how often the intervals of every metric contain the true value, in cells
of named class sizes, true values, groups and ratings. The cells that miss what the table asks for
are in ``data/coverage.json``, written with the table. A result that resembles such a cell has a
note: the same metric, about as many classes, a smallest class and a number of groups within a
factor of two, ratings where the cell has ratings, and a value within three standard errors of the
true value there.
"""

import json
import math
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from polyroc.inference._influence import CaseDesign
from polyroc.metrics.folds import in_folds
from polyroc.predictions import Predictions
from polyroc.results import Estimate, Note

ERRORS_AWAY, FACTOR = 3, 2
FEW_CLASSES = 3
"""Up to here numbers of classes are compared one by one, beyond within a factor."""


class Missed(NamedTuple):
    """A cell of the table whose intervals miss their level."""

    metric: str
    n_classes: int
    smallest: int
    truth: float
    coverage: float
    """In percent."""
    groups: int | None = None
    levels: int | None = None

    def resembles(self, estimate: Estimate, predictions: Predictions, design: CaseDesign) -> bool:
        """Whether a result is like this cell."""
        n_classes, n_groups = predictions.n_classes, design.n_groups
        few = max(n_classes, self.n_classes) <= FEW_CLASSES
        alike = n_classes == self.n_classes if few else _near(n_classes, self.n_classes)
        apart = abs(estimate.value - self.truth)
        return (
            alike
            and _near(int(predictions.class_counts.min()), self.smallest)
            and (n_groups is None) == (self.groups is None)
            and (n_groups is None or _near(n_groups, self.groups or 0))
            and apart <= ERRORS_AWAY * estimate.standard_error
            and (self.levels is None or _levels(predictions) <= FACTOR * self.levels)
        )


def _near(number: int, other: int) -> bool:
    return number <= FACTOR * other and other <= FACTOR * number


def _levels(predictions: Predictions) -> int:
    return len(np.unique(predictions.scores[:, 0]))


@cache
def missed_cells() -> tuple[Missed, ...]:
    """The cells that miss, of all metrics."""
    text = files("polyroc").joinpath("data", "coverage.json").read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = json.loads(text)
    return tuple(Missed(**row) for row in rows)


def coverage_note(
    estimate: Estimate, predictions: Predictions, design: CaseDesign
) -> tuple[Note, ...]:
    """A note if results like this one are known to miss; the worst of several cells counts."""
    if estimate.effective is None or in_folds(predictions):
        return ()
    if math.isnan(estimate.standard_error):
        return ()
    like = [
        cell
        for cell in missed_cells()
        if cell.metric == estimate.metric and cell.resembles(estimate, predictions, design)
    ]
    if not like:
        return ()
    worst = max(like, key=lambda cell: abs(cell.coverage - 95))
    units = "so few groups" if worst.groups else "a class this small"
    units = "so few different ratings" if worst.levels else units
    text = (
        f"95 % intervals of this metric covered {worst.coverage:.0f} % instead of 95 % in "
        f"simulations with {units}"
    )
    return (Note("coverage", text),)
