"""
How far apart are the classes on average?
=========================================

The predictions of three classes on the triangle of probabilities. The mean of each class is a large
mark; AOT is the area between the means, TL says how close they are to their corners.
"""

import polyroc
from polyroc.display import SimplexDisplay

y_true, models, labels = polyroc.datasets.example_predictions()
SimplexDisplay.from_predictions(y_true, models["logistic"], labels=labels)
