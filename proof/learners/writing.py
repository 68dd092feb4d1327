"""The page of the two tables, wholly made from them, and its picture."""

import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
from counting import (
    LEVEL,
    OF_RANKS,
    OF_SIZES,
    PEERS,
    SHOWN,
    agreement,
    best,
    mean_ranks,
    opposed,
)
from picture import draw
from tables import keep, read

NAMES = {
    "accuracy": "accuracy", "log_loss": "log loss", "hand_till": "M", "au1p": "AU1P",
    "aunu": "AUNU", "aunp": "AUNP", "auc_mu": "AUC_μ", "pdi": "PDI",
    "hand_till_probabilistic": "M_p", "hand_till_scored": "M_s", "total_length": "TL",
}  # fmt: skip
OF_PAGE = "log_loss", "accuracy", "hand_till", "aunp", "auc_mu", "pdi", "hand_till_scored"

TITLE = "# Ten learners on ten data sets"
ABOUT = """
Ten scikit-learn learners with basic settings on ten public data sets of 3 to 26 classes, with two
repeats of five-fold cross-validation: every value has a 95 % interval and is shown next to what
other packages report for the same predictions. The question is: **does the ranking depend on the
metric?**
"""
COMMAND = "```console\n$ python proof/learners\n```"
HOW = """
The command takes under half an hour on two cores, resumes an interrupted run, and writes this
page. The data are those of scikit-learn and of R's package mlbench; of large ones a stratified part
of 1,000 cases, without classes of fewer than 10. Folds of Vowel are by speaker, so that no speaker
is in both training and test sets. All numbers: [values](data/learners.csv),
[tests of pairs of learners](data/learners_tests.csv).
"""
LIMITS = """
The comparison does not cover tuned learners, other data, or more cases, with which smaller
differences between learners would be found.
[Which metric chooses the better model](model-selection.md) is another question: there the choice is
evaluated on new cases.
"""
OF_M = (
    "Hand and Till's M in hundredths, with its 95 % interval: the models fitted here, on new cases."
)
LIGHTGBM = """
AUC_μ ranks differences of probabilities, so ties are a matter of rounding. LightGBM treats
differences that are less than 10⁻¹⁵ apart as tied, polyroc those that are no further apart than
rounding of the probabilities explains ([ties](decisions/ties.md)). Confident learners, whose
differences cluster at 0 and 1, get different values by the two rules.
"""
TESTED = """
By the corrected resampled t of Nadeau & Bengio, which is about new training sets, adjusted by
Holm's method over the 45 pairs of learners within each metric. Metrics of the sizes of
probabilities have no such test.
"""


def write(results: dict[str, Any], docs: Path) -> None:
    """Tables, picture and page."""
    keep(results, docs / "data")
    values, tests = read(docs / "data")
    versions = {name: v for found in results.values() for name, v in found["versions"].items()}
    draw(mean_ranks(values).rename(columns=NAMES), docs / "learners" / "ranks.png")
    (docs / "learners.md").write_text(page(values, tests, versions), encoding="utf-8")


def page(values: pd.DataFrame, tests: pd.DataFrame, versions: dict[str, str]) -> str:
    """All of it as Markdown."""
    parts = [TITLE, "", filled(ABOUT), "", filled(answer(values, tests)), "", COMMAND, ""]
    parts += [filled(HOW), ""]
    parts += [of_m(values), beside(values, versions), ranking(values), tested(tests)]
    return "\n".join([*parts, filled(LIMITS)]) + "\n"


