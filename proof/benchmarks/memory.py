"""Peak memory of pairwise_auc on 10⁷ × 10 float32, beyond the scores, in a fresh process."""

import resource
import sys

import numpy as np
from timing import report

import polyroc


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    n, n_classes = 10**7, 10
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n)
    p = np.empty((n, n_classes), dtype=np.float32)
    for start in range(0, n, 10**6):
        p[start : start + 10**6] = rng.random((10**6, n_classes), dtype=np.float32)
    polyroc.pairwise_auc(y[:1000], p[:1000])
    before = peak_bytes()
    polyroc.pairwise_auc(y, p)
    extra = (peak_bytes() - before) / p.nbytes
    sys.exit(not report("memory beyond the scores, of their size", extra, 1.5, False))
