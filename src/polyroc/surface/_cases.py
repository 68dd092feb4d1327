"""The labelled cases on which a search counts errors."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import shown
from polyroc._base.lazy import lazy_property
from polyroc.errors import InvalidInput
from polyroc.predictions._classes import (
    Declared,
    classes_of,
    encode,
    listed,
    present_classes,
)
from polyroc.predictions._containers import read_labels, read_scores
from polyroc.predictions._frames import column_names
from polyroc.predictions._gate import names_for_messages
from polyroc.predictions._scores import as_table, check_finite
from polyroc.predictions._weights import checked_weights
from polyroc.typing import Float64Array, Int64Array, Label, LabelsLike, ScoresLike, WeightsLike


@dataclass(frozen=True, eq=False)
class Cases:
    """True classes and weights of n cases.

    Attributes
    ----------
    classes : the K classes.
    codes : (n,) position in ``classes`` of each case's class.
    weights : (n,), all 1 unless given.
    rows : positions of the cases among those given (a case of weight 0 is left out).
    n_given : number of cases given.
    grouped : whether cases belong to groups; there are no intervals then, which take cases as
        independent.
    """

    classes: tuple[Label, ...]
    codes: Int64Array
    weights: Float64Array
    rows: NDArray[np.intp]
    n_given: int
    grouped: bool = False

    @lazy_property
    def class_weights(self) -> Float64Array:
        """Sum of the weights in each class."""
        totals = np.bincount(self.codes, self.weights, minlength=len(self.classes))
        return totals.astype(np.float64)

    @lazy_property
    def counted(self) -> bool:
        """Whether all weights are whole numbers, so that their sums are exact."""
        return bool((self.weights == np.floor(self.weights)).all())

    def __len__(self) -> int:
        return len(self.codes)


def cases_of(
    y: LabelsLike, labels: LabelsLike | None = None, sample_weight: WeightsLike | None = None
) -> Cases:
    """Labels and weights, checked; every class needs a case."""
    classes = classes_of(y, labels)
    if len(classes) < 2:
        raise InvalidInput(f"At least two classes are needed, got {shown(list(classes))}.")
    values, _ = read_labels(y)
    codes = encode(values, Declared(classes, tuple(range(len(classes))))).astype(np.int64)
    weights, rows = checked_weights(sample_weight, len(codes))
    kept = np.arange(len(codes)) if rows is None else rows
    present_classes(codes[kept], classes, "raise")
    known = np.ones(len(kept)) if weights is None else weights
    return Cases(classes, codes[kept], known, kept, len(codes))


def read_features(X: ScoresLike) -> Float64Array:
    """Features as an (n, p) table of finite numbers."""
    table, columns = read_scores(X, "X")
    table = as_table(table)
    check_finite(table, names_for_messages(columns, table.shape[1]), "X")
    return np.ascontiguousarray(table, dtype=np.float64)


def feature_names(X: ScoresLike) -> tuple[str, ...] | None:
    """Names of the columns of a frame of features, if they are all strings; else None."""
    columns = column_names(X)
    if columns is None or not columns.given or len(columns.names) != np.shape(X)[-1]:
        return None
    return columns.names if all(isinstance(name, str) for name in columns.names) else None


def check_features(X: ScoresLike, expected: tuple[str, ...] | None) -> None:
    """Whether new cases have the features of the model in their order, where both have names."""
    names = feature_names(X)
    if expected is None or names is None or names == expected:
        return
    raise InvalidInput(
        f"X has the columns {listed(names)}, but the model was made with {listed(expected)}. "
        "Pass these in this order, or X.to_numpy() if its columns are the same under other names."
    )


def check_columns(X: Float64Array, expected: int) -> None:
    """Whether new cases have the features that a model was made with."""
    if X.shape[1] != expected:
        raise InvalidInput(
            f"X has {X.shape[1]} columns but the model was made with {expected}. "
            "Pass the same features in the same order."
        )
