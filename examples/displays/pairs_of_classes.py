"""
Which classes are told apart?
=============================

How often a case of class k is ranked above one of class r by the scores of k, for all pairs. Their
mean is Hand & Till's M. Here "frequent" and "rare" are the pair to work on.
"""

import polyroc
from polyroc.display import PairwiseAucDisplay

y_true, models, labels = polyroc.datasets.example_predictions()
PairwiseAucDisplay.from_predictions(y_true, models["logistic"], labels=labels)
