"""Bootstrap of pair metrics by weights, against resampling through scikit-learn's ovo."""

import sys
import time

import numpy as np
from sklearn.metrics import roc_auc_score
from timing import median_seconds, probabilities, report, softmax_scores

import polyroc
from polyroc import Bootstrap
from polyroc.inference._influence import CaseDesign
from polyroc.inference._resampling import Resampler, drawn_weights

N, N_CLASSES, REPLICATES, SEED = 100_000, 10, 1_000, 1
PAIR_METRICS = [
    "hand_till",
    "au1p",
    "aunu",
    "aunp",
    "auc_mu",
    "hand_till_probabilistic",
    "hand_till_scored",
]


def bootstrap(
    y: np.ndarray, p: np.ndarray, names: list[str], replicates: int
) -> polyroc.results.Evaluation:
    return polyroc.evaluate(y, p, names, interval=Bootstrap(replicates), rng=SEED)


if __name__ == "__main__":
    y, raw = softmax_scores(N, N_CLASSES)
    p = probabilities(raw)
    ours = bootstrap(y, p, PAIR_METRICS, 4)["hand_till"].replicates
    predictions = polyroc.Predictions(y, p)
    resampler = Resampler.of(predictions, CaseDesign())
    chosen = [np.repeat(np.arange(N), w) for w in drawn_weights(resampler, SEED, range(4), 1)]
    peers = [roc_auc_score(y[rows], p[rows], multi_class="ovo") for rows in chosen]
    np.testing.assert_allclose(ours, peers, rtol=1e-12)
    rows = chosen[0]
    peer = median_seconds(
        {"sklearn": lambda: roc_auc_score(y[rows], p[rows], multi_class="ovo")}, 5
    )["sklearn"]
    seconds = {}
    for name, names in {"all": PAIR_METRICS, "M": ["hand_till"]}.items():
        start = time.perf_counter()
        bootstrap(y, p, names, REPLICATES)
        seconds[name] = time.perf_counter() - start
    print(f"scikit-learn {peer:.3f} s a replicate; ours, {REPLICATES:,} replicates: {seconds}")
    met = report(f"{REPLICATES:,} replicates, all pair metrics", seconds["all"], 25, False, " s")
    met &= report("all pair metrics, per replicate", peer * REPLICATES / seconds["all"], 30)
    met &= report("M alone, per replicate", peer * REPLICATES / seconds["M"], 100)
    sys.exit(not met)
