"""Every sentence about data that the command line prints, recounted by plain loops over the cases.

Templates are found in the source: a function that prints, or a note, that is not in the tables here
fails the guards at the end.
"""

import ast
import functools
import itertools
import json
import math
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from cli.running import run
from report.datasets import KINDS, SIZES, case, facts_of, special_cases
from report.recount import Facts, agrees, number_in
from report.sentences import reversed_of
from scipy.stats import t as student

import polyroc
from polyroc import compare, evaluate, evaluate_pairs

pytestmark = pytest.mark.system

SOURCE = Path(polyroc.__file__).parent


def table_of(facts: Facts) -> pd.DataFrame:
    """The cases as a file has them."""
    columns: dict = {"y": facts.inputs["y"]}
    for model, scores in facts.inputs["scores"].items():
        for k, label in enumerate(facts.inputs["labels"]):
            columns[f"{model}:{label}"] = scores[:, k]
    if facts.inputs["sample_weight"] is not None:
        columns["weight"] = facts.inputs["sample_weight"]
    if facts.inputs["groups"] is not None:
        columns["patient"] = facts.inputs["groups"]
    return pd.DataFrame(columns)


def saved(facts: Facts, folder: Path) -> Path:
    path = folder / "cases.csv"
    table_of(facts).to_csv(path, index=False)
    return path


def printed(*arguments: object) -> str:
    """What a command prints on a wide screen."""
    result = run(*arguments, columns=400)
    assert result.exit_code == 0, result.output
    return result.stdout


def check_summary(facts: Facts, path: Path, line: str) -> None:
    """``path: 120 cases of 3 classes: 40 a, 50 b, 30 c. 2 cases of weight 0 left out.``"""
    counts = [facts.inputs["y"].count(label) for label in facts.inputs["labels"]]
    found = re.fullmatch(
        rf"{re.escape(str(path))}: ([\d,]+) cases of ([\d,]+) classes: (.+?)"
        r"(?: and ([\d,]+) more classes)?\.(?: ([\d,]+) cases? of weight 0 left out\.)?",
        line,
    )
    n_cases, n_classes, listed, more, left_out = found.groups()
    weights = facts.inputs["sample_weight"]
    zeros = 0 if weights is None else sum(1 for weight in weights if weight == 0)
    assert (number_in(left_out) if left_out else 0) == zeros
    assert number_in(n_cases) == sum(counts) and number_in(n_classes) == len(counts)
    names = [
        name if isinstance(label, str) else f"of {name}"
        for name, label in zip(facts.names, facts.inputs["labels"], strict=True)
    ]
    told = [f"{count:,} {name}" for count, name in zip(counts, names, strict=True)]
    shown = listed.split(", ")
    assert shown == told[: len(shown)]
    assert (number_in(more) if more else 0) == len(counts) - len(shown)


def check_roles(facts: Facts, line: str) -> None:
    assert line.startswith("Read as: true classes in 'y'; scores in ") and line.endswith(".")
    assert ("weights in 'weight'" in line) == facts.weighted
    assert ("groups in 'patient'" in line) == (facts.groups is not None)


def rows_below(text: str, title: str) -> list[list[str]]:
    """The cells of the table under a title."""
    lines = text[text.index(title) :].splitlines()[1:]
    body = lines[: lines.index("")] if "" in lines else lines
    rows = [re.split(r"\s{2,}|(?<=[\d–]) (?=[\d.+–-])", line.strip()) for line in body]
    return [row for row in rows[1:] if not set(row[0]) <= set("─━-")]


# Notes: one pattern and one recount for each code.


def small_class(
    facts: Facts, metrics: list[str], model: str | None, listed: str, more: str | None
) -> None:
    small = sorted(
        (k for k in range(facts.n_classes) if facts.counts[k] < 10), key=facts.counts.__getitem__
    )
    told = re.findall(r"([^,]+?) \((\d+)\)(?:, |$)", listed)
    labels = [str(label) for label in facts.inputs["labels"]]
    assert [(labels[k], str(facts.counts[k])) for k in small[:8]] == told
    assert (number_in(more) if more else 0) == max(0, len(small) - 8)


