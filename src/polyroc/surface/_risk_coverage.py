"""Coverage against risk: what the decisions cost if the least certain cases are referred."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import norm

from polyroc._base.levels import check_level, wilson_limits
from polyroc._base.ties import SLACK, merged
from polyroc._base.wording import plural
from polyroc.errors import InvalidInput
from polyroc.predictions import Predictions, predictions_of
from polyroc.surface._costs import CostsLike, checked_costs, expected_costs, least_cost
from polyroc.typing import Float64Array, LabelsLike, ScoresLike, WeightsLike

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class RiskCoverage:
    """Mean cost of the cases that are decided, for every share of them.

    Attributes
    ----------
    coverage : (m,) share of the cases that are decided, from the most certain one on; cases of
        equal certainty come together.
    risk : (m,) their mean cost; the share of errors where every error costs 1.
    low, high : (m,) pointwise confidence limits of the risk.
    threshold : (m,) the highest minimum expected cost at which a case is still decided.
    level : of the limits.
    """

    coverage: Float64Array
    risk: Float64Array
    low: Float64Array
    high: Float64Array
    threshold: Float64Array
    level: float

    @property
    def area(self) -> float:
        """Area under the curve (AURC): the mean risk over all coverages, as a step function."""
        return float(np.diff(self.coverage, prepend=0.0) @ self.risk)

    def at(self, coverage: float) -> float:
        """Risk if at least this share of the cases is decided.

        Examples
        --------
        >>> curve = risk_coverage([0, 0, 1, 1], [0.1, 0.4, 0.45, 0.9])
        >>> curve.at(0.5), curve.at(1.0)
        (0.0, 0.25)
        """
        if not 0 < coverage <= 1:
            raise InvalidInput(f"coverage must be above 0 and at most 1, got {coverage!r}.")
        place = int(np.searchsorted(self.coverage, coverage - 1e-12))
        return float(self.risk[min(place, len(self.risk) - 1)])

    def frame(self) -> "pd.DataFrame":
        """One row per coverage, as a pandas data frame."""
        import pandas as pd

        names = ("coverage", "risk", "low", "high", "threshold")
        return pd.DataFrame({name: getattr(self, name) for name in names})

    def __repr__(self) -> str:
        return f"RiskCoverage({plural(len(self.risk), 'point')}, area {self.area:.4g})"


def risk_coverage(
    y_true: LabelsLike | Predictions,
    y_score: ScoresLike | None = None,
    *,
    costs: CostsLike | None = None,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    level: float = 0.95,
) -> RiskCoverage:
    """Risk of the decisions of lowest expected cost against the share of cases decided.

    Cases are decided in the order of their lowest expected cost: with every error costing 1, in the
    order of their highest probability.

    Parameters
    ----------
    y_true : true classes, or a ``Predictions`` in place of both.
    y_score : probabilities.
    costs : K × K, a row per truth and a column per decision, or a mapping from (truth, decided).
        None: every error costs 1.
    labels, sample_weight : as for metrics.
    level : of the pointwise limits, Wilson's for the effective number of cases.

    Returns
    -------
    RiskCoverage

    Examples
    --------
    >>> curve = risk_coverage([0, 0, 1, 1], [0.1, 0.4, 0.45, 0.9])
    >>> curve.coverage, curve.risk
    (array([0.5 , 0.75, 1.  ]), array([0.        , 0.        , 0.25]))
    """
    check_level(level)
    cases = predictions_of(y_true, y_score, labels=labels, sample_weight=sample_weight)
    cases.check_independent("risk_coverage")
    probabilities = np.asarray(cases.probabilities("risk_coverage"), dtype=np.float64)
    classes = cases.classes
    table = 1 - np.eye(len(classes)) if costs is None else checked_costs(costs, classes)
    least = expected_costs(probabilities, table).min(axis=1)
    expected = merged(least, np.full(len(least), SLACK * table.max()))
    paid = table[cases.codes, least_cost(probabilities, table)] / table.max()
    order = np.argsort(expected, kind="stable")
    expected, paid, weights = expected[order], paid[order], cases.case_weights[order]
    last = np.append(expected[1:] > expected[:-1], True)
    reached = np.cumsum(weights)
    risk = np.minimum(np.cumsum(weights * paid) / reached, 1.0)[last]
    effective = (reached**2 / np.cumsum(weights**2))[last]
    ratio = _ratio(risk, (np.cumsum(weights * paid**2) / reached)[last], effective)
    quantile = float(norm.ppf((1 + level) / 2))
    low, high = wilson_limits(risk, effective * ratio, quantile)
    scale = table.max()
    share = reached[last] / reached[-1]
    return RiskCoverage(share, risk * scale, low * scale, high * scale, expected[last], level)


def _ratio(risk: Float64Array, square: Float64Array, effective: Float64Array) -> Float64Array:
    """How much less costs vary than 0/1 ones of the same mean, which are known from fewer cases.

    ``risk`` and ``square`` are means of costs and of their squares, the largest cost being 1. Both
    are taken with one more case that costs as much: expensive errors may be too rare to be seen.
    """
    mean, square = ((each * effective + 1) / (effective + 1) for each in (risk, square))
    variance = square - mean**2
    ratio = np.divide(mean * (1 - mean), variance, out=np.ones_like(mean), where=variance > 1e-15)
    return np.asarray(np.maximum(ratio, 1.0))
