"""Net benefit: what deciding by a model gains over deciding all cases alike.

Net benefit is a mean over cases, so that its standard error, and that of a difference between two
models on the same cases, follow from what each case contributes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from polyroc._base.checks import shown
from polyroc._base.ties import SLACK
from polyroc.errors import InvalidInput, InvalidType, UnknownName
from polyroc.predictions import Predictions
from polyroc.predictions._classes import listed
from polyroc.predictions._given import model_predictions
from polyroc.surface._costs import CostsLike, checked_costs, least_cost
from polyroc.typing import Float64Array, Label, LabelsLike, ScoresLike, WeightsLike
from polyroc.utility._benefit import BenefitCurves, mean_and_covariance

if TYPE_CHECKING:
    import pandas as pd

ALL, NONE, CONSTANT = "all", "none", "best constant"
_THRESHOLDS = tuple(i / 100 for i in range(100))
Models = Mapping[str, ScoresLike]


@dataclass(frozen=True, eq=False)
class DecisionCurves(Mapping[Label, BenefitCurves]):
    """Decision curves by class; see :func:`decision_curves`."""

    classes: Mapping[Label, BenefitCurves]

    def __getitem__(self, label: Label) -> BenefitCurves:
        if label not in self.classes:
            raise UnknownName(f"{shown(label)} has no curve. There are {listed(self.classes)}.")
        return self.classes[label]

    def __iter__(self) -> Any:
        return iter(self.classes)

    def __len__(self) -> int:
        return len(self.classes)

    def frame(self, level: float = 0.95) -> "pd.DataFrame":
        """A row per class, strategy and threshold, as in :meth:`BenefitCurves.frame`."""
        return self._joined({label: each.frame(level) for label, each in self.classes.items()})

    def differences(self, level: float = 0.95) -> "pd.DataFrame":
        """A row per class, pair of models and threshold."""
        every = {label: each.differences(level) for label, each in self.classes.items()}
        return self._joined(every)

    def _joined(self, frames: "Mapping[Label, pd.DataFrame]") -> "pd.DataFrame":
        import pandas as pd

        rows = [
            {"class": label, **row}
            for label, frame in frames.items()
            for row in frame.to_dict("records")
        ]
        return pd.DataFrame(rows)


def decision_curves(
    y_true: LabelsLike | Mapping[str, Predictions],
    models: Models | None = None,
    *,
    thresholds: Sequence[float] = _THRESHOLDS,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    groups: Any = None,
) -> DecisionCurves:
    """Decision curves: net benefit of acting on a class against the threshold probability.

    A case is acted on where the probability of the class is at least t and not 0. The net benefit
    is the share of true positives minus t/(1 − t) times the share of false positives (Vickers &
    Elkin 2006), in units of one true positive per case. A model is useful at the thresholds at
    which it is above acting on all cases and on none.

    Parameters
    ----------
    y_true : true class of each case, or a mapping from models to Predictions of the same cases.
    models : probabilities by name of the model.
    thresholds : from 0 to below 1, increasing.
    labels, sample_weight : see :class:`polyroc.Predictions`.
    groups : group of each case where cases are not independent, such as the patient of an image.

    Returns
    -------
    DecisionCurves
        A mapping from classes (of two, the second alone) to :class:`BenefitCurves`: the models,
        ``"all"`` and ``"none"``, with ``frame()``, ``differences()`` and ``where()``.

    References
    ----------
    A. J. Vickers, E. B. Elkin: Decision curve analysis: a novel method for evaluating prediction
    models. Medical Decision Making 26 (2006) 565–574.

    Examples
    --------
    >>> from polyroc.datasets import example_predictions
    >>> from polyroc.utility import decision_curves
    >>> y, models, labels = example_predictions()
    >>> curves = decision_curves(y, models, labels=labels, thresholds=[0.1, 0.2, 0.5])
    >>> curves["rare"].value("logistic").round(4)
    array([0.0439, 0.0353, 0.0212])
    >>> [each.strategy for each in curves["rare"].where()]
    ['forest', 'logistic']
    """
    read = _Read.of(y_true, models, labels, sample_weight, groups, (ALL, NONE))
    at = _checked_thresholds(thresholds)
    drawn = range(len(read.classes)) if len(read.classes) > 2 else [1]
    return DecisionCurves({read.classes[k]: _decision_curve(read, k, at) for k in drawn})


def utility_curves(
    y_true: LabelsLike | Mapping[str, Predictions],
    models: Models | None = None,
    *,
    costs: Callable[[float], CostsLike],
    over: Sequence[float],
    name: str = "cost",
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    groups: Any = None,
) -> BenefitCurves:
    """What deciding by a model saves against the best constant decision, over a range of costs.

    At each value x the costs are ``costs(x)``; a model decides each case for the lowest expected
    cost, and is compared with deciding all cases for the one class that costs least on average.
    With two classes and the costs of a threshold this is the decision curve, measured from the
    better of acting on all and on none.

    Parameters
    ----------
    y_true : true class of each case, or a mapping from models to Predictions of the same cases.
    models : probabilities by name of the model.
    costs : function of a number that returns costs: a K × K table, or a mapping from (truth,
        decided), 1 where an error is not named.
    over : the numbers, increasing.
    name : what they are, for tables and figures.
    labels, sample_weight : see :class:`polyroc.Predictions`.
    groups : group of each case where cases are not independent, such as the patient of an image.

    Returns
    -------
    BenefitCurves
        The models, and ``"best constant"``, which is 0 throughout: the class that it decides for
        is in ``constants``. ``where()`` says which is best, where.

    Examples
    --------
    How much more may it cost to miss a rare case before the models are no longer useful?

    >>> from polyroc.datasets import example_predictions
    >>> from polyroc.utility import utility_curves
    >>> y, models, labels = example_predictions()
    >>> curves = utility_curves(
    ...     y,
    ...     models,
    ...     costs=lambda x: {("rare", "common"): x, ("rare", "frequent"): x},
    ...     over=[1, 10, 100],
    ...     labels=labels,
    ... )
    >>> curves.constants
    ('common', 'rare', 'rare')
    >>> curves
    cost 1 to 100: logistic (not clearly)
    """
    if not callable(costs):
        raise InvalidType(f"costs must be a function of a number, got {shown(costs)}.")
    read = _Read.of(y_true, models, labels, sample_weight, groups, (CONSTANT,))
    at = _increasing(over, "over")
    tables = [checked_costs(costs(x), read.classes) for x in at.tolist()]
    best = [int(np.argmin(read.shares @ table)) for table in tables]
    found = [
        mean_and_covariance(read.savings(table, constant), read.weights, read.groups)
        for table, constant in zip(tables, best, strict=True)
    ]
    constants = tuple(read.classes[k] for k in best)
    return read.curves(name, at, found, (CONSTANT,), constants)


@dataclass(frozen=True, eq=False)
class _Read:
    """Models of the same cases, as they were read."""

    first: Predictions
    probabilities: dict[str, Float64Array]
    groups: Any

    @classmethod
    def of(
        cls,
        y_true: Any,
        models: Any,
        labels: Any,
        sample_weight: Any,
        groups: Any,
        reserved: tuple[str, ...],
    ) -> "_Read":
        every = model_predictions(y_true, models, labels=labels, sample_weight=sample_weight)
        first = next(iter(every.values()))
        taken = [name for name in reserved if name in every]
        if taken:
            raise InvalidInput(f"{shown(taken[0])} is the name of a strategy. Rename the model.")
        if any(each.classes != first.classes for each in every.values()):
            raise InvalidInput("The models have different classes. Give labels= in one order.")
        if any(not np.array_equal(each.codes, first.codes) for each in every.values()):
            raise InvalidInput("The models have different true classes. Pass the same cases.")
        q = {
            name: np.asarray(each.probabilities("Net benefit"), dtype=np.float64)
            for name, each in every.items()
        }
        units = first.groups if groups is None else first.case_groups(groups)[0]
        return cls(first, q, units)

    @property
    def classes(self) -> tuple[Label, ...]:
        """In the order of the columns."""
        return self.first.classes

    @property
    def weights(self) -> Float64Array:
        """Of the cases."""
        return self.first.case_weights

    @property
    def shares(self) -> Float64Array:
        """Of the classes."""
        return self.first.priors

    def savings(self, table: Float64Array, constant: int) -> Float64Array:
        """(S, n) cost of the constant decision less that of each model's; 0 for itself."""
        codes = self.first.codes
        paid = [table[codes, least_cost(q, table)] for q in self.probabilities.values()]
        return np.array([table[codes, constant] - each for each in paid] + [np.zeros(len(codes))])

    def curves(
        self,
        position: str,
        at: Float64Array,
        found: list[tuple[Float64Array, Float64Array]],
        others: tuple[str, ...],
        constants: tuple[Any, ...] = (),
    ) -> BenefitCurves:
        """Means and covariances at each position, as a result."""
        n_units = len(self.weights if self.groups is None else np.unique(self.groups))
        return BenefitCurves(
            position,
            at,
            (*self.probabilities, *others),
            len(self.probabilities),
            np.array([means for means, _ in found]).T,
            np.array([covariance for _, covariance in found]),
            float(n_units - 1),
            constants,
        )


