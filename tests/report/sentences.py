"""Every sentence that a finding can print, taken apart and recounted.

``CHECKS`` has one function for each code: it parses title and text as a whole, so that no word can
be added unseen, and compares each number and each claim with plain loops over the cases.
"""

import math
import re
from collections.abc import Callable

import numpy as np
from report.recount import NBSP, Facts, agrees, check_p, exact_at_ends, number_in
from scipy.stats import nct, norm, t

from polyroc import Predictions, compare, evaluate, evaluate_pairs, plan
from polyroc.inference._comparison import Difference
from polyroc.metrics import registry

PERCENT = rf"(?:(?:less|more) than )?[\d.]+{NBSP}%"
NUMBER = r"[<>]?[\d.]+"
SIGNED = r"[+−]?[\d.]+"
LEVEL = rf"95{NBSP}% interval"


class Told:
    """A finding with the facts it is about, and the library's own intervals and tests."""

    def __init__(self, facts: Facts, title: str, text: str) -> None:
        self.facts, self.title, self.text = facts, title, text
        models = sorted(map(re.escape, facts.models), key=len, reverse=True)
        self.a_class, self.a_model = r"(?:kind|class) \d+", f"(?:{'|'.join(models)})"

    def match(self, what: str, pattern: str) -> tuple[str, ...]:
        """The parts of the title or the text; {c} is a class, {m} a model, {p} a share, …"""
        parts = {"c": self.a_class, "m": self.a_model, "p": PERCENT, "n": NUMBER, "s": SIGNED}
        for key, part in parts.items():
            pattern = pattern.replace(f"{{{key}}}", f"({part})")
        found = re.fullmatch(pattern, getattr(self, what))
        assert found, f"{getattr(self, what)!r} is not {pattern[:300]!r}"
        return found.groups()

    def code(self, name: str) -> int:
        return self.facts.names.index(name)


def library(facts: Facts, model: str | None = None):
    """What evaluate or compare give for what the report was given."""
    cache = facts.inputs.setdefault("results", {})
    if model not in cache:
        given = {key: facts.inputs[key] for key in ("labels", "sample_weight", "groups")}
        y, scores, metrics = (facts.inputs[key] for key in ("y", "scores", "metrics"))
        cache[model] = (
            compare(y, scores, metrics, **given)
            if model is None
            else evaluate(y, scores[model], metrics, **given)
        )
    return cache[model]


def difference(told: Told, clear: bool) -> None:
    facts = told.facts
    title = "{m} is better than {m}" if clear else "{m} and {m} cannot be told apart"
    best, other = told.match("title", title)
    higher = rf"{facts.symbol} of ({told.a_model}) is (.+) higher"
    size = rf"(?:{higher}|{facts.symbol} is the same for both)"
    test = r"paired test, p (=|<) ([\d.]+)( after Holm's adjustment)?"
    settled = (
        rf"(?: If the difference is as large as here, a paired test has a power of 80{NBSP}% with "
        r"([\d,]+) cases of these shares of classes(?: in ([\d,]+) groups)?\.)?"
    )
    end = "()()" if clear else rf" Another sample of cases could reverse the order\.{settled}"
    who, ahead, low, high, sign, p, holm, needed, n_groups = told.match(
        "text", rf"{size} \({LEVEL} {{s}} to {{s}}; {test}\)\.{end}"
    )
    assert best in facts.leading and who in (None, best)
    gap = facts.value(best) - facts.value(other)
    assert gap == 0 if ahead is None else agrees(ahead, gap) and gap > 0
    (row,) = [
        each
        for each in library(facts).differences
        if each.metric == facts.main and {each.model_a, each.model_b} == {best, other}
    ]
    turn = 1 if row.model_a == best else -1
    limits = sorted(turn * each for each in row.interval(0.95)[:2])
    assert agrees(low, limits[0]) and agrees(high, limits[1])
    assert (row.p_adjusted < 0.05) == clear and bool(holm) == (len(facts.models) > 2)
    check_p(sign, p, row.p_adjusted)
    if needed and (facts.groups is not None or facts.inputs.get("folds") is not None):
        check_times_as_many(facts, row, int(number_in(needed)), n_groups)
    elif needed:
        check_needed(facts, best, other, int(number_in(needed)))


