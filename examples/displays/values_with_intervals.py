"""
How good is each model, and how certain is that?
================================================

Metrics of several models with 95 % intervals, and the value of guessing in grey.
"""

import polyroc
from polyroc.display import ForestDisplay

y_true, models, labels = polyroc.datasets.example_predictions()
metrics = ["hand_till", "auc_mu", "pdi", "triangle_area"]
results = {name: polyroc.evaluate(y_true, p, metrics, labels=labels) for name, p in models.items()}
ForestDisplay.from_evaluations(results).plot()