def filled(text: str, bullet: str = "") -> str:
    """A paragraph in lines of the width of a page."""
    indent = " " * len(bullet)
    return textwrap.fill(
        bullet + " ".join(text.split()), 120, subsequent_indent=indent, break_on_hyphens=False
    )


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def of_m(values: pd.DataFrame) -> str:
    """M with its interval, a row per learner and a column per data set, in two tables."""
    part = values[values["metric"] == "hand_till"]
    data, learners = (list(dict.fromkeys(part[name])) for name in ("data", "learner"))
    rows = part.set_index(["data", "learner"])
    said = f"## M of each learner\n\n{filled(OF_M)}\n"
    for some in (data[: len(data) // 2], data[len(data) // 2 :]):
        sizes = [rows.loc[(name, learners[0])] for name in some]
        head = [f"{each.classes} classes, {each.cases:,} cases" for each in sizes]
        head = [f"{name} ({size})" for name, size in zip(some, head, strict=True)]
        lines = [[each, *(_cell(rows.loc[(name, each)]) for name in some)] for each in learners]
        said += f"\n{table(['', *head], lines)}"
    return said


def _cell(row: pd.Series) -> str:
    return f"{100 * row.value:.1f} ({100 * row.low:.1f}–{100 * row.high:.1f})"


def beside(values: pd.DataFrame, versions: dict[str, str]) -> str:
    """Peers on the same predictions."""
    found = agreement(values)
    missing = [name for name in PEERS if name not in versions]
    told = ", ".join(f"{name} {version}" for name, version in versions.items())
    absent = f" Not installed, so left out: {', '.join(missing)}." if missing else ""
    rows = [(r.peer, f"`{r.metric}`", str(r.compared), str(r.equal), f"{r.largest:.0e}")
            for r in found.itertuples()]  # fmt: skip
    head = "package", "metric", "sets of predictions", "equal to 10⁻⁵", "largest difference"
    about = f"""Means over the same folds, of the same predictions, by {told}.{absent} These
        functions give a value; intervals and tests are polyroc's."""
    apart = filled(LIGHTGBM) + "\n" if "lightgbm" in versions else ""
    return f"## Compared with other packages\n\n{filled(about)}\n\n{table(head, rows)}\n{apart}"


def ranking(values: pd.DataFrame) -> str:
    """The best learner by each metric, and how often metrics agree about it."""
    chosen = best(values)
    rows = [[data, *chosen.loc[data, list(OF_PAGE)]] for data in chosen.index]
    same = int((chosen[list(OF_RANKS)].nunique(axis=1) == 1).sum())
    every = int((chosen[list(SHOWN)].nunique(axis=1) == 1).sum())
    sizes = int((chosen[list(OF_SIZES)].ne(chosen["hand_till"], axis=0)).any(axis=1).sum())
    by_accuracy = int((chosen["accuracy"] != chosen["hand_till"]).sum())
    n = len(chosen)
    of_ranks = f"""The six metrics of ranks (M, AU1P, AUNU, AUNP, AUC_μ, PDI) name the same best
        learner on {same} of {n} data sets; all eleven of the picture on {every}."""
    others = f"""Accuracy names another best learner than M on {by_accuracy} of {n} data sets, a
        metric of the sizes of probabilities (M_p, M_s, TL) on {sizes}."""
    return "\n".join([
        "## The best learner by each metric\n",
        table(["", *(NAMES[name] for name in OF_PAGE)], rows),
        filled(of_ranks, "- "),
        filled(others, "- "),
        "\n![Mean rank of each learner by each metric](learners/ranks.png)\n",
        filled(of_picture(mean_ranks(values))) + "\n",
    ])  # fmt: skip


def of_picture(ranks: pd.DataFrame) -> str:
    """How much a mean rank depends on the metric."""
    alike = ranks[list(OF_RANKS)]
    within = float((alike.max(axis=1) - alike.min(axis=1)).max())
    far = ranks[list(OF_SIZES)].sub(ranks["hand_till"], axis=0).abs().max(axis=1)
    return f"""Mean rank over the data sets, 1 the best of ten. Mean ranks of a learner differ by at
        most {within:.1f} between the six metrics of ranks, and by up to {far.max():.1f}
        ({far.idxmax()}) between M and a metric of the sizes of probabilities, which rewards
        confidence, right or wrong."""


def answer(values: pd.DataFrame, tests: pd.DataFrame) -> str:
    """The question of the page, answered."""
    n_tested, _, n_apart, _, n_both = counts(tests)
    chosen = best(values)
    other = int((chosen[list(OF_SIZES)].ne(chosen["hand_till"], axis=0)).any(axis=1).sum())
    return f"""**Among metrics of ranks it hardly does, with metrics of the sizes of probabilities
        it does.** Metrics of ranks order {n_apart} of {n_tested} pairs of learners differently, and
        {n_both or "none"} of these significantly both ways; metrics of the sizes of probabilities
        name another best learner than M on {other} of {len(chosen)} data sets."""


def counts(tests: pd.DataFrame) -> tuple[int, ...]:
    """Pairs with a test, that differ significantly, that metrics order differently, and of these
    those where one of the two metrics, and where both, find their order significant."""
    apart, pair, own = opposed(tests), ["data", "better", "worse"], ["data", "model_a", "model_b"]
    small = apart[["p_first", "p_second"]] < LEVEL
    decided = tests[tests["p_adjusted"] < LEVEL]
    parts = (tests[own], decided[own], apart[pair], apart[small.any(axis=1)][pair],
             apart[small.all(axis=1)][pair])  # fmt: skip
    return tuple(len(rows.drop_duplicates()) for rows in parts)


def tested(tests: pd.DataFrame) -> str:
    """Pairs of learners that metrics order differently, and whether the test says so too."""
    apart = opposed(tests)
    one = apart[(apart[["p_first", "p_second"]] < LEVEL).any(axis=1)]
    n, n_decided, n_apart, n_one, n_both = counts(tests)
    said = [
        f"""Of {n} pairs of learners that are not equal in every fold of a data set, {n_decided}
        differ significantly by some metric.""",
        f"Two metrics order {n_apart} of the pairs differently.",
        f"In {n_one} of these one of the two finds its own order significant, in {n_both} both do.",
    ]
    lines = "\n".join(filled(each, "- ") for each in said)
    return f"## Is it more than chance?\n\n{filled(TESTED)}\n\n{lines}\n{contrary(one)}"


def contrary(one: pd.DataFrame) -> str:
    """Pairs that one metric orders significantly, and another the other way round."""
    if one.empty:
        return ""
    rows = [_opposed(row) for row in _strongest(one).itertuples()]
    head = "data", "by", "is better", "p", "by", "is better", "p"
    return f"\nOf such a pair, the metrics with the smallest p-value:\n\n{table(head, rows)}"


def _strongest(one: pd.DataFrame, most: int = 10) -> pd.DataFrame:
    """One row per pair of learners, by the smaller of the two p-values."""
    least = one.assign(least=one[["p_first", "p_second"]].min(axis=1),
                       other=one[["p_first", "p_second"]].max(axis=1))  # fmt: skip
    ordered = least.sort_values(["least", "other", "data", "better", "worse"], kind="stable")
    return ordered.drop_duplicates(["data", "better", "worse"]).head(most)


def _opposed(row: Any) -> tuple[str, ...]:
    named = f"`{row.first}`", row.better, _p(row.p_first), f"`{row.second}`", row.worse
    return (row.data, *named, _p(row.p_second))


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"
