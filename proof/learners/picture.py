"""Mean ranks of learners by metric: a line per learner, named at its end."""

from pathlib import Path

import numpy as np
import pandas as pd

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7f7f7f",
           "#8c564b", "#000000", "#56b4e9", "#b59a00", "#e69f00")  # fmt: skip
APART = 0.42
"""Least distance of two names, in ranks."""


def draw(ranks: pd.DataFrame, path: Path) -> None:
    """Write the picture."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(9, 5.2), layout="constrained")
    at = np.arange(ranks.shape[1])
    ends = apart(ranks.iloc[:, -1].to_numpy())
    for colour, (name, row), end in zip(COLOURS, ranks.iterrows(), ends, strict=True):
        axes.plot(at, row, color=colour, marker="o", markersize=4)
        axes.annotate(str(name), (at[-1], row.iloc[-1]), (at[-1] + 0.35, end), color=colour,
                      va="center", arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.6},
                      annotation_clip=False)  # fmt: skip
    axes.set_xticks(at, ranks.columns)
    axes.set_xlim(-0.3, at[-1] + 0.2)
    axes.invert_yaxis()
    axes.set_ylabel("mean rank over data sets (1 is the best)")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)


def apart(places: np.ndarray) -> np.ndarray:
    """Places of names, in the same order, none nearer to the next than they can be read.

    >>> apart(np.array([3.0, 1.0, 1.1])).round(2).tolist()
    [3.0, 0.84, 1.26]
    """
    order = np.argsort(places, kind="stable")
    held = places[order].astype(float)
    for _ in range(200):
        for k in range(1, len(held)):
            short = APART - (held[k] - held[k - 1])
            if short > 1e-9:
                held[k - 1] -= short / 2
                held[k] += short / 2
    found = np.empty(len(held))
    found[order] = held
    return found
