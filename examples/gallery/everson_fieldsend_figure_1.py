"""Everson & Fieldsend 2006, Figure 1: costs drawn evenly from the simplex, Dir(λ | 1, 1, 1)."""

import sys
from pathlib import Path

from polyroc.display import DirichletCostsDisplay

display = DirichletCostsDisplay.draw(alpha=(1, 1, 1), n=1000, rng=0).plot()
print("largest distance of a sum from 1:", abs(display.costs.sum(axis=1) - 1).max())
print("means", display.costs.mean(axis=0).round(3), "variances", display.costs.var(axis=0).round(4))
folder = Path(*sys.argv[1:2])  # the first argument, or the current folder
display.figure_.savefig(folder / f"{Path(__file__).stem}.png", dpi=100)
