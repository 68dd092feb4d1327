"""Tuple statistics: one case from each class, judged by two rules.

The rules of Van Calster et al. 2008 §III A and D.

*Assignment rule*: the tuple is right if giving every case the corner of its own class costs less
than any other assignment. Three costs: the distance to the corner (VUS), minus the score (HUM),
minus the logarithm of the score (the volume under the surface of TPR triples).
*Highest-probability rule*: right if every case has the highest score of its own column.

What is computed are projections: for each case, the mean credit of the tuples that hold it. Their
mean over the cases of any class is the statistic, and their deviations from it are its influence
values. K = 3 takes a sweep over pairs (:mod:`polyroc.kernels.assignment_triplets`), O(n²); K = 2 is
K = 3 with a third class of one case in its corner, which changes nothing; K ≥ 4 is enumerated while
that is short, or estimated from tuples drawn at random.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.errors import NotDefined
from polyroc.options import generator_of, repeats
from polyroc.predictions import Predictions
from polyroc.predictions._weights import shares
from polyroc.threads import map_threads
from polyroc.typing import Float64Array, FloatArray, Int64Array, RandomState

MOST_TUPLES = 200_000_000
"""Tuples that are enumerated for K ≥ 4; beyond, random ones must be asked for."""

DEFAULT_DRAWS = 100_000

_FAR = 1 << 51  # more than any other cost, small enough to add up
_FINE = 1 << 46  # distances and scores are rounded to multiples of 1/_FINE …
_SLACK = 64  # … and sums of them within 2⁻⁴⁰ are equal: each may be off by a unit per class
_LOG_UNIT = 1 << 40  # logarithms are rounded as the surface of rates rounds them, without slack
_PAIRS_PER_CHUNK = 1_000_000


class Rule(Enum):
    """How a tuple is judged."""

    LENGTHS = "assignment by distance to the corners"
    SCORES = "assignment by the sum of scores"
    LOGARITHMS = "assignment by the product of scores"
    HIGHEST = "highest score of each column"
    HIGHEST_LENIENT = "highest score of each column, shared or not"


@dataclass(frozen=True)
class Cases:
    """What a rule needs of each case, class by class."""

    rule: Rule
    costs: Int64Array
    """Cost of each corner, or rank in each column."""
    detail: Float64Array
    """Distance to the own corner, or the scores."""
    weights: Float64Array
    """Only the ratios within a class count."""
    members: tuple[NDArray[np.intp], ...]

    @property
    def slack(self) -> tuple[int, ...]:
        """Argument of the assignment kernels: sums that differ by less are equal."""
        if self.highest:
            return ()
        return (0,) if self.rule is Rule.LOGARITHMS else (_SLACK,)

    @property
    def highest(self) -> bool:
        """Whether the rule compares within columns."""
        return self.rule in (Rule.HIGHEST, Rule.HIGHEST_LENIENT)

    def of_class(self, k: int) -> tuple[Int64Array, Float64Array, Float64Array]:
        """Costs, detail and weights of the cases of a class."""
        chosen = self.members[k]
        return self.costs[chosen], self.detail[chosen], self.weights[chosen]


def cases_of(predictions: Predictions, rule: Rule) -> Cases:
    """Costs or ranks of all cases under a rule."""
    if rule in (Rule.HIGHEST, Rule.HIGHEST_LENIENT):
        costs = _ranks(predictions, lenient=rule is Rule.HIGHEST_LENIENT)
        detail = _volume_rows(predictions)
    elif rule is Rule.LENGTHS:
        lengths = corner_lengths(predictions.derived(_rows))
        costs = np.rint(lengths * _FINE).astype(np.int64)
        detail = lengths[np.arange(len(lengths)), predictions.codes]
    else:
        costs, detail = _score_costs(predictions, rule), np.zeros(len(predictions))
    return Cases(rule, costs, detail, _scaled_weights(predictions), predictions.members)


def _scaled_weights(predictions: Predictions) -> Float64Array:
    """Weights times a power of two for each class, so that products over the classes stay finite.

    The sum of a class lies between ½ and 1, and no digit of a weight changes.
    """
    exponents = np.frexp(predictions.class_weights)[1]
    return np.ldexp(predictions.case_weights, -exponents[predictions.codes])


def _volume_rows(predictions: Predictions) -> Float64Array:
    """The scores whose determinants are volumes; zeros where they are no probabilities.

    Determinants of other scores are not asked for, and may overflow.
    """
    rows = predictions.derived(_rows)
    return rows.copy() if predictions.are_probabilities else np.zeros_like(rows)


def _rows(predictions: Predictions) -> Float64Array:
    """Scores as float64; the complement of a single column where that is a probability."""
    rows = predictions.scores
    if predictions.one_column and (rows[:, 1] >= 0).all() and (rows[:, 1] <= 1).all():
        rows = predictions.probabilities("the tuples")
    return rows.astype(np.float64, order="C")  # sums along rows depend on their order in memory


def corner_lengths(rows: FloatArray) -> Float64Array:
    """ℓ_k(x) = ‖x − e_k‖ for each case and corner.

    The squares are sorted before they are added, so that cases with the same distances have them to
    the last bit, whatever the order of their columns.
    """
    lengths = np.empty(rows.shape)
    for k in range(rows.shape[1]):
        squares = rows**2
        squares[:, k] = (1 - rows[:, k]) ** 2
        squares.sort(axis=1)
        lengths[:, k] = np.sqrt(squares.sum(axis=1))
    return lengths


def _score_costs(predictions: Predictions, rule: Rule) -> Int64Array:
    """Minus the scores, or minus their logarithms, as integers.

    The logarithm of 0 is further than any other cost, and a case whose own score is 0 so far that
    no tuple with it is right.
    """
    if rule is Rule.SCORES:
        gains = predictions.scores.astype(np.float64)
        mantissa, exponent = np.frexp(np.abs(gains).max())
        largest = int(exponent) - (mantissa == 0.5)  # the power of two that no score exceeds
        scaled: Float64Array = np.rint(np.ldexp(gains, _FINE.bit_length() - 1 - largest))
        return (-scaled).astype(np.int64)
    rows = predictions.derived(_rows)
    zero = rows == 0
    costs: Int64Array = -np.rint(np.log(np.where(zero, 1, rows)) * _LOG_UNIT).astype(np.int64)
    costs[zero] = _FAR
    own = (np.arange(len(rows)), predictions.codes)
    costs[own] = np.where(zero[own], (predictions.n_classes + 1) * _FAR, costs[own])
    return costs


def _ranks(predictions: Predictions, lenient: bool) -> Int64Array:
    """Twice the dense rank in each column, and one more in a case's own column if lenient."""
    columns = [np.unique(column, return_inverse=True)[1] for column in predictions.scores.T]
    ranks = 2 * np.column_stack(columns).astype(np.int64)
    if lenient:
        ranks[np.arange(len(ranks)), predictions.codes] += 1
    return ranks


