"""What the decisions of models cost at given costs, and whether one is cheaper than another."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from polyroc._base.adjustment import holm_adjusted
from polyroc._base.checks import shown
from polyroc._base.levels import check_level, two_sided_quantile
from polyroc._base.sums import sum_by_class
from polyroc._base.tables import text_table
from polyroc.errors import InvalidInput, InvalidType, UnknownName
from polyroc.predictions import Predictions
from polyroc.predictions._given import model_predictions
from polyroc.results import Interval
from polyroc.statistics.spread import class_spread
from polyroc.surface._certainty import NO_VARIATION
from polyroc.surface._costs import CostsLike, checked_costs, least_cost
from polyroc.surface._point_certainty import Linear
from polyroc.typing import (
    Float64Array,
    Int64Array,
    Label,
    LabelsLike,
    PriorsLike,
    ScoresLike,
    WeightsLike,
)

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class ModelCost:
    """Expected cost of deciding with one model.

    Attributes
    ----------
    value : Σ_k π_k times the mean cost of the decisions for class k.
    confusion : (K, K) share of each class (row) decided as each class.
    """

    value: float
    confusion: Float64Array
    _quantity: Linear
    _cases: Float64Array

    def interval(self, level: float = 0.95) -> Interval:
        """Wilson's limits for an effective number of cases, with a t quantile."""
        check_level(level)
        return self._quantity.interval(self.confusion, self._cases, level)

    def __repr__(self) -> str:
        low, high, *_ = self.interval()
        limits = f"95 % interval {low:.4f} to {high:.4f}"
        told = "no interval: a class has one case" if math.isnan(low) else limits
        return f"expected cost = {self.value:.4f} ({told})"


@dataclass(frozen=True)
class CostDifference:
    """Cost of model a minus that of model b, on the same cases; negative if a is cheaper."""

    model_a: str
    model_b: str
    difference: float
    standard_error: float
    degrees_of_freedom: float
    p_value: float
    p_adjusted: float = math.nan

    def interval(self, level: float = 0.95) -> Interval:
        """Confidence limits of the difference."""
        reach = two_sided_quantile(level, self.degrees_of_freedom) * self.standard_error
        return Interval(self.difference - reach, self.difference + reach, level, "plain")


@dataclass(frozen=True, eq=False, repr=False)
class CostComparison(Mapping[str, ModelCost]):
    """Expected costs of models by name, and their differences.

    Attributes
    ----------
    models : the expected cost of each model.
    differences : a row per pair, p-values adjusted by Holm.
    costs : (K, K) the whole table, 1 where an error was not named.
    priors : (K,) of the classes.
    classes : in their order.
    """

    models: Mapping[str, ModelCost]
    differences: tuple[CostDifference, ...]
    costs: Float64Array
    priors: Float64Array
    classes: tuple[Label, ...]

    def __getitem__(self, name: str) -> ModelCost:
        if name not in self.models:
            raise UnknownName(f"{shown(name)} is not a model. There are {', '.join(self.models)}.")
        return self.models[name]

    def __iter__(self) -> Any:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    def frame(self, level: float = 0.95) -> "pd.DataFrame":
        """A row per pair: model_a, model_b, difference, standard_error, low, high, p-values."""
        import pandas as pd

        return pd.DataFrame(self._rows(level))

    def _rows(self, level: float) -> list[dict[str, Any]]:
        return [
            {
                "model_a": each.model_a,
                "model_b": each.model_b,
                "difference": each.difference,
                "standard_error": each.standard_error,
                "low": each.interval(level).low,
                "high": each.interval(level).high,
                "p_value": each.p_value,
                "p_adjusted": each.p_adjusted,
            }
            for each in self.differences
        ]

    def __repr__(self) -> str:
        lines = [f"{name}: {each}" for name, each in self.models.items()]
        return "\n".join([*lines, *([text_table(self._rows(0.95))] if self.differences else [])])


