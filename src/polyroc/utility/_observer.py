"""The ideal observer of N classes: error rates, surface-averaged expected cost, volume and area."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polyroc._base.checks import generator_of, shown, whole_number
from polyroc._base.random import seed_of, stream
from polyroc._base.wording import plural
from polyroc.errors import InvalidInput, InvalidType, NotDefined
from polyroc.results import Estimate, Note
from polyroc.typing import Float64Array, RandomState
from polyroc.utility._mixtures import Density
from polyroc.utility._surface_average import (
    MOST_CLASSES_DRAWN,
    SurfaceIntegrals,
    integrate,
    mean_error,
    tail_notes,
    walk,
)

BLOCK = {2: 2**12}
MOST_BLOCK = 2**15
"""Observations drawn for each block, of which tuples are made: fewer for two classes."""

FEWEST_EFFECTIVE = 200
"""Independent looks below which a walk has not settled."""

DRAWS = {2: 4_000, 3: 500_000}
"""Tuples drawn for a block by default."""


@dataclass(frozen=True, eq=False, repr=False)
class IdealObserver:
    """Decides by likelihoods f_j(x): x goes to the i with the least Σ_j γ_ji f_j(x).

    Priors do not matter: they are part of the costs γ, which range over all directions. Made by
    ``ideal_observer``.

    Attributes
    ----------
    densities : of the N classes, or None.
    likelihoods : (n, N) likelihoods of a sample over their mean over classes, or None.
    """

    densities: tuple[Density, ...] | None
    likelihoods: Float64Array | None

    @property
    def n_classes(self) -> int:
        """N."""
        if self.likelihoods is not None:
            return int(self.likelihoods.shape[1])
        return len(self.densities or ())

    def saec(
        self, *, n_blocks: int = 20, n_steps: int | None = None, rng: RandomState = None
    ) -> Estimate:
        """Surface-averaged expected cost ∫ γ̂·P dσ / ∫ dσ: Edwards & Metz 2007 eq. 15.

        Lower is better: 0 for the perfect observer, 1/√2 for two classes that look alike; for
        more classes the limit depends on how they come to look alike. Not defined where the
        likelihood ratios of three or more classes depend on one variable. The standard error is
        that of the simulation, from ``n_blocks`` independent ones. For a sample of two or three
        classes each block holds other cases, so that it includes the chance in which cases were
        drawn.

        ``n_steps`` are tuples drawn for a block (two classes, and samples of three), else steps of
        a walk over the surface; see ``settings`` of the result.

        Examples
        --------
        Two Gaussians with d_a = 1.2: eq. 17 gives .24937.

        >>> from polyroc.utility._mixtures import GaussianMixture
        >>> found = ideal_observer([GaussianMixture([0]), GaussianMixture([1.2])]).saec(rng=1)
        >>> print(f"{found.value:.3f}", found.standard_error < 0.001)
        0.249 True
        """
        seed, blocks = seed_of(rng), whole_number(n_blocks, "n_blocks", least=2)
        tuples = self.n_classes == 2 or (self.likelihoods is not None and self._drawable)
        if n_steps is not None:
            n_steps = whole_number(n_steps, "n_steps", least=1 if tuples else 1000)
        if self._perfect(seed):
            return self._perfect_estimate(blocks, seed)
        if tuples:
            found = self._integrals(blocks, n_steps, seed)
            value, error = found.cost
            notes, settings = tail_notes(found.largest_share), {"n_facets": found.n_facets}
            return self._estimate("saec", value, error, "tuples", blocks, seed, notes, settings)
        return self._walked(blocks, 300_000 if n_steps is None else n_steps, seed)

    def _perfect(self, seed: int) -> bool:
        """Whether no observation could come from two classes; the surface then has no facets."""
        return bool((np.count_nonzero(self._drawn(0, stream(seed, 0)), axis=1) == 1).all())

    def _perfect_estimate(self, blocks: int, seed: int) -> Estimate:
        """0, exactly for densities; a sample does not show how far from 0 others may be."""
        if self.likelihoods is None:
            return self._estimate("saec", 0.0, 0.0, "perfect", blocks, seed, (), {})
        text = "no interval: every case is certain of its class, so that nothing varies"
        notes = (Note("certain-cases", text),)
        return self._estimate("saec", 0.0, math.nan, "perfect", blocks, seed, notes, {})

    def _walked(self, blocks: int, steps: int, seed: int) -> Estimate:
        found = walk(self._drawn, self.n_classes, seed=seed, n_blocks=blocks, n_steps=steps)
        notes = tail_notes(found.largest_share)
        if found.effective_size < FEWEST_EFFECTIVE:
            text = f"the walks amount to {found.effective_size:.0f} independent looks: give n_steps"
            notes += (Note("slow-walk", text),)
        if self.likelihoods is not None:
            text = "the standard error is that of the walks, without that of the sample"
            notes += (Note("simulation-error-only", text),)
        settings = {"n_steps": steps, "effective_size": round(found.effective_size)}
        return self._estimate("saec", *found.cost, "walk", blocks, seed, notes, settings)

    def surface_area(
        self, *, n_blocks: int = 20, n_draws: int | None = None, rng: RandomState = None
    ) -> Estimate:
        """Area ∫ dσ of the ROC hypersurface, of N² − N − 1 dimensions; two or three classes.

        From √2 to 2 for two classes, where it is the length of the curve. For three it tends to 0
        both for the guessing observer and for the perfect one.
        """
        found = self._integrals(n_blocks, n_draws, seed := seed_of(rng))
        value, error = mean_error(found.areas)
        settings = {"n_facets": found.n_facets}
        return self._estimate("surface_area", value, error, "tuples", n_blocks, seed, (), settings)

    def huh(
        self,
        *,
        last: int = -1,
        n_blocks: int = 20,
        n_draws: int | None = None,
        rng: RandomState = None,
    ) -> Estimate:
        """Hypervolume under the ROC hypersurface, Edwards & Metz 2007 eq. 7; two or three classes.

        ``last`` is the kind of error that is integrated over the others, counted in row-major
        order of the off-diagonal (truth, decision). For two classes both choices give 1 − AUC. For
        three they differ: only their sum is ∫ γ̂·P dσ, which eq. 14 takes for D times each.
        """
        n_errors = self.n_classes * (self.n_classes - 1)
        last = whole_number(last, "last", least=-n_errors)
        if last >= n_errors:
            raise InvalidInput(
                f"last must be one of {n_errors} kinds of errors, counted from 0, got {last}."
            )
        found = self._integrals(n_blocks, n_draws, seed := seed_of(rng))
        value, error = mean_error(found.parts[:, last])
        notes, settings = tail_notes(found.largest_share), {"last": last % n_errors}
        return self._estimate("huh", value, error, "tuples", n_blocks, seed, notes, settings)

    def integrals(
        self, *, n_blocks: int = 20, n_draws: int | None = None, rng: RandomState = None
    ) -> SurfaceIntegrals:
        """Area and costs integrated over the surface, kind of error by kind; N = 2 or 3."""
        return self._integrals(n_blocks, n_draws, seed_of(rng))

    def rates(
        self, costs: ArrayLike, *, n_points: int = 100_000, rng: RandomState = None
    ) -> Float64Array:
        """Error rates with the lowest expected cost γ·P, for (m, D) or (D,) cost vectors γ.

        In row-major order of the off-diagonal (truth, decision). Costs may also be an (N, N) table,
        truth first and 0 on the diagonal, or a stack of them, (m, N, N). Decisions that cost the
        same share an observation equally. From ``n_points`` observations
        drawn from the densities, or from the sample; the same seed gives the same ones, so that
        differences between costs are smooth.

        Examples
        --------
        Equal costs and d_a = 2: both rates are Φ(−1) = .1587.

        >>> from polyroc.utility._mixtures import GaussianMixture
        >>> pair = ideal_observer([GaussianMixture([0]), GaussianMixture([2])])
        >>> bool(np.allclose(pair.rates([1, 1], rng=0), 0.1587, atol=0.005))
        True
        """
        from polyroc.kernels.facets import cheapest_rates

        table, many = self._checked_costs(costs)
        points = self._drawn(0, generator_of(rng), whole_number(n_points, "n_points", least=1))
        errors = ~np.eye(self.n_classes, dtype=bool)
        nobody, level, flat = np.array([-1]), np.zeros(errors.shape), np.zeros(points.shape)
        found = np.empty((len(table), errors.sum()))
        for row, direction in zip(found, table, strict=True):
            square = np.zeros(errors.shape)
            square[errors] = direction
            table_of_rates = cheapest_rates(points, flat, square, level, 0, len(points), nobody)
            row[:] = (table_of_rates / table_of_rates.sum(axis=1, keepdims=True))[errors]
        return found if many else found[0]

    def _checked_costs(self, costs: ArrayLike) -> tuple[Float64Array, bool]:
        """Cost vectors (m, D), and whether more than one was asked for."""
        try:
            given = np.asarray(costs, dtype=np.float64)
        except (TypeError, ValueError):
            raise InvalidType(f"costs must be numbers, got {shown(costs)}.") from None
        if not (np.isfinite(given).all() and (given >= 0).all()):
            raise InvalidInput(f"costs must be finite non-negative numbers, got {shown(costs)}.")
        size, n_errors = self.n_classes, self.n_classes * (self.n_classes - 1)
        if given.ndim in (1, 2) and given.shape[-1] == n_errors:
            self._check_unambiguous(given)
            return np.atleast_2d(given), given.ndim == 2
        if given.ndim in (2, 3) and given.shape[-2:] == (size, size):
            return self._off_diagonal(given.reshape(-1, size, size)), given.ndim == 3
        raise InvalidInput(
            f"costs have the shape {given.shape}; expected ({n_errors},) or (m, {n_errors}), a "
            f"column for each kind of error, or tables ({size}, {size}) or (m, {size}, {size})."
        )

    def _check_unambiguous(self, costs: Float64Array) -> None:
        """Two vectors of two classes look like a table if their diagonal is 0."""
        if costs.shape == (2, 2) and self.n_classes == 2 and not np.diag(costs).any():
            raise InvalidInput(
                f"costs {costs.tolist()} may be a table of two classes or two cost vectors. Give a "
                "table as a stack of one, [table], and the vectors one at a time."
            )

    def _off_diagonal(self, tables: Float64Array) -> Float64Array:
        if tables.diagonal(axis1=1, axis2=2).any():
            raise InvalidInput(
                "The correct decision must cost 0, got a table with another diagonal. Subtract it "
                "from its row: cost − cost of the correct decision."
            )
        return tables[:, ~np.eye(self.n_classes, dtype=bool)]

    @property
    def _drawable(self) -> bool:
        return self.n_classes <= MOST_CLASSES_DRAWN

    def _integrals(self, n_blocks: int, n_draws: int | None, seed: int) -> SurfaceIntegrals:
        if not self._drawable:
            raise NotDefined(
                f"Integrals over the surface of {self.n_classes} classes are out of reach: hardly "
                "any draw is on it. saec() walks on the surface and works for any number."
            )
        blocks = whole_number(n_blocks, "n_blocks", least=2)
        draws = DRAWS[self.n_classes] if n_draws is None else n_draws
        draws = whole_number(draws, "n_draws", least=1)
        source = self._drawn if self.likelihoods is None else self._dealt(blocks, seed)
        return integrate(source, self.n_classes, seed=seed, n_blocks=blocks, n_draws=draws)

    def _drawn(self, index: int, rng: np.random.Generator, n: int = 0) -> Float64Array:
        """Likelihoods of n observations drawn, or of the whole sample."""
        if self.densities is None:
            return np.asarray(self.likelihoods)
        n = n or BLOCK.get(self.n_classes, MOST_BLOCK)
        truth = rng.integers(self.n_classes, size=n)
        counts = np.bincount(truth, minlength=self.n_classes)
        parts = [d.sample(int(c), rng) for d, c in zip(self.densities, counts, strict=True)]
        x = rng.permutation(np.concatenate(parts))
        logs = np.stack([density.log_density(x) for density in self.densities], axis=1)
        ratios = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.ascontiguousarray(ratios / ratios.mean(axis=1, keepdims=True))

    def _dealt(self, n_blocks: int, seed: int) -> Any:
        """Cases of the sample dealt to blocks at random."""
        cases = np.asarray(self.likelihoods)
        least = n_blocks * (self.n_classes * (self.n_classes - 1) + 1)
        if len(cases) < least:
            raise NotDefined(
                f"{n_blocks} blocks need {least} cases, got {len(cases)}. Pass more cases, or a "
                "smaller n_blocks."
            )
        order = stream(seed, n_blocks).permutation(len(cases))
        return lambda index, rng: np.ascontiguousarray(cases[order[index::n_blocks]])

    def _estimate(
        self,
        metric: str,
        value: float,
        error: float,
        how: str,
        n_blocks: int,
        seed: int,
        notes: tuple[Note, ...],
        settings: dict[str, Any],
    ) -> Estimate:
        return Estimate(
            metric=metric,
            value=value,
            standard_error=error,
            method=f"ideal observer, {how}",
            degrees_of_freedom=n_blocks - 1,
            range=(0.0, 2.0) if metric == "surface_area" else (0.0, 1.0),
            direction="lower" if metric == "saec" else "higher",
            notes=notes,
            settings={"seed": seed, "n_blocks": n_blocks, **settings},
        )

    def __repr__(self) -> str:
        kind = "densities" if self.likelihoods is None else plural(len(self.likelihoods), "case")
        return f"IdealObserver({self.n_classes} classes, {kind})"


def ideal_observer(observations: Sequence[Density] | ArrayLike) -> IdealObserver:
    """The ideal observer of densities, or of a sample with its posterior probabilities.

    Parameters
    ----------
    observations : one density per class (``GaussianMixture``, or any object with
        ``sample(n, rng)`` and ``log_density(x)``); or (n, N) posterior probabilities of n cases.
        The latter are assumed to be calibrated: their means are the priors, and p_j over prior j
        the likelihoods. For what a classifier with labelled cases achieves, see ``saec_surface``.

    Examples
    --------
    >>> from polyroc.utility._mixtures import GaussianMixture
    >>> ideal_observer([GaussianMixture([0, 0]), GaussianMixture([1, 0]), GaussianMixture([0, 1])])
    IdealObserver(3 classes, densities)
    >>> ideal_observer([[0.9, 0.1], [0.4, 0.6]])
    IdealObserver(2 classes, 2 cases)
    """
    if isinstance(observations, Sequence) and any(isinstance(d, Density) for d in observations):
        return IdealObserver(_checked_densities(observations), None)
    return IdealObserver(None, _likelihoods(observations))


def _checked_densities(densities: Sequence[Any]) -> tuple[Density, ...]:
    strange = [each for each in densities if not isinstance(each, Density)]
    if strange:
        raise InvalidType(
            f"Every class needs a density with sample and log_density, got {shown(strange[0])}."
        )
    if len(densities) < 2:
        raise InvalidInput("One density is one class. Give at least two.")
    sizes = {each.n_dimensions for each in densities if hasattr(each, "n_dimensions")}
    if len(sizes) > 1:
        raise InvalidInput(f"Densities have {sorted(sizes)} dimensions. Give all of them as many.")
    return tuple(densities)


def _likelihoods(probabilities: Any) -> Float64Array:
    """p_j over prior j, for cases drawn from an equal mixture of the classes."""
    try:
        table = np.array(probabilities, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidType(
            "Give a density per class, or an (n, N) table of posterior probabilities, "
            f"got {shown(probabilities)}."
        ) from None
    if table.ndim != 2 or table.shape[1] < 2 or not len(table):
        raise InvalidInput(f"Probabilities must be (n, N), N ≥ 2, got the shape {table.shape}.")
    with np.errstate(invalid="ignore"):  # ∞ − ∞
        sums = table.sum(axis=1)
    fine = (table >= 0).all(axis=1) & (np.abs(sums - 1) <= 1e-4)
    if not fine.all():
        row = int(np.argmin(fine))
        raise InvalidInput(
            "Probabilities must be from 0 to 1 and add up to 1 in each row, got "
            f"{shown(table[row].tolist())} in row {row}."
        )
    priors = table.mean(axis=0)
    if not priors.all():
        raise NotDefined(
            f"Class {int(np.argmin(priors))} has probability 0 in every case. Leave it out."
        )
    return np.ascontiguousarray(table / priors)
