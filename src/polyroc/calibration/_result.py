"""What a recalibration finds: intercepts, slopes, their uncertainty and tests, frozen."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polyroc._base.levels import check_level, two_sided_quantile
from polyroc._base.tables import html_table, text_table, without_nan
from polyroc.calibration._likelihood import softmax
from polyroc.calibration._log_ratios import log_floored, probability_rows
from polyroc.calibration._tests import CalibrationTests
from polyroc.errors import NotDefined
from polyroc.results import Note
from polyroc.typing import Float64Array, Label, ScoresLike

if TYPE_CHECKING:
    import pandas as pd

Rows = list[dict[str, Any]]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Recalibration:
    """Intercepts and slopes of a multinomial recalibration; see :func:`recalibration`.

    Attributes
    ----------
    classes : the K classes in the order of the columns.
    reference : the class in the denominator of every log ratio.
    compared : the other K − 1 classes, the order of all that follows.
    intercepts : (K − 1,) given slopes of 1: how far the probabilities are off on average.
    intercept_errors : (K − 1,) their standard errors.
    slopes : (K − 1, K − 1), row j the slopes of the log ratio of class j.
    slope_errors : (K − 1, K − 1) their standard errors.
    intercepts_beside_slopes, intercepts_beside_slopes_errors : (K − 1,) of the fit that has the
        slopes.
    diagonal_slopes, diagonal_slope_errors : (K − 1,) of the fit in which the log ratio of a class
        depends on its own alone; they depend on the reference class.
    covariance : (K(K − 1), K(K − 1)) of intercepts and slopes of the full fit, class by class: the
        intercept, then the slopes.
    log_likelihoods : by model: ``"as_given"``, ``"intercepts"``, ``"diagonal"``, ``"full"``.
    n_cases : number of cases.
    floor : probabilities below it were raised to it; None: there was none.
    notes : what else should be known about the fit.
    """

    classes: tuple[Label, ...]
    reference: Label
    intercepts: Float64Array
    intercept_errors: Float64Array
    slopes: Float64Array
    slope_errors: Float64Array
    intercepts_beside_slopes: Float64Array
    intercepts_beside_slopes_errors: Float64Array
    diagonal_slopes: Float64Array
    diagonal_slope_errors: Float64Array
    covariance: Float64Array
    log_likelihoods: Mapping[str, float]
    n_cases: int
    floor: float | None
    notes: tuple[Note, ...]
    _tests: CalibrationTests

    @property
    def compared(self) -> tuple[Label, ...]:
        """The classes other than the reference."""
        return tuple(label for label in self.classes if label != self.reference)

    def test(self) -> CalibrationTests:
        """Whether the probabilities are calibrated: intercepts, slopes, and both together.

        Returns
        -------
        CalibrationTests
            A mapping from ``"intercepts"``, ``"slopes"``, ``"diagonal_slopes"`` and ``"joint"`` to
            tests with ``statistic``, ``df`` and ``p_value``.

        Examples
        --------
        >>> from polyroc.calibration import recalibration
        >>> from polyroc.datasets import example_predictions
        >>> y, models, labels = example_predictions()
        >>> recalibration(y, models["logistic"], labels=labels).test()["intercepts"].df
        2
        """
        return self._tests

    def apply(self, y_score: ScoresLike) -> Float64Array:
        """Recalibrated probabilities of other cases, by the full fit.

        Parameters
        ----------
        y_score : (n, K) probabilities, with the columns in the order of ``classes`` or named.

        Returns
        -------
        (n, K) probabilities, with the columns in the order of ``classes``.
        """
        q = probability_rows(y_score, self.classes)
        if self.floor is None and not (q > 0).all():
            row = int(np.argwhere(q <= 0)[0][0])
            raise NotDefined(
                f"A probability of 0, as in row {row}, has no logarithm. "
                "Pass floor= to recalibration to allow for such cases."
            )
        logs = np.log(q) if self.floor is None else log_floored(q, self.floor)
        reference = self.classes.index(self.reference)
        others = [k for k in range(len(self.classes)) if k != reference]
        predictors = np.zeros(q.shape)
        ratios = logs[:, others] - logs[:, [reference]]
        predictors[:, others] = self.intercepts_beside_slopes + ratios @ self.slopes.T
        return softmax(predictors)

    def frame(self, level: float = 0.95) -> "pd.DataFrame":
        """A row per parameter: parameter, class, by, value, standard_error, low, high, calibrated.

        ``by`` is the class whose log ratio a slope multiplies, and ``calibrated`` the value that
        calibrated probabilities have.
        """
        import pandas as pd

        return pd.DataFrame(self._rows(level))

    def _rows(self, level: float) -> Rows:
        check_level(level)
        names, n = self.compared, len(self.compared)
        rows: Rows = []
        plain = (
            ("intercept", self.intercepts, self.intercept_errors),
            (
                "intercept beside slopes",
                self.intercepts_beside_slopes,
                self.intercepts_beside_slopes_errors,
            ),
        )
        for name, values, errors in plain:
            rows += [_row(name, names[j], "", values[j], errors[j], 0.0, level) for j in range(n)]
        slopes, of_slopes = self.slopes.tolist(), self.slope_errors.tolist()
        rows += [
            _row("slope", names[j], names[m], slopes[j][m], of_slopes[j][m], float(j == m), level)
            for j in range(n)
            for m in range(n)
        ]
        kind, values, errors = "diagonal slope", self.diagonal_slopes, self.diagonal_slope_errors
        rows += [_row(kind, names[j], names[j], values[j], errors[j], 1.0, level) for j in range(n)]
        return rows

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "classes": list(self.classes),
            "reference": self.reference,
            "level": level,
            "parameters": [without_nan(row) for row in self._rows(level)],
            "tests": [each.to_dict() for each in self._tests.tests],
            "log_likelihoods": dict(self.log_likelihoods),
            "n_cases": self.n_cases,
            "floor": self.floor,
            "notes": [note._asdict() for note in self.notes],
        }

    def __repr__(self) -> str:
        head = f"Recalibration of {self.n_cases:,} cases, reference {self.reference!r}"
        notes = [f"note: {note.text}" for note in self.notes]
        return "\n".join([head, text_table(self._rows(0.95)), repr(self._tests), *notes])

    def _repr_html_(self) -> str:
        return html_table(self._rows(0.95)) + self._tests._repr_html_()


def _row(
    parameter: str,
    label: Label,
    by: Label,
    value: float,
    error: float,
    calibrated: float,
    level: float,
) -> dict[str, Any]:
    reach = two_sided_quantile(level) * float(error)
    return {
        "parameter": parameter,
        "class": label,
        "by": by,
        "value": float(value),
        "standard_error": float(error),
        "low": float(value) - reach,
        "high": float(value) + reach,
        "calibrated": calibrated,
    }
