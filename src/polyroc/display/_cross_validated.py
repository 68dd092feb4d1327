"""Out-of-fold scores of a cross-validation that scikit-learn ran."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import shown
from polyroc.errors import InvalidInput
from polyroc.predictions import Predictions
from polyroc.predictions._classes import listed
from polyroc.predictions._containers import read_labels, read_weights
from polyroc.predictions._estimators import scores_of
from polyroc.predictions._rows import rows_by_position
from polyroc.typing import LabelsLike, WeightsLike


class HeldOut(NamedTuple):
    """Cases with their scores by the classifier of the fold that they were held out in."""

    by_fold: Predictions
    repeated: bool
    """Whether some case was held out in several folds."""

    def together(self, display: str) -> Predictions:
        """The cases of all folds as one sample, if each is in it once."""
        if self.repeated:
            raise InvalidInput(
                f"Some cases are tested in several folds, and {display} would count them as "
                "several cases. Pass the results of a cross-validation without repeats, or use "
                "RocCurvesDisplay, which has a curve per fold."
            )
        return self.by_fold.part(np.arange(len(self.by_fold)))


def cross_validated(
    cv_results: Mapping[str, Any], X: Any, y: LabelsLike, sample_weight: WeightsLike | None
) -> HeldOut:
    """The scores of each fold by the classifier that was trained without it."""
    from sklearn.utils import _safe_indexing

    estimators, tests = _fitted(cv_results)
    rows_by_position({"y": y, "X": X, "sample_weight": sample_weight})
    values = read_labels(y, "y")[0]
    last = max(int(test.max(initial=-1)) for test in tests)
    if last >= len(values):
        raise InvalidInput(
            f"cv_results tests the case {last}, but y has {len(values)} cases. Pass the X and y "
            "that were cross-validated."
        )
    classes = read_labels(estimators[0].classes_, "classes_")[0].tolist()
    scores = []
    for fold, (estimator, test) in enumerate(zip(estimators, tests, strict=True)):
        _check_learned(estimator, fold, values)
        scores.append(scores_of(estimator, _safe_indexing(X, test)))
    rows = np.concatenate(tests)
    held_out = Predictions(
        values[rows],
        np.concatenate(scores),
        labels=classes,
        sample_weight=None if sample_weight is None else read_weights(sample_weight)[rows],
        folds=np.repeat(np.arange(len(tests)), [len(test) for test in tests]),
    )
    return HeldOut(held_out, len(np.unique(rows)) < len(rows))


def _fitted(cv_results: Mapping[str, Any]) -> tuple[list[Any], list[NDArray[np.intp]]]:
    """The classifiers of the folds, and the cases that each was tested on."""
    missing = [name for name in ("estimator", "indices") if name not in cv_results]
    if missing:
        raise InvalidInput(
            f"cv_results has no {' and no '.join(map(repr, missing))}. Call cross_validate with "
            "return_estimator=True and return_indices=True."
        )
    estimators, tests = list(cv_results["estimator"]), list(cv_results["indices"]["test"])
    if not estimators or len(estimators) != len(tests):
        raise InvalidInput(
            f"cv_results has {len(estimators)} estimators and {len(tests)} sets of tested cases. "
            "Pass what cross_validate returned, as it is."
        )
    return estimators, [np.asarray(test) for test in tests]


def _check_learned(estimator: Any, fold: int, values: NDArray[Any]) -> None:
    """Whether the classifier of a fold knows all classes: its training cases may lack one."""
    known = read_labels(estimator.classes_, "classes_")[0].tolist()
    unknown = set(values.tolist()) - set(known)
    if unknown:
        raise InvalidInput(
            f"The classifier of fold {fold} was trained without cases of class "
            f"{shown(min(unknown, key=str))}; it knows {listed(known)}. Split with "
            "StratifiedKFold, so that every training set has cases of every class."
        )
