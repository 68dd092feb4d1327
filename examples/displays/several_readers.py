"""
Several readers, several modalities
===================================

Each line is a reader, the black one is their mean with its interval: is the new modality better for
readers like these?
"""

import numpy as np

import polyroc
from polyroc.display import ReaderStudyDisplay

rng = np.random.default_rng(1)
case, reader, modality = (each.ravel() for each in np.indices((60, 5, 2)))
truth = case % 3 == 0
rating = truth * (1 + 0.5 * modality) + rng.normal(size=(60, 1, 1)).repeat(10, 1).ravel()
rating = rating + rng.normal(size=case.size)
table = {"case": case, "reader": reader, "truth": truth, "rating": rating}
table["modality"] = np.where(modality, "new", "old")
study = polyroc.reader_study(table, **{name: name for name in table})
ReaderStudyDisplay.from_study(study).plot()
