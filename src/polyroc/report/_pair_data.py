"""Pairs of many classes inside the page, so that those of one class can be looked up."""

from typing import Any

import numpy as np

from polyroc.report._content import Content, ModelContent
from polyroc.report._packing import packed
from polyroc.report._tables import MOST_CLASSES
from polyroc.typing import Float64Array, IntArray

SEARCHED = 10
"""Pairs of each class that can be looked up, the hardest ones."""
OF_MANY = 5
"""The same where there are more than a hundred classes."""
STEPS = 65_534
"""AUCs are whole numbers of these in the page; one more is none."""


def searched(n_classes: int) -> int:
    """Pairs of each class that can be looked up."""
    return min(n_classes - 1, SEARCHED if n_classes <= 100 else OF_MANY)


def pairs_data(content: Content) -> dict[str, Any] | None:
    """Of each model the classes of its pairs, both AUCs and their limits; None of few classes."""
    if len(content.classes) <= MOST_CLASSES:
        return None
    return {
        "names": [model.name for model in content.models],
        "models": [_model_pairs(model) for model in content.models],
    }


def _model_pairs(model: ModelContent) -> dict[str, Any]:
    first, second = hardest(model.pairs)
    both = [
        table[places]
        for places in ((first, second), (second, first))
        for table in (model.pairs, *model.pair_limits)
    ]
    return {
        "classes": [packed(first), packed(second)],
        "numbers": [packed(_whole(each)) for each in both],
    }


def hardest(pairs: Float64Array) -> tuple[IntArray, IntArray]:
    """The pairs that are among the hardest of one of their classes, the hardest first.

    Examples
    --------
    >>> pairs = np.array([[np.nan, 0.9, 0.6], [0.9, np.nan, 0.7], [0.6, 0.7, np.nan]])
    >>> first, second = hardest(pairs)
    >>> list(zip(first.tolist(), second.tolist()))
    [(0, 2), (1, 2), (0, 1)]
    """
    n_classes = len(pairs)
    both = (pairs + pairs.T) / 2
    worst = np.argsort(both, axis=1, kind="stable")[:, : searched(n_classes)]  # NaN comes last
    rows = np.repeat(np.arange(n_classes), worst.shape[1])
    ends = np.sort(np.column_stack([rows, worst.ravel()]), axis=1)
    first, second = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0).T
    order = np.argsort(both[first, second], kind="stable")
    return first[order], second[order]


def _whole(values: Float64Array) -> IntArray:
    """Shares as whole numbers; what is not exactly 0 or 1 does not become so."""
    inside = np.clip(np.rint(STEPS * np.nan_to_num(values)), 1, STEPS - 1)
    whole = np.where(values <= 0, 0, np.where(values >= 1, STEPS, inside))
    return np.where(np.isnan(values), STEPS + 1, whole).astype(np.int64)
