"""Coverage of 95 % intervals in the cells of ``cells.py``: python proof/coverage.

Every chunk of samples is kept under ``--cache``, so that a run may be stopped and taken up again,
and a table can be written at any time (``--table`` alone). Cells go round: each gets a chunk before
one gets the next. The truth is the value on very many cases; an interval that does not exist
counts as a miss.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
from cells import CELLS, Cell
from scipy.optimize import brentq

import polyroc.inference._evaluate as evaluation
from polyroc import Predictions, evaluate, hand_till, registry
from polyroc.metrics.declaration import Property
from polyroc.statistics.means import Means
from polyroc.statistics.tuples import Tuples

ROOT = Path(__file__).parents[2]
CHUNK, MANY_CLASSES, FEW_AT_ONCE = 25, 20, 5
SAMPLES, FEW_SAMPLES = 2000, 300
FEW = {"saec", "gini"}
GROUPS = ("pairs", "means", "scored", "volumes", "few")
LARGE, TUPLES = 100_000, 200_000
PERFECT = 12.0


def draw(
    rng: np.random.Generator, cell: Cell, signal: float, times: int = 1
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Labels, probabilities and patients of a sample."""
    sizes = np.array(cell.sizes) * times
    y = np.repeat(np.arange(len(sizes)), sizes)
    x = rng.normal(size=(len(y), len(sizes)))
    groups = None
    if cell.patients:
        groups = np.concatenate([np.arange(n) % (cell.patients * times) for n in sizes])
        x = (x + rng.normal(size=(cell.patients * times, len(sizes)))[groups]) / np.sqrt(2)
    x[np.arange(len(y)), y] += signal
    raw = signal * x
    p = np.exp(raw - raw.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    if cell.levels:
        p = np.round(p * (cell.levels - 1)) / (cell.levels - 1) + 0.01
        p /= p.sum(axis=1, keepdims=True)
    return y, p, groups


def many(cell: Cell, n: int = LARGE) -> int:
    return max(1, n // sum(cell.sizes))


def signal_of(cell: Cell) -> float:
    """The signal that gives M its target."""
    if cell.target == 1:
        return PERFECT

    def gap(signal: float) -> float:
        y, p, _ = draw(np.random.default_rng(1), cell, signal, many(cell, 50_000))
        return hand_till(y, p) - cell.target

    return float(brentq(gap, 0.02, 12, xtol=1e-4))


def metrics_of(cell: Cell, group: str) -> list[str]:
    """Metrics of a group that are defined for the cell and are not functions of others there."""
    n_classes = len(cell.sizes)
    names = [
        name
        for name, metric in registry.items()
        if n_classes in metric.classes
        and not any(each.n_classes == n_classes for each in metric.repeats)
    ]
    by_group = {
        "means": [name for name in names if registry[name].statistic is Means],
        "volumes": [name for name in names if registry[name].statistic is Tuples],
        "few": [name for name in names if name in FEW],
    }
    by_group["scored"] = [
        name
        for name in names
        if registry[name].statistic is not Means
        and name not in FEW
        and not registry[name].properties & {Property.COLUMN_MONOTONE, Property.PERFECT_ARGMAX}
    ]
    by_group["volumes"] = [n for n in by_group["volumes"] if n not in by_group["scored"]]
    if n_classes > 6:
        by_group["scored"] = [n for n in by_group["scored"] if registry[n].statistic is not Tuples]
    others = {name for each in by_group.values() for name in each}
    by_group["pairs"] = [name for name in names if name not in others]
    return [] if group == "volumes" and n_classes > 6 else by_group[group]


def most_samples(cell: Cell, group: str) -> int:
    few = group == "few" or (group in ("volumes", "scored") and len(cell.sizes) > 3)
    return FEW_SAMPLES if few else SAMPLES


def truths(cell: Cell, signal: float, names: list[str]) -> list[float]:
    """The value on very many cases; of volumes, on very many tuples."""
    y, p, _ = draw(np.random.default_rng(2), cell, signal, many(cell))
    predictions = Predictions(y, p)
    tuples = {"n_tuples": TUPLES, "rng": 1}
    return [
        registry[name].of(predictions, **(tuples if registry[name].statistic is Tuples else {}))
        for name in names
    ]


def limits(cell: Cell, signal: float, names: list[str], seed: int) -> list[tuple[float, ...]]:
    """Value, low and high of each metric, and low and high on the logit scale, in one sample."""
    y, p, groups = draw(np.random.default_rng([seed, len(cell.name)]), cell, signal)
    tuples = {"n_tuples": 5000, "rng": seed} if len(cell.sizes) > 3 else {}
    found = evaluate(Predictions(y, p, n_threads=1), metrics=names, groups=groups, **tuples)
    return [
        (each.value, *each.interval()[:2], *each.interval(scale="logit")[:2])
        for each in found.values()
    ]


def path_of(cache: Path, cell: Cell, group: str) -> Path:
    return cache / f"{cell.name.replace('/', '-').replace(' ', '_')}.{group}.npz"


def advance(cache: Path, cell: Cell, group: str) -> bool:
    """One more chunk of samples; False where there are enough, or nothing to do."""
    names, path = metrics_of(cell, group), path_of(cache, cell, group)
    if not names:
        return False
    if path.exists():
        kept = dict(np.load(path))
    else:
        signal = signal_of(cell)
        true = np.array(truths(cell, signal, names))
        kept = {"rows": np.empty((0, len(names), 5)), "truth": true, "names": np.array(names)}
        kept["signal"] = np.array(signal)
    done = len(kept["rows"])
    if done >= most_samples(cell, group):
        return False
    chunk = CHUNK if len(cell.sizes) < MANY_CLASSES else FEW_AT_ONCE
    seeds = range(done, min(done + chunk, most_samples(cell, group)))
    new = [limits(cell, float(kept["signal"]), names, seed) for seed in seeds]
    kept["rows"] = np.concatenate([kept["rows"], new])
    np.savez(path, **kept)
    return True


def summary(cache: Path) -> list[dict]:
    """A row per cell and metric."""
    rows = []
    for cell in CELLS:
        for group in GROUPS:
            path = path_of(cache, cell, group)
            if not path.exists():
                continue
            kept = np.load(path)
            for place, name in enumerate(kept["names"].tolist()):
                if name not in metrics_of(cell, group):
                    continue
                rows.append(_row(cell, name, kept["rows"][:, place], float(kept["truth"][place])))
    return rows


def _row(cell: Cell, name: str, found: np.ndarray, truth: float) -> dict:
    value, low, high, logit_low, logit_high = found.T
    edge = 1e-12
    covered = (low <= truth + edge) & (truth - edge <= high)
    on_logit = (logit_low <= truth + edge) & (truth - edge <= logit_high)
    percent = 100 * float(covered.mean())
    least, most = bar(cell, truth)
    return {
        "cell": cell.name,
        "metric": name,
        "truth": round(truth, 5),
        "samples": len(found),
        "coverage": round(percent, 1),
        "too_low": round(100 * float((high < truth - edge).mean()), 1),
        "too_high": round(100 * float((low > truth + edge).mean()), 1),
        "none": round(100 * float(np.isnan(low).mean()), 1),
        "logit": round(100 * float(on_logit.mean()), 1),
        "mean_width": round(float(np.nanmean(high - low)), 4),
        "bias": round(float(value.mean() - truth), 5),
        "bar": [least, most],
        "met": bool(least - noise(found) <= percent <= most + noise(found)),
    }


def bar(cell: Cell, truth: float) -> tuple[float, float]:
    """93–97 % for a true value up to .9 and ten cases in every class, 93–99.5 % else, ≥ 95 at 1."""
    if truth > 1 - 1e-9:
        return 95.0, 100.0
    return (93.0, 97.0) if truth <= 0.9 and min(cell.sizes) >= 10 else (93.0, 99.5)


def noise(found: np.ndarray) -> float:
    """Two standard errors of a coverage of 95 %, in percent."""
    return 200 * float(np.sqrt(0.95 * 0.05 / len(found)))


def table(rows: list[dict]) -> str:
    """Metrics by cell; a star where the bar is missed by more than the simulation may err."""
    metrics = sorted({row["metric"] for row in rows})
    lines = ["| cell | " + " | ".join(metrics) + " |", "|---" * (len(metrics) + 1) + "|"]
    for cell in CELLS:
        own = {row["metric"]: row for row in rows if row["cell"] == cell.name}
        shown = [
            f"{own[m]['coverage']:.1f}{'' if own[m]['met'] else '*'}" if m in own else "–"
            for m in metrics
        ]
        lines.append(f"| {cell.name} | " + " | ".join(shown) + " |")
    return "\n".join(lines) + "\n"


HEAD = """# Coverage of 95 % intervals

How often the default interval of `evaluate` contains the true value, in percent, from
`proof/coverage`: 2,000 samples a cell where time allowed ({least} to {most} here),
fewer for volumes of six classes. Scores are Gaussian around the signal of the class; *M* is the
true value of Hand & Till's M, and metrics have other true values in the same cell.

The bar is 93–97 % for a true value up to .9 with at least ten cases in every class, 93–99.5 % above
or with fewer cases, and at least 95 % at exactly 1. A star marks what misses it by more than twice
the error of the simulation. A dash: not defined, a function of another metric (for two classes), or
too expensive (volumes of twenty classes).
`coverage.json` also has true values, widths, on which side intervals miss, and the coverage of the
logit scale.

"""


def write(cache: Path) -> None:
    rows = summary(cache)
    counts = [row["samples"] for row in rows]
    target = ROOT / "docs" / "coverage"
    target.mkdir(exist_ok=True)
    lines = ",\n".join(json.dumps(row) for row in rows)
    (target / "coverage.json").write_text(f"[\n{lines}\n]\n")
    missed = [row for row in rows if not row["met"]]
    told = f"\n{len(rows)} cells of the table, {len(missed)} of them with a star.\n"
    text = HEAD.format(least=min(counts), most=max(counts)) + table(rows) + told
    (target / "coverage.md").write_text(text)
    print(f"{len(rows)} cells, {len(missed)} miss the bar")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=ROOT / ".benchmarks" / "coverage")
    parser.add_argument("--groups", default=",".join(GROUPS))
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--table", action="store_true", help="write the table and stop")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * options.minutes
    if not options.table:
        evaluation.notes_on = lambda *_, **__: ()  # notes cost more than intervals
        busy = True
        while busy and time.monotonic() < end:
            busy = False
            for cell in CELLS:
                for group in options.groups.split(","):
                    if time.monotonic() < end:
                        busy |= advance(options.cache, cell, group)
    write(options.cache)


if __name__ == "__main__":
    main()
