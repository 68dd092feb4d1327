"""How often a limit on a rate is broken on new cases, chosen as it is and held with confidence.

Three Gaussian classes, scores of logistic regression. An operating point is chosen on 300 cases (or
600) under a limit of 5 % or 10 % on one rate, by RocSurface.choose and by TunedCostClassifierCV;
100,000 new cases tell its true rate. Run: python proof/surfaces/limits.py [seconds]
"""

import sys
import time
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression

from polyroc.errors import NotDefined
from polyroc.surface import ScoreModel, TunedCostClassifierCV, search

CENTRES = np.array([[0.0, 0.0], [1.6, 0.0], [0.8, 1.5]])
SEED = 1


def draw(n, rng):
    y = np.repeat(np.arange(3), n // 3)
    return CENTRES[y] + rng.normal(size=(len(y), 2)), y


def main(seconds: float) -> None:
    begun, rng = time.monotonic(), np.random.default_rng(SEED)
    X_new, y_new = draw(99_999, rng)
    X_train, y_train = draw(3_000, rng)
    model = LogisticRegression().fit(X_train, y_train)
    new = model.predict_proba(X_new)[y_new == 0]
    columns = [(n, limit, confidence) for n in (300, 600) for limit in (0.05, 0.1)
               for confidence in (None, 0.95)]  # fmt: skip
    broken = {column: [] for column in columns}
    tuned = {column: [] for column in columns}
    while time.monotonic() - begun < seconds:
        for n in (300, 600):
            X, y = draw(n, rng)
            surface = search(
                ScoreModel(y, model.predict_proba(X)), generations=15, rng=1, progress=False
            )
            for _, limit, confidence in [each for each in columns if each[0] == n]:
                options = {"limits": {(0, 1): limit}, "confidence": confidence}
                try:
                    point = surface.choose(**options)
                    rate = float(np.mean(point.decide(new) == 1))
                    broken[n, limit, confidence].append(rate > limit)
                except NotDefined:
                    pass
                tuner = TunedCostClassifierCV(model, random_state=0, **options)
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        tuner.fit(X, y)
                    rate = float(np.mean(tuner.predict(X_new[y_new == 0]) == 1))
                    tuned[n, limit, confidence].append(rate > limit)
                except NotDefined:
                    pass
    print("| cases | limit | confidence | broken by choose | broken by the tuner | runs |")
    print("|---|---|---|---|---|---|")
    for column in columns:
        n, limit, confidence = column
        shares = [f"{100 * np.mean(each[column]):.1f} %" for each in (broken, tuned)]
        print(f"| {n} | {limit:g} | {confidence or '–'} | {' | '.join(shares)} |"
              f" {len(broken[column])}, {len(tuned[column])} |")  # fmt: skip


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 200)