def check_times_as_many(facts: Facts, row: Difference, needed: int, n_groups: str | None) -> None:
    """Normal quantiles ask for a little less; a test of t has the power, and had it not before."""
    times = needed / len(facts.y)
    normal = ((norm.ppf(0.975) + norm.ppf(0.8)) * row.standard_error / row.difference) ** 2
    assert times > 1 and normal < times < normal + 6 / row.degrees_of_freedom + 1 / len(facts.y)
    for cases, enough in ((needed, True), (needed - 2, False)):
        freedom = row.degrees_of_freedom * cases / len(facts.y)
        away = abs(row.difference) / row.standard_error * math.sqrt(cases / len(facts.y))
        assert (nct.sf(t.ppf(0.975, freedom), freedom, away) >= 0.8) == enough
    if facts.groups is None:
        assert n_groups is None
    else:
        held = len(set(facts.groups))
        assert (int(number_in(n_groups)) - 1) / held < times <= int(number_in(n_groups)) / held


def check_needed(facts: Facts, best: str, other: str, needed: int) -> None:
    """As the library plans it; for two classes a tenth more are enough, and a tenth fewer not."""
    assert needed > len(facts.y)
    given = {key: facts.inputs[key] for key in ("labels", "sample_weight")}
    scores = facts.inputs["scores"]
    pilot = {name: Predictions(facts.inputs["y"], scores[name], **given) for name in (best, other)}
    known = {"metric": facts.main, "allocation": "pilot"}
    assert plan(pilot, power=0.8, **known).total == needed
    if facts.n_classes == 2:  # many small classes cannot have exactly their shares
        fewer, more = (plan(pilot, cases=int(x * needed), **known).power for x in (0.9, 1.1))
        assert fewer < 0.8 < more


def no_test(told: Told) -> None:
    facts = told.facts
    best, other = told.match("title", "{m} against {m}: no test")
    (reason,) = told.match("text", rf"The difference in {facts.symbol} cannot be tested: (.+)\.")
    assert best in facts.leading
    if reason == "the models agree on every case":
        assert all(
            facts.pair(best, a, b) == facts.pair(other, a, b)
            for k, r in facts.pairs_of()
            for a, b in ((k, r), (r, k))
        )
    elif reason == "a class has one case, or no derivative":
        assert min(facts.counts) == 1
    else:
        assert reason == "no variation"


def _firsts(facts: Facts) -> dict[str, tuple[str, ...]]:
    firsts = {}
    for metric in facts.inputs["metrics"]:
        values = {model: library(facts, model)[metric].value for model in facts.models}
        if not any(math.isnan(value) for value in values.values()):
            best = max(values.values())
            firsts[registry[metric].symbol] = tuple(m for m in values if values[m] >= best - 1e-12)
    return firsts


def _check_rankings(facts: Facts, text: str) -> None:
    firsts, told = _firsts(facts), {}
    for part in text.split("; "):
        who, count, symbols = re.fullmatch(
            r"(.+) (?:is|are equal) first by (\d+) metrics? \((.+)\)", part
        ).groups()
        assert int(count) == len(symbols.split(", "))
        told |= {symbol: tuple(who.split(" and ")) for symbol in symbols.split(", ")}
    assert told == firsts


def metrics_agree(told: Told) -> None:
    firsts = _firsts(told.facts)
    if told.title.startswith("Every"):
        (name,) = told.match("title", "Every metric prefers {m}")
        who, count = told.match("text", r"{m} is first by all (\d+) metrics? of this page\.")
        assert who == name and int(count) == len(firsts) and set(firsts.values()) == {(name,)}
        return
    (name,) = told.match("title", "No metric prefers another model to {m}")
    assert all(name in names for names in firsts.values())
    _check_rankings(told.facts, told.text.removesuffix("."))


