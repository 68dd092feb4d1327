"""Values within folds, with standard errors, against the value alone."""

import sys

import numpy as np
from timing import median_seconds, probabilities, report, softmax_scores

import polyroc

N, N_CLASSES, N_FOLDS = 10**5, 10, 5
PAIRS = ["hand_till", "au1p", "aunu", "aunp", "hand_till_scored"]
MEANS = ["hand_till_probabilistic", "total_length"]

if __name__ == "__main__":
    y, raw = softmax_scores(N, N_CLASSES)
    p, folds = probabilities(raw), np.arange(N) % N_FOLDS
    parts = [polyroc.hand_till(y[folds == v], p[folds == v]) for v in range(N_FOLDS)]
    found = polyroc.evaluate(y, p, ["hand_till"], folds=folds)["hand_till"]
    assert np.isclose(found.value, np.mean(parts), rtol=1e-13)
    met = True
    for metrics in (["hand_till"], PAIRS, [*PAIRS, *MEANS]):
        work = {
            "value": lambda m=metrics: polyroc.evaluate(y, p, m, interval=None),
            "folds": lambda m=metrics: polyroc.evaluate(y, p, m, folds=folds),
        }
        times = median_seconds(work, 9)
        print(len(metrics), {name: round(seconds, 3) for name, seconds in times.items()})
        ratio = times["folds"] / times["value"]
        met &= report(f"folds, value alone ({len(metrics)} metrics)", ratio, 2.5, False)
    sys.exit(not met)
