"""What tests show, recounted: differences by loops over cases, p-values and limits by formulas.

Non-inferiority, equivalence and superiority of models, values against a constant, the verdict of a
comparison, requirements and slices, on cases with ties, weights, groups, one case in a class,
identical and perfect models and names with spaces.
"""

import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest
from cli.running import run
from cli.test_recount import check_ranking, check_summary, printed, rows_below, saved, table_of
from report.datasets import case, facts_of, special_cases
from report.recount import Facts, agrees
from scipy.stats import norm
from scipy.stats import t as student

from polyroc import check, compare, evaluate

pytestmark = pytest.mark.system

CLAIMS = {
    "two-sided": "{} differs from {}",
    "greater": "{} is better than {}",
    "less": "{} is worse than {}",
    "noninferior": "{} is not inferior to {}",
    "equivalent": "{} is equivalent to {}",
}
OF_MODELS = CLAIMS | {"two-sided": "{} and {} differ", "equivalent": "{} and {} are equivalent"}
LIMITS = {
    "two-sided": "95 % interval",
    "greater": "one-sided 95 % limit",
    "less": "one-sided 95 % limit",
    "noninferior": "one-sided 95 % limit",
    "equivalent": "90 % interval",
}


def given_of(facts: Facts) -> dict:
    return {key: facts.inputs[key] for key in ("labels", "sample_weight", "groups")}


def holm(p_values: list[float]) -> list[float]:
    """Holm's adjustment step by step; tests that do not exist are not counted."""
    order = sorted((p, i) for i, p in enumerate(p_values) if not math.isnan(p))
    found, most = [math.nan] * len(p_values), 0.0
    for done, (p, i) in enumerate(order):
        most = max(most, min(1.0, p * (len(order) - done)))
        found[i] = most
    return found


def by_definition(alternative: str, ahead: float, error: float, margin: float, law) -> float:
    """The p-value; ``ahead`` is positive where the first is better."""
    if alternative == "two-sided":
        return 2 * law.sf(abs(ahead) / error)
    if alternative == "greater":
        return law.sf((ahead - margin) / error)
    if alternative == "less":
        return law.sf(-(ahead + margin) / error)
    not_worse = law.sf((ahead + margin) / error)
    if alternative == "noninferior":
        return not_worse
    return max(not_worse, law.sf((margin - ahead) / error))


def delong(facts: Facts, a: str, b: str) -> float:
    """Standard error of the difference of two AUCs, by placements case by case."""
    parts = {0: [], 1: []}
    for k, r in ((1, 0), (0, 1)):
        for i in facts.members[k]:
            moved = []
            for model in (a, b):
                own = facts.models[model][i][1]
                others = [facts.models[model][j][1] for j in facts.members[r]]
                below = sum((x < own) + (x == own) / 2 for x in others)
                moved.append(below / len(others) * (1 if k else -1))
            parts[k].append(moved[0] - moved[1])
    return math.sqrt(sum(np.var(each, ddof=1) / len(each) for each in parts.values()))


def p_agrees(text: str, p: float) -> bool:
    """``p = 0.040`` or ``p < .001``."""
    sign, number = re.fullmatch(r"p (=|<) ([\d.]+)", text).groups()
    return p < 0.001 and number == ".001" if sign == "<" else agrees(number, p) and p >= 0.001


def margin_cases() -> list[tuple[Facts, str, float, str]]:
    """Data with an alternative, a margin and a reference distribution."""
    special = special_cases()
    two = case("tied", 2, 3)
    two.models["same as 0"] = two.models["model 0"]
    two.inputs["scores"]["same as 0"] = two.inputs["scores"]["model 0"]
    return [
        (two, "noninferior", 0.2, "normal"),
        (two, "equivalent", 0.4, "normal"),
        (case("random", 2, 3), "equivalent", 0.05, "normal"),
        (case("random", 2, 2), "greater", 0.0, "normal"),
        (special["weights"], "noninferior", 0.02, "t"),
        (special["weights"], "less", 0.1, "t"),
        (special["groups"], "equivalent", 0.05, "t"),
        (special["the same"], "greater", 0.1, "t"),
        (special["one case"], "noninferior", 0.1, "t"),
        (case("perfect", 3, 2), "equivalent", 0.1, "t"),
        (special["grouped weights"], "less", 0.0, "t"),
    ]