def tuple_mean(predictions: Predictions, rule: Rule, coefficients: Float64Array) -> float:
    """Mean over all tuples of a linear combination of the credits that the rule gives."""
    cases, projections = predictions.derived(_first_projections, rule)
    weights = predictions.case_weights[cases]
    return float(weights @ (projections @ coefficients) / weights.sum())


def tuple_projections(
    predictions: Predictions, rule: Rule, coefficients: Float64Array
) -> Float64Array:
    """For each case the mean of that combination over the tuples that hold it."""
    return predictions.derived(_all_projections, rule) @ coefficients


Projected = tuple[NDArray[np.intp], Float64Array]
"""Cases of a class and their projections."""
Sweep = Callable[..., tuple[Float64Array, Float64Array]]


def _first_projections(predictions: Predictions, rule: Rule) -> Projected:
    """Projections on the cases of one class: enough for the value."""
    if predictions.n_classes > 3:
        first = np.flatnonzero(predictions.codes == 0)
        return first, predictions.derived(_all_projections, rule)[first]
    return predictions.derived(_sweep, rule, 0)[0]


def _all_projections(predictions: Predictions, rule: Rule) -> Float64Array:
    if predictions.n_classes > 3:
        return _enumerated(predictions, rule)
    first, second = predictions.derived(_sweep, rule, 0)
    parts = [first, second]
    if predictions.n_classes == 3:
        parts.append(predictions.derived(_sweep, rule, 2)[0])
    projections = np.empty((len(predictions), parts[0][1].shape[1]))
    for cases, values in parts:
        projections[cases] = values
    return projections


def _sweep(predictions: Predictions, rule: Rule, turn: int) -> tuple[Projected, Projected]:
    """Projections on two classes of three, the first of them being class ``turn``."""
    from polyroc.kernels.assignment_triplets import assignment_sweep
    from polyroc.kernels.highest_triplets import highest_sweep

    cases = predictions.derived(cases_of, rule)
    turned = [(turn + i) % 3 for i in range(3)]
    classes = [_three_columns(cases, k, turned) for k in turned]
    arguments = [part for parts in zip(*classes, strict=True) for part in parts]
    sweep: Sweep = highest_sweep if cases.highest else assignment_sweep
    a, b, c = (float(weights.sum()) for _, _, weights in classes)

    def of_chunk(borders: tuple[int, int]) -> tuple[Float64Array, Float64Array]:
        return sweep(*arguments, *borders, *cases.slack)

    n_first = len(cases.members[turned[0]])
    chunks = _chunks(n_first, n_first * sum(len(weights) for _, _, weights in classes[1:]))
    sums = map_threads(of_chunk, chunks, predictions.n_threads)
    on_first = np.concatenate([part for part, _ in sums]) / (b * c)
    on_second = np.sum([part for _, part in sums], axis=0) / (a * c)
    return (cases.members[turned[0]], on_first), (cases.members[turned[1]], on_second)


