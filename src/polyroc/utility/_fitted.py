"""Fitted binormal curves: parameters with their uncertainty, frozen."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyroc.curves._binormal import BinormalCurve
from polyroc.curves._proper_binormal import ProperBinormalCurve
from polyroc.typing import Float64Array

_NUDGE = 1e-5


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Fit(ABC):
    """What both fits have in common.

    Attributes
    ----------
    covariance : (2, 2) of the two parameters; NaN where it does not exist.
    log_likelihood : of the categories.
    converged : whether a maximum was found. If not, the parameters are those at which the search
        stopped on its way to the limit that ``note`` names.
    iterations : Newton steps taken.
    n_categories : number of categories, or of truth-state runs.
    operating_points : (m − 1, 2) FPF and TPF on the curve of the boundaries between categories,
        from the strictest on.
    note : what is unusual about the fit, or None.
    """

    covariance: Float64Array
    log_likelihood: float
    converged: bool
    iterations: int
    n_categories: int
    operating_points: Float64Array
    note: str | None

    @property
    @abstractmethod
    def parameters(self) -> dict[str, float]:
        """The two parameters by name."""

    @property
    @abstractmethod
    def curve(self) -> BinormalCurve | ProperBinormalCurve:
        """The fitted curve."""

    @abstractmethod
    def _nearby(self, first: float, second: float) -> BinormalCurve | ProperBinormalCurve: ...

    @property
    def standard_errors(self) -> dict[str, float]:
        """Standard errors of the two parameters by name."""
        errors = np.sqrt(np.diag(self.covariance)).tolist()
        return dict(zip(self.parameters, errors, strict=True))

    @property
    def area(self) -> float:
        """Area under the fitted curve."""
        return self.curve.area

    @property
    def area_standard_error(self) -> float:
        """Of the area, by the delta method."""
        return self._delta("area")

    @property
    def saec(self) -> float:
        """Surface-averaged expected cost of the fitted curve."""
        return self.curve.saec

    @property
    def saec_standard_error(self) -> float:
        """Of the SAEC, by the delta method."""
        return self._delta("saec")

    def _delta(self, quantity: str) -> float:
        """Delta method; a parameter without a variance beside one that has it does not matter."""
        known = ~np.isnan(np.diag(self.covariance))
        if not known.any():
            return math.nan
        centre, slope = np.array(list(self.parameters.values())), np.zeros(2)
        for i in np.flatnonzero(known):
            nudge = _NUDGE * np.eye(2)[i]
            ahead, back = self._nearby(*(centre + nudge)), self._nearby(*(centre - nudge))
            slope[i] = (getattr(ahead, quantity) - getattr(back, quantity)) / (2 * _NUDGE)
        return math.sqrt(float(slope[known] @ self.covariance[np.ix_(known, known)] @ slope[known]))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: a number that does not exist is None."""
        errors = {f"{name}_standard_error": each for name, each in self.standard_errors.items()}
        numbers = {**self.parameters, **errors, "area": self.area, "saec": self.saec}
        return {
            **{key: None if math.isnan(number) else number for key, number in numbers.items()},
            "log_likelihood": self.log_likelihood,
            "converged": self.converged,
            "iterations": self.iterations,
            "n_categories": self.n_categories,
            "note": self.note,
        }

    def __repr__(self) -> str:
        errors = self.standard_errors
        shown = (f"{name} = {x:.4f} ± {errors[name]:.4f}" for name, x in self.parameters.items())
        end = "" if self.converged else ", not converged"
        return f"{type(self).__name__}({', '.join(shown)}{end})"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BinormalFit(Fit):
    """Conventional binormal curve fitted to data."""

    a: float
    b: float

    @property
    def parameters(self) -> dict[str, float]:
        return {"a": self.a, "b": self.b}

    @property
    def curve(self) -> BinormalCurve:
        return BinormalCurve(self.a, self.b)

    def _nearby(self, first: float, second: float) -> BinormalCurve:
        return BinormalCurve(first, abs(second))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ProperFit(Fit):
    """Proper binormal curve fitted to data."""

    c: float
    d_a: float

    @property
    def parameters(self) -> dict[str, float]:
        return {"c": self.c, "d_a": self.d_a}

    @property
    def curve(self) -> ProperBinormalCurve:
        return ProperBinormalCurve(self.c, self.d_a)

    def _nearby(self, first: float, second: float) -> ProperBinormalCurve:
        return ProperBinormalCurve(min(max(first, -1.0), 1.0), abs(second))