def tied(facts: Facts, metrics: list[str], model: str | None, percent: str) -> None:
    def share(name: str) -> float:
        parts = [
            (facts.shares[a] * facts.shares[b], facts.pair(name, *pair)[1])
            for a, b in facts.pairs_of()
            for pair in ((a, b), (b, a))
        ]
        return math.fsum(w * t for w, t in parts) / math.fsum(w for w, _ in parts)

    for name in [model] if model else facts.models:
        assert agrees(percent.replace(" ", ""), share(name))


def no_variation(facts: Facts, metrics: list[str], model: str | None, value: str) -> None:
    for name in [model] if model else facts.models:
        found = [
            getattr(polyroc, metric)(
                facts.inputs["y"], facts.inputs["scores"][name], labels=facts.inputs["labels"]
            )
            for metric in metrics
        ]
        assert all(math.isclose(each, float(value), abs_tol=5e-5) for each in found)
        if facts.main in metrics:
            assert math.isclose(facts.value(name), float(value), abs_tol=5e-5)


def one_unit(facts: Facts, metrics: list[str], model: str | None, label: str, unit: str) -> None:
    members = facts.members[facts.inputs["labels"].index(ast.literal_eval(label))]
    units = members if unit == "case" else {facts.groups[i] for i in members}
    assert len(units) == 1 and (unit == "group") == (facts.groups is not None)


def few_groups(facts: Facts, metrics: list[str], model: str | None, count: str) -> None:
    assert int(count) == len(set(facts.groups)) < 10


def fixed(facts: Facts, metrics: list[str], model: str | None) -> None:
    """Says how shares are taken, nothing about these data."""


def skipped(facts: Facts, metrics: list[str], model: str | None, names: str) -> None:
    absent = [n for n, c in zip(facts.inputs["labels"], facts.counts, strict=True) if not c]
    assert names.split(", ") == absent


def not_defined(facts: Facts, metrics: list[str], model: str | None, row: str, fault: str) -> None:
    for name in [model] if model else facts.models:
        assert facts.fault(name) == (int(row), fault)


def worse_than_guessing(facts: Facts, metrics: list[str], model: str | None) -> None:
    """Below the value of guessing; that all of the interval is, check_worse counts."""
    for name in [model] if model else facts.models:
        for metric in metrics:
            value = getattr(polyroc, metric)(
                facts.inputs["y"], facts.inputs["scores"][name], labels=facts.inputs["labels"]
            )
            assert value < guessing(metric, facts.n_classes)
        if facts.main in metrics:
            assert facts.value(name) < 0.5


def union(facts: Facts, metrics: list[str], model: str | None, most: str) -> None:
    assert metrics == ["gini"] and facts.n_classes == 3 and min(facts.counts) < int(most)


def at_limit(facts: Facts, metrics: list[str], model: str | None, value: str, hull: str) -> None:
    """The limit of the fit, and 2(1 − A)/S of the hull by loops over its corners."""
    assert metrics == ["saec"]
    y, scores = facts.inputs["y"], facts.inputs["scores"][model or "a"]
    assert float(value) == pytest.approx(evaluate(y, scores, ["saec"])["saec"].value, rel=0.05)
    cuts = sorted({row[1] for row in facts.models[model or "a"]}, reverse=True)
    points = [(0.0, 0.0)] + [
        tuple(
            sum(1 for i in each if facts.models[model or "a"][i][1] >= cut) / len(each)
            for each in facts.members
        )
        for cut in cuts
    ]
    corners: list[tuple[float, ...]] = []
    for u, v in points:
        while len(corners) > 1:
            (a, b), (c, d) = corners[-2:]
            if (c - a) * (v - b) < (d - b) * (u - a):
                break
            corners.pop()
        corners.append((u, v))
    edges = list(itertools.pairwise(corners))
    area = math.fsum((c - a) * (b + d) / 2 for (a, b), (c, d) in edges)
    length = math.fsum(math.dist(*edge) for edge in edges)
    assert agrees(hull, 2 * (1 - area) / length)


def of_saec(facts: Facts, metrics: list[str], model: str | None) -> None:
    """The metric that is a cost, and that fits a curve."""
    assert metrics == ["saec"]


def guessing(metric: str, n_classes: int) -> float:
    """What a metric is worth where scores say nothing; NaN where that depends on the scores."""
    if metric == "hum":
        return 1 / math.factorial(n_classes)
    return {"total_length": math.nan, "gini": 0.0, "saec": math.nan}.get(metric, 0.5)


