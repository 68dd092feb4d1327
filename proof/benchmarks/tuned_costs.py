"""Held-out expected cost of argmax, of the Bayes rule of the costs, and of tuned costs.

The design was fixed before any of its nine cells was run: three data sets of scikit-learn, each
with a classifier that is usual for it and hard enough for costs to matter, and the same three cost
tables for all. Classes are in order, so that "too low" means something. Twenty stratified splits,
40 % held out. Intervals of the mean paired difference to argmax are the corrected resampled t of
Nadeau & Bengio (2003), which allows for the overlap of the splits.
"""

import sys

import numpy as np
from sklearn.datasets import load_diabetes, load_digits, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.naive_bayes import GaussianNB

from polyroc._base.levels import two_sided_quantile
from polyroc.surface.classifiers.cost_sensitive import decide
from polyroc.surface.classifiers.tuned import TunedCostClassifierCV

N_SPLITS, HELD_OUT = 20, 0.4


def data_sets() -> dict[str, tuple]:
    """Name: cases, classes, classifier."""
    digits, digit = load_digits(return_X_y=True)
    patients, progression = load_diabetes(return_X_y=True)
    third = np.digitize(progression, np.quantile(progression, [1 / 3, 2 / 3]))
    flowers, species = load_iris(return_X_y=True)
    return {
        "digits, naive Bayes": (digits, digit, GaussianNB()),
        "diabetes thirds, forest": (patients, third, RandomForestClassifier(random_state=0)),
        "iris sepals, logistic": (flowers[:, :2], species, LogisticRegression()),
    }


def cost_tables(n_classes: int) -> dict[str, np.ndarray]:
    """Name: what errors cost, a row per true class."""
    truth, decided = np.indices((n_classes, n_classes))
    wrong = (truth != decided).astype(float)
    return {
        "distance |k − j|": np.abs(truth - decided).astype(float),
        "last class 10": np.where(truth == n_classes - 1, 10, 1) * wrong,
        "too low 5, too high 1": np.where(decided < truth, 5, 1) * wrong,
    }


def held_out(X, y, classifier, costs, split) -> tuple[float, float, float]:
    """Mean cost of the three rules on the held-out cases of a split."""
    train, test = split
    tuner = TunedCostClassifierCV(classifier, costs=costs, random_state=0).fit(X[train], y[train])
    p = tuner.predict_proba(X[test])
    rules = (1 - np.eye(len(costs)), costs, tuner.costs_)
    return tuple(float(costs[y[test], decide(p, rule)].mean()) for rule in rules)


def interval(differences: np.ndarray) -> tuple[float, float]:
    """95 % limits of a mean over random splits: variance · (1/J + n_test/n_train)."""
    spread = differences.var(ddof=1) * (1 / len(differences) + HELD_OUT / (1 - HELD_OUT))
    reach = two_sided_quantile(0.95, len(differences) - 1) * np.sqrt(spread)
    return differences.mean() - reach, differences.mean() + reach


def told(differences: np.ndarray) -> str:
    """Mean and limits in one line."""
    low, high = interval(differences)
    return f"{differences.mean():+.3f} ({low:+.3f}, {high:+.3f})"


if __name__ == "__main__":
    splitter = StratifiedShuffleSplit(N_SPLITS, test_size=HELD_OUT, random_state=0)
    print(
        f"{'data':24} {'costs':22} argmax   Bayes   tuned   "
        "tuned − argmax (95 % interval)   tuned − Bayes (95 % interval)"
    )
    lower = []
    for data, (X, y, classifier) in data_sets().items():
        splits = list(splitter.split(X, y))
        for name, costs in cost_tables(len(np.unique(y))).items():
            results = np.array([held_out(X, y, classifier, costs, split) for split in splits])
            argmax, bayes, tuned = results.T
            means = "  ".join(f"{mean:6.3f}" for mean in results.mean(axis=0))
            print(f"{data:24} {name:22} {means}   {told(tuned - argmax)}   {told(tuned - bayes)}")
            lower.append((tuned - argmax).mean() < 0)
    print(f"tuned costs are below argmax in {sum(lower)} of {len(lower)} cells")
    sys.exit(not all(lower))
