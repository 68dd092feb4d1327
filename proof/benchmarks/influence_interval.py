"""Interval of M by influence values, and a comparison, against the value alone."""

import sys

import numpy as np
from timing import median_seconds, probabilities, report, softmax_scores

import polyroc

N, N_CLASSES = 10**6, 10

if __name__ == "__main__":
    y, raw = softmax_scores(N, N_CLASSES)
    p, q = probabilities(raw), probabilities(raw + 0.1 * np.random.default_rng(1).random(raw.shape))
    value = polyroc.hand_till(y, p)
    assert polyroc.evaluate(y, p, ["hand_till"])["hand_till"].value == value
    work = {
        "value": lambda: polyroc.hand_till(y, p),
        "interval": lambda: polyroc.evaluate(y, p, ["hand_till"])["hand_till"].interval(),
        "comparison": lambda: polyroc.compare(y, {"a": p, "b": q}, ["hand_till"]).frame(),
    }
    times = median_seconds(work, 7)
    print({name: round(seconds, 3) for name, seconds in times.items()})
    met = report("interval, value alone", times["interval"] / times["value"], 2.5, False)
    per_model = times["comparison"] / 2 / times["value"]
    met &= report("comparison per model, value alone", per_model, 2.5, False)
    sys.exit(not met)
