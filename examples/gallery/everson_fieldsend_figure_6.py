"""Everson & Fieldsend 2006, Figure 6: the full Pareto front of k-nn in false positive space.

Two views of the points found for all six rates, by the class into which most cases are misplaced.
Full size: --generations 10000, some 20 seconds; the default is 500.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
from PIL import Image

from polyroc.datasets import three_class_mixture
from polyroc.display import FalsePositiveFrontDisplay
from polyroc.surface import KnnModel, search

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("folder", nargs="?", type=Path, default=Path())
parser.add_argument("--generations", type=int, default=500, help="10000 in the paper")
options = parser.parse_args()

X, y = three_class_mixture(rng=0)
surface = search(KnnModel(X, y + 1), generations=options.generations, tolerance=0, rng=0)
knee = surface.choose(criterion="knee")
display = FalsePositiveFrontDisplay.from_surface(surface, chosen={"knee": knee})
print(knee, surface.knees(3), sep="\n")
print(f"{len(surface)} points, {display.on_front.sum()} of them on the front of eq. 13")
print(display.frame()["most_errors_into"].value_counts())
figure, axes = plt.subplots(
    1, 2, figsize=(13, 6.2), layout="constrained", subplot_kw={"projection": "3d"}
)
for ax, azimuth in zip(axes, (40, -50), strict=True):
    display.plot(ax)
    ax.view_init(elev=26, azim=azimuth)
axes[1].get_legend().remove()
path = options.folder / f"{Path(__file__).stem}.png"
figure.savefig(path, dpi=80)
Image.open(path).quantize(64).save(path)  # a third of the bytes
