"""The table of coverage: rows of ``coverage.json``, and ``coverage.md``."""

import json
from pathlib import Path

import numpy as np
from cells import CELLS, Cell
from samples import GROUPS, metrics_of

from polyroc import registry

TARGET = Path(__file__).parents[2] / "docs" / "coverage"
NOTED = Path(__file__).parents[2] / "src" / "polyroc" / "data" / "coverage.json"
EDGE = 1e-12


def path_of(cache: Path, cell: Cell, group: str) -> Path:
    """The file of a cell's samples."""
    return cache / f"{cell.name.replace('/', '-').replace(' ', '_')}.{group}.npz"


def summary(cache: Path) -> list[dict]:
    """A row per cell and metric."""
    rows = []
    for cell in CELLS:
        for group in GROUPS:
            path = path_of(cache, cell, group)
            if not path.exists():
                continue
            kept = np.load(path)
            asked = metrics_of(cell, group)
            for place, name in enumerate(kept["names"].tolist()):
                if name in asked and len(kept["rows"]):
                    found, truth = kept["rows"][:, place], float(kept["truth"][place])
                    rows.append(row_of(cell, name, found, truth, float(kept["signal"])))
    return rows


def row_of(cell: Cell, name: str, found: np.ndarray, truth: float, signal: float) -> dict:
    """Coverage of a metric in a cell, on which side its limits miss, and whether the bar is met."""
    value, low, high = found.T
    covered = (low <= truth + EDGE) & (truth - EDGE <= high)
    percent = 100 * float(covered.mean())
    least, most = bar(cell, 1 - truth if registry[name].direction == "lower" else truth)
    return {
        "cell": cell.name,
        "metric": name,
        "signal": round(signal, 5),
        "truth": float(f"{truth:.5g}"),
        "samples": len(found),
        "coverage": round(percent, 1),
        "too_low": round(100 * float((high < truth - EDGE).mean()), 1),
        "too_high": round(100 * float((low > truth + EDGE).mean()), 1),
        "none": round(100 * float(np.isnan(low).mean()), 1),
        "mean_width": _rounded(high - low, 4),
        "bias": _rounded(value - truth, 3),
        "bar": [least, most],
        "met": bool(least - noise(found) <= percent <= most + noise(found)),
    }


def _rounded(values: np.ndarray, digits: int) -> float | None:
    """Mean of the values there are; None if there are none."""
    known = values[~np.isnan(values)]
    return float(f"{known.mean():.{digits}g}") if len(known) else None


def bar(cell: Cell, truth: float) -> tuple[float, float]:
    """93–97 % for a true value up to .9 and ten cases in every class, 93–99.5 % else, ≥ 95 at 1.

    Of a metric whose best value is 0, such as ``saec``, 1 − the value counts.
    """
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
`proof/coverage`: 2,000 samples per cell, 300 for SAEC, gini and volumes of six classes
({reached}). Scores are Gaussian around the signal of the class; *M* is the
true value of Hand & Till's M, and metrics have other true values in the same cell.

Target: 93–97 % for a true value up to .9 with at least ten cases in every class, 93–99.5 % above
or with fewer cases, and at least 95 % at exactly 1. A star marks what misses it by more than twice
the error of the simulation; a result of `evaluate` that is like a starred cell has a note with the
coverage found here. A dash: not defined, a function of another metric (for two classes), or
too expensive (volumes of twenty classes).
`coverage.json` also has true values, widths, numbers of samples and on which side intervals miss.

"""


def reached(rows: list[dict]) -> str:
    """How many samples there are, where there are fewer than planned."""
    from samples import most_samples

    by_name = {cell.name: cell for cell in CELLS}
    short = []
    for row in rows:
        cell = by_name[row["cell"]]
        group = next(g for g in GROUPS if row["metric"] in metrics_of(cell, g))
        if row["samples"] < most_samples(cell, group):
            short.append(row["samples"])
    if not short:
        return "all of them reached"
    return f"{len(short)} of {len(rows)} numbers have fewer so far, the least {min(short)}"


def missed_cells(rows: list[dict]) -> list[dict]:
    """What a note on a result is made from: the starred numbers, and what their cells are like."""
    by_name = {cell.name: cell for cell in CELLS}
    found = []
    for row in rows:
        cell = by_name[row["cell"]]
        if not row["met"]:
            told = {"metric": row["metric"], "n_classes": len(cell.sizes)}
            told |= {"smallest": min(cell.sizes), "truth": row["truth"]}
            told |= {"coverage": row["coverage"], "groups": cell.patients, "levels": cell.levels}
            found.append(told)
    return found


def lines_of(rows: list[dict]) -> str:
    """JSON with a line for each row."""
    lines = ",\n".join(json.dumps(row) for row in rows)
    return f"[\n{lines}\n]\n"


def write(cache: Path) -> None:
    """The table, its rows, and the cells that notes on results are made from."""
    rows = summary(cache)
    TARGET.mkdir(exist_ok=True)
    (TARGET / "coverage.json").write_text(lines_of(rows))
    NOTED.write_text(lines_of(missed_cells(rows)))
    missed = [row for row in rows if not row["met"]]
    told = f"\n{len(rows)} numbers in the table, {len(missed)} of them with a star.\n"
    (TARGET / "coverage.md").write_text(HEAD.format(reached=reached(rows)) + table(rows) + told)
    print(f"{len(rows)} numbers, {len(missed)} miss the bar; {reached(rows)}")
