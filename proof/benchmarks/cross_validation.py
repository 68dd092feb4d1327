"""Cross-validation in simulation: do intervals cover, and is the test of learners fair?

Coverage. Features of class k are Gaussian around s · e_k, the learner is linear discriminant
analysis with a pooled covariance, fitted to the training part of every fold. The truth is the mean
over folds of what each fitted model does on 2,000 new cases of each class, drawn for each sample.
An interval that does not exist counts as a miss.

Learners. Two learners of equal quality, discriminant analysis on the odd and on the even features
of which each carries the same signal, are compared by 10 × 10 folds: the share of samples in which
the corrected resampled t rejects at 5 %.

Sample b draws from stream b of its cell; the table keeps counts, so that a run goes on where the
last one stopped: ``python proof/benchmarks/cross_validation.py --seconds 170`` until nothing is
left.
"""

import argparse
import csv
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import stdtr

from polyroc import Predictions, evaluate, registry
from polyroc.inference._cross.result import split_values
from polyroc.inference._resampled_t import corrected_errors
from polyroc.metrics.measure import CaseStatistics

TABLE = Path(__file__).parents[2] / "docs" / "data" / "cross_validation.csv"
FIELDS = ("cell", "metric", "samples", "hits", "value", "standard_error", "deviation")
METRICS = ("hand_till", "auc_mu", "hand_till_probabilistic")
OF_LEARNERS = (
    *METRICS,
    "pdi",
    "aunp",
    "hum",
    "vus",
    "hand_till_scored",
    "total_length",
    "triangle_area",
)
"""Also asked where learners are compared, by 3 classes: does the test hold its level?"""
N_NEW = 2000  # of each class
BATCH = 50
ASKED = [(registry[name], {}) for name in METRICS]


@dataclass(frozen=True)
class Cell:
    """Samples of fixed class sizes, and how they are split."""

    name: str
    sizes: tuple[int, ...]
    n_folds: int
    signal: float
    repeats: int = 1
    learners: bool = False
    samples: int = 2000


CELLS = (
    Cell("3 classes, 50/50/50, 5 folds", (50, 50, 50), 5, 1.2),
    Cell("3 classes, 50/50/50, 5 folds, strong signal", (50, 50, 50), 5, 2.2),
    Cell("3 classes, 120/45/15, 5 folds", (120, 45, 15), 5, 1.2),
    Cell("2 classes, 40/40, 10 folds", (40, 40), 10, 1.0),
    Cell("3 classes, 50/50/50, 4 × 5 folds", (50, 50, 50), 5, 1.2, repeats=4, samples=1000),
    Cell("learners, 2 classes, 50/50, 10 × 10 folds", (50, 50), 10, 1.0, 10, True, 1000),
    Cell("learners, 3 classes, 60/60/60, 10 × 10 folds", (60, 60, 60), 10, 1.0, 10, True, 1000),
)


def draw(rng: np.random.Generator, sizes: tuple[int, ...], signal: float, copies: int = 1):
    """Labels and features; every class has a direction of its own, in each copy."""
    y = np.repeat(np.arange(len(sizes)), sizes)
    x = rng.normal(size=(len(y), copies, len(sizes)))
    x[np.arange(len(y)), :, y] += signal
    return y, x.reshape(len(y), -1)


def fitted(y: np.ndarray, x: np.ndarray):
    """Linear discriminant analysis: a function from features to probabilities."""
    classes = range(int(y.max()) + 1)
    means = np.array([x[y == k].mean(axis=0) for k in classes])
    centred = x - means[y]
    precision = np.linalg.inv(centred.T @ centred / (len(y) - len(means)))
    slopes = precision @ means.T
    shift = np.log(np.bincount(y) / len(y)) - 0.5 * np.sum(means * slopes.T, axis=1)

    def probabilities(new: np.ndarray) -> np.ndarray:
        raw = new @ slopes + shift
        p = np.exp(raw - raw.max(axis=1, keepdims=True))
        return p / p.sum(axis=1, keepdims=True)

    return probabilities


def folds_of(rng: np.random.Generator, y: np.ndarray, n_folds: int) -> np.ndarray:
    """Stratified folds."""
    folds = np.empty(len(y), dtype=np.intp)
    for k in range(int(y.max()) + 1):
        folds[y == k] = rng.permutation(np.arange((y == k).sum()) % n_folds)
    return folds


def splits(rng: np.random.Generator, cell: Cell, y: np.ndarray) -> Iterator[tuple]:
    for _ in range(cell.repeats):
        folds = folds_of(rng, y, cell.n_folds)
        for v in range(cell.n_folds):
            yield np.flatnonzero(folds != v), np.flatnonzero(folds == v)


