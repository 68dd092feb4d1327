"""Tables of the page, cell by cell, for given values."""

import math
from dataclasses import replace

import numpy as np
import pytest
from report.dom import Node, parsed
from report.small import NBSP, content_of, row, valued

from polyroc.metrics import registry
from polyroc.report import _tables
from polyroc.report._tables import (
    classes_table,
    difference_texts,
    differences_table,
    head,
    key,
    metric_axis,
    metrics_table,
    name,
    pairs_table,
    right,
    scrolled,
    symbol,
    titled,
    worst_pairs_table,
)
from polyroc.results import Note


def table_in(markup) -> Node:
    (table,) = parsed(str(markup)).all("table")
    return table


def kind(node: Node) -> str:
    return node.attributes.get("class") or ""


def test_names_keys_and_headings() -> None:
    assert name("a" * 24) == f"<bdi>{'a' * 24}</bdi>"
    assert name("a" * 25) == f'<bdi class="long-name">{"a" * 25}</bdi>'
    assert name(" ") == "<bdi>(empty)</bdi>" and name("<b>") == "<bdi>&lt;b&gt;</bdi>"
    assert key(7) == '<span class="key model-1" aria-hidden="true"></span>'
    assert head("A", right("B", key(0))) == (
        '<thead><tr><th scope="col">A</th><th scope="col" class="number">B'
        '<span class="key model-0" aria-hidden="true"></span></th></tr></thead>'
    )
    assert symbol("M") == "M" and symbol("A_<") == "A<sub>&lt;</sub>"
    assert titled(registry["auc_mu"]).startswith("AUC<sub>μ</sub>")
    assert scrolled(key(0), "L", tall=True) == (
        f'<div class="scroll tall" tabindex="0" role="region" aria-label="L">{key(0)}</div>'
    )
    assert 'class="scroll"' in scrolled(key(0), "L")


def test_metrics_have_a_row_each_and_the_best_value_is_bold() -> None:
    content = content_of(
        {
            "one": {"hand_till": valued(0.8, 0.7, 0.9), "saec": valued(0.3, 0.2, 0.4)},
            "two": {
                "hand_till": valued(0.9),
                "saec": valued(math.nan, notes=[Note("x", "no classes"), Note("y", "none")]),
            },
            "three": {"hand_till": valued(0.9, 0.8, 0.95), "saec": valued(0.25, 0.2, 0.4)},
        }
    )
    table = table_in(metrics_table(content))
    assert kind(table) == "metrics stacked"
    heading, *rows = table.rows
    assert heading == ["Metric", f"95{NBSP}% intervals", "one", "two", "three"]
    assert rows[0][0].startswith("M") and "lower" not in rows[0][0]
    assert rows[1][0].endswith("; lower is better")
    assert [each[2:] for each in rows] == [
        ["0.8000.700 to 0.900", "0.900no interval", "0.9000.800 to 0.950"],
        ["0.3000.200 to 0.400", "–no classes; none", "0.2500.200 to 0.400"],
    ]
    assert [each.text for each in table.all("strong")] == ["0.900", "0.900", "0.250"]
    links = [each.attributes["href"] for each in table.all("a")]
    assert links == ["#metric-hand_till", "#metric-saec"]
    keys = [kind(each) for each in table.all("span", "key")]
    assert keys == [f"key model-{k}" for k in (0, 1, 2)] * 3
    labels = [each.attributes.get("data-label") for each in table.all("td", "number")]
    assert labels == ["one", "two", "three"] * 2
    pictures = table.all("svg")
    assert [each.attributes["aria-label"] for each in pictures] == [
        "M of the models",
        "SAEC of the models",
    ]
    assert [len(each.all("g")) for each in pictures] == [3, 2]
    assert all(kind(each) == "figure own" for each in table.all("td", "figure"))


def test_a_metric_without_a_value_or_a_reason() -> None:
    content = content_of({"one": {"hand_till": valued(0.8, 0.7, 0.9), "pdi": valued(math.nan)}})
    table = table_in(metrics_table(replace(content, level=0.9)))
    assert table.rows[0][1] == f"90{NBSP}% intervals"
    assert [each[2] for each in table.rows[1:]] == ["0.8000.750 to 0.850", "–not defined"]
    assert table.all("strong") == []  # one model is not the best of several


@pytest.mark.parametrize(("n_models", "more"), [(4, ""), (5, " several many")])
def test_tables_of_many_models_say_so(n_models, more) -> None:
    content = content_of({f"m{k}": valued(0.8, 0.7, 0.9) for k in range(n_models)})
    assert kind(table_in(metrics_table(content))) == f"metrics stacked{more}"


def test_the_axis_of_one_model_begins_where_it_is_worthless() -> None:
    interval = (0.9, 0.85, 0.95)
    assert metric_axis(registry["hand_till"], [interval], 3)[:2] == (0.5, 1.0)
    assert metric_axis(registry["pdi"], [interval], 4)[0] == pytest.approx(0.2)
    assert metric_axis(registry["hand_till_scored"], [interval], 3)[:2] == (0, 1)
    assert metric_axis(registry["saec"], [(0.1, 0.05, 0.2)], 3)[:2] == (0, 0.8)
    many = metric_axis(registry["hand_till"], [interval] * 2, 3)
    assert many[:2] == pytest.approx((0.85, 0.95))
    none = [(math.nan,) * 3]
    assert metric_axis(registry["hand_till"], none, 3)[:2] == (0, 1)


