"""Headings, tables and figures of the page, recounted."""

import math
import re
from typing import Any

import numpy as np
from report.dom import Node
from report.recount import NBSP, Facts, agrees, check_p, check_p_cell, exact_at_ends, number_in
from report.sentences import library

from polyroc import __version__, evaluate, evaluate_pairs
from polyroc.calibration import calibration_curves, calibration_error
from polyroc.calibration._error import SEED
from polyroc.metrics import registry


def plain(label: str) -> str:
    """A class as tables show it."""
    return label.removeprefix("class ")


def check_page(facts: Facts, page: Node) -> None:
    """Everything outside the findings and the explorer."""
    for check in (
        header,
        told_first,
        ranking,
        groups,
        classes,
        metrics,
        pairs,
        curves,
        calibration,
        benefit,
        compared,
        surfaces,
        methods,
        reading,
    ):
        check(facts, page)


def header(facts: Facts, page: Node) -> None:
    (told,) = page.all("header")[0].all("p")
    found = re.fullmatch(
        r"([\d,]+) (weighted )?cases?(?: in ([\d,]+) groups?)? · (\d+) classes · (\d+) models? · "
        "95\u00a0% intervals · \\d{4}-\\d\\d-\\d\\d",
        told.text,
    )
    cases, weighted, groups, classes_, models = found.groups()
    assert number_in(cases) == len(facts.y) and bool(weighted) == facts.weighted
    assert int(classes_) == facts.n_classes and int(models) == len(facts.models)
    if facts.groups is None:
        assert groups is None
    else:
        assert number_in(groups) == len(set(facts.groups))


def order_of(facts: Facts) -> list[str]:
    """The models, the best first; equal ones as they were given."""
    return sorted(facts.models, key=lambda model: -library(facts, model)[facts.main].value)


def rows_of_best(facts: Facts) -> dict[str, Any]:
    """The comparison of the best model with each other one."""
    best = order_of(facts)[0]
    return {
        ({row.model_a, row.model_b} - {best}).pop(): row
        for row in (library(facts).differences if len(facts.models) > 1 else ())
        if row.metric == facts.main and best in (row.model_a, row.model_b)
    }


def better(facts: Facts, model: str) -> bool:
    """Than guessing, as far as the cases show."""
    low, *_ = library(facts, model)[facts.main].interval(0.95)
    return facts.value(model) > 0.5 + 1e-12 if math.isnan(low) else low > 0.5


def verdict_pattern(facts: Facts, value: str, clear: list[str], low: float, high: float) -> str:
    """The whole sentence as it must be, with places for its numbers."""
    best, *others = order_of(facts)
    symbol, end, rows = facts.symbol, r"; guessing gives 0\.5\.", rows_of_best(facts)
    sure = len(facts.perfect(best)) == len(facts.pairs_of())
    if not any(better(facts, model) for model in facts.models):
        shown = "not better than guessing, as far as these cases show"
        if facts.value(best) < 0.5 - 1e-12 if math.isnan(low) else high < 0.5:
            shown = "worse than guessing"
        start = f"No model is {shown[4:]}: the best is {best} with"
        return f"{start if others else f'{best} is {shown}:'} {symbol} {value}{end}"
    if not others:
        how = "has no interval" if math.isnan(low) else "is better than guessing"
        how = "separates the classes perfectly" if sure else how
        return f"{best} {how}: {symbol} {value}{end}"
    also = " and separates the classes perfectly" if sure else ""
    pattern = f"{best} has the highest {symbol}{also}, {value}"
    if len(clear) == len(others):
        pattern = f"{best} is best{also}: {symbol} {value}"
    if clear:
        more = len(clear) - 1
        holm = " after Holm's adjustment" if len(facts.models) > 2 else ""
        ahead = rf"ahead of {clear[0]} by (.+) \(p\s([=<])\s([\d.]+){holm}\)"
        others_told = f"{more} other models" if more > 1 else clear[-1]
        gaps = [abs(rows[each].difference) for each in clear]
        equal = [gap <= gaps[0] + 1e-12 for gap in gaps[1:]]
        much = "as much" if all(equal) else "at least as much" if any(equal) else "more"
        ahead += f" and of {others_told} by {much}" if more else ""
        pattern += f", {ahead}"
    unclear = [each for each in others if rows[each].p_adjusted >= 0.05]
    untested = [each for each in others if math.isnan(rows[each].p_adjusted)]
    pattern += f"; {several(unclear)} cannot be told apart from it" if unclear else ""
    pattern += f"; there is no test against {several(untested)}" if untested else ""
    return pattern + r"\."


