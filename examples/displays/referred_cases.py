"""
Which cases should a person decide?
===================================

The least certain cases are referred first: what the remaining ones cost, against their share.
"""

import polyroc
from polyroc.display import RiskCoverageDisplay

y_true, models, labels = polyroc.datasets.example_predictions()
RiskCoverageDisplay.from_predictions(y_true, models["logistic"], labels=labels)
