"""
Several models in one ROC figure
================================

Curves of one class. Style keywords are passed to matplotlib, and the legend has each AUC with its
interval. Whether the models differ is another question: see the paired differences.
"""

import polyroc
from polyroc.display import RocCurvesDisplay

y_true, models, labels = polyroc.datasets.example_predictions()
display = RocCurvesDisplay.from_models(y_true, models, positive="rare", labels=labels)
display.plot(line_kw={"linewidth": 1.2}, band_kw={"alpha": 0.1})