def several(names: list[str]) -> str:
    shown, more = names[:3], len(names) - 3
    if more > 0:
        return f"{', '.join(shown)} and {more} more model{'s' * (more > 1)}"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def told_first(facts: Facts, page: Node) -> None:
    """The verdict, put together again from plain counts, word by word."""
    best, *others = order_of(facts)
    assert best in facts.leading
    low, high, *_ = library(facts, best)[facts.main].interval(0.95)
    limits = "" if math.isnan(low) else r" \(([\d.]+) to ([\d.]+)\)"
    rows = rows_of_best(facts)
    clear = [each for each in others if rows[each].p_adjusted < 0.05]
    pattern = verdict_pattern(facts, rf"([<>]?[\d.]+){limits}", clear, low, high)
    (sentence,) = page.all("p", "verdict")
    found = re.fullmatch(pattern, sentence.text)
    assert found, (pattern, sentence.text)
    value, *numbers = found.groups()
    assert agrees(value, facts.value(best)) and exact_at_ends(value, facts.value(best))
    if limits:
        assert agrees(numbers.pop(0), low) and agrees(numbers.pop(0), high)
    if numbers:
        ahead, sign, p = numbers
        assert agrees(ahead, facts.value(best) - facts.value(clear[0]))
        check_p(sign, p, rows[clear[0]].p_adjusted)


def ranking(facts: Facts, page: Node) -> None:
    """The models in order, the best marked; accuracy, and what guessing gives."""
    (table,) = page.all("table", "ranking")
    rows = table.all("tbody")[0].all("tr")
    order, behind = order_of(facts), rows_of_best(facts)
    badges = [bool(row.all("span", "badge")) for row in rows]
    assert badges == [len(order) > 1, *[False] * (len(order) - 1)]
    for place, (row, model) in enumerate(zip(rows, order, strict=True)):
        assert row.all("bdi")[0].text == model
        value, accuracy, *rest = row.all("td")
        check_value(facts, model, value)
        check_accuracy(facts, model, accuracy)
        assert bool(rest) == (len(order) > 1)
        if place:
            gap = facts.value(order[0]) - facts.value(model)
            check_behind(rest[0], gap, behind[model], order[0])
    told = re.fullmatch(
        rf"Guessing gives {facts.symbol} 0\.5; always choosing (.+) classifies (\S+\s%) of cases"
        r"( by weight)? correctly\.( Accuracy is that of choosing the most probable class\.)?"
        rf"( Behind the best: the 95\s% interval is for each difference alone; p is after "
        r"Holm's adjustment\.)?",
        page.one("summary").all("p", "muted")[0].text,
    )
    k = facts.names.index(told[1])
    assert facts.shares[k] >= max(facts.shares) - 1e-12 and agrees(told[2], facts.shares[k])
    assert bool(told[3]) == facts.weighted
    tested = any(not math.isnan(row.p_value) for row in behind.values())
    with_accuracy = not all("no probabilities" in row.all("td")[1].text for row in rows)
    assert bool(told[4]) == with_accuracy
    assert bool(told[5]) == (len(order) > 2 and tested)


