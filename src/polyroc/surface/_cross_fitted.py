"""The honest G: found on some of the cases, rated on the others."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polyroc._base.checks import shown, whole_number
from polyroc._base.random import seed_of, stream
from polyroc._base.tables import cell, text_table
from polyroc.errors import InvalidInput, InvalidType
from polyroc.predictions._rows import rows_by_position
from polyroc.predictions._scores import check_lengths
from polyroc.results import Estimate, Note
from polyroc.surface._cases import cases_of, read_features
from polyroc.surface._front import RocSurface, label_array
from polyroc.surface._search import search
from polyroc.surface.models import ScoreModel
from polyroc.surface.models.model import Model
from polyroc.typing import Int64Array, LabelsLike, RandomState, ScoresLike

if TYPE_CHECKING:
    import pandas as pd

MOST_SEED = 2**31


@dataclass(frozen=True, eq=False, repr=False)
class CrossFittedGini:
    """G of a surface on cases that it was not found on, beside the optimistic one.

    Attributes
    ----------
    honest : mean over folds of G of a surface found on the other folds, rated on the fold and
        corrected for its number of cases; its standard error is that of the cases.
    optimistic : G of the surface found on all cases, rated on the same.
    folds : the estimate of each fold.
    surface : found on all cases.
    """

    honest: Estimate
    optimistic: Estimate
    folds: tuple[Estimate, ...]
    surface: RocSurface

    @property
    def optimism(self) -> float:
        """How much searching and rating on the same cases adds to G."""
        return self.optimistic.value - self.honest.value

    def frame(self, level: float = 0.95) -> "pd.DataFrame":
        """A row each for the honest and the optimistic G and every fold."""
        import pandas as pd

        return pd.DataFrame(self._rows(level))

    def _rows(self, level: float) -> list[dict[str, Any]]:
        named = {"honest": self.honest, "optimistic": self.optimistic}
        named |= {f"fold {v + 1}": each for v, each in enumerate(self.folds)}
        return [
            {
                "gini": name,
                "value": each.value,
                "standard_error": each.standard_error,
                "low": each.interval(level).low,
                "high": each.interval(level).high,
            }
            for name, each in named.items()
        ]

    def __repr__(self) -> str:
        return f"{text_table(self._rows(0.95))}\noptimism {cell(self.optimism)}"


def cross_fitted_gini(
    model: Model | Callable[[Any, Any], Model],
    X: ScoresLike | None = None,
    y: LabelsLike | None = None,
    *,
    folds: int = 2,
    generations: int = 200,
    costs_per_generation: int = 100,
    n_resamples: int = 200,
    rng: RandomState = None,
    n_threads: int | None = None,
) -> CrossFittedGini:
    """G on cases that the surface was not found on, and the optimism of the usual one.

    A front is chosen for its rates on the cases it was found on, so G on the same cases is too
    large. Here each fold is rated by a surface that was found on the other folds. G of few cases is
    too large, too, as a union over many noisy points; each fold is corrected by
    ``RocSurface.resampled_gini``. Few folds are better than many, because the folds have more cases
    then.

    Parameters
    ----------
    model : a ``ScoreModel``, whose scores do not depend on the folds; or a function of features and
        labels that makes a model, such as ``KnnModel``: it is made anew from the other folds.
    X, y : features and labels, for a function that makes models.
    folds : number of folds, stratified by class.
    generations, costs_per_generation : of each search.
    n_resamples : resamples of each fold for the correction.
    rng : seed of folds, searches and resamples.
    n_threads : threads to use; by default all that the process may run on.

    Returns
    -------
    CrossFittedGini
        ``honest``, ``optimistic``, ``optimism``, ``folds``, ``surface``, ``frame()``.

    Examples
    --------
    >>> from polyroc.datasets import example_predictions
    >>> from polyroc.surface import ScoreModel, cross_fitted_gini
    >>> y, models, labels = example_predictions()
    >>> model = ScoreModel(y, models["logistic"], labels=labels)
    >>> result = cross_fitted_gini(model, generations=2, n_resamples=20, rng=1)
    >>> result.optimistic.value > result.honest.value
    True
    """
    source, seed = _source(model, X, y), seed_of(rng) % MOST_SEED
    folds = whole_number(folds, "folds", least=2)
    held = _folds(source.codes, folds, seed)
    options: dict[str, Any] = {
        "generations": generations,
        "costs_per_generation": costs_per_generation,
        "progress": False,
        "rng": seed,
        "n_threads": n_threads,
    }
    found = []
    for v in range(folds):
        surface = search(source.model(np.flatnonzero(held != v)), **options)
        rated = source.rated(surface, np.flatnonzero(held == v))
        found.append(
            rated.resampled_gini(n_resamples=n_resamples, rng=seed + v, n_threads=n_threads)
        )
    whole = search(source.model(np.arange(len(held))), **options)
    optimistic = whole.gini(rng=seed, n_threads=n_threads)
    return CrossFittedGini(_mean(found), optimistic, tuple(found), whole)


class _Scores:
    """Fixed scores: the cases of a ScoreModel, in parts."""

    def __init__(self, model: ScoreModel) -> None:
        self._model, self.codes = model, model.cases.codes
        self._labels = label_array(model.classes)[self.codes]

    def model(self, rows: NDArray[Any]) -> Model:
        """A model of some of the cases."""
        weights = self._model.cases.weights[rows]
        return self._model.on(self._model.X[rows], self._labels[rows], sample_weight=weights)

    def rated(self, surface: RocSurface, rows: NDArray[Any]) -> RocSurface:
        """A surface, its rates counted on some of the cases."""
        weights = self._model.cases.weights[rows]
        return surface.rescore(self._model.X[rows], self._labels[rows], sample_weight=weights)


class _Made:
    """Models made anew from parts of the cases."""

    def __init__(self, make: Callable[[Any, Any], Model], X: ScoresLike, y: LabelsLike) -> None:
        rows_by_position({"y": y, "X": X})
        cases = cases_of(y)
        self._make, self._X, self.codes = make, read_features(X), cases.codes
        check_lengths(cases.n_given, len(self._X), "X")
        self._labels = label_array(cases.classes)[self.codes]

    def model(self, rows: NDArray[Any]) -> Model:
        """A model made from some of the cases."""
        made = self._make(self._X[rows], self._labels[rows])
        if not isinstance(made, Model):
            raise InvalidType(f"model(X, y) must make a polyroc.surface.Model, got {shown(made)}.")
        return made

    def rated(self, surface: RocSurface, rows: NDArray[Any]) -> RocSurface:
        """A surface, its rates counted on some of the cases."""
        return surface.rescore(self._X[rows], self._labels[rows])


def _source(
    model: Model | Callable[[Any, Any], Model], X: ScoresLike | None, y: LabelsLike | None
) -> _Scores | _Made:
    if isinstance(model, ScoreModel):
        if X is not None or y is not None:
            raise InvalidInput("A ScoreModel has its cases: leave X and y out.")
        return _Scores(model)
    if isinstance(model, Model) or not callable(model):
        raise InvalidType(
            "model must be a ScoreModel or a function that makes a model from X and y, such as "
            f"KnnModel, got {shown(model)}."
        )
    if X is None or y is None:
        raise InvalidInput("Give X and y: a model is made from some of the cases at a time.")
    return _Made(model, X, y)


def _folds(codes: Int64Array, folds: int, seed: int) -> Int64Array:
    """The fold of each case: every class dealt out evenly, in random order."""
    held = np.empty(len(codes), dtype=np.int64)
    generator = stream(seed, 0)
    for k in np.unique(codes):
        own = generator.permutation(np.flatnonzero(codes == k))
        if len(own) < 2 * folds:
            raise InvalidInput(
                f"Each fold needs two cases of every class, but a class has {len(own)} cases for "
                f"{folds} folds. Use fewer folds, or more cases."
            )
        held[own] = np.arange(len(own)) % folds
    return held


def _mean(found: list[Estimate]) -> Estimate:
    """Mean over folds, whose cases are disjoint."""
    errors = np.array([each.standard_error for each in found])
    variances = errors**2 / len(found) ** 2
    freedom = np.array([each.degrees_of_freedom for each in found])
    counts = {label: sum(each.counts[label] for each in found) for label in found[0].counts}
    notes = (
        Note("cross-fitted", f"mean of {len(found)} folds, each rated by a surface of the others"),
    )
    known = bool(np.isfinite(errors).all())
    return replace(
        found[0],
        value=float(np.mean([each.value for each in found])),
        standard_error=float(np.sqrt(variances.sum())) if known else math.nan,
        method="cross-fitted",
        degrees_of_freedom=(
            float(variances.sum() ** 2 / np.sum(variances**2 / freedom)) if known else math.inf
        ),
        counts=counts,
        notes=notes,
        settings={"folds": len(found), "n_resamples": found[0].settings["n_resamples"]},
    )
