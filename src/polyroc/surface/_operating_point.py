"""An operating point of a ROC surface: its rates, what they are worth, and its decisions."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import shown
from polyroc._base.tables import shares_table
from polyroc.errors import InvalidInput, NotDefined
from polyroc.results import Interval, Note
from polyroc.surface._costs import CostsLike, checked_costs, least_cost, pair_index
from polyroc.surface._point_certainty import (
    Linear,
    Quantity,
    checked_interval,
    linear,
    signed_distance_of,
)
from polyroc.typing import Float64Array, Label, PriorsLike, ScoresLike

if TYPE_CHECKING:
    import pandas as pd

    from polyroc.calibration._cost_calibration import CostCalibration
    from polyroc.surface._front import RocSurface

KNEE = "expected marginal utility"
OBJECTIVE = "objective"
CLEARLY_OFF = 0.001
"""Below this p-value a point tells that the probabilities promise other costs than were paid."""


@dataclass(frozen=True, eq=False, repr=False)
class SurfacePoint:
    """An operating point of a surface, and why it was chosen.

    Attributes
    ----------
    index : its position on the surface.
    confusion : (K, K) share of each class (row) decided as each class.
    costs : (K, K) costs whose decisions have these rates, in the order of ``classes``;
        ``named_costs`` has them by name, for ``CostSensitiveClassifier``. Only their ratios are
        meaningful: they were found by the search, and are not the costs that were asked for.
    parameters : of the classifier.
    criterion, value : what was minimised, and how low it is here; for a knee what was maximised.
    priors : (K,) of the classes, that ``value`` was computed with.
    costs_asked : (K, K) the whole table of costs that ``value`` is the mean of, in the units in
        which it was given and 1 where nothing was given; None where no costs were.
    cost_share : share of the cost space that ``cost_bounds`` leave; 1 without bounds.
    """

    index: int
    confusion: Float64Array
    costs: Float64Array
    parameters: Float64Array
    classes: tuple[Label, ...]
    criterion: str
    value: float
    surface: "RocSurface"
    costs_asked: Float64Array | None = None
    priors: Float64Array | None = None
    cost_share: float = 1.0

    def interval(
        self,
        quantity: Quantity = "value",
        truth: Any = None,
        decided: Any = None,
        *,
        level: float = 0.95,
        costs: CostsLike | None = None,
        priors: PriorsLike | None = None,
    ) -> Interval:
        """Confidence limits of a quantity at this operating point, from the cases of its class.

        The point is treated as fixed: one that was chosen on the same cases looks better than it
        is. ``surface.rescore(X, y)`` has the same point, at the same index, on other cases.

        Parameters
        ----------
        quantity : ``"value"``, what the point was chosen for (not for a knee or an objective of
            your own, which are not sums of rates); ``"rate"`` of (truth, decided);
            ``"sensitivity"``, the share of class ``truth`` that is classified correctly;
            ``"cost"``, the expected cost at ``costs``; ``"youden"``, (Σ sensitivities − 1)/(K − 1),
            sensitivity + specificity − 1 for two classes.
        truth, decided : classes, for a rate; a sensitivity has a truth.
        level : confidence level.
        costs : for ``"cost"``, as in ``choose``; by default those that were asked for, or 1 for
            every error.
        priors : of the classes, for ``"cost"`` and ``"value"``; by default those of ``choose``.

        Returns
        -------
        Interval
            Wilson's limits, for sums over classes with a t quantile; never of width 0. NaN where
            the surface does not have its cases, as from a file, the cases belong to groups, or a
            class has a single one.

        Examples
        --------
        >>> from polyroc.datasets import example_predictions
        >>> from polyroc.surface import ScoreModel, search
        >>> y, models, labels = example_predictions()
        >>> model = ScoreModel(y, models["logistic"], labels=labels)
        >>> surface = search(model, generations=5, rng=1, progress=False)
        >>> point = surface.choose(criterion="total_error")
        >>> low, high, *_ = point.interval("rate", "rare", "common")
        >>> low < point.rate("rare", "common") < high
        True
        """
        wanted = self._quantity(quantity, (truth, decided), costs, priors)
        cases = getattr(self.surface.model, "cases", None)
        return checked_interval(wanted, self.confusion, cases, level)

    def estimate(
        self,
        quantity: Quantity = "value",
        truth: Any = None,
        decided: Any = None,
        *,
        costs: CostsLike | None = None,
        priors: PriorsLike | None = None,
    ) -> float:
        """The value whose limits ``interval`` gives; parameters as there."""
        return self._quantity(quantity, (truth, decided), costs, priors).value(self.confusion)

    def _quantity(
        self,
        quantity: str,
        named: tuple[Any, Any],
        costs: CostsLike | None,
        priors: PriorsLike | None,
    ) -> Linear:
        if costs is not None and quantity != "cost":
            raise InvalidInput(f'costs go with the quantity "cost", got {shown(quantity)}.')
        if quantity == "value" and self.criterion == "signed distance from chance":
            return signed_distance_of(len(self.classes))
        if quantity == "value" and not self._value_is_linear:
            raise NotDefined(
                f"The point was chosen for its {self.criterion}, which is not a weighted sum of "
                "its "
                'rates and has no interval. Ask for "rate", "sensitivity", "cost" or "youden".'
            )
        table = self.costs_asked if costs is None else checked_costs(costs, self.classes)
        if table is None:
            table = np.ones((len(self.classes), len(self.classes)))
        shares = self.surface.priors() if self.priors is None else self.priors
        shares = shares if priors is None else self.surface.priors(priors)
        return linear(quantity, self.classes, named, table * shares[:, None])

    @property
    def _value_is_linear(self) -> bool:
        return self.criterion not in (KNEE, OBJECTIVE)

    def frame(self, level: float = 0.95) -> "pd.DataFrame":
        """A row per quantity: quantity, truth, decided, value, low, high."""
        import pandas as pd

        return pd.DataFrame(self.rows(level))

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """The value, Youden's index, every sensitivity and every rate, each with its limits."""
        asked: list[tuple[Quantity, Any, Any]] = [("value", None, None), ("youden", None, None)]
        asked += [("sensitivity", truth, None) for truth in self.classes]
        asked += [("rate", a, b) for a in self.classes for b in self.classes if a != b]
        return [self._row(*each, level) for each in asked]

    def _row(self, quantity: Quantity, truth: Any, decided: Any, level: float) -> dict[str, Any]:
        """A quantity with its limits, NaN where it has none."""
        if quantity == "value" and not self._value_is_linear:
            value, low, high = self.value, math.nan, math.nan
        else:
            value = self.estimate(quantity, truth, decided)
            low, high = self.interval(quantity, truth, decided, level=level)[:2]
        name = self.criterion if quantity == "value" else quantity
        return {
            "quantity": name, "truth": truth, "decided": decided,
            "value": value, "low": low, "high": high,
        }  # fmt: skip

    def rate(self, truth: Any, decided: Any) -> float:
        """Share of the cases of one class that are decided as another."""
        return float(self.confusion[pair_index((truth, decided), self.classes)])

    @property
    def named_costs(self) -> dict[tuple[Label, Label], float]:
        """The costs by (truth, decided), whatever order of classes others keep.

        ``CostSensitiveClassifier(estimator, point.named_costs)`` deploys the choice.
        """
        return {
            (truth, decided): float(self.costs[k, j])
            for k, truth in enumerate(self.classes)
            for j, decided in enumerate(self.classes)
            if k != j
        }

    def cost_calibration(self) -> "CostCalibration":
        """What the probabilities promise that these decisions cost, against what they cost.

        At the costs asked for, or 1 for every error, on the cases of the search, with the shares of
        classes that they have. Where both differ by much more than the standard error, the
        probabilities are not calibrated: see :func:`polyroc.calibration.cost_calibration` and
        :class:`polyroc.calibration.Recalibrated`. Where cases belong to groups there is no standard
        error and no test here; that function takes groups.

        Returns
        -------
        CostCalibration
            ``expected``, ``observed``, ``difference``, ``standard_error``, ``p_value``.

        Examples
        --------
        >>> from polyroc.datasets import example_predictions
        >>> from polyroc.surface import ScoreModel, search
        >>> y, models, labels = example_predictions()
        >>> model = ScoreModel(y, models["forest"], labels=labels)
        >>> surface = search(model, generations=5, rng=1, progress=False)
        >>> point = surface.choose(criterion="total_error")
        >>> bool(point.cost_calibration().observed > 0.1)
        True
        """
        from polyroc.calibration._cost_calibration import on_cases

        model = self.surface.model
        if model is None or getattr(model, "cases", None) is None:
            raise NotDefined(
                "The surface does not have its cases, as from a file. Use surface.rescore(X, y)."
            )
        q = np.asarray(model.probabilities(self.parameters), dtype=np.float64)
        table = self.costs_asked
        if table is None:
            table = 1 - np.eye(len(self.classes))
        decided = least_cost(q, self.costs)
        return on_cases(q, model.cases, decided, table)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the probabilities promise that these decisions cost, and by how much they miss.

        One note, ``"miscalibrated-costs"`` where the test of :meth:`cost_calibration` says so at
        0.1 %, because the point was chosen on the same cases, and else ``"cost-calibration"``;
        none where the surface does not have its cases.
        """
        if getattr(self.surface.model, "cases", None) is None:
            return ()
        return (self.cost_calibration().note(CLEARLY_OFF),)

    def decide(self, X: ScoresLike) -> NDArray[Any]:
        """Decisions for new cases; for a ``ScoreModel``, ``X`` are their scores."""
        return self.surface.decide(X, self.index)

    def __repr__(self) -> str:
        value = f"{self.value:.3g}" if self.criterion == KNEE else f"{self.value:.4f}"
        shares = f"{self.criterion} = {value}; share of each class classified as …"
        parts = [shares, self._table(self.confusion)]
        if self.costs_asked is not None:
            parts += ["costs requested, 1 where none was given", self._table(self.costs_asked)]
        if self.costs_asked is not None and (missed := self._missed_costs()):
            parts += [missed]
        if self.cost_share < 1:
            parts += [f"cost_bounds leave {100 * self.cost_share:.3g} % of the cost space"]
        return "\n".join(parts)

    def _missed_costs(self) -> str:
        """By how much the probabilities are wrong about the cost; empty where that is not clear."""
        if getattr(self.surface.model, "cases", None) is None:
            return ""
        found = self.cost_calibration()
        if not found.p_value < CLEARLY_OFF:
            return ""
        return f"the probabilities are off: {found}"

    def _table(self, table: Float64Array) -> str:
        names = [str(label) for label in self.classes]
        return shares_table(names, names, table.tolist())
