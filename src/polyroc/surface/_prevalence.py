"""Expected cost against the share of a class: what changes where the classifier is used."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from polyroc._base.checks import shown
from polyroc._base.levels import check_level
from polyroc._base.wording import plural
from polyroc.errors import InvalidInput, UnknownName
from polyroc.predictions import Predictions, predictions_of
from polyroc.predictions._classes import listed
from polyroc.surface._costs import CostsLike, checked_costs, least_cost
from polyroc.surface._point_certainty import Linear
from polyroc.typing import (
    Float64Array,
    Int64Array,
    Label,
    LabelsLike,
    ScoresLike,
    WeightsLike,
)

if TYPE_CHECKING:
    import pandas as pd

GRID = 99
"""Shares that a curve has by default: .01, .02, …, .99."""


@dataclass(frozen=True, eq=False, repr=False)
class PrevalenceCurve:
    """Expected cost of decisions for every share of a class.

    Attributes
    ----------
    vary : the class whose share is varied; the others keep their proportions.
    share : (m,) of that class.
    fixed, fixed_error : (m,) expected cost of the decisions as they are, and its standard error.
    fixed_low, fixed_high : (m,) confidence limits: Wilson's, as an operating point has them.
    adapted, adapted_error, adapted_low, adapted_high : (m,) the same for decisions by probabilities
        re-weighted to the share.
    sample_share : of the class among the cases.
    level : of the limits.
    """

    vary: Label
    share: Float64Array
    fixed: Float64Array
    fixed_error: Float64Array
    fixed_low: Float64Array
    fixed_high: Float64Array
    adapted: Float64Array
    adapted_error: Float64Array
    adapted_low: Float64Array
    adapted_high: Float64Array
    sample_share: float
    level: float

    def frame(self) -> "pd.DataFrame":
        """One row per share, with confidence limits, as a pandas data frame."""
        import pandas as pd

        kinds = [f"{name}{end}" for name in ("fixed", "adapted") for end in ("", "_low", "_high")]
        return pd.DataFrame({name: getattr(self, name) for name in ("share", *kinds)})

    def __repr__(self) -> str:
        return f"PrevalenceCurve({self.vary!r}, {plural(len(self.share), 'share')})"


def cost_by_share(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    vary: Label,
    costs: CostsLike | None = None,
    shares: ArrayLike | None = None,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    level: float = 0.95,
) -> PrevalenceCurve:
    """Expected cost against the share of one class, for fixed and for adapted decisions.

    Rates within classes are those of the cases, so that only the shares change. Fixed decisions
    take the probabilities as they are; adapted ones re-weight them from the shares of the cases to
    the share in question, as :class:`~polyroc.CostSensitiveClassifier` with ``priors=`` does.

    Parameters
    ----------
    y_true : true classes, or a ``Predictions`` in place of both.
    y_score : probabilities.
    vary : the class whose share is varied; the others keep their proportions.
    costs : K × K, a row per truth and a column per decision, or a mapping from (truth, decided).
        None: every error costs 1.
    shares : between 0 and 1; by default .01, .02, …, .99.
    labels, sample_weight : as for metrics.
    level : of the limits.

    Returns
    -------
    PrevalenceCurve

    Examples
    --------
    >>> y, p = ["ill", "ill", "well", "well"], [0.1, 0.4, 0.45, 0.9]
    >>> curve = cost_by_share(y, p, vary="ill", shares=[0.1, 0.5])
    >>> curve.fixed.tolist(), curve.adapted.tolist()
    ([0.45, 0.25], [0.05, 0.25])
    """
    check_level(level)
    cases = predictions_of(y_true, y_score, labels=labels, sample_weight=sample_weight)
    cases.check_independent("cost_by_share")
    classes, own = cases.classes, cases.class_weights / cases.class_weights.sum()
    if vary not in classes:
        raise UnknownName(f"vary {shown(vary)} is not a class. There are {listed(classes)}.")
    table = 1 - np.eye(len(classes)) if costs is None else checked_costs(costs, classes)
    grid = _checked_shares(shares)
    place = classes.index(vary)
    probabilities = np.asarray(cases.probabilities("cost_by_share"), dtype=np.float64)
    priors = grid[:, None] * (np.arange(len(classes)) == place) + np.outer(
        1 - grid, np.where(np.arange(len(classes)) == place, 0.0, own / (1 - own[place]))
    )
    plain = _Decided.of(cases, table, least_cost(probabilities, table))
    adapted = [
        _Decided.of(cases, table, least_cost(probabilities, table * (each / own)[:, None]))
        for each in priors
    ]
    fixed = _averaged(table, priors, [plain] * len(priors), level)
    changed = _averaged(table, priors, adapted, level)
    return PrevalenceCurve(vary, grid, *fixed, *changed, float(own[place]), level)


def _checked_shares(shares: ArrayLike | None) -> Float64Array:
    if shares is None:
        return np.arange(1, GRID + 1) / (GRID + 1)
    grid = np.asarray(shares, dtype=np.float64)
    if grid.ndim != 1 or not len(grid) or not ((grid > 0) & (grid < 1)).all():
        raise InvalidInput(f"shares must be numbers between 0 and 1, got {shown(shares)}.")
    return grid


class _Decided(NamedTuple):
    """What decisions cost in each class."""

    confusion: Float64Array
    """Share of each class, in rows, that is decided as each."""
    variances: Float64Array
    """Of the mean cost in each class."""
    effective: Float64Array
    """Cases of each class that equal weights would need for the same variance."""

    @classmethod
    def of(cls, cases: Predictions, table: Float64Array, decided: Int64Array) -> "_Decided":
        """Of the decision for each case."""
        codes, weights, n_classes = cases.codes, cases.case_weights, len(table)
        totals = cases.class_weights
        cells = np.bincount(codes * n_classes + decided, weights, n_classes**2)
        confusion = cells.reshape(n_classes, n_classes) / totals[:, None]
        apart = table[codes, decided] - (confusion * table).sum(axis=1)[codes]
        squares = np.bincount(codes, (weights * apart) ** 2, n_classes)
        counts = np.bincount(codes, minlength=n_classes)
        alone = np.where(counts > 1, counts, np.nan)  # one case says nothing about its spread
        effective = totals**2 / np.bincount(codes, weights**2, n_classes)
        return cls(confusion, squares / totals**2 * alone / (alone - 1), effective)


Averages: TypeAlias = tuple[Float64Array, Float64Array, Float64Array, Float64Array]


def _averaged(
    table: Float64Array, priors: Float64Array, found: list[_Decided], level: float
) -> Averages:
    """Mean cost, its standard error and its limits at each row of priors."""
    rows = []
    for weights, (confusion, variances, effective) in zip(priors, found, strict=True):
        quantity, error = Linear(table * weights[:, None]), np.sqrt(weights**2 @ variances)
        limits = (np.nan, np.nan)
        if not np.isnan(error):
            limits = quantity.interval(confusion, effective, level)[:2]
        rows.append([quantity.value(confusion), error, *limits])
    value, error, low, high = np.array(rows).T
    return value, error, low, high
