"""Mixtures of Gaussians, against scipy and by hand; and what nearly guessing observers see."""

import math

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from polyroc.errors import InvalidInput, InvalidType
from polyroc.utility import GaussianMixture, guessing_limit
from polyroc.utility import _guessing as guessing
from polyroc.utility._guessing import _arrangement, _likelihoods
from polyroc.utility._surface_average import SurfaceWalks, walk

MEANS = np.array([[0.0, 1.0], [2.0, -1.0], [0.5, 0.0]])
TILTED = np.array([[1.0, 0.3], [0.3, 0.5]])
SHAPES = {
    "a number": (1.7, [1.7 * np.eye(2)] * 3),
    "one for all": (TILTED, [TILTED] * 3),
    "each its own": (np.array([TILTED, np.eye(2), 2 * TILTED]), [TILTED, np.eye(2), 2 * TILTED]),
}


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("weights", [None, [3.0, 1.0, 2.0], [1, 0, 1]])
def test_densities_as_scipy_has_them(kind, weights) -> None:
    given, each = SHAPES[kind]
    mixture = GaussianMixture(MEANS, given, weights)
    shares = np.ones(3) / 3 if weights is None else np.array(weights) / sum(weights)
    x = np.random.default_rng(0).normal(size=(9, 2)) * 2
    parts = [
        share * multivariate_normal(mean, table).pdf(x)
        for share, mean, table in zip(shares, MEANS, each, strict=True)
    ]
    np.testing.assert_allclose(np.exp(mixture.log_density(x)), sum(parts))
    np.testing.assert_allclose(mixture.covariances, each)
    np.testing.assert_allclose(mixture.weights, shares)
    assert mixture.means.tolist() == MEANS.tolist() and mixture.n_dimensions == 2
    assert repr(mixture) == "GaussianMixture(3 in 2 dimensions)"


def test_draws_by_hand() -> None:
    mixture = GaussianMixture(MEANS, SHAPES["each its own"][0], [3, 1, 2])
    found = mixture.sample(40, np.random.default_rng(2))
    rng = np.random.default_rng(2)
    which = rng.choice(3, size=40, p=[3 / 6, 1 / 6, 2 / 6])
    noise = rng.standard_normal((40, 2))
    for row, k, z in zip(found, which, noise, strict=True):
        factor = np.linalg.cholesky(SHAPES["each its own"][1][k])
        np.testing.assert_allclose(row, MEANS[k] + factor @ z)
    assert GaussianMixture([1.0]).sample(0, rng).shape == (0, 1)


def test_one_gaussian_of_one_row() -> None:
    one = GaussianMixture([1.0, 2.0, 3.0])
    assert one.n_dimensions == 3 and repr(one) == "GaussianMixture(1 in 3 dimensions)"
    x = np.array([[1.0, 2.0, 3.0], [0.0, 2.0, 5.0]])
    expected = [-1.5 * math.log(2 * math.pi), -1.5 * math.log(2 * math.pi) - 2.5]
    np.testing.assert_allclose(one.log_density(x), expected)
    assert one == one and one != GaussianMixture([1.0, 2.0, 3.0])
    with pytest.raises(AttributeError):
        one.means = [0.0]  # type: ignore[misc]


def test_what_is_refused_in_words() -> None:
    cases = {
        "means must be finite, (m, d), got the shape (1, 2, 2).": lambda: GaussianMixture(
            np.zeros((1, 2, 2))
        ),
        "means must be finite, (m, d), got the shape (1, 0).": lambda: GaussianMixture([]),
        "means must be finite, (m, d), got the shape (1, 2).": lambda: GaussianMixture(
            [0, math.inf]
        ),
        "covariances must be a number, (2, 2) or (3, 2, 2), got the shape (2, 2, 2).": (
            lambda: GaussianMixture(MEANS, np.ones((2, 2, 2)))
        ),
        "covariances must be symmetric.": lambda: GaussianMixture(MEANS, [[1, 0.2], [0, 1]]),
        "covariances must be positive definite, with positive variances in every direction.": (
            lambda: GaussianMixture(MEANS, [[1, 2], [2, 1]])
        ),
        "weights must not all be 0.": lambda: GaussianMixture(MEANS, weights=[0, 0, 0]),
        "weights must be 3 finite non-negative numbers, got [1, -1, 2].": (
            lambda: GaussianMixture(MEANS, weights=[1, -1, 2])
        ),
        "weights must be 3 finite non-negative numbers, got [1, nan, 2].": (
            lambda: GaussianMixture(MEANS, weights=[1, math.nan, 2])
        ),
        "x must be (n, 2), got the shape (2,). All classes need as many dimensions.": (
            lambda: GaussianMixture(MEANS).log_density([0.0, 1.0])
        ),
        "x must be (n, 2), got the shape (1, 3). All classes need as many dimensions.": (
            lambda: GaussianMixture(MEANS).log_density(np.zeros((1, 3)))
        ),
    }
    for words, call in cases.items():
        with pytest.raises(InvalidInput) as reason:
            call()
        assert str(reason.value) == words
    with pytest.raises(InvalidType) as wrong:
        GaussianMixture([[0, 1], [2]])
    assert str(wrong.value).startswith(
        "means must be an array of numbers with rows of equal length, got [[0, 1], [2]]"
    )