def test_conclusions_of_comparisons(tmp_path: Path) -> None:
    """Each claim follows from the difference, its standard error and Holm's method."""
    shown = set()
    for facts, alternative, margin, reference in margin_cases():
        path = saved(facts, tmp_path)
        words = ("--alternative", alternative, *(("--margin", margin) if margin else ()))
        text = printed(
            *("compare", path, "-m", facts.main, *words, "--reference", reference),
        )
        result = compare(
            *(facts.inputs["y"], facts.inputs["scores"], [facts.main]),
            **given_of(facts),
            alternative=alternative,
            margin=margin or None,
            reference=reference,
        )
        expected = []
        for row in result.differences:
            gap = facts.value(row.model_a) - facts.value(row.model_b)
            assert math.isclose(row.difference, gap, abs_tol=1e-12)
            error, law = row.standard_error, student(row.degrees_of_freedom)
            if reference == "normal" and not math.isnan(error):
                assert math.isclose(error, delong(facts, row.model_a, row.model_b), rel_tol=1e-9)
                law = norm
            p = math.nan
            if not math.isnan(error):
                p = by_definition(alternative, gap, error, margin, law)
            expected.append((row.model_a, row.model_b, gap, error, law, p))
        adjusted = holm([each[-1] for each in expected])
        lines = [line for line in text.splitlines() if line.startswith(f"{facts.main}: ")]
        told = [x for x in zip(expected, adjusted, strict=True) if not math.isnan(x[1])]
        assert len(lines) == len(told)
        for line, ((a, b, gap, *_), p) in zip(lines, told, strict=True):
            claim = OF_MODELS[alternative].format(a, b)
            claim = claim if p <= 0.05 else f"it is not shown that {claim}"
            within = f" (margin {margin:g})" if margin else ""
            start, p_text = line.removesuffix(".").rsplit(", ", 1)
            start, number = start.rsplit("difference ", 1)
            assert start == f"{facts.main}: {claim}{within}, "
            assert agrees(number.lstrip("+"), gap) and p_agrees(p_text, p)
            shown.add((alternative, p <= 0.05))
        check_limits(text, facts.main, alternative, expected)
        over = "p-values are adjusted by Holm's method over pairs of models within each metric."
        assert over in text
    assert shown >= set(itertools.product(("greater", "less", "noninferior"), (True, False)))
    assert {("equivalent", False), ("equivalent", True)} <= shown


def check_limits(text: str, metric: str, alternative: str, expected: list) -> None:
    """The limits in the table are those that its title names."""
    rows = rows_below(text, f"Which is better? Differences with {LIMITS[alternative]}s")
    assert len(rows) == len(expected)
    for cells, (a, b, gap, error, law, p) in zip(rows, expected, strict=True):
        line = " ".join(cells)
        assert line.startswith(f"{metric} {a} − {b} ")
        numbers = line.removeprefix(f"{metric} {a} − {b} ").split()
        assert agrees(numbers[0].lstrip("+"), gap)
        if math.isnan(p):
            assert numbers[1] == "–"
            continue
        reach = law.ppf(0.95) * error
        low, high = numbers[1], numbers[3]
        assert (low == "−∞") == (alternative == "less") or agrees(low.lstrip("+"), gap - reach)
        one_sided = alternative in ("greater", "noninferior")
        assert (high == "+∞") == one_sided or agrees(high.lstrip("+"), gap + reach)


