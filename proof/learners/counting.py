"""What the tables say: agreement with peers, best learners, and pairs that metrics order apart."""

from itertools import combinations

import numpy as np
import pandas as pd

PEERS = "scikit-learn", "torchmetrics", "lightgbm"
OF_RANKS = "hand_till", "au1p", "aunu", "aunp", "auc_mu", "pdi"
OF_SIZES = "hand_till_probabilistic", "hand_till_scored", "total_length"
OF_PEERS = "accuracy", "log_loss"
SHOWN = (*OF_PEERS, *OF_RANKS, *OF_SIZES)
"""Metrics that exist on every data set, in the order of the picture."""
LEVEL, EQUAL = 0.05, 1e-5


def agreement(values: pd.DataFrame) -> pd.DataFrame:
    """Largest distance from polyroc, for each peer and metric."""
    rows = []
    for peer in (name for name in PEERS if name in values):
        both = values[values[peer].notna() & values["value"].notna()]
        for metric, part in both.groupby("metric", sort=False):
            far = (part[peer] - part["value"]).abs()
            rows.append((peer, metric, len(part), int((far < EQUAL).sum()), float(far.max())))
    return pd.DataFrame(rows, columns=["peer", "metric", "compared", "equal", "largest"])


def scores(values: pd.DataFrame, data: str) -> pd.DataFrame:
    """Learners × metrics, higher is better: log loss with its sign changed."""
    part = values[(values["data"] == data) & values["metric"].isin(SHOWN)].copy()
    part["value"] = part["value"].fillna(part["scikit-learn"])
    wide = part.pivot(index="learner", columns="metric", values="value")
    wide["log_loss"] *= -1
    return wide.loc[list(dict.fromkeys(part["learner"])), list(SHOWN)]


def best(values: pd.DataFrame) -> pd.DataFrame:
    """The best learner of each data set by each metric; several with the same value together."""
    found = {}
    for data in dict.fromkeys(values["data"]):
        wide = scores(values, data)
        found[data] = {m: ", ".join(wide.index[wide[m] == wide[m].max()]) for m in SHOWN}
    return pd.DataFrame(found).T


def mean_ranks(values: pd.DataFrame) -> pd.DataFrame:
    """Learners × metrics: rank on a data set, 1 the best, averaged over data sets."""
    ranks = [scores(values, data).rank(ascending=False) for data in dict.fromkeys(values["data"])]
    return sum(ranks[1:], ranks[0]) / len(ranks)


def opposed(tests: pd.DataFrame) -> pd.DataFrame:
    """Pairs of learners that two metrics order differently, with both p-values.

    A row per data set, pair of learners and pair of metrics; ``p_first`` is that of the metric by
    which ``better`` is better.
    """
    rows = []
    for (data, a, b), part in tests.groupby(["data", "model_a", "model_b"], sort=False):
        signs, p = np.sign(part["difference"].to_numpy()), part["p_adjusted"].to_numpy()
        for j, k in combinations(range(len(part)), 2):
            if signs[j] * signs[k] < 0:
                first, second = (j, k) if signs[j] > 0 else (k, j)
                rows.append((data, a, b, part["metric"].iloc[first], part["metric"].iloc[second],
                             p[first], p[second]))  # fmt: skip
    names = ["data", "better", "worse", "first", "second", "p_first", "p_second"]
    return pd.DataFrame(rows, columns=names)