def check_worse(text: str, results: dict) -> None:
    """Told of all metrics, and of no others, whose intervals are below the value of guessing."""
    told = set()
    for some, of in re.findall(
        r"^Note\. (.+?)(?: of (.+?))?: worse than guess", text, re.MULTILINE
    ):
        told |= {(of or next(iter(results)), metric) for metric in some.split(", ")}
    assert told == {
        (model, metric)
        for model, result in results.items()
        for metric, each in result.items()
        if each.interval(0.95)[1] < guessing(metric, len(each.counts))
    }


def ties_matter(
    facts: Facts, metrics: list[str], model: str | None, strict: str, lenient: str
) -> None:
    given = {"labels": facts.inputs["labels"], "sample_weight": facts.inputs["sample_weight"]}
    assert float(strict) < float(lenient), "the reader sees that it matters"
    for name in [model] if model else facts.models:
        scores = facts.inputs["scores"][name]
        for text, rule in ((strict, "strict"), (lenient, "lenient")):
            assert agrees(text, polyroc.hum(facts.inputs["y"], scores, ties=rule, **given))


NOTES = {
    "small-class": (r"fewer than 10 cases: (.+?)(?: and (\d+) more class(?:es)?)?", small_class),
    "tied-scores": (r"([\d.]+ %) of pairs are tied", tied),
    "no-variation": (r"no standard error: every case agrees on ([\d.]+)", no_variation),
    "one-case": (r"no standard error: class (.+) has one (case|group)", one_unit),
    "few-groups": (r"(\d+) groups: standard errors from fewer than 10 are rough", few_groups),
    "priors-fixed": (r"class shares of the sample, treated as fixed", fixed),
    "skipped-classes": (r"without the class(?:es)? (.+), which ha(?:s|ve) no cases", skipped),
    "not-defined": (
        r"needs? probabilities, but row (\d+) of the table of scores (.+?)\. .+",
        not_defined,
    ),
    "union-of-points": (
        r"optimistic with fewer than (\d+) cases in a class: a union over many operating points",
        union,
    ),
    "fit-at-limit": (
        r"The binormal curve has no best fit to these scores: .+ The SAEC of ([\d.e-]+) is that "
        r"limit, not an estimate\. Use the model hull of polyroc.saec in Python, which gives "
        r"([\d.]+), or pass more cases or finer scores\.",
        at_limit,
    ),
    "no-derivative": (
        r"no standard error: the fit of the curve runs to a limit of the model",
        of_saec,
    ),
    "ties-matter": (r"ties: ([\d.]+) if wrong, ([\d.]+) if right", ties_matter),
}
WORSE = (
    "worse than guessing. Check in the line Read as that every column of scores belongs to its "
    "class, and that higher scores indicate it."
)


def swapped(
    facts: Facts, metrics: list[str], model: str | None, name: str | None, *told: str | None
) -> None:
    """Of all pairs whose both AUCs are clearly below ½, the one with the lowest mean."""
    ab, a, ba, b, again, last, more = told
    name, i, j = name or next(iter(facts.models)), facts.names.index(a), facts.names.index(b)
    assert (again, last) == (a, b)
    assert agrees(ab, facts.pair(name, i, j)[0]) and agrees(ba, facts.pair(name, j, i)[0])
    wrong = reversed_of(facts, name)
    means = {(k, r): facts.pair(name, k, r)[0] + facts.pair(name, r, k)[0] for k, r in wrong}
    assert means[i, j] <= min(means.values()) + 1e-9
    assert len(wrong) - 1 == int(more or 0)


SWAPPED = (
    r"(?:(model \d|a|b): )?AUC is ([\d.]+) by the scores of (.+) and ([\d.]+) by those of (.+), "
    r"both clearly below 0\.5, the value of guessing: are the columns of (.+) and (.+) swapped\?"
    r"(?: The same holds for (\d+) other pairs? of classes\.)?"
)
TOLD = {
    "swapped-columns": (SWAPPED, swapped),
    "worse-than-guessing": (re.escape(WORSE), worse_than_guessing),
    "lower-is-better": (r"lower is better\.", of_saec),
}
"""Notes of the command line itself."""
SIMULATED = {
    "coverage": (
        r"95 % intervals of this metric covered \d+ % instead of 95 % in simulations with "
        r"(?:a class this small|so few groups|so few different ratings)",
        lambda *_: None,
    )
}
"""Notes from the table of coverage, whose cells are checked in tests/inference."""
NOT_PRINTED = {"priors-given", "priors-sampled", "rows-by-position"}
"""Notes on options that the command line does not have."""


