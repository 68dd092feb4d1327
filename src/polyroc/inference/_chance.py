"""A test against chance for every metric: labels are permuted, scores stay where they are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import repeats
from polyroc._base.parallel import map_threads
from polyroc._base.random import seed_of, stream
from polyroc._base.tables import p_cell
from polyroc.errors import InvalidInput, NotDefined
from polyroc.inference._influence import CaseDesign
from polyroc.metrics import registry
from polyroc.metrics.declaration import Metric
from polyroc.metrics.question import Question
from polyroc.predictions import Predictions, predictions_of
from polyroc.typing import Float64Array, LabelsLike, RandomState, ScoresLike, WeightsLike

ROUNDING = 1e-12
"""Permuted values count as equal to the observed one up to this."""


@dataclass(frozen=True)
class ChanceTest:
    """Whether a metric is better than labels without relation to the scores would make it."""

    metric: str
    value: float
    chance: float
    """Mean of the metric over the permutations."""
    p_value: float
    """One-sided: the share of permutations that are at least as good."""
    n_permutations: int
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return dict(vars(self))

    def __repr__(self) -> str:
        p_value = p_cell(self.p_value)
        return f"{self.metric} = {self.value:.4f}, by chance {self.chance:.4f}, p = {p_value}"


def chance_test(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    metric: str = "hand_till",
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    groups: Any = None,
    n_permutations: int = 999,
    rng: RandomState = None,
) -> ChanceTest:
    """Test whether a metric is better than chance, by permuting labels.

    Exact for any metric and any number of cases, even where the value expected by chance depends on
    the scores, and where intervals are rough: at the corner of the volume of a simplex, with a few
    cases in a class, or at a value of exactly 1.

    Parameters
    ----------
    y_true, y_score, labels, sample_weight : see :class:`polyroc.Predictions`.
    metric : name of the metric.
    groups : group of each case where cases are not independent, such as the patient of an image.
        Labels are permuted within groups that have several, and whole groups exchange theirs where
        each has one.
    n_permutations : permutations; the least p-value is 1/(n_permutations + 1).
    rng : seed.

    Returns
    -------
    ChanceTest
        Value, mean over the permutations and one-sided p-value.

    Examples
    --------
    >>> from polyroc.datasets import example_predictions
    >>> from polyroc.inference import chance_test
    >>> example = example_predictions()
    >>> p = example.models["logistic"]
    >>> chance_test(example.y_true, p, "pdi", labels=example.labels, n_permutations=99, rng=1)
    pdi = 0.8178, by chance 0.3330, p = 0.0100
    """
    seed, n_permutations = seed_of(rng), repeats(n_permutations, "n_permutations", least=1)
    predictions = predictions_of(y_true, y_score, labels, sample_weight)
    declared = registry[metric]
    question = declared.question(predictions)
    units = CaseDesign.of(groups, predictions).groups
    value = question.value(question.need.of(predictions))
    found = _permuted(predictions, question, units, n_permutations, seed)
    at_least = _as_good(found, value, declared)
    p_value = (1 + int(at_least.sum())) / (1 + n_permutations)
    return ChanceTest(metric, value, float(found.mean()), p_value, n_permutations, seed)


def _as_good(found: Float64Array, value: float, metric: Metric) -> NDArray[np.bool_]:
    if metric.direction == "lower":
        return np.asarray(found <= value + ROUNDING)
    return np.asarray(found >= value - ROUNDING)


def _permuted(
    predictions: Predictions,
    question: Question,
    groups: NDArray[np.intp] | None,
    n_permutations: int,
    seed: int,
) -> Float64Array:
    """Values with permuted labels; each case keeps its weight and its scores."""
    if predictions.folds is not None:
        raise InvalidInput(
            "A test against chance does not support folds. Pass the cases of one fold."
        )

    def one(permutation: int) -> float:
        codes = permuted_codes(predictions.codes, groups, stream(seed, permutation))
        other = predictions.with_cases(codes, predictions.scores, predictions.case_weights)
        try:
            return question.value(question.need.of(other))
        except NotDefined as reason:
            raise InvalidInput(f"A permutation has no value: {reason}") from None

    return np.array(map_threads(one, range(n_permutations), predictions.n_threads))


def permuted_codes(
    codes: NDArray[Any], groups: NDArray[np.intp] | None, generator: np.random.Generator
) -> NDArray[Any]:
    """Labels exchanged among all cases, within groups, or among groups of one label each."""
    if groups is None:
        return np.asarray(generator.permutation(codes))
    firsts, number = np.unique(groups, return_index=True, return_inverse=True)[1:]
    if (codes[firsts][number] == codes).all():
        return np.asarray(generator.permutation(codes[firsts])[number])
    order = np.lexsort((generator.random(len(codes)), groups))
    places = np.argsort(groups, kind="stable")
    exchanged = np.empty_like(codes)
    exchanged[places] = codes[order]
    return exchanged