def check_value(facts: Facts, model: str, cell: Node) -> None:
    (small,) = cell.all("small")
    text = cell.all("span")[0].text
    assert agrees(text, facts.value(model)) and exact_at_ends(text, facts.value(model))
    low, high, *_ = library(facts, model)[facts.main].interval(0.95)
    if math.isnan(low):
        assert re.fullmatch(r"No interval(: .+)?", small.text) and facts.value(model) < 1
        agreed = re.search(r"every case agrees on (\d\.\d+|\d)", small.text)
        assert agreed is None or agrees(agreed[1], facts.value(model))
        assert ("has one case" in small.text) <= (min(facts.counts) == 1)
    else:
        limits = small.text.split(" to ")
        assert agrees(limits[0], low) and agrees(limits[1], high)


def check_behind(cell: Node, gap: float, row: Any, best: str) -> None:
    (small,) = cell.all("small")
    assert agrees(cell.text.removesuffix(small.text), gap)
    if math.isnan(row.p_value):
        assert small.text == "no test"
        return
    low, high, sign, p = re.fullmatch(r"(\S+) to (\S+); p ([=<]) ([\d.]+)", small.text).groups()
    turn = 1 if row.model_a == best else -1
    ends = sorted(turn * each for each in row.interval(0.95)[:2])
    assert agrees(low, ends[0]) and agrees(high, ends[1])
    if ends[0] > 1e-5:
        assert number_in(low) > 0
    check_p(sign, p, row.p_adjusted)


def check_accuracy(facts: Facts, model: str, cell: Node) -> None:
    (small,) = cell.all("small")
    text = cell.text.removesuffix(small.text)
    if facts.probabilities(model) is None:
        assert (text, small.text) == ("–", "no probabilities")
        return
    right = [float(a == b) for a, b in zip(facts.decided(model), facts.y, strict=True)]
    value, error = facts.mean(right)
    assert agrees(text, value) and exact_at_ends(text, value)
    count = sum(facts.weights) ** 2 / sum(w * w for w in facts.weights)
    if facts.groups is not None:
        count = min(count, len(set(facts.groups)))
    if 1e-12 < value < 1 - 1e-12 and error > 0:
        count = value * (1 - value) / error**2
    extra = 1.959963984540054**2 / count
    centre, root = (value + extra / 2) / (1 + extra), value * (1 - value) + extra / 4
    reach = math.sqrt(extra * root) / (1 + extra)
    low, high = (float(each) / 100 for each in small.text.split(" to "))
    assert abs(low - max(0, centre - reach)) < 5.1e-4
    assert abs(high - min(1, centre + reach)) < 5.1e-4


def groups(facts: Facts, page: Node) -> None:
    """Findings of several models are told once, with how many models they are about."""
    cards = page.all("li", "finding")
    codes = [card.attributes["data-code"] for card in cards]
    assert len(codes) == len(set(codes))
    severities = [card.attributes["class"].split()[1] for card in cards]
    assert severities == sorted(severities, key=["warning", "notice", "fact"].index)
    shown = page.one("summary").all("ul", "findings")
    more = 2 if len(cards) == 8 else max(len(cards) - 7, 0)  # none is folded away alone
    assert len(shown[0].all("li", "finding")) == len(cards) - more
    for card in cards:
        members = [each for each in card.all("li") if each is not card]
        if members:
            title = card.all("h3")[0].text
            every = len(facts.models) - ("other model" in title)
            whole = "both" if every == 2 else f"all {every}"
            if card.attributes["data-code"] == "not-better-than-guessing":
                whole = "neither" if every == 2 else f"none of the {every}"
            if card.attributes["data-code"] in ("difference-unclear", "no-test"):
                whole = "either" if every == 2 else f"any of the {every}"
            count = whole if len(members) == every else f"{len(members)} of {every}"
            assert len(members) > 1
            assert re.search(rf"\b{count} (?:other )?models?\b", title, re.IGNORECASE), title
    told = [each.text for each in page.one("summary").all("summary") if "finding" in each.text]
    assert told == ([f"{more} more findings"] if more else [])


