"""The volume by triplets is the volume under the surface."""

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
