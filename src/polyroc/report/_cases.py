"""The cases inside the page, and how both sides decide them.

The page decides again whenever a cost is moved, and must count the same errors as Python does. So
both decide on scores rounded to single precision, add products from the first class to the last in
double precision, and take the first of equal costs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import name_of
from polyroc.predictions import Predictions
from polyroc.predictions._slices import Attribute
from polyroc.surface._costs import TIED_SINGLE, least_cost
from polyroc.typing import Float64Array, Int64Array, IntArray

SCORE_BYTES = 1_140_000
"""Most bytes of cases in a page; in base64 they take a third more, of the 2 MB a page may have."""

TABLE_BYTES = 14_000
"""Less than that for each model after the third, whose tables and curves take room as well."""

SEED = 20_080_601
"""Of the sample of cases where not all fit."""


@dataclass(frozen=True, eq=False)
class PageCases:
    """Cases whose scores are in the page.

    Attributes
    ----------
    rows : (m,) position of each case among those given.
    codes : (m,) position of its true class.
    weights : (m,), or None where every case weighs the same.
    scores : (m, K) probabilities in single precision, of each model that has them.
    n_cases : number of cases from which these were drawn.
    groups : (m,) number of the group of each case, or None where cases are independent.
    slices : attributes of these cases.
    ids : names of these cases, or None where they have none.
    """

    rows: Int64Array
    codes: Int64Array
    weights: Float64Array | None
    scores: Mapping[str, NDArray[np.float32]]
    n_cases: int
    groups: Int64Array | None = None
    slices: tuple[Attribute, ...] = ()
    ids: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def n_bytes(self) -> int:
        """Bytes that the cases take in the page, before they are written as base64."""
        per_case = (4 if self.sampled else 0) + (0 if self.weights is None else 8) + 1
        per_case += (0 if self.groups is None else 4) + int(self.codes.max(initial=0) > 255)
        per_case += len(self.slices)
        named = sum(len(each) + 3 for each in self.ids or ())
        return named + len(self) * per_case + sum(scores.nbytes for scores in self.scores.values())

    @property
    def sampled(self) -> bool:
        """Whether some cases were left out."""
        return len(self) < self.n_cases


def page_cases(
    predictions: Predictions,
    rows: IntArray,
    probabilities: Mapping[str, Any],
    groups: IntArray | None = None,
    slices: tuple[Attribute, ...] = (),
    ids: NDArray[Any] | None = None,
) -> PageCases:
    """All cases, or a stratified sample where they would make the page too large."""
    n_models = len(probabilities)
    most = SCORE_BYTES - TABLE_BYTES * max(0, n_models - 3)
    per_case = 4 * predictions.n_classes * max(n_models, 1) + 1  # scores and class
    per_case += (predictions.n_classes > 256) + len(slices)  # at most 200 slices: one byte
    names = None if ids is None else [name_of(each, "A case") for each in ids]
    if names:
        per_case += 3 + sum(map(len, names)) // len(names)
    per_case += (0 if predictions.weights is None else 8) + (0 if groups is None else 4)
    if len(predictions) * per_case > most:
        per_case += 4  # the row, which then cannot be counted
    chosen = stratified(predictions.codes, most // per_case)
    return PageCases(
        np.asarray(rows)[chosen].astype(np.int64),
        predictions.codes[chosen].astype(np.int64),
        None if predictions.weights is None else predictions.weights[chosen],
        {name: table[chosen].astype(np.float32) for name, table in probabilities.items()},
        len(predictions),
        None if groups is None else np.unique(groups[chosen], return_inverse=True)[1],
        tuple(attribute.of(chosen) for attribute in slices),
        None if names is None else tuple(names[i] for i in chosen.tolist()),
    )


def stratified(codes: IntArray, most: int) -> NDArray[np.intp]:
    """Positions of about ``most`` cases in their order, of each class the same share, one at least.

    Examples
    --------
    >>> len(stratified(np.repeat([0, 1], [90, 10]), 20))
    20
    >>> stratified(np.array([1, 0, 1]), 20)
    array([0, 1, 2])
    """
    if len(codes) <= most:
        return np.arange(len(codes))
    order = np.random.default_rng(SEED).permutation(len(codes))
    share = most / len(codes)
    members = [order[codes[order] == k] for k in np.unique(codes)]
    kept = [each[: max(1, int(len(each) * share))] for each in members]
    return np.sort(np.concatenate(kept))


def decide(scores: NDArray[np.float32], costs: Sequence[Sequence[float]]) -> Int64Array:
    """The decision for each case, exactly as the page makes it.

    Examples
    --------
    >>> p = np.array([[0.75, 0.25], [0.5, 0.5]], dtype=np.float32)
    >>> decide(p, [[0, 1], [4, 0]]), decide(p, [[0, 1], [1, 0]])
    (array([1, 1]), array([0, 0]))
    """
    table = np.asarray(costs, dtype=np.float64)
    return least_cost(scores.astype(np.float64), table, TIED_SINGLE)


def confusion(
    scores: NDArray[np.float32],
    codes: IntArray,
    costs: Sequence[Sequence[float]],
    weights: Float64Array | None = None,
) -> Float64Array:
    """(K, K) weight of the cases of each class (row) classified as each class, as in the page."""
    n_classes = scores.shape[1]
    cells = codes.astype(np.int64) * n_classes + decide(scores, costs)
    table = np.bincount(cells, weights, minlength=n_classes**2)
    return table.reshape(n_classes, n_classes).astype(np.float64)
