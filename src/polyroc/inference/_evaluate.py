"""``evaluate`` and ``estimate``: metrics of one classifier with standard errors and intervals."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, overload

from polyroc._base.levels import check_level
from polyroc._base.random import seed_of
from polyroc.errors import InvalidInput
from polyroc.inference._bootstrap import bootstrap_estimates
from polyroc.inference._estimates import Draw, _estimates, _found, joint_covariance
from polyroc.inference._influence import CaseDesign
from polyroc.inference._options import Bootstrap, IntervalMethod, interval_method
from polyroc.inference._slices.evaluation import Request, evaluate_slices
from polyroc.inference._slices.parts import attributes_of, check_no_slices
from polyroc.inference._slices.result import SlicedEvaluation
from polyroc.metrics import registry
from polyroc.metrics.declaration import Occasion
from polyroc.metrics.folds import statistics_of
from polyroc.predictions import Predictions, predictions_of
from polyroc.results import Estimate, Evaluation
from polyroc.typing import (
    Absent,
    LabelsLike,
    PriorsLike,
    RandomState,
    ScoresLike,
    WeightsLike,
)


@overload
def evaluate(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    metrics: Iterable[str] | str | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    groups: Any = None,
    folds: Any = None,
    by: None = None,
    priors: PriorsLike | None = None,
    interval: IntervalMethod | None = "influence",
    level: float = 0.95,
    n_tuples: int | None = None,
    rng: RandomState = None,
    absent: Absent = "raise",
) -> Evaluation: ...


@overload
def evaluate(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    metrics: Iterable[str] | str | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    groups: Any = None,
    folds: Any = None,
    by: Any,
    priors: PriorsLike | None = None,
    interval: IntervalMethod | None = "influence",
    level: float = 0.95,
    n_tuples: int | None = None,
    rng: RandomState = None,
    absent: Absent = "raise",
) -> SlicedEvaluation: ...


def evaluate(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    metrics: Iterable[str] | str | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    groups: Any = None,
    folds: Any = None,
    by: Any = None,
    priors: PriorsLike | None = None,
    interval: IntervalMethod | None = "influence",
    level: float = 0.95,
    n_tuples: int | None = None,
    rng: RandomState = None,
    absent: Absent = "raise",
) -> Evaluation:
    """Evaluate a classifier by metrics with standard errors and confidence intervals.

    Parameters
    ----------
    y_true, y_score, labels, sample_weight, absent : see :class:`polyroc.Predictions`, of which one
        takes the place of labels and scores.
    metrics : names of metrics, ``"all"`` for every one, or None: those that are defined for this
        number of classes, differ from each other and are affordable for these cases (volumes of
        three classes up to 3,000 cases).
    groups : group of each case where cases are not independent, such as the patient of an image;
        or a :class:`polyroc.Design`, which also says how the cases were sampled and what their
        weights mean.
    folds : the fold of a cross-validation in which each case was held out, see
        :class:`polyroc.Predictions`: metrics are means over folds.
    by : attributes of the cases, such as sex or site, whose slices are evaluated too: a column, a
        mapping from names to columns, or a frame, matched to the cases as ``groups`` are. Cases
        with a missing value are a slice of their own, ``"(missing)"``; a slice with fewer than two
        cases (or groups) of a class, in any fold, is withheld with a note; numbers of more than 50
        different values need bins (``pandas.cut``).
    priors : prior of each class, instead of the shares in the sample, for metrics that use them.
    interval : ``"influence"`` from influence values, ``"bootstrap"`` (BCa) or a
        :class:`polyroc.Bootstrap` with the number of replicates, or None: no errors.
    level : confidence level of the limits in the tables; a result can be asked for others.
    n_tuples : random tuples to estimate the volumes from, which are expensive for many classes.
    rng : seed of random tuples and of the bootstrap.

    Returns
    -------
    Evaluation
        Estimates by name; ``frame()``, ``to_dict()``. A metric that does not exist for these
        predictions is NaN and its note says why. With ``by``, or predictions that hold slices, a
        :class:`polyroc.inference.SlicedEvaluation`: the same of all cases, and of every slice.

    Examples
    --------
    >>> from polyroc import evaluate
    >>> from polyroc.datasets import example_predictions
    >>> example = example_predictions()
    >>> result = evaluate(example.y_true, example.models["logistic"], labels=example.labels)
    >>> result["hand_till"]
    hand_till = 0.8924 (95 % interval 0.8675 to 0.9131)
    """
    check_level(level)
    method = interval_method(interval)
    predictions = predictions_of(y_true, y_score, labels, sample_weight, absent, folds=folds)
    attributes, by_position = attributes_of(by, predictions)
    design = CaseDesign.of(groups, predictions)
    if by_position:
        design = replace(design, by_position=(*design.by_position, *by_position))
    replicates = method.replicates if isinstance(method, Bootstrap) else 1
    chosen = registry.select(metrics, Occasion.of(predictions, replicates))
    if isinstance(method, Bootstrap):
        check_no_slices(attributes)
        seeded = _seeded(method, n_tuples, rng)
        return Evaluation(
            tuple(bootstrap_estimates(predictions, chosen, design, priors, seeded)), level
        )
    draw = None if n_tuples is None else Draw(n_tuples, seed_of(rng))
    asked = Request(chosen, priors, method is not None, draw, level)
    overall = _evaluated(predictions, design, asked)
    if not attributes:
        return overall
    return evaluate_slices(overall, attributes, predictions, design, asked)


def _seeded(method: Bootstrap, n_tuples: int | None, rng: RandomState) -> Bootstrap:
    """The bootstrap with the random tuples and the seed of the call, where it has none."""
    if n_tuples is not None and method.n_tuples is not None:
        raise InvalidInput("n_tuples is given twice, also in the Bootstrap. Pass it once.")
    seeded = method if method.rng is not None else replace(method, rng=rng)
    return seeded if n_tuples is None else replace(seeded, n_tuples=n_tuples)


def _evaluated(predictions: Predictions, design: CaseDesign, asked: Request) -> Evaluation:
    """The evaluation of all cases."""
    metrics, priors, with_error, draw, level = asked
    statistics = statistics_of(predictions)
    found = _found(statistics, metrics, design, priors, with_error, draw)
    estimates = _estimates(statistics, found, design, priors, draw)
    if not with_error:
        return Evaluation(tuple(estimates), level)
    joint = joint_covariance(predictions, found, estimates, design)
    return Evaluation(tuple(estimates), level, joint)


def estimate(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    metric: str = "hand_till",
    **options: Any,
) -> Estimate:
    """One metric with its standard error and interval; options as for :func:`evaluate`."""
    found: Evaluation = evaluate(y_true, y_score, [metric], **options)
    return found[metric]
