"""Tests of intercepts and slopes: likelihood ratios, or Wald's where cases are not alike."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polyroc._base.checks import shown
from polyroc._base.tables import html_table, text_table, without_nan
from polyroc.errors import UnknownName
from polyroc.typing import Float64Array

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class CalibrationTest:
    """A test of one hypothesis about intercepts and slopes.

    Attributes
    ----------
    hypothesis : ``"intercepts"``, ``"slopes"``, ``"diagonal_slopes"`` or ``"joint"``.
    statistic : twice the difference of log-likelihoods, or Wald's F.
    df : degrees of freedom: parameters that the hypothesis fixes.
    ddf : of the denominator of F; infinite for a likelihood ratio, which is referred to χ².
    p_value : NaN where there are too few groups for a test.
    method : ``"likelihood ratio"``, or ``"wald"`` where cases have weights or groups.
    """

    hypothesis: str
    statistic: float
    df: int
    ddf: float
    p_value: float
    method: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: a number that does not exist, or is infinite, is None."""
        return without_nan(vars(self))


@dataclass(frozen=True, repr=False)
class CalibrationTests(Mapping[str, CalibrationTest]):
    """Tests by hypothesis; ``statistic``, ``df`` and ``p_value`` are those of the joint one.

    ``"intercepts"``: all are 0, given slopes of 1. ``"slopes"``: the table of slopes is the
    identity, whatever the intercepts. ``"diagonal_slopes"``: the same for models in which the log
    ratio of a class depends on its own alone; it depends on the reference class. ``"joint"``:
    intercepts are 0 and slopes the identity.
    """

    tests: tuple[CalibrationTest, ...]

    @property
    def statistic(self) -> float:
        """Of the joint test."""
        return self["joint"].statistic

    @property
    def df(self) -> int:
        """Of the joint test."""
        return self["joint"].df

    @property
    def p_value(self) -> float:
        """Of the joint test."""
        return self["joint"].p_value

    def __getitem__(self, hypothesis: str) -> CalibrationTest:
        for each in self.tests:
            if each.hypothesis == hypothesis:
                return each
        names = ", ".join(each.hypothesis for each in self.tests)
        raise UnknownName(f"{shown(hypothesis)} is not a hypothesis. There are {names}.")

    def __iter__(self) -> Iterator[str]:
        return (each.hypothesis for each in self.tests)

    def __len__(self) -> int:
        return len(self.tests)

    def frame(self) -> "pd.DataFrame":
        """A row per test: hypothesis, statistic, df, ddf, p_value, method."""
        import pandas as pd

        return pd.DataFrame([vars(each) for each in self.tests])

    def __repr__(self) -> str:
        return text_table([vars(each) for each in self.tests])

    def _repr_html_(self) -> str:
        return html_table([vars(each) for each in self.tests])


def ratio_test(hypothesis: str, lower: float, higher: float, df: int) -> CalibrationTest:
    """Twice the difference of two log-likelihoods, referred to χ²."""
    from scipy.special import chdtrc

    statistic = max(2 * (higher - lower), 0.0)
    p_value = float(chdtrc(df, statistic))
    return CalibrationTest(hypothesis, statistic, df, math.inf, p_value, "likelihood ratio")


def wald_test(
    hypothesis: str, moved: Float64Array, covariance: Float64Array, n_units: int
) -> CalibrationTest:
    """Hotelling's F for parameters that should be 0, from so many independent units."""
    from scipy.special import fdtrc

    df, ddf = len(moved), n_units - len(moved)
    if ddf < 1 or not np.isfinite(covariance).all():
        return CalibrationTest(hypothesis, math.nan, df, float(ddf), math.nan, "wald")
    square = float(moved @ np.linalg.solve(covariance, moved))
    statistic = square * ddf / (df * (n_units - 1))
    return CalibrationTest(
        hypothesis, statistic, df, float(ddf), float(fdtrc(df, ddf, statistic)), "wald"
    )
