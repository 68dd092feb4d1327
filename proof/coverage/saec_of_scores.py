"""Bias and coverage of ``saec_of_scores``: three Gaussians in the plane, 400 labelled cases each.

Resumable: rows are added to docs/coverage/saec_of_scores.csv, sample by sample, until the time is
up; run it again to go on, and with ``--table`` to print what it holds.
"""

import argparse
import csv
import math
import time
from pathlib import Path

import numpy as np

from polyroc.utility import saec_of_scores

FILE = Path(__file__).parents[2] / "docs" / "coverage" / "saec_of_scores.csv"
FIELDS = ("distance", "sample", "value", "standard_error", "by_posteriors", "low", "high")
TRUE = {1.0: 0.3757, 2.0: 0.1156}
"""By walks over the surface of the densities; the second also by integrals over directions."""
SAMPLES = 300
CASES = 400


def sample(distance: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels, and probabilities that are too extreme and tilted: recalibration must fix them."""
    rng, codes = np.random.default_rng((seed, round(10 * distance))), np.repeat([0, 1, 2], CASES)
    means = distance * np.array([[0, 0], [1, 0], [0.5, math.sqrt(3) / 2]])
    x = means[codes] + rng.standard_normal((len(codes), 2))
    logs = -((x[:, None] - means) ** 2).sum(axis=2) / 2
    raised = np.exp(1.5 * (logs - logs.max(axis=1, keepdims=True))) * [1.0, 0.6, 1.3]
    return codes, raised / raised.sum(axis=1, keepdims=True)


def row(distance: float, number: int) -> dict[str, float]:
    """One sample."""
    found = saec_of_scores(*sample(distance, number), rng=number)
    low, high, *_ = found.interval()
    values = (
        distance, number, found.value, found.standard_error, found.settings["by_posteriors"],
        low, high,
    )  # fmt: skip
    return dict(zip(FIELDS, (f"{each:.6g}" for each in values), strict=True))


def rows() -> list[dict[str, float]]:
    """What the file holds."""
    if not FILE.exists():
        return []
    with FILE.open() as lines:
        return [
            {name: float(cell) for name, cell in each.items()} for each in csv.DictReader(lines)
        ]


def go_on(seconds: float) -> None:
    """Samples that are missing, until the time is up."""
    end, done = time.monotonic() + seconds, {(r["distance"], int(r["sample"])) for r in rows()}
    with FILE.open("a") as lines:
        out = csv.DictWriter(lines, FIELDS, lineterminator="\n")
        if not done:
            out.writeheader()
        for number in range(SAMPLES):
            for distance in TRUE:
                if (distance, number) not in done and time.monotonic() < end:
                    out.writerow(row(distance, number))
                    lines.flush()


def table() -> None:
    """Mean, bias, spread, standard errors and coverage of each distance."""
    for distance, true in TRUE.items():
        held = [each for each in rows() if each["distance"] == distance]
        values = np.array([each["value"] for each in held])
        errors = np.array([each["standard_error"] for each in held])
        covered = np.mean([each["low"] <= true <= each["high"] for each in held])
        print(
            f"s = {distance:g}, {len(held)} samples: true {true}, mean {values.mean():.4f}, bias "
            f"{100 * (values.mean() / true - 1):+.1f} %, SD {values.std(ddof=1):.4f}, mean SE "
            f"{errors.mean():.4f}, coverage of the 95 % interval {100 * covered:.1f} %"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=220)
    parser.add_argument("--table", action="store_true")
    asked = parser.parse_args()
    if not asked.table:
        go_on(asked.seconds)
    table()
