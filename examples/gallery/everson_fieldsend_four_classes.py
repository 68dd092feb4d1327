"""Everson & Fieldsend 2006, §6: more than three classes, in parallel coordinates.

"Problems with more than three classes will require some a priori assessment": twelve rates of the
four kinds of digits, and three ways to choose among their trade-offs.
"""

import argparse
from pathlib import Path

import numpy as np
from PIL import Image
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

from polyroc.display import ParallelCoordinatesDisplay
from polyroc.surface import ScoreModel, search

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("folder", nargs="?", type=Path, default=Path())
options = parser.parse_args()

X, y = load_digits(return_X_y=True)
chosen = np.isin(y, (1, 3, 8, 9))
X, y = X[chosen][:, 20:44], y[chosen]  # the middle rows of the pictures alone
scores = cross_val_predict(LogisticRegression(C=0.01, max_iter=500), X, y, method="predict_proba")
surface = search(ScoreModel(y, scores), generations=60, rng=0, progress=False)
points = {
    "least total error": surface.choose(criterion="total_error"),
    "farthest from chance": surface.choose(criterion="farthest_from_chance"),
    "1 as 8 in at most 2 %": surface.choose(limits={(1, 8): 0.02}),
}
for name, point in points.items():
    print(f"{name}: sensitivities {np.diag(point.confusion).round(3)}")
display = ParallelCoordinatesDisplay.from_surface(surface, chosen=points).plot()
path = options.folder / f"{Path(__file__).stem}.png"
display.figure_.savefig(path, dpi=90)
Image.open(path).quantize(64).save(path)  # a third of the bytes
