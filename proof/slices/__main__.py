"""How often tests at 5 % reject slices that do not differ: python proof/slices.

Each case of ``CASES`` is run ``--runs`` times (resumable: counts are kept under ``--cache``). The
bar is 3–7 %, at most 7 % where slices have fewer than ten cases of a class.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from polyroc import compare, evaluate

ROOT = Path(__file__).parents[2]
CHUNK = 25
Generator = np.random.Generator


def scores(rng: Generator, y: np.ndarray, signal: float) -> np.ndarray:
    base = rng.normal(size=(len(y), int(y.max()) + 1))
    base[np.arange(len(y)), y] += signal
    return base


def cases(sizes: list[tuple[int, ...]]) -> tuple[np.ndarray, np.ndarray]:
    """Labels and slices, given the cases of each class in each slice."""
    y = np.concatenate([np.repeat(np.arange(len(own)), own) for own in sizes])
    return y, np.repeat(np.arange(len(sizes)), [sum(own) for own in sizes])


def omnibus(
    y: np.ndarray, p: np.ndarray, by: np.ndarray, groups: np.ndarray | None = None
) -> float:
    return evaluate(y, p, ["hand_till"], by=by, groups=groups).alike[0].p_value


def four_slices(rng: Generator) -> float:
    y, by = cases([(30, 20, 15)] * 4)
    return omnibus(y, scores(rng, y, 1.5), by)


def unequal_slices(rng: Generator) -> float:
    y, by = cases([(100, 60, 40), (50, 30, 12), (20, 15, 10), (10, 10, 10), (80, 12, 12)])
    return omnibus(y, scores(rng, y, 1.5), by)


def thin_slices(rng: Generator) -> float:
    y, by = cases([(6, 6, 6)] * 6)
    return omnibus(y, scores(rng, y, 1.2), by)


def near_one(rng: Generator) -> float:
    y, by = cases([(30, 20, 15)] * 4)
    return omnibus(y, scores(rng, y, 3.5), by)


def patients_in_two(rng: Generator) -> float:
    """Fifty patients with two cases in each slice, of any class."""
    patients = np.tile(np.arange(50), 4)
    y, by = rng.permutation(np.arange(200) % 3), np.repeat([0, 1], 100)
    p = scores(rng, y, 1.5) + rng.normal(size=(50, 3))[patients]
    return omnibus(y, p, by, patients)


def patients_in_some(rng: Generator) -> float:
    """Patients of one class each; of 150, about half have cases in two or three of three slices."""
    patients = np.concatenate([np.arange(150), rng.integers(0, 150, 150)])
    y, by = patients % 3, rng.integers(0, 3, 300)
    p = scores(rng, y, 1.2) + rng.normal(size=(150, 3))[patients]
    return omnibus(y, p, by, patients)


def against_rest(rng: Generator) -> float:
    """The least adjusted p of slices against the rest; scores are shifted from slice to slice."""
    y, by = cases([(30, 20, 15)] * 5)
    p = scores(rng, y, 1.5) + np.arange(5)[by][:, None] * np.array([1.0, 0.0, -1.0])
    return min(row.p_adjusted for row in evaluate(y, p, ["hand_till"], by=by).differences)


def interaction(rng: Generator) -> float:
    """Model b is worse than a, by the same in all slices."""
    y, by = cases([(30, 20, 15)] * 3)
    base = scores(rng, y, 1.5)
    models = {name: base + s * rng.normal(size=base.shape) for name, s in (("a", 0.5), ("b", 1.2))}
    return compare(y, models, ["hand_till"], by=by).same[0].p_value


CASES: dict[str, tuple[Callable[[Generator], float], float]] = {
    "4 slices of 30/20/15": (four_slices, 3),
    "50 patients with two cases in each of 2 slices": (patients_in_two, 3),
    "150 patients, half of them in several of 3 slices": (patients_in_some, 3),
    "5 slices of 100/60/40 to 10/10/10": (unequal_slices, 3),
    "interaction of 2 models and 3 slices of 30/20/15": (interaction, 3),
    "5 slices against the rest, Holm, scores shifted by slice": (against_rest, 3),
    "6 slices of 6/6/6": (thin_slices, 0),
    "4 slices of 30/20/15 with M of 0.99": (near_one, 0),
}


def advance(kept: dict, name: str, runs: int) -> bool:
    done = kept.setdefault(name, {"runs": 0, "rejected": 0, "none": 0})
    last = min(done["runs"] + CHUNK, runs)
    for seed in range(done["runs"], last):
        p_value = CASES[name][0](np.random.default_rng([seed, 18]))
        done["rejected"] += bool(p_value < 0.05)
        done["none"] += bool(np.isnan(p_value))
    changed = last > done["runs"]
    done["runs"] = last
    return changed


def write(kept: dict) -> None:
    lines = [
        "# How often tests at 5 % reject slices that do not differ",
        "",
        "From `proof/slices`: Hand & Till's M of three classes, the same in all slices. Target:",
        "3–7 %; where slices have fewer than ten cases of a class, or M is near 1, at most 7 %.",
        "",
        "| slices | runs | rejected, % | no test, % | target |",
        "|---|---|---|---|---|",
    ]
    for name, (_, least) in CASES.items():
        if done := kept.get(name):
            shares = [100 * done[key] / done["runs"] for key in ("rejected", "none")]
            numbers = f"{shares[0]:.1f} | {shares[1]:.1f} | {least:g}–7"
            lines.append(f"| {name} | {done['runs']:,} | {numbers} |")
    (ROOT / "docs" / "coverage" / "slices.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines[5:]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=ROOT / ".benchmarks" / "slices.json")
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--minutes", type=float, default=30)
    options = parser.parse_args()
    options.cache.parent.mkdir(parents=True, exist_ok=True)
    kept = json.loads(options.cache.read_text()) if options.cache.exists() else {}
    end = time.monotonic() + 60 * options.minutes
    for name in CASES:
        while time.monotonic() < end and advance(kept, name, options.runs):
            options.cache.write_text(json.dumps(kept))
    write(kept)


if __name__ == "__main__":
    main()