def check_notes(facts: Facts, text: str, metrics: list[str]) -> set[str]:
    """Recount every note; the codes there were."""
    seen = set()
    for line in re.findall(r"^Note\. (.+)$", text, re.MULTILINE):
        names = "|".join(map(re.escape, facts.models))
        some = rf"((?:(?:{'|'.join(metrics)})(?:, )?)+)"
        start = re.match(rf"{some}(?: of ((?:(?:{names})(?:, )?)+))?(?:: | (?=needs? ))", line)
        about = start[1].split(", ") if start else []
        models = start[2].split(", ") if start and start[2] else [None]
        rest = line[start.end() :] if start else line
        found = [
            (code, match, check)
            for code, (pattern, check) in (NOTES | TOLD | SIMULATED).items()
            if (match := re.fullmatch(pattern, rest))
        ]
        assert found, f"no recount for the note {line!r}"
        code, match, check = found[0]
        for model in models:
            check(facts, about, model, *match.groups())
        seen.add(code)
    return seen - set(SIMULATED)


def check_evaluate(facts: Facts, folder: Path, metrics: list[str], *options: str) -> set[str]:
    path = saved(facts, folder)
    text = printed("evaluate", path, "-m", ",".join(metrics), *options)
    summary, roles, *_ = text.splitlines()
    check_summary(facts, path, summary)
    check_roles(facts, roles)
    given = {key: facts.inputs[key] for key in ("labels", "sample_weight", "groups")}
    given["absent"] = "skip" if "skip" in options else "raise"
    rows = rows_below(text, "Values with 95 % intervals")
    results = {
        m: evaluate(facts.inputs["y"], s, metrics, **given)
        for m, s in facts.inputs["scores"].items()
    }
    assert len(rows) == len(metrics)
    for metric, (name, *cells) in zip(metrics, rows, strict=True):
        assert name == metric
        estimates = [result[metric] for result in results.values()]
        if metric == facts.main and "skip" not in options:
            assert all(
                math.isclose(each.value, facts.value(model), abs_tol=1e-12)
                for model, each in zip(facts.models, estimates, strict=True)
            )
        check_cells(cells, estimates)
    check_worse(text, results)
    return check_notes(facts, text, metrics)


def check_cells(cells: list[str], estimates: list) -> None:
    """``0.812 0.79–0.83 0.02`` of one model, ``.812 (.79–.83)`` of each of several."""
    numbers = [
        part
        for cell in cells
        for part in re.findall(r"[\d.]*\d(?:e-\d+)?|–(?=\s|$)", cell.replace("(", " "))
    ]
    expected: list[float] = []
    for each in estimates:
        low, high, *_ = each.interval(0.95)
        limits = [low, high] if not math.isnan(low) else [math.nan] * (len(estimates) == 1)
        expected += [each.value, *limits]
    if len(estimates) == 1:
        expected.append(estimates[0].standard_error)
    assert len(numbers) == len(expected), (cells, expected)
    for text, value in zip(numbers, expected, strict=True):
        if "e-" in text:  # 7.3e-06
            assert math.isclose(float(text), value, rel_tol=0.05)
        else:
            assert text == "–" if math.isnan(value) else agrees(text, value)


@functools.cache
def notes_by_size(n_classes: int) -> set[str]:
    """Evaluations of data with so many classes, recounted once; the codes of their notes."""
    kinds = KINDS if n_classes <= 20 else KINDS[n_classes % 2 :: 3]
    metrics = ["roc_auc"] if n_classes == 2 else ["hand_till", "aunp"]
    metrics += ["hum"] if n_classes == 3 else []
    codes = set()
    with TemporaryDirectory() as folder:
        for place, kind in enumerate(kinds):
            six = (place + n_classes) % 2 and n_classes <= 20
            facts = case(kind, n_classes, 6 if six else 1)
            more = [] if six or n_classes != 3 else ["gini"]
            codes |= check_evaluate(facts, Path(folder), metrics + more)
    return codes


