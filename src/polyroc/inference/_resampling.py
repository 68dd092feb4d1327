"""Resampling by weights: cases stay sorted, a replicate is a vector of weights.

Replicate b draws from stream b of the seed, so results do not depend on batches or threads. Pair
statistics of many replicates come from one walk over the sorted columns
(:mod:`polyroc.statistics.resampled`); every other statistic is made from the cases drawn.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.parallel import map_threads
from polyroc._base.random import stream
from polyroc.errors import InvalidInput, NotDefined
from polyroc.inference._influence import CaseDesign
from polyroc.metrics.measure import CaseStatistics
from polyroc.metrics.question import Question
from polyroc.predictions import Predictions
from polyroc.statistics.margins import Margins
from polyroc.statistics.means import Means
from polyroc.statistics.pairs import Pairs
from polyroc.statistics.resampled import ResampledPairs
from polyroc.statistics.statistic import Need
from polyroc.typing import Float64Array

BATCH = 256
"""Replicates that are computed together: enough for the kernel, few enough for memory."""

KERNEL_STATISTICS = (Pairs, Margins, Means)
"""Statistics that the kernel gives for many replicates at once."""

_MOST_DRAWS = 1000  # in a row without every class, before giving up


@dataclass(frozen=True)
class Resampler:
    """Draws weights: cases, or groups of them, with replacement within strata.

    Of n units of a stratum n − 1 are drawn, so that the variance over draws is that of a mean of n
    cases, S²/n, and not (n − 1)/n of it. Strata are the classes. They cannot be kept apart where a
    group holds cases of several, nor where classes were sampled with the cases
    (``sampling="random"``): then there is one stratum, and a draw that loses a class is repeated.
    """

    codes: NDArray[Any]
    n_classes: int
    unit: NDArray[np.intp]
    """Unit that is drawn for each case: the case itself or its group."""
    strata: tuple[NDArray[np.intp], ...]
    copies: Float64Array | None

    @classmethod
    def of(cls, predictions: Predictions, design: CaseDesign) -> "Resampler":
        """How to resample predictions of a design."""
        unit = np.arange(len(predictions)) if design.groups is None else design.groups
        copies = predictions.case_weights if design.weights == "frequency" else None
        if copies is not None and (copies != np.rint(copies)).any():
            raise InvalidInput('weights="frequency" needs whole numbers of copies to resample.')
        strata = _strata(predictions, unit, design.sampling == "random")
        return cls(predictions.codes, predictions.n_classes, unit, strata, copies)

    def draw(self, generator: np.random.Generator) -> NDArray[Any]:
        """Weights of one replicate, relative to those of the cases."""
        for _ in range(_MOST_DRAWS):
            weights = self._draw_once(generator)
            if len(np.unique(self.codes[weights > 0])) == self.n_classes:
                return weights
        raise InvalidInput(
            f"{_MOST_DRAWS} resamples in a row lost a class: it has too few cases. "
            'Use sampling="stratified".'
        )

    def _draw_once(self, generator: np.random.Generator) -> NDArray[Any]:
        if self.copies is not None:
            drawn = np.zeros(len(self.unit))
            for members in self.strata:
                copies = self.copies[members]
                n_drawn = max(int(copies.sum()) - 1, 1)
                drawn[members] = generator.multinomial(n_drawn, copies / copies.sum())
            return np.divide(drawn, self.copies, dtype=np.float64)
        counts = np.zeros(int(self.unit.max()) + 1, dtype=np.int64)
        for members in self.strata:
            chosen = generator.integers(0, len(members), max(len(members) - 1, 1))
            counts[members] = np.bincount(chosen, minlength=len(members))
        return counts[self.unit]


def _strata(
    predictions: Predictions, unit: NDArray[np.intp], together: bool
) -> tuple[NDArray[np.intp], ...]:
    units, first = np.unique(unit, return_index=True)
    code_of = np.empty(int(unit.max()) + 1, dtype=np.intp)
    code_of[units] = predictions.codes[first]
    if together or (code_of[unit] != predictions.codes).any():
        return (units,)
    return tuple(units[code_of[units] == k] for k in range(predictions.n_classes))


def drawn_weights(
    resampler: Resampler, seed: int, replicates: range, n_threads: int | None
) -> NDArray[Any]:
    """Weights of several replicates, a row each."""

    def one(replicate: int) -> NDArray[Any]:
        weights = resampler.draw(stream(seed, replicate))
        return weights if resampler.copies is not None else weights.astype(np.uint32)

    return np.stack(map_threads(one, replicates, n_threads))


class Replicator:
    """Values of metrics for reweighted predictions, many at a time."""

    def __init__(self, predictions: Predictions, questions: Sequence[Question]) -> None:
        self.predictions, self.questions = predictions, questions
        needed = {question.need.statistic for question in questions}
        scored = any(q.need.statistic is Pairs and q.metric.needs_probabilities for q in questions)
        self.pairs = ResampledPairs(
            predictions, excess=scored, margins=Margins in needed, means=Means in needed
        )
        by_kernel = [question.need.statistic in KERNEL_STATISTICS for question in questions]
        self.by_kernel = np.flatnonzero(by_kernel).tolist()
        self.by_cases = np.flatnonzero(np.logical_not(by_kernel)).tolist()

    def values(self, weights: NDArray[Any], first: int = 0) -> Float64Array:
        """A row per replicate, of which these are from number ``first`` on, a column per metric."""
        values = np.empty((len(weights), len(self.questions)))
        if self.by_kernel:
            found = self.pairs.replicates(weights)
            asked = [self.questions[column] for column in self.by_kernel]
            for b in range(len(weights)):
                values[b, self.by_kernel] = [
                    each.value(found.statistic(each.need.statistic, b)) for each in asked
                ]
        if self.by_cases:
            numbered = list(enumerate(weights, first))
            rows = map_threads(self._of_cases, numbered, self.predictions.n_threads)
            values[:, self.by_cases] = rows
        return values

    def _of_cases(self, replicate: tuple[int, NDArray[Any]]) -> list[float]:
        """Metrics that need the cases themselves, without those of weight 0."""
        number, weights = replicate
        drawn, base = np.flatnonzero(weights), self.predictions
        statistics = CaseStatistics(
            base.with_cases(
                base.codes[drawn], base.scores[drawn], weights[drawn] * base.case_weights[drawn]
            )
        )
        asked = (self.questions[column] for column in self.by_cases)
        again = (replace(each, need=redrawn(each.need, number)) for each in asked)
        return [_defined(statistics, question) for question in again]


def _defined(statistics: CaseStatistics, question: Question) -> float:
    """The value for a replicate; NaN if a curve cannot be fitted to it, or only in a limit."""
    if question.metric.fault is None:
        return statistics.value(question)
    try:
        statistic = statistics[question.need]
        return math.nan if question.fault(statistic) is not None else question.value(statistic)
    except NotDefined:
        return math.nan


def redrawn(need: Need, replicate: int) -> Need:
    """The same need with random tuples of its own for a replicate, the same for every model."""
    options = dict(need.options)
    if "n_tuples" not in options:
        return need
    sequence = np.random.SeedSequence((options["rng"], replicate))
    options["rng"] = int(sequence.generate_state(1, np.uint64)[0])
    return need._replace(options=tuple(options.items()))
