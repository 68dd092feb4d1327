"""Records what fairlearn's MetricFrame says of slices, in fairlearn_slices.json beside this file.

Run it with a Python that has fairlearn and scikit-learn, and the folder of the published vectors:

    python fairlearn_slices.py ../../../shared/vectors

AUC of S100B in aSAH (pROC's example) by gender with 2,000 bootstrap samples of all rows, and Hand &
Till's M of yardstick's hpc_cv by its resample, without a bootstrap, which would take an hour.
"""

import json
import sys
from pathlib import Path

import fairlearn
import numpy as np
import pandas as pd
import sklearn
from fairlearn.metrics import MetricFrame
from sklearn.metrics import roc_auc_score

REPLICATES = 2000
CLASSES = ["VF", "F", "M", "L"]


def described(metric, y, scores, slices, **bootstrap):
    given = {"y_true": y, "y_pred": scores, "sensitive_features": slices, **bootstrap}
    frame = MetricFrame(metrics=metric, **given)
    found = {"overall": float(frame.overall), "by_group": by_name(frame.by_group)}
    if bootstrap:
        low, high = frame.by_group_ci
        found |= {"low": by_name(low), "high": by_name(high)}
    return found


def by_name(values):
    return {str(name): float(value) for name, value in values.items()}


def asah(folder):
    table = pd.read_csv(folder / "proc_aSAH.csv")
    y = (table["outcome"] == "Poor").to_numpy(int)
    return described(
        roc_auc_score,
        y,
        table["s100b"].to_numpy(),
        table["gender"],
        n_boot=REPLICATES,
        ci_quantiles=[0.025, 0.975],
        random_state=0,
    )


def hpc(folder):
    table = pd.read_csv(folder / "yardstick_hpc_cv.csv")
    codes = table["obs"].map(CLASSES.index).to_numpy()
    scores = table[CLASSES].to_numpy()
    scores = scores / scores.sum(axis=1, keepdims=True)

    def hand_till(y, rows):
        return roc_auc_score(y, scores[rows], multi_class="ovo", labels=[0, 1, 2, 3])

    return described(hand_till, codes, np.arange(len(codes)), table["Resample"])


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    versions = {"fairlearn": fairlearn.__version__, "scikit-learn": sklearn.__version__}
    found = {"versions": versions, "replicates": REPLICATES}
    found |= {"asah": asah(folder), "hpc_cv": hpc(folder)}
    text = json.dumps(found, indent=1) + "\n"
    Path(__file__).with_suffix(".json").write_text(text)
