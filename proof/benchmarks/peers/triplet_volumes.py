"""Volumes over triplets: no peer has them, so the rival is their definition in NumPy."""

import itertools
from collections.abc import Callable, Iterator

import numpy as np
from timing import probabilities, softmax_scores
from triplets import four

from peers.contest import Contest, Rival
from peers.rows import Row
from peers.settings import Settings
from peers.work import Work

NAME = "triplets"
QUANTITY = "vus, wvus, vus2, wvus2"
Labelled = tuple[np.ndarray, np.ndarray]


def enumerated(y: np.ndarray, p: np.ndarray) -> list[float]:
    """All triplets of three classes, those of one case of the first class at a time."""
    first, second, third = (p[y == k] for k in range(3))
    lengths = [
        np.linalg.norm(group[:, None] - np.eye(3), axis=2) for group in (first, second, third)
    ]
    normals = np.cross(second[:, None], third[None])
    sums = np.zeros(4)
    for x, to_corners in zip(first, lengths[0], strict=True):
        own, right = assigned(to_corners, lengths[1], lengths[2])
        highest = (
            (x[0] > np.maximum(second[:, None, 0], third[None, :, 0]))
            & (second[:, None, 1] > np.maximum(x[1], third[None, :, 1]))
            & (third[None, :, 2] > np.maximum(x[2], second[:, None, 2]))
        )
        volumes = np.abs(normals[highest] @ x).sum()
        weights = (1 - own[right] / (3 * np.sqrt(2))).sum()
        sums += [right.sum(), weights, highest.sum(), volumes]
    return list(sums / (len(first) * len(second) * len(third)))


def assigned(x: np.ndarray, second: np.ndarray, third: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Length of the right assignment to corners, and whether it is shorter than all others."""
    right, *others = (
        x[q[0]] + second[:, None, q[1]] + third[None, :, q[2]]
        for q in itertools.permutations(range(3))
    )
    return right, right < np.minimum.reduce(others)


def measure(settings: Settings) -> Iterator[Row]:
    sizes = settings.choose(
        tiny=(30, 60),
        quick=(150, 300, 600, 1_500, 3_000),
        full=(150, 300, 600, 1_200, 3_000, 6_000, 12_000, 24_000),
    )

    def ours(data: Labelled) -> Callable[[], list[float]]:
        return lambda: four(*data)

    def definition(data: Labelled) -> Callable[[], list[float]]:
        return lambda: enumerated(*data)

    rivals = [Rival("numpy", "all triplets", definition, 1e-12)]
    contest = Contest(NAME, QUANTITY, ours, rivals, settings)
    for n in sizes:
        y, raw = softmax_scores(n, 3)
        yield from contest.at(n, {"n": n, "K": 3}, (y, probabilities(raw)))


WORK = Work(
    name=NAME,
    title="Triplets",
    axis="n",
    axis_title="cases n",
    peers=("numpy",),
    about=(
        "Four volumes over all triplets of cases of three classes, exact. None of the peers has "
        "them; the rival is their definition in NumPy, a case of the first class at a time."
    ),
    measure=measure,
)
