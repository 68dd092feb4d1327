"""Notes: facts about the data that a reader of a number should know."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from polyroc.inference._influence import CaseDesign
from polyroc.metrics.declaration import Metric, Property
from polyroc.metrics.folds import FoldStatistics
from polyroc.metrics.measure import CaseStatistics
from polyroc.predictions import Predictions
from polyroc.predictions._classes import some_of
from polyroc.predictions._groups import FEW_GROUPS
from polyroc.results import Note
from polyroc.statistics.margins import Margins
from polyroc.statistics.pairs import Pairs
from polyroc.statistics.placements import Placements
from polyroc.statistics.rates import Rates
from polyroc.statistics.statistic import Need
from polyroc.statistics.tuples import Tuples

SMALL_CLASS = 10
FEW_FOR_UNION = 300
"""Cases below which G of three classes was too large, by .03 with 100 and .06 with 50 a class."""
MOST_NAMED = 8
"""Small classes that a note names, the smallest first."""
_ARGMAX = (("partition", None),)
TOLD_SHARE = 5e-4  # what rounds to 0.1 %
TOLD_DIFFERENCE = 5e-5  # what shows in four decimals


def notes_on(
    statistics: CaseStatistics | FoldStatistics,
    metric: Metric,
    sampling: str,
    priors_given: bool,
    exact: bool = True,
) -> tuple[Note, ...]:
    """Notes on the value of a metric."""
    predictions = statistics.predictions
    found: list[Note | None] = []
    if metric.statistic in (Pairs, Placements) and Property.COLUMN_MONOTONE in metric.properties:
        found.append(_tied_pairs(statistics, metric, Need(Pairs)))
    if metric.statistic is Margins:
        found.append(_tied_pairs(statistics, metric, Need(Margins, _ARGMAX)))
    if metric.statistic is Tuples and exact:
        found.append(_ties_matter(statistics, metric))
    found.append(fault_note(statistics, metric))
    if metric.statistic is Rates:
        found.append(_union_of_points(predictions))
    found = [*class_notes(predictions), _by_position(predictions), *found]
    found += prior_notes(metric, sampling, priors_given)
    return tuple(note for note in found if note is not None)


def fault_note(statistics: CaseStatistics | FoldStatistics, metric: Metric) -> Note | None:
    """What is wrong with a fitted curve; the first that is, where there is one per fold."""
    if metric.fault is None:
        return None
    parts = statistics.parts if isinstance(statistics, FoldStatistics) else (statistics,)
    n_classes = statistics.predictions.n_classes
    for part in parts:
        if part.predictions.n_classes == n_classes:
            question = metric.question(part.predictions)
            if (text := question.fault(part[question.need])) is not None:
                return Note("fit-at-limit", text)
    return None


def class_notes(predictions: Predictions) -> list[Note]:
    """Classes that are left out, and small ones."""
    found = (_skipped(predictions), _small_classes(predictions))
    return [note for note in found if note is not None]


def prior_notes(metric: Metric, sampling: str, given: bool) -> list[Note]:
    """What is assumed about the priors, for a metric that uses them."""
    return [_priors(sampling, given)] if metric.prior_weighted else []


def _union_of_points(predictions: Predictions) -> Note | None:
    """Three classes: a union over many points with noisy rates is larger than the true one."""
    if predictions.n_classes == 2 or predictions.class_counts.min() >= FEW_FOR_UNION:
        return None
    few = f"fewer than {FEW_FOR_UNION} cases in a class"
    return Note("union-of-points", f"optimistic with {few}: a union over many operating points")


def _skipped(predictions: Predictions) -> Note | None:
    if not predictions.skipped:
        return None
    names = some_of([str(label) for label in predictions.skipped])
    several = len(predictions.skipped) > 1
    which = f"classes {names}, which have" if several else f"class {names}, which has"
    return Note("skipped-classes", f"without the {which} no cases")


def design_notes(design: CaseDesign) -> tuple[Note, ...]:
    """Notes on how the cases were sampled."""
    found = []
    if design.n_groups is not None and design.n_groups < FEW_GROUPS:
        text = f"{design.n_groups} groups: standard errors from fewer than {FEW_GROUPS} are rough"
        found.append(Note("few-groups", text))
    if design.by_position:
        found.append(_rows_of(design.by_position))
    return tuple(found)


def rows_notes(models: Iterable[Predictions]) -> list[Note]:
    """Notes on rows of any model that were matched by position."""
    return [note for each in models if (note := _by_position(each)) is not None]


def _by_position(predictions: Predictions) -> Note | None:
    return _rows_of(predictions.by_position) if predictions.by_position else None


def _rows_of(names: tuple[str, ...]) -> Note:
    listed = " and ".join(names)
    return Note("rows-by-position", f"rows of {listed} taken by position: indexes differ")


def _small_classes(predictions: Predictions) -> Note | None:
    counts = predictions.class_counts.tolist()
    small = sorted(
        (k for k, count in enumerate(counts) if count < SMALL_CLASS), key=counts.__getitem__
    )
    if not small:
        return None
    listed = ", ".join(f"{predictions.classes[k]} ({counts[k]})" for k in small[:MOST_NAMED])
    rest = len(small) - MOST_NAMED
    more = f" and {rest} more {'class' if rest == 1 else 'classes'}" if rest > 0 else ""
    return Note("small-class", f"fewer than {SMALL_CLASS} cases: {listed}{more}")


def _tied_pairs(
    statistics: CaseStatistics | FoldStatistics, metric: Metric, need: Need
) -> Note | None:
    share = share_of_ties(statistics, metric, need)
    told = f"{100 * share:.1f} % of pairs are tied"
    return Note("tied-scores", told) if share >= TOLD_SHARE else None


def share_of_ties(statistics: CaseStatistics | FoldStatistics, metric: Metric, need: Need) -> float:
    """Share of tied pairs among those that are compared, in folds where there are any."""
    tied = pairs = 0.0
    for part in _ranked_parts(statistics, metric):
        totals = part.predictions.class_weights
        compared = _compared(metric, len(totals))
        if compared.any():
            tied += part[need].tied[compared].sum()
            pairs += np.outer(totals, totals)[compared].sum()
    return tied / pairs


def _ranked_parts(
    statistics: CaseStatistics | FoldStatistics, metric: Metric
) -> Iterator[CaseStatistics]:
    """All cases, or the folds that count: for tuples those with all classes."""
    if isinstance(statistics, CaseStatistics):
        yield statistics
        return
    for part, complete in zip(statistics.parts, statistics.complete, strict=True):
        if complete or metric.statistic is not Placements:
            yield part


def _compared(metric: Metric, n_classes: int) -> NDArray[np.bool_]:
    """Pairs of classes that are compared: of margins each once, of two classes in one column."""
    every = ~np.eye(n_classes, dtype=bool)
    if metric.statistic is Margins:
        return np.triu(every)
    return np.tril(every) if metric.classes.most == 2 else every


def _ties_matter(statistics: CaseStatistics | FoldStatistics, metric: Metric) -> Note | None:
    strict, lenient = (
        statistics.value(question)
        for question in (
            metric.question(statistics.predictions, ties=ties) for ties in ("strict", "lenient")
        )
    )
    wrong, right = f"{strict:.4f}", f"{lenient:.4f}"
    if wrong == right or lenient - strict < TOLD_DIFFERENCE:
        return None
    return Note("ties-matter", f"ties: {wrong} if wrong, {right} if right")


def _priors(sampling: str, given: bool) -> Note:
    if given:
        return Note("priors-given", "for the priors given")
    if sampling == "random":
        return Note("priors-sampled", "class shares of the sample, treated as estimates")
    return Note("priors-fixed", "class shares of the sample, treated as fixed")
