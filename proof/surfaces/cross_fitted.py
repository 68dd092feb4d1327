"""How often the interval of the cross-fitted G contains the G of 100,000 fresh cases."""

import numpy as np
from gaussians import draw, fitted

from polyroc.surface import ScoreModel, cross_fitted_gini

MOST = 400
SIZES = (300, 600)


def run(seed):
    rng = np.random.default_rng([11, seed])
    classifier = fitted(rng)
    X, y = draw(99_999, rng)
    fresh = classifier.predict_proba(X)
    found = {}
    for n in SIZES:
        X, cases = draw(n, rng)
        model = ScoreModel(cases, classifier.predict_proba(X))
        result = cross_fitted_gini(model, generations=5, n_resamples=100, rng=seed, n_threads=1)
        true = result.surface.rescore(fresh, y).gini("monte_carlo", n_samples=100_000, rng=1).value
        found[str(n)] = [
            true,
            *(
                number
                for each in (result.honest, result.optimistic)
                for number in (each.value, each.standard_error, *each.interval()[:2])
            ),
        ]
    return found


def table(found):
    print("| cases | runs | true G | G | mean | bias | SD | mean error | coverage |")
    print("|---|---|---|---|---|---|---|---|---|")
    for n in SIZES:
        numbers = np.array([each[str(n)] for each in found])
        true = numbers[:, 0]
        for name, start in (("cross-fitted", 1), ("optimistic", 5)):
            value, error, low, high = numbers[:, start : start + 4].T
            covered = np.mean((low <= true) & (true <= high))
            print(
                f"| {n} | {len(true)} | {true.mean():.3f} | {name} | {value.mean():.3f} | "
                f"{(value - true).mean():+.3f} | {value.std(ddof=1):.3f} | {error.mean():.3f} | "
                f"{100 * covered:.1f} % |"
            )