def metric_choice(told: Told) -> None:
    told.match("title", "The best model depends on the metric")
    (rankings,) = told.match(
        "text",
        r"(.+)\. Choose the metric by the question it answers, not by the model it favours\.",
    )
    _check_rankings(told.facts, rankings)
    assert not set.intersection(*(set(names) for names in _firsts(told.facts).values())) or (
        len({names for names in _firsts(told.facts).values() if len(names) == 1}) > 1
    )


def reversed_of(facts: Facts, model: str) -> set[tuple[int, int]]:
    """Pairs whose upper limits lie below ½ both ways, at a level adjusted for their number."""
    cache = facts.inputs.setdefault("reversed", {})
    if facts.n_classes == 2 or model in cache:
        return cache.get(model, set())
    y, scores = np.array(facts.y), np.array(facts.models[model], dtype=float)
    weights = np.array(facts.weights) if facts.weighted else None
    level = 1 - 0.05 / len(facts.pairs_of())
    found = evaluate_pairs(y, scores, sample_weight=weights, groups=facts.groups, level=level)
    below = {(a, b) for a, b, *_, high in found.itertuples(index=False) if high < 0.5}
    cache[model] = {(a, b) for a, b in below if a < b and (b, a) in below}
    return cache[model]


def reversed_pair(told: Told) -> None:
    facts = told.facts
    model, a, b = told.match("title", "{m}: {c} and {c} are ranked the wrong way round")
    ab, a1, ba, b1, a2, b2, more = told.match(
        "text",
        r"AUC is {n} by the scores of {c} and {n} by those of {c}, both clearly below 0\.5, the "
        r"value of guessing: are the columns of {c} and {c} swapped\?"
        r"(?: The same holds for ([\d,]+) other pairs? of classes\.)?",
    )
    assert (a1, a2) == (a, a) and (b1, b2) == (b, b)
    i, j = told.code(a), told.code(b)
    assert agrees(ab, facts.pair(model, i, j)[0]) and agrees(ba, facts.pair(model, j, i)[0])
    wrong = reversed_of(facts, model)
    means = {(k, r): facts.pair(model, k, r)[0] + facts.pair(model, r, k)[0] for k, r in wrong}
    assert means[i, j] <= min(means.values()) + 1e-9
    assert len(wrong) - 1 == (number_in(more) if more else 0)


def confused_pair(told: Told) -> None:
    facts = told.facts
    a, b, many = told.match("title", "{c} and {c} are (among the )?(?:the )?hardest to tell apart")
    model, a1, a2, b1, ab, b2, b3, a3, ba, more = told.match(
        "text",
        r"With {m}, a case of {c} gets a higher score for {c} than a case of {c} with probability "
        r"{n}, and a case of {c} a higher score for {c} than a case of {c} with probability {n}; "
        r"guessing gives 0\.5\.(?: For ([\d,]+) other pairs? of classes the mean is the same\.)?",
    )
    assert (a1, a2, a3) == (a,) * 3 and (b1, b2, b3) == (b,) * 3 and model in facts.leading
    i, j = told.code(a), told.code(b)
    assert agrees(ab, facts.pair(model, i, j)[0]) and agrees(ba, facts.pair(model, j, i)[0])
    means = {
        (k, r): facts.pair(model, k, r)[0] + facts.pair(model, r, k)[0]
        for k, r in facts.pairs_of()
        if (k, r) not in reversed_of(facts, model)
    }
    least = min(means.values())
    equal = [pair for pair, mean in means.items() if mean <= least + 1e-9]
    assert (i, j) in equal and len(equal) - 1 == (number_in(more) if more else 0)
    assert bool(many) == (len(equal) > 1)
    assert len(facts.perfect(model)) < len(means)


