"""Van Calster et al. 2008, Table 1: Spearman correlations of nine metrics over random splits.

Beside it the paper's own table. The clinical data are not public: digits in three classes of the
same sizes take their place. Full size: --splits 100, some minutes; the default is 4.
"""

import argparse
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from threadpoolctl import threadpool_limits

from polyroc import study
from polyroc.display import CorrelationDisplay

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("folder", nargs="?", type=Path, default=Path())
parser.add_argument("--splits", type=int, default=4, help="100 in the paper")
options = parser.parse_args()
example = runpy.run_path(str(Path(__file__).parents[1] / "study_of_van_calster_2008.py"))

settings = {"n_splits": options.splits, "metrics": example["METRICS"], "rng": 0}
with threadpool_limits(1):
    result = study(example["learners"](), *example["data"](), **settings)
spearman, pearson = (result.correlations(m).to_numpy() for m in ("spearman", "pearson"))
here, paper = spearman[:9, :9], np.eye(9)
for row, text in enumerate(example["TABLE_1"].split("|"), start=1):
    paper[row, :row] = paper[:row, row] = text.split()
example["print_table_1"](here, paper)
example["print_remarks"](spearman, pearson)
figure, axes = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
titles = f"Open data, {options.splits} splits", "Printed in the paper"
for ax, matrix, title in zip(axes, (here, paper), titles, strict=True):
    CorrelationDisplay(matrix, example["SYMBOLS"][:9], "spearman").plot(ax)
    ax.set_title(title)
figure.savefig(options.folder / f"{Path(__file__).stem}.png", dpi=80)
