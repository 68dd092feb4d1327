"""The answer and the table of models: what is said of given values, differences and p-values."""

import math

import numpy as np
import pytest
from report.dom import Node, parsed
from report.small import NBSP, content_of, row, scores_of, valued

from polyroc._base.levels import wilson_limits
from polyroc.report._content import Content
from polyroc.report._ranking import accuracy, chance_text, models_table
from polyroc.report._verdict import (
    Rival,
    clear_rivals,
    gap_digits,
    listed,
    ranked,
    rivals,
    verdict,
)

SEPARATED = 0.7 * np.eye(3)[[0, 1, 2] * 10] + 0.1


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ((0.812, 0.7, 0.9), "is better than guessing: M 0.812 (0.700 to 0.900)"),
        ((0.8,), "has no interval: M 0.800"),
        (
            (0.52, 0.5, 0.6),
            "is not better than guessing, as far as these cases show: M 0.520 (0.500 to 0.600)",
        ),
        ((0.52, 0.501, 0.6), "is better than guessing: M 0.520 (0.501 to 0.600)"),
        (
            (0.45, 0.4, 0.5),
            "is not better than guessing, as far as these cases show: M 0.450 (0.400 to 0.500)",
        ),
        ((0.45, 0.4, 0.499), "is worse than guessing: M 0.450 (0.400 to 0.499)"),
        ((0.5,), "is not better than guessing, as far as these cases show: M 0.500"),
        ((0.5 + 5e-13,), "is not better than guessing, as far as these cases show: M 0.500"),
        ((0.5 + 5e-12,), "has no interval: M 0.500"),
        ((0.5 - 5e-13,), "is not better than guessing, as far as these cases show: M 0.500"),
        ((0.5 - 5e-12,), "is worse than guessing: M 0.500"),
        ((0.3,), "is worse than guessing: M 0.300"),
    ],
)
def test_the_answer_for_one_model(value, told) -> None:
    assert verdict(content_of({"net": valued(*value)})) == f"net {told}; guessing gives 0.5."


def test_the_answer_has_the_level_of_the_page() -> None:
    """Limits of 0.9 are nearer by 0.05 here."""
    content = content_of({"net": valued(0.8, 0.48, 0.9)}, level=0.9)
    told = "net is better than guessing: M 0.800 (0.530 to 0.850); guessing gives 0.5."
    assert verdict(content) == told
    assert "not better" in verdict(content_of({"net": valued(0.8, 0.48, 0.9)}))


def test_a_model_that_separates_the_classes() -> None:
    values, scores = {"net": valued(1.0, 0.9, 1.0)}, {"net": SEPARATED}
    told = "separates the classes perfectly: M 1.000 (0.900 to 1.000); guessing gives 0.5."
    assert verdict(content_of(values, scores=scores)) == f"net {told}"
    one_way = SEPARATED.copy()
    one_way[0] = [0.1, 0.8, 0.1]  # a case of the first class looks like the second
    assert "better than guessing" in verdict(content_of(values, scores={"net": one_way}))
    two = {"net": valued(1.0, 0.9, 1.0), "old": valued(0.7, 0.6, 0.8)}
    for p, start in (
        (0.01, "net is best and separates the classes perfectly: M 1.000 (0.900 to 1.000), ahead"),
        (0.2, "net has the highest M and separates the classes perfectly, 1.000 (0.900 to 1.000);"),
    ):
        told = verdict(content_of(two, [row("net", "old", 0.3, p)], scores=scores))
        assert told.startswith(start)


def test_no_model_is_better_than_guessing() -> None:
    values = {"one": valued(0.5, 0.4, 0.6), "two": valued(0.55, 0.45, 0.65)}
    start = "No model is better than guessing, as far as these cases show"
    told = verdict(content_of(values, [row("one", "two", -0.05, 0.5)]))
    assert told == f"{start}: the best is two with M 0.550 (0.450 to 0.650); guessing gives 0.5."
    values["two"] = valued(0.7, 0.6, 0.8)  # one is enough
    assert verdict(content_of(values, [row("one", "two", -0.2, 0.5)])).startswith("two has the")


NAMES = ("first", "second", "third", "fourth")


