"""ROC surfaces of k-nn and of an MLP on three synthetic classes: Everson & Fieldsend 2006 §4–5."""

import argparse

from polyroc.datasets import three_class_mixture, three_class_posteriors
from polyroc.surface import KnnModel, MlpModel, search

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--generations", type=int, default=10_000, help="T of the paper")
parser.add_argument("--strategy", default="inherit", choices=["inherit", "paper"])
options = parser.parse_args()

X, y = three_class_mixture(rng=0)
new_x, new_y = three_class_mixture((10_000, 10_000, 10_000), rng=1)
bayes = (three_class_posteriors(new_x).argmax(axis=1) != new_y).mean()
print(f"Bayes' rule errs on {bayes:.1%} of new cases; the paper reaches 32/300 = 10.7 %.\n")

surfaces = {}
for kind, sizes in ((KnnModel, "about 7,500"), (MlpModel, "about 4,800")):
    few = search(kind(X, y), generations=options.generations // 5, strategy=options.strategy, rng=0)
    surface = search(kind(X, y), generations=options.generations, strategy=options.strategy, rng=0)
    surfaces[kind.name] = surface
    point = surface.choose(criterion="total_error")
    held_out = surface.rescore(new_x, new_y)
    print(f"{kind.name}: {len(surface):,} operating points (paper: {sizes})")
    print(f"  better than chance: {(surface.signed_distance() < 0).sum():,}")
    print(f"  least total error {point.value * 300:.0f}/300")
    print(f"  G = {surface.gini().value:.4f}, {few.gini().value:.4f} after a fifth of the search")
    print(f"  on new cases G = {held_out.gini().value:.4f}: a front is optimistic\n")

knn, mlp = surfaces["knn"], surfaces["mlp"]
print(f"δ(k-nn, MLP) = {knn.delta(mlp).value:.5f}: almost all of k-nn's surface is dominated")
print(f"δ(MLP, k-nn) = {mlp.delta(knn).value:.5f}")
