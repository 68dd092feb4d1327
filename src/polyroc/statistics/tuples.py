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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import islice, pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import generator_of, repeats
from polyroc._base.logarithms import whole_logarithms
from polyroc._base.parallel import map_threads
from polyroc._base.ties import as_written, slack_between
from polyroc.errors import NotDefined
from polyroc.predictions import Predictions
from polyroc.predictions._weights import shares
from polyroc.statistics.means import centre_by_class
from polyroc.statistics.statistic import Drawn, Statistic
from polyroc.typing import Float64Array, FloatArray, Int64Array, RandomState

MOST_TUPLES = 200_000_000
"""Tuples that are enumerated for K ≥ 4; beyond, random ones must be asked for."""

DEFAULT_DRAWS = 100_000

_LARGE = 1000  # sums of scores from 2 to this on might be infinite
_FAR = 2.0**51  # more than any logarithm costs, small enough to add up
_PAIRS_PER_CHUNK = 1_000_000
_PAIRS_WORTH_THREADS = 400_000
_TUPLES_PER_CHUNK = 1_000_000
_DRAWS_PER_CHUNK = 1_000


class Rule(Enum):
    """How a tuple is judged."""

    LENGTHS = "assignment by distance to the corners"
    SCORES = "assignment by the sum of scores"
    LOGARITHMS = "assignment by the product of scores"
    HIGHEST = "highest score of each column"
    HIGHEST_LENIENT = "highest score of each column, shared or not"
    NEAR_HIGHEST = "highest score of each column, weighted by distance to the corners"
    NEAR_HIGHEST_LENIENT = "the same, shared or not"

    @property
    def highest(self) -> bool:
        """Whether the rule compares within columns."""
        return self in (Rule.HIGHEST, Rule.HIGHEST_LENIENT) or self.near

    @property
    def near(self) -> bool:
        """Whether a tuple that is right within columns is weighted by distances."""
        return self in (Rule.NEAR_HIGHEST, Rule.NEAR_HIGHEST_LENIENT)


@dataclass(frozen=True)
class Cases:
    """What a rule needs of each case, class by class."""

    rule: Rule
    costs: Float64Array | Int64Array
    """Cost of each corner, or rank in each column."""
    detail: Float64Array
    """Distance to the own corner, or rows whose determinant is the weight of a tuple."""
    weights: Float64Array
    """Only the ratios within a class count."""
    members: tuple[NDArray[np.intp], ...]
    slacks: Float64Array | None = None
    """Slack of what each corner costs more than the own one; ranks have none."""

    @property
    def judged(self) -> tuple[Float64Array | Int64Array, ...]:
        """What the kernels judge by: costs and their slacks, or ranks."""
        return (self.costs,) if self.slacks is None else (self.costs, self.slacks)

    @property
    def highest(self) -> bool:
        """Whether the rule compares within columns."""
        return self.rule.highest


def cases_of(predictions: Predictions, rule: Rule) -> Cases:
    """Costs or ranks of all cases under a rule."""
    weights, members = _scaled_weights(predictions), predictions.members
    if rule.highest:
        lenient = rule in (Rule.HIGHEST_LENIENT, Rule.NEAR_HIGHEST_LENIENT)
        detail = _near_rows(predictions) if rule.near else _volume_rows(predictions)
        return Cases(rule, _ranks(predictions, lenient), detail, weights, members)
    if rule is Rule.LOGARITHMS:
        costs = _log_costs(predictions)
        return Cases(rule, costs, np.zeros(len(costs)), weights, members, np.zeros_like(costs))
    rows = _rows(predictions) if rule is Rule.LENGTHS else predictions.scores
    costs = corner_lengths(rows) if rule is Rule.LENGTHS else _score_costs(rows)
    own = costs[np.arange(len(costs)), predictions.codes]
    lengths = own if rule is Rule.LENGTHS else np.zeros(len(costs))
    return Cases(rule, costs, lengths, weights, members, slack_between(costs, own[:, None]))


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
    rows = _rows(predictions)
    return rows.copy() if predictions.are_probabilities else np.zeros_like(rows)


