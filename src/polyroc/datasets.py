"""Data to try things on: the synthetic classes of Everson & Fieldsend, and bundled predictions."""

from collections.abc import Sequence
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polyroc._base.checks import generator_of
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
    generator = generator_of(rng)
    y = np.repeat(np.arange(3), counts)
    component = generator.integers(0, 2, len(y))
    centres = np.array(MIXTURE_MEANS)[y, component]
    return centres + generator.normal(scale=np.sqrt(MIXTURE_VARIANCE), size=centres.shape), y


def three_class_densities(X: ArrayLike) -> Float64Array:
    """(n, 3) density of each class of the mixture at points of the plane."""
    points = np.asarray(X, dtype=np.float64)
    apart = points[:, None, None] - np.array(MIXTURE_MEANS)
    heights = np.exp(-(apart**2).sum(axis=-1) / (2 * MIXTURE_VARIANCE))
    return np.asarray(heights.mean(axis=-1) / (2 * np.pi * MIXTURE_VARIANCE))


def three_class_posteriors(X: ArrayLike, priors: ArrayLike = (1, 1, 1)) -> Float64Array:
    """(n, 3) true probabilities of the classes: what Bayes' rule decides by.

    The rule with the highest of them errs on 9.2 % of new cases; no classifier does better.

    Examples
    --------
    Half-way between a centre of the first class and one of the second, where the other centre of
    the first tips the balance:

    >>> three_class_posteriors([[0.35, 0.5]]).round(3)
    array([[0.531, 0.467, 0.002]])
    """
    joint = three_class_densities(X) * np.asarray(priors, dtype=np.float64)
    return np.asarray(joint / joint.sum(axis=1, keepdims=True))


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
