"""Posterior probabilities of labelled cases: scores recalibrated on the other cases."""

from dataclasses import dataclass

import numpy as np

from polyroc._base.random import stream
from polyroc.calibration._likelihood import Cases, Fit, Form, fit, scores_of_cases, softmax
from polyroc.predictions import Predictions
from polyroc.typing import Float64Array, Int64Array

RIDGE = 0.1
"""Draws the recalibration towards the scores as they are, as a tenth of a case would: so that it
exists also where scores separate the classes."""

STEP = 0.05
"""By which log ratios are moved to find what depends on the recalibration."""


@dataclass(frozen=True, eq=False)
class Recalibrated:
    """Scores, and multinomial recalibrations of them, each fitted without the cases it serves.

    Attributes
    ----------
    cases : an intercept and log ratios of the scores to the last class, with the labels.
    priors : (N,) shares of the classes.
    folds : number of the recalibration of each case.
    tables : (folds, N, N) coefficients.
    whole : the recalibration fitted to all cases.
    """

    cases: Cases
    priors: Float64Array
    folds: Int64Array
    tables: Float64Array
    whole: Fit

    def likelihoods(self, shift: Float64Array | None = None) -> Float64Array:
        """(n, N) posteriors over priors; all recalibrations moved by a shift, (N, N)."""
        tables = self.tables if shift is None else self.tables + shift
        features = self.cases.features
        predictors = np.einsum("nf,nkf->nk", features, tables[self.folds])
        return np.ascontiguousarray(softmax(predictors) / self.priors)

    def in_sample(self) -> Float64Array:
        """Posteriors by the recalibration of all cases, for what folds would blur."""
        return softmax(self.cases.features @ self.whole.coefficients.T)

    def shifts(self) -> list[tuple[Float64Array, float]]:
        """A small shift of each free coefficient, and its size."""
        spread = np.sqrt(np.average(self.cases.features**2, axis=0, weights=self.cases.weights))
        found = []
        for row, column in zip(self.whole.form.rows, self.whole.form.columns, strict=True):
            size = STEP / max(float(spread[column]), STEP)
            shift = np.zeros(self.whole.form.held.shape)
            shift[row, column] = size
            found.append((shift, size))
        return found

    def influence(self) -> Float64Array:
        """(n, P) what each case adds to the coefficients: inverse information times its score."""
        scores = scores_of_cases(self.cases, self.whole.form, self.in_sample())
        return np.asarray(np.linalg.solve(self.whole.information, scores.T).T)


def recalibrated(
    predictions: Predictions, logs: Float64Array, n_folds: int, seed: int
) -> Recalibrated:
    """Recalibrations of cases with these logarithms of probabilities, by folds drawn at random."""
    weights = predictions.case_weights / predictions.case_weights.mean()
    features = np.column_stack([np.ones(len(logs)), logs[:, :-1] - logs[:, -1:]])
    cases = Cases(features, predictions.codes, weights)
    folds, form = _folds(predictions, n_folds, seed), _form(predictions.n_classes)
    tables = [
        fit(_without(cases, folds == each), form, RIDGE).coefficients for each in range(n_folds)
    ]
    priors = np.asarray(predictions.priors, dtype=np.float64)
    return Recalibrated(cases, priors, folds, np.array(tables), fit(cases, form, RIDGE))


def _form(n_classes: int) -> Form:
    """Intercepts and slopes of all classes but the last, from the probabilities as they are."""
    identity = np.insert(np.eye(n_classes)[1:], n_classes - 1, 0, axis=0)
    rows, columns = np.divmod(np.arange(n_classes * (n_classes - 1)), n_classes)
    return Form(np.zeros_like(identity), rows, columns, identity[rows, columns])


def _without(cases: Cases, left_out: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> Cases:
    kept = ~left_out
    return Cases(cases.features[kept], cases.codes[kept], cases.weights[kept])


def _folds(predictions: Predictions, n_folds: int, seed: int) -> Int64Array:
    """Folds of equal class shares; cases of one group share a fold."""
    rng = stream(seed, 2**32)
    if predictions.groups is not None:
        numbers = np.unique(predictions.groups, return_inverse=True)[1]
        order = rng.permutation(int(numbers.max()) + 1)
        return np.asarray(order[numbers] % n_folds, dtype=np.int64)
    folds = np.empty(len(predictions), dtype=np.int64)
    for members in predictions.members:
        folds[members] = rng.permutation(len(members)) % n_folds
    return folds
