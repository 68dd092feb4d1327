"""Contents of a report made of given values, to see what is said of exactly these."""

import math
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from polyroc.predictions import Predictions
from polyroc.report._cases import page_cases
from polyroc.report._content import Content, ModelContent

NBSP = "\u00a0"


def valued(value: float, low: float = math.nan, high: float = math.nan, **more: Any) -> Any:
    """A value with limits of the level 0.95; those of another level are as much further apart."""
    notes = tuple(more.pop("notes", ()))
    return SimpleNamespace(
        value=value,
        interval=lambda level: (low - (level - 0.95), high + (level - 0.95), level, ""),
        notes=notes,
        note="; ".join(each.text for each in notes),
        settings=more.pop("settings", {}),
        **more,
    )


def row(a: str, b: str, by: float, p: float, **more: Any) -> Any:
    """A difference a − b with limits 0.01 away, moved as those of values are."""
    half = more.pop("half", 0.01)
    made = {"metric": "hand_till", "p_adjusted": p, "notes": (), "note": "", **more}
    return SimpleNamespace(
        model_a=a,
        model_b=b,
        difference=by,
        p_value=p,
        interval=lambda level: (by - half - (level - 0.95), by + half + (level - 0.95), level, ""),
        **made,
    )


def scores_of(y: Sequence[int], n_classes: int, seed: int = 0, strength: float = 1.0) -> np.ndarray:
    """Probabilities of classes that overlap."""
    rng = np.random.default_rng(seed)
    made = np.exp(rng.normal(size=(len(y), n_classes)) + strength * np.eye(n_classes)[list(y)])
    return np.asarray(made / made.sum(axis=1, keepdims=True))


def model_of(
    name: str, predictions: Predictions, metrics: Mapping[str, Any], **more: Any
) -> ModelContent:
    """A model with what is given, and nothing else worth telling."""
    n_classes = predictions.n_classes
    square = np.full((n_classes, n_classes), 0.8)
    np.fill_diagonal(square, np.nan)
    made: dict[str, Any] = {
        "pairs": square,
        "pair_limits": np.stack([square - 0.1, square + 0.1]),
        "reversed_pairs": np.zeros((n_classes, n_classes), dtype=bool),
        "rest": (0.8,) * n_classes,
        "curves": {},
        "probabilities": predictions.scores,
        "fault": "",
        **more,
    }
    return ModelContent(name, predictions, metrics, **made)  # type: ignore[arg-type]


def content_of(
    values: Mapping[str, Any],
    rows: Sequence[Any] = (),
    *,
    y: Sequence[int] = (0, 1, 2) * 10,
    n_classes: int = 3,
    scores: Mapping[str, np.ndarray] | None = None,
    weights: Any = None,
    classes: Sequence[str] | None = None,
    of_models: Mapping[str, Mapping[str, Any]] | None = None,
    **more: Any,
) -> Content:
    """Models whose main metric has these values (or that have all of these metrics)."""
    main = "roc_auc" if n_classes == 2 else "hand_till"
    models = []
    for seed, (name, each) in enumerate(values.items()):
        table = (scores or {}).get(name, scores_of(y, n_classes, seed))
        given = Predictions(y, table, labels=list(range(n_classes)), sample_weight=weights)
        metrics = each if isinstance(each, Mapping) else {main: each}
        models.append(model_of(name, given, metrics, **(of_models or {}).get(name, {})))
    first = models[0].predictions
    known = {each.name: each.probabilities for each in models if each.probabilities is not None}
    made: dict[str, Any] = {
        "title": "Report",
        "level": 0.95,
        "classes": tuple(classes or "abcdefghijklmnopqrstuvwxyz"[:n_classes]),
        "literals": tuple(map(str, range(n_classes))),
        "models": tuple(models),
        "comparison": SimpleNamespace(differences=tuple(rows)) if len(models) > 1 else None,
        "cases": page_cases(first, np.arange(len(first)), known),
        "surfaces": {},
        "n_given": len(y),
        **more,
    }
    return Content(**made)