def confusion(told: Told) -> None:
    facts = told.facts
    model, headline, x0, y0 = told.match("title", "{m} classifies {p} of {c} as {c}")
    rate, x, y, by_weight, count, size, every = told.match(
        "text",
        r"If every error costs the same, {p} of {c} are classified as {c}, (by weight, )?([\d,]+) "
        r"of ([\d,]+) cases?: no error rate between two classes is higher"
        r"(?: among all ([\d,]+) cases)?\.",
    )
    assert every is None or number_in(every) == len(facts.y)
    assert (x, y, rate) == (x0, y0, headline) and x != y and model in facts.leading
    errors = facts.errors(model)
    share, n = errors[told.code(x), told.code(y)]
    assert agrees(rate, share) and exact_at_ends(rate, share)
    assert number_in(count) == n and number_in(size) == facts.counts[told.code(x)]
    assert bool(by_weight) == facts.weighted
    assert share >= max(each for each, _ in errors.values()) - 1e-9


def no_errors(told: Told) -> None:
    (model,) = told.match("title", "{m} classifies every case correctly")
    (count,) = told.match(
        "text", r"If every error costs the same, all ([\d,]+) cases are classified correctly\."
    )
    assert number_in(count) == len(told.facts.y) and model in told.facts.leading
    assert told.facts.decided(model) == told.facts.y


def _listed(told: Told, middle: str, chosen: list[int], limit: str, ending: str) -> None:
    """Names in the title, counts and shares in the text, of those chosen and no others."""
    facts = told.facts
    shown, more = told.match("title", rf"(.+?)(?: and ([\d,]+) more class(?:es)?)?: {middle}")
    assert shown.split(", ") == [facts.names[k] for k in chosen[:3]]
    assert (number_in(more) if more else 0) == max(0, len(chosen) - 3)
    each = rf"{told.a_class} has [\d,]+ \({PERCENT}(?: by weight)?\)"
    total, listed, others = told.match(
        "text",
        rf"Of ([\d,]+) cases?, ({each}(?:, {each})*)(?:; ([\d,]+) more class(?:es)? with "
        rf"{limit})?\. {ending}",
    )
    assert number_in(total) == len(facts.y)
    assert (number_in(others) if others else 0) == max(0, len(chosen) - 5)
    parts = re.findall(rf"({told.a_class}) has ([\d,]+) \(({PERCENT})( by weight)?\)", listed)
    assert [told.code(part[0]) for part in parts] == chosen[:5]
    for name, count, percent, by_weight in parts:
        assert number_in(count) == facts.counts[told.code(name)]
        assert agrees(percent, facts.shares[told.code(name)])
        assert bool(by_weight) == facts.weighted


def rare_class(told: Told) -> None:
    facts = told.facts
    limit = 0.1 if facts.n_classes <= 4 else 0.5 / facts.n_classes
    order = sorted(range(facts.n_classes), key=lambda k: facts.shares[k])
    ending = (
        r"AUC counts both classes equally; accuracy is barely affected by the smaller one\."
        if facts.n_classes == 2
        else r"Metrics weighted by prevalence \(AUNP, AU1P\) are barely affected by such a class; "
        r"M, AUNU, AUC_μ and PDI count it as much as any other\."
    )
    chosen = [k for k in order if facts.shares[k] < limit]
    assert chosen
    _listed(told, "a small share of the cases", chosen, "less than half of the mean share", ending)


def few_cases(told: Told) -> None:
    facts = told.facts
    order = sorted(range(facts.n_classes), key=lambda k: facts.counts[k])
    chosen = [k for k in order if facts.counts[k] < 30]
    assert chosen
    ending = (
        r"Values that depend on so few cases are uncertain: read the intervals, not the third "
        r"digit\."
    )
    _listed(told, "few cases", chosen, "fewer than 30 cases", ending)


