"""The synthetic classes and the bundled predictions."""

import math

import numpy as np
import pytest

from polyroc.datasets import (
    example_predictions,
    three_class_densities,
    three_class_mixture,
    three_class_posteriors,
)


def test_densities_are_those_of_the_mixture() -> None:
    """Two Gaussians of variance 0.03 in equal parts, as loops."""
    means = [[(0.7, 0.3), (0.3, 0.3)], [(-0.7, 0.7), (0.4, 0.7)], [(1.0, 1.0), (0.0, 1.0)]]
    points = np.array([[0.5, 0.3], [0.0, 0.9], [-0.7, 0.6]])
    found = three_class_densities(points)
    for x, row in zip(points, found, strict=True):
        for centres, density in zip(means, row, strict=True):
            heights = [math.exp(-(math.dist(x, m) ** 2) / 0.06) / (0.06 * math.pi) for m in centres]
            assert density == pytest.approx(sum(heights) / 2)


def test_the_error_of_bayes_rule() -> None:
    """0.092, with the variance that the paper misprints as 0.3."""
    X, y = three_class_mixture((40_000, 40_000, 40_000), rng=0)
    error = float(np.mean(three_class_posteriors(X).argmax(axis=1) != y))
    assert error == pytest.approx(0.092, abs=0.003)


def test_priors_shift_the_posteriors() -> None:
    X, _ = three_class_mixture((5, 5, 5), rng=1)
    joint = three_class_densities(X) * [0.7, 0.2, 0.1]
    assert np.allclose(
        three_class_posteriors(X, [0.7, 0.2, 0.1]), joint / joint.sum(axis=1, keepdims=True)
    )


def test_bundled_predictions_are_probabilities() -> None:
    y_true, models, labels = example_predictions()
    assert len(y_true) == 850 and set(y_true) == set(labels)
    for scores in models.values():
        assert scores.shape == (850, 3) and np.allclose(scores.sum(axis=1), 1, atol=1e-4)