def test_tables_for_papers_name_their_limits() -> None:
    """Markdown and LaTeX: what is in brackets is what the head says."""
    facts = case("random", 3, 2)
    for alternative, name in LIMITS.items():
        margin = 0.1 if alternative in ("noninferior", "equivalent") else None
        options = {"alternative": alternative, "margin": margin}
        found = compare(facts.inputs["y"], facts.inputs["scores"], ["hand_till"], **options)
        head, _, line = found.to_markdown().splitlines()
        assert f"| difference ({name}) |" in head
        (row,) = found.differences
        tail = 0.025 if alternative == "two-sided" else 0.05
        reach = student.isf(tail, row.degrees_of_freedom) * row.standard_error
        low, high = row.difference - reach, row.difference + reach
        between = re.search(r"\((\S+?)(?: to |–)(\S+)\)", line.replace("−", "-")).groups()
        assert between[0] == ("-∞" if alternative == "less" else f"{low:.3f}")
        assert between[1] == ("∞" if alternative in ("greater", "noninferior") else f"{high:.3f}")
        assert ("$\\infty$" in found.to_latex()) == ("∞" in line) and "inf)" not in line


def test_values_against_a_constant(tmp_path: Path) -> None:
    """Claims against the p-value, and p-values on both sides of where limits meet the constant."""
    seen, special = set(), special_cases()
    kinds = [special["weights"], special["groups"], case("perfect", 3, 2), case("tied", 2, 1)]
    kinds += [special["one case"], special["constant"]]
    options = itertools.cycle(itertools.product(CLAIMS, (0.5, 0.9)))
    for facts, (alternative, constant) in zip(kinds * 3, options, strict=False):
        margin = 0.04 if alternative in ("noninferior", "equivalent") else None
        words = ("--against", constant, "--alternative", alternative)
        words += ("--margin", margin) if margin else ()
        text = printed("evaluate", saved(facts, tmp_path), "-m", facts.main, *words)
        names = list(facts.models)
        lines = [line for line in text.splitlines() if re.match(rf"(.+, )?{facts.main}: ", line)]
        assert len(lines) == len(names)
        for name, line in zip(names, lines, strict=True):
            line = line.removeprefix(f"{name}, " if len(names) > 1 else "")
            estimate = evaluate(
                facts.inputs["y"], facts.inputs["scores"][name], [facts.main], **given_of(facts)
            )[facts.main]
            test = estimate.test(constant, alternative, margin=margin)
            low, high, *_ = estimate.interval(0.95, alternative=alternative)
            if math.isnan(low):
                assert line == f"{facts.main}: no test, there is no interval."
                continue
            beyond = {
                "two-sided": constant < low or constant > high,
                "greater": low > constant,
                "less": high < constant,
                "noninferior": low > constant - (margin or 0),
                "equivalent": low > constant - (margin or 0) and high < constant + (margin or 0),
            }[alternative]
            found = re.fullmatch(rf"{facts.main}: (.+?)(?: \(margin (\S+)\))?, (p .+)\.", line)
            claim, within, p_text = found.groups()
            (value,) = re.findall(r"\d\.\d{4}", claim)
            assert agrees(value, facts.value(name)) and p_agrees(p_text, test.p_value)
            assert within == (None if margin is None else f"{margin:g}")
            said = CLAIMS[alternative].format(value, f"{constant:g}")
            if not beyond:
                said = f"it is not shown that {said}"
                if alternative == "two-sided":
                    said = f"{value} cannot be told apart from {constant:g}"
            assert claim == said and beyond == (test.p_value <= 0.05)
            seen.add((alternative, beyond))
        single = "p-values are those of single tests, not adjusted for their number."
        assert (single in text) == (len(lines) > 1)
    assert len(seen) >= 8


def test_verdicts(tmp_path: Path) -> None:
    """Models of the same value, models without a test, and clear differences."""
    seen = set()
    for name in ("the same", "one case", "monotone", "constant", "weights", "grouped weights"):
        facts = special_cases()[name]
        if name == "constant":
            facts.models["b"], facts.models["c d"] = facts.models["a"], facts.models["b"]
            scores = facts.inputs["scores"]
            scores["b"], scores["c d"] = scores["a"], scores["b"]
        text = printed("compare", saved(facts, tmp_path), "-m", facts.main)
        result = compare(facts.inputs["y"], facts.inputs["scores"], [facts.main], **given_of(facts))
        seen |= check_ranking(facts, text, result)
    assert seen == {"better", "equal", "alike", "untested"}


