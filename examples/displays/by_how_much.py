"""
By how much are cases ahead?
============================

AUC counts which of two cases is ahead, however little. The scored curve shows which share of pairs
is still in the right order when a margin is taken from the positives: a model that separates the
classes by small differences falls early.
"""

import polyroc
from polyroc.display import ScoredRocDisplay

y_true, models, labels = polyroc.datasets.example_predictions()
rare = {name: scores[:, 2] for name, scores in models.items()}
ScoredRocDisplay.from_models(y_true == "rare", rare).plot()
