"""Introduction to Machine Learning, "Multi-Class AUC": one against one on the iris data.

The slide does not name its learner. Here: naive Bayes on the two measures of sepals (with petals
every classifier is nearly perfect), cross-validated.
"""

import sys
from pathlib import Path

from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

from polyroc import aunu, hand_till
from polyroc.display import OneVsOneRocDisplay

iris = load_iris()
names = iris.target_names[iris.target]
scores = cross_val_predict(GaussianNB(), iris.data[:, :2], names, cv=10, method="predict_proba")
display = OneVsOneRocDisplay.from_predictions(names, scores).plot()
for (positive, negative), curve in display.curves.items():
    print(f"AUC({positive} | {negative}) = {curve.area:.4f}")
print(f"one against one {hand_till(names, scores):.4f}, against the rest {aunu(names, scores):.4f}")
folder = Path(*sys.argv[1:2])  # the first argument, or the current folder
display.figure_.savefig(folder / f"{Path(__file__).stem}.png", dpi=100)
