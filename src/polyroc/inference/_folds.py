"""Standard errors and notes for cases that were held out in folds.

With u_i = w_i φ_i / n_k the contribution of a case, the strata are the classes within folds:

    Var = Σ_{v,k} m_kv/(m_kv − 1) Σ_{i in k, v} u_i²  =  Σ_{v,k} w_v² S²_vk(φ^(v)) / n_kv,

m_kv the cases (or groups) of class k in fold v: the jackknife within classes and folds. The rest of
the package multiplies the contributions of class k by √(m_k/(m_k − 1)), so here influence values
are multiplied by the ratio of the two factors, and everything that follows from influence values is
the same with and without folds. A case that is held out in several repeats is a group: its
contributions are added up before they are squared.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput
from polyroc.inference._influence import CaseDesign
from polyroc.metrics.declaration import Metric
from polyroc.metrics.folds import SUMS_OF_PAIRS, Asked, FoldStatistics
from polyroc.metrics.measure import CaseStatistics, Measured
from polyroc.metrics.question import Question
from polyroc.predictions import Predictions
from polyroc.predictions._classes import positions, some_of
from polyroc.results import Estimate, Note
from polyroc.typing import Float64Array

FEW_IN_A_FOLD = 4
"""With fewer cases of a class in a fold, intervals may be short."""


def measured(
    statistics: CaseStatistics | FoldStatistics,
    asked: Asked,
    design: CaseDesign,
    *,
    with_influence: bool = True,
) -> list[Measured]:
    """Values of metrics, and influence values whose variance follows from the class sizes."""
    if not (isinstance(statistics, FoldStatistics) and with_influence):
        return statistics.measure(asked, with_influence=with_influence)
    factor = stratum_factor(statistics, design)
    found = statistics.measure(asked)
    return [
        each
        if each.influence is None
        else each._replace(influence=replace(each.influence, cases=each.influence.cases * factor))
        for each in found
    ]


def stratum_factor(statistics: FoldStatistics, design: CaseDesign) -> Float64Array:
    """√(m_kv/(m_kv − 1) · (m_k − 1)/m_k) of each case."""
    whole = statistics.predictions
    counts = design.counts(whole)
    by_class = np.ones(whole.n_classes)
    np.divide(counts - 1, counts, out=by_class, where=counts > 1)
    position = positions(whole.classes)
    factor = np.empty(len(whole))
    for name, rows, part in zip(statistics.names, statistics.rows, statistics.parts, strict=True):
        groups = None if design.groups is None else design.groups[rows]
        own = replace(design, groups=groups).counts(part.predictions)
        check_strata(own, name, part.predictions.classes, grouped=groups is not None)
        there = [position[label] for label in part.predictions.classes]
        factor[rows] = np.sqrt(own / (own - 1) * by_class[there])[part.predictions.codes]
    return factor


def check_strata(counts: Float64Array, fold: Any, classes: Sequence[Any], *, grouped: bool) -> None:
    """Whether every class has cases enough in a fold to see how they vary."""
    alone = np.flatnonzero((counts > 0) & (counts <= 1))
    if alone.size:
        unit = "group" if grouped else "case"
        raise InvalidInput(
            f"Fold {shown(fold)} has one {unit} of the class {shown(classes[int(alone[0])])}, "
            "which says nothing about how cases vary within the fold. Use fewer folds, or "
            "evaluate with interval=None for values without standard errors."
        )


def designs_of_folds(
    predictions: Predictions, parts: Sequence[Predictions], design: CaseDesign
) -> list[CaseDesign]:
    """The design of each fold, where folds can be resampled one by one."""
    check_every_class(predictions, parts)
    if design.groups is not None:
        _check_within_folds(predictions, design)
    assert predictions.folds is not None
    designs = [design.part(rows) for rows in predictions.fold_rows]
    for name, part, own in zip(predictions.folds.names, parts, designs, strict=True):
        check_strata(own.counts(part), name, part.classes, grouped=own.groups is not None)
    return designs


def check_every_class(predictions: Predictions, parts: Sequence[Predictions]) -> None:
    """Whether folds can be resampled, or scores exchanged in them."""
    if any(part.n_classes < predictions.n_classes for part in parts):
        raise InvalidInput(
            "A fold lacks a class, and a bootstrap or a permutation test needs cases of every "
            'class in every fold. Use "influence", or StratifiedKFold.'
        )


def _check_within_folds(predictions: Predictions, design: CaseDesign) -> None:
    folds, groups = predictions.folds, design.groups
    assert folds is not None and groups is not None
    pairs = np.unique(np.column_stack([groups, folds.numbers]), axis=0)
    if len(pairs) > len(np.unique(groups)):
        raise InvalidInput(
            "A group has cases in several folds, so folds cannot be resampled one by one. "
            'Use "influence", which adds up what a group contributes to all folds.'
        )


def told_of_folds(
    statistics: FoldStatistics,
    asked: Asked,
    found: Sequence[Measured],
    estimates: Sequence[Estimate],
) -> list[Estimate]:
    """Estimates whose settings and notes say how the folds were put together."""
    predictions, told = statistics.predictions, []
    for (metric, options), each, estimate in zip(asked, found, estimates, strict=True):
        if each.reason is not None:
            told.append(estimate)
            continue
        question = metric.question(predictions, **options)
        others = Pooled.of(statistics, question)
        settings = {**estimate.settings, **_settings(statistics, each, others)}
        grouped = bool(estimate.settings.get("groups"))
        notes = (*_notes(statistics, question, grouped=grouped), *estimate.notes)
        notes += others.notes(each.value, estimate.standard_error)
        told.append(replace(estimate, settings=settings, notes=notes))
    return told


def _settings(statistics: FoldStatistics, found: Measured, others: "Pooled") -> dict[str, Any]:
    """The estimand, its value in each fold, and what pooling would give."""
    used = zip(statistics.names, statistics.complete, strict=True)
    names = [name_of(name) for name, whole in used if whole]
    values = [] if found.by_fold is None else found.by_fold.tolist()
    return {
        "estimand": "mean over folds",
        "n_folds": len(statistics.names),
        "by_fold": dict(zip(names, values, strict=True)),
        **others.settings(),
    }


def name_of(fold: Any) -> str:
    """The name of a fold in a table."""
    return " ".join(map(str, fold)) if isinstance(fold, tuple) else str(fold)


def _notes(statistics: FoldStatistics, question: Question, *, grouped: bool) -> tuple[Note, ...]:
    """That the value is a mean over folds, and what was left out."""
    predictions = statistics.predictions
    used = n_used(statistics, question.metric)
    notes = (*folds_note(predictions, used, grouped=grouped), *_few_in_a_fold(statistics))
    classes = set(statistics.predictions.classes)
    lacking = [
        (name_of(name), sorted(map(str, classes - set(part.predictions.classes))))
        for name, part in zip(statistics.names, statistics.parts, strict=True)
    ]
    lacking = [(name, missing) for name, missing in lacking if missing]
    if lacking:
        (name, missing), n_others = lacking[0], len(lacking) - 1
        more = f" and {n_others} more fold{'s' * (n_others > 1)}" if n_others else ""
        pairs = question.metric.statistic in SUMS_OF_PAIRS
        what = "pairs of classes" if pairs else "folds"
        text = f"without the {what} that lack a class ({some_of(missing)} in fold {name}{more})"
        notes = (*notes, Note("class-missing-in-fold", text))
    return notes


def _few_in_a_fold(statistics: FoldStatistics) -> tuple[Note, ...]:
    """The smallest class of a fold, where it is so small that intervals suffer."""
    least = [int(part.predictions.class_counts.min()) for part in statistics.parts]
    fold = int(np.argmin(least))
    if least[fold] >= FEW_IN_A_FOLD:
        return ()
    part = statistics.parts[fold].predictions
    label = part.classes[int(part.class_counts.argmin())]
    cases = f"{least[fold]} case{'s' * (least[fold] > 1)} of {label}"
    text = f"{cases} in fold {name_of(statistics.names[fold])}: intervals may be short"
    return (Note("small-class-in-fold", text),)


def n_used(statistics: FoldStatistics, metric: Metric) -> int:
    """Over how many folds a metric is averaged: sums of pairs take all, others complete ones."""
    pairs = metric.statistic in SUMS_OF_PAIRS
    return len(statistics.names) if pairs else int(np.sum(statistics.complete))


def folds_note(predictions: Predictions, used: int, *, grouped: bool) -> tuple[Note, ...]:
    """That values are means over folds, if they are, and whether repeats are known as such."""
    if predictions.folds is None:
        return ()
    names = predictions.folds.names
    repeats = {fold[0] for fold in names if isinstance(fold, tuple)}
    of_repeats = f" of {len(repeats)} repeats" if len(repeats) > 1 else ""
    note = Note("mean-over-folds", f"mean over {used} fold{'s' * (used != 1)}{of_repeats}")
    if grouped or not of_repeats:
        return (note,)
    text = (
        "rows of all repeats are taken as different cases, and standard errors are too small if "
        "they are not: pass the case of each row as groups"
    )
    return note, Note("repeats-without-groups", text)


class Pooled(NamedTuple):
    """What pooling over folds would give in place of the mean over folds; NaN: not defined."""

    pairs: float
    """Pairs or tuples of cases formed within folds, pooled."""
    cases: float
    """All cases, as if their scores came from one model."""

    @classmethod
    def of(cls, statistics: FoldStatistics, question: Question) -> "Pooled":
        """For one metric."""
        return cls(statistics.pooled_value(question), statistics.value_across(question))

    def settings(self) -> dict[str, float | None]:
        """For a result; a value that does not exist is None."""
        named = {"pair_pooled": self.pairs, "cases_pooled": self.cases}
        return {name: None if math.isnan(value) else value for name, value in named.items()}

    def notes(self, value: float, error: float) -> tuple[Note, ...]:
        """Where a pooled value lies more than a standard error away."""
        notes = []
        if abs(self.pairs - value) > error:
            text = f"pairs pooled over folds give {self.pairs:.4f}, over a standard error away"
            notes.append(Note("pairs-pooled", text))
        if abs(self.cases - value) > error:
            text = (
                f"all cases pooled would give {self.cases:.4f}, over a standard error away: scores "
                "of different folds come from different models"
            )
            notes.append(Note("cases-pooled", text))
        return tuple(notes)
