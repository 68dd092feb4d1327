"""Effective numbers of cases, for intervals that hold at a value of exactly 1 and near it.

Near the edge of its range the variance of a metric is estimated from few misplaced cases or from
none. So the distribution of each class is shrunken towards the pooled one: class k gets extra mass
w, spread evenly over the classes and then over their cases. With m_k cases and s_i the share of
case i in its class, case i belongs to class k with the weight

    p̃_ki = [1(y_i = k) m_k s_i + w s_i / K] / (m_k + w).

With θ̃ the value there and φ_ki the influence values, centred under p̃_k,

    Ṽ = Σ_k Ṽ_k,    Ṽ_k = Σ_i p̃_ki φ_ki² / (m_k − 1 + w),    n_eff = θ̃(1 − θ̃)/Ṽ

and degrees of freedom Ṽ²/Σ_k Ṽ_k²/(m_k − 1). Wilson's interval at the value itself with these is
:meth:`polyroc.results.Estimate.interval`. Weights enter through the contributions of the cases of a
class to its own part. So do groups, and m_k is then the number of cases divided by the design
effect, by which groups enlarge the variance: all cases where those of a group do not vary
together, and the number of groups where they agree or nothing varies.

The pool is made of at most ``POOL`` rows, evenly spaced where there are more cases. Where every
class has ``LARGE_CLASS`` cases and the value varies, extra mass changes nothing that matters, and
n_eff = θ(1 − θ)/V. Volumes of simplexes are 0 by chance, and extra mass would move those of many
classes there: what it does to value and variance is taken from their slopes at the cases. Volumes
of four and more classes are not computed a second time: a foreign case in a tuple gets its credit
by chance, 1 in K!. Within folds the cases contribute what they do there, and the extra mass what it
does in all cases together.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from polyroc.inference._drawn import spread_of_value
from polyroc.inference._influence import (
    CaseDesign,
    covariance,
    satterthwaite,
    variance_of_parts,
    variance_parts,
)
from polyroc.metrics.declaration import NOTHING, Metric
from polyroc.metrics.folds import FoldStatistics, undivided
from polyroc.metrics.measure import CaseStatistics, Measured, measure
from polyroc.metrics.question import NO_VARIATION, Influence, influences
from polyroc.predictions import Predictions
from polyroc.results import Effective
from polyroc.statistics.chains import Chains
from polyroc.statistics.means import Means
from polyroc.statistics.mixture import Mixture
from polyroc.statistics.tuples import Tuples
from polyroc.typing import Float64Array

EXTRA_MASS = 0.1
EXTRA_MASS_OF_VOLUMES = 0.25
EXTRA_MASS_OF_SIZES = 0.5
"""w: the least that keeps the level of 95 % intervals near 1. Contributions of the sizes of
probabilities are skewed there, and the mass stands for the long tail that few cases do not show."""

POOL = 2_000
"""Most rows that the extra mass of all classes together is spread over."""

LEAST_POOL = 50
"""Rows that the extra mass of one class is spread over, however many classes there are."""

POOL_OF_TUPLES = 60
"""The same for volumes, whose tuples multiply."""

LARGE_CLASS = 500
"""Where every class has so many cases, extra mass is left out."""

Asked = Sequence[tuple[Metric, Mapping[str, Any]]]
Spread = tuple[float, float]
"""Variance of a value, and its degrees of freedom."""


def effective_sizes(
    statistics: CaseStatistics | FoldStatistics,
    asked: Asked,
    found: Sequence[Measured],
    design: CaseDesign,
    spreads: Sequence[Spread | None] | None = None,
) -> list[Effective | None]:
    """Effective number of cases behind each value; None where nothing is known of it.

    ``spreads`` are the variances and degrees of freedom of the values, where they are at hand.
    """
    statistics, predictions = undivided(statistics), statistics.predictions
    counts = design.counts(predictions)
    sizes: list[Effective | None] = [None] * len(found)
    if (counts <= 1).any():
        return sizes
    spreads = spreads or [None] * len(found)
    shrunken: list[int] = []
    for place, (each, spread) in enumerate(zip(found, spreads, strict=True)):
        if each.influence is None or (each.influence.reason and each.metric.fault):
            continue  # a fit that ran to a limit is no estimate, and a case more would not help
        if each.metric.statistic is Tuples and (
            predictions.n_classes > 3 or each.influence.drawn is not None
        ):
            spread = spread or spread_of_value(predictions, each.influence, design)
            sizes[place] = _by_chance(predictions, each, each.influence, design, spread)
            continue
        of_rates = signed(each.metric) and each.metric.statistic is not Means
        if counts.min() >= LARGE_CLASS or of_rates:
            sizes[place] = _plain(predictions, each, each.influence, design, spread)
        if sizes[place] is None:
            shrunken.append(place)
    kinds = {place: Kind.of(found[place].metric) for place in shrunken}
    for kind in dict.fromkeys(kinds.values()):
        places = [place for place in shrunken if kinds[place] == kind]
        again = [asked[p] for p in places], [found[p] for p in places]
        made = _shrunken(statistics, *again, design, kind)
        for place, size in zip(places, made, strict=True):
            sizes[place] = size
    return sizes


class Kind(NamedTuple):
    """What decides how extra mass is used."""

    mass: float
    of_tuples: bool
    signed: bool

    @classmethod
    def of(cls, metric: Metric) -> "Kind":
        """Of a metric."""
        of_signs = signed(metric) and metric.statistic is Means
        mass = EXTRA_MASS_OF_SIZES if metric.of_sizes else EXTRA_MASS
        if of_signs or metric.statistic in (Tuples, Chains):
            mass = EXTRA_MASS_OF_VOLUMES
        return cls(mass, metric.statistic is Tuples, of_signs)


class ExtraMass(NamedTuple):
    """Extra mass of a class, and the mean influence value and mean square of it in each class."""

    mass: float
    means: Float64Array
    squares: Float64Array
    stays: bool = False
    """Where every class has ``LARGE_CLASS`` cases, too."""
    signed: bool = False
    """Whether limits are those of a size, whose sign may be unknown."""


def extra_mass(
    statistics: CaseStatistics, asked: tuple[Metric, Mapping[str, Any]], found: Measured
) -> ExtraMass | None:
    """What extra mass does to a value, whatever the number of cases; None where it is not known."""
    predictions, kind = statistics.predictions, Kind.of(asked[0])
    n_classes = predictions.n_classes
    if signed(asked[0]) and not kind.signed:
        nothing = np.zeros(n_classes)
        return ExtraMass(0.0, nothing, nothing, signed=True)
    if kind.of_tuples and n_classes > 3:
        chance, value = 1 / math.factorial(n_classes), found.value
        square = chance * (1 - value) ** 2 + (1 - chance) * value**2
        means, squares = np.full(n_classes, chance - value), np.full(n_classes, square)
        return ExtraMass(kind.mass, means, squares, stays=True)
    pool, shares = _pool(predictions, POOL_OF_TUPLES if kind.of_tuples else None)
    mixed = shrunken_classes(predictions, CaseDesign(), kind.mass, pool, shares)
    (again,) = _measured(statistics, mixed, [asked], kind)
    if again.influence is None or again.influence.reason is not None or again.reason is not None:
        return None
    moved = again.influence.cases[len(predictions) :].reshape(n_classes, -1)
    return ExtraMass(kind.mass, moved @ shares, moved**2 @ shares, signed=kind.signed)


def signed(metric: Metric) -> bool:
    """Whether the metric is the size of a number that may be negative."""
    return metric.chance is NOTHING


def _plain(
    predictions: Predictions,
    found: Measured,
    influence: Influence,
    design: CaseDesign,
    spread: Spread | None,
) -> Effective | None:
    """θ(1 − θ)/V."""
    if influence.reason is not None:
        return None
    variance, freedom = spread or spread_of_value(predictions, influence, design)
    return _effective(found.metric, found.value, variance, freedom, influence.scale)


def _by_chance(
    predictions: Predictions,
    found: Measured,
    influence: Influence,
    design: CaseDesign,
    spread: Spread,
) -> Effective | None:
    """For a volume: what extra mass adds if foreign cases get credit by chance."""
    variance, freedom = spread
    counts, mass = design.counts(predictions), EXTRA_MASS_OF_VOLUMES
    chance, value = 1 / math.factorial(predictions.n_classes), found.value
    moved = (chance * (1 - value) ** 2 + (1 - chance) * value**2) * mass
    extra = moved / ((counts + mass) * (counts - 1 + mass))
    shifted = value + float(np.sum(mass / (counts + mass))) * (chance - value)
    shifted = min(max(shifted, min(chance, value)), max(chance, value))
    parts, known = np.append(extra, variance), np.append(design.freedom(predictions), freedom)
    parts, known = parts[parts > 0], known[parts > 0]
    freedom = min(satterthwaite(parts, known), design.most_freedom(predictions))
    return _effective(found.metric, shifted, float(parts.sum()), freedom, influence.scale)


def _effective(
    metric: Metric, value: float, variance: float, freedom: float, scale: float
) -> Effective | None:
    """n_eff of a value in its range; of a size without its sign, in that and its mirror image."""
    lowest = -metric.highest if signed(metric) else metric.lowest
    width = metric.highest - lowest
    share = (value - lowest) / width
    if not variance > (NO_VARIATION * scale) ** 2 or not 0 < share < 1:
        return None
    return Effective(share * (1 - share) * width**2 / variance, freedom, signed(metric))


def _shrunken(
    statistics: CaseStatistics | FoldStatistics,
    asked: Asked,
    found: Sequence[Measured],
    design: CaseDesign,
    kind: Kind,
) -> list[Effective | None]:
    """From the statistics of shrunken classes."""
    predictions, mass = statistics.predictions, kind.mass
    pool, shares = _pool(predictions, POOL_OF_TUPLES if kind.of_tuples else None)
    mixed = shrunken_classes(predictions, design, mass, pool, shares)
    sizes: list[Effective | None] = []
    for one, again in zip(found, _measured(statistics, mixed, asked, kind), strict=True):
        own = again.influence
        if own is None or own.reason is not None or again.reason is not None:
            sizes.append(None)
            continue
        foreign = own.cases[len(predictions) :].reshape(predictions.n_classes, -1) ** 2 @ shares
        kept = replace(own, cases=own.cases[: len(predictions)])
        units = _units(predictions, one.influence, design)
        value = _moved_value(statistics, one, again, design, units, kind)
        if isinstance(statistics, FoldStatistics):
            kept = own_or(one.influence, kept)
        spread = _spread(predictions, kept, foreign, design, units, mass)
        sizes.append(_effective(one.metric, value, *spread, own.scale))
    return sizes


def _measured(
    statistics: CaseStatistics | FoldStatistics, mixed: Mixture, asked: Asked, kind: Kind
) -> list[Measured]:
    """Values and influence values of shrunken classes; of signed sizes by the slopes at hand."""
    if not kind.signed:
        return measure(CaseStatistics(mixed), asked)
    whole = statistics.across if isinstance(statistics, FoldStatistics) else statistics
    found = []
    for metric, options in asked:
        question = metric.question(whole.predictions, **options)
        moved = influences([question], whole[question.need], mixed)[0]
        value = whole.value(question) - _mean_of_own(whole.predictions, moved)
        found.append(Measured(metric, max(value, 0.0), moved))
    return found


def _mean_of_own(predictions: Predictions, moved: Influence) -> float:
    """Σ_k mean of φ over the cases of class k themselves, φ being centred with the extra mass."""
    own = moved.cases[: len(predictions)] * predictions.case_weights
    return float(np.sum(own / predictions.class_weights[predictions.codes]))


def _moved_value(
    statistics: CaseStatistics | FoldStatistics,
    one: Measured,
    again: Measured,
    design: CaseDesign,
    units: Float64Array,
    kind: Kind,
) -> float:
    """θ̃: the value where extra mass moves it; with groups, as far as their number of units says."""
    predictions = statistics.predictions
    if design.groups is None and not isinstance(statistics, FoldStatistics):
        return again.value
    before = one.value
    if isinstance(statistics, FoldStatistics):
        before = statistics.across.value(one.metric.question(predictions))
    less = (design.counts(predictions) + kind.mass) / (units + kind.mass)
    return one.value + (again.value - before) * float(less.mean())


def _units(
    predictions: Predictions, influence: Influence | None, design: CaseDesign
) -> Float64Array:
    """m_k: cases of each class, divided by the design effect of groups."""
    counts = design.counts(predictions)
    if design.groups is None or influence is None or influence.reason is not None:
        return counts
    alone = covariance(predictions, [influence], replace(design, groups=None))[0, 0]
    if not alone > (NO_VARIATION * influence.scale) ** 2:
        return counts
    cases = predictions.class_counts.astype(np.float64)
    together = covariance(predictions, [influence], design)[0, 0]
    with np.errstate(divide="ignore"):
        units: Float64Array = np.clip(cases * alone / together, counts, cases)
    return units


def own_or(within_folds: Influence | None, otherwise: Influence) -> Influence:
    """Influence values within folds, where they exist."""
    exists = within_folds is not None and within_folds.reason is None
    return within_folds if exists and within_folds is not None else otherwise


def _spread(
    predictions: Predictions,
    own: Influence,
    foreign: Float64Array,
    design: CaseDesign,
    units: Float64Array,
    mass: float,
) -> tuple[float, float]:
    """Ṽ and its degrees of freedom, from φ of the cases and mean φ² of the extra mass."""
    divisor = (units + mass) * (units - 1 + mass)
    scale = np.sqrt(units * (units - 1) / divisor)[predictions.codes]
    scaled = replace(own, cases=own.cases * scale)
    extra = mass * foreign / divisor
    parts = variance_parts(predictions, scaled, design)
    of_cases = variance_of_parts(parts, predictions, scaled, design)
    parts, variance = parts + extra, float(of_cases + extra.sum())
    known = satterthwaite(parts, design.freedom(predictions))
    return variance, min(known, design.most_freedom(predictions))


def _pool(predictions: Predictions, most: int | None) -> tuple[Any, Float64Array]:
    """Cases that extra mass is spread over, and the share of each: every class has as much."""
    n_classes, n_cases = predictions.n_classes, len(predictions)
    most = most or max(POOL // n_classes, LEAST_POOL)
    own = predictions.case_weights / predictions.class_weights[predictions.codes] / n_classes
    if n_cases <= most:
        return np.arange(n_cases), own
    order = np.concatenate(predictions.members)
    reached = np.cumsum(own[order])
    places = np.searchsorted(reached, (np.arange(most) + 0.5) / most * reached[-1])
    return order[np.minimum(places, n_cases - 1)], np.full(most, 1 / most)


def shrunken_classes(
    predictions: Predictions, design: CaseDesign, mass: float, pool: Any, shares: Float64Array
) -> Mixture:
    """The cases, and the pool as cases of every class, with the weights p̃ times the class's."""
    counts, totals = design.counts(predictions), predictions.class_weights
    kept, added = counts / (counts + mass), totals * mass / (counts + mass)
    return Mixture(predictions, pool, shares, kept, added)
