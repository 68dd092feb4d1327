"""Ordered categories of two classes: what a fit on ranks sees of the scores.

Cases of one score share a category. Neighbouring categories that hold cases of the same class only
may be joined without any change of the maximum likelihood estimates: the boundary between them
divides the probability of their class in proportion to their counts, whatever the curve. What is
left are the truth-state runs of Metz, Herman and Shen (Statistics in Medicine 17, 1998).
"""

from dataclasses import dataclass

import numpy as np

from polyroc.errors import NotDefined
from polyroc.predictions import Predictions
from polyroc.typing import BoolArray, Float64Array, IntArray

MOST_CATEGORIES = 2000
"""Distinct scores beyond this are joined for a fit, at equally spaced shares of the cases."""


@dataclass(frozen=True, eq=False)
class Categories:
    """Weights of the two classes in each of m categories, in ascending order of the score.

    ``squares`` holds the sums of the squared weights, of which sandwich variances are made.
    """

    weights: Float64Array
    """(2, m): negatives, positives."""
    squares: Float64Array

    @classmethod
    def of_cases(cls, positive: BoolArray, group: IntArray, weights: Float64Array) -> "Categories":
        """From the class, the rank of the score and the weight of each case, ranks ascending."""
        size = int(group[-1]) + 1
        place = positive * size + group

        def table(values: Float64Array) -> Float64Array:
            return np.bincount(place, values, minlength=2 * size).reshape(2, -1).astype(np.float64)

        return cls(table(weights), table(weights**2))

    @property
    def n_categories(self) -> int:
        """m."""
        return int(self.weights.shape[1])

    @property
    def shares(self) -> Float64Array:
        """Share of each class in all weight."""
        totals = self.weights.sum(axis=1)
        return np.asarray(totals / totals.sum())

    def joined(self, starts: IntArray) -> "Categories":
        """Categories joined from each start up to the next."""
        sums = (np.add.reduceat(each, starts, axis=1) for each in (self.weights, self.squares))
        return Categories(*sums)

    def runs(self, most: int | None = None) -> "Categories":
        """Truth-state runs: without empty categories, neighbours of one class joined.

        Past ``most`` categories, neighbours are first joined at equally spaced shares of all
        cases. The classes have no say in that: joining runs instead would favour their ends, and
        make b too small.
        """
        kept, _ = self.joined(self._bins(most))._held()
        return kept.joined(kept._starts_of_runs())

    def run_numbers(self, most: int | None = None) -> IntArray:
        """In which of the runs each category is; an empty one is counted to the run before it."""
        bins = self._bins(most)
        kept, held = self.joined(bins)._held()
        of_kept = _numbers(kept._starts_of_runs(), kept.n_categories)
        of_bins = of_kept[np.maximum(np.cumsum(held) - 1, 0)]
        return np.asarray(of_bins[_numbers(bins, self.n_categories)])

    def _bins(self, most: int | None) -> IntArray:
        """Where equally spaced shares of all cases start, if there are too many categories."""
        if most is None or self.n_categories <= most:
            return np.arange(self.n_categories)
        total = self.weights.sum(axis=0)
        middle = (np.cumsum(total) - total / 2) / total.sum()
        return np.append(0, np.flatnonzero(np.diff(np.floor(most * middle))) + 1)

    def _held(self) -> tuple["Categories", BoolArray]:
        """Without empty categories, and which are not empty."""
        held: BoolArray = self.weights.sum(axis=0) > 0
        return Categories(self.weights[:, held], self.squares[:, held]), held

    def _starts_of_runs(self) -> IntArray:
        """Where runs start: neighbours of one class belong together."""
        only = np.where(self.weights[0] == 0, 1, np.where(self.weights[1] == 0, 0, -1))
        same = (only[1:] == only[:-1]) & (only[1:] >= 0)
        return np.append(0, np.flatnonzero(~same) + 1)

    @property
    def ordered(self) -> bool:
        """Whether some threshold separates the classes, one way or the other."""
        return self.n_categories == 2 and bool((self.weights.min(axis=0) == 0).all())

    @property
    def right_way(self) -> bool:
        """Whether the positives are in the higher category, where the classes are separate."""
        return bool(self.weights[0, 0] > 0)

    def check(self) -> None:
        """Refuse data that no pair of parameters can be estimated from."""
        if self.n_categories == 1:
            raise NotDefined(
                "All scores are equal, so there is no ROC curve to fit. "
                "Pass scores that differ between cases."
            )
        if self.ordered:
            raise NotDefined(
                "A threshold separates the classes, so the likelihood grows without end as the "
                "curve becomes perfect. Read the SAEC as its limit: 0, or 1 if scores are reversed."
            )
        if self.n_categories == 2:
            raise NotDefined(
                "The scores give one operating point, which many curves with two parameters pass "
                'through. Pass finer scores, or use model="hull".'
            )


def _numbers(starts: IntArray, size: int) -> IntArray:
    """Which part each of so many categories is in, parts beginning at the starts."""
    return np.repeat(np.arange(len(starts)), np.diff(starts, append=size))


@dataclass(frozen=True, eq=False)
class RankedCases:
    """Cases in ascending order of the score, with the rank of each distinct score."""

    positive: BoolArray
    group: IntArray
    weights: Float64Array

    @classmethod
    def of(cls, predictions: Predictions) -> "RankedCases":
        """By the scores of the second class."""
        scores = predictions.scores[:, 1]
        order = np.argsort(scores, kind="stable")
        ascending = scores[order]
        group = np.append(0, np.cumsum(ascending[1:] > ascending[:-1]))
        return cls(predictions.codes[order] == 1, group, predictions.case_weights[order])

    def runs(self, most: int | None = None) -> Categories:
        """Truth-state runs of the cases; see Categories.runs."""
        return self.categories().runs(most)

    def categories(self, copies: Float64Array | None = None) -> Categories:
        """A category per distinct score, of the cases or of so many copies of each."""
        weights = self.weights if copies is None else self.weights * copies
        return Categories.of_cases(self.positive, self.group, weights)