def four(p: tuple[float, float, float], by: tuple[float, float, float], **more):
    """Four models, given the other way round; how far each is behind and how clearly."""
    values = {"fourth": valued(0.7, 0.6, 0.8), "third": valued(0.8, 0.7, 0.9)}
    values |= {"second": valued(0.85, 0.8, 0.9), "first": valued(0.9, 0.85, 0.95)}
    rows = [
        row(*((name, "first", -each) if k % 2 else ("first", name, each)), q)
        for k, (name, each, q) in enumerate(zip(NAMES[1:], by, p, strict=True))
    ]
    others = [row("second", "third", 0.05, 0.001), row("fourth", "second", -0.15, 0.001)]
    wrong = [row("first", name, 0.5, 0.9, metric="aunu") for name in NAMES[1:]]
    return content_of(values, [*others, *wrong, *rows], **more)


def test_models_come_in_the_order_of_their_values() -> None:
    content = four((0.01, 0.02, 0.03), (0.05, 0.1, 0.2))
    assert [model.name for model in ranked(content)] == list(NAMES)
    found = rivals(content)
    assert [each.name for each in found] == list(NAMES[1:])
    assert [each.row.difference for each in found] == [0.05, -0.1, 0.2]
    assert {each.row.metric for each in found} == {"hand_till"}
    values = {"none": valued(math.nan), "low": valued(0.6), "high": valued(0.9)}
    assert [each.name for each in ranked(content_of(values))] == ["high", "low", "none"]


@pytest.mark.parametrize(
    ("p", "by", "told"),
    [
        (
            (0.01, 0.02, 0.0004),
            (0.05, 0.1, 0.2),
            "is best: M 0.900 (0.850 to 0.950), ahead of second by 0.050 (p = 0.010 after Holm's "
            "adjustment) and of 2 other models by more.",
        ),
        (
            (0.2, 0.02, 0.01),
            (0.05, 0.1, 0.2),
            "has the highest M, 0.900 (0.850 to 0.950), ahead of third by 0.100 (p = 0.020 after "
            "Holm's adjustment) and of fourth by more; second cannot be told apart from it.",
        ),
        (
            (0.2, 0.05, 0.051),
            (0.05, 0.1, 0.2),
            "has the highest M, 0.900 (0.850 to 0.950), ahead of third by 0.100 (p = 0.050 after "
            "Holm's adjustment); second and fourth cannot be told apart from it.",
        ),
        (
            (0.2, 0.3, math.nan),
            (0.05, 0.1, 0.2),
            "has the highest M, 0.900 (0.850 to 0.950); second and third cannot be told apart "
            "from it; there is no test against fourth.",
        ),
        (
            (0.01, 0.02, 0.03),
            (0.1, 0.1, 0.1),
            "is best: M 0.900 (0.850 to 0.950), ahead of second by 0.100 (p = 0.010 after Holm's "
            "adjustment) and of 2 other models by as much.",
        ),
        (
            (0.01, 0.02, 0.03),
            (0.1, 0.1 + 5e-13, 0.2),
            "is best: M 0.900 (0.850 to 0.950), ahead of second by 0.100 (p = 0.010 after Holm's "
            "adjustment) and of 2 other models by at least as much.",
        ),
        (
            (0.01, 0.0004, 0.2),
            (0.1, 0.1002, 0.2),
            "has the highest M, 0.900 (0.850 to 0.950), ahead of second by 0.1000 (p = 0.010 after "
            "Holm's adjustment) and of third by more; fourth cannot be told apart from it.",
        ),
    ],
)
def test_the_answer_for_four_models(p, by, told) -> None:
    assert verdict(four(p, by)).replace(NBSP, " ") == f"first {told}"


def test_two_models_need_no_adjustment() -> None:
    values = {"old": valued(0.7, 0.6, 0.8), "new": valued(0.9, 0.85, 0.95)}
    content = content_of(values, [row("old", "new", -0.2, 0.0004)])
    told = f"new is best: M 0.900 (0.850 to 0.950), ahead of old by 0.200 (p{NBSP}<{NBSP}0.001)."
    assert verdict(content) == told
    narrow = content_of(values, [row("old", "new", -0.0112, 0.0004, half=0.0004)])
    assert "ahead of old by 0.0112 (" in verdict(narrow)
    level = content_of(values, [row("old", "new", -0.2, 0.08)], level=0.9)
    assert "ahead of old by 0.200 (p = 0.080)" in verdict(level).replace(NBSP, " ")
    assert clear_rivals(level) == rivals(level)


