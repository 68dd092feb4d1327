"""
Can one case of each class be told apart?
=========================================

The true positive rates that three classes reach together. The volume under this surface is the
share of triplets, one case of each class, that are assigned correctly.
"""

import polyroc
from polyroc.display import TprSurfaceDisplay

y_true, models, labels = polyroc.datasets.example_predictions()
TprSurfaceDisplay.from_predictions(y_true, models["logistic"], labels=labels)
