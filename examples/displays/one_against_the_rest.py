"""
ROC curves of classes, with bands
=================================

A curve for each class against the rest. Bands contain the true curve at any one false positive rate
with a probability of 95 %; ``band="simultaneous"`` is for the whole curve.
"""

import polyroc
from polyroc.display import RocCurvesDisplay

y_true, models, labels = polyroc.datasets.example_predictions()
RocCurvesDisplay.from_predictions(y_true, models["logistic"], labels=labels)
