"""Notes: facts about the data that a reader of a number should know."""

import numpy as np

from polyroc.metrics.declaration import Metric
from polyroc.predictions import Predictions
from polyroc.results import Note
from polyroc.statistics.mu import margin_sums
from polyroc.statistics.pairs import pair_sums
from polyroc.typing import Float64Array

SMALL_CLASS = 10
TOLD_SHARE = 5e-4  # what rounds to 0.1 %
TOLD_DIFFERENCE = 5e-5  # what shows in four decimals


def notes_on(
    predictions: Predictions, metric: Metric, sampling: str, priors_given: bool, exact: bool = True
) -> tuple[Note, ...]:
    """Notes on the value of a metric."""
    found = [_skipped(predictions), _small_classes(predictions)]
    if metric.statistic in ("pairs", "placements"):
        found.append(_tied_pairs(predictions, predictions.derived(pair_sums).tied))
    if metric.statistic == "margins":
        found.append(_tied_pairs(predictions, predictions.derived(margin_sums, None)[1]))
    if metric.statistic == "tuples" and exact:
        found.append(_ties_matter(predictions, metric))
    if metric.prior_weighted:
        found.append(_priors(sampling, priors_given))
    return tuple(note for note in found if note is not None)


def _skipped(predictions: Predictions) -> Note | None:
    if not predictions.skipped:
        return None
    names = ", ".join(str(label) for label in predictions.skipped)
    return Note("skipped-classes", f"without the classes {names}, which have no cases")


def _small_classes(predictions: Predictions) -> Note | None:
    counts = predictions.class_counts
    small = [
        f"{label} ({count})"
        for label, count in zip(predictions.classes, counts.tolist(), strict=True)
        if count < SMALL_CLASS
    ]
    if not small:
        return None
    return Note("small-class", f"fewer than {SMALL_CLASS} cases: {', '.join(small)}")


def _tied_pairs(predictions: Predictions, tied: Float64Array) -> Note | None:
    """Share of tied pairs, over the pairs of classes that were compared."""
    totals = predictions.class_weights
    weights = np.outer(totals, totals)
    compared = ~np.eye(predictions.n_classes, dtype=bool)
    if not np.tril(tied, -1).any():  # margins compare a pair of classes once
        compared = np.triu(compared)
    share = tied[compared].sum() / weights[compared].sum()
    return Note("tied-scores", f"{share:.1%} of pairs are tied") if share >= TOLD_SHARE else None


def _ties_matter(predictions: Predictions, metric: Metric) -> Note | None:
    strict = metric.value(predictions, ties="strict")
    lenient = metric.value(predictions, ties="lenient")
    if lenient - strict < TOLD_DIFFERENCE:
        return None
    return Note("ties-matter", f"ties: {strict:.4f} if wrong, {lenient:.4f} if right")


def _priors(sampling: str, given: bool) -> Note:
    if given:
        return Note("priors-given", "for the priors given")
    if sampling == "random":
        return Note("priors-sampled", "class shares of the sample, taken as estimates")
    return Note("priors-fixed", "class shares of the sample, taken as fixed")
