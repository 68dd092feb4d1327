"""The AUC of R's riskRegression, for given predictions and in cross-validation; cvAUC's formula.

``risk_regression.R`` made the cases and the numbers with Debian's riskRegression 2022.11.28. What
it has of ours: the AUC, DeLong's standard errors and the difference of two models for given
predictions, and with ``split.method="bootcv"`` the mean over splits of the AUC of the cases left
out, which is our mean over folds. Its ``se`` there is the standard deviation over the splits, and
says nothing of new cases; for ``"cv5"`` and its like it has no AUC.
"""

import csv
import math
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from polyroc import Predictions, compare, evaluate

HERE = Path(__file__).parent
GIVEN = {
    "a": (0.635428571428571, 0.0734993065220597, 0.491372577756665, 0.779484565100478),
    "b": (0.735428571428571, 0.0667213901051156, 0.604657049824098, 0.866200093033045),
}
DIFFERENCE = (0.1, 0.0956187072432479, -0.0874092224450451, 0.287409222445045, 0.295643934913824)
"""b − a: difference, standard error, limits, p-value."""
SPLITS = {
    "a": (0.492307692307692, 0.591666666666667, 0.6, 0.575),
    "b": (0.6, 0.558333333333333, 0.742857142857143, 0.625),
}
MEANS = {"a": 0.564743589743590, "b": 0.631547619047619}


def cases(path: Path = HERE / "risk_regression.csv") -> tuple[np.ndarray, ...]:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    columns = [[float(row[name]) for row in rows] for name in ("split", "case", "y", "a", "b")]
    return tuple(map(np.array, columns))


def test_given_predictions():
    split, _, y, *risks = (column[cases()[0] == 0] for column in cases())
    assert len(split) == 60
    for name, risk in zip("ab", risks, strict=True):
        found = evaluate(y.astype(int), risk, ["roc_auc"])["roc_auc"]
        low, high, *_ = found.interval(scale="plain", small_sample=False)
        made = found.value, found.standard_error, low, high
        assert made == pytest.approx(GIVEN[name], rel=1e-12), name
    models = dict(zip("ba", risks[::-1], strict=True))
    compared = compare(y.astype(int), models, ["roc_auc"], reference="normal")
    (row,) = compared.differences
    low, high, *_ = row.interval(0.95)
    made = row.difference, row.standard_error, low, high, row.p_value
    assert made == pytest.approx(DIFFERENCE, rel=1e-12)


def test_cases_left_out_by_bootstrap_splits():
    split, case, y, *risks = (column[cases()[0] > 0] for column in cases())
    for name, risk in zip("ab", risks, strict=True):
        held_out = Predictions(y.astype(int), risk, folds=split.astype(int))
        found = evaluate(held_out, metrics=["roc_auc"], groups=case.astype(int))["roc_auc"]
        assert found.value == pytest.approx(MEANS[name], rel=1e-12)
        by_fold = found.settings["by_fold"].values()
        assert list(by_fold) == pytest.approx(SPLITS[name], rel=1e-12)


@pytest.mark.slow
def test_the_record_is_what_r_prints(tmp_path):
    """Where the package is installed."""
    r = shutil.which("Rscript")
    installed = r and subprocess.run(
        [r, "-e", "q(status = !requireNamespace('riskRegression', quietly = TRUE))"], check=False
    )
    if not installed or installed.returncode:
        pytest.skip("R has no package riskRegression here")
    target = tmp_path / "cases.csv"
    done = subprocess.run(
        [r, str(HERE / "risk_regression.R"), str(target)],
        check=True,
        capture_output=True,
        text=True,
    )
    for recorded, made in zip(cases(), cases(target), strict=True):
        np.testing.assert_allclose(made, recorded, rtol=1e-10)
    printed = {word for word in done.stdout.split() if word.startswith(("0.", "-0."))}
    numbers = np.array(sorted(map(float, printed)))
    for expected in (*GIVEN["a"], *GIVEN["b"], *DIFFERENCE, *MEANS.values(), *SPLITS["a"]):
        assert np.abs(numbers - expected).min() < 1e-12, expected


def by_cv_auc(y: np.ndarray, score: np.ndarray, folds: np.ndarray) -> tuple[float, float]:
    """Mean of the folds' AUCs and its standard error as LeDell, Petersen & van der Laan give it.

    The influence curve of a positive case of fold v is (share of the fold's negatives below it −
    AUC_v)/P(Y = 1), that of a negative one (share of positives above − AUC_v)/P(Y = 0), P being the
    shares in all cases; its mean square within folds, averaged over the folds, is divided by n.
    """
    n, values, squares = len(y), [], []
    for v in sorted(set(folds.tolist())):
        positives = [s for s, c, f in zip(score, y, folds, strict=True) if f == v and c == 1]
        negatives = [s for s, c, f in zip(score, y, folds, strict=True) if f == v and c == 0]
        pairs = [(a > b) for a in positives for b in negatives]
        auc = sum(pairs) / len(pairs)
        below = [sum(b < a for b in negatives) / len(negatives) - auc for a in positives]
        above = [sum(a > b for a in positives) / len(positives) - auc for b in negatives]
        total = sum((d * n / y.sum()) ** 2 for d in below)
        total += sum((d * n / (n - y.sum())) ** 2 for d in above)
        values.append(auc)
        squares.append(total / (len(positives) + len(negatives)))
    return sum(values) / len(values), math.sqrt(sum(squares) / len(squares) / n)


def test_the_formula_of_cv_auc():
    """It divides by n_kv where ours, as DeLong's, divides by n_kv − 1."""
    rng = np.random.default_rng(8)
    for size in (3, 7, 20):
        y, folds = np.tile(np.repeat([0, 1], size), 5), np.repeat(np.arange(5), 2 * size)
        score = rng.normal(size=len(y)) + y + folds  # folds differ in level: pooling would be wrong
        value, error = by_cv_auc(y, score, folds)
        found = evaluate(Predictions(y, score, folds=folds), metrics=["roc_auc"])["roc_auc"]
        assert found.value == pytest.approx(value, rel=1e-12)
        assert found.standard_error == pytest.approx(
            error * math.sqrt(size / (size - 1)), rel=1e-10
        )
