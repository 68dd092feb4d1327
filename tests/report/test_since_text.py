"""The section on an earlier report, and the section on slices, for given values."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from report.dom import Node, parsed
from report.small import NBSP, content_of, valued
from scipy.stats import t

from polyroc._version import __version__
from polyroc.errors import InvalidInput, InvalidType
from polyroc.inference import SlicedEvaluation
from polyroc.inference._slices.parts import Withheld
from polyroc.inference._slices.result import SliceDifference, SliceTest
from polyroc.report import EarlierReport, _slices
from polyroc.report._earlier import Earlier, Known, is_over_folds, read_earlier, summary_of
from polyroc.report._markup import element
from polyroc.report._sections import since, slices
from polyroc.report._since import Change, changes, check_comparable, paired, since_table, since_text
from polyroc.report._slices import introduction, sliced_models, slices_of
from polyroc.results import Evaluation, Note


def measured(value: float, error: float, freedom: float = 20.0, **more):
    return valued(
        value, value - 0.1, value + 0.1, standard_error=error, degrees_of_freedom=freedom, **more
    )


def known(value: float, error: float = 0.02, freedom: float = 30.0, folds: bool = False) -> Known:
    return Known(value, error, freedom, folds)


def earlier_of(models, other_cases: bool = False, **more) -> Earlier:
    made = {
        "source": "old.html",
        "made": "2025-01-01, polyroc 0.1",
        "n_cases": 1234,
        "classes": ("a", "b", "c"),
        "counts": {"a": 10, "b": 10, "c": 10},
        "models": models,
        "other_cases": other_cases,
        **more,
    }
    return Earlier(**made)


NOW = {
    "one": {"hand_till": measured(0.8, 0.03), "pdi": measured(0.6, 0.04)},
    "two": {"hand_till": measured(0.7, 0.03), "pdi": measured(0.5, 0.04)},
}
THEN = {
    "one": {"hand_till": known(0.75), "hum": known(0.3)},
    "gone": {"hand_till": known(0.6), "pdi": known(0.4)},
}


def test_models_are_paired_by_name_or_where_there_is_one_on_either_side() -> None:
    content = content_of(NOW)
    assert paired(content, earlier_of(THEN)) == {"one": "one"}
    assert paired(content, earlier_of({"x": {}})) == {}
    single = content_of({"one": NOW["one"]})
    assert paired(single, earlier_of({"x": {}})) == {"one": "x"}
    assert paired(single, earlier_of({"x": {}, "y": {}})) == {}
    assert paired(single, earlier_of({"x": {}, "one": {}})) == {"one": "one"}


@pytest.mark.parametrize("level", [0.95, 0.9])
def test_changes_have_the_limits_of_welch_where_cases_are_others(level) -> None:
    content = replace(content_of(NOW), level=level)
    (only,) = changes(content, earlier_of(THEN))
    assert only[:5] == ("hand_till", "one", "one", 0.75, 0.8)
    assert only.difference == pytest.approx(0.05) and math.isnan(only.low + only.high)
    (found,) = changes(content, earlier_of(THEN, other_cases=True))
    a, b = 0.02**2, 0.03**2
    freedom = (a + b) ** 2 / (a**2 / 30 + b**2 / 20)
    reach = t.ppf((1 + level) / 2, freedom) * math.sqrt(a + b)
    assert (found.low, found.high) == pytest.approx((0.05 - reach, 0.05 + reach))


def test_changes_of_values_without_errors_have_no_limits() -> None:
    def limits(before: Known, now) -> tuple[float, float]:
        content = content_of({"one": {"hand_till": now}})
        (found,) = changes(content, earlier_of({"one": {"hand_till": before}}, other_cases=True))
        return found.low, found.high

    assert all(map(math.isnan, limits(known(0.7, math.nan), measured(0.8, 0.1))))
    assert all(map(math.isnan, limits(known(0.7), measured(0.8, math.nan))))
    assert all(map(math.isnan, limits(known(0.7, 0.0), measured(0.8, 0.0))))
    one = limits(known(0.7, 0.0), measured(0.8, 0.1, 12))
    assert one == pytest.approx((0.1 - t.ppf(0.975, 12) * 0.1, 0.1 + t.ppf(0.975, 12) * 0.1))
    normal = limits(known(0.7, 0.03, math.inf), measured(0.8, 0.04, math.inf))
    assert normal == pytest.approx((0.1 - 1.959964 * 0.05, 0.1 + 1.959964 * 0.05), abs=1e-7)


def test_rows_of_several_metrics_and_models() -> None:
    then = {name: {"pdi": known(0.4), "hand_till": known(0.6)} for name in ("two", "one")}
    found = changes(content_of(NOW), earlier_of(then))
    assert [(each.metric, each.model) for each in found] == [
        ("hand_till", "one"),
        ("hand_till", "two"),
        ("pdi", "one"),
        ("pdi", "two"),
    ]
    assert [each.now for each in found] == [0.8, 0.7, 0.6, 0.5]
    assert [each.before for each in found] == [0.6, 0.6, 0.4, 0.4]


SAME = "It has as many cases of each class, as if they were the same. "
UNKNOWN = (
    "It does not say which cases it is about, so differences have no interval and no test here. If "
    "the cases are the same, polyroc compare tests both files of predictions case by case; if they "
    "are others, --other-cases gives intervals."
)
OTHERS = (
    "The cases are different ones, as stated when this page was written: intervals of differences "
    "are those of independent samples, where both values have a standard error."
)


def test_what_is_said_of_the_earlier_report() -> None:
    content = content_of(NOW)
    start = (
        "Compared with old.html (2025-01-01, polyroc 0.1), on 1,234 cases; this report is on 30 "
        "cases. "
    )
    only = " Only there: gone. Only here: two."
    assert since_text(content, earlier_of(THEN)) == f"{start}{SAME}{UNKNOWN}{only}"
    for counts in ({}, {"a": 10, "b": 10, "c": 11}, {"a": 10, "b": 10}):
        assert since_text(content, earlier_of(THEN, counts=counts)) == f"{start}{UNKNOWN}{only}"
    told = since_text(content, earlier_of(THEN, other_cases=True))
    assert told == f"{start}{OTHERS}{only}"
    same = {name: {"hand_till": known(0.7)} for name in NOW}
    assert since_text(content, earlier_of(same)) == f"{start}{SAME}{UNKNOWN}"


def test_means_over_folds_on_one_side_are_told() -> None:
    folded = {"settings": {"estimand": "mean over folds"}}
    over = {"one": {"hand_till": measured(0.8, 0.03), "pdi": measured(0.6, 0.04, **folded)}}
    plain = {"one": {"hand_till": measured(0.8, 0.03)}}
    told = " Values are means over folds {} and of all cases together {}: they differ by that, too."
    for now, then, expected in (
        (over, False, told.format("here", "there")),
        (plain, True, told.format("there", "here")),
        (over, True, ""),
        (plain, False, ""),
    ):
        before = {"one": {"hand_till": known(0.7), "hum": known(0.3, folds=then)}}
        for others, text in ((False, UNKNOWN), (True, OTHERS)):
            found = since_text(content_of(now), earlier_of(before, others, counts={}))
            assert found.endswith(f"{text}{expected}")
    assert is_over_folds({"estimand": "mean over folds"})
    assert not is_over_folds({"estimand": "pooled"}) and not is_over_folds({})


def test_reports_that_cannot_be_compared() -> None:
    content = content_of(NOW)
    check_comparable(content)
    fine = earlier_of(THEN)
    for classes in (("a", "b", "c"), ("c", "b", "a")):
        check_comparable(replace(content, earlier=fine._replace(classes=classes)))
    for classes in (("a", "b"), ("a", "b", "d"), ("a", "b", "c", "c")):
        with pytest.raises(InvalidInput, match=r"these predictions have a, b, c\. Pass an"):
            check_comparable(replace(content, earlier=fine._replace(classes=classes)))
    two = content_of({"one": {"roc_auc": measured(0.8, 0.1)}}, y=[0, 1] * 9, n_classes=2)
    then = earlier_of({"one": {"roc_auc": known(0.7)}}, classes=("a", "b"))
    check_comparable(replace(two, earlier=then))
    with pytest.raises(InvalidInput, match="is about the classes b, a; these"):
        check_comparable(replace(two, earlier=then._replace(classes=("b", "a"))))
    with pytest.raises(InvalidInput) as caught:
        check_comparable(replace(content, earlier=earlier_of({"x": {}, "y": {}})))
    assert str(caught.value) == (
        "The earlier report 'old.html' has the models x, y, none of which is among one, two. Name "
        "models as they were named then."
    )
    with pytest.raises(InvalidInput) as caught:
        check_comparable(replace(content, earlier=earlier_of({"one": {"hum": known(0.3)}})))
    assert str(caught.value) == (
        "The earlier report 'old.html' has the metrics hum of these models, none of which is among "
        "hand_till, pdi. Pass an earlier report with one of these metrics."
    )


def test_the_table_has_intervals_only_where_there_are_some() -> None:
    content = replace(content_of(NOW), level=0.9)
    plain = Change("hand_till", "old", "one", 0.75, 0.8, math.nan, math.nan)
    lower = Change("saec", "one", "one", math.nan, 0.2, math.nan, math.nan)
    rows = parsed(str(since_table(content, [plain, lower]))).all("table")[0].rows
    assert rows == [
        ["Metric", "Model", "Earlier", "Now", "Difference"],
        ["M", "onethen old", "0.750", "0.800", "+0.0500"],
        ["SAEClower is better", "one", "–", "0.200", "–"],
    ]
    bounded = plain._replace(low=0.01, high=0.09)
    rows = parsed(str(since_table(content, [bounded, plain]))).all("table")[0].rows
    assert rows[0][5:] == [f"90{NBSP}% interval"]
    assert [each[5] for each in rows[1:]] == ["+0.0100 to +0.0900", "–"]


def test_the_main_metric_comes_first_and_the_others_are_folded() -> None:
    then = {"one": {"hand_till": known(0.75), "pdi": known(0.5)}, "two": {"pdi": known(0.4)}}
    content = content_of(NOW)
    assert since(content) is None
    tree = parsed(str(since(replace(content, earlier=earlier_of(then)))))
    first, others = tree.all("table")
    assert [each[0] for each in first.rows[1:]] == ["M"]
    assert [each[0] for each in others.rows[1:]] == ["PDI", "PDI"]
    (folded,) = tree.all("details")
    assert folded.all("summary")[0].text == "The other 1 metric" and folded.all("table") == [others]
    only = earlier_of({"one": {"pdi": known(0.5)}})
    tree = parsed(str(since(replace(content, earlier=only))))
    assert [len(tree.all(each)) for each in ("table", "details")] == [1, 1]
    only = earlier_of({"one": {"hand_till": known(0.5)}})
    tree = parsed(str(since(replace(content, earlier=only))))
    assert [len(tree.all(each)) for each in ("table", "details")] == [1, 0]


def written(each, metric: str):
    each.metric = metric
    return each


def test_what_a_page_holds_is_read_again(tmp_path) -> None:
    metrics = {
        "hand_till": written(measured(0.8, math.nan, math.inf), "hand_till"),
        "pdi": written(
            measured(math.nan, 0.1, 7.5, settings={"estimand": "mean over folds", "x": 1}), "pdi"
        ),
    }
    about = {
        "date": "2026-01-02",
        "input": {"cases": 9, "classes": [1, "b"], "counts": {"1": 3, "b": 5}},
    }
    made = summary_of({"net": metrics}, about)
    assert made["schema"] == "polyroc report 1" and made["polyroc"] == __version__
    assert made["models"] == [
        {
            "model": "net",
            "metrics": [
                {
                    "metric": "hand_till",
                    "value": 0.8,
                    "standard_error": None,
                    "degrees_of_freedom": None,
                    "settings": {},
                },
                {
                    "metric": "pdi",
                    "value": None,
                    "standard_error": 0.1,
                    "degrees_of_freedom": 7.5,
                    "settings": {"estimand": "mean over folds"},
                },
            ],
        }
    ]
    text = json.dumps(made)
    (tmp_path / "plain.json").write_text(text)
    page = f'\n <!DOCTYPE html><script type="application/json" id="evaluation">{text}</script><p>'
    (tmp_path / "page.html").write_text(page)
    for name, given in (
        ("plain.json", tmp_path / "plain.json"),
        ("page.html", EarlierReport(str(tmp_path / "page.html"), other_cases=True)),
    ):
        found = read_earlier(given)
        assert found.source == name and found.other_cases == (name == "page.html")
        assert found.made == f"2026-01-02, polyroc {__version__}"
        assert found.n_cases == 8 and found.classes == ("1", "b")
        assert found.counts == {"1": 3, "b": 5}
        values = found.models["net"]
        assert values["hand_till"].value == 0.8 and math.isnan(values["hand_till"].standard_error)
        assert values["hand_till"][2:] == (math.inf, False)
        assert math.isnan(values["pdi"].value) and values["pdi"][1:] == (0.1, 7.5, True)
    assert read_earlier(None) is None


def test_documents_without_a_date_or_counts_of_their_own(tmp_path) -> None:
    """What evaluate prints has the counts with each metric."""
    row = {"metric": "hum", "value": 0.5, "standard_error": 0.1, "degrees_of_freedom": None}
    document = {
        "schema": "polyroc evaluate 1",
        "polyroc": "0.2",
        "input": {"classes": ["a", "b"]},
        "models": [{"model": "net", "metrics": [{**row, "counts": {"a": 4, "b": 3}}]}],
    }
    path = tmp_path / "old.json"
    path.write_text(json.dumps(document))
    found = read_earlier(path)
    assert found.made == "polyroc 0.2" and found.n_cases == 7 and not found.other_cases
    assert found.models == {"net": {"hum": Known(0.5, 0.1, math.inf, False)}}
    with pytest.raises(InvalidType, match="other_cases"):
        read_earlier(EarlierReport(path, other_cases="yes"))
    document["schema"] = "polyroc"
    path.write_text(json.dumps(document))
    with pytest.raises(InvalidInput, match="is the document 'polyroc'"):
        read_earlier(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match="cannot be read: 'utf-8' codec"):
        read_earlier(path)


def test_an_earlier_report_is_a_value() -> None:
    assert EarlierReport("a") == EarlierReport("a", False) != EarlierReport("a", True)
    with pytest.raises(AttributeError):
        EarlierReport("a").path = "b"  # type: ignore[misc]


def sliced(
    values: dict[str, dict[object, object]],
    *,
    apart: dict[object, tuple[float, float]],
    tests: tuple[SliceTest, ...],
    thin: tuple[Withheld, ...] = (),
) -> SlicedEvaluation:
    """An evaluation by slices; differences in the order given."""
    rows = []
    for attribute, parts in values.items():
        for metric in ("pdi", "hand_till"):
            for each in (each for each in apart if each in parts):
                wrong = metric == "pdi"
                by, p = (9.0, 0.9) if wrong else apart[each]
                rows.append(SliceDifference(attribute, each, metric, by, p_adjusted=p))
    return SlicedEvaluation(
        (valued(0.8, 0.7, 0.9, metric="hand_till"),),
        0.95,
        None,
        slices={a: {s: {"hand_till": v} for s, v in parts.items()} for a, parts in values.items()},
        cases={a: {s: 1000 + k for k, s in enumerate(parts)} for a, parts in values.items()},
        differences=tuple(rows),
        alike=tests,
        thin=thin,
    )


def with_slices(*evaluations: SlicedEvaluation, **more):
    content = content_of({f"m{k}": valued(0.9 - k / 10) for k in range(len(evaluations))})
    models = tuple(
        replace(model, evaluation=each)
        for model, each in zip(content.models, evaluations, strict=True)
    )
    return replace(content, models=models, **more)


SITES = {
    "site": {
        "north": valued(0.8, 0.7, 0.9),
        "south": valued(0.6),
        5: valued(0.7, 0.65, 0.75, notes=[Note("small-class", "few of a"), Note("x", "other")]),
    }
}
ALIKE = SliceTest("site", "hand_till", 3, p_value=0.03, p_adjusted=0.04)


def tree_of(content) -> Node:
    return parsed(str(element("div", *slices_of(content))))


def test_slices_have_a_row_each_the_worst_first() -> None:
    apart = {"south": (-0.15, math.nan), 5: (math.nan, math.nan), "north": (0.0004, 0.05)}
    content = with_slices(sliced(SITES, apart=apart, tests=(ALIKE,)))
    tree = tree_of(content)
    assert [each.text for each in tree.all("h3")] == ["By site"]
    (table,) = tree.all("table")
    assert table.rows == [
        ["Slice", "Cases", "M", "Difference", "p"],
        ["south", "1,001", "0.600no interval", "−0.150", "–"],
        ["5", "1,002", "0.7000.650 to 0.750", "–", "–"],
        ["north", "1,000", "0.8000.700 to 0.900", "+0.0004", "0.050"],
    ]
    labels = [each.attributes.get("data-label") for each in table.all("td")][:4]
    assert labels == ["Cases", "M", "Difference", "p"]
    assert [each.text for each in tree.all("p")] == [
        "The 3 slices differ (p = 0.040) in M.",
        "5: few of a.",
    ]
    wide = with_slices(sliced(SITES, apart=apart, tests=(ALIKE,)), level=0.99)
    told = tree_of(wide)
    assert told.all("table")[0].rows[3][2] == "0.8000.660 to 0.940"
    assert told.all("p")[0].text == "The 3 slices cannot be told apart (p = 0.040) in M."


def test_slices_of_two_models_come_in_the_order_of_the_leading_one() -> None:
    first = {"south": (-0.15, 0.01), 5: (0.0, 0.2), "north": (0.1, 0.3)}
    second = {"north": (-0.1, 0.5), "south": (0.2, 0.6), 5: (0.3, 0.7)}
    evaluations = [sliced(SITES, apart=each, tests=(ALIKE,)) for each in (first, second)]
    content = with_slices(*evaluations)
    assert [(k, model.name) for k, model, _ in sliced_models(content)] == [(0, "m0"), (1, "m1")]
    tree = tree_of(content)
    heading, *rows = tree.all("table")[0].rows
    assert heading == ["Slice", "Cases", "Model", "M", "Difference", "p"]
    assert [(each[0], each[2], each[5]) for each in rows] == [
        ("south", "m0", "0.010"),
        ("south", "m1", "0.600"),
        ("5", "m0", "0.200"),
        ("5", "m1", "0.700"),
        ("north", "m0", "0.300"),
        ("north", "m1", "0.500"),
    ]
    assert [each.text for each in tree.all("p")][:2] == [
        "The 3 slices differ (p = 0.040) in M of m0.",
        "The 3 slices differ (p = 0.040) in M of m1.",
    ]


@pytest.mark.parametrize(("most", "shown"), [(3, 3), (2, 2)])
def test_of_many_slices_the_worst_are_shown(most, shown, monkeypatch) -> None:
    monkeypatch.setattr(_slices, "MOST_SLICES", most)
    apart = {"south": (-0.15, 0.1), "north": (0.05, 0.2), 5: (0.1, 0.3)}
    tree = tree_of(with_slices(sliced(SITES, apart=apart, tests=(ALIKE,))))
    assert [each[0] for each in tree.all("table")[0].rows[1:]] == ["south", "north", "5"][:shown]
    lines = [each.text for each in tree.all("p")]
    assert ("The 2 worst of 3 slices are shown." in lines) == (most == 2)
    assert ("5: few of a." in lines) == (most == 3)


def test_what_is_said_of_tests_and_slices_withheld() -> None:
    both = {**SITES, "sex": {"f": valued(0.8, 0.7, 0.9)}, "age": {}}
    tests = (
        replace(ALIKE, slices=2),
        replace(ALIKE, attribute="sex", slices=1, p_value=0.5, p_adjusted=0.5),
        replace(ALIKE, metric="pdi", p_value=0.5),
        SliceTest("age", "hand_till", 0, note="no test: fewer than two slices: none"),
    )
    thin = (
        Withheld("age", "young", 1, {"a": 1, "b": 0}, "1 case of a"),
        Withheld("site", "west", 5, {"a": 2, "b": 3}, "too few cases"),
    )
    apart = {"south": (-0.15, 0.1), "north": (0.05, 0.2), 5: (0.1, 0.3), "f": (0.0, 0.1)}
    tree = tree_of(with_slices(sliced(both, apart=apart, tests=tests, thin=thin)))
    assert [each.text for each in tree.all("h3")] == ["By site", "By sex", "By age"]
    assert len(tree.all("table")) == 2
    assert [each.text for each in tree.all("p")] == [
        "2 of 3 slices, those with a standard error, differ (p = 0.040 after Holm's adjustment "
        "over 2 attributes) in M.",
        "5: few of a.",
        "west is withheld, it has too few cases (cases per class: a 2, b 3).",
        "The 1 slices cannot be told apart (p = 0.500 after Holm's adjustment over 2 attributes) "
        "in M.",
        "There is no test of the slices in M: fewer than two slices: none.",
        "young is withheld, it has 1 case of a (cases per class: a 1, b 0).",
    ]


def test_what_the_tables_of_slices_hold() -> None:
    apart = {"south": (-0.15, 0.1), "north": (0.05, 0.2), 5: (0.1, 0.3)}
    content = with_slices(sliced(SITES, apart=apart, tests=(ALIKE,)), level=0.9)
    told = introduction(content)
    assert f" in each slice with its 90{NBSP}% interval, the worst slice of m0 first. " in told
    assert told.endswith(
        "the mean of the other slices weighted by their cases; p is Holm's over the slices of an "
        "attribute."
    )
    weighted = content_of({"m0": valued(0.8)}, weights=np.arange(1, 31))
    assert "weighted by the weight of their cases; p" in introduction(weighted)
    assert slices(weighted) is None and sliced_models(weighted) == []
    grouped = parsed(str(slices(replace(content, groups=np.arange(30) // 2))))
    assert grouped.all("p")[0].text.endswith("attribute. Computed over 15 groups of cases.")
    assert isinstance(content.models[0].evaluation, Evaluation)


@pytest.mark.parametrize("n_slices", [20, 21])
def test_at_most_twenty_slices_of_an_attribute_are_shown(n_slices) -> None:
    values = {"site": {k: valued(0.8, 0.7, 0.9) for k in range(n_slices)}}
    apart = {k: (k / 100, 0.5) for k in range(n_slices)}
    tree = tree_of(with_slices(sliced(values, apart=apart, tests=())))
    assert [each[0] for each in tree.all("table")[0].rows[1:]] == [str(k) for k in range(20)]
    told = ["The 20 worst of 21 slices are shown."] if n_slices == 21 else []
    assert [each.text for each in tree.all("p")] == told


def test_numbers_of_both_tables_stand_below_each_other() -> None:
    apart = {"south": (-0.15, 0.01), "north": (0.1, 0.3), 5: (0.2, 0.3)}
    evaluations = [sliced(SITES, apart=apart, tests=(ALIKE,)) for _ in range(2)]
    (table,) = tree_of(with_slices(*evaluations)).all("table")
    kinds = [each.attributes.get("class") for each in table.all("td")]
    assert kinds == ["number", "models", "number", "number", "number"] * 6
    change = Change("hand_till", "one", "one", 0.75, 0.8, 0.01, 0.09)
    (table,) = parsed(str(since_table(content_of(NOW), [change]))).all("table")
    kinds = [each.attributes.get("class") for each in table.all("td")]
    assert kinds == [None, "number", "number", "number", "number"]
