"""ROC surfaces on standard problems: found on half of the cases, rated on the other half.

    python proof/standard_problems FOLDER [--generations 300] [--seconds 200]

FOLDER keeps converted data and results: a run resumes where an earlier one stopped, and prints the
table of docs/surfaces.md when all is there.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits, load_wine
from sklearn.model_selection import train_test_split

from polyroc.surface import AveragedKnnModel, KnnModel, LinearModel, MlpModel, search

sys.path.insert(0, str(Path(__file__).parents[1]))
from mlbench import convert

MODELS = {
    "k-nn": KnnModel,
    "k-nn averaged": AveragedKnnModel,
    "MLP": MlpModel,
    "linear": LinearModel,
}
Problem = tuple[np.ndarray, np.ndarray]


def problems(folder: Path) -> dict[str, Problem]:
    """Features and classes; digits in three groups, rare kinds of glass left out."""
    convert(folder, "Vehicle", "Glass")
    wine, digits = load_wine(return_X_y=True), load_digits(return_X_y=True)
    grouped = np.select([digits[1] <= 3, digits[1] <= 6], ["0 to 3", "4 to 6"], "7 to 9")
    found = {"wine": wine, "digits in groups": (digits[0], grouped)}
    for name in ("Vehicle", "Glass"):
        table = pd.read_csv(folder / f"{name}.csv")
        labels = table.iloc[:, -1].astype(str).to_numpy()
        if name == "Glass":  # building windows (float or not), and the rest
            labels = np.select([labels == "1", labels == "2"], ["float", "not float"], "other")
        found[name] = table.iloc[:, :-1].to_numpy(dtype=float), labels
    return found


def prepared(problem: Problem, seed: int) -> tuple[np.ndarray, ...]:
    """Two halves, at most 600 cases each, standardised by the first."""
    X, y = problem
    halves = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
    X_1, X_2, y_1, y_2 = (half[:600] for half in halves)
    centre, spread = X_1.mean(axis=0), X_1.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    return (X_1 - centre) / spread, y_1, (X_2 - centre) / spread, y_2


def result(problem: Problem, model: str, generations: int) -> dict[str, float]:
    """What a surface promises on the cases it was found on, and holds on others."""
    X, y, new_x, new_y = prepared(problem, seed=0)
    surface = search(MODELS[model](X, y), generations=generations, rng=0, progress=False)
    new = surface.rescore(new_x, new_y)
    least, knee = surface.choose(criterion="total_error"), surface.choose(criterion="knee")
    errors = 1 - np.einsum("mkk,k->m", new.confusion, new.priors())
    gini = {"G": surface.gini(rng=0).value, "G_new": new.gini(rng=0).value}
    return {
        "cases": len(y), "classes": surface.n_classes, "points": len(surface), **gini,
        "error": least.value, "error_new": float(errors[least.index]),
        "knee_error": float(1 - np.diag(knee.confusion) @ surface.priors()),
        "knee_error_new": float(errors[knee.index]),
    }  # fmt: skip


def table(results: dict[str, dict[str, float]]) -> str:
    """The results as a Markdown table."""
    lines = [
        "| problem | model | points | G found | G on new cases | least error | on new | knee's "
        "error | on new |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for key, row in results.items():
        problem, model = key.split("/")
        numbers = [f"{row[name]:.3f}" for name in ("G", "G_new", "error", "error_new",
                                                   "knee_error", "knee_error_new")]  # fmt: skip
        named = f"{problem} ({row['cases']:.0f}, K = {row['classes']:.0f})"
        lines.append(f"| {named} | {model} | {row['points']:,.0f} | {' | '.join(numbers)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--generations", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=200)
    options = parser.parse_args()
    end, path = time.monotonic() + options.seconds, options.folder / "results.json"
    all_problems = problems(options.folder)
    results = json.loads(path.read_text()) if path.exists() else {}
    for name, problem in all_problems.items():
        for model in MODELS:
            key = f"{name}/{model}"
            if key in results or time.monotonic() > end:
                continue
            results[key] = result(problem, model, options.generations)
            path.write_text(json.dumps(results, indent=1))
            print(key, results[key], flush=True)
    print(table(results))


if __name__ == "__main__":
    main()
