"""Fifty slices of a million cases and ten classes, against one evaluation with intervals."""

import sys

import numpy as np
from timing import median_seconds, probabilities, report, softmax_scores

import polyroc

N, N_CLASSES, N_SLICES = 10**6, 10, 50
METRICS = ["hand_till", "aunp", "auc_mu"]

if __name__ == "__main__":
    y, raw = softmax_scores(N, N_CLASSES)
    p = probabilities(raw)
    site = np.random.default_rng(1).integers(0, N_SLICES, N)
    found = polyroc.evaluate(y, p, METRICS, by=site)
    own = site == 7
    alone = polyroc.evaluate(y[own], p[own], METRICS)
    for metric in METRICS:
        assert found.slices["slice"][7][metric].value == alone[metric].value
    work = {
        "evaluation": lambda: polyroc.evaluate(y, p, METRICS).frame(),
        "by slices": lambda: polyroc.evaluate(y, p, METRICS, by=site).frame(),
    }
    times = median_seconds(work, 3)
    print({name: round(seconds, 3) for name, seconds in times.items()})
    ratio = times["by slices"] / times["evaluation"]
    sys.exit(not report("50 slices, one evaluation", ratio, 2, False))
