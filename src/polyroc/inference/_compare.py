"""``compare``: differences between models, with their standard errors and tests."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from polyroc._base.checks import check_choice, shown
from polyroc.errors import InvalidInput, InvalidType, NotAligned
from polyroc.inference._comparison import Comparison, Difference, Omnibus
from polyroc.inference._evaluate import NO_VARIATION, options_of
from polyroc.inference._folds import folds_note, measured
from polyroc.inference._influence import Design, Sampling, Weighting
from polyroc.inference._notes import class_notes, design_notes, prior_notes, rows_notes
from polyroc.inference._spread import Spread, omnibus_test, spread_of
from polyroc.metrics import registry
from polyroc.metrics.declaration import Influence, Metric, Occasion
from polyroc.metrics.folds import statistics_of
from polyroc.metrics.measure import Measured
from polyroc.predictions import Predictions, predictions_of
from polyroc.predictions._classes import listed
from polyroc.predictions._folds import check_same_folds
from polyroc.predictions._gate import common_labels
from polyroc.predictions._rows import indexes_by_position
from polyroc.results import check_level
from polyroc.typing import (
    Absent,
    Float64Array,
    LabelsLike,
    PriorsLike,
    RandomState,
    ScoresLike,
    WeightsLike,
)

CompareMethod = Literal["influence", "bootstrap", "permutation"]
Reference = Literal["t", "normal"]


def compare(
    y_true: LabelsLike | Mapping[str, LabelsLike] | Mapping[str, Predictions],
    y_scores: Mapping[str, ScoresLike] | None = None,
    metrics: Iterable[str] | str | None = None,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    method: CompareMethod = "influence",
    level: float = 0.95,
    groups: Any = None,
    priors: PriorsLike | None = None,
    sampling: Sampling = "stratified",
    weights: Weighting = "sampling",
    absent: Absent = "raise",
    normalize: bool = False,
    reference: Reference = "t",
    n_replicates: int = 2000,
    rng: RandomState = None,
    n_threads: int | None = None,
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
    method : ``"influence"`` (DeLong's standard error for two classes and the AUC),
        ``"bootstrap"``, or ``"permutation"``, which exchanges the scores of paired models and so
        asks for scores on a common scale, such as probabilities.
    metrics, labels, sample_weight, groups, priors, sampling, weights, absent, normalize,
    n_threads : as for :func:`polyroc.evaluate`; for independent samples ``sample_weight`` and
        ``groups`` are mappings too.
    reference : ``"t"`` tests differences by t, and all models at once by F, with degrees of
        freedom that fall when a small class, or few groups, make up the variance; ``"normal"`` by
        the normal and χ² (independent samples by Welch's t of all cases), as DeLong's test is
        published, which rejects too often there.
    n_replicates, rng : replicates and seed of the bootstrap or the permutations. A bootstrap gives
        the standard error of a test, and percentiles as limits.

    Examples
    --------
    >>> from polyroc import compare
    >>> from polyroc.datasets import example_predictions
    >>> example = example_predictions()
    >>> result = compare(example.y_true, example.models, ["hand_till"], labels=example.labels)
    >>> result.frame()[["model_a", "model_b", "difference", "p_value"]].round(4)
        model_a model_b  difference  p_value
    0  logistic  forest      0.0176   0.0035
    1  logistic   bayes      0.0063   0.0218
    2    forest   bayes     -0.0113   0.0879
    """
    check_level(level)
    check_choice(method, "method", ("influence", "bootstrap", "permutation"))
    check_choice(reference, "reference", ("t", "normal"))
    gate = {"labels": labels, "absent": absent, "normalize": normalize, "n_threads": n_threads}
    if _are_predictions(y_true):
        given = {"y_scores": y_scores, "sample_weight": sample_weight, **gate}
        samples = _samples_of_predictions(y_true, given, groups, weights, sampling)
    else:
        samples = _samples(y_true, y_scores, sample_weight, groups, weights, sampling, gate)
    n_evaluations = 1 if method == "influence" else n_replicates
    chosen = registry.select(metrics, Occasion.of(samples.predictions[0], n_evaluations))
    if method == "influence":
        return _by_influence(samples, chosen, priors, level, reference)
    if method == "bootstrap":
        from polyroc.inference._bootstrap import bootstrap_comparison

        return bootstrap_comparison(samples, chosen, priors, level, n_replicates, rng, reference)
    from polyroc.inference._permutation import permutation_comparison

    return permutation_comparison(samples, chosen, priors, level, n_replicates, rng)


