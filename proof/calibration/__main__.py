"""How often tests of calibration at 5 % reject calibrated probabilities: python proof/calibration.

Each case of ``CASES`` is run ``--runs`` times; counts are kept in a file (--cache FILE), so that a
later call continues. Target: 3–7 %. Classes are drawn from the probabilities themselves; the
numbers of cases are those of whole samples, and the smallest class is given by its share.
"""

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from polyroc.calibration import recalibration
from polyroc.errors import NotDefined

sys.path.insert(0, str(Path(__file__).parents[1]))
from rounds import go_round

ROOT = Path(__file__).parents[2]
CHUNK = 50
HYPOTHESES = ("intercepts", "slopes", "diagonal_slopes", "joint")


class Design(NamedTuple):
    """Cases, classes, spread of the log ratios, log odds of the last class, cases in a group."""

    n_cases: int
    n_classes: int
    spread: float = 1.0
    last: float = 0.0
    group: int = 1
    weighted: bool = False


CASES = {
    "2 classes, 100 cases": Design(100, 2),
    "2 classes, 400 cases, strong model": Design(400, 2, 3.0),
    "3 classes, 200 cases": Design(200, 3),
    "3 classes, 500 cases, strong model": Design(500, 3, 2.0),
    "3 classes, 500 cases, one class of 8 %": Design(500, 3, 1.0, -1.7),
    "5 classes, 1,000 cases": Design(1000, 5),
    "3 classes, 400 cases, weights": Design(400, 3, weighted=True),
    "3 classes, 200 patients of 3 cases": Design(600, 3, group=3),
}


def sample(design: Design, rng: np.random.Generator) -> dict:
    """Cases of one run; those of a patient have the same probabilities and nearly the same luck."""
    n = design.n_cases // design.group
    logits = design.spread * rng.normal(size=(n, design.n_classes))
    logits[:, -1] += design.last
    q = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    drawn = np.argmax(logits + rng.gumbel(size=logits.shape), axis=1)
    options = {}
    if design.weighted:
        options["sample_weight"] = rng.uniform(1, 4, n)
    if design.group > 1:
        options["groups"] = np.repeat(np.arange(n), design.group)
        again = rng.random(n * design.group) < 0.7
        q, other = np.repeat(q, design.group, axis=0), np.repeat(drawn, design.group)
        fresh = np.argmax(np.log(q) + rng.gumbel(size=q.shape), axis=1)
        drawn = np.where(again, other, fresh)
    return {"y_true": drawn, "y_score": q, "labels": range(design.n_classes), **options}


def advance(kept: dict, name: str, runs: int) -> bool:
    done = kept.setdefault(name, {"runs": 0, "none": 0, **dict.fromkeys(HYPOTHESES, 0)})
    last = min(done["runs"] + CHUNK, runs)
    for seed in range(done["runs"], last):
        try:
            tests = recalibration(**sample(CASES[name], np.random.default_rng([seed, 5]))).test()
        except NotDefined:
            done["none"] += 1
            continue
        for hypothesis in HYPOTHESES:
            done[hypothesis] += bool(tests[hypothesis].p_value < 0.05)
    changed = last > done["runs"]
    done["runs"] = last
    return changed


def write(kept: dict) -> None:
    lines = [
        "# How often tests of calibration at 5 % reject calibrated probabilities",
        "",
        "From `proof/calibration`: shares of rejections in %, of samples whose classes were drawn",
        "from the probabilities. Target: 3–7 %. Likelihood ratios; with weights or groups,",
        "Wald's F.",
        "",
        "| cases | runs | intercepts | slopes | diagonal slopes | joint | no fit |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in CASES:
        if done := kept.get(name):
            shares = [100 * done[key] / done["runs"] for key in (*HYPOTHESES, "none")]
            numbers = " | ".join(f"{share:.1f}" for share in shares)
            lines.append(f"| {name} | {done['runs']:,} | {numbers} |")
    (ROOT / "docs" / "coverage" / "calibration.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines[6:]))


if __name__ == "__main__":
    go_round(__doc__, "calibration", CASES, advance, write)
