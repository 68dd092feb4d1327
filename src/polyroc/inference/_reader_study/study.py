"""``reader_study``: modalities compared by several readers of the same cases."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from polyroc._base.checks import check_choice, shown
from polyroc._base.levels import check_level
from polyroc._base.random import seed_of
from polyroc.errors import InvalidInput, InvalidType
from polyroc.inference._reader_study.analysis import ROUNDING
from polyroc.inference._reader_study.covariance import (
    METHODS,
    CovarianceMethod,
    Draws,
    Reading,
    covariance_of,
    values_of,
)
from polyroc.inference._reader_study.crossing import reading
from polyroc.inference._reader_study.quantity import Quantity, fit_notes, quantity_of
from polyroc.inference._reader_study.result import ReaderStudy
from polyroc.inference._reader_study.table import Readings, Roles, ScoreColumns, read_readings
from polyroc.predictions import Predictions
from polyroc.results import Note
from polyroc.typing import LabelsLike, RandomState


def reader_study(
    table: Any,
    *,
    case: str,
    reader: str,
    modality: str,
    truth: str,
    rating: str | None = None,
    scores: ScoreColumns | None = None,
    metric: str = "roc_auc",
    covariance: CovarianceMethod = "jackknife",
    labels: LabelsLike | None = None,
    level: float = 0.95,
    n_replicates: int = 2000,
    rng: RandomState = None,
    n_threads: int | None = None,
) -> ReaderStudy:
    """Compare modalities that several readers used on the same cases (MRMC).

    The analysis of Obuchowski and Rockette (Communications in Statistics 24, 1995) with the degrees
    of freedom of Hillis (Statistics in Medicine 26, 2007), for any metric and number of classes.

    Parameters
    ----------
    table : a row per case, reader and modality; every reader has read every case under every
        modality once. A frame, or a mapping from names to columns.
    case, reader, modality, truth : the columns that say which reading a row is, and the true class
        of its case.
    rating : with two classes, the column of ratings: the higher, the likelier the second class.
    scores : the columns of scores, one per class and named after the classes (``a`` or ``p_a``), or
        a mapping from classes to columns.
    metric : a registered metric; with two classes also ``"binormal_auc"`` and ``"proper_auc"``, the
        areas under fitted curves, and ``"saec"``, ``"saec_proper"`` and ``"saec_hull"``.
    covariance : how the covariances between readings are estimated: by leaving out each case,
        from influence values (DeLong's for the AUC), or by the bootstrap of cases within classes.
    labels : the classes in order, the positive one second of two; by default sorted.
    level : confidence level of the tables.
    n_replicates, rng : of the bootstrap.
    n_threads : threads to use.

    Returns
    -------
    ReaderStudy
        ``means``, ``components``, ``test(random)``, ``frame(table)``, ``power(readers, cases)``.

    Examples
    --------
    >>> import numpy as np
    >>> from polyroc import reader_study
    >>> rng = np.random.default_rng(1)
    >>> case, reader, modality = (each.ravel() for each in np.mgrid[:60, :4, :2])
    >>> truth = case % 2
    >>> rating = truth * (1 + 0.5 * modality) + rng.normal(size=(60, 1)).repeat(8)
    >>> table = {"case": case, "reader": reader, "modality": modality, "truth": truth}
    >>> table["rating"] = rating + rng.normal(size=480)
    >>> study = reader_study(table, **{name: name for name in table})
    >>> {modality: round(mean, 4) for modality, mean in study.means.items()}
    {0: 0.6717, 1: 0.7981}
    """
    check_choice(covariance, "covariance", METHODS)
    check_level(level)
    roles = _roles(case, reader, modality, truth, rating, scores)
    quantity, draws = quantity_of(metric), Draws(n_replicates, seed_of(rng))
    found = read_readings(table, roles, labels)
    return _analysed(found, quantity, covariance, draws, level, n_threads)


def _analysed(
    found: Readings,
    quantity: Quantity,
    covariance: CovarianceMethod,
    draws: Draws,
    level: float,
    n_threads: int | None,
) -> ReaderStudy:
    """Values and covariances of readings."""
    readings = _readings(found, n_threads)
    quantity.check_classes(readings[0].predictions.n_classes)
    values = values_of(quantity, readings)
    matrix, notes = covariance_of(quantity, readings, covariance, draws)
    shape = len(found.modalities), len(found.readers)
    counts = readings[0].predictions.class_counts.tolist()
    return ReaderStudy(
        metric=quantity.name,
        modalities=found.modalities,
        readers=found.readers,
        values=values.reshape(shape),
        covariance=matrix.reshape(*shape, *shape),
        classes=found.classes,
        counts=dict(zip(found.classes, counts, strict=True)),
        method=covariance,
        range=quantity.range,
        direction=quantity.direction,
        level=level,
        notes=(*notes, *_notes(quantity, readings, matrix)),
        settings=draws._asdict() if covariance == "bootstrap" else {},
    )


def _roles(*names: Any) -> Roles:
    for name, option in zip(names[:4], ("case", "reader", "modality", "truth"), strict=True):
        if not isinstance(name, str):
            raise InvalidType(f"{option} must be the name of a column, got {shown(name)}.")
    return Roles(*names)


def _readings(found: Readings, n_threads: int | None) -> list[Reading]:
    """Predictions of each reader under each modality, modality by modality."""
    labels = list(found.classes)
    readings = []
    for i, modality in enumerate(found.modalities):
        for j, reader in enumerate(found.readers):
            made = Predictions(found.truth, found.scores[i, j], labels=labels, n_threads=n_threads)
            readings.append(Reading(made, reading(reader, modality)))
    _check_sizes(readings[0].predictions)
    return readings


def _check_sizes(predictions: Predictions) -> None:
    for label, count in zip(predictions.classes, predictions.class_counts.tolist(), strict=True):
        if count < 2:
            raise InvalidInput(
                f"Class {shown(label)} has one case, and the spread over cases needs at least two "
                "in each class. Add cases."
            )


def _notes(quantity: Quantity, readings: Sequence[Reading], covariance: Any) -> tuple[Note, ...]:
    """What is unusual about the values."""
    notes = []
    for each in readings:
        text = fit_notes(quantity.name, each.predictions)
        if text is not None:
            notes.append(Note("fit", f"{each.name}: {text}"))
    for each, variance in zip(readings, np.diag(covariance).tolist(), strict=True):
        if variance <= ROUNDING:
            text = f"{each.name}: no standard error, since every case agrees on the value"
            notes.append(Note("no-variation", text))
    if quantity.metric is not None and quantity.metric.prior_weighted:
        notes.append(Note("priors-fixed", "class shares of all cases, treated as fixed"))
    return tuple(notes)