def _interval(facts: Facts, model: str) -> tuple[float, float]:
    low, high, *_ = library(facts, model)[facts.main].interval(0.95)
    return low, high


def not_better(told: Told) -> None:
    facts = told.facts
    (model,) = told.match("title", "{m}: not better than guessing, as far as these cases show")
    low, high = _interval(facts, model)
    if math.isnan(low):
        value, where = told.match(
            "text",
            rf"{facts.symbol} is {{n}}, (which is|below 0\.5,) the value of guessing\. "
            r"No interval(?:: .+)?\.",
        )
        exact = abs(facts.value(model) - 0.5) < 1e-9
        assert exact == (where == "which is") and facts.value(model) <= 0.5 + 1e-9
    else:
        value, *limits = told.match(
            "text",
            rf"{facts.symbol} is {{n}} \({LEVEL} {{n}} to {{n}}\), and the interval contains 0\.5, "
            r"the value of guessing\.",
        )
        assert agrees(limits[0], low) and agrees(limits[1], high) and low <= 0.5 <= high
    assert agrees(value, facts.value(model))


def worse(told: Told) -> None:
    facts = told.facts
    (model,) = told.match("title", "{m}: worse than guessing")
    low, high = _interval(facts, model)
    advice = r" Check that the columns are in the order of the classes\."
    if math.isnan(low):
        (value,) = told.match(
            "text",
            rf"{facts.symbol} is {{n}}: every pair of cases is in the wrong order; guessing gives "
            rf"0\.5\.{advice}",
        )
        assert facts.value(model) == 0
    else:
        value, *limits = told.match(
            "text",
            rf"{facts.symbol} is {{n}} \({LEVEL} {{n}} to {{n}}\), and the interval lies below "
            rf"0\.5, the value of guessing\.{advice}",
        )
        assert agrees(limits[0], low) and agrees(limits[1], high) and high < 0.5
    assert agrees(value, facts.value(model))


def perfect(told: Told) -> None:
    facts = told.facts
    model, some = told.match("title", "{m}: perfect separation( of some classes)?")
    found, every = facts.perfect(model), len(facts.pairs_of())
    advice = r" Check that no feature contains the answer \(leakage\)\."
    assert bool(some) == (len(found) < every) and found
    if not some:
        told.match(
            "text",
            "Every case has a higher score for its own class than any case of another class\\."
            + advice,
        )
        return
    chance = r" (This pair|Each of these pairs) has a class with fewer than 30 cases, so this may "
    chance += r"be chance\."
    a, a1, b, more, few = told.match(
        "text",
        r"Every case of {c} has a higher score for {c} than any case of {c}, and vice versa"
        rf"(?:; the same holds for ([\d,]+) other pairs? of classes)?\.(?:{advice}|{chance})",
    )
    assert a == a1 and (told.code(a), told.code(b)) in found
    assert len(found) - 1 == (number_in(more) if more else 0)
    sizes = {pair: min(facts.counts[k] for k in pair) for pair in found}
    assert sizes[told.code(a), told.code(b)] == max(sizes.values())
    assert bool(few) == (max(sizes.values()) < 30)
    assert not few or (few == "This pair") == (len(found) == 1)


def not_probabilities(told: Told) -> None:
    facts = told.facts
    (model,) = told.match("title", "{m}: the scores are not probabilities")
    row, fault, done = told.match(
        "text", r"Row (\d+) of the scores ((?:contains|sums to) [-\d.e+]+)\. (The explorer .+)"
    )
    assert (int(row), fault) == facts.fault(model)
    left_out = "The explorer leaves this model out, because costs need probabilities."
    divided = "The explorer divides each row by its sum; rank metrics use the scores as given."
    assert done == (left_out if facts.probabilities(model) is None else divided)


