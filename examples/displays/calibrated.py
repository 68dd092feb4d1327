"""
Do the probabilities mean what they say?
========================================

Of cases with a probability of 30 %, three of ten should be in the class. The calibration error is
shown without the bias that the bins bring, and beside what it is for calibrated probabilities.
"""

import polyroc
from polyroc.display import CalibrationDisplay

y_true, models, labels = polyroc.datasets.example_predictions()
CalibrationDisplay.from_predictions(y_true, models["forest"], labels=labels)
