"""Columns that are classes without cases, told by what they contain and by how they are named.

Scores of a table whose columns are named by the classes alone stand among other columns. One of
these is a class if rows of probabilities sum to 1 only together with it, or if it is named like
the classes but for a number: ``class_2`` beside ``class_0`` and ``class_1``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc.predictions._scores import SUM_TOLERANCE
from polyroc.typing import Float64Array

ROUNDED = 0.005
"""By how much a number of two decimals may be wrong."""

NEARLY_ALL = 0.99
"""Share of the rows that sum to 1: a few may be damaged."""

_MOST = 10
"""Columns of which all subsets are tried; of more, those that least squares find."""
_MOST_FITTED = 500
_ROWS = 2000
"""Rows on which subsets are tried before all rows are looked at."""


def are_complete(own: Float64Array, rounded: float = 0.0) -> bool:
    """Whether all rows of some columns, (n, k), sum to 1."""
    least = max(SUM_TOLERANCE, rounded * own.shape[1])
    return bool((np.abs(own.sum(axis=1) - 1) <= least).all())


def completing(own: Float64Array, others: Mapping[str, Float64Array]) -> list[tuple[str, ...]]:
    """The smallest sets of other columns with which rows sum to 1 that do not by themselves."""
    shares = {name: values for name, values in others.items() if _are_shares(values)}
    sums = own.sum(axis=1)
    for rounding in (0.0, ROUNDED):
        found: list[tuple[str, ...]] = []
        for names in _subsets(sums, shares):
            least = max(SUM_TOLERANCE, rounding * (own.shape[1] + len(names)))
            smaller = any(set(each) <= set(names) for each in found)
            if not smaller and _complete(sums, [shares[name] for name in names], least):
                found.append(names)
        if found:
            return found
    return []


def named_alike(own: Sequence[str], others: Sequence[str]) -> list[str]:
    """Names that differ from all of some names, which differ in numbers alone, only so, too.

    Examples
    --------
    >>> named_alike(["class_0", "class_1"], ["class_2", "age", "class"])
    ['class_2']
    >>> named_alike(["ill", "well"], ["age"])
    []
    """
    forms = {_form(name) for name in own}
    numbered = len(forms) == 1 and "#" in next(iter(forms))
    return [name for name in others if numbered and _form(name) in forms]


def _form(name: str) -> str:
    return re.sub(r"[0-9]+", "#", name.replace("#", " ").strip().casefold())


def _are_shares(values: Float64Array) -> bool:
    """Whether numbers may be probabilities; a missing one is none."""
    inside = (values >= -SUM_TOLERANCE) & (values <= 1 + SUM_TOLERANCE)
    return bool(inside.all() and (values > SUM_TOLERANCE).any())


def _complete(sums: Float64Array, columns: Sequence[Float64Array], least: float) -> bool:
    """Whether columns are what rows lack: on some of the rows first, for there may be many sets."""
    every = max(1, len(sums) // _ROWS)
    for step in (every, 1) if every > 1 else (1,):
        lack = 1 - sums[::step]
        right = np.abs(np.sum([each[::step] for each in columns], axis=0) - lack) <= least
        lacking = np.abs(lack) > least
        halves = [right[lacking], right[~lacking]]
        if any(half.size and half.mean() < NEARLY_ALL for half in halves):
            return False
    return bool(lacking.any())


def _subsets(sums: Float64Array, shares: Mapping[str, Float64Array]) -> Iterator[tuple[str, ...]]:
    """Sets of columns that may complete the rows, small ones first."""
    names = tuple(shares)
    if len(names) <= _MOST:
        for size in range(1, len(names) + 1):
            yield from combinations(names, size)
        return
    yield from ((name,) for name in names)
    if len(names) <= _MOST_FITTED:
        every = max(1, len(sums) // _ROWS)
        table: NDArray[Any] = np.column_stack([values[::every] for values in shares.values()])
        weights = np.linalg.lstsq(table, 1 - sums[::every], rcond=None)[0]
        yield tuple(name for name, weight in zip(names, weights, strict=True) if weight > 1 / 2)
    yield names
