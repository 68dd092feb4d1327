"""Everson & Fieldsend 2006, Figure 5: the false positive rate front of k-nn on the synthetic data.

The search minimises three rates, the errors into each class. Full size: --generations 10000, some
10 seconds; the default is 500.
"""

import argparse
from pathlib import Path

from polyroc.datasets import three_class_mixture
from polyroc.display import FalsePositiveFrontDisplay
from polyroc.surface import KnnModel, search

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("folder", nargs="?", type=Path, default=Path())
parser.add_argument("--generations", type=int, default=500, help="10000 in the paper")
given = parser.parse_args()

X, y = three_class_mixture(rng=0)
model = KnnModel(X, y + 1)
options = {"generations": given.generations, "tolerance": 0, "rng": 0}
surface = search(model, objectives="errors_into", **options)
into = [[2, 4], [0, 5], [1, 3]]  # the rates C₂₁ and C₃₁ into class 1, and so on
chosen = {
    "least greatest rate": surface.choose(objective=lambda rates: rates[into].sum(axis=1).max()),
    "knee": surface.choose(criterion="knee"),
}
display = FalsePositiveFrontDisplay.from_surface(surface, chosen=chosen).plot()
print(f"{len(surface)} points, F up to {display.rates.max(axis=0).round(2)}")
for name, point in chosen.items():
    print(f"{name}: F = {display.rates[point.index].round(2)}, costs\n{point.costs.round(2)}")
display.figure_.savefig(given.folder / f"{Path(__file__).stem}.png", dpi=100)
