"""Analysis of variance of a reader study: Obuchowski & Rockette, with Hillis' degrees of freedom.

θ_ij is the value of modality i = 1…I for reader j = 1…J. Its errors are correlated, since all
readers read the same cases under all modalities; the correlations come from outside, as the
covariance matrix of the θ_ij over cases. Nothing here knows of cases or of metrics.

Var(ε), Cov1, Cov2 and Cov3 are the means of that matrix over: the diagonal; one reader, two
modalities; two readers, one modality; both different. Cov2 − Cov3 cannot be negative in the model
and is replaced by 0 where its estimate is, wherever it is part of a denominator or of Var(T·R). The
variance components themselves are reported as estimated, even if negative.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, get_args

import numpy as np

from polyroc.typing import BoolArray, Float64Array

Random = Literal["readers and cases", "cases", "readers"]
RANDOM: tuple[str, ...] = get_args(Random)

ROUNDING = 1e-24
"""Mean squares and variances up to this are rounding: values differ by less than 1e-12."""

CANCELLED = 1e-12
"""What is left of variances after subtraction is rounding if it is less than this share."""


class ReaderTest(NamedTuple):
    """Test that all modalities have the same mean.

    ``statistic`` is an F on ``df`` and ``ddf`` degrees of freedom; where readers are fixed, a χ² on
    ``df``, and ``ddf`` is infinite.
    """

    statistic: float
    df: int
    ddf: float
    p_value: float
    random: str


class Spread(NamedTuple):
    """A standard error with its degrees of freedom."""

    standard_error: float
    degrees_of_freedom: float


@dataclass(frozen=True, eq=False)
class Analysis:
    """Values (I, J) and their covariances (I, J, I, J) over cases."""

    values: Float64Array
    covariance: Float64Array

    @property
    def n_modalities(self) -> int:
        """I."""
        return int(self.values.shape[0])

    @property
    def n_readers(self) -> int:
        """J."""
        return int(self.values.shape[1])

    @property
    def means(self) -> Float64Array:
        """θ_i·, the mean of each modality over readers."""
        means: Float64Array = self.values.mean(axis=1)
        return means

    @cached_property
    def mean_squares(self) -> dict[str, float]:
        """MS(T), MS(R) and MS(TR): modalities, readers and their interaction."""
        (n_modalities, n_readers), grand = self.values.shape, self.values.mean()
        by_modality, by_reader = self.means - grand, self.values.mean(axis=0) - grand
        rest = self.values - grand - by_modality[:, None] - by_reader
        sums = {
            "t": n_readers * np.sum(by_modality**2) / (n_modalities - 1),
            "r": n_modalities * np.sum(by_reader**2) / (n_readers - 1),
            "tr": np.sum(rest**2) / ((n_modalities - 1) * (n_readers - 1)),
        }
        return {name: _cleaned(float(each)) for name, each in sums.items()}

    @cached_property
    def components(self) -> dict[str, float]:
        """Variance components, as estimated."""
        squares = self.mean_squares
        variance, cov1, cov2, cov3 = self._averages()
        excess = max(cov2 - cov3, 0.0)
        return {
            "var_r": (squares["r"] - squares["tr"]) / self.n_modalities - cov1 + cov3,
            "var_tr": squares["tr"] - variance + cov1 + excess,
            "cov1": cov1,
            "cov2": cov2,
            "cov3": cov3,
            "var_error": variance,
        }

    def _averages(self) -> tuple[float, float, float, float]:
        same_modality = np.eye(self.n_modalities, dtype=bool)[:, None, :, None]
        same_reader = np.eye(self.n_readers, dtype=bool)[None, :, None, :]

        def average(kind: BoolArray) -> float:
            return float(self.covariance[kind].mean())

        variance = average(same_modality & same_reader)
        cov1 = average(~same_modality & same_reader)
        cov2 = average(same_modality & ~same_reader)
        cov3 = average(~same_modality & ~same_reader)
        least = CANCELLED * variance  # sums in another order: modalities that are read alike
        cov1 = variance if abs(variance - cov1) <= least else cov1
        return variance, cov1, cov2, cov2 if abs(cov2 - cov3) <= least else cov3

    @property
    def excess(self) -> float:
        """max(Cov2 − Cov3, 0): what readers of one modality share beyond other readings."""
        return max(self.components["cov2"] - self.components["cov3"], 0.0)

    def error_mean_square(self, random: Random) -> Spread:
        """What MS(T) is divided by, with its degrees of freedom."""
        interaction = self.mean_squares["tr"]
        freedom = float((self.n_modalities - 1) * (self.n_readers - 1))
        if random == "readers":
            return Spread(interaction, freedom)
        if random == "readers and cases":
            return hillis(interaction, self.n_readers * self.excess, freedom)
        parts = self.components
        fixed = parts["var_error"] - parts["cov1"] + (self.n_readers - 1) * self.excess
        return Spread(_cleaned(fixed), math.inf)

    def test(self, random: Random) -> ReaderTest:
        """Test that the means of all modalities are equal; NaN where nothing varies."""
        from scipy.special import chdtrc

        df = self.n_modalities - 1
        error, ddf = self.error_mean_square(random)
        if error == 0:
            return ReaderTest(math.nan, df, ddf, math.nan, random)
        ratio = self.mean_squares["t"] / error
        if random == "cases":
            return ReaderTest(df * ratio, df, ddf, float(chdtrc(df, df * ratio)), random)
        return ReaderTest(ratio, df, ddf, upper_tail(ratio, df, ddf), random)

    def difference_spread(self, random: Random) -> Spread:
        """Of a difference between the means of two modalities: the same for every pair."""
        error, freedom = self.error_mean_square(random)
        return Spread(_root(2 * error / self.n_readers), freedom)

    def mean_spread(self, modality: int, random: Random) -> Spread:
        """Of the mean of one modality, from the readings of that modality only."""
        n_readers, own = self.n_readers, self.covariance[modality, :, modality, :]
        others = ~np.eye(n_readers, dtype=bool)
        shared = max(float(own[others].mean()), 0.0)
        if random == "cases":
            variance = float(np.diag(own).mean()) + (n_readers - 1) * shared
            return Spread(_root(variance / n_readers), math.inf)
        between = _cleaned(float(self.values[modality].var(ddof=1)))
        added = 0.0 if random == "readers" else n_readers * shared
        variance, freedom = hillis(between, added, n_readers - 1.0)
        return Spread(_root(variance / n_readers), freedom)

    def reader_spread(self, reader: int, first: int, second: int) -> float:
        """Standard error over cases of one reader's difference between two modalities."""
        own = self.covariance[:, reader, :, reader]
        both = float(own[first, first] + own[second, second])
        left = both - 2 * float(own[first, second])
        return _root(left) if left > CANCELLED * both else math.nan


def hillis(mean_square: float, added: float, freedom: float) -> Spread:
    """A mean square on ``freedom`` plus a constant, with Hillis' degrees of freedom for the sum."""
    total = mean_square + added
    if mean_square == 0:
        return Spread(_cleaned(total), math.inf if total > ROUNDING else freedom)
    return Spread(total, freedom * (total / mean_square) ** 2)


def upper_tail(ratio: float, df: float, ddf: float) -> float:
    """P(F > ratio); infinite ``ddf`` is χ²/df."""
    from scipy.special import chdtrc, fdtrc

    if math.isinf(ddf):
        return float(chdtrc(df, df * ratio))
    return float(fdtrc(df, ddf, ratio))


def _cleaned(square: float) -> float:
    return square if square > ROUNDING else 0.0


def _root(variance: float) -> float:
    """A standard error; NaN where nothing varies."""
    return math.sqrt(variance) if variance > ROUNDING else math.nan