SLICED = re.compile(
    r"(PASS|FAIL|TOO FEW CASES)  (\w+) at least ([\d.]+)(?:, site (.+?))?: "
    r"(?:([\d.]+)(?: \(95 % limits ([\d.]+) and ([\d.]+)\))?, "
    r"(?:(met|violated), (p .+)|too few cases to tell)|no value \((.+)\), too few cases to tell)\."
)


def part_of(facts: Facts, rows: list[int]) -> Facts:
    """The facts of some of the cases."""
    inputs = facts.inputs
    chosen = [facts.rows[i] for i in rows]
    scores = {name: table[chosen] for name, table in inputs["scores"].items()}
    made = facts_of([facts.y[i] for i in rows], scores, facts.n_classes)
    made.names, made.weights = facts.names, [facts.weights[i] for i in rows]
    made.groups = None if facts.groups is None else [facts.groups[i] for i in rows]
    return made


def sites_of(facts: Facts, seed: int) -> list[str]:
    """Where cases are from: two sites of most cases, one of a few, one of a single case."""
    rng = np.random.default_rng(seed)
    found = rng.choice(["north", "south west"], len(facts.inputs["y"]))
    found[rng.choice(facts.rows, 25, replace=False)] = "x"
    found[facts.rows[0]] = "a|b"
    return found.tolist()


def thin(facts: Facts, rows: list[int]) -> str | None:
    """Why there is no statement about these cases."""
    units = [set() for _ in facts.names]
    for i in rows:
        units[facts.y[i]].add(i if facts.groups is None else facts.groups[i])
    least = min(map(len, units))
    if least > 1:
        return None
    label = facts.inputs["labels"][[len(each) for each in units].index(least)]
    unit = "case" if facts.groups is None else "group"
    return f"{'no cases' if least == 0 else f'one {unit}'} of class {label}"


def test_requirements_of_slices(tmp_path: Path) -> None:
    """Values in each slice, over how many tests p-values are adjusted, and whose notes they are."""
    seen, special = set(), special_cases()
    made = [(special["groups"], 0.84), (special["weights"], 0.95), (case("tied", 2, 2), 0.6)]
    made += [(case("skewed", 3, 1), 0.9), (case("tiny", 3, 1), 0.5)]
    for seed, (facts, minimum) in enumerate(made):
        sites = sites_of(facts, seed) if len(facts.y) > 25 else ["north"] * 3 + ["b"] * 3
        model = next(iter(facts.models))
        path = tmp_path / "sites.csv"
        table_of(facts).assign(site=sites).to_csv(path, index=False)
        words = ("check", path, "--model", model, "--min", f"{facts.main}={minimum}")
        result = run(*words, "--by", "site", columns=500)
        lines = result.stdout.splitlines()
        rows = [SLICED.fullmatch(line) for line in lines if "  " in line]
        assert all(rows), lines
        expected = check(
            *(facts.inputs["y"], facts.inputs["scores"][model]),
            minimum={facts.main: minimum},
            by={"site": sites},
            **given_of(facts),
        )
        outcomes, p_values, by_place = [], [], {}
        for found, row in zip(rows, expected.rows, strict=True):
            word, metric, bound, site, value, low, high, said, p_text, why = found.groups()
            own = [i for i, n in enumerate(facts.rows) if site in (None, sites[n])]
            assert (metric, float(bound), site or "") == (facts.main, minimum, row.slice)
            outcomes.append(word)
            p_values.append(row.p_violated)
            by_place[site] = part_of(facts, own)
            assert why == (None if site is None else thin(facts, own))
            if why is None:
                assert agrees(value, by_place[site].value(model))
            if low is not None:
                assert agrees(low, row.low) and agrees(high, row.high)
                assert (word == "PASS") == (row.low > minimum)
                assert word == "FAIL" or not row.p_adjusted <= 0.05
            if said:
                p = row.p_met if said == "met" else row.p_adjusted
                assert p_agrees(p_text, p) and p <= 0.05
        assert [row.p_adjusted for row in expected.rows] == pytest.approx(
            holm(p_values), nan_ok=True
        )
        assert len(rows) == 1 + len({sites[n] for n in facts.rows})
        check_explanation(result.stdout, p_values)
        check_outcome(result, outcomes)
        seen |= set(outcomes)
        seen |= check_notes_of_slices(result.stdout, facts.main, by_place)
    assert seen == {"PASS", "FAIL", "TOO FEW CASES", "small", "withheld"}


