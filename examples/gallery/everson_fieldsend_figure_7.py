"""Everson & Fieldsend 2006, Figure 7: G and δ as areas, for two surfaces of two classes."""

import sys
from pathlib import Path

import numpy as np
from scipy.special import expit

from polyroc import roc_auc
from polyroc.display import GiniAreasDisplay
from polyroc.surface import ScoreModel, search

rng = np.random.default_rng(0)
y = np.repeat([1, 2], 200)
spread = {"X": (1.0, 0.4), "Y": (0.4, 1.0)}  # of the scores of each class: their curves cross
scores = {name: expit(rng.normal(y, np.take(spread[name], y - 1))) for name in spread}
surfaces = {name: search(ScoreModel(y, p), generations=50, rng=0) for name, p in scores.items()}
display = GiniAreasDisplay.from_surfaces(surfaces).plot()
print(display.shares)
for name, surface in surfaces.items():
    print(f"G({name}) = {surface.gini().value:.6f}, AUC = {roc_auc(y, scores[name]):.6f}")
folder = Path(*sys.argv[1:2])  # the first argument, or the current folder
display.figure_.savefig(folder / f"{Path(__file__).stem}.png", dpi=100)
