"""All pair metrics but AUC_mu in one evaluation, against the slowest of them alone."""

import sys

from timing import median_seconds, probabilities, report, softmax_scores

from polyroc import Predictions, registry
from polyroc.metrics.measure import CaseStatistics, measure

NAMES = (
    "hand_till",
    "au1p",
    "aunu",
    "aunp",
    "hand_till_probabilistic",
    "hand_till_scored",
)

if __name__ == "__main__":
    y, raw = softmax_scores(10**6, 10)
    p = probabilities(raw)

    def values(names: tuple[str, ...]) -> list[float]:
        asked = [(registry[name], {}) for name in names]
        found = measure(CaseStatistics(Predictions(y, p)), asked, with_influence=False)
        return [each.value for each in found]

    assert values(NAMES) == [values((name,))[0] for name in NAMES]
    work = {name: lambda name=name: values((name,)) for name in NAMES}
    times = median_seconds({**work, "all": lambda: values(NAMES)}, 7)
    print({name: round(seconds, 3) for name, seconds in times.items()})
    slowest = max(times[name] for name in NAMES)
    sys.exit(not report("all pair metrics, slowest one", times["all"] / slowest, 1.4, False))