def square_of(n_classes: int) -> np.ndarray:
    """AUC(k|r) that are all different."""
    made = 0.5 + np.arange(n_classes**2).reshape(n_classes, n_classes) / (2.5 * n_classes**2)
    np.fill_diagonal(made, np.nan)
    return made


def with_pairs(n_classes: int, pairs: np.ndarray, limits: np.ndarray | None = None):
    limits = np.stack([pairs - 0.05, pairs + 0.05]) if limits is None else limits
    return content_of(
        {"net": valued(0.8)},
        y=list(range(n_classes)) * 2,
        n_classes=n_classes,
        of_models={"net": {"pairs": pairs, "pair_limits": limits}},
    )


@pytest.mark.parametrize("n_classes", [3, 6, 7])
def test_pairs_stand_in_the_row_of_the_class_whose_scores_are_used(n_classes) -> None:
    pairs = square_of(n_classes)
    content = with_pairs(n_classes, pairs)
    markup = pairs_table(content, content.models[0])
    assert 'aria-label="Pairwise AUC of net"' in markup
    table = table_in(markup)
    dense = n_classes > 6
    assert kind(table) == ("matrix dense" if dense else "matrix")
    heading, *rows = table.rows
    letters = list("abcdefg"[:n_classes])
    assert heading == [f"scores of{NBSP}↓ against{NBSP}→", *letters]
    to = "–" if dense else " to "
    for k, cells in enumerate(rows):
        expected = [
            f"{pairs[k, r]:.3f}{pairs[k, r] - 0.05:.3f}{to}{pairs[k, r] + 0.05:.3f}"
            if k != r
            else ""
            for r in range(n_classes)
        ]
        assert cells == [letters[k], *expected]


def test_cells_of_pairs_are_the_darker_the_harder_the_pair() -> None:
    values = {(0, 1): 1.0, (0, 2): 0.5, (1, 0): 0.3, (1, 2): 0.76, (2, 0): 0.74, (2, 1): 0.98}
    pairs = np.full((3, 3), np.nan)
    for place, value in values.items():
        pairs[place] = value
    limits = np.stack([pairs, pairs])
    limits[:, 2, 1] = np.nan
    content = with_pairs(3, pairs, limits)
    cells = table_in(pairs_table(content, content.models[0])).all("td")
    kinds = [kind(each) for each in cells]
    assert kinds == [
        *("diagonal", "heat-0", "heat-10"),
        *("heat-10", "diagonal", "heat-5"),
        *("heat-5", "heat-0", "diagonal"),
    ]
    assert cells[7].text == "0.980no interval"


def test_the_hardest_pairs_are_listed_by_the_mean_of_both_orientations() -> None:
    n_classes = 8
    rng = np.random.default_rng(0)
    pairs = 0.5 + 0.4 * rng.random((n_classes, n_classes))
    np.fill_diagonal(pairs, np.nan)
    content = with_pairs(n_classes, pairs)
    markup = worst_pairs_table(content, content.models[0])
    assert 'aria-label="Hardest pairs of net"' in markup
    table = table_in(markup)
    heading, *rows = table.rows
    assert heading == ["Class A", "Class B", "scores of A", "scores of B"]
    both = [(a, b) for a in range(n_classes) for b in range(a + 1, n_classes)]
    both.sort(key=lambda pair: pairs[pair] + pairs[pair[::-1]])
    letters = "abcdefgh"
    assert [tuple(each[:2]) for each in rows] == [(letters[a], letters[b]) for a, b in both[:20]]
    for (a, b), cells in zip(both, rows, strict=False):
        assert cells[2].startswith(f"{pairs[a, b]:.3f}{pairs[a, b] - 0.05:.3f} to ")
        assert cells[3].startswith(f"{pairs[b, a]:.3f}{pairs[b, a] - 0.05:.3f} to ")
    labels = [each.attributes.get("data-label") for each in table.all("td")][:4]
    assert labels == [None, None, "scores of A", "scores of B"]


TWO = {"new": valued(0.9, 0.85, 0.95), "old": valued(0.85, 0.8, 0.9)}


