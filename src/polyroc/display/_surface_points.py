"""Operating points at the edges of a ROC surface: some errors least, then others."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from polyroc.display._surfaces import checked_surface
from polyroc.errors import InvalidInput, NotDefined
from polyroc.surface._costs import matrices, pair_index
from polyroc.surface._operating_point import SurfacePoint
from polyroc.typing import BoolArray, Float64Array

if TYPE_CHECKING:
    from polyroc.surface._front import RocSurface

Pair: TypeAlias = tuple[Any, Any]

ROUNDING = 1e-12
"""Sums of rates that differ by less are equal."""


def least_in_turn(surface: "RocSurface", *groups: Iterable[Pair]) -> SurfacePoint:
    """The point with the least sum of the rates of one group, among equals of the next, and so on.

    Each group holds errors as (truth, decided). Among points that are equal in all groups the one
    with the least total error is taken, and the first of those.

    Examples
    --------
    >>> from polyroc.surface import ScoreModel, search
    >>> model = ScoreModel([0, 1, 0, 1], [0.1, 0.35, 0.4, 0.8])
    >>> surface = search(model, generations=10, rng=0, progress=False)
    >>> least_in_turn(surface, [(1, 0)]).confusion
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    surface = checked_surface(surface)
    wanted = [tuple(group) for group in groups]
    if not wanted or not all(wanted):
        raise InvalidInput("Name at least one error as (truth, decided) in each group.")
    tables = matrices(surface.rates, surface.n_classes)
    kept, sums = np.ones(len(surface), dtype=bool), []
    for group in wanted:
        sums.append(_sum_of(tables, group, surface))
        kept = _least(sums[-1], kept)
    total = tables.sum(axis=2) @ surface.priors()
    index = int(np.flatnonzero(kept)[np.argmin(total[kept])])
    return _point(surface, index, _words(wanted), float(sums[0][index]))


def _sum_of(tables: Float64Array, group: tuple[Pair, ...], surface: "RocSurface") -> Float64Array:
    places = [pair_index(pair, surface.classes) for pair in group]
    return np.asarray(sum(tables[:, row, column] for row, column in places))


def _least(values: Float64Array, kept: BoolArray) -> BoolArray:
    return np.asarray(kept & (values <= values[kept].min() + ROUNDING))


def _words(groups: list[tuple[Pair, ...]]) -> str:
    parts = [" + ".join(f"{truth}→{decided}" for truth, decided in group) for group in groups]
    return "least " + ", then ".join(parts)


def _point(surface: "RocSurface", index: int, criterion: str, value: float) -> SurfacePoint:
    return SurfacePoint(
        index,
        surface.confusion[index],
        surface.costs[index],
        surface.parameters[index],
        surface.classes,
        criterion,
        value,
        surface,
    )


def three_ways_to_decide(surface: "RocSurface") -> tuple[SurfacePoint, SurfacePoint, SurfacePoint]:
    """The points of Everson & Fieldsend 2006, Figures 3 and 4, on a surface of three classes.

    Least total error; every case of the second class right, and then the first and third apart;
    no other case taken for the second class.
    """
    surface = checked_surface(surface)
    if surface.n_classes != 3:
        raise NotDefined(f"These points need three classes, got {surface.n_classes}.")
    one, two, three = surface.classes
    return (
        surface.choose(criterion="total_error"),
        least_in_turn(surface, [(two, one), (two, three)], [(three, one), (one, three)]),
        least_in_turn(surface, [(one, two), (three, two)]),
    )