def test_clear_rivals_are_those_that_a_test_rejects() -> None:
    content = four((0.05, 0.050001, math.nan), (0.05, 0.1, 0.2))
    assert [each.name for each in clear_rivals(content)] == ["second"]
    content = four((0.05, 0.02, 0.1), (0.05, 0.1, 0.2), level=0.9)
    assert [each.name for each in clear_rivals(content)] == list(NAMES[1:])


def test_gaps_have_the_decimals_that_tell_the_nearest_from_the_next() -> None:
    def digits(*gaps: float) -> int:
        return gap_digits([Rival("m", row("a", "m", -gap, 0.01)) for gap in gaps])

    assert digits() == 3
    assert digits(0.1) == 3 and digits(0.0004) == 4 and digits(0.00004) == 5
    assert digits(0.1, 0.2) == 3 and digits(0.1, 0.1004) == 4 and digits(0.1, 0.100004) == 6
    assert digits(0.1, 0.1000004) == 3  # six decimals are not enough
    assert digits(0.1, 0.1 + 5e-13) == 3 and digits(0.1, 0.1 + 5e-13, 0.1004) == 4
    assert digits(0.1, 0.3, 0.10004) == 5


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ("a", "a"),
        ("abc", "a, b and c"),
        ("abcd", "a, b, c and 1 more model"),
        ("abcdef", "a, b, c and 3 more models"),
    ],
)
def test_many_names_are_counted(names, told) -> None:
    assert listed(list(names)) == told


def table_of(content) -> Node:
    (table,) = parsed(str(models_table(content))).all("table")
    return table


def test_the_table_of_models() -> None:
    content = four((0.01, 0.02, math.nan), (0.05, 0.1, 0.2))
    table = table_of(content)
    heading, *rows = table.rows
    assert heading == ["Model", "M", "Accuracy", "Behind the best"]
    assert [each[0] for each in rows] == ["firstbest", "second", "third", "fourth"]
    assert [each[1] for each in rows] == [
        "0.9000.850 to 0.950",
        "0.8500.800 to 0.900",
        "0.8000.700 to 0.900",
        "0.7000.600 to 0.800",
    ]
    assert [each[3] for each in rows] == [
        "",
        "0.050+0.040 to +0.060; p = 0.010",
        "0.100+0.090 to +0.110; p = 0.020",
        "0.200no test",
    ]
    keys = [each.attributes["class"] for each in table.all("span", "key")]
    assert keys == ["key model-3", "key model-2", "key model-1", "key model-0"]
    assert len(table.all("span", "badge")) == 1
    labels = [each.attributes.get("data-label") for each in table.all("td")]
    assert labels == ["M", "Accuracy", None, *["M", "Accuracy", "Behind the best"] * 3]
    (link,) = table.all("a")
    assert link.attributes["href"] == "#metric-hand_till"


def test_the_table_of_one_model_has_no_rivals() -> None:
    table = table_of(content_of({"net": valued(0.8, 0.7, 0.9)}, level=0.9))
    heading, only = table.rows
    assert heading == ["Model", "M", "Accuracy"] and len(only) == 3
    assert only[:2] == ["net", "0.8000.750 to 0.850"] and table.all("span", "badge") == []
    (none,) = table_of(content_of({"net": valued(0.8)})).rows[1:]
    assert none[1] == "0.800No interval"


