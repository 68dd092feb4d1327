"""
ROC curves of pairs of classes
==============================

Two curves for each pair, because AUC(k|r) ranks by the scores of k and AUC(r|k) by those of r. With
three classes or more these differ.
"""

import polyroc
from polyroc.display import OneVsOneRocDisplay

y_true, models, labels = polyroc.datasets.example_predictions()
OneVsOneRocDisplay.from_predictions(y_true, models["logistic"], labels=labels)