def check_explanation(text: str, p_values: list[float]) -> None:
    """How many requirements there are tests of, and over how many they are adjusted."""
    number = len(p_values)
    tested = sum(not math.isnan(p) for p in p_values)
    assert (f"{number - tested} of {number} requirements cannot be tested." in text) == (
        0 < tested < number
    )
    assert (f"None of the {number} can be tested" in text) == (tested == 0)
    assert re.findall(r"over (\d+) requirements", text) == [str(tested)] * (tested > 1)


def check_outcome(result, outcomes: list[str]) -> None:
    """The last line, by counts of outcomes."""
    number, failed = len(outcomes), outcomes.count("FAIL")
    left = outcomes.count("TOO FEW CASES")
    if failed:
        told = f"Fail: {failed} of {number} requirements {'is' if failed == 1 else 'are'} violated."
    elif left:
        verb = "is" if left == 1 else "are"
        told = f"Too few cases to tell: {left} of {number} requirements {verb} open."
    else:
        told = f"Pass: all {number} are met."
    assert told in (result.stderr if failed or left else result.stdout)
    assert result.exit_code == (1 if failed else 3 if left else 0)


def check_notes_of_slices(text: str, metric: str, by_place: dict) -> set[str]:
    """Notes on small classes name the slices they are about, and count the cases there."""
    seen, told = set(), {}
    for places, note in re.findall(rf"^Note\. ((?:{metric}.*?)): (.+)$", text, re.MULTILINE):
        for place in places.split(f", {metric}"):
            site = re.search(r" \(site (.+)\)$", place)
            told.setdefault(site and site[1], []).append(note)
    for site, facts in by_place.items():
        labels, counts = facts.inputs["labels"], facts.counts
        if reason := (thin(facts, range(len(facts.y))) if site else None):
            assert told[site] == [reason]
            seen.add("withheld")
            continue
        small = sorted((k for k, n in enumerate(counts) if n < 10), key=counts.__getitem__)
        note = "fewer than 10 cases: " + ", ".join(f"{labels[k]} ({counts[k]})" for k in small)
        assert (note in told.get(site, [])) == bool(small)
        seen |= {"small"} if small and site else set()
    return seen


def check_slices_table(facts: Facts, text: str, model: str, sites: list[str], of: str) -> None:
    """Rows of ``evaluate --by``: worst first, values and differences by loops over the cases."""
    rest = {}
    for site in dict.fromkeys(sites[n] for n in facts.rows):
        own = [i for i, n in enumerate(facts.rows) if sites[n] == site]
        if thin(facts, own) is None:
            part = part_of(facts, own)
            rest[site] = (len(own), part.value(model), sum(part.weights))
    worst = sorted(rest.values(), key=lambda each: each[1])
    result = evaluate(
        *(facts.inputs["y"], facts.inputs["scores"][model], [facts.main]),
        by={"site": sites},
        **given_of(facts),
    )
    (test,), frame = result.alike, result.frame().set_index("slice")
    title = f"For whom does it work? {facts.main}{of} by site, worst first"
    if not math.isnan(test.p_value):
        title += f"; all alike: p = {test.p_value:.4f}"
    rows = rows_below(text, title)
    assert len(rows) == len(rest)
    adjusted = holm(frame["p_value"].tolist()) if len(rest) > 2 else frame["p_value"].tolist()
    for cells, known, p in zip(rows, worst, adjusted, strict=True):
        site, cases, value, interval, apart, p_text = cells
        assert int(cases) == known[0] == rest[site][0]
        assert agrees(value, known[1]) and agrees(value, rest[site][1])
        others = [each for name, each in rest.items() if name != site]
        if others:
            mean = sum(w * v for _, v, w in others) / sum(w for _, _, w in others)
            assert agrees(apart.lstrip("+"), rest[site][1] - mean)
        assert (interval == "–") == math.isnan(frame.loc[site, "low"])
        assert (p_text == "–") == math.isnan(p) and (p_text == "–" or agrees(p_text, p))


