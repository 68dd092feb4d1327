"""
Which operating points are there, and which is best?
====================================================

With three classes there are six kinds of errors. A line for each operating point that no other one
beats in all six; a limit on one kind of error chooses among them.
"""

import polyroc
from polyroc.display import ParallelCoordinatesDisplay
from polyroc.surface import ScoreModel, search

y_true, models, labels = polyroc.datasets.example_predictions()
model = ScoreModel(y_true, models["logistic"], labels=labels)
surface = search(model, generations=60, rng=1, progress=False)
chosen = {
    "fewest errors": surface.choose(criterion="total_error"),
    "rare as common ≤ 5 %": surface.choose(limits={("rare", "common"): 0.05}),
}
ParallelCoordinatesDisplay.from_surface(surface, chosen=chosen).plot()