def _near_rows(predictions: Predictions) -> Float64Array:
    """Rows of which one of each class have the determinant Σ_k s_k(x_k), s_k(x) = 1 − ℓ_k(x)/√2.

    Class k < K has the unit vector e_k, the last class (−1 … −1); the last column holds s_k. Adding
    all rows to the last one leaves the sum there, and zeros before it.
    """
    n_classes, codes = predictions.n_classes, predictions.codes
    corners = np.vstack([np.eye(n_classes)[:-1], np.full(n_classes, -1.0)])
    own = corner_lengths(_rows(predictions))[np.arange(len(codes)), codes]
    rows: Float64Array = corners[codes]
    rows[:, -1] = 1 - own / np.sqrt(2)
    return rows


def _rows(predictions: Predictions) -> Float64Array:
    """Scores as float64; the complement of a single column where that is a probability."""
    rows = predictions.scores
    if predictions.one_column and (rows[:, 1] >= 0).all() and (rows[:, 1] <= 1).all():
        rows = predictions.probabilities("the tuples")
    # Sums along rows depend on their order in memory.
    return as_written(rows).astype(np.float64, order="C")


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


def _score_costs(scores: FloatArray) -> Float64Array:
    """Minus the scores, times a power of two where sums of them might be infinite."""
    gains = as_written(scores).astype(np.float64)
    exponent = int(np.frexp(np.abs(gains).max())[1])
    return -np.ldexp(gains, -exponent if exponent > _LARGE else 0)


def _log_costs(predictions: Predictions) -> Float64Array:
    """Minus the logarithms of the scores, whole numbers.

    The logarithm of 0 is further than any other cost, and a case whose own score is 0 so far that
    no tuple with it is right.
    """
    rows = _rows(predictions)
    zero = rows == 0
    costs = -whole_logarithms(np.where(zero, 1, rows))
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


def credited(credits: Float64Array, coefficients: Float64Array) -> Float64Array:
    """The combination of the credits that count, which must be known."""
    used = np.flatnonzero(coefficients)
    combined: Float64Array = credits[:, used] @ coefficients[used]
    if np.isnan(combined).any():
        raise NotDefined(
            "Tuples of so many tied classes have more best assignments than can be counted, so "
            'their fair share of credit is not known. Pass ties="strict" and ties="lenient" to '
            "the metric: the fair value lies between both."
        )
    return combined


