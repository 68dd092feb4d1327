"""
What do errors cost?
====================

Net benefit of acting on the class "rare", against the probability from which one acts. The line at
the foot has the colour of the best strategy, and is thick where that is clear.
"""

import polyroc
from polyroc.display import NetBenefitDisplay

y_true, models, labels = polyroc.datasets.example_predictions()
NetBenefitDisplay.from_models(y_true, models, positive="rare", labels=labels).plot()
