"""
Paired differences between models
=================================

Paired differences: the same cases were scored by all three models, so that most of the uncertainty
of the two values cancels. An interval that contains 0 decides nothing.
"""

import polyroc
from polyroc.display import ComparisonDisplay

y_true, models, labels = polyroc.datasets.example_predictions()
comparison = polyroc.compare(y_true, models, ["hand_till", "auc_mu", "pdi"], labels=labels)
ComparisonDisplay.from_comparison(comparison).plot()
