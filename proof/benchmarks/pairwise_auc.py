"""pairwise_auc against scikit-learn's one-vs-one AUC and against NumPy's bare sort."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import sklearn
from sklearn.metrics import roc_auc_score
from timing import median_seconds, probabilities, report, softmax_scores

import polyroc
from polyroc._base.parallel import thread_count


def sort_columns(p: np.ndarray) -> None:
    with ThreadPoolExecutor(thread_count()) as pool:
        list(pool.map(lambda k: np.sort(p[:, k]), range(p.shape[1])))


def compare(n: int, n_classes: int, bar: float, repeat: int, peer_repeat: int) -> bool:
    y, raw = softmax_scores(n, n_classes)
    p = probabilities(raw)
    single = p.astype(np.float32)
    ours = np.nanmean(polyroc.pairwise_auc(y, p))
    peer = roc_auc_score(y, p, multi_class="ovo")
    assert abs(ours - peer) < 1e-12, (ours, peer)
    work = {
        "polyroc": lambda: polyroc.pairwise_auc(y, p),
        "polyroc float32": lambda: polyroc.pairwise_auc(y, single),
        "sort": lambda: sort_columns(p),
    }
    peers = {"sklearn": lambda: roc_auc_score(y, p, multi_class="ovo")}
    times = median_seconds(work, repeat) | median_seconds(peers, peer_repeat)
    print({name: round(seconds, 4) for name, seconds in times.items()})
    name = f"pairwise_auc n={n:,} K={n_classes}"
    met = report(f"{name}, faster than scikit-learn ovo", times["sklearn"] / times["polyroc"], bar)
    if n_classes == 10:
        met &= report(f"{name}, time of a bare sort", times["polyroc"] / times["sort"], 2, False)
        ratio = times["polyroc float32"] / times["polyroc"]
        met &= report(f"{name}, float32 against float64", ratio, 1.05, False)
    return met


if __name__ == "__main__":
    print(f"scikit-learn {sklearn.__version__}, {thread_count()} threads")
    results = [compare(10**6, 10, 7, 9, 3), compare(20_000, 300, 250, 5, 1)]
    sys.exit(not all(results))
