"""Van Calster et al. 2008, Figure 2: what wVUS and wVUS₂ count for the triplets of a test set.

(a) weights of 1 % of the triplets that both rules call right; (b) a best triplet; (c) two that only
wVUS calls right; (d) two of low weight for wVUS₂. Open data, 184 · 132 · 26 triplets.
"""

import runpy
import sys
from itertools import permutations, product
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from polyroc.display import SimplexDisplay

example = runpy.run_path(str(Path(__file__).parents[1] / "study_of_van_calster_2008.py"))
X, y = example["data"]()
X, tested, y, truth = train_test_split(X, y, test_size=0.4, stratify=y, random_state=0)
model = example["learners"]()["MKLR"]
p = model.fit(X, y).predict_proba(tested)
rows = np.array(list(product(*(np.flatnonzero(truth == k) for k in np.unique(truth)))))
away = np.linalg.norm(p[:, None] - np.eye(3), axis=2)[rows]  # from each case to each corner
length, *others = (away[:, range(3), q].sum(axis=1) for q in permutations(range(3)))
weight, weight2 = 1 - length / 18**0.5, abs(np.linalg.det(p[rows]))
vus, vus2 = length < np.min(others, axis=0), (p[rows].argmax(axis=1) == range(3)).all(axis=1)
both, only = np.flatnonzero(vus & vus2), np.flatnonzero(vus & ~vus2)
for name, some in ("both rules", both), ("that of VUS only", only):
    r = np.corrcoef(weight[some], weight2[some])[0, 1]
    print(f"right by {name}: {len(some) / len(rows):.1%}, weights correlate {r:.2f}")
figure, (a, *triangles) = plt.subplots(1, 4, figsize=(15, 3.9), layout="constrained")
a.plot(weight2[both[::100]], weight[both[::100]], "k.", markersize=2)
a.set(xlabel="(a)  Weight of wVUS₂", ylabel="Weight of wVUS")
ends = [each[np.argsort(weight[each])[[-1, 0]]] for each in (only, both[weight2[both] < 0.05])]
for axes, name, chosen in zip(triangles, "bcd", ([weight2.argmax()], *ends), strict=True):
    display = SimplexDisplay.from_predictions(truth, p, triplets=rows[chosen])
    display.plot(axes, cases=False, means=False)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0), title=f"({name})")
figure.savefig(Path(*sys.argv[1:2]) / f"{Path(__file__).stem}.png", dpi=100)
