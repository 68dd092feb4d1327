"""How often ``reader_study`` rejects when modalities do not differ: the model of Roe and Metz.

The score of case k of true class t by reader j under modality i is (Roe & Metz, Academic Radiology
4, 1997)

    μ_t + R_jt + C_kt + (τR)_ijt + (τC)_ikt + (RC)_jkt + E_ijkt,

all but μ_t normal and independent. Variance structure HH: high correlation between readings
(σ²_C = σ²_τC = .3, σ²_RC = σ²_E = .2, which sum to 1) and high reader variance
(σ²_R = σ²_τR = .03); μ = 1.5, so that the AUC of the mean reader is Φ(1.5/√2) = .856. LL has low
ones: .1, .1, .2, .6 and .0055.

Two classes: 5 readers, 50 + 50 cases, the AUC. The analogue of three classes has 50 cases in each
and a column of scores per class that follows the same model, with μ_t = 1.5 in the column of the
true class and 0 in the others; the metric is Hand and Till's M.

Required: 3 to 6.5 % of p-values below .05 when readers and cases are random.
"""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np

from polyroc import reader_study

READERS, CASES, MODALITIES, SEPARATION = 5, 50, 2, 1.5
CHUNK = 50


class Structure(NamedTuple):
    """Variances of the model."""

    reader: float
    case: float
    reader_case: float
    error: float


STRUCTURES = {
    "HH": Structure(0.03, 0.3, 0.2, 0.2),
    "HL": Structure(0.0055, 0.3, 0.2, 0.2),
    "LH": Structure(0.03, 0.1, 0.2, 0.6),
    "LL": Structure(0.0055, 0.1, 0.2, 0.6),
}


def column_of_scores(
    rng: np.random.Generator, structure: Structure, truth: np.ndarray, mean: np.ndarray
) -> np.ndarray:
    """Scores (modality, reader, case) of one column; ``mean`` is that of each case."""
    n, n_classes = len(truth), int(truth.max()) + 1

    def normal(variance: float, *shape: int) -> np.ndarray:
        return np.sqrt(variance) * rng.normal(size=shape)

    by_reader = normal(structure.reader, 1, READERS, n_classes)
    by_both = normal(structure.reader, MODALITIES, READERS, n_classes)
    return (
        mean
        + (by_reader + by_both)[:, :, truth]
        + normal(structure.case, 1, 1, n)
        + normal(structure.case, MODALITIES, 1, n)
        + normal(structure.reader_case, 1, READERS, n)
        + normal(structure.error, MODALITIES, READERS, n)
    )


def p_value(seed: int, structure: Structure, n_classes: int, covariance: str) -> float:
    """p-value of one study without a difference between its modalities."""
    rng = np.random.default_rng([n_classes, seed])
    truth = np.repeat(np.arange(n_classes), CASES)
    modality, reader, case = np.indices((MODALITIES, READERS, len(truth))).reshape(3, -1)
    table = {"case": case, "reader": reader, "modality": modality, "truth": truth[case]}
    roles = {name: name for name in table}
    columns = [1] if n_classes == 2 else range(n_classes)
    for k in columns:
        mean = SEPARATION * (truth == k)
        table[f"p_{k}"] = column_of_scores(rng, structure, truth, mean).ravel()
    if n_classes == 2:
        study = reader_study(table, **roles, rating="p_1", covariance=covariance, n_threads=1)
    else:
        scores = [f"p_{k}" for k in columns]
        options = {"scores": scores, "metric": "hand_till", "covariance": covariance}
        study = reader_study(table, **roles, **options, n_threads=1)
    return study.test("readers and cases").p_value


def p_values(seeds: range, **setting: object) -> list[float]:
    return [p_value(seed, **setting) for seed in seeds]


def rejections(runs: int, processes: int, **setting: object) -> float:
    """Share of p-values below .05."""
    chunks = [range(start, min(start + CHUNK, runs)) for start in range(0, runs, CHUNK)]
    with ProcessPoolExecutor(processes) as pool:
        found = [p for part in pool.map(partial(p_values, **setting), chunks) for p in part]
    return float(np.mean(np.array(found) < 0.05))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--structure", choices=STRUCTURES, default="HH")
    parser.add_argument("--covariance", default="jackknife")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    met = True
    for n_classes, metric in ((2, "AUC"), (3, "M")):
        share = rejections(
            options.runs,
            options.processes,
            structure=STRUCTURES[options.structure],
            n_classes=n_classes,
            covariance=options.covariance,
        )
        error = np.sqrt(0.05 * 0.95 / options.runs)
        inside = 0.03 <= share <= 0.065
        met &= inside
        print(
            f"{options.structure}, {n_classes} classes, {metric}: {100 * share:.2f} % rejected "
            f"(± {100 * error:.2f}), {'within' if inside else 'outside'} 3 to 6.5 %",
            flush=True,
        )
    sys.exit(not met)
