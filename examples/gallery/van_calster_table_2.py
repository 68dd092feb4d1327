"""Van Calster et al. 2008, Table 2: mean, average rank and share of first ranks of six learners.

The picture sets average ranks beside the paper's. The clinical data are not public: digits in three
classes of the same sizes take their place. Full size: --splits 100, half a minute; default 12.
"""

import argparse
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from threadpoolctl import threadpool_limits

from polyroc import study
from polyroc.metrics import registry

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("folder", nargs="?", type=Path, default=Path())
parser.add_argument("--splits", type=int, default=12, help="100 in the paper")
options = parser.parse_args()
example = runpy.run_path(str(Path(__file__).parents[1] / "study_of_van_calster_2008.py"))

data, learners, printed = example["data"](), example["learners"](), example["TABLE_2"]
with threadpool_limits(1):
    result = study(learners, *data, n_splits=options.splits, metrics=list(printed), rng=0)
tables = result.means(), result.average_ranks(), result.first_ranks()
figure, axes = plt.subplots(1, 5, figsize=(15, 3.4), layout="constrained", sharey=True)
for ax, (metric, text) in zip(axes, printed.items(), strict=True):
    here = np.transpose([table[metric] for table in tables])
    paper = np.array(text.split(), dtype=float).reshape(6, 3)
    print(f"\n{metric}: mean, average rank, share of first ranks; here (paper)")
    for name, ours, theirs in zip(learners, here, paper, strict=True):
        print(f"{name:8} {ours[0]:.3f} {ours[1]:.1f} {ours[2]:.2f}", tuple(theirs.tolist()))
        ax.annotate(name, (theirs[1], ours[1]), (4, 4), textcoords="offset points", fontsize=8)
    ax.plot([1, 6], [1, 6], ":", color="grey")
    ax.plot(paper[:, 1], here[:, 1], "o")
    ax.set(title=registry[metric].symbol, xlim=(0.8, 7.6), ylim=(0.7, 6.6))
axes[0].set(xlabel="Average rank in the paper", ylabel=f"Here, {options.splits} splits")
figure.savefig(options.folder / f"{Path(__file__).stem}.png", dpi=100)
