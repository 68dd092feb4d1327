"""Expected cost against the share of a class: what changes where the classifier is used."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm

from polyroc._base.checks import shown
from polyroc._base.levels import check_level
from polyroc._base.wording import plural
from polyroc.errors import InvalidInput, UnknownName
from polyroc.predictions import Predictions, predictions_of
from polyroc.predictions._classes import listed
from polyroc.surface._costs import CostsLike, checked_costs, least_cost
from polyroc.typing import Float64Array, Label, LabelsLike, ScoresLike, WeightsLike

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
    adapted, adapted_error : (m,) the same for decisions by probabilities re-weighted to the share.
    sample_share : of the class among the cases.
    level : of the limits in ``frame``.
    """

    vary: Label
    share: Float64Array
    fixed: Float64Array
    fixed_error: Float64Array
    adapted: Float64Array
    adapted_error: Float64Array
    sample_share: float
    level: float

    def frame(self) -> "pd.DataFrame":
        """One row per share, with confidence limits, as a pandas data frame."""
        import pandas as pd

        quantile = float(norm.ppf((1 + self.level) / 2))
        columns: dict[str, Float64Array] = {"share": self.share}
        for name in ("fixed", "adapted"):
            value, error = getattr(self, name), getattr(self, f"{name}_error")
            columns[name] = value
            columns[f"{name}_low"] = np.maximum(value - quantile * error, 0.0)
            columns[f"{name}_high"] = value + quantile * error
        return pd.DataFrame(columns)

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
    level : of the limits in ``frame``.

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
    plain = _of_classes(cases, table, probabilities, table)
    adapted = [
        _of_classes(cases, table, probabilities, table * (each / own)[:, None]) for each in priors
    ]
    fixed = _averaged(priors, [plain] * len(priors))
    share = float(own[place])
    return PrevalenceCurve(vary, grid, *fixed, *_averaged(priors, adapted), share, level)


def _checked_shares(shares: ArrayLike | None) -> Float64Array:
    if shares is None:
        return np.arange(1, GRID + 1) / (GRID + 1)
    grid = np.asarray(shares, dtype=np.float64)
    if grid.ndim != 1 or not len(grid) or not ((grid > 0) & (grid < 1)).all():
        raise InvalidInput(f"shares must be numbers between 0 and 1, got {shown(shares)}.")
    return grid


def _of_classes(
    cases: Predictions, table: Float64Array, probabilities: Float64Array, deciding: Float64Array
) -> tuple[Float64Array, Float64Array]:
    """Mean cost in each class, and the variance of that mean."""
    paid = table[cases.codes, least_cost(probabilities, deciding)]
    weights, n_classes = cases.case_weights, len(table)
    totals = np.bincount(cases.codes, weights, n_classes)
    mean = np.bincount(cases.codes, weights * paid, n_classes) / totals
    squares = np.bincount(cases.codes, (weights * (paid - mean[cases.codes])) ** 2, n_classes)
    counts = np.bincount(cases.codes, minlength=n_classes)
    alone = np.where(counts > 1, counts, np.nan)  # one case says nothing about its spread
    return mean, squares / totals**2 * alone / (alone - 1)


def _averaged(
    priors: Float64Array, of_classes: list[tuple[Float64Array, Float64Array]]
) -> tuple[Float64Array, Float64Array]:
    """Mean cost and its standard error at each row of priors."""
    means, variances = (np.array(part) for part in zip(*of_classes, strict=True))
    return (priors * means).sum(axis=1), np.sqrt((priors**2 * variances).sum(axis=1))