@functools.cache
def notes_by_name(name: str) -> set[str]:
    """An evaluation of one of the special cases, recounted once; the codes of its notes."""
    with TemporaryDirectory() as folder:
        if name == "fit at its limit":
            high = np.array([0.1, 0.2, 0.3, 0.9, 0.5, 0.6, 0.7, 0.8])
            facts = facts_of(np.repeat([0, 1], 4), {"a": np.column_stack([1 - high, high])}, 2)
            return check_evaluate(facts, Path(folder), ["roc_auc", "saec"])
        if name != "absent":
            metrics = ["hand_till", "aunu", "total_length"]
            return check_evaluate(special_cases()[name], Path(folder), metrics)
        scores = np.random.default_rng(1).dirichlet(np.ones(4), 90)
        facts = facts_of(np.repeat([0, 2, 3], 30), {"a": scores}, 4)
        return check_evaluate(facts, Path(folder), ["hand_till", "aunu"], "--absent", "skip")


NAMES = (
    *("weights", "groups", "few groups", "counts", "logits", "constant", "one case", "reversed"),
    *("absent", "fit at its limit", "swapped"),
)


@pytest.mark.parametrize(
    "n_classes", [*SIZES, *(pytest.param(n, marks=pytest.mark.slow) for n in (16, 20, 257, 300))]
)
def test_evaluate(n_classes) -> None:
    assert notes_by_size(n_classes)


@pytest.mark.parametrize("name", NAMES)
def test_evaluate_other_inputs(name) -> None:
    assert notes_by_name(name) or name == "weights"


def test_pairs(tmp_path) -> None:
    """The worst pairs of classes first, twenty at most."""
    for n_classes, n_models in ((3, 2), (7, 1)):
        facts = case("skewed", n_classes, n_models)
        text = printed("evaluate", saved(facts, tmp_path), "-m", "hand_till", "--pairs")
        pairs = [(k, r) for k in range(n_classes) for r in range(n_classes) if k != r]
        for model, scores in facts.inputs["scores"].items():
            of = f" of {model}" if n_models > 1 else ""
            which = "worst pairs first" if n_classes == 3 else "the 20 worst of 42 pairs"
            rows = rows_below(text, f"Which classes are confused? AUC(k|r){of}, {which}")
            worst = sorted(facts.pair(model, *pair)[0] for pair in pairs)[:20]
            assert len(rows) == len(worst)
            frame = evaluate_pairs(facts.inputs["y"], scores, labels=facts.inputs["labels"])
            limits = frame.set_index(["positive", "negative"])
            for (k, r, value, interval), expected in zip(rows, worst, strict=True):
                areas = facts.pair(model, facts.names.index(k), facts.names.index(r))
                assert agrees(value, areas[0]) and agrees(value, expected)
                low, high = limits.loc[(k, r), ["low", "high"]]
                told = ["–"] if math.isnan(low) else interval.split("–")
                assert told == ["–"] or (agrees(told[0], low) and agrees(told[1], high))
                assert (interval == "–") == math.isnan(low)


@pytest.mark.parametrize("n_classes", [2, 3, 17, 50])
def test_compare(n_classes, tmp_path) -> None:
    for kind in ("random", "tied", "tiny"):
        facts = case(kind, n_classes, 3 if n_classes > 20 else 6)
        facts.models["twin"] = facts.models["model 0"]
        facts.inputs["scores"]["twin"] = facts.inputs["scores"]["model 0"]
        path = saved(facts, tmp_path)
        text = printed("compare", path, "-m", facts.main, "--all-pairs")
        check_summary(facts, path, text.splitlines()[0])
        rows = rows_below(text, "Differences with 95 % intervals")
        result = compare(
            facts.inputs["y"], facts.inputs["scores"], [facts.main], labels=facts.inputs["labels"]
        )
        check_ranking(facts, text, result)
        assert len(rows) == len(result.differences)
        for cells, each in zip(rows, result.differences, strict=True):
            a, b = each.model_a, each.model_b
            assert " ".join(cells).startswith(f"{facts.main} {a} − {b} ")
            difference = re.search(rf"{re.escape(b)}\s+([+-][\d.]+)", "  ".join(cells))[1]
            gap = facts.value(a) - facts.value(b)
            assert agrees(difference, gap) and math.isclose(each.difference, gap, abs_tol=1e-12)
        notes = re.findall(r"^Note\. (.+)$", text, re.MULTILINE)
        same = {(x.model_a, x.model_b) for x in result.differences if math.isnan(x.p_value)}
        assert ("model 0", "twin") in same
        for note in notes:
            kind_of = re.fullmatch(
                r"(\w+)(?: of (.+?))?: (fewer than .+|no standard error: .+)", note
            )
            assert kind_of, note
            if kind_of[3].startswith("fewer"):
                small = re.fullmatch(NOTES["small-class"][0], kind_of[3])
                small_class(facts, [], None, *small.groups())
            else:
                told = {tuple(pair.split(" − ")) for pair in kind_of[2].split(", ")}
                assert told <= same
                agree = kind_of[3].endswith("the models agree on every case")
                assert all((facts.pairs(a) == facts.pairs(b)) == agree for a, b in told)


