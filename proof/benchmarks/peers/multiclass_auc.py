"""Areas under ROC curves of many classes by polyroc and by peers, on the same scores."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from timing import probabilities, softmax_scores

import polyroc
from peers.contest import Contest, Rival
from peers.settings import Settings

PEERS = ("scikit-learn", "torchmetrics", "lightgbm")

TORCHMETRICS = (
    "torchmetrics adds up the curve in 32-bit floats, whatever the scores are stored in. Measured "
    "is its exact mode (`thresholds=None`)."
)
LIGHTGBM = (
    "LightGBM takes raw scores. `auc_mu` starts from arrays, as all others do. Of `auc_mu, read "
    "before` both have their checked copy of labels and scores made outside the clock: a `Dataset` "
    "of LightGBM, `Predictions` of polyroc."
)


@dataclass(frozen=True)
class Cases:
    """Labels with raw scores and their softmax."""

    y: np.ndarray
    raw: np.ndarray
    p: np.ndarray

    @classmethod
    def drawn(cls, n: int, n_classes: int) -> "Cases":
        y, raw = softmax_scores(n, n_classes)
        return cls(y, raw, probabilities(raw))


def scikit_learn(multi_class: str, average: str = "macro") -> Callable[[Cases], Any]:
    """``roc_auc_score``; of two classes it wants one column, and the average is of one area."""

    def prepare(cases: Cases) -> Callable[[], float]:
        from sklearn.metrics import roc_auc_score

        if cases.p.shape[1] == 2:
            return lambda: roc_auc_score(cases.y, cases.p[:, 1])
        return lambda: roc_auc_score(cases.y, cases.p, multi_class=multi_class, average=average)

    return prepare


def torchmetrics(cases: Cases) -> Callable[[], float]:
    """``multiclass_auroc``, one-vs-rest, on tensors that share the memory of the arrays."""
    import torch
    from torchmetrics.functional.classification import multiclass_auroc

    y, p = torch.from_numpy(cases.y), torch.from_numpy(cases.p)
    return lambda: float(multiclass_auroc(p, y, num_classes=p.shape[1], average="macro"))


def read_before(cases: Cases) -> Callable[[], float]:
    """AUC_mu of cases that were checked and copied outside the clock."""
    predictions = polyroc.Predictions(cases.y, cases.raw)
    return lambda: polyroc.auc_mu(predictions)


def lightgbm(cases: Cases) -> Callable[[], float]:
    """The metric ``auc_mu`` of a booster without trees, its copy of the cases made before."""
    from auc_mu import booster_of

    booster = booster_of(cases.y, cases.raw)
    return lambda: booster.eval_train()[0][2]


def lightgbm_from_arrays(cases: Cases) -> Callable[[], float]:
    """The same, with the time to read labels and scores."""
    from auc_mu import booster_of

    return lambda: booster_of(cases.y, cases.raw).eval_train()[0][2]


OURS: dict[str, Callable[[Cases], Callable[[], float]]] = {
    "hand_till": lambda cases: lambda: polyroc.hand_till(cases.y, cases.p),
    "aunu": lambda cases: lambda: polyroc.aunu(cases.y, cases.p),
    "aunp": lambda cases: lambda: polyroc.aunp(cases.y, cases.p),
    "auc_mu": lambda cases: lambda: polyroc.auc_mu(cases.y, cases.raw),
    "auc_mu, read before": read_before,
}

RIVALS: dict[str, list[Rival]] = {
    "hand_till": [Rival("scikit-learn", "ovo", scikit_learn("ovo"), 1e-12)],
    "aunu": [
        Rival("scikit-learn", "ovr", scikit_learn("ovr"), 1e-12),
        Rival("torchmetrics", "macro", torchmetrics, 1e-5, TORCHMETRICS),
    ],
    "aunp": [Rival("scikit-learn", "ovr weighted", scikit_learn("ovr", "weighted"), 1e-12)],
    "auc_mu": [Rival("lightgbm", "auc_mu", lightgbm_from_arrays, 1e-9, LIGHTGBM)],
    "auc_mu, read before": [Rival("lightgbm", "auc_mu", lightgbm, 1e-9)],
}


def contests(work: str, quantities: tuple[str, ...], settings: Settings) -> list[Contest]:
    """A contest for each quantity."""
    return [Contest(work, name, OURS[name], RIVALS[name], settings) for name in quantities]
