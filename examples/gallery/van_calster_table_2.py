"""Van Calster et al. 2008, Table 2: mean, average rank and share of first ranks of six learners.

The picture sets average ranks and P₁, the share of first ranks, beside the paper's. The clinical
data are not public: digits take their place. Full size: --splits 100, some minutes; default 4.
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
parser.add_argument("--splits", type=int, default=4, help="100 in the paper")
options = parser.parse_args()
example = runpy.run_path(str(Path(__file__).parents[1] / "study_of_van_calster_2008.py"))

data, learners, printed = example["data"](), example["learners"](), example["TABLE_2"]
with threadpool_limits(1):
    result = study(learners, *data, n_splits=options.splits, metrics=list(printed), rng=0)
example["print_table_2"](result)
ranks, firsts, rows = result.average_ranks(), result.first_ranks(), np.arange(6)
figure, axes = plt.subplots(2, 5, figsize=(13, 5), layout="constrained", sharex="row", sharey=True)
for (above, below), (metric, text) in zip(axes.T, printed.items(), strict=True):
    _, rank, first = np.array(text.split(), dtype=float).reshape(6, 3).T
    above.plot(rank, rows, "o", color="C1", markersize=9, fillstyle="none", label="paper")
    above.plot(ranks[metric], rows, "o", color="C0", label=f"here, {options.splits} splits")
    below.barh(rows - 0.2, firsts[metric], 0.4, color="C0")
    below.barh(rows + 0.2, first, 0.4, fill=False, edgecolor="C1", linewidth=1.5)
    above.set(title=registry[metric].symbol, xlim=(0.5, 6.5), xlabel="Average rank")
    below.set(xlim=(0, 1.02), yticks=rows, yticklabels=learners, xlabel="P₁")
axes[0, 0].invert_yaxis()
figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
figure.savefig(options.folder / f"{Path(__file__).stem}.png", dpi=90)
