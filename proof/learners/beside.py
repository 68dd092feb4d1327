"""What other packages report for the same predictions: means over the same folds.

A package that is not installed is left out, and the record says so.
"""

import importlib.util
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np

from polyroc import Predictions

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

Peer = Callable[[np.ndarray, np.ndarray], float]


def scikit_learn(multi_class: str, average: str) -> Peer:
    """``roc_auc_score``."""

    def of(y: np.ndarray, p: np.ndarray) -> float:
        from sklearn.metrics import roc_auc_score

        given = {"multi_class": multi_class, "average": average}
        return float(roc_auc_score(y, p, labels=np.arange(p.shape[1]), **given))

    return of


def accuracy(y: np.ndarray, p: np.ndarray) -> float:
    """Share of the cases whose own class has the greatest probability, the first of ties."""
    from sklearn.metrics import accuracy_score

    return float(accuracy_score(y, p.argmax(axis=1)))


def log_loss(y: np.ndarray, p: np.ndarray) -> float:
    """With probabilities of at least 10⁻¹⁵, so that it is finite."""
    from sklearn.metrics import log_loss as of

    held = np.clip(p, 1e-15, 1)
    return float(of(y, held / held.sum(axis=1, keepdims=True), labels=np.arange(p.shape[1])))


def torchmetrics(average: str) -> Peer:
    """``multiclass_auroc`` in its exact mode."""

    def of(y: np.ndarray, p: np.ndarray) -> float:
        import torch
        from torchmetrics.functional.classification import multiclass_auroc

        given = {"num_classes": p.shape[1], "average": average}
        return float(multiclass_auroc(torch.from_numpy(p), torch.from_numpy(y), **given))

    return of


def lightgbm(y: np.ndarray, p: np.ndarray) -> float:
    """``auc_mu`` of the probabilities."""
    from auc_mu import booster_of

    return float(booster_of(y, p).eval_train()[0][2])


PEERS: dict[str, dict[str, Peer]] = {
    "scikit-learn": {
        "hand_till": scikit_learn("ovo", "macro"),
        "aunu": scikit_learn("ovr", "macro"),
        "aunp": scikit_learn("ovr", "weighted"),
        "au1p": scikit_learn("ovo", "weighted"),
        "accuracy": accuracy,
        "log_loss": log_loss,
    },
    "torchmetrics": {"aunu": torchmetrics("macro"), "aunp": torchmetrics("weighted")},
    "lightgbm": {"auc_mu": lightgbm},
}
MODULES = {"scikit-learn": "sklearn"}


def installed() -> dict[str, str]:
    """Versions of the peers that are here."""
    names = [name for name in PEERS if importlib.util.find_spec(MODULES.get(name, name))]
    return {name: version(name) for name in names}


def reported(predictions: Predictions) -> dict[str, dict[str, float]]:
    """By peer and metric."""
    y, p = np.asarray(predictions.codes, dtype=np.int64), np.asarray(predictions.scores)
    folds = [np.asarray(rows) for rows in predictions.fold_rows]
    return {
        peer: {
            metric: float(np.mean([of(y[rows], np.ascontiguousarray(p[rows])) for rows in folds]))
            for metric, of in PEERS[peer].items()
        }
        for peer in installed()
    }