def test_slices(tmp_path: Path) -> None:
    """Tables of slices, and which slices are withheld and why."""
    special = special_cases()
    for seed, facts in enumerate((special["groups"], special["weights"], case("tied", 2, 2))):
        sites, path = sites_of(facts, seed), tmp_path / "sites.csv"
        table_of(facts).assign(site=sites).to_csv(path, index=False)
        words = (path, "-m", facts.main, "--by", "site")
        text = printed("evaluate", *words)
        check_summary(facts, path, text.splitlines()[0])
        for model in facts.models:
            check_slices_table(facts, text, model, sites, f" of {model}")
        check_withheld(facts, text, sites)
        margin = ("--alternative", "noninferior", "--margin", 0.1)
        for options in ((), margin):
            text = printed("compare", *words, *options)
            check_withheld(facts, text, sites)
            check_compared_slices(facts, text, sites, options)


def check_withheld(facts: Facts, text: str, sites: list[str]) -> None:
    """A note for each thin slice, with its cases of each class."""
    told = dict(re.findall(r"^Note\. slice '(.+?)' of site is withheld: (.+)$", text, re.MULTILINE))
    expected = {}
    for site in dict.fromkeys(sites[n] for n in facts.rows):
        own = [i for i, n in enumerate(facts.rows) if sites[n] == site]
        if (reason := thin(facts, own)) is not None:
            counts = [
                f"{label} {sum(1 for i in own if facts.y[i] == k)}"
                for k, label in enumerate(facts.inputs["labels"])
            ]
            expected[site] = f"{reason} (cases per class: {', '.join(counts)})"
    assert told == expected and told


def check_compared_slices(facts: Facts, text: str, sites: list[str], options: tuple) -> None:
    title = f"Which is better for whom? {facts.main} by site, worst for the first model first"
    rows = [" ".join(cells) for cells in rows_below(text, title)]
    parts = {}
    for site in dict.fromkeys(sites[n] for n in facts.rows):
        own = [i for i, n in enumerate(facts.rows) if sites[n] == site]
        if thin(facts, own) is None:
            parts[site] = part_of(facts, own)
    pairs = list(itertools.combinations(facts.models, 2))
    assert len(rows) == len(pairs) * len(parts)
    for place, (a, b) in enumerate(pairs):
        own = rows[place * len(parts) : (place + 1) * len(parts)]
        gaps = {site: part.value(a) - part.value(b) for site, part in parts.items()}
        shown = []
        for line in own:
            found = re.match(rf"(.+) {a} − {b} (\d+) ([+-][\d.]+) (\S+)(?: … (\S+))?", line)
            site, cases, gap, low, high = found.groups()
            assert int(cases) == len(parts[site].y) and agrees(gap.lstrip("+"), gaps[site])
            assert low == "–" or (high == "+∞") == bool(options)
            shown.append(gaps[site])
        assert shown == sorted(gaps.values())
    tests = rows_below(text, "Is the difference the same in all slices?")
    assert [" ".join(cells).startswith(f"site {facts.main} {a} − {b} ") for cells, (a, b) in zip(
        tests, pairs, strict=True)] == [True] * len(pairs)  # fmt: skip
