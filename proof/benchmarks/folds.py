"""Values with standard errors, plain, within folds and compared, against the value alone.

The bar is 2.5 times the seconds of the value (per model). Seconds of the processor are counted, of
all threads, so that other work on the machine does not change the ratios.
"""

import sys
import time
from collections.abc import Callable

import numpy as np
from timing import probabilities, report, softmax_scores

import polyroc

N, N_CLASSES, N_FOLDS, ROUNDS = 10**5, 10, 5, 7
PAIRS = ["hand_till", "au1p", "aunu", "aunp", "hand_till_scored"]
MEANS = ["hand_till_probabilistic", "total_length"]


def processor_seconds(work: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The least processor time of each piece of work, run in turn."""
    found: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(ROUNDS):
        for name, call in work.items():
            start = time.process_time()
            call()
            found[name].append(time.process_time() - start)
    return {name: min(times) for name, times in found.items()}


if __name__ == "__main__":
    y, raw = softmax_scores(N, N_CLASSES)
    p, folds = probabilities(raw), np.arange(N) % N_FOLDS
    other = probabilities(raw + 0.5 * np.random.default_rng(1).normal(size=raw.shape))
    parts = [polyroc.hand_till(y[folds == v], p[folds == v]) for v in range(N_FOLDS)]
    found = polyroc.evaluate(y, p, ["hand_till"], folds=folds)["hand_till"]
    assert np.isclose(found.value, np.mean(parts), rtol=1e-13)
    met = True
    for metrics in (["hand_till"], PAIRS, [*PAIRS, *MEANS]):
        work = {
            "value": lambda m=metrics: polyroc.evaluate(y, p, m, interval=None),
            "intervals": lambda m=metrics: polyroc.evaluate(y, p, m),
            "folds": lambda m=metrics: polyroc.evaluate(y, p, m, folds=folds),
            "compare": lambda m=metrics: polyroc.compare(y, {"a": p, "b": other}, m),
        }
        times = processor_seconds(work)
        print(len(metrics), {name: round(seconds, 3) for name, seconds in times.items()})
        for name, models in (("intervals", 1), ("folds", 1), ("compare", 2)):
            ratio = times[name] / models / times["value"]
            met &= report(f"{name}, value alone ({len(metrics)} metrics)", ratio, 2.5, False)
    sys.exit(not met)
