"""How often tests at 5 % reject models of equal quality: python proof/level.

Each case of ``CASES`` is run ``--runs`` times (resumable: counts are kept under ``--cache``), for
the default reference (t and F) and for the normal one as it is published. Target: 3–8 %, 1–8 %
where all classes have fewer than ten cases.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from polyroc import compare

sys.path.insert(0, str(Path(__file__).parents[1]))
from rounds import go_round

ROOT = Path(__file__).parents[2]
CHUNK = 50
Models = dict[str, np.ndarray]


def labels(sizes: tuple[int, ...]) -> np.ndarray:
    return np.repeat(np.arange(len(sizes)), sizes)


def case_part(rng: np.random.Generator, y: np.ndarray, signal: float) -> np.ndarray:
    base = rng.normal(size=(len(y), int(y.max()) + 1))
    base[np.arange(len(y)), y] += signal
    return base


def noisy(rng: np.random.Generator, base: np.ndarray, n_models: int, noise: float) -> Models:
    return {str(m): base + noise * rng.normal(size=base.shape) for m in range(n_models)}


def smallest(result) -> float:
    return min(row.p_adjusted for row in result.differences)


def omnibus(rng: np.random.Generator, reference: str) -> float:
    y = labels((100, 60, 6))
    models = noisy(rng, case_part(rng, y, 2.0), 5, 1.0)
    return compare(y, models, ["hand_till"], reference=reference).omnibus_tests[0].p_value


def holm_pairs(rng: np.random.Generator, reference: str) -> float:
    y = labels((100, 60, 6))
    models = noisy(rng, case_part(rng, y, 2.0), 5, 1.0)
    return smallest(compare(y, models, ["hand_till"], reference=reference))


def independent(rng: np.random.Generator, reference: str) -> float:
    truths = {"a": labels((40, 25, 6)), "b": labels((30, 30, 8))}
    models = {name: case_part(rng, y, 1.5) for name, y in truths.items()}
    return smallest(compare(truths, models, ["hand_till"], reference=reference))


def independent_omnibus(rng: np.random.Generator, reference: str) -> float:
    sizes = {"a": (40, 25, 6), "b": (30, 30, 8), "c": (20, 20, 20)}
    truths = {name: labels(each) for name, each in sizes.items()}
    models = {name: case_part(rng, y, 1.5) for name, y in truths.items()}
    found = compare(truths, models, ["hand_till"], reference=reference)
    return found.omnibus_tests[0].p_value


def five_patients(rng: np.random.Generator, reference: str) -> float:
    y, patients = labels((40, 40)), np.tile(np.arange(5), 16)
    base = case_part(rng, y, 1.5)
    models = {
        name: base + rng.normal(size=base.shape) + rng.normal(size=(5, 2))[patients]
        for name in ("a", "b")
    }
    return smallest(compare(y, models, ["hand_till"], groups=patients, reference=reference))


def nearly_identical(rng: np.random.Generator, reference: str) -> float:
    y = labels((30, 30))
    models = noisy(rng, case_part(rng, y, 1.0), 2, 0.1)
    scores = {name: each[:, 1] - each[:, 0] for name, each in models.items()}
    return smallest(compare(y, scores, ["roc_auc"], reference=reference))


def nearly_identical_three(rng: np.random.Generator, reference: str) -> float:
    y = labels((8, 8, 8))
    models = noisy(rng, case_part(rng, y, 1.0), 2, 0.4)
    return smallest(compare(y, models, ["hand_till"], reference=reference))


CASES: dict[str, tuple[Callable[[np.random.Generator, str], float], float]] = {
    "omnibus of 5 models, classes 100/60/6": (omnibus, 3),
    "Holm, 10 pairs of 5 models, classes 100/60/6": (holm_pairs, 3),
    "independent samples, 40/25/6 and 30/30/8": (independent, 3),
    "omnibus of 3 independent samples, 40/25/6, 30/30/8, 20/20/20": (independent_omnibus, 3),
    "5 patients that span two classes of 40": (five_patients, 3),
    "two nearly identical models, 30 + 30": (nearly_identical, 3),
    "two nearly identical models, 8 + 8 + 8": (nearly_identical_three, 1),
}


def advance(kept: dict, name: str, runs: int) -> bool:
    test, _ = CASES[name]
    done = kept.setdefault(name, {"runs": 0, "t": 0, "normal": 0, "none": 0})
    last = min(done["runs"] + CHUNK, runs)
    for seed in range(done["runs"], last):
        for reference in ("t", "normal"):
            p_value = test(np.random.default_rng([seed, 11]), reference)
            done[reference] += bool(p_value < 0.05)
            done["none"] += bool(np.isnan(p_value) and reference == "t")
    changed = last > done["runs"]
    done["runs"] = last
    return changed


def write(kept: dict) -> None:
    lines = [
        "# How often tests at 5 % reject models of equal quality",
        "",
        "From `proof/level`. Target: 3–8 %, 1–8 % where all classes have fewer than",
        "ten cases. The last column is the published test (normal, χ²).",
        "",
        "| models | runs | rejected, % | no test, % | target | published test, % |",
        "|---|---|---|---|---|---|",
    ]
    for name, (_, least) in CASES.items():
        if done := kept.get(name):
            shares = [100 * done[key] / done["runs"] for key in ("t", "none", "normal")]
            numbers = f"{shares[0]:.1f} | {shares[1]:.1f} | {least:g}–8 | {shares[2]:.1f}"
            lines.append(f"| {name} | {done['runs']:,} | {numbers} |")
    target = ROOT / "docs" / "coverage"
    target.mkdir(exist_ok=True)
    (target / "level.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines[5:]))


if __name__ == "__main__":
    go_round(__doc__, "level", CASES, advance, write)
