"""Differences between models with their tests, and what is said of them."""

import math
from itertools import combinations

from polyroc.inference._comparison import Difference
from polyroc.inference._folds import folds_note, n_used
from polyroc.inference._notes import (
    class_notes,
    design_notes,
    fault_note,
    prior_notes,
    rows_notes,
)
from polyroc.inference._samples import Samples
from polyroc.inference._spread import Spread
from polyroc.metrics.declaration import Metric
from polyroc.metrics.folds import FoldStatistics, statistics_of
from polyroc.metrics.question import NO_VARIATION
from polyroc.results import Note
from polyroc.typing import Float64Array, PriorsLike

AGREE = "the models agree on every case"
"""Why there is no test of a difference of 0."""


def comparison_notes(
    samples: Samples, metric: Metric, priors: PriorsLike | None
) -> tuple[str, ...]:
    """What is assumed about priors, and other facts about the samples."""
    found = samples.predictions[:1] if samples.paired else samples.predictions
    grouped = samples.designs[0].groups is not None
    notes: list[Note] = []
    for each in found:
        if isinstance(statistics := statistics_of(each), FoldStatistics):
            notes += folds_note(each, n_used(statistics, metric), grouped=grouped)
        notes += class_notes(each)
    notes += prior_notes(metric, samples.designs[0].sampling, priors is not None)
    notes += rows_notes(samples.predictions)
    notes += [note for design in samples.designs for note in design_notes(design)]
    faults = (fault_note(statistics_of(each), metric) for each in samples.predictions)
    notes += [note for note in faults if note is not None]
    return tuple(dict.fromkeys(note.text for note in notes))


def differences_of(
    samples: Samples,
    metric: Metric,
    values: Float64Array,
    spread: Spread,
    notes: tuple[str, ...],
) -> list[Difference]:
    """Differences of all pairs of models with their tests."""
    rows = []
    for a, b in combinations(range(len(values)), 2):
        difference = float(values[a] - values[b])
        freedom = float(spread.freedom[a, b])
        variance, least = float(spread.differences[a, b]), NO_VARIATION * spread.scale
        error, p_value, reason = _test(difference, variance, freedom, least)
        rows.append(
            Difference(
                metric.name,
                samples.names[a],
                samples.names[b],
                difference,
                error,
                p_value,
                notes=(reason, *notes) if reason else notes,
                degrees_of_freedom=freedom,
                lower_is_better=metric.direction == "lower",
            )
        )
    return rows


def _test(
    difference: float, variance: float, freedom: float, least: float
) -> tuple[float, float, str]:
    """Standard error, two-sided p-value, and why they do not exist if so."""
    from scipy.special import ndtr, stdtr

    if math.isnan(variance):
        return math.nan, math.nan, "no standard error: a class has one case, or no derivative"
    error = math.sqrt(max(variance, 0))
    if error <= least:
        same = AGREE if difference == 0 else "no variation"
        return math.nan, math.nan, f"no standard error: {same}"
    ratio = -abs(difference / error)
    return error, 2 * float(ndtr(ratio) if math.isinf(freedom) else stdtr(freedom, ratio)), ""


def undefined_differences(samples: Samples, metric: Metric, reason: str) -> list[Difference]:
    """Rows of NaN for a metric that does not exist for these predictions."""
    return [
        Difference(
            metric.name,
            a,
            b,
            math.nan,
            math.nan,
            math.nan,
            notes=(reason,),
            lower_is_better=metric.direction == "lower",
        )
        for a, b in combinations(samples.names, 2)
    ]
