"""Power planned beside power simulated: M of three classes, against a constant and paired.

Scores are those of ``plan(pair_auc=…)``: Gaussian log scores with variance 1, correlation −1/2
between the columns, and class means that give the assumed AUC(k|r). Against a constant, the plan is
made from the assumed AUCs. Paired, a second model sees the same deviations with correlation .6 and
smaller separations, and the plan is made for the true difference from the variances in a pilot of
12,000 cases of each class. Each study has the cases that the plan says, is tested at 5 % by t, and
counts if it rejects in the right direction.

Values and standard errors of all studies are computed at once, by comparing every case with every
other; those of the first study must equal what ``evaluate`` and ``compare`` say.

Required: simulated and planned within .02 of each other.
"""

import argparse
import sys
import time
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from polyroc import Predictions, compare, evaluate, plan
from polyroc.inference import Plan

PAIR_AUC = np.array([[np.nan, 0.85, 0.75], [0.80, np.nan, 0.70], [0.75, 0.65, np.nan]])
WEAKER = 0.75
"""Separations of the second model, in those of the first."""
CORRELATION = 0.6
PILOT = 12_000
CHUNK = 100
AGAINST = 0.65


class Values(NamedTuple):
    """M of many studies, its parts of the variance by class, and influence values by class."""

    value: np.ndarray
    influence: list[np.ndarray]


def deviations(rng: np.random.Generator, studies: int, cases: int) -> np.ndarray:
    """Variance 1 and correlation −1/2 between the three columns."""
    made = rng.normal(size=(studies, cases, 3))
    return (made - made.mean(axis=2, keepdims=True)) * np.sqrt(1.5)


def scores(noise: list[np.ndarray], factor: float = 1.0) -> list[np.ndarray]:
    """Scores of each class: deviations around means that give the pair AUCs."""
    distance = np.nan_to_num(factor * np.sqrt(2) * ndtri(PAIR_AUC))
    return [each - distance[:, k] for k, each in enumerate(noise)]


def second_model(rng: np.random.Generator, noise: list[np.ndarray]) -> list[np.ndarray]:
    rest = np.sqrt(1 - CORRELATION**2)
    mixed = [CORRELATION * each + rest * deviations(rng, *each.shape[:2]) for each in noise]
    return scores(mixed, WEAKER)


def hand_till_of(classes: list[np.ndarray]) -> Values:
    """M and influence values of every study, by comparing every two cases."""
    total = np.zeros(len(classes[0]))
    moved = [np.zeros(each.shape[:2]) for each in classes]
    for k, own in enumerate(classes):
        for r, other in enumerate(classes):
            if r != k:
                above = own[:, :, None, k] > other[:, None, :, k]
                total += above.mean(axis=(1, 2)) / 6
                moved[k] += above.mean(axis=2) / 6
                moved[r] += above.mean(axis=1) / 6
    return Values(total, [each - each.mean(axis=1, keepdims=True) for each in moved])


def error_and_freedom(influence: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    parts = np.array([each.var(axis=1, ddof=1) / each.shape[1] for each in influence])
    sizes = np.array([each.shape[1] for each in influence])
    freedom = parts.sum(axis=0) ** 2 / (parts**2 / (sizes[:, None] - 1)).sum(axis=0)
    return np.sqrt(parts.sum(axis=0)), freedom


def predictions(classes: list[np.ndarray]) -> Predictions:
    """The first study."""
    truth = np.repeat(range(3), [each.shape[1] for each in classes])
    return Predictions(truth, np.concatenate([each[0] for each in classes]))


def check_first(first: Values, classes: list[np.ndarray]) -> None:
    """Whether the first study has the value, error and degrees of freedom of ``evaluate``."""
    expected = evaluate(predictions(classes), metrics=["hand_till"])["hand_till"]
    error, _ = error_and_freedom(first.influence)
    np.testing.assert_allclose(first.value[0], expected.value, rtol=1e-12)
    np.testing.assert_allclose(error[0], expected.standard_error, rtol=1e-9)


def found_against(rng: np.random.Generator, counts: list[int], studies: int) -> np.ndarray:
    """Which studies find M above the constant, on the logit scale."""
    classes = scores([deviations(rng, studies, n) for n in counts])
    values = hand_till_of(classes)
    check_first(values, classes)
    error, freedom = error_and_freedom(values.influence)
    share = values.value
    distance = np.log(share / (1 - share)) - np.log(AGAINST / (1 - AGAINST))
    return distance * share * (1 - share) / error > stdtrit(freedom, 0.975)


def found_paired(rng: np.random.Generator, counts: list[int], studies: int) -> np.ndarray:
    """Which studies find the first model better."""
    noise = [deviations(rng, studies, n) for n in counts]
    both = [scores(noise), second_model(rng, noise)]
    first, second = map(hand_till_of, both)
    check_pair(first, second, both)
    apart = [a - b for a, b in zip(first.influence, second.influence, strict=True)]
    error, freedom = error_and_freedom(apart)
    return (first.value - second.value) / error > stdtrit(freedom, 0.975)


def check_pair(first: Values, second: Values, both: list[list[np.ndarray]]) -> None:
    """Whether the first study has the difference and error of ``compare``."""
    a, b = map(predictions, both)
    pair = {"a": a.scores, "b": b.scores}
    (expected,) = compare(a.codes, pair, ["hand_till"], reference="normal").differences
    apart = [x - y for x, y in zip(first.influence, second.influence, strict=True)]
    np.testing.assert_allclose(first.value[0] - second.value[0], expected.difference, atol=1e-12)
    np.testing.assert_allclose(error_and_freedom(apart)[0][0], expected.standard_error, rtol=1e-9)


def pilot(rng: np.random.Generator) -> dict[str, Predictions]:
    noise = [deviations(rng, 1, PILOT) for _ in range(3)]
    return {"a": predictions(scores(noise)), "b": predictions(second_model(rng, noise))}


def true_difference() -> float:
    first, second = (np.nanmean(ndtr(factor * ndtri(PAIR_AUC))) for factor in (1, WEAKER))
    return float(first - second)


def simulated(found: object, made: Plan, studies: int, seed: int) -> float:
    """Share of studies that find what there is."""
    rng, counts = np.random.default_rng([seed, made.total]), list(made.cases.values())
    chunks = [found(rng, counts, CHUNK) for _ in range(studies // CHUNK)]
    return float(np.concatenate(chunks).mean())


def plans(seed: int) -> list[tuple[str, Plan, object]]:
    known = pilot(np.random.default_rng(seed))
    rows: list[tuple[str, Plan, object]] = []
    for power in (0.5, 0.8, 0.9):
        for allocation in ("equal", [0.6, 0.3, 0.1]):
            options = {"power": power, "allocation": allocation}
            against = plan(pair_auc=PAIR_AUC, against=AGAINST, **options)
            rows.append((f"M against {AGAINST}", against, found_against))
            paired = plan(known, difference=true_difference(), **options)
            rows.append(("paired", paired, found_paired))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    worst, start = 0.0, time.perf_counter()
    for name, made, found in plans(options.seed):
        share = simulated(found, made, options.studies, options.seed)
        worst = max(worst, abs(share - made.power))
        counts = " + ".join(map(str, made.cases.values()))
        print(f"{name}, {counts}: planned {made.power:.4f}, simulated {share:.4f}", flush=True)
    error = np.sqrt(0.25 / options.studies)
    print(
        f"largest difference {worst:.4f} (error of a share at most {error:.4f}), "
        f"{time.perf_counter() - start:.0f} s"
    )
    return int(worst > 0.02)


if __name__ == "__main__":
    sys.exit(main())
