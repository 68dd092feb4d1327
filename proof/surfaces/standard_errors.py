"""Standard error of G by the hypervolume gradient beside that of 400 resamples of the cases."""

import numpy as np
from gaussians import draw, fitted, softmax
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

from polyroc.datasets import example_predictions
from polyroc.surface import ScoreModel, search
from polyroc.surface._resampled import resample_weights, shares_dominated

RESAMPLES = 400


def of_gaussians(n):
    rng = np.random.default_rng(n)
    X, y = draw(n, rng)
    return y, fitted(rng).predict_proba(X)


def held_out(load, rows=None, columns=None, classes=None):
    """Out-of-fold probabilities of naive Bayes on some features of a data set."""
    X, y = load(return_X_y=True)
    if classes:
        X, y = X[y < classes], y[y < classes]
    X = StandardScaler().fit_transform(X[:rows, :columns])
    return y[:rows], cross_val_predict(GaussianNB(), X, y[:rows], method="predict_proba", cv=5)


def noisy(n, scale):
    """A rare class, and logits with noise."""
    rng = np.random.default_rng(n)
    y = np.repeat([0, 1, 2], [n // 2, n // 3, n // 6])
    return y, softmax(scale * np.eye(3)[y] + rng.normal(size=(len(y), 3)))


def example(name):
    y, models, labels = example_predictions()
    codes = np.array([list(labels).index(each) for each in y])
    return codes, np.asarray(models[name], dtype=float)


DATA = {
    "Gaussians, 300": lambda: of_gaussians(300),
    "Gaussians, 1,200": lambda: of_gaussians(1200),
    "noisy logits, 600": lambda: noisy(600, 1.5),
    "noisy logits, 1,800": lambda: noisy(1800, 2.5),
    "example, logistic": lambda: example("logistic"),
    "example, forest": lambda: example("forest"),
    "example, bayes": lambda: example("bayes"),
    "iris, sepals": lambda: held_out(load_iris, columns=2),
    "breast cancer": lambda: held_out(load_breast_cancer, columns=3),
    "wine, two features": lambda: held_out(load_wine, columns=2),
    "digits 0 to 2, 12 pixels": lambda: held_out(load_digits, columns=12, classes=3),
}
MOST = len(DATA)


def run(seed):
    name = list(DATA)[seed]
    y, p = DATA[name]()
    surface = search(
        ScoreModel(y, p, normalize=True), generations=20, rng=1, progress=False, n_threads=1
    )
    found = surface.gini(rng=1, n_threads=1)
    weights = resample_weights(surface.model.cases, RESAMPLES, 1)
    # A resample of n cases has (n − 1)/n of the variance: the gradient's is that of n cases.
    values = shares_dominated(surface, weights, 1, 1)[1:]
    return {
        "name": name,
        "cases": len(y),
        "points": len(surface),
        "gini": found.value,
        "gradient": found.standard_error,
        "bootstrap": float(values.std(ddof=1)),
    }


def table(found):
    print("| data | cases | points | G | gradient | bootstrap | ratio |")
    print("|---|---|---|---|---|---|---|")
    for each in found:
        ratio = each["gradient"] / each["bootstrap"]
        print(
            f"| {each['name']} | {each['cases']} | {each['points']} | {each['gini']:.3f} | "
            f"{each['gradient']:.4f} | {each['bootstrap']:.4f} | {ratio:.2f} |"
        )
