"""auc_mu against LightGBM's metric on the same cases and the same raw scores."""

import sys

import lightgbm
import numpy as np
from timing import median_seconds, report, softmax_scores

import polyroc

N, N_CLASSES = 50_000, 100


def booster_of(y: np.ndarray, raw: np.ndarray) -> lightgbm.Booster:
    """A booster without trees whose scores are those given; ``eval_train`` is its AUC_mu."""
    settings = {
        "objective": "multiclass",
        "num_class": raw.shape[1],
        "metric": "auc_mu",
        "verbose": -1,
        "boost_from_average": False,
    }
    nothing, by_class = np.zeros((len(y), 1)), raw.ravel(order="F")
    data = lightgbm.Dataset(nothing, label=y, init_score=by_class, params={"verbose": -1})
    return lightgbm.Booster(settings, data)


if __name__ == "__main__":
    y, raw = softmax_scores(N, N_CLASSES)
    booster = booster_of(y, raw)
    peer, ours = booster.eval_train()[0][2], polyroc.auc_mu(y, raw)
    assert abs(ours - peer) < 1e-9, (ours, peer)
    work = {"polyroc": lambda: polyroc.auc_mu(y, raw), "lightgbm": booster.eval_train}
    times = median_seconds(work, 5)
    print(f"LightGBM {lightgbm.__version__}: {times}")
    name = f"auc_mu n={N:,} K={N_CLASSES}, faster than LightGBM"
    sys.exit(not report(name, times["lightgbm"] / times["polyroc"], 20))
