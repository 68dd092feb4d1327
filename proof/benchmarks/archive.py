"""The archive as a tree beside the linear scan that polyroc uses: equal fronts, then the time.

    python proof/benchmarks/archive.py [seconds]

The tree keeps members in leaves of at most 32 with their bounding boxes, as an ND-tree does
(Jaszkiewicz & Lust 2018): a box whose lower corner is somewhere above the candidate holds none that
dominates it, one whose upper corner is somewhere below it none that it dominates. Candidates are
those of searches: the 850 bundled cases of three classes, and points of 2, 6 and 12 objectives.
Times are those of the processor, for a candidate.
"""

import sys
import time

import numpy as np
from numba import njit

from polyroc.datasets import example_predictions
from polyroc.kernels.archive import insert as scan
from polyroc.surface import ScoreModel
from polyroc.surface._evolution import Evolution, Settings

LEAF = 32


@njit(cache=True)
def tree_insert(points, low, high, child, bucket, fill, state):  # type: ignore[no-untyped-def]
    """Insert points in turn; nodes have two children or a bucket of members, by number."""
    n_dimensions = points.shape[1]
    stack = np.empty(4096, np.int64)
    for m in range(len(points)):
        candidate, refused, top = points[m], False, 1
        stack[0] = 0
        while top and not refused:  # does a member dominate it?
            top -= 1
            node = stack[top]
            possible, below = True, fill[node] != 0
            for d in range(n_dimensions):
                if low[node, d] > candidate[d]:
                    possible = False
                    break
                below &= high[node, d] <= candidate[d]
            if not possible:
                continue
            if child[node, 0] >= 0:
                stack[top], stack[top + 1] = child[node, 0], child[node, 1]
                top += 2
                continue
            if below:
                refused = True
            for i in range(fill[node]):
                worse = False
                for d in range(n_dimensions):
                    if points[bucket[node, i], d] > candidate[d]:
                        worse = True
                        break
                if not worse:
                    refused = True
                    break
        if refused:
            continue
        stack[0], top = 0, 1
        while top:  # which members does it dominate?
            top -= 1
            node = stack[top]
            possible = True
            for d in range(n_dimensions):
                if high[node, d] < candidate[d]:
                    possible = False
                    break
            if not possible:
                continue
            if child[node, 0] >= 0:
                stack[top], stack[top + 1] = child[node, 0], child[node, 1]
                top += 2
                continue
            i = 0
            while i < fill[node]:
                better = False
                for d in range(n_dimensions):
                    if points[bucket[node, i], d] < candidate[d]:
                        better = True
                        break
                if better:
                    i += 1
                else:
                    fill[node] -= 1
                    bucket[node, i] = bucket[node, fill[node]]
        _add(points, m, low, high, child, bucket, fill, state)