def classes(facts: Facts, page: Node) -> None:
    (table,) = page.all("table", "classes")
    (title, _, share), *rows = table.rows
    few = facts.n_classes <= 20
    assert title == ("Class" if few else "Class (20 smallest)")
    assert share == ("Share by weight" if facts.weighted else "Share")
    order = sorted(range(facts.n_classes), key=lambda k: facts.counts[k])
    for k, (name, count, percent) in zip(
        range(facts.n_classes) if few else order, rows, strict=few
    ):
        assert name == plain(facts.names[k]) and number_in(count) == facts.counts[k]
        assert agrees(percent, facts.shares[k]) and exact_at_ends(percent, facts.shares[k])
    assert len(rows) == min(20, facts.n_classes)


def metrics(facts: Facts, page: Node) -> None:
    section = page.one("metrics")
    (told,) = section.all("p")
    groups = (
        "" if facts.groups is None else f" Computed over {len(set(facts.groups))} groups of cases."
    )
    bold = " The best value is bold." if len(facts.models) > 1 else ""
    assert told.text == (
        f"Every metric with its 95\u00a0% Wilson interval, computed from influence values.{bold} "
        "Each metric has its own axis. A dotted line marks the value of guessing, where the axis "
        f"reaches it.{groups}"
    )
    (_, *rows) = [row for row in section.walk() if row.tag == "tr"]
    assert len(rows) == len(facts.inputs["metrics"])
    for row, metric in zip(rows, facts.inputs["metrics"], strict=True):
        cells = row.all("td", "number")
        estimates = [library(facts, model)[metric] for model in facts.models]
        best = max((e.value for e in estimates if not math.isnan(e.value)), default=math.nan)
        for cell, estimate in zip(cells, estimates, strict=True):
            _check_cell(cell, estimate, estimate.value == best and len(estimates) > 1)
        values = [each.value for each in estimates if not math.isnan(each.value)]
        _check_axis(row, values)


def _check_axis(row: Node, values: list[float]) -> None:
    """The dots lie where the axis of their row says."""
    _, *labels = row.all("span", "axis")[0].all("span")
    first, *middle, last = (_on_axis(each.text) for each in labels)
    assert first < last and all(math.isclose(each, (first + last) / 2) for each in middle)
    for dot, value in zip(row.all("circle"), values, strict=True):
        place = 6 + 268 * (value - first) / (last - first)
        assert 6 <= place <= 274 and abs(float(dot.attributes["cx"]) - place) < 0.01


def _on_axis(text: str) -> float:
    """A number, or a power of ten with raised digits."""
    digits, raised, power = text.partition("·10")
    plain = power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    return float(f"{digits}e{plain}" if raised else digits)


def _check_cell(cell: Node, estimate, best: bool) -> None:
    small = cell.all("small")[0].text
    if math.isnan(estimate.value):
        assert cell.text == f"–{small}" and small == estimate.note
        return
    *_, value = cell.all("strong" if best else "span")
    assert agrees(value.text, estimate.value)
    low, high, *_ = estimate.interval(0.95)
    if math.isnan(low):
        assert small == "no interval"
    else:
        told = small.split(" to ")
        assert all(agrees(t, v) for t, v in zip(told, (low, high), strict=True))
        assert told[0] != told[1] or high - low < 1.1e-5


def pairs(facts: Facts, page: Node) -> None:
    section = page.one("pairs")
    told = section.all("p")[0].text
    alike = all(
        abs(facts.pair(model, k, r)[0] - facts.pair(model, r, k)[0]) < 1e-8
        for model in facts.models
        for k, r in (facts.pairs_of() if facts.n_classes <= 12 else ())
    )
    for figure, model in zip(section.all("figure"), facts.models, strict=True):
        assert figure.all("figcaption")[0].text == model
        (head, *_) = figure.all("table")[0].rows
        rows = [_pair_row(row) for row in figure.all("tbody")[0].all("tr")]
        if facts.n_classes <= 12:
            _check_pair_limits(facts, model, figure)
            assert ("halves use different scores" in told) == (not alike)
            assert head[1:] == [plain(name) for name in facts.names]
            for k, row in enumerate(rows):
                assert row[0] == plain(facts.names[k]) and row[k + 1] == ""
                for r, text in enumerate(row[1:]):
                    assert r == k or agrees(text, facts.pair(model, k, r)[0])
        else:
            n_pairs = len(facts.pairs_of())
            assert told.startswith(f"The 20 pairs of classes, of {n_pairs:,}, that are hardest")
            _check_worst(facts, model, rows)


