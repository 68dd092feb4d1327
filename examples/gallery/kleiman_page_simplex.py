"""Kleiman & Page 2019, "Background": soft classifications of K classes live on a simplex.

Three classes, predictions of a logistic regression; lines divide the regions of the argmax rule.
"""

import sys
from pathlib import Path

import numpy as np

from polyroc.datasets import example_predictions
from polyroc.display import SimplexDisplay
from polyroc.display._ternary import placed

y_true, models, labels = example_predictions()
display = SimplexDisplay.from_predictions(y_true, models["logistic"], labels=labels)
display.plot(means=False)
centre = np.full(3, 1 / 3)
for k in range(3):  # two classes are equally probable on the line from the centre to half-way
    halfway = (1 - np.eye(3)[k]) / 2
    display.ax_.plot(*placed(np.array([centre, halfway])).T, color="black", linestyle="--")
folder = Path(*sys.argv[1:2])  # the first argument, or the current folder
display.figure_.savefig(folder / f"{Path(__file__).stem}.png", dpi=100)