def check_ranking(facts: Facts, text: str, result: polyroc.inference.Comparison) -> set[str]:
    """The verdict, and the models in the order of their values by loops over cases."""
    p_values = {}
    for row in result.differences:
        p_values[row.model_a, row.model_b] = p_values[row.model_b, row.model_a] = row.p_adjusted
    order = sorted(facts.models, key=lambda model: -facts.value(model))
    rows = rows_below(text, "Which is best? Values, and differences from the best with 95 %")
    shown = [" ".join(cells).removeprefix(f"{facts.main} ") for cells in rows]
    names = [max((m for m in order if line.startswith(f"{m} ")), key=len) for line in shown]
    assert sorted(names) == sorted(order)
    best, first = names[0], facts.value(order[0])
    for name, line in zip(names, shown, strict=True):
        value, *rest = line.removeprefix(name).split()
        assert agrees(value, facts.value(name))
        assert (rest[0] == "–") == (name == best) or agrees(rest[0], facts.value(name) - first)
    assert [facts.value(name) for name in names] == sorted(map(facts.value, order), reverse=True)
    found: dict[str, list[str]] = {"better": [], "equal": [], "alike": [], "untested": []}
    for name in names[1:]:
        p, equal = p_values[best, name], abs(first - facts.value(name)) <= 1e-12
        how = "better" if p <= 0.05 else "equal" if equal else "alike"
        found["untested" if math.isnan(p) and not equal else how].append(name)

    def listed(some: list[str]) -> str:
        return some[0] if len(some) == 1 else f"{', '.join(some[:-1])} and {some[-1]}"

    parts = [f"is better than {listed(found['better'])}" if found["better"] else "ranks first"]
    parts += [f"has the same value as {listed(found['equal'])}"] if found["equal"] else []
    parts += [f"cannot be told apart from {listed(found['alike'])}"] if found["alike"] else []
    told = f"{best} {parts[0]}"
    if len(parts) == 2:
        told += f", {'and' if found['better'] else 'but'} {parts[1]}"
    elif len(parts) == 3:
        told += f", {parts[1]}, and {parts[2]}"
    told += f"; there is no test against {listed(found['untested'])}" if found["untested"] else ""
    assert f"\n{facts.main}: {told}.\n" in text
    return {how for how, some in found.items() if some}


def test_report(tmp_path) -> None:
    facts = special_cases()["groups"]
    text = printed("report", saved(facts, tmp_path), "-o", tmp_path / "r.html")
    roles, where = text.splitlines()
    check_roles(facts, roles)
    assert where == f"Report: {tmp_path / 'r.html'}" and (tmp_path / "r.html").is_file()


def test_demo(tmp_path) -> None:
    y, models, labels = polyroc.datasets.example_predictions()
    text = printed("demo", "-o", tmp_path / "d.html")
    counts = {label: sum(1 for each in y if each == label) for label in labels}
    told = ", ".join(f"{count} {label}" for label, count in counts.items())
    assert text.startswith(f"{len(y)} cases of {len(labels)} classes: {told}.")
    assert "scored by all three" in text and len(models) == 3
    page = (tmp_path / "d.html").read_text()
    assert f"<title>Three classifiers of {len(y)} cases</title>" in page
    facts = facts_of([list(labels).index(each) for each in y], models, 3)
    rows = {row[0]: row[1:] for row in rows_below(text, "Values with 95 % intervals")}
    for cell, model in zip(rows["hand_till"], models, strict=True):
        assert agrees(cell.split(" ")[0], facts.value(model))


