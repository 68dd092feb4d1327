"""Where requirements hold: on all cases, and in each slice of them."""

from collections.abc import Iterator
from typing import NamedTuple

from polyroc.inference._comparison import Comparison, Difference
from polyroc.inference._slices import SlicedComparison, SlicedEvaluation
from polyroc.results import Evaluation


class Place(NamedTuple):
    """All cases, or a slice of them, with the values and changes there."""

    values: Evaluation | None
    """None for a slice with too few cases."""
    changes: Comparison | None
    attribute: str = ""
    slice: str = ""
    withheld: str = ""
    """Why there are no values."""

    def change(self, metric: str) -> tuple[Difference, float]:
        """The difference of a metric, and its value of the baseline."""
        assert self.changes is not None  # requirements about changes have a baseline
        (row,) = (each for each in self.changes.differences if each.metric == metric)
        return row, self.changes.values[metric]["baseline"]


def places_of(values: Evaluation, changes: Comparison | None) -> Iterator[Place]:
    """All cases, then the slices of each attribute, then those with too few cases."""
    yield Place(values, changes)
    if not isinstance(values, SlicedEvaluation):
        return
    for attribute, slices in values.slices.items():
        for name, own in slices.items():
            known = changes.slices if isinstance(changes, SlicedComparison) else {}
            yield Place(own, known[attribute][name] if known else None, attribute, str(name))
    for thin in values.thin:
        yield Place(None, None, thin.attribute, str(thin.slice), thin.reason)