def test_a_model_behind_has_the_decimals_of_the_narrowest_interval() -> None:
    values = {"a": valued(0.9, 0.8, 0.95), "b": valued(0.85, 0.8, 0.9), "c": valued(0.8, 0.7, 0.9)}
    rows = [row("a", "b", 0.05, 0.2), row("c", "a", -0.1, 0.2, half=0.0004)]
    told = [each[3] for each in table_of(content_of(values, rows)).rows[1:]]
    assert told == [
        "",
        "0.0500+0.0400 to +0.0600; p = 0.200",
        "0.1000+0.0996 to +0.1004; p = 0.200",
    ]
    rows = [row("b", "a", -0.005, 0.2, half=0.1), row("c", "a", -0.1, 0.03, half=0.1)]
    told = [each[3] for each in table_of(content_of(values, rows, level=0.9)).rows[1:]]
    assert told[1:] == [
        "0.005−0.045 to +0.055; p = 0.200",
        "0.100+0.050 to +0.150; p = 0.030",
    ]


def accuracy_by_loops(p, y, weights, groups) -> tuple[float, float, float]:
    """Share of cases that are right, and Wilson's limits for the cases that it rests on."""
    total = sum(weights)
    right = [max(range(len(q)), key=q.__getitem__) == k for q, k in zip(p.tolist(), y, strict=True)]
    value = sum(w for w, each in zip(weights, right, strict=True) if each) / total
    apart: dict[int, float] = {}
    for i, (w, each) in enumerate(zip(weights, right, strict=True)):
        place = i if groups is None else int(groups[i])
        apart[place] = apart.get(place, 0.0) + w * (each - value)
    error = math.sqrt(sum(each**2 for each in apart.values())) / total
    if 0 < value < 1 and error > 0:
        count = value * (1 - value) / error**2
    else:
        count = total**2 / sum(w * w for w in weights)
        count = count if groups is None else min(count, len(set(groups.tolist())))
    low, high = wilson_limits(np.array([value]), count, 1.6448536269514722)[:, 0].tolist()
    return value, low, high


@pytest.mark.parametrize("known", ["nothing", "weights", "groups", "both"])
@pytest.mark.parametrize("kind", ["some", "all", "none"])
def test_accuracy_has_the_limits_of_what_it_rests_on(known, kind) -> None:
    y = [0, 1, 2, 0, 0, 1] * 6
    p = scores_of(y, 3, 4)
    if kind != "some":
        p = 0.7 * np.eye(3)[y if kind == "all" else [(k + 1) % 3 for k in y]] + 0.1
    weights = np.linspace(1, 3, 36) if known in ("weights", "both") else None
    groups = np.arange(36) // 4 if known in ("groups", "both") else None
    values = {"net": valued(0.8, 0.7, 0.9)}
    content = content_of(values, y=y, scores={"net": p}, weights=weights, groups=groups, level=0.9)
    found = accuracy(content, content.models[0])
    ones = [1.0] * 36 if weights is None else weights.tolist()
    assert found == pytest.approx(accuracy_by_loops(p, y, ones, groups), abs=1e-12)
    cell = table_of(content).rows[1][2]
    value, low, high = found
    assert cell == f"{100 * value:.1f}{NBSP}%{100 * low:.1f} to {100 * high:.1f}"


def test_an_error_of_next_to_no_weight_leaves_an_accuracy_of_1_its_limits() -> None:
    """Wilson's limits of n of n cases are n / (n + z²) and 1."""
    y = [0, 1, 2] * 12
    p = 0.7 * np.eye(3)[[*y[:-1], 0]] + 0.1
    weights = [1.0] * 35 + [1e-20]
    content = content_of({"net": valued(0.8)}, y=y, scores={"net": p}, weights=weights)
    found = accuracy(content, content.models[0])
    assert found == pytest.approx((1, 35 / (35 + 1.959963984540054**2), 1), abs=1e-12)


def test_a_model_without_probabilities_has_no_accuracy() -> None:
    content = content_of({"net": valued(0.8, 0.7, 0.9)}, of_models={"net": {"probabilities": None}})
    assert accuracy(content, content.models[0]) is None
    assert table_of(content).rows[1][2] == "–no probabilities"
    assert chance_text(content).endswith("of cases correctly."), "nothing about accuracy"