# Nearly guessing


def test_likelihoods_of_classes_that_are_nearly_alike_by_loops() -> None:
    rng = np.random.default_rng(1)
    x, centres = rng.normal(size=(30, 2)), rng.normal(size=(3, 2))
    changes = rng.normal(size=(3, 2, 2))
    changes += changes.transpose(0, 2, 1)
    slopes = []
    for row in x:
        slopes.append([])
        for t in range(3):
            bend = sum(row[i] * changes[t, i, j] * row[j] for i in range(2) for j in range(2))
            trace = changes[t, 0, 0] + changes[t, 1, 1]
            slopes[-1].append(float(centres[t] @ row) + (bend - trace) / 2)
    centred = [[g - sum(row) / 3 for g in row] for row in slopes]
    size = math.sqrt(sum(g * g for row in centred for g in row) / 90)
    expected = [[1 + 1e-4 * g / size for g in row] for row in centred]
    found = _likelihoods(x, centres, changes)
    np.testing.assert_allclose(found - 1, np.array(expected) - 1, rtol=1e-9, atol=1e-12)
    assert found.flags.c_contiguous
    same = _likelihoods(x, np.zeros((3, 2)), np.zeros((3, 2, 2)))
    np.testing.assert_allclose(same, 1)


def test_the_limit_is_that_of_walks_over_such_observations() -> None:
    means = [[0.0, 0], [1, 0], [0, 3]]
    centres, changes = _arrangement(means, None)

    def source(_, rng):
        return _likelihoods(rng.standard_normal((2**14, 2)), centres, changes)

    known = walk(source, 3, seed=4, n_blocks=2, n_steps=1000)
    found = guessing_limit(means, n_blocks=2, n_steps=1000, rng=4)
    assert (found.value, found.standard_error) == known.cost
    assert found.settings == {"seed": 4, "n_blocks": 2, "n_steps": 1000}
    assert (found.metric, found.method) == ("saec", "near guessing, walk")
    assert found.degrees_of_freedom == 1 and found.direction == "lower"


def test_blocks_and_steps_of_the_limit(monkeypatch) -> None:
    asked = []

    def walked(source, n_classes, **options):
        asked.append((n_classes, options["n_blocks"], options["n_steps"], options["seed"]))
        return SurfaceWalks(np.array([[0.5, 0.6], [0.7, 0.6]]))

    monkeypatch.setattr(guessing, "walk", walked)
    assert guessing_limit([[0.0], [1.0]], rng=2).degrees_of_freedom == 19
    guessing_limit(np.eye(4), n_blocks=2, n_steps=1000, rng=3)
    assert asked == [(2, 20, 100_000, 2), (4, 2, 1000, 3)]
    with pytest.raises(InvalidInput, match="n_blocks must be at least 2"):
        guessing_limit([[0.0], [1.0]], n_blocks=1)
    with pytest.raises(InvalidInput, match="n_steps must be at least 1000"):
        guessing_limit([[0.0], [1.0]], n_steps=999)


def test_arrangements() -> None:
    centres, changes = _arrangement([[0, 1, 2], [3, 4, 5]], None)
    assert centres.shape == (2, 3) and changes.shape == (2, 3, 3) and not changes.any()
    given = np.arange(8.0).reshape(2, 2, 2)
    given += given.transpose(0, 2, 1)
    np.testing.assert_array_equal(_arrangement([[0, 1], [2, 3]], given)[1], given)
    for means in ([0.0, 1.0], [[0.0, 1.0]], [[0.0], [math.nan]], np.zeros((2, 2, 2))):
        with pytest.raises(InvalidInput) as reason:
            _arrangement(means, None)
        shape = np.shape(means)
        told = f"means must be finite, (N, d) with N ≥ 2 classes, got the shape {shape}."
        assert str(reason.value) == told
    for table in (np.zeros((2, 2)), np.full((2, 2, 2), math.inf), np.zeros((3, 2, 2))):
        with pytest.raises(InvalidInput) as reason:
            _arrangement([[0, 1], [2, 3]], table)
        assert str(reason.value) == (
            "covariances must be finite, (2, 2, 2): what is added to I for each class, got the "
            f"shape {table.shape}."
        )
    with pytest.raises(InvalidInput, match="covariances must be symmetric"):
        _arrangement([[0, 1], [2, 3]], [np.eye(2), [[0, 1], [2, 0]]])
