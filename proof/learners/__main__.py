"""Ten learners of scikit-learn on ten public data sets, by every metric and beside peers.

    python proof/learners [--cache .benchmarks/learners] [--minutes 30] [--only NAME ...]

Repeated cross-validation by ``polyroc.cross_evaluate``. Scores of finished folds and results of
finished data sets are kept under --cache, so that a run resumes where an earlier one stopped; when
all are there it writes docs/data/learners.csv, docs/data/learners_tests.csv and docs/learners.md.
Peers (scikit-learn, torchmetrics, LightGBM) report on the same predictions where they are
installed, and the page says which were. Data of R's mlbench are converted, not shipped.
"""

import argparse
import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

import polyroc
from polyroc.results import Estimate

sys.path.insert(0, str(Path(__file__).parent))
from beside import installed, reported
from models import learners
from problems import Problem, problems
from writing import write

ROOT = Path(__file__).parents[2]


def result(problem: Problem, checkpoint: Path) -> dict[str, Any]:
    """Values with intervals of each learner and metric, tests of pairs, reports of peers."""
    fitted = polyroc.cross_evaluate(
        learners(), problem.X, problem.y, cv=problem.splits(), groups=problem.groups,
        rng=0, checkpoint=checkpoint, progress=False,
    )  # fmt: skip
    metrics = list(fitted.values)
    given = dict.fromkeys(fitted.predictions)
    for name, predictions in fitted.predictions.items():
        given[name] = [
            {"metric": each.metric, "value": each.value, **_limits(each)}
            for each in polyroc.evaluate(predictions, metrics=metrics).estimates
        ]
    classes, counts = np.unique(problem.y, return_counts=True)
    return {
        "cases": len(problem.y),
        "classes": len(classes),
        "smallest": int(counts.min()),
        "values": given,
        "tests": fitted.learners().drop(columns="note").to_dict("records"),
        "peers": {name: reported(each) for name, each in fitted.predictions.items()},
        "versions": installed(),
    }


def _limits(estimate: Estimate) -> dict[str, float]:
    low, high, *_ = estimate.interval()
    return {"low": low, "high": high}


def kept(path: Path) -> dict[str, Any] | None:
    """A finished result, unless peers have been installed since."""
    found = json.loads(path.read_text()) if path.exists() else None
    return found if found and set(found["versions"]) >= set(installed()) else None


def advanced(problem: Problem, path: Path) -> dict[str, Any]:
    """The result that is kept at the path, or a new one, kept there."""
    found, start = kept(path), time.monotonic()
    if found is None:
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = result(problem, path.with_suffix(".npz"))
        path.write_text(json.dumps(found))
        print(f"{path.stem}: {time.monotonic() - start:.0f} s", flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=ROOT / ".benchmarks" / "learners")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--only", nargs="*", help="data sets; the page is not written")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    end, results = time.monotonic() + 60 * options.minutes, {}
    found = problems(ROOT / ".benchmarks" / "mlbench")
    for name in options.only or found:
        if time.monotonic() < end:
            results[name] = advanced(found[name], options.cache / f"{name}.json")
    if len(results) < len(found):
        print(f"{len(results)} data sets are done; the page is written when all are.")
        return 0
    write(results, ROOT / "docs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