def test_what_guessing_reaches() -> None:
    y = [0, 1, 1, 2, 2, 2] * 4
    told = chance_text(content_of({"net": valued(0.8, 0.7, 0.9)}, y=y))
    assert told == (
        f"Guessing gives M 0.5; always choosing c classifies 50.0{NBSP}% of cases correctly. "
        "Accuracy is that of choosing the most probable class."
    )
    weights = np.where(np.array(y) == 1, 9.0, 1.0)
    told = chance_text(content_of({"net": valued(0.8, 0.7, 0.9)}, y=y, weights=weights))
    assert f"always choosing b classifies 81.8{NBSP}% of cases by weight correctly." in told


def test_adjusted_p_values_are_told_where_there_are_three_models() -> None:
    values = {"a": valued(0.9, 0.8, 0.95), "b": valued(0.85, 0.8, 0.9)}
    two = content_of(values, [row("a", "b", 0.05, 0.2)])
    assert chance_text(two).endswith("most probable class.")
    values["c"] = valued(0.8, 0.7, 0.9)
    for p, told in ((0.2, True), (math.nan, False)):
        rows = [row("a", "b", 0.05, p), row("a", "c", 0.1, math.nan)]
        text = chance_text(content_of(values, rows, level=0.9))
        adjusted = (
            f" Behind the best: the 90{NBSP}% interval is for each difference alone; p is after "
            "Holm's adjustment."
        )
        assert text.endswith(adjusted) == told


@pytest.fixture
def speaks_of(monkeypatch):
    """Makes the summary speak of another metric."""

    def choose(metric: str) -> None:
        monkeypatch.setattr(Content, "main_metric", property(lambda _: metric))

    return choose


def of_metric(metric: str, values, rows=(), **more):
    named = {name: {metric: each} for name, each in values.items()}
    for each in rows:
        each.metric = metric
    return content_of(named, rows, **more)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ((0.3, 0.2, 0.4), "is better than guessing: SAEC 0.300 (0.200 to 0.400)"),
        ((0.9, 0.8, 1.0), "is worse than guessing: SAEC 0.900 (0.800 to 1.000)"),
        (
            (0.7, 0.6, 0.8),
            "is not better than guessing, as far as these cases show: SAEC 0.700 (0.600 to 0.800)",
        ),
        ((0.6,), "has no interval: SAEC 0.600"),
        ((0.8,), "is worse than guessing: SAEC 0.800"),
    ],
)
def test_the_answer_where_lower_is_better(value, told, speaks_of) -> None:
    speaks_of("saec")
    content = of_metric("saec", {"net": valued(*value)})
    assert verdict(content) == f"net {told}; guessing gives 0.707107."


def test_the_best_model_where_lower_is_better(speaks_of) -> None:
    speaks_of("saec")
    values = {"a": valued(0.5, 0.4, 0.6), "n": valued(math.nan), "b": valued(0.3, 0.2, 0.4)}
    rows = [row("a", "b", 0.2, 0.1), row("n", "b", math.nan, math.nan)]
    content = of_metric("saec", values, rows)
    assert [each.name for each in ranked(content)] == ["b", "a", "n"]
    assert content.leading.name == "b"
    assert verdict(content) == (
        "b has the lowest SAEC, 0.300 (0.200 to 0.400); a cannot be told apart from it; there is "
        "no test against n."
    )
    assert chance_text(content).startswith("Guessing gives SAEC 0.707107; always choosing")


def test_metrics_without_a_value_of_guessing_are_held_against_a_half(speaks_of) -> None:
    speaks_of("hand_till_scored")
    for low, told in ((0.6, "better"), (0.4, "not better")):
        content = of_metric("hand_till_scored", {"net": valued(0.8, low, 0.9)})
        assert verdict(content).startswith(f"net is {told} than guessing")
        assert verdict(content).endswith("; guessing gives 0.5.")
        assert chance_text(content).startswith("Guessing gives M_s 0.5; always")


def test_the_table_of_two_models_says_how_far_the_second_is_behind() -> None:
    values = {"old": valued(0.7, 0.6, 0.8), "new": valued(0.9, 0.85, 0.95)}
    heading, first, second = table_of(content_of(values, [row("old", "new", -0.2, 0.03)])).rows
    assert heading == ["Model", "M", "Accuracy", "Behind the best"]
    assert (first[0], first[3]) == ("newbest", "")
    assert (second[0], second[3]) == ("old", "0.200+0.190 to +0.210; p = 0.030")
