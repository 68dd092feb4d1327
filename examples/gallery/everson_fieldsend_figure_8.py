"""Everson & Fieldsend 2006, Figure 8: distances from chance of k-nn and MLP surfaces, G and δ.

Full size: --generations 10000, some 20 seconds; the default is 500. --strategy paper draws all
costs afresh, as Algorithm 1 does.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt

from polyroc.datasets import three_class_mixture
from polyroc.display import DistanceHistogramDisplay, GiniDeltaDisplay
from polyroc.surface import KnnModel, MlpModel, search

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("folder", nargs="?", type=Path, default=Path())
parser.add_argument("--generations", type=int, default=500, help="10000 in the paper")
parser.add_argument("--strategy", choices=["inherit", "paper"], default="inherit")
options = parser.parse_args()

X, y = three_class_mixture(rng=0)
settings = {"generations": options.generations, "strategy": options.strategy, "rng": 0}
surfaces = {
    "k-nn": search(KnnModel(X, y + 1), **settings),
    "MLP": search(MlpModel(X, y + 1), **settings),
}
figure, axes = plt.subplot_mosaic(
    [["k-nn", "MLP"], ["G", "G"]], figsize=(10, 6.4), height_ratios=[3, 1], layout="constrained"
)
for name, surface in surfaces.items():
    DistanceHistogramDisplay.from_surfaces({name: surface}).plot(axes[name])
    axes[name].set_xlabel("Signed distance from random allocation")
    outside = (surface.signed_distance() >= 0).sum()
    print(f"{name}: {len(surface)} points, {outside} no better than chance, ", end="")
    print(f"least total error {300 * surface.choose(criterion='total_error').value:.0f}/300")
comparison = GiniDeltaDisplay.from_surfaces(surfaces).plot(axes["G"])
print(comparison.frame().T.to_string(header=False))
figure.savefig(options.folder / f"{Path(__file__).stem}.png", dpi=100)
