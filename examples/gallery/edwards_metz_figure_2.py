"""Edwards & Metz 2007, Figure 2: isopleths of AUC and of SAEC, proper binormal model.

On the paper's grid of 250 × 250 values of c and d_a; beside it, where both disagree with one curve.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from polyroc.display import SaecCrossingDisplay, SaecDiscordanceDisplay, SaecIsoplethDisplay

figure, axes = plt.subplots(1, 2, figsize=(12, 4.6), layout="constrained")
SaecIsoplethDisplay.over_grid("proper").plot(axes[0])
SaecCrossingDisplay.of("proper").plot(axes[1])
share = SaecDiscordanceDisplay.over_grid("proper").share
print(f"{share:.3%} of all pairs of curves on the grid are ordered differently")
folder = Path(*sys.argv[1:2])  # the first argument, or the current folder
figure.savefig(folder / f"{Path(__file__).stem}.png", dpi=90)
