"""The splits of a cross-validation, checked before anything is fitted."""

import numbers
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import reason_of, shown, whole_number
from polyroc.errors import InvalidInput, InvalidType
from polyroc.inference._cross.cases import Cases
from polyroc.inference._folds import check_strata
from polyroc.typing import Absent, Int64Array, Label


@dataclass(frozen=True)
class Splits:
    """Cases to train on and to test on, in every split."""

    train: tuple[Int64Array, ...]
    test: tuple[Int64Array, ...]

    def __len__(self) -> int:
        return len(self.test)

    @property
    def rows(self) -> Int64Array:
        """The cases tested, split by split."""
        return np.concatenate(self.test)

    @property
    def folds(self) -> Int64Array:
        """The split of each of them."""
        return np.repeat(np.arange(len(self)), [len(each) for each in self.test])

    @property
    def repeated(self) -> bool:
        """Whether a case is tested several times."""
        rows = self.rows
        return len(np.unique(rows)) < len(rows)

    @property
    def overlap(self) -> float:
        """n_test/n_train, the mean over the splits."""
        pairs = zip(self.test, self.train, strict=True)
        return float(np.mean([len(test) / len(train) for test, train in pairs]))

    @classmethod
    def of(cls, cv: Any, X: Any, y: NDArray[Any], groups: Any, seed: int) -> "Splits":
        """Those of a splitter, of pairs of rows, or of a number of stratified folds."""
        from sklearn.model_selection import check_cv

        if isinstance(cv, numbers.Integral):
            cv = _stratified(whole_number(cv, "cv", least=2), groups is not None, seed)
        try:
            splitter = check_cv(cv)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a class with few cases: told below
                pairs = [(train, test) for train, test in splitter.split(X, y, groups)]
        except (ValueError, TypeError) as error:
            kind = InvalidType if isinstance(error, TypeError) else InvalidInput
            raise kind(
                f"cv={shown(cv)} cannot split these cases ({reason_of(error)}). Pass a number of "
                "folds, a splitter such as StratifiedKFold, or pairs of training and test rows."
            ) from None
        rows = np.arange(len(y))
        train, test = zip(*((rows[a], rows[b]) for a, b in pairs), strict=True)
        return cls(tuple(train), tuple(test))

    def check(self, cases: Cases, absent: Absent) -> None:
        """Whether every class can be learned, and tested, in every split."""
        classes = cases.classes
        for split, (train, test) in enumerate(zip(self.train, self.test, strict=True)):
            known = np.bincount(cases.codes[train], minlength=len(classes))
            if known.min() == 0:
                raise _missing("training part", split, classes[int(known.argmin())])
            tested = cases.units(test)
            if tested.min() == 0 and absent == "raise":
                raise _missing("test part", split, classes[int(tested.argmin())])
            check_strata(tested, split, classes, grouped=cases.groups is not None)


def _stratified(n_folds: int, grouped: bool, seed: int) -> Any:
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    kind = StratifiedGroupKFold if grouped else StratifiedKFold
    return kind(n_folds, shuffle=True, random_state=seed % (1 << 32))


def _missing(part: str, split: int, label: Label) -> InvalidInput:
    skip = "" if part == "training part" else ', or pass absent="skip"'
    return InvalidInput(
        f"The {part} of fold {split} has no cases of the class {shown(label)}. "
        f"Use StratifiedKFold with at most as many folds as the class has cases{skip}."
    )
