"""An operating point as tables: how cases are decided, and the costs that decide so."""

import math
from typing import TYPE_CHECKING, Any

from polyroc.cli.screen import Titled, table

if TYPE_CHECKING:
    from polyroc.surface import SurfacePoint

MOST_ROWS = 20


def point_tables(point: "SurfacePoint", width: int) -> list[Titled]:
    """Confusion and costs as tables if they fit, else the most frequent errors as a list."""
    what = f"Operating point {point.index}: {point.criterion} {_value(point.value)}"
    names = [str(label) for label in point.classes]
    cell = max(8, *(len(name) for name in names)) + 1
    if max(len(name) for name in ("truth", *names)) + 2 + cell * len(names) <= width:
        tables = [
            _square(f"{what}. Share of each class classified as …", names, point.confusion, ".3f")
        ]
        if point.costs_asked is not None:
            title = "Costs requested, 1 where none was given"
            tables.append(_square(title, names, point.costs_asked, ".4g"))
        found = _square(FOUND, names, _relative(point.costs), ".3g")
        return [*tables, found, _intervals(point)]
    return [_listed(f"{what}. Most frequent errors", names, point)]


def _value(value: float) -> str:
    """With four decimals, or three digits where those would be lost."""
    return f"{value:.4f}" if value == 0 or abs(value) >= 0.01 else f"{value:.3g}"


def _intervals(point: "SurfacePoint") -> Titled:
    """What the point achieves, with 95 % intervals: its value, Youden's index, sensitivities."""
    made = table("With 95 % intervals", ["quantity"], ["value", "low", "high"])
    for row in point.rows():
        if row["quantity"] != "rate":
            told = row["quantity"] if row["truth"] is None else f"{row['quantity']} {row['truth']}"
            made.add(told, *(_share(row[name]) for name in ("value", "low", "high")))
    return made


def _share(value: float) -> str:
    """With three decimals, or three digits where those would be zeros."""
    form = ".3f" if value == 0 or abs(value) >= 0.0005 else ".3g"
    return "–" if math.isnan(value) else f"{value:{form}}"


FOUND = "Costs that lead to these decisions, largest 1 (only their ratios matter)"


def _relative(costs: Any) -> Any:
    """Costs over the largest: the scale of a search means nothing."""
    return costs / costs.max()


def _square(title: str, names: list[str], values: Any, form: str) -> Titled:
    made = table(title, ["truth"], names)
    for name, row in zip(names, values, strict=True):
        made.add(name, *(f"{value:{form}}" for value in row))
    return made


def _listed(title: str, names: list[str], point: "SurfacePoint") -> Titled:
    asked = point.costs_asked
    made = table(
        title,
        ["truth", "decided"],
        ["rate", "low", "high", "relative cost" if asked is None else "cost"],
    )
    costs = _relative(point.costs) if asked is None else asked
    pairs = [(a, b) for a in range(len(names)) for b in range(len(names)) if a != b]
    pairs.sort(key=lambda pair: -point.confusion[pair])
    for a, b in pairs[:MOST_ROWS]:
        rate, cost = point.confusion[a, b], costs[a, b]
        low, high, *_ = point.interval("rate", point.classes[a], point.classes[b])
        made.add(names[a], names[b], f"{rate:.3f}", _share(low), _share(high), f"{cost:.3g}")
    return made
