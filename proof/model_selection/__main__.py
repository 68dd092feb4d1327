"""Which metric chooses the better model on new data? The experiment of Van Calster et al. 2008 §VI.

    python proof/model_selection [--runs 40] [--minutes 10]

A run trains twelve candidates on up to 200 cases of a data set, lets each criterion choose one by
up to 100 further cases, and judges the choice on all others. What it costs not to have chosen the
best candidate is its regret, in error rate, M and log loss. Counts are kept under --cache, so that
a run resumes where an earlier one stopped. Data of R's mlbench are converted, not shipped.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import t
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from polyroc import Predictions, registry

sys.path.insert(0, str(Path(__file__).parents[1]))
from mlbench import convert
from rounds import ROOT, go_round

MLBENCH = "Vehicle", "Glass", "Vowel", "Satellite", "DNA", "LetterRecognition"
TABLE = ROOT / "docs" / "data" / "model_selection.csv"
UNWEIGHTED = "hand_till", "auc_mu", "vus", "vus2"
WEIGHTED = (
    "hand_till_probabilistic", "hand_till_scored", "total_length", "simplex_volume", "wvus",
    "wvus2", "length_weighted_vus2",
)  # fmt: skip
CRITERIA = ("accuracy", "log_loss", *UNWEIGHTED, *WEIGHTED)
TARGETS = "error", "hand_till", "log_loss"
N_TUPLES = 20_000
"""Random tuples of volumes of more than three classes, the same for all candidates."""


def problems(folder):
    """Features and classes by name; kinds of glass with nine cases and 20 letters are left out."""
    convert(folder, *MLBENCH)
    loaders = {"iris": load_iris, "wine": load_wine, "digits": load_digits,
               "breast cancer": load_breast_cancer}  # fmt: skip
    found = {name: load(return_X_y=True) for name, load in loaders.items()}
    for name in MLBENCH:
        table = pd.read_csv(folder / f"{name}.csv")
        labels = table.pop(table.columns[0 if name == "LetterRecognition" else -1])
        y = labels.astype(str).to_numpy()
        kept = ~np.isin(y, list("6") if name == "Glass" else [])
        if name == "LetterRecognition":
            kept = np.isin(y, list("BDEPRS"))
        found[name] = table.to_numpy(dtype=float)[kept], y[kept]
    return found


def candidates(seed):
    """Learners from rigid to flexible and from timid to overconfident."""
    parts = {f"logistic {c:g}": LogisticRegression(C=c, max_iter=300) for c in (0.003, 0.1, 3, 100)}
    parts |= {f"{k} neighbours": KNeighborsClassifier(k) for k in (3, 10, 25)}
    parts |= {f"tree {leaf}": DecisionTreeClassifier(min_samples_leaf=leaf, random_state=seed)
              for leaf in (2, 10)}  # fmt: skip
    parts["naive Bayes"] = GaussianNB(var_smoothing=1e-3)
    parts["discriminant"] = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1)
    parts["forest"] = RandomForestClassifier(40, min_samples_leaf=2, random_state=seed)
    return {name: make_pipeline(StandardScaler(), part) for name, part in parts.items()}


def parts_of(X, y, seed):
    """Cases to learn from, to choose by and to judge by: 200, 100, all others up to 2,000."""
    n_learn, n_choose = min(200, 2 * len(y) // 5), min(100, len(y) // 5)
    rest = train_test_split(X, y, train_size=n_learn, stratify=y, random_state=seed)
    others = train_test_split(
        rest[1], rest[3], train_size=n_choose, stratify=rest[3], random_state=seed
    )
    judged = others[1][:2000], others[3][:2000]
    return (rest[0], rest[2]), (others[0], others[2]), judged


def plain(y, p, classes):
    """Accuracy and log loss, the latter with probabilities of at least 10⁻⁴."""
    own = np.clip(p[np.arange(len(y)), np.searchsorted(classes, y)], 1e-4, 1)
    return {"accuracy": float(np.mean(classes[p.argmax(axis=1)] == y)),
            "log_loss": float(-np.log(own).mean())}  # fmt: skip


def values(y, p, classes):
    """Every criterion on the cases to choose by; higher is better."""
    predictions, found = Predictions(y, p, labels=classes, normalize=True), plain(y, p, classes)
    found["log_loss"] *= -1
    for name in (*UNWEIGHTED, *WEIGHTED):
        drawn = "vus" in name and len(classes) > 3
        options = {"n_tuples": N_TUPLES, "rng": 0} if drawn else {}
        found[name] = registry[name].of(predictions, **options)
    return found


def run(problem, seed):
    """Regret of each criterion: its choice less the best candidate, by each target."""
    learn, choose, judged = parts_of(*problem, seed)
    by_criterion, by_target = [], []
    for model in candidates(seed).values():
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore", ConvergenceWarning)
            classes = model.fit(*learn).classes_
            by_criterion.append(values(choose[1], model.predict_proba(choose[0]), classes))
            p = model.predict_proba(judged[0])
        new = plain(judged[1], p, classes)
        area = registry["hand_till"].of(Predictions(judged[1], p, labels=classes, normalize=True))
        by_target.append([1 - new["accuracy"], 1 - area, new["log_loss"]])
    losses, regrets = np.array(by_target), {}
    for name in CRITERIA:
        scores = np.array([each[name] for each in by_criterion])
        best = scores >= scores.max() - 1e-12  # tied candidates are chosen equally often
        regrets[name] = (losses[best].mean(axis=0) - losses.min(axis=0)).tolist()
    regrets["at random"] = (losses.mean(axis=0) - losses.min(axis=0)).tolist()
    return regrets


def write(kept):
    """The mean regret of each criterion on each data set, and the summary over data sets."""
    rows = []
    for name, runs in kept.items():
        table = np.array([[each[c] for c in (*CRITERIA, "at random")] for each in runs])
        errors = table.std(axis=0, ddof=1) / np.sqrt(len(table))
        for c, mean, error in zip(
            (*CRITERIA, "at random"), table.mean(axis=0), errors, strict=True
        ):
            numbers = {f"{key}_{kind}": round(100 * value, 3)
                       for kind, row in (("regret", mean), ("se", error))
                       for key, value in zip(TARGETS, row, strict=True)}  # fmt: skip
            rows.append({"data": name, "runs": len(table), "criterion": c, **numbers})
    frame = pd.DataFrame(rows)
    frame.to_csv(TABLE, index=False)
    print(summary(frame))


def summary(frame):
    """Mean regret over data sets; its difference from M's with a t interval over data sets."""
    lines = ["| chosen by | error | less M's | 1 − M | less M's | log loss | less M's |",
             "|---|---|---|---|---|---|---|"]  # fmt: skip
    for c in (*CRITERIA, "at random"):
        cells = [c if c in ("accuracy", "at random") else f"`{c}`"]
        for target in TARGETS:
            wide = frame.pivot(index="data", columns="criterion", values=f"{target}_regret")
            off = wide[c] - wide["hand_till"]
            margin = t.ppf(0.975, len(off) - 1) * off.std(ddof=1) / np.sqrt(len(off))
            limits = f"{off.mean():+.2f} ({off.mean() - margin:+.2f} to {off.mean() + margin:+.2f})"
            cells += [f"{wide[c].mean():.2f}", "" if c == "hand_till" else limits]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main():
    found = problems(ROOT / ".benchmarks" / "mlbench")

    def advance(kept, name, runs):
        done = kept.setdefault(name, [])
        if len(done) < runs:
            done.append(run(found[name], len(done)))
        return len(done) < runs

    go_round(__doc__, "model_selection", found, advance, write)


if __name__ == "__main__":
    main()
