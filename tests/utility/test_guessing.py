"""The limit of SAEC near guessing: bounds, two classes, observers that nearly guess, degenerate."""

import math

import numpy as np
import pytest

from polyroc.errors import InvalidInput, NotDefined
from polyroc.utility import GaussianMixture, guessing_limit, ideal_observer

ARRANGEMENTS = {
    "equilateral": ([[0, 0], [1, 0], [0.5, math.sqrt(0.75)]], None, 0.7175),
    "right angle": ([[0, 0], [1, 0], [0, 1]], None, 0.7156),
    "far third": ([[0, 0], [1, 0], [0, 3]], None, 0.6834),
    "nearly a line": ([[0, 0], [1, 0], [2.5, 0.3]], None, 0.6585),
    "covariances": (
        np.zeros((3, 2)), [np.zeros((2, 2)), np.diag([1.0, 0]), np.diag([0, 1.0])], 0.6615,
    ),
}  # fmt: skip
"""With values of observers at ε = .005, which cost less than the limit by the order of ε."""


@pytest.mark.slow
def test_the_limit_depends_on_the_arrangement_within_its_bounds():
    values = {}
    for name, (means, covariances, measured) in ARRANGEMENTS.items():
        found = guessing_limit(means, covariances, n_blocks=6, n_steps=20_000, rng=1)
        assert 1 / math.sqrt(3) < found.value < math.sqrt(2 / 3)
        assert measured - 4 * found.standard_error < found.value < measured + 0.012
        values[name] = found
    apart = values["equilateral"].value - values["nearly a line"].value
    errors = [values[name].standard_error for name in ("equilateral", "nearly a line")]
    assert apart > 8 * math.hypot(*errors)


def test_two_classes_have_one_limit_whatever_they_look_like():
    for means, covariances in (
        ([[0.0], [1.0]], None),
        ([[0.0, 0], [0, 0]], [np.eye(2), np.zeros((2, 2))]),
    ):
        found = guessing_limit(means, covariances, n_blocks=2, n_steps=1000, rng=1)
        assert found.value == pytest.approx(math.sqrt(0.5), abs=2e-4)


def test_observers_that_nearly_guess_are_near_the_limit():
    means = np.array([[0, 0], [1, 0], [0, 3.0]])
    limit = guessing_limit(means, n_blocks=6, n_steps=20_000, rng=2)
    near = ideal_observer([GaussianMixture(0.01 * mean) for mean in means])
    found = near.saec(n_blocks=6, n_steps=20_000, rng=3)
    error = math.hypot(limit.standard_error, found.standard_error)
    assert abs(limit.value - found.value) < 4 * error + 0.01


def test_refusals():
    cases = [
        (lambda: guessing_limit([[0, 0], [1, 0], [2, 0]], n_steps=1000), NotDefined, "degenerate"),
        (lambda: guessing_limit([[0, 0]]), InvalidInput, "N ≥ 2"),
        (lambda: guessing_limit([[0], [1]], np.zeros((2, 2, 2))), InvalidInput, "covariances"),
        (lambda: guessing_limit([[0, 0]] * 2, [[[0, 1], [0, 0]]] * 2), InvalidInput, "symmetric"),
    ]
    for call, error, words in cases:
        with pytest.raises(error, match=words):
            call()
