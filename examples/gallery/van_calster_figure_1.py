"""Van Calster et al. 2008, Figure 1: six views of one triplet of predicted probabilities.

(a) in space, (b) in the triangle of the class corners, (c) as (p₁, p₂), (d) the triangle of AOT,
(e) the lines to the corners of TL, (f) the lines of equal probability of the rule of VUS₂.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from polyroc.display import SimplexDisplay

triplet = np.array([[0.75, 0.15, 0.10], [0.20, 0.60, 0.20], [0.25, 0.25, 0.50]])

figure = plt.figure(figsize=(9, 6), layout="constrained")
space = figure.add_subplot(2, 3, 1, projection="3d")
b, c, d, e, f = (figure.add_subplot(2, 3, place) for place in range(2, 7))
space.plot(*np.eye(3)[[0, 1, 2, 0]].T, color="grey")
space.set(xlabel="p₁", ylabel="p₂", zlabel="p₃", xticks=[0, 1], yticks=[0, 1], zticks=[0, 1])
space.view_init(elev=25, azim=35)
space.set_box_aspect(None, zoom=0.85)
for axes, shown in ((space, 3), (c, 2), (d, 2)):
    for row, marker in zip(triplet[:, :shown], "s^*", strict=True):
        axes.plot(*row[:, None], marker, color="black", markersize=10)
for axes in (c, d):
    axes.fill([0, 1, 0], [0, 0, 1], facecolor="none", edgecolor="grey")
    axes.set(xlabel="p₁", ylabel="p₂", aspect="equal", xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
d.fill(*triplet[:, :2].T, color="0.8", zorder=0)
for axes, rows in ((b, []), (e, [[0, 1, 2]]), (f, [[0, 1, 2]])):
    display = SimplexDisplay.from_predictions(["C₁", "C₂", "C₃"], triplet, triplets=rows)
    display.plot(axes, cases=axes is b, means=False, equal_probability=axes is f)
    axes.get_legend().remove()
plt.setp(b.lines, markersize=10, color="black", alpha=1)
for letter, axes in zip("abcdef", figure.axes, strict=True):
    axes.set_title(f"({letter})", loc="left")
figure.savefig(Path(*sys.argv[1:2]) / f"{Path(__file__).stem}.png", dpi=100)
