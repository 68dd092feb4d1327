"""How much of the space below chance a ROC surface dominates (Everson & Fieldsend 2006 §5).

Random allocation lies on the plane Σ rates = Q − 1. P is the part of the unit cube below it. The
Gini coefficient G(X) is the share of P that the points of a surface X dominate, and δ(X, Y) the
share that X dominates and Y does not. Both are exact where that takes no more than a stated amount
of work, else estimated from samples of P, and the result says which.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from polyroc._base.checks import check_choice, generator_of, repeats, shown, whole_number
from polyroc._base.parallel import map_threads, thread_count
from polyroc._base.random import seed_of, stream
from polyroc._base.wording import plural
from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.results import Estimate, Note
from polyroc.typing import BoolArray, Float64Array, Int64Array, RandomState

if TYPE_CHECKING:
    import pandas as pd

VolumeMethod: TypeAlias = Literal["auto", "exact", "monte_carlo"]
VOLUME_METHODS: tuple[str, ...] = get_args(VolumeMethod)

DEFAULT_WORK = 200_000_000
"""Elementary operations allowed to an exact volume: some seconds on one core."""

N_SAMPLES = 1_000_000
BLOCK = 65_536  # samples that share a stream of random numbers
TASKS = 16  # parts that the points of an exact volume fall into, whatever the number of threads
ROUNDING = 1e-9  # rates this far outside [0, 1] are taken for rounding


def random_region_volume(n_classes: int) -> float:
    """Volume of P, the part of the unit cube with Σ rates ≤ Q − 1.

    The Irwin–Hall distribution function, Σ_j (−1)^j C(D, j) (Q − 1 − j)^D / D! for j up to Q − 2,
    in whole numbers and rounded once. Everson & Fieldsend's equation 15 stops after j = 1, which is
    right up to Q = 3. From Q = 20 on it is smaller than any float, and 0.

    Examples
    --------
    >>> random_region_volume(2)
    0.5
    >>> random_region_volume(3)  # 58 / 720
    0.08055555555555556
    """
    n_classes = _checked_classes(n_classes)
    n_rates, limit = n_classes * (n_classes - 1), n_classes - 1
    return float(_region(n_classes) * limit**n_rates / math.factorial(n_rates))


def _region(n_classes: int) -> Fraction:
    """Volume of P as a share of the pyramid under its plane."""
    return region_share(n_classes * (n_classes - 1), n_classes - 1)


def region_share(n_columns: int, limit: int) -> Fraction:
    """Share of the pyramid Σx ≤ limit that lies in the unit cube of so many columns."""
    terms = ((-1) ** j * math.comb(n_columns, j) * (limit - j) ** n_columns for j in range(limit))
    return Fraction(sum(terms), limit**n_columns)


def gini(
    rates: ArrayLike,
    n_classes: int,
    *,
    method: VolumeMethod = "auto",
    n_samples: int = N_SAMPLES,
    rng: RandomState = None,
    work: int = DEFAULT_WORK,
    n_threads: int | None = None,
) -> Estimate:
    """The share of P that points dominate: 1 for a perfect classifier, 0 for none below chance.

    ``rates`` has a row per point and a column per error, D = Q(Q − 1). Dominated, equal and
    outlying points change nothing. ``method="exact"`` is right to about twelve decimals, has no
    standard error, and is refused if it takes more than ``work`` elementary operations;
    ``"monte_carlo"`` counts ``n_samples`` points of P, depends on ``rng`` alone, and has the
    standard error of this count; ``"auto"`` tries the first, then the second. Neither knows how
    much the points would vary with other cases, so that there is no interval. For two classes
    2·AUC − 1 ≤ G, with AUC counting ties as errors, and both are equal if the curve nowhere falls
    below chance.

    Complexity: thousands of points take under a second for three classes; for four, some hundred
    points use up the default work.

    Examples
    --------
    >>> gini([[0.0, 0.5], [0.5, 0.0]], n_classes=2).value  # two squares of ¼ short of the corner
    0.5
    """
    n_classes = _checked_classes(n_classes)
    points = _checked_rates(rates, n_classes, "rates")
    nothing = np.empty((0, points.shape[1]))
    options = _options(method, n_samples, rng, work, n_threads)
    return _share("gini", points, nothing, n_classes, options)


def delta(
    rates_x: ArrayLike,
    rates_y: ArrayLike,
    n_classes: int,
    *,
    method: VolumeMethod = "auto",
    n_samples: int = N_SAMPLES,
    rng: RandomState = None,
    work: int = DEFAULT_WORK,
    n_threads: int | None = None,
) -> Estimate:
    """The share of P that X dominates and Y does not; options as for `gini`.

    The exact value sums what each point of X adds to Y and to the points of X before it: never
    negative, exactly 0 where Y dominates all of X, and free of the rounding of two large volumes
    whose difference it is. Monte Carlo holds both surfaces against the same samples.

    Examples
    --------
    >>> delta([[0.0, 0.5]], [[0.5, 0.0]], n_classes=2).value
    0.25
    >>> delta([[0.2, 0.5]], [[0.2, 0.4]], n_classes=2).value
    0.0
    """
    n_classes = _checked_classes(n_classes)
    x, y = (
        _checked_rates(rates, n_classes, name)
        for rates, name in ((rates_x, "rates_x"), (rates_y, "rates_y"))
    )
    options = _options(method, n_samples, rng, work, n_threads)
    return _share("delta", x, y, n_classes, options)


@dataclass(frozen=True)
class _Options:
    method: VolumeMethod
    n_samples: int
    rng: RandomState
    work: int
    n_threads: int


def _options(
    method: VolumeMethod, n_samples: int, rng: RandomState, work: int, n_threads: int | None
) -> _Options:
    """Checked before any work is done, also those that the method will not need."""
    check_choice(method, "method", VOLUME_METHODS)
    n_samples = repeats(n_samples, "n_samples", least=1)
    generator_of(rng)
    work = min(whole_number(work, "work", least=1), 2**62)
    return _Options(method, n_samples, rng, work, thread_count(n_threads))


def _share(
    metric: str, x: Float64Array, y: Float64Array, n_classes: int, options: _Options
) -> Estimate:
    x, y = (_inside(points, n_classes) for points in (x, y))
    settings = {"n_classes": n_classes, "points_below_chance": len(x), "work": options.work}
    if metric == "delta":
        settings["other_points_below_chance"] = len(y)
    notes: tuple[Note, ...] = ()
    if options.method != "monte_carlo":
        value, spent = _exact(x, y, n_classes, options)
        if value is not None:
            settings["work_done"] = spent
            return Estimate(
                metric, value, math.nan, "exact", notes=(_NOT_OF_CASES,), settings=settings
            )
        notes = (_exceeded(options),)
    return _counted(metric, x, y, n_classes, options, settings, notes)


_NOT_OF_CASES = Note(
    "points-as-given",
    "no interval: the volume of these points, which are treated as fixed; how much they would vary "
    "from sample to sample is not part of it",
)


def _exceeded(options: _Options) -> Note:
    """Why there is no exact value: an error if nothing else was asked for."""
    if options.method == "exact":
        raise InvalidInput(
            f"The exact volume takes more than work={options.work:,} operations. "
            'Pass a larger work=, or method="monte_carlo".'
        )
    work = plural(options.work, "operation")
    text = f"exact volume takes more than {work}, so estimated from samples"
    return Note("work-exceeded", text)


def _inside(points: Float64Array, n_classes: int) -> Float64Array:
    """The points that dominate some volume of P, in ascending order of their sums."""
    counted = points[inside_region(points, n_classes)]
    return np.asarray(counted[np.argsort(counted.sum(axis=1), kind="stable")])


def inside_region(points: Float64Array, n_classes: int) -> BoolArray:
    """Which points dominate some volume of P."""
    return np.asarray((points.sum(axis=1) < n_classes - 1) & (points < 1).all(axis=1))


def _exact(
    x: Float64Array, y: Float64Array, n_classes: int, options: _Options
) -> tuple[float | None, int]:
    """The share that x dominates and y does not, None beyond the work allowed; the work done."""
    if not len(x):
        return 0.0, 0
    if not len(y) and not x[0].any():  # a perfect point, where rounding would be a pity
        return 1.0, 0
    if not len(y) and n_classes == 2:
        return min(_staircase_share(x), 1.0), len(x)
    from polyroc.kernels.volume import undominated

    work = np.array([0, options.work])
    x, y = (points[undominated(np.ascontiguousarray(points.T), work)] for points in (x, y))
    # Alone, points sorted by their last column save the recursion that column.
    differing = x.shape[1] - (not len(y))
    if not len(y):
        x = x[np.lexsort(x.T)]
    points, first = np.concatenate([y, x]), len(y)
    left = int(work[1] - work[0])
    volumes, spent = _exclusive(points, first, differing, n_classes - 1, left, options.n_threads)
    spent += int(work[0])
    if spent > options.work:
        return None, spent
    return min(math.fsum(volumes) / float(_region(n_classes)), 1.0), spent


def _staircase_share(points: Float64Array) -> float:
    """Two classes: triangles of the steps less those that neighbours share, O(m log m)."""
    x, y = points[np.lexsort(points.T[::-1])].T
    steps = y < np.concatenate([[np.inf], np.minimum.accumulate(y)[:-1]])
    x, y = x[steps], y[steps]
    own, shared = 1 - x - y, np.maximum(1 - x[1:] - y[:-1], 0)
    return math.fsum(own**2) - math.fsum(shared**2)


def _exclusive(
    points: Float64Array, first: int, differing: int, limit: int, work: int, n_threads: int
) -> tuple[Float64Array, int]:
    """What each point from the first on adds to those before it, and the work that took."""
    from polyroc.kernels.volume import exclusive_volumes, memory_for

    columns = np.ascontiguousarray(points.T)
    volumes, spent = np.zeros(len(points)), np.zeros(TASKS, np.int64)

    def part(task: int) -> None:
        chosen = np.arange(first + task, len(points), TASKS)
        memory = memory_for(points.shape[1], points.shape[0], work)
        exclusive_volumes(columns, chosen, differing, float(limit), spent, task, memory, volumes)

    if work >= 0:
        map_threads(part, range(min(TASKS, len(points) - first)), n_threads)
    return volumes, int(spent.sum())


def _counted(
    metric: str,
    x: Float64Array,
    y: Float64Array,
    n_classes: int,
    options: _Options,
    settings: dict[str, Any],
    notes: tuple[Note, ...],
) -> Estimate:
    """The share of samples of P that x dominates and y does not."""
    n, seed = options.n_samples, seed_of(options.rng)
    columns = [np.ascontiguousarray(points.T) for points in (x, y)]

    def count(block: int) -> int:
        size = min(BLOCK, n - block * BLOCK)
        samples = sample_region(n_classes, size, stream(seed, block))
        samples = samples[_dominated(columns[0], samples)]
        return len(samples) - int(_dominated(columns[1], samples).sum())

    hits = sum(map_threads(count, range(-(-n // BLOCK)), options.n_threads))
    error = math.sqrt(hits * (n - hits) / n) / n
    notes += (_NOT_OF_CASES,)
    if hits in (0, n):
        error = math.nan
        notes += (_all_agree(hits, n),)
    else:
        notes += (Note("monte-carlo-error", f"standard error of the {n:,} samples alone"),)
    settings = {**settings, "n_samples": n, "seed": seed}
    return Estimate(
        metric,
        hits / n,
        error,
        "monte carlo",
        notes=notes,
        settings=settings,
        error_of="samples",
    )


def _all_agree(hits: int, n: int) -> Note:
    """Limits for a count of none or all: 1 − 0.05^(1/n), which is about 3/n."""
    limit = -math.expm1(math.log(0.05) / n)
    bound = f"under {limit:.1e}" if hits == 0 else f"within {limit:.1e} of 1"
    agree = f"{n:,} samples agree" if n > 1 else "there is one sample"
    text = f"no standard error: {agree}; with 95 % confidence the share is {bound}"
    return Note("samples-agree", text)


def _dominated(columns: Float64Array, samples: Float64Array) -> np.ndarray[Any, np.dtype[np.bool_]]:
    from polyroc.kernels.dominated_samples import mark_dominated

    marks = np.zeros(len(samples), dtype=bool)
    mark_dominated(columns, samples, marks)
    return marks


def sample_region(n_classes: int, size: int, generator: np.random.Generator) -> Float64Array:
    """Points spread evenly over P, one a row.

    The pyramid under the plane is sampled evenly, by D + 1 exponential variables over their sum,
    and what leaves the unit cube is drawn again: one in ten at three or four classes, then fewer.
    """
    return below_plane(n_classes * (n_classes - 1), n_classes - 1, size, generator)


def below_plane(
    n_columns: int, limit: int, size: int, generator: np.random.Generator
) -> Float64Array:
    """Points spread evenly over the part of the unit cube with Σx ≤ limit, one a row."""
    parts: list[Float64Array] = []
    missing = size
    while missing > 0:
        drawn = generator.standard_exponential((missing + missing // 8 + 8, n_columns + 1))
        points = limit * drawn[:, :-1] / drawn.sum(axis=1, keepdims=True)
        parts.append(points[(points <= 1).all(axis=1)][:missing])
        missing -= len(parts[-1])
    return np.concatenate(parts) if parts else np.empty((0, n_columns))


class GiniTracker:
    """The Gini coefficient of a growing set of points, from a fixed set of samples.

    Meant for progress: `add` holds new points against the samples that none has dominated yet.

    Examples
    --------
    >>> tracker = GiniTracker(n_classes=2, n_samples=1000, seed=1)
    >>> tracker.add([[0.9, 0.9]])
    >>> tracker.share
    0.0
    >>> tracker.add([[0.0, 0.0]])
    >>> tracker.share
    1.0
    """

    def __init__(self, n_classes: int, n_samples: int = 20_000, seed: int = 0) -> None:
        self.n_classes = _checked_classes(n_classes)
        self.n_samples = repeats(n_samples, "n_samples", least=1)
        self._open = sample_region(self.n_classes, self.n_samples, stream(seed_of(seed), 0))

    def add(self, points: ArrayLike) -> None:
        """Take new points, one a row, into account."""
        rates = _checked_rates(points, self.n_classes, "points")
        self._open = self._open[~_dominated(np.ascontiguousarray(rates.T), self._open)]

    @property
    def share(self) -> float:
        """Share of the samples that some point dominates."""
        return (self.n_samples - len(self._open)) / self.n_samples


def signed_distance(rates: ArrayLike, n_classes: int) -> Float64Array:
    """Distance of each point from the plane of random allocation; negative is better than chance.

    (Σ rates − (Q − 1)) / √D.

    Examples
    --------
    >>> signed_distance([[0.0, 0.0], [0.5, 0.5]], n_classes=2)
    array([-0.70710678,  0.        ])
    """
    n_classes = _checked_classes(n_classes)
    points = _checked_rates(rates, n_classes, "rates")
    return np.asarray((points.sum(axis=1) - (n_classes - 1)) / math.sqrt(points.shape[1]))


@dataclass(frozen=True, eq=False)
class DistanceHistogram:
    """How many points lie how far from chance (Everson & Fieldsend 2006, Figure 8)."""

    counts: Int64Array
    edges: Float64Array
    better_than_chance: int

    def frame(self) -> "pd.DataFrame":
        """A row per bin: from, to, points."""
        import pandas as pd

        return pd.DataFrame({"from": self.edges[:-1], "to": self.edges[1:], "points": self.counts})


def distance_histogram(
    rates: ArrayLike, n_classes: int, bins: int | ArrayLike = 30
) -> DistanceHistogram:
    """Histogram of the signed distances; ``bins`` is their number or their edges.

    Examples
    --------
    >>> distance_histogram([[0.0, 0.0], [0.1, 0.0], [0.7, 0.7]], 2, bins=[-1, 0, 1]).counts
    array([2, 1])
    """
    distances = signed_distance(rates, n_classes)
    if not len(distances):
        raise NotDefined("A histogram needs points, got none.")
    if np.ndim(bins) == 0:
        bins = whole_number(bins, "bins", least=1)
    counts, edges = np.histogram(distances, bins=np.asarray(bins))
    better = int((distances < -ROUNDING).sum())
    return DistanceHistogram(counts.astype(np.int64), edges, better)


def _checked_classes(n_classes: Any) -> int:
    return whole_number(n_classes, "n_classes", least=2)


def _checked_rates(rates: ArrayLike, n_classes: int, name: str) -> Float64Array:
    """Rates as a table of numbers in [0, 1], a column per error."""
    n_rates = n_classes * (n_classes - 1)
    try:
        points = np.array(rates, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidType(f"{name} must be a table of numbers, got {shown(rates)}.") from None
    if points.shape in ((0,), (0, 0)):
        points = np.empty((0, n_rates))
    if points.ndim != 2 or points.shape[1] != n_rates:
        raise InvalidInput(
            f"{name} must have a row per point and {n_rates} columns, one per error of {n_classes} "
            f"classes, got the shape {points.shape}."
        )
    if not ((points >= -ROUNDING) & (points <= 1 + ROUNDING)).all():
        raise InvalidInput(
            f"{name} must lie between 0 and 1, got values from {points.min()} to {points.max()}. "
            "Divide counts of errors by the number of cases of the true class."
        )
    return np.asarray(points.clip(0.0, 1.0))