def _pair_row(row: Node) -> list[str]:
    """Cells without the intervals in them."""
    cells = [cell for cell in row.walk() if cell.tag in ("th", "td")]
    return [(cell.all("span")[0] if cell.all("small") else cell).text for cell in cells]


def _check_pair_limits(facts: Facts, model: str, figure: Node) -> None:
    y, scores = np.array(facts.y), np.array(facts.models[model], dtype=float)
    weights = np.array(facts.weights) if facts.weighted else None
    expected = evaluate_pairs(y, scores, sample_weight=weights, groups=facts.groups)
    shown = [small.text for small in figure.all("small")]
    for text, low, high in zip(shown, expected["low"], expected["high"], strict=True):
        if math.isnan(low):
            assert text == "no interval"
        else:
            told = re.split(" to |–", text)
            assert all(agrees(t, v) for t, v in zip(told, (low, high), strict=True))


def _check_worst(facts: Facts, model: str, rows: list[list[str]]) -> None:
    names = [plain(name) for name in facts.names]
    means = sorted(
        (facts.pair(model, a, b)[0] + facts.pair(model, b, a)[0]) / 2 for a, b in facts.pairs_of()
    )
    shown = []
    for first, second, ab, ba in rows:
        a, b = names.index(first), names.index(second)
        assert agrees(ab, facts.pair(model, a, b)[0]) and agrees(ba, facts.pair(model, b, a)[0])
        shown.append((facts.pair(model, a, b)[0] + facts.pair(model, b, a)[0]) / 2)
    assert len({tuple(row[:2]) for row in rows}) == 20
    assert all(abs(x - y) < 1e-9 for x, y in zip(sorted(shown), means, strict=False))


def against_rest(facts: Facts, model: str, k: int) -> float:
    """AUC of a class against all others, by loops over the pairs of classes."""
    parts = [
        (facts.shares[r], facts.pair(model, k, r)[0]) for r in range(facts.n_classes) if r != k
    ]
    return math.fsum(w * value for w, value in parts) / math.fsum(w for w, _ in parts)


def area_interval(facts: Facts, model: str, k: int):
    """Of a class against all others, as evaluate has it for two classes."""
    own = [truth == k for truth in facts.y]
    weights = facts.weights if facts.weighted else None
    column = [row[k] for row in facts.models[model]]
    known = {"labels": [False, True], "sample_weight": weights, "groups": facts.groups}
    return evaluate(own, column, ["roc_auc"], **known)["roc_auc"].interval()


def curves(facts: Facts, page: Node) -> None:
    section = page.one("curves")
    told = section.all("p")[0].text
    names = [plain(name) for name in facts.names]
    shown = [names.index(each.all("figcaption")[0].text) for each in section.all("figure")]
    if facts.n_classes == 2:
        assert shown == [1]
        assert told == "The second class against the first, by the scores of the second."
    elif facts.n_classes <= 12:
        assert shown == list(range(facts.n_classes))
        assert told == "Each class against all others together, by its own scores."
    else:
        mean = " on average over the models" if len(facts.models) > 1 else ""
        which = f"the 12 of {facts.n_classes} classes with the smallest area{mean}."
        assert told.endswith(f"Shown are {which}")
    areas = {}
    for k in range(facts.n_classes):
        areas[k] = [against_rest(facts, model, k) for model in facts.models]
    for k, figure in zip(shown, section.all("figure"), strict=True):
        for item, model, area in zip(figure.all("li"), facts.models, areas[k], strict=True):
            told = item.all("span")[0].text
            assert item.text == f"{model}{told}"
            value, *limits = told.replace("(", "").replace(")", "").replace("–", " ").split()
            assert agrees(value, area)
            low, high, *_ = area_interval(facts, model, k)
            assert bool(limits) == (not math.isnan(low))
            assert all(agrees(*each) for each in zip(limits, (low, high), strict=False))
    if facts.n_classes > 12:
        highest = max(sum(areas[k]) for k in shown)
        assert all(sum(areas[k]) >= highest - 1e-9 for k in areas if k not in shown)