def confidence(told: Told, word: str) -> None:
    facts = told.facts
    (model,) = told.match("title", f"{{m}} is {word}")
    mean, right, weighted = told.match(
        "text",
        r"The most probable class has a probability of {p} on average, and is the true class in "
        r"{p} of cases( by weight)?\. Costs and thresholds set on these probabilities will "
        r"mislead: calibrate them first\.",
    )
    assert bool(weighted) == facts.weighted
    highest = [max(row) for row in facts.probabilities(model)]
    correct = [float(d == k) for d, k in zip(facts.decided(model), facts.y, strict=True)]
    assert agrees(mean, facts.mean(highest)[0]) and agrees(right, facts.mean(correct)[0])
    gap, error = facts.mean([h - c for h, c in zip(highest, correct, strict=True)])
    assert (gap > 0) == (word == "overconfident")
    least = if_calibrated(facts, [max(row) for row in facts.probabilities(model)])
    assert abs(gap) >= max(0.02, 3 * error, 3 * least) - 1e-12


def if_calibrated(facts: Facts, column: list[float]) -> float:
    """Standard error of the share of cases that are true with these probabilities."""
    parts = [(w**2) * p * (1 - p) for w, p in zip(facts.weights, column, strict=True)]
    return math.sqrt(max(math.fsum(parts), 0.0)) / sum(facts.weights)


def class_shares(told: Told) -> None:
    facts = told.facts
    model, name, word = told.match("title", "{m}: probabilities of {c} too (high|low) on average")
    again, mean, share, weighted = told.match(
        "text",
        r"The mean probability of {c} is {p}, while {p} of the cases( by weight)? belong to it\.",
    )
    assert bool(weighted) == facts.weighted
    k = told.code(name)
    column = [row[k] for row in facts.probabilities(model)]
    assert again == name and agrees(share, facts.shares[k])
    assert agrees(mean, facts.mean(column)[0])
    gap, error = facts.mean([p - (y == k) for p, y in zip(column, facts.y, strict=True)])
    assert (gap > 0) == (word == "high")
    assert abs(gap) >= 3 * max(error, if_calibrated(facts, column)) - 1e-12


def tied_scores(told: Told) -> None:
    facts = told.facts
    (model,) = told.match("title", "{m}: tied scores")
    (share,) = told.match(
        "text",
        r"{p} of the pairs of cases compared, one of each of two classes, have equal scores and "
        r"count half\.",
    )
    tied = total = 0.0
    for a, b in facts.pairs_of():
        weight = facts.shares[a] * facts.shares[b]
        total += 2 * weight
        tied += weight * (facts.pair(model, a, b)[1] + facts.pair(model, b, a)[1])
    assert agrees(share, tied / total) and tied / total >= 0.01 - 1e-12


def undefined(told: Told) -> None:
    facts = told.facts
    (model,) = told.match("title", "{m}: metrics that are not defined")
    symbols, verb = told.match(
        "text", r"(.+) (has|have) no value here; the table of metrics says why\."
    )
    missing = [
        registry[name].symbol
        for name, each in library(facts, model).items()
        if math.isnan(each.value)
    ]
    assert symbols.split(", ") == missing and (verb == "has") == (len(missing) == 1)


def grouped(told: Told, few: bool) -> None:
    facts = told.facts
    told.match("title", "Few groups" if few else "Cases belong to groups")
    ending = " With so few groups they are unreliable\\." if few else ""
    cases, groups = told.match(
        "text",
        r"The ([\d,]+) cases? belong to ([\d,]+) groups?\. Every interval and test on this page "
        rf"treats groups, not cases, as independent\.{ending}",
    )
    assert number_in(cases) == len(facts.y) and number_in(groups) == len(set(facts.groups))
    assert (len(set(facts.groups)) < 10) == few


