"""Data sets that between them make the report say everything it can say."""

import numpy as np
import pandas as pd
from report.recount import Facts

KINDS = ("perfect", "random", "tied", "tiny", "skewed")
SIZES = (2, 3, 5, 17, 50)
MORE_SIZES = (16, 20, 257, 300)
"""For the slow tier."""


def labels_of(kind: str, n_classes: int, rng: np.random.Generator) -> np.ndarray:
    """True classes, each with two cases at least."""
    every = np.repeat(np.arange(n_classes), 2)
    if kind == "tiny":
        return every
    more = 40 if n_classes > 50 else 160
    shares = np.ones(n_classes)
    if kind == "skewed":
        shares[-1] = 12.0 * n_classes
    drawn = rng.choice(n_classes, more, p=shares / shares.sum())
    return rng.permutation(np.concatenate([every, drawn]))


def scores_of(kind: str, y: np.ndarray, n_classes: int, strength: float, rng) -> np.ndarray:
    """Probabilities of a model."""
    own = np.eye(n_classes)[y]
    if kind == "perfect":
        return (own * rng.uniform(2, 4, (len(y), 1)) + 1) / (own.sum() / len(y) + n_classes - 1)
    if kind == "random":
        strength = 0.0
    p = np.exp(rng.normal(size=own.shape) + strength * own)
    p /= p.sum(axis=1, keepdims=True)
    if kind == "tied":  # votes of eight neighbours
        p = np.array([rng.multinomial(8, row / row.sum()) for row in p]) / 8
    return p


def normalized(p: np.ndarray) -> np.ndarray:
    return p / p.sum(axis=1, keepdims=True)


def case(kind: str, n_classes: int, n_models: int, **options) -> Facts:
    """A data set of a kind, with all that a report is given, and its cases as plain lists."""
    rng = np.random.default_rng([n_classes, n_models, len(kind)])
    y = labels_of(kind, n_classes, rng)
    models = {
        f"model {m}": normalized(scores_of(kind, y, n_classes, 1.8 - 0.25 * m, rng))
        for m in range(n_models)
    }
    return facts_of(y, models, n_classes, **options)


def facts_of(y, models, n_classes, *, sample_weight=None, groups=None, numbers=False) -> Facts:
    """Facts of labels and scores; classes are numbers or names."""
    labels = list(range(n_classes)) if numbers else [f"kind {k}" for k in range(n_classes)]
    kept = [i for i in range(len(y)) if sample_weight is None or sample_weight[i] > 0]
    facts = Facts(
        names=[f"class {label}" if numbers else label for label in labels],
        y=[int(y[i]) for i in kept],
        models={name: [table[i].tolist() for i in kept] for name, table in models.items()},
        weights=[1.0 if sample_weight is None else float(sample_weight[i]) for i in kept],
        weighted=sample_weight is not None,
        groups=None if groups is None else [groups[i] for i in kept],
        rows=kept,
    )
    facts.inputs = {
        "y": [labels[k] for k in y],
        "scores": models,
        "labels": labels,
        "sample_weight": sample_weight,
        "groups": groups,
    }
    return facts


def special_cases() -> dict[str, Facts]:
    """Weights, groups, scores of other kinds, models that agree or are turned round."""
    rng = np.random.default_rng(7)
    y = rng.permutation(np.repeat(np.arange(4), [60, 50, 40, 12]))
    p = normalized(scores_of("good", y, 4, 1.5, rng))
    weak = normalized(scores_of("good", y, 4, 0.2, rng))
    weights = rng.integers(0, 4, len(y)) / 2
    weights[:8] = 1.5
    sharp = normalized(np.clip(p, 1e-9, None) ** 4)
    made = {
        "weights": ({"a": p, "b": weak, "c": sharp}, {"sample_weight": weights}),
        "groups": ({"a": p, "b": sharp}, {"groups": [f"p{i // 3}" for i in range(len(y))]}),
        "few groups": ({"a": p}, {"groups": [i % 7 for i in range(len(y))], "numbers": True}),
        "grouped weights": (
            {"a": weak, "b": p},
            {"groups": [i // 4 for i in range(len(y))], "sample_weight": weights},
        ),
        "counts": ({"counts": 20 * p, "b": p}, {}),
        "logits": ({"logits": np.log(p)}, {}),
        "the same": ({"a": p, "b": p.copy(), "c": weak}, {}),
        "monotone": ({"a": p, "b": 0.1 * p + 0.225}, {}),
        "reversed": ({"a": p[:, [1, 2, 3, 0]], "b": weak}, {}),
        "swapped": ({"a": p[:, [1, 0, 2, 3]]}, {}),
        "shifted": ({"a": normalized(p * [6, 1, 1, 1])}, {}),
        "constant": ({"a": np.full((len(y), 4), 0.25), "b": weak}, {}),
    }
    found = {name: facts_of(y, models, 4, **options) for name, (models, options) in made.items()}
    frame = facts_of(y, {"a": p}, 4)
    frame.inputs["y"] = pd.Series(frame.inputs["y"], index=range(500, 500 + len(y)))
    frame.inputs["scores"] = {"a": pd.DataFrame(p, columns=frame.inputs["labels"])}
    found["frames"] = frame
    one = np.append(y, 4)
    found["one case"] = facts_of(
        one, {"a": normalized(scores_of("good", one, 5, 2.0, rng)), "b": np.full((163, 5), 0.2)}, 5
    )
    two = np.repeat([0, 1], 40)
    wrong = np.column_stack([two, 1 - two]) * 0.6 + 0.2
    found["all wrong"] = facts_of(two, {"a": wrong}, 2)
    return found