def calibration(facts: Facts, page: Node) -> None:
    """The calibration error of each model whose scores are probabilities; errors by loops."""
    found = [node for node in page.walk() if node.attributes.get("id") == "calibration"]
    usable = [model for model in facts.models if facts.fault(model) is None]
    assert bool(found) == bool(usable)
    if not usable:
        return
    known = {key: facts.inputs[key] for key in ("labels", "sample_weight", "groups")}
    rows = found[0].all("table")[0].all("tbody")[0].all("tr")
    for row, model in zip(rows, usable, strict=True):
        assert row.all("bdi")[0].text == model
        value, under, p, promised, made = row.all("td")
        scores = facts.inputs["scores"][model]
        error = calibration_error(facts.inputs["y"], scores, rng=SEED, **known)
        (small,) = value.all("small")
        assert agrees(value.text.removesuffix(small.text), error.debiased)
        low, high, *_ = error.interval(0.95)
        if math.isnan(low):
            assert small.text == "no interval"
        else:
            limits = small.text.split(" to ")
            assert agrees(limits[0], low) and agrees(limits[1], high)
        assert agrees(under.text, error.under_calibration)
        floor = error.p_value < 1.5 / 501
        assert p.text.startswith(f"≤{NBSP}") == floor
        check_p_cell(p.text.removeprefix(f"≤{NBSP}"), error.p_value)
        assert agrees(promised.text, facts.mean([1 - max(row) for row in facts.models[model]])[0])
        wrong = [float(a != b) for a, b in zip(facts.decided(model), facts.y, strict=True)]
        assert agrees(made.text, facts.mean(wrong)[0])
    figures = found[0].all("figure")
    each = [plain(name) for name in facts.names] if 2 < facts.n_classes <= 12 else []
    assert [f.all("figcaption")[0].text for f in figures] == ["Most probable class", *each]
    for figure in figures:
        assert [item.text for item in figure.all("li")] == usable
    line = figures[0].all("polyline")[1].attributes["points"].split()
    given = facts.inputs["y"], facts.inputs["scores"][usable[0]]
    curve = calibration_curves(*given, **known, bins=8)
    for place, x, y in zip(line, curve.top_label.probability, curve.top_label.share, strict=True):
        across, upright = map(float, place.split(","))
        assert abs(across - (40 + 200 * x)) < 0.06 and abs(upright - (212 - 206 * y)) < 0.06
    bands = figures[0].all("polygon")
    assert len(bands) == (len(usable) if len(usable) <= 3 else 0)
    if bands:
        edge = [float(place.split(",")[1]) for place in bands[0].attributes["points"].split()]
        limits = [*curve.top_label.low, *curve.top_label.high[::-1]]
        assert np.allclose(edge, 212 - 206 * np.array(limits), atol=0.06)


def benefit(facts: Facts, page: Node) -> None:
    """The longest range of thresholds at which a model beats acting on all and on none."""
    found = [node for node in page.walk() if node.attributes.get("id") == "benefit"]
    usable = [model for model in facts.models if facts.fault(model) is None]
    assert bool(found) == bool(usable)
    if not usable:
        return
    figures = found[0].all("figure")
    n_panels = min(facts.n_classes, 12) if facts.n_classes > 2 else 1
    assert len(figures) == n_panels
    names = [plain(name) for name in facts.names]
    for figure in figures[:2]:
        k = names.index(figure.all("figcaption")[0].text)
        for item, model in zip(figure.all("li")[:2], usable, strict=False):
            told = item.text.removeprefix(model)
            assert told == useful_range(facts, model, k)


