"""Kleiman & Page 2019, "Multi-Class AUC Survey": the three-way ROC surface of Mossman 1999.

The slide shows the figure of Mossman, of other data. Here: a logistic regression's surface.
"""

import sys
from pathlib import Path

from polyroc import vus
from polyroc.datasets import example_predictions
from polyroc.display import TprSurfaceDisplay

y_true, models, labels = example_predictions()
p = models["logistic"]
display = TprSurfaceDisplay.from_predictions(y_true, p, labels=labels, n_grid=31).plot()
print(f"volume under the surface {display.surface.volume:.4f}")
print(f"share of right triplets by the rule of VUS {vus(y_true, p, labels=labels):.4f}")
print(f"of random guesses {1 / 6:.4f}")
folder = Path(*sys.argv[1:2])  # the first argument, or the current folder
display.figure_.savefig(folder / f"{Path(__file__).stem}.png", dpi=80)