def test_differences_of_one_metric_share_the_axis_of_the_head() -> None:
    rows = [
        row("new", "old", 0.05, 0.03, p_adjusted=0.05, note="why"),
        row("new", "bad", -0.02, 0.04, p_adjusted=0.06),
        row("old", "bad", 0.1, math.nan, half=math.nan),
    ]
    markup = differences_table(content_of(TWO), rows, "Differences")
    assert 'aria-label="Differences"' in markup
    table = table_in(markup)
    heading, *cells = table.rows
    assert heading[:2] == ["Metric", "Models"] and heading[2] == "−0.04+0.06"
    assert heading[3:] == ["Difference", f"95{NBSP}% interval", "p", "p (Holm)"]
    assert cells == [
        ["M", "new − old", "", "+0.0500", "+0.0400 to +0.0600", "0.030", "0.050"],
        ["M", "new − bad", "", "−0.0200", "−0.0300 to −0.0100", "0.040", "0.060"],
        ["M", "old − bad", "", "+0.1000", "–", "–", "–"],
    ]
    strong = [bool(each.all("strong")) for each in table.all("tr")[1:]]
    assert strong == [True, False, False]
    assert [each.attributes.get("title") for each in table.all("tr")[1:]] == ["why", None, None]
    figures = table.all("td", "figure")
    assert {(each.attributes["data-from"], each.attributes["data-to"]) for each in figures} == {
        ("−0.04", "+0.06")
    }
    assert not any(each.all("span", "axis") for each in figures)
    assert [len(each.all("line", "chance")) for each in figures] == [1, 1, 1]
    labels = [each.attributes["aria-label"] for each in table.all("svg")]
    assert labels[0] == "interval: +0.0400 to +0.0600"


def test_differences_of_several_metrics_have_an_axis_each() -> None:
    rows = [
        row("new", "old", 0.05, 0.03),
        row("new", "old", 0.5, 0.03, metric="pdi"),
        row("new", "bad", 0.06, 0.03),
        row("new", "bad", 0.4, 0.03, metric="pdi"),
    ]
    table = table_in(differences_table(content_of(TWO, level=0.9), rows, ""))
    assert table.rows[0][2] == "Intervals"
    assert table.rows[0][4] == f"90{NBSP}% interval"
    assert [each[0] for each in table.rows[1:]] == ["M", "M", "PDI", "PDI"]
    headed = [bool(each.all("span", "axis")) for each in table.all("td", "figure")]
    assert headed == [True, False, True, False]
    assert [each[4].partition(" ")[0] for each in table.rows[1:]] == [
        "+0.0900",
        "+0.1000",
        "+0.5400",
        "+0.4400",
    ]


@pytest.mark.parametrize("drawn", [True, False])
def test_many_differences_are_not_drawn(drawn, monkeypatch) -> None:
    monkeypatch.setattr(_tables, "MOST_DRAWN", 3 if drawn else 2)
    rows = [row("new", "old", 0.05, 0.03) for _ in range(3)]
    table = table_in(differences_table(content_of(TWO), rows, ""))
    assert len(table.all("svg")) == 3 * drawn
    assert {len(each) for each in table.rows} == {7 if drawn else 6}


@pytest.mark.parametrize(
    ("given", "texts"),
    [
        ((0.25, 0.2, 0.3), ("+0.2500", "+0.2000 to +0.3000")),
        ((-0.25, -0.3, -0.2), ("−0.2500", "−0.3000 to −0.2000")),
        ((0.00004, 0.00001, 0.00007), ("+0.00004", "+0.00001 to +0.00007")),
        ((math.nan, math.nan, math.nan), ("–", "–")),
        ((0.0, -0.1, 0.1), ("+0.0000", "−0.1000 to +0.1000")),
    ],
)
def test_differences_have_four_decimals_or_more(given, texts) -> None:
    assert difference_texts(*given) == texts


def test_the_sizes_of_classes() -> None:
    y = [0] * 3 + [1] * 1 + [2] * 2
    heading, *rows = table_in(classes_table(content_of({"net": valued(0.8)}, y=y))).rows
    assert heading == ["Class", "Cases", "Share"]
    assert rows == [
        ["a", "3", f"50.0{NBSP}%"],
        ["b", "1", f"16.7{NBSP}%"],
        ["c", "2", f"33.3{NBSP}%"],
    ]
    weights = [1.0, 1, 1, 5, 1, 1]
    content = content_of({"net": valued(0.8)}, y=y, weights=weights)
    heading, *rows = table_in(classes_table(content)).rows
    assert heading == ["Class", "Cases", "Share by weight"]
    assert [each[2] for each in rows] == [f"{each}{NBSP}%" for each in ("30.0", "50.0", "20.0")]


@pytest.mark.parametrize("n_classes", [20, 21])
def test_of_more_than_twenty_classes_the_smallest_are_shown(n_classes) -> None:
    y = [*range(n_classes), *range(n_classes - 1), 0]
    content = content_of({"net": valued(0.8)}, y=y, n_classes=n_classes)
    heading, *rows = table_in(classes_table(content)).rows
    assert len(rows) == 20
    if n_classes == 20:
        assert heading[0] == "Class" and [each[0] for each in rows] == list(content.classes)
    else:
        assert heading[0] == "Class (20 smallest)"
        assert [each[0] for each in rows] == ["u", *"bcdefghijklmnopqrst"]


@pytest.mark.parametrize(("n_rows", "n_drawn"), [(200, 200), (201, 0)])
def test_up_to_two_hundred_differences_are_drawn(n_rows, n_drawn) -> None:
    rows = [row("new", "old", 0.05, 0.03)] * n_rows
    table = str(differences_table(content_of(TWO), rows, ""))
    assert table.count("<svg") == n_drawn and table.count("<tr") == n_rows + 1
