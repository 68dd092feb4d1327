"""Everson & Fieldsend 2006, Figure 5: the false positive rate front of k-nn on the synthetic data.

The search minimises three rates, the errors into each class. Full size: --generations 10000, some
10 seconds; the default is 500.
"""

import argparse
from pathlib import Path

import numpy as np

from polyroc.datasets import three_class_mixture
from polyroc.display import FalsePositiveFrontDisplay
from polyroc.surface import KnnModel, search

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("folder", nargs="?", type=Path, default=Path())
parser.add_argument("--generations", type=int, default=500, help="10000 in the paper")
options = parser.parse_args()

X, y = three_class_mixture(rng=0)
model = KnnModel(X, y + 1)
surface = search(model, generations=options.generations, objectives="errors_into", rng=0)
knee = surface.choose(criterion="knee")
display = FalsePositiveFrontDisplay.from_surface(surface, chosen={"knee": knee}).plot()
even = np.argmin(display.rates.max(axis=1))
print(f"{len(surface)} points, F up to {display.rates.max(axis=0).round(2)}")
print(f"least greatest F: {display.rates[even].round(2)}, costs\n{surface.costs[even].round(2)}")
print(f"knee: F = {display.rates[knee.index].round(2)}, costs\n{knee.costs.round(2)}")
display.figure_.savefig(options.folder / f"{Path(__file__).stem}.png", dpi=100)