@dataclass(frozen=True)
class Samples:
    """Predictions of each model, on the same cases or on independent ones."""

    names: tuple[str, ...]
    predictions: tuple[Predictions, ...]
    designs: tuple[Design, ...]
    paired: bool

    def spread(self, influences: Sequence[Influence]) -> Spread:
        """How the values of the models vary."""
        return spread_of(self.predictions, self.designs, influences, self.paired)


def _are_predictions(given: Any) -> bool:
    """Whether models come with labels and scores in one."""
    return isinstance(given, Mapping) and any(isinstance(x, Predictions) for x in given.values())


def _samples_of_predictions(
    models: Mapping[str, Predictions],
    given: dict[str, Any],
    groups: Any,
    weights: Weighting,
    sampling: Sampling,
) -> Samples:
    """Models whose predictions hold the same cases, in the same order."""
    _check_number(models)
    checked = [predictions_of(each, **_again(given)) for each in models.values()]
    _check_same_classes(tuple(models), checked)
    first = checked[0]
    for name, each in zip(models, checked, strict=True):
        same = len(each) == len(first) and (each.codes == first.codes).all()
        if not same or not np.array_equal(each.case_weights, first.case_weights):
            raise InvalidInput(
                f"Model {name!r} has other true classes or weights than {next(iter(models))!r}. "
                "Pass predictions of the same cases in the same order, or labels and scores of "
                "each model for independent samples."
            )
    check_same_folds({name: each.folds for name, each in zip(models, checked, strict=True)})
    designs = (Design.of(groups, first, weights, sampling),) * len(checked)
    return _same_rows(Samples(tuple(models), tuple(checked), designs, paired=True))


def _again(given: dict[str, Any]) -> dict[str, Any]:
    """Options as :func:`polyroc.predictions.predictions_of` knows them."""
    return {"y_score" if name == "y_scores" else name: value for name, value in given.items()}


def _check_number(models: Mapping[str, Any]) -> None:
    if len(models) < 2:
        raise InvalidInput(f"A comparison needs at least two models, got {len(models)}.")


def _samples(
    y_true: Any,
    y_scores: Mapping[str, ScoresLike] | None,
    sample_weight: Any,
    groups: Any,
    weights: Weighting,
    sampling: Sampling,
    gate: dict[str, Any],
) -> Samples:
    if not isinstance(y_scores, Mapping):
        raise InvalidType(
            f"y_scores must map names of models to their scores, got {type(y_scores).__name__}."
        )
    _check_number(y_scores)
    paired = not isinstance(y_true, Mapping)
    _check_mappings(paired, y_true, y_scores, {"sample_weight": sample_weight, "groups": groups})

    def own(values: Any, name: str) -> Any:
        return values.get(name) if isinstance(values, Mapping) else values

    labels = common_labels(y_scores, gate["labels"], lambda name: own(y_true, name))
    predictions, designs = [], []
    for name, scores in y_scores.items():
        weight = own(sample_weight, name)
        options = {**gate, "labels": labels[name], "sample_weight": weight}
        try:
            made = Predictions.borrowed(own(y_true, name), scores, **options)
        except (InvalidInput, InvalidType) as error:
            advice = (
                " Models on different cases are independent samples: pass y_true as a mapping "
                "from model to labels."
            )
            advised = paired and not isinstance(error, NotAligned)
            raise type(error)(f"Model {name!r}: {error}{advice * advised}") from None
        predictions.append(made)
        designs.append(Design.of(own(groups, name), made, weights, sampling))
    _check_same_classes(tuple(y_scores), predictions)
    return _same_rows(Samples(tuple(y_scores), tuple(predictions), tuple(designs), paired))


def _same_rows(samples: Samples) -> Samples:
    """The samples, if the indexes of models of the same cases do not say that rows differ."""
    if not samples.paired:
        return samples
    known = [
        (f"y_scores[{name!r}]", None if each.row_labels is None else each.row_labels.index)
        for name, each in zip(samples.names, samples.predictions, strict=True)
    ]
    differing = indexes_by_position(known)
    designs = tuple(
        replace(design, by_position=(*design.by_position, *differing)) for design in samples.designs
    )
    return replace(samples, designs=designs)


