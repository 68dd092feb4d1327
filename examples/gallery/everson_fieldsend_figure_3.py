"""Everson & Fieldsend 2006, Figure 3: decision regions of three k-nn classifiers of the front.

Left: least total error; middle: least C₂₁ and C₂₃, then C₃₁ and C₁₃; right: least C₁₂ and C₃₂.
Full size: --generations 10000, some 20 seconds; the default is 500.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt

from polyroc.datasets import three_class_mixture, three_class_posteriors
from polyroc.display import DecisionRegionsDisplay
from polyroc.surface import KnnModel, search

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("folder", nargs="?", type=Path, default=Path())
parser.add_argument("--generations", type=int, default=500, help="10000 in the paper")
options = parser.parse_args()

X, y = three_class_mixture(rng=0)
surface = search(KnnModel(X, y + 1), generations=options.generations, tolerance=0, rng=0)
# Rates are multiples of 1/100: costs a thousand times higher come first, without exception.
wishes = {
    "Least total error": [[0, 1, 1], [1, 0, 1], [1, 1, 0]],
    "Least C₂₁, C₂₃, then C₃₁, C₁₃": [[0, 1, 1e3], [1e6, 0, 1e6], [1e3, 1, 0]],
    "Least C₁₂, C₃₂": [[0, 1e3, 1], [1, 0, 1], [1, 1e3, 0]],
}
figure, axes = plt.subplots(1, 3, figsize=(17, 4.3), layout="constrained", sharey=True)
for ax, (wish, costs) in zip(axes, wishes.items(), strict=True):
    point = surface.choose(costs=costs)
    print(f"{wish}: cases of each class (rows) by decision")
    print((100 * point.confusion).round().astype(int))
    DecisionRegionsDisplay.from_point(point, boundary=three_class_posteriors).plot(ax)
    ax.set_title(wish)
    ax.legend(loc="lower left", fontsize="small") if ax is axes[0] else ax.get_legend().remove()
    ax.label_outer()
figure.savefig(options.folder / f"{Path(__file__).stem}.png", dpi=80)
