"""Prints what netcal 1.4.0 and dcurves 1.1.7 say about the example data, as JSON.

Not run by the tests, which compare with what it printed (calibration.json):
pip install netcal==1.4.0 dcurves==1.1.7
python tests/published/record_calibration.py src/polyroc/data/example.csv > calibration.json
"""

import json
import sys

import numpy as np
import pandas as pd
from dcurves import dca
from netcal.metrics import ECE

CLASSES = ["common", "frequent", "rare"]
MODELS = ["logistic", "forest", "bayes"]
THRESHOLDS = [0.0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99]

table = pd.read_csv(sys.argv[1])
codes = table["truth"].map({label: k for k, label in enumerate(CLASSES)}).to_numpy()
errors, benefits = {}, {}
for model in MODELS:
    q = table[[f"{model}:{label}" for label in CLASSES]].to_numpy()
    for bins in (5, 10, 15):
        errors[f"{model}, {bins}"] = float(ECE(bins).measure(q, codes))
    binary = (codes > 0).astype(int)
    both = np.column_stack([q[:, 0], 1 - q[:, 0]])
    errors[f"{model}, two classes, 10"] = float(ECE(10).measure(both, binary))
for label in CLASSES:
    data = pd.DataFrame({model: table[f"{model}:{label}"] for model in MODELS})
    data["own"] = (table["truth"] == label).astype(int)
    found = dca(data, "own", MODELS, thresholds=THRESHOLDS)
    for name, part in found.groupby("model"):
        benefits[f"{label}, {name}"] = part.sort_values("threshold")["net_benefit"].tolist()
json.dump({"ece": errors, "thresholds": THRESHOLDS, "net_benefit": benefits}, sys.stdout, indent=1)
