"""Spark and Ray make summaries of parts of the cases and merge them: the bounds of one process.

``python proof/engines`` runs both engines on this machine; ``python proof/engines ray`` one of
them. Needs ``pip install pyspark ray``, and Java for Spark.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from typing import Any

import numpy as np

from polyroc.scale import PairSummary

CLASSES = ["a", "b", "c"]
N_CASES, N_PARTS = 60_000, 8

Row = tuple[str, list[float]]


def cases() -> list[Row]:
    """Rows of a table: the class and its probabilities."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, N_CASES)
    logits = rng.normal(size=(N_CASES, 3)) + 1.2 * np.eye(3)[codes]
    p = np.exp(logits)
    p /= p.sum(axis=1, keepdims=True)
    return [(CLASSES[k], row) for k, row in zip(codes, p.tolist(), strict=True)]


def summarised(rows: Iterable[Row]) -> bytes:
    """The summary of a part."""
    labels, scores = zip(*rows, strict=True)
    return PairSummary(CLASSES).update(list(labels), np.array(scores)).to_bytes()


def merged(one: bytes, other: bytes) -> bytes:
    """The summary of two parts."""
    return PairSummary.from_bytes(one).merge(PairSummary.from_bytes(other)).to_bytes()


def by_spark(rows: list[Row]) -> bytes:
    """A partition is a part; Spark reduces."""
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[2]").appName("polyroc").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")

    def part(partition: Iterator[Row]) -> list[bytes]:
        return [summarised(partition)]

    try:
        spread = session.sparkContext.parallelize(rows, N_PARTS)
        return bytes(spread.mapPartitions(part).reduce(merged))
    finally:
        session.stop()


def by_ray(rows: list[Row]) -> bytes:
    """A task is a part; the results are reduced here."""
    os.environ.setdefault("RAY_AUTH_MODE", "disabled")  # writes no token for a run on one machine
    import ray

    ray.init(num_cpus=2, object_store_memory=200 << 20, include_dashboard=False)
    try:
        task = ray.remote(summarised)
        parts = [task.remote(rows[first::N_PARTS]) for first in range(N_PARTS)]
        return reduce(merged, ray.get(parts))
    finally:
        ray.shutdown()


ENGINES: dict[str, Callable[[list[Row]], bytes]] = {"spark": by_spark, "ray": by_ray}


def bounds(summary: bytes) -> dict[str, Any]:
    """Bounds of all metrics, to the bit."""
    found = PairSummary.from_bytes(summary).compute()
    return {name: (each.low.hex(), each.high.hex()) for name, each in found.items()}


def main(names: list[str]) -> None:
    """Run the engines and compare."""
    rows = cases()
    alone = bounds(summarised(rows))
    for name in names or list(ENGINES):
        found = bounds(ENGINES[name](rows))
        if found != alone:
            raise SystemExit(f"{name}: {found} is not {alone}")
        low, high = (float.fromhex(each) for each in found["hand_till"])
        print(f"{name}: {N_CASES} cases in {N_PARTS} parts, {len(found)} metrics, all bounds equal")
        print(f"  hand_till between {low:.6f} and {high:.6f}")


if __name__ == "__main__":
    main(sys.argv[1:])
