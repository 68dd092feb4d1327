"""Sections of the page: headings, introductions and what each leaves out."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from report.dom import Node, parsed
from report.small import NBSP, content_of, row, valued

from polyroc.report import _sections as sections
from polyroc.report._explorer import explorer
from polyroc.report._finding import Finding
from polyroc.report._references import cited
from polyroc.report._roc_section import area_text, roc_figure, told_first, told_of_legend
from polyroc.results import Note

NET = {"net": valued(0.8, 0.7, 0.9)}
TWO = {"new": valued(0.9, 0.85, 0.95), "old": valued(0.85, 0.8, 0.9)}


def tree(markup) -> Node:
    (node,) = parsed(str(markup)).children
    assert isinstance(node, Node)
    return node


def test_a_section_is_named_by_its_heading() -> None:
    made = sections.section("pairs", "Pairs & more", sections.paragraph("x", class_="c"), None)
    assert made == (
        '<section id="pairs" aria-labelledby="pairs-title"><h2 id="pairs-title">Pairs &amp; more'
        '</h2><p class="c">x</p></section>'
    )
    assert sections.paragraph("a", 1) == "<p>a1</p>"


@pytest.mark.parametrize(
    ("n_classes", "told"),
    [
        (10, None),
        (11, "11 classes; scroll for more rows."),
        (20, "20 classes; scroll for more rows."),
        (21, "20 of 21 classes; scroll for more rows."),
    ],
)
def test_the_table_of_many_classes_scrolls(n_classes, told) -> None:
    y = list(range(n_classes)) * 2
    content = content_of(NET, y=y, n_classes=n_classes, classes=[str(k) for k in range(n_classes)])
    summary = tree(sections.summary(content, []))
    assert [each.text for each in summary.all("p", "scrolls")] == ([told] if told else [])
    assert len(summary.all("div", "tall")) == bool(told)
    (answer,) = summary.all("p", "verdict")
    assert answer.text.startswith("net is better than guessing: M 0.800")
    assert "always choosing class 0 classifies" in summary.all("p", "muted")[0].text
    assert summary.all("table", "classes")[0].rows[1][0] == "0"


def found(n_codes: int) -> list[Finding]:
    return [Finding(f"code-{k}", "fact", f"title {k}", f"text {k}") for k in range(n_codes)]


def test_findings_are_cards_and_the_rest_is_folded() -> None:
    summary = tree(sections.summary(content_of(NET), found(7)))
    assert summary.all("details") == [] and len(summary.all("li", "finding")) == 7
    card = summary.all("li", "finding")[0]
    assert card.attributes == {"class": "finding fact", "data-code": "code-0"}
    assert card.all("h3")[0].text == "Fact title 0"
    assert card.all("p")[0].text == "text 0 What this meansabout title 0"
    assert card.all("a")[0].attributes["href"] == "#about-code-0"
    summary = tree(sections.summary(content_of(NET), found(9)))
    (folded,) = summary.all("details")
    assert folded.all("summary")[0].text == "2 more findings"
    assert [each.attributes["data-code"] for each in folded.all("li")] == ["code-7", "code-8"]
    warned = [Finding("tied-scores", each, f"t {each}", "x") for each in ("notice", "warning")]
    summary = tree(sections.summary(content_of(TWO, [row("new", "old", 0.05, 0.03)]), warned))
    (card,) = summary.all("li", "finding")
    assert card.all("h3")[0].text == "Warning Both models: tied scores"
    assert card.all("summary")[0].text == "Model by model"
    assert [each.text for each in card.all("li")[1:]] == ["t notice. x", "t warning. x"]
    (card,) = tree(
        sections.summary(content_of(TWO, [row("new", "old", 0.05, 0.03)]), warned[:1])
    ).all("li", "finding")
    assert card.all("h3")[0].text == "Note t notice" and card.all("details") == []


def test_symbols_in_text_look_as_in_tables_unless_a_name_has_one() -> None:
    content = content_of(NET)
    assert sections.with_symbols(content, "M, AUC_μ < M_p") == (
        "M, AUC<sub>μ</sub> &lt; M<sub>p</sub>"
    )
    named = content_of({"the M_p": valued(0.8)})
    assert sections.with_symbols(named, "AUC_μ < M_p") == "AUC_μ &lt; M_p"
    named = content_of(NET, classes=["M_p", "b", "c"])
    assert sections.with_symbols(named, "AUC_μ") == "AUC_μ"


def test_names_of_other_scripts_are_isolated() -> None:
    content = content_of({"שלום": valued(0.8), "net": valued(0.7)}, classes=["é", "éb", "c"])
    told = sections.isolated(content, "שלום, net: éb and c")
    assert told == "\u2068שלום\u2069, net: \u2068\u2068é\u2069b\u2069 and c"
    blank = content_of(NET, classes=["\u00a0", "b", "c"])
    assert sections.isolated(blank, "5\u00a0% b") == "5\u00a0% b"


def test_the_section_of_metrics() -> None:
    told = tree(sections.metrics(content_of(NET, level=0.9))).all("p")[0].text
    assert told == (
        f"Every metric with its 90{NBSP}% Wilson interval, computed from influence values. Each "
        "metric has its own axis. A dotted line marks the value of guessing, where the axis "
        "reaches it."
    )
    several = tree(sections.metrics(content_of(TWO, groups=np.arange(30) // 2))).all("p")[0]
    assert "influence values. The best value is bold. Each" in several.text
    assert several.text.endswith("reaches it. Computed over 15 groups of cases.")
    assert len(several.all("span", "drawn")) == 1


def with_pairs(n_classes: int, alike: bool = False, **more):
    values = np.full((n_classes, n_classes), 0.8)
    if not alike:
        values[0, 1] = 0.7
    np.fill_diagonal(values, np.nan)
    known = {"pairs": values, "pair_limits": np.stack([values - 0.1, values + 0.1])}
    return content_of(
        NET, y=list(range(n_classes)) * 2, n_classes=n_classes, of_models={"net": known}, **more
    )


def test_the_section_of_pairs_of_few_classes() -> None:
    start = "Row: the class whose scores are used. Column: the class it is compared with."
    differ = " The two halves use different scores, so they differ."
    end = (
        " The stronger the colour, the harder to tell apart; 0.5 is guessing. Below each AUC is "
        f"its 90{NBSP}% interval."
    )
    section = tree(sections.pairs(with_pairs(12, level=0.9)))
    assert section.all("p")[0].text == f"{start}{differ}{end}"
    assert len(section.all("table")[0].rows) == 13 and section.all("span", "hint") == []
    alike = tree(sections.pairs(with_pairs(3, alike=True, level=0.9)))
    assert alike.all("p")[0].text == f"{start}{end}"
    assert [each.text for each in alike.all("figcaption")] == ["net"]


@pytest.mark.parametrize(("n_classes", "n_pairs"), [(13, "78"), (26, "325")])
def test_the_section_of_pairs_of_many_classes(n_classes, n_pairs) -> None:
    section = tree(sections.pairs(with_pairs(n_classes)))
    told = section.all("p")[0].text
    assert told.startswith(
        f"The 20 pairs of classes, of {n_pairs}, that are hardest to tell apart, by the mean over "
        f"the scores of either class. Below each AUC is its 95{NBSP}% interval. "
    )
    assert section.all("span", "hint")[0].text == (
        "A search for a class shows its 10 hardest pairs, and those that are among the hardest of "
        "the other class."
    )
    assert len(section.all("table")[0].rows) == 21


def test_the_section_of_differences() -> None:
    assert sections.compared(content_of(NET)) is None
    main, other = row("new", "old", 0.05, 0.03), row("new", "old", 0.05, 0.03, metric="pdi")
    alone = tree(sections.compared(content_of(TWO, [main])))
    assert len(alone.all("table")) == 1 and alone.all("details") == []
    assert alone.all("p")[0].text.endswith("over the pairs of models within a metric.")
    third = row("new", "old", 0.05, 0.03, metric="hum")
    content = content_of(TWO, [other, main, third, other], groups=np.arange(30) // 3)
    section = tree(sections.compared(content))
    assert section.all("p")[0].text.endswith(" Computed over 10 groups of cases.")
    first, second = section.all("table")
    assert [each[0] for each in first.rows[1:]] == ["M"]
    assert [each[0] for each in second.rows[1:]] == ["PDI", "PDI", "HUM"]
    (folded,) = section.all("details")
    assert folded.all("summary")[0].text == "The other 2 metrics (3 rows)"
    labels = [each.attributes["aria-label"] for each in section.all("div", "scroll")]
    assert labels == ["Differences between models", "Differences in the other metrics"]


def surface_of(gini, n_found: int = 1234):
    return SimpleNamespace(gini=gini, n_found=n_found, n_searched=2000, n_samples=50_000)


def test_the_section_of_surfaces() -> None:
    assert sections.surfaces(content_of(TWO)) is None
    surfaces = {"old": surface_of(valued(0.7, 0.6, 0.8)), "new": surface_of(valued(0.9), 56)}
    section = tree(sections.surfaces(content_of(TWO, surfaces=surfaces, level=0.9)))
    assert section.all("h2")[0].text == "The ROC surface"
    told = section.all("p")[0].text
    assert told.startswith(
        "All costs together give a surface of operating points in the space of the 6 error rates: "
    )
    assert "better than guessing that the surface dominates, 1 for a perfect" in told
    assert "a short search on 2,000 cases, the same for every model. A longer" in told
    assert "measured at 50,000 random points, is a lower bound" in told
    (table,) = section.all("table")
    assert table.rows == [
        ["Model", "G", f"90{NBSP}% interval", "Operating points"],
        ["old", "0.700", "0.650 to 0.750", "1,234"],
        ["new", "0.900", "–No interval", "56"],
    ]
    keys = [each.attributes["class"] for each in table.all("span", "key")]
    assert keys == ["key model-1", "key model-0"]
    assert [each.attributes["data-label"] for each in table.all("td")] == [
        "G",
        "Interval",
        "Operating points",
    ] * 2
    one = {"net": surfaces["old"]}
    content = content_of(NET, y=[0, 1] * 9, n_classes=2, surfaces=one)
    section = tree(sections.surfaces(content))
    assert section.all("h2")[0].text == "The ROC curve of all costs"
    told = section.all("p")[0].text
    assert "give a curve of operating points in the space of the 2 error rates: " in told
    assert "a short search on 2,000 cases. A longer" in told


@pytest.mark.parametrize(
    ("value", "note", "told"),
    [
        (0.9, Note("one-case", "no standard error: class 0 has one case"), "a class has one case"),
        (
            0.9,
            Note("samples-agree", "all of 1000 agree; the share is above 6.0e-05"),
            "all random points are dominated; the share is above 0.00006",
        ),
        (
            0.5,
            Note("samples-agree", "none of 1000; the share is below 0.1"),
            "no random point is dominated; the share is below 0.1",
        ),
        (0.9, Note("x", "no standard error: every case agrees on 1"), "every case agrees on 1"),
    ],
)
def test_why_a_surface_has_no_interval(value, note, told) -> None:
    surfaces = {"net": surface_of(valued(value, notes=[note]))}
    (table,) = tree(sections.surfaces(content_of(NET, surfaces=surfaces))).all("table")
    assert table.rows[1][2] == f"–No interval: {told}"


def test_how_to_read_the_page() -> None:
    content = content_of({"net": {"hand_till": valued(0.8), "auc_mu": valued(0.7)}}, level=0.9)
    known = [
        Finding("confusion", "fact", "", ""),
        Finding("difference-clear", "fact", "", ""),
        Finding("confusion", "fact", "", ""),
    ]
    section = tree(sections.reading(content, known))
    terms = section.all("dt")
    assert [each.attributes["id"] for each in terms] == [
        "about-confusion",
        "about-difference-clear",
        "metric-hand_till",
        "metric-auc_mu",
    ]
    assert [each.text for each in terms[:2]] == ["Confusion", "Difference clear"]
    assert f"at the 10{NBSP}% level" in section.all("dd")[1].text
    assert terms[3].text.startswith("AUCμ – AUCμ")
    assert section.all("dd")[3].text.endswith(" Kleiman & Page 2019.")
    papers = [each.all("strong")[0].text for each in section.all("li")]
    last = ["Kleiman & Page 2019", "Van Calster et al. 2008", "Vickers & Elkin 2006"]
    assert papers == last
    surfaces = {"net": surface_of(valued(0.8))}
    with_surface = tree(sections.reading(replace(content, surfaces=surfaces), known))
    papers = [each.all("strong")[0].text for each in with_surface.all("li")]
    assert papers == ["Everson & Fieldsend 2006", *last]
    faulty = content_of(NET, of_models={"net": {"fault": "x"}})
    papers = [each.text for each in tree(sections.reading(faulty, [])).all("li")]
    assert len(papers) == 1 and papers[0].startswith("Van Calster et al. 2008: B. Van Calster, V.")
    assert section.one("methods").text.startswith("Predictions for 30 cases")
    both = cited(iter(["see Vickers & Elkin 2006; Li & Fine 2008"]))
    assert [short for short, _ in both] == ["Li & Fine 2008", "Vickers & Elkin 2006"]


def test_sections_on_probabilities_are_left_out_without_them() -> None:
    content = content_of(NET, of_models={"net": {"fault": "rows sum to 2"}})
    assert sections.calibration(content) is None and sections.benefit(content) is None


def test_what_is_said_before_the_curves() -> None:
    two = content_of(NET, y=[0, 1] * 9, n_classes=2)
    assert told_first(two) == "The second class against the first, by the scores of the second."
    every = dict.fromkeys(range(3), ())
    start = "Each class against all others together, by its own scores."
    assert told_first(content_of(NET, panels=every)) == start
    some = {1: (), 2: ()}
    assert told_first(content_of(NET, panels=some)) == (
        f"{start} Shown are the 2 of 3 classes with the smallest area."
    )
    assert told_first(content_of(TWO, panels=some)).endswith("area on average over the models.")


DRAG = (
    " Drag along it, or move the slider below it, to set a threshold t on the probability of the "
    "class: the explorer then classifies cases as this class from t upwards"
)


def test_what_is_said_of_the_legend() -> None:
    content = content_of(NET, level=0.9)
    legend = f"The legend has the area under each curve with its 90{NBSP}% interval."
    bands = f" Bands are 90{NBSP}% intervals of a curve at each false positive rate."
    marks = " Diamonds are the decisions of the explorer."
    point = " Point at a curve to read its rates, with their intervals."
    told = told_of_legend(content)
    assert tree(told).text == (
        f"{legend}{bands}{marks}{point}{DRAG}, and among the other classes by its costs. That has "
        f"the lowest expected cost where a false positive costs t, a false negative 1{NBSP}−{NBSP}t"
        ", and confusions of the other classes next to nothing."
    )
    two = content_of(NET, y=[0, 1] * 9, n_classes=2, level=0.9)
    assert tree(told_of_legend(two)).text == (
        f"{legend}{bands}{marks}{point}{DRAG}. That has the lowest expected cost where a false "
        f"positive costs t and a false negative 1{NBSP}−{NBSP}t."
    )
    private = replace(content, holds_cases=False)
    assert tree(told_of_legend(private)).text == f"{legend}{bands}{point}"
    without = content_of(NET, of_models={"net": {"probabilities": None}}, level=0.9)
    assert tree(told_of_legend(without)).text == f"{legend}{bands}{point}"
    for n_models, banded in ((3, True), (4, False)):
        values = {f"m{k}": valued(0.8) for k in range(n_models)}
        told = tree(told_of_legend(content_of(values, level=0.9))).text
        assert told.startswith(f"{legend}{bands}{marks}" if banded else f"{legend}{marks}")


def curve_of(area: float, low: float, high: float):
    """A curve whose band is asked for at the level of the page."""
    rates = np.array([0.0, 0.5, 1.0])
    curve = SimpleNamespace(area=area, false_positive_rate=rates, true_positive_rate=rates**0.5)
    return SimpleNamespace(
        curve=curve,
        area=(low, high, 0.95, ""),
        band=lambda level: (rates, rates * level, rates),
    )


def test_a_figure_of_curves_and_its_legend() -> None:
    assert area_text(curve_of(0.912, 0.88, 0.94)) == "0.912 (0.880–0.940)"
    assert area_text(curve_of(0.912, math.nan, math.nan)) == "0.912"
    panels = {2: (curve_of(0.912, 0.88, 0.94), curve_of(0.8, 0.7, 0.9))}
    figure = tree(roc_figure(content_of(TWO, panels=panels, level=0.5), 2))
    assert figure.attributes == {"class": "roc", "data-class": "2"}
    assert figure.all("figcaption")[0].text == "c"
    assert [each.text for each in figure.all("li")] == [
        "new0.912 (0.880–0.940)",
        "old0.800 (0.700–0.900)",
    ]
    assert len(figure.all("polyline")) == len(figure.all("polygon")) == 2
    assert "131.0,160.5" in figure.all("polygon")[0].attributes["points"]  # half of 0.5
    assert figure.all("svg", "panel")[0].attributes["aria-label"] == (
        "ROC curves of c against the rest"
    )
    keys = [each.attributes["class"] for each in figure.all("line", "curve")]
    assert keys == ["curve model-0 dash-0", "curve model-1 dash-1"]
    for n_models in (3, 4):
        values = {f"m{k}": valued(0.8) for k in range(n_models)}
        content = content_of(values, panels={0: (curve_of(0.8, 0.7, 0.9),) * n_models})
        bands = tree(roc_figure(content, 0)).all("polygon")
        assert len(bands) == (3 if n_models == 3 else 0)


def test_the_explorer_without_what_it_needs() -> None:
    none = content_of(NET, of_models={"net": {"probabilities": None}})
    assert tree(explorer(none)).text == (
        "Cost explorerCosts need probabilities, and no model here has them: see the summary."
    )
    private = replace(content_of(NET), holds_cases=False)
    assert tree(explorer(private)).text == (
        "Cost explorerThis page was written without its cases, which the explorer needs: it has no "
        "scores, true classes or names of single cases."
    )


def described(node: Node) -> list[str]:
    """Elements with an id or that can be set, with all their attributes."""
    kinds = ("input", "select", "button", "canvas", "option", "label", "pre", "form")
    return [
        f"{each.tag} "
        + " ".join(f"{name}={value}" for name, value in sorted(each.attributes.items()))
        for each in node.walk()
        if "id" in each.attributes or each.tag in kinds
    ]


def canvas(anchor: str) -> list[str]:
    return [
        f"h3 id={anchor}-heading",
        f"div class=choice id={anchor}-choice",
        f"canvas aria-describedby={anchor}-told aria-labelledby={anchor}-heading id={anchor} "
        "role=img tabindex=0",
        f"p class=muted id={anchor}-told",
    ]


def test_controls_of_the_explorer() -> None:
    """In the order of the page, with what scripts and readers of screens look for."""
    surfaces = {"new": surface_of(valued(0.8))}
    content = content_of(TWO, surfaces=surfaces)
    cases = replace(content.cases, slices=(SimpleNamespace(),))
    section = tree(explorer(replace(content, cases=cases)))
    assert described(section) == [
        "section aria-labelledby=explorer-title id=explorer",
        "h2 id=explorer-title",
        "p class=lead id=explorer-summary",
        "p class=muted id=explorer-calibration",
        "p aria-live=polite class=hidden id=explorer-live role=status",
        "form autocomplete=off class=panel-box id=controls",
        "label for=model",
        "select id=model",
        "option value=0",
        "option value=1",
        "label for=slice",
        "select id=slice",
        "option value=",
        "label ",
        "input checked=None name=mode type=radio value=costs",
        "label ",
        "input id=mode-limits name=mode type=radio value=limits",
        "div id=cost-controls",
        "div hidden=None id=limit-controls",
        "div id=practice",
        "div id=referral",
        "label ",
        "input id=may-refer type=checkbox",
        "div id=shares",
        "pre aria-label=Costs as Python id=python role=region tabindex=0",
        "button id=copy-python type=button",
        "button id=copy-json type=button",
        "span class=muted id=copied role=status",
        "h3 id=confusion-heading",
        "div id=confusion",
        *canvas("simplex"),
        *canvas("surface-view"),
        "h3 id=model-costs-heading",
        "div id=model-costs",
        "h3 id=cases-heading",
        "div id=cases",
    ]
    kinds = [each.attributes["class"] for each in section.walk() if "class" in each.attributes]
    assert kinds == [
        *("lead", "muted", "hidden", "explorer", "column", "panel-box", "slices", "modes"),
        *("panel-box export", "buttons", "muted", "column", "panel-box", "pictures"),
        *("panel-box", "choice", "picture", "tip", "muted") * 2,
        *("panel-box", "panel-box"),
    ]
    assert [each.text for each in section.all("h3")] == [
        "Use these costs in Python",
        "Decisions",
        "Cases and decision regions",
        "Position on the ROC surface",
        "Cost per case of every model",
        "Cases of one cell",
    ]
    assert [each.attributes for each in section.all("div", "tip")] == [
        {"class": "tip", "hidden": None}
    ] * 2
    texts = [each.text for each in section.all("option") + section.all("label")]
    assert texts[:3] == ["new", "old", "All"] and texts[-1] == "Refer cases to a person"
    assert "Costs of confusions" in texts and "Limits on error rates" in texts
    assert section.all("noscript")[0].text.startswith("The explorer needs JavaScript;")


@pytest.mark.parametrize(
    ("n_classes", "picture"),
    [
        (2, "Cases by probability"),
        (3, "Cases and decision regions"),
        (4, "Cases by two probabilities"),
    ],
)
def test_pictures_of_the_explorer(n_classes, picture) -> None:
    y = list(range(n_classes)) * 5
    surfaces = {"net": surface_of(valued(0.8))}
    section = tree(explorer(content_of(NET, y=y, n_classes=n_classes, surfaces=surfaces)))
    kind = "curve" if n_classes == 2 else "surface"
    titles = [each.text for each in section.all("h3")]
    assert titles[2:5] == [picture, f"Position on the ROC {kind}", "Cost per case"]
    assert section.all("p", "slices") == []


def test_limits_on_rates_are_for_up_to_five_classes() -> None:
    y = list(range(7)) * 3
    section = tree(explorer(content_of(NET, y=y, n_classes=7)))
    assert section.all("form")[0].all("p", "muted")[0].text == (
        "Limits on error rates and the ROC surface are for up to 5 classes: 7 classes have 42 "
        "error rates, too many to search here."
    )
    assert section.all("fieldset") == [] and len(section.all("canvas")) == 1