def _three_columns(
    cases: Cases, k: int, turned: list[int]
) -> tuple[Int64Array, Float64Array, Float64Array]:
    """A class with its columns in the order of the turned classes; a third is made up at K = 2."""
    n_classes = cases.costs.shape[1]
    if n_classes == 3:
        costs, detail, weights = cases.of_class(k)
        return costs[:, turned], detail[:, turned] if cases.highest else detail, weights
    far = -1 if cases.highest else _FAR
    if k == 2:
        corner = np.array([[far, far, 0]]) if not cases.highest else np.array([[far, far, 1]])
        return corner, np.eye(3)[[2]] if cases.highest else np.zeros(1), np.ones(1)
    costs, detail, weights = cases.of_class(k)
    third = np.full((len(costs), 1), far)
    if cases.highest:
        detail = np.hstack([detail, np.zeros((len(detail), 1))])
    return np.hstack([costs, third]), detail, weights


def _chunks(length: int, pairs: int) -> list[tuple[int, int]]:
    """Up to four equal parts, the more pairs the more; the same for every number of threads."""
    parts = max(1, min(4, length, pairs // _PAIRS_PER_CHUNK))
    borders = np.linspace(0, length, parts + 1).astype(int).tolist()
    return list(pairwise(borders))


def _enumerated(predictions: Predictions, rule: Rule) -> Float64Array:
    from polyroc.kernels.tuples import enumerate_assignment, enumerate_highest

    count = float(np.prod(predictions.class_counts.astype(np.float64)))
    if count > MOST_TUPLES:
        raise NotDefined(
            f"There are {count:.3g} tuples of one case from each of {predictions.n_classes} "
            f"classes, more than the {MOST_TUPLES:.0e} that are enumerated. "
            "Pass n_tuples= to the metric or to evaluate, to estimate it from so many random ones."
        )
    cases = predictions.derived(cases_of, rule)
    members = np.concatenate(cases.members).astype(np.int64)
    starts = np.concatenate(([0], np.cumsum(predictions.class_counts))).astype(np.int64)
    arguments = (cases.costs, cases.detail, cases.weights.copy(), members, starts)
    walk: Callable[..., Float64Array] = enumerate_highest if cases.highest else enumerate_assignment

    def of_chunk(borders: tuple[int, int]) -> Float64Array:
        return walk(*arguments, *borders, *cases.slack)

    chunks = _chunks(int(starts[1]), int(count))
    sums = np.sum(map_threads(of_chunk, chunks, predictions.n_threads), axis=0)
    totals = np.array([cases.weights[chosen].sum() for chosen in cases.members])
    others = np.prod(totals) / totals
    projections: Float64Array = sums / others[predictions.codes][:, None]
    return projections


class Drawn(NamedTuple):
    """Mean of a credit over random tuples, and the standard error of the draw."""

    value: float
    standard_error: float
    n_tuples: int
    projections: Float64Array
    """Mean credit of the drawn tuples that hold each case; the value where none does."""


def drawn_mean(
    predictions: Predictions,
    rule: Rule,
    coefficients: Float64Array,
    n_tuples: int | None,
    rng: RandomState,
) -> Drawn:
    """The mean over random tuples: an incomplete U-statistic.

    Each tuple takes one case of every class with probability proportional to its weight. The
    standard error is that of the draw around the value that all tuples would give.
    """
    from polyroc.kernels.tuples import sample_assignment, sample_highest

    n_tuples = repeats(DEFAULT_DRAWS if n_tuples is None else n_tuples, "n_tuples", least=2)
    generator = generator_of(rng)
    cases = predictions.derived(cases_of, rule)
    tuples = np.column_stack(
        [
            generator.choice(chosen, n_tuples, p=shares(cases.weights[chosen]))
            for chosen in cases.members
        ]
    )
    sample: Callable[..., Float64Array] = sample_highest if cases.highest else sample_assignment
    credit = sample(cases.costs, cases.detail, tuples, *cases.slack) @ coefficients
    error = float(credit.std(ddof=1) / np.sqrt(n_tuples))
    held, earned = (
        np.bincount(tuples.ravel(), weights, len(predictions))
        for weights in (None, np.repeat(credit, predictions.n_classes))
    )
    projections = np.divide(
        earned, held, out=np.full(len(predictions), credit.mean()), where=held > 0
    )
    return Drawn(float(credit.mean()), error, n_tuples, projections)