def _decision_curve(read: _Read, k: int, at: Float64Array) -> BenefitCurves:
    own = (read.first.codes == k).astype(np.float64)
    columns = [q[:, k] for q in read.probabilities.values()]
    found = []
    for t in at.tolist():
        gained = own - t / (1 - t) * (1 - own)
        acted = [np.where((p >= t * (1 - SLACK)) & (p > 0), gained, 0) for p in columns]
        rows = np.array([*acted, gained, np.zeros(len(own))])
        found.append(mean_and_covariance(rows, read.weights, read.groups))
    return read.curves("threshold", at, found, (ALL, NONE))


def _increasing(values: Any, name: str) -> Float64Array:
    try:
        at = np.asarray(list(values), dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidType(f"{name} must be numbers, got {shown(values)}.") from None
    ordered = at.ndim == 1 and all(a < b for a, b in pairwise(at.tolist()))
    if not (len(at) and ordered and np.isfinite(at).all()):
        raise InvalidInput(f"{name} must be increasing finite numbers, got {shown(values)}.")
    return at


def _checked_thresholds(thresholds: Any) -> Float64Array:
    at = _increasing(thresholds, "thresholds")
    if at[0] < 0 or at[-1] >= 1:
        raise InvalidInput(f"thresholds must lie in [0, 1), got {at[0]:g} to {at[-1]:g}.")
    return at