Projected = tuple[NDArray[np.intp], Float64Array]
"""Cases of a class and their projections."""
Sweep = Callable[..., tuple[Float64Array, Float64Array]]
Chunks = list[tuple[int, int]]
"""Where parts begin and end: short enough for an interrupt to be heard between them."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Tuples(Statistic):
    """Mean credits of the tuples that hold each case of a class, which is enough for the value.

    A rule gives a tuple several credits; a metric is the mean of a linear combination of them.
    """

    rule: Rule
    credits: Float64Array
    """(m, C) mean credits of the tuples that hold each case of the first class."""
    shares: Float64Array
    """(m,) weights of those cases."""
    projected: tuple[Projected, ...] = ()
    """Projections on the cases of as many classes as were computed along with them."""

    @classmethod
    def of(
        cls,
        predictions: Predictions,
        rule: Rule,
        drawn: bool = False,
        n_tuples: int | None = None,
        rng: RandomState = None,
    ) -> Any:
        """From all tuples, or from random ones."""
        if drawn:
            return DrawnTuples.draw(predictions, rule, n_tuples, rng)
        if predictions.n_classes > 3:
            projections = _enumerated(predictions, rule)
            projected = tuple((cases, projections[cases]) for cases in predictions.members)
        else:
            projected = _sweeps(predictions, cases_of(predictions, rule), 0)
        return cls._of_projections(predictions, rule, projected)

    @classmethod
    def of_carried(cls, predictions: Predictions, **options: Any) -> Any:
        """Of three classes, all projections from one table of the cases."""
        if options.get("drawn") or predictions.n_classes != 3:
            return cls.of(predictions, **options)
        cases = cases_of(predictions, options["rule"])
        projected = _sweeps(predictions, cases, 0, 2)[:3]
        return cls._of_projections(predictions, options["rule"], projected)

    @classmethod
    def _of_projections(
        cls, predictions: Predictions, rule: Rule, projected: tuple[Projected, ...]
    ) -> Self:
        cases, credits = projected[0]
        return cls(
            classes=predictions.classes,
            weights=predictions.class_weights,
            rule=rule,
            credits=credits,
            shares=predictions.case_weights[cases],
            projected=projected,
        )

    def mean(self, coefficients: Float64Array) -> float:
        """Mean over the tuples of a linear combination of the credits."""
        return float(self.shares @ credited(self.credits, coefficients) / self.shares.sum())

    def carry(
        self, predictions: Predictions, gradients: Sequence[Float64Array]
    ) -> list[Float64Array]:
        """For each case the mean of the combination over the tuples that hold it."""
        projected = self.projected
        if len(projected) < predictions.n_classes:
            projected = (*projected, _sweeps(predictions, cases_of(predictions, self.rule), 2)[0])
        projections = np.empty((len(predictions), self.credits.shape[1]))
        for cases, values in projected[: predictions.n_classes]:
            projections[cases] = values
        return [centre_by_class(predictions, credited(projections, each)) for each in gradients]


def _sweeps(predictions: Predictions, cases: Cases, *turns: int) -> tuple[Projected, ...]:
    """Projections on two classes of three, the first of them being class ``turn``, for each turn.

    All parts of all turns are shared among the threads.
    """
    swept = [_Turn(cases, turn) for turn in turns]
    parts = [(each, chunk) for each in swept for chunk in each.chunks]
    short = sum(each.n_pairs for each in swept) < _PAIRS_WORTH_THREADS
    n_threads = 1 if short else predictions.n_threads
    sums = iter(map_threads(lambda part: part[0].sums(part[1]), parts, n_threads))
    return tuple(found for each in swept for found in each.projected(sums))


class _Turn:
    """A sweep over three classes, the first of them being class ``turn``."""

    def __init__(self, cases: Cases, turn: int) -> None:
        turned = [(turn + i) % 3 for i in range(3)]
        classes = [_three_columns(cases, k, turned) for k in turned]
        self.highest, self.members = cases.highest, [cases.members[k] for k in turned[:2]]
        self.arguments = [part for parts in zip(*classes, strict=True) for part in parts]
        self.weights = [float(parts[-1].sum()) for parts in classes]
        self.n_pairs = len(self.members[0]) * sum(len(parts[-1]) for parts in classes[1:])
        self.chunks = _chunks(len(self.members[0]), self.n_pairs)

    def sums(self, borders: tuple[int, int]) -> tuple[Float64Array, Float64Array]:
        """Of the tuples that hold some cases of the first class, on these and on the second."""
        from polyroc.kernels.assignment_triplets import assignment_sweep
        from polyroc.kernels.highest_triplets import highest_sweep

        sweep: Sweep = highest_sweep if self.highest else assignment_sweep
        return sweep(*self.arguments, *borders)

    def projected(
        self, sums: Iterator[tuple[Float64Array, Float64Array]]
    ) -> tuple[Projected, Projected]:
        """Projections on the first and the second class, from the sums of as many chunks."""
        of_first, of_second = zip(*islice(sums, len(self.chunks)), strict=True)
        a, b, c = self.weights
        on_first = np.concatenate(of_first) / (b * c)
        on_second = np.sum(of_second, axis=0) / (a * c)
        return (self.members[0], on_first), (self.members[1], on_second)


def _three_columns(cases: Cases, k: int, turned: list[int]) -> list[NDArray[Any]]:
    """A class with its columns in the order of the turned classes; a third is made up at K = 2."""
    if cases.costs.shape[1] == 3:
        chosen = cases.members[k]
        judged = [each[chosen][:, turned] for each in cases.judged]
        detail = cases.detail[chosen]
        return [*judged, detail[:, turned] if cases.highest else detail, cases.weights[chosen]]
    if k == 2:
        return _made_up_class(cases)
    chosen = cases.members[k]
    fill = (-1,) if cases.highest else (np.inf, 0.0)
    judged = [_with_column(each[chosen], far) for each, far in zip(cases.judged, fill, strict=True)]
    detail = cases.detail[chosen]
    return [*judged, _with_column(detail, 0.0) if cases.highest else detail, cases.weights[chosen]]


def _made_up_class(cases: Cases) -> list[NDArray[Any]]:
    """One case in the corner of a third class, far from the two others."""
    if cases.highest:
        return [np.array([[-1, -1, 1]]), np.eye(3)[[2]], np.ones(1)]
    return [np.array([[np.inf, np.inf, 0.0]]), np.zeros((1, 3)), np.zeros(1), np.ones(1)]


def _with_column(table: NDArray[Any], value: float) -> NDArray[Any]:
    return np.hstack([table, np.full((len(table), 1), value, dtype=table.dtype)])


def _chunks(length: int, work: int, each: int = _PAIRS_PER_CHUNK, most: int = 4) -> Chunks:
    """Equal parts, the more work the more parts; the same for every number of threads."""
    parts = max(1, min(most, length, work // each))
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
    cases = cases_of(predictions, rule)
    members = np.concatenate(cases.members).astype(np.int64)
    starts = np.concatenate(([0], np.cumsum(predictions.class_counts))).astype(np.int64)
    arguments = (*cases.judged, cases.detail, cases.weights.copy(), members, starts)
    walk: Callable[..., Float64Array] = enumerate_highest if cases.highest else enumerate_assignment

    def of_chunk(borders: tuple[int, int]) -> Float64Array:
        return walk(*arguments, *borders)

    chunks = _chunks(int(starts[1]), int(count), _TUPLES_PER_CHUNK, most=1000)
    sums = np.sum(map_threads(of_chunk, chunks, predictions.n_threads), axis=0)
    totals = np.array([cases.weights[chosen].sum() for chosen in cases.members])
    others = np.prod(totals) / totals
    projections: Float64Array = sums / others[predictions.codes][:, None]
    return projections


@dataclass(frozen=True, kw_only=True, eq=False)
class DrawnTuples(Tuples):
    """Credits of random tuples: an incomplete U-statistic.

    Here ``credits`` has a row per tuple, and all rows weigh the same. Each tuple takes one case of
    every class with probability proportional to its weight.
    """

    tuples: NDArray[np.intp]
    """(B, K) the cases of each tuple."""

    @classmethod
    def draw(
        cls, predictions: Predictions, rule: Rule, n_tuples: int | None, rng: RandomState
    ) -> "DrawnTuples":
        """Judge tuples drawn at random."""
        from polyroc.kernels.tuples import sample_assignment, sample_highest

        n_tuples = repeats(DEFAULT_DRAWS if n_tuples is None else n_tuples, "n_tuples", least=2)
        generator, cases = generator_of(rng), cases_of(predictions, rule)
        tuples = np.column_stack(
            [
                generator.choice(chosen, n_tuples, p=shares(cases.weights[chosen]))
                for chosen in cases.members
            ]
        )
        sample: Callable[..., Float64Array] = sample_highest if cases.highest else sample_assignment

        def of_chunk(borders: tuple[int, int]) -> Float64Array:
            return sample(*cases.judged, cases.detail, tuples[slice(*borders)])

        chunks = _chunks(n_tuples, n_tuples, _DRAWS_PER_CHUNK, most=n_tuples)
        return cls(
            classes=predictions.classes,
            weights=predictions.class_weights,
            rule=rule,
            credits=np.concatenate(map_threads(of_chunk, chunks, predictions.n_threads)),
            shares=np.ones(n_tuples),
            tuples=tuples,
        )

    def mean(self, coefficients: Float64Array) -> float:
        """Mean over the tuples drawn."""
        return self.drawn(coefficients).value

    def carry(
        self, predictions: Predictions, gradients: Sequence[Float64Array]
    ) -> list[Float64Array]:
        """How far the tuples that hold a case deviate from the mean.

        That carries the noise of the draw, which a variance must not count as the spread of cases:
        the tuples are handed on by ``drawn``.
        """
        share = predictions.case_weights / predictions.class_weights[predictions.codes]
        return [self.drawn(each).pull(len(predictions)) / share for each in gradients]

    def drawn(self, coefficients: Float64Array) -> Drawn:
        """The tuples and the credit of each."""
        return Drawn(self.tuples, credited(self.credits, coefficients))
