"""Cases of a recalibration, the models fitted to them, and the tests between these."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyroc._base.wording import plural
from polyroc.calibration._likelihood import (
    Cases,
    Fit,
    Form,
    fit,
    log_likelihood,
    scores_of_cases,
    separates,
    softmax,
)
from polyroc.calibration._result import Recalibration
from polyroc.calibration._tests import CalibrationTests, ratio_test, wald_test
from polyroc.errors import NotDefined
from polyroc.predictions import Predictions
from polyroc.results import Note
from polyroc.typing import Float64Array

_WORDS = {
    "intercepts": "intercepts alone",
    "diagonal": "a slope for each class",
    "full": "all slopes",
}
"""Models, from the smallest."""

_COMPARED = {
    "intercepts": ("as_given", "intercepts"),
    "slopes": ("intercepts", "full"),
    "diagonal_slopes": ("intercepts", "diagonal"),
    "joint": ("as_given", "full"),
}
"""The smaller and the larger model of each test."""

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Problem:
    """Cases with an intercept and log ratios as features, and what tells their independence."""

    predictions: Predictions
    cases: Cases
    place: int
    units: Any
    """Number of the group of each case; None where cases are independent."""
    alike: bool
    """Whether cases are independent and weigh the same: then likelihoods can be compared."""
    by_position: tuple[str, ...]

    @classmethod
    def of(cls, predictions: Predictions, logs: Float64Array, place: int, groups: Any) -> "Problem":
        ratios = np.delete(logs, place, axis=1) - logs[:, [place]]
        weights = predictions.case_weights / predictions.case_weights.mean()
        cases = Cases(np.column_stack([np.ones(len(logs)), ratios]), predictions.codes, weights)
        _check_rank(cases, predictions)
        units, by_position = predictions.groups, predictions.by_position
        if groups is not None:
            units, groups_by_position = predictions.case_groups(groups)
            by_position = (*by_position, *groups_by_position)
        alike = units is None and bool((weights == weights[0]).all())
        return cls(predictions, cases, place, units, alike, tuple(by_position))

    @property
    def n_units(self) -> int:
        """Independent units: groups, or cases."""
        return len(self.cases.codes if self.units is None else np.unique(self.units))

    @property
    def identity(self) -> Float64Array:
        """(K, K) coefficients that leave the probabilities as they are: a row per class."""
        n = self.predictions.n_classes
        return np.insert(np.eye(n)[1:], self.place, 0, axis=0)

    def form(self, kind: str) -> Form:
        """Free coefficients of a model: intercepts, also diagonal slopes, or all."""
        identity, free = self.identity, np.zeros(self.identity.shape, dtype=bool)
        others = np.arange(len(identity)) != self.place
        free[others, 0] = True
        if kind == "diagonal":
            free |= identity == 1
        elif kind == "full":
            free[others] = True
        rows, columns = np.nonzero(free)
        return Form(np.where(free, 0, identity), rows, columns, identity[free])

    def fitted(self, kind: str) -> Fit:
        """The maximum, or an error where there is none."""
        found = fit(self.cases, self.form(kind))
        if separates(self.cases, found):
            raise NotDefined(
                f"The recalibration with {_WORDS[kind]} has no maximum likelihood estimate: a "
                "combination of the log ratios separates classes completely, so that its slope "
                "grows without limit. Use more cases, join classes, or "
                "calibration.Recalibrated(estimator), whose ridge always gives an estimate."
            )
        if not found.settled:
            raise NotDefined(
                f"The recalibration with {_WORDS[kind]} did not converge in {found.steps} steps "
                "of Newton's method. Look for probabilities that differ by many orders of "
                "magnitude, and pass floor=, such as 1e-6."
            )
        return found

    def covariance(self, found: Fit) -> Float64Array:
        """The inverse information, or a sandwich of the scores of units."""
        inverse = np.linalg.inv(found.information)
        if self.alike:
            return np.asarray(inverse)
        probabilities = softmax(self.cases.features @ found.coefficients.T)
        scores = scores_of_cases(self.cases, found.form, probabilities)
        if self.units is not None:
            numbers = np.unique(self.units, return_inverse=True)[1]
            summed = np.zeros((self.n_units, scores.shape[1]))
            np.add.at(summed, numbers, scores)
            scores = summed
        meat = scores.T @ scores * (self.n_units / max(self.n_units - 1, 1))
        return np.asarray(inverse @ meat @ inverse)

    def solved(self, floor: float | None, notes: tuple[Note, ...]) -> Recalibration:
        """All fits, their standard errors and the tests."""
        fits = {kind: self.fitted(kind) for kind in _WORDS}
        spreads = {kind: self.covariance(found) for kind, found in fits.items()}
        likelihoods = {kind: found.log_likelihood for kind, found in fits.items()}
        likelihoods = {"as_given": log_likelihood(self.cases, self.identity), **likelihoods}
        n, full = self.predictions.n_classes, fits["full"].theta
        errors = {kind: np.sqrt(np.diag(spread)) for kind, spread in spreads.items()}
        tests = self._tested(fits, spreads, likelihoods)
        return Recalibration(
            classes=self.predictions.classes,
            reference=self.predictions.classes[self.place],
            intercepts=fits["intercepts"].theta,
            intercept_errors=errors["intercepts"],
            slopes=full.reshape(n - 1, n)[:, 1:],
            slope_errors=errors["full"].reshape(n - 1, n)[:, 1:],
            intercepts_beside_slopes=full[::n],
            intercepts_beside_slopes_errors=errors["full"][::n],
            diagonal_slopes=fits["diagonal"].theta[1::2],
            diagonal_slope_errors=errors["diagonal"][1::2],
            covariance=spreads["full"],
            log_likelihoods=likelihoods,
            n_cases=len(self.cases.codes),
            floor=floor,
            notes=(*notes, *self._notes(tests)),
            _tests=tests,
        )

    def _tested(
        self,
        fits: dict[str, Fit],
        spreads: dict[str, Float64Array],
        likelihoods: dict[str, float],
    ) -> CalibrationTests:
        tests = []
        for hypothesis, (lower, higher) in _COMPARED.items():
            theta, start = fits[higher].theta, fits[higher].form.start
            tested = np.ones(len(theta), dtype=bool)
            if lower == "intercepts":
                tested = fits[higher].form.columns > 0
            if self.alike:
                pair = likelihoods[lower], likelihoods[higher]
                tests.append(ratio_test(hypothesis, *pair, int(tested.sum())))
            else:
                spread = spreads[higher][np.ix_(tested, tested)]
                moved = (theta - start)[tested]
                tests.append(wald_test(hypothesis, moved, spread, self.n_units))
        return CalibrationTests(tuple(tests))

    def _notes(self, tests: CalibrationTests) -> Iterator[Note]:
        if self.predictions.folds is not None:
            yield Note("folds-pooled", "the cases of all folds are taken together")
        if self.by_position:
            names = ", ".join(self.by_position)
            text = f"rows of {names} were matched by position, although indexes differ"
            yield Note("rows-by-position", text)
        if not self.alike and self.n_units <= self.predictions.n_classes**2:
            yield Note("few-groups", self._few(tests))

    def _few(self, tests: CalibrationTests) -> str:
        """What so few independent units mean for the tests."""
        unit = "independent case" if self.units is None else "independent group"
        missing = sum(math.isnan(each.p_value) for each in tests.tests)
        if missing:
            few = f"too few for {missing} of the {len(tests)} tests"
        else:
            few = f"few for tests of up to {max(each.df for each in tests.tests)} parameters"
        return f"{plural(self.n_units, unit)} {'is' if self.n_units == 1 else 'are'} {few}"


def _check_rank(cases: Cases, predictions: Predictions) -> None:
    """Whether no log ratio is a combination of the others and of a constant."""
    centred = cases.features[:, 1:] - np.average(
        cases.features[:, 1:], axis=0, weights=cases.weights
    )
    spread = np.abs(centred).max(axis=0)
    flat = spread <= _ROUNDING * np.maximum(1, np.abs(cases.features[:, 1:]).max(axis=0))
    rank = (
        0 if flat.any() else np.linalg.matrix_rank(centred / spread, tol=_ROUNDING * len(centred))
    )
    if rank == centred.shape[1]:
        return
    raise NotDefined(
        f"The {centred.shape[1]} log ratios of the probabilities are linearly dependent, so that "
        f"their slopes cannot be told apart, for {len(centred):,} cases of "
        f"{predictions.n_classes} classes. Use a model whose probabilities differ between cases, "
        "more cases, or join classes."
    )
