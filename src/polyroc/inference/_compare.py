"""``compare``: differences between models, with their standard errors and tests."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, overload

import numpy as np

from polyroc._base.hypotheses import Alternative, check_margin_of, tails_of
from polyroc._base.levels import check_level
from polyroc._base.random import seed_of
from polyroc.inference._bootstrap import bootstrap_comparison
from polyroc.inference._comparison import Comparison, Difference, Omnibus, holm
from polyroc.inference._differences import comparison_notes, differences_of, undefined_differences
from polyroc.inference._estimates import Draw, options_of
from polyroc.inference._folds import measured
from polyroc.inference._margins import Hypothesis, Reference
from polyroc.inference._options import Bootstrap, CompareMethod, Influence, Method, compare_method
from polyroc.inference._permutation import permutation_comparison
from polyroc.inference._samples import Samples, samples_of
from polyroc.inference._similar import Counted, overcounted
from polyroc.inference._slices.compared import SlicedComparison
from polyroc.inference._slices.comparison import (
    ComparedSlice,
    check_comparable,
    part_of,
    sliced_comparison,
    slices_of,
)
from polyroc.inference._slices.parts import SliceCases, attributes_of
from polyroc.inference._spread import omnibus_test
from polyroc.metrics import registry
from polyroc.metrics.declaration import Metric, Occasion
from polyroc.metrics.folds import statistics_of
from polyroc.predictions import Predictions
from polyroc.typing import LabelsLike, PriorsLike, ScoresLike, WeightsLike


@overload
def compare(
    y_true: LabelsLike | Mapping[str, LabelsLike] | Mapping[str, Predictions],
    y_scores: Mapping[str, ScoresLike] | None = None,
    metrics: Iterable[str] | str | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    groups: Any = None,
    folds: Any = None,
    by: None = None,
    priors: PriorsLike | None = None,
    method: CompareMethod = "influence",
    level: float = 0.95,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    reference: Reference = "t",
) -> Comparison: ...


@overload
def compare(
    y_true: LabelsLike | Mapping[str, LabelsLike] | Mapping[str, Predictions],
    y_scores: Mapping[str, ScoresLike] | None = None,
    metrics: Iterable[str] | str | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    groups: Any = None,
    folds: Any = None,
    by: Any,
    priors: PriorsLike | None = None,
    method: CompareMethod = "influence",
    level: float = 0.95,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    reference: Reference = "t",
) -> SlicedComparison: ...


def compare(
    y_true: LabelsLike | Mapping[str, LabelsLike] | Mapping[str, Predictions],
    y_scores: Mapping[str, ScoresLike] | None = None,
    metrics: Iterable[str] | str | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    groups: Any = None,
    folds: Any = None,
    by: Any = None,
    priors: PriorsLike | None = None,
    method: CompareMethod = "influence",
    level: float = 0.95,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    reference: Reference = "t",
) -> Comparison:
    """Compare models by any metrics: differences, standard errors, intervals and p-values.

    Models on the same cases share ``y_true``, and their differences are paired: that the cases are
    the same is used, overlapping intervals are not. Models evaluated on different cases come as
    independent samples, ``y_true`` being a mapping with the labels of each.

    Parameters
    ----------
    y_true : labels of the cases, or for independent samples a mapping from model to labels; or a
        mapping from model to :class:`polyroc.Predictions` of the same cases, in place of both.
    y_scores : a mapping from model to scores.
    metrics, labels, sample_weight, groups, folds, priors : as for :func:`polyroc.evaluate`; for
        independent samples ``sample_weight``, ``groups`` and ``folds`` are mappings too.
    by : attributes of the cases in whose slices the models are compared too, as for
        :func:`polyroc.evaluate`; for models on the same cases, by ``"influence"``.
    method : ``"influence"``; ``"bootstrap"``, which gives the standard error of the test, and
        percentiles as limits; or ``"permutation"``, which exchanges the scores of paired models
        and so asks for scores on a common scale, such as probabilities. A
        :class:`polyroc.Bootstrap` or :class:`polyroc.Permutation` gives the number of replicates
        and the seed, a :class:`polyroc.Influence` random tuples for the volumes.
    level : confidence level of the limits in the tables; a result can be asked for others.
    margin : by how much model_a must be better (``"greater"``), may be worse (``"noninferior"``),
        or may differ (``"equivalent"``); for metrics where lower is better it counts downwards.
    alternative : what the tests are to show: ``"two-sided"``, that the models differ;
        ``"greater"``, that model_a is better than model_b by more than the margin; ``"less"``, that
        it is worse by more than the margin; ``"noninferior"``, that it is not worse by the margin
        or more; ``"equivalent"``, that the two differ by less than the margin, by two one-sided
        tests. The limits are those of the test: one-sided, or for equivalence the interval of
        level 2 level − 1, which lies within the margin if the test rejects.
    reference : ``"t"`` tests differences by t, and all models at once by F, with degrees of
        freedom that fall when a small class, or few groups, make up the variance, and takes off
        what DeLong's variance counts too much for similar models (metrics of pairs, up to a million
        pairs of cases); ``"normal"`` by the normal and χ² (independent samples by Welch's t of all
        cases), as DeLong's test is published, which rejects too often there.

    Returns
    -------
    Comparison
        ``frame()`` has a row per metric and pair of models, ``omnibus()`` a test of all models per
        metric; ``p_adjusted`` is Holm's adjustment over the pairs of models within each metric,
        and ``adjusted("all")`` gives it over all rows. With ``by``, or predictions that hold
        slices, a :class:`polyroc.inference.SlicedComparison`: the same in every slice, and tests
        of whether the models differ by the same in all slices.

    Examples
    --------
    >>> from polyroc import compare
    >>> from polyroc.datasets import example_predictions
    >>> example = example_predictions()
    >>> result = compare(example.y_true, example.models, ["hand_till"], labels=example.labels)
    >>> result.frame()[["model_a", "model_b", "difference", "p_value"]].round(4)
        model_a model_b  difference  p_value
    0  logistic  forest      0.0176   0.0034
    1  logistic   bayes      0.0063   0.0203
    2    forest   bayes     -0.0113   0.0866
    """
    given = {"labels": labels, "sample_weight": sample_weight, "folds": folds}
    samples = samples_of(y_true, y_scores, groups, **given)
    hypothesis = Hypothesis.of(alternative, margin, reference)
    check_level(level)
    return compare_by_slices(
        samples, by, metrics, priors, compare_method(method), level, hypothesis
    )


def compare_by_slices(
    samples: Samples,
    by: Any,
    metrics: Iterable[str] | str | None,
    priors: PriorsLike | None,
    method: Method,
    level: float,
    hypothesis: Hypothesis,
) -> Comparison:
    """The comparison of models whose predictions are at hand, with slices where there are any."""
    attributes, by_position = attributes_of(by, samples.predictions[0])
    check_comparable(attributes, samples, method)
    if not attributes:
        return compare_samples(samples, metrics, priors, method, level, hypothesis)
    samples = samples.matched_by_position(by_position)
    asked = (priors, method, level, hypothesis)
    chosen = registry.select(metrics, Occasion.of(samples.predictions[0], 1))
    names = [metric.name for metric in chosen]
    overall = compare_samples(samples, names, *asked)

    def compared(cases: SliceCases) -> ComparedSlice:
        return ComparedSlice(cases, compare_samples(part_of(samples, cases), names, *asked))

    parts = slices_of(attributes, samples)
    found = [(part, [compared(cases) for cases in part.kept]) for part in parts]
    return sliced_comparison(overall, samples, chosen, priors, method, found)


def compare_samples(
    samples: Samples,
    metrics: Iterable[str] | str | None,
    priors: PriorsLike | None,
    method: Method,
    level: float,
    hypothesis: Hypothesis,
) -> Comparison:
    """The comparison of models whose predictions are at hand."""
    check_level(level)
    tails_of(hypothesis.alternative, level, lower_is_better=False)  # the level is one of this test
    n_evaluations = 1 if isinstance(method, Influence) else method.replicates
    chosen = registry.select(metrics, Occasion.of(samples.predictions[0], n_evaluations))
    for metric in chosen:
        check_margin_of(hypothesis.margin, metric.name, (metric.lowest, metric.highest))
    if isinstance(method, Influence):
        return _by_influence(samples, chosen, priors, level, method, hypothesis)
    if isinstance(method, Bootstrap):
        return bootstrap_comparison(samples, chosen, priors, level, method, hypothesis)
    return permutation_comparison(samples, chosen, priors, level, method, hypothesis)


def _by_influence(
    samples: Samples,
    metrics: Sequence[Metric],
    priors: PriorsLike | None,
    level: float,
    method: Influence,
    hypothesis: Hypothesis,
) -> Comparison:
    values: dict[str, dict[str, float]] = {}
    differences: list[Difference] = []
    tests: list[Omnibus] = []
    draw = None if method.n_tuples is None else Draw(method.n_tuples, seed_of(method.rng))
    statistics = [statistics_of(each) for each in samples.predictions]
    asked = [(metric, options_of(metric, priors, draw)) for metric in metrics]
    measures = [
        measured(each, asked, design)
        for each, design in zip(statistics, samples.designs, strict=True)
    ]
    counted: Counted = {}
    for metric, *found in zip(metrics, *measures, strict=True):
        reason = next((each.reason for each in found if each.reason is not None), None)
        if reason is not None:
            differences += undefined_differences(samples, metric, reason)
            continue
        each_value = np.array([each.value for each in found])
        values[metric.name] = dict(zip(samples.names, each_value.tolist(), strict=True))
        moved = [each.influence for each in found if each.influence is not None]
        spread = samples.spread(moved).for_reference(hypothesis.reference)
        if samples.paired and hypothesis.reference == "t":
            known = overcounted(samples.predictions, found, samples.designs[0], counted)
            spread = spread.less(known)
        notes = comparison_notes(samples, metric, priors)
        rows = differences_of(samples, metric, each_value, spread, notes)
        differences += holm(hypothesis.tests(rows, metric))
        tests.append(omnibus_test(metric.name, each_value, spread))
    settings = hypothesis.settings()
    return Comparison(values, tuple(differences), tuple(tests), "influence", level, settings)
