"""How the values of slices vary together, and tests of contrasts between them.

The slices of an attribute share no cases, so each case contributes to the value of its own slice
only: u_i, as in :mod:`polyroc.inference._influence`, computed within the slice. Cases in groups are
summed within a slice first, c_gs = Σ_{i in g and s} u_i, and then

    V_st = Σ_g c_gs c_gt,

which is 0 between slices that have no group in common. A contrast a of the values has the variance
aᵀVa, and with ν_s the degrees of freedom of the value of slice s Satterthwaite's

    ν = (Σ_s a_s² V_ss)² / Σ_s (a_s² V_ss)²/ν_s.

All q = S − 1 contrasts at once are tested by Johansen's (1980) form of Welch's test: with the V_ss
whitened to matrices W_s with Σ_s W_s = I,

    T² = dᵀ V⁻¹ d,    D = ½ Σ_s [tr W_s² + (tr W_s)²]/ν_s,

and T²/(q + 2D − 6D/(q + 2)) has an F distribution with q and q(q + 2)/(3D) degrees of freedom. For
independent slices this is Welch's analysis of variance, for two slices his t test. A group in
several slices is counted once: ν_s is divided by the number of slices that the groups of slice s
are in, on average, and no test has more degrees of freedom than there are groups less 1.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.inference._influence import satterthwaite
from polyroc.inference._spread import LEAST_DENOMINATOR, ROUNDING
from polyroc.typing import Float64Array


@dataclass(frozen=True)
class SliceSpread:
    """Covariances of the values of S slices, and what is known of them."""

    covariance: Float64Array
    """V (S, S)."""
    known: Float64Array
    """ν_s: degrees of freedom of each slice."""
    most: float = math.inf
    """No test has more degrees of freedom than this."""

    def of(self, kept: Sequence[int]) -> "SliceSpread":
        """Of some of the slices."""
        return SliceSpread(self.covariance[np.ix_(kept, kept)], self.known[kept], self.most)

    @property
    def variances(self) -> Float64Array:
        """Of each slice."""
        return np.diag(self.covariance)

    def variance(self, contrast: Float64Array) -> float:
        """aᵀVa; 0 where slices that share their groups leave nothing but rounding."""
        found, apart = contrast @ self.covariance @ contrast, contrast**2 @ self.variances
        return float(found) if found > ROUNDING * apart else 0.0

    def freedom(self, contrast: Float64Array) -> float:
        """Satterthwaite's degrees of freedom of a contrast."""
        return min(satterthwaite(contrast**2 * self.variances, self.known), self.most)

    def alike(self, values: Float64Array) -> "AlikeTest":
        """Johansen's test that all slices have the same value."""
        from scipy.special import chdtrc, fdtrc

        q = len(values) - 1
        basis = self._basis()
        total = basis.T @ self.covariance @ basis
        if not self._full_rank(basis, total):
            return AlikeTest(math.nan, q, math.nan, math.nan, "no test: slices do not vary")
        apart = basis.T @ values
        squared = float(apart @ np.linalg.solve(total, apart))
        doubt = self._doubt(basis)
        denominator = min(q * (q + 2) / (3 * doubt) if doubt > 0 else math.inf, self.most)
        if q > 1 and denominator < LEAST_DENOMINATOR:
            few = "no test of all slices at once: they have too few cases, or too few groups"
            return AlikeTest(math.nan, q, denominator, math.nan, few)
        statistic = squared / (q + 2 * doubt - 6 * doubt / (q + 2))
        if math.isinf(denominator):
            return AlikeTest(statistic, q, denominator, float(chdtrc(q, q * statistic)))
        return AlikeTest(statistic, q, denominator, float(fdtrc(q, denominator, statistic)))

    def _basis(self) -> Float64Array:
        """Differences from the slice with the least variance, in which no other is lost."""
        first = int(np.argmin(self.variances))
        basis = np.delete(np.eye(len(self.variances)), first, axis=1)
        basis[first] = -1
        return basis

    def _full_rank(self, basis: Float64Array, total: Float64Array) -> bool:
        """Whether every difference varies by more than the rounding of what it is taken from."""
        sizes = np.sqrt(basis.T**2 @ self.variances)
        if not (sizes > 0).all():
            return False
        return bool(np.linalg.eigvalsh(total / np.outer(sizes, sizes))[0] > ROUNDING)

    def _doubt(self, basis: Float64Array) -> float:
        """D: how little is known of the variances of the slices."""
        parts = basis.T @ (self.variances[:, None] * basis)
        white = np.linalg.solve(parts, basis.T)  # W_s has one eigenvalue, V_ss b_sᵀ parts⁻¹ b_s
        traces = self.variances * np.einsum("sq,qs->s", basis, white)
        return float(np.sum(traces**2 / self.known))


class AlikeTest(NamedTuple):
    """A test that all slices are alike."""

    statistic: float
    degrees_of_freedom: int
    denominator_degrees_of_freedom: float
    p_value: float
    note: str = ""


class Units(NamedTuple):
    """Slices and groups of cases, to sum what the cases of a group contribute."""

    slices: NDArray[np.intp]
    groups: NDArray[np.intp]
    """Numbered from 0."""
    n_slices: int

    @property
    def span(self) -> Float64Array:
        """In how many slices the groups of each slice are, on average."""
        pairs = np.unique(self.groups * self.n_slices + self.slices)
        groups, slices = np.divmod(pairs, self.n_slices)
        number = np.bincount(groups)[groups]
        sums = np.bincount(slices, number, self.n_slices)
        return np.asarray(sums / np.bincount(slices, minlength=self.n_slices))

    def spread(self, contributions: Float64Array, freedom: Float64Array) -> SliceSpread:
        """From what each case contributes, and the degrees of freedom of each slice alone."""
        from scipy.sparse import coo_array

        n_groups = int(self.groups.max()) + 1
        shape = (n_groups, self.n_slices)
        sums = coo_array((contributions, (self.groups, self.slices)), shape=shape).tocsr()
        covariance: Float64Array = (sums.T @ sums).toarray()
        return SliceSpread(covariance, freedom / self.span, n_groups - 1)
