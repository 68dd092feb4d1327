"""
A metric within slices of the cases
===================================

A metric within each slice of the cases, and whether the slice differs from the rest.
"""

import numpy as np

import polyroc
from polyroc.display import SliceDisplay

y_true, models, labels = polyroc.datasets.example_predictions()
rng = np.random.default_rng(0)
by = {"site": rng.choice(["north", "south", "west"], 850), "sex": rng.choice(["f", "m"], 850)}
result = polyroc.evaluate(y_true, models["logistic"], ["hand_till"], labels=labels, by=by)
SliceDisplay.from_evaluation(result, "hand_till").plot()