def coverage(cell: Cell, rng: np.random.Generator) -> dict[str, tuple]:
    """For each metric: whether the interval holds the truth, value − truth, standard error."""
    y, x = draw(rng, cell.sizes, cell.signal)
    new = draw(rng, (N_NEW,) * len(cell.sizes), cell.signal)
    rows, folds, scores, truths = [], [], [], []
    for v, (train, test) in enumerate(splits(rng, cell, y)):
        model = fitted(y[train], x[train])
        rows += test.tolist()
        folds += [v] * len(test)
        scores.append(model(x[test]))
        fresh = Predictions.borrowed(new[0], model(new[1]), n_threads=1)
        truths.append(
            [each.value for each in CaseStatistics(fresh).measure(ASKED, with_influence=False)]
        )
    held_out = Predictions(y[rows], np.concatenate(scores), folds=folds, n_threads=1)
    groups = rows if cell.repeats > 1 else None
    found = evaluate(held_out, metrics=METRICS, groups=groups)
    outcome = {}
    for name, truth in zip(METRICS, np.mean(truths, axis=0), strict=True):
        low, high, *_ = found[name].interval()
        error = found[name].standard_error
        outcome[name] = (low <= truth <= high, found[name].value - truth, error)
    return outcome


def learners(cell: Cell, rng: np.random.Generator) -> dict[str, tuple]:
    """For each metric: whether the test rejects, the difference, its standard error."""
    y, x = draw(rng, cell.sizes, cell.signal, copies=2)
    features = np.split(np.arange(x.shape[1]), 2)
    rows, folds, scores, ratio = [], [], ([], []), 1 / (cell.n_folds - 1)
    for v, (train, test) in enumerate(splits(rng, cell, y)):
        rows += test.tolist()
        folds += [v] * len(test)
        for own, columns in zip(scores, features, strict=True):
            own.append(fitted(y[train], x[np.ix_(train, columns)])(x[np.ix_(test, columns)]))
    models = {
        name: Predictions(y[rows], np.concatenate(own), folds=folds, n_threads=1)
        for name, own in zip("ab", scores, strict=True)
    }
    asked = METRICS if len(cell.sizes) == 2 else OF_LEARNERS
    found = split_values(models, [registry[name] for name in asked])
    apart = found.values[:, 0] - found.values[:, 1]
    means, errors = apart.mean(axis=0), corrected_errors(apart, ratio)
    rejected = 2 * stdtr(len(apart) - 1, -np.abs(means) / errors) < 0.05
    return dict(zip(asked, zip(rejected, means, errors, strict=True), strict=True))


class Counts:
    """Sums over the samples of a cell, a row per metric, kept in a table."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], np.ndarray] = {}
        if TABLE.exists():
            with TABLE.open(newline="") as file:
                for row in csv.DictReader(file):
                    n, numbers = int(row["samples"]), [float(row[f]) for f in FIELDS[3:]]
                    hits, mean, error, deviation = numbers
                    squares = deviation**2 * n + n * mean**2
                    sums = np.array([n, hits, mean * n, error**2 * n, squares])
                    self.rows[row["cell"], row["metric"]] = sums

    def samples(self, cell: Cell) -> int:
        return int(self.rows.get((cell.name, METRICS[0]), [0])[0])

    def add(self, cell: Cell, outcome: dict[str, tuple]) -> None:
        for name, (hit, apart, error) in outcome.items():
            sums = self.rows.setdefault((cell.name, name), np.zeros(5))
            sums += [1, hit, apart, error**2, apart**2]

    def save(self) -> None:
        with TABLE.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(FIELDS)
            for (cell, metric), (n, hits, total, squared, squares) in self.rows.items():
                mean = total / n
                deviation = np.sqrt(max(squares / n - mean**2, 0))
                numbers = (mean, np.sqrt(squared / n), deviation)
                writer.writerow([cell, metric, int(n), int(hits), *(f"{x:.8f}" for x in numbers)])


SYMBOLS = ("M", "AUC_μ", "M_p")


def tables(counts: Counts) -> str:
    """The tables of docs/uncertainty.md."""
    parts = []
    for of_learners in (False, True):
        heading = "compared" if of_learners else "cases, folds"
        lines = [f"| {heading} | samples | {' | '.join(SYMBOLS)} |", "|---|---|---|---|---|"]
        for cell in CELLS:
            n = counts.samples(cell)
            if cell.learners == of_learners and n:
                hits = [100 * counts.rows[cell.name, name][1] / n for name in METRICS]
                name = cell.name.removeprefix("learners, ")
                shares = " | ".join(f"{hit:.1f} %" for hit in hits)
                lines.append(f"| {name} | {n:,} | {shares} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def run(seconds: float, only: str) -> None:
    counts, end = Counts(), time.monotonic() + seconds
    for cell in CELLS:
        if only not in cell.name:
            continue
        key = zlib.crc32(cell.name.encode())
        sample = learners if cell.learners else coverage
        while counts.samples(cell) < cell.samples and time.monotonic() < end:
            for b in range(counts.samples(cell), min(counts.samples(cell) + BATCH, cell.samples)):
                counts.add(cell, sample(cell, np.random.default_rng([key, 0, b])))
            counts.save()
    print(tables(counts))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=170)
    parser.add_argument("--only", default="", help="cells whose name contains this")
    given = parser.parse_args()
    run(given.seconds, given.only)
