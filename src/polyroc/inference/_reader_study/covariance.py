"""Covariances over cases of the values of all readers and modalities, which read the same cases."""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np

from polyroc._base.checks import repeats
from polyroc.errors import InvalidInput, NotDefined
from polyroc.inference._reader_study.quantity import Quantity, drawn_copies
from polyroc.inference._resampling import BATCH
from polyroc.predictions import Predictions
from polyroc.results import Note
from polyroc.typing import Float64Array

CovarianceMethod = Literal["jackknife", "influence", "bootstrap"]
METHODS: tuple[str, ...] = get_args(CovarianceMethod)


class Reading(NamedTuple):
    """The predictions of one reader under one modality, and who that is."""

    predictions: Predictions
    name: str


class Draws(NamedTuple):
    """Replicates of the bootstrap."""

    n_replicates: int
    seed: int


def covariance_of(
    quantity: Quantity, readings: Sequence[Reading], method: CovarianceMethod, draws: Draws
) -> tuple[Float64Array, tuple[Note, ...]]:
    """Covariance matrix of the values of the readings, by one of three methods."""
    if method == "bootstrap":
        return bootstrap(quantity, readings, draws)
    if method == "influence":
        return influence(quantity, readings), ()
    return jackknife(quantity, readings), ()


def jackknife(quantity: Quantity, readings: Sequence[Reading]) -> Float64Array:
    """From the values without each case: (n − 1)/n times their sums of products about the mean."""
    values = np.column_stack(_asked(readings, quantity.without_each_case, "without some case"))
    centred = values - values.mean(axis=0)
    found: Float64Array = (len(values) - 1) / len(values) * (centred.T @ centred)
    return found


def influence(quantity: Quantity, readings: Sequence[Reading]) -> Float64Array:
    """Σ_k S_k/n_k, S_k the covariances of influence values within class k: DeLong's for the AUC."""
    if quantity.influence is None:
        raise InvalidInput(
            f'{quantity.name} has no influence values. Use covariance="jackknife" or '
            'covariance="bootstrap".'
        )
    values = np.column_stack(_asked(readings, quantity.influence))
    sizes = readings[0].predictions.class_counts
    scale = np.sqrt(1 / (sizes * (sizes - 1.0)))[readings[0].predictions.codes]
    scaled = values * scale[:, None]
    found: Float64Array = scaled.T @ scaled
    return found


def bootstrap(
    quantity: Quantity, readings: Sequence[Reading], draws: Draws
) -> tuple[Float64Array, tuple[Note, ...]]:
    """Over replicates of cases, drawn within classes, that all readings share."""
    count = repeats(draws.n_replicates, "n_replicates", least=2)
    parts = []
    for start in range(0, count, BATCH):
        batch = range(start, min(start + BATCH, count))
        copies = drawn_copies(readings[0].predictions, draws.seed, batch)
        parts.append(
            np.column_stack([quantity.replicates(each.predictions, copies) for each in readings])
        )
    values = np.concatenate(parts)
    defined = values[~np.isnan(values).any(axis=1)]
    if len(defined) < 2:
        raise NotDefined(
            f"Of {count} resamples {len(defined)} gave a value for every reader. "
            "Pass more cases or finer scores."
        )
    found: Float64Array = np.cov(defined.T)
    lost = count - len(defined)
    text = f"{lost} of {count} replicates have no value for some reader and are left out"
    return found, (Note("undefined-replicates", text),) * bool(lost)


def _asked(
    readings: Sequence[Reading],
    ask: Callable[[Predictions], Float64Array],
    when: str = "",
) -> list[Float64Array]:
    """The answer for each reading; where there is none, the error says whose."""
    answers = []
    for each in readings:
        try:
            answers.append(ask(each.predictions))
        except NotDefined as reason:
            where = f"{each.name}{', ' * bool(when)}{when}"
            raise NotDefined(f"{where}: {reason}") from None
    return answers


def values_of(quantity: Quantity, readings: Sequence[Reading]) -> Float64Array:
    """The value of each reading."""
    return np.array(_asked(readings, lambda p: np.array(quantity.value(p))))
