"""How often a paired test says that one of two equally good surfaces has the larger G.

Two copies of a model's logits, each with noise of its own: neither is better.
"""

import numpy as np
from gaussians import softmax

from polyroc.surface import ScoreModel, search

MOST = 2000
SIZES = {"100 / 100 / 100": (100, 100, 100), "150 / 100 / 50": (150, 100, 50)}


def run(seed):
    rng = np.random.default_rng([7, seed])
    found = {}
    for name, sizes in SIZES.items():
        y = np.repeat([0, 1, 2], sizes)
        logits = 2.0 * np.eye(3)[y] + rng.normal(size=(len(y), 3))
        surfaces = [
            search(
                ScoreModel(y, softmax(logits + 0.7 * rng.normal(size=logits.shape))),
                generations=5,
                rng=1,
                progress=False,
                n_threads=1,
            )
            for _ in range(2)
        ]
        result = surfaces[0].compare(
            surfaces[1], "monte_carlo", n_samples=50_000, rng=1, n_threads=1
        )
        found[name] = [result.p_value, result.difference.value, result.difference.standard_error]
    return found


def table(found):
    print("| cases | runs | rejected at 5 % | at 10 % | SD of the difference | mean error |")
    print("|---|---|---|---|---|---|")
    for name in SIZES:
        p, difference, error = np.array([each[name] for each in found]).T
        print(
            f"| {name} | {len(p)} | {100 * np.mean(p < 0.05):.1f} % | "
            f"{100 * np.mean(p < 0.1):.1f} % | {difference.std(ddof=1):.4f} | {error.mean():.4f} |"
        )