def useful_range(facts: Facts, model: str, k: int) -> str:
    total, prior = sum(facts.weights), facts.shares[k]
    runs: list[list[float]] = [[]]
    cases = list(zip(facts.y, facts.models[model], facts.weights, strict=True))
    for step in range(1, 50):
        t = step / 50
        odds = t / (1 - t)
        gain = sum(w if y == k else -w * odds for y, row, w in cases if row[k] >= t - 1e-12)
        if gain / total > max(0.0, prior - (1 - prior) * odds) + 1e-12:
            runs[-1].append(t)
        elif runs[-1]:
            runs.append([])
    best = max(runs, key=len)
    return f"{best[0]:.2f}–{best[-1]:.2f}" if best else "of no use"


def methods(facts: Facts, page: Node) -> None:
    """What was done, with numbers that are those of the cases."""
    told = page.one("methods").text
    cases = f"{len(facts.y):,} case{'s' * (len(facts.y) != 1)} of {facts.n_classes} classes"
    assert told.startswith(f"Predictions for {cases}") and f"polyroc {__version__}." in told
    if facts.n_classes <= 12:
        pairs = zip(facts.counts, facts.names, strict=True)
        of = [f"{count:,}{' of' * (plain(name) != name)} {name}" for count, name in pairs]
        assert f"({', '.join(of)})" in told
    assert ("were compared on the same cases by paired tests" in told) == (len(facts.models) > 1)
    assert ("Holm" in told) == (len(facts.models) > 2)
    assert ("cases were weighted" in told) == facts.weighted
    groups_told = re.search(r"([\d,]+) groups of cases were treated as independent", told)
    assert (groups_told is None) == (facts.groups is None)
    assert groups_told is None or number_in(groups_told[1]) == len(set(facts.groups))


def compared(facts: Facts, page: Node) -> None:
    found = [node for node in page.walk() if node.attributes.get("id") == "compared"]
    assert bool(found) == (len(facts.models) > 1)
    if not found:
        return
    rows = [row for table in found[0].all("table") for row in table.all("tr")[1:]]
    expected = library(facts).differences
    assert len(rows) == len(expected)  # of every metric, none left out
    order = sorted(expected, key=lambda row: row.metric != facts.main)
    for row, each in zip(rows, order, strict=True):
        assert row.all("th")[0].text == registry[each.metric].symbol.replace("_", "")
        assert row.all("td", "models")[0].text == f"{each.model_a} − {each.model_b}"
        change, interval, p, holm = (cell.text for cell in row.all("td", "number"))
        assert change == "–" if math.isnan(each.difference) else agrees(change, each.difference)
        low, high, *_ = each.interval(0.95)
        if math.isnan(low):
            assert interval == "–" and p == holm == "–"
        else:
            told = interval.split(" to ")
            assert agrees(told[0], low) and agrees(told[1], high)
            assert (each.p_adjusted < 0.05) == bool(row.all("strong"))
            check_p_cell(p, each.p_value)
            check_p_cell(holm, each.p_adjusted)
            _check_difference_drawn(row, (each.difference, low, high))
    _check_axes_of_differences(rows)
    summary = found[0].all("summary")
    others = {row.metric for row in expected} - {facts.main}
    n_rows = len([row for row in expected if row.metric != facts.main])
    metric_word = "metric" if len(others) == 1 else "metrics"
    row_word = "row" if n_rows == 1 else "rows"
    assert [each.text for each in summary] == [
        f"The other {len(others)} {metric_word} ({n_rows} {row_word})"
    ]


def _check_difference_drawn(row: Node, interval: tuple[float, float, float]) -> None:
    for cell in row.all("td", "figure"):
        first, last = (number_in(cell.attributes[f"data-{end}"]) for end in ("from", "to"))
        (dot,), *_, line = cell.all("circle"), *cell.all("line")
        drawn = dot.attributes["cx"], line.attributes["x1"], line.attributes["x2"]
        for place, value in zip(map(float, drawn), interval, strict=True):
            assert abs(place - (6 + 268 * (value - first) / (last - first))) < 0.01
            assert 5.9 <= place <= 274.1


