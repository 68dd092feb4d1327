"""Paired permutation test: under the null, which of two models gave which scores is arbitrary.

Both models' cases are stacked and sorted once. A permutation picks for every case (or group) which
copy plays model a, so its two values are those of the stack under complementary 0/1 weights.
Metrics of ranks see the ranks within each model and column, a common scale for any two models.
"""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc._base.random import seed_of, stream
from polyroc.errors import InvalidInput
from polyroc.inference._bootstrap import defined_questions
from polyroc.inference._comparison import Comparison, Difference, Omnibus, holm
from polyroc.inference._differences import comparison_notes, undefined_differences
from polyroc.inference._folds import check_every_class
from polyroc.inference._margins import Hypothesis
from polyroc.inference._options import Permutation
from polyroc.inference._resampling import BATCH, Replicator
from polyroc.inference._samples import Samples
from polyroc.metrics.declaration import Metric, Property
from polyroc.metrics.folds import statistics_of
from polyroc.metrics.question import Question
from polyroc.predictions import Predictions
from polyroc.typing import Float64Array, PriorsLike


def permutation_comparison(
    samples: Samples,
    metrics: Sequence[Metric],
    priors: PriorsLike | None,
    level: float,
    method: Permutation,
    hypothesis: Hypothesis,
) -> Comparison:
    """p-values of all pairs of models: the share of permutations that differ at least as much."""
    _check(samples, hypothesis)
    seed, n_replicates = seed_of(method.rng), method.replicates
    models = [statistics_of(each) for each in samples.predictions]
    questions, measured, reasons = defined_questions(models, metrics, priors)
    rows = [row for row in measured if row[0].metric.name not in reasons]
    values_of = [[each.value for each in row] for row in rows]
    found = np.array(values_of).reshape(len(rows), len(samples.names)).T
    p_values = {
        (a, b): _p_values(samples, a, b, questions, found[a] - found[b], n_replicates, seed)
        for a, b in combinations(range(len(samples.names)), 2)
        if questions
    }
    differences: list[Difference] = []
    for metric in metrics:
        if metric.name in reasons:
            differences += undefined_differences(samples, metric, reasons[metric.name])
            continue
        column = next(i for i, q in enumerate(questions) if q.metric is metric)
        notes = comparison_notes(samples, metric, priors)
        differences += holm(_rows(samples, metric, found[:, column], p_values, column, notes))
    values = {
        q.metric.name: dict(zip(samples.names, column.tolist(), strict=True))
        for q, column in zip(questions, found.T, strict=True)
    }
    settings = {**hypothesis.settings(), "n_replicates": n_replicates, "seed": seed}
    none: tuple[Omnibus, ...] = ()
    return Comparison(values, tuple(differences), none, "permutation", level, settings)


def _check(samples: Samples, hypothesis: Hypothesis) -> None:
    """Whether scores can be exchanged, and the question is one that this answers."""
    if not samples.paired:
        raise InvalidInput(
            "A permutation test needs models on the same cases, but these are independent samples. "
            'Use method="influence" or "bootstrap".'
        )
    if hypothesis.alternative != "two-sided":
        raise InvalidInput(
            "A permutation test shows whether models differ, got "
            f'alternative="{hypothesis.alternative}". Use method="influence" or "bootstrap".'
        )


def _rows(
    samples: Samples,
    metric: Metric,
    values: Float64Array,
    p_values: dict[tuple[int, int], Float64Array],
    column: int,
    notes: tuple[str, ...],
) -> list[Difference]:
    return [
        Difference(
            metric.name,
            samples.names[a],
            samples.names[b],
            float(values[a] - values[b]),
            math.nan,
            float(found[column]),
            notes=("a permutation test gives no standard error", *notes),
            lower_is_better=metric.direction == "lower",
        )
        for (a, b), found in p_values.items()
    ]


def _p_values(
    samples: Samples,
    a: int,
    b: int,
    questions: Sequence[Question],
    observed: Float64Array,
    n_replicates: int,
    seed: int,
) -> Float64Array:
    """(1 + permutations at least as far apart) / (1 + permutations), for each metric."""
    models = samples.predictions[a], samples.predictions[b]
    parts = [[each.part(rows) for each in models] for rows in models[0].fold_rows]
    check_every_class(models[0], [first for first, _ in parts])
    on_ranks = np.array([Property.COLUMN_MONOTONE in q.metric.properties for q in questions])
    p_values = np.empty(len(questions))
    for chosen, stack in ((~on_ranks, _stacked), (on_ranks, _stacked_ranks)):
        if chosen.any():
            asked = [questions[place] for place in np.flatnonzero(chosen).tolist()]
            exchanges = [
                Exchange(rows, Replicator(stack(*both), asked))
                for rows, both in zip(models[0].fold_rows, parts, strict=True)
            ]
            exchanged = samples, a, exchanges, observed[chosen], n_replicates, seed
            p_values[chosen] = _exchanged(*exchanged)
    return p_values


class Exchange(NamedTuple):
    """Cases of a fold, or all where there are no folds, whose scores are exchanged."""

    rows: NDArray[np.intp]
    replicator: Replicator

    def values(self, swapped: NDArray[np.uint8]) -> Float64Array:
        """Values (permutations × metrics) of the first model where some cases are swapped."""
        own = swapped[:, self.rows]
        return self.replicator.values(np.hstack([1 - own, own]))


def _exchanged(
    samples: Samples,
    a: int,
    exchanges: Sequence[Exchange],
    observed: Float64Array,
    n_replicates: int,
    seed: int,
) -> Float64Array:
    groups = samples.designs[a].groups
    n_cases = len(samples.predictions[a])
    unit = np.arange(n_cases) if groups is None else groups
    reached = np.zeros(len(observed))
    for start in range(0, n_replicates, BATCH):
        batch = range(start, min(start + BATCH, n_replicates))
        swapped = np.stack([_coins(seed, replicate, unit) for replicate in batch])
        apart = [each.values(swapped) - each.values(1 - swapped) for each in exchanges]
        # A permutation without a value, to which no curve could be fitted, counts as far apart.
        reached += (~(np.abs(np.mean(apart, axis=0)) < np.abs(observed) - 1e-12)).sum(axis=0)
    return np.asarray((1 + reached) / (1 + n_replicates))


def _coins(seed: int, replicate: int, unit: NDArray[np.intp]) -> NDArray[np.uint8]:
    coins = stream(seed, replicate).integers(0, 2, int(unit.max()) + 1, dtype=np.uint8)
    return coins[unit]


def _stacked_ranks(first: Predictions, second: Predictions) -> Predictions:
    """The same with the ranks of the scores within each model and column.

    Metrics of ranks do not see how the scores of a model are spread, and models that are exchanged
    need a common scale: without it they would seem to differ by their calibration.
    """
    return _stacked(_ranked(first), _ranked(second))


def _ranked(predictions: Predictions) -> Predictions:
    from scipy.stats import rankdata

    ranks = rankdata(predictions.scores, axis=0) / len(predictions)
    return predictions.with_cases(predictions.codes, ranks, predictions.case_weights)


def _stacked(first: Predictions, second: Predictions) -> Predictions:
    """The cases of both models, one after the other."""
    weights = np.concatenate([first.case_weights, second.case_weights])
    scores = np.concatenate([first.scores, second.scores])
    return first.with_cases(np.concatenate([first.codes, second.codes]), scores, weights)
