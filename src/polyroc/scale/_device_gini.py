"""Which share of the region below chance a surface dominates, by samples drawn on a device."""

from typing import Any

from polyroc.scale._extras import Tensor, torch

BLOCK = 1 << 16
"""Samples that are drawn together, whatever the memory, so that it does not change them."""


def dominated_share(
    rates: Tensor, n_classes: int, n_samples: int, generator: Any, memory: int
) -> float:
    """Share of samples of P that some row of the rates dominates (Everson & Fieldsend 2006 §5)."""
    points = rates[rates.sum(dim=1) < n_classes - 1]
    hits = 0
    for start in range(0, n_samples, BLOCK):
        samples = sample_region(n_classes, min(BLOCK, n_samples - start), generator)
        hits += _count_dominated(points, samples, max(1, memory // (3 * BLOCK)))
    return hits / n_samples


def sample_region(n_classes: int, size: int, generator: Any) -> Tensor:
    """(size, D) points spread evenly over P: the unit cube below Σ rates = K − 1.

    D + 1 exponential variables over their sum lie evenly under the plane; what leaves the cube is
    drawn again.
    """
    n_rates = n_classes * (n_classes - 1)
    parts, missing = [], size
    while missing > 0:
        shape = (missing + missing // 8 + 8, n_rates + 1)
        drawn = torch.empty(shape, dtype=torch.float64, device=generator.device)
        drawn.exponential_(generator=generator)
        points = (n_classes - 1) * drawn[:, :-1] / drawn.sum(dim=1, keepdim=True)
        parts.append(points[(points <= 1).all(dim=1)][:missing])
        missing -= len(parts[-1])
    return torch.cat(parts)


def _count_dominated(points: Tensor, samples: Tensor, most_points: int) -> int:
    """Samples that some point is nowhere above; those found are not held against further points."""
    n_samples = len(samples)
    for start in range(0, len(points), most_points):
        some = points[start : start + most_points]
        below = samples[:, :1] >= some[:, 0]
        for rate in range(1, points.shape[1]):
            below &= samples[:, rate, None] >= some[:, rate]
        samples = samples[~below.any(dim=1)]
    return n_samples - len(samples)