def compare_costs(
    y_true: LabelsLike,
    models: Mapping[str, ScoresLike],
    costs: CostsLike,
    *,
    labels: LabelsLike | None = None,
    sample_weight: WeightsLike | None = None,
    priors: PriorsLike | None = None,
    normalize: bool = False,
) -> CostComparison:
    """What models cost at your costs, each deciding for the lowest expected cost, case by case.

    The expected cost is Σ_k π_k E[cost of the decision | class k]. Two models are compared on the
    same cases: the standard error is that of the differences of their costs within classes, with t
    and Satterthwaite's degrees of freedom.

    Parameters
    ----------
    y_true : true class of each case.
    models : probabilities by name of the model, a row per case and a column per class. Columns with
        names are matched by them, and may be in another order in each model.
    costs : K × K table (a frame is matched by its names) or mapping from (truth, decided) to a
        cost, 1 where an error is not named.
    labels : the classes in the order of the columns; by default the sorted ones of y_true.
    sample_weight : weight of each case; 0 is the same as leaving the case out.
    priors : of the classes where the models will be used; probabilities are adjusted to them. By
        default the shares of the sample.
    normalize : divide each row of scores by its sum.

    Returns
    -------
    CostComparison
        Expected costs by name, each with ``interval(level)``; ``differences``, ``frame()``.

    Examples
    --------
    >>> from polyroc.datasets import example_predictions
    >>> from polyroc.utility import compare_costs
    >>> y, models, labels = example_predictions()
    >>> result = compare_costs(y, models, {("rare", "common"): 10}, labels=labels)
    >>> result["logistic"]
    expected cost = 0.2659 (95 % interval 0.2154 to 0.3255)
    >>> result.frame()[["model_a", "model_b"]].values.tolist()
    [['logistic', 'forest'], ['logistic', 'bayes'], ['forest', 'bayes']]
    """
    if not isinstance(models, Mapping) or not models:
        raise InvalidType(f"models must map names to scores, got {shown(models)}.")
    given = {"labels": labels, "sample_weight": sample_weight, "normalize": normalize}
    every = model_predictions(y_true, models, **given)
    first = next(iter(every.values()))
    if any(each.classes != first.classes for each in every.values()):
        raise InvalidInput("The models have different classes. Give labels= in one order.")
    table, shares = checked_costs(costs, first.classes), first.priors_or(priors)
    ratios = shares / first.priors
    decided = {
        name: least_cost(each.probabilities("costs").astype(np.float64), table * ratios[:, None])
        for name, each in every.items()
    }
    known = {name: _cost(first, each, table, shares) for name, each in decided.items()}
    paid = {name: table[first.codes, each] for name, each in decided.items()}
    pairs = [
        _difference(first, (a, b), paid[a] - paid[b], shares) for a, b in combinations(every, 2)
    ]
    return CostComparison(known, _holm(pairs), table, shares, first.classes)


def _cost(
    cases: Predictions, decided: Int64Array, table: Float64Array, priors: Float64Array
) -> ModelCost:
    weights, n_classes = cases.case_weights, cases.n_classes
    confusion = np.zeros((n_classes, n_classes))
    np.add.at(confusion, (cases.codes, decided), weights)
    confusion /= cases.class_weights[:, None]
    quantity = Linear(table * priors[:, None])
    squares = sum_by_class(cases.codes, weights**2, n_classes)
    effective = np.asarray(cases.class_weights**2 / squares)
    return ModelCost(quantity.value(confusion), confusion, quantity, effective)


def _difference(
    cases: Predictions, names: tuple[str, str], costs: Float64Array, priors: Float64Array
) -> CostDifference:
    """The mean of paired differences, class by class."""
    from scipy.special import stdtr

    sums = sum_by_class(cases.codes, costs * cases.case_weights, cases.n_classes)
    means = sums / cases.class_weights
    moved = priors[cases.codes] * (costs - means[cases.codes])
    spread = class_spread(moved, cases.codes, cases.case_weights, cases.n_classes)
    value = float(priors @ means)
    error = math.sqrt(spread.variance)
    error = error if error > NO_VARIATION * float(np.abs(costs).max()) else math.nan
    p_value = float(2 * stdtr(spread.freedom, -abs(value) / error))
    return CostDifference(*names, value, error, spread.freedom, p_value)


def _holm(rows: list[CostDifference]) -> tuple[CostDifference, ...]:
    """Rows with Holm's adjusted p-values; tests that do not exist are not counted."""
    adjusted = holm_adjusted([row.p_value for row in rows])
    return tuple(replace(row, p_adjusted=value) for row, value in zip(rows, adjusted, strict=True))
