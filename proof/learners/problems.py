"""Public data sets of three classes and more: scikit-learn's own and those of R."""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.model_selection import (
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    train_test_split,
)

sys.path.insert(0, str(Path(__file__).parents[1]))
from mlbench import convert

sys.path.pop(0)  # its folder "coverage" would be taken for the package of that name

MOST, FEWEST, FOLDS, REPEATS = 1000, 10, 5, 2
"""Cases of a data set, cases of a class, folds, and how often they are drawn."""
MLBENCH = "Vehicle", "Glass", "Vowel", "Satellite", "DNA", "LetterRecognition", "Shuttle"
Splits = list[tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Problem:
    """Features, classes, and who the cases belong to, where that is known."""

    X: np.ndarray
    y: np.ndarray
    groups: np.ndarray | None = None

    @classmethod
    def of(cls, X: np.ndarray, y: np.ndarray, groups: np.ndarray | None = None) -> "Problem":
        """A stratified part of at most 1000 cases, without classes of fewer than 10."""
        rows = np.arange(len(y))
        if len(y) > MOST:
            rows = train_test_split(rows, train_size=MOST, stratify=y, random_state=0)[0]
        names, counts = np.unique(y[rows], return_counts=True)
        rows = np.sort(rows[np.isin(y[rows], names[counts >= FEWEST])])
        return cls(X[rows], y[rows].astype(str), None if groups is None else groups[rows])

    def splits(self) -> Splits:
        """Five folds, twice; a group is in one fold."""
        if self.groups is None:
            cv = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=REPEATS, random_state=0)
            return list(cv.split(self.X, self.y))
        drawn = (StratifiedGroupKFold(FOLDS, shuffle=True, random_state=k) for k in range(REPEATS))
        return [pair for cv in drawn for pair in cv.split(self.X, self.y, self.groups)]


def problems(folder: Path) -> dict[str, Problem]:
    """By name; those of mlbench are converted into the folder."""
    convert(folder, *MLBENCH)
    own = {"iris": load_iris, "wine": load_wine, "digits": load_digits}
    found = {name: Problem.of(*load(return_X_y=True)) for name, load in own.items()}
    return found | {name: _of_mlbench(folder, name) for name in MLBENCH}


def _of_mlbench(folder: Path, name: str) -> Problem:
    """The folds of Vowel are by speaker, which is no feature."""
    table = pd.read_csv(folder / f"{name}.csv")
    y = table.pop(table.columns[0 if name == "LetterRecognition" else -1]).to_numpy()
    speakers = table.pop("V1").to_numpy() if name == "Vowel" else None
    return Problem.of(table.to_numpy(dtype=float), y, speakers)