def _check_mappings(
    paired: bool, y_true: Any, y_scores: Mapping[str, ScoresLike], shared: Mapping[str, Any]
) -> None:
    if not paired and set(y_true) != set(y_scores):
        raise InvalidInput(
            f"y_true names the models {listed(y_true)} but y_scores "
            f"{listed(y_scores)}. Independent samples need the labels of each model."
        )
    for option, given in shared.items():
        if paired and isinstance(given, Mapping):
            raise InvalidInput(
                f"{option} is a mapping, but the models share their cases. Pass one value per case."
            )
        if paired or given is None:
            continue
        if not isinstance(given, Mapping) or set(given) != set(y_scores):
            raise InvalidInput(
                f"{option} must be a mapping with the models {listed(y_scores)}, "
                "because they are independent samples."
            )


def _check_same_classes(names: tuple[str, ...], predictions: Sequence[Predictions]) -> None:
    if len({each.classes for each in predictions}) == 1:
        return
    each = "; ".join(
        f"{shown(name)}: {listed(given.classes)}"
        for name, given in zip(names, predictions, strict=True)
    )
    raise InvalidInput(
        f"The models have different classes ({each}). Compare models of the same classes."
    )


def _by_influence(
    samples: Samples,
    metrics: Sequence[Metric],
    priors: PriorsLike | None,
    level: float,
    reference: Reference,
) -> Comparison:
    values: dict[str, dict[str, float]] = {}
    differences: list[Difference] = []
    tests: list[Omnibus] = []
    for metric, found in zip(metrics, _measured(samples, metrics, priors), strict=True):
        reason = next((each.reason for each in found if each.reason is not None), None)
        if reason is not None:
            differences += undefined_differences(samples, metric, reason)
            continue
        each_value = np.array([each.value for each in found])
        values[metric.name] = dict(zip(samples.names, each_value.tolist(), strict=True))
        moved = [each.influence for each in found if each.influence is not None]
        spread = samples.spread(moved).for_reference(reference)
        note = comparison_note(samples, metric, priors)
        differences += holm(differences_of(samples, metric, each_value, spread, note))
        tests.append(omnibus_test(metric.name, each_value, spread))
    return Comparison(values, tuple(differences), tuple(tests), "influence", level)


def _measured(
    samples: Samples, metrics: Sequence[Metric], priors: PriorsLike | None
) -> list[tuple[Measured, ...]]:
    """For each metric, its value and influence values of every model."""
    asked = [(metric, options_of(metric, priors)) for metric in metrics]
    models = [
        measured(statistics_of(each), asked, design)
        for each, design in zip(samples.predictions, samples.designs, strict=True)
    ]
    return list(zip(*models, strict=True))


def comparison_note(samples: Samples, metric: Metric, priors: PriorsLike | None) -> str:
    """What is assumed about priors, and other facts about the samples."""
    found = samples.predictions[:1] if samples.paired else samples.predictions
    notes = [note for each in found for note in (*folds_note(each), *class_notes(each))]
    notes += prior_notes(metric, samples.designs[0].sampling, priors is not None)
    notes += rows_notes(samples.predictions)
    notes += [note for design in samples.designs for note in design_notes(design)]
    return "; ".join(dict.fromkeys(note.text for note in notes))


def differences_of(
    samples: Samples,
    metric: Metric,
    values: Float64Array,
    spread: Spread,
    note: str,
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
                note="; ".join(filter(None, [reason, note])),
                degrees_of_freedom=freedom,
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
        same = "the models agree on every case" if difference == 0 else "no variation"
        return math.nan, math.nan, f"no standard error: {same}"
    ratio = -abs(difference / error)
    return error, 2 * float(ndtr(ratio) if math.isinf(freedom) else stdtr(freedom, ratio)), ""


def holm(rows: list[Difference]) -> list[Difference]:
    """Rows with Holm's adjusted p-values; tests that do not exist are not counted."""
    p_values = np.array([row.p_value for row in rows])
    order = [int(i) for i in np.argsort(p_values) if not math.isnan(p_values[i])]
    adjusted = np.full(len(rows), math.nan)
    reached = 0.0
    for rank, i in enumerate(order):
        reached = max(reached, min(1.0, (len(order) - rank) * float(p_values[i])))
        adjusted[i] = reached
    return [
        Difference(**{**vars(row), "p_adjusted": float(value)})
        for row, value in zip(rows, adjusted, strict=True)
    ]


def undefined_differences(samples: Samples, metric: Metric, reason: str) -> list[Difference]:
    """Rows of NaN for a metric that does not exist for these predictions."""
    return [
        Difference(metric.name, a, b, math.nan, math.nan, math.nan, note=reason)
        for a, b in combinations(samples.names, 2)
    ]
