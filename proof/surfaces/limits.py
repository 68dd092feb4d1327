"""How often a limit on a rate is broken on new cases, chosen as it is and held with confidence.

A point is chosen on 300 or 600 cases under a limit on one rate, by RocSurface.choose and by
TunedCostClassifierCV around a classifier fitted elsewhere; 100,000 new cases tell the true rate.
"""

import warnings

import numpy as np
from gaussians import draw, fitted
from sklearn.frozen import FrozenEstimator

from polyroc.errors import NotDefined
from polyroc.surface import ScoreModel, TunedCostClassifierCV, search

MOST = 1000
COLUMNS = [
    (n, limit, confidence)
    for n in (300, 600)
    for limit in (0.05, 0.1)
    for confidence in (None, 0.95)
]


def tuned(classifier, X, y, new, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = TunedCostClassifierCV(FrozenEstimator(classifier), random_state=0, **options)
        return float(np.mean(made.fit(X, y).predict(new) == 1))


def tried(choose):
    try:
        return choose()
    except NotDefined:
        return None


def run(seed):
    rng = np.random.default_rng([3, seed])
    classifier = fitted(rng)
    X_new, y_new = draw(99_999, rng)
    X_new = X_new[y_new == 0]
    new, found = classifier.predict_proba(X_new), []
    cases = {n: draw(n, rng) for n in (300, 600)}
    surfaces = {
        n: search(
            ScoreModel(y, classifier.predict_proba(X)),
            generations=10,
            rng=1,
            progress=False,
            n_threads=1,
        )
        for n, (X, y) in cases.items()
    }
    for n, limit, confidence in COLUMNS:
        options = {"limits": {(0, 1): limit}, "confidence": confidence}
        rates = [
            tried(lambda: float(np.mean(surfaces[n].choose(**options).decide(new) == 1))),  # noqa: B023
            tried(lambda: tuned(classifier, *cases[n], X_new, options)),  # noqa: B023
        ]
        found.append([None if rate is None else rate > limit for rate in rates])
    return found


def table(found):
    print("| cases | limit | confidence | exceeded with choose | exceeded with the tuner | runs |")
    print("|---|---|---|---|---|---|")
    for place, (n, limit, confidence) in enumerate(COLUMNS):
        shares = []
        for way in (0, 1):
            known = [each[place][way] for each in found if each[place][way] is not None]
            shares.append(f"{100 * np.mean(known):.1f} %" if known else "–")
        told = f"| {n} | {limit:g} | {confidence or '–'} | {' | '.join(shares)} | {len(found)} |"
        print(told)