def weighted(told: Told) -> None:
    facts = told.facts
    told.match("title", "Cases are weighted")
    times, dropped = told.match(
        "text",
        r"Metrics, rates and shares count each case by its weight; the largest weight is (\S+) "
        r"times the smallest\. Numbers of cases are plain counts\."
        r"(?: ([\d,]+) cases? of weight 0 left out\.)?",
    )
    assert math.isclose(float(times), max(facts.weights) / min(facts.weights), rel_tol=5.1e-3)
    assert (number_in(dropped) if dropped else 0) == len(facts.inputs["y"]) - len(facts.y)


def by_position(told: Told) -> None:
    (model,) = told.match("title", "{m}: rows matched by position")
    told.match("text", r"Rows of y_score taken by position: indexes differ\.")
    y, scores = told.facts.inputs["y"], told.facts.inputs["scores"][model]
    assert list(y.index) != list(scores.index)


def sampled(told: Told) -> None:
    told.match("title", "The explorer shows a sample of the cases")
    also, every, held, unless = told.match(
        "text",
        r"All numbers outside the explorer( and the ROC surface| and the ROC curve of all costs)? "
        r"are computed from all ([\d,]+) cases\. "
        r"The page itself contains ([\d,]+) of them, drawn at random within each class, so that it "
        r"stays small; decisions, their costs and the points that mark them on ROC curves are of "
        r"these(, unless every error costs the same)?\.",
    )
    assert bool(unless) == (told.facts.n_classes > 12 and told.facts.groups is None)
    assert bool(also) == (told.facts.n_classes <= 5)
    assert also is None or ("curve" in also) == (told.facts.n_classes == 2)
    assert number_in(every) == len(told.facts.y) > number_in(held) >= told.facts.n_classes


CHECKS: dict[str, Callable[[Told], None]] = {
    "difference-clear": lambda told: difference(told, True),
    "difference-unclear": lambda told: difference(told, False),
    "no-test": no_test,
    "metrics-agree": metrics_agree,
    "metric-choice": metric_choice,
    "confused-pair": confused_pair,
    "reversed-pair": reversed_pair,
    "confusion": confusion,
    "no-errors": no_errors,
    "rare-class": rare_class,
    "few-cases": few_cases,
    "not-better-than-guessing": not_better,
    "worse-than-guessing": worse,
    "perfect-separation": perfect,
    "not-probabilities": not_probabilities,
    "overconfident": lambda told: confidence(told, "overconfident"),
    "underconfident": lambda told: confidence(told, "underconfident"),
    "class-shares": class_shares,
    "tied-scores": tied_scores,
    "undefined-metric": undefined,
    "grouped-cases": lambda told: grouped(told, False),
    "few-groups": lambda told: grouped(told, True),
    "weighted-cases": weighted,
    "rows-by-position": by_position,
    "sample-in-page": sampled,
}


def expected_codes(facts: Facts) -> set[str]:
    """Codes of findings that these facts call for, whatever else there is."""
    codes = set()
    for model in facts.models:
        low, high = _interval(facts, model)
        if low <= 0.5 <= high:
            codes.add("not-better-than-guessing")
        if high < 0.5:
            codes.add("worse-than-guessing")
        if facts.perfect(model):
            codes.add("perfect-separation")
        if reversed_of(facts, model):
            codes.add("reversed-pair")
        if facts.fault(model):
            codes.add("not-probabilities")
    if min(facts.counts) < 30:
        codes.add("few-cases")
    if min(facts.shares) < (0.1 if facts.n_classes <= 4 else 0.5 / facts.n_classes):
        codes.add("rare-class")
    leading = [m for m in facts.leading if facts.probabilities(m) is not None]
    if len(leading) == len(facts.leading):
        wrong = {facts.decided(model) != facts.y for model in leading}
        codes |= {"confusion" if wrong == {True} else "no-errors"} if len(wrong) == 1 else set()
    if facts.weighted:
        codes.add("weighted-cases")
    if facts.groups is not None:
        codes.add("few-groups" if len(set(facts.groups)) < 10 else "grouped-cases")
    return codes
