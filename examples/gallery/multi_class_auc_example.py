"""Introduction to Machine Learning, "Multi-Class AUC": the worked example with six cases.

The tables of the slides mark the positive and negative cases of AUC(1|3) and AUC(3|1); here for all
ordered pairs, printed, with the matrix of AUC(k|r) and Hand & Till's mean of it as a picture.
"""

import sys
from pathlib import Path

from polyroc import hand_till
from polyroc.display import PairwiseAucDisplay

y = [1, 1, 2, 2, 3, 3]
p = [[0.7, 0.2, 0.1], [0.5, 0.3, 0.2], [0.3, 0.5, 0.2],
     [0.4, 0.5, 0.1], [0.6, 0.1, 0.3], [0.1, 0.1, 0.8]]  # fmt: skip

display = PairwiseAucDisplay.from_predictions(y, p)
for positive, negative, auc in display.frame().itertuples(index=False):
    print(f"\nAUC({positive}|{negative}) = {auc:g}, by the scores of class {positive}")
    for truth, row in zip(y, p, strict=True):
        mark = "pos" if truth == positive else "neg" if truth == negative else "   "
        print(f"{mark}  {truth}  ", *row)
print(f"\nHand & Till's mean of the six: {hand_till(y, p):.6f}")
display.plot().ax_.set_title(f"Mean of the pairs: {hand_till(y, p):.4f}")
folder = Path(*sys.argv[1:2])  # the first argument, or the current folder
display.figure_.savefig(folder / f"{Path(__file__).stem}.png", dpi=100)