def _check_axes_of_differences(rows: list[Node]) -> None:
    """Those of a metric have one axis; of several other metrics, the first row of each shows it."""
    ends: dict[str, set[str]] = {}
    several = len({row.all("th")[0].text for row in rows}) > 2
    for row in rows:
        for cell in row.all("td", "figure"):
            known = ends.setdefault(row.all("th")[0].text, set())
            assert len(cell.all("span", "axis")) == (several and not known and len(ends) > 1)
            known.add(f"{cell.attributes['data-from']} {cell.attributes['data-to']}")
    assert all(len(each) == 1 for each in ends.values())


def surfaces(facts: Facts, page: Node) -> None:
    found = [node for node in page.walk() if node.attributes.get("id") == "surface"]
    usable = [model for model in facts.models if facts.probabilities(model) is not None]
    assert bool(found) == (facts.n_classes <= 5 and bool(usable))
    if not found:
        return
    told = found[0].all("p")[0].text
    rates, searched = re.search(
        r"space of the (\d+) error rates: .+ short search on ([\d,]+) cases[,.]", told
    ).groups()
    assert int(rates) == facts.n_classes * (facts.n_classes - 1)
    kind, other = ("curve", "surface") if facts.n_classes == 2 else ("surface", "curve")
    assert (
        told.startswith(f"All costs together give a {kind} ") and f" the {kind} dominates" in told
    )
    links = [each.text for each in page.all("a") if each.attributes.get("href") == "#surface"]
    assert links == ["All costs" if facts.n_classes == 2 else "ROC surface"]
    assert ("the same for every model" in told) == (len(usable) > 1)
    assert f"The ROC {kind}" in found[0].text and f"ROC {other}" not in found[0].text
    assert number_in(searched) == len(facts.y)
    _, *rows = found[0].all("table")[0].rows
    assert [row[0] for row in rows] == usable
    agree = r".*resamples agree|(?:no random point is|all random points are) dominated; .+"
    for model, gini, limits, points in rows:
        assert 0 <= float(gini) <= 1 and number_in(points) >= 1
        if facts.groups is not None:
            assert re.fullmatch(f"–No interval: (the cases belong to groups, .+|{agree})", limits)
        elif limits.startswith("–"):
            assert re.fullmatch(f"–No interval: (a class has one case|{agree})", limits)
            assert min(facts.counts) < 2 or gini in ("0.000", "1.000")
        else:
            low, high = map(float, limits.split(" to "))
            assert 0 <= low <= float(gini) <= high <= 1 and low < high and min(facts.counts) > 1
        if len(facts.perfect(model)) == len(facts.pairs_of()) and facts.decided(model) == facts.y:
            assert gini == "1.000"


def reading(facts: Facts, page: Node) -> None:
    """Every finding and every metric has its explanation, and nothing else has."""
    papers = {item.all("strong")[0].text for item in page.all("ul", "references")[0].all("li")}
    told = " ".join(each.text for each in [*page.all("p"), *page.all("cite")])
    named = r"[A-Z]\w+(?: Calster)?(?: et al\.| & [A-Z]\w+) (?:19|20)\d\d"
    assert set(re.findall(named, told)) == papers
    ids = {node.attributes.get("id") for node in page.one("reading").all("dt")}
    codes = {card.attributes["data-code"] for card in page.all("li", "finding")}
    symbols = {registry[metric].symbol.replace("_", "") for metric in facts.inputs["metrics"]}
    for note in page.one("reading").all("dd"):
        if note.text.startswith("Metrics answer different questions."):
            named = re.findall(r"\(([^)]+)\)", note.text)
            assert named and {each for part in named for each in part.split(", ")} <= symbols
    assert ids == {f"about-{code}" for code in codes} | {
        f"metric-{metric}" for metric in facts.inputs["metrics"]
    }
