"""Probabilities of each case by a classifier that was not fitted to it."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_method_params

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput
from polyroc.predictions._names import as_label
from polyroc.typing import Float64Array, Int64Array

Split = tuple[Int64Array, Int64Array]
Splits = list[Split]


def out_of_fold(
    estimator: Any,
    X: Any,
    y: Any,
    splits: Splits,
    known: Any,
    params: dict[str, Any],
    n_jobs: int | None,
) -> tuple[Float64Array, Int64Array]:
    """Probabilities (n, K), a column per known class, and the fold in which a case was tested."""
    parts = Parallel(n_jobs=n_jobs)(
        delayed(fold_probabilities)(estimator, X, y, split, params) for split in splits
    )
    probabilities, folds = np.empty((len(y), len(known))), np.empty(len(y), dtype=np.int64)
    for fold, ((_, test), (seen, p)) in enumerate(zip(splits, parts, strict=True)):
        check_fold(fold, seen, known, p)
        probabilities[test], folds[test] = p, fold
    return probabilities, folds


def checked_splits(splits: Splits, n_cases: int) -> Splits:
    """At least two folds in which each case is tested once."""
    tested = np.concatenate([np.arange(0), *(np.arange(n_cases)[test] for _, test in splits)])
    if len(splits) < 2 or not np.array_equal(np.sort(tested), np.arange(n_cases)):
        raise InvalidInput(
            f"cv must test each case exactly once in two or more folds, got {len(splits)} folds "
            f"with {len(tested)} tests of {n_cases} cases. Use StratifiedKFold or its like."
        )
    return splits


def fold_probabilities(
    estimator: Any, X: Any, y: Any, split: Split, params: dict[str, Any]
) -> tuple[Any, Float64Array]:
    """Classes and probabilities of the tested cases by a classifier fitted to the others."""
    train, test = split
    of_train = _check_method_params(X, params, indices=train)
    fitted = clone(estimator).fit(_safe_indexing(X, train), _safe_indexing(y, train), **of_train)
    probabilities = fitted.predict_proba(_safe_indexing(X, test))
    return fitted.classes_, np.asarray(probabilities, dtype=np.float64)


def check_fold(fold: int, seen: Any, known: Any, probabilities: Float64Array) -> None:
    """Whether a fold's classifier knows every class and gives finite probabilities."""
    missing = [label for label in known.tolist() if label not in set(seen.tolist())]
    if missing:
        raise InvalidInput(
            f"The class {shown(missing[0])} has no cases in the training part of fold {fold}, so "
            "its probabilities there do not exist. Use stratified folds, at least two cases of "
            "each class, or leave the class out."
        )
    if not np.isfinite(probabilities).all():
        raise InvalidInput(
            f"predict_proba of fold {fold} gives NaN or infinite probabilities. "
            "Check the classifier on these data."
        )


def positions(y: Any, known: Any) -> Int64Array:
    """The place of each label among the classes of the classifier."""
    unknown = ~np.isin(y, known)
    if unknown.any():
        raise InvalidInput(
            f"y contains {shown(as_label(y[unknown][0]))}, which the fitted classifier does not "
            "know. Leave these cases out."
        )
    order = np.argsort(known)
    return np.asarray(order[np.searchsorted(known, y, sorter=order)], dtype=np.int64)
