"""Area and expected cost of binormal ROC curves over a grid of parameters.

The grids of Edwards & Metz 2007 §3: 250 × 250 values, a from 0 to 5 and b from 0 to 2 for the
conventional model, c from −1 to 1 and d_a from 0 to 4 for the proper one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from polyroc._base.checks import check_choice, whole_number
from polyroc.curves._binormal import BinormalCurve, binormal_area
from polyroc.curves._proper_binormal import ProperBinormalCurve, area_above_proper
from polyroc.typing import Float64Array
from polyroc.utility._binormal_cost import saec_binormal, saec_proper

if TYPE_CHECKING:
    import pandas as pd

ModelName = Literal["binormal", "proper"]
Range = tuple[float, float]
Point = tuple[float, float]
Segment = tuple[Point, Point]


@dataclass(frozen=True)
class CostModel:
    """A family of ROC curves with two parameters."""

    title: str
    parameters: tuple[str, str]
    axis_names: tuple[str, str]
    ranges: tuple[Range, Range]
    area_above: Callable[[Any, Any], Float64Array]
    """1 − AUC, which keeps its digits where AUC is near 1."""
    saec: Callable[[Any, Any], Float64Array]
    curve: type[BinormalCurve] | type[ProperBinormalCurve]
    area_name: str
    area_labels: Segment
    """Where lines of equal area are labelled: from one point to another."""
    saec_labels: Segment

    def named(self, point: tuple[float, float]) -> str:
        """Parameters in words."""
        return ", ".join(
            f"{name} = {value:g}" for name, value in zip(self.axis_names, point, strict=True)
        )


def _above_binormal(a: Any, b: Any) -> Float64Array:
    return binormal_area(np.negative(a), b)


MODELS = {
    "binormal": CostModel(
        "conventional binormal",
        ("a", "b"),
        ("a", "b"),
        ((0.0, 5.0), (0.0, 2.0)),
        _above_binormal,
        saec_binormal,
        BinormalCurve,
        "$A_z$",
        ((0.0, 1.45), (5.0, 1.45)),
        ((0.0, 0.95), (5.0, 0.95)),
    ),
    "proper": CostModel(
        "proper binormal",
        ("c", "d_a"),
        ("c", "$d_a$"),
        ((-1.0, 1.0), (0.0, 4.0)),
        area_above_proper,
        saec_proper,
        ProperBinormalCurve,
        "AUC",
        ((0.0, 0.0), (-0.75, 4.0)),
        ((0.0, 0.0), (0.75, 4.0)),
    ),
}


def model_named(name: str) -> CostModel:
    """The model of that name."""
    check_choice(name, "model", tuple(MODELS))
    return MODELS[name]


@dataclass(frozen=True, eq=False)
class CostGrid:
    """Both metrics over a grid: rows go with the second parameter, columns with the first."""

    model: CostModel
    first: Float64Array
    second: Float64Array
    area_above: Float64Array
    saec: Float64Array

    @classmethod
    def over(
        cls, model: CostModel, n_values: int, ranges: tuple[Range, Range] | None = None
    ) -> "CostGrid":
        """n_values² points over the ranges, by default those of the paper."""
        n = whole_number(n_values, "n_values", least=2)
        first, second = (np.linspace(*limits, n) for limits in ranges or model.ranges)
        x, y = np.meshgrid(first, second)
        return cls(model, first, second, model.area_above(x, y), model.saec(x, y))

    @property
    def area(self) -> Float64Array:
        """A_z or AUC."""
        return 1 - self.area_above

    def frame(self) -> "pd.DataFrame":
        """A row per point of the grid: both parameters, area and saec."""
        import pandas as pd

        x, y = np.meshgrid(self.first, self.second)
        columns = (x, y, self.area, self.saec)
        names = (*self.model.parameters, "area", "saec")
        return pd.DataFrame(
            {name: column.ravel() for name, column in zip(names, columns, strict=True)}
        )
