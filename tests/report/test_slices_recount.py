"""Slices and the earlier report: every sentence and number of these sections, recounted."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from cli.running import run
from cli.test_claims import given_of, holm, part_of, sites_of, thin
from cli.test_recount import table_of
from report.datasets import case, facts_of, special_cases
from report.dom import parsed
from report.recount import Facts, agrees
from scipy.stats import t as student

from polyroc import evaluate
from polyroc.report import EarlierReport, write_report
from polyroc.report._content import Content, gather
from polyroc.report._markup import element
from polyroc.report._since import Change, changes, since_table, since_text
from polyroc.report._slices import introduction, slices_of

pytestmark = [pytest.mark.system, pytest.mark.usefixtures("short_search")]


@pytest.fixture(autouse=True)
def one_metric(monkeypatch) -> None:
    def only(predictions) -> list[str]:
        return ["roc_auc" if predictions.n_classes == 2 else "hand_till"]

    monkeypatch.setattr("polyroc.report._content.metric_names", only)


def rows_in(facts: Facts, values: list, own: object) -> list[int]:
    return [i for i, n in enumerate(facts.rows) if values[n] == own]


def one_constant() -> Facts:
    """Slices of which one is perfect, and has an interval, and one is constant and has none."""
    rng = np.random.default_rng(3)
    y = np.tile([0, 1, 2], 40)
    p = rng.dirichlet(np.ones(3), 120)
    p[60:90] = 0.1 + 0.7 * np.eye(3)[y[60:90]]
    p[90:] = 1 / 3
    return facts_of(y, {"a b": p}, 3)


def attributes_of(facts: Facts, seed: int) -> dict[str, list]:
    if list(facts.models) == ["a b"]:
        return {"site": [name for name in ("1", "2", "perfect", "constant") for _ in range(30)]}
    half = np.random.default_rng(seed + 50).choice(["f", "m"], len(facts.inputs["y"])).tolist()
    return {"site": sites_of(facts, seed), "sex": half} if seed else {"site": sites_of(facts, 0)}


def test_slices() -> None:
    """Order, cases, values and differences by loops; what is told of all slices from tests."""
    seen, special = set(), special_cases()
    kinds = (special["groups"], special["weights"], case("tied", 2, 1), case("skewed", 3, 2))
    for seed, facts in enumerate((*kinds, one_constant(), case("tiny", 3, 1))):
        by = attributes_of(facts, seed) if len(facts.y) > 25 else {"site": [0] * 6}
        content = gather(facts.inputs["y"], facts.inputs["scores"], by=by, **given_of(facts))
        assert f"the worst slice of {content.leading.name} first." in introduction(content)
        assert content.leading.name in facts.leading
        tree = parsed(str(element("div", *slices_of(content))))
        assert [each.text for each in tree.all("h3")] == [f"By {name}" for name in by]
        results = {
            model: evaluate(facts.inputs["y"], scores, [facts.main], by=by, **given_of(facts))
            for model, scores in facts.inputs["scores"].items()
        }
        tables = iter(tree.all("table"))
        lines = [each.text for each in tree.all("p")]
        for name, values in by.items():
            parts = {}
            for own in dict.fromkeys(values[n] for n in facts.rows):
                if thin(facts, rows_in(facts, values, own)) is None:
                    parts[own] = part_of(facts, rows_in(facts, values, own))
            if parts:
                check_table(facts, content, next(tables), parts, results, name)
            seen |= check_lines(facts, lines, name, values, parts, results)
        assert not lines and next(tables, None) is None
    assert seen == {"differ", "alike", "some", "none", "withheld", "holm", "few"}


def check_table(
    facts: Facts, content: Content, table, parts: dict, results: dict, name: str
) -> None:
    models, leading = list(facts.models), content.leading.name
    rows = table.rows[1:]
    order = [row[0] for row in rows[:: len(models)]]
    values = [parts[type(next(iter(parts)))(own)].value(leading) for own in order]
    assert values == sorted(values) and len(order) == len(parts)
    assert [row[0] for row in rows] == [own for own in order for _ in models]
    if len(models) > 1:
        assert [row.pop(2) for row in rows] == models * len(order)
    adjusted = {}
    for model, result in results.items():
        own = [each for each in result.differences if each.attribute == name]
        p_values = [each.p_value for each in own]
        found = holm(p_values) if len(parts) > 2 else p_values
        adjusted[model] = {str(each.slice): p for each, p in zip(own, found, strict=True)}
    named = {str(own): part for own, part in parts.items()}
    for model, (own, cases, value, apart, p) in zip(models * len(order), rows, strict=True):
        assert int(cases) == len(named[own].y)
        here = named[own].value(model)
        limits = re.fullmatch(r"([<>]?[\d.]{5,7}?)(no interval|[<>]?[\d.]+ to [<>]?[\d.]+)", value)
        assert agrees(limits[1], here), value
        others = [part for other, part in named.items() if other != own]
        weights = [sum(part.weights) for part in others]
        if others:
            rest = sum(
                w * part.value(model) for w, part in zip(weights, others, strict=True)
            ) / sum(weights)
            assert agrees(apart.lstrip("+"), here - rest)
        known = adjusted[model][own]
        assert (p == "–") == math.isnan(known)
        assert p == "–" or (known < 0.001 if p.startswith("<") else agrees(p, known))


JUDGED = re.compile(
    r"(?:The (\d+) slices|(\d+) of (\d+) slices, those with a standard error,) "
    r"(differ|cannot be told apart) \((p .+?)(?: after Holm's adjustment over (\d+) attributes)?\) "
    r"in (\w+)(?: of (.+))?\."
)


def check_lines(
    facts: Facts, lines: list[str], name: str, values: list, parts: dict, results: dict
) -> set[str]:
    """The sentences below a table, which are taken off the list; what kinds there were."""
    seen = set()
    for model, result in results.items():
        line, tests = lines.pop(0), {each.attribute: each for each in result.alike}
        limits = [result.slices[name][own][facts.main].interval(0.95).low for own in parts]
        known = sum(not math.isnan(each) for each in limits)
        of = f" of {model}" if len(results) > 1 else ""
        if math.isnan(tests[name].p_value):
            start = f"There is no test of the slices in {facts.symbol}{of}: "
            assert line.startswith(start) and ": " not in line.removeprefix(start)
            assert ("fewer than two slices have a standard error" in line) == (known < 2)
            seen.add("none")
            continue
        every, some, total, found, p_text, over, metric, told_of = JUDGED.fullmatch(line).groups()
        assert metric == facts.symbol and (told_of is None) == (len(results) == 1)
        assert told_of in (None, model) and int(every or some) == known
        assert int(total or every) == len(parts)
        p_values = [each.p_value for each in tests.values()]
        p = dict(zip(tests, holm(p_values), strict=True))[name]
        tested = sum(not math.isnan(each) for each in p_values)
        assert over == (str(tested) if tested > 1 else None)
        assert (found == "differ") == (p < 0.05)
        assert p < 0.001 if "<" in p_text else agrees(p_text.removeprefix("p = "), p)
        seen |= {"differ" if found == "differ" else "alike"}
        seen |= {"some"} if some else set()
        seen |= {"holm"} if over else set()
    for own in dict.fromkeys(values[n] for n in facts.rows):
        rows = rows_in(facts, values, own)
        if (reason := thin(facts, rows)) is not None:
            counts = ", ".join(
                f"{label} {sum(facts.y[i] == k for i in rows)}"
                for k, label in enumerate(facts.inputs["labels"])
            )
            told = f"{own} is withheld, it has {reason} (cases per class: {counts})."
            lines.remove(told)
            seen.add("withheld")
        elif few := few_of(facts, rows):
            line = next(each for each in lines if each.startswith(f"{own}: "))
            assert set(line.removeprefix(f"{own}: ").removesuffix(".").split("; ")) == few
            lines.remove(line)
            seen.add("few")
    return seen


def few_of(facts: Facts, rows: list[int]) -> set[str]:
    """What is told of a slice with fewer than ten cases of a class, or ten groups."""
    counts = {
        label: sum(facts.y[i] == k for i in rows) for k, label in enumerate(facts.inputs["labels"])
    }
    small = sorted((label for label in counts if counts[label] < 10), key=counts.__getitem__)
    listed = ", ".join(f"{label} ({counts[label]})" for label in small)
    told = {f"fewer than 10 cases: {listed}"} if small else set()
    groups = given_of(facts).get("groups")
    if groups is not None and (n := len({groups[facts.rows[i]] for i in rows})) < 10:
        told.add(f"{n} groups: standard errors from fewer than 10 are rough")
    return told


def test_the_earlier_report(tmp_path: Path) -> None:
    """Numbers of cases without those of weight 0, as many of each class, and what changed."""
    special, tied = special_cases(), case("tied", 2, 1)
    pairs = [(special[name], special[name]) for name in ("weights", "all wrong")]
    for then, now in [*pairs, (case("skewed", 2, 1), tied)]:
        old = tmp_path / "old"
        if then.weighted:
            write_report(old, then.inputs["y"], then.inputs["scores"], **given_of(then))
            check_now(then, now, old)
        table_of(then).to_csv(tmp_path / "then.csv", index=False)
        words = ("evaluate", tmp_path / "then.csv", "-m", then.main, "--json")
        old.write_text(run(*words).stdout)
        check_now(then, now, old)


def test_limits_on_one_side_of_0_do_not_read_as_0() -> None:
    facts = case("tied", 2, 1)
    content = gather(facts.inputs["y"], facts.inputs["scores"])
    for low, high in ((0.00004, 0.02), (-0.02, -0.0003), (-0.0003, 0.02)):
        change = Change("roc_auc", "a", "a", 0.9, 0.91, low, high)
        ends = parsed(str(since_table(content, [change]))).rows[1][-1].split(" to ")
        for text, end in zip(ends, (low, high), strict=True):
            assert agrees(text.lstrip("+"), end)
            assert bool(text.strip("+−0.")) or low * high < 0


def check_now(then: Facts, now: Facts, old: Path) -> None:
    for other in (False, True):
        earlier = EarlierReport(old, other_cases=other)
        content = gather(now.inputs["y"], now.inputs["scores"], **given_of(now), earlier=earlier)
        known = content.earlier
        rows = since_table(content, changes(content, known))
        told = element("p", since_text(content, known))
        check_since(then, now, parsed(str(element("div", told, rows))), other)


def check_since(then: Facts, now: Facts, section, other: bool) -> None:
    told = section.all("p")[0].text
    assert f", on {len(then.y)} cases; this report is on {len(now.y)} cases. " in told
    alike = "It has as many cases of each class, as if they were the same. "
    assert (alike in told) == (then.counts == now.counts and not other)
    (table,) = section.all("table")
    models = [name for name in now.models if name in then.models] or list(now.models)
    assert len(table.rows) == 1 + len(models)
    for model, (_, name, before, after, change, *limits) in zip(
        models, table.rows[1:], strict=True
    ):
        was = model if model in then.models else next(iter(then.models))
        assert (
            name.startswith(model)
            and agrees(before, then.value(was))
            and agrees(after, now.value(model))
        )
        gap = now.value(model) - then.value(was)
        assert agrees(change.lstrip("+"), gap)
        a, b = (
            evaluate(f.inputs["y"], f.inputs["scores"][m], [f.main], **given_of(f))[f.main]
            for f, m in ((then, was), (now, model))
        )
        parts = [a.standard_error**2, b.standard_error**2]
        if not other or math.isnan(sum(parts)):
            assert limits in ([], ["–"])
            continue
        freedom = sum(parts) ** 2 / sum(
            v**2 / each.degrees_of_freedom for v, each in zip(parts, (a, b), strict=True)
        )
        reach = student.ppf(0.975, freedom) * math.sqrt(sum(parts))
        low, high = limits[0].split(" to ")
        assert agrees(low.lstrip("+"), gap - reach) and agrees(high.lstrip("+"), gap + reach)