@njit(cache=True)
def _add(points, m, low, high, child, bucket, fill, state):  # type: ignore[no-untyped-def]
    """Put a member into the leaf whose box is nearest, which is divided when it is full."""
    node, n_dimensions = 0, points.shape[1]
    while True:
        for d in range(n_dimensions):
            low[node, d] = min(low[node, d], points[m, d])
            high[node, d] = max(high[node, d], points[m, d])
        if child[node, 0] < 0:
            break
        far = np.zeros(2)
        for side in range(2):
            for d in range(n_dimensions):
                middle = (low[child[node, side], d] + high[child[node, side], d]) / 2
                far[side] += (points[m, d] - middle) ** 2
        node = child[node, 0] if far[0] <= far[1] else child[node, 1]
    bucket[node, fill[node]] = m
    fill[node] += 1
    if fill[node] < LEAF:
        return
    widest, width = 0, -1.0
    for d in range(n_dimensions):
        values = points[bucket[node, :LEAF], d]
        if values.max() - values.min() > width:
            widest, width = d, values.max() - values.min()
    order = np.argsort(points[bucket[node, :LEAF], widest])
    for side in range(2):
        new = state[0]
        state[0] += 1
        child[node, side], child[new, 0], fill[new] = new, -1, 0
        low[new], high[new] = np.inf, -np.inf
        for i in order[side * LEAF // 2 : (side + 1) * LEAF // 2]:
            bucket[new, fill[new]] = bucket[node, i]
            fill[new] += 1
            for d in range(n_dimensions):
                low[new, d] = min(low[new, d], points[bucket[node, i], d])
                high[new, d] = max(high[new, d], points[bucket[node, i], d])
    fill[node] = 0


class Tree:
    """An archive in a tree, of all points that will be offered to it."""

    def __init__(self, points: np.ndarray) -> None:
        n_nodes, n_dimensions = 64 + len(points) // 4, points.shape[1]
        self.low, self.high = (np.full((n_nodes, n_dimensions), s * np.inf) for s in (1, -1))
        self.child = np.full((n_nodes, 2), -1)
        self.bucket, self.fill = np.zeros((n_nodes, LEAF), np.int64), np.zeros(n_nodes, np.int64)
        self.state = np.array([1])

    def insert(self, points: np.ndarray) -> np.ndarray:
        """Numbers of the members after all points were offered."""
        tree_insert(points, self.low, self.high, self.child, self.bucket, self.fill, self.state)
        leaves = np.flatnonzero((self.child[:, 0] < 0) & (self.fill > 0))
        return np.sort(np.concatenate([self.bucket[n, : self.fill[n]] for n in leaves]))


def scanned(points: np.ndarray, top: float) -> np.ndarray:
    """The same by the linear scan with words of levels."""
    n, dimensions = points.shape
    payload, entered = np.empty((n, 1)), np.empty(n, np.bool_)
    numbers, tops = np.arange(n, dtype=float)[:, None], np.full(dimensions, top)
    arrays = np.empty((n, dimensions)), np.empty(n, np.uint64), payload
    size = scan(points, numbers, tops, *arrays, 0, entered)
    return np.sort(payload[:size, 0].astype(int))


def searched(generations: int) -> np.ndarray:
    """Rates of all operating points that a search tries, in turn."""
    y, models, labels = example_predictions()
    model = ScoreModel(y, models["logistic"], labels=labels)
    evolution = Evolution(model, Settings(100, "pairs", "inherit", None), 0)
    tried, insert = [], evolution.archive.insert

    def recorded(rates: np.ndarray, *others: np.ndarray) -> np.ndarray:
        tried.append(rates.copy())
        return insert(rates, *others)

    evolution.archive.insert = recorded  # type: ignore[method-assign]
    evolution.begin()
    for _ in range(generations):
        evolution.advance()
    return np.vstack(tried)


def made(number: int, dimensions: int) -> np.ndarray:
    """Points on a sphere about (1, …, 1), each moved a little towards its centre."""
    rng = np.random.default_rng(dimensions)
    away = np.abs(rng.normal(size=(number, dimensions)))
    away /= np.sqrt((away**2).sum(axis=1, keepdims=True))
    return 1 - away * (1 - np.minimum(0.01 * rng.exponential(size=(number, 1)), 1))


def main() -> None:
    limit = float(sys.argv[1]) if len(sys.argv) > 1 else 200.0
    started = time.perf_counter()
    small = made(500, 6)
    assert np.array_equal(Tree(small).insert(small), scanned(small, 1.0))  # compiled, and equal
    print("| candidates | objectives | offered | members | scan, µs each | tree, µs each |")
    print("|---|---|---|---|---|---|")
    streams = {"search, 850 cases": searched(600)}
    streams |= {f"made, {d}": made(80_000, d) for d in (2, 6, 12)}
    for name, points in streams.items():
        for share in (0.03, 0.1, 0.3, 1.0):
            part = points[: int(share * len(points))]
            if time.perf_counter() - started > limit:
                return
            begun = time.process_time()
            by_scan = scanned(part, 1.0)
            between = time.process_time()
            by_tree = Tree(part).insert(part)
            end = time.process_time()
            assert np.array_equal(part[by_scan], part[by_tree])
            each = [1e6 * took / len(part) for took in (between - begun, end - between)]
            print(
                f"| {name.split(',')[0]} | {part.shape[1]} | {len(part):,} | {len(by_scan):,} | "
                f"{each[0]:.1f} | {each[1]:.1f} |", flush=True,
            )  # fmt: skip


if __name__ == "__main__":
    main()