def test_streaming(tmp_path) -> None:
    for n_classes in (3, 17, 257):
        facts = case("tied", n_classes, 1)
        table = table_of(facts).rename(columns=lambda name: name.removeprefix("model 0:"))
        path = tmp_path / "cases.parquet"
        table.to_parquet(path)
        text = printed("evaluate", path, "--streaming", "--target", "y", "-m", "hand_till")
        assert f"{path}: {len(facts.y):,} cases of {n_classes} classes." in text
        ((metric, low, high, *_),) = rows_below(text, "Each value lies between these bounds")
        assert metric == "hand_till"
        assert float(low) - 5e-7 <= facts.value("model 0") <= float(high) + 5e-7


def test_study(tmp_path) -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 20)
    table = pd.DataFrame({"u": rng.normal(size=60), "v": rng.normal(size=60) + (y == "a"), "y": y})
    table.to_csv(tmp_path / "t.csv", index=False)
    options = ("--learners", "logistic", "--splits", "2", "--test-size", "0.3", "--seed", "5")
    text = printed("study", tmp_path / "t.csv", "-m", "hand_till", *options)
    first, roles, splits, *_ = text.splitlines()
    assert first == f"{tmp_path / 't.csv'}: 60 cases, 2 features, classes 'a', 'b', 'c'."
    assert roles.startswith("Read as: ") and "'y'" in roles
    assert splits == "2 splits, 30 % of the cases for testing, seed 5."
    content = json.loads(
        printed("study", tmp_path / "t.csv", "-m", "hand_till", *options, "--json")
    )
    values = np.array(content["study"]["values"]).ravel()
    mean = next(row for row in rows_below(text, "Mean over the splits") if row[0] == "hand_till")
    assert agrees(mean[1], float(values.mean()))
    two = ("--learners", "logistic,shrunken", *options[2:])
    text = printed("study", tmp_path / "t.csv", "-m", "hand_till", *two)
    content = json.loads(printed("study", tmp_path / "t.csv", "-m", "hand_till", *two, "--json"))
    apart = np.subtract(*np.array(content["study"]["values"])[:, :, 0].T)
    error = math.sqrt((1 / 2 + 18 / 42) * apart.var(ddof=1))
    p_value = 2 * student.sf(abs(apart.mean()) / error, 1)
    row = next(row for row in rows_below(text, "Which learner is better?"))
    assert row[:2] == ["hand_till", "logistic − shrunken"]
    assert agrees(row[2].split(" ")[0], float(apart.mean()))
    assert agrees(row[3], p_value) and agrees(row[4], p_value)


@pytest.mark.parametrize("n_classes", [2, 3, pytest.param(5, marks=pytest.mark.slow)])
def test_surface(n_classes, tmp_path) -> None:
    """Shares of an operating point are those of its costs, case by case."""
    facts = case("skewed", n_classes, 1)
    path = saved(facts, tmp_path)
    command = ("surface", path, "--generations", "5", "--seed", "3")
    text, content = printed(*command), json.loads(printed(*command, "--json"))["surface"]
    lines = text.splitlines()
    assert lines[0] == f"{path}: {len(facts.y)} cases of {n_classes} classes."
    assert lines[2].startswith(f"{content['points']} operating point") and "seed 3" in lines[2]
    assert f"G = {content['gini']['value']:.4f}" in text
    for point in content["operating_points"]:
        shares = decided_shares(facts, point["costs"])
        title = f"Operating point {point['index']}: {point['criterion']} {point['value']:.4f}."
        rows = rows_below(text, title)
        assert [row[0] for row in rows] == facts.names
        for row, expected in zip(rows, shares, strict=True):
            assert all(agrees(t, v) for t, v in zip(row[1:], expected, strict=True))
        if point["criterion"] == "total error":
            error = sum(facts.shares[k] * (1 - shares[k][k]) for k in range(n_classes))
            assert math.isclose(error, point["value"], abs_tol=1e-9)
        check_intervals(facts, point, shares, text[text.index(title) :])
    assert content["operating_points"][0]["criterion"] == "total error"


