"""The volume by triplets is the volume under the surface."""

from itertools import permutations, product

import numpy as np
import pytest

from polyroc.curves import tpr_surface, tpr_surface_volume


@pytest.mark.parametrize("seed", range(30))
def test_the_triplets_give_the_volume_under_the_surface(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(3), rng.integers(0, 3, rng.integers(0, 40))])
    grid = rng.integers(1, 9)
    p = rng.integers(0 if seed % 3 else 1, 2**grid, (len(y), 3)) + (seed % 2) * rng.random(
        (len(y), 3)
    )
    p[p.sum(axis=1) == 0] = 1
    p = p / p.sum(axis=1, keepdims=True)
    weights = rng.integers(1, 4, len(y)) if seed % 4 == 0 else None
    expected = tpr_surface(y, p, sample_weight=weights).volume
    assert tpr_surface_volume(y, p, sample_weight=weights) == pytest.approx(expected, abs=1e-12)


def test_four_classes_are_enumerated() -> None:
    y = np.repeat(np.arange(4), 3)
    assert tpr_surface_volume(y, np.full((12, 4), 0.25)) == 0
    assert tpr_surface_volume(y, np.eye(4)[y] * 0.6 + 0.1) == 1


def by_fractions(y: np.ndarray, counts: np.ndarray) -> float:
    """Triplets whose own product exceeds the five others, in whole numbers."""
    members = [counts[y == k].tolist() for k in range(3)]
    right = sum(
        all(
            a[0] * b[1] * c[2] > a[i] * b[j] * c[k]
            for i, j, k in permutations(range(3))
            if (i, j, k) != (0, 1, 2)
        )
        for a, b, c in product(*members)
    )
    return right / np.prod([len(each) for each in members])


@pytest.mark.parametrize("kind", ["votes of 8", "votes of 7", "tenths", "float32", "hundredths"])
def test_equal_products_are_tied(kind: str) -> None:
    """2 · 3 = 6 · 1, also where logarithms are rounded."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        y = np.concatenate([np.arange(3), rng.integers(0, 3, 25)])
        total = {"votes of 8": 8, "votes of 7": 7, "hundredths": 100}.get(kind, 10)
        shares = (np.eye(3)[y] + 1) / 4
        counts = np.array([rng.multinomial(total, share) for share in shares])
        p = (counts / total).astype(np.float32 if kind == "float32" else np.float64)
        expected = by_fractions(y, counts)
        assert tpr_surface_volume(y, p) == pytest.approx(expected, abs=1e-12)
        assert tpr_surface(y, p).volume == pytest.approx(expected, abs=1e-12)
