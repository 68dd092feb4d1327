"""Van Calster et al. 2008, Table 1: Spearman correlations of nine metrics over random splits.

Beside it the paper's own table. The clinical data are not public: digits in three classes of the
same sizes take their place. Full size: --splits 100, half a minute; the default is 12.
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
parser.add_argument("--splits", type=int, default=12, help="100 in the paper")
options = parser.parse_args()
example = runpy.run_path(str(Path(__file__).parents[1] / "study_of_van_calster_2008.py"))

with threadpool_limits(1):
    result = study(example["learners"](), *example["data"](), n_splits=options.splits, rng=0)
here, paper = result.correlations().to_numpy(), np.eye(9)
for row, text in enumerate(example["TABLE_1"].split("|"), start=1):
    paper[row, :row] = paper[:row, row] = text.split()

print(result.correlations().round(2).to_string())
ours, theirs = (table[np.tril_indices(9, -1)] for table in (here, paper))
print(f"mean difference from the paper {(ours - theirs).mean():+.3f}, ", end="")
print(f"largest {max(ours - theirs, key=abs):+.2f}, the ", end="")
print(f"36 values correlate {np.corrcoef(ours, theirs)[0, 1]:.3f}")
figure, axes = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
titles = f"Open data, {options.splits} splits", "Printed in the paper"
for ax, matrix, title in zip(axes, (here, paper), titles, strict=True):
    CorrelationDisplay(matrix, example["SYMBOLS"], "spearman").plot(ax)
    ax.set_title(title)
figure.savefig(options.folder / f"{Path(__file__).stem}.png", dpi=80)