def check_intervals(facts: Facts, point: dict, shares: list[list[float]], text: str) -> None:
    """The value, Youden's index and each sensitivity, the last with limits by Wilson's formula."""
    first, youden, *sensitivities = rows_below(text, "With 95 % intervals")
    others = [
        row for row in point["intervals"] if row["quantity"] in (point["criterion"], "youden")
    ]
    right = [shares[k][k] for k in range(facts.n_classes)]
    index = (sum(right) - 1) / (facts.n_classes - 1)
    for row, known, value in zip((first, youden), others, (point["value"], index), strict=True):
        assert row[0] == known["quantity"] and agrees(row[1], value)
        assert agrees(row[2], known["low"]) and agrees(row[3], known["high"])
        assert known["low"] <= value <= known["high"]
    z = 1.959963984540054
    for k, row in enumerate(sensitivities):
        assert row[0] == f"sensitivity {facts.names[k]}" and agrees(row[1], right[k])
        n, p = facts.counts[k], right[k]
        centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        reach = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        assert agrees(row[2], centre - reach) and agrees(row[3], centre + reach)
    assert len(sensitivities) == facts.n_classes


def decided_shares(facts: Facts, costs: list[list[float]]) -> list[list[float]]:
    """Share of each class that each decision gets, by the least expected cost."""
    classes = range(facts.n_classes)
    counts = [[0] * facts.n_classes for _ in classes]
    for truth, row in zip(facts.y, facts.models["model 0"], strict=True):
        expected = [math.fsum(row[k] * costs[k][j] for k in classes) for j in classes]
        counts[truth][expected.index(min(expected))] += 1
    return [[count / sum(row) for count in row] for row in counts]


# Guards: what can be printed is recounted above.

ABOUT_DATA = {
    "ranking.py": {"_full", "_wide", "_narrow"},
    "calibration.py": {"_errors", "_parameters", "_print_tables", "_tests"},
    "check.py": {"check", "_print", "_tell"},
    "compare.py": {"_print", "_together", "_of_pair", "_of_pair_shortened"},
    "demo.py": {"demo"},
    "evaluate.py": {"_print_tables", "_beside", "_alone", "print_read"},
    "pairs.py": {"pair_tables"},
    "plan.py": {"_print"},
    "points.py": {"_square", "_listed", "_intervals"},
    "report.py": {"report"},
    "slices.py": {"_table", "sliced_comparison_tables"},
    "streaming.py": {"_print_table"},
    "study.py": {"_print", "study_tables", "_by_metric", "learner_tests"},
    "surface.py": {"_print"},
    "reader_study.py": {"_print", "study_tables", "_differences"},
}
"""Functions that print sentences and tables about data: test_calibration.py, test_check.py,
test_plan.py, test_reader_study.py and test_slices.py hold their own."""
NOT_ABOUT_DATA = {
    "ranking.py": {"_full", "_wide", "_narrow"},
    "check.py": {"check", "_print", "_tell"},
    "compare.py": {"compare"},
    "documents.py": {"print_document"},
    "evaluate.py": {"evaluate"},
    "metrics.py": {"_explain", "_print_table"},
    "program.py": {"show"},
    "saving.py": {"_tell"},
    "schema.py": {"schema"},
    "screen.py": {"show"},
}


def printing_functions(path: Path) -> set[str]:
    """Functions of a module that print text or make a table."""
    found = set()
    for function in ast.walk(ast.parse(path.read_text())):
        if not isinstance(function, ast.FunctionDef):
            continue
        for call in ast.walk(function):
            if not isinstance(call, ast.Call):
                continue
            name = ast.unparse(call.func)
            if name in ("table", "click.echo", "screen.print", "print"):
                found.add(function.name)
    return found


def test_whatever_prints_is_recounted() -> None:
    for path in (SOURCE / "cli").glob("*.py"):
        known = ABOUT_DATA.get(path.name, set()) | NOT_ABOUT_DATA.get(path.name, set())
        assert printing_functions(path) == known, path.name


def test_every_note_is_recounted_and_occurs() -> None:
    codes = set()
    for name in ("_notes.py", "_evaluate.py", "_estimates.py", "_compare.py", "_differences.py"):
        source = (SOURCE / "inference" / name).read_text()
        codes |= set(re.findall(r'Note\(\s*"([\w-]+)"', source))
    assert codes == set(NOTES) | NOT_PRINTED and not codes & set(TOLD)
    seen = set().union(*map(notes_by_size, SIZES[:3]), *map(notes_by_name, NAMES))
    assert seen == set(NOTES) | set(TOLD)
