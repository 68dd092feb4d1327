"""A reader study of 5 readers × 2 modalities × 2,000 cases × 4 classes by all pair metrics."""

import sys

import numpy as np
import pandas as pd
from timing import median_seconds, report

from polyroc import reader_study

PAIR_METRICS = (
    "hand_till",
    "au1p",
    "aunu",
    "aunp",
    "auc_mu",
    "hand_till_probabilistic",
    "hand_till_scored",
)


def table(n_cases: int = 2000, n_readers: int = 5, n_classes: int = 4) -> pd.DataFrame:
    """Probabilities that share a part within cases."""
    rng = np.random.default_rng(1)
    case, reader, modality = (each.ravel() for each in np.indices((n_cases, n_readers, 2)))
    truth = case % n_classes
    logits = rng.normal(size=(n_cases, n_classes))[case]
    logits += rng.normal(size=logits.shape) + (truth[:, None] == np.arange(n_classes))
    p = np.exp(logits)
    p /= p.sum(axis=1, keepdims=True)
    scores = {f"p_{k}": p[:, k] for k in range(n_classes)}
    return pd.DataFrame(
        {"case": case, "reader": reader, "modality": modality, "truth": truth, **scores}
    )


if __name__ == "__main__":
    readings = table()
    roles = {name: name for name in ("case", "reader", "modality", "truth")}
    scores = [f"p_{k}" for k in range(4)]

    def studies() -> None:
        for metric in PAIR_METRICS:
            reader_study(readings, **roles, scores=scores, metric=metric).frame("differences")

    seconds = median_seconds({"studies": studies}, 5)["studies"]
    sys.exit(not report("all pair metrics", seconds, 2.0, False, " s"))
