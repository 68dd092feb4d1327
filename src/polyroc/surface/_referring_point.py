"""An operating point that refers some cases to a person.

The costs of a surface's point decide. A case is referred if, by its probabilities, that decision is
expected to cost more than referring it, by more than a threshold: for given decisions and a given
share of referrals no other choice of cases is expected to save more.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import is_real, shown
from polyroc._base.tables import shares_table
from polyroc._base.ties import SLACK, merged
from polyroc.errors import InvalidInput, NotDefined
from polyroc.surface._costs import least_cost, pair_index
from polyroc.surface._limits import ALLOWANCE
from polyroc.surface._referral import threshold_after
from polyroc.typing import BoolArray, Float64Array, Int64Array, Label, ScoresLike

if TYPE_CHECKING:
    from polyroc.surface._cases import Cases
    from polyroc.surface._front import RocSurface

EQUAL = 1e-12
"""Values that differ by less are equal."""


@dataclass(frozen=True, eq=False, repr=False)
class ReferringPoint:
    """An operating point of a surface that refers the least certain cases to a person.

    Attributes
    ----------
    index : of the point of the surface whose costs decide.
    confusion : (K, K + 1) share of each class (row) decided as each class, and referred.
    costs : (K, K) costs of the point, which decide; only their ratios are meaningful.
    threshold : on the expected cost of the decision minus that of referring, in the units of
        ``costs_asked``; infinite where nothing is referred, minus infinite where everything is.
    criterion, value : what was minimised, and how low it is: per case, referred ones included.
    referred : share of the cases that are referred, at ``priors``.
    risk : the value per case that is decided, without what referring costs; NaN if none is.
    priors : (K,) of the classes, that ``value`` and ``referred`` were computed with.
    costs_asked : (K, K + 1) what decisions and referring cost, in the units given.
    """

    index: int
    confusion: Float64Array
    costs: Float64Array
    threshold: float
    classes: tuple[Label, ...]
    criterion: str
    value: float
    referred: float
    risk: float
    surface: "RocSurface"
    priors: Float64Array
    costs_asked: Float64Array

    @property
    def coverage(self) -> float:
        """Share of the cases that are decided."""
        return 1 - self.referred

    def rate(self, truth: Any, decided: Any) -> float:
        """Share of the cases of one class that are decided as another."""
        return float(self.confusion[pair_index((truth, decided), self.classes)])

    def decide(self, X: ScoresLike, refer_label: Any = "refer") -> NDArray[Any]:
        """Decisions for new cases; for a ``ScoreModel``, ``X`` are their scores.

        Parameters
        ----------
        X : features, or scores.
        refer_label : what stands for a case that is referred.
        """
        model = self.surface.model
        assert model is not None  # its cases were counted
        q = np.asarray(model.at(X).probabilities(self.surface.parameters[self.index]))
        decided = least_cost(q, self.costs)
        ratios = self.priors / self.surface.priors()
        referred = excess_of_decisions(q, decided, self.costs_asked, ratios) > self.threshold
        words = np.empty(len(self.classes) + 1, dtype=object)
        words[:] = [*self.classes, refer_label]
        return words[np.where(referred, len(self.classes), decided)]

    def __repr__(self) -> str:
        names = [str(label) for label in self.classes]
        table = shares_table(names, [*names, "referred"], self.confusion.tolist())
        told = f"{self.criterion} = {self.value:.4f} with {100 * self.referred:.3g} % referred"
        return f"{told}; share of each class classified as …\n{table}"


def excess_of_decisions(
    q: Float64Array, decided: Int64Array, costs: Float64Array, ratios: Float64Array
) -> Float64Array:
    """Expected cost of each decision less that of referring the case.

    ``costs`` are K × (K + 1), and Bayes' rule multiplies probabilities by ``ratios``.

    Examples
    --------
    >>> q, costs = np.array([[0.5, 0.5], [0.25, 0.75]]), np.array([[0, 1, 0.25], [1, 0, 0.25]])
    >>> excess_of_decisions(q, np.array([0, 1]), costs, np.ones(2))
    array([0.25, 0.  ])
    """
    posterior = q * ratios
    posterior /= posterior.sum(axis=1, keepdims=True)
    apart = costs.T[decided] - costs[:, -1]
    return np.asarray((posterior * apart).sum(axis=1))


class Goal(NamedTuple):
    """What is minimised over points and thresholds, and what is allowed."""

    costs: Float64Array
    """(K, K + 1)"""
    priors: Float64Array
    ratios: Float64Array
    """Of the priors to the shares of the sample."""
    limits: dict[tuple[int, int], float]
    most: float


class _Found(NamedTuple):
    value: float
    referred: float
    threshold: float
    confusion: Float64Array


def checked_share(reject_at_most: Any) -> float:
    """A share from 0 to 1."""
    if not is_real(reject_at_most) or not 0 <= reject_at_most <= 1:
        raise InvalidInput(
            f"reject_at_most must be a share of the cases from 0 to 1, got {shown(reject_at_most)}."
        )
    return float(reject_at_most)


def refer_from(
    surface: "RocSurface", allowed: BoolArray, goal: Goal, criterion: str
) -> ReferringPoint:
    """The best point and threshold among the allowed points; of equals the fewest referrals."""
    model = surface.model
    cases: Cases | None = getattr(model, "cases", None)
    if model is None or cases is None:
        raise NotDefined(
            "Which cases to refer depends on their probabilities, which the surface does not have. "
            "Use surface.rescore(X, y) first, or RejectingClassifierCV on a classifier."
        )
    best: tuple[_Found, int] | None = None
    for index in np.flatnonzero(allowed).tolist():
        q = np.asarray(model.probabilities(surface.parameters[index]), dtype=np.float64)
        found = _of_point(q, surface.costs[index], cases, goal)
        if found is not None and (best is None or _better(found, best[0])):
            best = found, index
    if best is None:
        raise NotDefined(
            f"No operating point meets the limits if at most {100 * goal.most:.4g} % of the cases "
            "are referred. Allow more referrals, or drop a limit."
        )
    return _point(surface, best[1], best[0], goal, criterion)


def _better(one: _Found, other: _Found) -> bool:
    if abs(one.value - other.value) > EQUAL:
        return one.value < other.value
    return one.referred < other.referred - EQUAL


def _of_point(q: Float64Array, costs: Float64Array, cases: "Cases", goal: Goal) -> _Found | None:
    """The best number of referrals of one point, those expected to save most first."""
    n_classes, decided = len(costs), least_cost(q, costs)
    excess = excess_of_decisions(q, decided, goal.costs, goal.ratios)
    excess = merged(excess, np.full(len(excess), SLACK * goal.costs.max()))
    order = np.argsort(-excess, kind="stable")
    ordered, truths, ways = excess[order], cases.codes[order], decided[order]
    shares = (cases.weights / cases.class_weights[cases.codes])[order]
    weight = goal.priors[truths] * shares
    referred = np.concatenate([[0.0], np.cumsum(weight)])
    change = goal.costs[truths, n_classes] - goal.costs[truths, ways]
    start = float(weight @ goal.costs[truths, ways])
    value = start + np.concatenate([[0.0], np.cumsum(weight * change)])
    fits = np.concatenate([[True], ordered[1:] < ordered[:-1], [True]])
    fits &= referred <= goal.most + ALLOWANCE
    for (truth, decision), most in goal.limits.items():
        errors = np.where((truths == truth) & (ways == decision), shares, 0.0)
        left = np.concatenate([np.cumsum(errors[::-1])[::-1], [0.0]])
        fits &= left <= most + ALLOWANCE
    if not fits.any():
        return None
    count = int(np.flatnonzero(fits & (value <= value[fits].min() + EQUAL))[0])
    confusion = np.zeros((n_classes, n_classes + 1))
    ways = np.where(np.arange(len(ways)) < count, n_classes, ways)
    np.add.at(confusion, (truths, ways), shares)
    threshold = threshold_after(ordered, count)
    return _Found(float(value[count]), float(referred[count]), threshold, confusion)


def _point(
    surface: "RocSurface", index: int, found: _Found, goal: Goal, criterion: str
) -> ReferringPoint:
    kept = goal.priors @ found.confusion[:, :-1].sum(axis=1)
    paid = float((goal.priors[:, None] * found.confusion * goal.costs)[:, :-1].sum())
    risk = paid / kept if kept > EQUAL else float("nan")
    return ReferringPoint(
        index, found.confusion, surface.costs[index], found.threshold, surface.classes, criterion,
        found.value, found.referred, float(risk), surface, goal.priors, goal.costs,
    )  # fmt: skip
