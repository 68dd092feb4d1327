"""Data to try things on: the synthetic classes of Everson & Fieldsend, and bundled predictions."""

from collections.abc import Sequence
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyroc.typing import Float64Array, RandomState

MIXTURE_MEANS = (
    ((0.7, 0.3), (0.3, 0.3)),
    ((-0.7, 0.7), (0.4, 0.7)),
    ((1.0, 1.0), (0.0, 1.0)),
)
"""Means of the two Gaussians of each class (Everson & Fieldsend 2006 §4)."""

MIXTURE_VARIANCE = 0.03
"""Ripley's value. The paper prints 0.3, with which nobody could reach its 32 errors in 300."""


def three_class_mixture(
    counts: Sequence[int] = (100, 100, 100), rng: RandomState = None
) -> tuple[Float64Array, NDArray[np.int64]]:
    """Points in the plane and their classes: each class an equal mixture of two Gaussians.

    The data of Everson & Fieldsend 2006 §4 with the variance that its results need.
    """
    generator = np.random.default_rng(rng)
    y = np.repeat(np.arange(3), counts)
    component = generator.integers(0, 2, len(y))
    centres = np.array(MIXTURE_MEANS)[y, component]
    return centres + generator.normal(scale=np.sqrt(MIXTURE_VARIANCE), size=centres.shape), y


class ExamplePredictions(NamedTuple):
    """True classes, and for each model the probabilities of the classes."""

    y_true: NDArray[np.str_]
    models: dict[str, Float64Array]
    labels: tuple[str, ...]


def example_predictions() -> ExamplePredictions:
    """Predictions of three models for 850 cases of three classes, one of them rare.

    Out-of-fold predictions of a logistic regression, a random forest and a naive Bayes classifier
    on the three-class mixture with additional noise, in which the class "rare" has 60 cases.
    """
    text = (files("polyroc") / "data" / "example.csv").read_text().splitlines()
    header, rows = text[0].split(","), [line.split(",") for line in text[1:]]
    labels = tuple(dict.fromkeys(name.split(":")[1] for name in header[1:]))
    values = np.array([row[1:] for row in rows], dtype=np.float64)
    models = dict.fromkeys(name.split(":")[0] for name in header[1:])
    scores = np.split(values, len(models), axis=1)
    return ExamplePredictions(
        np.array([row[0] for row in rows]), dict(zip(models, scores, strict=True)), labels
    )
